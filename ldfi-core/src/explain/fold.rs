//! The same at several steps, told once: a tuple that is missing from one step to another, a rule that is kept from firing
//! again and again by the like.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use dedalus_runtime::Word;
use dedalus_runtime::model::{
    Absence, Asked, Claim, ClaimId, Did, Discount, Explanation, Fate, Faults, Fired, Paced, Part, Passage, Spent,
    Standing, Time, Tuple, Way, Why,
};
use dedalus_runtime::syntax::plan::RelId;
use indexmap::IndexMap;

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
    /// Of each claim, whether its tuple holds without faults.
    usual: &'e [bool],
    pace: &'e mut Paced,
}

/// Of each claim, whether its tuple holds without faults.
pub(super) fn usual(explainer: &mut Explainer<'_>) -> Result<Vec<bool>, Spent> {
    let Explainer { ground, claims, lineages, .. } = explainer;
    claims.iter().map(|claim| Ok(!claim.key.is_open(ground.actual()) && lineages.is_usual(&claim.key)?)).collect()
}

/// Puts claims about one tuple at consecutive steps together.
pub(super) fn fold<'e, 'g>(
    explainer: &'e Explainer<'g>,
    usual: &'e [bool],
    pace: &'e mut Paced,
) -> Result<Folded<'e, 'g>, Spent> {
    let mut by_tuple: BTreeMap<(RelId, &[Word], bool, bool), Vec<usize>> = BTreeMap::new();
    for (place, Raw { key, .. }) in explainer.claims.iter().enumerate() {
        pace.tick(ONE)?;
        by_tuple.entry((key.relation, &key.words, key.holds, key.base)).or_default().push(place);
    }
    let of = vec![0; explainer.claims.len()];
    let mut folded = Folded { explainer, stretches: vec![], of, usual, pace };
    for mut places in by_tuple.into_values() {
        places.sort_by_key(|place| explainer.claims[*place].key.time);
        for place in places {
            folded.pace.tick(ONE)?;
            folded.add(place);
        }
    }
    Ok(folded)
}

/// What a claim, or a part of its reason, takes, next to a turn of a loop.
const ONE: u32 = 8;

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
            // Derived anew each time; a message that faults let arrive then is told by itself.
            (RawWhy::Fired { rule: Some(one), .. }, RawWhy::Fired { rule: Some(other), parts, .. }) if one == other => {
                !parts.iter().any(|part| matches!(part, RawPart::Message { faults, .. } if !faults.is_empty()))
            }
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
    pub(super) fn explanation(&mut self, asked: Vec<Asked>) -> Result<Explanation, Spent> {
        let mut told: Vec<Claim> = vec![];
        for number in 0..self.stretches.len() {
            told.push(self.tell(number)?);
        }
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
        Ok(Explanation { claims, asked, later: None })
    }

    fn tell(&mut self, number: usize) -> Result<Claim, Spent> {
        let members = &self.stretches[number].members;
        let (first, last) = (members[0], members[members.len() - 1]);
        let why = self.why(number)?;
        let key = &self.raw(last).key;
        Ok(Claim {
            tuple: self.explainer.tuple(key),
            from: Time(self.raw(first).key.time),
            until: Time(key.time),
            holds: key.holds,
            usual: self.usual[last] == key.holds,
            why,
        })
    }

    fn why(&mut self, number: usize) -> Result<Why, Spent> {
        let explainer = self.explainer;
        let members = self.stretches[number].members.clone();
        Ok(match &explainer.claims[members[0]].why {
            RawWhy::Untold => Why::Untold,
            RawWhy::Anyway => Why::Anyway,
            RawWhy::Never(_) => Why::Never(self.ways(number, &members)?),
            RawWhy::Fact => Why::Fact,
            RawWhy::Faults(faults) => Why::Faults(faults.clone()),
            RawWhy::Fired { rule, time, .. } => {
                let mut parts = Parts::default();
                for member in &members {
                    let RawWhy::Fired { parts: more, .. } = &explainer.claims[*member].why else { continue };
                    for part in more {
                        self.pace.tick(ONE)?;
                        if !self.is_inside(part, number) {
                            parts.add(self.part(part));
                            parts.extend(self.nearest(part, number));
                        }
                    }
                }
                Why::Fired(Fired { rule: *rule, time: Time(*time), parts: parts.list })
            }
        })
    }

    /// Whether a part is only that it was so one step before.
    fn is_inside(&self, part: &RawPart, stretch: usize) -> bool {
        matches!(part, RawPart::Claim(place) if self.of[*place] == stretch)
    }

    /// What came nearest to a literal that nothing matches, unless it is what is being told of.
    fn nearest(&self, part: &RawPart, stretch: usize) -> Option<Part> {
        match part {
            RawPart::NoMatch { nearest: Some(place), .. } if self.of[*place] != stretch => {
                Some(Part::Nearest(self.place(*place)))
            }
            _ => None,
        }
    }

    fn ways(&mut self, stretch: usize, members: &[usize]) -> Result<Vec<Way>, Spent> {
        let explainer = self.explainer;
        // Those of one rule that are kept from firing by the like are one.
        let mut ways: IndexMap<(Option<u32>, Alike), (Way, Parts)> = IndexMap::new();
        for member in members {
            let RawWhy::Never(more) = &explainer.claims[*member].why else { continue };
            for RawWay { rule, time, usual, obstacle } in more {
                self.pace.tick(ONE)?;
                if self.is_inside(obstacle, stretch) {
                    continue;
                }
                let part = self.part(obstacle);
                let (way, parts) = ways.entry((*rule, self.alike(&part))).or_insert_with(|| {
                    let way = Way { rule: *rule, times: vec![], usual: false, obstacles: vec![] };
                    (way, Parts::default())
                });
                way.usual |= *usual;
                way.times.push(Time(*time));
                parts.add(part);
                parts.extend(self.nearest(obstacle, stretch));
            }
        }
        let told = |(mut way, parts): (Way, Parts)| {
            let mut seen = HashSet::new();
            way.times.retain(|time| seen.insert(*time));
            Way { obstacles: parts.list, ..way }
        };
        let mut ways: Vec<Way> = ways.into_values().map(told).collect();
        // What happens without faults comes first: it is what was expected.
        ways.sort_by_key(|way| !way.usual);
        Ok(ways)
    }

    /// What obstacles of one kind have in common.
    fn alike(&self, part: &Part) -> Alike {
        let key = |id: &ClaimId| &self.raw(self.stretches[id.index()].members[0]).key;
        match part {
            Part::Claim(id) => Alike::Claim(0, key(id).relation, key(id).holds),
            Part::Instead(id) => Alike::Claim(1, key(id).relation, key(id).holds),
            Part::OnlyDerived(id) => Alike::Claim(2, key(id).relation, key(id).holds),
            Part::Nearest(id) => Alike::Claim(3, key(id).relation, key(id).holds),
            Part::Message(passage) => Alike::Message(passage.from.clone(), passage.to.clone(), passage.fate),
            Part::Node(standing) => Alike::Node(standing.node.clone(), standing.did),
            Part::Struck(_) | Part::Discounted(_) => Alike::Struck,
            Part::NoMatch(Absence { pattern, times, last }) => {
                Alike::NoMatch(pattern.clone(), last.clone(), times.is_empty())
            }
            Part::Untrue(text) => Alike::Untrue(text.clone()),
            Part::Failure(text) => Alike::Failure(text.clone()),
        }
    }

    fn part(&self, part: &RawPart) -> Part {
        match part {
            RawPart::Claim(place) => Part::Claim(self.place(*place)),
            RawPart::OnlyDerived(place) => Part::OnlyDerived(self.place(*place)),
            RawPart::Instead(place) => Part::Instead(self.place(*place)),
            RawPart::NoMatch { absence, .. } => Part::NoMatch(absence.clone()),
            RawPart::Untrue(text) => Part::Untrue(text.clone()),
            RawPart::Struck(faults) => Part::Struck(faults.clone()),
            RawPart::Discounted { tuple, time, faults } => {
                let (tuple, faults) = (tuple.clone(), faults.clone());
                Part::Discounted(Discount { tuple, times: vec![Time(*time)], faults })
            }
            RawPart::Message { from, to, sent, fate, arrives, faults } => Part::Message(Passage {
                from: from.clone(),
                to: to.clone(),
                sent: vec![Time(*sent)],
                fate: *fate,
                arrives: arrives.map(Time),
                faults: faults.clone(),
            }),
            RawPart::Node { node, did, time, faults } => {
                Part::Node(Standing { node: node.clone(), did: *did, times: vec![Time(*time)], faults: faults.clone() })
            }
        }
    }
}

/// What obstacles of one kind have in common.
#[derive(PartialEq, Eq, Hash)]
enum Alike {
    Claim(u8, RelId, bool),
    Message(String, String, Fate),
    Node(String, Did),
    Struck,
    /// The pattern, what matched it last, and whether that is all there is to say.
    NoMatch(String, Option<String>, bool),
    Untrue(String),
    Failure(String),
}

/// Parts of a reason, each told with its like where there is one.
#[derive(Default)]
struct Parts {
    list: Vec<Part>,
    places: HashMap<Same, usize>,
}

/// What makes two parts one.
#[derive(PartialEq, Eq, Hash)]
enum Same {
    /// Messages that do not arrive when they should.
    Missed(String, String, Fate),
    Node(String, Did),
    /// What nothing matches at some steps, and what matched it last.
    Absence(String, Option<String>),
    Struck,
    Discounted(Tuple),
    Part(Part),
}

impl Parts {
    fn extend(&mut self, parts: Option<Part>) {
        parts.into_iter().for_each(|part| self.add(part));
    }

    fn add(&mut self, part: Part) {
        let same = match &part {
            Part::Message(a) if a.fate != Fate::Arrived => Same::Missed(a.from.clone(), a.to.clone(), a.fate),
            Part::Node(a) => Same::Node(a.node.clone(), a.did),
            Part::NoMatch(a) if !a.times.is_empty() => Same::Absence(a.pattern.clone(), a.last.clone()),
            Part::Struck(_) => Same::Struck,
            Part::Discounted(a) => Same::Discounted(a.tuple.clone()),
            part => Same::Part(part.clone()),
        };
        let place = *self.places.entry(same).or_insert(self.list.len());
        let Some(known) = self.list.get_mut(place) else {
            self.list.push(part);
            return;
        };
        match (known, part) {
            (Part::Message(a), Part::Message(b)) if a.fate != Fate::Arrived => {
                a.arrives = a.arrives.max(b.arrives);
                merge(&mut a.sent, &b.sent, &mut a.faults, &b.faults);
            }
            (Part::Node(a), Part::Node(b)) => merge(&mut a.times, &b.times, &mut a.faults, &b.faults),
            (Part::NoMatch(a), Part::NoMatch(b)) if !a.times.is_empty() => add_times(&mut a.times, &b.times),
            (Part::Discounted(a), Part::Discounted(b)) => merge(&mut a.times, &b.times, &mut a.faults, &b.faults),
            (Part::Struck(a), Part::Struck(b)) => a.extend(b.iter().cloned()),
            _ => {}
        }
    }
}

fn merge(times: &mut Vec<Time>, more: &[Time], faults: &mut Faults, others: &Faults) {
    add_times(times, more);
    faults.extend(others.iter().cloned());
}

fn add_times(times: &mut Vec<Time>, more: &[Time]) {
    times.extend(more);
    times.sort_unstable();
    times.dedup();
}

fn renumber(mut claim: Claim, id: &impl Fn(ClaimId) -> ClaimId) -> Claim {
    let change = |part: &mut Part| {
        if let Part::Claim(place) | Part::OnlyDerived(place) | Part::Instead(place) | Part::Nearest(place) = part {
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
