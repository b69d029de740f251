//! `ldfi demo`: built-in protocols, no file needed.

use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::syntax::compile_sources;
use dedalus_runtime::syntax::source::Sources;
use ldfi_core::options::Options;
use ldfi_core::search::Search;
use ldfi_core::spec::FailureSpec;
use ldfi_report::model::Report;
use ldfi_report::text as view;

use super::progress::{Progress, interrupt};
use super::terminal::Terminal;
use super::{Failure, Outcome, Status, text};

macro_rules! examples {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../examples/", $name, ".ded")))),*]
    };
}

/// Every example and what they include, by path.
const TEXTS: &[(&str, &str)] = examples![
    "ack_deliv",
    "bully_le",
    "bully_split_brain",
    "chain_no_master",
    "chain_replication",
    "classic_deliv",
    "flux",
    "flux_delivers",
    "kafka",
    "kafka_repaired",
    "paxos_forgetful",
    "paxos_synod",
    "raft_commit_old_term",
    "raft_election",
    "raft_log",
    "raft_vote_twice",
    "redun_deliv",
    "redun_deliv_next",
    "retry_deliv",
    "simple_deliv",
    "three_pc",
    "three_pc_uniform",
    "two_pc",
    "two_pc_ctp",
    "two_pc_timeout",
    "parts/broadcast_spec",
    "parts/bully",
    "parts/chain",
    "parts/commit_spec",
    "parts/flux",
    "parts/kafka_replication",
    "parts/majority",
    "parts/paxos",
    "parts/raft_election",
    "parts/raft_log",
    "parts/raft_terms",
    "parts/three_nodes",
    "parts/timer",
];

/// A protocol, the faults to try it with, and a line about it.
struct Demo {
    name: &'static str,
    spec: (u32, u32, u32),
    about: &'static str,
}

const fn demo_of(name: &'static str, spec: (u32, u32, u32), about: &'static str) -> Demo {
    Demo { name, spec, about }
}

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
    demo_of("three_pc", (9, 7, 1), "three-phase commit: disagrees when messages are lost"),
    demo_of("three_pc_uniform", (8, 0, 2), "three-phase commit, asked about crashed nodes too"),
    demo_of("kafka", (6, 4, 1), "replication that confirmed writes may not survive"),
    demo_of("kafka_repaired", (6, 4, 1), "the same, repaired"),
    demo_of("bully_le", (4, 3, 0), "leader election by the bully"),
    demo_of("bully_split_brain", (4, 3, 0), "the same, with silence taken for death"),
    demo_of("paxos_synod", (7, 6, 1), "Paxos: agreement in spite of everything"),
    demo_of("paxos_forgetful", (7, 6, 1), "Paxos with an acceptor that forgets its promise"),
    demo_of("raft_election", (7, 6, 1), "Raft: one leader a term"),
    demo_of("raft_vote_twice", (4, 2, 0), "Raft with a voter that forgets its vote"),
    demo_of("raft_log", (10, 9, 1), "Raft: committed entries survive"),
    demo_of("raft_commit_old_term", (14, 12, 0), "Raft with entries of earlier terms committed by counting"),
    demo_of("chain_replication", (7, 3, 1), "chain replication"),
    demo_of("chain_no_master", (7, 3, 1), "chain replication without a master"),
    demo_of("flux", (14, 13, 1), "process pairs for dataflow: what comes out is right"),
    demo_of("flux_delivers", (22, 6, 1), "the same: everything comes out"),
];

/// Shows one protocol, or one that breaks and one that does not.
pub(super) fn demo(name: Option<&str>, terminal: &Terminal) -> Outcome {
    match name {
        None => tour(terminal),
        Some("list") => {
            terminal.say(&list());
            Ok(Status::Good)
        }
        Some(name) => show(named(name)?, terminal),
    }
}

fn named(name: &str) -> Result<&'static Demo, Failure> {
    let found = DEMOS.iter().find(|demo| demo.name == name.replace('-', "_"));
    found.ok_or_else(|| Failure(format!("there is no demo `{name}`. There are:\n{}", list())))
}

fn list() -> String {
    DEMOS.iter().map(|demo| format!("  {:<21} {}\n", demo.name, demo.about)).collect()
}

fn tour(terminal: &Terminal) -> Outcome {
    terminal.say("Node a broadcasts to b and c, once. What if something goes wrong?\n\n");
    show(named("simple_deliv")?, terminal)?;
    terminal.say("\nNow everybody sends until it is acknowledged, and with one crash besides:\n\n");
    show(named("ack_deliv")?, terminal)?;
    terminal.say("\nThat is a proof: every admissible combination of faults was covered.\n\n");
    terminal
        .say("More:   ldfi demo list\nYours:  ldfi new my-protocol, or ldfi check FILE --eot 6 --eff 4 --crashes 1\n");
    // A tour that went as it should is a success, whatever it showed.
    Ok(Status::Good)
}

fn show(demo: &Demo, terminal: &Terminal) -> Outcome {
    let program = program(demo.name)?;
    let (eot, eff, crashes) = demo.spec;
    let progress = Progress::new();
    let mut options = Options { interrupt: interrupt(), observer: Some(progress.observer()), ..Options::default() };
    options.limits.time = Some(std::time::Duration::from_secs(60));
    let conclusion = Search::new(&program, FailureSpec::new(eot, eff, crashes)?, options).run()?;
    drop(progress);
    let report = ldfi::picture::report(&program, demo.name, &conclusion, &[])?;
    terminal.say(&protocol(demo.name));
    let options = terminal.options();
    let mut out = view::summary(&report, &options);
    match conclusion.verdict.counterexample() {
        Some(broken) => out += &text::story(&report, &broken.faults, &options),
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
    let Some((_, text)) = find(path) else { return Err(Failure(format!("`{path}` is not built in"))) };
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
            if let Err(Failure(why)) = program(demo.name) {
                panic!("{}: {why}", demo.name);
            }
            let (eot, eff, crashes) = demo.spec;
            FailureSpec::new(eot, eff, crashes).unwrap();
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
