#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        post(X) :- p(X);
        p("a")@1;
        p(X)@next :- p(X);
    }
}

fn main() {}
