//! Sizes of sets: what a linear inequality over them, or two, says of single elements.
//!
//! If `Σ factor · |set| + constant` is positive and the constant is not, then some value has a positive sum of the
//! factors of the sets that it is in: the sum over all values is what is positive. The same holds of the sum of two inequalities
//! of which one is strict. That is how two majorities come to have a node in common.

use ldfi_core::solver::Lit;

use super::chase::{Atom, AtomId, Bit, Chase, Task, choose};
use super::term::Term;
use super::theory::{Arg, Kind, Literal, Part, Pred, Threshold};

/// The thresholds that were mentioned.
#[derive(Default)]
pub(crate) struct Counting {
    thresholds: Vec<AtomId>,
    /// Those that hold in some model.
    holding: Vec<AtomId>,
}

/// A set that counts so many times.
struct Weight {
    factor: i64,
    elements: Pred,
    moment: u8,
    group: Vec<Option<Term>>,
}

/// Elements that are named one by one where a set has at least so many.
const MOST_NAMED: i64 = 3;

impl Chase<'_, '_> {
    fn threshold(&self, pred: Pred) -> Option<&Threshold> {
        match self.theory.predicate(pred).kind {
            Kind::Threshold(at) => self.theory.thresholds.get(at),
            _ => None,
        }
    }

    fn weights(&self, atom: &Atom, sign: i64) -> Option<(Vec<Weight>, i64)> {
        let threshold = self.threshold(atom.pred)?;
        let weight = |Part { factor, elements, group }: &Part| {
            let group = group.iter().map(|column| atom.args[*column]).collect();
            Weight { factor: sign * factor, elements: *elements, moment: atom.moment, group }
        };
        Some((threshold.parts.iter().map(weight).collect(), sign * threshold.constant))
    }

    fn bit(&self, id: AtomId) -> (Atom, Bit) {
        let info = &self.infos[id.0 as usize];
        (info.atom.clone(), Bit::Lit(info.var.pos()))
    }

    fn is_far(&self, atom: &Atom) -> bool {
        atom.args.iter().any(Option::is_none) || self.depth(atom) >= self.limits.depth
    }

    /// A threshold that is mentioned may not fail while one that holds says that it does not.
    pub(crate) fn introduce_threshold(&mut self, id: AtomId) {
        let (atom, holds) = self.bit(id);
        if self.is_far(&atom) {
            return;
        }
        self.count_group(&atom, holds);
        for part in self.threshold(atom.pred).map_or(vec![], |threshold| threshold.parts.clone()) {
            self.need_lower(part.elements, atom.moment);
        }
        for other in self.counting.holding.clone() {
            if self.comparable(&self.bit(other).0, &atom) {
                self.queue.push_back(Task::Compare { holds: other, other: id, too: false });
            }
        }
        self.counting.thresholds.push(id);
    }

    /// Says what a threshold that holds means, alone and with each other one.
    pub(crate) fn explain_threshold(&mut self, id: AtomId) {
        let (atom, holds) = self.bit(id);
        if self.is_far(&atom) {
            return;
        }
        self.at_least(&atom, holds);
        if !self.is_barred(&atom) {
            self.some_element(&[(&atom, 1)], vec![!holds]);
        }
        for other in self.counting.holding.clone() {
            let known = self.bit(other).0;
            if known.moment == atom.moment && self.may_clash(&known, &atom) {
                self.queue.push_back(Task::Compare { holds: id, other, too: true });
            }
        }
        for other in self.counting.thresholds.clone() {
            if other != id && self.comparable(&atom, &self.bit(other).0) {
                self.queue.push_back(Task::Compare { holds: id, other, too: false });
            }
        }
        self.counting.holding.push(id);
    }

    /// What it means that one threshold holds and another does, too, or does not.
    pub(crate) fn compare_thresholds(&mut self, holds: AtomId, other: AtomId, too: bool) {
        let ((one, one_holds), (other, other_holds)) = (self.bit(holds), self.bit(other));
        let (sign, unless) = if too { (1, !other_holds) } else { (-1, other_holds) };
        self.some_element(&[(&one, 1), (&other, sign)], vec![!one_holds, unless]);
    }

    fn is_barred(&self, atom: &Atom) -> bool {
        self.theory.barred.contains(&atom.pred)
    }

    /// Whether that one threshold holds may say that another does. Enough nodes stay barred, and come to be where a program
    /// has heard from enough of them.
    fn comparable(&self, holds: &Atom, fails: &Atom) -> bool {
        match (self.is_barred(holds), self.is_barred(fails)) {
            (false, true) => fails.moment > 0 && fails.moment + 1 == self.shape.moments,
            (true, true) => holds.pred == fails.pred && holds.args == fails.args && holds.moment < fails.moment,
            _ => holds.pred == fails.pred,
        }
    }

    /// Whether two thresholds that hold may exclude each other: nodes are not both barred and counted.
    fn may_clash(&self, one: &Atom, other: &Atom) -> bool {
        match (self.is_barred(one), self.is_barred(other)) {
            (false, false) => true,
            (true, true) => false,
            (true, false) => self.is_barred_from(one, other),
            (false, true) => self.is_barred_from(other, one),
        }
    }

    /// Whether nodes of one threshold are barred from a set of another, for the same values.
    fn is_barred_from(&self, barred: &Atom, counted: &Atom) -> bool {
        let (Some(part), Some(threshold)) = (self.theory.barred_part(barred.pred), self.threshold(counted.pred)) else {
            return false;
        };
        let Some((from, columns)) = self.theory.barred_from(part.elements) else { return false };
        let speaks_of = |elements: Pred, args: &[Option<Term>]| {
            self.theory.by_head[elements.index()].iter().any(|at| {
                let clause = &self.theory.clauses[*at];
                let value = |arg: &Arg| clause.args.iter().position(|a| a == arg).and_then(|at| *args.get(at)?);
                clause.body.iter().any(|literal| match literal {
                    Literal::Atom { pred, args, positive: true } if *pred == from => {
                        columns.iter().zip(&barred.args).all(|(column, term)| value(&args[*column]) == *term)
                    }
                    _ => false,
                })
            })
        };
        threshold.parts.iter().filter(|part| part.factor > 0).any(|part| {
            let group: Vec<Option<Term>> = part.group.iter().map(|column| counted.args[*column]).collect();
            speaks_of(part.elements, &group)
        })
    }

    /// If the inequalities hold (none of `unless` is so), some value has a positive sum.
    fn some_element(&mut self, inequalities: &[(&Atom, i64)], unless: Vec<Bit>) {
        let mut weights = vec![];
        let mut constant = 0;
        for (atom, sign) in inequalities {
            let Some((more, number)) = self.weights(atom, *sign) else { return };
            weights.extend(more);
            constant += number;
        }
        let sorts: Vec<_> = weights.iter().map(|w| self.theory.predicate(w.elements).columns.last().copied()).collect();
        let Some(Some(sort)) = sorts.first().copied() else { return };
        if constant > 0 || sorts.iter().any(|other| *other != Some(sort)) {
            return;
        }
        let depth = inequalities.iter().map(|(atom, _)| self.depth(atom)).max().unwrap_or(0);
        let mut domain = self.terms.of(sort).to_vec();
        if !self.theory.values(sort).closed {
            domain.push(self.terms.add(sort, None, depth + 1));
        }
        let mut ways = unless;
        for term in domain {
            let chosen = self.fresh();
            ways.push(Bit::Lit(chosen));
            self.positive_sum(&weights, term, chosen);
        }
        self.clause(ways);
    }

    /// If `chosen`, the sets that a value is in have a positive sum of factors.
    fn positive_sum(&mut self, weights: &[Weight], term: Term, chosen: Lit) {
        let mut bits = vec![];
        for weight in weights {
            let args: Vec<Option<Term>> = weight.group.iter().copied().chain([Some(term)]).collect();
            bits.push(self.suppose(weight.elements, weight.moment, &args));
            self.need_lower(weight.elements, weight.moment);
        }
        for pattern in 0u32..1 << weights.len() {
            let inside = |at: usize| pattern >> at & 1 == 1;
            let sum: i64 = (0..weights.len()).filter(|at| inside(*at)).map(|at| weights[at].factor).sum();
            if sum <= 0 {
                let excluded = bits.iter().enumerate().map(|(at, bit)| if inside(at) { !*bit } else { *bit });
                let parts: Vec<Bit> = excluded.chain([Bit::Lit(!chosen)]).collect();
                self.clause(parts);
            }
        }
    }

    /// The bound of a threshold that says that one set has more than so many elements.
    fn more_than(&self, pred: Pred) -> Option<(&Part, i64)> {
        let threshold = self.threshold(pred)?;
        match &threshold.parts[..] {
            [part] if part.factor == 1 && (-MOST_NAMED..0).contains(&threshold.constant) => {
                Some((part, -threshold.constant))
            }
            _ => None,
        }
    }

    /// A set with more than so many elements has so many different ones.
    fn at_least(&mut self, atom: &Atom, holds: Bit) {
        let Some((part, more_than)) = self.more_than(atom.pred) else { return };
        let (elements, group) = (part.elements, part.group.iter().map(|c| atom.args[*c]).collect::<Vec<_>>());
        let Some(&sort) = self.theory.predicate(elements).columns.last() else { return };
        let depth = self.depth(atom);
        let mut rounds: Vec<Vec<(Term, Lit)>> = vec![];
        for _ in 0..=more_than {
            let mut domain = self.terms.of(sort).to_vec();
            if !self.theory.values(sort).closed {
                domain.push(self.terms.add(sort, None, depth + 1));
            }
            let mut ways = vec![!holds];
            let mut round = vec![];
            for term in domain {
                let chosen = self.fresh();
                let args: Vec<Option<Term>> = group.iter().copied().chain([Some(term)]).collect();
                let inside = self.suppose(elements, atom.moment, &args);
                self.clause([Bit::Lit(!chosen), inside]);
                let taken: Vec<Lit> =
                    rounds.iter().flatten().filter(|(t, _)| *t == term).map(|(_, lit)| *lit).collect();
                taken.into_iter().for_each(|lit| self.solver.add_clause(&[!lit, !chosen]));
                ways.push(Bit::Lit(chosen));
                round.push((term, chosen));
            }
            self.clause(ways);
            rounds.push(round);
        }
    }

    /// So many different elements make a threshold hold.
    fn count_group(&mut self, atom: &Atom, holds: Bit) {
        let Some((part, more_than)) = self.more_than(atom.pred) else { return };
        let (elements, group) = (part.elements, part.group.iter().map(|c| atom.args[*c]).collect::<Vec<_>>());
        let known = self.possible.get(&(elements, atom.moment)).cloned().unwrap_or_default();
        let of_group = |id: &AtomId| {
            let Atom { args, .. } = &self.infos[id.0 as usize].atom;
            args[..args.len() - 1] == group[..] && args.iter().all(Option::is_some)
        };
        let found: Vec<AtomId> = known.into_iter().filter(of_group).collect();
        let size = usize::try_from(more_than + 1).unwrap_or(usize::MAX);
        for chosen in choose(&found, size) {
            if self.counting_done(atom, &chosen) {
                continue;
            }
            let parts: Vec<Bit> =
                chosen.iter().map(|id| Bit::Lit(self.infos[id.0 as usize].var.neg())).chain([holds]).collect();
            self.clause(parts);
        }
    }

    fn counting_done(&mut self, atom: &Atom, chosen: &[AtomId]) -> bool {
        let key: Vec<Option<Term>> =
            atom.args.iter().copied().chain(chosen.iter().map(|id| Some(Term(id.0)))).collect();
        !self.done.insert((usize::MAX - atom.pred.index(), atom.moment, key))
    }

    /// A new element may make thresholds hold.
    pub(crate) fn count_elements(&mut self, atom: &Atom) {
        if !matches!(self.theory.predicate(atom.pred).kind, Kind::Element(_)) {
            return;
        }
        for id in self.counting.thresholds.clone() {
            let threshold = self.infos[id.0 as usize].atom.clone();
            if threshold.moment == atom.moment {
                let holds = Bit::Lit(self.infos[id.0 as usize].var.pos());
                self.count_group(&threshold, holds);
            }
        }
    }
}
