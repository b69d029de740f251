//! Looks for failures that break openraft: `cargo run -p live-openraft --example look_openraft -- failures=lose,reboot:6 most=2`.

use live_openraft::cluster;

fn main() -> Result<(), String> {
    live_common::look(std::env::args().skip(1), &[(30, 1, 1), (60, 1, 9)], cluster(3))
}
