use ldfi::prelude::*;

dedalus! {
    program Program {
        net.link(X) :- q(X);
        pong?(X) :- q(X);
        q("a")@1;
    }
}

fn main() {}
