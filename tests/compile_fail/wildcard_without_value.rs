use ldfi::prelude::*;

dedalus! {
    program Program {
        p(_) :- q(_);
        p(X) :- q(X), _ == X;
        p(X) :- q(X), r(_ + 1);
        q(1)@1;
        r(1)@1;
    }
}

fn main() {}
