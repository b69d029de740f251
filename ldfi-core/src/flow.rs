//! What flows through the rules of a program until nothing changes any more: each rule is looked at again only when a
//! relation that it reads has changed.

use std::collections::VecDeque;

use dedalus_runtime::model::{Paced, Spent};
use dedalus_runtime::syntax::plan::{Plan, RelId, Rule};
use rustc_hash::FxHashMap;

/// Looks at rules, in their order at first, until none has anything to add. `look` says whether a rule changed its relation.
///
/// # Errors
/// If the budget is spent.
pub(crate) fn settle<'p>(
    rules: impl IntoIterator<Item = &'p Rule>,
    pace: &mut Paced,
    mut look: impl FnMut(&'p Rule) -> bool,
) -> Result<(), Spent> {
    let rules: Vec<&Rule> = rules.into_iter().collect();
    let mut readers: FxHashMap<RelId, Vec<usize>> = FxHashMap::default();
    for (at, rule) in rules.iter().enumerate() {
        read_by(rule).for_each(|relation| readers.entry(relation).or_default().push(at));
    }
    let mut waiting: VecDeque<usize> = (0..rules.len()).collect();
    let mut waits = vec![true; rules.len()];
    while let Some(at) = waiting.pop_front() {
        pace.tick(1)?;
        waits[at] = false;
        if !look(rules[at]) {
            continue;
        }
        for reader in readers.get(&rules[at].head.relation).into_iter().flatten() {
            if !std::mem::replace(&mut waits[*reader], true) {
                waiting.push_back(*reader);
            }
        }
    }
    Ok(())
}

/// The relations that some of these reach through rules, those themselves among them.
pub(crate) fn reached(plan: &Plan, mut from: Vec<bool>) -> Vec<bool> {
    let spread = settle(&plan.rules, &mut Paced::default(), |rule| {
        let reaches = read_by(rule).any(|relation| from[relation.index()]);
        reaches && !std::mem::replace(&mut from[rule.head.relation.index()], true)
    });
    debug_assert!(spread.is_ok(), "without a limit nothing ends it");
    from
}

/// The relations that a rule reads, present or absent.
fn read_by(rule: &Rule) -> impl Iterator<Item = RelId> {
    rule.premises.iter().map(|premise| premise.relation).chain(rule.negated.iter().map(|negated| negated.relation))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use dedalus_runtime::{Interpreted, Program};

    use super::*;

    #[test]
    fn a_chain_in_reverse_order_is_gone_through_once() {
        let mut text = String::new();
        for at in (0..1_000).rev() {
            let _ = writeln!(text, "p{}(N) :- p{at}(N), notin q(N);", at + 1);
        }
        text.push_str("p0(\"a\")@1; q(\"b\")@1;");
        let program = Interpreted::from_text("chain.ded", &text).unwrap_or_else(|error| panic!("{error}"));
        let plan = program.plan();
        let mut looks = 0;
        let mut from = vec![false; plan.relations.len()];
        from[plan.relation("p0").expect("it is there").index()] = true;
        let mut seen = from.clone();
        let done = settle(&plan.rules, &mut Paced::default(), |rule| {
            looks += 1;
            let reaches = read_by(rule).any(|relation| seen[relation.index()]);
            reaches && !std::mem::replace(&mut seen[rule.head.relation.index()], true)
        });
        assert_eq!(done, Ok(()));
        assert!(looks <= 2 * plan.rules.len(), "{looks} looks at {} rules", plan.rules.len());
        assert_eq!(reached(plan, from), seen);
        assert_eq!(seen.iter().filter(|seen| **seen).count(), 1_001);
    }
}
