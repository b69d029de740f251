//! Prove, from inside `cargo test`, that a distributed protocol survives message loss and crashes.
