//! Micro-specifications: rules that judge what the nodes told.

use std::fmt;
use std::sync::Arc;

use dedalus_runtime::mode::Variant;
use dedalus_runtime::syntax::plan::{Plan, RelId};
use dedalus_runtime::{Database, Execution, Input, InputError, Lineage, Program, RunError, Step, Support, TupleId};
use ldfi_core::Judge;
use ldfi_model::{Fault, Faults, Strike, Time, Tuple, Value};

use crate::error::LiveError;
use crate::event::{Event, Misfit};
use crate::mistake::Mistake;
use crate::panic::Panic;
use crate::setup::Replayed;

/// Something that was promised and is not so.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Violation {
    /// A relation `err_…` holds something.
    Rule {
        /// The specification.
        specification: String,
        /// What it holds.
        tuple: Tuple,
        /// When it did first.
        time: u32,
    },
    /// A promise of `pre` is not kept.
    Promise {
        /// The specification.
        specification: String,
        /// What is missing.
        tuple: Tuple,
        /// When, if not at the end.
        at: Option<u32>,
    },
    /// A node panicked.
    Panic {
        /// The node.
        node: String,
        /// When.
        time: u32,
        /// What it said.
        panic: Panic,
    },
    /// A node did what the world cannot do for it.
    Mistake {
        /// The node.
        node: String,
        /// When.
        time: u32,
        /// What.
        mistake: Mistake,
    },
}

impl Violation {
    /// What is violated, whatever the particulars.
    pub fn rule(&self) -> String {
        match self {
            Violation::Rule { specification, tuple, .. } | Violation::Promise { specification, tuple, .. } => {
                format!("{specification}: {}", tuple.relation)
            }
            Violation::Panic { panic, .. } => format!("panic at {}", panic.place),
            Violation::Mistake { mistake, .. } => mistake.kind().to_owned(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Rule { specification, tuple, time } => write!(f, "{specification}: {tuple} at {time}"),
            Violation::Promise { specification, tuple, at: None } => {
                write!(f, "{specification}: {tuple} is missing at the end")
            }
            Violation::Promise { specification, tuple, at: Some(time) } => {
                write!(f, "{specification}: {tuple} is missing at {time}")
            }
            Violation::Panic { node, time, panic } => {
                write!(f, "{node} panics at {time}, in {}: {}", panic.place, panic.message)
            }
            Violation::Mistake { node, time, mistake: Mistake::NoReceiver { to } } => {
                write!(f, "{node} sends to node {to} at {time}, and there is no such node")
            }
            Violation::Mistake { node, time, mistake: Mistake::Event(misfit) } => {
                write!(f, "{node} tells something odd at {time}: {misfit}")
            }
        }
    }
}

/// What nodes told, and when, and who crashed for good.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Told {
    pub events: Vec<(u32, Event)>,
    /// By place.
    pub crashes: Vec<(u32, u32)>,
}

/// How a specification judges an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub violations: Vec<Violation>,
    /// Specifications that make promises, and promised nothing.
    pub vacuous: Vec<String>,
}

/// What a program is told, and the events that do not fit it.
type Feed = dyn Fn(&[(u32, Event)]) -> (Input, Vec<Violation>) + Send + Sync;

/// Why nothing can be explored, if a node does what cannot be.
pub(crate) fn mistake(violations: &[Violation]) -> Option<LiveError> {
    violations.iter().find_map(|violation| match violation {
        Violation::Mistake { node, time, mistake } => Some(mistake.clone().error(node.clone(), *time)),
        _ => None,
    })
}

/// The last words of a path.
fn end_of(path: &str, words: usize) -> String {
    let all: Vec<&str> = path.split("::").collect();
    all[all.len().saturating_sub(words)..].join("::")
}

/// Rules that judge executions.
pub struct Specification {
    name: String,
    /// The whole path of its type.
    path: &'static str,
    program: Arc<dyn Program + Send + Sync>,
    feed: Box<Feed>,
    /// Whether events fill the relations of the same names, rather than code.
    by_name: bool,
    errors: Vec<RelId>,
    promises: bool,
    /// Instants at which promises are to be kept beside the end.
    checks: Vec<u32>,
}

impl Specification {
    /// A program whose `input` relations are filled by events of the same names. Events that it has no relation for are not its
    /// business.
    ///
    /// # Errors
    /// If it has neither `err_…` nor `pre` and `post`.
    pub fn new<P: Program + Send + Sync + 'static>(program: P) -> Result<Self, LiveError> {
        let (plan, input) = (program.plan().clone(), program.input().clone());
        let feed = move |events: &[(u32, Event)]| {
            let (mut input, mut wrong) = (input.clone(), vec![]);
            for (time, event) in events {
                if let Err(misfit) = give(&plan, &mut input, *time, event) {
                    let node = match event.values.first() {
                        Some(Value::Str(node)) => node.clone(),
                        _ => String::new(),
                    };
                    wrong.push(Violation::Mistake { node, time: *time, mistake: Mistake::Event(misfit) });
                }
            }
            (input, wrong)
        };
        Self::fed(program, Box::new(feed), true)
    }

    /// A program that is told of events by code: with `facts_at` of the generated type, so that the compiler checks them.
    ///
    /// # Errors
    /// If it has neither `err_…` nor `pre` and `post`.
    pub fn with<P>(program: P, tell: impl Fn(&mut P, u32, &Event) + Send + Sync + 'static) -> Result<Self, LiveError>
    where
        P: Program + Clone + Send + Sync + 'static,
    {
        let empty = program.clone();
        let feed = move |events: &[(u32, Event)]| {
            let mut fed = empty.clone();
            events.iter().for_each(|(time, event)| tell(&mut fed, *time, event));
            (fed.input().clone(), vec![])
        };
        Self::fed(program, Box::new(feed), false)
    }

    fn fed<P>(program: P, feed: Box<Feed>, by_name: bool) -> Result<Self, LiveError>
    where
        P: Program + Send + Sync + 'static,
    {
        let path = std::any::type_name::<P>();
        let name = end_of(path, 1);
        let plan = program.plan();
        let errors = (0..).zip(&plan.relations).filter(|(_, relation)| relation.name.starts_with("err_"));
        let errors: Vec<RelId> = errors.map(|(number, _)| RelId(number)).collect();
        let promises = !plan.promises().is_empty();
        if errors.is_empty() && !promises {
            return Err(LiveError::SaysNothing { specification: name });
        }
        Ok(Specification { name, path, program: Arc::new(program), feed, by_name, errors, promises, checks: vec![] })
    }

    /// The same under another name than the last word of its type.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Gives one that is to stand beside others a name that none of them has: more of the path of its type, or a number.
    #[must_use]
    pub fn beside(self, others: &[Specification]) -> Self {
        let taken = |name: &str| others.iter().any(|other| other.name == name);
        if !taken(&self.name) {
            return self;
        }
        let words = self.path.split("::").count();
        let longer = (2..=words).map(|words| end_of(self.path, words));
        let numbered = (2u64..).map(|number| format!("{} ({number})", self.name));
        let free = longer.chain(numbered).find(|name| !taken(name));
        match free {
            Some(name) => self.named(name),
            None => self,
        }
    }

    /// The same, whose promises are to be kept at these instants too, not at the end alone.
    #[must_use]
    pub fn checked_at(mut self, instants: impl IntoIterator<Item = u32>) -> Self {
        self.checks.extend(instants);
        self.checks.sort_unstable();
        self.checks.dedup();
        self
    }

    /// Whether the instants at which its promises are to be kept are there.
    pub(crate) fn is_checked_within(&self, end: u32) -> Result<(), LiveError> {
        let outside = self.checks.iter().find(|time| !(1..=end).contains(*time));
        let specification = || self.name.clone();
        outside
            .map_or(Ok(()), |time| Err(LiveError::NoSuchInstant { specification: specification(), time: *time, end }))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The plan of its program.
    pub fn plan(&self) -> &Arc<Plan> {
        self.program.plan()
    }

    /// Whether events fill the relations of the same names, rather than code.
    pub(crate) fn is_told_by_name(&self) -> bool {
        self.by_name
    }

    /// Its program run on what nodes told, with lineage: for pictures and explanations.
    ///
    /// # Errors
    /// If the run fails. Events that do not fit are left out.
    pub fn run(&self, replayed: &Replayed, nodes: &[String], end: u32) -> Result<Execution, LiveError> {
        let told = Told { events: replayed.events.clone(), crashes: replayed.crashes.clone() };
        let (fed, _) = self.fill(&told, nodes);
        fed.explain(&crashes(&told, nodes), Time(end)).map_err(|error| self.failed(error))
    }

    /// Its relations that are read and derived by no rule: events are to fill them.
    pub(crate) fn inputs(&self) -> Vec<String> {
        let plan = self.program.plan();
        let derived = |name: &str| plan.rules.iter().any(|rule| plan.rel(rule.head.relation).name == name);
        let given = |name: &str| plan.ast.facts.iter().any(|fact| fact.relation.text == name);
        let all = plan.relations.iter().filter(|relation| relation.reserved.is_none()).map(|relation| &relation.name);
        all.filter(|name| !derived(name) && !given(name)).cloned().collect()
    }

    /// Judges what nodes told up to the end.
    pub(crate) fn judge(&self, told: &Told, nodes: &[String], end: u32) -> Result<Judgement, LiveError> {
        let (fed, mut violations) = self.fill(told, nodes);
        let run = fed.execute(&crashes(told, nodes), Time(end)).map_err(|error| self.failed(error))?;
        violations.extend(self.broken(&run).into_iter().map(|(_, violation)| violation));
        let mut vacuous = vec![];
        if self.promises {
            let judge = Judge::new(&run);
            vacuous.extend(judge.is_vacuous(&run).then(|| self.name.clone()));
            let checks = self.checks.iter().copied().filter(|time| (1..end).contains(time)).map(Some);
            for at in checks.chain([None]) {
                let missing = judge.violations_at(&run, at.unwrap_or(end)).into_iter();
                let promise = |tuple| Violation::Promise { specification: self.name.clone(), tuple, at };
                violations.extend(missing.map(promise));
            }
        }
        violations.sort();
        Ok(Judgement { violations, vacuous })
    }

    /// The tuples of `err_…`, each at its first time.
    fn broken(&self, run: &Execution) -> Vec<(TupleId, Violation)> {
        let mut all: Vec<(TupleId, Violation)> = vec![];
        for relation in &self.errors {
            let mut seen: Vec<Tuple> = vec![];
            for row in 0..run.table(*relation).len() {
                let id = TupleId { relation: *relation, row };
                let tuple = run.tuple(id);
                if !seen.contains(&tuple) {
                    seen.push(tuple.clone());
                    let time = run.time(id).0;
                    all.push((id, Violation::Rule { specification: self.name.clone(), tuple, time }));
                }
            }
        }
        all
    }

    /// The events that a violated rule rests on, one support each; none for what is missing at the end.
    pub(crate) fn because(
        &self,
        told: &Told,
        nodes: &[String],
        end: u32,
        violation: &Violation,
    ) -> Result<Vec<(u32, Tuple)>, LiveError> {
        let (fed, _) = self.fill(told, nodes);
        let run = fed.explain(&crashes(told, nodes), Time(end)).map_err(|error| self.failed(error))?;
        let Some((tuple, _)) = self.broken(&run).into_iter().find(|(_, found)| found == violation) else {
            return Ok(vec![]);
        };
        let lineage = Lineage::new(&run);
        let (mut facts, mut seen, mut open) = (vec![], vec![tuple], vec![tuple]);
        while let Some(tuple) = open.pop() {
            let premises = match lineage.why(tuple).first() {
                Some(Support::Fact | Support::Given) => {
                    facts.push((run.time(tuple).0, run.tuple(tuple)));
                    vec![]
                }
                Some(Support::Firing(id)) => lineage.firing(*id).premises,
                Some(Support::Group(rule, number)) => {
                    let members = lineage.group(*rule, *number).members.clone();
                    let firing = |index| dedalus_runtime::FiringId { rule: *rule, index };
                    members.flat_map(|index| lineage.firing(firing(index)).premises).collect()
                }
                _ => vec![],
            };
            for premise in premises {
                if !seen.contains(&premise) {
                    seen.push(premise);
                    open.push(premise);
                }
            }
        }
        facts.sort();
        facts.dedup();
        Ok(facts)
    }

    /// Its program with what nodes told, and what of that does not fit it.
    fn fill(&self, told: &Told, nodes: &[String]) -> (Fed<'_>, Vec<Violation>) {
        let (mut input, wrong) = (self.feed)(&told.events);
        input.nodes.get_or_insert_with(|| nodes.to_vec());
        (Fed { program: &*self.program, input }, wrong)
    }

    fn failed(&self, error: RunError) -> LiveError {
        LiveError::Rules { specification: self.name.clone(), error }
    }
}

/// Crashes for good, so that specifications can exempt a node.
fn crashes(told: &Told, nodes: &[String]) -> Faults {
    let mut faults = Faults::none();
    for (node, time) in &told.crashes {
        faults.insert(Fault { time: Time(*time), strike: Strike::Crash { node: nodes[*node as usize].clone() } });
    }
    faults
}

/// Whether events may fill a relation: it is an `input`, or no rule derives it.
pub(crate) fn is_told(plan: &Plan, relation: RelId) -> bool {
    let name = &plan.rel(relation).name;
    plan.ast.inputs.iter().any(|input| input.relation.text == *name)
        || !plan.rules.iter().any(|rule| rule.head.relation == relation)
}

/// An event as a fact, if the program has such a relation.
fn give(plan: &Plan, input: &mut Input, time: u32, event: &Event) -> Result<(), Misfit> {
    let Some(relation) = plan.relation(&event.relation) else { return Ok(()) };
    if !is_told(plan, relation) {
        let why = "rules derive it: call the event something else, or the relation an `input`".to_owned();
        return Err(Misfit { event: event.to_string(), why });
    }
    let wrong = |error: InputError| Misfit { event: event.to_string(), why: error.to_string() };
    input.fact(plan, &event.relation, time, event.values.clone()).map_err(wrong)
}

/// A program with other inputs.
pub(crate) struct Fed<'p> {
    pub program: &'p (dyn Program + Send + Sync),
    pub input: Input,
}

impl Program for Fed<'_> {
    fn plan(&self) -> &Arc<Plan> {
        self.program.plan()
    }

    fn input(&self) -> &Input {
        &self.input
    }

    fn deduce(&self, database: &mut Database, variant: Variant) -> Step {
        self.program.deduce(database, variant)
    }

    fn send(&self, database: &mut Database, variant: Variant) -> Step {
        self.program.send(database, variant)
    }
}
