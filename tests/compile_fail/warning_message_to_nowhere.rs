#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        node(X, Y)@next :- node(X, Y);
        peer(X, Y) :- node(X, Y);
        log(Y, P)@async :- bcast(X, P), peer(X, Y);
        tag(Y, P)@async :- bcast(X, P), peer(X, Y), here(Y);
        bcast("a", "data")@1;
        node("a", "b")@1;
        node("a", "c")@1;
        node("c", "b")@1;
        here("a")@1;
    }
}

fn main() {}
