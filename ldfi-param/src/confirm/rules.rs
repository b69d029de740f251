//! Rules as formulas: what they derive from a moment, and what they send.

use dedalus_syntax::ast::{AggregateOp, CompareOp, When};
use dedalus_syntax::plan::{self, Condition, ConstantPlan, HeadColumn, Link, RelId, Reserved, Rule};
use ldfi_model::{Type, Value};

use super::formula::{Amount, Formula, Predicate, Substitution, Term, Var};
use super::program::{Maker, typed};

/// A rule with variables of its own.
struct Fired {
    head: Vec<Var>,
    /// That it fires with this head, or, of an aggregate, that the head is what its solutions come to.
    fires: Formula,
    /// That the body holds with a solution of this head, for some values of these.
    bound: Vec<Var>,
    body: Formula,
    sender: Option<Term>,
    link: Link,
}

impl Maker<'_> {
    pub(super) fn term(&self, slots: &[Var], term: &plan::Term) -> Term {
        let node = self.question.sorts.node();
        match term {
            plan::Term::Slot(slot) => Term::Var(slots[slot.index()]),
            plan::Term::Int(number) => Term::Const(Value::Int(*number), node),
            plan::Term::Constant(place) => match &self.question.plan.constants[*place] {
                ConstantPlan::Str(text) => Term::Const(Value::from(text.as_str()), node),
                ConstantPlan::Param(param) => self.param(*param),
            },
            plan::Term::Neg(inner) => Term::Neg(Box::new(self.term(slots, inner))),
            plan::Term::Binary(op, left, right) => {
                Term::Binary(*op, Box::new(self.term(slots, left)), Box::new(self.term(slots, right)))
            }
        }
    }

    /// A parameter: any number, or what it was given.
    pub(super) fn param(&self, param: usize) -> Term {
        let value = self.question.input.param(&self.question.plan, param);
        let number = self.question.plan.ast.params[param].ty == Type::Int;
        match value {
            Ok(value) if !(number && self.any_params) => Term::Const(value, self.question.sorts.node()),
            _ => Term::Param(param),
        }
    }

    /// The formula of a literal's tuple; what matches anything is bound within.
    fn atom(&mut self, slots: &[Var], atom: &plan::Atom, moment: u32) -> Formula {
        let (mut terms, mut anything) = (vec![], vec![]);
        for (column, pattern) in atom.pattern.iter().enumerate() {
            let sort = self.question.sorts.column(atom.relation, column);
            terms.push(match pattern {
                Some(term) => typed(self.term(slots, term), sort),
                None => {
                    let var = self.var(sort);
                    anything.push(var);
                    Term::Var(var)
                }
            });
        }
        let reserved = self.question.plan.rel(atom.relation).reserved;
        let formula = match (reserved, atom.at) {
            // Whoever crashes is known at all times; nobody restarts here.
            (Some(Reserved::Crash), _) => Formula::Atom(Predicate::Holds(atom.relation, 0), terms),
            (Some(_), _) => Formula::Is(false),
            (None, Some(time)) => Formula::Atom(Predicate::At(atom.relation, time, moment), terms),
            (None, None) => Formula::Atom(Predicate::Holds(atom.relation, moment), terms),
        };
        Formula::some(anything, formula)
    }

    /// The body of a rule at a moment, over its variables.
    fn body(&mut self, rule: &Rule, slots: &[Var], moment: u32) -> Formula {
        let mut parts = vec![];
        for reading in &rule.reading {
            parts.push(match &reading.condition {
                Condition::Premise(place) => self.atom(slots, &rule.premises[*place], moment),
                Condition::Negated(place) => self.atom(slots, &rule.negated[*place], moment).not(),
                Condition::Assign(slot, term) => {
                    let (slot, term) = (Term::Var(slots[slot.index()]), self.term(slots, term));
                    self.compare(CompareOp::Eq, slot, term)
                }
                Condition::Test(test) => {
                    let (left, right) = (self.term(slots, &test.left), self.term(slots, &test.right));
                    self.compare(test.op, left, right)
                }
            });
        }
        Formula::all(parts)
    }

    fn compare(&self, op: CompareOp, left: Term, right: Term) -> Formula {
        let sort = |term: &Term| if let Term::Var(var) = term { Some(var.sort) } else { None };
        let sort = sort(&left).or(sort(&right));
        let typed = |term: Term| sort.map_or(term.clone(), |sort| typed(term, sort));
        Formula::Compare(op, typed(left), typed(right))
    }

    /// A rule whose body is read at a moment.
    fn fired(&mut self, rule: &Rule, moment: u32) -> Fired {
        let question = self.question;
        let slots: Vec<Var> = (0..rule.slots.len())
            .filter_map(|at| u32::try_from(at).ok())
            .map(|at| self.var(question.sorts.slot(rule, plan::Slot(at))))
            .collect();
        let body = self.body(rule, &slots, moment);
        let mut head = vec![];
        let mut same = vec![];
        // A variable that stands in the head is the column's.
        let mut renamed = Substitution::new();
        let mut aggregates = vec![];
        let aggregated = |slot: plan::Slot| {
            rule.head.columns.iter().any(|column| matches!(column, HeadColumn::Aggregate(_, of) if *of == slot))
        };
        for (place, column) in rule.head.columns.iter().enumerate() {
            let var = self.var(question.sorts.column(rule.head.relation, place));
            head.push(var);
            match column {
                HeadColumn::Term(plan::Term::Slot(slot))
                    if !renamed.contains_key(&slots[slot.index()])
                        && slots[slot.index()].sort == var.sort
                        && !aggregated(*slot) =>
                {
                    renamed.insert(slots[slot.index()], Term::Var(var));
                }
                HeadColumn::Term(term) => {
                    let term = self.term(&slots, term);
                    same.push(self.compare(CompareOp::Eq, Term::Var(var), term));
                }
                HeadColumn::Aggregate(op, slot) => aggregates.push((*op, slots[slot.index()], var)),
            }
        }
        let sender = rule.sender().map(|term| self.term(&slots, term));
        let bound: Vec<Var> = slots.iter().filter(|slot| !renamed.contains_key(slot)).copied().collect();
        let body = Formula::all([Formula::all(same), body]).with(&renamed);
        let fires = match &aggregates[..] {
            [] => Formula::some(bound.clone(), body.clone()),
            all => Formula::all(all.iter().map(|aggregate| self.aggregate(*aggregate, &bound, &body))),
        };
        Fired { head, fires, bound, body, sender: sender.map(|term| term.with(&renamed)), link: rule.link }
    }

    /// That a column is what the values of a variable come to.
    fn aggregate(&mut self, (op, of, column): (AggregateOp, Var, Var), bound: &[Var], body: &Formula) -> Formula {
        // A group is asked about by its head twice or more, each time with variables of its own.
        let value = |maker: &mut Self, value: Term| {
            let mut fresh = Substitution::new();
            let mut others = vec![];
            for var in bound.iter().filter(|var| **var != of) {
                let new = maker.var(var.sort);
                fresh.insert(*var, Term::Var(new));
                others.push(new);
            }
            fresh.insert(of, value);
            Formula::some(others, body.with(&fresh))
        };
        let some = Formula::some(bound.to_vec(), body.clone());
        match op {
            AggregateOp::Min | AggregateOp::Max => {
                let other = self.var(of.sort);
                let best = if op == AggregateOp::Min { CompareOp::Le } else { CompareOp::Ge };
                let better = Formula::Compare(best, Term::Var(column), Term::Var(other));
                let has = value(self, Term::Var(column));
                Formula::all([has, Formula::every(vec![other], value(self, Term::Var(other)).then(better))])
            }
            AggregateOp::Count => {
                let counted = self.var(of.sort);
                let count = Amount::Count(vec![counted], Box::new(value(self, Term::Var(counted))));
                let is = |sign: i64| {
                    Formula::AtMost(vec![(sign, count.clone()), (-sign, Amount::Value(Term::Var(column)))], 0)
                };
                Formula::all([some, is(1), is(-1)])
            }
            AggregateOp::Sum | AggregateOp::Avg => some,
        }
    }

    /// That a head's values are among those that are looked at, if its rule fires.
    pub(super) fn within(&mut self, rule: &Rule, moment: u32) -> Formula {
        let question = self.question;
        let slots: Vec<Var> = (0..rule.slots.len())
            .filter_map(|at| u32::try_from(at).ok())
            .map(|at| self.var(question.sorts.slot(rule, plan::Slot(at))))
            .collect();
        let computed = |(place, column): (usize, &HeadColumn)| match column {
            HeadColumn::Term(term @ (plan::Term::Neg(_) | plan::Term::Binary(..))) => {
                let sort = question.sorts.column(rule.head.relation, place);
                Some(Formula::Within(self.term(&slots, term), sort))
            }
            _ => None,
        };
        let all: Vec<Formula> = rule.head.columns.iter().enumerate().filter_map(computed).collect();
        if all.is_empty() {
            return Formula::Is(true);
        }
        let body = self.body(rule, &slots, moment);
        Formula::every(slots, body.then(Formula::all(all)))
    }

    /// That a rule derives a tuple of these columns, from a moment.
    pub(super) fn derives(&mut self, rule: &Rule, moment: u32, tuple: &[Var]) -> Formula {
        let fired = self.fired(rule, moment);
        fired.fires.with(&onto(&fired.head, tuple))
    }

    pub(super) fn deduced(&mut self, relation: RelId, moment: u32, tuple: &[Var]) -> Formula {
        let rules = self.rules(relation, When::Now);
        Formula::any(rules.into_iter().map(|rule| self.derives(rule, moment, tuple)).collect::<Vec<_>>())
    }

    /// That a message of these columns is sent at a moment by a rule, or only what is sent to oneself: for some values of
    /// some variables. The sender comes first.
    fn message(&mut self, rule: &Rule, moment: u32, tuple: &[Var], local_only: bool) -> (Vec<Var>, Formula) {
        let fired = self.fired(rule, moment);
        let nothing = (vec![], Formula::Is(false));
        let (Some(from), Some(to)) = (fired.sender.clone(), tuple.first()) else { return nothing };
        // What arrives together is any part of what is sent: of the value nothing is known, and nothing must arrive.
        if rule.head.aggregates() && local_only {
            return nothing;
        }
        let values = onto(&fired.head, tuple);
        let (node, to) = (self.question.sorts.node(), Term::Var(*to));
        let is = |predicate, term: &Term| Formula::Atom(predicate, vec![typed(term.clone(), node)]);
        let local = match fired.link {
            Link::Never => Formula::Is(false),
            Link::Nodes | Link::LocalOnly => self.compare(CompareOp::Eq, from.clone(), to.clone()),
        };
        let far = match fired.link {
            Link::Nodes if !local_only => Formula::all([
                is(Predicate::Node, &from),
                is(Predicate::Node, &to),
                is(Predicate::Down(moment), &from).not(),
            ]),
            _ => Formula::Is(false),
        };
        let mut bound = fired.bound;
        bound.sort_by_key(|var| from != Term::Var(*var));
        (bound, Formula::all([fired.body, Formula::any([local, far])]).with(&values))
    }

    fn sends(&mut self, rule: &Rule, moment: u32, tuple: &[Var], local_only: bool) -> Formula {
        let (bound, sent) = self.message(rule, moment, tuple, local_only);
        Formula::some(bound, sent)
    }

    pub(super) fn sending(&mut self, relation: RelId, moment: u32, tuple: &[Var], local_only: bool) -> Formula {
        let rules = self.rules(relation, When::Async);
        Formula::any(rules.into_iter().map(|rule| self.sends(rule, moment, tuple, local_only)).collect::<Vec<_>>())
    }

    /// How many messages a rule sends at a moment, by sender.
    pub(super) fn messages(&mut self, rule: &Rule, moment: u32) -> Amount {
        let mut counted = self.tuple(rule.head.relation);
        let (mut bound, sent) = self.message(rule, moment, &counted, false);
        let by_variable = matches!(rule.sender(), Some(plan::Term::Slot(_)));
        // A sender that stands in the head is counted with it.
        if by_variable && !bound.is_empty() && !self.sender_in_head(rule) {
            counted.push(bound.remove(0));
        }
        Amount::Count(counted, Box::new(Formula::some(bound, sent)))
    }

    fn sender_in_head(&self, rule: &Rule) -> bool {
        let is_sender = |column: &HeadColumn| matches!(column, HeadColumn::Term(term) if Some(term) == rule.sender());
        rule.head.columns.iter().any(is_sender)
    }
}

fn onto(head: &[Var], tuple: &[Var]) -> Substitution {
    head.iter().copied().zip(tuple.iter().copied().map(Term::Var)).collect()
}
