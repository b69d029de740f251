//! Looks for failures that break raft: `cargo run -p live-raft --example look_raft -- failures=lose,reboot:6 most=2`.

use live_raft::{Settings, cluster};

fn main() -> Result<(), String> {
    live_common::look(&[(18, 1, 1), (60, 1, 9)], cluster(3, Settings::default()))
}
