//! Looks for failures that break openraft: `cargo run -p live-openraft --example look_openraft -- failures=lose,reboot:6 most=2`.

use live_openraft::cluster;

fn main() -> Result<(), String> {
    // It does not tell how many entries it calls decided.
    let words = ["promise=outcomes".to_owned()].into_iter().chain(std::env::args().skip(1));
    live_common::look(words, &[(30, 1, 1), (60, 1, 9)], cluster(3))
}
