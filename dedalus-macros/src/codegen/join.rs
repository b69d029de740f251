//! One join as nested Rust loops.

use dedalus_syntax::ast::{BinaryOp, CompareOp, When};
use dedalus_syntax::plan::*;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::names;

/// The function that reads every body relation in full.
pub fn base_name(rule: RuleId) -> Ident {
    format_ident!("rule_{}", rule.0)
}

/// The function driven by what changed in one literal.
pub fn delta_name(rule: RuleId, delta: usize) -> Ident {
    format_ident!("rule_{}_changes_{}", rule.0, delta)
}

/// All functions of a rule.
pub fn rule(plan: &Plan, rule: &Rule) -> TokenStream {
    let joins = plan.joins(rule.id);
    let base = joins.base.iter().map(|join| function(plan, rule, join, &base_name(rule.id), ""));
    let deltas = joins.deltas.iter().enumerate().map(|(i, delta)| {
        let name = delta_name(rule.id, i);
        function(plan, rule, &delta.join, &name, " (what changed)")
    });
    quote!(#(#base)* #(#deltas)*)
}

fn function(plan: &Plan, rule: &Rule, join: &Join, name: &Ident, remark: &str) -> TokenStream {
    let doc = format!(" `{}`{remark}", rule.text);
    let writer = Writer { plan, rule };
    let constants = writer.constants(join);
    let body = writer.ops(&join.ops, &State::default());
    let id = rule.id.index();
    let end = if rule.head.aggregates() { quote!(db.aggregate::<M>(#id)) } else { quote!(Ok(())) };
    quote! {
        #[doc = #doc]
        fn #name<M: Mode>(db: &mut Database) -> Step {
            #(#constants)*
            #body
            #end
        }
    }
}

struct Writer<'a> {
    plan: &'a Plan,
    rule: &'a Rule,
}

/// What is known at a place in the nest.
#[derive(Clone, Default)]
struct State {
    /// Premises matched so far.
    matched: Vec<usize>,
    /// Negated literals passed so far.
    passed: Vec<usize>,
    /// The message gets through.
    sent: bool,
}

impl Writer<'_> {
    /// `let c0 = db.constants[0];` for each constant used.
    fn constants(&self, join: &Join) -> Vec<TokenStream> {
        let mut used = std::collections::BTreeSet::new();
        let mut look = |term: &Term| collect_constants(term, &mut used);
        for op in &join.ops {
            match op {
                Op::Match(m) => {
                    m.access.key().iter().for_each(&mut look);
                    m.checks.iter().for_each(|(_, term)| look(term));
                }
                Op::Absent(a) => a.access.key().iter().for_each(&mut look),
                Op::Assign(_, term) => look(term),
                Op::Filter(_, left, right) => [left, right].into_iter().for_each(&mut look),
            }
        }
        for column in &self.rule.head.columns {
            if let HeadColumn::Term(term) = column {
                look(term);
            }
        }
        self.rule.location.iter().filter(|_| self.rule.head.when != When::Now).for_each(look);
        let each = used.into_iter().map(|place| {
            let name = format_ident!("c{place}");
            quote!(let #name = db.constants[#place];)
        });
        each.collect()
    }

    fn relation(&self, relation: RelId) -> Ident {
        names::constant(self.plan, relation)
    }

    fn slot(&self, slot: Slot) -> Ident {
        names::variable(&self.rule.slots[slot.index()])
    }

    fn row(premise: usize) -> Ident {
        format_ident!("r{premise}")
    }

    fn sure(negated: usize) -> Ident {
        format_ident!("s{negated}")
    }

    /// A term that cannot fail, as an expression of type `Word`.
    fn plain(&self, term: &Term) -> TokenStream {
        match term {
            Term::Slot(slot) => {
                let name = self.slot(*slot);
                quote!(#name)
            }
            Term::Int(value) => quote!(#value),
            Term::Constant(place) => {
                let name = format_ident!("c{place}");
                quote!(#name)
            }
            Term::Neg(_) | Term::Binary(..) => unreachable!("arithmetic is computed by `computed`"),
        }
    }

    /// Any term, as an expression of type `Computed`.
    fn computed(&self, term: &Term) -> TokenStream {
        match term {
            Term::Neg(inner) => {
                let inner = self.computed(inner);
                quote!(neg(#inner))
            }
            Term::Binary(op, left, right) => {
                let (left, right) = (self.computed(left), self.computed(right));
                match op {
                    BinaryOp::Add => quote!(add(#left, #right)),
                    BinaryOp::Sub => quote!(sub(#left, #right)),
                    BinaryOp::Mul => quote!(mul(#left, #right)),
                    BinaryOp::Div => quote!(div(#left, #right)),
                }
            }
            other => {
                let plain = self.plain(other);
                quote!(Ok(#plain))
            }
        }
    }

    /// Computes terms, then writes what follows with their values. Terms that can fail are bound first.
    fn with(&self, terms: &[Term], state: &State, then: impl FnOnce(&[TokenStream]) -> TokenStream) -> TokenStream {
        let mut values = vec![];
        let mut bindings = vec![];
        for (i, term) in terms.iter().enumerate() {
            if term.can_fail() {
                let name = format_ident!("x{i}");
                let (computed, id) = (self.computed(term), self.rule.id.index());
                let (rows, passed, sent) = (self.premises(state), &state.passed, state.sent);
                bindings.push(quote! {
                    if let Some(#name) = db.value::<M>(#id, #computed, #rows, &[#(#passed),*], #sent)?
                });
                values.push(quote!(#name));
            } else {
                values.push(self.plain(term));
            }
        }
        bindings.into_iter().rev().fold(then(&values), |inner, binding| quote!(#binding { #inner }))
    }

    /// The rows of all premises, as far as they are matched.
    fn premises(&self, state: &State) -> TokenStream {
        let rows = (0..self.rule.premises.len()).map(|premise| {
            let row = Self::row(premise);
            if state.matched.contains(&premise) { quote!(#row) } else { quote!(NONE) }
        });
        quote!(&[#(#rows),*])
    }

    fn ops(&self, ops: &[Op], state: &State) -> TokenStream {
        let Some((op, rest)) = ops.split_first() else { return self.derive(state) };
        match op {
            Op::Match(m) => self.for_each(m, rest, state),
            Op::Absent(absent) => self.absent(absent, rest, state),
            Op::Assign(slot, term) => {
                let name = self.slot(*slot);
                self.with(std::slice::from_ref(term), state, |value| {
                    let inner = self.ops(rest, state);
                    quote!(let #name = #(#value)*; #inner)
                })
            }
            Op::Filter(op, left, right) => self.with(&[left.clone(), right.clone()], state, |values| {
                let inner = self.ops(rest, state);
                let (left, right, op) = (&values[0], &values[1], compare(*op));
                quote!(if #left #op #right { #inner })
            }),
        }
    }

    fn for_each(&self, m: &Match, rest: &[Op], state: &State) -> TokenStream {
        let premise = &self.rule.premises[m.premise];
        let (relation, row) = (self.relation(premise.relation), Self::row(m.premise));
        let mut inside = state.clone();
        inside.matched.push(m.premise);
        let body = self.matched(m, rest, &inside);
        let stop = m.once.then(|| {
            quote!(if !M::RECORD {
                break;
            })
        });
        let window = window(m.window);
        let unless_future = |code| self.unless_future(premise.relation, premise.at, code);
        // The first loop is over once its rows are; those inside it multiply.
        let enter = (!state.matched.is_empty()).then(|| quote!(db.enter(#relation)?;));
        match &m.access {
            Access::Scan => {
                let rows = match premise.at {
                    Some(at) => quote!(db.scan_at(#relation, #at, #window)),
                    None => quote!(db.scan(#relation, #window)),
                };
                unless_future(quote!(#enter for #row in #rows { #body #stop }))
            }
            Access::Member(key) => self.with(key, state, |key| {
                let body = self.counted(m, body);
                unless_future(quote!(if let Some(#row) = db.find(#relation, &[#(#key),*]) { #body }))
            }),
            Access::Index(index, key) => self.with(key, state, |key| {
                let next = format_ident!("n{}", m.premise);
                // A row outside the window must not end the search.
                let body = self.counted(m, quote!(#body #stop));
                unless_future(quote! {
                    #enter
                    let mut #next = db.seek(#relation, #index, &[#(#key),*]);
                    while let Some(#row) = #next {
                        #next = db.before(#relation, #index, #row);
                        #body
                    }
                })
            }),
        }
    }

    /// `crash` has no times of its own, but the future is still unseen.
    fn unless_future(&self, relation: RelId, at: Option<i64>, code: TokenStream) -> TokenStream {
        match at {
            Some(at) if self.plan.rel(relation).is_timeless() => quote!(if i64::from(db.now()) >= #at { #code }),
            _ => code,
        }
    }

    /// In a recursive stratum, only the rows of the window count.
    fn counted(&self, m: &Match, body: TokenStream) -> TokenStream {
        let premise = &self.rule.premises[m.premise];
        let recursive = self
            .plan
            .strata
            .iter()
            .any(|s| s.recursive && s.rules.contains(&self.rule.id) && s.relations.contains(&premise.relation));
        if !recursive {
            return body;
        }
        let (relation, row, window) = (self.relation(premise.relation), Self::row(m.premise), window(m.window));
        match premise.at {
            Some(at) => quote!(if db.counts_at(#relation, #at, #row, #window) { #body }),
            None => quote!(if db.counts(#relation, #row, #window) { #body }),
        }
    }

    /// Reads the columns of a matched row and goes on.
    fn matched(&self, m: &Match, rest: &[Op], state: &State) -> TokenStream {
        let premise = &self.rule.premises[m.premise];
        let arity = self.plan.rel(premise.relation).columns.len();
        let (relation, row) = (self.relation(premise.relation), Self::row(m.premise));
        let check = |column: usize| format_ident!("k{column}");
        let pattern = (0..arity).map(|column| {
            if let Some((_, slot)) = m.binds.iter().find(|(c, _)| *c == column) {
                let name = self.slot(*slot);
                quote!(#name)
            } else if m.checks.iter().any(|(c, _)| *c == column) {
                let name = check(column);
                quote!(#name)
            } else {
                quote!(_)
            }
        });
        let read = (!m.binds.is_empty() || !m.checks.is_empty())
            .then(|| quote!(let [#(#pattern),*] = db.row::<#arity>(#relation, #row);));
        let inner = m.checks.iter().rev().fold(self.ops(rest, state), |inner, (column, term)| {
            let name = check(*column);
            self.with(std::slice::from_ref(term), state, |value| quote!(if #name == #(#value)* { #inner }))
        });
        quote!(#read #inner)
    }

    fn absent(&self, absent: &Absent, rest: &[Op], state: &State) -> TokenStream {
        let negated = &self.rule.negated[absent.negated];
        let (relation, sure) = (self.relation(negated.relation), Self::sure(absent.negated));
        self.with(absent.access.key(), state, |key| {
            let mut inside = state.clone();
            inside.passed.push(absent.negated);
            let inner = self.ops(rest, &inside);
            // Where tuples may be there or not, all that match are looked at.
            let enter =
                (!matches!(absent.access, Access::Member(_))).then(|| quote!(if M::RELAX { db.enter(#relation)?; }));
            let holds = match &absent.access {
                Access::Scan => {
                    let rows = match negated.at {
                        Some(at) => quote!(db.scan_at(#relation, #at, Window::All)),
                        None => quote!(db.scan(#relation, Window::All)),
                    };
                    quote!(db.absent_all::<M>(#relation, #rows))
                }
                Access::Member(_) => quote!(db.absent::<M>(#relation, &[#(#key),*])),
                Access::Index(index, _) => quote!(db.absent_key::<M>(#relation, #index, &[#(#key),*])),
            };
            let holds = match negated.at {
                Some(at) if self.plan.rel(negated.relation).is_timeless() => {
                    quote!(if i64::from(db.now()) < #at { Some(true) } else { #holds })
                }
                _ => holds,
            };
            quote!(#enter if let Some(#sure) = #holds { #inner })
        })
    }

    fn derive(&self, state: &State) -> TokenStream {
        let mut terms: Vec<Term> = vec![];
        let mut aggregated: Vec<Ident> = vec![];
        for column in &self.rule.head.columns {
            match column {
                HeadColumn::Term(term) => terms.push(term.clone()),
                HeadColumn::Aggregate(_, slot) => aggregated.push(self.slot(*slot)),
            }
        }
        match (&self.rule.location, self.rule.head.when) {
            (Some(location), When::Async) if !terms.is_empty() => self.send(location, &terms, &aggregated, state),
            (Some(location), When::Next) => self.step(location, &terms, &aggregated, state),
            _ => self.with(&terms, state, |key| self.insert(key, &aggregated, state)),
        }
    }

    /// A node that stands still derives nothing for the next step.
    fn step(&self, location: &Term, terms: &[Term], aggregated: &[Ident], state: &State) -> TokenStream {
        self.with(std::slice::from_ref(location), state, |at| {
            let inside = State { sent: true, ..state.clone() };
            let insert = self.with(terms, &inside, |key| self.insert(key, aggregated, &inside));
            quote!(if let Some(up) = db.steps::<M>(#(#at)*) { #insert })
        })
    }

    /// The clock is read as soon as the receiver is known: what does not get through is not computed.
    fn send(&self, location: &Term, terms: &[Term], aggregated: &[Ident], state: &State) -> TokenStream {
        let (receiver, terms) = (terms[0].clone(), &terms[1..]);
        self.with(&[receiver, location.clone()], state, |ends| {
            let (to, from, link, id) = (&ends[0], &ends[1], link(self.rule.link), self.rule.id.index());
            let sent = State { sent: true, ..state.clone() };
            let insert = self.with(terms, &sent, |rest| {
                let key: Vec<TokenStream> = std::iter::once(quote!(to)).chain(rest.iter().cloned()).collect();
                self.insert(&key, aggregated, &sent)
            });
            // The columns of an aggregate that is lost are not known.
            let columns = terms.iter().map(|term| self.computed(term));
            let row = if aggregated.is_empty() { quote!(known(&[Ok(to), #(#columns),*])) } else { quote!(None) };
            quote! {
                let (from, to) = (#from, #to);
                if let Some(up) = db.arrives::<M>(#link, from, to) {
                    #insert
                } else if M::RECORD && !M::RELAX {
                    db.note_undelivered::<M>(#id, from, to, #row);
                }
            }
        })
    }

    /// Derives the head from its columns (those that are not aggregates) and its aggregated values.
    fn insert(&self, key: &[TokenStream], aggregated: &[Ident], state: &State) -> TokenStream {
        let head = &self.rule.head;
        let (id, relation, premises) = (self.rule.id.index(), self.relation(head.relation), self.premises(state));
        let mut sure: Vec<Ident> = state.passed.iter().map(|n| Self::sure(*n)).collect();
        if state.sent && head.when == When::Next {
            sure.push(format_ident!("up"));
        }
        let sure = if sure.is_empty() { quote!(true) } else { quote!(#(#sure)&*) };
        let sends = state.sent && head.when == When::Async;
        match (head.aggregates(), head.when) {
            (true, _) if sends => {
                quote!(db.gather_sent::<M>(#id, &[#(#key),*], &[#(#aggregated),*], #premises, #sure, up, from)?;)
            }
            (true, _) => quote!(db.gather::<M>(#id, &[#(#key),*], &[#(#aggregated),*], #premises, #sure)?;),
            (false, When::Now) => quote!(db.derive::<M>(#id, #relation, &[#(#key),*], #premises, #sure)?;),
            (false, _) if sends => {
                quote!(db.deliver::<M>(#id, #relation, &[#(#key),*], #premises, #sure, up, from)?;)
            }
            (false, _) => quote!(db.derive_next::<M>(#id, #relation, &[#(#key),*], #premises, #sure)?;),
        }
    }
}

fn collect_constants(term: &Term, used: &mut std::collections::BTreeSet<usize>) {
    match term {
        Term::Constant(place) => {
            used.insert(*place);
        }
        Term::Slot(_) | Term::Int(_) => {}
        Term::Neg(inner) => collect_constants(inner, used),
        Term::Binary(_, left, right) => {
            collect_constants(left, used);
            collect_constants(right, used);
        }
    }
}

fn window(window: Window) -> TokenStream {
    match window {
        Window::All => quote!(Window::All),
        Window::Delta => quote!(Window::Delta),
        Window::Old => quote!(Window::Old),
    }
}

fn link(link: Link) -> TokenStream {
    match link {
        Link::Nodes => quote!(Link::Nodes),
        Link::LocalOnly => quote!(Link::LocalOnly),
        Link::Never => quote!(Link::Never),
    }
}

fn compare(op: CompareOp) -> TokenStream {
    match op {
        CompareOp::Eq => quote!(==),
        CompareOp::Ne => quote!(!=),
        CompareOp::Lt => quote!(<),
        CompareOp::Le => quote!(<=),
        CompareOp::Gt => quote!(>),
        CompareOp::Ge => quote!(>=),
    }
}
