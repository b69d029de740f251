use ldfi::prelude::*;

mod specs {
    use ldfi::prelude::*;

    dedalus! {
        rules Timer(steps: int) {
            timer(N, steps) :- start(N);
        }
        rules Broken {
            p(X) :- q(X)
        }
        rules Wrong {
            size(X + 1) :- name(X);
        }
        rules Nested {
            use Timer;
            p(X) :- q(X);
        }
    }
}

dedalus! {
    program WithoutSteps {
        use specs::Timer;
        start("a")@1;
    }
}

dedalus! {
    program OtherSteps(steps: str) {
        use specs::Timer;
        start("a")@1;
    }
}

dedalus! {
    program Nobody {
        use specs::Nobody;
        start("a")@1;
    }
}

dedalus! {
    program NotAPath {
        use "specs";
        start("a")@1;
    }
}

fn main() {}
