//! What is asked: a program, which of its inputs are open, what may go wrong, what must hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use dedalus_runtime::{Fact, Input, InputError, Program};
use dedalus_syntax::Promise;
use dedalus_syntax::plan::{ConstantPlan, Plan, RelId};
use ldfi_model::{Budget, Spent, Type, Value};

use crate::crowd::Crowd;
use crate::opening::{Key, Opening, Openings};
use crate::promised;
use crate::sorts::Sorts;
use crate::supply::Supply;

/// A question about any number of nodes.
#[derive(Clone, Debug)]
pub struct Question {
    /// The program.
    pub plan: Arc<Plan>,
    /// What it was given beside its text.
    pub input: Input,
    /// What it promises.
    pub promises: Vec<Promise>,
    /// Who takes part.
    pub crowd: Crowd,
    /// Which columns hold values of one sort.
    pub sorts: Sorts,
    /// The relations that facts fill, in the order of the program.
    pub supplies: Vec<Supply>,
    /// What may go wrong.
    pub adversary: Adversary,
    /// How many steps at the end of a run are free of losses and delays: 0 asks that the promise holds at every moment.
    pub calm: u32,
}

/// What may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adversary {
    /// Whether messages may be lost.
    pub losses: bool,
    /// Whether messages may be late, by any number of steps.
    pub delays: bool,
    /// How many nodes may crash.
    pub crashes: Crashes,
}

/// How many nodes may crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crashes {
    /// At most so many.
    AtMost(u32),
    /// Any number.
    Any,
}

impl Default for Adversary {
    /// Any losses, any crashes, nothing late.
    fn default() -> Self {
        Adversary { losses: true, delays: false, crashes: Crashes::Any }
    }
}

/// What a question says beside the program.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How inputs are left open; those not named are inferred.
    pub openings: Openings,
    /// Keys of inputs, beside those that are inferred.
    pub keys: Vec<Key>,
    /// What may go wrong.
    pub adversary: Adversary,
    /// How many steps at the end of a run are free of losses and delays.
    pub calm: u32,
    /// The promise that is asked about, where the first column of `pre` and `post` names several: `agreement`.
    pub about: Option<Value>,
}

/// A question that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionError {
    /// The inputs do not fit the program.
    Input(InputError),
    /// The program promises nothing.
    NoPromise,
    /// No promise is called so.
    NoSuchPromise {
        /// What was asked about.
        about: String,
        /// What promises are called.
        known: Vec<String>,
    },
    /// A relation that is to be opened or has a key, and that no fact fills.
    NoFacts(String),
    /// A relation cannot be left open like this.
    Opening {
        /// The relation.
        relation: String,
        /// How it was to be left open.
        opening: Opening,
        /// Why it cannot.
        why: String,
    },
    /// A key with the wrong number of columns, or of facts that are all written.
    Key {
        /// The key.
        key: String,
        /// Why it makes no sense.
        why: String,
    },
    /// The facts tell all nodes apart.
    NoCrowd,
    /// The budget was spent before it was put.
    Spent(Spent),
}

impl fmt::Display for QuestionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuestionError::Input(why) => why.fmt(f),
            QuestionError::NoPromise => f.write_str("the program promises nothing: it has no `pre` and `post`"),
            QuestionError::NoSuchPromise { about, known } if known.is_empty() => {
                write!(f, "no promise is called {about}: the first column of `pre` names none")
            }
            QuestionError::NoSuchPromise { about, known } => {
                write!(f, "no promise is called {about}: the first column of `pre` names {}", known.join(", "))
            }
            QuestionError::NoFacts(relation) => {
                write!(f, "no fact fills `{relation}`, so there is nothing to leave open")
            }
            QuestionError::Opening { relation, opening, why } => write!(f, "`{relation}={opening}` cannot be: {why}"),
            QuestionError::Key { key, why } => write!(f, "the key `{key}` cannot be: {why}"),
            QuestionError::NoCrowd => f.write_str(
                "facts and rules tell all nodes apart, so none stands for any number of them: \
                 open the relations that tell them apart, as `any` or `event`",
            ),
            QuestionError::Spent(spent) => write!(f, "{spent} before the question was put"),
        }
    }
}

impl std::error::Error for QuestionError {}

impl From<Spent> for QuestionError {
    fn from(spent: Spent) -> Self {
        QuestionError::Spent(spent)
    }
}

impl From<InputError> for QuestionError {
    fn from(error: InputError) -> Self {
        QuestionError::Input(error)
    }
}

impl Question {
    /// The question about a program with its inputs.
    ///
    /// # Errors
    /// If it promises nothing, or its inputs cannot be left open like this.
    pub fn new<P: Program + ?Sized>(program: &P, settings: &Settings) -> Result<Self, QuestionError> {
        Self::within(program, settings, &Budget::unlimited())
    }

    /// The same, within a budget.
    ///
    /// # Errors
    /// As above, or if the budget is spent.
    pub fn within<P: Program + ?Sized>(
        program: &P,
        settings: &Settings,
        budget: &Budget,
    ) -> Result<Self, QuestionError> {
        let (plan, input) = match &settings.about {
            None => (program.plan().clone(), program.input().clone()),
            Some(about) => promised::only(program.plan(), program.input(), about)?,
        };
        let promises: Vec<Promise> = plan.promises().to_vec();
        if promises.is_empty() {
            return Err(QuestionError::NoPromise);
        }
        let facts = facts(&plan, &input)?;
        let nodes = input.all_nodes(&plan)?;
        let known: BTreeSet<&str> = facts.iter().map(|fact| plan.rel(fact.relation).name.as_str()).collect();
        for name in settings.openings.iter().map(|(name, _)| name).chain(settings.keys.iter().map(|key| &*key.relation))
        {
            if !known.contains(name) {
                return Err(QuestionError::NoFacts(name.to_owned()));
            }
        }
        let mut by_relation: BTreeMap<RelId, Vec<&Fact>> = BTreeMap::new();
        facts.iter().for_each(|fact| by_relation.entry(fact.relation).or_default().push(fact));
        let apart = named_by_rules(&plan, &input)?;
        let (crowd, openings) = choose(&plan, &nodes, &by_relation, &apart, &settings.openings, budget)?;
        if crowd.members.len() < 2 {
            return Err(QuestionError::NoCrowd);
        }
        // Wherever a fact names one of the crowd, that is a node, whether rules take it for one or not.
        let sorts = Sorts::new(
            &plan,
            facts.iter().flat_map(|fact| {
                let columns = fact.values.iter().enumerate().filter(|(_, value)| crowd.has(value));
                columns.map(|(column, _)| (fact.relation, column))
            }),
        );
        let mut supplies = vec![];
        for (relation, facts) in &by_relation {
            budget.check()?;
            let name = &plan.rel(*relation).name;
            let chosen = settings.openings.get(name).is_some();
            let opening =
                openings.get(relation).copied().unwrap_or_else(|| Supply::describe(&plan, *relation, facts, &crowd));
            let nodes: Vec<bool> =
                (0..plan.rel(*relation).columns.len()).map(|c| sorts.is_node(*relation, c)).collect();
            let mut supply = Supply::new(&plan, *relation, facts, &crowd, opening, chosen, &nodes)?;
            add_keys(&mut supply, &settings.keys, name, nodes.len())?;
            supplies.push(supply);
        }
        let (adversary, calm) = (settings.adversary, settings.calm);
        Ok(Question { plan, input, promises, crowd, sorts, supplies, adversary, calm })
    }

    /// The supply of a relation, if facts fill it.
    pub fn supply(&self, relation: RelId) -> Option<&Supply> {
        self.supplies.iter().find(|supply| supply.relation == relation)
    }

    /// The value of a constant of the plan.
    ///
    /// # Errors
    /// If it is a parameter without value.
    pub fn constant(&self, place: usize) -> Result<Value, InputError> {
        match &self.plan.constants[place] {
            ConstantPlan::Str(text) => Ok(Value::Str(text.clone())),
            ConstantPlan::Param(index) => self.input.param(&self.plan, *index),
        }
    }
}

/// The facts, one for each time; of a range of times, only whether it leaves the first moment matters.
fn facts(plan: &Plan, input: &Input) -> Result<Vec<Fact>, InputError> {
    let mut all = vec![];
    for given in input.given(plan)? {
        let later = given.until.0 > given.fact.time.0;
        all.push(given.fact.clone());
        all.extend(later.then_some(Fact { time: given.until, ..given.fact }));
    }
    Ok(all)
}

/// The strings that rules name, as they are or by a parameter.
fn named_by_rules(plan: &Plan, input: &Input) -> Result<BTreeSet<String>, InputError> {
    let mut named = BTreeSet::new();
    for constant in &plan.constants {
        let value = match constant {
            ConstantPlan::Str(text) => Value::Str(text.clone()),
            ConstantPlan::Param(index) => input.param(plan, *index)?,
        };
        if let Value::Str(text) = value {
            named.insert(text);
        }
    }
    Ok(named)
}

/// Who is the crowd, and how relations are open that are not simply as written. Nodes in `apart` are told apart anyway.
fn choose(
    plan: &Plan,
    nodes: &[String],
    by_relation: &BTreeMap<RelId, Vec<&Fact>>,
    apart: &BTreeSet<String>,
    chosen: &Openings,
    budget: &Budget,
) -> Result<(Crowd, BTreeMap<RelId, Opening>), Spent> {
    let mut openings: BTreeMap<RelId, Opening> = BTreeMap::new();
    for (relation, facts) in by_relation {
        let places: BTreeSet<Option<&Value>> = facts.iter().map(|fact| fact.values.first()).collect();
        let timed = facts.iter().any(|fact| fact.time.0 > 1);
        let event = facts.iter().any(|fact| fact.maybe) || timed && places.len() > 1;
        let inferred = event.then_some(Opening::Event);
        openings.extend(chosen.get(&plan.rel(*relation).name).or(inferred).map(|opening| (*relation, opening)));
    }
    let crowd = |openings: &BTreeMap<RelId, Opening>| {
        let told = |relation: &RelId| matches!(openings.get(relation), None | Some(Opening::Given));
        let facts = by_relation.iter().filter(|(r, _)| told(r)).flat_map(|(_, facts)| facts.iter().copied());
        Crowd::new(nodes, facts, apart, budget)
    };
    // Relations that give nodes values of their own are unknown, if that makes a crowd.
    let mut best = crowd(&openings)?;
    while best.members.len() < 2 {
        let mut better = None;
        for relation in by_relation.keys().filter(|relation| !openings.contains_key(relation)) {
            let mut tried = openings.clone();
            tried.insert(*relation, Opening::Any);
            let found = crowd(&tried)?;
            if found.members.len() > best.members.len() {
                better = Some((found, tried));
                break;
            }
        }
        let Some(found) = better else { break };
        (best, openings) = found;
    }
    Ok((best, openings))
}

fn add_keys(supply: &mut Supply, keys: &[Key], name: &str, columns: usize) -> Result<(), QuestionError> {
    for key in keys.iter().filter(|key| key.relation == name) {
        let wrong = |why: &str| QuestionError::Key { key: key.to_string(), why: why.into() };
        if key.columns.len() != columns {
            return Err(wrong("the relation has another number of columns"));
        }
        if !matches!(supply.opening, Opening::Any | Opening::Some | Opening::Event) {
            return Err(wrong("its facts are as they are: only what is `any`, `some` or `event` can have a key"));
        }
        if !supply.keys.iter().any(|known| known.columns == key.columns) {
            supply.keys.push(key.clone());
        }
    }
    Ok(())
}

impl Question {
    /// How its inputs are open, a line for each relation.
    pub fn show_inputs(&self) -> Vec<String> {
        let show = |supply: &Supply| {
            let name = &self.plan.rel(supply.relation).name;
            let keys: Vec<String> = supply.keys.iter().map(|key| format!(", key {key}")).collect();
            let inferred = if supply.chosen { "" } else { " (inferred)" };
            format!("{name} = {}: {}{}{inferred}", supply.opening, supply.opening.meaning(), keys.concat())
        };
        self.supplies.iter().map(show).collect()
    }

    /// Whether a column holds nodes.
    pub fn is_node(&self, relation: RelId, column: usize) -> bool {
        self.plan.rel(relation).columns.get(column) == Some(&Type::Str) && self.sorts.is_node(relation, column)
    }
}
