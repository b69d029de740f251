//! Concrete states: what holds at a moment of a run of some number of nodes.

use dedalus_runtime::faults::Faults;
use dedalus_runtime::model::eot;
use dedalus_runtime::{Execution, Program};
use dedalus_syntax::ast::AggregateOp;
use dedalus_syntax::plan::{HeadColumn, RelId};
use fastrand::Rng;
use ldfi_model::Value;
use rustc_hash::FxHashMap;

#[cfg(test)]
use super::candidate::Candidate;
use super::candidate::{Claim, Column, Says};
use super::theory::{Arg, Kind, Literal, Pred, Theory};
use crate::instance::Instance;
use crate::question::Crashes;
use crate::sent::Sent;
use crate::sorts::Sort;

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
    let question = theory.question;
    let mut rng = Rng::with_seed(seed);
    let instance = Instance::random(question, members, length, rng.u64(..));
    let mut faults = Faults::none();
    let most = match question.adversary.crashes {
        Crashes::AtMost(most) => most as usize,
        Crashes::Any => instance.nodes.len(),
    };
    let crashes = rng.usize(0..=most.min(instance.nodes.len()));
    let mut nodes = instance.nodes.clone();
    rng.shuffle(&mut nodes);
    for node in nodes.iter().take(crashes) {
        faults = faults.crash(node, rng.u32(1..=length));
    }
    let chance = if question.adversary.losses { [0.0, 0.1, 0.3, 0.6][rng.usize(0..4)] } else { 0.0 };
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

    /// Values that refute a clause, if there are any.
    #[cfg(test)]
    pub(crate) fn refute(&self, theory: &Theory<'_>, names: &mut Names, clause: &Candidate) -> Option<Vec<Value>> {
        let given: Vec<(Says, Vec<Place>)> =
            clause.given.iter().map(|claim| (claim.says, names.columns(claim))).collect();
        let then: Vec<(Says, Vec<Place>)> =
            clause.then.iter().map(|claim| (claim.says, names.columns(claim))).collect();
        let mut partial: Vec<Vec<u32>> = vec![vec![]];
        for sort in &clause.vars {
            partial = partial
                .iter()
                .flat_map(|known| self.of(*sort).iter().map(move |v| [&known[..], &[*v]].concat()))
                .collect();
        }
        let holds =
            |(says, places): &(Says, Vec<Place>), values: &[u32]| self.says(theory, names, *says, places, values);
        let broken =
            |values: &Vec<u32>| given.iter().all(|g| holds(g, values)) && !then.iter().any(|t| holds(t, values));
        partial.into_iter().find(broken).map(|values| values.into_iter().map(|v| names.value(v).clone()).collect())
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
