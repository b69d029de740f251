use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), not r(X);
        p(X) :- q(X), !r(X);
        q("a")@1;
        r("a")@1;
    }
}

fn main() {}
