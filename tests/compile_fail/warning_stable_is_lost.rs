#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        stable log, lgo, term;
        log(N, P)@next :- log(N, P);
        term(N, T)@next :- vote(N, T);
        vote(N, 1)@next :- log(N, _);
        seen(N, T) :- term(N, T);
        log("a", "data")@1;
    }
}

fn main() {}
