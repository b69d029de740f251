//! Concrete states: what holds at a moment of a run of some number of nodes.

use std::collections::BTreeSet;

use dedalus_runtime::faults::Faults;
use dedalus_runtime::model::eot;
use dedalus_runtime::{Execution, Fact, Program};
use dedalus_syntax::ast::AggregateOp;
use dedalus_syntax::plan::{HeadColumn, RelId};
use fastrand::Rng;
use ldfi_model::Value;
use rustc_hash::FxHashMap;

use super::candidate::{Claim, Column, Says};
use super::theory::{Arg, Kind, Literal, Pred, Theory};
use crate::instance::Instance;
use crate::question::{Crashes, Question};
use crate::sent::Sent;
use crate::sorts::Sort;
use crate::supply::{Column as Input, First};

/// Values by number, so that states are quick to look at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    values: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
}

impl Names {
    pub(crate) fn number(&mut self, value: &Value) -> u32 {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }

    pub(crate) fn value(&self, number: u32) -> &Value {
        &self.values[number as usize]
    }

    pub(crate) fn columns(&mut self, claim: &Claim) -> Vec<Place> {
        let place = |column: &Column| match column {
            Column::Var(var) => Place::Var(*var),
            Column::Const(value) => Place::Value(self.number(value)),
            Column::Any => Place::Any,
        };
        claim.columns.iter().map(place).collect()
    }
}

/// A column of an atom of a clause, with values by number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Var(u8),
    Value(u32),
    Any,
}

/// What holds at a moment of a run.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Tuples by predicate.
    tuples: Vec<Vec<Vec<u32>>>,
    /// Sizes of groups, by predicate of their elements.
    sizes: FxHashMap<Pred, FxHashMap<Vec<u32>, i64>>,
    /// Values by sort.
    values: Vec<Vec<u32>>,
}

/// A run of so many members.
pub(crate) struct Sample {
    instance: Instance,
    run: Execution,
    /// What it has sent, if that matters and can be seen.
    sent: Option<Sent>,
}

/// A run with so many members, under faults, inputs and a length that a seed decides.
pub(crate) fn run(theory: &Theory<'_>, members: usize, length: u32, seed: u64) -> Option<Sample> {
    run_with(theory, members, length, seed, false)
}

/// The same with few inputs and faults, so that one thing can be done after the other.
pub(crate) fn calm_run(theory: &Theory<'_>, members: usize, length: u32, seed: u64) -> Option<Sample> {
    run_with(theory, members, length, seed, true)
}

/// Inputs that may come at any time that are left, on average.
const FEW: usize = 4;

/// Whether a fact may come at any time.
fn is_event(question: &Question, fact: &Fact) -> bool {
    question.supply(fact.relation).is_some_and(|supply| !supply.later.is_empty())
}

/// Lets inputs come at other nodes, so that not one of them gets all, and now and then with a value that the program names.
fn scatter(theory: &Theory<'_>, instance: &mut Instance, rng: &mut Rng) {
    let question = theory.question;
    let facts = &mut instance.program.input.facts;
    for supply in &question.supplies {
        let First::Within(templates) = &supply.first else { continue };
        let [template] = &templates[..] else { continue };
        let own = facts.iter().filter(|fact| fact.relation == supply.relation);
        let tuples: BTreeSet<Vec<Value>> = own.map(|fact| fact.values.clone()).collect();
        let sorts = &theory.predicate(theory.relation(supply.relation)).columns;
        for values in tuples {
            let mut other = values.clone();
            for ((value, column), sort) in other.iter_mut().zip(&template.columns).zip(sorts) {
                let drawn = match column {
                    Input::Node => rng.choice(&instance.nodes).map(Value::from),
                    Input::Free if rng.u32(0..STRANGE) == 0 => rng.choice(&theory.values(*sort).named).cloned(),
                    Input::Free | Input::Member(_) | Input::Constant(_) => None,
                };
                *value = drawn.unwrap_or_else(|| value.clone());
            }
            let mut changed = facts.clone();
            let same = |fact: &&mut Fact| fact.relation == supply.relation && fact.values == values;
            changed.iter_mut().filter(same).for_each(|fact| fact.values.clone_from(&other));
            if Instance::respects_keys(question, changed.iter().map(|fact| (fact.relation, &fact.values[..]))) {
                *facts = changed;
            }
        }
    }
}

/// One in so many values that may be any is one that the program names.
const STRANGE: u32 = 8;

/// Lets inputs come in the order of their values where that matters, so that the greater follow on the less.
fn in_order(theory: &Theory<'_>, facts: &mut [Fact]) {
    let value = |fact: &Fact| -> Vec<Value> {
        let columns = &theory.predicate(theory.relation(fact.relation)).columns;
        let ordered = fact.values.iter().zip(columns).filter(|(_, sort)| theory.values(**sort).ordered);
        ordered.map(|(value, _)| value.clone()).collect()
    };
    let later: Vec<usize> = (0..facts.len()).filter(|at| is_event(theory.question, &facts[*at])).collect();
    let mut times: Vec<_> = later.iter().map(|at| facts[*at].time).collect();
    times.sort_unstable_by_key(|time| time.0);
    let mut order = later.clone();
    order.sort_by_key(|at| value(&facts[*at]));
    order.into_iter().zip(times).for_each(|(at, time)| facts[at].time = time);
}

fn run_with(theory: &Theory<'_>, members: usize, length: u32, seed: u64, few: bool) -> Option<Sample> {
    let question = theory.question;
    let mut rng = Rng::with_seed(seed);
    let mut instance = Instance::random(question, members, length, rng.u64(..));
    if few {
        let facts = &mut instance.program.input.facts;
        let many = facts.iter().filter(|fact| is_event(question, fact)).count().max(FEW);
        facts.retain(|fact| !is_event(question, fact) || rng.usize(0..many) < FEW);
        scatter(theory, &mut instance, &mut rng);
        if rng.bool() {
            in_order(theory, &mut instance.program.input.facts);
        }
    }
    let mut faults = Faults::none();
    let most = match question.adversary.crashes {
        Crashes::AtMost(most) => most as usize,
        Crashes::Any => instance.nodes.len(),
    };
    let most = if few && rng.bool() { 0 } else { most.min(instance.nodes.len()) };
    let crashes = rng.usize(0..=most);
    let mut nodes = instance.nodes.clone();
    rng.shuffle(&mut nodes);
    for node in nodes.iter().take(crashes) {
        faults = faults.crash(node, rng.u32(1..=length));
    }
    let chances = if few { [0.0, 0.05, 0.1, 0.3] } else { [0.0, 0.1, 0.3, 0.6] };
    let chance = if question.adversary.losses { chances[rng.usize(0..4)] } else { 0.0 };
    let late = if question.adversary.delays { 0.3 } else { 0.0 };
    // The last steps are free of them.
    for time in 1..length.saturating_sub(question.calm) {
        for from in &instance.nodes {
            for to in instance.nodes.iter().filter(|to| *to != from) {
                if rng.f64() < chance {
                    faults = faults.lose(from, to, time);
                } else if rng.f64() < late {
                    faults = faults.delay(from, to, time, rng.u32(1..=3));
                }
            }
        }
    }
    let run = instance.program.execute(&faults, eot(length)).ok()?;
    let sent = theory.sending.as_ref().and_then(|sending| sending.of(&instance, &faults, length));
    Some(Sample { instance, run, sent })
}

impl State {
    /// What holds at a time of a run.
    pub(crate) fn new(theory: &Theory<'_>, sample: &Sample, time: u32, names: &mut Names) -> Self {
        let Sample { instance, run, sent } = sample;
        let plan = &theory.question.plan;
        let relation =
            |relation: RelId| -> Vec<Vec<Value>> { run.at(relation, time).map(|tuple| run.values(tuple)).collect() };
        let name = |node: &String| vec![Value::from(node)];
        let mut sizes = FxHashMap::default();
        let mut tuples: Vec<Vec<Vec<u32>>> = vec![];
        for (at, predicate) in theory.predicates.iter().enumerate() {
            let found: Vec<Vec<Value>> = match &predicate.kind {
                Kind::Relation(r) if plan.rel(*r).reserved.is_none() => relation(*r),
                Kind::Member => instance.members.iter().map(name).collect(),
                Kind::Node => instance.nodes.iter().map(name).collect(),
                Kind::Crashes => run.faults().crashes().map(|(node, _)| name(node)).collect(),
                Kind::Down => run.faults().crashes().filter(|(_, t)| t.0 <= time).map(|(node, _)| name(node)).collect(),
                Kind::Possible(r) => {
                    let facts = instance.program.input.facts.iter().filter(|fact| fact.relation == *r);
                    facts.map(|fact| fact.values.clone()).collect()
                }
                Kind::Element(_) => {
                    let pred = Pred(u32::try_from(at).unwrap_or(u32::MAX));
                    let groups = group_sizes(theory, pred, &relation).into_iter();
                    let numbered = groups.map(|(group, size)| (group.iter().map(|v| names.number(v)).collect(), size));
                    sizes.insert(pred, numbered.collect());
                    vec![]
                }
                Kind::Sent(relation) => {
                    let so_far = sent.as_ref().and_then(|sent| sent.get(time as usize - 1)?.get(relation));
                    so_far.into_iter().flatten().cloned().collect()
                }
                Kind::Relation(_) | Kind::Threshold(_) => vec![],
            };
            tuples.push(found.iter().map(|tuple| tuple.iter().map(|value| names.number(value)).collect()).collect());
        }
        let mut values: Vec<Vec<u32>> =
            theory.values.iter().map(|values| values.named.iter().map(|value| names.number(value)).collect()).collect();
        for (at, predicate) in theory.predicates.iter().enumerate() {
            for tuple in &tuples[at] {
                tuple.iter().zip(&predicate.columns).for_each(|(value, sort)| values[sort.0 as usize].push(*value));
            }
        }
        for known in &mut values {
            known.sort_unstable();
            known.dedup();
        }
        State { tuples, sizes, values }
    }

    /// The tuples of a predicate.
    pub(crate) fn tuples(&self, pred: Pred) -> &[Vec<u32>] {
        &self.tuples[pred.index()]
    }

    /// The values of a sort.
    pub(crate) fn of(&self, sort: Sort) -> &[u32] {
        &self.values[sort.0 as usize]
    }

    /// Whether some tuple of a predicate matches.
    pub(crate) fn holds(&self, theory: &Theory<'_>, names: &Names, pred: Pred, columns: &[Option<u32>]) -> bool {
        if let Kind::Threshold(at) = theory.predicate(pred).kind {
            let threshold = &theory.thresholds[at];
            let size = |part: &super::theory::Part| {
                let group: Option<Vec<u32>> = part.group.iter().map(|column| columns[*column]).collect();
                let known = match group {
                    Some(_) if theory.predicate(part.elements).kind == Kind::Node => {
                        i64::try_from(self.tuples(part.elements).len()).ok()
                    }
                    Some(group) if theory.is_barred(part.elements) => {
                        Some(self.barred(theory, names, part.elements, &group))
                    }
                    group => {
                        self.sizes.get(&part.elements).zip(group).and_then(|(sizes, group)| sizes.get(&group).copied())
                    }
                };
                part.factor * known.unwrap_or(0)
            };
            return threshold.parts.iter().map(size).sum::<i64>() + threshold.constant > 0;
        }
        let matches =
            |tuple: &Vec<u32>| tuple.iter().zip(columns).all(|(value, column)| column.is_none_or(|c| c == *value));
        self.tuples[pred.index()].iter().any(matches)
    }

    /// For how many values some node is in what nodes are barred from.
    pub(crate) fn values_barred_from(&self, theory: &Theory<'_>) -> usize {
        let mut known: Vec<(Pred, Vec<u32>)> = vec![];
        for part in theory.barred.iter().filter_map(|barred| theory.barred_part(*barred)) {
            let Some((pred, columns)) = theory.barred_from(part.elements) else { continue };
            known.extend(self.tuples(pred).iter().map(|tuple| (pred, columns.iter().map(|at| tuple[*at]).collect())));
        }
        known.sort_unstable();
        known.dedup();
        known.len()
    }

    /// How many nodes are barred for a group.
    fn barred(&self, theory: &Theory<'_>, names: &Names, elements: Pred, group: &[u32]) -> i64 {
        let mut found: Vec<u32> = vec![];
        for clause in theory.by_head[elements.index()].iter().map(|at| &theory.clauses[*at]) {
            let mut binding: Vec<Option<u32>> = vec![None; clause.vars.len()];
            for (arg, value) in clause.args.iter().zip(group) {
                if let Arg::Var(var) = arg {
                    binding[*var] = Some(*value);
                }
            }
            let (Some(Arg::Var(counted)), Some(Literal::Atom { pred, args, .. })) =
                (clause.args.last(), clause.body.first())
            else {
                continue;
            };
            for tuple in self.tuples(*pred) {
                let mut full = binding.clone();
                let fits = args.iter().zip(tuple).all(|(arg, value)| match arg {
                    Arg::Var(var) => *full[*var].get_or_insert(*value) == *value,
                    _ => false,
                });
                if fits && clause.body[1..].iter().all(|literal| self.satisfies(theory, names, literal, &full)) {
                    found.extend(full[*counted]);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        i64::try_from(found.len()).unwrap_or(i64::MAX)
    }

    /// Whether a condition of a set holds of values.
    fn satisfies(&self, theory: &Theory<'_>, names: &Names, literal: &Literal, binding: &[Option<u32>]) -> bool {
        let value = |arg: &Arg| if let Arg::Var(var) = arg { binding[*var] } else { None };
        match literal {
            Literal::Compare(op, left, right) => match (value(left), value(right)) {
                (Some(left), Some(right)) => op.holds(names.value(left), names.value(right)),
                _ => false,
            },
            Literal::Atom { pred, args, positive } => {
                let columns: Vec<Option<u32>> = args.iter().map(value).collect();
                self.holds(theory, names, *pred, &columns) == *positive
            }
            Literal::Unknown => false,
        }
    }

    /// Whether an atom of a clause holds when the variables have these values.
    pub(crate) fn says(
        &self,
        theory: &Theory<'_>,
        names: &Names,
        says: Says,
        places: &[Place],
        values: &[u32],
    ) -> bool {
        let mut columns = [None; 12];
        for (column, place) in columns.iter_mut().zip(places) {
            *column = match place {
                Place::Var(var) => Some(values[*var as usize]),
                Place::Value(value) => Some(*value),
                Place::Any => None,
            };
        }
        match (says, columns[0], columns[1]) {
            (Says::Same, one, other) => one == other,
            (Says::Less, Some(one), Some(other)) => names.value(one) < names.value(other),
            (Says::Less, ..) => false,
            (Says::Holds(pred), ..) => self.holds(theory, names, pred, &columns[..places.len().min(12)]),
        }
    }
}

/// The sizes of the groups of a `count`, as the program itself counts them.
fn group_sizes(
    theory: &Theory<'_>,
    pred: Pred,
    relation: &dyn Fn(RelId) -> Vec<Vec<Value>>,
) -> FxHashMap<Vec<Value>, i64> {
    if let Some((_, counted, column)) = theory.projections.iter().find(|(known, ..)| *known == pred) {
        let mut sizes: FxHashMap<Vec<Value>, i64> = FxHashMap::default();
        for mut tuple in relation(*counted) {
            tuple.remove(*column);
            *sizes.entry(tuple).or_default() += 1;
        }
        return sizes;
    }
    let Some(rule) = theory.counted_by(pred).map(|rule| theory.question.plan.rule(rule)) else {
        return FxHashMap::default();
    };
    let place = rule.head.columns.iter().position(|c| matches!(c, HeadColumn::Aggregate(AggregateOp::Count, _)));
    let Some(place) = place else { return FxHashMap::default() };
    let split = |mut tuple: Vec<Value>| {
        let count = tuple.remove(place);
        (tuple, if let Value::Int(count) = count { count } else { 0 })
    };
    relation(rule.head.relation).into_iter().map(split).collect()
}
