use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), X < 1;
        p(X) :- q(X), r(Y), X == Y;
        q("a")@1;
        r(2)@1;
    }
}

fn main() {}
