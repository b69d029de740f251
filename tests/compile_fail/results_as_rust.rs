use ldfi::prelude::*;

dedalus! {
    program Results {
        p(X, 1) :- q(X);
        q("a")@1;
    }
}

fn main() {
    let run = Results::new().run(&Faults::none(), eot(1));
    run.at(1).r();
    run.at(1).p().contains("a");
    run.at(1).p().contains(("a", "b"));
    let _: Vec<i64> = run.at(1).q().iter().collect();
}
