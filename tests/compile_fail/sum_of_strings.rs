use ldfi::prelude::*;

dedalus! {
    program Program {
        p(sum<X>) :- q(X);
        r(avg<X>) :- q(X);
        q("a")@1;
    }
}

fn main() {}
