//! The ground firings of a potential run, a line for each thing, so that others can make the formula anew.
//!
//! The format is described in `docs/certificates.md`.

use dedalus_runtime::model::{Bounds, FailureSpec, Paced, Spent, Type, quote};
use dedalus_runtime::syntax::Side;
use dedalus_runtime::syntax::ast::{AggregateOp, When};
use dedalus_runtime::syntax::plan::{HeadColumn, RelId, Rule, Slot};
use dedalus_runtime::{Execution, Failure, Firing, FiringId, Lineage, NONE, Pattern, Support, TupleId, Word};

use crate::outcome::Judge;

/// The first line of the file.
pub const FORMAT: &str = "ldfi ground firings 1";

/// Writes everything that the formula of a potential run is made of.
///
/// # Errors
/// If the budget is spent.
pub(super) fn write(
    run: &Execution,
    judge: &Judge,
    spec: FailureSpec,
    program: &str,
    pace: &mut Paced,
) -> Result<String, Spent> {
    let mut paper = Paper { run, lineage: Lineage::new(run), firsts: vec![], out: String::new(), pace };
    paper.number();
    paper.heading(spec, program);
    paper.outcome(judge);
    paper.rules();
    paper.tuples()?;
    paper.firings()?;
    Ok(paper.out)
}

struct Paper<'e, 'b> {
    run: &'e Execution,
    lineage: Lineage<'e>,
    /// The number of each relation's first tuple.
    firsts: Vec<u32>,
    out: String,
    pace: &'b mut Paced,
}

impl Paper<'_, '_> {
    fn line(&mut self, word: &str, fields: impl IntoIterator<Item = String>) {
        self.out.push_str(word);
        for field in fields {
            self.out.push('\t');
            self.out.push_str(&field);
        }
        self.out.push('\n');
    }

    /// All tuples have one numbering, relation after relation.
    fn number(&mut self) {
        let mut next = 0;
        for relation in self.relations() {
            self.firsts.push(next);
            next += self.run.table(relation).len();
        }
    }

    fn relations(&self) -> impl Iterator<Item = RelId> + use<> {
        (0u32..).take(self.run.plan().relations.len()).map(RelId)
    }

    fn id(&self, tuple: TupleId) -> String {
        (self.firsts[tuple.relation.index()] + tuple.row).to_string()
    }

    fn ids(&self, tuples: &[TupleId]) -> String {
        if tuples.is_empty() {
            return "-".to_owned();
        }
        tuples.iter().map(|tuple| self.id(*tuple)).collect::<Vec<_>>().join(",")
    }

    fn node(&self, word: Word) -> String {
        self.run.symbols().value(Type::Str, word).to_string()
    }

    fn heading(&mut self, spec: FailureSpec, program: &str) {
        self.line(FORMAT, []);
        self.line("program", [program.to_owned()]);
        let Bounds {
            eot,
            eff,
            crashes,
            restarts,
            losses,
            delay,
            delays,
            duplicates,
            partitions,
            pauses,
            gives,
            per_message,
        } = spec.bounds();
        let any = |most: Option<u32>| most.map_or("any".to_owned(), |most| most.to_string());
        let bounds = [
            format!("eot={eot}"),
            format!("eff={eff}"),
            format!("crashes={crashes}"),
            format!("restarts={restarts}"),
            format!("losses={}", any(losses)),
            format!("delay={delay}"),
            format!("delays={}", any(delays)),
            format!("duplicates={duplicates}"),
            format!("partitions={partitions}"),
            format!("pauses={pauses}"),
            format!("gives={}", any(gives)),
            format!("per_message={}", if per_message { "yes" } else { "no" }),
        ];
        self.line("bounds", bounds);
        self.line("nodes", self.run.nodes().iter().map(|node| quote(node)));
        let stable = self.run.plan().relations.iter().filter(|relation| relation.stable);
        self.line("stable", stable.map(|relation| relation.name.clone()).collect::<Vec<_>>());
    }

    /// `promise pre post` for each promise, or each tuple that is owed whatever happens.
    fn outcome(&mut self, judge: &Judge) {
        for promise in judge.promises() {
            let name = promise.name.as_deref();
            self.line("promise", [Side::Pre, Side::Post].map(|side| side.relation(name)));
        }
        if !judge.promises().is_empty() {
            return;
        }
        for owed in judge.obligations(self.run) {
            let Some(relation) = owed.owed else { continue };
            let columns: Vec<Option<Word>> = owed.words.iter().map(|word| Some(*word)).collect();
            let pattern = Pattern { relation, time: self.run.eot().0, columns };
            let fields = self.pattern(&pattern);
            self.line("owed", fields);
        }
    }

    fn rules(&mut self) {
        let run = self.run;
        for rule in &run.plan().rules {
            let when = match rule.head.when {
                When::Now => "now",
                When::Next => "next",
                When::Async => "async",
            };
            let mut fields = vec![rule.id.index().to_string(), when.to_owned(), rule.text.clone()];
            for (column, op, _) in aggregates(rule) {
                fields.push(format!("{column}={}", op.name()));
            }
            self.line("rule", fields);
        }
    }

    fn tuples(&mut self) -> Result<(), Spent> {
        for relation in self.relations() {
            let timeless = self.run.plan().rel(relation).is_timeless();
            for row in 0..self.run.table(relation).len() {
                self.pace.tick(64)?;
                let tuple = TupleId { relation, row };
                // Crashes and restarts hold at every time, and are numbered like any other tuple.
                let time = if timeless { 0 } else { self.run.time(tuple).0 };
                let mut fields = vec![self.id(tuple), self.run.plan().rel(relation).name.clone(), time.to_string()];
                fields.extend(self.run.values(tuple).iter().map(ToString::to_string));
                self.line("tuple", fields);
                for support in self.lineage.why(tuple).to_vec() {
                    let fields = [self.id(tuple)];
                    match support {
                        Support::Fact => self.line("fact", fields),
                        Support::Given => self.line("given", fields),
                        Support::Crash => self.line("turn", fields),
                        Support::Boot => self.line("boot", fields),
                        Support::Carried(row) => {
                            let [tuple_id] = fields;
                            self.line("kept", [tuple_id, self.id(TupleId { relation, row })]);
                        }
                        Support::Firing(_) | Support::Group(..) => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn firings(&mut self) -> Result<(), Spent> {
        let run = self.run;
        for rule in &run.plan().rules {
            let firings = &run.firings()[rule.id.index()];
            if rule.head.aggregates() {
                self.groups(rule)?;
            } else {
                for index in 0..firings.len() {
                    self.pace.tick(64)?;
                    let firing = self.lineage.firing(FiringId { rule: rule.id, index });
                    let head = TupleId { relation: rule.head.relation, row: firings.head(index) };
                    let fields = [rule.id.index().to_string(), self.id(head), firing.time.to_string()];
                    self.line("firing", fields.into_iter().chain([self.ids(&firing.premises)]));
                    self.conditions(&firing);
                }
            }
            for failure in firings.failures() {
                self.pace.tick(64)?;
                self.failure(rule, failure);
            }
        }
        Ok(())
    }

    fn groups(&mut self, rule: &Rule) -> Result<(), Spent> {
        let firings = &self.run.firings()[rule.id.index()];
        let columns = aggregates(rule).count();
        for group in firings.groups() {
            let heads: Vec<TupleId> =
                group.heads.iter().map(|row| TupleId { relation: rule.head.relation, row: *row }).collect();
            let overflows = if group.overflows { "overflows" } else { "fits" };
            let fields = [rule.id.index().to_string(), group.time.to_string(), group.by.to_string(), self.ids(&heads)];
            self.line("group", fields.into_iter().chain([overflows.to_owned()]));
            for index in group.members.clone() {
                self.pace.tick(64)?;
                let firing = self.lineage.firing(FiringId { rule: rule.id, index });
                let slots = aggregates(rule).map(|(_, _, slot)| rule.types[slot.index()]);
                let values = slots.zip(firings.values(index, columns));
                let values = values.map(|(ty, word)| self.run.symbols().value(ty, *word).to_string());
                let fields: Vec<String> = [self.ids(&firing.premises)].into_iter().chain(values).collect();
                self.line("member", fields);
                self.conditions(&firing);
            }
        }
        Ok(())
    }

    /// What a firing needs beside its premises.
    fn conditions(&mut self, firing: &Firing) {
        if let Some(message) = firing.message {
            let fields =
                [self.node(message.from), self.node(message.to), message.sent.to_string(), message.by.to_string()];
            self.line("message", fields);
        }
        if let Some(node) = firing.step {
            let fields = [self.node(node), firing.time.to_string()];
            self.line("step", fields);
        }
        for pattern in &firing.negated {
            let fields = self.pattern(pattern);
            self.line("absent", fields);
        }
    }

    fn pattern(&self, pattern: &Pattern) -> Vec<String> {
        let relation = self.run.plan().rel(pattern.relation);
        let time = match pattern.time {
            // The future: nothing is there.
            0 => "-".to_owned(),
            _ if relation.is_timeless() => "0".to_owned(),
            time => time.to_string(),
        };
        let mut fields = vec![relation.name.clone(), time];
        for (ty, column) in relation.columns.iter().zip(&pattern.columns) {
            fields.push(column.map_or("_".to_owned(), |word| self.run.symbols().value(*ty, word).to_string()));
        }
        fields
    }

    /// A computation that fails if what was read before it holds.
    fn failure(&mut self, rule: &Rule, failure: &Failure) {
        let places: Vec<TupleId> = (rule.premises.iter().zip(&failure.premises))
            .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
            .collect();
        let read: Vec<TupleId> = places.iter().copied().filter(|tuple| tuple.row != NONE).collect();
        let slots = self.lineage.bindings(rule, &places);
        self.line("failure", [rule.id.index().to_string(), failure.time.to_string(), self.ids(&read)]);
        if failure.sent {
            let message = self.lineage.message(rule, &slots, failure.time);
            let step = self.lineage.step(rule, &slots);
            if let Some(message) = message {
                let fields = [self.node(message.from), self.node(message.to), message.sent.to_string()];
                self.line("clock", fields);
            } else if let Some(node) = step {
                self.line("step", [self.node(node), failure.time.to_string()]);
            }
        }
        for negated in &failure.negated {
            let pattern = self.lineage.pattern(rule, *negated, &slots, failure.time);
            let fields = self.pattern(&pattern);
            self.line("absent", fields);
        }
    }
}

/// The columns of a rule's head that are aggregates.
fn aggregates(rule: &Rule) -> impl Iterator<Item = (usize, AggregateOp, Slot)> + '_ {
    rule.head.columns.iter().enumerate().filter_map(|(place, column)| match column {
        HeadColumn::Aggregate(op, slot) => Some((place, *op, *slot)),
        HeadColumn::Term(_) => None,
    })
}
