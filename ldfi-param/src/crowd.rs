//! The crowd: the largest set of nodes that facts and rules do not tell apart. There may be any number of them; every
//! other node is named, and there once.

use std::collections::{BTreeSet, HashMap};

use dedalus_runtime::Fact;
use ldfi_core::Twins;
use ldfi_model::{Budget, Paced, Spent, Value};
use rustc_hash::FxHashSet;

/// Who takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    /// The nodes of the program as written that stand for any number of them.
    pub members: Vec<String>,
    /// The nodes that are there once.
    pub named: Vec<String>,
}

impl Crowd {
    /// Sorts nodes by whether exchanging two changes the facts. Those in `apart` are told apart anyway.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn new<'f>(
        nodes: &[String],
        facts: impl IntoIterator<Item = &'f Fact>,
        apart: &BTreeSet<String>,
        budget: &Budget,
    ) -> Result<Self, Spent> {
        let mut pace = Paced::from(budget.clone());
        let alike: Vec<u32> = (0..).zip(nodes).filter(|(_, node)| !apart.contains(*node)).map(|(at, _)| at).collect();
        let mut codes = Codes::of(nodes);
        let mut rows = FxHashSet::default();
        for fact in facts {
            pace.tick(u32::try_from(fact.values.len()).unwrap_or(u32::MAX))?;
            rows.insert(codes.row(fact));
        }
        let classes = Twins::new(nodes.len(), rows).classes(&alike, &mut pace)?;
        // The first of the largest; where no two are alike, one alone.
        let largest = classes.iter().map(Vec::len).max().unwrap_or(0);
        let crowd = classes.into_iter().find(|class| class.len() == largest);
        let crowd = crowd.unwrap_or_else(|| alike.into_iter().take(1).collect());
        let is_member = |at: &u32| crowd.binary_search(at).is_ok();
        let (members, named): (Vec<_>, Vec<_>) = (0..).zip(nodes).partition(|(at, _)| is_member(at));
        let names = |of: Vec<(u32, &String)>| of.into_iter().map(|(_, node)| node.clone()).collect();
        Ok(Crowd { members: names(members), named: names(named) })
    }

    /// Whether a value is a member.
    pub fn has(&self, value: &Value) -> bool {
        matches!(value, Value::Str(name) if self.members.contains(name))
    }

    /// Whether a value is a node.
    pub fn is_node(&self, value: &Value) -> bool {
        matches!(value, Value::Str(name) if self.members.contains(name) || self.named.contains(name))
    }
}

/// Facts as rows of numbers: nodes first, by their place.
struct Codes<'a> {
    nodes: HashMap<&'a str, u32>,
    /// Whatever else a row may have.
    others: HashMap<Value, u32>,
}

impl<'a> Codes<'a> {
    fn of(nodes: &'a [String]) -> Self {
        Codes { nodes: nodes.iter().map(String::as_str).zip(0..).collect(), others: HashMap::new() }
    }

    fn row(&mut self, fact: &Fact) -> Vec<u32> {
        let about = [i64::from(fact.relation.0), i64::from(fact.time.0), i64::from(fact.maybe)].map(Value::Int);
        about.iter().chain(&fact.values).map(|value| self.code(value)).collect()
    }

    fn code(&mut self, value: &Value) -> u32 {
        if let Value::Str(name) = value
            && let Some(node) = self.nodes.get(name.as_str())
        {
            return *node;
        }
        let fresh = u32::try_from(self.nodes.len() + self.others.len()).unwrap_or(u32::MAX);
        *self.others.entry(value.clone()).or_insert(fresh)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dedalus_runtime::{Interpreted, Program};

    use super::*;

    /// Nodes in a ring, and what they know.
    fn ring(nodes: usize) -> Interpreted {
        let facts = (0..nodes).map(|i| format!("l(\"n{i}\", \"n{}\")@1; x(\"n{i}\")@1;", (i + 1) % nodes));
        let text = format!("y(M)@async :- x(N), l(N, M); {}", facts.collect::<String>());
        Interpreted::from_text("ring.ded", &text).unwrap()
    }

    fn crowd(program: &Interpreted, apart: &[&str], budget: &Budget) -> Result<Crowd, Spent> {
        let input = program.input();
        let facts: Vec<Fact> = input.given(program.plan()).unwrap().into_iter().map(|given| given.fact).collect();
        let apart = apart.iter().map(ToString::to_string).collect();
        Crowd::new(&input.all_nodes(program.plan()).unwrap(), &facts, &apart, budget)
    }

    #[test]
    fn nodes_that_facts_do_not_tell_apart_are_the_crowd() {
        let text = "x(N)@next :- x(N); x(\"a\")@1; x(\"b\")@1; x(\"c\")@1; x(\"d\")@1; l(\"d\", 7)@1;";
        let program = Interpreted::from_text("t.ded", text).unwrap();
        let all = crowd(&program, &[], &Budget::unlimited()).unwrap();
        assert_eq!((all.members, all.named), (vec!["a".into(), "b".into(), "c".into()], vec!["d".into()]));
        let some = crowd(&program, &["b"], &Budget::unlimited()).unwrap();
        assert_eq!((some.members, some.named), (vec!["a".into(), "c".into()], vec!["b".into(), "d".into()]));
        let one = crowd(&ring(5), &["n0"], &Budget::unlimited()).unwrap();
        assert_eq!((one.members, one.named.len()), (vec!["n1".to_owned()], 4));
    }

    #[test]
    fn sorting_nodes_hears_of_the_deadline() {
        let spent = Budget::within(Duration::ZERO);
        assert_eq!(crowd(&ring(2_000), &[], &spent), Err(Spent::Time));
    }
}
