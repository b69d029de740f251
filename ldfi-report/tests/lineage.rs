//! Why, why not, and what the faults cut.

mod common;

use ldfi_report::lineage::{self, DEFAULT_LIMIT, Kind};
use ldfi_report::model::Status;
use std::collections::BTreeSet;

#[test]
fn the_falsified_support_is_what_the_lost_message_carried() {
    let report = common::simple_deliv();
    let (base, cut) = (&report.runs[0], &report.runs[1].falsified);
    let shown: BTreeSet<String> = cut.tuples.iter().map(|t| base.show(base.tuple(*t))).collect();
    let expected = ["log(b, data)@2", "log(b, data)@3", "log(b, data)@4", "post(a, data)@4", "post(c, data)@4"];
    assert_eq!(shown, expected.map(String::from).into());
    assert_eq!(cut.firings.len(), 5);
}

#[test]
fn the_picture_of_a_broken_promise_has_each_fault_of_the_run_once() {
    let report = common::retry_deliv();
    for run in &report.runs[1..] {
        assert_eq!(run.status, Status::Failure);
        let graph = lineage::because(run.explanation.as_ref().unwrap(), 0).pruned();
        let drawn = graph.goals.iter().filter(|goal| goal.kind == Kind::Fault);
        let mut drawn: Vec<String> = drawn.map(|goal| goal.text.clone()).collect();
        let mut faults: Vec<String> = run.faults.iter().map(ToString::to_string).collect();
        drawn.sort();
        faults.sort();
        assert_eq!(drawn, faults);
    }
}

#[test]
fn the_failure_free_lineage_marks_what_counterexamples_cut() {
    let report = common::simple_deliv();
    let goal = lineage::cut_roots(&report)[0];
    let graph = lineage::why(&report, 0, goal, DEFAULT_LIMIT).pruned();
    let cut: Vec<&str> = graph.goals.iter().filter(|g| g.falsified).map(|g| g.text.as_str()).collect();
    assert_eq!(cut, ["log(b, data)@4", "log(b, data)@3", "log(b, data)@2"]);
    assert_eq!(graph.steps.iter().filter(|s| s.message.is_some()).count(), 1);
}

#[test]
fn the_roots_of_what_is_cut_show_all_of_it() {
    for report in [common::simple_deliv(), common::retry_deliv()] {
        let base = &report.runs[0];
        let roots = lineage::cut_roots(&report);
        assert!(!roots.is_empty());
        let mut shown: BTreeSet<String> = base.outcome.post.iter().map(|t| base.show(base.tuple(*t))).collect();
        for root in roots {
            let graph = lineage::why(&report, 0, root, DEFAULT_LIMIT);
            shown.extend(graph.goals.into_iter().filter(|g| g.falsified).map(|g| g.text));
        }
        for cut in report.runs.iter().flat_map(|run| &run.falsified.tuples) {
            assert!(shown.contains(&base.show(base.tuple(*cut))), "{}", base.show(base.tuple(*cut)));
        }
    }
}

#[test]
fn a_limit_leaves_out_and_counts() {
    let report = common::big();
    let goal = lineage::cut_roots(&report)[0];
    let whole = lineage::why(&report, 0, goal, usize::MAX);
    let part = lineage::why(&report, 0, goal, 10);
    assert_eq!((whole.left_out, part.goals.len()), (0, 10));
    assert!(part.left_out > 0);
    assert!(part.steps.iter().all(|s| s.premises.iter().all(|p| *p < 10)));
}

#[test]
fn pruning_hides_what_never_changes() {
    let report = common::simple_deliv();
    let goal = lineage::cut_roots(&report)[0];
    let graph = lineage::why(&report, 0, goal, DEFAULT_LIMIT);
    assert!(graph.goals.iter().any(|g| g.text.starts_with("node(")));
    assert!(graph.pruned().goals.iter().all(|g| !g.text.starts_with("node(")));
}
