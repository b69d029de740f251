use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X, cuont<Y>) :- q(X, Y);
        p(X, median<Y>) :- q(X, Y);
        q("a", 1)@1;
    }
}

fn main() {}
