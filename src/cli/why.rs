//! `ldfi why` and `ldfi why-not`.

use std::path::PathBuf;

use dedalus_runtime::clock::Bounds;
use dedalus_runtime::execution::Execution;
use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::lineage::{Attempt, Lineage};
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use dedalus_runtime::syntax::ast::{Constant, ExprKind, Fact};
use dedalus_runtime::syntax::diagnostic::{Diagnostics, Rejected};
use dedalus_runtime::syntax::source::Sources;
use dedalus_runtime::value::Value;
use ldfi_report::index::Index;
use ldfi_report::model::{self, Report, Tuple, TupleId};
use ldfi_report::text;

use super::args::{ProgramArgs, WhyArgs};
use super::terminal::Terminal;
use super::{Failure, Outcome, Status, faults, load};

/// More ways in which a tuple could hold than these are counted, not shown.
const MOST_ATTEMPTS: usize = 40;

/// The tuple that is asked about.
struct Goal {
    relation: String,
    values: Vec<Value>,
    time: Option<u32>,
}

/// Everything a question needs.
struct Question {
    program: Interpreted,
    goal: Goal,
    time: u32,
    faults: Faults,
    report: Report,
}

/// `ldfi why`.
pub(super) fn why(args: &WhyArgs, terminal: &Terminal) -> Outcome {
    let question = Question::new(args, terminal)?;
    match question.holds() {
        Some(id) => {
            terminal.say(&text::why(&question.report, 1, id, &terminal.options()));
            Ok(Status::Good)
        }
        None => {
            terminal.say(&format!("{} does not hold; ask why-not\n", question.shown()));
            Ok(Status::Broken)
        }
    }
}

/// `ldfi why-not`.
pub(super) fn why_not(args: &WhyArgs, terminal: &Terminal) -> Outcome {
    let mut question = Question::new(args, terminal)?;
    if question.holds().is_some() {
        terminal.say(&format!("{} holds; ask why\n", question.shown()));
        return Ok(Status::Broken);
    }
    let missing = question.missing();
    let base = Index::new(&question.report.runs[0]);
    let held_without_faults = base.counterpart(&question.report.runs[1], &missing).is_some();
    if held_without_faults {
        terminal.say(&text::why_not(&question.report, 1, &missing, &terminal.options()));
    } else {
        terminal.say(&question.attempts()?);
    }
    Ok(Status::Good)
}

impl Question {
    fn new(args: &WhyArgs, terminal: &Terminal) -> Result<Self, Failure> {
        let Some((goal, files)) = args.files_and_tuple.split_last() else {
            return Err(Failure("name a file and a tuple".into()));
        };
        let goal = Goal::read(goal)?;
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let (program, name) = load::load(&ProgramArgs { files, nodes: args.nodes.clone() }, terminal)?;
        goal.check(&program)?;
        let (faults, eot) = faults::read(&args.faults, &program, goal.time.unwrap_or(1))?;
        let report = ldfi::picture::run_picture(&program, &name, &faults, eot)?;
        Ok(Question { program, time: goal.time.unwrap_or(eot), goal, faults, report })
    }

    fn shown(&self) -> String {
        let values: Vec<String> = self.goal.values.iter().map(ToString::to_string).collect();
        format!("{}({})@{}", self.goal.relation, values.join(", "), self.time)
    }

    fn values(&self) -> Vec<model::Value> {
        let value = |value: &Value| match value {
            Value::Int(value) => model::Value::Int(*value),
            Value::Str(text) => model::Value::Str(text.clone()),
        };
        self.goal.values.iter().map(value).collect()
    }

    /// The tuple in the run, if it holds there.
    fn holds(&self) -> Option<TupleId> {
        Index::new(&self.report.runs[1]).find_text(&self.goal.relation, self.time, &self.values())
    }

    /// The tuple by ids of the run, in which it does not hold.
    fn missing(&mut self) -> Tuple {
        let values = self.values();
        let run = &mut self.report.runs[1];
        let place = |list: &mut Vec<_>, item| {
            let known = list.iter().position(|other| *other == item);
            let place = known.unwrap_or_else(|| {
                list.push(item);
                list.len() - 1
            });
            u32::try_from(place).unwrap_or(u32::MAX)
        };
        let values = values.into_iter().map(|value| model::ValueId(place(&mut run.values, value))).collect();
        let known = run.relations.iter().position(|name| *name == self.goal.relation);
        let relation = known.unwrap_or_else(|| {
            run.relations.push(self.goal.relation.clone());
            run.relations.len() - 1
        });
        Tuple { relation: model::RelationId(u32::try_from(relation).unwrap_or(u32::MAX)), time: self.time, values }
    }

    /// For a tuple that no faults are needed to prevent: each way in which it could hold, and what is in the way.
    fn attempts(&self) -> Result<String, Failure> {
        let eot = Time(self.report.fspec.eot);
        let actual = self.program.explain(&self.faults, eot)?;
        let mut runner = Runner::new(&self.program, eot)?.limit(500_000);
        // Whatever happens: every node may crash.
        let crashes = u32::try_from(actual.nodes().len()).unwrap_or(u32::MAX);
        let mut out = format!("{}  never derived\n", self.shown());
        let Ok(potential) = runner.run_potential(Bounds { eff: eot.0, crashes }) else {
            return Ok(out + "  (there are too many ways in which it could be to look at)\n");
        };
        let relation = self.program.plan().relation(&self.goal.relation);
        let tuple = relation.and_then(|relation| potential.find(relation, self.time, &self.goal.values));
        let Some(tuple) = tuple else {
            return Ok(out + "  no rule and no fact can bring it about, whatever happens\n");
        };
        let attempts = Lineage::new(potential).why_not(tuple, &actual);
        let shown = &attempts[..attempts.len().min(MOST_ATTEMPTS)];
        for (at, attempt) in (1..).zip(shown) {
            out += &show_attempt(attempt, potential, &actual, at == shown.len());
        }
        if attempts.len() > shown.len() {
            out += &format!("… and {} more ways\n", attempts.len() - shown.len());
        }
        Ok(out)
    }
}

/// A way in which a tuple could hold, and under it what is in the way.
fn show_attempt(attempt: &Attempt, potential: &Execution, actual: &Execution, last: bool) -> String {
    let mut ways: Vec<String> = vec![];
    ways.extend(attempt.missing.iter().map(|tuple| format!("missing {}", potential.show(*tuple))));
    ways.extend(attempt.blocked.iter().map(|(_, tuple)| format!("blocked by {}", actual.show(*tuple))));
    ways.extend(attempt.lost.then(|| "the message is lost".to_owned()));
    let (branch, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
    let mut out = format!("{branch}{}\n", potential.plan().rule(attempt.firing.id.rule).text);
    for (at, way) in (1..).zip(&ways) {
        out += &format!("{trunk}{}{way}\n", if at == ways.len() { "└─ " } else { "├─ " });
    }
    out
}

impl Goal {
    /// Reads `log("b", "data")@4`; the time may be left out.
    fn read(text: &str) -> Result<Self, Failure> {
        let bare = text.trim().trim_end_matches(';').trim_end();
        let timed = bare.ends_with(|c: char| c.is_ascii_digit())
            && bare.rsplit_once(')').is_some_and(|(_, end)| end.contains('@'));
        let fact = read_fact(&if timed { format!("{bare};") } else { format!("{bare}@1;") })?;
        let mut values = vec![];
        for expr in fact.values {
            match expr.kind {
                ExprKind::Const(Constant::Int(value)) => values.push(Value::Int(value)),
                ExprKind::Const(Constant::Str(text)) => values.push(Value::Str(text)),
                _ => return Err(Failure(format!("`{text}` is not a tuple: write log(\"b\", \"data\")@4"))),
            }
        }
        let time = timed.then(|| u32::try_from(fact.time).ok().filter(|t| (1..=1_000_000).contains(t)));
        if time == Some(None) {
            return Err(Failure(format!("`{text}`: time runs from 1, and not that far")));
        }
        Ok(Goal { relation: fact.relation.text, values, time: time.flatten() })
    }

    /// Whether the program has such a relation, with so many columns of those types.
    fn check(&self, program: &Interpreted) -> Result<(), Failure> {
        let plan = program.plan();
        let Some(relation) = plan.relation(&self.relation) else {
            let names: Vec<&str> = plan.relations.iter().map(|r| r.name.as_str()).collect();
            return Err(Failure(format!("there is no relation `{}`; there are {}", self.relation, names.join(", "))));
        };
        let columns = &plan.rel(relation).columns;
        if columns.len() != self.values.len() {
            let (has, given) = (columns.len(), self.values.len());
            return Err(Failure(format!("`{}` has {has} columns, not {given}", self.relation)));
        }
        match self.values.iter().zip(columns).find(|(value, ty)| value.ty() != **ty) {
            Some((value, ty)) => Err(Failure(format!("{value} in `{}` should be a value of type {ty}", self.relation))),
            None => Ok(()),
        }
    }
}

fn read_fact(text: &str) -> Result<Fact, Failure> {
    let sources = Sources::from_text("tuple", text);
    let mut diagnostics = Diagnostics::default();
    let mut ast = sources.parse(vec![], &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(Failure(Rejected::new(&diagnostics, &sources).to_string()));
    }
    let alone = ast.rules.is_empty() && ast.facts.len() == 1;
    ast.facts.pop().filter(|_| alone).ok_or_else(|| Failure("write one tuple, as in log(\"b\", \"data\")@4".into()))
}
