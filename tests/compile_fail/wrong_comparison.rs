use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), X = 1;
        p(X) :- q(X), X;
        q(1)@1;
    }
}

fn main() {}
