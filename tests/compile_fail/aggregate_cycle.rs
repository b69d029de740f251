use ldfi::prelude::*;

dedalus! {
    program Program {
        total(N, sum<V>) :- part(N, V);
        part(N, V) :- total(N, V);
        part(N, V) :- given(N, V);
        given("a", 1)@1;
    }
}

fn main() {}
