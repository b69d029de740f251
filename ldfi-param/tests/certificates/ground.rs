//! Formulas over a few values of each sort, as clauses: whether they have a model is decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dedalus_syntax::ast::{BinaryOp, CompareOp};
use ldfi_model::Value;
use ldfi_param::Sort;
use ldfi_param::confirm::{Amount, Formula, Predicate, Term, Var};
use varisat::{ExtendFormula, Lit, Solver};

use crate::domain::Domain;

/// Messages under way of one relation, at most.
const UNDER_WAY: usize = 3;

/// A formula in few forms, each of which is there once.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    Is(bool),
    Atom(Predicate, Vec<Term>),
    Compare(CompareOp, Term, Term),
    Within(Term, Sort),
    Not(usize),
    All(Vec<usize>),
    Some(Vec<Var>, Vec<usize>),
    AtMost(Vec<(i64, Counted)>, i64),
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Counted {
    Of(Vec<Var>, usize),
    UnderWay(dedalus_syntax::plan::RelId, u32),
    Value(Term),
}

/// Parts that are left, and the values of their variables that are known.
type Asked = (Vec<usize>, Vec<(u32, i64)>);

/// Formulas as clauses of a solver.
pub struct Ground<'d> {
    domain: &'d Domain,
    solver: Solver<'static>,
    yes: Lit,
    nodes: Vec<Node>,
    known: HashMap<Node, usize>,
    free: Vec<Vec<Var>>,
    atoms: BTreeMap<(Predicate, Vec<i64>), Lit>,
    sorts: BTreeMap<Predicate, Vec<Sort>>,
    under_way: BTreeMap<(dedalus_syntax::plan::RelId, u32), Vec<Lit>>,
    gates: HashMap<Vec<Lit>, Lit>,
    found: HashMap<Asked, Lit>,
    values: HashMap<u32, i64>,
}

impl<'d> Ground<'d> {
    pub fn new(domain: &'d Domain) -> Self {
        let mut solver = Solver::new();
        let yes = solver.new_lit();
        solver.add_clause(&[yes]);
        Ground {
            domain,
            solver,
            yes,
            nodes: vec![],
            known: HashMap::new(),
            free: vec![],
            atoms: BTreeMap::new(),
            sorts: BTreeMap::new(),
            under_way: BTreeMap::new(),
            gates: HashMap::new(),
            found: HashMap::new(),
            values: HashMap::new(),
        }
    }

    /// Requires a formula without free variables.
    pub fn require(&mut self, formula: &Formula) {
        let lit = self.lit(formula);
        self.solver.add_clause(&[lit]);
    }

    /// That a formula without free variables holds.
    pub fn lit(&mut self, formula: &Formula) -> Lit {
        let node = self.node(formula);
        self.eval(node)
    }

    /// That predicates hold of some values and not of others, where that is known.
    pub fn state(&self, holds: impl Fn(Predicate, &[i64]) -> Option<bool>) -> Vec<Lit> {
        let known = |((predicate, values), lit): (&(Predicate, Vec<i64>), &Lit)| {
            holds(*predicate, values).map(|holds| if holds { *lit } else { !*lit })
        };
        self.atoms.iter().filter_map(known).collect()
    }

    /// Whether there is a model in which this holds, too: what is true in it.
    pub fn model(&mut self, beside: &[Lit]) -> Option<Vec<String>> {
        self.solver.assume(beside);
        if !self.solver.solve().expect("nothing stops it") {
            return None;
        }
        let model: BTreeSet<Lit> = self.solver.model().expect("it was just found").into_iter().collect();
        let shown = |(predicate, values): &(Predicate, Vec<i64>)| {
            let sorts = &self.sorts[predicate];
            let values: Vec<String> =
                values.iter().zip(sorts).map(|(value, sort)| self.domain.show(*value, *sort)).collect();
            format!("{predicate:?}({})", values.join(", "))
        };
        Some(self.atoms.iter().filter(|(_, lit)| model.contains(lit)).map(|(atom, _)| shown(atom)).collect())
    }

    fn add(&mut self, node: Node) -> usize {
        if let Some(place) = self.known.get(&node) {
            return *place;
        }
        let mut free: BTreeSet<Var> = BTreeSet::new();
        match &node {
            Node::Is(_) => {}
            Node::Atom(_, terms) => terms.iter().for_each(|term| vars(term, &mut free)),
            Node::Compare(_, left, right) => [left, right].into_iter().for_each(|term| vars(term, &mut free)),
            Node::Within(term, _) => vars(term, &mut free),
            Node::Not(inner) => free.extend(&self.free[*inner]),
            Node::All(parts) => parts.iter().for_each(|part| free.extend(&self.free[*part])),
            Node::Some(bound, parts) => {
                parts.iter().for_each(|part| free.extend(&self.free[*part]));
                free.retain(|var| !bound.contains(var));
            }
            Node::AtMost(sum, _) => {
                for (_, of) in sum {
                    match of {
                        Counted::Of(bound, inner) => {
                            free.extend(self.free[*inner].iter().filter(|var| !bound.contains(var)));
                        }
                        Counted::UnderWay(..) => {}
                        Counted::Value(term) => vars(term, &mut free),
                    }
                }
            }
        }
        self.nodes.push(node.clone());
        self.free.push(free.into_iter().collect());
        self.known.insert(node, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn node(&mut self, formula: &Formula) -> usize {
        match formula {
            Formula::Is(is) => self.add(Node::Is(*is)),
            Formula::Atom(predicate, terms) => self.add(Node::Atom(*predicate, terms.clone())),
            Formula::Compare(op, left, right) => self.add(Node::Compare(*op, left.clone(), right.clone())),
            Formula::Within(term, sort) => self.add(Node::Within(term.clone(), *sort)),
            Formula::Not(inner) => {
                let inner = self.node(inner);
                self.negated(inner)
            }
            Formula::All(parts) => {
                let parts = parts.iter().map(|part| self.node(part)).collect();
                self.add(Node::All(parts))
            }
            Formula::Any(parts) => {
                let parts = parts.iter().map(|part| self.node(part)).collect::<Vec<_>>();
                let parts = parts.into_iter().map(|part| self.negated(part)).collect();
                let none = self.add(Node::All(parts));
                self.negated(none)
            }
            Formula::Some(vars, inner) => {
                let inner = self.node(inner);
                self.some(vars, inner)
            }
            Formula::Every(vars, inner) => {
                let inner = self.node(inner);
                let not = self.negated(inner);
                let some = self.some(vars, not);
                self.negated(some)
            }
            Formula::AtMost(sum, most) => {
                let mut terms = vec![];
                for (times, amount) in sum {
                    terms.push((
                        *times,
                        match amount {
                            Amount::Count(vars, inner) => Counted::Of(vars.clone(), self.node(inner)),
                            Amount::UnderWay(relation, moment) => Counted::UnderWay(*relation, *moment),
                            Amount::Value(term) => Counted::Value(term.clone()),
                        },
                    ));
                }
                self.add(Node::AtMost(terms, *most))
            }
        }
    }

    fn negated(&mut self, node: usize) -> usize {
        match self.nodes[node] {
            Node::Is(is) => self.add(Node::Is(!is)),
            Node::Not(inner) => inner,
            _ => self.add(Node::Not(node)),
        }
    }

    fn some(&mut self, vars: &[Var], inner: usize) -> usize {
        let mut parts = vec![];
        let mut open = vec![inner];
        while let Some(part) = open.pop() {
            match &self.nodes[part] {
                Node::All(more) => open.extend(more),
                _ => parts.push(part),
            }
        }
        self.add(Node::Some(vars.to_vec(), parts))
    }

    fn value(&self, term: &Term) -> Option<i64> {
        match term {
            Term::Var(var) => self.values.get(&var.number).copied(),
            Term::Const(value, sort) => self.domain.number(value, *sort),
            Term::Param(param) => self.domain.params.get(*param).copied(),
            Term::Neg(inner) => self.value(inner)?.checked_neg(),
            Term::Binary(op, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Sub => left.checked_sub(right),
                    BinaryOp::Mul => left.checked_mul(right),
                    BinaryOp::Div => left.checked_div(right),
                }
            }
        }
    }

    fn is(&self, is: bool) -> Lit {
        if is { self.yes } else { !self.yes }
    }

    fn atom(&mut self, predicate: Predicate, terms: &[Term]) -> Lit {
        let values: Option<Vec<i64>> = terms.iter().map(|term| self.value(term)).collect();
        let Some(values) = values else { return !self.yes };
        if predicate == Predicate::Member {
            let (Term::Var(Var { sort, .. }) | Term::Const(_, sort)) = terms[0] else { return !self.yes };
            let members = self.domain.members.iter().filter_map(|name| self.domain.number(&Value::from(name), sort));
            return self.is(members.into_iter().any(|member| member == values[0]));
        }
        let sorts = self.sorts.entry(predicate).or_insert_with(|| {
            let sort = |term: &Term| {
                if let Term::Var(Var { sort, .. }) | Term::Const(_, sort) = term { *sort } else { Sort(0) }
            };
            terms.iter().map(sort).collect()
        });
        // Beyond what is looked at, nothing holds.
        let within = |(value, sort): (&i64, &Sort)| self.domain.of(*sort).contains(value);
        if !matches!(predicate, Predicate::At(..)) && !values.iter().zip(&*sorts).all(within) {
            return !self.yes;
        }
        let solver = &mut self.solver;
        *self.atoms.entry((predicate, values)).or_insert_with(|| solver.new_lit())
    }

    fn eval(&mut self, node: usize) -> Lit {
        match self.nodes[node].clone() {
            Node::Is(is) => self.is(is),
            Node::Atom(predicate, terms) => self.atom(predicate, &terms),
            Node::Compare(op, left, right) => match (self.value(&left), self.value(&right)) {
                (Some(left), Some(right)) => self.is(match op {
                    CompareOp::Eq => left == right,
                    CompareOp::Ne => left != right,
                    CompareOp::Lt => left < right,
                    CompareOp::Le => left <= right,
                    CompareOp::Gt => left > right,
                    CompareOp::Ge => left >= right,
                }),
                _ => !self.yes,
            },
            Node::Within(term, sort) => {
                let within = self.value(&term).is_none_or(|value| self.domain.of(sort).contains(&value));
                self.is(within)
            }
            Node::Not(inner) => !self.eval(inner),
            Node::All(parts) => {
                let mut lits = vec![];
                for part in parts {
                    let lit = self.eval(part);
                    if lit == !self.yes {
                        return lit;
                    }
                    lits.push(lit);
                }
                self.all(lits)
            }
            Node::Some(vars, parts) => {
                // Variables of this quantifier have other values elsewhere.
                let outer: Vec<(u32, Option<i64>)> =
                    vars.iter().map(|var| (var.number, self.values.remove(&var.number))).collect();
                let lit = self.exists(parts);
                for (number, value) in outer {
                    match value {
                        Some(value) => self.values.insert(number, value),
                        None => self.values.remove(&number),
                    };
                }
                lit
            }
            Node::AtMost(sum, most) => self.at_most(&sum, most),
        }
    }

    fn unbound(&self, part: usize) -> Vec<Var> {
        self.free[part].iter().filter(|var| !self.values.contains_key(&var.number)).copied().collect()
    }

    /// That for some values of what is unbound all parts hold.
    fn exists(&mut self, parts: Vec<usize>) -> Lit {
        // Parts that share no variable are asked about by themselves.
        let mut groups: Vec<(BTreeSet<Var>, Vec<usize>)> = vec![];
        let mut lits = vec![];
        for part in parts {
            let mut vars: BTreeSet<Var> = self.unbound(part).into_iter().collect();
            if vars.is_empty() {
                let lit = self.eval(part);
                if lit == !self.yes {
                    return lit;
                }
                lits.push(lit);
                continue;
            }
            let mut members = vec![part];
            let (joined, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|(known, _)| !known.is_disjoint(&vars));
            for (known, more) in joined {
                vars.extend(known);
                members.extend(more);
            }
            groups = apart;
            groups.push((vars, members));
        }
        for (vars, members) in groups {
            let lit = self.group(&vars, members);
            if lit == !self.yes {
                return lit;
            }
            lits.push(lit);
        }
        self.all(lits)
    }

    fn group(&mut self, vars: &BTreeSet<Var>, mut parts: Vec<usize>) -> Lit {
        parts.sort_unstable();
        parts.dedup();
        let bound: BTreeSet<(u32, i64)> = (parts.iter().flat_map(|part| &self.free[*part]))
            .filter_map(|var| Some((var.number, *self.values.get(&var.number)?)))
            .collect();
        let asked: Asked = (parts.clone(), bound.into_iter().collect());
        if let Some(lit) = self.found.get(&asked) {
            return *lit;
        }
        // What is determined first, then what most parts wait for.
        let settled = parts.iter().find_map(|part| self.determined(*part));
        let waiting = |var: &&Var| parts.iter().filter(|part| self.free[**part].contains(*var)).count();
        let (var, values) = match settled {
            Some((_, None)) => return !self.yes,
            Some((var, Some(value))) => (var, value..=value),
            None => {
                let var = *vars.iter().max_by_key(waiting).expect("a group has a variable");
                (var, self.domain.of(var.sort))
            }
        };
        let mut any = vec![];
        for value in values {
            if !self.domain.of(var.sort).contains(&value) {
                continue;
            }
            self.values.insert(var.number, value);
            let lit = self.exists(parts.clone());
            self.values.remove(&var.number);
            any.push(!lit);
            if lit == self.yes {
                break;
            }
        }
        let lit = !self.all(any);
        self.found.insert(asked, lit);
        lit
    }

    /// A variable that an equality determines; it has no value if the other side has none.
    fn determined(&self, part: usize) -> Option<(Var, Option<i64>)> {
        let Node::Compare(CompareOp::Eq, left, right) = &self.nodes[part] else { return None };
        let one = |var: &Term, other: &Term| {
            let Term::Var(var) = var else { return None };
            let mut rest = BTreeSet::new();
            vars(other, &mut rest);
            let known = rest.iter().all(|var| self.values.contains_key(&var.number));
            (known && !self.values.contains_key(&var.number)).then(|| (*var, self.value(other)))
        };
        one(left, right).or_else(|| one(right, left))
    }

    /// A gate.
    fn all(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.retain(|lit| *lit != self.yes);
        lits.sort_unstable();
        lits.dedup();
        if lits.iter().any(|lit| *lit == !self.yes || lits.binary_search(&!*lit).is_ok()) {
            return !self.yes;
        }
        if lits.len() < 2 {
            return lits.first().copied().unwrap_or(self.yes);
        }
        if let Some(gate) = self.gates.get(&lits) {
            return *gate;
        }
        let gate = self.solver.new_lit();
        lits.iter().for_each(|lit| self.solver.add_clause(&[!gate, *lit]));
        let back: Vec<Lit> = lits.iter().map(|lit| !*lit).chain([gate]).collect();
        self.solver.add_clause(&back);
        self.gates.insert(lits, gate);
        gate
    }

    fn at_most(&mut self, sum: &[(i64, Counted)], most: i64) -> Lit {
        let mut most = most;
        let mut terms: Vec<(i64, Lit)> = vec![];
        for (times, amount) in sum {
            let lits = match amount {
                Counted::Value(term) => {
                    let Some(value) = self.value(term) else { return !self.yes };
                    most -= times * value;
                    continue;
                }
                Counted::UnderWay(relation, moment) => self.many(*relation, *moment),
                Counted::Of(vars, inner) => self.each(vars, *inner),
            };
            for lit in lits {
                // What counts against the sum counts for it if it does not hold.
                if *times < 0 {
                    most -= times;
                    terms.push((-times, !lit));
                } else {
                    terms.push((*times, lit));
                }
            }
        }
        terms.retain(|(_, lit)| *lit != !self.yes);
        let mut known = HashMap::new();
        !self.reaches(&terms, most + 1, &mut known)
    }

    /// That a sum reaches a number.
    fn reaches(&mut self, terms: &[(i64, Lit)], least: i64, known: &mut HashMap<(usize, i64), Lit>) -> Lit {
        let total: i64 = terms.iter().map(|(times, _)| times).sum();
        if least <= 0 || total < least {
            return self.is(least <= 0);
        }
        if let Some(lit) = known.get(&(terms.len(), least)) {
            return *lit;
        }
        let (times, first) = terms[0];
        let with = self.reaches(&terms[1..], least - times, known);
        let without = self.reaches(&terms[1..], least, known);
        // Without it the sum is smaller, so this is enough.
        let taken = self.all(vec![first, with]);
        let lit = !self.all(vec![!taken, !without]);
        known.insert((terms.len(), least), lit);
        lit
    }

    /// One literal for each message under way that is looked at.
    fn many(&mut self, relation: dedalus_syntax::plan::RelId, moment: u32) -> Vec<Lit> {
        if let Some(known) = self.under_way.get(&(relation, moment)) {
            return known.clone();
        }
        let lits: Vec<Lit> = (0..UNDER_WAY).map(|_| self.solver.new_lit()).collect();
        lits.windows(2).for_each(|pair| self.solver.add_clause(&[pair[0], !pair[1]]));
        self.under_way.insert((relation, moment), lits.clone());
        lits
    }

    /// One literal for each value of some variables: that a formula holds of it.
    fn each(&mut self, vars: &[Var], inner: usize) -> Vec<Lit> {
        let outer: Vec<Option<i64>> = vars.iter().map(|var| self.values.remove(&var.number)).collect();
        let mut lits = vec![];
        self.each_from(vars, inner, &mut lits);
        for (var, value) in vars.iter().zip(outer) {
            value.and_then(|value| self.values.insert(var.number, value));
        }
        lits
    }

    fn each_from(&mut self, vars: &[Var], inner: usize, lits: &mut Vec<Lit>) {
        let Some((var, rest)) = vars.split_first() else {
            let lit = self.eval(inner);
            return lits.push(lit);
        };
        for value in self.domain.of(var.sort) {
            self.values.insert(var.number, value);
            self.each_from(rest, inner, lits);
        }
        self.values.remove(&var.number);
    }
}

fn vars(term: &Term, found: &mut BTreeSet<Var>) {
    match term {
        Term::Var(var) => drop(found.insert(*var)),
        Term::Const(..) | Term::Param(_) => {}
        Term::Neg(inner) => vars(inner, found),
        Term::Binary(_, left, right) => [left, right].into_iter().for_each(|term| vars(term, found)),
    }
}
