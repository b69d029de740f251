use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X)
        r(X) :- q(X);
        q("a")@1
        q("b")@1;
    }
}

fn main() {}
