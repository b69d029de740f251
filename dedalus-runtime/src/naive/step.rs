//! A run, step by step: what holds at the start, what follows from it, what it leads to.

use std::collections::BTreeMap;

use dedalus_syntax::ast::*;
use ldfi_model::Tuple;

use super::adversary::Adversary;
use super::body::{Env, NoValue, Reader, head_row};
use super::input::NaiveInput;
use super::order::{reading_order, stratum_numbers};
use super::{NaiveError, NaiveMessage, NaiveRun, Row};
use crate::faults::{Faults, Strike};
use crate::value::Value;

pub(super) struct Evaluation<'a> {
    ast: &'a Ast,
    input: &'a NaiveInput,
    adversary: Adversary<'a>,
    eot: u32,
    run: NaiveRun,
}

/// A solution of an `@async` rule for which the clock row holds.
struct Sent<'a> {
    env: Env<'a>,
    from: Value,
    to: Value,
}

/// A column of each solution, or what aggregates are over: the columns that are not aggregates.
type Groups<'a> = BTreeMap<Row, Vec<Env<'a>>>;

impl<'a> Evaluation<'a> {
    pub fn new(ast: &'a Ast, input: &'a NaiveInput, faults: &'a Faults, eot: u32) -> Self {
        Evaluation { ast, input, adversary: Adversary::new(faults), eot, run: NaiveRun::default() }
    }

    pub fn run(mut self) -> Result<NaiveRun, NaiveError> {
        let strata = stratum_numbers(self.ast);
        for time in 1..=self.eot {
            self.step(time, &strata).map_err(|NoValue| NaiveError::Arithmetic { time })?;
        }
        Ok(self.run)
    }

    /// What holds at the start, then the strata one by one to fixpoint, then what goes to later steps.
    fn step(&mut self, time: u32, strata: &BTreeMap<&str, usize>) -> Result<(), NoValue> {
        self.begin(time);
        let last = strata.values().max().copied().unwrap_or(0);
        for stratum in 0..=last {
            while self.round(time, stratum, strata)? {}
        }
        if time < self.eot {
            for rule in &self.ast.rules {
                match rule.head.when {
                    When::Now => {}
                    When::Next => self.next(rule, time)?,
                    When::Async if rule.aggregates() => self.send_groups(rule, time)?,
                    When::Async => self.send(rule, time)?,
                }
            }
            self.keep(time);
        }
        Ok(())
    }

    // The start of a step.

    /// Facts, inputs that are given, and what the program can know of the faults.
    fn begin(&mut self, time: u32) {
        for fact in self.input.facts.iter().filter(|fact| !fact.maybe && fact.time == time) {
            self.run.enter(&fact.relation, time, fact.row.clone());
        }
        for fault in self.adversary.faults().iter().filter(|fault| fault.time.0 == time) {
            if let Strike::Give { tuple } = &fault.strike {
                self.run.enter(&tuple.relation, time, tuple.values.clone());
            }
        }
        let faults = self.adversary.faults();
        let crashes = faults.crashes().map(|event| ("crash", event));
        for (relation, (node, at)) in crashes.chain(faults.restarts().map(|event| ("restart", event))) {
            for observer in &self.input.nodes {
                let row = vec![Value::from(observer), Value::from(node), Value::Int(i64::from(at.0))];
                self.run.enter(relation, time, row);
            }
        }
        for node in self.input.nodes.iter().filter(|node| self.adversary.boots(node, time)) {
            self.run.enter("boot", time, vec![Value::from(node)]);
        }
    }

    // Deduction.

    /// Applies every deductive rule of a stratum once; whether anything is new.
    fn round(&mut self, time: u32, stratum: usize, strata: &BTreeMap<&str, usize>) -> Result<bool, NoValue> {
        let mut changed = false;
        for rule in self.ast.rules.iter().filter(|r| r.head.when == When::Now) {
            let relation = rule.head.relation.text.as_str();
            if strata[relation] == stratum {
                let solutions = self.solutions(rule, time)?;
                for row in self.rows(rule, solutions)? {
                    changed |= self.run.deduce(relation, time, row);
                }
            }
        }
        Ok(changed)
    }

    fn reader(&self) -> Reader<'_> {
        Reader { run: &self.run, params: &self.input.params }
    }

    fn solutions(&self, rule: &'a Rule, time: u32) -> Result<Vec<Env<'a>>, NoValue> {
        let mut solutions = vec![];
        self.reader().solve(rule, &reading_order(rule), Env::new(), time, &mut solutions)?;
        Ok(solutions)
    }

    /// The heads of some solutions.
    fn rows(&self, rule: &'a Rule, solutions: Vec<Env<'a>>) -> Result<Vec<Row>, NoValue> {
        let mut groups = Groups::new();
        for env in solutions {
            groups.entry(self.key(rule, &env)?).or_default().push(env);
        }
        groups.into_iter().map(|(key, group)| head_row(rule, key, &group)).collect()
    }

    /// The columns of a head that are not aggregates: they make the group, or without aggregates the row.
    fn key(&self, rule: &Rule, env: &Env<'a>) -> Result<Row, NoValue> {
        let mut key = vec![];
        for term in &rule.head.terms {
            if let HeadTerm::Expr(expr) = term {
                key.push(self.reader().value(expr, env)?);
            }
        }
        Ok(key)
    }

    // Steps of nodes.

    fn is_node(&self, value: &Value) -> Option<&'a str> {
        let Value::Str(name) = value else { return None };
        self.input.nodes.iter().find(|node| *node == name).map(String::as_str)
    }

    fn stands_still(&self, place: &Value, time: u32) -> bool {
        self.is_node(place).is_some_and(|node| self.adversary.stands_still(node, time))
    }

    /// Where a solution is, if its rule is anywhere.
    fn location(&self, rule: &Rule, env: &Env<'a>) -> Result<Option<Value>, NoValue> {
        let known = |expr: &&Expr| !expr.is_wild() && expr.vars().iter().all(|var| env.contains_key(var));
        rule.location().filter(known).map(|expr| self.reader().value(expr, env)).transpose()
    }

    /// What an `@next` rule leads to.
    fn next(&mut self, rule: &'a Rule, time: u32) -> Result<(), NoValue> {
        let mut taken = vec![];
        for env in self.solutions(rule, time)? {
            let place = self.location(rule, &env)?;
            if !place.is_some_and(|place| self.stands_still(&place, time)) {
                taken.push(env);
            }
        }
        for row in self.rows(rule, taken)? {
            self.run.enter(&rule.head.relation.text, time + 1, row);
        }
        Ok(())
    }

    /// A node that is down keeps its base tuples of stable relations, one that is paused keeps all.
    fn keep(&mut self, time: u32) {
        let held: Vec<(String, Row)> = (self.run.base.iter().filter(|((_, at), _)| *at == time))
            .flat_map(|((relation, _), rows)| rows.iter().map(|row| (relation.clone(), row.clone())))
            .collect();
        for (relation, row) in held {
            let Some(node) = row.first().and_then(|place| self.is_node(place)) else { continue };
            let stable = self.ast.stable.iter().any(|name| name.text == relation);
            let keeps = if self.adversary.down(node, time) { stable } else { self.adversary.paused(node, time) };
            if keeps {
                self.run.enter(&relation, time + 1, row);
            }
        }
    }

    // Messages.

    /// The solutions of an `@async` rule for which the clock row holds.
    fn sent(&self, rule: &'a Rule, time: u32) -> Result<Vec<Sent<'a>>, NoValue> {
        let Some(HeadTerm::Expr(receiver)) = rule.head.terms.first() else {
            unreachable!("checks give every async rule a receiver")
        };
        let mut sent = vec![];
        for env in self.solutions(rule, time)? {
            let to = self.reader().value(receiver, &env)?;
            let Some(from) = self.location(rule, &env)? else { unreachable!("checks give every async rule a sender") };
            let holds = if from == to {
                !self.stands_still(&from, time)
            } else if let (Some(from), Some(to)) = (self.is_node(&from), self.is_node(&to)) {
                self.adversary.clock(from, to, time)
            } else {
                false
            };
            if holds {
                sent.push(Sent { env, from, to });
            }
        }
        Ok(sent)
    }

    /// When something sent arrives; known by its link alone if its tuple is not given.
    fn arrivals(&self, from: &Value, to: &Value, time: u32, tuple: Option<&Tuple>) -> Vec<u32> {
        if from == to {
            return vec![time + 1];
        }
        let (Value::Str(from), Value::Str(to)) = (from, to) else { return vec![] };
        self.adversary.arrivals(from, to, time, tuple).into_iter().filter(|at| *at <= self.eot).collect()
    }

    fn note(&mut self, from: &Value, to: &Value, time: u32, tuple: &Tuple) {
        if let (Value::Str(from), Value::Str(to)) = (from, to)
            && from != to
        {
            let (from, to, tuple) = (from.clone(), to.clone(), tuple.clone());
            self.run.messages.insert(NaiveMessage { time, from, to, tuple });
        }
    }

    /// Sends one message.
    fn dispatch(&mut self, from: &Value, time: u32, tuple: &Tuple) {
        let to = &tuple.values[0];
        self.note(from, to, time, tuple);
        for at in self.arrivals(from, to, time, Some(tuple)) {
            self.run.enter(&tuple.relation, at, tuple.values.clone());
        }
    }

    /// Every solution of a rule without aggregates is a message.
    fn send(&mut self, rule: &'a Rule, time: u32) -> Result<(), NoValue> {
        for Sent { env, from, .. } in self.sent(rule, time)? {
            let row = self.key(rule, &env)?;
            self.dispatch(&from, time, &Tuple::new(&rule.head.relation.text, row));
        }
        Ok(())
    }

    /// Messages of a rule with aggregates.
    fn send_groups(&mut self, rule: &'a Rule, time: u32) -> Result<(), NoValue> {
        let relation = &rule.head.relation.text;
        let mut by_sender: BTreeMap<(Value, Value), Vec<Env<'a>>> = BTreeMap::new();
        let mut by_arrival: BTreeMap<u32, Vec<Env<'a>>> = BTreeMap::new();
        for Sent { env, from, to } in self.sent(rule, time)? {
            // What is sent is computed, even if it arrives nowhere.
            self.key(rule, &env)?;
            for at in self.arrivals(&from, &to, time, None) {
                by_arrival.entry(at).or_default().push(env.clone());
            }
            by_sender.entry((from, to)).or_default().push(env);
        }
        let alone = self.adversary.strikes_messages();
        for ((from, to), solutions) in by_sender {
            match self.rows(rule, solutions) {
                Err(NoValue) if alone => return Err(NoValue),
                // It is not computed unless it arrives.
                Err(NoValue) => {}
                Ok(rows) => {
                    for tuple in rows.into_iter().map(|row| Tuple::new(relation, row)) {
                        if alone {
                            self.dispatch(&from, time, &tuple);
                        } else {
                            self.note(&from, &to, time, &tuple);
                        }
                    }
                }
            }
        }
        if !alone {
            for (at, solutions) in by_arrival {
                for row in self.rows(rule, solutions)? {
                    self.run.enter(relation, at, row);
                }
            }
        }
        Ok(())
    }
}
