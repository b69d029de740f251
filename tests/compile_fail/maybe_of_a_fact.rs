use ldfi::prelude::*;

dedalus! {
    program Program {
        timeout("a")@3;
        maybe timeout("a")@1..4;
        maybe timeout("b")@3;
        maybe timeout("a")@3;
    }
}

fn main() {}
