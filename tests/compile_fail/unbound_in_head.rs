use ldfi::prelude::*;

dedalus! {
    program Program {
        log(Node, Pload) :- bcast(Node, Payload);
        ready(Node, yes) :- bcast(Node, _);
        bcast("a", "data")@1;
    }
}

fn main() {}
