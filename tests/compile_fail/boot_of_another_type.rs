use ldfi::prelude::*;

dedalus! {
    program Program {
        p(N) :- count(N), boot(N);
        q(N) :- restart(_, N, T), node(N, T);
        count(1)@1;
        node("a", "b")@1;
    }
}

fn main() {}
