use ldfi::prelude::*;

dedalus! {
    program Program {
        p('a')@1;
        p(1.5)@1;
        p(b"x")@1;
        p(0x10)@1;
        p("\u{e9}")@1;
        p(X) :- q(X), X == true && X;
    }
}

fn main() {}
