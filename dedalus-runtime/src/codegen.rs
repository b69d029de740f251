//! What generated code names. Only `dedalus!` writes it.

pub use std::sync::Arc;

pub use dedalus_syntax::ast::{Constant, Type};
pub use dedalus_syntax::plan::{Link, Plan, RelId, Window};

pub use crate::arithmetic::{add, div, mul, neg, sub};
pub use crate::database::{Database, Step};
pub use crate::execution::Draw;
pub use crate::input::Input;
pub use crate::keymap::NONE;
pub use crate::mode::{Lineage, Mode, Plain, Potential, Variant};
pub use crate::program::Program;
use crate::value::Value;
use dedalus_syntax::{Written, WrittenText};

/// A parameter as generated code gives it: name, type, default.
pub type ParamSpec = (&'static str, Type, Option<Value>);

/// What the author wrote, as generated code gives it: file, first line and text of each part; where the rules stand.
pub type WrittenSpec<'a> = (&'a [(&'a str, u32, &'a str)], &'a str);

fn read_written((texts, places): WrittenSpec<'_>) -> Option<Written> {
    let text = |(name, first, text): &(&str, u32, &str)| WrittenText {
        name: (*name).to_owned(),
        first: *first,
        text: (*text).to_owned(),
    };
    // A compiler that does not tell where things stand leaves nothing.
    let texts: Vec<WrittenText> = texts.iter().map(text).collect();
    (!texts.is_empty()).then(|| Written { texts, rules: Written::parse_places(places) })
}

/// The columns of a message, if they all have values.
pub fn known(columns: &[crate::arithmetic::Computed]) -> Option<Vec<crate::value::Word>> {
    columns.iter().map(|column| column.ok()).collect()
}

/// Reads a program's plan back from its own text.
///
/// # Panics
/// If the text does not give the plan that was compiled, which means that the macro and the runtime
/// are of different versions.
pub fn replan(source: &str, params: Vec<ParamSpec>, fingerprint: u64, written: WrittenSpec<'_>) -> Arc<Plan> {
    use dedalus_syntax::ast::{Name, Param};
    use dedalus_syntax::{Sources, Span};
    let params = params.into_iter().map(|(name, ty, default)| Param {
        name: Name { text: name.to_owned(), span: Span::default() },
        ty,
        default,
        declared: false,
    });
    match dedalus_syntax::compile_sources(Sources::from_text("program", source), params.collect()) {
        Ok(mut plan) if plan.fingerprint() == fingerprint => {
            plan.written = read_written(written);
            Arc::new(plan)
        }
        Ok(_) => panic!("`dedalus!` and its runtime are of different versions: use them through one version of `ldfi`"),
        Err(rejected) => panic!("a compiled program does not read back:\n{rejected}"),
    }
}
