//! The rows of the comparison: one promise of one protocol, put to both tools.

use std::path::Path;

use dedalus_runtime::interpret::Interpreted;
use ldfi::core::options::Options;
use ldfi::core::search::Search;
use ldfi::core::verdict::Conclusion;
use ldfi::model::FailureSpec;
use stateright::Model;

use super::Answer::{self, Broken, Holds};
use super::Style::{self, AtRest, Delay, Manual};
use super::broadcast::{self, Broadcast};
use super::commit::{self, Commit, Promise};
use super::paxos::Paxos;
use super::{Found, check};

const CERTIFIED: &str = "fault-tolerant";
const CEX: &str = "counterexample";

/// One promise of one protocol.
#[derive(Clone)]
pub struct Row {
    /// The protocol: a file of `examples/`.
    pub protocol: &'static str,
    /// What differs from it in the actors' world, if anything.
    pub note: &'static str,
    /// What is promised.
    pub promise: &'static str,
    /// EOT, EFF, crashes.
    pub spec: [u32; 3],
    /// How it is put to stateright.
    pub style: Style,
    /// What stateright answers, if the budget lasts.
    pub theirs: Answer,
    /// The name of our verdict.
    pub ours: &'static str,
    /// A second is enough for stateright.
    pub small: bool,
    actors: Actors,
}

#[derive(Clone, Copy)]
enum Actors {
    Broadcast(Broadcast),
    Commit(Commit),
    Paxos(Paxos),
}

impl Row {
    /// Asks stateright, for at most so many generated states.
    pub fn ask_stateright(&self, budget: usize) -> Found {
        match self.actors {
            Actors::Broadcast(world) => check(world.model().checker(), budget),
            Actors::Commit(world) => check(world.model().checker().symmetry(), budget),
            Actors::Paxos(world) => check(world.model().checker(), budget),
        }
    }

    /// The program, with nothing asked of it but this promise.
    pub fn program(&self) -> Interpreted {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = here.join("../examples").join(self.protocol).with_extension("ded");
        let only = || here.join("src/stateright").join(self.promise).with_extension("ded");
        let files = if let Actors::Commit(_) = self.actors { vec![file, only()] } else { vec![file] };
        Interpreted::from_files(&files).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Asks our exact search.
    pub fn ask_us(&self, program: &Interpreted) -> Conclusion {
        let [eot, eff, crashes] = self.spec;
        let spec = FailureSpec::new(eot, eff, crashes).unwrap_or_else(|error| panic!("{error}"));
        Search::new(program, spec, Options::default()).run().unwrap_or_else(|error| panic!("{error}"))
    }
}

/// All rows, protocol by protocol.
pub fn rows() -> Vec<Row> {
    [broadcasts(), commits(), synods()].concat()
}

fn broadcasts() -> Vec<Row> {
    use broadcast::Variant::{Ack, Redun, Retry, Simple};
    let row = |(protocol, variant, spec, style, theirs, ours, small)| {
        let [eot, eff, crashes] = spec;
        let (eot, eff, crashes) = (eot as u8, eff as u8, crashes as usize);
        let actors = Actors::Broadcast(Broadcast { variant, nodes: 3, eot, eff, crashes, style });
        Row { protocol, note: "", promise: "delivery", spec, style, theirs, ours, small, actors }
    };
    [
        ("simple_deliv", Simple, [4, 2, 0], Manual, Broken, CEX, true),
        ("simple_deliv", Simple, [4, 2, 1], Manual, Holds, CEX, true),
        ("simple_deliv", Simple, [4, 2, 1], AtRest, Broken, CEX, true),
        ("retry_deliv", Retry, [4, 2, 0], Manual, Holds, CERTIFIED, true),
        ("retry_deliv", Retry, [4, 2, 1], Manual, Holds, CEX, true),
        ("retry_deliv", Retry, [4, 2, 1], AtRest, Broken, CEX, true),
        ("retry_deliv", Retry, [4, 2, 1], Delay, Broken, CEX, true),
        ("redun_deliv", Redun, [4, 4, 1], AtRest, Broken, CEX, true),
        ("redun_deliv", Redun, [3, 2, 1], AtRest, Holds, CERTIFIED, true),
        ("redun_deliv", Redun, [4, 3, 1], AtRest, Holds, CERTIFIED, false),
        ("redun_deliv", Redun, [5, 4, 1], AtRest, Holds, CERTIFIED, false),
        ("redun_deliv", Redun, [5, 4, 1], Delay, Holds, CERTIFIED, true),
        ("redun_deliv", Redun, [11, 10, 1], Delay, Holds, CERTIFIED, true),
        ("ack_deliv", Ack, [3, 2, 1], AtRest, Holds, CERTIFIED, false),
        ("ack_deliv", Ack, [3, 2, 1], Delay, Holds, CERTIFIED, false),
        ("ack_deliv", Ack, [5, 4, 1], Delay, Holds, CERTIFIED, false),
        ("ack_deliv", Ack, [8, 7, 1], Delay, Holds, CERTIFIED, false),
    ]
    .map(row)
    .to_vec()
}

fn commits() -> Vec<Row> {
    use Promise::{Agreement, Termination};
    use commit::Variant::{Ctp, CtpMended, Plain, Timeout};
    let row = |(protocol, variant, promise, spec, style, theirs, ours, small)| {
        let [_, eff, crashes] = spec;
        let (loss, crashes) = (eff > 1, crashes as usize);
        let actors = Actors::Commit(Commit { variant, promise, agents: 3, loss, crashes, style });
        let promise = if promise == Agreement { "agreement" } else { "termination" };
        let note = if variant == CtpMended { "mended" } else { "" };
        Row { protocol, note, promise, spec, style, theirs, ours, small, actors }
    };
    [
        ("two_pc", Plain, Termination, [5, 0, 0], Manual, Holds, CERTIFIED, true),
        ("two_pc", Plain, Termination, [5, 0, 1], Manual, Holds, CEX, true),
        ("two_pc", Plain, Termination, [5, 0, 1], AtRest, Broken, CEX, true),
        ("two_pc", Plain, Agreement, [5, 4, 1], AtRest, Holds, CERTIFIED, true),
        ("two_pc", Plain, Agreement, [5, 4, 1], Delay, Holds, CERTIFIED, true),
        ("two_pc_timeout", Timeout, Termination, [5, 0, 1], Manual, Holds, CEX, true),
        ("two_pc_timeout", Timeout, Termination, [5, 0, 1], AtRest, Broken, CEX, true),
        ("two_pc_timeout", Timeout, Agreement, [5, 4, 1], AtRest, Holds, CERTIFIED, true),
        ("two_pc_timeout", Timeout, Agreement, [5, 4, 1], Delay, Holds, CERTIFIED, true),
        ("two_pc_ctp", Ctp, Termination, [8, 0, 1], AtRest, Broken, CEX, true),
        ("two_pc_ctp", Ctp, Agreement, [8, 7, 1], AtRest, Broken, CERTIFIED, false),
        ("two_pc_ctp", Ctp, Agreement, [8, 7, 1], Delay, Broken, CERTIFIED, true),
        ("two_pc_ctp", CtpMended, Agreement, [8, 7, 1], AtRest, Holds, CERTIFIED, false),
        ("two_pc_ctp", CtpMended, Agreement, [8, 7, 1], Delay, Holds, CERTIFIED, true),
    ]
    .map(row)
    .to_vec()
}

/// At EOT 7 ballot 3 is opened and gets no vote any more, at EOT 10 ballot 4: the actors do without it.
fn synods() -> Vec<Row> {
    let row = |(protocol, forgetful, ballots, spec, style, theirs, ours, small)| {
        let actors = Actors::Paxos(Paxos { forgetful, ballots, loss: true, crashes: 1, style });
        Row { protocol, note: "", promise: "agreement", spec, style, theirs, ours, small, actors }
    };
    [
        ("paxos_forgetful", true, 2, [7, 6, 1], AtRest, Broken, CEX, true),
        ("paxos_forgetful", true, 2, [7, 6, 1], Delay, Broken, CEX, true),
        ("paxos_synod", false, 2, [7, 6, 1], Manual, Holds, CERTIFIED, false),
        ("paxos_synod", false, 2, [7, 6, 1], AtRest, Holds, CERTIFIED, false),
        ("paxos_synod", false, 2, [7, 6, 1], Delay, Holds, CERTIFIED, true),
        ("paxos_synod", false, 3, [10, 9, 1], AtRest, Holds, CERTIFIED, false),
        ("paxos_synod", false, 3, [10, 9, 1], Delay, Holds, CERTIFIED, false),
    ]
    .map(row)
    .to_vec()
}
