use ldfi::prelude::*;

dedalus! {
    program Program {
        p("a");
        q(X) :- p(X);
    }
}

fn main() {}
