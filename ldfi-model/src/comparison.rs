//! Variants of a protocol side by side: what they cost, and what they survive.

use std::collections::BTreeMap;

use crate::faults::Faults;
use crate::spec::{Bounds, FailureSpec};
use crate::time::Time;

/// A figure; or, where the budget ended before it was known, why nobody knows it.
pub type Figure<T> = Result<T, String>;

/// Variants of a protocol side by side, each looked at in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The most that may go wrong: no figure looks beyond it.
    pub spec: FailureSpec,
    /// One for each variant, in the order in which they were given.
    pub rows: Vec<Row>,
}

/// What there is to say of one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What the run without faults costs; or why nobody knows.
    pub quiet: Figure<RunCost>,
    /// What all faults that are allowed come to together. If they break it, these are the least that do.
    pub whole: Finding,
    /// How far each kind of fault can go by itself, in the order of [`Kind::ALL`].
    pub alone: Vec<(Kind, Reach)>,
    /// How far EFF can go, for each number of crashes from 0 on.
    pub frontier: Frontier,
    /// The single fault that costs most; none where no fault is possible; or why nobody knows.
    pub worst: Figure<Option<Worst>>,
}

impl Row {
    /// A row of which nothing is known, for a reason that it gives everywhere.
    pub fn not_known(name: String, spec: FailureSpec, why: &str) -> Row {
        let Bounds { eff, crashes, delay, partitions, .. } = spec.bounds();
        let reach = |most| Reach { survived: None, most, next: Some(Finding::Unknown(why.into())) };
        let most = |kind| match kind {
            Kind::Eff => eff,
            Kind::Crashes => crashes,
            Kind::Delay => delay,
            Kind::Partitions => partitions,
        };
        Row {
            name,
            quiet: Err(why.into()),
            whole: Finding::Unknown(why.into()),
            alone: Kind::ALL.map(|kind| (kind, reach(most(kind)))).to_vec(),
            frontier: Frontier { by_crashes: vec![reach(eff)] },
            worst: Err(why.into()),
        }
    }

    /// The single fault that costs most, in words where there is none to name.
    pub fn worst_fault(&self) -> String {
        match &self.worst {
            Ok(Some(worst)) if self.quiet.as_ref().is_ok_and(|quiet| *quiet == worst.cost) => "none costs more".into(),
            Ok(Some(worst)) => worst.faults.to_string(),
            Ok(None) => "none is possible".into(),
            Err(_) => String::new(),
        }
    }
}

/// What a run costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCost {
    /// Messages that nodes sent, arrived or not, by the relation that they are tuples of.
    pub messages: BTreeMap<String, u64>,
    /// From when on the promise is kept.
    pub holds: Holds,
    /// The most tuples that are kept from one step to the next at any time: those of relations with an `@next` rule.
    pub stored: u64,
}

impl RunCost {
    /// All messages.
    pub fn sent(&self) -> u64 {
        self.messages.values().sum()
    }
}

/// From when on a run keeps its promises, up to its end. What is worse is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holds {
    /// Nothing is promised at the end, so that nothing is kept or broken.
    #[default]
    Silent,
    /// From this step on something is promised, and all that is promised is there.
    From(Time),
    /// Something is missing at the end.
    Never,
}

/// The single fault that costs most, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The fault, in a set of one.
    pub faults: Faults,
    /// What the run with it costs.
    pub cost: RunCost,
}

/// What a question about a variant comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No fault set within the bounds breaks it.
    Survives,
    /// The least that does; empty if it is wrong without any.
    Broken(Faults),
    /// It promises nothing, and so nothing is survived.
    Vacuous,
    /// It was not found out, and why not.
    Unknown(String),
}

/// A kind of fault that is allowed by itself, as far as its bound goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Any losses before EFF.
    Eff,
    /// Crashes for good.
    Crashes,
    /// Any messages before EFF late, by at most so many steps.
    Delay,
    /// So many partitions before EFF.
    Partitions,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Eff, Kind::Crashes, Kind::Delay, Kind::Partitions];

    /// The name of its bound.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Eff => "eff",
            Kind::Crashes => "crashes",
            Kind::Delay => "delay",
            Kind::Partitions => "partitions",
        }
    }

    /// The value of its bound at which nothing goes wrong: no message is sent before 1.
    pub fn least(self) -> u32 {
        u32::from(self == Kind::Eff)
    }
}

/// How far one bound can be raised while the others stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The greatest value that is survived; none if not even the least is.
    pub survived: Option<u32>,
    /// The greatest value that was asked about.
    pub most: u32,
    /// What was found one value further; none where all that was asked about is survived.
    pub next: Option<Finding>,
}

impl Reach {
    /// The first value that is not known to be survived.
    fn next_value(&self, least: u32) -> u32 {
        self.survived.map_or(least, |survived| survived.saturating_add(1))
    }
}

/// How far EFF can go, for each number of crashes from 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    /// The reach of EFF with no crash, with one, and so on.
    pub by_crashes: Vec<Reach>,
}

/// What is known of one combination of EFF and crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// It is survived.
    Survives,
    /// It is not.
    Breaks,
    /// Nothing is promised there.
    Vacuous,
    /// Nobody knows.
    Unknown,
}

impl Frontier {
    /// What is known of a combination. What breaks it with less breaks it with more.
    pub fn cell(&self, crashes: usize, eff: u32) -> Cell {
        let least = Kind::Eff.least();
        let beyond = |reach: &Reach| eff >= reach.next_value(least);
        match self.by_crashes.get(crashes) {
            None => Cell::Unknown,
            Some(reach) if !beyond(reach) => Cell::Survives,
            Some(_) => {
                let before = self.by_crashes[..=crashes].iter().filter(|reach| beyond(reach));
                let found: Vec<&Finding> = before.filter_map(|reach| reach.next.as_ref()).collect();
                if found.iter().any(|next| matches!(next, Finding::Broken(_))) {
                    Cell::Breaks
                } else if found.iter().any(|next| matches!(next, Finding::Unknown(_))) || found.is_empty() {
                    Cell::Unknown
                } else {
                    Cell::Vacuous
                }
            }
        }
    }

    /// The greatest EFF that was asked about.
    pub fn widest(&self) -> u32 {
        self.by_crashes.iter().map(|reach| reach.most).max().unwrap_or(0)
    }
}

impl Row {
    /// What was not found out, each with the reason.
    pub fn unknown(&self) -> Vec<(String, &str)> {
        let mut all: Vec<(String, &str)> = vec![];
        if let Err(why) = &self.quiet {
            all.push(("the cost without faults".into(), why));
        }
        if let Finding::Unknown(why) = &self.whole {
            all.push(("the least faults that break it".into(), why));
        }
        let alone = self.alone.iter().map(|(kind, reach)| (format!("{} alone", kind.name()), kind.least(), reach));
        let by_crashes = (0..).zip(&self.frontier.by_crashes);
        let combined = by_crashes.map(|(crashes, reach)| (format!("eff with crashes {crashes}"), 1, reach));
        for (what, least, reach) in alone.chain(combined) {
            if let Some(Finding::Unknown(why)) = &reach.next {
                all.push((format!("{what} from {} on", reach.next_value(least)), why));
            }
        }
        if let Err(why) = &self.worst {
            all.push(("the worst single fault".into(), why));
        }
        all
    }
}

impl Comparison {
    /// Whether everything was found out.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.unknown().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(survived: u32, next: Option<Finding>) -> Reach {
        Reach { survived: (survived > 0).then_some(survived), most: 5, next }
    }

    #[test]
    fn what_breaks_with_less_breaks_with_more_and_what_is_unknown_is_not_green() {
        let broken = || Some(Finding::Broken(Faults::none().crash("a", 1)));
        let unknown = || Some(Finding::Unknown("no time".into()));
        let map = |rows: Vec<Reach>| {
            let frontier = Frontier { by_crashes: rows };
            let sign = |cell| match cell {
                Cell::Survives => '+',
                Cell::Breaks => 'x',
                Cell::Vacuous => '0',
                Cell::Unknown => '?',
            };
            let row = |crashes| (1..=5).map(|eff| sign(frontier.cell(crashes, eff))).collect::<String>();
            (0..frontier.by_crashes.len()).map(row).collect::<Vec<_>>()
        };
        let staircase = map(vec![reach(5, None), reach(3, broken()), reach(0, broken())]);
        assert_eq!(staircase, ["+++++", "+++xx", "xxxxx"]);
        assert_eq!(map(vec![reach(4, unknown()), reach(2, unknown())]), ["++++?", "++???"]);
        // A counterexample with no crash is one with a crash, whatever else is not known there.
        assert_eq!(map(vec![reach(3, broken()), reach(1, unknown())]), ["+++xx", "+??xx"]);
        assert_eq!(map(vec![reach(0, Some(Finding::Vacuous))]), ["00000"]);
    }
}
