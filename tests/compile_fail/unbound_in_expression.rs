use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), r(X, Y + 1);
        p(X) :- q(X), notin r(X, W + 1);
        q(1)@1;
        r(1, 2)@1;
    }
}

fn main() {}
