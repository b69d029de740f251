//! Promises that break for the like reason: by the same rules, in the same order, and because of the same faults.
//!
//! Only the tuples differ, as where nobody gets what one node should have told everyone. Told once, it is told for all.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use dedalus_runtime::model::{ClaimId, Did, Discount, Explanation, Fate, Fault, Faults, Paced, Part, Spent, Why};

/// Says of each promise which earlier one it is like.
///
/// # Errors
/// If there is no more time.
pub(super) fn mark(explanation: &mut Explanation, pace: &mut Paced) -> Result<(), Spent> {
    let mut shapes = Shapes { explanation, known: HashMap::new(), interned: HashMap::new() };
    let mut first: HashMap<_, u32> = HashMap::new();
    let mut likes = vec![];
    for (at, asked) in (0..).zip(&explanation.asked) {
        let given = asked.given.map(|given| shapes.of(given, pace)).transpose()?;
        let shape = (given, shapes.of(asked.claim, pace)?);
        // Where claims rest on each other in a circle shapes may leave something out; the faults never do.
        let faults = faults(explanation, [asked.given, Some(asked.claim)], pace)?;
        let like = *first.entry((shape, faults)).or_insert(at);
        likes.push((like != at).then_some(like));
    }
    for (asked, like) in explanation.asked.iter_mut().zip(likes) {
        asked.like = like;
    }
    Ok(())
}

/// What looking at a claim takes, next to a turn of a loop.
const ONE: u32 = 4;

/// Every fault that some claims come down to.
fn faults(explanation: &Explanation, of: [Option<ClaimId>; 2], pace: &mut Paced) -> Result<BTreeSet<Fault>, Spent> {
    let mut all = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut todo: Vec<ClaimId> = of.into_iter().flatten().collect();
    while let Some(id) = todo.pop() {
        pace.tick(ONE)?;
        if seen.insert(id) {
            let why = &explanation.claim(id).why;
            why.each_faults(&mut |faults| all.extend(faults.iter().cloned()));
            todo.extend(why.claims());
        }
    }
    Ok(all)
}

/// What an explanation looks like when nobody looks at the values.
#[derive(PartialEq, Eq, Hash)]
struct Shape<'e> {
    relation: &'e str,
    holds: bool,
    why: WhyShape,
}

#[derive(PartialEq, Eq, Hash)]
enum WhyShape {
    Itself(u8, Option<Faults>),
    Fired(Option<u32>, Vec<PartShape>),
    Never(Vec<(Option<u32>, Vec<PartShape>)>),
}

#[derive(PartialEq, Eq, Hash)]
enum PartShape {
    Claim(u8, u32),
    Message(Fate, Faults),
    Node(Did, Faults),
    Struck(Faults),
    /// Something that no fault brings about.
    Text(u8),
}

/// Stands for a claim that is being looked at: claims can rest on each other in a circle.
const CIRCLE: u32 = u32::MAX;

struct Shapes<'e> {
    explanation: &'e Explanation,
    known: HashMap<ClaimId, u32>,
    interned: HashMap<Shape<'e>, u32>,
}

impl<'e> Shapes<'e> {
    /// The number of a claim's shape. Not by recursion: what it rests on may be a long chain.
    fn of(&mut self, id: ClaimId, pace: &mut Paced) -> Result<u32, Spent> {
        let mut waiting = vec![(id, false)];
        while let Some((id, is_below_known)) = waiting.pop() {
            pace.tick(ONE)?;
            if is_below_known {
                let number = self.number(id);
                self.known.insert(id, number);
            } else if let Entry::Vacant(new) = self.known.entry(id) {
                new.insert(CIRCLE);
                waiting.push((id, true));
                let below = self.explanation.claim(id).why.claims();
                waiting.extend(below.into_iter().rev().map(|below| (below, false)));
            }
        }
        Ok(self.known[&id])
    }

    /// The number of the shape of a claim, those that it rests on being known.
    fn number(&mut self, id: ClaimId) -> u32 {
        let claim = self.explanation.claim(id);
        let why = match &claim.why {
            Why::Fact => WhyShape::Itself(0, None),
            Why::Anyway => WhyShape::Itself(1, None),
            Why::Untold => WhyShape::Itself(2, None),
            Why::Faults(faults) => WhyShape::Itself(3, Some(faults.clone())),
            Why::Fired(fired) => WhyShape::Fired(fired.rule, self.parts(&fired.parts)),
            Why::Never(ways) => {
                WhyShape::Never(ways.iter().map(|way| (way.rule, self.parts(&way.obstacles))).collect())
            }
        };
        let next = u32::try_from(self.interned.len()).unwrap_or(CIRCLE);
        let shape = Shape { relation: &claim.tuple.relation, holds: claim.holds, why };
        *self.interned.entry(shape).or_insert(next)
    }

    fn parts(&self, parts: &[Part]) -> Vec<PartShape> {
        let known = |id: &ClaimId| self.known.get(id).copied().unwrap_or(CIRCLE);
        let shape = |part: &Part| match part {
            Part::Claim(id) => PartShape::Claim(0, known(id)),
            Part::OnlyDerived(id) => PartShape::Claim(1, known(id)),
            Part::Instead(id) => PartShape::Claim(2, known(id)),
            Part::Nearest(id) => PartShape::Claim(3, known(id)),
            Part::Message(passage) => PartShape::Message(passage.fate, passage.faults.clone()),
            Part::Node(standing) => PartShape::Node(standing.did, standing.faults.clone()),
            Part::Struck(faults) | Part::Discounted(Discount { faults, .. }) => PartShape::Struck(faults.clone()),
            Part::NoMatch(_) => PartShape::Text(0),
            Part::Untrue(_) => PartShape::Text(1),
            Part::Failure(_) => PartShape::Text(2),
        };
        parts.iter().map(shape).collect()
    }
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::Interpreted;
    use dedalus_runtime::model::{Budget, Faults};

    use super::super::explain;

    fn likes(faults: &str) -> Vec<(String, Option<u32>)> {
        let text = r#"
            got(B, X)@async :- say(A, X), peer(A, B);
            got(B, X)@next :- got(B, X);
            want(A, B, X)@next :- want(A, B, X);
            pre(A, B, X) :- want(A, B, X);
            post(A, B, X) :- want(A, B, X), got(B, X);
            say("a", 1)@1; say("a", 2)@1; peer("a", "b")@1; peer("a", "c")@1; peer("b", "a")@9; peer("c", "a")@9;
            want("a", "b", 1)@1; want("a", "b", 2)@1; want("a", "c", 1)@1;
        "#;
        let program = Interpreted::from_text("t.ded", text).unwrap();
        let faults: Faults = faults.parse().unwrap();
        let told = explain(&program, &faults, 3, &Budget::unlimited()).unwrap();
        told.asked.iter().map(|asked| (told.claim(asked.claim).tuple.to_string(), asked.like)).collect()
    }

    #[test]
    fn promises_that_one_fault_breaks_in_one_way_are_alike() {
        let like = likes("lose a->b@1");
        assert_eq!(like, [("post(\"a\", \"b\", 1)".into(), None), ("post(\"a\", \"b\", 2)".into(), Some(0))]);
    }

    #[test]
    fn what_another_fault_breaks_is_told_by_itself() {
        let like: Vec<_> = likes("lose a->b@1; lose a->c@1").into_iter().map(|(_, like)| like).collect();
        assert_eq!(like, [None, Some(0), None]);
    }
}
