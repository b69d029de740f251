use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), notin p(X)@1;
        q("a")@1;
    }
}

fn main() {}
