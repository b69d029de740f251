#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        many(M, count<X>)@async :- p(A, X), boss(A, M);
        each(M, A, count<X>)@async :- p(A, X), boss(A, M);
        p("a", 1)@1;
        boss("a", "b")@1;
        boss("b", "a")@1;
    }
}

fn main() {}
