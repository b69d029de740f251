#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), notin r(X, Y);
        q("a")@1;
        r("a", 1)@1;
    }
}

fn main() {}
