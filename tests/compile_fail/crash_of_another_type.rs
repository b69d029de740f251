use ldfi::prelude::*;

dedalus! {
    program Program {
        p(X) :- q(X), crash(X, Y, "now");
        p(X) :- q(X), r(I), crash(X, I, _);
        p(X) :- q(X), crash(X, _, T), T == "now";
        q("a")@1;
        r(1)@1;
    }
}

fn main() {}
