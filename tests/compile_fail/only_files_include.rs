use ldfi::prelude::*;

dedalus! {
    program Program {
        include "other.ded";
        p("a")@1;
    }
}

fn main() {}
