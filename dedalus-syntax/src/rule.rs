//! A rule for those who reason about it: what it derives, from what, and in which order its body is read.
//!
//! How a backend walks it is in [`crate::plan`]; nothing here depends on that.

use crate::ast::{AggregateOp, BinaryOp, CompareOp, Type, When};
use crate::relation::RelId;

/// A rule, by its place in [`Plan::rules`](crate::plan::Plan::rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

/// A variable of a rule, by its place in [`Rule::slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl RuleId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Slot {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its place in the program.
    pub id: RuleId,
    /// Its text in canonical form.
    pub text: String,
    /// What it derives.
    pub head: Head,
    /// Names of its variables, in the order in which reading binds them.
    pub slots: Vec<String>,
    /// Types of its variables.
    pub types: Vec<Type>,
    /// Where each variable's value comes from, given the premises.
    pub sources: Vec<SlotSource>,
    /// The positive literals, in the order of the text.
    pub premises: Vec<Atom>,
    /// The negated literals, in the order of the text; a column that matches anything is `None`.
    pub negated: Vec<Atom>,
    /// The whole body in the order in which it is read; see `binding`.
    pub reading: Vec<Reading>,
    /// The node whose step it is, if it is an `@next` or `@async` rule: the first column of its first literal.
    /// `None` for an `@next` rule that stands nowhere: the column is missing, matches anything, or is an integer.
    pub location: Option<Term>,
    /// Who can send to whom, if it is an `@async` rule.
    pub link: Link,
}

/// What a rule derives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The relation.
    pub relation: RelId,
    /// When it holds, seen from the body.
    pub when: When,
    /// Its columns.
    pub columns: Vec<HeadColumn>,
}

/// A column of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadColumn {
    /// From one solution; grouped by, if another column is an aggregate.
    Term(Term),
    /// From all solutions of a group: the distinct values of a variable.
    Aggregate(AggregateOp, Slot),
}

/// Where a variable's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotSource {
    /// A column of a premise.
    Column {
        /// Place among [`Rule::premises`].
        premise: usize,
        /// The column.
        column: usize,
    },
    /// Computed from variables before it.
    Computed(Term),
}

/// A relational literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Its relation.
    pub relation: RelId,
    /// At this time rather than now.
    pub at: Option<i64>,
    /// What each column equals; `None` is anything.
    pub pattern: Vec<Option<Term>>,
}

/// A literal when its turn to be read comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it asks.
    pub condition: Condition,
    /// How many variables are known before it: those of lower number.
    pub known: usize,
}

/// What a literal asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A tuple matches: place among [`Rule::premises`].
    Premise(usize),
    /// No tuple matches: place among [`Rule::negated`].
    Negated(usize),
    /// Nothing: it gives a variable its value.
    Assign(Slot, Term),
    /// Two values compare.
    Test(Test),
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// How.
    pub op: CompareOp,
    /// Left side.
    pub left: Term,
    /// Right side.
    pub right: Term,
}

/// A value computed from slots and constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A variable.
    Slot(Slot),
    /// An integer.
    Int(i64),
    /// A constant, by its place in [`Plan::constants`](crate::plan::Plan::constants).
    Constant(usize),
    /// `-x`
    Neg(Box<Term>),
    /// `x + y` and its kin
    Binary(BinaryOp, Box<Term>, Box<Term>),
}

/// Who can send to whom. Nodes are strings: an integer is no node, but may still equal itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Strings: the clock decides.
    Nodes,
    /// Integers: only a local step, from a value to itself.
    LocalOnly,
    /// A string and an integer: never equal, never both nodes.
    Never,
}

impl Rule {
    /// When the body of a firing held whose head holds at a step; 0, at which nothing holds, if it could not have.
    pub fn body_time(&self, head: u32) -> u32 {
        match self.head.when {
            When::Now => head,
            When::Next | When::Async => head.saturating_sub(1),
        }
    }

    /// When the head of a firing holds whose body holds at a step.
    pub fn head_time(&self, body: u32) -> u32 {
        match self.head.when {
            When::Now => body,
            When::Next | When::Async => body.saturating_add(1),
        }
    }

    /// The node that sends, if it is an `@async` rule.
    pub fn sender(&self) -> Option<&Term> {
        self.location.as_ref().filter(|_| self.head.when == When::Async)
    }

    /// The comparisons of the body.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.reading.iter().filter_map(|reading| match &reading.condition {
            Condition::Test(test) => Some(test),
            _ => None,
        })
    }

    /// The terms that a literal computes, each with whether it is computed before tuples are looked for.
    ///
    /// What is known is computed even if no tuple is there; what needs a column of a tuple, for each tuple
    /// whose plain columns match.
    pub fn computes<'a>(&'a self, reading: &'a Reading) -> impl Iterator<Item = (&'a Term, bool)> {
        let terms: Vec<&Term> = match &reading.condition {
            Condition::Premise(place) => self.premises[*place].pattern.iter().flatten().collect(),
            Condition::Negated(place) => self.negated[*place].pattern.iter().flatten().collect(),
            Condition::Assign(_, term) => vec![term],
            Condition::Test(test) => vec![&test.left, &test.right],
        };
        terms.into_iter().map(|term| (term, term.is_known(reading.known)))
    }

    /// Whether it computes something that may have no value.
    pub fn can_fail(&self) -> bool {
        let head = self.head.columns.iter().any(|column| match column {
            HeadColumn::Term(term) => term.can_fail(),
            HeadColumn::Aggregate(op, _) => *op == AggregateOp::Sum,
        });
        head || self.reading.iter().any(|reading| self.computes(reading).any(|(term, _)| term.can_fail()))
    }
}

impl Head {
    /// Whether a column is an aggregate.
    pub fn aggregates(&self) -> bool {
        self.columns.iter().any(|c| matches!(c, HeadColumn::Aggregate(..)))
    }
}

impl Atom {
    /// The step that it reads when it is read at `now`; `None` for the future, in which it sees nothing.
    pub fn time(&self, now: u32) -> Option<u32> {
        match self.at {
            None => Some(now),
            Some(at) => u32::try_from(at).ok().filter(|at| *at <= now),
        }
    }

    /// Whether a column of it is arithmetic.
    pub fn can_fail(&self) -> bool {
        self.pattern.iter().flatten().any(Term::can_fail)
    }
}

impl Test {
    /// Whether a side of it is arithmetic.
    pub fn can_fail(&self) -> bool {
        self.left.can_fail() || self.right.can_fail()
    }
}

impl Term {
    /// Whether computing it can overflow or divide by zero.
    pub fn can_fail(&self) -> bool {
        matches!(self, Term::Neg(_) | Term::Binary(..))
    }

    /// Whether it needs only the first so many variables.
    pub fn is_known(&self, known: usize) -> bool {
        let mut all = true;
        self.slots(&mut |slot| all &= slot.index() < known);
        all
    }

    /// Calls `f` on each slot in it.
    pub fn slots(&self, f: &mut impl FnMut(Slot)) {
        match self {
            Term::Slot(slot) => f(*slot),
            Term::Int(_) | Term::Constant(_) => {}
            Term::Neg(inner) => inner.slots(f),
            Term::Binary(_, left, right) => {
                left.slots(f);
                right.slots(f);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn compile(text: &str) -> Plan {
        crate::compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"))
    }

    /// The conditions of the first rule, as people read them, each with the names of what is known before it.
    fn reading(text: &str) -> Vec<String> {
        let plan = compile(text);
        let rule = &plan.rules[0];
        let name = |atom: &Atom| plan.rel(atom.relation).name.clone();
        let show = |reading: &Reading| {
            let what = match &reading.condition {
                Condition::Premise(i) => name(&rule.premises[*i]),
                Condition::Negated(i) => format!("notin {}", name(&rule.negated[*i])),
                Condition::Assign(slot, term) => {
                    format!("{} = {}", rule.slots[slot.index()], plan.show_term(rule, term))
                }
                Condition::Test(test) => {
                    format!("{} {} {}", plan.show_term(rule, &test.left), test.op, plan.show_term(rule, &test.right))
                }
            };
            format!("[{}] {what}", rule.slots[..reading.known].join(" "))
        };
        rule.reading.iter().map(show).collect()
    }

    #[test]
    fn a_literal_is_read_once_its_variables_are_known_and_no_later() {
        let text = "h(X, Z) :- notin s(X, Z), X > 1, Z == Y + 1, p(X), q(X, Y), 2 < Y; p(1)@1; q(1, 1)@1; s(1, 1)@1;";
        let wanted = ["[] p", "[X] X > 1", "[X] q", "[X Y] Z = (Y + 1)", "[X Y Z] notin s", "[X Y Z] 2 < Y"];
        assert_eq!(reading(text), wanted);
    }

    #[test]
    fn what_is_known_is_computed_before_tuples_are_looked_for() {
        let plan = compile("h(X) :- p(X), q(1 / X, Y, Y + 1), notin r(X - 1); p(1)@1; q(1, 1, 2)@1; r(1)@1;");
        let rule = &plan.rules[0];
        let computed: Vec<Vec<(String, bool)>> = (rule.reading.iter())
            .map(|r| rule.computes(r).map(|(term, first)| (plan.show_term(rule, term), first)).collect())
            .collect();
        let term = |text: &str, first| (text.to_owned(), first);
        assert_eq!(computed[0], [term("X", false)]);
        assert_eq!(computed[1], [term("(1 / X)", true), term("Y", false), term("(Y + 1)", false)]);
        assert_eq!(computed[2], [term("(X - 1)", true)]);
        assert!(rule.can_fail());
    }

    #[test]
    fn sums_and_arithmetic_can_fail_and_nothing_else() {
        let can_fail = |text: &str| compile(text).rules[0].can_fail();
        assert!(can_fail("h(sum<X>) :- p(X); p(1)@1;"));
        assert!(can_fail("h(X + 1) :- p(X); p(1)@1;"));
        assert!(can_fail("h(X) :- p(X), -X < 1; p(1)@1;"));
        assert!(can_fail("h(X) :- p(X), notin p(2 * X); p(1)@1;"));
        assert!(!can_fail("h(count<X>, avg<X>, max<X>) :- p(X), X < -1, notin p(-2); p(1)@1;"));
    }

    #[test]
    fn a_head_holds_with_its_body_or_a_step_later() {
        let plan = compile("p(N) :- q(N); p(N)@next :- q(N); p(N)@async :- q(N); q(\"a\")@1;");
        let times: Vec<(u32, u32)> = plan.rules.iter().map(|r| (r.body_time(3), r.head_time(3))).collect();
        assert_eq!(times, [(3, 3), (2, 4), (2, 4)]);
        assert_eq!(plan.rules[1].body_time(0), 0);
        let senders: Vec<bool> = plan.rules.iter().map(|r| r.sender().is_some()).collect();
        assert_eq!(senders, [false, false, true]);
    }

    #[test]
    fn the_future_is_not_read() {
        let plan = compile("p(N) :- q(N), r(N)@3; q(\"a\")@1; r(\"a\")@3;");
        let [now, later] = &plan.rules[0].premises[..] else { panic!("two premises") };
        assert_eq!((now.time(2), later.time(2), later.time(3), later.time(4)), (Some(2), None, Some(3), Some(3)));
    }
}
