//! A set of faults.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::beside::Beside;
use crate::fault::{Fault, Sides, Strike};
use crate::node::{Node, Places, UnknownNode};
use crate::text::is_name;
use crate::time::Time;
use crate::tuple::Tuple;
use crate::value::Value;

/// A set of faults, in the order in which they strike, those of one time and kind in the order of their nodes: of places, or
/// of names. `N` is how a node is told: by name, or by its place.
///
/// ```
/// use ldfi_model::Faults;
/// let faults: Faults = "lose a->b@1; crash c@3".parse().unwrap();
/// assert_eq!(faults, Faults::none().lose("a", "b", 1).crash("c", 3));
/// assert_eq!(faults.to_string(), "lose a->b@1; crash c@3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FaultSet<N = String> {
    faults: BTreeSet<Fault<N>>,
}

/// A set of faults with nodes by name.
pub type Faults = FaultSet<String>;

/// What a fault set is compared by, before the order of its faults: see [`FaultSet::cost`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cost {
    /// Crashes and pauses.
    pub stops: usize,
    /// Partitions.
    pub partitions: usize,
    /// All other faults.
    pub others: usize,
    /// Steps of lateness, pauses and partitions together.
    pub length: u64,
}

impl<N> Default for FaultSet<N> {
    fn default() -> Self {
        FaultSet { faults: BTreeSet::new() }
    }
}

impl<N: Ord> FromIterator<Fault<N>> for FaultSet<N> {
    fn from_iter<I: IntoIterator<Item = Fault<N>>>(faults: I) -> Self {
        FaultSet { faults: faults.into_iter().collect() }
    }
}

impl<N: Ord> Extend<Fault<N>> for FaultSet<N> {
    fn extend<I: IntoIterator<Item = Fault<N>>>(&mut self, faults: I) {
        self.faults.extend(faults);
    }
}

impl<N: Ord> FaultSet<N> {
    /// Nothing goes wrong.
    pub fn none() -> Self {
        FaultSet::default()
    }

    /// Adds a fault; whether it is new.
    pub fn insert(&mut self, fault: Fault<N>) -> bool {
        self.faults.insert(fault)
    }

    /// Whether this fault is one of them.
    pub fn contains(&self, fault: &Fault<N>) -> bool {
        self.faults.contains(fault)
    }

    /// Takes a fault away; whether it was there.
    pub fn remove(&mut self, fault: &Fault<N>) -> bool {
        self.faults.remove(fault)
    }

    /// Also this fault.
    #[must_use]
    pub fn with(mut self, time: u32, strike: Strike<N>) -> Self {
        self.faults.insert(Fault { time: Time(time), strike });
        self
    }

    /// The faults, in the order in which they strike.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Fault<N>> + DoubleEndedIterator {
        self.faults.iter()
    }

    /// The crashes: node and time, in the order in which they strike.
    pub fn crashes(&self) -> impl Iterator<Item = (&N, Time)> {
        self.faults.iter().filter_map(|fault| match &fault.strike {
            Strike::Crash { node } => Some((node, fault.time)),
            _ => None,
        })
    }

    /// The restarts: node and time, in the order in which they strike.
    pub fn restarts(&self) -> impl Iterator<Item = (&N, Time)> {
        self.faults.iter().filter_map(|fault| match &fault.strike {
            Strike::Restart { node } => Some((node, fault.time)),
            _ => None,
        })
    }

    /// The losses: sender, receiver and time, in the order in which they strike.
    pub fn losses(&self) -> impl Iterator<Item = (&N, &N, Time)> {
        self.faults.iter().filter_map(|fault| match &fault.strike {
            Strike::Lose { from, to, .. } => Some((from, to, fault.time)),
            _ => None,
        })
    }

    /// Whether some node takes no step for a while: it is paused, or down until it comes back.
    pub fn stop_nodes(&self) -> bool {
        self.faults.iter().any(|fault| matches!(fault.strike, Strike::Pause { .. } | Strike::Restart { .. }))
    }

    /// How many faults there are.
    pub fn len(&self) -> usize {
        self.faults.len()
    }

    /// Whether nothing goes wrong.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Whether every fault of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.faults.is_subset(&other.faults)
    }

    /// What fault sets are compared by. Of two with nodes by their places, the one with the lesser `(cost, faults)` is the
    /// lesser; the order of named sets is that of names, which is for printing and says nothing of which is lesser.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for fault in &self.faults {
            match fault.strike {
                Strike::Crash { .. } | Strike::Pause { .. } => cost.stops += 1,
                Strike::Partition { .. } => cost.partitions += 1,
                _ => cost.others += 1,
            }
            cost.length += fault.length();
        }
        cost
    }
}

impl<N: Ord + Clone> FaultSet<N> {
    /// Every fault set with one fault less. A crash takes its restart along.
    pub fn without_one(&self) -> Vec<Self> {
        (0..self.len()).filter_map(|at| self.without_one_at(at)).collect()
    }

    /// The fault set without the fault at a place; a crash takes its restart along. `None` if that makes no sense: a
    /// restart alone can go only if the node does not crash again.
    pub fn without_one_at(&self, at: usize) -> Option<Self> {
        let fault = self.faults.iter().nth(at)?;
        let mut less = self.clone();
        less.faults.remove(fault);
        if let Strike::Crash { node } = &fault.strike {
            let restart =
                |f: &&Fault<N>| f.time > fault.time && matches!(&f.strike, Strike::Restart { node: n } if n == node);
            if let Some(restart) = self.faults.iter().find(restart) {
                less.faults.remove(restart);
            }
        }
        less.is_orderly().then_some(less)
    }

    /// The fault set without the faults at these places, if what is left makes sense.
    pub fn without(&self, places: std::ops::Range<usize>) -> Option<Self> {
        let kept = self.faults.iter().enumerate().filter(|(at, _)| !places.contains(at));
        let less: Self = kept.map(|(_, fault)| fault.clone()).collect();
        less.is_orderly().then_some(less)
    }

    /// Every fault set in which the fault at a place is shorter, the shortest first.
    pub fn shorter_at(&self, at: usize) -> Vec<Self> {
        let Some(fault) = self.faults.iter().nth(at) else { return vec![] };
        let with = |shorter: Fault<N>| {
            let mut less = self.clone();
            less.faults.remove(fault);
            less.faults.insert(shorter);
            less
        };
        fault.shorter().into_iter().map(with).collect()
    }

    /// Every fault set that is smaller by one step of reasoning: one fault less, or one shorter.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = self.without_one();
        all.extend((0..self.len()).flat_map(|at| self.shorter_at(at)));
        all
    }

    /// Whether crashes and restarts of each node take turns, a crash first.
    fn is_orderly(&self) -> bool {
        let mut out: BTreeMap<&N, Time> = BTreeMap::new();
        self.faults.iter().all(|fault| match &fault.strike {
            Strike::Crash { node } => out.insert(node, fault.time).is_none(),
            Strike::Restart { node } => out.remove(node).is_some_and(|crashed| crashed < fault.time),
            _ => true,
        })
    }
}

/// A fault that cannot be: not by itself, not beside the others, or not in that program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultError {
    /// The fault, as text.
    pub fault: String,
    /// Why not.
    pub why: String,
    /// Where it stands, in characters from 1, if it comes from a text.
    pub column: Option<usize>,
}

impl FaultError {
    /// This fault cannot be, for that reason.
    pub fn new(fault: &Fault, why: impl Into<String>) -> Self {
        FaultError { fault: fault.to_string(), why: why.into(), column: None }
    }

    /// The same, with the place of the fault in the text that the faults were read from.
    ///
    /// ```
    /// use ldfi_model::{Faults, Time};
    /// let text = "lose a->b@1; lose a->zz@2";
    /// let error = text.parse::<Faults>().unwrap().resolve(&["a".into(), "b".into()], Time(3)).unwrap_err();
    /// let told = "`lose a->zz@2` cannot be: `zz` is not a node; the nodes are a, b (column 14)";
    /// assert_eq!(error.in_text(text).to_string(), told);
    /// ```
    #[must_use]
    pub fn in_text(self, text: &str) -> Self {
        FaultError { column: crate::text::column(text, &self.fault), ..self }
    }
}

impl fmt::Display for FaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be: {}", self.fault, self.why)?;
        self.column.map_or(Ok(()), |column| write!(f, " (column {column})"))
    }
}

impl std::error::Error for FaultError {}

impl Faults {
    /// Also loses what `from` sends to `to` at `time`.
    #[must_use]
    pub fn lose(self, from: impl Into<String>, to: impl Into<String>, time: u32) -> Self {
        self.with(time, Strike::Lose { from: from.into(), to: to.into(), message: None })
    }

    /// Also delays what `from` sends to `to` at `time` by so many steps.
    #[must_use]
    pub fn delay(self, from: impl Into<String>, to: impl Into<String>, time: u32, by: u32) -> Self {
        self.with(time, Strike::Delay { from: from.into(), to: to.into(), message: None, by })
    }

    /// Also lets a copy of what `from` sends to `to` at `time` arrive so many steps late.
    #[must_use]
    pub fn duplicate(self, from: impl Into<String>, to: impl Into<String>, time: u32, by: u32) -> Self {
        self.with(time, Strike::Duplicate { from: from.into(), to: to.into(), message: None, by })
    }

    /// Also parts the nodes into two sides at `time`, …, `until - 1`.
    #[must_use]
    pub fn partition<S: Into<String>>(
        self,
        one: impl IntoIterator<Item = S>,
        other: impl IntoIterator<Item = S>,
        time: u32,
        until: u32,
    ) -> Self {
        let sides = Sides::new(one.into_iter().map(Into::into), other.into_iter().map(Into::into));
        self.with(time, Strike::Partition { sides, until: Time(until) })
    }

    /// Also crashes `node` at `time`: it sends nothing from then on, unless it restarts.
    #[must_use]
    pub fn crash(self, node: impl Into<String>, time: u32) -> Self {
        self.with(time, Strike::Crash { node: node.into() })
    }

    /// Also brings `node`, which crashed before, back at `time`.
    #[must_use]
    pub fn restart(self, node: impl Into<String>, time: u32) -> Self {
        self.with(time, Strike::Restart { node: node.into() })
    }

    /// Also pauses `node` at `time`, …, `until - 1`.
    #[must_use]
    pub fn pause(self, node: impl Into<String>, time: u32, until: u32) -> Self {
        self.with(time, Strike::Pause { node: node.into(), until: Time(until) })
    }

    /// Also gives the input `maybe tuple@time`.
    #[must_use]
    pub fn give(self, tuple: Tuple, time: u32) -> Self {
        self.with(time, Strike::Give { tuple })
    }

    /// The same faults with nodes by their places, if they make sense together up to the end of time.
    ///
    /// # Errors
    /// If a fault makes no sense, by itself or beside the others, or names a node that is not there.
    pub fn resolve(&self, nodes: &[String], eot: Time) -> Result<FaultSet<Node>, FaultError> {
        // The usual run: nobody is to be found.
        if self.is_empty() {
            return Ok(FaultSet::none());
        }
        self.check()?;
        let places = Places::new(nodes);
        let placed = |fault: &Fault| {
            let wrong = |why: String| FaultError::new(fault, why);
            let placed = fault.map(|name| places.of(name)).map_err(|unknown| wrong(unknown.to_string()))?;
            if fault.time > eot {
                return Err(wrong(format!("the run ends at {eot}, before it")));
            }
            if let Strike::Partition { sides, .. } = &fault.strike {
                let sided = |node: &&String| {
                    [sides.first(), sides.second()].iter().any(|side| side.binary_search(node).is_ok())
                };
                if let Some(missing) = nodes.iter().find(|node| !sided(node)) {
                    return Err(wrong(format!("the two sides are all nodes, and `{missing}` is on neither")));
                }
            }
            Ok(placed)
        };
        self.faults.iter().map(placed).collect()
    }

    /// The same faults with every text in them changed: names of nodes, relations and strings.
    #[must_use]
    pub fn reworded(&self, word: impl Fn(&str) -> String) -> Self {
        let node = |name: &String| Ok::<String, UnknownNode>(word(name));
        let reworded = self.faults.iter().filter_map(|fault| fault.map(node).ok()).map(|mut fault| {
            if let Some(tuple) = fault.tuple_mut() {
                tuple.relation = word(&tuple.relation);
                for value in &mut tuple.values {
                    if let Value::Str(text) = value {
                        *text = word(text);
                    }
                }
            }
            fault
        });
        reworded.collect()
    }

    /// Whether the faults make sense, each by itself and beside the others.
    ///
    /// # Errors
    /// The first that does not, and why.
    pub fn check(&self) -> Result<(), FaultError> {
        let mut beside = Beside::default();
        for fault in &self.faults {
            makes_sense(fault).and_then(|()| beside.also(fault)).map_err(|why| FaultError::new(fault, why))?;
        }
        Ok(())
    }
}

/// Whether a fault makes sense by itself, or why not.
pub(crate) fn makes_sense<N: Ord>(fault: &Fault<N>) -> Result<(), &'static str> {
    if fault.time.0 == 0 {
        return Err("time runs from 1");
    }
    if fault.until().is_some_and(|until| until <= fault.time) {
        return Err("it ends before it begins: `until` is the first step that it no longer touches");
    }
    if fault.tuple().is_some_and(|tuple| !is_name(&tuple.relation)) {
        return Err("no relation has such a name");
    }
    match &fault.strike {
        Strike::Lose { from, to, .. } | Strike::Delay { from, to, .. } | Strike::Duplicate { from, to, .. }
            if from == to =>
        {
            Err("nothing strikes what a node sends itself")
        }
        Strike::Delay { by: 0, .. } | Strike::Duplicate { by: 0, .. } => Err("it is late by at least 1"),
        Strike::Partition { sides, .. } if sides.first().is_empty() || sides.second().is_empty() => {
            Err("a partition has a node on each side")
        }
        Strike::Partition { sides, .. } if sides.first().iter().any(|n| sides.second().contains(n)) => {
            Err("a node is on one side of a partition only")
        }
        _ => Ok(()),
    }
}

impl FaultSet<Node> {
    /// The same faults with two nodes exchanged, in single messages and inputs too.
    pub fn exchange(&self, one: Node, other: Node, nodes: &[String]) -> Self {
        let (Some(a), Some(b)) = (nodes.get(one.index()), nodes.get(other.index())) else { return self.clone() };
        let node = |node: &Node| -> Result<Node, UnknownNode> {
            Ok(if *node == one {
                other
            } else if *node == other {
                one
            } else {
                *node
            })
        };
        let word = |value: &mut Value| match value {
            Value::Str(text) if text == a => text.clone_from(b),
            Value::Str(text) if text == b => text.clone_from(a),
            _ => {}
        };
        let exchanged = self.faults.iter().filter_map(|fault| fault.map(node).ok()).map(|mut fault| {
            if let Some(tuple) = fault.tuple_mut() {
                tuple.values.iter_mut().for_each(word);
            }
            fault
        });
        exchanged.collect()
    }

    /// Whether the faults make sense, among these nodes and up to the end of time.
    ///
    /// # Errors
    /// If one makes no sense, by itself or beside the others, or names a node that is not there.
    pub fn check_among(&self, nodes: &[String], eot: Time) -> Result<(), FaultError> {
        for fault in &self.faults {
            if let Some(node) = fault.nodes().into_iter().find(|node| node.index() >= nodes.len()) {
                let unknown = UnknownNode { node: format!("node {}", node.0), nodes: nodes.to_vec() };
                let alone = FaultSet::from_iter([fault.clone()]).named(nodes);
                return Err(FaultError { fault: alone.to_string(), why: unknown.to_string(), column: None });
            }
        }
        self.named(nodes).resolve(nodes, eot).map(|_| ())
    }

    /// The same faults with nodes by name.
    pub fn named(&self, nodes: &[String]) -> Faults {
        let name = |node: &Node| -> Result<String, UnknownNode> {
            Ok(nodes.get(node.index()).cloned().unwrap_or_else(|| format!("node {}", node.0)))
        };
        self.faults.iter().filter_map(|fault| fault.map(name).ok()).collect()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no faults");
        }
        for (i, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if i > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}
