use ldfi::prelude::*;

dedalus! {
    program Program {
        p(9223372036854775808)@1;
        p(-9223372036854775809)@1;
        p(1.5)@1;
        p(1)@99999999999999999999;
    }
}

fn main() {}
