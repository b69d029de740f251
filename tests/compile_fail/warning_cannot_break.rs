#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        has(X) :- log(_, X);
        pre(X) :- log(N, X), notin crash(_, N, _);
        post(X) :- has(X);
        log(N, X)@next :- log(N, X);
        log("a", "x")@1;
    }
}

fn main() {}
