use ldfi::prelude::*;

dedalus! {
    program Program {
        % as in Prolog
        p(X) :- q(X);
        # as in a shell
        q("a")@1;
    }
}

fn main() {}
