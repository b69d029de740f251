//! The same at several steps, told once: a tuple that is missing from one step to another, a rule that is kept from firing
//! again and again by the like.

use std::collections::{BTreeMap, VecDeque};

use dedalus_runtime::model::{
    Asked, Claim, ClaimId, Explanation, Faults, Fired, Part, Passage, Standing, Time, Way, Why,
};
use dedalus_runtime::syntax::plan::RelId;
use dedalus_runtime::value::Word;

use super::{Explainer, Key, Raw, RawPart, RawWay, RawWhy};

/// Claims that are told together, in the order of their steps.
struct Stretch {
    members: Vec<usize>,
}

/// All claims in stretches.
pub(super) struct Folded<'e, 'g> {
    explainer: &'e Explainer<'g>,
    stretches: Vec<Stretch>,
    /// The stretch of each claim.
    of: Vec<usize>,
}

/// Puts claims about one tuple at consecutive steps together.
pub(super) fn fold<'e, 'g>(explainer: &'e Explainer<'g>) -> Folded<'e, 'g> {
    let mut by_tuple: BTreeMap<(RelId, &[Word], bool, bool), Vec<usize>> = BTreeMap::new();
    for (place, Raw { key, .. }) in explainer.claims.iter().enumerate() {
        by_tuple.entry((key.relation, &key.words, key.holds, key.base)).or_default().push(place);
    }
    let mut folded = Folded { explainer, stretches: vec![], of: vec![0; explainer.claims.len()] };
    for mut places in by_tuple.into_values() {
        places.sort_by_key(|place| explainer.claims[*place].key.time);
        for place in places {
            folded.add(place);
        }
    }
    folded
}

impl Folded<'_, '_> {
    fn raw(&self, place: usize) -> &Raw {
        &self.explainer.claims[place]
    }

    /// Adds a claim to the stretch before it, if it goes on, or begins one.
    fn add(&mut self, place: usize) {
        if let Some(last) = self.stretches.last()
            && let Some(before) = last.members.last()
            && self.goes_on(*before, place)
        {
            self.of[place] = self.stretches.len() - 1;
            if let Some(last) = self.stretches.last_mut() {
                last.members.push(place);
            }
            return;
        }
        self.of[place] = self.stretches.len();
        self.stretches.push(Stretch { members: vec![place] });
    }

    fn goes_on(&self, before: usize, after: usize) -> bool {
        let (one, other) = (self.raw(before), self.raw(after));
        let next = Key { time: one.key.time + 1, ..one.key.clone() };
        if next != other.key {
            return false;
        }
        match (&one.why, &other.why) {
            (RawWhy::Never(_), RawWhy::Never(_)) | (RawWhy::Anyway, RawWhy::Anyway) => true,
            // What holds goes on if it rests on having held.
            (_, RawWhy::Fired { parts, .. }) => {
                let rests = parts.contains(&RawPart::Claim(before));
                // A fact, or what is so anyway, is told by itself where more is needed to go on.
                rests && (matches!(one.why, RawWhy::Fired { .. }) || parts.len() == 1)
            }
            _ => false,
        }
    }

    /// The claim after folding.
    pub(super) fn place(&self, claim: usize) -> ClaimId {
        ClaimId(u32::try_from(self.of[claim]).unwrap_or(u32::MAX))
    }

    /// All that what was asked rests on, in the order in which it is read.
    pub(super) fn explanation(&self, asked: Vec<Asked>) -> Explanation {
        let told: Vec<Claim> = self.stretches.iter().map(|stretch| self.tell(stretch)).collect();
        let mut order: Vec<usize> = vec![];
        let mut new = vec![None; told.len()];
        let mut queue: VecDeque<usize> =
            asked.iter().flat_map(|asked| [Some(asked.claim), asked.given]).flatten().map(ClaimId::index).collect();
        while let Some(claim) = queue.pop_front() {
            if new[claim].is_some() {
                continue;
            }
            new[claim] = Some(ClaimId(u32::try_from(order.len()).unwrap_or(u32::MAX)));
            order.push(claim);
            queue.extend(told[claim].why.claims().into_iter().map(ClaimId::index));
        }
        let id = |old: ClaimId| new[old.index()].unwrap_or(old);
        let claims = order.into_iter().map(|place| renumber(told[place].clone(), &id)).collect();
        let asked =
            asked.into_iter().map(|a| Asked { given: a.given.map(&id), claim: id(a.claim), like: None }).collect();
        Explanation { claims, asked, later: None }
    }

    fn tell(&self, stretch: &Stretch) -> Claim {
        let (first, last) = (stretch.members[0], stretch.members[stretch.members.len() - 1]);
        let key = &self.raw(last).key;
        let usual_there = self.explainer.ground.usual().find_words(key.relation, key.time, &key.words).is_some();
        Claim {
            tuple: self.explainer.tuple(key),
            from: Time(self.raw(first).key.time),
            until: Time(key.time),
            holds: key.holds,
            usual: usual_there == key.holds,
            why: self.why(stretch),
        }
    }

    fn why(&self, stretch: &Stretch) -> Why {
        match &self.raw(stretch.members[0]).why {
            RawWhy::Untold => Why::Untold,
            RawWhy::Anyway => Why::Anyway,
            RawWhy::Never(_) => Why::Never(self.ways(stretch)),
            RawWhy::Fact => Why::Fact,
            RawWhy::Faults(faults) => Why::Faults(faults.clone()),
            RawWhy::Fired { rule, time, .. } => {
                let mut parts: Vec<Part> = vec![];
                for member in &stretch.members {
                    let RawWhy::Fired { parts: more, .. } = &self.raw(*member).why else { continue };
                    for part in more.iter().filter(|part| !self.is_inside(part, stretch)) {
                        add_part(&mut parts, self.part(part));
                    }
                }
                Why::Fired(Fired { rule: *rule, time: Time(*time), parts })
            }
        }
    }

    /// Whether a part is only that it was so one step before.
    fn is_inside(&self, part: &RawPart, stretch: &Stretch) -> bool {
        matches!(part, RawPart::Claim(place) if stretch.members.contains(place))
    }

    fn ways(&self, stretch: &Stretch) -> Vec<Way> {
        let mut ways: Vec<Way> = vec![];
        for member in &stretch.members {
            let RawWhy::Never(more) = &self.raw(*member).why else { continue };
            for way in more.iter().filter(|way| !self.is_inside(&way.obstacle, stretch)) {
                self.add_way(&mut ways, way);
            }
        }
        // What happens without faults comes first: it is what was expected.
        ways.sort_by_key(|way| !way.usual);
        ways
    }

    fn add_way(&self, ways: &mut Vec<Way>, RawWay { rule, time, usual, obstacle }: &RawWay) {
        let part = self.part(obstacle);
        let alike = ways
            .iter_mut()
            .find(|way| way.rule == *rule && way.obstacles.iter().all(|other| self.is_alike(other, &part)));
        match alike {
            Some(way) => {
                way.usual |= *usual;
                if !way.times.contains(&Time(*time)) {
                    way.times.push(Time(*time));
                }
                add_part(&mut way.obstacles, part);
            }
            None => ways.push(Way { rule: *rule, times: vec![Time(*time)], usual: *usual, obstacles: vec![part] }),
        }
    }

    /// Whether two obstacles are of one kind.
    fn is_alike(&self, one: &Part, other: &Part) -> bool {
        match (one, other) {
            (Part::Claim(a), Part::Claim(b))
            | (Part::Instead(a), Part::Instead(b))
            | (Part::OnlyDerived(a), Part::OnlyDerived(b)) => {
                let key = |id: &ClaimId| &self.raw(self.stretches[id.index()].members[0]).key;
                key(a).relation == key(b).relation && key(a).holds == key(b).holds
            }
            (Part::Message(a), Part::Message(b)) => a.from == b.from && a.to == b.to,
            (Part::Node(a), Part::Node(b)) => a.node == b.node && a.did == b.did,
            (Part::Struck(_), Part::Struck(_)) => true,
            (one, other) => one == other,
        }
    }

    fn part(&self, part: &RawPart) -> Part {
        match part {
            RawPart::Claim(place) => Part::Claim(self.place(*place)),
            RawPart::OnlyDerived(place) => Part::OnlyDerived(self.place(*place)),
            RawPart::Instead(place) => Part::Instead(self.place(*place)),
            RawPart::NoMatch(text) => Part::NoMatch(text.clone()),
            RawPart::Untrue(text) => Part::Untrue(text.clone()),
            RawPart::Struck(faults) => Part::Struck(faults.clone()),
            RawPart::Message { from, to, sent, arrives, faults } => Part::Message(Passage {
                from: from.clone(),
                to: to.clone(),
                sent: vec![Time(*sent)],
                arrives: arrives.map(Time),
                faults: faults.clone(),
            }),
            RawPart::Node { node, did, time, faults } => {
                Part::Node(Standing { node: node.clone(), did: *did, times: vec![Time(*time)], faults: faults.clone() })
            }
        }
    }
}

/// Adds a part to others, told with its like where there is one.
fn add_part(parts: &mut Vec<Part>, part: Part) {
    for other in parts.iter_mut() {
        match (other, &part) {
            (Part::Message(a), Part::Message(b))
                if a.from == b.from && a.to == b.to && a.arrives.is_none() && b.arrives.is_none() =>
            {
                merge(&mut a.sent, &b.sent, &mut a.faults, &b.faults);
                return;
            }
            (Part::Node(a), Part::Node(b)) if a.node == b.node && a.did == b.did => {
                merge(&mut a.times, &b.times, &mut a.faults, &b.faults);
                return;
            }
            (Part::Struck(a), Part::Struck(b)) => {
                a.extend(b.iter().cloned());
                return;
            }
            (other, part) if *other == *part => return,
            _ => {}
        }
    }
    parts.push(part);
}

fn merge(times: &mut Vec<Time>, more: &[Time], faults: &mut Faults, others: &Faults) {
    times.extend(more);
    times.sort_unstable();
    times.dedup();
    faults.extend(others.iter().cloned());
}

fn renumber(mut claim: Claim, id: &impl Fn(ClaimId) -> ClaimId) -> Claim {
    let change = |part: &mut Part| {
        if let Part::Claim(place) | Part::OnlyDerived(place) | Part::Instead(place) = part {
            *place = id(*place);
        }
    };
    match &mut claim.why {
        Why::Fired(fired) => fired.parts.iter_mut().for_each(change),
        Why::Never(ways) => ways.iter_mut().flat_map(|way| &mut way.obstacles).for_each(change),
        Why::Fact | Why::Anyway | Why::Faults(_) | Why::Untold => {}
    }
    claim
}
