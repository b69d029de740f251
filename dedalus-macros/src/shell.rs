//! What stands around the rules: `pub program Name(params) { … }` and `rules Name(params) { … }`.

use dedalus_syntax::Span;
use dedalus_syntax::ast::{Constant, Name, Param, Type};
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
    pub uses: Vec<Use>,
}

/// `use path(argument, …);`
pub struct Use {
    pub path: Path,
    /// What its parameters stand for, in their order; without parentheses they are the program's of the same names.
    pub args: Option<Vec<Argument>>,
}

/// A value for a parameter of a rule set.
pub struct Argument {
    pub tokens: TokenStream,
    pub kind: ArgumentKind,
}

/// The kinds of values.
pub enum ArgumentKind {
    /// A constant.
    Constant(Type),
    /// A parameter of the program.
    Param(Ident),
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
const RESERVED: [&str; 10] =
    ["new", "nodes", "run", "try_run", "explain", "facts_at", "maybe_at", "plan", "input", "execute"];

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
        let text = Name { text: name.to_string(), span: Span::default() };
        let param = Param { name: text, ty: kind, default: constant, declared: false };
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
            // The least integer has no positive twin: read the sign first.
            let magnitude: i128 = value.base10_parse()?;
            let signed = i64::try_from(if minus.is_some() { -magnitude } else { magnitude });
            let message = "this does not fit in a 64-bit integer";
            let signed = signed.map_err(|_| syn::Error::new(value.span(), message))?;
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

impl Parse for Use {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path = input.call(Path::parse_mod_style)?;
        if !input.peek(syn::token::Paren) {
            return Ok(Use { path, args: None });
        }
        let inner;
        parenthesized!(inner in input);
        let args: Punctuated<Argument, Token![,]> = inner.parse_terminated(Argument::parse, Token![,])?;
        Ok(Use { path, args: Some(args.into_iter().collect()) })
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Ident) {
            let name: Ident = input.parse()?;
            return Ok(Argument { tokens: name.to_token_stream(), kind: ArgumentKind::Param(name) });
        }
        let ty = if input.peek(LitStr) { Type::Str } else { Type::Int };
        let wrong = |e: syn::Error| {
            syn::Error::new(
                e.span(),
                "expected a number, a string or a parameter of the program, as in `use Timer(3);`",
            )
        };
        let (tokens, _) = parse_default(input, ty).map_err(wrong)?;
        Ok(Argument { tokens, kind: ArgumentKind::Constant(ty) })
    }
}

impl ToTokens for Use {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let path = &self.path;
        tokens.extend(match &self.args {
            None => quote!(#path),
            Some(args) => {
                let args = args.iter().map(|arg| &arg.tokens);
                quote!(#path(#(#args),*))
            }
        });
    }
}

/// Takes the `use path;` items out of a body.
fn split_uses(body: TokenStream) -> syn::Result<(Vec<Use>, TokenStream)> {
    let (mut uses, mut rest) = (vec![], TokenStream::new());
    let mut item_starts = true;
    let mut trees = body.into_iter();
    while let Some(tree) = trees.next() {
        match &tree {
            TokenTree::Ident(word) if item_starts && word == "use" => {
                let path: TokenStream =
                    trees.by_ref().take_while(|t| !matches!(t, TokenTree::Punct(p) if p.as_char() == ';')).collect();
                // What is wrong within parentheses is told there.
                let has_arguments = path.clone().into_iter().any(|tree| matches!(tree, TokenTree::Group(_)));
                uses.push(syn::parse2(path).map_err(|e| {
                    let message = "expected the path of a rule set, as in `use crate::specs::Broadcast;`";
                    if has_arguments { e } else { syn::Error::new(e.span(), message) }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with that many rules of each kind.
    fn program(rules: usize) -> TokenStream {
        let text: String = (0..rules)
            .map(|i| {
                format!(
                    "p{i}(X, Y + 1)@next :- q{i}(X, Y), notin r{i}(X, _), Y < 9;
                     q{i}(Y, V)@async :- r{i}(X, Y), p{i}(X, V), link(X, Y);
                     s{i}(X, Z) :- s{i}(X, Y), link(Y, Z);
                     t{i}(X, count<V>) :- p{i}(X, V);"
                )
            })
            .collect();
        let text = format!("pub program Many(size: int = 3) {{ {text} p0(\"a\", size)@1; }}");
        text.parse().expect("tokens")
    }

    fn count(tokens: TokenStream) -> usize {
        let inside = |tree: TokenTree| match tree {
            TokenTree::Group(group) => 1 + count(group.stream()),
            _ => 1,
        };
        tokens.into_iter().map(inside).sum()
    }

    #[test]
    fn expansion_is_reproducible_to_the_byte() {
        assert!(!program(10).is_empty());
        let first = expand(program(10)).to_string();
        assert!(first.contains("impl Program for"), "{first}");
        assert_eq!(first, expand(program(10)).to_string());
    }

    #[test]
    fn expansion_grows_linearly_with_the_rules() {
        let [ten, twenty, forty] = [10, 20, 40].map(|rules| count(expand(program(rules))));
        // Twice the rules add no more than twice the tokens, to a percent.
        let (first, second) = (twenty - ten, forty - twenty);
        assert!(second * 100 <= 202 * first, "{ten}, {twenty}, {forty}");
    }
}
