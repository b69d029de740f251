//! The typed surface of a program: making one, giving it facts, running it, reading what held.

use dedalus_syntax::ast::Type;
use dedalus_syntax::plan::{Plan, RelId};
use dedalus_syntax::{Written, WrittenText};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Visibility};

use super::names;
use crate::shell::ShellParam;

/// The program type and its companions.
pub fn surface(
    attrs: &[Attribute],
    vis: &Visibility,
    name: &Ident,
    params: &[ShellParam],
    plan: &Plan,
    written: &Written,
) -> TokenStream {
    let (facts, run, at) = (format_ident!("{name}Facts"), format_ident!("{name}Run"), format_ident!("{name}At"));
    let new = constructor(params);
    let setters = params.iter().enumerate().map(|(i, param)| setter(i, param));
    let plan_fn = plan_function(params, plan, written);
    let relations = || plan.relations.iter().enumerate();
    let given = relations().filter(|(_, r)| r.reserved.is_none());
    let fact_methods = given.map(|(relation, _)| fact_method(plan, relation));
    let timed = relations().filter(|(_, r)| !r.is_timeless());
    let row_methods = timed.map(|(relation, _)| row_method(plan, relation));
    let (facts_doc, run_doc, at_doc) = (
        format!("Adds facts to a [`{name}`] at one time: a method for each relation."),
        format!("A finished run of [`{name}`]: `{{}}` draws its diagram, `{{:?}}` tells of it in a line."),
        format!("What held at one time of a [`{run}`]: a method for each relation."),
    );
    let count = params.len();
    quote! {
        #(#attrs)*
        #[derive(Clone, Debug)]
        #vis struct #name {
            input: ::ldfi::__rt::Input,
        }

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl #name {
            #new
            fn __empty() -> Self {
                #name {
                    input: ::ldfi::__rt::Input {
                        params: ::std::vec![::core::option::Option::None; #count],
                        ..::core::default::Default::default()
                    },
                }
            }
            #(#setters)*
            /// Adds facts that hold at `time`.
            #vis fn facts_at(&mut self, time: u32) -> #facts<'_> {
                #facts { input: &mut self.input, time, maybe: false }
            }
            /// Adds inputs that may come at `time`: the adversary gives them or not.
            #vis fn maybe_at(&mut self, time: u32) -> #facts<'_> {
                #facts { input: &mut self.input, time, maybe: true }
            }
            /// Sets the nodes instead of inferring them from the facts.
            #[must_use]
            #vis fn nodes<S: ::core::convert::Into<::std::string::String>>(
                mut self,
                nodes: impl ::core::iter::IntoIterator<Item = S>,
            ) -> Self {
                self.input.nodes = ::core::option::Option::Some(nodes.into_iter().map(::core::convert::Into::into).collect());
                self
            }
            /// Runs the program once.
            ///
            /// # Panics
            /// If arithmetic fails or the faults name unknown nodes; `try_run` returns the error instead.
            #[track_caller]
            #vis fn run(&self, faults: &::ldfi::__rt::faults::Faults, eot: ::ldfi::__rt::faults::Time) -> #run {
                match self.try_run(faults, eot) {
                    ::core::result::Result::Ok(run) => run,
                    ::core::result::Result::Err(error) => ::core::panic!("{error}"),
                }
            }
            /// Runs the program once.
            ///
            /// # Errors
            /// If arithmetic fails, the faults name unknown nodes, or the input does not fit.
            #vis fn try_run(
                &self,
                faults: &::ldfi::__rt::faults::Faults,
                eot: ::ldfi::__rt::faults::Time,
            ) -> ::core::result::Result<#run, ::ldfi::__rt::RunError> {
                ::ldfi::__rt::Program::execute(self, faults, eot)
                    .map(|execution| #run { execution })
            }
            /// Runs the program once and records lineage, so that the run can be asked why.
            ///
            /// # Errors
            /// If arithmetic fails, the faults name unknown nodes, or the input does not fit.
            #vis fn explain(
                &self,
                faults: &::ldfi::__rt::faults::Faults,
                eot: ::ldfi::__rt::faults::Time,
            ) -> ::core::result::Result<#run, ::ldfi::__rt::RunError> {
                ::ldfi::__rt::Program::explain(self, faults, eot)
                    .map(|execution| #run { execution })
            }
            #plan_fn
        }

        #[doc = #facts_doc]
        #vis struct #facts<'a> {
            input: &'a mut ::ldfi::__rt::Input,
            time: u32,
            maybe: bool,
        }

        #[allow(non_snake_case, dead_code, clippy::too_many_arguments)]
        impl #facts<'_> { #(#fact_methods)* }

        #[doc = #run_doc]
        #[derive(Clone)]
        #vis struct #run {
            execution: ::ldfi::__rt::Execution,
        }

        impl ::core::fmt::Debug for #run {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.execution, f)
            }
        }

        impl ::core::fmt::Display for #run {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.execution, f)
            }
        }

        impl #run {
            /// What held at `time`.
            #vis fn at(&self, time: u32) -> #at<'_> {
                #at { execution: &self.execution, time }
            }
        }

        impl ::core::ops::Deref for #run {
            type Target = ::ldfi::__rt::Execution;
            fn deref(&self) -> &Self::Target {
                &self.execution
            }
        }

        #[doc = #at_doc]
        #vis struct #at<'a> {
            execution: &'a ::ldfi::__rt::Execution,
            time: u32,
        }

        #[allow(non_snake_case, dead_code, clippy::type_complexity)]
        impl<'a> #at<'a> { #(#row_methods)* }
    }
}

fn rust_type(ty: Type) -> TokenStream {
    match ty {
        Type::Str => quote!(impl ::core::convert::Into<::std::string::String>),
        Type::Int => quote!(impl ::core::convert::Into<i64>),
    }
}

fn value(ty: Type, name: &Ident) -> TokenStream {
    match ty {
        Type::Str => quote!(::ldfi::__rt::Value::Str(::core::convert::Into::into(#name))),
        Type::Int => quote!(::ldfi::__rt::Value::Int(::core::convert::Into::into(#name))),
    }
}

/// `new` takes the parameters that have no default.
fn constructor(params: &[ShellParam]) -> TokenStream {
    let wanted: Vec<_> = params.iter().filter(|p| p.default.is_none()).collect();
    let names: Vec<_> = wanted.iter().map(|p| &p.name).collect();
    let types = wanted.iter().map(|p| rust_type(p.param.ty));
    let doc = "An instance with the facts of the text.";
    quote! {
        #[doc = #doc]
        #[allow(clippy::new_without_default)]
        pub fn new(#(#names: #types),*) -> Self {
            Self::__empty()#(.#names(#names))*
        }
    }
}

fn setter(index: usize, param: &ShellParam) -> TokenStream {
    let (name, ty) = (&param.name, rust_type(param.param.ty));
    let value = value(param.param.ty, name);
    let doc = format!("Sets the parameter `{name}`.");
    quote! {
        #[doc = #doc]
        #[must_use]
        pub fn #name(mut self, #name: #ty) -> Self {
            self.input.params[#index] = ::core::option::Option::Some(#value);
            self
        }
    }
}

/// The plan is read back from the program's own text, once, and must be the one that was compiled.
fn plan_function(params: &[ShellParam], plan: &Plan, written: &Written) -> TokenStream {
    let source = plan.ast.to_string();
    let texts = written.texts.iter().map(|WrittenText { name, first, text }| quote!((#name, #first, #text)));
    let places = written.places();
    let fingerprint = plan.fingerprint();
    let params = params.iter().map(|p| {
        let name = p.name.to_string();
        let ty = match p.param.ty {
            Type::Str => quote!(::ldfi::__rt::codegen::Type::Str),
            Type::Int => quote!(::ldfi::__rt::codegen::Type::Int),
        };
        let default = match &p.default {
            None => quote!(::core::option::Option::None),
            Some(default) => quote!(::core::option::Option::Some(::core::convert::Into::into(#default))),
        };
        quote!((#name, #ty, #default))
    });
    quote! {
        /// The program in canonical form.
        #[allow(dead_code)]
        pub const SOURCE: &'static str = #source;
        fn __plan() -> &'static ::std::sync::Arc<::ldfi::__rt::codegen::Plan> {
            static PLAN: ::std::sync::OnceLock<::std::sync::Arc<::ldfi::__rt::codegen::Plan>> = ::std::sync::OnceLock::new();
            PLAN.get_or_init(|| {
                let written: (&[(&str, u32, &str)], &str) = (&[#(#texts),*], #places);
                ::ldfi::__rt::codegen::replan(Self::SOURCE, ::std::vec![#(#params),*], #fingerprint, written)
            })
        }
    }
}

fn fact_method(plan: &Plan, relation: usize) -> TokenStream {
    let (method, columns) = (names::method(plan, relation), names::columns(plan, relation));
    let rel = &plan.relations[relation];
    let types = rel.columns.iter().map(|ty| rust_type(*ty));
    let values = rel.columns.iter().zip(&columns).map(|(ty, name)| value(*ty, name));
    let doc = format!("Adds a fact of `{}`.", rel.name);
    let id = RelId(u32::try_from(relation).unwrap_or(u32::MAX)).0;
    quote! {
        #[doc = #doc]
        pub fn #method(&mut self, #(#columns: #types),*) -> &mut Self {
            self.input.facts.push(::ldfi::__rt::Fact {
                relation: ::ldfi::__rt::codegen::RelId(#id),
                time: ::ldfi::__rt::faults::Time(self.time),
                values: ::std::vec![#(#values),*],
                maybe: self.maybe,
            });
            self
        }
    }
}

fn row_method(plan: &Plan, relation: usize) -> TokenStream {
    let method = names::method(plan, relation);
    let rel = &plan.relations[relation];
    let types: Vec<_> = (rel.columns.iter())
        .map(|ty| match ty {
            Type::Str => quote!(&'a str),
            Type::Int => quote!(i64),
        })
        .collect();
    let row = match &types[..] {
        [single] => single.clone(),
        many => quote!((#(#many),*)),
    };
    let doc = format!("The tuples of `{}`.", rel.name);
    let id = RelId(u32::try_from(relation).unwrap_or(u32::MAX)).0;
    quote! {
        #[doc = #doc]
        pub fn #method(&self) -> ::ldfi::__rt::Rows<'a, #row> {
            ::ldfi::__rt::Rows::new(self.execution, ::ldfi::__rt::codegen::RelId(#id), self.time)
        }
    }
}
