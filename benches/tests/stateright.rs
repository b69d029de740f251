//! What stateright says of the protocols, and what we say beside it.

use ldfi_benches::stateright::commit::{Commit, Promise, Variant};
use ldfi_benches::stateright::paxos::Paxos;
use ldfi_benches::stateright::rows::rows;
use ldfi_benches::stateright::{Answer, Style, check};
use stateright::{Checker, Expectation, Model};

const BUDGET: usize = 1_000_000;

#[test]
fn the_verdicts_of_the_small_rows_are_as_the_table_says() {
    for row in rows().iter().filter(|row| row.small) {
        let name = format!("{} {} {:?} {}", row.protocol, row.promise, row.spec, row.style.name());
        assert_eq!(row.ask_stateright(BUDGET).answer, row.theirs, "{name}");
    }
}

#[test]
fn our_verdicts_are_as_the_table_says_and_take_two_executions_at_most() {
    for row in rows() {
        let ours = row.ask_us(&row.program());
        assert_eq!(ours.verdict.name(), row.ours, "{} {} {:?}", row.protocol, row.promise, row.spec);
        assert!(ours.statistics.executions <= 2);
    }
}

/// Every difference is one of two kinds, and each kind is in the table.
#[test]
fn eventually_misses_what_a_crash_breaks_and_delay_breaks_what_rounds_keep() {
    let rows = rows();
    let differ = |theirs: Answer, ours: &str| match theirs {
        Answer::Holds => ours == "counterexample",
        _ => ours == "fault-tolerant",
    };
    let (missed, broken): (Vec<_>, Vec<_>) =
        rows.iter().filter(|row| differ(row.theirs, row.ours)).partition(|row| row.theirs == Answer::Holds);
    assert_eq!((missed.len(), broken.len()), (4, 2));
    assert!(missed.iter().all(|row| row.style == Style::Manual && row.spec[2] > 0 && row.promise != "agreement"));
    assert!(broken.iter().all(|row| row.protocol == "two_pc_ctp" && row.promise == "agreement"));
}

/// A state can always crash or recover, so no path ends, so nothing that is never reached is found out.
#[test]
fn with_crashes_that_heal_an_eventually_holds_of_anything() {
    let never = |crashes| {
        let (variant, promise, style) = (Variant::Plain, Promise::Agreement, Style::Manual);
        let model = Commit { variant, promise, agents: 2, loss: false, crashes, style }.model();
        let checker = model.property(Expectation::Eventually, "the impossible", |_, _| false).checker();
        checker.spawn_dfs().join().discovery("the impossible").is_some()
    };
    assert!(never(0));
    assert!(!never(1));
}

/// The request to prepare arrives after the question of a peer, at an agent that has aborted for its sake.
#[test]
fn delay_alone_breaks_the_agreement_of_cooperative_termination() {
    let ask = |variant| {
        let world =
            Commit { variant, promise: Promise::Agreement, agents: 2, loss: false, crashes: 0, style: Style::Delay };
        check(world.model().checker(), BUDGET).answer
    };
    assert_eq!(ask(Variant::Ctp), Answer::Broken);
    assert_eq!(ask(Variant::CtpMended), Answer::Holds);
}

#[test]
fn delay_alone_breaks_a_forgetful_acceptor() {
    let world = Paxos { forgetful: true, ballots: 2, loss: false, crashes: 0, style: Style::Delay };
    assert_eq!(check(world.model().checker(), BUDGET).answer, Answer::Broken);
}

/// Agreement is not kept by choosing nothing.
#[test]
fn the_actors_choose_and_commit() {
    let world = Paxos { forgetful: false, ballots: 1, loss: true, crashes: 1, style: Style::AtRest };
    let chooses = world.model().property(Expectation::Sometimes, "chosen", |_, state| Paxos::chooses(state));
    assert!(chooses.checker().spawn_bfs().join().discovery("chosen").is_some());
    for variant in [Variant::Plain, Variant::Timeout, Variant::Ctp, Variant::CtpMended] {
        let (promise, style) = (Promise::Agreement, Style::AtRest);
        let model = Commit { variant, promise, agents: 2, loss: true, crashes: 1, style }.model();
        let commits = model.property(Expectation::Sometimes, "committed", |_, state| Commit::commits(state));
        assert!(commits.checker().spawn_bfs().join().discovery("committed").is_some());
    }
}

/// Without symmetry, whose representatives depend on the order of the search, counts are exact.
#[test]
fn state_counts() {
    let world = Paxos { forgetful: false, ballots: 2, loss: true, crashes: 1, style: Style::Delay };
    assert_eq!(check(world.model().checker(), BUDGET).states, 11_144);
}
