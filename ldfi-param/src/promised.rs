//! One promise of several: the first column of `pre` and `post` names them, as in `pre("agreement", X)`.

use std::sync::Arc;

use dedalus_runtime::Input;
use dedalus_syntax::ast::{Ast, ExprKind, HeadTerm, Rule};
use dedalus_syntax::plan::Plan;
use ldfi_model::Value;

use crate::question::QuestionError;

/// What a rule for a promise has in its first column, if that is written.
fn called(rule: &Rule) -> Option<&Value> {
    match rule.head.terms.first()? {
        HeadTerm::Expr(expr) => match &expr.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        },
        HeadTerm::Aggregate(_) => None,
    }
}

/// The program without the rules of other promises, and its inputs.
///
/// # Errors
/// If no promise is called so.
pub(crate) fn only(plan: &Plan, input: &Input, about: &Value) -> Result<(Arc<Plan>, Input), QuestionError> {
    let relations = plan.promises().iter().flat_map(|promise| [promise.pre, promise.post]).flatten();
    let names: Vec<&str> = relations.map(|relation| plan.rel(relation).name.as_str()).collect();
    let promised = |rule: &Rule| names.contains(&rule.head.relation.text.as_str());
    let unknown = || {
        let mut known: Vec<String> =
            plan.ast.rules.iter().filter(|rule| promised(rule)).filter_map(called).map(ToString::to_string).collect();
        known.sort();
        known.dedup();
        QuestionError::NoSuchPromise { about: about.to_string(), known }
    };
    if !plan.ast.rules.iter().any(|rule| promised(rule) && called(rule) == Some(about)) {
        return Err(unknown());
    }
    let mut ast: Ast = plan.ast.clone();
    ast.rules.retain(|rule| !promised(rule) || called(rule).is_none_or(|name| name == about));
    let own = dedalus_syntax::compile_text("promised.ded", &ast.to_string()).map_err(|_| unknown())?;
    // Facts are given by the number of their relation.
    let mut input = input.clone();
    for fact in &mut input.facts {
        fact.relation = own.relation(&plan.rel(fact.relation).name).ok_or_else(unknown)?;
    }
    Ok((Arc::new(own), input))
}
