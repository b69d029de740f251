use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X)@nxt :- q(X);
        p(X)@later :- q(X);
        p(X) :- q(X)@next;
        p(X)@2 :- q(X);
        q("a")@1;
    }
}

fn main() {}
