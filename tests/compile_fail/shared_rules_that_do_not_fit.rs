use ldfi::prelude::*;

dedalus! {
    rules Wrong {
        size(X + 1) :- name(X);
    }

    program Strings {
        use Wrong;
        name("a")@1;
    }
}

fn main() {}
