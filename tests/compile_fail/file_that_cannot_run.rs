use ldfi::prelude::*;

dedalus_file!(Cycle = "../../dedalus-syntax/tests/errors/negative_cycle.ded");

fn main() {}
