//! A line of an invariant in words: variables have the names that the program gives its columns, each its own.

use std::collections::BTreeMap;

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::{HeadColumn, Plan, RelId, Rule, Term};

use crate::answer::{Amount, Argument, Claim, Counted, Form, Line};
use crate::opening::Opening;
use crate::question::Question;

/// A line with good names, and its text.
pub(crate) fn line(question: &Question, mut form: Form) -> Line {
    let names = names(&question.plan, &form);
    rename(&mut form, &names);
    Line { text: text(question, &form), form }
}

/// Variables that are counted, or of no matter, end with this.
const PRIME: char = '\'';

// ---- Names. ----

/// What the program calls a column, the likeliest first.
fn called(plan: &Plan, relation: RelId, column: usize) -> Vec<String> {
    let slot = |rule: &Rule, term: &Term| match term {
        Term::Slot(slot) => Some(rule.slots[slot.index()].clone()),
        _ => None,
    };
    let head = |rule: &Rule| match rule.head.columns.get(column)? {
        HeadColumn::Term(term) => slot(rule, term),
        HeadColumn::Aggregate(_, of) => Some(rule.slots[of.index()].clone()),
    };
    let keeps = |rule: &&Rule| {
        rule.head.when == When::Next && rule.premises.iter().any(|atom| atom.relation == rule.head.relation)
    };
    let heads = || plan.rules.iter().filter(|rule| rule.head.relation == relation);
    let read = |rule: &Rule| -> Vec<String> {
        let atoms = rule.premises.iter().filter(|atom| atom.relation == relation);
        atoms.filter_map(|atom| slot(rule, atom.pattern.get(column)?.as_ref()?)).collect()
    };
    // Who carries a relation over names it as a whole.
    let mut all: Vec<String> = heads().filter(keeps).filter_map(head).collect();
    all.extend(heads().filter_map(head));
    all.extend(plan.rules.iter().flat_map(read));
    all
}

/// A name for each variable of a line.
fn names(plan: &Plan, form: &Form) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut taken: Vec<String> = plan.ast.params.iter().map(|param| param.name.text.clone()).collect();
    let params = taken.clone();
    let mut give = |variable: &String, wanted: Vec<String>| {
        if names.contains_key(variable) || params.contains(variable) {
            return;
        }
        let first = wanted.first().cloned().unwrap_or_else(|| "X".into());
        let numbered = (2..).map(|number| format!("{first}{number}"));
        let known = wanted.into_iter().chain([first.clone()]);
        let Some(name) = known.chain(numbered).find(|name| !taken.contains(name) && name != "_") else { return };
        taken.push(name.clone());
        let prime = if variable.ends_with(PRIME) { "'" } else { "" };
        names.insert(variable.clone(), format!("{name}{prime}"));
    };
    let all = claims(form);
    for (relation, columns) in all.iter().flat_map(|claim| claim.tuples()) {
        let relation = plan.relation(relation);
        for (column, argument) in columns.iter().enumerate() {
            if let (Argument::Variable(variable), Some(relation)) = (argument, relation) {
                give(variable, called(plan, relation, column));
            }
        }
    }
    for variable in all.iter().flat_map(|claim| claim.arguments()) {
        if let Argument::Variable(variable) = variable {
            give(variable, vec![]);
        }
    }
    names
}

fn claims(form: &Form) -> Vec<&Claim> {
    match form {
        Form::Clause { given, then } => given.iter().chain(then).collect(),
        Form::Sum { given, sum, .. } => {
            let counted = sum.iter().filter_map(|(amount, _)| match amount {
                Amount::Bindings { of, .. } => Some(of),
                Amount::UnderWay(_) | Amount::Parameter(_) => None,
            });
            given.iter().chain(counted.flatten()).collect()
        }
    }
}

fn rename(form: &mut Form, names: &BTreeMap<String, String>) {
    let word = |name: &mut String| {
        if let Some(known) = names.get(name) {
            *name = known.clone();
        }
    };
    let argument = |argument: &mut Argument| {
        if let Argument::Variable(name) = argument {
            word(name);
        }
    };
    let claim = |claim: &mut Claim| {
        claim.arguments_mut().into_iter().for_each(argument);
        if let Claim::Exceeds { part, whole, .. } = claim {
            for amount in [part, whole] {
                if let Amount::Bindings { variables, .. } = &mut **amount {
                    variables.iter_mut().for_each(word);
                }
            }
        }
    };
    match form {
        Form::Clause { given, then } => given.iter_mut().chain(then).for_each(claim),
        Form::Sum { given, apart, sum, .. } => {
            given.iter_mut().for_each(claim);
            apart.iter_mut().flat_map(|(one, other)| [one, other]).for_each(argument);
            for (amount, _) in sum {
                match amount {
                    Amount::Bindings { of, variables } => {
                        of.iter_mut().for_each(claim);
                        variables.iter_mut().for_each(word);
                    }
                    Amount::Parameter(name) => word(name),
                    Amount::UnderWay(_) => {}
                }
            }
        }
    }
}

// ---- Sentences. ----

fn text(question: &Question, form: &Form) -> String {
    let bare = |claim: &Claim| said(question, claim).replace(PRIME, "");
    let all = |claims: &[Claim]| claims.iter().map(bare).collect::<Vec<_>>();
    match form {
        Form::Clause { given, then } if then.iter().any(|claim| matches!(claim, Claim::Exceeds { .. })) => {
            for_every(given, then).replace(PRIME, "")
        }
        Form::Clause { given, then } => match (&all(given)[..], &all(then)[..]) {
            ([one], []) => format!("never {one}"),
            (several, []) => format!("never both {}", several.join(" and ")),
            (given, then) => format!("{}  →  {}", given.join(", "), then.join(" or ")),
        },
        Form::Sum { given, apart, sum, most } => {
            let mut given = all(given);
            given.extend(apart.iter().map(|(one, other)| format!("{one} ≠ {other}")));
            let body = show_sum(sum, *most);
            if given.is_empty() { body } else { format!("{}  →  {body}", given.join(", ")) }
        }
    }
}

/// `once this, for every lower C and other W: more than half of all nodes ..`
fn for_every(given: &[Claim], then: &[Claim]) -> String {
    let is_test = |claim: &&Claim| matches!(claim, Claim::Less(..) | Claim::Not(_));
    let (tests, atoms): (Vec<&Claim>, Vec<&Claim>) = given.iter().partition(is_test);
    // What lies between two values is said at once.
    let mut compared: Vec<String> = vec![];
    let mut last: Option<&Argument> = None;
    for test in tests {
        match (test, compared.last_mut()) {
            (Claim::Less(one, other), Some(before)) if last == Some(one) => *before += &format!(" < {other}"),
            _ => compared.push(test.to_string()),
        }
        last = if let Claim::Less(_, other) = test { Some(other) } else { None };
    }
    let once: Vec<String> = atoms.into_iter().map(ToString::to_string).collect();
    let every = if compared.is_empty() { String::new() } else { format!(", for every {}", compared.join(", ")) };
    let then: Vec<String> = then.iter().map(exceeds).collect();
    format!("once {}{every}: {}", once.join(", "), then.join(" or "))
}

/// A claim; of one that holds amounts against each other, in words where they are nodes and all nodes.
fn exceeds(claim: &Claim) -> String {
    let Claim::Exceeds { part, factor, whole, more } = claim else { return claim.to_string() };
    let (Amount::Bindings { of, variables }, [Claim::Node(_)]) = (&**part, whole.claims()) else {
        return claim.to_string();
    };
    let how_many = match (factor, more) {
        (2, 0) => "more than half of all nodes".to_owned(),
        (factor, 0) if *factor > 2 => format!("more than one in {factor} of all nodes"),
        _ => return claim.to_string(),
    };
    let not = |claim: &&Claim| matches!(claim, Claim::Not(_));
    let (fails, holds): (Vec<&Claim>, Vec<&Claim>) = of.iter().partition(not);
    let list = |claims: Vec<&Claim>| claims.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let but = if fails.is_empty() { String::new() } else { format!(", but {}", list(fails)) };
    format!("{how_many} {} have {}{but}", variables.join(", "), list(holds))
}

/// A claim; where a relation of all nodes with all is counted, all nodes are.
fn said(question: &Question, claim: &Claim) -> String {
    if let Claim::Outnumbers { part, factor: 2, whole: Some(whole), more: 0 } = claim
        && is_everyone(question, whole)
    {
        return format!("more than half of all nodes are in {part}");
    }
    claim.to_string()
}

/// Whether a count is that of all nodes: a full mesh that is never given up.
fn is_everyone(question: &Question, counted: &Counted) -> bool {
    let plan = &question.plan;
    let Some(relation) = plan.relation(&counted.relation) else { return false };
    let mesh = question.supply(relation).is_some_and(|supply| supply.opening == Opening::All);
    let kept = |rule: &Rule| {
        let same = |atom: &dedalus_syntax::plan::Atom| {
            atom.relation == relation
                && rule.head.columns.iter().zip(&atom.pattern).all(|(column, term)| match (column, term) {
                    (HeadColumn::Term(column), Some(term)) => column == term,
                    _ => false,
                })
        };
        rule.head.relation == relation
            && rule.head.when == When::Next
            && matches!(&rule.premises[..], [one] if same(one))
            && rule.negated.is_empty()
    };
    let others = counted.columns.iter().enumerate().filter(|(at, _)| *at != counted.column);
    let one_node = others.clone().count() == 1 && others.map(|(_, c)| c).all(|c| matches!(c, Argument::Variable(_)));
    mesh && one_node && question.crowd.named.is_empty() && plan.rules.iter().any(kept)
}

/// `#{..} + .. ≤ ..`, or in words where that is short.
fn show_sum(sum: &[(Amount, i64)], most: i64) -> String {
    let plain: Option<Vec<String>> =
        sum.iter().map(|(amount, times)| if *times == 1 { whole(amount) } else { None }).collect();
    match (plain.as_deref(), most) {
        (Some([one]), 0) => return format!("there is no {one}"),
        (Some([one]), 1) => return format!("there is at most one {one}"),
        (Some([one]), most) => return format!("there are at most {most} of {one}"),
        (Some([rest @ .., last]), 1) => {
            return format!("there is at most one of {} and {last} together", rest.join(", "));
        }
        (Some([rest @ .., last]), most) => {
            return format!("there are at most {most} of {} and {last} together", rest.join(", "));
        }
        _ => {}
    }
    let mut left: Vec<String> = vec![];
    let mut right: Vec<String> = vec![];
    for (amount, times) in sum {
        let times_shown = if times.abs() == 1 { String::new() } else { format!("{} ", times.abs()) };
        let side = if *times > 0 { &mut left } else { &mut right };
        side.push(format!("{times_shown}{}", show_amount(amount)));
    }
    match most {
        0 => {}
        1.. => right.push(most.to_string()),
        _ => left.push((-most).to_string()),
    }
    let side = |side: Vec<String>| if side.is_empty() { "0".into() } else { side.join(" + ") };
    format!("{} ≤ {}", side(left), side(right))
}

/// All tuples of a relation, as a word.
fn whole(amount: &Amount) -> Option<String> {
    match amount {
        Amount::UnderWay(relation) => Some(format!("{relation} under way")),
        Amount::Bindings { of, variables } => {
            let [Claim::Holds { relation, columns }] = &of[..] else { return None };
            let counted = |c: &Argument| matches!(c, Argument::Variable(name) if variables.contains(name));
            let shown: Vec<String> =
                columns.iter().map(|c| if counted(c) { "_".into() } else { c.to_string() }).collect();
            let all = columns
                .iter()
                .all(|c| !matches!(c, Argument::Variable(name) if name.ends_with(PRIME) && !variables.contains(name)));
            all.then(|| format!("{relation}({})", shown.join(", ")))
        }
        Amount::Parameter(_) => None,
    }
}

/// An amount: how many tuples of one relation there are, or of what satisfies several claims.
pub(crate) fn show_amount(amount: &Amount) -> String {
    match amount {
        Amount::UnderWay(relation) => format!("#{relation} under way"),
        Amount::Parameter(name) => name.clone(),
        Amount::Bindings { of, variables } => {
            if let (Some(all), false) = (whole(amount), variables.is_empty()) {
                return format!("#{all}");
            }
            let claims: Vec<String> = of.iter().map(ToString::to_string).collect();
            let shown = claims.join(", ").replace(PRIME, "");
            let variables: Vec<&str> = variables.iter().map(|v| v.trim_end_matches(PRIME)).collect();
            if variables.is_empty() { format!("[{shown}]") } else { format!("#{{{} | {shown}}}", variables.join(", ")) }
        }
    }
}
