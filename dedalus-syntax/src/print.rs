//! The program as text again: one canonical form, for comments in generated code, for dumps and for reports.

use std::fmt::{self, Display, Formatter, Result};

use crate::ast::*;

fn commas<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for CompareOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(Self::ALL.iter().find(|(_, op)| op == self).map_or("==", |(text, _)| text))
    }
}

impl Display for AggregateOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(Self::ALL.iter().find(|(_, op)| op == self).map_or("count", |(text, _)| text))
    }
}

impl Display for BinaryOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
        })
    }
}

impl Expr {
    /// How tightly its outermost operator binds.
    fn strength(&self) -> u8 {
        match &self.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => 1,
            ExprKind::Binary(..) => 2,
            ExprKind::Neg(_) => 3,
            // A negative constant reads as a negation does.
            ExprKind::Const(Constant::Int(value)) if *value < 0 => 3,
            _ => 4,
        }
    }

    fn print(&self, f: &mut Formatter<'_>, params: Option<&[Param]>) -> Result {
        let side = |f: &mut Formatter<'_>, e: &Expr, least: u8| {
            if e.strength() < least {
                f.write_str("(")?;
                e.print(f, params)?;
                f.write_str(")")
            } else {
                e.print(f, params)
            }
        };
        match &self.kind {
            ExprKind::Const(constant) => write!(f, "{constant}"),
            ExprKind::Var(name) => f.write_str(name),
            ExprKind::Param(index) => match params.and_then(|p| p.get(*index)) {
                Some(param) => f.write_str(&param.name.text),
                None => write!(f, "${index}"),
            },
            ExprKind::Wild => f.write_str("_"),
            ExprKind::Neg(inner) => {
                f.write_str("-")?;
                side(f, inner, 4)
            }
            ExprKind::Binary(op, left, right) => {
                side(f, left, self.strength())?;
                write!(f, " {op} ")?;
                side(f, right, self.strength() + 1)
            }
        }
    }
}

/// A piece of a program together with the parameters it names.
struct Named<'a, T>(&'a T, Option<&'a [Param]>);

impl Display for Named<'_, Expr> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.print(f, self.1)
    }
}

impl Display for Named<'_, HeadTerm> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            HeadTerm::Expr(expr) => expr.print(f, self.1),
            HeadTerm::Aggregate(a) => write!(f, "{}<{}>", a.op, a.var.text),
        }
    }
}

impl Display for Named<'_, Head> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}(", self.0.relation.text)?;
        commas(f, &self.0.terms.iter().map(|t| Named(t, self.1)).collect::<Vec<_>>())?;
        f.write_str(match self.0.when {
            When::Now => ")",
            When::Next => ")@next",
            When::Async => ")@async",
        })
    }
}

impl Display for Named<'_, Atom> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let atom = self.0;
        write!(f, "{}{}(", if atom.negated { "notin " } else { "" }, atom.relation.text)?;
        commas(f, &atom.args.iter().map(|e| Named(e, self.1)).collect::<Vec<_>>())?;
        f.write_str(")")?;
        atom.at.map_or(Ok(()), |at| write!(f, "@{at}"))
    }
}

impl Display for Named<'_, Literal> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Literal::Atom(atom) => write!(f, "{}", Named(atom, self.1)),
            Literal::Compare(c) => write!(f, "{} {} {}", Named(&c.left, self.1), c.op, Named(&c.right, self.1)),
        }
    }
}

impl Display for Named<'_, Rule> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} :- ", Named(&self.0.head, self.1))?;
        commas(f, &self.0.body.iter().map(|l| Named(l, self.1)).collect::<Vec<_>>())?;
        f.write_str(";")
    }
}

impl Display for Named<'_, Fact> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}{}(", if self.0.maybe { "maybe " } else { "" }, self.0.relation.text)?;
        commas(f, &self.0.values.iter().map(|e| Named(e, self.1)).collect::<Vec<_>>())?;
        write!(f, ")@{}", self.0.time)?;
        self.0.until.map_or(Ok(()), |until| write!(f, "..{until}"))?;
        f.write_str(";")
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "param {}: {}", self.name.text, self.ty)?;
        self.default.as_ref().map_or(Ok(()), |default| write!(f, " = {default}"))?;
        f.write_str(";")
    }
}

impl Display for Input {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "input {}(", self.relation.text)?;
        commas(f, &self.columns)?;
        f.write_str(");")
    }
}

/// `stable name, …;`
pub fn show_stable(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    format!("stable {};", names.join(", "))
}

macro_rules! display_without_params {
    ($($ty:ty),*) => {$(
        impl Display for $ty {
            fn fmt(&self, f: &mut Formatter<'_>) -> Result {
                write!(f, "{}", Named(self, None))
            }
        }
    )*};
}
display_without_params!(Expr, HeadTerm, Head, Atom, Literal, Rule, Fact);

impl Ast {
    /// A rule as text, with parameters by name.
    pub fn show_rule(&self, rule: &Rule) -> String {
        Named(rule, Some(&self.params)).to_string()
    }

    /// An expression as text, with parameters by name.
    pub fn show_expr(&self, expr: &Expr) -> String {
        Named(expr, Some(&self.params)).to_string()
    }

    /// A relational literal as text, with parameters by name.
    pub fn show_atom(&self, atom: &Atom) -> String {
        Named(atom, Some(&self.params)).to_string()
    }
}

impl Display for Ast {
    /// Parameters that the text declares, inputs, what is stable, rules, facts: parsing this gives the same program.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> Result {
        for param in self.params.iter().filter(|param| param.declared) {
            writeln!(f, "{param}")?;
        }
        for input in &self.inputs {
            writeln!(f, "{input}")?;
        }
        if !self.stable.is_empty() {
            writeln!(f, "{}", show_stable(&self.stable))?;
        }
        for rule in &self.rules {
            writeln!(f, "{}", Named(rule, Some(&self.params)))?;
        }
        for fact in &self.facts {
            writeln!(f, "{}", Named(fact, Some(&self.params)))?;
        }
        Ok(())
    }
}
