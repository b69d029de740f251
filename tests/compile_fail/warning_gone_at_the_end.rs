#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X)@next :- p(X);
        needed(X) :- p(X), q(X);
        pre(X) :- p(X);
        post(X) :- p(X), notin needed(X);
        p("a")@1;
        q("b")@1;
    }
}

fn main() {}
