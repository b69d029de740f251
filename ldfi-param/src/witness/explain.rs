//! Reasons: what must be the case if an atom holds.

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::{Link, RelId};

use super::chase::{ALWAYS, Atom, AtomId, Bit, Chase};
use super::term::Term;
use super::theory::{Arg, Clause, Kind, Literal};
use crate::sorts::Sort;
use crate::supply::{Column, First, Template};

/// What the variables of a clause are.
pub(crate) type Binding = Vec<Option<Term>>;

impl Chase<'_, '_> {
    /// Says what must be the case if an atom holds.
    pub(crate) fn explain(&mut self, id: AtomId) {
        let atom = self.infos[id.0 as usize].atom.clone();
        let holds = Bit::Lit(self.infos[id.0 as usize].var.pos());
        if atom.args.iter().any(Option::is_none) {
            // Where reasons are wide, one value at a time: a tuple of five columns has too many ways to be filled at once.
            return if self.theory.barred.is_empty() {
                self.explain_all(&atom, holds)
            } else {
                self.explain_one(&atom, holds)
            };
        }
        match &self.theory.predicate(atom.pred).kind {
            Kind::Relation(relation) => self.explain_tuple(&atom, holds, Some(*relation)),
            Kind::Element(_) => {
                self.bring_near(&atom);
                self.explain_tuple(&atom, holds, None);
            }
            Kind::Sent(relation) => self.explain_sent(&atom, holds, *relation),
            Kind::Threshold(_) => self.explain_threshold(id),
            Kind::Member | Kind::Node | Kind::Crashes | Kind::Down | Kind::Possible(_) => {}
        }
    }

    /// If something matches, then with some values.
    fn explain_all(&mut self, atom: &Atom, holds: Bit) {
        let columns = self.theory.predicate(atom.pred).columns.clone();
        let open: Vec<usize> = (0..columns.len()).filter(|at| atom.args[*at].is_none()).collect();
        let mut domains: Vec<Vec<Term>> = vec![];
        for &at in &open {
            let Some(domain) = self.domain(columns[at], self.depth(atom)) else { return };
            domains.push(domain);
        }
        if domains.iter().map(Vec::len).product::<usize>() > self.limits.ways {
            self.cut = true;
            return;
        }
        let mut ways = vec![!holds];
        for chosen in product(&domains) {
            let mut args = atom.args.clone();
            open.iter().zip(chosen).for_each(|(at, term)| args[*at] = Some(term));
            ways.push(self.suppose(atom.pred, atom.moment, &args));
        }
        self.clause(ways);
    }

    /// If something matches, then with some value in a column that is open; the others come after that.
    fn explain_one(&mut self, atom: &Atom, holds: Bit) {
        let columns = &self.theory.predicate(atom.pred).columns;
        let open = (0..columns.len()).filter(|at| atom.args[*at].is_none());
        // Order tells most values apart.
        let Some(at) = open.min_by_key(|at| !self.theory.values(columns[*at]).ordered) else { return };
        let depth = self.depth(atom);
        let Some(domain) = self.domain(columns[at], depth) else { return };
        if domain.len() > self.limits.ways {
            self.cut = true;
            return;
        }
        let mut ways = vec![!holds];
        for term in domain {
            let mut closer = atom.clone();
            closer.args[at] = Some(term);
            // Values of one tuple are equally far.
            if closer.args.contains(&None) {
                self.near.insert(self.atom(closer.pred, closer.moment, &closer.args), depth);
            }
            ways.push(self.suppose(closer.pred, closer.moment, &closer.args));
        }
        self.clause(ways);
    }

    /// The values that something can have: the terms that there are, and a new one; `None` if that gets too deep.
    fn domain(&mut self, sort: Sort, depth: u8) -> Option<Vec<Term>> {
        let mut domain = self.terms.of(sort).to_vec();
        if !self.theory.values(sort).closed {
            if depth >= self.limits.depth {
                return None;
            }
            domain.push(self.terms.add(sort, None, depth + 1));
        }
        Some(domain)
    }

    fn explain_tuple(&mut self, atom: &Atom, holds: Bit, relation: Option<RelId>) {
        let first = atom.moment == 0;
        // Of the state before all others nothing is known, but what follows within it.
        if atom.moment == ALWAYS || first && !self.shape.initial && self.theory.base[atom.pred.index()] {
            return;
        }
        let mut ways = vec![!holds];
        for at in self.theory.by_head[atom.pred.index()].clone() {
            match self.theory.clauses[at].when {
                When::Now => self.ways(at, atom, atom.moment, &mut ways),
                When::Next | When::Async if first => {}
                When::Next => self.ways(at, atom, atom.moment - 1, &mut ways),
                When::Async => self.arrivals(at, atom, &mut ways),
            }
        }
        if let Some(sent) = relation.filter(|_| !first).and_then(|relation| self.theory.find(&Kind::Sent(relation))) {
            ways.push(self.suppose(sent, atom.moment - 1, &atom.args));
        }
        for template in relation.map_or(vec![], |relation| self.templates(relation, first)) {
            ways.extend(self.supplied(&template, atom, relation));
        }
        self.clause(ways);
    }

    fn templates(&self, relation: RelId, first: bool) -> Vec<Template> {
        let Some(supply) = self.theory.question.supply(relation) else { return vec![] };
        match &supply.first {
            First::Exactly(templates) | First::Within(templates) if first => templates.clone(),
            _ => supply.later.clone(),
        }
    }

    /// Whether a tuple is one of a template.
    fn supplied(&mut self, template: &Template, atom: &Atom, relation: Option<RelId>) -> Option<Bit> {
        let conditions = self.matches(template, &atom.args)?;
        let mut parts: Vec<Bit> = vec![];
        for member in conditions {
            parts.push(self.node_or_member(member)?);
        }
        if let Some(possible) = relation.and_then(|relation| self.theory.find(&Kind::Possible(relation))) {
            parts.push(self.suppose(possible, ALWAYS, &atom.args));
        }
        Some(self.all(&parts))
    }

    /// What makes a tuple one of a template: some of its values are members, or nodes of any kind.
    fn matches(&self, template: &Template, args: &[Option<Term>]) -> Option<Vec<(Term, bool)>> {
        let mut members: Vec<Option<Term>> = vec![];
        let mut conditions = vec![];
        for (column, arg) in template.columns.iter().zip(args) {
            let term = (*arg)?;
            match column {
                Column::Constant(value) if self.terms.value(term) != Some(value) => return None,
                Column::Constant(_) | Column::Free => {}
                Column::Node => conditions.push((term, true)),
                Column::Member(variable) => {
                    members.resize(members.len().max(variable + 1), None);
                    let taken = |(at, known): (usize, &Option<Term>)| at != *variable && *known == Some(term);
                    let clash = template.distinct && members.iter().enumerate().any(taken);
                    if clash || members[*variable].is_some_and(|known| known != term) {
                        return None;
                    }
                    members[*variable] = Some(term);
                    conditions.push((term, false));
                }
            }
        }
        Some(conditions)
    }

    fn node_or_member(&mut self, (term, named_too): (Term, bool)) -> Option<Bit> {
        let bit = if named_too { self.node(term) } else { self.member(term) };
        (bit != Bit::False).then_some(bit)
    }

    pub(crate) fn member(&mut self, term: Term) -> Bit {
        let member = self.theory.find(&Kind::Member).expect("there is a predicate of members");
        self.suppose(member, ALWAYS, &[Some(term)])
    }

    /// Whether a term is a node.
    pub(crate) fn node(&mut self, term: Term) -> Bit {
        match self.terms.value(term) {
            Some(value) if self.theory.is_named(value) => Bit::True,
            Some(_) => Bit::False,
            None => self.member(term),
        }
    }

    /// What holds at the first moment because it is given.
    pub(crate) fn given_first(&mut self, atom: &Atom, holds: Bit) {
        let Kind::Relation(relation) = self.theory.predicate(atom.pred).kind else { return };
        if !self.shape.initial || atom.moment != 0 {
            return;
        }
        let Some(First::Exactly(templates)) = self.theory.question.supply(relation).map(|supply| supply.first.clone())
        else {
            return;
        };
        for template in templates {
            // What is left open takes the template's constant.
            let sorts = &self.theory.predicate(atom.pred).columns;
            let filled: Vec<Option<Term>> = (template.columns.iter().zip(&atom.args).zip(sorts))
                .map(|((column, arg), sort)| match (arg, column) {
                    (None, Column::Constant(value)) => self.terms.constant(*sort, value),
                    _ => *arg,
                })
                .collect();
            let Some(conditions) = self.matches(&template, &filled) else { continue };
            let mut parts = vec![holds];
            for condition in conditions {
                parts.push(self.node_or_member(condition).map_or(Bit::True, |bit| !bit));
            }
            self.clause(parts);
        }
    }

    /// A literal for all of these.
    pub(crate) fn all(&mut self, parts: &[Bit]) -> Bit {
        match parts.iter().filter(|part| **part != Bit::True).collect::<Vec<_>>()[..] {
            [] => Bit::True,
            [one] => *one,
            ref several => {
                let all = Bit::Lit(self.fresh());
                several.iter().for_each(|part| self.clause([!all, **part]));
                all
            }
        }
    }

    /// The ways in which a message arrives.
    fn arrivals(&mut self, at: usize, atom: &Atom, ways: &mut Vec<Bit>) {
        let Some(rule) = self.theory.clauses[at].rule else { return };
        match self.theory.question.plan.rule(rule).link {
            Link::Never => {}
            Link::Nodes | Link::LocalOnly => self.ways(at, atom, atom.moment - 1, ways),
        }
    }

    /// What may still arrive was sent now, or before.
    fn explain_sent(&mut self, atom: &Atom, holds: Bit, relation: RelId) {
        if atom.moment == 0 && !self.shape.initial {
            return;
        }
        let mut ways = vec![!holds];
        if atom.moment > 0 {
            ways.push(self.suppose(atom.pred, atom.moment - 1, &atom.args));
        }
        for at in self.theory.by_head[self.theory.relation(relation).index()].clone() {
            if self.theory.clauses[at].when == When::Async {
                self.ways(at, atom, atom.moment, &mut ways);
            }
        }
        self.clause(ways);
    }

    /// The ways in which a clause makes an atom hold, its body at a moment.
    fn ways(&mut self, at: usize, atom: &Atom, moment: u8, ways: &mut Vec<Bit>) {
        let theory = self.theory;
        let clause = &theory.clauses[at];
        let mut binding: Binding = vec![None; clause.vars.len()];
        let mut sums: Vec<(usize, Term, i64)> = vec![];
        for ((arg, term), sort) in clause.args.iter().zip(&atom.args).zip(&theory.predicate(clause.head).columns) {
            let Some(term) = *term else { continue };
            match arg {
                Arg::Var(var) if binding[*var].is_some_and(|known| known != term) => return,
                Arg::Var(var) => binding[*var] = Some(term),
                Arg::Const(value) if self.terms.constant(*sort, value) != Some(term) => return,
                Arg::Offset(var, by) => sums.push((*var, term, *by)),
                Arg::Const(_) | Arg::Any | Arg::Opaque => {}
            }
        }
        let open = self.open_vars(clause, &binding, &sums);
        let mut domains: Vec<(usize, Vec<Term>)> = vec![];
        for var in open {
            // A variable without a domain stays open: what the clause says of it is weakened.
            if let Some(domain) = self.domain(clause.vars[var], self.depth(atom)) {
                domains.push((var, domain));
            }
        }
        while domains.iter().map(|(_, domain)| domain.len()).product::<usize>() > self.limits.ways {
            let widest = (0..domains.len()).max_by_key(|at| domains[*at].1.len()).unwrap_or(0);
            domains.remove(widest);
            self.cut = true;
        }
        let lists: Vec<Vec<Term>> = domains.iter().map(|(_, domain)| domain.clone()).collect();
        for chosen in product(&lists) {
            let mut full = binding.clone();
            domains.iter().zip(chosen).for_each(|((var, _), term)| full[*var] = Some(term));
            ways.extend(self.way(at, atom, moment, &full, &sums));
        }
    }

    /// The variables that must have some value.
    fn open_vars(&self, clause: &Clause, binding: &Binding, sums: &[(usize, Term, i64)]) -> Vec<usize> {
        let mut open = vec![];
        let args = clause.body.iter().flat_map(Literal::args).chain(&clause.sender);
        for arg in args {
            if let Arg::Var(var) | Arg::Offset(var, _) = arg {
                open.push(*var);
            }
        }
        open.extend(sums.iter().map(|(var, ..)| *var));
        open.sort_unstable();
        open.dedup();
        open.retain(|var| binding[*var].is_none());
        open
    }

    /// The term that an argument is.
    pub(crate) fn term(&self, arg: &Arg, sort: Sort, binding: &Binding) -> Option<Term> {
        match arg {
            Arg::Var(var) => binding[*var],
            Arg::Const(value) => self.terms.constant(sort, value),
            Arg::Offset(..) | Arg::Any | Arg::Opaque => None,
        }
    }

    /// One way, if nothing is known to be against it.
    fn way(
        &mut self,
        at: usize,
        atom: &Atom,
        moment: u8,
        binding: &Binding,
        sums: &[(usize, Term, i64)],
    ) -> Option<Bit> {
        let theory = self.theory;
        let clause = &theory.clauses[at];
        let mut parts: Vec<Bit> = vec![];
        for (var, to, by) in sums {
            if let Some(from) = binding[*var] {
                parts.push(self.sum(from, *to, *by));
            }
        }
        for literal in &clause.body {
            if let Literal::Compare(op, left, right) = literal {
                parts.extend(self.compared(clause, *op, left, right, binding));
            }
        }
        if parts.contains(&Bit::False) {
            return None;
        }
        if clause.when == When::Async {
            parts.extend(self.sending(clause, atom, moment, binding)?);
        }
        for literal in &clause.body {
            let Literal::Atom { pred, args, positive } = literal else { continue };
            let columns = &theory.predicate(*pred).columns;
            let terms: Vec<Option<Term>> =
                args.iter().zip(columns).map(|(arg, sort)| self.term(arg, *sort, binding)).collect();
            let unknown = args.iter().zip(&terms).any(|(arg, term)| term.is_none() && *arg != Arg::Any);
            match positive {
                // Of a variable that is open it is known that it has some value.
                true => {
                    if let Some(depth) = self.near.get(atom).copied() {
                        let read = self.atom(*pred, moment, &terms);
                        self.near.insert(read, depth);
                    }
                    parts.push(self.suppose(*pred, moment, &terms));
                }
                false if unknown => {}
                false => parts.push(!self.deny(*pred, moment, &terms)),
            }
            // A column that is a sum matches the tuple's column.
            if *positive {
                parts.extend(self.offsets(*pred, moment, args, &terms, binding));
            }
        }
        if parts.contains(&Bit::False) {
            return None;
        }
        let way = if clause.extreme.is_some() { Bit::Lit(self.fresh()) } else { return Some(self.all(&parts)) };
        parts.into_iter().for_each(|part| self.clause([!way, part]));
        self.note_extreme(at, moment, &atom.args, way);
        self.need_lower(clause.head, atom.moment);
        Some(way)
    }

    /// A literal with a sum in a column has one of the terms there; so far as they are known.
    fn offsets(
        &mut self,
        pred: super::theory::Pred,
        moment: u8,
        args: &[Arg],
        terms: &[Option<Term>],
        binding: &Binding,
    ) -> Option<Bit> {
        let places: Vec<usize> = (0..args.len()).filter(|at| matches!(args[*at], Arg::Offset(..))).collect();
        let [place] = places[..] else { return None };
        let Arg::Offset(var, by) = args[place] else { return None };
        let from = binding[var]?;
        let sort = self.theory.predicate(pred).columns[place];
        if !self.theory.values(sort).closed {
            return None;
        }
        let mut ways = vec![];
        for to in self.terms.of(sort).to_vec() {
            let sum = self.sum(from, to, by);
            let mut full = terms.to_vec();
            full[place] = Some(to);
            if sum != Bit::False {
                let holds = self.suppose(pred, moment, &full);
                ways.push(self.all(&[sum, holds]));
            }
        }
        let some = Bit::Lit(self.fresh());
        self.clause(ways.into_iter().chain([!some]));
        Some(some)
    }

    /// A comparison, if both sides are known.
    pub(crate) fn compared(
        &mut self,
        clause: &Clause,
        op: dedalus_syntax::ast::CompareOp,
        left: &Arg,
        right: &Arg,
        binding: &Binding,
    ) -> Option<Bit> {
        use dedalus_syntax::ast::CompareOp;
        let sort = [left, right].into_iter().find_map(|arg| match arg {
            Arg::Var(var) | Arg::Offset(var, _) => Some(clause.vars[*var]),
            _ => None,
        });
        let Some(sort) = sort else {
            let (Arg::Const(one), Arg::Const(other)) = (left, right) else { return None };
            return Some(if op.holds(one, other) { Bit::True } else { Bit::False });
        };
        match (left, right, op) {
            (Arg::Offset(var, by), other, CompareOp::Eq) | (other, Arg::Offset(var, by), CompareOp::Eq) => {
                let (from, to) = (binding[*var]?, self.term(other, sort, binding)?);
                Some(self.sum(from, to, *by))
            }
            _ => {
                let (one, other) = (self.term(left, sort, binding)?, self.term(right, sort, binding)?);
                Some(self.compare(op, one, other))
            }
        }
    }

    /// What it takes that a message is sent and gets there; `None` if it cannot.
    fn sending(&mut self, clause: &Clause, atom: &Atom, moment: u8, binding: &Binding) -> Option<Vec<Bit>> {
        let rule = self.theory.question.plan.rule(clause.rule?);
        let node = self.theory.question.sorts.node();
        let to = atom.args.first().copied().flatten()?;
        let sender = clause.sender.as_ref().and_then(|arg| self.term(arg, node, binding));
        // Some sender that is not known.
        let Some(from) = sender else { return Some(vec![]) };
        if rule.link == Link::LocalOnly {
            return (from == to).then(Vec::new);
        }
        // With delays, what is sent to others arrives by way of what was sent.
        let late =
            self.theory.question.adversary.delays && !matches!(self.theory.predicate(atom.pred).kind, Kind::Sent(_));
        if from != to && late {
            return None;
        }
        // Whatever sends to itself gets it, be it a node or not.
        if from == to {
            return Some(vec![]);
        }
        let down = self.theory.find(&Kind::Down)?;
        let parts = [self.node(from), self.node(to), !self.mention(down, moment, &[Some(from)])];
        (!parts.contains(&Bit::False)).then(|| parts.to_vec())
    }
}

/// All ways to choose one from each.
fn product(domains: &[Vec<Term>]) -> Vec<Vec<Term>> {
    let mut all: Vec<Vec<Term>> = vec![vec![]];
    for domain in domains {
        all = all.iter().flat_map(|chosen| domain.iter().map(move |term| [&chosen[..], &[*term]].concat())).collect();
    }
    all
}
