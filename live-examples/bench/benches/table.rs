//! The table of `live-examples/README.md`: `cargo bench -p live-bench`, or faster to build, `cargo bench --profile dev -p live-bench`.
//! With `-- three` also three failures at a time, with `-- kv "quorum outcome"` only cases of such names.

#[path = "../../kv/tests/parts/adapter.rs"]
mod adapter;
#[path = "../../kv/tests/parts/promise.rs"]
mod promise;

use std::time::Duration;

use adapter::{Ask, node};
use ldfi_live::Failure::{Lose, Reboot, Torn};
use ldfi_live::tokio::{Service, setup};
use ldfi_live::{Options, Setup, Specification};
use live_bench::{Case, losses};
use live_common::{outcomes, progress, running, safety};

/// The key-value service, mended: asked to put, to put again, and to get.
fn kv([put, again, get]: [u32; 3]) -> Setup<Service<ldfi_live::tokio::Segment, Ask>> {
    let mut kv = setup(2, Duration::from_millis(10), |host| node(host, live_kv::Tail::Cut));
    kv.end(get + 2);
    let asked = [(put, 1, Ask::Put(1, 10)), (again, 1, Ask::Put(1, 20)), (get, 1, Ask::Get(1))];
    kv.workload(|workload| workload.extend(asked)).unwrap_or_else(|error| panic!("{error}"));
    kv
}

/// What can go wrong with it, at most so often, until when. Its messages are few, so losses alone say little.
fn streams(at_most: usize, until: u32) -> Options {
    Options { failures: vec![Lose, Reboot(3), Torn(3)], between_messages: true, at_most, until, ..Options::default() }
}

fn promised() -> Vec<Specification> {
    vec![Specification::new(promise::KvSpec::new()).unwrap_or_else(|error| panic!("{error}"))]
}

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
    let (setup, specifications, options) = (kv([4, 10, 50]), promised(), streams(2, 40));
    Case { name: "kv, two losses, torn writes, reboots", setup, specifications, options }.rows(true);
    if three {
        let (setup, specifications, options) = (raft(), safety(), losses(3, 40));
        Case { name: "raft 0.7.0, safety, three losses", setup, specifications, options }.rows(false);
        let (setup, specifications, options) = (omnipaxos(), safety(), losses(3, 28));
        Case { name: "omnipaxos 0.2.4, safety, three losses until 28", setup, specifications, options }.rows(false);
        let (setup, specifications, options) = (openraft(), outcomes(), losses(3, 30));
        Case { name: "openraft 0.9.25, outcomes, three losses until 30", setup, specifications, options }.rows(false);
        let (setup, specifications, options) = (kv([4, 10, 30]), promised(), streams(3, 20));
        Case { name: "kv, three of the same until 20", setup, specifications, options }.rows(false);
    }
}
