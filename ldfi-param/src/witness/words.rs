//! Clauses and states in the words of the program.

use std::collections::BTreeMap;

use dedalus_syntax::ast::CompareOp;
use dedalus_syntax::plan::{HeadColumn, Term as RuleTerm};

use super::candidate::{Candidate, Claim, Column, Says};
use super::chase::{ALWAYS, AtomId, Chase};
use super::term::Term;
use super::theory::{Arg, Kind, Literal, Part, Theory};
use crate::answer::{Amount, Argument, Claim as Said, Counted, Form, Line};
use crate::phrase;

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
    let names: Vec<String> = (0..clause.vars.len()).map(|var| format!("V{var}")).collect();
    let all = |claims: &[Claim]| claims.iter().map(|claim| said(theory, claim, &names)).collect::<Vec<Said>>();
    let (mut given, mut then) = (all(&clause.given), all(&clause.then));
    // What enough nodes are barred for is any value but some.
    if then.iter().any(|claim| matches!(claim, Said::Exceeds { .. })) {
        let (same, others) = then.into_iter().partition(|claim| matches!(claim, Said::Same(..)));
        given.extend(Vec::into_iter(same).map(|claim| Said::Not(Box::new(claim))));
        then = others;
    }
    phrase::line(theory.question, Form::Clause { given, then })
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
        Kind::Threshold(at) if theory.barred.contains(&pred) => barred(theory, &theory.thresholds[*at], &columns),
        Kind::Threshold(at) => outnumbers(theory, &theory.thresholds[*at], &columns),
        Kind::Sent(relation) => Said::Sent { relation: name(relation), columns },
        Kind::Element(_) => Said::Holds { relation: "element".into(), columns },
    }
}

/// That enough nodes are barred: how many there are of them, held against all nodes.
fn barred(theory: &Theory<'_>, threshold: &super::theory::Threshold, columns: &[Argument]) -> Said {
    let nothing = || Said::Holds { relation: "barred".into(), columns: columns.to_vec() };
    let [part, _] = &threshold.parts[..] else { return nothing() };
    let clause = theory.clauses.iter().find(|clause| clause.head == part.elements);
    let Some((clause, Arg::Var(counted))) = clause.and_then(|clause| Some((clause, clause.args.last()?))) else {
        return nothing();
    };
    let own = |var: usize| Argument::Variable(format!("B{var}'"));
    let argument = |arg: &Arg| match arg {
        Arg::Var(var) => {
            let place = clause.args[..part.group.len()].iter().position(|known| known == arg);
            place.map_or_else(|| own(*var), |place| columns[part.group[place]].clone())
        }
        Arg::Const(value) => Argument::Constant(value.clone()),
        Arg::Offset(..) | Arg::Any | Arg::Opaque => Argument::Anything,
    };
    let mut of = vec![];
    for literal in &clause.body {
        match literal {
            Literal::Atom { pred, args, positive } => {
                let Kind::Relation(relation) = theory.predicate(*pred).kind else { return nothing() };
                let relation = theory.question.plan.rel(relation).name.clone();
                let holds = Said::Holds { relation, columns: args.iter().map(argument).collect() };
                of.push(if *positive { holds } else { Said::Not(Box::new(holds)) });
            }
            Literal::Compare(CompareOp::Lt, one, other) => of.push(Said::Less(argument(one), argument(other))),
            Literal::Compare(CompareOp::Gt, one, other) => of.push(Said::Less(argument(other), argument(one))),
            Literal::Compare(..) | Literal::Unknown => return nothing(),
        }
    }
    let every = Argument::Variable("N'".into());
    Said::Exceeds {
        part: Box::new(Amount::Bindings { of, variables: vec![format!("B{counted}'")] }),
        factor: part.factor,
        whole: Box::new(Amount::Bindings { of: vec![Said::Node(every)], variables: vec!["N'".into()] }),
        more: -threshold.constant,
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
            Kind::Sent(relation) => format!("sent {}", theory.question.plan.rel(*relation).name),
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
