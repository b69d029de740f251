use ldfi::prelude::*;

dedalus! {}

dedalus! {
    p(X) :- q(X);
}

fn main() {}
