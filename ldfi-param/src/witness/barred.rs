//! Sets that no rule counts: the nodes that can no longer be counted.
//!
//! Where a program counts the nodes of which a relation holds, and a rule makes it hold of a node only while some value is the
//! greatest (or least) that the node knows, a node that knows a greater one and of which the relation does not hold is
//! *barred* from it: in Paxos, an acceptor that has seen a higher ballot and has not voted in this one. That enough nodes
//! are barred is a threshold like those of the program. The set is there for all values, whether a run has them or not.

use dedalus_syntax::ast::{AggregateOp, CompareOp, When};

use super::theory::{Arg, Clause, Kind, Literal, Part, Pred, Theory, Threshold};

impl Theory<'_> {
    /// Adds the sets of barred nodes, and for each that they are more of all nodes than a program asks of those who are counted.
    pub(super) fn find_barred(&mut self) {
        let Some(nodes) = self.find(&Kind::Node) else { return };
        for threshold in self.thresholds.clone() {
            let [part, whole] = &threshold.parts[..] else { continue };
            if part.factor <= 0 || whole.factor != -1 {
                continue;
            }
            for clause in self.barring(part.elements) {
                let elements = self.barred_elements(clause);
                let mut columns = self.predicates[elements.index()].columns.clone();
                columns.pop();
                let group = (0..columns.len()).collect();
                let parts = vec![
                    Part { factor: part.factor, elements, group },
                    Part { factor: -1, elements: nodes, group: vec![] },
                ];
                let made = Threshold { parts, constant: threshold.constant, columns: columns.clone() };
                if self.thresholds.contains(&made) {
                    continue;
                }
                self.thresholds.push(made);
                let pred = self.add(Kind::Threshold(self.thresholds.len() - 1), columns);
                self.invented.push(pred);
                self.barred.push(pred);
            }
        }
    }

    /// The predicate of the nodes that a clause bars; one for each clause.
    fn barred_elements(&mut self, mut clause: Clause) -> Pred {
        let same = |known: &&Clause| {
            let is_set = matches!(self.predicates[known.head.index()].kind, Kind::Element(_));
            is_set && known.args == clause.args && format!("{:?}", known.body) == format!("{:?}", clause.body)
        };
        if let Some(known) = self.clauses.iter().find(same) {
            return known.head;
        }
        let sort = |arg: &Arg| if let Arg::Var(var) = arg { clause.vars[*var] } else { self.question.sorts.node() };
        let columns = clause.args.iter().map(sort).collect();
        clause.head = self.add(Kind::Element(self.predicates.len()), columns);
        let head = clause.head;
        self.clauses.push(clause);
        head
    }

    /// The sets of nodes that are barred from a set that is counted.
    fn barring(&self, elements: Pred) -> Vec<Clause> {
        let mut found = vec![];
        for counts in self.clauses.iter().filter(|clause| clause.head == elements) {
            let Some(Arg::Var(counted)) = counts.args.last() else { continue };
            for literal in &counts.body {
                let Literal::Atom { pred, args, positive: true } = literal else { continue };
                let Some(column) = args.iter().position(|arg| *arg == Arg::Var(*counted)) else { continue };
                if self.base[pred.index()] {
                    found.extend(self.barring_of(*pred, column));
                }
            }
        }
        found
    }

    /// For each rule that makes a predicate hold while a value is the extreme of a node: who knows one beyond it.
    fn barring_of(&self, pred: Pred, column: usize) -> Vec<Clause> {
        let mut found = vec![];
        for rule in self.clauses.iter().filter(|clause| clause.head == pred && clause.when == When::Now) {
            for literal in &rule.body {
                let Literal::Atom { pred: view, args, positive: true } = literal else { continue };
                let Some((known, at, op)) = self.extreme_of(*view) else { continue };
                let places: Option<Vec<usize>> =
                    args.iter().map(|arg| rule.args.iter().position(|head| head == arg)).collect();
                let (Some(places), true) = (places, args.iter().all(|arg| matches!(arg, Arg::Var(_)))) else {
                    continue;
                };
                // The node itself, and the value that is the extreme.
                if places.len() == 2 && places[1 - at] == column && places[at] != column {
                    found.push(self.barring_clause(pred, column, places[at], known, at, op));
                }
            }
        }
        found
    }

    /// A view of two columns that has the extreme of another relation, the column that it is in, and which extreme.
    fn extreme_of(&self, view: Pred) -> Option<(Pred, usize, AggregateOp)> {
        let mut makers = self.clauses.iter().filter(|clause| clause.head == view);
        let (Some(maker), None) = (makers.next(), makers.next()) else { return None };
        let (column, op) = maker.extreme?;
        let [Literal::Atom { pred, args, positive: true }] = &maker.body[..] else { return None };
        (maker.when == When::Now && maker.args.len() == 2 && *args == maker.args).then_some((*pred, column, op))
    }

    /// `barred(group.., A) :- known(A, C), C beyond the value, notin pred(A, group..)`
    fn barring_clause(
        &self,
        pred: Pred,
        column: usize,
        value: usize,
        known: Pred,
        at: usize,
        op: AggregateOp,
    ) -> Clause {
        let mut vars = self.predicates[pred.index()].columns.clone();
        let beyond = vars.len();
        vars.push(vars[value]);
        let mut args = vec![Arg::Var(column); 2];
        args[at] = Arg::Var(beyond);
        let compare = if op == AggregateOp::Max { CompareOp::Lt } else { CompareOp::Gt };
        let all: Vec<Arg> = (0..beyond).map(Arg::Var).collect();
        Clause {
            head: Pred(0),
            args: (0..beyond).filter(|other| *other != column).chain([column]).map(Arg::Var).collect(),
            when: When::Now,
            vars,
            body: vec![
                Literal::Atom { pred: known, args, positive: true },
                Literal::Compare(compare, Arg::Var(value), Arg::Var(beyond)),
                Literal::Atom { pred, args: all, positive: false },
            ],
            sender: None,
            extreme: None,
            sure: true,
            rule: None,
        }
    }

    /// Whether a predicate has the elements of a set of barred nodes.
    pub(crate) fn is_barred(&self, elements: Pred) -> bool {
        self.barred.iter().any(|pred| self.barred_part(*pred).is_some_and(|part| part.elements == elements))
    }

    /// What barred nodes of a set are barred from: the predicate, and for each column of the group the column that it is.
    pub(crate) fn barred_from(&self, elements: Pred) -> Option<(Pred, Vec<usize>)> {
        let clause = self.clauses.iter().find(|clause| clause.head == elements && self.is_barred(elements))?;
        let (counted, group) = clause.args.split_last()?;
        let excluded = clause.body.iter().find_map(|literal| match literal {
            Literal::Atom { pred, args, positive: false } if args.contains(counted) => Some((*pred, args)),
            _ => None,
        });
        let (pred, args) = excluded?;
        let place = |arg: &Arg| args.iter().position(|known| known == arg);
        group.iter().map(place).collect::<Option<_>>().map(|places| (pred, places))
    }

    /// Which column of a threshold of barred nodes is the value that is the extreme, and which extreme.
    pub(crate) fn barred_rank(&self, threshold: Pred) -> Option<(usize, AggregateOp)> {
        let elements = self.barred_part(threshold)?.elements;
        let clause = self.clauses.iter().find(|clause| clause.head == elements)?;
        clause.body.iter().find_map(|literal| match literal {
            Literal::Compare(op, value @ Arg::Var(_), _) => {
                let op = if *op == CompareOp::Lt { AggregateOp::Max } else { AggregateOp::Min };
                clause.args.iter().position(|arg| arg == value).map(|place| (place, op))
            }
            _ => None,
        })
    }

    /// The part of a threshold that counts barred nodes, if it is one that does.
    pub(crate) fn barred_part(&self, threshold: Pred) -> Option<&Part> {
        match self.predicates[threshold.index()].kind {
            Kind::Threshold(at) if self.barred.contains(&threshold) => self.thresholds[at].parts.first(),
            _ => None,
        }
    }
}
