//! Sample reports: the broadcast protocols of the LDFI paper, run by a few loops.

#![allow(dead_code, missing_docs)]

use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_core::explain::{explain, explain_tuple};
use ldfi_model::{
    Blame, Bounds, Budget, Concrete, Explanation, Faults, Node, Paced, Send, Sent, Statistics, Strike, Tuple,
    VerdictKind, World,
};
use ldfi_report::lineage::{cuts, falsified_support};
use ldfi_report::model::{
    Lost, Place, Program, Report, Rule, RuleId, RuleKind, Run, RunBuilder, Source, Status, Time, TupleId, constant,
};

/// A broadcast and who takes part in it.
#[derive(Clone)]
pub struct Broadcast {
    pub name: &'static str,
    pub nodes: Vec<String>,
    pub payloads: Vec<String>,
    pub eot: Time,
    pub eff: Time,
    pub crashes: u32,
    /// Every other bound.
    pub bounds: Bounds,
    /// The first node repeats what it broadcasts.
    pub retry: bool,
    /// Every node passes on what it knows.
    pub relay: bool,
}

const KEEP_NODE: RuleId = RuleId(0);
const KEEP_LOG: RuleId = RuleId(1);
const DELIVER: RuleId = RuleId(2);
const SEND: RuleId = RuleId(3);
const MISSING: RuleId = RuleId(4);
const PRE: RuleId = RuleId(5);
const POST: RuleId = RuleId(6);
const RETRY: RuleId = RuleId(7);
const RELAY: RuleId = RuleId(8);

const RULES: [(&str, RuleKind); 9] = [
    ("node(N, M)@next :- node(N, M);", RuleKind::Next),
    ("log(N, P)@next :- log(N, P);", RuleKind::Next),
    ("log(N, P) :- bcast(N, P);", RuleKind::Deductive),
    ("log(M, P)@async :- bcast(N, P), node(N, M);", RuleKind::Async),
    ("missing_log(A, P) :- log(X, P), node(X, A), notin log(A, P);", RuleKind::Deductive),
    ("pre(X, P) :- log(X, P), notin crash(X, X, _);", RuleKind::Deductive),
    ("post(X, P) :- log(X, P), notin missing_log(_, P);", RuleKind::Deductive),
    ("bcast(N, P)@next :- bcast(N, P);", RuleKind::Next),
    ("bcast(N, P)@next :- log(N, P);", RuleKind::Next),
];

impl Broadcast {
    pub fn new(name: &'static str, nodes: usize, payloads: usize, eot: Time) -> Self {
        let letter = |i: usize| char::from(b'a' + (i % 26) as u8);
        let node = |i: usize| if i < 26 { letter(i).to_string() } else { format!("n{i}") };
        let payload = |i: usize| if payloads == 1 { "data".into() } else { format!("data{i}") };
        Broadcast {
            name,
            nodes: (0..nodes).map(node).collect(),
            payloads: (0..payloads).map(payload).collect(),
            eot,
            eff: 2,
            crashes: 0,
            bounds: Bounds::default(),
            retry: false,
            relay: false,
        }
    }

    fn rules(&self) -> usize {
        7 + usize::from(self.retry || self.relay) + usize::from(self.relay)
    }

    pub fn program(&self) -> Program {
        let mut text = format!("// {}: a broadcast and what is expected of it\n", self.name);
        let mut rules = Vec::new();
        let mut line = 1;
        for (id, (rule, kind)) in RULES[..self.rules()].iter().enumerate() {
            if id == 4 {
                text.push_str("\n// If a correct node has it, all correct nodes have it.\n");
                line += 2;
            }
            line += 1;
            text.push_str(rule);
            text.push('\n');
            let id = RuleId(id as u32);
            rules.push(Rule {
                id,
                text: (*rule).into(),
                place: Some(Place { source: 0, line, last: line }),
                kind: *kind,
            });
        }
        text.push_str("\n// The world.\n");
        for payload in &self.payloads {
            text.push_str(&format!("bcast(\"{}\", \"{payload}\")@1;\n", self.nodes[0]));
        }
        for (a, b) in self.pairs() {
            text.push_str(&format!("node(\"{a}\", \"{b}\")@1;\n"));
        }
        Program { name: self.name.into(), sources: vec![Source { name: self.name.into(), first: 1, text }], rules }
    }

    fn pairs(&self) -> Vec<(&str, &str)> {
        let all = self.nodes.iter().flat_map(|a| self.nodes.iter().map(move |b| (a, b)));
        all.filter(|(a, b)| a != b).map(|(a, b)| (a.as_str(), b.as_str())).collect()
    }

    pub fn report(&self, verdict: VerdictKind, faults: &[&str]) -> Report {
        let bounds = Bounds { eot: self.eot, eff: self.eff, crashes: self.crashes, ..self.bounds };
        let mut report = Report::new(self.program(), self.nodes.clone(), bounds.try_into().unwrap(), verdict);
        report.statistics = Statistics {
            executions: 2,
            solver_calls: 1,
            elapsed: Duration::from_micros(3250),
            ..Statistics::default()
        };
        report.runs.push(self.run("failure-free", &Faults::default()));
        for (at, faults) in faults.iter().enumerate() {
            report.runs.push(self.run("", &faults.parse().unwrap()));
            let run = report.runs.len() - 1;
            let broken = report.runs[run].status == Status::Failure;
            let word = if broken { "counterexample" } else { "attempt" };
            report.runs[run].label = format!("{word} {}", at + 1);
            report.runs[run].explanation = broken.then(|| self.explain(faults));
            let (base, this, pace) = (&report.runs[0], &report.runs[run], &mut Paced::default());
            let cuts = cuts(base, this, &self.nodes, self.eot, pace).unwrap();
            let falsified = falsified_support(base, this, pace).unwrap();
            let constant = constant(base, this, self.eot, pace).unwrap();
            report.runs[run] = Run { cuts, falsified, constant, ..this.clone() };
        }
        let base = &report.runs[0];
        report.runs[0].constant = constant(base, base, self.eot, &mut Paced::default()).unwrap();
        report.check().unwrap();
        report
    }

    /// The same protocol, run by the engine itself.
    fn interpreted(&self) -> Interpreted {
        let program = self.program();
        Interpreted::from_text(&program.name, &program.sources[0].text).unwrap().nodes(self.nodes.iter().cloned())
    }

    /// Why these faults break it.
    pub fn explain(&self, faults: &str) -> Explanation {
        explain(&self.interpreted(), &faults.parse().unwrap(), self.eot, &Budget::unlimited()).unwrap()
    }

    /// Why a tuple holds, or does not.
    pub fn explain_tuple(&self, faults: &str, tuple: &Tuple, time: Time) -> Explanation {
        let asked = (tuple, ldfi_model::Time(time));
        explain_tuple(&self.interpreted(), &faults.parse().unwrap(), self.eot, asked, &Budget::unlimited()).unwrap()
    }

    pub fn run(&self, label: &str, faults: &Faults) -> Run {
        let mut run = RunBuilder::new(label);
        let placed = faults.resolve(&self.nodes, ldfi_model::Time(self.eot)).unwrap();
        run.faults(&placed, &self.nodes, self.eot);
        let crashed = |node: &str| faults.crashes().any(|(name, _)| name == node);
        let mut fate = Fate { world: Concrete::new(&placed), blame: Blame::new(&placed), late: vec![] };
        for time in 1..=self.eot {
            self.inputs(&mut run, time, faults);
            self.local(&mut run, time);
            self.spec(&mut run, time, &crashed);
            if time < self.eot {
                self.next(&mut run, time, &mut fate);
                self.send(&mut run, time, &mut fate);
                fate.deliver(&mut run, time + 1);
            }
        }
        run.finish()
    }

    /// Broadcasts that the adversary gives.
    fn inputs(&self, run: &mut RunBuilder, time: Time, faults: &Faults) {
        for fault in faults.iter().filter(|fault| fault.time.0 == time) {
            if let Strike::Give { tuple } = &fault.strike {
                let given = run.tuple(&tuple.relation, time, tuple.values.clone());
                run.brought(given, fault.to_string());
            }
        }
    }

    fn place(&self, node: &str) -> Node {
        ldfi_model::place(node, &self.nodes).unwrap()
    }

    fn known(run: &RunBuilder, relation: &str, time: Time) -> Vec<(TupleId, Vec<String>)> {
        let so_far = run.so_far();
        let Some(relation) = so_far.relations.iter().position(|r| r == relation) else {
            return Vec::new();
        };
        (0..)
            .map(TupleId)
            .zip(&so_far.tuples)
            .filter(|(_, t)| t.relation.index() == relation && t.time == time)
            .map(|(id, t)| (id, t.values.iter().map(|v| so_far.text(*v)).collect()))
            .collect()
    }

    fn local(&self, run: &mut RunBuilder, time: Time) {
        if time == 1 {
            for payload in &self.payloads {
                run.tuple("bcast", 1, [self.nodes[0].as_str(), payload]);
            }
            for (a, b) in self.pairs() {
                run.tuple("node", 1, [a, b]);
            }
        }
        for (id, row) in Self::known(run, "bcast", time) {
            let log = run.tuple("log", time, row);
            run.firing(DELIVER, log, [id], [], None);
        }
    }

    fn spec(&self, run: &mut RunBuilder, time: Time, crashed: &dyn Fn(&str) -> bool) {
        let logs = Self::known(run, "log", time);
        let has = |n: &str, p: &str| logs.iter().any(|(_, row)| row[0] == n && row[1] == p);
        let mut short = Vec::new();
        for (log, row) in &logs {
            for other in self.nodes.iter().filter(|n| **n != row[0] && !has(n, &row[1])) {
                let node = run.tuple("node", time, [row[0].as_str(), other]);
                let missing = run.tuple("missing_log", time, [other.as_str(), &row[1]]);
                let absent = run.pattern("log", time, [Some(other.as_str()), Some(&row[1])]);
                run.firing(MISSING, missing, [*log, node], [absent], None);
                short.push(row[1].clone());
            }
        }
        for (log, row) in &logs {
            let (node, payload) = (row[0].as_str(), row[1].as_str());
            if !crashed(node) {
                let pre = run.tuple("pre", time, [node, payload]);
                let absent = run.pattern("crash", time, [Some(node), Some(node), None]);
                run.firing(PRE, pre, [*log], [absent], None);
                if time == self.eot {
                    run.pre(pre);
                }
            }
            if !short.iter().any(|p| p == payload) {
                let post = run.tuple("post", time, [node, payload]);
                let absent = run.pattern("missing_log", time, [None, Some(payload)]);
                run.firing(POST, post, [*log], [absent], None);
                if time == self.eot {
                    run.post(post);
                }
            } else if time == self.eot && !crashed(node) {
                let missing = run.row("post", time, [node, payload]);
                run.violated(missing);
            }
        }
    }

    fn next(&self, run: &mut RunBuilder, time: Time, fate: &mut Fate) {
        let mut keep = |run: &mut RunBuilder, from: &str, to: &str, rule| {
            for (id, row) in Self::known(run, from, time) {
                let node = row[0].clone();
                if fate.world.steps(self.place(&node), time) {
                    let head = run.tuple(to, time + 1, row);
                    let firing = run.firing(rule, head, [id], [], None);
                    run.step(firing, &node);
                }
            }
        };
        keep(run, "node", "node", KEEP_NODE);
        keep(run, "log", "log", KEEP_LOG);
        if self.retry || self.relay {
            keep(run, "bcast", "bcast", RETRY);
        }
        if self.relay {
            keep(run, "log", "bcast", RELAY);
        }
        for node in &self.nodes {
            if !fate.world.steps(self.place(node), time) {
                self.stand_still(run, time, node, fate);
            }
        }
    }

    /// A paused node keeps everything, one that is down its neighbours and its log.
    fn stand_still(&self, run: &mut RunBuilder, time: Time, node: &str, fate: &mut Fate) {
        let place = self.place(node);
        let fault = fate.blame.still(place, time).map(|faults| faults.named(&self.nodes).to_string());
        for (relation, stable) in [("node", true), ("log", true), ("bcast", false)] {
            if !fate.world.keeps(place, time, stable) {
                continue;
            }
            for (id, row) in Self::known(run, relation, time).into_iter().filter(|(_, row)| row[0] == node) {
                let kept = run.tuple(relation, time + 1, row);
                run.kept(kept, id, fault.clone());
            }
        }
    }

    fn send(&self, run: &mut RunBuilder, time: Time, fate: &mut Fate) {
        for (id, row) in Self::known(run, "bcast", time) {
            let from = row[0].as_str();
            for to in self.nodes.iter().filter(|n| **n != from) {
                let row = [to.as_str(), &row[1]];
                let send = Send { from: self.place(from), to: self.place(to), time, message: None };
                let last = self.eot - time - 1;
                let arrivals = (0..=fate.world.latest().min(last)).filter(|by| fate.world.arrives(send, *by));
                let arrivals: Vec<u32> = arrivals.collect();
                if arrivals.is_empty() {
                    self.lose(run, from, to, row[1], time, fate);
                    continue;
                }
                let node = run.tuple("node", time, [from, to]);
                for by in arrivals {
                    let culprit = fate.blame.late(Sent { from: send.from, to: send.to, time, tuple: None }, by);
                    let copy = culprit
                        .is_some_and(|faults| faults.iter().any(|f| matches!(f.strike, Strike::Duplicate { .. })));
                    let fault = culprit.map(|faults| faults.named(&self.nodes).to_string());
                    let row = row.map(str::to_owned);
                    let (from, premises) = (from.to_owned(), [id, node]);
                    fate.late.push(Late { arrival: time + 1 + by, row, from, sent: time, premises, fault, copy });
                }
            }
        }
    }

    fn lose(&self, run: &mut RunBuilder, from: &str, to: &str, payload: &str, time: Time, fate: &mut Fate) {
        let sent = Sent { from: self.place(from), to: self.place(to), time, tuple: None };
        let unsent = fate.blame.silent(sent.from, time).cloned();
        let send = Send { from: sent.from, to: sent.to, time, message: None };
        let late = fate.world.unheard(send, self.eot).first().copied();
        let culprit = unsent.clone().or_else(|| match late {
            Some(by) => Some(fate.blame.unheard(sent, by, self.eot)),
            None => fate.blame.undelivered(sent).cloned(),
        });
        run.lost(Lost {
            relation: "log",
            row: vec![to.into(), payload.into()],
            from,
            to,
            sent: time,
            rule: SEND,
            unsent: unsent.is_some(),
            due: late.map(|by| time + 1 + by).filter(|at| *at > self.eot),
            copy: false,
            fault: culprit.map(|faults| faults.named(&self.nodes).to_string()),
        });
    }
}

/// The faults of a run, and what is on its way.
struct Fate {
    world: Concrete,
    blame: Blame,
    late: Vec<Late>,
}

struct Late {
    arrival: Time,
    row: [String; 2],
    from: String,
    sent: Time,
    premises: [TupleId; 2],
    fault: Option<String>,
    copy: bool,
}

impl Fate {
    fn deliver(&mut self, run: &mut RunBuilder, time: Time) {
        let (now, later) = std::mem::take(&mut self.late).into_iter().partition(|late| late.arrival == time);
        self.late = later;
        for Late { row, from, sent, premises, fault, copy, .. } in now {
            let log = run.tuple("log", time, row);
            let message = run.arrived(&from, SEND, log, sent, fault, copy);
            run.firing(SEND, log, premises, [], Some(message));
        }
    }
}

pub fn simple_deliv() -> Report {
    Broadcast::new("simple-deliv", 3, 1, 4).report(VerdictKind::Counterexample, &["lose a->b@1"])
}

pub fn retry_deliv() -> Report {
    let protocol = Broadcast { retry: true, crashes: 1, ..Broadcast::new("retry-deliv", 3, 1, 4) };
    protocol.report(VerdictKind::Counterexample, &["lose a->b@1; crash a@2", "lose a->c@1; crash a@2"])
}

pub fn redun_deliv() -> Report {
    let mut protocol = Broadcast::new("redun-deliv", 3, 1, 6);
    (protocol.relay, protocol.crashes, protocol.eff) = (true, 1, 4);
    protocol.report(VerdictKind::FaultTolerant, &[])
}

/// Every kind of fault in one run.
pub fn stormy() -> Report {
    let bounds = Bounds { delay: 2, duplicates: 1, partitions: 1, restarts: 1, pauses: 1, ..Bounds::default() };
    let protocol = Broadcast { retry: true, eff: 7, crashes: 2, bounds, ..Broadcast::new("stormy", 4, 1, 8) };
    let faults = "delay a->b@1 by 2; duplicate a->c@1 by 1; lose a->d@1; give bcast(\"d\", \"more\")@2; \
                  partition a,b|c,d@3 until 5; crash c@4; restart c@6; pause b@5 until 7; crash d@7";
    protocol.report(VerdictKind::Counterexample, &[faults])
}

/// About 3,000 tuples and 10,000 firings in each of two runs.
pub fn middling() -> Report {
    let protocol = Broadcast { relay: true, ..Broadcast::new("middling", 9, 6, 15) };
    protocol.report(VerdictKind::FaultTolerant, &["lose a->b@1; crash a@2"])
}

/// More than 20,000 tuples in each of two runs.
pub fn big() -> Report {
    let protocol = Broadcast { retry: true, ..Broadcast::new("big", 10, 24, 26) };
    protocol.report(VerdictKind::Counterexample, &["lose a->b@1; crash a@2"])
}
