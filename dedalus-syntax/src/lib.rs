//! One front end for Dedalus, shared by the `dedalus!` macro and `.ded` files.
//!
//! ```text
//! text ── lex ──┐
//!               ├─ tokens ─ parse ─ Ast ─ check ─ types ─ strata ─ lower ─ Rule ─ plan ─ Plan
//! macro tokens ─┘
//! ```
//!
//! Each stage has one input and one output type; data moves left to right. A [`Plan`]
//! decides everything worth deciding once (join order, indexes, strata, clock guards); the
//! backends only walk it. This crate generates no Rust, though it says which names generated code gets, and knows of
//! faults only which relations tell of them.
//!
//! | module | noun |
//! |---|---|
//! | `span` | where a piece of text stands |
//! | `diagnostic` | an error or warning for the person who wrote the program |
//! | [`token`], [`lex`], `from_rust` | tokens, from a file or from a macro |
//! | [`ast`], [`parse`] | the program as written |
//! | `source` | files and their includes |
//! | `check`, `types`, `strata`, `nodes` | what must hold before a program can run |
//! | `filling`, `suspicious`, `implied`, [`lasting`] | what is allowed and surely not meant |
//! | [`rewrite`] | what one change to a program leads to |
//! | `relation`, `rule`, `lower` | what each rule says, for those who reason about it |
//! | `promise` | what a program promises |
//! | `written` | where rules stand in what their author wrote |
//! | `binding`, `graph` | in which order a body is read, and what depends on what |
//! | `nearest`, [`mod@print`] | the known name next to a mistyped one; programs as text |
//! | [`plan`], `planner`, `agenda`, `dump` | how it will run, and that for people to read |
//!
//! ```
//! let plan = dedalus_syntax::compile_text("t.ded", "p(X) :- q(X); q(\"a\")@1;").unwrap();
//! assert_eq!(plan.rules.len(), 1);
//! ```

mod agenda;
pub mod ast;
mod binding;
mod check;
mod diagnostic;
mod dump;
mod filling;
mod from_rust;
mod graph;
mod implied;
pub mod lasting;
pub mod lex;
mod lower;
mod nearest;
mod nodes;
pub mod parse;
pub mod plan;
mod planner;
pub mod print;
mod promise;
mod relation;
pub mod rewrite;
mod rule;
mod source;
mod span;
mod strata;
mod suspicious;
pub mod token;
mod types;
mod written;

use ast::Ast;
use plan::Plan;

// Text, and what is said about it.
pub use diagnostic::{Diagnostic, Diagnostics, Rejected, SHOWN, Severity, more};
pub use from_rust::RustTokens;
pub use source::{Sources, limited, read_text};
pub use span::{FileId, Span};
pub use written::{Written, WrittenAt, WrittenText};

// What a program promises, and how its rules hang together.
pub use graph::components;
pub use promise::{Promise, Side, UnknownPromise, side_of};

/// Checks a parsed program and plans it. Errors and warnings go to `diagnostics`.
///
/// Returns `None` if any error was reported, now or before.
pub fn compile(mut ast: Ast, diagnostics: &mut Diagnostics) -> Option<Plan> {
    ast.drop_repeated_rules();
    check::check(&ast, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let types = types::infer(&ast, diagnostics);
    let strata = strata::stratify(&ast, diagnostics);
    strata::weigh(&ast, strata.as_deref().unwrap_or_default(), diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    nodes::check(&ast, diagnostics);
    suspicious::warn(&ast, diagnostics);
    Some(planner::plan(ast, types?, strata?))
}

/// Compiles program text that includes no other file.
///
/// # Errors
/// All problems found, rendered with their place in the text.
pub fn compile_text(name: &str, text: &str) -> Result<Plan, Rejected> {
    compile_sources(Sources::from_text(name, text), vec![])
}

/// Compiles what [`Sources`] has gathered: one program out of all its files.
///
/// # Errors
/// All problems found, rendered with their place in the text.
pub fn compile_sources(sources: Sources, params: Vec<ast::Param>) -> Result<Plan, Rejected> {
    let mut diagnostics = Diagnostics::default();
    let ast = sources.parse(params, &mut diagnostics);
    match compile(ast, &mut diagnostics) {
        Some(mut plan) => {
            plan.warnings = diagnostics.render_all(&sources);
            plan.sources = sources;
            Ok(plan)
        }
        None => Err(Rejected::new(&diagnostics, &sources)),
    }
}
