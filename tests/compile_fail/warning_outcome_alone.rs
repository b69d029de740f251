#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        post(X) :- p(X);
        p("a")@1;
    }
}

fn main() {}
