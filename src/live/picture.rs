//! From executions of real code to the report's model: what the specification makes of what nodes told, with the messages and
//! deeds that were recorded.

use std::fmt;

use dedalus_runtime::Execution;
use ldfi_core::Judge;
use ldfi_live::{LiveError, Node, Record, Replayed, Scenario, Sent, Specification, Violation, What};
use ldfi_model::{Bounds, Budget, FailureSpec, Faults, Paced, Spent, Statistics, Value, VerdictKind};
use ldfi_report::model::{self, Lost, Report, RuleKind, RunBuilder, Status, Stillness, Stretch};

use super::because::{Told, explain};
use super::cluster::Cluster;
use super::differences::Differences;
use crate::picture::{describe, run::begun};

/// The relation in which panics are told: no program has one of this name.
const PANICS: &str = "panics:";

/// The relation in which it is told what nodes do that cannot be.
const MISTAKES: &str = "mistakes:";

/// Characters of a message's content that are shown.
const CONTENT: usize = 80;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PictureError {
    Live(LiveError),
    Spent(Spent),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureError::Live(error) => error.fmt(f),
            PictureError::Spent(spent) => spent.fmt(f),
        }
    }
}

impl From<LiveError> for PictureError {
    fn from(error: LiveError) -> Self {
        PictureError::Live(error)
    }
}

impl From<Spent> for PictureError {
    fn from(spent: Spent) -> Self {
        PictureError::Spent(spent)
    }
}

/// A report in the making, of one specification: its first run is the one without failures.
pub(super) struct Picture<'c, N: Node> {
    cluster: &'c Cluster<N>,
    specification: &'c Specification,
    /// The execution without failures, and what the specification makes of it.
    base: Replayed,
    told: Execution,
    judge: Judge,
    /// The number that stands for the code under test among the rules.
    code: model::RuleId,
    budget: Budget,
    pub report: Report,
}

impl<'c, N: Node> Picture<'c, N> {
    pub fn new(
        cluster: &'c Cluster<N>,
        specification: &'c Specification,
        budget: Budget,
    ) -> Result<Self, PictureError> {
        let (nodes, end) = (cluster.setup.nodes(), cluster.setup.last());
        let base = cluster.replay_of(&Scenario::none())?;
        let told = specification.run(&base, nodes, end)?;
        let judge = Judge::new(&told);
        let mut program = describe(specification.plan(), specification.name());
        let code = model::RuleId(u32::try_from(program.rules.len()).unwrap_or(u32::MAX));
        let text = format!("what {} does", cluster.name);
        program.rules.push(model::Rule { id: code, text, place: None, kind: RuleKind::Code });
        let spec = FailureSpec::try_from(bounds(cluster, end)).or_else(|_| FailureSpec::new(end, end, 0));
        let spec = spec.map_err(|_| LiveError::NoTime)?;
        let report = Report::new(program, nodes.to_vec(), spec, VerdictKind::Inconclusive);
        let mut picture = Picture { cluster, specification, base, told, judge, code, budget, report };
        let first = picture.run("without failures", &picture.base, &picture.told, &Scenario::none(), &[])?;
        picture.report.runs.push(first);
        Ok(picture)
    }

    /// Adds the execution under these failures, and tells what it violates.
    pub fn add(&mut self, label: &str, scenario: &Scenario) -> Result<Vec<Violation>, PictureError> {
        let replayed = self.cluster.replay_of(scenario)?;
        let (nodes, end) = (self.cluster.setup.nodes(), self.cluster.setup.last());
        let told = self.specification.run(&replayed, nodes, end)?;
        let name = self.specification.name();
        let about = |violation: &&Violation| match violation {
            Violation::Rule { specification, .. } | Violation::Promise { specification, .. } => specification == name,
            Violation::Panic { .. } | Violation::Mistake { .. } => true,
        };
        let ours: Vec<&Violation> = replayed.violations.iter().filter(about).collect();
        let mut run = self.run(label, &replayed, &told, scenario, &ours)?;
        let differences = Differences::new(&self.base.record, &replayed.record);
        let failures = &run.failures;
        let by = Told {
            base: &self.told,
            now: &told,
            differences: &differences,
            failures,
            nodes,
            code: self.code.0,
            panics: PANICS,
            mistakes: MISTAKES,
        };
        if !ours.is_empty() {
            run.explanation = Some(explain(&by, &ours));
        }
        run.constant = model::constant(&self.report.runs[0], &run, end, &mut Paced::default()).unwrap_or_default();
        self.report.runs.push(run);
        Ok(replayed.violations)
    }

    /// What was found out, beside the runs.
    pub fn conclude(&mut self, verdict: VerdictKind, complete: bool, note: String, statistics: Statistics) {
        self.report.verdict = verdict;
        self.report.complete = complete;
        self.report.note = Some(note);
        self.report.statistics = statistics;
    }

    fn run(
        &self,
        label: &str,
        replayed: &Replayed,
        told: &Execution,
        scenario: &Scenario,
        violations: &[&Violation],
    ) -> Result<model::Run, PictureError> {
        let (nodes, end) = (self.cluster.setup.nodes(), self.cluster.setup.last());
        let failures: Vec<String> = scenario.strikes().iter().map(|strike| strike.show(nodes)).collect();
        let mut builder = begun(label, told, &self.judge, &self.budget)?;
        for sent in replayed.record.messages.iter().filter(|sent| sent.from != sent.to && sent.sent < end) {
            self.message(&mut builder, sent, &failures);
        }
        for deed in &replayed.record.deeds {
            let node = &nodes[deed.node as usize];
            if let Some((relation, text)) = named(&deed.what, &failures) {
                builder.tuple(relation, deed.time, [node.as_str(), text.as_str()]);
            }
        }
        for violation in violations {
            let row = match violation {
                Violation::Rule { tuple, time, .. } => builder.row(&tuple.relation, *time, tuple.values.clone()),
                Violation::Promise { tuple, at: Some(time), .. } => {
                    builder.row(&tuple.relation, *time, tuple.values.clone())
                }
                // Those at the end are there already.
                Violation::Promise { at: None, .. } => continue,
                Violation::Panic { node, time, panic } => {
                    builder.row(PANICS, *time, [node.as_str(), panic.message.as_str()])
                }
                Violation::Mistake { node, time, mistake } => {
                    let text = mistake.to_string();
                    builder.tuple(MISTAKES, *time, [node.as_str(), text.as_str()]);
                    builder.row(MISTAKES, *time, [node.as_str(), text.as_str()])
                }
            };
            builder.violated(row);
        }
        let mut run = builder.finish();
        run.faults = Faults::none();
        run.stretches = stretches(&replayed.record, nodes, end, &failures);
        run.failures = failures;
        run.status = if violations.is_empty() { Status::Success } else { Status::Failure };
        Ok(run)
    }

    fn message(&self, builder: &mut RunBuilder, sent: &Sent, failures: &[String]) {
        let nodes = self.cluster.setup.nodes();
        let (from, to) = (&nodes[sent.from as usize], &nodes[sent.to as usize]);
        let mut content: String = sent.content.chars().take(CONTENT).collect();
        if content.len() < sent.content.len() {
            content.push('…');
        }
        let row = [to.clone(), from.clone(), content];
        let fault = sent.struck.and_then(|strike| failures.get(strike).cloned());
        match sent.heard {
            Some(heard) => {
                let tuple = builder.tuple(&sent.label, heard, row);
                builder.arrived(from, self.code, tuple, sent.sent, fault, sent.copy);
            }
            None => {
                let row = row.into_iter().map(Value::Str).collect();
                let (relation, sent, rule) = (&*sent.label, sent.sent, self.code);
                builder.lost(Lost {
                    relation,
                    row,
                    from,
                    to,
                    sent,
                    rule,
                    unsent: false,
                    due: None,
                    copy: false,
                    fault,
                });
            }
        }
    }
}

/// The bounds that come nearest to what was explored.
fn bounds<N: Node>(cluster: &Cluster<N>, end: u32) -> Bounds {
    Bounds { eot: end, eff: cluster.settings().until.min(end), ..Bounds::default() }
}

/// A deed as a tuple: its relation, and what it is.
fn named(what: &What, failures: &[String]) -> Option<(&'static str, String)> {
    Some(match what {
        What::Boots => ("boots:", String::new()),
        What::Asked(request) => ("asked:", request.clone()),
        What::Timer(label) => ("timer:", label.clone()),
        What::Disk(label) => ("disk:", label.to_string()),
        What::Struck(strike) => ("fails:", failures.get(*strike)?.clone()),
        What::Panics(panic) => (PANICS, panic.message.clone()),
        // Told by the specification, and by stretches.
        What::Tells(_) | What::Down(_) | What::Paused(_) => return None,
    })
}

/// When nodes were down or stood still.
fn stretches(record: &Record, nodes: &[String], end: u32, failures: &[String]) -> Vec<Stretch> {
    let mut all = vec![];
    for deed in &record.deeds {
        let (standing, until) = match deed.what {
            What::Down(None) => (Stillness::Dead, end + 1),
            What::Down(Some(back)) if back > end => (Stillness::Dead, end + 1),
            What::Down(Some(back)) => (Stillness::Down, back),
            What::Paused(until) => (Stillness::Paused, until.min(end + 1)),
            _ => continue,
        };
        let struck = record.at(deed.node, deed.time).find_map(|what| match what {
            What::Struck(strike) => failures.get(*strike).cloned(),
            _ => None,
        });
        let node = nodes[deed.node as usize].clone();
        all.push(Stretch { node, standing, from: deed.time, until, fault: struck });
    }
    all.sort_by(|a, b| (&a.node, a.from).cmp(&(&b.node, b.from)));
    all
}
