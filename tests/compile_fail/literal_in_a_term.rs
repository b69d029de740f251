use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(r(X));
        p(q(X)) :- q(X);
        q("a")@1;
    }
}

fn main() {}
