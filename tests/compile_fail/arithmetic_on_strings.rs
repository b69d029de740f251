use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X + 1) :- q(X);
        r(X) :- q(X), Y == "a" * 2;
        s(N, -N) :- q(N);
        q("a")@1;
    }
}

fn main() {}
