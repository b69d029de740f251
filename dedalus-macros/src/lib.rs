//! The `dedalus!` macro: rules compiled to specialised Rust joins at build time.
//!
//! | module | noun |
//! |---|---|
//! | `shell` | what stands around the rules: `pub program Name(params) { … }` |
//! | `share` | rule sets used by several programs, and how their tokens travel |
//! | `report` | diagnostics as compile errors on the user's own tokens |
//! | `file` | `dedalus_file!` |
//! | `written` | Rust for the program as its author wrote it, with the files that it came from |
//! | `codegen` | the plan as Rust: one function for each join, and the typed surface |
//!
//! Use it through the `ldfi` crate, which re-exports it.

mod codegen;
mod file;
mod report;
mod share;
mod shell;
mod written;

use proc_macro::TokenStream;

/// Compiles programs and rule sets written inline.
///
/// ```text
/// dedalus! {
///     /// A rule set that several programs use.
///     rules Persistence { log(N, P)@next :- log(N, P); }
///
///     /// A program, with a parameter that rules use as a constant.
///     pub program Broadcast(payload: str = "data") {
///         use Persistence;
///         log(Other, P)@async :- bcast(Node, P), node(Node, Other);
///         bcast("a", payload)@1;
///         node("a", "b")@1;
///     }
/// }
/// ```
///
/// A `program` becomes a type with `new`, `facts_at`, `nodes`, `run`, `try_run` and `explain`, one
/// setter for each parameter, and typed access to every relation.
#[proc_macro]
pub fn dedalus(input: TokenStream) -> TokenStream {
    shell::expand(input.into()).into()
}

/// Compiles a program from a file: `dedalus_file!(pub Name = "path/to/file.ded")`.
///
/// The path is looked up beside the source file, then beside `Cargo.toml`. The crate is rebuilt when
/// the file, or one that it includes, changes. Parameters go behind the name, as in `dedalus!`.
#[proc_macro]
pub fn dedalus_file(input: TokenStream) -> TokenStream {
    file::expand(input.into()).into()
}

/// Goes on with a program once a rule set has handed over its tokens. Not for people.
#[doc(hidden)]
#[proc_macro]
pub fn __dedalus_resume(input: TokenStream) -> TokenStream {
    share::resume(input.into()).into()
}
