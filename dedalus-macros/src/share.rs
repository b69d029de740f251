//! Rule sets used by several programs of a crate, without files.
//!
//! A macro cannot see what another macro was given. So `rules Name { … }` becomes a `macro_rules!`
//! that hands its tokens on, and a program that says `use Name;` expands to a call of it, which
//! comes back here with the tokens. They keep their spans: an error in a shared rule points at it.

use dedalus_syntax::ast::Ast;
use dedalus_syntax::diagnostic::Diagnostics;
use dedalus_syntax::from_rust::RustTokens;
use dedalus_syntax::parse::{Dialect, parse};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::codegen;
use crate::report;
use crate::shell::Shell;
use crate::written;

/// `rules Name(params) { … }`
pub fn define(rules: &Shell) -> TokenStream {
    let Shell { name, params, body, attrs, .. } = rules;
    // A mistake is reported where it is written, even if no program uses the rule set.
    let mut diagnostics = Diagnostics::default();
    let tokens = RustTokens::read(body.clone(), name.span());
    let known: Vec<_> = params.iter().map(|p| p.param.clone()).collect();
    parse(&tokens.tokens, Dialect::MACRO, &known, &mut diagnostics);
    let mut errors = report::errors(&diagnostics, &tokens.spans);
    if let Some(path) = rules.uses.first() {
        let message = "a rule set cannot use another: let the program use both";
        errors.extend(syn::Error::new_spanned(path, message).to_compile_error());
    }
    // Programs that use it need not be told again: for them it is there, and empty.
    let empty = TokenStream::new();
    let body = if errors.is_empty() { body } else { &empty };
    let hidden = format_ident!("__dedalus_rules_{name}");
    quote! {
        #errors
        #(#attrs)*
        #[allow(unused_macros)]
        macro_rules! #hidden {
            ({ $($resume:tt)* } $($state:tt)*) => {
                $($resume)*! { $($state)* { #name (#(#params)*) { #body } } }
            };
        }
        #[allow(unused_imports)]
        pub(crate) use #hidden as #name;
    }
}

/// `program Name(params) { … }`
pub fn start(program: &Shell) -> TokenStream {
    if program.uses.is_empty() {
        return generate(program, vec![]);
    }
    let Shell { attrs, vis, name, params, body, uses, .. } = program;
    next(quote!({ #(#attrs)* #vis program #name (#(#params)*) { #(use #uses;)* #body } }), program, 0)
}

/// Asks the next rule set for its tokens.
fn next(state: TokenStream, program: &Shell, done: usize) -> TokenStream {
    let path = &program.uses[done];
    quote!(#path! { { ::ldfi::__dedalus_resume } #state })
}

/// `{ program } { rule set } …`: as many rule sets as have answered.
pub fn resume(input: TokenStream) -> TokenStream {
    let groups: Vec<Group> =
        input.clone().into_iter().filter_map(|t| if let TokenTree::Group(g) = t { Some(g) } else { None }).collect();
    let Some((first, sets)) = groups.split_first() else {
        return quote!(::core::compile_error!("`__dedalus_resume!` is called by `dedalus!` only"););
    };
    let program: Shell = match syn::parse2(first.stream()) {
        Ok(program) => program,
        Err(error) => return error.to_compile_error(),
    };
    if sets.len() < program.uses.len() {
        return next(input, &program, sets.len());
    }
    let mut shared = vec![];
    for set in sets {
        let stream = set.stream();
        match syn::parse2::<Shell>(quote!(rules #stream)) {
            Ok(rules) => shared.push(rules),
            Err(error) => return error.to_compile_error(),
        }
    }
    generate(&program, shared)
}

/// All tokens are here: compile them.
fn generate(program: &Shell, shared: Vec<Shell>) -> TokenStream {
    for (rules, path) in shared.iter().zip(&program.uses) {
        for wanted in &rules.params {
            let given = program.params.iter().find(|p| p.name == wanted.name);
            if given.is_none_or(|g| g.param.ty != wanted.param.ty) {
                let message =
                    format!("these rules need the parameter `{}: {}` of the program", wanted.name, wanted.param.ty);
                return syn::Error::new_spanned(path, message).to_compile_error();
            }
        }
    }
    let bodies = shared.iter().map(|rules| &rules.body);
    let own = &program.body;
    let blocks: Vec<TokenStream> = bodies.clone().chain([own]).cloned().collect();
    let tokens = RustTokens::read(quote!(#(#bodies)* #own), program.name.span());
    let mut diagnostics = Diagnostics::default();
    let mut ast = Ast { params: program.params.iter().map(|p| p.param.clone()).collect(), ..Ast::default() };
    for item in parse(&tokens.tokens, Dialect::MACRO, &ast.params.clone(), &mut diagnostics) {
        ast.add(item);
    }
    let Some(plan) = dedalus_syntax::compile(ast, &mut diagnostics) else {
        return report::errors(&diagnostics, &tokens.spans);
    };
    let warnings = report::warnings(&diagnostics, &tokens.spans);
    let written = written::in_rust(&blocks, &plan, &tokens.spans);
    let code = codegen::program(&program.attrs, &program.vis, &program.name, &program.params, &plan, &written);
    quote!(#warnings #code)
}
