use ldfi::prelude::*;

dedalus! {
    program Program {
        got(Y)@async :- link(_, Y);
        got(Y)@async :- notin mute(X), link(Y, _);
        got(Y)@async :- go(), link(Y, _);
        link("a", "b")@1;
        mute("a")@1;
        go()@1;
    }
}

fn main() {}
