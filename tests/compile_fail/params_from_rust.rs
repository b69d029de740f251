use ldfi::prelude::*;

dedalus! {
    program Sized(size: int, word: str = "data") {
        p(size, word)@1;
    }
}

fn main() {
    let _ = Sized::new();
    let _ = Sized::new("large");
    let _ = Sized::new(1).word(2);
    let _ = Sized::new(1).wrod("x");
}
