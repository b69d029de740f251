//! Why a promise was broken: claims about tuples, each with its reasons, down to facts and faults.
//!
//! It is complete: every way in which something could have been is there with what was in its way. So each fault of a
//! minimal counterexample occurs in it: one that does not could be left out, and the promise would still be broken.

use std::collections::BTreeSet;
use std::fmt;

use crate::fault::Fault;
use crate::faults::Faults;
use crate::time::Time;
use crate::tuple::Tuple;

/// Why promises were broken, or whatever else was asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Explanation {
    /// What is claimed, each with its reasons.
    pub claims: Vec<Claim>,
    /// What was asked about: the promises that were broken.
    pub asked: Vec<Asked>,
    /// Whether it only comes too late.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub later: Option<Later>,
}

/// A claim, by its place in [`Explanation::claims`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct ClaimId(pub u32);

impl ClaimId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something that was asked about: a promise that was broken, or a tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Asked {
    /// What a promise was made for; `None` if it holds whatever happens, and where a tuple was asked about.
    pub given: Option<ClaimId>,
    /// What is missing, or the tuple.
    pub claim: ClaimId,
    /// An earlier one, by its place, that is so by the same rules and the same faults: to tell one is to tell both.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub like: Option<u32>,
}

/// What becomes of it if the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Later {
    /// Every promise is kept from this step on, as far as was looked.
    Late {
        /// The first step.
        from: Time,
        /// The last step that was looked at.
        looked: Time,
    },
    /// They are kept at some later steps, and broken again after.
    Wavering {
        /// The first step at which they are kept.
        first: Time,
        /// The last step at which they are kept.
        last: Time,
        /// The last step at which they are broken.
        broken: Time,
        /// The last step that was looked at.
        looked: Time,
    },
    /// They are kept at no later step, as far as was looked.
    Never {
        /// The last step that was looked at.
        looked: Time,
    },
}

/// That a tuple holds, or that it does not, from one step to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Claim {
    /// The tuple; of a promise that is never made, `_` in each column.
    pub tuple: Tuple,
    /// The first step.
    pub from: Time,
    /// The last step.
    pub until: Time,
    /// Whether it holds.
    pub holds: bool,
    /// Whether it does so at the last of these steps without faults, too.
    pub usual: bool,
    /// Why.
    pub why: Why,
}

/// Why something holds, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Why {
    /// It is a fact.
    Fact,
    /// It would be so whichever of the faults struck.
    Anyway,
    /// The faults themselves bring it about: an input is given, a node comes back.
    Faults(Faults),
    /// It came about so.
    Fired(Fired),
    /// It did not come about: every way in which it could have.
    Never(Vec<Way>),
    /// There is more to tell than anybody would read; it has reasons of its own.
    Untold,
}

/// How something came about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fired {
    /// The rule, by its number; none for what a node that stood still kept.
    pub rule: Option<u32>,
    /// The step of its body.
    pub time: Time,
    /// What it rests on.
    pub parts: Vec<Part>,
}

/// A way in which something could have been, and what was in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Way {
    /// The rule, by its number; none for what a node that stands still keeps.
    pub rule: Option<u32>,
    /// The steps of its body: several, where it is the same each time.
    pub times: Vec<Time>,
    /// Whether the rule fires so without faults.
    pub usual: bool,
    /// What was in the way. Several, where it is one thing at one step and another of the kind at another.
    pub obstacles: Vec<Part>,
}

/// A part of a reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Part {
    /// Another claim.
    Claim(ClaimId),
    /// A message that arrived, or did not.
    Message(Passage),
    /// What a node did, or did not do, because of faults.
    Node(Standing),
    /// What was kept could only have been something that is not derived from other tuples of the step.
    OnlyDerived(ClaimId),
    /// An aggregate came to something else.
    Instead(ClaimId),
    /// Nothing matches a literal of the rule, as it stands with its variables known.
    NoMatch(Absence),
    /// Of what could have matched a literal that nothing matches, what came nearest: it does not hold either.
    Nearest(ClaimId),
    /// A comparison of the rule does not hold, as it stands with its variables known.
    Untrue(String),
    /// The faults themselves: the rule asks about crashes and restarts.
    Struck(Faults),
    /// What does not count for the rule, because of faults that it asks about.
    Discounted(Discount),
    /// A failure of real code, in the text form that these have.
    Failure(String),
}

/// That nothing matches a literal. Told, and written as JSON, in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(from = "String"))]
pub struct Absence {
    /// The literal, as in `log(b, _)`.
    pub pattern: String,
    /// The steps at which nothing matches it; none where the literal says all there is to say.
    pub times: Vec<Time>,
    /// What matched it last, and what became of that, if anything did.
    pub last: Option<String>,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)?;
        if !self.times.is_empty() {
            f.write_str(&steps(&self.times))?;
        }
        self.last.as_ref().map_or(Ok(()), |last| write!(f, ": the last was {last}"))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Absence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Absence {
    fn from(pattern: String) -> Self {
        Absence { pattern, times: vec![], last: None }
    }
}

/// Steps as readers write them: `@1-3, 5`.
pub fn steps(times: &[Time]) -> String {
    let mut parts: Vec<(u32, u32)> = vec![];
    for time in times {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == time.0 => *last = time.0,
            _ => parts.push((time.0, time.0)),
        }
    }
    let part = |(first, last): &(u32, u32)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    format!("@{}", parts.iter().map(part).collect::<Vec<_>>().join(", "))
}

/// A tuple that does not count, because of crashes or restarts that a rule asks about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Discount {
    /// The tuple, which holds.
    pub tuple: Tuple,
    /// The steps.
    pub times: Vec<Time>,
    /// The crashes, or restarts.
    pub faults: Faults,
}

/// What a node did, or did not do, because of faults.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Standing {
    /// The node.
    pub node: String,
    /// What it did.
    pub did: Did,
    /// The steps.
    pub times: Vec<Time>,
    /// The faults because of which it did so.
    pub faults: Faults,
}

/// What a node did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Did {
    /// It took its step.
    Step,
    /// It took no step.
    StandStill,
    /// It kept what it had, though it took no step.
    Keep,
    /// It did not keep what it had without a rule: it was up, or down without a disk for it.
    NotKeep,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Passage {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The steps at which it was sent.
    pub sent: Vec<Time>,
    /// What became of it.
    pub fate: Fate,
    /// When it arrived, if it did; of several that are late, when the last did.
    pub arrives: Option<Time>,
    /// The faults that made it so.
    pub faults: Faults,
}

/// What became of a message, seen from the step at which it would have mattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Fate {
    /// It arrived then.
    Arrived,
    /// It arrived later.
    Late,
    /// It was sent, and did not arrive.
    Lost,
    /// It was not sent: its sender was paused.
    Paused,
    /// It was not sent: its sender was down.
    Down,
}

impl Explanation {
    /// A claim.
    pub fn claim(&self, id: ClaimId) -> &Claim {
        &self.claims[id.index()]
    }

    /// Every fault that occurs in it.
    pub fn faults(&self) -> BTreeSet<Fault> {
        let mut all = BTreeSet::new();
        for claim in &self.claims {
            claim.why.each_faults(&mut |faults| all.extend(faults.iter().cloned()));
        }
        all
    }
}

impl Why {
    /// The faults named here, claims that it rests on aside.
    pub fn each_faults(&self, f: &mut dyn FnMut(&Faults)) {
        match self {
            Why::Faults(faults) => f(faults),
            Why::Fired(fired) => fired.parts.iter().filter_map(Part::faults).for_each(f),
            Why::Never(ways) => ways.iter().flat_map(|way| &way.obstacles).filter_map(Part::faults).for_each(f),
            Why::Fact | Why::Anyway | Why::Untold => {}
        }
    }

    /// The claims that it rests on, in order.
    pub fn claims(&self) -> Vec<ClaimId> {
        match self {
            Why::Fired(fired) => fired.parts.iter().filter_map(Part::claim).collect(),
            Why::Never(ways) => ways.iter().flat_map(|way| &way.obstacles).filter_map(Part::claim).collect(),
            Why::Fact | Why::Anyway | Why::Faults(_) | Why::Untold => vec![],
        }
    }
}

impl Part {
    /// The claim that it is.
    pub fn claim(&self) -> Option<ClaimId> {
        match self {
            Part::Claim(id) | Part::OnlyDerived(id) | Part::Instead(id) | Part::Nearest(id) => Some(*id),
            Part::Message(_) | Part::Node(_) | Part::NoMatch(_) | Part::Untrue(_) => None,
            Part::Struck(_) | Part::Discounted(_) | Part::Failure(_) => None,
        }
    }

    /// The faults that it names.
    pub fn faults(&self) -> Option<&Faults> {
        match self {
            Part::Message(Passage { faults, .. }) | Part::Node(Standing { faults, .. }) => Some(faults),
            Part::Discounted(Discount { faults, .. }) | Part::Struck(faults) => Some(faults),
            Part::Claim(_) | Part::OnlyDerived(_) | Part::Instead(_) | Part::Nearest(_) => None,
            Part::NoMatch(_) | Part::Untrue(_) | Part::Failure(_) => None,
        }
    }
}
