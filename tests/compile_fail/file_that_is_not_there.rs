use ldfi::prelude::*;

dedalus_file!(Gone = "gone.ded");

dedalus_file!(NoPath);

fn main() {}
