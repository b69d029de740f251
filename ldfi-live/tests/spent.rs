//! Budgets hold, and what was found until then is told.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use dedalus_runtime::Interpreted;
use ldfi_live::{
    Conclusion, Disk, Failure, Id, Node, Options, Out, Scenario, Setup, Specification, Strategy, Unfinished,
};
use ldfi_model::{Budget, Spent, VerdictKind};

/// The first node counts until 9; the second must hear of 1 by the end.
struct Teller {
    id: Id,
    count: u32,
    slow: Duration,
}

impl Node for Teller {
    type Message = u32;
    type Request = ();

    fn tick(&mut self, out: &mut Out<u32>) {
        std::thread::sleep(self.slow);
        if self.id == 1 && out.now() < 9 {
            self.count += 1;
            out.send(2, self.count);
        }
    }

    fn handle(&mut self, _: Id, count: u32, out: &mut Out<u32>) {
        out.event("heard", count);
    }

    fn ask(&mut self, (): (), _: &mut Out<u32>) {}

    fn fingerprint(&self) -> Option<u64> {
        Some(self.count.into())
    }
}

fn teller(end: u32, slow: Duration) -> Setup<Teller> {
    let mut setup = Setup::new(2, move |id, _: Disk| Teller { id, count: 0, slow });
    setup.end(end);
    setup
}

fn heard() -> Vec<Specification> {
    let text = "input heard(str, int); ever(V) :- heard(_, V); ever(V)@next :- ever(V);
        go(1)@1; go(X)@next :- go(X); pre(X) :- go(X); post(X) :- go(X), ever(1);";
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
    vec![Specification::new(program).unwrap_or_else(|error| panic!("{error}"))]
}

fn explore(setup: &Setup<Teller>, options: &Options) -> Conclusion {
    setup.explore(&heard(), options).unwrap_or_else(|error| panic!("{error}"))
}

/// Failures that can be made short.
fn long() -> Options {
    let failures = vec![Failure::Lose, Failure::Delay(9), Failure::Reboot(9)];
    Options { failures, at_most: 2, threads: 1, ..Options::default() }
}

#[test]
fn there_are_no_more_executions_than_were_allowed() {
    let whole = explore(&teller(12, Duration::ZERO), &long());
    let (all, found) = (whole.statistics.executions, whole.bugs.len());
    assert!(whole.notes.is_empty(), "{:?}", whole.notes);
    for most in (2..all + 2).step_by(3) {
        let some = explore(&teller(12, Duration::ZERO), &Options { executions: Some(most), ..long() });
        assert!(some.statistics.executions <= most, "{} of {most}", some.statistics.executions);
        // What was found is told, if not in full.
        assert!(some.bugs.len() <= found && some.bugs.is_empty() == some.failing.is_empty(), "{most}");
        for bug in &some.bugs {
            assert_eq!(bug.violations[0].rule(), bug.rule);
        }
        let hurried = some.notes.iter().any(|note| note.starts_with("a budget ended before each bug"));
        assert_eq!(hurried, !some.bugs.is_empty() && most < all, "{most}: {:?}", some.notes);
    }
}

#[test]
fn executions_that_check_what_was_foretold_are_counted() {
    let calm = Options { failures: vec![Failure::Lose], from: 3, ..long() };
    let whole = explore(&teller(12, Duration::ZERO), &calm);
    assert_eq!(whole.verdict, VerdictKind::FaultTolerant);
    let (all, audited) = (whole.statistics.executions, whole.statistics.levels[1].audited);
    assert!(audited > 2, "{}", whole.statistics);
    let some = explore(&teller(12, Duration::ZERO), &Options { executions: Some(all - 1), ..calm });
    assert_eq!(some.statistics.executions, all - 1);
    assert_eq!(some.unfinished, Some(Unfinished::Executions(all - 1)));
}

#[test]
fn bugs_are_not_made_short_for_ever() {
    let failures = vec![Failure::Reboot(59), Failure::Kill(58), Failure::Isolate(58)];
    let options = Options { failures, at_most: 1, until: 4, threads: 1, ..Options::default() };
    let (began, slow) = (Instant::now(), Duration::from_millis(1));
    let budget = Budget::within(Duration::from_millis(700));
    let found = explore(&teller(60, slow), &Options { budget, ..options });
    // Each length takes an eighth of a second, and there are fifty for each failure.
    assert!(began.elapsed() < Duration::from_millis(2500), "{:?}", began.elapsed());
    assert!(!found.bugs.is_empty() && found.unfinished == Some(Unfinished::Spent(Spent::Time)), "{}", found.in_words());
}

#[test]
fn what_is_drawn_is_drawn_once_and_told_without_what_it_does_not_need() {
    let mut needless = 0;
    for seed in 0..20 {
        let options = Options { strategy: Strategy::Random { seed }, executions: Some(300), ..long() };
        let options = Options { failures: vec![Failure::Lose], until: 7, ..options };
        let found = explore(&teller(12, Duration::ZERO), &options);
        let failing: BTreeSet<&Scenario> = found.failing.iter().map(|failing| &failing.scenario).collect();
        assert_eq!(failing.len(), found.failing.len());
        // Of six messages, each or two may be lost.
        assert_eq!((found.statistics.scenarios(), found.unfinished), (21, Some(Unfinished::Random)), "seed {seed}");
        // What was drawn of two failures needs one of them.
        let few = explore(&teller(12, Duration::ZERO), &Options { executions: Some(14), ..options });
        needless += usize::from(few.failing.first().is_some_and(|first| first.scenario.len() == 2));
        let shown: Vec<String> = few.bugs.iter().map(|bug| bug.scenario.show(&few.nodes)).collect();
        assert!(few.bugs.is_empty() || shown == ["lose n1->n2@1 1"] || !few.notes.is_empty(), "seed {seed}: {shown:?}");
    }
    assert!(needless > 3, "{needless}");
}

#[test]
fn who_interrupts_midway_is_told_what_was_found() {
    for strategy in [Strategy::Pruned, Strategy::BruteForce, Strategy::Random { seed: 1 }] {
        let stop = Arc::new(AtomicBool::new(false));
        let raise = stop.clone();
        let mut options = Options { strategy, budget: Budget::unlimited().cancelled_by(stop), ..long() };
        // Sooner or later something fails; then it is enough.
        options.progress = Some(Arc::new(move |now| raise.store(now.failing > 0, Relaxed)));
        let whole = explore(&teller(12, Duration::ZERO), &Options { strategy, executions: Some(600), ..long() });
        let some = explore(&teller(12, Duration::ZERO), &options);
        assert_eq!(some.unfinished, Some(Unfinished::Spent(Spent::Interrupted)), "{strategy:?}");
        assert_eq!(some.verdict, VerdictKind::Counterexample);
        assert!(!some.bugs.is_empty() && some.failing.len() < whole.failing.len(), "{strategy:?} {}", some.in_words());
    }
}

#[test]
fn more_failures_than_there_are_places_for_are_no_more() {
    for at_most in [100_000, usize::MAX] {
        let options = Options { at_most, until: 4, ..Options::default() };
        let found = explore(&teller(12, Duration::ZERO), &options);
        let sizes: Vec<usize> = found.statistics.levels.iter().map(|level| level.size).collect();
        // Three messages, each of which may be lost.
        assert_eq!((found.statistics.scenarios(), &sizes[..]), (7, &[1, 2, 3][..]), "{}", found.in_words());
        assert_eq!(found.unfinished, None);
    }
}

#[test]
fn what_lasts_for_ever_is_made_short_in_a_moment() {
    for executions in [6, 9, 5_000] {
        let failures = vec![Failure::Reboot(u32::MAX), Failure::Isolate(u32::MAX)];
        let options = Options { failures, executions: Some(executions), until: 3, ..Options::default() };
        let found = explore(&teller(12, Duration::ZERO), &options);
        assert!(found.statistics.executions <= executions, "{}", found.in_words());
        for bug in &found.bugs {
            let text = bug.scenario.show(&found.nodes);
            let read = Scenario::parse(&text, &found.nodes).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read, bug.scenario, "{text}");
            assert!(executions < 5_000 || !text.contains("42949"), "{text}");
        }
    }
}
