//! A Dedalus program as the code of nodes: each runs the rules on its own tuples, and sends what they send.
//!
//! So a protocol that was proved runs in the same world as real code, under the same failures. What only an observer of all nodes can
//! compute is not expressible there, and refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{HeadColumn, Plan, RelId, Rule};
use dedalus_runtime::{Execution, Interpreted, Lineage, Program, Support};
use ldfi_model::{Faults, Time, Tuple, Value, quote, unquote};

use crate::digest::digest_of;
use crate::disk::Disk;
use crate::error::LiveError;
use crate::node::{Id, Node, Out};
use crate::point::Label;
use crate::setup::Setup;

/// The file that keeps what is stable.
const STABLE: &str = "stable";

/// Nodes that run a program. Of the relations that are told, each tuple of a node is an event when it comes about.
///
/// # Errors
/// If the program has no nodes, or rules that no node can follow by itself.
pub fn rules<P: Program>(program: &P, told: &[&str]) -> Result<Setup<Rules>, LiveError> {
    let plan = program.plan();
    let failed = |error| LiveError::Rules { specification: "the program".to_owned(), error };
    let names = program.input().all_nodes(plan).map_err(|error| failed(error.into()))?;
    if names.is_empty() {
        return Err(LiveError::NoNodes);
    }
    for rule in needed(plan) {
        local(plan, rule).map_err(|why| LiveError::NotLocal { rule: rule.text.clone(), why })?;
    }
    let mut facts: BTreeMap<u32, Vec<Tuple>> = BTreeMap::new();
    for fact in program.input().certain_facts(plan).map_err(|error| failed(error.into()))? {
        let tuple = Tuple::new(plan.rel(fact.relation).name.clone(), fact.values);
        facts.entry(fact.time.0).or_default().push(tuple);
    }
    // Facts are handed to their nodes at their times.
    let mut bare = Plan::clone(plan);
    bare.ast.facts.clear();
    let mut bare = Interpreted::new(bare);
    bare.input.params = program.input().params.clone();
    bare.input.nodes = Some(names.clone());
    let shared = Arc::new(Shared { bare, facts, told: told.iter().map(|name| (*name).to_owned()).collect() });
    let count = names.len();
    let mut setup = Setup::new(count, {
        let names = names.clone();
        move |id, disk| Rules::boot(id, &names, disk, shared.clone())
    });
    setup.names(names);
    Ok(setup)
}

/// What all nodes have.
#[derive(Debug)]
struct Shared {
    /// The program without its facts.
    bare: Interpreted,
    facts: BTreeMap<u32, Vec<Tuple>>,
    told: Vec<String>,
}

/// A node that runs a program.
#[derive(Debug)]
pub struct Rules {
    shared: Arc<Shared>,
    name: String,
    names: Vec<String>,
    disk: Disk,
    /// What holds at its next step otherwise than by a deductive rule.
    base: BTreeSet<Tuple>,
    /// The first instant whose facts it has not taken.
    taken: u32,
    /// What was told at its last step.
    before: BTreeSet<Tuple>,
}

impl Rules {
    fn boot(id: Id, names: &[String], disk: Disk, shared: Arc<Shared>) -> Self {
        let name = usize::try_from(id - 1).ok().and_then(|place| names.get(place)).cloned().unwrap_or_default();
        // A disk that fails has nothing on it.
        let bytes = disk.read(STABLE).ok().flatten().unwrap_or_default();
        let base = String::from_utf8_lossy(&bytes).lines().filter_map(read).collect();
        let taken = disk.time();
        Rules { shared, name, names: names.to_vec(), disk, base, taken, before: BTreeSet::new() }
    }

    /// One step: what holds now, and what comes of it.
    fn step(&mut self, out: &mut Out<Tuple>) {
        let now = out.now();
        // What comes while it stands still waits for it.
        let facts = self.shared.facts.range(self.taken..=now).flat_map(|(_, facts)| facts);
        self.taken = now + 1;
        let facts: Vec<Tuple> = facts.filter(|fact| self.is_here(fact)).cloned().collect();
        self.base.extend(facts);
        let run = self.evaluate();
        self.tell(&run, out);
        let base = std::mem::take(&mut self.base);
        for tuple in afterwards(&run) {
            match self.location(&tuple) {
                Some(to) if self.names[to] == self.name => drop(self.base.insert(tuple)),
                Some(to) => out.send(to as Id + 1, tuple),
                None => {}
            }
        }
        self.keep(&base);
    }

    fn evaluate(&self) -> Execution {
        let mut program = self.shared.bare.clone();
        for tuple in &self.base {
            let plan = program.plan().clone();
            let fact = program.input.fact(&plan, &tuple.relation, 1, tuple.values.clone());
            fact.unwrap_or_else(|error| panic!("{tuple}: {error}"));
        }
        program.explain(&Faults::none(), Time(2)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn tell(&mut self, run: &Execution, out: &mut Out<Tuple>) {
        let mut now = BTreeSet::new();
        for relation in &self.shared.told {
            let all = run.tuples(relation, 1).into_iter().map(|values| Tuple::new(relation.clone(), values));
            now.extend(all.filter(|tuple| self.is_here(tuple)));
        }
        for tuple in now.difference(&self.before) {
            out.tuple(tuple.clone());
        }
        self.before = now;
    }

    /// What is stable is on the disk before anything else happens.
    fn keep(&self, before: &BTreeSet<Tuple>) {
        let plan = self.shared.bare.plan();
        let stable = |tuple: &&Tuple| plan.relation(&tuple.relation).is_some_and(|relation| plan.rel(relation).stable);
        let text = |base: &BTreeSet<Tuple>| -> String { base.iter().filter(stable).map(write).collect() };
        let (old, new) = (text(before), text(&self.base));
        if old != new {
            let kept = self.disk.write(STABLE, new.as_bytes()).and_then(|()| self.disk.sync(STABLE));
            kept.unwrap_or_else(|error| panic!("what is stable cannot be kept: {error}"));
        }
    }

    fn is_here(&self, tuple: &Tuple) -> bool {
        matches!(tuple.values.first(), Some(Value::Str(name)) if *name == self.name)
    }

    fn location(&self, tuple: &Tuple) -> Option<usize> {
        let Some(Value::Str(name)) = tuple.values.first() else { return None };
        self.names.iter().position(|node| node == name)
    }
}

impl Node for Rules {
    type Message = Tuple;
    type Request = Tuple;

    fn handle(&mut self, _: Id, tuple: Tuple, _: &mut Out<Tuple>) {
        self.base.insert(tuple);
    }

    fn ask(&mut self, tuple: Tuple, _: &mut Out<Tuple>) {
        self.base.insert(tuple);
    }

    fn tick(&mut self, out: &mut Out<Tuple>) {
        self.step(out);
    }

    fn label(tuple: &Tuple) -> Label {
        tuple.relation.clone().into()
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(digest_of(&(&self.base, self.taken, &self.before)))
    }
}

/// What holds after a step otherwise than by a deductive rule.
fn afterwards(run: &Execution) -> Vec<Tuple> {
    let lineage = Lineage::new(run);
    let later = |support: &Support| match support {
        Support::Firing(id) => run.plan().rule(id.rule).head.when != When::Now,
        Support::Group(rule, _) => run.plan().rule(*rule).head.when != When::Now,
        _ => false,
    };
    let relations = (0..).map(RelId).zip(&run.plan().relations).filter(|(_, relation)| relation.reserved.is_none());
    let tuples = relations.flat_map(|(relation, _)| run.at(relation, 2));
    tuples.filter(|tuple| lineage.why(*tuple).iter().any(later)).map(|tuple| run.tuple(tuple)).collect()
}

/// The rules that what nodes do depends on.
fn needed(plan: &Plan) -> Vec<&Rule> {
    let mut needed: Vec<&Rule> = plan.rules.iter().filter(|rule| rule.head.when != When::Now).collect();
    let mut at = 0;
    while let Some(rule) = needed.get(at).copied() {
        let read: Vec<RelId> = rule.premises.iter().chain(&rule.negated).map(|atom| atom.relation).collect();
        for other in plan.rules.iter().filter(|other| other.head.when == When::Now) {
            if read.contains(&other.head.relation) && needed.iter().all(|known| known.id != other.id) {
                needed.push(other);
            }
        }
        at += 1;
    }
    needed
}

/// Whether a node can follow a rule by itself.
fn local(plan: &Plan, rule: &Rule) -> Result<(), String> {
    let here = rule.premises.first().and_then(|atom| atom.pattern.first().cloned().flatten());
    for atom in rule.premises.iter().chain(&rule.negated) {
        let relation = plan.rel(atom.relation);
        if relation.reserved.is_some() {
            return Err(format!("it reads `{}`, which no node knows", relation.name));
        }
        if let Some(time) = atom.at {
            return Err(format!("it reads `{}` at {time}, and a node knows only what holds now", relation.name));
        }
        if here.is_none() || atom.pattern.first().cloned().flatten() != here {
            return Err(format!("it reads `{}` of other nodes", relation.name));
        }
    }
    let stays = match rule.head.columns.first() {
        Some(HeadColumn::Term(term)) => Some(term) == here.as_ref(),
        _ => false,
    };
    if rule.head.when != When::Async && !stays {
        return Err("what it derives is of another node".to_owned());
    }
    Ok(())
}

/// A tuple as a line.
fn write(tuple: &Tuple) -> String {
    let values = tuple.values.iter().map(|value| match value {
        Value::Int(number) => format!("\t{number}"),
        Value::Str(text) => format!("\t{}", quote(text)),
    });
    format!("{}{}\n", tuple.relation, values.collect::<String>())
}

fn read(line: &str) -> Option<Tuple> {
    let mut columns = line.split('\t');
    let relation = columns.next()?.to_owned();
    let value = |text: &str| match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inner) => unquote(inner).ok().map(Value::Str),
        None => text.parse().ok().map(Value::Int),
    };
    Some(Tuple::new(relation, columns.map(value).collect::<Option<Vec<Value>>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tuple_is_read_as_it_was_written() {
        let tuple = Tuple::new("log", [Value::from("a\tb \"c\"\n"), Value::Int(-3)]);
        assert_eq!(read(write(&tuple).trim_end_matches('\n')), Some(tuple));
    }

    #[test]
    fn what_no_node_can_follow_by_itself_is_refused() {
        for (text, why) in [
            ("p(X)@next :- p(X), q(Y, X); p(\"a\")@1; q(\"a\", \"a\")@1;", "it reads `q` of other nodes"),
            ("p(X)@next :- p(X), notin q(_); p(\"a\")@1; q(\"a\")@1;", "it reads `q` of other nodes"),
            ("p(X)@next :- p(X), notin crash(X, X, _); p(\"a\")@1;", "it reads `crash`, which no node knows"),
            ("p(X)@next :- p(X), q(X)@1; p(\"a\")@1; q(\"a\")@1;", "it reads `q` at 1"),
            ("p(Y)@next :- q(X, Y); p(\"a\")@1; q(\"a\", \"a\")@1;", "what it derives is of another node"),
            ("p(X)@next :- v(X); v(X) :- p(X), q(Y, X); p(\"a\")@1; q(\"a\", \"a\")@1;", "it reads `q` of other nodes"),
        ] {
            let program = Interpreted::from_text("p.ded", text).unwrap_or_else(|error| panic!("{error}"));
            let error = rules(&program, &[]).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
