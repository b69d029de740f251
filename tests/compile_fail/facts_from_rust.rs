use ldfi::prelude::*;

dedalus! {
    program Facts {
        input node(str, str);
        input weight(str, int);
        p(X) :- node(X, _), weight(X, _);
    }
}

fn main() {
    let mut program = Facts::new();
    program.facts_at(1).ndoe("a", "b");
    program.facts_at(1).node("a");
    program.facts_at(1).node("a", 1);
    program.facts_at(1).weight("a", "b");
    program.facts_at(1).crash("a", "b", 1);
}
