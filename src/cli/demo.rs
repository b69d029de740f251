//! `ldfi demo`: built-in protocols, no file needed.

use dedalus_runtime::Interpreted;
use dedalus_runtime::syntax::Sources;
use dedalus_runtime::syntax::compile_sources;
use ldfi_core::{Options, Search};
use ldfi_model::{Bounds, FailureSpec};
use ldfi_report::model::Report;
use ldfi_report::text as view;

use super::args::{BoundArgs, DemoArgs};
use super::progress::{Progress, budget};
use super::terminal::Terminal;
use super::{Done, Failure, Status, spec, text};

macro_rules! examples {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../examples/", $name, ".ded")))),*]
    };
}

/// Every example and what they include, by path.
const TEXTS: &[(&str, &str)] = examples![
    "ack_deliv",
    "alternating_bit",
    "bully_le",
    "bully_split_brain",
    "chain_no_master",
    "chain_replication",
    "classic_deliv",
    "failover",
    "flux",
    "flux_delivers",
    "kafka",
    "kafka_repaired",
    "lock_fenced",
    "lock_fenced_writes",
    "lock_lease",
    "paxos_forgetful",
    "paxos_stable",
    "paxos_synod",
    "paxos_volatile_promises",
    "primary_backup",
    "primary_backup_epochs",
    "raft_any_timer",
    "raft_any_timer_vote_twice",
    "raft_commit_old_term",
    "raft_election",
    "raft_log",
    "raft_log_stable",
    "raft_log_volatile",
    "raft_stable",
    "raft_volatile_votes",
    "raft_vote_twice",
    "redun_deliv",
    "redun_deliv_next",
    "retry_deliv",
    "sequence_numbers",
    "simple_deliv",
    "three_pc",
    "three_pc_uniform",
    "token",
    "token_kept",
    "two_pc",
    "two_pc_ctp",
    "two_pc_ctp_mended",
    "two_pc_ctp_patient",
    "two_pc_timeout",
    "work_queue",
    "work_queue_dedup",
    "zyzzyva",
    "zyzzyva_3f",
    "parts/broadcast_spec",
    "parts/bully",
    "parts/chain",
    "parts/commit_agreement",
    "parts/commit_spec",
    "parts/ctp",
    "parts/flux",
    "parts/kafka_replication",
    "parts/lease",
    "parts/majority",
    "parts/patient",
    "parts/paxos",
    "parts/paxos_restart",
    "parts/paxos_spec",
    "parts/primary_backup",
    "parts/raft_any_timer",
    "parts/raft_election",
    "parts/raft_log",
    "parts/raft_log_restart",
    "parts/raft_restart",
    "parts/raft_terms",
    "parts/raft_timers",
    "parts/stop_and_wait",
    "parts/three_nodes",
    "parts/timer",
    "parts/two_phases",
    "parts/work_queue",
    "parts/zyzzyva",
];

/// A protocol, the faults to try it with, and a line about it.
struct Demo {
    name: &'static str,
    bounds: Bounds,
    about: &'static str,
}

/// Losses before EFF, and crashes for good.
const fn paper(eot: u32, eff: u32, crashes: u32) -> Bounds {
    Bounds {
        eot,
        eff,
        crashes,
        restarts: 0,
        losses: None,
        delay: 0,
        delays: None,
        duplicates: 0,
        partitions: 0,
        pauses: 0,
        gives: None,
        per_message: false,
    }
}

const fn demo_of(name: &'static str, (eot, eff, crashes): (u32, u32, u32), about: &'static str) -> Demo {
    demo_under(name, paper(eot, eff, crashes), about)
}

const fn demo_under(name: &'static str, bounds: Bounds, about: &'static str) -> Demo {
    Demo { name, bounds, about }
}

// The bounds that a protocol and its mended form share.
const LATE: Bounds = Bounds { losses: Some(0), delay: 6, ..paper(10, 9, 0) };
const REORDERED: Bounds = Bounds { delay: 2, duplicates: 2, ..paper(16, 8, 0) };
const PAUSED: Bounds = Bounds { pauses: 1, ..paper(14, 10, 0) };
const RESTARTED: Bounds = Bounds { restarts: 1, ..paper(10, 9, 1) };
const COPIED: Bounds = Bounds { losses: Some(0), delay: 1, delays: Some(0), duplicates: 1, ..paper(10, 4, 0) };
const PARTED: Bounds = Bounds { losses: Some(0), partitions: 1, ..paper(12, 11, 0) };

const DEMOS: &[Demo] = &[
    demo_of("simple_deliv", (4, 2, 0), "a broadcast that sends each copy once"),
    demo_of("retry_deliv", (4, 2, 1), "a broadcast whose sender tries for ever"),
    demo_of("redun_deliv", (6, 4, 1), "a broadcast in which everybody tries for ever"),
    demo_of("redun_deliv_next", (4, 3, 1), "the same as the paper prints it: a step late"),
    demo_of("classic_deliv", (5, 3, 0), "a broadcast in which everybody relays once"),
    demo_of("ack_deliv", (8, 7, 1), "a broadcast that sends until it is acknowledged"),
    demo_of("two_pc", (5, 0, 1), "two-phase commit: blocks when the coordinator dies"),
    demo_of("two_pc_timeout", (5, 0, 1), "two-phase commit whose coordinator times out"),
    demo_of("two_pc_ctp", (8, 0, 1), "two-phase commit whose agents ask each other"),
    demo_under("two_pc_ctp_patient", LATE, "the same with a patient coordinator: a late request breaks agreement"),
    demo_under("two_pc_ctp_mended", LATE, "the same, mended: who has aborted votes no"),
    demo_of("three_pc", (9, 7, 1), "three-phase commit: disagrees when messages are lost"),
    demo_of("three_pc_uniform", (8, 0, 2), "three-phase commit, asked about crashed nodes too"),
    demo_of("kafka", (6, 4, 1), "replication that confirmed writes may not survive"),
    demo_of("kafka_repaired", (6, 4, 1), "the same, repaired"),
    demo_of("bully_le", (4, 3, 0), "leader election by the bully"),
    demo_of("bully_split_brain", (4, 3, 0), "the same, with silence taken for death"),
    demo_of("paxos_synod", (7, 6, 1), "Paxos: agreement in spite of everything"),
    demo_of("paxos_forgetful", (7, 6, 1), "Paxos with an acceptor that forgets its promise"),
    demo_under("paxos_stable", RESTARTED, "Paxos with acceptors that restart"),
    demo_under("paxos_volatile_promises", RESTARTED, "the same with promises that are not on disk"),
    demo_of("raft_election", (7, 6, 1), "Raft: one leader a term"),
    demo_of("raft_vote_twice", (4, 2, 0), "Raft with a voter that forgets its vote"),
    demo_of("raft_any_timer", (8, 7, 1), "Raft: one leader a term, whenever timers run out"),
    demo_of("raft_any_timer_vote_twice", (8, 7, 1), "the same with a voter that forgets its vote"),
    demo_under("raft_stable", RESTARTED, "Raft: one leader a term, though nodes restart"),
    demo_under("raft_volatile_votes", RESTARTED, "the same with votes that are not on disk"),
    demo_of("raft_log", (10, 9, 1), "Raft: committed entries survive"),
    demo_of("raft_commit_old_term", (14, 12, 0), "Raft with entries of earlier terms committed by counting"),
    demo_under("raft_log_stable", RESTARTED, "Raft: committed entries survive, though nodes restart"),
    demo_under("raft_log_volatile", RESTARTED, "the same with logs that are not on disk"),
    demo_of("chain_replication", (7, 3, 1), "chain replication"),
    demo_of("chain_no_master", (7, 3, 1), "chain replication without a master"),
    demo_of("flux", (14, 13, 1), "process pairs for dataflow: what comes out is right"),
    demo_of("flux_delivers", (22, 6, 1), "the same: everything comes out"),
    demo_under("alternating_bit", REORDERED, "one bit tells new from old, but not on a link that reorders"),
    demo_under("sequence_numbers", REORDERED, "the same with numbers in the place of bits"),
    demo_under("lock_lease", PAUSED, "a lock with a lease, and a holder that is held up"),
    demo_under("lock_fenced_writes", PAUSED, "the same with fencing tokens that reads do not announce"),
    demo_under("lock_fenced", PAUSED, "the same with fencing tokens"),
    demo_under("work_queue", COPIED, "at-least-once delivery: a task is done twice"),
    demo_under("work_queue_dedup", COPIED, "the same with deduplication: exactly once"),
    demo_of("token", (6, 5, 1), "a token that is passed on; see `ldfi prove`"),
    demo_of("token_kept", (3, 2, 0), "the same with a token that is kept"),
    demo_of("zyzzyva", (5, 4, 0), "agreement in spite of a faulty replica; see `ldfi prove`"),
    demo_of("zyzzyva_3f", (5, 4, 0), "the same with a replica too few"),
    demo_of("failover", (10, 4, 1), "fail-over that is too impatient; see `ldfi compare`"),
    demo_under("primary_backup", PARTED, "fail-over under a partition: two brains"),
    demo_under("primary_backup_epochs", PARTED, "the same with epochs"),
];

/// Shows one protocol, or one that breaks and one that does not.
pub(super) fn demo(args: &DemoArgs, terminal: &Terminal) -> Done {
    let bounds = &args.bounds;
    if !matches!(args.name.as_deref(), Some(name) if name != "list")
        && bounds.over(Bounds::default()) != Bounds::default()
    {
        return Err(Failure::new("bounds are for one protocol: name it, as in ldfi demo two_pc_ctp --delay 2"));
    }
    match args.name.as_deref() {
        None => tour(terminal),
        Some("list") => {
            terminal.say(&list());
            Ok(Status::Good)
        }
        Some(name) => show(named(name)?, bounds, terminal),
    }
}

fn named(name: &str) -> Result<&'static Demo, Failure> {
    let found = DEMOS.iter().find(|demo| demo.name == name.replace('-', "_"));
    found.ok_or_else(|| Failure::new(format!("there is no demo `{name}`. There are:\n{}", list())))
}

fn list() -> String {
    DEMOS.iter().map(|demo| format!("  {:<25} {}\n", demo.name, demo.about)).collect()
}

fn tour(terminal: &Terminal) -> Done {
    terminal.say("Node a broadcasts to b and c, once. What if something goes wrong?\n\n");
    show(named("simple_deliv")?, &BoundArgs::default(), terminal)?;
    terminal.say("\nNow everybody sends until it is acknowledged, and with one crash besides:\n\n");
    show(named("ack_deliv")?, &BoundArgs::default(), terminal)?;
    terminal.say("\nThat is a proof: every admissible combination of faults was covered.\n\n");
    terminal
        .say("More:   ldfi demo list\nYours:  ldfi new my-protocol, or ldfi check FILE --eot 6 --eff 4 --crashes 1\n");
    // A tour that went as it should is a success, whatever it showed.
    Ok(Status::Good)
}

fn show(demo: &Demo, bounds: &BoundArgs, terminal: &Terminal) -> Done {
    let program = program(demo.name)?;
    let spec = FailureSpec::try_from(bounds.over(demo.bounds)).map_err(spec::refuse)?;
    let progress = Progress::new();
    let mut options = Options { observer: Some(progress.observer()), ..Options::default() };
    options.budget = budget(Some(std::time::Duration::from_secs(60)));
    let conclusion = Search::new(&program, spec, options).run().map_err(spec::failed)?;
    drop(progress);
    let report = ldfi::picture::report(&program, demo.name, &conclusion, &[])?;
    terminal.say(&protocol(demo.name));
    let options = terminal.options();
    let mut out = view::summary(&report, &options);
    match conclusion.verdict.counterexample() {
        // There is no file to ask about: everything is told.
        Some(broken) => out += &text::story(&report, &broken.faults, &options, usize::MAX),
        None => out += &failure_free(&report, terminal),
    }
    terminal.say(&out);
    Ok(Status::from(&conclusion.verdict))
}

fn failure_free(report: &Report, terminal: &Terminal) -> String {
    let Some(run) = report.reference() else { return String::new() };
    format!("\nwithout faults:\n\n{}", view::spacetime(report, run, &terminal.options()))
}

/// The rules of an example, without its comments, if they are few.
fn protocol(name: &str) -> String {
    let text = find(name).map_or("", |(_, text)| text);
    let rules: Vec<&str> = text.lines().filter(|l| !l.starts_with("//") && !l.starts_with("include")).collect();
    let rules = rules.join("\n");
    if rules.lines().count() > 12 { String::new() } else { format!("{}\n\n", indent(rules.trim())) }
}

fn indent(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}").trim_end().to_owned()).collect();
    lines.join("\n")
}

fn find(path: &str) -> Option<&'static (&'static str, &'static str)> {
    TEXTS.iter().find(|(name, _)| *name == path)
}

/// An example with what it includes.
fn program(name: &str) -> Result<Interpreted, Failure> {
    let mut texts = vec![];
    gather(name, &mut texts)?;
    Ok(Interpreted::new(compile_sources(Sources::from_texts(texts), vec![])?))
}

/// Files by name, with a blank line in the place of each `include`.
fn gather(path: &str, texts: &mut Vec<(String, String)>) -> Result<(), Failure> {
    let file = format!("{path}.ded");
    if texts.iter().any(|(known, _)| *known == file) {
        return Ok(());
    }
    let Some((_, text)) = find(path) else { return Err(Failure::new(format!("`{path}` is not built in"))) };
    let at = texts.len();
    texts.push((file, String::new()));
    let mut rest = String::new();
    for line in text.lines() {
        match line.strip_prefix("include \"").and_then(|l| l.split_once(".ded\";")) {
            Some((included, _)) => {
                // Beside the including file, or beside the examples.
                let beside = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/{included}"));
                let place = beside.filter(|p| find(p).is_some()).unwrap_or_else(|| included.to_owned());
                gather(&place, texts)?;
                rest.push('\n');
            }
            None => rest = rest + line + "\n",
        }
    }
    texts[at].1 = rest;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_demo_is_a_program() {
        for demo in DEMOS {
            if let Err(Failure { message: why, .. }) = program(demo.name) {
                panic!("{}: {why}", demo.name);
            }
            FailureSpec::try_from(demo.bounds).unwrap();
        }
    }

    fn stems(folder: &str) -> Vec<String> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let stem = |path: std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut stems: Vec<String> = paths.filter(|p| p.extension().is_some_and(|e| e == "ded")).map(stem).collect();
        stems.sort();
        stems
    }

    #[test]
    fn no_example_is_missing() {
        let mut demos: Vec<&str> = DEMOS.iter().map(|demo| demo.name).collect();
        demos.sort_unstable();
        assert_eq!(demos, stems("examples"));
        for part in stems("examples/parts") {
            assert!(find(&format!("parts/{part}")).is_some(), "parts/{part} is not built in");
        }
    }
}
