//! Rule sets used by several programs of a crate, without files.
//!
//! A macro cannot see what another macro was given. So `rules Name { … }` becomes a `macro_rules!`
//! that hands its tokens on, and a program that says `use Name;` expands to a call of it, which
//! comes back here with the tokens. They keep their spans: an error in a shared rule points at it.

use dedalus_syntax::ast::{Ast, Type};
use dedalus_syntax::parse::{Dialect, parse};
use dedalus_syntax::{Diagnostics, RustTokens};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::codegen;
use crate::report;
use crate::shell::{Argument, ArgumentKind, Shell, ShellParam, Use};
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
    if let Some(Use { path, .. }) = rules.uses.first() {
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
    let path = &program.uses[done].path;
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
    let bodies: syn::Result<Vec<TokenStream>> =
        shared.iter().zip(&program.uses).map(|(rules, used)| instantiate(rules, used, program)).collect();
    let bodies = match bodies {
        Ok(bodies) => bodies,
        Err(error) => return error.to_compile_error(),
    };
    let own = &program.body;
    let blocks: Vec<TokenStream> = bodies.iter().chain([own]).cloned().collect();
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

/// The rules of a set, with what the program gives for its parameters: arguments, or else its own parameters of the
/// same names, or else the defaults of the set.
fn instantiate(rules: &Shell, used: &Use, program: &Shell) -> syn::Result<TokenStream> {
    let same = |wanted: &ShellParam, name: &Ident| {
        program.params.iter().any(|p| p.name == *name && p.param.ty == wanted.param.ty)
    };
    let Some(args) = &used.args else {
        let mut given = vec![];
        for wanted in rules.params.iter().filter(|wanted| !same(wanted, &wanted.name)) {
            match &wanted.default {
                Some(default) if program.params.iter().all(|p| p.name != wanted.name) => given.push((wanted, default)),
                _ => {
                    let (name, ty) = (&wanted.name, wanted.param.ty);
                    let message = format!(
                        "these rules need the parameter `{name}: {ty}` of the program, or an argument, as in `use {}({})`",
                        rules.name,
                        if ty == Type::Int { "3" } else { "\"a\"" },
                    );
                    return Err(syn::Error::new_spanned(&used.path, message));
                }
            }
        }
        return Ok(substitute(rules.body.clone(), &given));
    };
    if args.len() != rules.params.len() {
        let (wanted, s) = (rules.params.len(), if rules.params.len() == 1 { "" } else { "s" });
        let message = format!("`{}` takes {wanted} argument{s}, not {}", rules.name, args.len());
        return Err(syn::Error::new_spanned(&used.path, message));
    }
    for (wanted, Argument { tokens, kind }) in rules.params.iter().zip(args) {
        let fits = match kind {
            ArgumentKind::Constant(ty) => *ty == wanted.param.ty,
            ArgumentKind::Param(name) => same(wanted, name),
        };
        if !fits {
            let ty = wanted.param.ty;
            let message = match kind {
                ArgumentKind::Constant(_) => format!("`{}` of `{}` is of type `{ty}`", wanted.name, rules.name),
                ArgumentKind::Param(name) => format!("the program has no parameter `{name}: {ty}`"),
            };
            return Err(syn::Error::new_spanned(tokens, message));
        }
    }
    let given: Vec<_> = rules.params.iter().zip(args.iter().map(|arg| &arg.tokens)).collect();
    Ok(substitute(rules.body.clone(), &given))
}

/// The tokens with values in the place of parameters. A value stands where the parameter stood, so that lines stay.
fn substitute(body: TokenStream, given: &[(&ShellParam, &TokenStream)]) -> TokenStream {
    let mut out = TokenStream::new();
    let mut trees = body.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), substitute(group.stream(), given));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            // A name before parentheses, or before `.`, is a relation.
            TokenTree::Ident(ident) if !trees.peek().is_some_and(goes_on) => {
                match given.iter().find(|(param, _)| param.name == ident) {
                    Some((_, value)) => out.extend((*value).clone().into_iter().map(|mut token| {
                        token.set_span(ident.span());
                        token
                    })),
                    None => out.extend([TokenTree::Ident(ident)]),
                }
            }
            other => out.extend([other]),
        }
    }
    out
}

fn goes_on(next: &TokenTree) -> bool {
    match next {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
        TokenTree::Punct(punct) => punct.as_char() == '.',
        _ => false,
    }
}
