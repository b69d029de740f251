//! Clauses and states in the words of the program.

use std::collections::BTreeMap;

use dedalus_syntax::plan::{HeadColumn, Term as RuleTerm};

use super::candidate::{Candidate, Claim, Column, Says};
use super::chase::{ALWAYS, AtomId, Chase};
use super::term::Term;
use super::theory::{Kind, Part, Pred, Theory};
use crate::answer::{Argument, Claim as Said, Counted, Form, Line};

/// The name that the program's rules give a column.
fn column_name(theory: &Theory<'_>, pred: Pred, column: usize) -> Option<String> {
    let named = |clause: &usize| {
        let rule = theory.question.plan.rule(theory.clauses[*clause].rule?);
        match rule.head.columns.get(column)? {
            HeadColumn::Term(RuleTerm::Slot(slot)) | HeadColumn::Aggregate(_, slot) => {
                Some(rule.slots[slot.index()].clone())
            }
            HeadColumn::Term(_) => None,
        }
    };
    theory.by_head[pred.index()].iter().find_map(named)
}

/// A name for each variable of a clause.
fn names(theory: &Theory<'_>, clause: &Candidate) -> Vec<String> {
    let mut names: Vec<Option<String>> = vec![None; clause.vars.len()];
    let mut taken: Vec<String> = vec![];
    let claims = clause.given.iter().chain(&clause.then);
    for claim in claims {
        let Says::Holds(pred) = claim.says else { continue };
        for (at, column) in claim.columns.iter().enumerate() {
            let Column::Var(var) = column else { continue };
            let place = &mut names[*var as usize];
            if place.is_none() {
                let wanted = column_name(theory, pred, at).unwrap_or_else(|| "X".into());
                let number = (2..).map(|n| format!("{wanted}{n}"));
                let name =
                    std::iter::once(wanted.clone()).chain(number).find(|name| !taken.contains(name)).unwrap_or(wanted);
                taken.push(name.clone());
                *place = Some(name);
            }
        }
    }
    names.into_iter().map(|name| name.unwrap_or_else(|| "X".into())).collect()
}

/// Whether a clause only says who is a node, or repeats what is given: needed, but not what an author wants to read first.
pub(crate) fn is_background(theory: &Theory<'_>, clause: &Candidate) -> bool {
    let typing = |claim: &Claim| match claim.says {
        Says::Holds(pred) => matches!(theory.predicate(pred).kind, Kind::Node | Kind::Member),
        Says::Same | Says::Less => false,
    };
    clause.then.first().is_some_and(typing) || clause.given.iter().all(typing)
}

/// A clause as a line of an invariant.
pub(crate) fn line(theory: &Theory<'_>, clause: &Candidate) -> Line {
    let names = names(theory, clause);
    let given: Vec<Said> = clause.given.iter().map(|claim| said(theory, claim, &names)).collect();
    let then: Vec<Said> = clause.then.iter().map(|claim| said(theory, claim, &names)).collect();
    Line { text: sentence(&given, &then), form: Form::Clause { given, then } }
}

fn sentence(given: &[Said], then: &[Said]) -> String {
    let list = |claims: &[Said], word: &str| claims.iter().map(ToString::to_string).collect::<Vec<_>>().join(word);
    match (given, then) {
        (given, []) if given.len() == 1 => format!("never {}", list(given, ", ")),
        (given, []) => format!("never both {}", list(given, " and ")),
        (given, then) => format!("{}  →  {}", list(given, ", "), list(then, " or ")),
    }
}

fn said(theory: &Theory<'_>, claim: &Claim, names: &[String]) -> Said {
    let argument = |column: &Column| match column {
        Column::Var(var) => Argument::Variable(names[*var as usize].clone()),
        Column::Const(value) => Argument::Constant(value.clone()),
        Column::Any => Argument::Anything,
    };
    let columns: Vec<Argument> = claim.columns.iter().map(argument).collect();
    let [first, second] = [0, 1].map(|at| columns.get(at).cloned().unwrap_or(Argument::Anything));
    let Says::Holds(pred) = claim.says else {
        return if claim.says == Says::Same { Said::Same(first, second) } else { Said::Less(first, second) };
    };
    let name = |relation: &dedalus_syntax::plan::RelId| theory.question.plan.rel(*relation).name.clone();
    match &theory.predicate(pred).kind {
        Kind::Relation(relation) => Said::Holds { relation: name(relation), columns },
        Kind::Member => Said::Member(first),
        Kind::Node => Said::Node(first),
        Kind::Crashes => Said::Crashes(first),
        Kind::Down => Said::Down(first),
        Kind::Possible(relation) => Said::Possible { relation: name(relation), columns },
        Kind::Threshold(at) => outnumbers(theory, &theory.thresholds[*at], &columns),
        Kind::Sent(rule) => {
            let relation = format!("sent {}", name(&theory.question.plan.rule(*rule).head.relation));
            Said::Holds { relation, columns }
        }
        Kind::Element(_) => Said::Holds { relation: "element".into(), columns },
    }
}

fn outnumbers(theory: &Theory<'_>, threshold: &super::theory::Threshold, columns: &[Argument]) -> Said {
    let counted = |part: &Part| {
        let rule = theory.counted_by(part.elements).map(|rule| theory.question.plan.rule(rule));
        // What is counted, said of the first literal that has it.
        let group: Vec<Argument> = part.group.iter().map(|column| columns[*column].clone()).collect();
        let projection = theory.projections.iter().find(|(pred, ..)| *pred == part.elements);
        if let Some((_, relation, column)) = projection {
            let mut columns = group;
            columns.insert(*column, Argument::Anything);
            return Counted { relation: theory.question.plan.rel(*relation).name.clone(), columns, column: *column };
        }
        match rule {
            Some(rule) => counted_in(theory, rule, &group),
            None => Counted { relation: "?".into(), columns: group, column: 0 },
        }
    };
    let part = |sign: i64| threshold.parts.iter().find(|part| part.factor.signum() == sign);
    let Some(positive) = part(1) else { return Said::Holds { relation: "count".into(), columns: columns.to_vec() } };
    Said::Outnumbers {
        part: Box::new(counted(positive)),
        factor: positive.factor,
        whole: part(-1).map(|part| Box::new(counted(part))),
        more: -threshold.constant,
    }
}

/// The literal in which a rule finds what it counts.
fn counted_in(theory: &Theory<'_>, rule: &dedalus_syntax::plan::Rule, group: &[Argument]) -> Counted {
    let mut known: BTreeMap<usize, Argument> = BTreeMap::new();
    let mut counted = None;
    let mut group = group.iter();
    for column in &rule.head.columns {
        match column {
            HeadColumn::Term(RuleTerm::Slot(slot)) => {
                known.extend(group.next().map(|argument| (slot.index(), argument.clone())));
            }
            HeadColumn::Term(_) => drop(group.next()),
            HeadColumn::Aggregate(_, slot) => counted = Some(slot.index()),
        }
    }
    let slot_of =
        |term: &Option<RuleTerm>| if let Some(RuleTerm::Slot(slot)) = term { Some(slot.index()) } else { None };
    let with = |premise: &&dedalus_syntax::plan::Atom| premise.pattern.iter().any(|term| slot_of(term) == counted);
    // The literal that says most.
    let bound = |premise: &&dedalus_syntax::plan::Atom| {
        premise.pattern.iter().filter(|t| slot_of(t).is_some_and(|s| known.contains_key(&s))).count()
    };
    let Some(premise) = rule.premises.iter().filter(with).max_by_key(bound) else {
        return Counted {
            relation: theory.question.plan.rel(rule.head.relation).name.clone(),
            columns: vec![],
            column: 0,
        };
    };
    let argument = |term: &Option<RuleTerm>| {
        slot_of(term).and_then(|slot| known.get(&slot).cloned()).unwrap_or(Argument::Anything)
    };
    Counted {
        relation: theory.question.plan.rel(premise.relation).name.clone(),
        columns: premise.pattern.iter().map(argument).collect(),
        column: premise.pattern.iter().position(|term| slot_of(term) == counted).unwrap_or(0),
    }
}

/// What holds in a model of a chase.
pub(crate) fn state(chase: &Chase<'_, '_>, holds: impl Fn(AtomId) -> bool) -> Vec<String> {
    let theory = chase.theory;
    let name = |term: &Option<Term>| match term {
        None => "_".to_owned(),
        Some(term) => chase.terms.value(*term).map_or_else(|| format!("x{}", term.0), ToString::to_string),
    };
    let mut lines = vec![];
    for (at, info) in (0u32..).zip(&chase.infos) {
        if !holds(AtomId(at)) || !info.possible || info.atom.args.iter().any(Option::is_none) {
            continue;
        }
        let what = match &theory.predicate(info.atom.pred).kind {
            Kind::Relation(relation) => theory.question.plan.rel(*relation).name.clone(),
            Kind::Member | Kind::Node | Kind::Element(_) => continue,
            Kind::Crashes => "crashes".into(),
            Kind::Down => "down".into(),
            Kind::Possible(relation) => format!("possible {}", theory.question.plan.rel(*relation).name),
            Kind::Threshold(_) => "enough".into(),
            Kind::Sent(rule) => {
                format!("sent {}", theory.question.plan.rel(theory.question.plan.rule(*rule).head.relation).name)
            }
        };
        let args: Vec<String> = info.atom.args.iter().map(name).collect();
        let when = match info.atom.moment {
            ALWAYS => String::new(),
            moment if moment + 1 == chase.shape.moments => " now".into(),
            moment => format!(" {} before", chase.shape.moments - 1 - moment),
        };
        lines.push(format!("{what}({}){when}", args.join(", ")));
    }
    lines.sort();
    lines
}
