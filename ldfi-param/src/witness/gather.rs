//! A program as logic, put together: predicates, clauses, and what is known of each.

use std::collections::BTreeSet;

use dedalus_syntax::ast::When;
use dedalus_syntax::plan;

use super::compile::Compiler;
use super::theory::{Arg, Clause, Kind, Literal, Part, Pred, Predicate, Theory, Threshold};
use crate::question::Question;
use crate::sent::Sending;
use crate::sorts::Sort;

impl<'q> Theory<'q> {
    /// The logic of a question.
    ///
    /// # Errors
    /// If a parameter has no value.
    pub(crate) fn new(question: &'q Question) -> Result<Self, String> {
        let plan = &question.plan;
        let sorts = &question.sorts;
        let mut predicates: Vec<Predicate> = vec![];
        for (at, relation) in (0u32..).zip(&plan.relations) {
            let id = plan::RelId(at);
            let columns = (0..relation.columns.len()).map(|column| sorts.column(id, column)).collect();
            predicates.push(Predicate { kind: Kind::Relation(id), columns, rigid: relation.is_timeless() });
        }
        for (kind, rigid) in [(Kind::Member, true), (Kind::Node, true), (Kind::Crashes, true), (Kind::Down, false)] {
            predicates.push(Predicate { kind, columns: vec![sorts.node()], rigid });
        }
        for supply in question.supplies.iter().filter(|supply| !supply.keys.is_empty()) {
            let columns = predicates[supply.relation.index()].columns.clone();
            predicates.push(Predicate { kind: Kind::Possible(supply.relation), columns, rigid: true });
        }
        if question.adversary.delays {
            let sends = plan.rules.iter().filter(|rule| rule.head.when == When::Async);
            for relation in sends.map(|rule| rule.head.relation).collect::<BTreeSet<_>>() {
                let columns = predicates[relation.index()].columns.clone();
                predicates.push(Predicate { kind: Kind::Sent(relation), columns, rigid: false });
            }
        }
        let count = predicates.len();
        let theory = Theory {
            question,
            predicates,
            clauses: vec![],
            thresholds: vec![],
            values: vec![],
            relevant: vec![false; count],
            base: vec![],
            counts: vec![],
            projections: vec![],
            invented: vec![],
            barred: vec![],
            sending: if question.adversary.delays { Sending::new(question) } else { None },
            by_head: vec![],
            readers: vec![],
        };
        let mut compiler = Compiler { theory, counts: vec![] };
        for rule in &plan.rules {
            let clause = compiler.rule(rule)?;
            compiler.theory.clauses.push(clause);
        }
        let mut theory = compiler.theory;
        theory.counts = compiler.counts;
        theory.find_base();
        theory.find_relevant();
        theory.count_others();
        theory.find_barred();
        theory.find_base();
        theory.find_values();
        theory.find_relevant();
        theory.index();
        Ok(theory)
    }

    /// Where a program asks for so many of something, an invariant may speak of so many of something else.
    fn count_others(&mut self) {
        let bounds: BTreeSet<i64> = (self.thresholds.iter())
            .filter(|threshold| threshold.constant < 0 && matches!(&threshold.parts[..], [part] if part.factor == 1))
            .map(|threshold| threshold.constant)
            .collect();
        let node = self.question.sorts.node();
        for at in 0..self.predicates.len() {
            let Predicate { kind: Kind::Relation(relation), columns, rigid: false } = self.predicates[at].clone()
            else {
                continue;
            };
            let nodes: Vec<usize> = (0..columns.len()).filter(|column| columns[*column] == node).collect();
            let ([column], true) = (&nodes[..], self.base[at] && self.relevant[at] && !bounds.is_empty()) else {
                continue;
            };
            let group: Vec<Sort> =
                (0..columns.len()).filter(|other| other != column).map(|other| columns[other]).collect();
            let elements =
                self.add(Kind::Element(self.predicates.len()), group.iter().copied().chain([node]).collect());
            // The group comes first, then what is counted.
            let order = (0..columns.len()).filter(|other| other != column).chain([*column]);
            let args: Vec<Arg> = order.map(Arg::Var).collect();
            let read = Literal::Atom {
                pred: Pred(relation.0),
                args: (0..columns.len()).map(Arg::Var).collect(),
                positive: true,
            };
            let clause = Clause {
                head: elements,
                args,
                when: When::Now,
                vars: columns.clone(),
                body: vec![read],
                sender: None,
                extreme: None,
                sure: true,
                rule: None,
            };
            self.clauses.push(clause);
            self.projections.push((elements, relation, *column));
            for constant in &bounds {
                let part = Part { factor: 1, elements, group: (0..group.len()).collect() };
                self.thresholds.push(Threshold { parts: vec![part], constant: *constant, columns: group.clone() });
                let pred = self.add(Kind::Threshold(self.thresholds.len() - 1), group.clone());
                self.invented.push(pred);
            }
        }
    }

    pub(super) fn add(&mut self, kind: Kind, columns: Vec<Sort>) -> Pred {
        self.predicates.push(Predicate { kind, columns, rigid: false });
        Pred(u32::try_from(self.predicates.len() - 1).unwrap_or(u32::MAX))
    }

    fn index(&mut self) {
        self.by_head = vec![vec![]; self.predicates.len()];
        self.readers = vec![vec![]; self.predicates.len()];
        for (at, clause) in self.clauses.iter().enumerate() {
            self.by_head[clause.head.index()].push(at);
            for (place, literal) in clause.body.iter().enumerate() {
                if let Literal::Atom { pred, positive: true, .. } = literal {
                    self.readers[pred.index()].push((at, place));
                }
            }
        }
    }

    /// What holds otherwise than by a rule within the moment.
    fn find_base(&mut self) {
        self.base = vec![false; self.predicates.len()];
        for clause in self.clauses.iter().filter(|clause| clause.when != When::Now) {
            self.base[clause.head.index()] = true;
        }
        for (at, predicate) in self.predicates.iter().enumerate() {
            self.base[at] |= match &predicate.kind {
                Kind::Relation(relation) => {
                    self.question.supply(*relation).is_some() || self.question.plan.rel(*relation).reserved.is_some()
                }
                Kind::Element(_) | Kind::Threshold(_) => false,
                _ => true,
            };
        }
    }

    /// What the promise depends on.
    fn find_relevant(&mut self) {
        self.relevant = vec![false; self.predicates.len()];
        let mut work: Vec<Pred> = self.invented.clone();
        for promise in &self.question.promises {
            work.extend(promise.pre.into_iter().chain(promise.post).map(|relation| Pred(relation.0)));
        }
        while let Some(pred) = work.pop() {
            if std::mem::replace(&mut self.relevant[pred.index()], true) {
                continue;
            }
            if let Kind::Threshold(at) = self.predicates[pred.index()].kind {
                work.extend(self.thresholds[at].parts.iter().map(|part| part.elements));
            }
            for clause in self.clauses.iter().filter(|clause| clause.head == pred) {
                work.extend(clause.body.iter().filter_map(|literal| match literal {
                    Literal::Atom { pred, .. } => Some(*pred),
                    _ => None,
                }));
            }
            if let Kind::Relation(relation) = self.predicates[pred.index()].kind {
                work.extend(self.find(&Kind::Possible(relation)));
                work.extend(self.find(&Kind::Sent(relation)));
            }
        }
        for kind in [Kind::Member, Kind::Node, Kind::Crashes, Kind::Down] {
            if let Some(pred) = self.find(&kind) {
                self.relevant[pred.index()] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::Interpreted;
    use ldfi_model::Value;

    use super::*;
    use crate::question::Settings;

    fn show(program: &str, with: impl Fn(&Theory<'_>)) {
        let path = format!("{}/../examples/{program}.ded", env!("CARGO_MANIFEST_DIR"));
        let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
        let question = Question::new(&program, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        with(&Theory::new(&question).unwrap_or_else(|e| panic!("{e}")));
    }

    #[test]
    fn a_majority_is_a_threshold_over_two_counts() {
        show("raft_election", |theory| {
            let [threshold] = &theory.thresholds[..] else { panic!("{:?}", theory.thresholds) };
            let factors: Vec<i64> = threshold.parts.iter().map(|part| part.factor).collect();
            assert_eq!((&factors[..], threshold.constant), (&[2, -1][..], 0));
            let leader = theory.relation(theory.question.plan.relation("leader").unwrap());
            assert!(theory.by_head[leader.index()].iter().all(|clause| theory.clauses[*clause].sure));
        });
        show("kafka_repaired", |theory| {
            assert!(!theory.thresholds.is_empty());
            for threshold in &theory.thresholds {
                assert_eq!((threshold.parts.len(), threshold.constant), (1, -1), "at least two of one set");
            }
        });
    }

    #[test]
    fn values_that_are_all_named_are_closed() {
        show("two_pc_timeout", |theory| {
            let timer = theory.question.plan.relation("timer").unwrap();
            let left = theory.values(theory.question.sorts.column(timer, 3));
            assert!(left.closed && left.ordered);
            assert_eq!(left.named, [0, 1, 2, 3].map(Value::Int));
        });
        show("raft_election", |theory| {
            let knows = theory.question.plan.relation("knows").unwrap();
            let terms = theory.values(theory.question.sorts.column(knows, 1));
            assert!(!terms.closed && terms.ordered);
        });
    }
}
