//! What stands around the rules: `pub program Name(params) { … }` and `rules Name(params) { … }`.

use dedalus_syntax::ast::{Constant, Name, Param, Type};
use dedalus_syntax::span::Span;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, LitInt, LitStr, Path, Token, Visibility, braced, parenthesized};

use crate::share;

/// A `program` or a `rules`.
pub struct Shell {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub is_program: bool,
    pub name: Ident,
    pub params: Vec<ShellParam>,
    /// The rules, without `use` items.
    pub body: TokenStream,
    /// Rule sets that the body uses.
    pub uses: Vec<Path>,
}

/// `name: type = default`
pub struct ShellParam {
    pub name: Ident,
    pub ty: Ident,
    pub default: Option<TokenStream>,
    pub param: Param,
}

/// Expands every item of a `dedalus!` call.
pub fn expand(input: TokenStream) -> TokenStream {
    let parser = |input: ParseStream<'_>| {
        let mut items = vec![];
        while !input.is_empty() {
            items.push(input.parse::<Shell>()?);
        }
        Ok(items)
    };
    match syn::parse::Parser::parse2(parser, input) {
        Ok(items) if items.is_empty() => {
            let here = proc_macro2::Span::call_site();
            let message = "expected a program: `pub program Name { … }`, or shared rules: `rules Name { … }`";
            syn::Error::new(here, message).to_compile_error()
        }
        Ok(items) => items
            .into_iter()
            .map(|item| if item.is_program { share::start(&item) } else { share::define(&item) })
            .collect(),
        Err(error) => error.to_compile_error(),
    }
}

impl Parse for Shell {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let kind: Ident = input.call(syn::ext::IdentExt::parse_any)?;
        if kind != "program" && kind != "rules" {
            let message = format!("expected `program Name {{ … }}` or `rules Name {{ … }}`, found `{kind}`");
            return Err(syn::Error::new(kind.span(), message));
        }
        let name: Ident = input.parse()?;
        let params = if input.peek(syn::token::Paren) { parse_params(input)? } else { vec![] };
        let body;
        braced!(body in input);
        let (uses, body) = split_uses(body.parse()?)?;
        let is_program = kind == "program";
        if let (false, Some(path)) = (is_program, uses.first()) {
            return Err(syn::Error::new_spanned(path, "a rule set cannot use another: let the program use both"));
        }
        Ok(Shell { attrs, vis, is_program, name, params, body, uses })
    }
}

/// `(name: type = default, …)`
pub fn parse_params(input: ParseStream<'_>) -> syn::Result<Vec<ShellParam>> {
    let inner;
    parenthesized!(inner in input);
    let params: Punctuated<ShellParam, Token![,]> = inner.parse_terminated(ShellParam::parse, Token![,])?;
    let params: Vec<ShellParam> = params.into_iter().collect();
    for (i, param) in params.iter().enumerate() {
        if params[..i].iter().any(|p| p.name == param.name) {
            let message = format!("parameter `{}` is declared twice", param.name);
            return Err(syn::Error::new(param.name.span(), message));
        }
        if RESERVED.contains(&param.name.to_string().as_str()) {
            let message =
                format!("a parameter cannot be called `{}`: the program has a method of that name", param.name);
            return Err(syn::Error::new(param.name.span(), message));
        }
    }
    Ok(params)
}

/// Methods of a generated program; a parameter's setter has the parameter's name.
const RESERVED: [&str; 9] = ["new", "nodes", "run", "try_run", "explain", "facts_at", "plan", "input", "execute"];

impl Parse for ShellParam {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty: Ident = input.parse()?;
        let kind = match ty.to_string().as_str() {
            "int" => Type::Int,
            "str" => Type::Str,
            other => {
                let message = format!("unknown parameter type `{other}`: write `int` or `str`");
                return Err(syn::Error::new(ty.span(), message));
            }
        };
        let (mut default, mut constant) = (None, None);
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let (tokens, value) = parse_default(input, kind)?;
            (default, constant) = (Some(tokens), Some(value));
        }
        let param = Param { name: Name { text: name.to_string(), span: Span::default() }, ty: kind, default: constant };
        Ok(ShellParam { name, ty, default, param })
    }
}

fn parse_default(input: ParseStream<'_>, kind: Type) -> syn::Result<(TokenStream, Constant)> {
    match kind {
        Type::Str => {
            let text: LitStr = input.parse()?;
            Ok((text.to_token_stream(), Constant::Str(text.value())))
        }
        Type::Int => {
            let minus: Option<Token![-]> = input.parse()?;
            let value: LitInt = input.parse()?;
            let magnitude: i64 = value.base10_parse()?;
            let signed = if minus.is_some() { -magnitude } else { magnitude };
            Ok((quote!(#minus #value), Constant::Int(signed)))
        }
    }
}

impl ToTokens for ShellParam {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (name, ty) = (&self.name, &self.ty);
        tokens.extend(match &self.default {
            Some(default) => quote!(#name: #ty = #default,),
            None => quote!(#name: #ty,),
        });
    }
}

/// Takes the `use path;` items out of a body.
fn split_uses(body: TokenStream) -> syn::Result<(Vec<Path>, TokenStream)> {
    let (mut uses, mut rest) = (vec![], TokenStream::new());
    let mut item_starts = true;
    let mut trees = body.into_iter();
    while let Some(tree) = trees.next() {
        match &tree {
            TokenTree::Ident(word) if item_starts && word == "use" => {
                let path: TokenStream =
                    trees.by_ref().take_while(|t| !matches!(t, TokenTree::Punct(p) if p.as_char() == ';')).collect();
                uses.push(syn::parse2(path).map_err(|e| {
                    syn::Error::new(e.span(), "expected the path of a rule set, as in `use crate::specs::Broadcast;`")
                })?);
            }
            other => {
                item_starts = matches!(other, TokenTree::Punct(p) if p.as_char() == ';');
                rest.extend([tree]);
            }
        }
    }
    Ok((uses, rest))
}
