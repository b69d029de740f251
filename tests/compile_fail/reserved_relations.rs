use ldfi::prelude::*;

dedalus! {
    program Program {
        clock(X, Y, T) :- link(X, Y, T);
        crash("a", "b", 1)@1;
        p(X) :- clock(X, _, _);
        q(X) :- crash(X);
        link("a", "b", 1)@1;
    }
}

fn main() {}
