use ldfi::prelude::*;

dedalus! {
    program Program {
        restart(X, Y, T) :- link(X, Y, T);
        boot("a")@1;
        maybe boot("b")@2;
        stable crash, link, clock;
        p(X) :- boot(X, _);
        q(X) :- restart(X, _);
        r(X) :- link(X, _, _), restart(1, X, _);
        link(X, Y, T)@next :- link(X, Y, T);
        link("a", "b", 1)@1;
    }
}

fn main() {}
