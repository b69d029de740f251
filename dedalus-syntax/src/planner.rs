//! A checked program to a plan: numbering, join order, indexes.
//!
//! Join order is greedy: conditions as soon as their variables are known, then the literal with most
//! columns known, then the order of the text. A literal that can fail (arithmetic) is a fence that no
//! literal crosses, so that errors mean what the reading order says; see [`crate::binding`].

use std::collections::BTreeSet;

use crate::ast::*;
use crate::binding::{Binding, Reading, bind};
use crate::check::CRASH;
use crate::plan::*;
use crate::source::Sources;
use crate::strata::Stratum;
use crate::types::Relations;

/// Plans a program that passed every check.
pub fn plan(ast: Ast, types: Relations, strata: Vec<Stratum>) -> Plan {
    let mut planner = Planner {
        relations: types
            .into_iter()
            .map(|(name, columns)| RelationPlan { is_crash: name == CRASH, name, columns, indexes: vec![] })
            .collect(),
        constants: vec![],
        params: ast.params.iter().map(|p| p.ty).collect(),
    };
    let mut rules: Vec<RulePlan> = vec![];
    for rule in &ast.rules {
        let inside: &[String] = match rule.head.when {
            When::Now => strata.iter().find(|s| s.recursive && s.relations.contains(&rule.head.relation.text)),
            _ => None,
        }
        .map_or(&[], |s| &s.relations);
        let id = RuleId(small(rules.len()));
        rules.push(RulePlanner::new(&mut planner, rule).finish(id, ast.show_rule(rule), inside));
    }
    let strata = strata
        .into_iter()
        .map(|s| StratumPlan {
            relations: s.relations.iter().map(|name| planner.relation(name)).collect(),
            rules: s.rules.iter().map(|&r| RuleId(small(r))).collect(),
            recursive: s.recursive,
        })
        .collect();
    let sends = rules.iter().filter(|r| r.head.when != When::Now).map(|r| r.id).collect();
    let outcome = planner.outcome(&ast);
    Plan {
        ast,
        relations: planner.relations,
        constants: planner.constants,
        rules,
        strata,
        sends,
        outcome,
        warnings: vec![],
        sources: Sources::default(),
    }
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

struct Planner {
    relations: Vec<RelationPlan>,
    constants: Vec<ConstantPlan>,
    /// Types of the parameters.
    params: Vec<Type>,
}

impl Planner {
    fn relation(&self, name: &str) -> RelId {
        RelId(small(self.relations.iter().position(|r| r.name == name).unwrap_or(usize::MAX)))
    }

    fn constant(&mut self, constant: ConstantPlan) -> Term {
        let place = self.constants.iter().position(|c| *c == constant).unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        });
        Term::Constant(place)
    }

    /// The way to the tuples with these columns known.
    fn access(&mut self, relation: RelId, at: Option<i64>, known: Vec<(usize, Term)>) -> Access {
        let plan = &mut self.relations[relation.index()];
        // `crash` is the same at all times, so its indexes serve them all.
        let at = if plan.is_crash { None } else { at };
        let (columns, key): (Vec<usize>, Vec<Term>) = known.into_iter().unzip();
        if columns.len() == plan.columns.len() && at.is_none() {
            return Access::Member(key);
        }
        if columns.is_empty() {
            return Access::Scan;
        }
        let index = IndexPlan { columns, at };
        let place = plan.indexes.iter().position(|i| *i == index).unwrap_or_else(|| {
            plan.indexes.push(index);
            plan.indexes.len() - 1
        });
        Access::Index(place, key)
    }

    fn outcome(&self, ast: &Ast) -> Outcome {
        let find = |name: &str| self.relations.iter().any(|r| r.name == name).then(|| self.relation(name));
        let (pre, post) = (find("pre"), find("post"));
        if pre.is_some() || post.is_some() {
            return Outcome::Implication { pre, post };
        }
        let persistent = self.relations.iter().filter(|r| ast.rules.iter().any(|rule| keeps(rule, &r.name)));
        Outcome::Persistent(persistent.map(|r| self.relation(&r.name)).collect())
    }
}

/// `r(X..)@next :- r(X..), …`
fn keeps(rule: &Rule, relation: &str) -> bool {
    let head: Vec<String> = rule.head.terms.iter().map(ToString::to_string).collect();
    rule.head.when == When::Next
        && rule.head.relation.text == relation
        && rule.atoms().any(|a| {
            !a.negated
                && a.at.is_none()
                && a.relation.text == relation
                && a.args.iter().all(|e| e.as_var().is_some())
                && a.args.iter().map(ToString::to_string).eq(head.iter().cloned())
        })
}

/// Plans one rule.
struct RulePlanner<'p, 'r> {
    planner: &'p mut Planner,
    rule: &'r Rule,
    binding: Binding<'r>,
    slots: Vec<String>,
    sources: Vec<SlotSource>,
    /// Place among the premises (or negated literals) of each literal of the body.
    ordinal: Vec<usize>,
}

impl<'p, 'r> RulePlanner<'p, 'r> {
    fn new(planner: &'p mut Planner, rule: &'r Rule) -> Self {
        let (mut positive, mut negative) = (0, 0);
        let mut ordinal = vec![];
        for literal in &rule.body {
            let count = match literal {
                Literal::Atom(atom) if !atom.negated => &mut positive,
                _ => &mut negative,
            };
            ordinal.push(*count);
            // Comparisons have no ordinal; they must not use one up.
            *count += usize::from(matches!(literal, Literal::Atom(_)));
        }
        let mut this = RulePlanner { planner, rule, binding: bind(rule), slots: vec![], sources: vec![], ordinal };
        this.number_slots();
        this
    }

    /// Numbers variables in the order in which reading binds them.
    fn number_slots(&mut self) {
        for reading in self.binding.order.clone() {
            match (&self.rule.body[reading.literal()], &reading) {
                (Literal::Atom(atom), Reading::Match(i)) => {
                    for (column, arg) in atom.args.iter().enumerate() {
                        if let Some(var) = arg.as_var().filter(|v| !self.slots.iter().any(|s| s == v)) {
                            self.slots.push(var.to_owned());
                            self.sources.push(SlotSource::Column { premise: self.ordinal[*i], column });
                        }
                    }
                }
                (Literal::Compare(c), Reading::Assign { flipped, .. }) => {
                    let (var, value) = if *flipped { (&c.right, &c.left) } else { (&c.left, &c.right) };
                    let value = self.term(value);
                    self.slots.extend(var.as_var().map(str::to_owned));
                    self.sources.push(SlotSource::Computed(value));
                }
                _ => {}
            }
        }
    }

    fn slot(&self, name: &str) -> Slot {
        Slot(small(self.slots.iter().position(|s| s == name).unwrap_or(usize::MAX)))
    }

    fn term(&mut self, expr: &Expr) -> Term {
        match &expr.kind {
            ExprKind::Const(Constant::Int(value)) => Term::Int(*value),
            ExprKind::Const(Constant::Str(text)) => self.planner.constant(ConstantPlan::Str(text.clone())),
            ExprKind::Param(index) => self.planner.constant(ConstantPlan::Param(*index)),
            ExprKind::Var(name) => Term::Slot(self.slot(name)),
            // Checks keep `_` out of every place that needs a value.
            ExprKind::Wild => Term::Int(0),
            ExprKind::Neg(inner) => Term::Neg(Box::new(self.term(inner))),
            ExprKind::Binary(op, left, right) => {
                Term::Binary(*op, Box::new(self.term(left)), Box::new(self.term(right)))
            }
        }
    }

    fn finish(mut self, id: RuleId, text: String, inside: &[String]) -> RulePlan {
        let head = self.head();
        let premises = self.premises();
        let negated = self.negated();
        let types = self.types(&premises);
        let location = self.rule.location().filter(|_| self.rule.head.when == When::Async).map(|e| self.term(e));
        let link = self.link(&head, location.as_ref(), &types);
        // Literals that the rule's own stratum feeds, in the order of the text.
        let recursive: Vec<usize> = (0..self.rule.body.len())
            .filter(
                |&i| matches!(&self.rule.body[i], Literal::Atom(a) if !a.negated && inside.contains(&a.relation.text)),
            )
            .collect();
        let times: Vec<Option<i64>> = recursive.iter().map(|&i| self.atom(i).at).collect();
        let base = times.iter().all(Option::is_some).then(|| self.join(&recursive, None));
        let deltas = recursive
            .iter()
            .map(|&driver| Delta { at: self.atom(driver).at, join: self.join(&recursive, Some(driver)) })
            .collect();
        let base_unless = times.into_iter().flatten().collect();
        RulePlan {
            id,
            text,
            head,
            link,
            slots: self.slots,
            types,
            sources: self.sources,
            premises,
            negated,
            location,
            base,
            base_unless,
            deltas,
        }
    }

    /// The type of each slot.
    fn types(&self, premises: &[PremisePlan]) -> Vec<Type> {
        let mut types: Vec<Type> = vec![];
        for source in &self.sources {
            let ty = match source {
                SlotSource::Column { premise, column } => {
                    self.planner.relations[premises[*premise].relation.index()].columns[*column]
                }
                SlotSource::Computed(term) => self.type_of(term, &types),
            };
            types.push(ty);
        }
        types
    }

    fn type_of(&self, term: &Term, slots: &[Type]) -> Type {
        match term {
            Term::Slot(slot) => slots[slot.index()],
            Term::Constant(place) => match self.planner.constants[*place] {
                ConstantPlan::Str(_) => Type::Str,
                ConstantPlan::Param(param) => self.planner.params[param],
            },
            Term::Int(_) | Term::Neg(_) | Term::Binary(..) => Type::Int,
        }
    }

    fn link(&self, head: &HeadPlan, location: Option<&Term>, types: &[Type]) -> Link {
        let from = location.map_or(Type::Str, |term| self.type_of(term, types));
        let to = self.planner.relations[head.relation.index()].columns.first().copied().unwrap_or(Type::Str);
        match (from, to) {
            (Type::Str, Type::Str) => Link::Nodes,
            (Type::Int, Type::Int) => Link::LocalOnly,
            _ => Link::Never,
        }
    }

    fn atom(&self, literal: usize) -> &'r Atom {
        match &self.rule.body[literal] {
            Literal::Atom(atom) => atom,
            Literal::Compare(_) => unreachable!("only relational literals are asked for"),
        }
    }

    fn head(&mut self) -> HeadPlan {
        let rule = self.rule;
        let columns = rule.head.terms.iter().map(|term| match term {
            HeadTerm::Expr(expr) => HeadColumn::Term(self.term(expr)),
            HeadTerm::Aggregate(a) => HeadColumn::Aggregate(a.op, self.slot(&a.var.text)),
        });
        let columns = columns.collect();
        HeadPlan { relation: self.planner.relation(&rule.head.relation.text), when: rule.head.when, columns }
    }

    fn premises(&mut self) -> Vec<PremisePlan> {
        let rule = self.rule;
        let positive = rule.atoms().filter(|a| !a.negated).map(|a| {
            let pattern = a.args.iter().map(|e| (!e.is_wild()).then(|| self.term(e))).collect();
            PremisePlan { relation: self.planner.relation(&a.relation.text), at: a.at, pattern }
        });
        positive.collect()
    }

    fn negated(&mut self) -> Vec<NegatedPlan> {
        let rule = self.rule;
        let negative = rule.atoms().filter(|a| a.negated).map(|a| {
            let pattern = a.args.iter().map(|e| self.known(e).then(|| self.term(e))).collect();
            NegatedPlan { relation: self.planner.relation(&a.relation.text), at: a.at, pattern }
        });
        negative.collect()
    }

    /// Whether a column of a negated literal asks for a value.
    fn known(&self, expr: &Expr) -> bool {
        !expr.is_wild() && !expr.as_var().is_some_and(|v| self.binding.loose.contains(v))
    }

    /// A join of the whole body. `driver` is the literal that reads only what changed.
    fn join(&mut self, recursive: &[usize], driver: Option<usize>) -> Join {
        let mut ops = vec![];
        let mut bound: BTreeSet<Slot> = BTreeSet::new();
        for segment in self.segments() {
            let mut waiting = segment;
            while !waiting.is_empty() {
                let next = self.choose(&waiting, &bound, driver);
                let reading = waiting.remove(next);
                let window = self.window(recursive, driver, &reading);
                ops.push(self.op(&reading, window, &mut bound));
            }
        }
        let mut join = Join { ops };
        self.mark_once(&mut join);
        join
    }

    /// The reading order, cut at every literal that can fail.
    fn segments(&self) -> Vec<Vec<Reading>> {
        let mut segments = vec![vec![]];
        for reading in &self.binding.order {
            let can_fail = match &self.rule.body[reading.literal()] {
                Literal::Atom(atom) => atom.args.iter().any(Expr::can_fail),
                Literal::Compare(c) => c.left.can_fail() || c.right.can_fail(),
            };
            match segments.last_mut() {
                Some(last) if !can_fail => last.push(reading.clone()),
                _ => segments.extend([vec![reading.clone()], vec![]]),
            }
        }
        segments
    }

    /// The literal of a segment to evaluate next.
    fn choose(&self, waiting: &[Reading], bound: &BTreeSet<Slot>, driver: Option<usize>) -> usize {
        let known = |e: &Expr| e.vars().iter().all(|v| bound.contains(&self.slot(v)));
        let ready = |reading: &Reading| match (&self.rule.body[reading.literal()], reading) {
            (Literal::Compare(c), Reading::Filter(_)) => known(&c.left) && known(&c.right),
            (Literal::Compare(c), Reading::Assign { flipped, .. }) => known(if *flipped { &c.left } else { &c.right }),
            (Literal::Atom(atom), Reading::Absent(_)) => atom.args.iter().filter(|e| self.known(e)).all(known),
            _ => false,
        };
        if let Some(place) = waiting.iter().position(ready) {
            return place;
        }
        let score = |reading: &Reading| match (&self.rule.body[reading.literal()], reading) {
            (Literal::Atom(atom), Reading::Match(i)) => {
                let columns = atom.args.iter().filter(|e| !e.is_wild() && known(e)).count();
                (true, driver == Some(*i), columns == atom.args.len(), columns)
            }
            // Its variables are bound later in the segment.
            _ => (false, false, false, 0),
        };
        let best = waiting.iter().map(score).max();
        waiting.iter().position(|r| Some(score(r)) == best).unwrap_or(0)
    }

    fn window(&self, recursive: &[usize], driver: Option<usize>, reading: &Reading) -> Window {
        let (Some(driver), Reading::Match(i)) = (driver, reading) else { return Window::All };
        if !recursive.contains(i) || *i < driver {
            Window::All
        } else if *i == driver {
            Window::Delta
        } else {
            Window::Old
        }
    }

    fn op(&mut self, reading: &Reading, window: Window, bound: &mut BTreeSet<Slot>) -> Op {
        let rule = self.rule;
        match (&rule.body[reading.literal()], reading) {
            (Literal::Atom(atom), Reading::Match(i)) => self.match_op(atom, self.ordinal[*i], window, bound),
            (Literal::Atom(atom), _) => {
                let known: Vec<(usize, &Expr)> = atom.args.iter().enumerate().filter(|(_, e)| self.known(e)).collect();
                let known = known.into_iter().map(|(column, e)| (column, self.term(e))).collect();
                let relation = self.planner.relation(&atom.relation.text);
                let access = self.planner.access(relation, atom.at, known);
                Op::Absent(Absent { negated: self.ordinal[reading.literal()], access })
            }
            (Literal::Compare(c), Reading::Assign { flipped, .. }) => {
                let (var, value) = if *flipped { (&c.right, &c.left) } else { (&c.left, &c.right) };
                let slot = self.slot(var.as_var().unwrap_or_default());
                bound.insert(slot);
                Op::Assign(slot, self.term(value))
            }
            (Literal::Compare(c), _) => Op::Filter(c.op, self.term(&c.left), self.term(&c.right)),
        }
    }

    fn match_op(&mut self, atom: &Atom, premise: usize, window: Window, bound: &mut BTreeSet<Slot>) -> Op {
        let (mut key, mut binds, mut checks) = (vec![], vec![], vec![]);
        let before = bound.clone();
        for (column, arg) in atom.args.iter().enumerate().filter(|(_, e)| !e.is_wild()) {
            let term = self.term(arg);
            let mut known = true;
            term.slots(&mut |slot| known &= before.contains(&slot));
            match term {
                _ if known => key.push((column, term)),
                Term::Slot(slot) if bound.insert(slot) => binds.push((column, slot)),
                // A variable bound by another column of the same literal.
                _ => checks.push((column, term)),
            }
        }
        // What cannot fail first: an expression is computed for the tuples whose plain columns match.
        checks.sort_by_key(|(_, term)| term.can_fail());
        let relation = self.planner.relation(&atom.relation.text);
        let access = self.planner.access(relation, atom.at, key);
        Op::Match(Match { premise, access, window, binds, checks, once: false })
    }

    /// Marks matches whose variables nothing reads later.
    fn mark_once(&mut self, join: &mut Join) {
        let mut used: BTreeSet<Slot> = BTreeSet::new();
        let rule = self.rule;
        for term in &rule.head.terms {
            match term {
                HeadTerm::Expr(expr) => used.extend(slots_of(&self.term(expr))),
                HeadTerm::Aggregate(a) => drop(used.insert(self.slot(&a.var.text))),
            }
        }
        if let Some(place) = rule.location().filter(|_| rule.head.when == When::Async) {
            used.extend(slots_of(&self.term(place)));
        }
        for op in join.ops.iter_mut().rev() {
            match op {
                Op::Match(m) => {
                    // Its own checks come before the choice to stop, so they do not count, unless they
                    // can fail: then every tuple has to be looked at.
                    m.once = m.binds.iter().all(|(_, slot)| !used.contains(slot))
                        && !m.checks.iter().any(|(_, term)| term.can_fail());
                    used.extend(m.checks.iter().map(|(_, term)| term).chain(m.access.key()).flat_map(slots_of));
                }
                Op::Absent(a) => used.extend(a.access.key().iter().flat_map(slots_of)),
                Op::Assign(_, term) => used.extend(slots_of(term)),
                Op::Filter(_, left, right) => used.extend([left, right].into_iter().flat_map(|t| slots_of(t))),
            }
        }
    }
}

fn slots_of(term: &Term) -> Vec<Slot> {
    let mut slots = vec![];
    term.slots(&mut |slot| slots.push(slot));
    slots
}
