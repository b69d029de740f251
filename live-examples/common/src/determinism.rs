//! Whether executions go the same way, in this process and in others.

use std::process::Command;

use ldfi_live::{Node, Options, Scenario, Setup, digest_of};

/// Set in the processes that only tell their log.
const CHILD: &str = "LIVE_LOG";

/// Runs some scenarios so many times, in this process and in two others that run the same test, and compares the logs line by line.
///
/// # Panics
/// If two logs differ.
pub fn one_log<N: Node>(test: &str, runs: usize, setup: &Setup<N>, scenarios: &[&str]) {
    let specifications = crate::safety();
    let log = || -> Vec<String> {
        let one = |text: &&str| {
            let scenario = Scenario::parse(text, setup.nodes()).unwrap_or_else(|error| panic!("{error}"));
            let replayed = setup.replay(&specifications, &Options::default(), &scenario);
            let replayed = replayed.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(replayed.struck, scenario.len(), "`{text}` did not strike");
            replayed.trace
        };
        scenarios.iter().flat_map(one).collect()
    };
    let first = log();
    for _ in 1..runs {
        assert_eq!(first, log());
    }
    let told = format!("log {:x} of {} lines", digest_of(&first), first.len());
    if std::env::var_os(CHILD).is_some() {
        println!("{told}");
        return;
    }
    for _ in 0..2 {
        let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
        let mut child = Command::new(program);
        child.args([test, "--exact", "--include-ignored", "--nocapture"]).env(CHILD, "1");
        let output = child.output().unwrap_or_else(|error| panic!("{error}"));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(&told), "{told}, but in another process:\n{text}");
    }
}
