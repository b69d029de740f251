#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        fenced(S, E)@next :- fenced(S, E);
        seen(S, E)@next :- seen(S, E);
        stale(S, E) :- fenced(S, F), seen(S, E), E < F;
        seen("s", 1)@1;
    }
}

fn main() {}
