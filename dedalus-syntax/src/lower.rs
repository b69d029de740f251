//! A checked rule as written to a [`Rule`]: variables and constants by number, the body in reading order.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};

use crate::ast::{Ast, Constant, Expr, ExprKind, HeadTerm, Literal, Type, When};
use crate::ast::{Atom as AstAtom, Rule as AstRule};
use crate::binding::{self, Binding, bind};
use crate::plan::ConstantPlan;
use crate::relation::RelId;
use crate::rule::*;
use crate::types::Relations;

/// A place in a list as a number; programs are smaller than that.
pub(crate) fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// What the rules of a program share.
pub(crate) struct Lowering<'a> {
    ast: &'a Ast,
    relations: &'a Relations,
    constants: IndexSet<ConstantPlan>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(ast: &'a Ast, relations: &'a Relations) -> Self {
        Lowering { ast, relations, constants: IndexSet::new() }
    }

    /// All rules, in the order of the text, and the constants that they name.
    pub(crate) fn rules(mut self) -> (Vec<Rule>, Vec<ConstantPlan>) {
        let mut rules = Vec::with_capacity(self.ast.rules.len());
        for (i, rule) in self.ast.rules.iter().enumerate() {
            rules.push(Lower::new(&mut self, rule).finish(RuleId(small(i))));
        }
        (rules, self.constants.into_iter().collect())
    }

    fn relation(&self, name: &str) -> RelId {
        RelId(small(self.relations.get_index_of(name).unwrap_or(usize::MAX)))
    }

    fn columns(&self, relation: RelId) -> &'a [Type] {
        self.relations.get_index(relation.index()).map_or(&[], |(_, columns)| columns)
    }

    fn constant(&mut self, constant: ConstantPlan) -> Term {
        Term::Constant(self.constants.insert_full(constant).0)
    }
}

/// One rule.
struct Lower<'l, 'a, 'r> {
    program: &'l mut Lowering<'a>,
    rule: &'r AstRule,
    binding: Binding<'r>,
    /// The variables, in the order in which reading binds them, with their sources.
    slots: IndexMap<&'r str, SlotSource>,
    /// Place among the premises (or negated literals) of each relational literal, by its place in the body.
    ordinal: HashMap<usize, usize>,
}

impl<'l, 'a, 'r> Lower<'l, 'a, 'r> {
    fn new(program: &'l mut Lowering<'a>, rule: &'r AstRule) -> Self {
        let (mut positive, mut negative) = (0, 0);
        let mut ordinal = HashMap::new();
        for (place, literal) in rule.body.iter().enumerate() {
            if let Literal::Atom(atom) = literal {
                let count = if atom.negated { &mut negative } else { &mut positive };
                ordinal.insert(place, *count);
                *count += 1;
            }
        }
        Lower { program, rule, binding: bind(rule), slots: IndexMap::new(), ordinal }
    }

    fn finish(mut self, id: RuleId) -> Rule {
        let reading = self.reading();
        let head = self.head();
        let (premises, negated) = (self.atoms(false), self.atoms(true));
        let types = self.types(&premises);
        let location = self.location(&types);
        let link = self.link(&head, location.as_ref(), &types);
        let text = self.program.ast.show_rule(self.rule);
        let (slots, sources) = self.slots.into_iter().map(|(name, source)| (name.to_owned(), source)).unzip();
        Rule { id, text, head, slots, types, sources, premises, negated, reading, location, link }
    }

    /// The body in reading order; numbers the variables as they are bound.
    fn reading(&mut self) -> Vec<Reading> {
        let rule = self.rule;
        let mut readings = vec![];
        for reading in self.binding.order.clone() {
            let known = self.slots.len();
            let condition = match (&rule.body[reading.literal()], &reading) {
                (Literal::Atom(_), binding::Reading::Absent(i)) => Condition::Negated(self.ordinal[i]),
                (Literal::Atom(atom), _) => {
                    let premise = self.ordinal[&reading.literal()];
                    for (column, arg) in atom.args.iter().enumerate() {
                        if let Some(var) = arg.as_var() {
                            self.slots.entry(var).or_insert(SlotSource::Column { premise, column });
                        }
                    }
                    Condition::Premise(premise)
                }
                (Literal::Compare(c), binding::Reading::Assign { flipped, .. }) => {
                    let (var, value) = if *flipped { (&c.right, &c.left) } else { (&c.left, &c.right) };
                    let value = self.term(value);
                    let var = var.as_var().unwrap_or_default();
                    self.slots.insert(var, SlotSource::Computed(value.clone()));
                    Condition::Assign(self.slot(var), value)
                }
                (Literal::Compare(c), _) => {
                    Condition::Test(Test { op: c.op, left: self.term(&c.left), right: self.term(&c.right) })
                }
            };
            readings.push(Reading { condition, known });
        }
        readings
    }

    fn slot(&self, name: &str) -> Slot {
        Slot(small(self.slots.get_index_of(name).unwrap_or(usize::MAX)))
    }

    fn term(&mut self, expr: &Expr) -> Term {
        match &expr.kind {
            ExprKind::Const(Constant::Int(value)) => Term::Int(*value),
            ExprKind::Const(Constant::Str(text)) => self.program.constant(ConstantPlan::Str(text.clone())),
            ExprKind::Param(index) => self.program.constant(ConstantPlan::Param(*index)),
            ExprKind::Var(name) => Term::Slot(self.slot(name)),
            // Checks keep `_` out of every place that needs a value.
            ExprKind::Wild => Term::Int(0),
            ExprKind::Neg(inner) => Term::Neg(Box::new(self.term(inner))),
            ExprKind::Binary(op, left, right) => {
                Term::Binary(*op, Box::new(self.term(left)), Box::new(self.term(right)))
            }
        }
    }

    fn head(&mut self) -> Head {
        let rule = self.rule;
        let columns = rule.head.terms.iter().map(|term| match term {
            HeadTerm::Expr(expr) => HeadColumn::Term(self.term(expr)),
            HeadTerm::Aggregate(a) => HeadColumn::Aggregate(a.op, self.slot(&a.var.text)),
        });
        let columns = columns.collect();
        Head { relation: self.program.relation(&rule.head.relation.text), when: rule.head.when, columns }
    }

    fn atoms(&mut self, negated: bool) -> Vec<Atom> {
        let rule = self.rule;
        rule.atoms().filter(|a| a.negated == negated).map(|atom| self.atom(atom)).collect()
    }

    fn atom(&mut self, atom: &AstAtom) -> Atom {
        let pattern = atom.args.iter().map(|e| self.asks(e).then(|| self.term(e))).collect();
        Atom { relation: self.program.relation(&atom.relation.text), at: atom.at, pattern }
    }

    /// Whether a column asks for a value: neither `_` nor a variable of negated literals only does.
    fn asks(&self, expr: &Expr) -> bool {
        !expr.is_wild() && !expr.as_var().is_some_and(|v| self.binding.loose.contains(v))
    }

    /// The type of each slot.
    fn types(&self, premises: &[Atom]) -> Vec<Type> {
        let mut types: Vec<Type> = vec![];
        for source in self.slots.values() {
            let ty = match source {
                SlotSource::Column { premise, column } => self.program.columns(premises[*premise].relation)[*column],
                SlotSource::Computed(term) => self.type_of(term, &types),
            };
            types.push(ty);
        }
        types
    }

    fn type_of(&self, term: &Term, slots: &[Type]) -> Type {
        match term {
            Term::Slot(slot) => slots[slot.index()],
            Term::Constant(place) => match self.program.constants[*place] {
                ConstantPlan::Str(_) => Type::Str,
                ConstantPlan::Param(param) => self.program.ast.params[param].ty,
            },
            Term::Int(_) | Term::Neg(_) | Term::Binary(..) => Type::Int,
        }
    }

    fn location(&mut self, types: &[Type]) -> Option<Term> {
        let place = self.rule.location()?;
        match self.rule.head.when {
            When::Now => None,
            When::Async => Some(self.term(place)),
            // An expression is an integer, which is no node.
            When::Next if place.can_fail() || !self.asks(place) => None,
            When::Next => Some(self.term(place)).filter(|term| self.type_of(term, types) == Type::Str),
        }
    }

    fn link(&self, head: &Head, location: Option<&Term>, types: &[Type]) -> Link {
        let from = location.map_or(Type::Str, |term| self.type_of(term, types));
        let to = self.program.columns(head.relation).first().copied().unwrap_or(Type::Str);
        match (from, to) {
            (Type::Str, Type::Str) => Link::Nodes,
            (Type::Int, Type::Int) => Link::LocalOnly,
            _ => Link::Never,
        }
    }
}
