use ldfi::prelude::*;

dedalus! {
    program Program {
        pre(X) :- log(X, _);
        post(T) :- log(_, T);
        log("a", 1)@1;
    }
}

fn main() {}
