//! The peers: the same programs for other engines.
//!
//! The protocols are encoded by [`crate::encode`]; pure Datalog and everything for `datafrog` by hand.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::{Execution, Program, Value};

pub mod datalog;
pub mod frog;
#[rustfmt::skip]
pub mod protocols;

/// Every tuple of every relation: relation, columns, time.
pub type Tuples = BTreeSet<(String, Vec<u32>, u32)>;

/// A program for another engine.
pub trait Peer {
    /// Facts in the engine's own rows.
    type Input: 'static;
    /// What the engine returns.
    type Output;
    /// Puts the facts into the engine's rows. Not timed.
    fn load(world: &World) -> Self::Input;
    /// Runs the program. Timed.
    fn run(input: &Self::Input) -> Self::Output;
    /// What was derived, to compare. Not timed.
    fn tuples(output: &Self::Output) -> Tuples;
}

/// What a program is given, with every string a number.
pub struct World {
    ids: BTreeMap<String, u32>,
    facts: BTreeMap<String, Vec<(u32, Vec<u32>)>>,
    /// The relations that rules fill.
    derived: BTreeSet<String>,
    /// The nodes.
    pub nodes: Vec<u32>,
    /// The end of time.
    pub eot: u32,
}

/// Strings get numbers from here on, so that they are never taken for the program's integers.
pub const FIRST_ID: u32 = 1_000_000;

impl World {
    /// The world of an instance of a program. `constants` are the strings of its rules.
    pub fn new(program: &impl Program, constants: &[&str], eot: u32) -> Self {
        let (plan, input) = (program.plan(), program.input());
        let facts = input.certain_facts(plan).unwrap_or_default();
        let nodes = input.all_nodes(plan).unwrap_or_default();
        let text = |value: &Value| if let Value::Str(text) = value { Some(text.clone()) } else { None };
        let strings: BTreeSet<String> = facts.iter().flat_map(|f| f.values.iter().filter_map(text)).collect();
        let derived = plan.rules.iter().map(|rule| plan.rel(rule.head.relation).name.clone()).collect();
        let mut world = World { ids: BTreeMap::new(), facts: BTreeMap::new(), derived, nodes: vec![], eot };
        // Constants first: the encoded rules know their numbers. The others in order, which rules may compare.
        for string in constants.iter().map(|c| (*c).to_owned()).chain(strings) {
            let next = FIRST_ID + u32::try_from(world.ids.len()).unwrap_or(0);
            world.ids.entry(string).or_insert(next);
        }
        for fact in &facts {
            let row = fact.values.iter().map(|value| world.id(value)).collect();
            world.facts.entry(plan.rel(fact.relation).name.clone()).or_default().push((fact.time.0, row));
        }
        world.nodes = nodes.into_iter().map(|node| world.id(&Value::Str(node))).collect();
        world
    }

    fn id(&self, value: &Value) -> u32 {
        match value {
            Value::Int(value) => u32::try_from(*value).unwrap_or(u32::MAX),
            Value::Str(text) => self.ids.get(text).copied().unwrap_or(u32::MAX),
        }
    }

    /// The facts of a relation: time and columns.
    pub fn facts(&self, relation: &str) -> &[(u32, Vec<u32>)] {
        self.facts.get(relation).map_or(&[], Vec::as_slice)
    }

    /// The columns of the facts of a relation at a time.
    pub fn facts_at(&self, relation: &str, time: u32) -> impl Iterator<Item = &[u32]> {
        self.facts(relation).iter().filter(move |(t, _)| *t == time).map(|(_, row)| row.as_slice())
    }

    /// `clock(from, to, time)` without faults.
    pub fn clock(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let pairs = self.nodes.iter().flat_map(|from| self.nodes.iter().map(move |to| (*from, *to)));
        pairs.flat_map(|(from, to)| (1..self.eot).map(move |time| (from, to, time)))
    }

    /// What a run of a peer holds in the relations that rules fill: some list what they were given too.
    pub fn theirs(&self, tuples: Tuples) -> Tuples {
        tuples.into_iter().filter(|(relation, _, _)| self.derived.contains(relation)).collect()
    }

    /// What a run of ours holds in the relations that rules fill.
    pub fn ours(&self, execution: &Execution) -> Tuples {
        let mut tuples = Tuples::new();
        for rule in &execution.plan().rules {
            let (id, name) = (rule.head.relation, &execution.plan().rel(rule.head.relation).name);
            for time in 1..=execution.eot().0 {
                for tuple in execution.at(id, time) {
                    let columns = execution.values(tuple).iter().map(|value| self.id(value)).collect();
                    tuples.insert((name.clone(), columns, time));
                }
            }
        }
        tuples
    }

    /// The facts of a relation with two columns.
    pub fn pairs(&self, relation: &str) -> Vec<(u32, u32)> {
        self.facts(relation).iter().map(|(_, row)| (row[0], row[1])).collect()
    }
}
