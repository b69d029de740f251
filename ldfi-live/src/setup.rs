//! What is run: nodes, and what clients ask of them.

use crate::cell::Cell;
use crate::conclusion::Conclusion;
use crate::disk::Disk;
use crate::error::LiveError;
use crate::event::Event;
use crate::explore::explore;
use crate::node::{ASKED, Id, Node};
use crate::once::{Once, once};
use crate::options::Options;
use crate::panic::catch;
use crate::record::Record;
use crate::scenario::Scenario;
use crate::specification::{Specification, Violation, mistake};
use crate::world::World;

/// A cluster of nodes, what clients ask of it, and how long it runs.
pub struct Setup<N: Node> {
    pub(crate) names: Vec<String>,
    /// A node, with its disk and the names of all.
    pub(crate) make: Box<Make<N>>,
    /// In order of time.
    pub(crate) requests: Vec<Request<N::Request>>,
    pub(crate) end: u32,
    /// Whether it can be run where this is asked.
    pub(crate) ready: Option<Ready>,
}

/// Tells whether it can be run where this is asked.
pub(crate) type Ready = Box<dyn Fn() -> Result<(), LiveError> + Send + Sync>;

/// Makes a node as it boots.
pub(crate) type Make<N> = dyn Fn(Id, Disk, &[String]) -> N + Send + Sync;

/// What a client asks.
pub(crate) struct Request<R> {
    pub time: u32,
    pub node: u32,
    pub request: R,
}

/// What clients ask, under construction.
pub struct Workload<R> {
    requests: Vec<(u32, Id, R)>,
}

/// What clients ask at an instant.
pub struct Asking<'w, R> {
    workload: &'w mut Workload<R>,
    time: u32,
    node: Id,
}

impl<R> Workload<R> {
    /// At an instant, of the first node unless told otherwise.
    pub fn at(&mut self, time: u32) -> Asking<'_, R> {
        Asking { workload: self, time, node: 1 }
    }
}

/// When, of whom, and what is asked.
impl<R> Extend<(u32, Id, R)> for Workload<R> {
    fn extend<I: IntoIterator<Item = (u32, Id, R)>>(&mut self, asked: I) {
        self.requests.extend(asked);
    }
}

impl<R> Asking<'_, R> {
    /// Of that node.
    #[must_use]
    pub fn of(mut self, node: Id) -> Self {
        self.node = node;
        self
    }

    /// A client asks for something. A node that is down does not hear it.
    pub fn ask(self, request: R) {
        self.workload.requests.push((self.time, self.node, request));
    }
}

impl<N: Node> Setup<N> {
    /// So many nodes, called n1, n2, n3, … The code is run whenever a node boots, with what its disk kept.
    pub fn new(nodes: usize, make: impl Fn(Id, Disk) -> N + Send + Sync + 'static) -> Self {
        Self::with_names(nodes, move |id, disk, _| make(id, disk))
    }

    /// The same, of nodes that know the names of all, which may be given later.
    pub(crate) fn with_names(nodes: usize, make: impl Fn(Id, Disk, &[String]) -> N + Send + Sync + 'static) -> Self {
        let names = (1..=nodes).map(|id| format!("n{id}")).collect();
        Setup { names, make: Box::new(make), requests: vec![], end: 0, ready: None }
    }

    /// Other names for the nodes, in their order; those left over keep theirs.
    pub fn names<S: Into<String>>(&mut self, names: impl IntoIterator<Item = S>) {
        for (old, new) in self.names.iter_mut().zip(names) {
            *old = new.into();
        }
    }

    /// The last instant.
    pub fn end(&mut self, end: u32) {
        self.end = end;
    }

    /// What clients ask.
    ///
    /// # Errors
    /// If they ask a node that is not there.
    pub fn workload(&mut self, tell: impl FnOnce(&mut Workload<N::Request>)) -> Result<(), LiveError> {
        let mut workload = Workload { requests: vec![] };
        tell(&mut workload);
        for (time, node, request) in workload.requests {
            let nodes = self.names.len();
            let place = usize::try_from(node).ok().filter(|place| (1..=nodes).contains(place));
            let place = place.and_then(|place| u32::try_from(place - 1).ok());
            let node = place.ok_or(LiveError::NoSuchNode { node, nodes })?;
            // Time runs from 1, and what is asked before is heard then.
            self.requests.push(Request { time: time.max(1), node, request });
        }
        self.requests.sort_by_key(|request| request.time);
        Ok(())
    }

    /// Whether the world tells what clients ask.
    pub(crate) fn tells_asked(&self) -> bool {
        self.requests.iter().any(|request| N::asked(&request.request).is_some())
    }

    /// The names of its nodes.
    pub fn nodes(&self) -> &[String] {
        &self.names
    }

    /// The last instant.
    pub fn last(&self) -> u32 {
        self.end
    }

    /// Whether it can be run.
    fn is_ready(&self) -> Result<(), LiveError> {
        self.ready.as_ref().map_or(Ok(()), |ready| ready())?;
        match self.requests.last() {
            Some(last) if last.time > self.end && self.end > 0 => {
                Err(LiveError::AskedTooLate { time: last.time, end: self.end })
            }
            _ => Ok(()),
        }
    }

    /// Explores what failures do to it.
    ///
    /// # Errors
    /// If it is not deterministic, or makes no sense: its events do not fit their specifications, nothing can fail, …
    pub fn explore(&self, specifications: &[Specification], options: &Options) -> Result<Conclusion, LiveError> {
        self.is_ready()?;
        explore(self, specifications, options)
    }

    /// Runs one combination of failures: what it violates, and how many of its failures struck at all.
    ///
    /// # Errors
    /// If events do not fit their specifications.
    pub fn replay(
        &self,
        specifications: &[Specification],
        options: &Options,
        scenario: &Scenario,
    ) -> Result<Replayed, LiveError> {
        self.is_ready()?;
        let once = once(self, specifications, options, scenario, true)?;
        if scenario.is_empty()
            && let Some(error) = mistake(&once.violations)
        {
            return Err(error);
        }
        let struck = once.struck.iter().flatten().count();
        let Once { violations, told, trace, record, .. } = once;
        Ok(Replayed { violations, struck, trace, record, events: told.events, crashes: told.crashes })
    }
}

/// What one combination of failures did.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// What it violates.
    pub violations: Vec<Violation>,
    /// How many of its failures struck.
    pub struck: usize,
    /// What happened, line by line.
    pub trace: Vec<String>,
    /// What happened, thing by thing.
    pub record: Record,
    /// What nodes told specifications, and when.
    pub events: Vec<(u32, Event)>,
    /// Nodes that crashed for good, by their places, and when.
    pub crashes: Vec<(u32, u32)>,
}

/// What came of one execution.
pub(crate) struct Executed {
    /// In order of time, then of nodes.
    pub cells: Vec<Cell>,
    /// For each failure, whether it struck, and how many such there had been before.
    pub struck: Vec<Option<u32>>,
    /// What happened, line by line, if that was asked for.
    pub trace: Vec<String>,
    /// What happened, thing by thing, if that was asked for.
    pub record: Record,
}

/// Something that can be executed under failures, again and again, on several threads.
pub(crate) trait System: Sync {
    /// The names of its nodes.
    fn nodes(&self) -> &[String];

    /// The last instant.
    fn end(&self) -> u32;

    /// What clients ask, and when, if there are requests and each says what it is to specifications. Otherwise nodes may tell of
    /// it themselves, whenever they like.
    fn asked(&self) -> Option<Vec<(u32, Event)>>;

    /// One execution.
    fn execute(&self, scenario: &Scenario, how: How) -> Result<Executed, LiveError>;
}

/// How something is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// Whether a trace, backtraces and counts are kept.
    pub traced: bool,
    /// Whether messages may be late, in any of the executions that this one is compared with.
    pub late: bool,
}

impl How {
    pub fn new(options: &Options, traced: bool) -> Self {
        How { traced, late: options.failures.iter().any(|failure| failure.makes_late()) }
    }
}

impl<N: Node> System for Setup<N> {
    fn nodes(&self) -> &[String] {
        &self.names
    }

    fn end(&self) -> u32 {
        self.end
    }

    fn asked(&self) -> Option<Vec<(u32, Event)>> {
        if self.requests.is_empty() {
            return None;
        }
        let fact = |request: &Request<N::Request>| {
            let mut values = N::asked(&request.request)?;
            values.insert(0, self.names[request.node as usize].as_str().into());
            Some((request.time, Event::new(ASKED, values)))
        };
        self.requests.iter().map(fact).collect()
    }

    fn execute(&self, scenario: &Scenario, how: How) -> Result<Executed, LiveError> {
        // The code under test is watched closer; this is for the adapter around it.
        catch(how.traced, || World::new(self, scenario, how).run())
            .unwrap_or_else(|panic| Err(LiveError::Adapter(panic)))
    }
}
