use ldfi::prelude::*;

macro_rules! twice {
    ($name:ident, $value:literal) => {
        dedalus! {
            program $name {
                p(X) :- q(X), X < $value;
                q("a")@1;
            }
        }
    };
}

twice!(Wrong, 1);

fn main() {}
