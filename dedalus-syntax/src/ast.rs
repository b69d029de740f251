//! The program as written.

use std::collections::HashSet;

pub use ldfi_model::{Type, Value as Constant};

use crate::span::Span;

/// A whole program, its includes and shared rule sets already in place.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// Constants that are given when the program is instantiated.
    pub params: Vec<Param>,
    /// Relations declared to be filled from outside the text.
    pub inputs: Vec<Input>,
    /// Relations whose tuples survive a restart of their node.
    pub stable: Vec<Name>,
    /// Facts.
    pub facts: Vec<Fact>,
    /// Rules.
    pub rules: Vec<Rule>,
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A constant given when the program is instantiated.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name, which stands for its value wherever a term may.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Its value, unless another is given.
    pub default: Option<Constant>,
    /// Whether the text itself declares it, with `param`; else whoever reads the text does.
    pub declared: bool,
}

/// `input name(type, …);`: a relation that facts from Rust (or another file) fill.
#[derive(Clone, Debug)]
pub struct Input {
    /// The relation.
    pub relation: Name,
    /// The types of its columns.
    pub columns: Vec<Type>,
    /// The declaration.
    pub span: Span,
}

/// `maybe? name(constant, …)@time;`, or `@time..until` for an input that may come at any of these times.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The relation.
    pub relation: Name,
    /// Constants and parameters only.
    pub values: Vec<Expr>,
    /// When it holds.
    pub time: i64,
    /// The last time at which it may come, if it is an input that may come at several.
    pub until: Option<i64>,
    /// Whether the adversary gives it or not; else it holds.
    pub maybe: bool,
    /// The time as written.
    pub time_span: Span,
    /// The whole fact.
    pub span: Span,
}

/// `head :- body;`
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it derives.
    pub head: Head,
    /// From what.
    pub body: Vec<Literal>,
    /// The whole rule.
    pub span: Span,
}

/// When a rule's head holds, seen from its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// At the same time (deductive).
    Now,
    /// One step later on the same node (inductive).
    Next,
    /// One step later, by a message that may be lost.
    Async,
}

/// What a rule derives.
#[derive(Clone, Debug)]
pub struct Head {
    /// The relation.
    pub relation: Name,
    /// Its columns.
    pub terms: Vec<HeadTerm>,
    /// `@next`, `@async` or neither.
    pub when: When,
    /// The head as written.
    pub span: Span,
}

/// A column of a head.
#[derive(Clone, Debug)]
pub enum HeadTerm {
    /// A value computed from one solution of the body.
    Expr(Expr),
    /// A value computed from all solutions of a group.
    Aggregate(Aggregate),
}

/// `count<X>` and its kin.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Which.
    pub op: AggregateOp,
    /// Over the distinct values of this variable.
    pub var: Name,
    /// The aggregate as written.
    pub span: Span,
}

/// The aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateOp {
    /// How many distinct values.
    Count,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Their sum.
    Sum,
    /// Their sum divided by their count, toward zero.
    Avg,
}

impl AggregateOp {
    /// All of them, by the name they have in programs.
    pub const ALL: [(&'static str, AggregateOp); 5] = [
        ("count", AggregateOp::Count),
        ("min", AggregateOp::Min),
        ("max", AggregateOp::Max),
        ("sum", AggregateOp::Sum),
        ("avg", AggregateOp::Avg),
    ];

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, op)| *op == self).map_or("", |(name, _)| name)
    }

    /// The aggregate of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(n, _)| *n == name).map(|(_, op)| op)
    }
}

/// A condition of a rule's body.
#[derive(Clone, Debug)]
pub enum Literal {
    /// A tuple holds, or none does.
    Atom(Atom),
    /// Two values compare.
    Compare(Compare),
}

/// `notin? name(expr, …)@time?`
#[derive(Clone, Debug)]
pub struct Atom {
    /// Whether it asks for absence.
    pub negated: bool,
    /// The relation.
    pub relation: Name,
    /// The columns.
    pub args: Vec<Expr>,
    /// At this time rather than now.
    pub at: Option<i64>,
    /// The literal as written.
    pub span: Span,
}

/// `left op right`
#[derive(Clone, Debug)]
pub struct Compare {
    /// The comparison.
    pub op: CompareOp,
    /// Left side.
    pub left: Expr,
    /// Right side.
    pub right: Expr,
    /// The literal as written.
    pub span: Span,
}

/// The comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl CompareOp {
    /// All of them, as written.
    pub const ALL: [(&'static str, CompareOp); 6] = [
        ("==", CompareOp::Eq),
        ("!=", CompareOp::Ne),
        ("<", CompareOp::Lt),
        ("<=", CompareOp::Le),
        (">", CompareOp::Gt),
        (">=", CompareOp::Ge),
    ];

    /// Whether `left op right`.
    pub fn holds<T: Ord + ?Sized>(self, left: &T, right: &T) -> bool {
        match self {
            CompareOp::Eq => left == right,
            CompareOp::Ne => left != right,
            CompareOp::Lt => left < right,
            CompareOp::Le => left <= right,
            CompareOp::Gt => left > right,
            CompareOp::Ge => left >= right,
        }
    }
}

/// A value computed from variables and constants.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The expression as written.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Const(Constant),
    /// A variable.
    Var(String),
    /// A parameter, by its place among the program's parameters.
    Param(usize),
    /// `_`
    Wild,
    /// `-x`
    Neg(Box<Expr>),
    /// `x + y` and its kin
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// The arithmetic operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, toward zero
    Div,
}

impl Expr {
    /// The variable, if the expression is just that.
    pub fn as_var(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Var(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is `_`.
    pub fn is_wild(&self) -> bool {
        matches!(self.kind, ExprKind::Wild)
    }

    /// Whether computing it can overflow or divide by zero.
    pub fn can_fail(&self) -> bool {
        matches!(self.kind, ExprKind::Neg(_) | ExprKind::Binary(..))
    }

    /// Calls `f` on the expression and all its parts.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        match &self.kind {
            ExprKind::Neg(inner) => inner.visit(f),
            ExprKind::Binary(_, left, right) => {
                left.visit(f);
                right.visit(f);
            }
            _ => {}
        }
    }

    /// The variables in it, as they occur.
    pub fn vars(&self) -> Vec<&str> {
        let mut vars = vec![];
        self.visit(&mut |e| vars.extend(e.as_var()));
        vars
    }
}

impl Rule {
    /// The relational literals of the body.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.body.iter().filter_map(|literal| match literal {
            Literal::Atom(atom) => Some(atom),
            Literal::Compare(_) => None,
        })
    }

    /// Where the rule runs: the first column of its first relational literal.
    pub fn location(&self) -> Option<&Expr> {
        self.atoms().next().and_then(|atom| atom.args.first())
    }

    /// Whether the head has an aggregate.
    pub fn aggregates(&self) -> bool {
        self.head.terms.iter().any(|term| matches!(term, HeadTerm::Aggregate(_)))
    }
}

impl Ast {
    /// Identical rules given twice count once.
    pub fn drop_repeated_rules(&mut self) {
        let mut seen = HashSet::new();
        self.rules.retain(|rule| seen.insert(rule.to_string()));
    }
}
