//! What a replicated log promises, whatever implements it.
//!
//! Nodes tell three things: `asked(node, value)` when a client asks them for an entry, `decided(node, index, value)` when they hand
//! an entry to their application, and `index(node, number)` when the number of entries they call decided changes. openraft tells the first two:
//! what it calls committed is begun anew with each boot, and handed out again from the first entry on.

mod determinism;
mod look;

pub use determinism::one_log;
pub use look::{Promise, Question, look};

use ldfi::dedalus;
use ldfi_live::{Id, Node, Setup, Specification};

dedalus! {
    /// No two nodes decide differently, nor does one node twice.
    pub program Agreement {
        input decided(str, int, int);
        ever(N, I, V) :- decided(N, I, V);
        ever(N, I, V)@next :- ever(N, I, V);
        err_agreement(I, V, W) :- ever(_, I, V), ever(_, I, W), V < W;
    }
}

dedalus! {
    /// What is decided stays decided.
    pub program Monotony {
        input index(str, int);
        reached(N, I) :- index(N, I);
        reached(N, I)@next :- reached(N, I);
        err_monotony(N, I, J) :- index(N, J), reached(N, I), J < I;
    }
}

dedalus! {
    /// Nothing is decided that no client asked for.
    pub program Validity {
        input asked(str, int);
        input decided(str, int, int);
        wanted(V) :- asked(_, V);
        wanted(V)@next :- wanted(V);
        err_validity(N, V) :- decided(N, _, V), notin wanted(V);
    }
}

dedalus! {
    /// What a client asked for is decided by two nodes at the end.
    pub program Progress {
        input asked(str, int);
        input decided(str, int, int);
        ever(N, V) :- decided(N, _, V);
        ever(N, V)@next :- ever(N, V);
        wanted(V) :- asked(_, V);
        wanted(V)@next :- wanted(V);
        pre(V) :- wanted(V);
        post(V) :- ever(A, V), ever(B, V), A < B;
    }
}

/// What may never happen: disagreement, a decision taken back, a decision out of nowhere.
pub fn safety() -> Vec<Specification> {
    let monotony = Specification::new(Monotony::new()).expect("it says something");
    let mut all = outcomes();
    all.insert(1, monotony);
    all
}

/// The same but for decisions taken back, of those who do not tell how many entries they call decided.
pub fn outcomes() -> Vec<Specification> {
    let all = [Specification::new(Agreement::new()), Specification::new(Validity::new())];
    all.into_iter().map(|specification| specification.expect("it says something")).collect()
}

/// What must happen in the end.
pub fn progress() -> Vec<Specification> {
    vec![Specification::new(Progress::new()).expect("it says something")]
}

/// A cluster up to an instant, that is asked for a value now and then: when, whom, what.
///
/// # Panics
/// If a node is asked that is not there.
#[must_use]
pub fn running<N: Node<Request = u64>>(mut cluster: Setup<N>, end: u32, asked: &[(u32, Id, u64)]) -> Setup<N> {
    cluster.end(end);
    let told = cluster.workload(|workload| workload.extend(asked.iter().copied()));
    told.unwrap_or_else(|error| panic!("{error}"));
    cluster
}
