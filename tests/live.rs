//! `ldfi::live`: failure testing of real Rust code from inside `cargo test`.

#[path = "parts/log_server.rs"]
mod log_server;

use ldfi::live::Failure::*;
use ldfi::prelude::*;
use log_server::Server;

dedalus! {
    program LogSpec {
        input asked(str, int); input decided(str, int, int);
        ever(N, I, V) :- decided(N, I, V);   ever(N, I, V)@next :- ever(N, I, V);
        err_agree(I, V, W) :- ever(_, I, V), ever(_, I, W), V < W;
        want(V)@next :- asked(_, V);         want(V)@next :- want(V);
        pre(V) :- want(V);
        post(V) :- ever(A, _, V), ever(B, _, V), A < B;
    }
}

#[test]
#[rustfmt::skip]
fn the_log_survives_two_failures() {
    ldfi::live::cluster(3, |id, disk| Server::new(id, disk))
        .workload(|w| { w.at(14).ask(1); w.at(60).ask(9); })
        .failures([Lose, Delay(3), Reboot(6), DiskError]).at_most(2).until(40).end(120)
        .specification(LogSpec::new)
        .assert_fault_tolerant();
}
