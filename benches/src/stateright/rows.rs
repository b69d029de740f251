//! The rows of the comparison: one promise of one protocol, put to both tools.

use std::path::Path;

use dedalus_runtime::{Interpreted, Program};
use dedalus_syntax::Sources;
use ldfi::core::solver::new_assuming_solver;
use ldfi::core::{Conclusion, Options, Search};
use ldfi::model::{Bounds, FailureSpec};
use stateright::Model;

use super::Answer::{self, Broken, Holds};
use super::Style::{self, AtRest, Delay, Manual};
use super::broadcast::{self, Broadcast};
use super::commit::{self, Commit, Promise};
use super::paxos::Paxos;
use super::{Found, check, programs};

const CERTIFIED: &str = "fault-tolerant";
const CEX: &str = "counterexample";

/// What we are asked of a row's specification, in turn: from our own question to stateright's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// As it stands: a message arrives at the next step or never.
    Rounds,
    /// Each message for itself may be lost or late, however late, before EFF.
    Delays,
    /// And whoever waits may lose patience at every step, instead of at the steps that the program sets.
    AnyTime,
}

impl Asked {
    /// All of them.
    pub const ALL: [Asked; 3] = [Asked::Rounds, Asked::Delays, Asked::AnyTime];

    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Asked::Rounds => "rounds",
            Asked::Delays => "delays",
            Asked::AnyTime => "any time",
        }
    }
}

/// One promise of one protocol.
#[derive(Clone)]
pub struct Row {
    /// The protocol: a file of `examples/`.
    pub protocol: &'static str,
    /// What is promised.
    pub promise: &'static str,
    /// EOT, EFF, crashes.
    pub spec: [u32; 3],
    /// How it is put to stateright.
    pub style: Style,
    /// What stateright answers, if the budget lasts.
    pub theirs: Answer,
    /// The name of our verdict on each question that is put to us. The last is the one that stateright answers.
    pub ours: Vec<(Asked, &'static str)>,
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
    pub fn program(&self, asked: Asked) -> Box<dyn Program> {
        match asked {
            Asked::AnyTime => Box::new(self.without_timers()),
            _ => programs::program(self.protocol, self.promise),
        }
    }

    /// Without the timers that it sets. It is made of the text, so that it is interpreted.
    fn without_timers(&self) -> Interpreted {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = here.join("../examples").join(self.protocol).with_extension("ded");
        let only = || here.join("src/stateright").join(self.promise).with_extension("ded");
        let files = if let Actors::Commit(_) = self.actors { vec![file, only()] } else { vec![file] };
        let sources = Sources::from_files(&files);
        let texts = sources.iter().map(|(name, text)| (name.to_owned(), without_timers(text)));
        let sources = Sources::from_texts(texts.chain([("any time".to_owned(), self.impatience())]));
        let plan = dedalus_syntax::compile_sources(sources, vec![]).unwrap_or_else(|error| panic!("{error}"));
        Interpreted::new(plan)
    }

    /// Timers that may run out at every step, as the actors' do.
    fn impatience(&self) -> String {
        let last = self.spec[0] - 1;
        match self.actors {
            Actors::Broadcast(_) => String::new(),
            Actors::Commit(_) => include_str!("commit_any_time.ded").replace("LAST", &last.to_string()),
            Actors::Paxos(Paxos { ballots, .. }) => (1..=ballots)
                .map(|ballot| {
                    let proposer = if ballot % 2 == 1 { "a" } else { "b" };
                    format!("maybe impatient(\"{proposer}\", {ballot})@1..{last};\n")
                })
                .collect(),
        }
    }

    /// The specification as it is put to us.
    pub fn asked(&self, asked: Asked) -> FailureSpec {
        let [eot, eff, crashes] = self.spec;
        let rounds = Bounds { eot, eff, crashes, ..Bounds::default() };
        // What is sent at the first step arrives at the end if it is this late. Later than that is never.
        let delay = eot - 2;
        // What must come about does so after all that was late has arrived: actors need not hurry.
        let more = if self.promise == "delivery" { delay } else { 0 };
        let late = Bounds { eot: eot + more, delay, per_message: true, ..rounds };
        let spec = if asked == Asked::Rounds { rounds } else { late };
        FailureSpec::try_from(spec).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Asks our exact search.
    pub fn ask_us(&self, program: &dyn Program, asked: Asked) -> Conclusion {
        let search =
            Search::new(program, self.asked(asked), Options { solver: new_assuming_solver, ..Options::default() });
        search.run().unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A text without the lines that set a timer, and without includes: what is included is a text of its own.
fn without_timers(text: &str) -> String {
    let set = ["include ", "timer(", "timeout(", "impatient("];
    text.lines()
        .filter(|line| !set.iter().any(|start| line.starts_with(start)))
        .fold(String::new(), |text, line| text + line + "\n")
}

/// What is asked, beside the verdicts.
fn verdicts(ours: &[&'static str]) -> Vec<(Asked, &'static str)> {
    Asked::ALL.into_iter().zip(ours.iter().copied()).collect()
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
        let ours = verdicts(&[ours; 2]);
        Row { protocol, promise: "delivery", spec, style, theirs, ours, small, actors }
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
        Row { protocol, promise, spec, style, theirs, ours: verdicts(ours), small, actors }
    };
    // Blocking commit has no timer, and what waits for ever for a message notices no delay.
    let (tolerates, breaks) = (&[CERTIFIED; 3][..], &[CEX][..]);
    let in_rounds = &[CERTIFIED][..];
    let not_at_any_time = &[CERTIFIED, CERTIFIED, CEX][..];
    [
        ("two_pc", Plain, Termination, [5, 0, 0], Manual, Holds, in_rounds, true),
        ("two_pc", Plain, Termination, [5, 0, 1], Manual, Holds, breaks, true),
        ("two_pc", Plain, Termination, [5, 0, 1], AtRest, Broken, breaks, true),
        ("two_pc", Plain, Agreement, [5, 4, 1], AtRest, Holds, &tolerates[..2], true),
        ("two_pc", Plain, Agreement, [5, 4, 1], Delay, Holds, &tolerates[..2], true),
        ("two_pc_timeout", Timeout, Termination, [5, 0, 1], Manual, Holds, breaks, true),
        ("two_pc_timeout", Timeout, Termination, [5, 0, 1], AtRest, Broken, breaks, true),
        ("two_pc_timeout", Timeout, Agreement, [5, 4, 1], AtRest, Holds, tolerates, true),
        ("two_pc_timeout", Timeout, Agreement, [5, 4, 1], Delay, Holds, tolerates, true),
        ("two_pc_ctp", Ctp, Termination, [8, 0, 1], AtRest, Broken, breaks, true),
        ("two_pc_ctp", Ctp, Agreement, [8, 7, 1], AtRest, Broken, not_at_any_time, false),
        ("two_pc_ctp", Ctp, Agreement, [8, 7, 1], Delay, Broken, not_at_any_time, true),
        ("two_pc_ctp_mended", CtpMended, Agreement, [8, 7, 1], AtRest, Holds, tolerates, false),
        ("two_pc_ctp_mended", CtpMended, Agreement, [8, 7, 1], Delay, Holds, tolerates, true),
    ]
    .map(row)
    .to_vec()
}

/// At EOT 7 ballot 3 is opened and gets no vote any more, at EOT 10 ballot 4: the actors do without it.
fn synods() -> Vec<Row> {
    let row = |(protocol, forgetful, ballots, spec, style, theirs, ours, small)| {
        let actors = Actors::Paxos(Paxos { forgetful, ballots, loss: true, crashes: 1, style });
        Row { protocol, promise: "agreement", spec, style, theirs, ours: verdicts(&[ours; 3]), small, actors }
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
