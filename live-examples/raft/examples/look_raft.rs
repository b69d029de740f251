//! Looks for failures that break raft: `cargo run -p live-raft --example look_raft -- failures=lose,reboot:6 most=2`; also with its own
//! settings: `look_raft -- pre-vote check-quorum failures=delay:3`.

use live_raft::{Settings, cluster};

fn main() -> Result<(), String> {
    let mut settings = Settings::default();
    let mut words = std::env::args().skip(1).peekable();
    while let Some(word) = words.next_if(|word| !word.contains('=')) {
        match &word[..] {
            "pre-vote" => settings.pre_vote = true,
            "check-quorum" => settings.check_quorum = true,
            _ => return Err(format!("raft has no `{word}`")),
        }
    }
    live_common::look(words, &[(18, 1, 1), (60, 1, 9)], cluster(3, settings))
}
