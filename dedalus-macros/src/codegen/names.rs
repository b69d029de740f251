//! Rust names for relations, variables and columns.

use dedalus_syntax::ast::{Literal, Rule};
use dedalus_syntax::plan::{Plan, RelId};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The method that stands for a relation.
pub fn method(plan: &Plan, relation: usize) -> Ident {
    raw(&plan.method(RelId(u32::try_from(relation).unwrap_or(u32::MAX))))
}

/// An identifier, even where the word is a keyword.
fn raw(name: &str) -> Ident {
    match syn::parse_str::<Ident>(name) {
        Ok(ident) => ident,
        Err(_) => syn::parse_str::<Ident>(&format!("r#{name}")).unwrap_or_else(|_| format_ident!("{name}_")),
    }
}

/// The constant that stands for a relation in generated joins.
pub fn constant(plan: &Plan, relation: RelId) -> Ident {
    let method = method(plan, relation.index()).to_string();
    format_ident!("{}_{}", method.trim_start_matches("r#").to_uppercase(), relation.0)
}

/// `const LOG_0: usize = 0;` for each relation.
pub fn relation_constants(plan: &Plan) -> TokenStream {
    let constants = (0u32..).zip(&plan.relations).map(|(i, _)| {
        let name = constant(plan, RelId(i));
        let place = i as usize;
        quote!(const #name: usize = #place;)
    });
    quote!(#(#[allow(dead_code)] #constants)*)
}

/// The local variable that holds a rule's variable. Prefixed, so that it can never be read as a constant pattern.
pub fn variable(name: &str) -> Ident {
    format_ident!("v_{name}")
}

/// A name for each column of a relation: the variable that the text uses for it first.
pub fn columns(plan: &Plan, relation: usize) -> Vec<Ident> {
    let name = &plan.relations[relation].name;
    let mut taken: Vec<String> = vec!["self".into()];
    let mut columns = vec![];
    for column in 0..plan.relations[relation].columns.len() {
        let found = plan.ast.rules.iter().find_map(|rule| first_variable(rule, name, column));
        let mut text = found.map_or(format!("c{}", column + 1), |v| v.to_lowercase());
        if taken.contains(&text) {
            text += &format!("_{}", column + 1);
        }
        columns.push(raw(&text));
        taken.push(text);
    }
    columns
}

fn first_variable<'a>(rule: &'a Rule, relation: &str, column: usize) -> Option<&'a str> {
    let in_head = (rule.head.relation.text == relation)
        .then(|| match rule.head.terms.get(column) {
            Some(dedalus_syntax::ast::HeadTerm::Expr(expr)) => expr.as_var(),
            _ => None,
        })
        .flatten();
    in_head.or_else(|| {
        rule.body.iter().find_map(|literal| match literal {
            Literal::Atom(atom) if atom.relation.text == relation => atom.args.get(column)?.as_var(),
            _ => None,
        })
    })
}
