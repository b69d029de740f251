//! The table of `live-examples/README.md`: `cargo bench -p live-bench`, or faster to build, `cargo bench --profile dev -p live-bench`.
//! With `-- three` also three failures at a time.

use live_bench::{Case, losses};
use live_common::{outcomes, progress, running, safety};

fn main() {
    let three = std::env::args().any(|word| word == "three");
    println!(
        "| case | strategy | executions (times fewer than brute force) | to the first violation | failing | time |"
    );
    println!("|---|---|---|---|---|---|");
    let omnipaxos = || running(live_omnipaxos::cluster(3), 120, &[(14, 1, 1), (60, 1, 9)]);
    let raft = || running(live_raft::cluster(3, live_raft::Settings::default()), 120, &[(18, 1, 1), (60, 1, 9)]);
    let openraft = || running(live_openraft::cluster(3), 120, &[(30, 1, 1), (60, 1, 9)]);
    // What is asked early is done early, and what fails later does not matter.
    let early = || running(live_raft::cluster(3, live_raft::Settings::default()), 120, &[(18, 1, 1)]);

    let (setup, specifications, options) = (raft(), safety(), losses(2, 40));
    Case { name: "raft 0.7.0, safety, two losses", setup, specifications, options }.rows(true);
    let (setup, specifications, options) = (early(), progress(), losses(2, 40));
    Case { name: "raft 0.7.0, quorum outcome, two losses", setup, specifications, options }.rows(true);
    let (setup, specifications, options) = (omnipaxos(), safety(), losses(2, 40));
    Case { name: "omnipaxos 0.2.4, safety, two losses", setup, specifications, options }.rows(true);
    let (setup, specifications, options) = (omnipaxos(), progress(), losses(1, 40));
    Case { name: "omnipaxos 0.2.4, quorum outcome, one loss (bug)", setup, specifications, options }.rows(true);
    let (setup, specifications, options) = (openraft(), outcomes(), losses(2, 40));
    Case { name: "openraft 0.9.25, outcomes, two losses", setup, specifications, options }.rows(true);
    if three {
        let (setup, specifications, options) = (raft(), safety(), losses(3, 40));
        Case { name: "raft 0.7.0, safety, three losses", setup, specifications, options }.rows(false);
        let (setup, specifications, options) = (omnipaxos(), safety(), losses(3, 28));
        Case { name: "omnipaxos 0.2.4, safety, three losses until 28", setup, specifications, options }.rows(false);
        let (setup, specifications, options) = (openraft(), outcomes(), losses(3, 30));
        Case { name: "openraft 0.9.25, outcomes, three losses until 30", setup, specifications, options }.rows(false);
    }
}
