//! Consequences: what follows if the body of a rule holds.

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::Link;

use super::chase::{ALWAYS, Atom, AtomId, Bit, Chase};
use super::explain::Binding;
use super::term::Term;
use super::theory::{Arg, Clause, Kind, Literal, Pred};

/// Columns of heads, each with what else must not be so for it.
type Heads = Vec<(Vec<Option<Term>>, Vec<Bit>)>;

impl Chase<'_, '_> {
    /// Feeds an atom that may hold to the rules that read it.
    pub(crate) fn forward(&mut self, id: AtomId) {
        let atom = self.infos[id.0 as usize].atom.clone();
        let moments = if atom.moment == ALWAYS { 0..self.shape.moments } else { atom.moment..atom.moment + 1 };
        for (at, place) in self.theory.readers[atom.pred.index()].clone() {
            let clause = &self.theory.clauses[at];
            if !clause.sure || !self.theory.relevant[clause.head.index()] {
                continue;
            }
            for moment in moments.clone() {
                let later = if clause.when == When::Now { moment } else { moment + 1 };
                if later >= self.shape.moments || !self.lower_matters(clause.head, later) {
                    continue;
                }
                let mut binding: Binding = vec![None; clause.vars.len()];
                if self.unify(&clause.body[place], &atom.args, &mut binding) {
                    self.join(at, moment, 0, place, binding);
                }
            }
        }
        self.count_elements(&atom);
    }

    /// Matches a literal with the columns of an atom.
    fn unify(&self, literal: &Literal, args: &[Option<Term>], binding: &mut Binding) -> bool {
        let Literal::Atom { pred, args: patterns, .. } = literal else { return false };
        let columns = &self.theory.predicate(*pred).columns;
        patterns.iter().zip(args).zip(columns).all(|((pattern, arg), sort)| match (pattern, arg) {
            (Arg::Any, _) => true,
            (Arg::Var(var), Some(term)) => *binding[*var].get_or_insert(*term) == *term,
            (Arg::Const(value), Some(term)) => self.terms.constant(*sort, value) == Some(*term),
            _ => false,
        })
    }

    /// Goes through the literals from `next` on, but for the one that is matched already.
    fn join(&mut self, at: usize, moment: u8, next: usize, matched: usize, binding: Binding) {
        let clause = &self.theory.clauses[at];
        let waits =
            |place: &usize| *place != matched && matches!(&clause.body[*place], Literal::Atom { positive: true, .. });
        let Some(place) = (next..clause.body.len()).find(waits) else {
            return self.conclude_clause(at, moment, &binding);
        };
        let Literal::Atom { pred, .. } = &clause.body[place] else { return };
        let candidates = self.possible.get(&(*pred, self.moment(*pred, moment))).cloned().unwrap_or_default();
        for id in candidates {
            let mut binding = binding.clone();
            if self.unify(&clause.body[place], &self.infos[id.0 as usize].atom.args, &mut binding) {
                self.join(at, moment, place + 1, matched, binding);
            }
        }
    }

    /// Writes down that a body makes its head hold.
    fn conclude_clause(&mut self, at: usize, moment: u8, binding: &Binding) {
        let theory = self.theory;
        let clause = &theory.clauses[at];
        if theory.is_barred(clause.head) && clause.args.iter().any(|arg| self.is_open(arg, binding)) {
            return self.conclude_mentioned(at, moment, binding);
        }
        if !self.done.insert((at, moment, binding.clone())) {
            return;
        }
        let Some(heads) = self.heads(clause, binding) else { return };
        let Some(against) = self.against(clause, moment, binding) else { return };
        let later = if clause.when == When::Now { moment } else { moment + 1 };
        for (args, condition) in heads {
            let mut parts = against.clone();
            parts.extend(condition);
            if clause.when == When::Async {
                match self.unsent(clause, &args, moment, binding) {
                    Some(more) => parts.extend(more),
                    None => continue,
                }
            }
            if parts.contains(&Bit::True) {
                continue;
            }
            if let Some((column, _)) = clause.extreme {
                // The group has a least (or greatest) value, and it is no further than this one.
                self.note_candidate(at, moment, &args, parts.clone());
                let mut some = args.clone();
                some[column] = None;
                parts.push(self.conclude(clause.head, later, &some));
            } else {
                parts.push(self.conclude(clause.head, later, &args));
            }
            self.clause(parts);
        }
    }

    fn is_open(&self, arg: &Arg, binding: &Binding) -> bool {
        matches!(arg, Arg::Var(var) if binding[*var].is_none())
    }

    /// A set that is there for all values is spoken of for those that matter: of which it was mentioned.
    fn conclude_mentioned(&mut self, at: usize, moment: u8, binding: &Binding) {
        let clause = &self.theory.clauses[at];
        for id in self.mentioned.get(&(clause.head, moment)).cloned().unwrap_or_default() {
            if let Some(full) = self.bind_head(clause, &self.infos[id.0 as usize].atom.args, binding.clone()) {
                self.conclude_clause(at, moment, &full);
            }
        }
    }

    /// The binding under which the head of a clause is an atom.
    fn bind_head(&self, clause: &Clause, args: &[Option<Term>], mut binding: Binding) -> Option<Binding> {
        for (arg, term) in clause.args.iter().zip(args) {
            let (Arg::Var(var), Some(term)) = (arg, term) else { return None };
            if *binding[*var].get_or_insert(*term) != *term {
                return None;
            }
        }
        Some(binding)
    }

    /// What a barred node is known by, and what makes it one, as far as that is known when it is mentioned.
    pub(crate) fn introduce_barred(&mut self, atom: &Atom, holds: Bit) {
        let theory = self.theory;
        if !theory.is_barred(atom.pred) {
            return;
        }
        self.known_by(atom, holds);
        if !self.lower_matters(atom.pred, atom.moment) {
            return;
        }
        for &at in &theory.by_head[atom.pred.index()] {
            let clause = &theory.clauses[at];
            let open = vec![None; clause.vars.len()];
            let Some(binding) = self.bind_head(clause, &atom.args, open) else { continue };
            let Some(place) = clause.body.iter().position(|l| matches!(l, Literal::Atom { positive: true, .. })) else {
                continue;
            };
            let Literal::Atom { pred, .. } = &clause.body[place] else { continue };
            for id in self.possible.get(&(*pred, self.moment(*pred, atom.moment))).cloned().unwrap_or_default() {
                let mut binding = binding.clone();
                if self.unify(&clause.body[place], &self.infos[id.0 as usize].atom.args.clone(), &mut binding) {
                    self.conclude_clause(at, atom.moment, &binding);
                }
            }
        }
    }

    /// A barred node is beyond some value, whichever that is, and it is not counted.
    fn known_by(&mut self, atom: &Atom, holds: Bit) {
        let theory = self.theory;
        let [at] = theory.by_head[atom.pred.index()][..] else { return };
        let clause = &theory.clauses[at];
        let Some(binding) = self.bind_head(clause, &atom.args, vec![None; clause.vars.len()]) else { return };
        for literal in &clause.body {
            let Literal::Atom { pred, args, positive } = literal else { continue };
            let columns = &theory.predicate(*pred).columns;
            let terms: Vec<Option<Term>> =
                args.iter().zip(columns).map(|(arg, sort)| self.term(arg, *sort, &binding)).collect();
            if *positive {
                let some = self.suppose(*pred, atom.moment, &terms);
                self.clause([!holds, some]);
            } else if !terms.contains(&None) {
                let counted = self.deny(*pred, atom.moment, &terms);
                self.clause([!holds, !counted]);
            }
        }
    }

    /// The columns of a head, with what else must not be so for it.
    fn heads(&mut self, clause: &Clause, binding: &Binding) -> Option<Heads> {
        let columns = &self.theory.predicate(clause.head).columns;
        let mut all: Heads = vec![(vec![], vec![])];
        for (arg, sort) in clause.args.iter().zip(columns) {
            if let Arg::Offset(var, by) = arg {
                let from = binding[*var]?;
                let mut more = vec![];
                for to in self.terms.of(*sort).to_vec() {
                    let sum = self.sum(from, to, *by);
                    if sum != Bit::False {
                        more.extend(
                            all.iter()
                                .map(|(args, bits)| ([&args[..], &[Some(to)]].concat(), [&bits[..], &[!sum]].concat())),
                        );
                    }
                }
                all = more;
            } else {
                let term = self.term(arg, *sort, binding)?;
                all.iter_mut().for_each(|(args, _)| args.push(Some(term)));
            }
        }
        Some(all)
    }

    /// What must not be so for a body to hold; `None` if that is not known.
    fn against(&mut self, clause: &Clause, moment: u8, binding: &Binding) -> Option<Vec<Bit>> {
        let mut parts = vec![];
        for literal in &clause.body {
            if let Literal::Compare(op, left, right) = literal {
                parts.push(!self.compared(clause, *op, left, right, binding)?);
            }
        }
        if parts.contains(&Bit::True) {
            return None;
        }
        for literal in &clause.body {
            let Literal::Atom { pred, args, positive } = literal else { continue };
            let terms = self.terms_of(*pred, args, binding)?;
            parts.push(if *positive {
                !self.mention(*pred, moment, &terms)
            } else {
                self.suppose(*pred, moment, &terms)
            });
        }
        Some(parts)
    }

    fn terms_of(&self, pred: Pred, args: &[Arg], binding: &Binding) -> Option<Vec<Option<Term>>> {
        let columns = &self.theory.predicate(pred).columns;
        let mut terms = vec![];
        for (arg, sort) in args.iter().zip(columns) {
            match (arg, self.term(arg, *sort, binding)) {
                (Arg::Any, _) => terms.push(None),
                (_, None) => return None,
                (_, term) => terms.push(term),
            }
        }
        Some(terms)
    }

    /// What keeps a message from getting there; `None` if it may be lost anyway.
    fn unsent(&mut self, clause: &Clause, args: &[Option<Term>], moment: u8, binding: &Binding) -> Option<Vec<Bit>> {
        let question = self.theory.question;
        let rule = question.plan.rule(clause.rule?);
        let node = question.sorts.node();
        let from = self.term(clause.sender.as_ref()?, node, binding)?;
        let to = (*args.first()?)?;
        // Whatever sends to itself gets it, be it a node or not.
        if from == to {
            return (rule.link != Link::Never).then(Vec::new);
        }
        if rule.link != Link::Nodes {
            return None;
        }
        let certain = self.shape.calm || !question.adversary.losses && !question.adversary.delays;
        if !certain {
            return None;
        }
        let down = self.theory.find(&Kind::Down)?;
        Some(vec![!self.node(from), !self.node(to), self.mention(down, moment, &[Some(from)])])
    }
}
