use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X, Y), r(Y);
        s(X) :- q(X), p(X, X);
        q("a", "b")@1;
        r("b", 1)@1;
    }
}

fn main() {}
