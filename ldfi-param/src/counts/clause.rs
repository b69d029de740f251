//! Rules as the engine reads them: what cannot be expressed is left out of bodies, and said to be.

use std::collections::BTreeMap;

use dedalus_syntax::ast::{AggregateOp, BinaryOp, CompareOp, When};
use dedalus_syntax::plan::{self, Condition, ConstantPlan, HeadColumn, Plan, Rule};
use ldfi_model::Type;

use super::query::{Atom, Fixed, Moment, Op, Query, Symbol, Term, Test, Var};

/// A rule.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) head: Atom,
    pub(super) when: When,
    /// At the moment before; move it with [`Query::at`] where the rule is deductive.
    pub(super) body: Query,
    /// Whether the body says all that the rule asks for; else less.
    pub(super) exact: bool,
    /// Whether the body says all that the rule asks for, even if the head is an aggregate of its solutions.
    pub(super) complete: bool,
    /// The column that is an aggregate, which, and of which variable.
    pub(super) aggregate: Option<(usize, AggregateOp, Var)>,
    /// Where it stands.
    pub(super) location: Option<Term>,
    /// Variables are below this.
    pub(super) vars: Var,
}

impl Clause {
    pub(super) fn new(plan: &Plan, rule: &Rule) -> Self {
        Reader { plan, rule, alias: BTreeMap::new(), next: slots(rule), exact: true }.read()
    }

    /// With other variables, from `from` on.
    pub(super) fn renamed(&self, from: Var) -> Clause {
        let binding = (0..self.vars).map(|var| (var, Term::Var(var + from))).collect();
        Clause {
            head: self.head.bound(&binding),
            body: self.body.bound(&binding),
            aggregate: self.aggregate.map(|(column, op, var)| (column, op, var + from)),
            location: self.location.as_ref().map(|term| term.bound(&binding)),
            ..self.clone()
        }
    }

    /// Whether it only keeps what is there, maybe under conditions.
    pub(super) fn persists(&self) -> bool {
        self.when == When::Next && self.body.here.contains(&self.head.at(Moment::Before))
    }

    /// The count that it is, if it is one.
    pub(super) fn count(&self) -> Option<(usize, Var)> {
        self.aggregate.filter(|(_, op, _)| *op == AggregateOp::Count).map(|(column, _, var)| (column, var))
    }
}

fn slots(rule: &Rule) -> Var {
    u32::try_from(rule.slots.len()).unwrap_or(u32::MAX)
}

struct Reader<'a> {
    plan: &'a Plan,
    rule: &'a Rule,
    /// Variables that are another term.
    alias: BTreeMap<Var, Term>,
    next: Var,
    exact: bool,
}

impl Reader<'_> {
    fn read(mut self) -> Clause {
        let rule = self.rule;
        let mut body = Query::default();
        for reading in &rule.reading {
            if let Condition::Assign(slot, term) = &reading.condition {
                match self.simple(term) {
                    Some(term) => drop(self.alias.insert(slot.0, term)),
                    None => self.computed(slot.0, term, &mut body),
                }
            }
        }
        for atom in &rule.premises {
            if let Some(atom) = self.atom(atom, false) {
                body.here.insert(atom);
            }
        }
        for atom in &rule.negated {
            if let Some(atom) = self.atom(atom, true) {
                body.absent.insert(atom);
            }
        }
        for test in rule.tests() {
            match self.test(test) {
                Some(test) => drop(body.tests.insert(test)),
                None => self.exact = false,
            }
        }
        let mut aggregate = None;
        let mut terms = vec![];
        for (place, column) in rule.head.columns.iter().enumerate() {
            terms.push(match column {
                HeadColumn::Term(term) => self.term(term),
                HeadColumn::Aggregate(op, slot) => {
                    // Two aggregates in one head: the second is a value like any other, of which nothing is known.
                    let only = aggregate.is_none();
                    aggregate = aggregate.or(Some((place, *op, slot.0)));
                    match op {
                        AggregateOp::Min | AggregateOp::Max if only => self.slot(slot.0),
                        _ => self.unknown(),
                    }
                }
            });
        }
        let location = rule.location.as_ref().and_then(|term| self.simple(term));
        let head = Atom::new(Symbol::Relation(rule.head.relation), Moment::After, terms);
        let (complete, exact) = (self.exact, self.exact && aggregate.is_none());
        Clause { head, when: rule.head.when, body, exact, complete, aggregate, location, vars: self.next }
    }

    fn unknown(&mut self) -> Term {
        self.next += 1;
        Term::Var(self.next - 1)
    }

    fn slot(&self, slot: Var) -> Term {
        self.alias.get(&slot).cloned().unwrap_or(Term::Var(slot))
    }

    fn simple(&self, term: &plan::Term) -> Option<Term> {
        match term {
            plan::Term::Slot(slot) => Some(self.slot(slot.0)),
            plan::Term::Int(number) => Some(Term::Fixed(Fixed::Int(*number))),
            plan::Term::Constant(place) => Some(match &self.plan.constants[*place] {
                ConstantPlan::Str(text) => Term::Fixed(Fixed::Str(text.as_str().into())),
                ConstantPlan::Param(param) => Term::Fixed(Fixed::Param(*param)),
            }),
            plan::Term::Neg(_) | plan::Term::Binary(..) => None,
        }
    }

    /// A column; what is computed is any value.
    fn term(&mut self, term: &plan::Term) -> Term {
        self.simple(term).unwrap_or_else(|| {
            self.exact = false;
            self.unknown()
        })
    }

    /// `None` for a literal that is left out.
    fn atom(&mut self, atom: &plan::Atom, absent: bool) -> Option<Atom> {
        let computed = |term: &plan::Term| self.simple(term).is_none();
        if atom.at.is_some() || absent && atom.pattern.iter().flatten().any(computed) {
            self.exact = false;
            return None;
        }
        let mut terms = vec![];
        for term in &atom.pattern {
            terms.push(match term {
                Some(term) => self.term(term),
                None if absent => Term::Any,
                None => self.unknown(),
            });
        }
        Some(Atom::new(Symbol::Relation(atom.relation), Moment::Before, terms))
    }

    /// A variable that is computed: where that is a sum, the sum is known.
    fn computed(&mut self, slot: Var, term: &plan::Term, body: &mut Query) {
        let mut test = Test { op: Op::Eq, sum: BTreeMap::new(), plus: 0 };
        test.add(Term::Var(slot), 1);
        if self.sum(term, -1, &mut test) {
            body.tests.insert(test.normal());
        } else {
            self.exact = false;
        }
    }

    fn test(&self, test: &plan::Test) -> Option<Test> {
        let (op, sign, plus) = match test.op {
            CompareOp::Eq => (Op::Eq, 1, 0),
            CompareOp::Ne => (Op::Ne, 1, 0),
            CompareOp::Le => (Op::Le, 1, 0),
            CompareOp::Lt => (Op::Le, 1, 1),
            CompareOp::Ge => (Op::Le, -1, 0),
            CompareOp::Gt => (Op::Le, -1, 1),
        };
        if op == Op::Le && (self.is_string(&test.left) || self.is_string(&test.right)) {
            return None;
        }
        let mut sum = Test { op, sum: BTreeMap::new(), plus };
        let linear = self.sum(&test.left, sign, &mut sum) && self.sum(&test.right, -sign, &mut sum);
        linear.then(|| sum.normal())
    }

    fn is_string(&self, term: &plan::Term) -> bool {
        match term {
            plan::Term::Slot(slot) => self.rule.types[slot.index()] == Type::Str,
            plan::Term::Constant(place) => match &self.plan.constants[*place] {
                ConstantPlan::Str(_) => true,
                ConstantPlan::Param(param) => self.plan.ast.params[*param].ty == Type::Str,
            },
            _ => false,
        }
    }

    /// Adds a term so many times; whether it is a sum.
    fn sum(&self, term: &plan::Term, times: i64, test: &mut Test) -> bool {
        if let Some(simple) = self.simple(term) {
            test.add(simple, times);
            return true;
        }
        match term {
            plan::Term::Neg(inner) => self.sum(inner, -times, test),
            plan::Term::Binary(BinaryOp::Add, left, right) => {
                self.sum(left, times, test) && self.sum(right, times, test)
            }
            plan::Term::Binary(BinaryOp::Sub, left, right) => {
                self.sum(left, times, test) && self.sum(right, -times, test)
            }
            plan::Term::Binary(BinaryOp::Mul, left, right) => match (&**left, &**right) {
                (plan::Term::Int(factor), other) | (other, plan::Term::Int(factor)) => {
                    times.checked_mul(*factor).is_some_and(|times| self.sum(other, times, test))
                }
                _ => false,
            },
            _ => false,
        }
    }
}
