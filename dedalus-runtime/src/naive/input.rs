//! What a run is given: facts, inputs that may come, nodes, parameters.

use std::collections::BTreeSet;

use dedalus_syntax::ast::{Ast, ExprKind};

use super::{NaiveError, Row};
use crate::program::Program;
use crate::value::Value;

/// A fact, or an input that may come at any of some times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveFact {
    /// The relation.
    pub relation: String,
    /// When it holds, or the first time at which it may.
    pub time: u32,
    /// The last time at which it may; for a fact the same time.
    pub until: u32,
    /// The columns.
    pub row: Row,
    /// Whether the adversary gives it or not; else it holds.
    pub maybe: bool,
}

/// What a run is given: every fact, the nodes, the value of every parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NaiveInput {
    /// Facts, and inputs that may come.
    pub facts: Vec<NaiveFact>,
    /// The nodes.
    pub nodes: Vec<String>,
    /// By place among the program's parameters.
    pub params: Vec<Value>,
}

impl NaiveInput {
    /// The text's facts and the extra ones; parameters given or by default; nodes given or inferred.
    ///
    /// # Errors
    /// If a parameter has neither a value nor a default.
    pub fn new(
        ast: &Ast,
        extra_facts: Vec<NaiveFact>,
        params: Vec<Option<Value>>,
        nodes: Option<Vec<String>>,
    ) -> Result<Self, NaiveError> {
        let mut input = NaiveInput::default();
        for (i, param) in ast.params.iter().enumerate() {
            let given = params.get(i).cloned().flatten();
            let value = given.or_else(|| param.default.clone());
            input.params.push(value.ok_or_else(|| NaiveError::MissingParam(param.name.text.clone()))?);
        }
        for fact in &ast.facts {
            let row = fact.values.iter().map(|expr| match &expr.kind {
                ExprKind::Const(constant) => constant.clone(),
                ExprKind::Param(place) => input.params[*place].clone(),
                _ => unreachable!("the parser lets only constants into facts"),
            });
            // A time that does not fit is beyond any end of time.
            let [time, until] =
                [fact.time, fact.until.unwrap_or(fact.time)].map(|t| u32::try_from(t).unwrap_or(u32::MAX));
            let relation = fact.relation.text.clone();
            input.facts.push(NaiveFact { relation, time, until, row: row.collect(), maybe: fact.maybe });
        }
        input.facts.extend(extra_facts);
        let mut seen = BTreeSet::new();
        input.nodes = nodes.unwrap_or_else(|| infer_nodes(&input.facts));
        // A list given may name a node twice.
        input.nodes.retain(|node| seen.insert(node.clone()));
        Ok(input)
    }

    /// What a program is given.
    ///
    /// # Errors
    /// If a parameter has neither a value nor a default.
    pub fn of(program: &dyn Program) -> Result<Self, NaiveError> {
        let (plan, given) = (program.plan(), program.input());
        let facts = given.facts.iter().map(|fact| NaiveFact {
            relation: plan.rel(fact.relation).name.clone(),
            time: fact.time.0,
            until: fact.time.0,
            row: fact.values.clone(),
            maybe: fact.maybe,
        });
        NaiveInput::new(&plan.ast, facts.collect(), given.params.clone(), given.nodes.clone())
    }

    /// Every input that may come up to a time, once for each time at which it may: relation, time, columns.
    pub fn maybes(&self, eot: u32) -> Vec<(&str, u32, &Row)> {
        let times = |fact: &NaiveFact| fact.time..=fact.until.min(eot);
        let maybes = self.facts.iter().filter(|fact| fact.maybe);
        let mut all: Vec<(&str, u32, &Row)> =
            maybes.flat_map(|fact| times(fact).map(|time| (fact.relation.as_str(), time, &fact.row))).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// The distinct strings in the first column of all facts, in order of first appearance.
fn infer_nodes(facts: &[NaiveFact]) -> Vec<String> {
    let mut nodes: Vec<String> = vec![];
    for fact in facts {
        if let Some(Value::Str(name)) = fact.row.first()
            && !nodes.contains(name)
        {
            nodes.push(name.clone());
        }
    }
    nodes
}
