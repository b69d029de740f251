use ldfi::prelude::*;

dedalus! {
    program Program {
        p("a")@1..3;
        maybe p("a");
        maybe p(X) :- q(X);
        maybe p("a")@1..=2;
        maybe p("a")@next;
        maybe p("a") :- q("a");
        stable p(X);
        stable p q;
        q("a")@1;
    }
}

fn main() {}
