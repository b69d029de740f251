//! Small worlds to hold a certificate against: states that satisfy the invariant, and steps from them.
//!
//! Half of the states are made of tuples at random. The others begin as a moment of a run, from which tuples are taken and
//! to which others are added: most of what satisfies an invariant and matters to it looks like a run, but for a little.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::faults::Faults;
use dedalus_runtime::naive::{self, NaiveFact, NaiveInput};
use dedalus_runtime::{Execution, Interpreted};
use dedalus_syntax::ast::{Ast, When};
use fastrand::Rng;
use ldfi_model::{Type, Value};
use ldfi_param::runs::RandomRun;
use ldfi_param::{Instance, Question};

use crate::read::{Always, Certificate, Seen, State};

/// A program of so many nodes to take steps with.
pub struct World<'c> {
    certificate: &'c Certificate,
    question: &'c Question,
    ast: Ast,
    nodes: Vec<String>,
    members: Vec<String>,
    params: BTreeMap<String, i64>,
    /// Relations that hold otherwise than by deductive rules, with the types of their columns.
    base: Vec<(String, Vec<Type>)>,
    /// Those that facts may fill at any time.
    events: BTreeSet<String>,
    /// Moments of runs.
    moments: Vec<State>,
    /// Values that columns of relations have in them.
    seen: BTreeMap<(String, usize), Vec<Value>>,
    values: BTreeMap<bool, Vec<Value>>,
}

/// What was looked at.
#[derive(Debug, Default)]
pub struct Looked {
    /// States from which a step was taken.
    pub states: usize,
    /// Of these, those that satisfy the invariant.
    pub good: usize,
    /// First states.
    pub first: usize,
}

/// Crashes: who, and at which time.
type Crashes = Vec<(String, u32)>;

impl<'c> World<'c> {
    pub fn new(question: &'c Question, certificate: &'c Certificate, members: usize) -> Self {
        let program = Interpreted::from_text("certificate.ded", &certificate.program).unwrap();
        let plan = dedalus_runtime::Program::plan(&program).clone();
        let mut ast = plan.ast.clone();
        let derived: BTreeSet<&str> =
            ast.rules.iter().filter(|r| r.head.when != When::Now).map(|r| r.head.relation.text.as_str()).collect();
        let base: Vec<(String, Vec<Type>)> = (plan.relations.iter())
            .filter(|r| derived.contains(r.name.as_str()) || certificate.inputs.contains_key(&r.name))
            .map(|r| (r.name.clone(), r.columns.clone()))
            .collect();
        let events =
            certificate.inputs.iter().filter(|(_, how)| *how == "event").map(|(name, _)| name.clone()).collect();
        ast.facts.clear();
        let nodes = Instance::open(question, members, 2).nodes;
        let members: Vec<String> = nodes.iter().filter(|node| !certificate.named.contains(node)).cloned().collect();
        let mut strings: Vec<Value> = nodes.iter().map(Value::from).collect();
        strings.extend(["r", "q"].map(Value::from));
        let values = BTreeMap::from([(true, strings), (false, vec![Value::Int(1), Value::Int(2)])]);
        let number = |value: &Value| if let Value::Int(number) = value { *number } else { 0 };
        let param = |p: &dedalus_syntax::ast::Param| Some((p.name.text.clone(), number(p.default.as_ref()?)));
        let params = ast.params.iter().filter_map(param).collect();
        let (moments, seen) = (vec![], BTreeMap::new());
        let mut world =
            World { certificate, question, ast, nodes, members, params, base, events, moments, seen, values };
        world.look_at_runs();
        world
    }

    /// Moments of random runs, and the values in them.
    fn look_at_runs(&mut self) {
        for seed in 0..40 {
            let run = RandomRun::new(self.question, self.members.len(), 4 + seed as u32 % 5, seed);
            let Some(execution) = run.execute() else { continue };
            let at = |execution: &Execution, time: u32| -> State {
                self.base
                    .iter()
                    .map(|(name, _)| (name.clone(), execution.tuples(name, time).into_iter().collect()))
                    .collect()
            };
            self.moments.extend((1..=run.eot).map(|time| at(&execution, time)));
        }
        for (relation, rows) in self.moments.iter().flatten() {
            for (column, value) in rows.iter().flat_map(|row| row.iter().enumerate()) {
                let known = self.seen.entry((relation.clone(), column)).or_default();
                if !known.contains(value) {
                    known.push(value.clone());
                }
            }
        }
    }

    fn facts(state: &State, time: u32) -> Vec<NaiveFact> {
        let fact = |relation: &String, row: &Vec<Value>| NaiveFact {
            relation: relation.clone(),
            time,
            until: time,
            row: row.clone(),
            maybe: false,
        };
        state.iter().flat_map(|(relation, rows)| rows.iter().map(move |row| fact(relation, row))).collect()
    }

    /// The moments that begin with a state, with what happens later.
    fn steps(&self, state: &State, later: &[State], faults: &Faults, eot: u32) -> Option<Vec<State>> {
        let mut facts = Self::facts(state, 1);
        for (time, state) in (2u32..).zip(later) {
            facts.extend(Self::facts(state, time));
        }
        let input = NaiveInput::new(&self.ast, facts, vec![], Some(self.nodes.clone())).ok()?;
        let run = naive::run(&self.ast, &input, faults, eot).ok()?;
        let at = |time: u32| {
            let tables = run.tables.iter().filter(|((_, when), _)| *when == time);
            tables.map(|((relation, _), rows)| (relation.clone(), rows.iter().cloned().collect())).collect()
        };
        Some((1..=eot).map(at).collect())
    }

    fn row(&self, name: &str, columns: &[Type], rng: &mut Rng, seen_only: bool) -> Option<Vec<Value>> {
        let value = |(column, ty): (usize, &Type)| {
            let seen = self.seen.get(&(name.to_owned(), column));
            let any = &self.values[&(*ty == Type::Str)];
            let from = seen.filter(|_| seen_only || rng.u32(0..8) > 0);
            let from = if seen_only { from? } else { from.unwrap_or(any) };
            rng.choice(from).cloned()
        };
        columns.iter().enumerate().map(value).collect()
    }

    /// Any tuples, or a moment of a run that is changed a little.
    fn state(&self, rng: &mut Rng) -> State {
        let mut state = State::new();
        let random = rng.u32(0..2) == 0 || self.moments.is_empty();
        if !random {
            state = self.moments[rng.usize(0..self.moments.len())].clone();
        }
        let changes = if random { 2 * self.base.len() } else { rng.usize(0..4) };
        for _ in 0..changes {
            let (name, columns) = &self.base[rng.usize(0..self.base.len())];
            let row = self.row(name, columns, rng, self.events.contains(name));
            let rows = state.entry(name.clone()).or_default();
            if !random && rng.bool() && !rows.is_empty() {
                let gone = rows.iter().nth(rng.usize(0..rows.len())).cloned();
                gone.map(|row| rows.remove(&row));
            } else {
                rows.extend(row);
            }
        }
        state
    }

    /// What may happen at a moment.
    fn happens(&self, rng: &mut Rng) -> State {
        let mut state = State::new();
        for (name, columns) in self.base.iter().filter(|(name, _)| self.events.contains(name)) {
            let rows = state.entry(name.clone()).or_default();
            for _ in 0..rng.usize(0..=3) {
                rows.extend(self.row(name, columns, rng, true));
            }
        }
        state
    }

    fn respects_keys(&self, states: &[&State]) -> bool {
        self.certificate.keys.iter().all(|(relation, columns)| {
            let part = |row: &Vec<Value>| -> Vec<Value> {
                row.iter().zip(columns).filter(|(_, key)| **key).map(|(value, _)| value.clone()).collect()
            };
            let rows: BTreeSet<Vec<Value>> =
                states.iter().filter_map(|state| state.get(relation)).flatten().cloned().collect();
            rows.iter().map(part).collect::<BTreeSet<_>>().len() == rows.len()
        })
    }

    fn broken(&self, state: &State) -> bool {
        let rows = |name: &str| state.get(name).cloned().unwrap_or_default();
        !rows("pre").is_subset(&rows("post"))
    }

    /// Some nodes crash, at times up to a last one.
    fn crashes(&self, rng: &mut Rng, last: u32) -> Crashes {
        let most = self.certificate.crashes.unwrap_or(self.nodes.len()).min(self.nodes.len());
        let mut nodes = self.nodes.clone();
        rng.shuffle(&mut nodes);
        let count = if rng.bool() { rng.usize(0..=most) } else { 0 };
        nodes.into_iter().take(count).map(|node| (node, rng.u32(1..=last))).collect()
    }

    fn faults(&self, rng: &mut Rng, crashes: &Crashes, losses: bool) -> Faults {
        let mut faults = crashes.iter().fold(Faults::none(), |faults, (node, time)| faults.crash(node, *time));
        for from in self.nodes.iter().filter(|_| losses) {
            for to in self.nodes.iter().filter(|to| *to != from) {
                if rng.bool() {
                    faults = faults.lose(from, to, 1);
                }
            }
        }
        faults
    }

    /// The first line that does not hold at a time.
    fn complaint(&self, state: &State, crashes: &Crashes, time: u32) -> Option<&Always> {
        let all: Vec<String> = crashes.iter().map(|(node, _)| node.clone()).collect();
        let down: Vec<String> = crashes.iter().filter(|(_, at)| *at <= time).map(|(node, _)| node.clone()).collect();
        let (nodes, members, params) = (&self.nodes, &self.members, &self.params);
        let seen = Seen { state, params, nodes, members, crashes: &all, down: &down };
        self.certificate.always.iter().find(|line| !line.holds(&seen))
    }

    /// A step from a random state, if that satisfies the invariant; whether it does.
    pub fn try_step(&self, rng: &mut Rng) -> Result<Option<bool>, String> {
        // Whoever crashes after the step is known to crash.
        let crashes = self.crashes(rng, 3);
        let (state, later) = (self.state(rng), [self.happens(rng)]);
        let faults = self.faults(rng, &crashes, self.certificate.losses);
        let Some(moments) = self.steps(&state, &later, &faults, 3) else { return Ok(None) };
        let (before, after) = (&moments[0], &moments[1]);
        if !self.respects_keys(&[before, after]) || self.complaint(before, &crashes, 1).is_some() {
            return Ok(Some(false));
        }
        match self.complaint(after, &crashes, 2) {
            Some(line) => Err(format!("`{}` fails after a step from {before:#?}\nto {after:#?}\n{faults}", line.text)),
            None => Ok(Some(true)),
        }
    }

    /// The end, from a random state, if that satisfies the invariant; whether it does.
    pub fn try_end(&self, rng: &mut Rng) -> Result<Option<bool>, String> {
        let end = 1 + self.certificate.calm;
        let crashes = self.crashes(rng, end);
        let later: Vec<State> = (1..end).map(|_| self.happens(rng)).collect();
        let state = self.state(rng);
        let faults = self.faults(rng, &crashes, false);
        let Some(moments) = self.steps(&state, &later, &faults, end) else { return Ok(None) };
        if !self.respects_keys(&moments.iter().collect::<Vec<_>>())
            || self.complaint(&moments[0], &crashes, 1).is_some()
        {
            return Ok(Some(false));
        }
        match moments.last().filter(|last| self.broken(last)) {
            Some(last) => Err(format!("the promise is broken at {last:#?}\nafter {:#?}\n{faults}", moments[0])),
            None => Ok(Some(true)),
        }
    }

    /// A first state of the question.
    pub fn try_first(&self, seed: u64) -> Result<Option<bool>, String> {
        let instance = Instance::random(self.question, self.members.len(), 2, seed);
        let facts = instance.program.input.facts.iter().filter(|fact| fact.time.0 == 1);
        let mut state = State::new();
        for fact in facts {
            state.entry(self.question.plan.rel(fact.relation).name.clone()).or_default().insert(fact.values.clone());
        }
        let crashes = self.crashes(&mut Rng::with_seed(seed), 3);
        let faults = self.faults(&mut Rng::with_seed(seed), &crashes, false);
        let Some(moments) = self.steps(&state, &[], &faults, 3) else { return Ok(None) };
        match self.complaint(&moments[0], &crashes, 1) {
            Some(line) => Err(format!("`{}` fails at first: {:#?}", line.text, moments[0])),
            None => Ok(Some(true)),
        }
    }
}
