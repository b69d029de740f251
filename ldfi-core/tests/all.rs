//! What the search says, and how, one subject a file. One binary: the generators and oracles that they share are
//! compiled once.
//!
//! Those that take long are ignored: `cargo test --release -p ldfi-core --test all -- --ignored`

#[path = "../../tests/expected/mod.rs"]
mod expected;
#[path = "../../tests/generate/mod.rs"]
mod generate;
#[path = "../../tests/mutate/mod.rs"]
mod mutate;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;

mod certificates;
mod challenge;
mod compare;
mod extremes;
mod faults;
mod mutants;
mod promises;
mod protocols;
mod stress;
mod sweep;
mod threads;
mod tried;
mod verdicts;
mod work;
