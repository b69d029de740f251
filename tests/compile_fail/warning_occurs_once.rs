#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        reply(N, K) :- asked(N, K, Vv);
        asked("a", "k", 1)@1;
    }
}

fn main() {}
