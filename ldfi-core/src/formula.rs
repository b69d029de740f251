//! Boolean formulas as shared circuits: and-nodes and negation, each node made once.
//!
//! Constants fold away and equal nodes are one node, so that facts and local steps vanish while a
//! formula is built. Clauses are made from a node only when it is asserted, and only in the
//! direction in which it is used.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::solver::{Lit, Sink, Var};

/// A node or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

impl Bit {
    /// Holds always.
    pub const TRUE: Bit = Bit(0);
    /// Holds never.
    pub const FALSE: Bit = Bit(1);

    /// Stands for a bit that is not known yet; no node has it.
    pub(crate) const UNKNOWN: Bit = Bit(u32::MAX);

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Position in tables that have two rows a node.
    pub(crate) fn code(self) -> usize {
        self.0 as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

#[derive(Clone, Debug)]
enum Node {
    True,
    Input,
    And(Box<[Bit]>),
}

/// A set of circuits over numbered inputs.
#[derive(Clone, Debug)]
pub struct Formula {
    nodes: Vec<Node>,
    /// Parts of all conjunctions.
    parts: usize,
    unique: FxHashMap<Box<[Bit]>, u32>,
}

/// Parts of conjunctions that take as much as a node does.
const PARTS: usize = 16;

impl Default for Formula {
    fn default() -> Self {
        Formula { nodes: vec![Node::True], parts: 0, unique: FxHashMap::default() }
    }
}

impl Formula {
    /// A new input.
    pub fn input(&mut self) -> Bit {
        self.nodes.push(Node::Input);
        Bit(self.last() << 1)
    }

    fn last(&self) -> u32 {
        u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX >> 1)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many nodes there are, a conjunction of many parts counted as several: in proportion to what it takes.
    pub fn size(&self) -> usize {
        self.nodes.len() + self.parts / PARTS
    }

    /// All of them.
    pub fn and(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        let mut bits: Vec<Bit> = bits.into_iter().filter(|b| *b != Bit::TRUE).collect();
        bits.sort_unstable();
        bits.dedup();
        // A bit and its negation are neighbours once sorted.
        if bits.first() == Some(&Bit::FALSE) || bits.windows(2).any(|w| w[0] == !w[1]) {
            return Bit::FALSE;
        }
        match bits[..] {
            [] => Bit::TRUE,
            [single] => single,
            _ => {
                let key = bits.into_boxed_slice();
                if let Some(node) = self.unique.get(&key) {
                    return Bit(node << 1);
                }
                self.parts += key.len();
                self.nodes.push(Node::And(key.clone()));
                let node = self.last();
                self.unique.insert(key, node);
                Bit(node << 1)
            }
        }
    }

    /// At least one of them. What all of them ask for is asked once: `ab + ac` is `a(b + c)`, which a solver follows
    /// from `a` being false without looking at `b` and `c`. Where more than one bit is left of each, that would be a node
    /// more rather than less.
    pub fn or(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        let bits: Vec<Bit> = bits.into_iter().filter(|bit| *bit != Bit::FALSE).collect();
        let common = self.common(&bits);
        if common.is_empty() || bits.iter().all(|bit| self.parts(*bit).len() > common.len() + 1) {
            return !self.and(bits.into_iter().map(|bit| !bit));
        }
        let mut rests = vec![];
        for bit in bits.iter().filter(|bit| !common.contains(bit)) {
            let rest: Vec<Bit> = self.parts(*bit).iter().filter(|part| !common.contains(part)).copied().collect();
            rests.push(self.and(rest));
        }
        let some_rest = if rests.len() < bits.len() { Bit::TRUE } else { self.or(rests) };
        self.and(common.into_iter().chain([some_rest]))
    }

    /// What each of several bits asks for: itself, or a part of it.
    fn common(&self, bits: &[Bit]) -> Vec<Bit> {
        let Some((first, others)) = bits.split_first().filter(|(_, others)| !others.is_empty()) else { return vec![] };
        let mut common = [&[*first], self.parts(*first)].concat();
        for other in others {
            if common.is_empty() {
                break;
            }
            let parts = self.parts(*other);
            common.retain(|part| part == other || parts.binary_search(part).is_ok());
        }
        common
    }

    /// The parts of a conjunction; none for anything else.
    pub(crate) fn parts(&self, bit: Bit) -> &[Bit] {
        match &self.nodes[bit.node()] {
            Node::And(parts) if !bit.is_negated() => parts,
            _ => &[],
        }
    }

    /// Every node, what it rests on before it.
    pub(crate) fn bits(&self) -> impl Iterator<Item = Bit> + use<> {
        (0..=self.last()).map(|node| Bit(node << 1))
    }

    /// The nodes that a bit rests on, itself last, each after what it rests on.
    pub(crate) fn cone(&self, bit: Bit) -> Vec<Bit> {
        let mut wanted = vec![false; bit.node() + 1];
        wanted[bit.node()] = true;
        for node in (0..=bit.node()).rev() {
            if wanted[node]
                && let Node::And(parts) = &self.nodes[node]
            {
                parts.iter().for_each(|part| wanted[part.node()] = true);
            }
        }
        self.bits().take(wanted.len()).filter(|bit| wanted[bit.node()]).collect()
    }

    /// The ways in which a bit can hold, one of which must; itself, if there is only that.
    pub(crate) fn ways(&self, bit: Bit) -> Vec<Bit> {
        match self.parts(!bit) {
            [] => vec![bit],
            parts => parts.iter().map(|part| !*part).collect(),
        }
    }

    /// What makes a bit hold, all of it or some of it, and in turn what makes that hold: nearest first.
    pub(crate) fn below(&self, bit: Bit) -> impl Iterator<Item = Bit> {
        let mut seen = vec![false; 2 * self.nodes.len()];
        let mut queue = VecDeque::from([bit]);
        std::iter::from_fn(move || {
            let bit = queue.pop_front()?;
            if let Node::And(parts) = &self.nodes[bit.node()] {
                for part in parts {
                    let part = if bit.is_negated() { !*part } else { *part };
                    if !std::mem::replace(&mut seen[part.code()], true) {
                        queue.push_back(part);
                    }
                }
            }
            Some(bit)
        })
    }

    /// The value of a bit when these inputs hold and no other.
    #[cfg(test)]
    pub fn evaluate(&self, bit: Bit, inputs: &dyn Fn(Bit) -> bool) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for (i, node) in self.nodes.iter().enumerate() {
            let value = match node {
                Node::True => true,
                Node::Input => inputs(Bit(u32::try_from(i).unwrap_or(0) << 1)),
                Node::And(bits) => bits.iter().all(|b| values[b.node()] != b.is_negated()),
            };
            values.push(value);
        }
        values[bit.node()] != bit.is_negated()
    }
}

/// Turns circuits into clauses, each node at most once in each direction.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    vars: Vec<Option<Var>>,
    /// Whether the clauses that a node implies, and that imply it, are there.
    forward: Vec<bool>,
    backward: Vec<bool>,
}

impl Clauses {
    fn room(&mut self, formula: &Formula) {
        let size = formula.len();
        self.vars.resize(size, None);
        self.forward.resize(size, false);
        self.backward.resize(size, false);
    }

    /// Adds the clauses that make `bit` hold.
    pub fn assert(&mut self, formula: &Formula, bit: Bit, sink: &mut dyn Sink) {
        match (&formula.nodes[bit.node()], bit.is_negated()) {
            (Node::And(parts), false) => parts.iter().for_each(|part| self.assert(formula, *part, sink)),
            (Node::And(parts), true) => {
                let clause: Vec<Lit> = parts.iter().map(|part| self.lit(formula, !*part, sink)).collect();
                sink.add_clause(&clause);
            }
            (Node::True, negated) => {
                if negated {
                    sink.add_clause(&[]);
                }
            }
            (Node::Input, _) => {
                let lit = self.lit(formula, bit, sink);
                sink.add_clause(&[lit]);
            }
        }
    }

    /// A literal that implies `bit`, with the clauses that make it so.
    pub fn lit(&mut self, formula: &Formula, bit: Bit, sink: &mut dyn Sink) -> Lit {
        self.room(formula);
        let mut work = vec![bit];
        while let Some(bit) = work.pop() {
            let (node, negated) = (bit.node(), bit.is_negated());
            let done = if negated { &mut self.backward[node] } else { &mut self.forward[node] };
            if std::mem::replace(done, true) {
                continue;
            }
            let var = self.var(node, sink);
            match &formula.nodes[node] {
                Node::Input => {}
                Node::True => sink.add_clause(&[var.pos()]),
                Node::And(parts) if negated => {
                    // not node → not all parts, as the clause: node or not p1 or not p2 …
                    let mut clause = vec![var.pos()];
                    clause.extend(parts.iter().map(|part| self.var(part.node(), sink).lit(part.is_negated())));
                    sink.add_clause(&clause);
                    work.extend(parts.iter().map(|part| !*part));
                }
                Node::And(parts) => {
                    for part in parts {
                        let lit = self.var(part.node(), sink).lit(!part.is_negated());
                        sink.add_clause(&[var.neg(), lit]);
                    }
                    work.extend(parts.iter().copied());
                }
            }
        }
        self.var(bit.node(), sink).lit(!bit.is_negated())
    }

    fn var(&mut self, node: usize, sink: &mut dyn Sink) -> Var {
        *self.vars[node].get_or_insert_with(|| sink.new_var())
    }

    /// The literal of a bit, if any clause names it.
    pub fn named(&self, bit: Bit) -> Option<Lit> {
        self.vars.get(bit.node()).copied().flatten().map(|var| var.lit(!bit.is_negated()))
    }

    /// The variable of an input, if any clause names it.
    pub fn known(&self, bit: Bit) -> Option<Var> {
        // The constants have one too, once a clause names them, and are no inputs.
        self.vars.get(bit.node()).copied().flatten().filter(|_| bit.node() != Bit::TRUE.node())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Answer, Budget, new_solver};

    #[test]
    fn constants_and_contradictions_fold() {
        let mut f = Formula::default();
        let (a, b) = (f.input(), f.input());
        assert_eq!(f.and([a, Bit::TRUE]), a);
        assert_eq!(f.and([a, Bit::FALSE]), Bit::FALSE);
        assert_eq!(f.and([a, !a]), Bit::FALSE);
        assert_eq!(f.or([a, !a]), Bit::TRUE);
        assert_eq!(f.and([a, b]), f.and([b, a, b]));
    }

    #[test]
    fn what_all_ask_for_is_asked_once_where_that_saves_a_node() {
        let mut f = Formula::default();
        let [a, b, c, d, e] = std::array::from_fn(|_| f.input());
        let (ab, acd, abe) = (f.and([a, b]), f.and([a, c, d]), f.and([a, b, e]));
        let some = f.or([ab, acd]);
        assert!(f.parts(some).contains(&a), "a(b + cd)");
        assert_eq!(f.or([ab, a]), a, "asked for by itself");
        let before = f.len();
        let neither = !f.or([acd, abe]);
        assert_eq!((f.len(), f.parts(neither)), (before + 1, &[!acd, !abe][..]), "acd + abe");
    }

    #[test]
    fn clauses_have_the_models_of_the_circuit() {
        let mut f = Formula::default();
        let inputs: Vec<Bit> = (0..4).map(|_| f.input()).collect();
        let left = f.and([inputs[0], !inputs[1]]);
        let right = f.or([inputs[2], left]);
        let goal = f.and([!right, inputs[3]]);
        let root = f.or([goal, left]);
        for assignment in 0..16u32 {
            let value = |bit: Bit| inputs.iter().position(|i| *i == bit).is_some_and(|i| assignment >> i & 1 == 1);
            let mut solver = new_solver();
            let mut clauses = Clauses::default();
            clauses.assert(&f, root, &mut *solver);
            for (i, input) in inputs.iter().enumerate() {
                let lit = clauses.lit(&f, if assignment >> i & 1 == 1 { *input } else { !*input }, &mut *solver);
                solver.add_clause(&[lit]);
            }
            let sat = matches!(solver.solve(&Budget::unlimited()), Answer::Sat(_));
            assert_eq!(sat, f.evaluate(root, &value), "{assignment:04b}");
        }
    }
}
