use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), Y > 1;
        p(X) :- q(X), Z == Z + 1;
        q(1)@1;
    }
}

fn main() {}
