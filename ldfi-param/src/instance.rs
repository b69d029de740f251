//! A question with a number: the program with so many nodes, its facts made of the templates.

use std::collections::BTreeMap;

use dedalus_runtime::faults::Time;
use dedalus_runtime::{Fact, Interpreted};
use dedalus_syntax::plan::{Plan, RelId};
use fastrand::Rng;
use ldfi_model::{Type, Value};

use crate::opening::Key;
use crate::question::Question;
use crate::supply::{Column, First, Supply, Template};

/// A program of a certain number of nodes.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The program, its inputs given.
    pub program: Interpreted,
    /// The nodes of the crowd.
    pub members: Vec<String>,
    /// All nodes.
    pub nodes: Vec<String>,
}

/// How often something that may happen does, in a random instance.
const CHANCE: f64 = 0.3;
/// Values of a type that are tried beside those of the program.
const VALUES: i64 = 4;

impl Instance {
    /// The instance with so many members in which what is unknown is drawn at random.
    pub fn random(question: &Question, members: usize, eot: u32, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        Self::new(question, members, |maker, supply| maker.random(supply, eot, &mut rng))
    }

    /// The instance with so many members in which what is unknown may come or not, as an adversary likes.
    ///
    /// Keys are not part of it: a counterexample has to be checked for [`Instance::respects_keys`].
    pub fn open(question: &Question, members: usize, eot: u32) -> Self {
        Self::new(question, members, |maker, supply| maker.open(supply, eot))
    }

    /// The same with fewer inputs that may come: for each value of a key one tuple, a different one for each.
    pub(crate) fn keyed(&self, question: &Question) -> Self {
        let mut keyed = self.clone();
        let maybe = |fact: &&Fact| fact.maybe;
        for supply in &question.supplies {
            for key in &supply.keys {
                let facts = keyed.program.input.facts.iter().filter(|fact| fact.relation == supply.relation);
                let mut groups: BTreeMap<Vec<Value>, Vec<Vec<Value>>> = BTreeMap::new();
                for fact in facts.filter(maybe) {
                    let group = groups.entry(part(key, &fact.values).into_iter().cloned().collect()).or_default();
                    if !group.contains(&fact.values) {
                        group.push(fact.values.clone());
                    }
                }
                let chosen: Vec<Vec<Value>> =
                    groups.into_values().enumerate().map(|(at, tuples)| tuples[at % tuples.len()].clone()).collect();
                let keeps =
                    |fact: &Fact| fact.relation != supply.relation || !fact.maybe || chosen.contains(&fact.values);
                keyed.program.input.facts.retain(keeps);
            }
        }
        keyed
    }

    fn new(question: &Question, count: usize, mut facts: impl FnMut(&Maker<'_>, &Supply) -> Vec<Fact>) -> Self {
        let members = names(question, count);
        let nodes: Vec<String> = members.iter().chain(&question.crowd.named).cloned().collect();
        let mut plan: Plan = (*question.plan).clone();
        plan.ast.facts.clear();
        let maker = Maker { question, members: &members, nodes: &nodes };
        let mut program = Interpreted::new(plan);
        program.input = question.input.clone();
        program.input.facts = question.supplies.iter().flat_map(|supply| facts(&maker, supply)).collect();
        program.input.nodes = Some(nodes.clone());
        Instance { program, members, nodes }
    }

    /// Whether facts respect the keys of their relations.
    pub fn respects_keys<'f>(question: &Question, facts: impl IntoIterator<Item = (RelId, &'f [Value])>) -> bool {
        let mut known: BTreeMap<(RelId, usize, Vec<&Value>), &[Value]> = BTreeMap::new();
        let mut kept = true;
        for (relation, values) in facts {
            let keys = question.supply(relation).map_or(&[][..], |supply| &supply.keys);
            for (at, key) in keys.iter().enumerate() {
                kept &= *known.entry((relation, at, part(key, values))).or_insert(values) == values;
            }
        }
        kept
    }
}

/// The values of a tuple in the columns of a key.
fn part<'v>(key: &Key, values: &'v [Value]) -> Vec<&'v Value> {
    values.iter().zip(&key.columns).filter(|(_, in_key)| **in_key).map(|(value, _)| value).collect()
}

/// Names for members: those of the program first.
fn names(question: &Question, count: usize) -> Vec<String> {
    let more = (1..).map(|number| format!("n{number}")).filter(|name| !question.crowd.named.contains(name));
    let fresh = more.filter(|name| !question.crowd.members.contains(name));
    question.crowd.members.iter().cloned().chain(fresh).take(count).collect()
}

/// Facts from templates.
struct Maker<'a> {
    question: &'a Question,
    members: &'a [String],
    nodes: &'a [String],
}

impl Maker<'_> {
    fn fact(supply: &Supply, values: Vec<Value>, time: u32, maybe: bool) -> Fact {
        Fact { relation: supply.relation, time: Time(time), values, maybe }
    }

    fn exactly(&self, supply: &Supply) -> Vec<Fact> {
        let First::Exactly(templates) = &supply.first else { return vec![] };
        let tuples = templates.iter().flat_map(|template| self.instances(supply, template));
        tuples.map(|values| Self::fact(supply, values, 1, false)).collect()
    }

    fn open(&self, supply: &Supply, eot: u32) -> Vec<Fact> {
        let mut facts = self.exactly(supply);
        if let First::Within(templates) = &supply.first {
            let tuples = templates.iter().flat_map(|template| self.instances(supply, template));
            facts.extend(tuples.map(|values| Self::fact(supply, values, 1, true)));
        }
        for values in supply.later.iter().flat_map(|template| self.instances(supply, template)) {
            facts.extend((2..=eot).map(|time| Self::fact(supply, values.clone(), time, true)));
        }
        facts
    }

    fn random(&self, supply: &Supply, eot: u32, rng: &mut Rng) -> Vec<Fact> {
        let mut facts = self.exactly(supply);
        let mut keep = |facts: &mut Vec<Fact>, values: Vec<Value>, time: u32, chance: f64| {
            if rng.f64() >= chance {
                return;
            }
            facts.push(Self::fact(supply, values, time, false));
            let all = facts.iter().map(|fact| (fact.relation, &fact.values[..]));
            if !Instance::respects_keys(self.question, all) {
                facts.pop();
            }
        };
        // The order decides who comes first where there are keys.
        let all = |templates: &[Template], rng: &mut Rng| {
            let mut tuples: Vec<Vec<Value>> = templates.iter().flat_map(|t| self.instances(supply, t)).collect();
            rng.shuffle(&mut tuples);
            tuples
        };
        let mut order = Rng::with_seed(u64::from(supply.relation.0) ^ 0x5eed);
        if let First::Within(templates) = &supply.first {
            for values in all(templates, &mut order) {
                keep(&mut facts, values, 1, 2.0 * CHANCE);
            }
        }
        let tuples = all(&supply.later, &mut order);
        // The more there are, the rarer each.
        let chance = CHANCE.min(2.0 / (tuples.len().max(1) as f64));
        for values in tuples {
            for time in 2..=eot {
                keep(&mut facts, values.clone(), time, chance);
            }
        }
        facts
    }

    /// Every tuple of a template, with a few values where any value may be.
    fn instances(&self, supply: &Supply, template: &Template) -> Vec<Vec<Value>> {
        let plan = &self.question.plan;
        let mut partial: Vec<(Vec<Value>, Vec<Option<usize>>)> = vec![(vec![], vec![])];
        for (place, column) in template.columns.iter().enumerate() {
            let mut next = vec![];
            for (values, members) in &partial {
                let mut push = |value: Value, members: Vec<Option<usize>>| {
                    next.push((values.iter().cloned().chain([value]).collect::<Vec<_>>(), members));
                };
                match column {
                    Column::Constant(value) => push(value.clone(), members.clone()),
                    Column::Node => self.nodes.iter().for_each(|node| push(node.into(), members.clone())),
                    Column::Free => {
                        let ty = plan.rel(supply.relation).columns[place];
                        self.free(supply.relation, place, ty)
                            .into_iter()
                            .for_each(|value| push(value, members.clone()));
                    }
                    Column::Member(variable) => {
                        for member in 0..self.members.len() {
                            let mut members = members.clone();
                            members.resize(members.len().max(variable + 1), None);
                            let clash = template.distinct
                                && members.iter().enumerate().any(|(v, m)| v != *variable && *m == Some(member));
                            if !clash && members[*variable].is_none_or(|known| known == member) {
                                members[*variable] = Some(member);
                                push(Value::from(&self.members[member]), members);
                            }
                        }
                    }
                }
            }
            partial = next;
        }
        partial.into_iter().map(|(values, _)| values).collect()
    }

    /// Values to try where any value may be: those that the program's facts have there, and some more.
    fn free(&self, relation: RelId, place: usize, ty: Type) -> Vec<Value> {
        let plan = &self.question.plan;
        let mut values: Vec<Value> = (plan.ast.facts.iter())
            .filter(|fact| fact.relation.text == plan.rel(relation).name)
            .filter_map(|fact| match &fact.values.get(place)?.kind {
                dedalus_syntax::ast::ExprKind::Const(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        values.extend((1..=VALUES).map(|number| match ty {
            Type::Int => Value::Int(number),
            Type::Str => Value::from(format!("v{number}")),
        }));
        values.sort();
        values.dedup();
        values
    }
}
