//! The plain data every view reads: one [`Report`], written to disk as `report.json`.
//!
//! Nothing here knows how a verdict was reached. Whoever runs a program fills these types
//! (most easily through [`RunBuilder`]), and each view is a pure function of them.
//!
//! Ids are positions: a [`TupleId`] indexes [`Run::tuples`], a [`ValueId`] indexes
//! [`Run::values`], and so on. Each run carries its own tables, so that one run can be
//! exchanged for another without touching the rest of the report.
//!
//! In JSON, a run of a two-node broadcast whose only message was lost looks like this:
//!
//! ```
//! # let run = r#"
//! {
//!   "label": "counterexample 1",
//!   "status": "failure",
//!   "faults": { "text": "lose a->b@1", "omissions": [["a", "b", 1]] },
//!   "relations": ["bcast", "log", "pre", "post"],
//!   "values": ["a", "data", "b"],
//!   "tuples": [[0, 1, 0, 1], [1, 1, 0, 1], [2, 2, 0, 1]],
//!   "messages": [{ "table": 1, "from": "a", "to": "b", "send_time": 1, "receive_time": 2,
//!                  "rule": 1, "tuple": null, "lost": true, "row": [2, 1], "fault": "lose a->b@1" }],
//!   "firings": [{ "rule": 0, "head": 1, "premises": [0] }],
//!   "outcome": { "pre": [2], "post": [], "violated": [[3, 2, 0, 1]] },
//!   "falsified": { "tuples": [], "firings": [] }
//! }
//! # "#;
//! # let run: ldfi_report::model::Run = serde_json::from_str(run).unwrap();
//! # assert_eq!(run.show_message(&run.messages[0]), "log(b, data)");
//! ```

mod builder;
mod check;
mod constant;
mod faults;
mod parting;
mod run;
mod stretch;

pub use builder::{Lost, RunBuilder};
pub use check::ModelError;
pub use constant::constant;
pub use faults::{KINDS, arrays};
pub use parting::Parting;
pub use run::{
    Brought, Cut, Falsified, Firing, FiringId, Judged, Message, MessageId, Pattern, RelationId, Run, Status, Tells,
    Time, Tuple, TupleId, ValueId,
};
pub use stretch::{Stillness, Stretch};

use ldfi_model::{FailureSpec, Statistics, VerdictKind};

use serde::{Deserialize, Serialize};

/// The version of the JSON layout that this crate writes and reads.
pub const SCHEMA: u32 = 2;

/// A verdict with everything needed to show how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this layout: always [`SCHEMA`].
    pub schema: u32,
    /// The program that was checked.
    pub program: Program,
    /// The faults that were allowed.
    #[serde(rename = "fspec")]
    pub spec: FailureSpec,
    /// The processes, in the order in which they are drawn.
    pub nodes: Vec<String>,
    /// What the check concluded.
    pub verdict: VerdictKind,
    /// Whether the question is settled: the verdict is not inconclusive.
    pub complete: bool,
    /// One sentence on what was and was not covered, where that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What the check cost.
    pub statistics: Statistics,
    /// The failure-free run first, then one run for each counterexample.
    pub runs: Vec<Run>,
}

/// The program's texts and its rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// A short name: the file's stem or the test's name.
    pub name: String,
    /// The texts as the author wrote them, comments and all: the file, then those that it includes.
    /// None when they are not known.
    pub sources: Vec<Source>,
    /// Every rule, in the order of [`RuleId`].
    pub rules: Vec<Rule>,
}

impl Program {
    /// The text of a rule, or a placeholder for an unknown id and for what no rule derived.
    pub fn rule_text(&self, rule: impl Into<Option<RuleId>>) -> &str {
        let Some(rule) = rule.into() else { return "(kept without a rule)" };
        self.rules.get(rule.0 as usize).map_or("(unknown rule)", |r| r.text.as_str())
    }

    /// Where a rule stands, as readers say it: `line 4`, `spec.ded:4` in a program of several files,
    /// `rule 2` where lines are unknown, `kept` where a node that stood still kept what it had, or `code` where it is no rule.
    pub fn rule_place(&self, rule: impl Into<Option<RuleId>>) -> String {
        let Some(rule) = rule.into() else { return "kept".to_owned() };
        let known = self.rules.get(rule.0 as usize);
        if known.is_some_and(|rule| rule.kind == RuleKind::Code) {
            return "code".to_owned();
        }
        let Some(place) = known.and_then(|r| r.place) else { return format!("rule {}", rule.0 + 1) };
        match &self.sources[..] {
            [] | [_] => format!("line {}", place.line),
            sources => format!("{}:{}", sources.get(place.source as usize).map_or("?", Source::file), place.line),
        }
    }

    /// Where a rule stands so that an editor finds it: `examples/spec.ded:4`.
    pub fn rule_path(&self, rule: RuleId) -> Option<String> {
        let place = self.rules.get(rule.0 as usize)?.place?;
        let source = self.sources.get(place.source as usize)?;
        Some(format!("{}:{}", source.name, place.line))
    }
}

/// A text that is part of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its path, or whatever else it is known by.
    pub name: String,
    /// The line with which the text begins, where it is a part of the file.
    #[serde(default = "one")]
    pub first: u32,
    /// The text.
    pub text: String,
}

fn one() -> u32 {
    1
}

impl Source {
    /// Its name without the folders that it is in.
    pub fn file(&self) -> &str {
        self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name)
    }
}

/// Where a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Position in [`Program::sources`].
    pub source: u32,
    /// Its first line, counted from 1.
    pub line: u32,
    /// Its last line.
    pub last: u32,
}

/// Position of a rule in [`Program::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleId(pub u32);

/// One rule of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Its position in the list.
    pub id: RuleId,
    /// The rule as one line of text.
    pub text: String,
    /// Where it stands, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// When the head holds relative to the body.
    #[serde(default)]
    pub kind: RuleKind,
}

/// The temporal annotation of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// No annotation: the head holds at the same time.
    #[default]
    Deductive,
    /// `@next`: a local step, which never fails.
    Next,
    /// `@async`: a message, which may be lost.
    Async,
    /// No rule of the program, but what the code under test does.
    Code,
}

impl Report {
    /// An empty report on a program: fill `runs` next.
    pub fn new(program: Program, nodes: Vec<String>, spec: FailureSpec, verdict: VerdictKind) -> Self {
        Report {
            schema: SCHEMA,
            program,
            spec,
            nodes,
            verdict,
            complete: verdict.is_complete(),
            note: None,
            statistics: Statistics::default(),
            runs: Vec::new(),
        }
    }

    /// The failure-free run, if the report has any run at all.
    pub fn reference(&self) -> Option<&Run> {
        self.runs.first()
    }

    /// The first run that violates its outcome.
    pub fn first_failure(&self) -> Option<&Run> {
        self.runs.iter().find(|run| run.status == Status::Failure)
    }

    /// Reads a report back from JSON and checks it.
    pub fn from_json(text: &str) -> Result<Report, ModelError> {
        let report: Report = serde_json::from_str(text).map_err(ModelError::json)?;
        report.check()?;
        Ok(report)
    }

    /// The report as JSON on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a report has only string keys and finite structure")
    }
}
