//! The `ldfi` command.
fn main() {}
