use ldfi::prelude::*;

dedalus! {
    program Program {
        pre(X, P) :- log(X, P);
        post(P) :- log(_, P);
        log("a", "data")@1;
    }
}

fn main() {}
