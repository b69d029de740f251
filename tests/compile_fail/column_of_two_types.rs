use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), r(X);
        q("a")@1;
        r(1)@1;
        s("a", 1)@1;
        s(2, 1)@1;
    }
}

fn main() {}
