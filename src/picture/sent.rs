//! What was sent, whether or not it arrived.
//!
//! A run keeps what arrived. To tell what was lost, every `@async` rule gets a twin that derives the
//! same tuple, behind the sender's name, by a local step, which never fails. The twin's relation is
//! read by nobody, so the rest of the run is the same.

use dedalus_runtime::execution::Execution;
use dedalus_runtime::faults::Time;
use dedalus_runtime::input::{Fact, Input, InputError};
use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use dedalus_runtime::syntax::ast::{HeadTerm, Name, Rule, When};
use dedalus_runtime::syntax::compile;
use dedalus_runtime::syntax::diagnostic::Diagnostics;
use dedalus_runtime::syntax::plan::{Plan, RuleId};
use dedalus_runtime::value::Value;

/// A message that did not arrive.
pub(super) struct Lost {
    pub(super) rule: RuleId,
    pub(super) from: String,
    /// The tuple that it would have become, one step after it was sent.
    pub(super) values: Vec<Value>,
    pub(super) arrival: u32,
}

/// The program with a twin for each `@async` rule.
pub(super) struct Sent {
    program: Interpreted,
    twins: Vec<(RuleId, String)>,
}

impl Sent {
    /// `None` where there is nothing to send.
    pub(super) fn new<P: Program + ?Sized>(program: &P) -> Option<Self> {
        let plan = program.plan();
        let mut ast = plan.ast.clone();
        let mut twins = vec![];
        for (rule, written) in plan.rules.iter().zip(&plan.ast.rules) {
            if let Some(twin) = twin(written, rule.id) {
                twins.push((rule.id, twin.head.relation.text.clone()));
                ast.rules.push(twin);
            }
        }
        if twins.is_empty() {
            return None;
        }
        let mut twinned = Interpreted::new(compile(ast, &mut Diagnostics::default())?);
        twinned.input = translate(program.input(), plan, twinned.plan()).ok()?;
        Some(Sent { program: twinned, twins })
    }

    /// What was sent in a run and did not arrive. Nothing is known if a lost message could not even be computed.
    pub(super) fn lost(&self, run: &Execution) -> Vec<Lost> {
        let Ok(runner) = Runner::new(&self.program, run.eot()) else { return vec![] };
        let mut runner = runner.limit(super::LIMIT);
        let Ok(sent) = runner.run(run.faults()) else { return vec![] };
        let mut lost = vec![];
        for (rule, name) in &self.twins {
            for arrival in 2..=run.eot().0 {
                for mut values in sent.tuples(name, arrival) {
                    let (Value::Str(from), Some(Value::Str(to))) = (values.remove(0), values.first()) else { continue };
                    if is_lost(run, &from, to, Time(arrival - 1)) {
                        lost.push(Lost { rule: *rule, from, values, arrival });
                    }
                }
            }
        }
        lost.sort_by_key(|message| message.arrival);
        lost
    }
}

/// Whether faults took what `from` sent to `to`. What goes to somebody who is no node is not lost: it goes nowhere.
fn is_lost(run: &Execution, from: &str, to: &str, sent: Time) -> bool {
    let is_node = |name: &str| run.nodes().iter().any(|node| node == name);
    let faults = run.faults();
    let crashed = || faults.crashes().any(|(node, time)| node == from && time <= sent);
    let omitted = || faults.omissions().any(|o| o.from == from && o.to == to && o.time == sent);
    from != to && is_node(from) && is_node(to) && (crashed() || omitted())
}

fn twin(rule: &Rule, id: RuleId) -> Option<Rule> {
    if rule.head.when != When::Async {
        return None;
    }
    let mut twin = rule.clone();
    twin.head.when = When::Next;
    twin.head.terms.insert(0, HeadTerm::Expr(rule.location()?.clone()));
    // No name in a text has a space in it.
    twin.head.relation = Name { text: format!("sent by {}", id.0), span: rule.head.relation.span };
    Some(twin)
}

/// The same input for the twinned program, whose relations have other numbers.
fn translate(input: &Input, plan: &Plan, twinned: &Plan) -> Result<Input, InputError> {
    let mut translated = Input { params: input.params.clone(), facts: vec![], nodes: input.nodes.clone() };
    for Fact { relation, time, values } in &input.facts {
        translated.fact(twinned, &plan.rel(*relation).name, time.0, values.clone())?;
    }
    Ok(translated)
}
