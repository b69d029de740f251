//! What makes a good verdict say less than it seems: no fault that could strike, promises that none can reach, promises
//! that are judged by what is gone.

use std::collections::BTreeSet;

use dedalus_runtime::Execution;
use dedalus_runtime::model::FailureSpec;
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::lasting::{empty_at_the_end, gone_at_the_end};
use dedalus_runtime::syntax::plan::{Plan, RelId};

use crate::flow;

/// What is said where nothing can strike, with what would let something.
fn no_fault(run: &Execution) -> String {
    let instead = match run.nodes().len() {
        0 => "there is no node: name some in the first column of facts, or with `nodes`",
        1 => "there is one node, and nothing strikes what it sends itself: let it crash",
        _ => "let messages be lost (EFF beyond 1), or nodes crash",
    };
    format!("no fault is possible within this specification, so nothing was put to the test: {instead}")
}

/// Whether some fault may strike: some message may be struck, some node, or some input come.
fn may_strike(spec: FailureSpec, run: &Execution) -> bool {
    let nodes = run.nodes().len();
    // What may be at any step may be at the first one.
    let late = spec.may_delay(1, 1) || spec.may_copy(1, 1);
    let network = spec.may_lose(1) || late || spec.may_part(1);
    let stop = spec.may_pause(1) || spec.may_crash(1);
    (nodes > 1 && network) || (nodes > 0 && stop) || run.inputs().any(|(_, time, _)| spec.may_give(time))
}

/// Notes that no fault can strike, or none what is promised.
pub(crate) fn note_out_of_danger(spec: FailureSpec, run: &Execution, notes: &mut Vec<String>) {
    if may_strike(spec, run) {
        note_out_of_reach(spec, run, notes);
    } else {
        notes.push(no_fault(run));
    }
}

/// Until when each relation holds in some admissible run; 0 if it never does.
pub(crate) fn until(potential: &Execution) -> Vec<u32> {
    let held = |relation: RelId, time: u32| potential.at(relation, time).next().is_some();
    let until = |relation| (1..=potential.eot().0).rev().find(|time| held(relation, *time)).unwrap_or(0);
    (0..).map(RelId).zip(&potential.plan().relations).map(|(relation, _)| until(relation)).collect()
}

/// Promises that are judged by relations which hold in some admissible run, but in none at its end. What no run carries
/// that far at any end of time has been warned of already.
pub(crate) fn note_gone(plan: &Plan, eot: u32, until: &[u32], notes: &mut Vec<String>) {
    let until = |name: &str| plan.relation(name).and_then(|relation| until.get(relation.index()).copied());
    let gone = gone_at_the_end(&plan.ast, |name| until(name).is_none_or(|until| until == eot));
    let warned = empty_at_the_end(&plan.ast);
    let names: BTreeSet<&str> = gone.iter().map(|gone| gone.literal.relation.text.as_str()).collect();
    for name in names {
        if let Some(last) = until(name).filter(|last| *last > 0 && !warned.contains(name)) {
            notes.push(format!(
                "`{name}` is empty at {eot}, when promises are judged by it: it holds until {last} at the latest"
            ));
        }
    }
}

/// Promises that no fault reaches: neither side is made, however far back, of anything that is sent, that may come, that
/// tells of faults or, where nodes stand still, that steps on.
fn note_out_of_reach(spec: FailureSpec, run: &Execution, notes: &mut Vec<String>) {
    let (plan, bounds) = (run.plan(), spec.bounds());
    let still = bounds.restarts > 0 || bounds.pauses > 0;
    let mut reached: Vec<bool> = plan.relations.iter().map(|relation| relation.reserved.is_some()).collect();
    run.inputs().for_each(|(relation, ..)| reached[relation.index()] = true);
    for rule in &plan.rules {
        if rule.head.when == When::Async || still && rule.head.when == When::Next {
            reached[rule.head.relation.index()] = true;
        }
    }
    let reached = flow::reached(plan, reached);
    for promise in plan.promises() {
        let (Some(pre), Some(post)) = (promise.pre, promise.post) else { continue };
        if !reached[pre.index()] && !reached[post.index()] {
            let (pre, post) = (&plan.rel(pre).name, &plan.rel(post).name);
            notes.push(format!("no fault reaches `{pre}` or `{post}`: they are the same in every run"));
        }
    }
    // Without promises a run is judged by what lasts.
    let kept = plan.persistent();
    if !kept.is_empty() && kept.iter().all(|relation| !reached[relation.index()]) {
        let names: Vec<String> = kept.iter().map(|relation| format!("`{}`", plan.rel(*relation).name)).collect();
        let names = names.join(", ");
        notes.push(format!("no fault reaches what lasts ({names}), by which runs are judged without `pre` and `post`"));
    }
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::Interpreted;
    use dedalus_runtime::model::Bounds;

    use super::*;
    use crate::options::{Options, Strategy};
    use crate::search::Search;

    /// The verdict, and what else is said of it.
    fn said(text: &str, bounds: Bounds, strategy: Strategy) -> (&'static str, String) {
        let program = Interpreted::from_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"));
        let spec = FailureSpec::try_from(bounds).unwrap();
        let found = Search::new(&program, spec, Options { strategy, ..Options::default() }).run().unwrap();
        (found.verdict.name(), found.notes.join("\n"))
    }

    const TELL: &str = "heard(B, W)@async :- say(A, B, W); heard(B, W)@next :- heard(B, W);
        pre(W) :- say(_, _, W)@1; post(W) :- heard(\"b\", W); say(\"a\", \"b\", \"hello\")@1; other(\"b\")@1;";

    #[test]
    fn a_specification_that_allows_nothing_is_noted_by_every_strategy() {
        for strategy in [Strategy::Exact, Strategy::Exhaustive, Strategy::Lineage(Default::default())] {
            let nothing = Bounds { eot: 4, eff: 1, ..Bounds::default() };
            let (verdict, notes) = said(TELL, nothing, strategy);
            assert_eq!(verdict, "fault-tolerant");
            assert!(notes.contains("no fault is possible"), "{notes}");
            let crash = Bounds { eot: 4, crashes: 1, ..Bounds::default() };
            assert!(!said(TELL, crash, strategy).1.contains("no fault is possible"));
        }
        // With one node there is nothing to lose, whatever EFF is.
        let alone = "p(X)@next :- p(X); pre(X) :- p(X); post(X) :- p(X); p(\"a\")@1;";
        let notes = said(alone, Bounds { eot: 4, eff: 3, ..Bounds::default() }, Strategy::Exact).1;
        assert!(notes.contains("let it crash") && !notes.contains("EFF"), "{notes}");
        let late = Bounds { eot: 4, eff: 3, losses: Some(0), delay: 1, ..Bounds::default() };
        assert!(!said(TELL, late, Strategy::Exact).1.contains("no fault is possible"));
    }

    #[test]
    fn inputs_that_may_come_are_faults_too() {
        let text = "p(X)@next :- p(X); pre(X) :- p(X); post(X) :- p(X), notin bad(X); bad(X)@next :- bad(X);
            p(\"a\")@1; maybe bad(\"a\")@2;";
        let alone = Bounds { eot: 4, ..Bounds::default() };
        assert_eq!(said(text, alone, Strategy::Exact), ("counterexample", String::new()));
        let kept = text.replace("maybe bad(\"a\")", "maybe bad(\"b\")");
        assert_eq!(said(&kept, alone, Strategy::Exact), ("fault-tolerant", String::new()));
        let never = Bounds { gives: Some(0), ..alone };
        assert!(said(text, never, Strategy::Exact).1.contains("no fault is possible"));
    }

    #[test]
    fn a_promise_that_no_fault_reaches_is_noted() {
        // It is about what each node knows from the beginning.
        let text = format!(
            "{TELL} pre.known(N) :- other(N)@1; post.known(N) :- known(N); known(N)@next :- known(N);
             known(N)@next :- other(N);"
        );
        let crash = Bounds { eot: 4, crashes: 1, ..Bounds::default() };
        let broken = said(&text, crash, Strategy::Exact);
        assert_eq!(broken, ("counterexample", String::new()), "a bad verdict needs no doubts");
        let text = text.replace("say(\"a\"", "say(\"b\"");
        for strategy in [Strategy::Exact, Strategy::Exhaustive] {
            let (verdict, notes) = said(&text, crash, strategy);
            assert_eq!(verdict, "fault-tolerant");
            assert_eq!(notes, "no fault reaches `pre.known` or `post.known`: they are the same in every run");
        }
        // A node that stands still steps on nothing.
        let still = Bounds { pauses: 1, eff: 2, ..crash };
        assert!(!said(&text, still, Strategy::Exact).1.contains("no fault reaches"));
        let relayed = "heard(B, W)@async :- heard(A, W), link(A, B); link(A, B)@next :- link(A, B);
            heard(N, W)@next :- heard(N, W); pre(W) :- heard(\"a\", W); post(W) :- heard(\"b\", W);
            heard(\"a\", \"x\")@1; link(\"a\", \"b\")@1; link(\"b\", \"a\")@1;";
        let lossy = Bounds { eot: 5, eff: 3, ..Bounds::default() };
        assert_eq!(said(relayed, lossy, Strategy::Exact), ("fault-tolerant", String::new()));
        // Without promises it is what lasts that counts.
        let silent = "x(A, B)@next :- x(A, B); x(\"a\", 1)@1; x(\"b\", 2)@1;";
        assert!(said(silent, lossy, Strategy::Exact).1.contains("no fault reaches what lasts (`x`)"));
    }

    #[test]
    fn what_is_gone_at_this_end_is_noted_once() {
        // It counts down, and is gone; the text alone does not tell.
        let text = "p(X)@next :- p(X); left(X, N - 1)@next :- left(X, N), N > 0;
            pre(X) :- p(X); post(X) :- p(X), notin late(X); late(X) :- left(X, _), notin told(X);
            told(B)@async :- p(A), link(A, B); told(B)@next :- told(B); link(A, B)@next :- link(A, B);
            p(\"a\")@1; p(\"b\")@1; left(\"b\", 2)@1; link(\"a\", \"b\")@1;";
        let (verdict, notes) = said(text, Bounds { eot: 6, eff: 4, ..Bounds::default() }, Strategy::Exact);
        assert_eq!(verdict, "fault-tolerant");
        assert!(notes.contains("`left` is empty at 6, when promises are judged by it: it holds until 3"), "{notes}");
        let (_, notes) = said(text, Bounds { eot: 3, eff: 1, ..Bounds::default() }, Strategy::Exact);
        assert!(!notes.contains("is empty"), "{notes}");
    }
}
