//! What a run has sent so far: messages that may be under way are no tuples of it, so rules of their own show them.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::{Interpreted, Program};
use dedalus_syntax::ast::{HeadTerm, When};
use dedalus_syntax::plan::{Plan, RelId};
use ldfi_model::Value;

use crate::instance::Instance;
use crate::question::Question;

/// A program that shows what it sends: for each rule that does, a relation of its sender and its head.
#[derive(Clone, Debug)]
pub(crate) struct Sending {
    plan: Plan,
    /// What each of these relations shows messages of.
    shown: Vec<(RelId, String)>,
}

/// What has been sent at each time, now or before, by relation.
pub(crate) type Sent = Vec<BTreeMap<RelId, BTreeSet<Vec<Value>>>>;

impl Sending {
    /// `None` if some messages are made of those that arrive together: then what is sent is not known when it is.
    pub(crate) fn new(question: &Question) -> Option<Self> {
        let mut ast = question.plan.ast.clone();
        let mut shown = vec![];
        for (at, rule) in question.plan.ast.rules.iter().enumerate().filter(|(_, r)| r.head.when == When::Async) {
            let (mut rule, name) = (rule.clone(), format!("sent_by_rule_{at}"));
            if rule.head.terms.iter().any(|term| matches!(term, HeadTerm::Aggregate(_))) {
                return None;
            }
            shown.push((question.plan.relation(&rule.head.relation.text)?, name.clone()));
            rule.head.terms.insert(0, HeadTerm::Expr(rule.location()?.clone()));
            rule.head.relation.text = name;
            rule.head.when = When::Now;
            ast.rules.push(rule);
        }
        let mut plan = dedalus_syntax::compile_text("sending.ded", &ast.to_string()).ok()?;
        plan.ast.facts.clear();
        // Facts are given by the number of their relation.
        let mut pairs = question.plan.relations.iter().zip(&plan.relations);
        pairs.all(|(known, own)| known.name == own.name).then_some(Sending { plan, shown })
    }

    /// What an instance has sent under faults, by senders that are up to whoever is a node.
    pub(crate) fn of(&self, instance: &Instance, faults: &Faults, eot: u32) -> Option<Sent> {
        let mut program = Interpreted::new(self.plan.clone());
        program.input = instance.program.input.clone();
        let run = program.execute(faults, Time(eot)).ok()?;
        let node = |value: Option<&Value>| matches!(value, Some(Value::Str(name)) if instance.nodes.contains(name));
        let mut all = vec![];
        let mut so_far: BTreeMap<RelId, BTreeSet<Vec<Value>>> = BTreeMap::new();
        for time in 1..=eot {
            for (relation, shown) in &self.shown {
                for tuple in run.tuples(shown, time) {
                    let [from, message @ ..] = &tuple[..] else { continue };
                    let down = faults.crashes().any(|(name, at)| at.0 <= time && *from == Value::from(name));
                    let local = Some(from) == message.first();
                    if node(Some(from)) && node(message.first()) && (local || !down) {
                        so_far.entry(*relation).or_default().insert(message.to_vec());
                    }
                }
            }
            all.push(so_far.clone());
        }
        Some(all)
    }
}
