#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        log(X, P) :- bcats(X, P);
        log(X, P) :- elsewhere(X, P), bcats(X, P);
        bcast("a", "data")@1;
    }
}

fn main() {}
