use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), notin p(X);
        q("a")@1;
    }
}

fn main() {}
