use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X, Y), count<Y> > 2;
        p(X) :- q(X, max<Y>);
        q("a", 1)@1;
    }
}

fn main() {}
