//! Whether a specification fits a program: bounds that it can use, faults that can be told apart.

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::model::FailureSpec;
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{HeadColumn, Plan, Rule, Term};
use dedalus_runtime::{InputError, Program};

use crate::verdict::SearchError;

/// Whether a program can use every bound of a specification, up to its end of time. Whoever takes bounds asks this.
///
/// # Errors
/// The first bound that it cannot use, and why; or input that does not fit the program.
pub fn applicable<P: Program + ?Sized>(program: &P, spec: FailureSpec) -> Result<(), SearchError> {
    let (plan, bounds) = (program.plan(), spec.bounds());
    let failed = |error: InputError| SearchError::Run { faults: Faults::none(), error: error.into() };
    let refuse = |bound, why: &str| Err(SearchError::Bound { bound, why: why.to_owned() });
    if bounds.gives.is_some_and(|most| most > 0) {
        let declared = "declare one as `maybe r(..)@t;`, or leave the bound out";
        match first_input(program).map_err(failed)? {
            None => return refuse("gives", &format!("the program has no input that may come: {declared}")),
            Some(first) if first.0 > bounds.eot => {
                let eot = bounds.eot;
                let why = format!("no input may come up to {eot}, the end of time: the first may at {first}");
                return refuse("gives", &why);
            }
            Some(_) => {}
        }
    }
    let nodes = program.input().all_nodes(plan).map_err(failed)?.len();
    let of_nodes = [("restarts", bounds.restarts > 0), ("pauses", bounds.pauses > 0)];
    if let Some((bound, _)) = of_nodes.into_iter().find(|(_, given)| *given).filter(|_| nodes == 0) {
        return refuse(bound, "there is no node");
    }
    if bounds.partitions > 0 && nodes < 2 {
        return refuse("partitions", "there are no two nodes to part");
    }
    let of_links = [
        ("delay", bounds.delay > 0),
        ("losses", bounds.losses.is_some_and(|most| most > 0)),
        ("per_message", bounds.per_message),
        ("partitions", bounds.partitions > 0),
    ];
    if let Some(why) = nothing_passes(plan, nodes)
        && let Some((bound, _)) = of_links.into_iter().find(|(_, given)| *given)
    {
        return refuse(bound, why);
    }
    if bounds.per_message
        && let Some(rule) = plan.rules.iter().find(|rule| several_senders(rule))
    {
        let why = format!(
            "the messages of `{}` are aggregates that several nodes may send together, so that no message is one \
             node's; put the sender among the head's columns",
            rule.text
        );
        return refuse("per_message", &why);
    }
    Ok(())
}

/// When the first input may come, if any ever does.
pub(crate) fn first_input<P: Program + ?Sized>(program: &P) -> Result<Option<Time>, InputError> {
    let given = program.input().given(program.plan())?;
    Ok(given.into_iter().filter(|given| given.fact.maybe).map(|given| given.fact.time).min())
}

/// Why nothing ever passes between nodes, if so: faults of links have nothing to strike then.
pub(crate) fn nothing_passes(plan: &Plan, nodes: usize) -> Option<&'static str> {
    if nodes < 2 {
        return Some("there are no two nodes to send each other anything");
    }
    let sends = plan.rules.iter().any(|rule| rule.head.when == When::Async);
    (!sends).then_some("the program sends nothing: none of its rules is `@async`")
}

/// Warns of a specification that surely is not what was meant.
pub(crate) fn warn(plan: &Plan, spec: FailureSpec, notes: &mut Vec<String>) {
    if spec.bounds().restarts > 0 && !plan.relations.iter().any(|relation| relation.stable) {
        notes.push(
            "restarts are allowed, and nothing survives them: say what does with `stable r, s;`, or this is a protocol \
             whose nodes forget everything"
                .to_owned(),
        );
    }
}

/// Whether solutions of several senders may meet in one group of an `@async` rule.
fn several_senders(rule: &Rule) -> bool {
    if rule.head.when != When::Async || !rule.head.aggregates() {
        return false;
    }
    match &rule.location {
        Some(Term::Constant(_) | Term::Int(_)) => false,
        Some(location) => !rule.head.columns.iter().any(|c| matches!(c, HeadColumn::Term(term) if term == location)),
        None => false,
    }
}
