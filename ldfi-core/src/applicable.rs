//! Whether a specification fits a program: bounds that it can use, faults that can be told apart.

use dedalus_runtime::Execution;
use dedalus_runtime::model::FailureSpec;
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{HeadColumn, Plan, Rule, Term};

use crate::verdict::SearchError;

/// Refuses a bound that this program cannot use.
pub(crate) fn check(plan: &Plan, run: &Execution, spec: FailureSpec) -> Result<(), SearchError> {
    let bounds = spec.bounds();
    let refuse = |bound, why: String| Err(SearchError::Bound { bound, why });
    if bounds.gives.is_some_and(|most| most > 0) && run.inputs().next().is_none() {
        let why = "the program has no input that may come: declare one as `maybe r(..)@t;`, or leave the bound out";
        return refuse("gives", why.to_owned());
    }
    if bounds.partitions > 0 && run.nodes().len() < 2 {
        return refuse("partitions", "there are no two nodes to part".to_owned());
    }
    if bounds.per_message
        && let Some(rule) = plan.rules.iter().find(|rule| several_senders(rule))
    {
        let why = format!(
            "the messages of `{}` are aggregates that several nodes may send together, so that no message is one \
             node's; put the sender among the head's columns",
            rule.text
        );
        return refuse("per_message", why);
    }
    Ok(())
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
