//! A time step: the rules in the plan's order.

use dedalus_syntax::plan::{Plan, RuleId, StratumPlan};
use proc_macro2::TokenStream;
use quote::quote;

use super::join::{base_name, delta_name};
use super::names;

/// `__deduce` and `__send`.
pub fn steps(plan: &Plan) -> TokenStream {
    let strata = plan.strata.iter().map(|stratum| self::stratum(plan, stratum));
    let sends = plan.sends.iter().map(|rule| call_base(plan, *rule));
    let send_rules = plan.sends.iter().map(|rule| rule.index());
    quote! {
        /// The deductive rules of a step, stratum by stratum.
        fn __deduce<M: Mode>(db: &mut Database) -> Step {
            #(#strata)*
            Ok(())
        }
        /// The `@next` and `@async` rules of a step.
        fn __send<M: Mode>(db: &mut Database) -> Step {
            #(#sends)*
            db.settle::<M>(&[#(#send_rules),*]);
            Ok(())
        }
    }
}

fn stratum(plan: &Plan, stratum: &StratumPlan) -> TokenStream {
    let relations: Vec<_> = stratum.relations.iter().map(|r| names::constant(plan, *r)).collect();
    let rules = stratum.rules.iter().map(|r| r.index());
    let bases = stratum.rules.iter().map(|rule| call_base(plan, *rule));
    let rounds = stratum.recursive.then(|| {
        let deltas = stratum.rules.iter().flat_map(|rule| call_deltas(plan, *rule));
        quote! {
            db.first_round(&[#(#relations),*]);
            loop {
                #(#deltas)*
                if !db.next_round(&[#(#relations),*])? {
                    break;
                }
            }
        }
    });
    quote! {
        #(#bases)*
        #rounds
        db.publish(&[#(#relations),*]);
        db.settle::<M>(&[#(#rules),*]);
    }
}

fn call_base(plan: &Plan, id: RuleId) -> TokenStream {
    let joins = plan.joins(id);
    if joins.base.is_none() {
        return quote!();
    }
    let name = base_name(id);
    let call = quote!(Self::#name::<M>(db)?;);
    if joins.base_unless.is_empty() {
        return call;
    }
    let times = &joins.base_unless;
    quote!(if ![#(#times),*].contains(&i64::from(db.now())) { #call })
}

fn call_deltas(plan: &Plan, id: RuleId) -> Vec<TokenStream> {
    let deltas = plan.joins(id).deltas.iter().enumerate().map(|(i, delta)| {
        let name = delta_name(id, i);
        match delta.at {
            None => quote!(Self::#name::<M>(db)?;),
            Some(at) => quote!(if i64::from(db.now()) == #at { Self::#name::<M>(db)?; }),
        }
    });
    deltas.collect()
}
