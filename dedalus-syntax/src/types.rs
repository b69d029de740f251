//! Column types: each column holds strings or integers, never both.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::ast::*;
use crate::check;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::plan::Reserved;
use crate::promise::{Side, side_of};
use crate::span::Span;

/// The relations of a program in order of first appearance, with the types of their columns.
pub type Relations = IndexMap<String, Vec<Type>>;

/// Infers every column's type by unification. `None` if a column is used both ways.
pub fn infer(ast: &Ast, diagnostics: &mut Diagnostics) -> Option<Relations> {
    let mut unifier = Unifier::new(ast, diagnostics);
    unifier.seed();
    for rule in &ast.rules {
        unifier.rule(rule);
    }
    unifier.outcomes();
    let failed = unifier.failed;
    let relations = unifier.relations.clone();
    let types = relations.into_iter().map(|(name, cells)| {
        // A column that nothing constrains holds nothing either: any type does.
        (name, cells.into_iter().map(|c| unifier.known(c).map_or(Type::Str, |(ty, _)| ty)).collect())
    });
    let types = types.collect();
    (!failed).then_some(types)
}

/// What fixed the type of a column.
#[derive(Clone, Copy)]
enum Origin {
    /// A piece of the text.
    Text(Span),
    /// The relation is reserved.
    Reserved(Reserved),
}

/// A class of columns and variables that must have one type.
type Cell = usize;

struct Unifier<'a, 'd> {
    ast: &'a Ast,
    parent: Vec<Cell>,
    /// How many cells a class has: the smaller joins the larger, so that no way to a root is long.
    size: Vec<usize>,
    /// The type of a class, with the place that fixed it.
    fixed: Vec<Option<(Type, Origin)>>,
    relations: IndexMap<String, Vec<Cell>>,
    vars: IndexMap<String, Cell>,
    diagnostics: &'d mut Diagnostics,
    failed: bool,
}

impl<'a, 'd> Unifier<'a, 'd> {
    fn new(ast: &'a Ast, diagnostics: &'d mut Diagnostics) -> Self {
        Unifier {
            ast,
            parent: vec![],
            size: vec![],
            fixed: vec![],
            relations: IndexMap::new(),
            vars: IndexMap::new(),
            diagnostics,
            failed: false,
        }
    }

    fn fresh(&mut self) -> Cell {
        self.parent.push(self.parent.len());
        self.size.push(1);
        self.fixed.push(None);
        self.parent.len() - 1
    }

    fn root(&self, mut cell: Cell) -> Cell {
        while self.parent[cell] != cell {
            cell = self.parent[cell];
        }
        cell
    }

    fn known(&self, cell: Cell) -> Option<(Type, Origin)> {
        self.fixed[self.root(cell)]
    }

    fn fix(&mut self, cell: Cell, ty: Type, span: Span, what: &str) {
        let root = self.root(cell);
        match self.fixed[root] {
            None => self.fixed[root] = Some((ty, Origin::Text(span))),
            Some((other, place)) if other != ty => self.clash(what, (ty, span), (other, place)),
            Some(_) => {}
        }
    }

    fn join(&mut self, a: Cell, b: Cell, span: Span, what: &str) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        match (self.fixed[a], self.fixed[b]) {
            (Some((ta, pa)), Some((tb, _))) if ta != tb => self.clash(what, (tb, span), (ta, pa)),
            (first, second) => {
                let (root, child) = if self.size[a] < self.size[b] { (b, a) } else { (a, b) };
                self.parent[child] = root;
                self.size[root] += self.size[child];
                self.fixed[root] = first.or(second);
            }
        }
    }

    fn clash(&mut self, what: &str, here: (Type, Span), there: (Type, Origin)) {
        self.failed = true;
        let (here_name, there_name) = (type_name(here.0), type_name(there.0));
        let error = match there.1 {
            Origin::Reserved(reserved) => {
                let (name, shape) = (reserved.name(), reserved.shape());
                let message = format!("{what} is used as {here_name} here, but `{name}` holds {there_name} there");
                let help = match reserved {
                    Reserved::Crash | Reserved::Restart => "holds two nodes, which are strings, and an integer",
                    Reserved::Boot => "holds a node, which is a string",
                };
                Diagnostic::error(here.1, message).help(format!("`{shape}` {help}"))
            }
            Origin::Text(place) => {
                let message = format!("{what} is used as {here_name} here, but as {there_name} elsewhere");
                let error = Diagnostic::error(here.1, message).note(place, format!("{there_name} here"));
                error.help("a column holds strings or integers, not both")
            }
        };
        self.diagnostics.push(error);
    }

    fn seed(&mut self) {
        for (name, arity, _) in check::uses(self.ast) {
            if !self.relations.contains_key(&name.text) {
                let cells = (0..arity).map(|_| self.fresh()).collect();
                self.relations.insert(name.text.clone(), cells);
            }
        }
        for (name, reserved) in Reserved::ALL {
            for (cell, ty) in self.relations.get(name).cloned().unwrap_or_default().into_iter().zip(reserved.columns())
            {
                let root = self.root(cell);
                self.fixed[root] = Some((*ty, Origin::Reserved(reserved)));
            }
        }
        for input in &self.ast.inputs {
            for (i, ty) in input.columns.iter().enumerate() {
                let cell = self.column(&input.relation, i);
                self.fix(cell, *ty, input.span, &column_name(&input.relation, i));
            }
        }
        for fact in &self.ast.facts {
            for (i, value) in fact.values.iter().enumerate() {
                let cell = self.column(&fact.relation, i);
                self.term(value, cell, &column_name(&fact.relation, i));
            }
        }
    }

    fn column(&self, relation: &Name, i: usize) -> Cell {
        self.relations[&relation.text][i]
    }

    fn var(&mut self, name: &str) -> Cell {
        if let Some(cell) = self.vars.get(name) {
            return *cell;
        }
        let cell = self.fresh();
        self.vars.insert(name.into(), cell);
        cell
    }

    /// `expr` is a value of `cell`.
    fn term(&mut self, expr: &Expr, cell: Cell, what: &str) {
        match &expr.kind {
            ExprKind::Const(constant) => self.fix(cell, constant.ty(), expr.span, what),
            ExprKind::Param(i) => self.fix(cell, self.ast.params[*i].ty, expr.span, what),
            ExprKind::Var(name) => {
                let var = self.var(name);
                self.join(cell, var, expr.span, what);
            }
            ExprKind::Wild => {}
            ExprKind::Neg(inner) => {
                self.operand(inner);
                self.fix(cell, Type::Int, expr.span, what);
            }
            ExprKind::Binary(_, left, right) => {
                self.operand(left);
                self.operand(right);
                self.fix(cell, Type::Int, expr.span, what);
            }
        }
    }

    /// An operand of arithmetic is an integer.
    fn operand(&mut self, expr: &Expr) {
        let is_string = match &expr.kind {
            ExprKind::Const(c) => c.ty() == Type::Str,
            ExprKind::Param(i) => self.ast.params[*i].ty == Type::Str,
            ExprKind::Var(name) => {
                let var = self.var(name);
                matches!(self.known(var), Some((Type::Str, _)))
            }
            _ => false,
        };
        if is_string {
            self.failed = true;
            let error =
                Diagnostic::error(expr.span, format!("arithmetic on the string `{}`", self.ast.show_expr(expr)));
            self.diagnostics.push(error.help("`+ - * /` work on integers"));
            return;
        }
        let cell = self.fresh();
        self.fix(cell, Type::Int, expr.span, "an operand");
        self.term(expr, cell, &format!("`{}`", self.ast.show_expr(expr)));
    }

    fn rule(&mut self, rule: &Rule) {
        self.vars.clear();
        // Atoms first: they say most about types, so that errors point at arithmetic and comparisons.
        for atom in rule.atoms() {
            for (i, arg) in atom.args.iter().enumerate().filter(|(_, e)| !e.can_fail()) {
                let cell = self.column(&atom.relation, i);
                self.term(arg, cell, &column_name(&atom.relation, i));
            }
        }
        for atom in rule.atoms() {
            for (i, arg) in atom.args.iter().enumerate().filter(|(_, e)| e.can_fail()) {
                let cell = self.column(&atom.relation, i);
                self.term(arg, cell, &column_name(&atom.relation, i));
            }
        }
        for literal in &rule.body {
            if let Literal::Compare(c) = literal {
                self.compare(c);
            }
        }
        for (i, term) in rule.head.terms.iter().enumerate() {
            let cell = self.column(&rule.head.relation, i);
            let what = column_name(&rule.head.relation, i);
            match term {
                HeadTerm::Expr(expr) => self.term(expr, cell, &what),
                HeadTerm::Aggregate(a) => self.aggregate(a, cell, &what),
            }
        }
    }

    fn compare(&mut self, compare: &Compare) {
        let (left, right) = (self.fresh(), self.fresh());
        let ast = self.ast;
        self.term(&compare.left, left, &format!("`{}`", ast.show_expr(&compare.left)));
        self.term(&compare.right, right, &format!("`{}`", ast.show_expr(&compare.right)));
        match (self.known(left), self.known(right)) {
            (Some((l, l_place)), Some((r, r_place))) if l != r => {
                self.failed = true;
                let message = format!("this compares {} with {}", type_name(l), type_name(r));
                let mut error = Diagnostic::error(compare.span, message);
                // What is plain to see in the comparison itself needs no note.
                for (ty, place, side) in [(l, l_place, &compare.left), (r, r_place, &compare.right)] {
                    if let Origin::Text(place) = place
                        && place != side.span
                    {
                        error = error.note(place, format!("`{}` is {}", ast.show_expr(side), type_name(ty)));
                    }
                }
                self.diagnostics.push(error.help("comparisons work on two integers or on two strings"));
            }
            _ => self.join(left, right, compare.span, "a side of this comparison"),
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate, cell: Cell, what: &str) {
        let var = self.var(&aggregate.var.text);
        match aggregate.op {
            AggregateOp::Count => self.fix(cell, Type::Int, aggregate.span, what),
            AggregateOp::Min | AggregateOp::Max => self.join(cell, var, aggregate.span, what),
            AggregateOp::Sum | AggregateOp::Avg => {
                if let Some((Type::Str, place)) = self.known(var) {
                    self.failed = true;
                    let message = format!("`{}` of the string `{}`", aggregate.op, aggregate.var.text);
                    let mut error = Diagnostic::error(aggregate.span, message);
                    if let Origin::Text(place) = place {
                        error = error.note(place, "a string here");
                    }
                    self.diagnostics
                        .push(error.help("`sum` and `avg` work on integers; `count`, `min` and `max` on both"));
                    return;
                }
                self.fix(var, Type::Int, aggregate.span, &format!("`{}`", aggregate.var.text));
                self.fix(cell, Type::Int, aggregate.span, what);
            }
        }
    }

    /// A violation compares tuples of `pre` with tuples of `post`.
    fn outcomes(&mut self) {
        let uses = check::uses(self.ast);
        let mut done = HashSet::new();
        for (relation, _, span) in &uses {
            let Some((Side::Post, promise)) = side_of(&relation.text) else { continue };
            let pre_name = Side::Pre.relation(promise);
            let both = (self.relations.get(&pre_name).cloned(), self.relations.get(&relation.text).cloned());
            let (Some(pre), Some(post)) = both else { continue };
            if !done.insert(promise) {
                continue;
            }
            for (i, (a, b)) in pre.into_iter().zip(post).enumerate() {
                self.join(a, b, *span, &format!("column {} of `{pre_name}` and `{}`", i + 1, relation.text));
            }
        }
    }
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Str => "a string",
        Type::Int => "an integer",
    }
}

fn column_name(relation: &Name, i: usize) -> String {
    format!("column {} of `{}`", i + 1, relation.text)
}
