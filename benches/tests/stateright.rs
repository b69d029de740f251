//! What stateright says of the protocols, and what we say beside it.

use ldfi_benches::stateright::commit::{Commit, Promise, Variant};
use ldfi_benches::stateright::paxos::Paxos;
use ldfi_benches::stateright::rows::{Asked, Row, rows};
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
        for (asked, verdict) in &row.ours {
            let ours = row.ask_us(&*row.program(*asked), *asked);
            let name = format!("{} {} {:?} {}", row.protocol, row.promise, row.spec, asked.name());
            assert_eq!(ours.verdict.name(), *verdict, "{name}");
            assert!(ours.statistics.executions <= 2, "{name}");
        }
    }
}

fn differ(theirs: Answer, ours: &str) -> bool {
    match theirs {
        Answer::Holds => ours == "counterexample",
        _ => ours == "fault-tolerant",
    }
}

/// Asked the same, both say the same, but where stateright cannot be asked about the end.
#[test]
fn like_for_like_the_verdicts_differ_only_where_eventually_misses_what_a_crash_breaks() {
    let rows = rows();
    let likest = |row: &Row| row.ours.last().map_or("", |(_, verdict)| *verdict);
    let missed: Vec<_> = rows.iter().filter(|row| differ(row.theirs, likest(row))).collect();
    assert_eq!(missed.len(), 4);
    for row in missed {
        assert!(row.theirs == Answer::Holds && row.style == Style::Manual && row.spec[2] > 0, "{}", row.protocol);
        assert_ne!(row.promise, "agreement");
    }
}

/// Delay alone does not break it: what the coordinator waits for is over before any agent asks another.
#[test]
fn only_timers_at_any_time_break_what_set_timers_keep() {
    for row in rows() {
        for (asked, verdict) in row.ours.iter().filter(|_| row.theirs == Answer::Broken) {
            let is_kept = row.protocol == "two_pc_ctp" && row.promise == "agreement" && *asked != Asked::AnyTime;
            assert_eq!(differ(row.theirs, verdict), is_kept, "{} {}", row.protocol, asked.name());
        }
    }
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
