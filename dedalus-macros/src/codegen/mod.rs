//! The plan as Rust.
//!
//! Each join of each rule is a function, generic over the variant, with the rule's text as its doc
//! comment; `deduce` and `send` call them in the plan's order. Around them stands the typed surface.

mod join;
mod names;
mod step;
mod surface;

use dedalus_syntax::Written;
use dedalus_syntax::plan::Plan;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Ident, Visibility};

use crate::shell::ShellParam;

/// Everything that a program expands to.
pub fn program(
    attrs: &[Attribute],
    vis: &Visibility,
    name: &Ident,
    params: &[ShellParam],
    plan: &Plan,
    written: &Written,
) -> TokenStream {
    let surface = surface::surface(attrs, vis, name, params, plan, written);
    let relations = names::relation_constants(plan);
    let joins = plan.rules.iter().map(|rule| join::rule(plan, rule));
    let steps = step::steps(plan);
    // Inside, names of the runtime hide those of the user: a program may be called `Plan`.
    let alias = format_ident!("__{name}");
    quote! {
        #surface
        #[allow(non_camel_case_types)]
        type #alias = #name;
        #[allow(non_snake_case, unused_variables, unused_mut, clippy::all, clippy::pedantic)]
        const _: () = {
            use ::ldfi::__rt::codegen::*;
            #relations
            impl #alias {
                #(#joins)*
                #steps
            }
            impl Program for #alias {
                fn plan(&self) -> &Arc<Plan> {
                    Self::__plan()
                }
                fn input(&self) -> &Input {
                    &self.input
                }
                fn deduce(&self, db: &mut Database, variant: Variant) -> Step {
                    match variant {
                        Variant::Plain => Self::__deduce::<Plain>(db),
                        Variant::Lineage => Self::__deduce::<Lineage>(db),
                        Variant::Potential => Self::__deduce::<Potential>(db),
                    }
                }
                fn send(&self, db: &mut Database, variant: Variant) -> Step {
                    match variant {
                        Variant::Plain => Self::__send::<Plain>(db),
                        Variant::Lineage => Self::__send::<Lineage>(db),
                        Variant::Potential => Self::__send::<Potential>(db),
                    }
                }
                fn drawing(&self) -> Option<Draw> {
                    Some(::ldfi::picture::draw)
                }
            }
        };
    }
}
