use ldfi::prelude::*;

dedalus! {
    program Program {
        p("a")@0;
        p("b")@-3;
        q(X) :- p(X)@0;
    }
}

fn main() {}
