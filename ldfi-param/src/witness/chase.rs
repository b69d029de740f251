//! A chase: what must be the case if some things hold and others do not, as clauses for a solver.
//!
//! It speaks of some consecutive moments and of finitely many terms, which are all different values. It begins with the
//! atoms of a question. An atom that holds has a reason (`explain`): a rule whose body holds, with values for the
//! variables that the atom leaves open; each is one of the terms that are there, or a new one, unlike all of them.
//! What may hold is fed to the rules, which say what follows (`forward`). Both are done for atoms that hold in a model of
//! what is known so far, so that the solver leads the way.
//!
//! **Why it is sound.** Every clause is true of every run, if terms are read like this: terms of the question are the values
//! that it is asked for; a new term is the value that its reason has, if that is unlike all terms before it; otherwise, and if
//! the reason does not apply, it is a value of which nothing holds. Rules say nothing of such a value, because each of their
//! variables stands in a literal that holds; neither do clauses of an invariant, for the same reason. So
//! whatever a run does can be read as a model, and if there is none, there is no such run. Leaving out clauses is always
//! sound; that is what happens where the chase gets too deep or too wide, and with whatever is opaque.

use std::collections::VecDeque;

use dedalus_syntax::ast::When;
use ldfi_core::solver::{BatsatSolver, Lit, Model, SatSolver, Var, new_assuming_solver};
use ldfi_model::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

use super::term::{Term, Terms};
use super::theory::{Kind, Literal, Pred, Theory};

/// An atom: a predicate of terms at a moment. `None` is anything: some tuple matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Atom {
    pub(crate) pred: Pred,
    pub(crate) moment: u8,
    pub(crate) args: Vec<Option<Term>>,
}

/// The moment of what is the same at all moments.
pub(crate) const ALWAYS: u8 = u8::MAX;

/// An atom of a chase, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AtomId(pub(crate) u32);

/// A literal, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bit {
    True,
    False,
    Lit(Lit),
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        match self {
            Bit::True => Bit::False,
            Bit::False => Bit::True,
            Bit::Lit(lit) => Bit::Lit(!lit),
        }
    }
}

/// Which moments a chase speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// How many.
    pub(crate) moments: u8,
    /// Whether the first is the first of a run.
    pub(crate) initial: bool,
    /// Whether messages get through between them, as in the last steps of a run.
    pub(crate) calm: bool,
    /// Whether the last is the last of a run.
    pub(crate) last: bool,
}

/// How far a chase goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// New terms upon new terms.
    pub(crate) depth: u8,
    /// Ways in which an atom can have a reason by one rule.
    pub(crate) ways: usize,
    /// Atoms.
    pub(crate) atoms: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 2, ways: 150, atoms: 6000 }
    }
}

pub(crate) struct Info {
    pub(crate) atom: Atom,
    pub(crate) var: Var,
    /// Whether rules look at it.
    pub(crate) possible: bool,
    /// Whether it needs a reason.
    reasoned: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Task {
    Explain(AtomId),
    Forward(AtomId),
    /// Two thresholds, of which the second holds, too, or does not.
    Compare {
        holds: AtomId,
        other: AtomId,
        too: bool,
    },
}

pub(crate) struct Chase<'t, 'q> {
    pub(crate) theory: &'t Theory<'q>,
    pub(crate) shape: Shape,
    pub(crate) limits: Limits,
    pub(crate) terms: Terms,
    pub(crate) solver: Box<dyn SatSolver>,
    pub(crate) infos: Vec<Info>,
    atoms: FxHashMap<Atom, AtomId>,
    /// All atoms of a predicate at a moment.
    pub(crate) mentioned: FxHashMap<(Pred, u8), Vec<AtomId>>,
    /// Those that rules were fed.
    pub(crate) possible: FxHashMap<(Pred, u8), Vec<AtomId>>,
    /// Predicates of which it matters what makes them hold.
    lower: FxHashSet<(Pred, u8)>,
    /// What is to be done once a model says that its atom holds.
    pub(crate) queue: VecDeque<Task>,
    /// Instances of rules that were written down.
    pub(crate) done: FxHashSet<(usize, u8, Vec<Option<Term>>)>,
    pub(crate) order: super::order::Order,
    pub(crate) counting: super::counting::Counting,
    pub(crate) extremes: super::extreme::Extremes,
    /// Atoms that are nearer than their terms.
    pub(crate) near: FxHashMap<Atom, u8>,
    /// Whether something was left out because it got too wide.
    pub(crate) cut: bool,
}

impl<'t, 'q> Chase<'t, 'q> {
    pub(crate) fn new(theory: &'t Theory<'q>, shape: Shape, limits: Limits) -> Self {
        let mut terms = Terms::new(theory.values.len());
        for (sort, values) in (0u32..).map(crate::sorts::Sort).zip(&theory.values) {
            for value in &values.named {
                terms.add(sort, Some(value.clone()), 0);
            }
        }
        Chase {
            theory,
            shape,
            limits,
            terms,
            solver: if theory.barred.is_empty() { new_assuming_solver() } else { Box::new(BatsatSolver::sparse()) },
            infos: vec![],
            atoms: FxHashMap::default(),
            mentioned: FxHashMap::default(),
            possible: FxHashMap::default(),
            lower: FxHashSet::default(),
            queue: VecDeque::new(),
            done: FxHashSet::default(),
            order: Default::default(),
            counting: Default::default(),
            extremes: Default::default(),
            near: FxHashMap::default(),
            cut: false,
        }
    }

    /// Adds a clause, unless a part of it is true.
    pub(crate) fn clause(&mut self, parts: impl IntoIterator<Item = Bit>) {
        let mut lits = vec![];
        for part in parts {
            match part {
                Bit::True => return,
                Bit::False => {}
                Bit::Lit(lit) => lits.push(lit),
            }
        }
        self.solver.add_clause(&lits);
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        self.solver.new_var().pos()
    }

    /// The atom if it was mentioned.
    pub(crate) fn find(&self, atom: &Atom) -> Option<AtomId> {
        self.atoms.get(atom).copied()
    }

    pub(crate) fn moment(&self, pred: Pred, moment: u8) -> u8 {
        if self.theory.predicate(pred).rigid { ALWAYS } else { moment }
    }

    /// What is known of an atom whatever else is: named nodes are nodes, and not of the crowd.
    pub(crate) fn certain(&self, atom: &Atom) -> Option<bool> {
        let [Some(term)] = atom.args[..] else { return None };
        let value = self.terms.value(term)?;
        match self.theory.predicate(atom.pred).kind {
            Kind::Member => Some(false),
            Kind::Node => Some(self.theory.is_named(value)),
            _ => None,
        }
    }

    /// The atom as it is kept: what is not named is a node if it is a member.
    pub(crate) fn atom(&self, pred: Pred, moment: u8, args: &[Option<Term>]) -> Atom {
        let unnamed = matches!(args, [Some(term)] if self.terms.value(*term).is_none());
        let pred = match self.theory.predicate(pred).kind {
            Kind::Node if unnamed => self.theory.find(&Kind::Member).unwrap_or(pred),
            _ => pred,
        };
        Atom { pred, moment: self.moment(pred, moment), args: args.to_vec() }
    }

    /// Whether an atom holds.
    pub(crate) fn mention(&mut self, pred: Pred, moment: u8, args: &[Option<Term>]) -> Bit {
        let atom = self.atom(pred, moment, args);
        if let Some(certain) = self.certain(&atom) {
            return if certain { Bit::True } else { Bit::False };
        }
        if let Some(id) = self.atoms.get(&atom) {
            return Bit::Lit(self.infos[id.0 as usize].var.pos());
        }
        let var = self.solver.new_var();
        let id = AtomId(u32::try_from(self.infos.len()).unwrap_or(u32::MAX));
        self.infos.push(Info { atom: atom.clone(), var, possible: false, reasoned: false });
        self.link(id);
        self.mentioned.entry((atom.pred, atom.moment)).or_default().push(id);
        self.atoms.insert(atom, id);
        self.introduce(id);
        Bit::Lit(var.pos())
    }

    /// The same of an atom that may have to hold, and then needs a reason.
    pub(crate) fn suppose(&mut self, pred: Pred, moment: u8, args: &[Option<Term>]) -> Bit {
        let bit = self.mention(pred, moment, args);
        if let Some(id) = self.find(&self.atom(pred, moment, args)) {
            self.make_possible(id);
            if !std::mem::replace(&mut self.infos[id.0 as usize].reasoned, true) {
                self.queue.push_back(Task::Explain(id));
            }
        }
        bit
    }

    /// The same of an atom that a rule makes hold.
    pub(crate) fn conclude(&mut self, pred: Pred, moment: u8, args: &[Option<Term>]) -> Bit {
        let bit = self.mention(pred, moment, args);
        if let Some(id) = self.find(&self.atom(pred, moment, args)) {
            self.make_possible(id);
        }
        bit
    }

    pub(crate) fn make_possible(&mut self, id: AtomId) {
        let info = &mut self.infos[id.0 as usize];
        if !std::mem::replace(&mut info.possible, true) {
            self.queue.push_back(Task::Forward(id));
        }
    }

    /// A tuple that matches more closely makes a looser match hold.
    fn link(&mut self, id: AtomId) {
        let Info { atom, var, .. } = &self.infos[id.0 as usize];
        let covers =
            |loose: &Atom, close: &Atom| loose.args.iter().zip(&close.args).all(|(l, c)| l.is_none() || l == c);
        let mut clauses = vec![];
        for other in self.mentioned.get(&(atom.pred, atom.moment)).into_iter().flatten() {
            let other = &self.infos[other.0 as usize];
            if covers(atom, &other.atom) {
                clauses.push([other.var.neg(), var.pos()]);
            } else if covers(&other.atom, atom) {
                clauses.push([var.neg(), other.var.pos()]);
            }
        }
        clauses.iter().for_each(|clause| self.solver.add_clause(clause));
    }

    /// What is known of an atom as soon as it is mentioned.
    fn introduce(&mut self, id: AtomId) {
        let atom = self.infos[id.0 as usize].atom.clone();
        let holds = Bit::Lit(self.infos[id.0 as usize].var.pos());
        match &self.theory.predicate(atom.pred).kind {
            Kind::Down => self.introduce_down(&atom, holds),
            Kind::Crashes => self.bound_crashes(&atom),
            Kind::Possible(relation) => self.respect_keys(*relation, &atom, holds),
            Kind::Threshold(_) => self.introduce_threshold(id),
            Kind::Relation(_) => self.given_first(&atom, holds),
            Kind::Element(_) => self.introduce_barred(&atom, holds),
            Kind::Member | Kind::Node | Kind::Sent(_) => {}
        }
    }

    fn introduce_down(&mut self, atom: &Atom, holds: Bit) {
        let [Some(_)] = atom.args[..] else { return };
        if let Some(crashes) = self.theory.find(&Kind::Crashes) {
            let crashes = self.mention(crashes, ALWAYS, &atom.args);
            self.clause([!holds, crashes]);
            // Every crash of a run has come about when it ends.
            if self.shape.last && atom.moment + 1 == self.shape.moments {
                self.clause([holds, !crashes]);
            }
        }
        if atom.moment + 1 < self.shape.moments {
            let next = self.mention(atom.pred, atom.moment + 1, &atom.args);
            self.clause([!holds, next]);
        }
    }

    /// No more nodes crash than may.
    fn bound_crashes(&mut self, atom: &Atom) {
        let crate::question::Crashes::AtMost(most) = self.theory.question.adversary.crashes else { return };
        let all: Vec<AtomId> = self.mentioned.get(&(atom.pred, ALWAYS)).cloned().unwrap_or_default();
        let full = |id: &AtomId| self.infos[id.0 as usize].atom.args.iter().all(Option::is_some);
        let lits: Vec<Lit> = all.iter().filter(|id| full(id)).map(|id| self.infos[id.0 as usize].var.neg()).collect();
        let Some((own, others)) = lits.split_last() else { return };
        for chosen in choose(others, most as usize) {
            self.solver.add_clause(&[&chosen[..], &[*own]].concat());
        }
    }

    fn respect_keys(&mut self, relation: dedalus_syntax::plan::RelId, atom: &Atom, holds: Bit) {
        let keys = self.theory.question.supply(relation).map_or(vec![], |supply| supply.keys.clone());
        let others: Vec<AtomId> = self.mentioned.get(&(atom.pred, ALWAYS)).cloned().unwrap_or_default();
        for other in others {
            let Info { atom: known, var, .. } = &self.infos[other.0 as usize];
            let full = |a: &Atom| a.args.iter().all(Option::is_some);
            let same =
                |columns: &[bool]| columns.iter().enumerate().all(|(at, key)| !key || known.args[at] == atom.args[at]);
            let clash = known != atom && full(known) && full(atom) && keys.iter().any(|key| same(&key.columns));
            let lit = var.neg();
            if clash {
                self.clause([!holds, Bit::Lit(lit)]);
            }
        }
    }

    /// Follows what a model says holds, no further from the question than that. Whether there was anything to follow.
    pub(crate) fn follow(&mut self, model: &Model, within: u8, budget: &Budget) -> bool {
        let mut followed = false;
        for task in std::mem::take(&mut self.queue) {
            if self.infos.len() > self.limits.atoms || budget.check().is_err() {
                self.cut = true;
                return followed;
            }
            let value = |id: AtomId| model.value(self.infos[id.0 as usize].var);
            let (matters, distance) = match task {
                Task::Explain(id) | Task::Forward(id) => (value(id), self.distance(id)),
                Task::Compare { holds, other, too } => {
                    (value(holds) && value(other) == too, self.distance(holds).max(self.distance(other)))
                }
            };
            if !matters || distance > within {
                self.queue.push_back(task);
                continue;
            }
            followed = true;
            match task {
                Task::Explain(id) => self.explain(id),
                Task::Forward(id) => {
                    let Atom { pred, moment, .. } = self.infos[id.0 as usize].atom;
                    self.possible.entry((pred, moment)).or_default().push(id);
                    self.forward(id);
                }
                Task::Compare { holds, other, too } => self.compare_thresholds(holds, other, too),
            }
        }
        followed
    }

    /// What makes a predicate hold at a moment matters from now on.
    pub(crate) fn need_lower(&mut self, pred: Pred, moment: u8) {
        let moment = self.moment(pred, moment);
        let mut work = vec![(pred, moment)];
        while let Some((pred, moment)) = work.pop() {
            if !self.lower.insert((pred, moment)) || moment == ALWAYS {
                continue;
            }
            for &at in &self.theory.by_head[pred.index()] {
                let clause = &self.theory.clauses[at];
                let Some(before) = (if clause.when == When::Now { Some(moment) } else { moment.checked_sub(1) }) else {
                    continue;
                };
                let mut first = true;
                for literal in clause.body.iter().filter(|_| clause.sure) {
                    let Literal::Atom { pred: read, positive: true, .. } = literal else { continue };
                    let key = (*read, self.moment(*read, before));
                    work.push(key);
                    // What was fed before is fed again: the clause did not matter then.
                    if std::mem::take(&mut first) {
                        self.queue
                            .extend(self.possible.remove(&key).unwrap_or_default().into_iter().map(Task::Forward));
                    }
                }
            }
        }
    }

    pub(crate) fn lower_matters(&self, pred: Pred, moment: u8) -> bool {
        self.lower.contains(&(pred, self.moment(pred, moment)))
    }

    /// An atom that may have to be false, in spite of what makes it hold.
    pub(crate) fn deny(&mut self, pred: Pred, moment: u8, args: &[Option<Term>]) -> Bit {
        let bit = self.mention(pred, moment, args);
        if !matches!(bit, Bit::True | Bit::False) {
            self.need_lower(pred, moment);
        }
        bit
    }

    /// How far an atom is from the question.
    pub(crate) fn depth(&self, atom: &Atom) -> u8 {
        self.near.get(atom).copied().unwrap_or_else(|| self.farthest(atom))
    }

    /// Whoever is counted is as near as what is counted: any value may turn out to be the one that two sets have in common.
    pub(crate) fn bring_near(&mut self, atom: &Atom) {
        if let (Kind::Element(_), false) = (&self.theory.predicate(atom.pred).kind, self.theory.barred.is_empty()) {
            let group = &atom.args[..atom.args.len() - 1];
            let depth = group.iter().flatten().map(|term| self.terms.depth(*term)).max().unwrap_or(0);
            self.near.insert(atom.clone(), depth);
        }
    }

    /// How late an atom is looked at: what a set has for elements comes after what is known of the set.
    fn distance(&self, id: AtomId) -> u8 {
        let atom = &self.infos[id.0 as usize].atom;
        let set = matches!(self.theory.predicate(atom.pred).kind, Kind::Threshold(_));
        self.depth(atom).saturating_add(u8::from(set))
    }

    fn farthest(&self, atom: &Atom) -> u8 {
        atom.args.iter().flatten().map(|term| self.terms.depth(*term)).max().unwrap_or(0)
    }
}

/// All ways to choose so many of a list.
pub(crate) fn choose<T: Clone>(from: &[T], count: usize) -> Vec<Vec<T>> {
    match (count, from.split_first()) {
        (0, _) => vec![vec![]],
        (_, None) => vec![],
        (_, Some((first, rest))) => {
            let with = choose(rest, count - 1).into_iter().map(|mut chosen| {
                chosen.push(first.clone());
                chosen
            });
            with.chain(choose(rest, count)).collect()
        }
    }
}
