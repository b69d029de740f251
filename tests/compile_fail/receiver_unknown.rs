use ldfi::prelude::*;

dedalus! {
    program Program {
        got()@async :- link(X, _);
        most(max<Y>)@async :- link(X, Y);
        link("a", "b")@1;
    }
}

fn main() {}
