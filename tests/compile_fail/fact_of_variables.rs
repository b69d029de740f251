use ldfi::prelude::*;

dedalus! {
    program Program {
        node(a, b)@1;
        node("a", 1 + 1)@1;
        node("a", count<X>)@1;
        p(X) :- node(X, _);
    }
}

fn main() {}
