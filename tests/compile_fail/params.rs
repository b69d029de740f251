use ldfi::prelude::*;

dedalus! {
    program Twice(size: int, size: str) {
        p(size)@1;
    }
}

dedalus! {
    program Unknown(size: u32) {
        p(size)@1;
    }
}

dedalus! {
    program Default(size: int = "large") {
        p(size)@1;
    }
}

dedalus! {
    program Taken(run: int) {
        p(run)@1;
    }
}

dedalus! {
    program Types(size: int, word: str) {
        p(size)@1;
        p(word)@1;
        q(word + 1) :- p(_);
    }
}

fn main() {}
