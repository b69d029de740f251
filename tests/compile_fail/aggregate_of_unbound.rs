use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X, count<Z>) :- q(X, Y);
        p(X, max<_>) :- q(X, _);
        q("a", 1)@1;
    }
}

fn main() {}
