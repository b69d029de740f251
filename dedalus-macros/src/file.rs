//! `dedalus_file!`: a program from a `.ded` file.

use std::path::PathBuf;

use dedalus_syntax::{Sources, Written};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, LitStr, Token, Visibility};

use crate::codegen;
use crate::report;
use crate::shell::{ShellParam, parse_params};

/// `pub Name(params) = "path"`
struct FileShell {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    params: Vec<ShellParam>,
    path: LitStr,
}

impl Parse for FileShell {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let name = input.parse()?;
        let params = if input.peek(syn::token::Paren) { parse_params(input)? } else { vec![] };
        input.parse::<Token![=]>()?;
        let path: LitStr = input.parse()?;
        input.parse::<Option<Token![;]>>()?;
        // The file has the documentation; a crate that wants every item documented wants a word here too.
        if !attrs.iter().any(|attr| attr.path().is_ident("doc")) {
            let doc = format!("The program of `{}`.", path.value());
            attrs.push(syn::parse_quote!(#[doc = #doc]));
        }
        Ok(FileShell { attrs, vis, name, params, path })
    }
}

/// Expands a `dedalus_file!` call.
pub fn expand(input: TokenStream) -> TokenStream {
    let shell: FileShell = match syn::parse2(input) {
        Ok(shell) => shell,
        Err(error) => return error.to_compile_error(),
    };
    let sources = Sources::from_files(&[find(&shell.path)]);
    let watched: Vec<String> = sources.paths().iter().map(|p| p.display().to_string()).collect();
    let params = shell.params.iter().map(|p| p.param.clone()).collect();
    let code = match dedalus_syntax::compile_sources(sources, params) {
        Ok(plan) => {
            let warnings = plan.warnings.iter().enumerate();
            let warnings = warnings.map(|(i, text)| report::warning(i, &format!("\n{text}"), shell.path.span()));
            let code = codegen::program(
                &shell.attrs,
                &shell.vis,
                &shell.name,
                &shell.params,
                &plan,
                &Written::in_sources(&plan),
            );
            quote!(#(#warnings)* #code)
        }
        Err(rejected) => {
            syn::Error::new(shell.path.span(), format!("this program cannot run\n\n{rejected}")).to_compile_error()
        }
    };
    // Reading the files as bytes makes cargo watch them.
    quote! {
        #code
        #(const _: &[u8] = ::core::include_bytes!(#watched);)*
    }
}

/// Beside the source file, then beside `Cargo.toml`.
fn find(path: &LitStr) -> PathBuf {
    let beside_source = path.span().unwrap().local_file().and_then(|file| Some(file.parent()?.join(path.value())));
    let beside_manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(|dir| PathBuf::from(dir).join(path.value()));
    let candidates = [beside_source, beside_manifest];
    let found = candidates.iter().flatten().find(|p| p.exists()).cloned();
    found.or(candidates.into_iter().flatten().next()).unwrap_or_else(|| PathBuf::from(path.value()))
}
