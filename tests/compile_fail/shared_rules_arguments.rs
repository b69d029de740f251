use ldfi::prelude::*;

dedalus! {
    rules Timer(steps: int, word: str) {
        timer(N, steps, word) :- start(N);
    }
}

dedalus! {
    program TooFew {
        use Timer(3);
        start("a")@1;
    }
}

dedalus! {
    program OtherTypes {
        use Timer("three", "a");
        start("a")@1;
    }
}

dedalus! {
    program Unknown(steps: str) {
        use Timer(steps, "a");
        start("a")@1;
    }
}

dedalus! {
    program NoValue {
        use Timer(3 + 4, "a");
        start("a")@1;
    }
}

fn main() {}
