#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X)@next :- q(X), r(Y, X);
        got(Y)@async :- q(X), r(Y, X);
        q("a")@1;
        r("b", "a")@1;
    }
}

fn main() {}
