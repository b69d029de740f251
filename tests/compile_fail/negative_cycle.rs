use ldfi::prelude::*;

dedalus! {
    program Program {
        on(X) :- here(X), notin off(X);
        off(X) :- idle(X);
        idle(X) :- here(X), notin on(X);
        here("a")@1;
    }
}

fn main() {}
