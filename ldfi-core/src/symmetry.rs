//! Interchangeable nodes: permutations of nodes that leave the program and its facts as they are.
//!
//! Two nodes are interchangeable if swapping their names leaves the set of facts unchanged, no rule
//! names either, and no rule compares strings by order (which names are not neutral to).

use std::collections::BTreeSet;

use dedalus_runtime::faults::Faults;
use dedalus_runtime::program::Program;
use dedalus_runtime::syntax::ast::{AggregateOp, CompareOp, Type};
use dedalus_runtime::syntax::plan::{ConstantPlan, HeadColumn, Op, Plan, RulePlan, Term};
use dedalus_runtime::value::Value;

/// Classes of interchangeable nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    classes: Vec<Vec<u32>>,
}

impl Symmetry {
    /// No two nodes are interchangeable.
    pub fn none() -> Self {
        Symmetry::default()
    }

    /// The classes of a program's nodes. Empty where names matter by their order.
    pub fn of<P: Program + ?Sized>(program: &P) -> Self {
        let plan = program.plan();
        let (Ok(facts), Ok(nodes)) = (program.input().all_facts(plan), program.input().all_nodes(plan)) else {
            return Symmetry::none();
        };
        if plan.rules.iter().any(|rule| orders_strings(plan, rule)) {
            return Symmetry::none();
        }
        let named: BTreeSet<String> = (plan.constants.iter())
            .filter_map(|constant| match constant {
                ConstantPlan::Str(text) => Some(text.clone()),
                ConstantPlan::Param(param) => match program.input().param(plan, *param) {
                    Ok(Value::Str(text)) => Some(text),
                    _ => None,
                },
            })
            .collect();
        let facts: BTreeSet<(u32, u32, Vec<Value>)> =
            facts.into_iter().map(|f| (f.relation.0, f.time.0, f.values)).collect();
        let mut classes: Vec<Vec<u32>> = vec![];
        for (place, node) in (0u32..).zip(&nodes).filter(|(_, n)| !named.contains(*n)) {
            let twin = |class: &&mut Vec<u32>| {
                let other = &nodes[class[0] as usize];
                facts.iter().all(|(r, t, values)| facts.contains(&(*r, *t, swap(values, node, other))))
            };
            match classes.iter_mut().find(twin) {
                Some(class) => class.push(place),
                None => classes.push(vec![place]),
            }
        }
        classes.retain(|class| class.len() > 1);
        Symmetry { classes }
    }

    /// Places of nodes that can be exchanged for each other.
    pub fn classes(&self) -> &[Vec<u32>] {
        &self.classes
    }

    /// Every fault set that this one is turned into by exchanging nodes, itself among them; at most `limit`.
    pub fn images(&self, faults: &Faults, nodes: &[String], limit: usize) -> BTreeSet<Faults> {
        let mut all = BTreeSet::from([faults.clone()]);
        let mut work = vec![faults.clone()];
        while let Some(next) = work.pop() {
            for class in &self.classes {
                for pair in class.windows(2) {
                    let (a, b) = (&nodes[pair[0] as usize], &nodes[pair[1] as usize]);
                    let image = rename(&next, a, b);
                    if all.len() < limit && all.insert(image.clone()) {
                        work.push(image);
                    }
                }
            }
        }
        all
    }
}

fn swap(values: &[Value], a: &str, b: &str) -> Vec<Value> {
    let swapped = |value: &Value| match value {
        Value::Str(text) => Value::Str(exchange(text, a, b).to_owned()),
        other => other.clone(),
    };
    values.iter().map(swapped).collect()
}

fn exchange<'a>(text: &'a str, a: &'a str, b: &'a str) -> &'a str {
    if text == a {
        b
    } else if text == b {
        a
    } else {
        text
    }
}

fn rename(faults: &Faults, a: &str, b: &str) -> Faults {
    let mut out = Faults::none();
    for (node, time) in faults.crashes() {
        out = out.crash(exchange(node, a, b), time.0);
    }
    for o in faults.omissions() {
        out = out.lose(exchange(&o.from, a, b), exchange(&o.to, a, b), o.time.0);
    }
    out
}

/// Whether a rule asks which of two strings comes first.
fn orders_strings(plan: &Plan, rule: &RulePlan) -> bool {
    let is_string = |term: &Term| match term {
        Term::Slot(slot) => rule.types[slot.index()] == Type::Str,
        Term::Constant(place) => match &plan.constants[*place] {
            ConstantPlan::Str(_) => true,
            ConstantPlan::Param(param) => plan.ast.params[*param].ty == Type::Str,
        },
        _ => false,
    };
    let extreme = |column: &HeadColumn| match column {
        HeadColumn::Aggregate(AggregateOp::Min | AggregateOp::Max, slot) => rule.types[slot.index()] == Type::Str,
        _ => false,
    };
    let joins = rule.base.iter().chain(rule.deltas.iter().map(|d| &d.join));
    rule.head.columns.iter().any(extreme)
        || joins.flat_map(|join| &join.ops).any(|op| match op {
            Op::Filter(op, left, right) => {
                !matches!(op, CompareOp::Eq | CompareOp::Ne) && (is_string(left) || is_string(right))
            }
            _ => false,
        })
}
