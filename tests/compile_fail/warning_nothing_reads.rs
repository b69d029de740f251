#![deny(deprecated)]

use ldfi::prelude::*;

dedalus! {
    program Program {
        waited(N, 0)@next :- starts(N);
        waitd(N, W + 1)@next :- waited(N, W);
        pre(N) :- starts(N), waited(N, _);
        post(N) :- waited(N, 2);
        starts(N)@next :- starts(N);
        starts("a")@1;
    }
}

fn main() {}
