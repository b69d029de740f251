//! Whether a concrete run agrees with an invariant: each line is evaluated at each moment, as it is written.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::Execution;
use dedalus_syntax::plan::RelId;
use ldfi_model::Value;

use crate::answer::{Amount, Argument, Claim, Counted, Form, Line};
use crate::question::Question;
use crate::runs::RandomRun;
use crate::sent::{Sending, Sent};
use crate::sorts::Sort;

/// Values of variables.
type Binding = BTreeMap<String, Value>;

/// The first line that a run refutes, and when; `None` if it agrees with all of them.
pub fn disagreement(question: &Question, run: &RandomRun, execution: &Execution, invariant: &[Line]) -> Option<String> {
    // What is under way is seen only if a line speaks of it, and not at all if messages are made of those that arrive.
    let (seen, unseen): (Vec<&Line>, Vec<&Line>) = invariant.iter().partition(|line| !speaks_of_sent(&line.form));
    let sent = match unseen.is_empty() {
        true => None,
        false => Sending::new(question).and_then(|sending| sending.of(&run.instance, &run.faults, run.eot)),
    };
    let lines: Vec<&Line> = if sent.is_some() { invariant.iter().collect() } else { seen };
    for time in 1..=run.eot {
        let moment = Moment::new(question, run, execution, time, sent.as_ref());
        for line in &lines {
            if let Some(binding) = moment.refutes(&line.form) {
                let values: Vec<String> = binding.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                return Some(format!("`{}` fails at {time} with {}", line.text, values.join(", ")));
            }
        }
    }
    None
}

/// A moment of a run.
struct Moment<'a> {
    run: &'a RandomRun,
    time: u32,
    /// The tuples of each relation.
    tuples: BTreeMap<&'a str, Vec<Vec<Value>>>,
    /// Messages sent so far.
    sent: BTreeMap<&'a str, &'a BTreeSet<Vec<Value>>>,
    params: BTreeMap<&'a str, i64>,
    domain: Vec<Value>,
    execution: &'a Execution,
    question: &'a Question,
    /// The values of each sort.
    values: BTreeSet<(Sort, Value)>,
}

impl<'a> Moment<'a> {
    fn new(
        question: &'a Question,
        run: &'a RandomRun,
        execution: &'a Execution,
        time: u32,
        sent: Option<&'a Sent>,
    ) -> Self {
        let relations = &question.plan.relations;
        let tuples: BTreeMap<&str, Vec<Vec<Value>>> =
            relations.iter().map(|relation| (relation.name.as_str(), execution.tuples(&relation.name, time))).collect();
        let sent = (sent.and_then(|sent| sent.get(time as usize - 1)).into_iter().flatten())
            .map(|(relation, messages)| (question.plan.rel(*relation).name.as_str(), messages))
            .collect();
        let mut params = BTreeMap::new();
        for (place, param) in question.plan.ast.params.iter().enumerate() {
            if let Ok(Value::Int(number)) = question.input.param(&question.plan, place) {
                params.insert(param.name.text.as_str(), number);
            }
        }
        let mut domain: Vec<Value> = tuples.values().flatten().flatten().cloned().collect();
        domain.extend(run.instance.nodes.iter().map(Value::from));
        domain.sort();
        domain.dedup();
        let node = question.sorts.node();
        let mut values: BTreeSet<(Sort, Value)> =
            run.instance.nodes.iter().map(|name| (node, Value::from(name))).collect();
        for (relation, tuples) in (0u32..).map(RelId).zip(relations.iter().map(|relation| &tuples[&*relation.name])) {
            for (column, value) in tuples.iter().flat_map(|tuple| tuple.iter().enumerate()) {
                values.insert((question.sorts.column(relation, column), value.clone()));
            }
        }
        Moment { run, time, tuples, sent, params, domain, execution, question, values }
    }

    /// Values of the variables of a part under which it is wrong.
    fn refutes(&self, form: &Form) -> Option<Binding> {
        match form {
            Form::Clause { given, then } => {
                let (tuples, tests): (Vec<Claim>, Vec<Claim>) = given.iter().cloned().partition(lists_tuples);
                let bindings = self.bind(self.solutions(&tuples), &free(given, then), given.iter().chain(then));
                let holds = |claim: &Claim, binding: &Binding| self.holds(claim, binding);
                bindings.into_iter().find(|binding| {
                    tests.iter().all(|claim| holds(claim, binding)) && !then.iter().any(|claim| holds(claim, binding))
                })
            }
            Form::Sum { given, apart, sum, most } => {
                let mut free: BTreeSet<&String> = BTreeSet::new();
                for (amount, _) in sum {
                    if let Amount::Bindings { of, variables } = amount {
                        free.extend(
                            of.iter().flat_map(names).filter(|name| !variables.contains(name) && !name.ends_with('\'')),
                        );
                    }
                }
                let mut bindings = self.solutions(given);
                for name in free {
                    let bound =
                        |binding: &Binding| binding.contains_key(name) || self.params.contains_key(name.as_str());
                    bindings = (bindings.into_iter())
                        .flat_map(|binding| match bound(&binding) {
                            true => vec![binding],
                            false => (self.domain.iter())
                                .map(|value| {
                                    let mut more = binding.clone();
                                    more.insert(name.clone(), value.clone());
                                    more
                                })
                                .collect(),
                        })
                        .collect();
                }
                let distinct = |binding: &Binding| {
                    apart.iter().all(|(one, other)| self.value(one, binding) != self.value(other, binding))
                };
                let too_many = |binding: &Binding| {
                    sum.iter().map(|(amount, times)| self.amount(amount, binding).map_or(0, |n| n * times)).sum::<i64>()
                        > *most
                };
                // What cannot be seen in a run cannot be held against it.
                if sum.iter().any(|(amount, _)| self.amount(amount, &Binding::new()).is_none()) {
                    return None;
                }
                bindings.into_iter().find(|binding| distinct(binding) && too_many(binding))
            }
        }
    }

    /// Bindings with values of their sorts for variables that no tuple has bound.
    fn bind<'c>(
        &self,
        mut bindings: Vec<Binding>,
        free: &BTreeSet<&String>,
        claims: impl Iterator<Item = &'c Claim> + Clone,
    ) -> Vec<Binding> {
        let is_bound =
            |binding: &Binding, name: &String| binding.contains_key(name) || self.params.contains_key(name.as_str());
        for name in free.iter().copied() {
            if bindings.iter().all(|binding| is_bound(binding, name)) {
                continue;
            }
            let sorts: BTreeSet<Sort> = claims.clone().flat_map(|claim| sorts_of(self.question, name, claim)).collect();
            let mut domain: Vec<&Value> =
                self.values.iter().filter(|(sort, _)| sorts.contains(sort)).map(|(_, value)| value).collect();
            domain.dedup();
            let with = |binding: &Binding, value: &Value| {
                let mut more = binding.clone();
                more.insert(name.clone(), value.clone());
                more
            };
            bindings = bindings
                .into_iter()
                .flat_map(|binding| match is_bound(&binding, name) {
                    true => vec![binding],
                    false => domain.iter().map(|value| with(&binding, value)).collect(),
                })
                .collect();
        }
        bindings
    }

    fn amount(&self, amount: &Amount, binding: &Binding) -> Option<i64> {
        match amount {
            Amount::Parameter(name) => self.params.get(name.as_str()).copied().or_else(|| name.parse().ok()),
            Amount::UnderWay(_) => None,
            Amount::Bindings { of, variables } => {
                let mut found: BTreeSet<Vec<Option<Value>>> = BTreeSet::new();
                for solution in self.extend(of, binding.clone()) {
                    found.insert(variables.iter().map(|name| solution.get(name).cloned()).collect());
                }
                i64::try_from(found.len()).ok()
            }
        }
    }

    fn value(&self, argument: &Argument, binding: &Binding) -> Option<Value> {
        match argument {
            Argument::Anything => None,
            Argument::Constant(value) => Some(value.clone()),
            Argument::Variable(name) => {
                binding.get(name).cloned().or_else(|| self.params.get(name.as_str()).map(|number| Value::Int(*number)))
            }
        }
    }

    /// All ways to satisfy claims.
    fn solutions(&self, claims: &[Claim]) -> Vec<Binding> {
        self.extend(claims, Binding::new())
    }

    fn extend(&self, claims: &[Claim], binding: Binding) -> Vec<Binding> {
        let mut order: Vec<&Claim> = claims.iter().collect();
        order.sort_by_key(|claim| !lists_tuples(claim));
        let mut found = vec![binding];
        for claim in order {
            found = found.into_iter().flat_map(|binding| self.satisfying(claim, binding)).collect();
        }
        found
    }

    fn satisfying(&self, claim: &Claim, binding: Binding) -> Vec<Binding> {
        match claim {
            Claim::Holds { relation, columns } => {
                let tuples = self.tuples.get(relation.as_str()).map_or(&[][..], |tuples| tuples);
                tuples.iter().filter_map(|tuple| self.matches(columns, tuple, &binding)).collect()
            }
            Claim::Sent { relation, columns } => {
                let tuples = self.sent.get(relation.as_str()).copied();
                tuples.into_iter().flatten().filter_map(|tuple| self.matches(columns, tuple, &binding)).collect()
            }
            Claim::Possible { relation, columns } => {
                let program = &self.run.instance.program;
                let id = dedalus_runtime::Program::plan(program).relation(relation);
                let facts = program.input.facts.iter().filter(|fact| Some(fact.relation) == id);
                facts.filter_map(|fact| self.matches(columns, &fact.values, &binding)).collect()
            }
            Claim::Member(node) => self.nodes(&self.run.instance.members, node, binding),
            Claim::Node(node) => self.nodes(&self.run.instance.nodes, node, binding),
            Claim::Crashes(node) => self.nodes(&self.crashed(u32::MAX), node, binding),
            Claim::Down(node) => self.nodes(&self.crashed(self.time), node, binding),
            Claim::Same(one, other) => {
                let (left, right) = (self.value(one, &binding), self.value(other, &binding));
                if left.is_some() && left == right { vec![binding] } else { vec![] }
            }
            Claim::Less(one, other) => {
                let (left, right) = (self.value(one, &binding), self.value(other, &binding));
                if left.is_some() && right.is_some() && left < right { vec![binding] } else { vec![] }
            }
            Claim::Not(inner) => {
                if self.holds(inner, &binding) {
                    vec![]
                } else {
                    vec![binding]
                }
            }
            Claim::Exceeds { part, factor, whole, more } => {
                let of = |amount: &Amount| self.amount(amount, &binding);
                let exceeds = |(part, whole): (i64, i64)| factor.saturating_mul(part) > whole.saturating_add(*more);
                // What cannot be seen in a run cannot be held against it.
                if of(part).zip(of(whole)).is_none_or(exceeds) { vec![binding] } else { vec![] }
            }
            Claim::Outnumbers { part, factor, whole, more } => {
                let of = |counted: &Counted| i64::try_from(self.counted(counted, &binding)).unwrap_or(i64::MAX);
                let whole = whole.as_ref().map_or(0, |whole| of(whole));
                if factor.saturating_mul(of(part)) > whole.saturating_add(*more) { vec![binding] } else { vec![] }
            }
        }
    }

    fn holds(&self, claim: &Claim, binding: &Binding) -> bool {
        !self.satisfying(claim, binding.clone()).is_empty()
    }

    fn crashed(&self, until: u32) -> Vec<String> {
        self.execution.faults().crashes().filter(|(_, time)| time.0 <= until).map(|(node, _)| node.clone()).collect()
    }

    fn nodes(&self, nodes: &[String], argument: &Argument, binding: Binding) -> Vec<Binding> {
        let tuples = nodes.iter().map(|node| vec![Value::from(node)]);
        tuples.filter_map(|tuple| self.matches(std::slice::from_ref(argument), &tuple, &binding)).collect()
    }

    fn counted(&self, counted: &Counted, binding: &Binding) -> usize {
        let tuples = self.tuples.get(counted.relation.as_str()).map_or(&[][..], |tuples| tuples);
        let mut columns = counted.columns.clone();
        columns[counted.column] = Argument::Anything;
        let values = tuples.iter().filter(|tuple| self.matches(&columns, tuple, binding).is_some());
        values.map(|tuple| &tuple[counted.column]).collect::<BTreeSet<_>>().len()
    }

    fn matches(&self, columns: &[Argument], tuple: &[Value], binding: &Binding) -> Option<Binding> {
        let mut binding = binding.clone();
        for (column, value) in columns.iter().zip(tuple) {
            match column {
                Argument::Anything => {}
                Argument::Variable(name) if self.value(column, &binding).is_none() => {
                    binding.insert(name.clone(), value.clone());
                }
                _ if self.value(column, &binding).as_ref() == Some(value) => {}
                _ => return None,
            }
        }
        Some(binding)
    }
}

/// Whether a line speaks of messages that may be under way.
fn speaks_of_sent(form: &Form) -> bool {
    let sent = |claim: &Claim| matches!(claim, Claim::Sent { .. });
    match form {
        Form::Clause { given, then } => given.iter().chain(then).any(sent),
        Form::Sum { given, sum, .. } => {
            given.iter().any(sent)
                || sum.iter().any(|(amount, _)| matches!(amount, Amount::Bindings { of, .. } if of.iter().any(sent)))
        }
    }
}

/// Whether only values of a state satisfy a claim.
fn lists_tuples(claim: &Claim) -> bool {
    let is_node = matches!(claim, Claim::Member(_) | Claim::Node(_) | Claim::Crashes(_) | Claim::Down(_));
    is_node || matches!(claim, Claim::Holds { .. } | Claim::Sent { .. } | Claim::Possible { .. })
}

/// The variables of a clause that are any values: those of what is given, and of what numbers are said of.
fn free<'c>(given: &'c [Claim], then: &'c [Claim]) -> BTreeSet<&'c String> {
    let numbers = then.iter().filter(|claim| matches!(claim, Claim::Exceeds { .. }));
    let all = given.iter().chain(numbers).flat_map(Claim::arguments);
    let variable = |argument: &'c Argument| if let Argument::Variable(name) = argument { Some(name) } else { None };
    all.filter_map(variable).filter(|name| !name.ends_with('\'')).collect()
}

/// The sorts of the columns in which a variable stands.
fn sorts_of(question: &Question, name: &str, claim: &Claim) -> Vec<Sort> {
    let is_it = |argument: &Argument| matches!(argument, Argument::Variable(known) if known == name);
    let mut sorts = vec![];
    for (relation, columns) in claim.tuples() {
        let Some(relation) = question.plan.relation(relation) else { continue };
        let places = columns.iter().enumerate().filter(|(_, column)| is_it(column));
        sorts.extend(places.map(|(place, _)| question.sorts.column(relation, place)));
    }
    sorts
}

/// The variables of a claim.
fn names(claim: &Claim) -> Vec<&String> {
    let columns = match claim {
        Claim::Holds { columns, .. } | Claim::Sent { columns, .. } | Claim::Possible { columns, .. } => &columns[..],
        Claim::Member(one) | Claim::Node(one) | Claim::Crashes(one) | Claim::Down(one) => std::slice::from_ref(one),
        Claim::Same(..) | Claim::Less(..) | Claim::Not(_) | Claim::Exceeds { .. } | Claim::Outnumbers { .. } => &[],
    };
    columns.iter().filter_map(|column| if let Argument::Variable(name) = column { Some(name) } else { None }).collect()
}
