//! Looks for failures that break omnipaxos: `cargo run -p live-omnipaxos --example look_omnipaxos -- failures=lose,reboot:6 most=2`.

use live_omnipaxos::cluster;

fn main() -> Result<(), String> {
    live_common::look(std::env::args().skip(1), &[(14, 1, 1), (60, 1, 9)], cluster(3))
}
