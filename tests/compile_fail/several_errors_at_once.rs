use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X, Y) :- q(X);
        r(X) :- q(X, X)
        s(X) :- q(X), t(X), notin;
        p(1)@0;
        q("a")@1;
        u(X + 1) :- q(X);
    }
}

fn main() {}
