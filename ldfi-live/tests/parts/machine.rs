//! Protocols made at random: table-driven state machines that talk, write, and tell.

use ldfi_live::{Disk, Failure, Id, Label, Node, Out, Setup};
use ldfi_model::Value;

const STATES: usize = 5;
const KINDS: usize = 3;

/// What a state machine does in a state, told something.
#[derive(Clone, Debug)]
struct Rule {
    next: u8,
    send: Option<(Id, u8)>,
    event: Option<u32>,
    disk: Option<u8>,
    timer: Option<u32>,
}

/// A machine: for each state, for each kind of message, and for ticks, timers and requests.
#[derive(Clone, Debug)]
pub struct Tables {
    rules: Vec<Vec<Rule>>,
    period: u32,
    prints: bool,
    /// Whether what it hears comes back to it some instants later, which its fingerprint does not say.
    echoes: bool,
    /// What it cannot bear: being told this, in this state, with this beside it; nor does it bear disks that fail.
    panics: Option<(usize, u8, u8)>,
}

/// Instants until what it hears comes back to it.
const ECHO: u32 = 2;

/// Requests from here on say nothing to specifications: the machine tells of them itself.
pub const UNTOLD: u8 = 100;

impl Tables {
    pub fn new(random: &mut fastrand::Rng, prints: bool) -> Self {
        let mut rule = |chance: u8| Rule {
            next: random.u8(..STATES as u8),
            send: (random.u8(..10) < chance).then(|| (random.u64(1..=3), random.u8(..KINDS as u8))),
            event: (random.u8(..10) < 5).then(|| random.u32(..12)),
            disk: (random.u8(..10) < 3).then(|| random.u8(..4)),
            timer: (random.u8(..10) < 1).then(|| random.u32(1..4)),
        };
        // Messages that beget messages die out.
        let rules = (0..STATES).map(|_| (0..KINDS + 3).map(|told| rule(if told < KINDS { 6 } else { 9 })).collect());
        let rules = rules.collect();
        Tables { rules, period: 3, prints, echoes: prints && random.bool(), panics: None }
    }

    /// The same machines, which panic now and then.
    #[allow(dead_code, reason = "not everybody who has machines wants them to panic")]
    pub fn panicking(self, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let panics = Some((random.usize(..KINDS + 3), random.u8(..STATES as u8), random.u8(..STATES as u8)));
        Tables { panics, ..self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Say {
    kind: u8,
    state: u8,
}

pub struct Machine {
    tables: Tables,
    id: Id,
    state: u8,
    disk: Disk,
    /// When, and what.
    echo: Option<(u32, u8)>,
}

impl Machine {
    fn new(tables: Tables, id: Id, disk: Disk) -> Self {
        // Corruption shows, errors count as an empty disk.
        let bytes = disk.read("log").ok().flatten().unwrap_or_default();
        let state = bytes.iter().fold(id as u8, |state, byte| state.wrapping_mul(3).wrapping_add(*byte)) % STATES as u8;
        Machine { tables, id, state, disk, echo: None }
    }

    fn told(&mut self, what: usize, salt: u8, out: &mut Out<Say>) {
        let rule = self.tables.rules[self.state as usize][what].clone();
        let written = match rule.disk {
            Some(0) => self.disk.append("log", &[self.state, salt]).and_then(|()| self.disk.sync("log")),
            Some(1) => self.disk.append("log", &[self.state]),
            Some(2) => self.disk.write("log", &[salt, self.state]),
            Some(_) => self.disk.read("log").map(drop),
            None => Ok(()),
        };
        if let Some(unbearable) = self.tables.panics {
            assert!(written.is_ok(), "the disk fails");
            assert_ne!((what, self.state, salt), unbearable, "too much");
        }
        self.state = if written.is_ok() { rule.next } else { (rule.next + 1) % STATES as u8 };
        if let Some((to, kind)) = rule.send {
            let to = (to + self.id + u64::from(salt)) % 3 + 1;
            out.send(to, Say { kind, state: self.state });
        }
        if let Some(value) = rule.event {
            out.event("told", (value + u32::from(salt) + self.id as u32,));
        }
        if let Some(after) = rule.timer {
            out.timer(after, "alarm");
        }
    }
}

impl Node for Machine {
    type Message = Say;
    type Request = u8;

    fn tick(&mut self, out: &mut Out<Say>) {
        // One that comes late is not heard, so that nothing lasts longer.
        if let Some((_, salt)) = self.echo.take_if(|(due, _)| *due <= out.now()).filter(|(due, _)| *due == out.now()) {
            self.told(KINDS, salt, out);
        }
        if (out.now() + self.id as u32).is_multiple_of(self.tables.period) {
            self.told(KINDS, 0, out);
        }
    }

    fn handle(&mut self, _: Id, say: Say, out: &mut Out<Say>) {
        if self.tables.echoes {
            self.echo = Some((out.now() + ECHO, say.state));
        }
        self.told(say.kind as usize, say.state, out);
    }

    fn asked(request: &u8) -> Option<Vec<Value>> {
        (*request < UNTOLD).then(|| vec![Value::Int(i64::from(*request))])
    }

    fn ask(&mut self, request: u8, out: &mut Out<Say>) {
        if request >= UNTOLD {
            out.event("asked", u32::from(request - UNTOLD));
        }
        self.told(KINDS + 1, request, out);
    }

    fn timer(&mut self, _: &str, out: &mut Out<Say>) {
        self.told(KINDS + 2, 0, out);
    }

    fn label(say: &Say) -> Label {
        ["a", "b", "c"][say.kind as usize].into()
    }

    fn fingerprint(&self) -> Option<u64> {
        self.tables.prints.then_some(u64::from(self.state))
    }

    fn memory(&self) -> u32 {
        if self.tables.echoes { ECHO } else { 0 }
    }
}

/// Three machines that run for so long; requests are counted from a number on.
pub fn setup(tables: Tables, end: u32, first: u8) -> Setup<Machine> {
    let mut setup = Setup::new(3, move |id, disk| Machine::new(tables.clone(), id, disk));
    setup.end(end);
    setup
        .workload(|w| {
            w.at(2).of(2).ask(first + 1);
            w.at(4).of(3).ask(first + 2);
        })
        .expect("there are three nodes");
    setup
}

/// Some failures, at random.
pub fn failures(random: &mut fastrand::Rng, count: usize) -> Vec<Failure> {
    let mut all = vec![
        Failure::Lose,
        Failure::Delay(2),
        Failure::Duplicate(1),
        Failure::Cut(2),
        Failure::Isolate(2),
        Failure::Crash,
        Failure::Kill(2),
        Failure::Reboot(2),
        Failure::Pause(2),
        Failure::DiskError,
        Failure::BadDisk,
        Failure::DiskFull,
        Failure::Torn(2),
        Failure::Corrupt,
        Failure::Slow(2),
    ];
    random.shuffle(&mut all);
    all.truncate(count);
    all
}
