//! Interchangeable nodes: permutations of nodes that leave the program and its facts as they are.
//!
//! Two nodes are interchangeable if swapping their names leaves the set of facts unchanged, no rule
//! names either, and no rule compares strings by order (which names are not neutral to).

use std::collections::BTreeSet;
use std::hash::Hash;

use dedalus_runtime::model::{Budget, FaultSet, Node, Paced, Spent};
use dedalus_runtime::syntax::ast::{AggregateOp, CompareOp, Type};
use dedalus_runtime::syntax::plan::{ConstantPlan, HeadColumn, Plan, Rule, Term, Test};
use dedalus_runtime::{Given, Program, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::twins::Twins;

/// Classes of interchangeable nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    classes: Vec<Vec<u32>>,
    nodes: Vec<String>,
}

/// A value as far as exchanging nodes leaves it alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape<T> {
    /// A value that no exchange touches.
    Itself(T),
    /// A node of a class: which of those that occur.
    Member {
        /// The class.
        class: usize,
        /// The first that occurs is 0.
        which: usize,
    },
}

impl Symmetry {
    /// No two nodes are interchangeable.
    pub fn none() -> Self {
        Symmetry::default()
    }

    /// The classes of a program's nodes. Empty where names matter by their order.
    ///
    /// # Errors
    /// If there is no more time.
    pub fn of<P: Program + ?Sized>(program: &P, budget: &Budget) -> Result<Self, Spent> {
        let plan = program.plan();
        let (Ok(facts), Ok(nodes)) = (program.input().given(plan), program.input().all_nodes(plan)) else {
            return Ok(Symmetry::none());
        };
        if plan.rules.iter().any(|rule| orders_strings(plan, rule)) {
            return Ok(Symmetry::none());
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
        let things: FxHashMap<&str, u32> = nodes.iter().map(String::as_str).zip(0..).collect();
        let among: Vec<u32> =
            (0u32..).zip(&nodes).filter(|(_, node)| !named.contains(*node)).map(|(place, _)| place).collect();
        let mut twins = Twins::new(nodes.len(), coded(&facts, &things));
        let classes = twins.classes(&among, &mut Paced::from(budget.clone()))?;
        Ok(Symmetry { classes, nodes })
    }

    /// Places of nodes that can be exchanged for each other.
    pub fn classes(&self) -> &[Vec<u32>] {
        &self.classes
    }

    /// The same for two rows iff exchanging nodes turns one into the other: each node of a class is told by its class
    /// and by which of those in the row it is.
    pub fn shape<T: Clone + Eq + Hash>(&self, row: &[T], node: impl Fn(&T) -> Option<Node>) -> Vec<Shape<T>> {
        let mut met: Vec<Vec<Node>> = vec![vec![]; self.classes.len()];
        let mut one = |value: &T| {
            let class = node(value).and_then(|node| Some((self.class(node)?, node)));
            let Some((class, node)) = class else { return Shape::Itself(value.clone()) };
            let met = &mut met[class];
            let which = met.iter().position(|other| *other == node).unwrap_or_else(|| {
                met.push(node);
                met.len() - 1
            });
            Shape::Member { class, which }
        };
        row.iter().map(&mut one).collect()
    }

    fn class(&self, node: Node) -> Option<usize> {
        self.classes.iter().position(|class| class.binary_search(&node.0).is_ok())
    }

    /// What is left when these nodes stay where they are.
    #[must_use]
    pub fn fixing(&self, nodes: &BTreeSet<Node>) -> Self {
        let rest = |class: &Vec<u32>| -> Vec<u32> {
            class.iter().filter(|node| !nodes.contains(&Node(**node))).copied().collect()
        };
        let classes = self.classes.iter().map(rest).filter(|class| class.len() > 1).collect();
        Symmetry { classes, nodes: self.nodes.clone() }
    }

    /// Every fault set that this one is turned into by exchanging nodes, itself among them; at most `limit`.
    ///
    /// # Errors
    /// If there is no more time.
    pub fn images(
        &self,
        faults: &FaultSet<Node>,
        limit: usize,
        budget: &Budget,
    ) -> Result<BTreeSet<FaultSet<Node>>, Spent> {
        let mut all = BTreeSet::from([faults.clone()]);
        let mut work = vec![faults.clone()];
        while let Some(next) = work.pop() {
            for class in &self.classes {
                budget.check()?;
                for pair in class.windows(2) {
                    let image = next.exchange(Node(pair[0]), Node(pair[1]), &self.nodes);
                    if all.len() >= limit {
                        return Ok(all);
                    }
                    if all.insert(image.clone()) {
                        work.push(image);
                    }
                }
            }
        }
        Ok(all)
    }
}

/// Facts as rows of numbers: nodes by their places, everything else by numbers beyond them.
fn coded(facts: &[Given], nodes: &FxHashMap<&str, u32>) -> FxHashSet<Vec<u32>> {
    let mut heads: FxHashMap<(u32, u32, u32, bool), u32> = FxHashMap::default();
    let mut others: FxHashMap<&Value, u32> = FxHashMap::default();
    // Heads stand in the first column alone, so they may have the numbers of values.
    let number = |count: usize| u32::try_from(nodes.len() + count).unwrap_or(u32::MAX);
    let mut rows = FxHashSet::default();
    for Given { fact, until } in facts {
        let (place, fresh) = ((fact.relation.0, fact.time.0, until.0, fact.maybe), number(heads.len()));
        let mut row = vec![*heads.entry(place).or_insert(fresh)];
        for value in &fact.values {
            let node = if let Value::Str(text) = value { nodes.get(text.as_str()) } else { None };
            let fresh = number(others.len());
            row.push(node.copied().unwrap_or_else(|| *others.entry(value).or_insert(fresh)));
        }
        rows.insert(row);
    }
    rows
}

/// Whether a rule asks which of two strings comes first.
fn orders_strings(plan: &Plan, rule: &Rule) -> bool {
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
    let orders = |test: &Test| {
        !matches!(test.op, CompareOp::Eq | CompareOp::Ne) && (is_string(&test.left) || is_string(&test.right))
    };
    rule.head.columns.iter().any(extreme) || rule.tests().any(orders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_one_shape_iff_an_exchange_of_nodes_turns_one_into_the_other() {
        let names: Vec<String> = (0..5).map(|i| format!("n{i}")).collect();
        let symmetry = Symmetry { classes: vec![vec![0, 1, 2], vec![3, 4]], nodes: names };
        let node = |value: &u32| (*value < 5).then_some(Node(*value));
        let shape = |row: &[u32]| symmetry.shape(row, node);
        assert_eq!(shape(&[0, 1, 9]), shape(&[2, 0, 9]));
        assert_eq!(shape(&[1, 1]), shape(&[2, 2]));
        assert_ne!(shape(&[1, 1]), shape(&[1, 2]));
        assert_ne!(shape(&[0, 9]), shape(&[0, 8]));
        assert_ne!(shape(&[0, 3]), shape(&[0, 1]));
        assert_eq!(shape(&[0, 3]), shape(&[2, 4]));
        assert_eq!(symmetry.fixing(&BTreeSet::from([Node(1), Node(3)])).classes(), [vec![0, 2]]);
    }
}
