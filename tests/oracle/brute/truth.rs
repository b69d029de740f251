//! The verdict of trying everything.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::faults::{Fault, Faults, Strike, Time, eot};
use dedalus_runtime::model::{FaultSet, Node};
use dedalus_runtime::naive::{NaiveRun, Row};
use dedalus_runtime::syntax::ast::{Ast, HeadTerm, Literal, Rule, When};

use super::{Question, admissible, sets};

/// What trying every fault set tells.
#[derive(Debug)]
pub enum Truth {
    /// Some run fails; and the least faults under which one does, if they are known.
    Fails(Option<Faults>),
    /// The verdict's name, and the least violating fault set.
    Verdict(&'static str, Option<Faults>),
}

impl Truth {
    /// The verdict's name, or that runs fail.
    pub fn name(&self) -> &'static str {
        match self {
            Truth::Fails(_) => "fails",
            Truth::Verdict(name, _) => name,
        }
    }

    /// The least violating fault set.
    pub fn into_least(self) -> Option<Faults> {
        match self {
            Truth::Fails(_) => None,
            Truth::Verdict(_, least) => least,
        }
    }
}

/// What runs are judged by.
pub struct Promise {
    /// Without `pre` and `post`: what the failure-free run ends with in its persistent relations.
    persistent: Option<BTreeMap<String, BTreeSet<Row>>>,
}

impl Promise {
    /// What a program promises, given its failure-free run.
    pub fn new(ast: &Ast, failure_free: &NaiveRun, eot: u32) -> Self {
        let mentioned = |name: &str| {
            let read = |rule: &Rule| rule.head.relation.text == name || rule.atoms().any(|a| a.relation.text == name);
            ast.rules.iter().any(read)
                || ast.facts.iter().any(|fact| fact.relation.text == name)
                || ast.inputs.iter().any(|input| input.relation.text == name)
        };
        if ["pre", "post", "pre.more", "post.more"].into_iter().any(mentioned) {
            return Promise { persistent: None };
        }
        let kept = ast.rules.iter().filter(|rule| persists(rule)).map(|rule| rule.head.relation.text.clone());
        Promise { persistent: Some(kept.map(|name| (name.clone(), failure_free.at(&name, eot))).collect()) }
    }

    /// Whether something is missing at the end.
    pub fn violated(&self, run: &NaiveRun, eot: u32) -> bool {
        match &self.persistent {
            None => run.violated(eot),
            Some(kept) => kept.iter().any(|(name, rows)| !rows.is_subset(&run.at(name, eot))),
        }
    }

    fn vacuous(&self, run: &NaiveRun, eot: u32) -> bool {
        match &self.persistent {
            None => run.vacuous(eot),
            Some(kept) => kept.values().all(BTreeSet::is_empty),
        }
    }
}

/// `r(X, ..)@next :- r(X, ..)`, other literals allowed.
fn persists(rule: &Rule) -> bool {
    let head: Option<Vec<&str>> = (rule.head.terms.iter())
        .map(|term| if let HeadTerm::Expr(expr) = term { expr.as_var() } else { None })
        .collect();
    rule.head.when == When::Next
        && rule.body.iter().any(|literal| match literal {
            Literal::Atom(atom) => {
                let read: Option<Vec<&str>> = atom.args.iter().map(|arg| arg.as_var()).collect();
                !atom.negated
                    && atom.at.is_none()
                    && atom.relation.text == rule.head.relation.text
                    && head.is_some()
                    && read == head
            }
            Literal::Compare(_) => false,
        })
}

/// Tries every fault set. `None` if there are more than `most`.
pub fn truth(question: &Question<'_>, most: usize) -> Option<Truth> {
    let eot = question.bounds.eot;
    let Ok(clean) = question.run(&Faults::none()) else { return Some(Truth::Fails(Some(Faults::none()))) };
    let promise = Promise::new(question.ast, &clean, eot);
    if promise.violated(&clean, eot) {
        return Some(Truth::Verdict("incorrect-without-faults", Some(Faults::none())));
    }
    let (mut fails, mut violates): (Option<Faults>, Option<Faults>) = (None, None);
    // Inputs alone may make it say something.
    let mut vacuous = promise.vacuous(&clean, eot);
    let better = |found: &Faults, best: &Option<Faults>| {
        best.as_ref().is_none_or(|best| rank(found, &question.input.nodes) < rank(best, &question.input.nodes))
    };
    let all = sets::for_each(question, most, |faults, run| match run {
        Err(_) if better(faults, &fails) => fails = Some(faults.clone()),
        Ok(run) => {
            let given = faults.iter().all(|fault| matches!(fault.strike, Strike::Give { .. }));
            vacuous &= !given || promise.vacuous(run, eot);
            if promise.violated(run, eot) && better(faults, &violates) {
                violates = Some(faults.clone());
            }
        }
        Err(_) => {}
    });
    if !all {
        return None;
    }
    Some(match (fails, violates) {
        (Some(faults), _) => Truth::Fails(Some(faults)),
        (None, Some(faults)) => Truth::Verdict("counterexample", Some(faults)),
        (None, None) => Truth::Verdict(if vacuous { "vacuous" } else { "fault-tolerant" }, None),
    })
}

/// What the least fault set is the least by: crashes and pauses, partitions, other faults, length, then the first.
pub fn rank(faults: &Faults, nodes: &[String]) -> ([u64; 4], FaultSet<Node>) {
    let mut rank = [0; 4];
    for fault in faults.iter() {
        let (place, length) = match &fault.strike {
            Strike::Crash { .. } => (0, 0),
            Strike::Pause { until, .. } => (0, until.0 - fault.time.0),
            Strike::Partition { until, .. } => (1, until.0 - fault.time.0),
            Strike::Delay { by, .. } | Strike::Duplicate { by, .. } => (2, *by),
            Strike::Lose { .. } | Strike::Restart { .. } | Strike::Give { .. } => (2, 0),
        };
        rank[place] += 1;
        rank[3] += u64::from(length);
    }
    (rank, faults.resolve(nodes, eot(u32::MAX)).expect("these faults make sense"))
}

/// Whether a run violates what the program promises.
pub fn violates(question: &Question<'_>, faults: &Faults) -> bool {
    let eot = question.bounds.eot;
    let Ok(clean) = question.run(&Faults::none()) else { return false };
    let promise = Promise::new(question.ast, &clean, eot);
    question.run(faults).is_ok_and(|run| promise.violated(&run, eot))
}

/// A fault set with less in it that violates too, if there is one.
pub fn less(question: &Question<'_>, faults: &Faults) -> Option<Faults> {
    let fits = |set: &Faults| admissible(set, question.bounds, &question.input.nodes);
    smaller(faults).into_iter().filter(fits).find(|set| violates(question, set))
}

/// Every set with one fault less (a crash takes its restart along), or a delay, a pause or a partition shorter.
fn smaller(faults: &Faults) -> Vec<Faults> {
    let mut all = vec![];
    for fault in faults.iter() {
        let without = |gone: &[&Fault]| -> Faults { faults.iter().filter(|f| !gone.contains(f)).cloned().collect() };
        let mut gone = vec![fault];
        if let Strike::Crash { node } = &fault.strike {
            let back =
                |f: &&Fault| f.time > fault.time && matches!(&f.strike, Strike::Restart { node: n } if n == node);
            gone.extend(faults.iter().find(back));
        }
        all.push(without(&gone));
        for shorter in shorter(fault) {
            let mut less = without(&[fault]);
            less.insert(shorter);
            all.push(less);
        }
    }
    all
}

fn shorter(fault: &Fault) -> Vec<Fault> {
    let begin = fault.time.0;
    let parts = |until: u32| (begin..until).flat_map(move |b| (b + 1..=until).map(move |u| (b, u)));
    let proper = |until: u32| parts(until).filter(move |part| *part != (begin, until));
    match fault.strike.clone() {
        Strike::Delay { from, to, message, by } => {
            let late = |by| Strike::Delay { from: from.clone(), to: to.clone(), message: message.clone(), by };
            (1..by).map(|by| Fault { time: fault.time, strike: late(by) }).collect()
        }
        Strike::Pause { node, until } => proper(until.0)
            .map(|(b, u)| Fault { time: Time(b), strike: Strike::Pause { node: node.clone(), until: Time(u) } })
            .collect(),
        Strike::Partition { sides, until } => proper(until.0)
            .map(|(b, u)| Fault { time: Time(b), strike: Strike::Partition { sides: sides.clone(), until: Time(u) } })
            .collect(),
        _ => vec![],
    }
}
