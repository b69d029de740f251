use ldfi::prelude::*;

dedalus! {
    pub program { p("a")@1; }
}

fn main() {}
