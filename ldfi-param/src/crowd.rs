//! The crowd: the largest set of nodes that facts and rules do not tell apart. There may be any number of them; every
//! other node is named, and there once.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::Fact;
use ldfi_model::Value;

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
    pub fn new(nodes: &[String], facts: &[Fact], apart: &BTreeSet<String>) -> Self {
        let rows: BTreeSet<Row<'_>> = facts.iter().map(row).collect();
        let mut classes: Vec<Vec<&String>> = vec![];
        for node in nodes {
            let twin = |class: &&mut Vec<&String>| !apart.contains(node) && exchangeable(&rows, class[0], node);
            match classes.iter_mut().filter(|class| !apart.contains(class[0])).find(twin) {
                Some(class) => class.push(node),
                None => classes.push(vec![node]),
            }
        }
        // The first of the largest.
        let largest = classes.iter().map(Vec::len).max().unwrap_or(0);
        let crowd = classes.iter().find(|class| class.len() == largest && !apart.contains(class[0]));
        let members: Vec<String> = crowd.into_iter().flatten().map(|node| (*node).clone()).collect();
        let named = nodes.iter().filter(|node| !members.contains(node)).cloned().collect();
        Crowd { members, named }
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

type Row<'a> = (u32, u32, bool, &'a [Value]);

fn row(fact: &Fact) -> Row<'_> {
    (fact.relation.0, fact.time.0, fact.maybe, &fact.values)
}

fn exchangeable(rows: &BTreeSet<Row<'_>>, one: &str, other: &str) -> bool {
    let map = BTreeMap::from([(one, other), (other, one)]);
    let exchanged = |value: &Value| match value {
        Value::Str(name) => map.get(name.as_str()).map_or_else(|| value.clone(), |to| Value::from(*to)),
        Value::Int(_) => value.clone(),
    };
    rows.iter().all(|(relation, time, maybe, values)| {
        let other: Vec<Value> = values.iter().map(exchanged).collect();
        rows.contains(&(*relation, *time, *maybe, &other[..]))
    })
}
