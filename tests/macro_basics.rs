//! What the `dedalus!` macro makes of a program.

use ldfi::prelude::*;

dedalus! {
    /// Best-effort broadcast: one attempt, no retries.
    pub program SimpleDeliv {
        log(Node, Pload) :- bcast(Node, Pload);
        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);
        log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);

        bcast("a", "data")@1;
        node("a", "b")@1;  node("a", "c")@1;
        node("b", "a")@1;  node("c", "a")@1;
    }
}

#[test]
fn the_example_of_the_readme_runs() {
    let run = SimpleDeliv::new().run(&Faults::none(), eot(4));
    assert!(run.at(4).log().contains(("b", "data")));
    let run = SimpleDeliv::new().run(&faults![lose "a" -> "b" @ 1], eot(4));
    assert!(!run.at(4).log().contains(("b", "data")));
    assert!(run.at(4).log().contains(("c", "data")));
}
