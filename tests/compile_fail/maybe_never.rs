use ldfi::prelude::*;

dedalus! {
    program Program {
        maybe timeout("a")@4..2;
        maybe timeout("a")@0..2;
        maybe timeout(N)@1;
    }
}

fn main() {}
