//! `dedalus_file!`: programs from files, with their includes.

use ldfi::prelude::*;

use super::feature::{agrees, shown};

dedalus_file!(Ping = "tests/ded/ping.ded");
dedalus_file!(
    /// Beside this file, with a parameter.
    pub Beside(tries: int = 1) = "../ded/pings.ded"
);

#[test]
fn a_file_and_its_includes_are_one_program() {
    agrees(&Ping::new(), 4);
    assert_eq!(shown(&Ping::new(), "", 4, "pong?@3"), "a b");
    assert_eq!(shown(&Ping::new(), "lose b->a@2", 4, "pong?@3"), "");
    assert_eq!(shown(&Ping::new(), "", 4, "net.link@1"), "a b, b a");
    assert_eq!(shown(&Ping::new(), "", 4, "shared@1"), "1");
}

#[test]
fn names_with_dots_and_question_marks_are_methods() {
    let run = Ping::new().run(&Faults::none(), eot(3));
    assert!(run.at(3).pong_().contains(("a", "b")));
    assert_eq!(run.at(1).net_link().len(), 2);
}

#[test]
fn a_file_takes_parameters() {
    agrees(&Beside::new(), 4);
    assert_eq!(shown(&Beside::new().tries(2), "", 4, "ping@3"), "b a 1");
    assert_eq!(shown(&Beside::new(), "", 4, "ping@3"), "");
}
