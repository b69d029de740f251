//! What generated code names. Not for people: `dedalus!` writes it.

pub use std::sync::Arc;

pub use dedalus_syntax::ast::{Constant, Type};
pub use dedalus_syntax::plan::{Link, Plan, RelId, Window};

pub use crate::arithmetic::{add, div, mul, neg, sub};
pub use crate::database::{Database, Step};
pub use crate::input::Input;
pub use crate::keymap::NONE;
pub use crate::mode::{Lineage, Mode, Plain, Potential, Variant};
pub use crate::program::Program;
use crate::value::Value;

/// A parameter as generated code gives it: name, type, default.
pub type ParamSpec = (&'static str, Type, Option<Value>);

/// Reads a program's plan back from its own text.
///
/// # Panics
/// If the text does not give the plan that was compiled, which means that the macro and the runtime
/// are of different versions.
pub fn replan(source: &str, params: Vec<ParamSpec>, fingerprint: u64) -> Arc<Plan> {
    use dedalus_syntax::ast::{Name, Param};
    use dedalus_syntax::{source::Sources, span::Span};
    let params = params.into_iter().map(|(name, ty, default)| Param {
        name: Name { text: name.to_owned(), span: Span::default() },
        ty,
        default: default.map(Into::into),
    });
    match dedalus_syntax::compile_sources(Sources::from_text("program", source), params.collect()) {
        Ok(plan) if plan.fingerprint() == fingerprint => Arc::new(plan),
        Ok(_) => panic!("`dedalus!` and its runtime are of different versions: use them through one version of `ldfi`"),
        Err(rejected) => panic!("a compiled program does not read back:\n{rejected}"),
    }
}
