//! Code under test: a state machine that is told what happens and says what it does.

use std::fmt::Debug;

use ldfi_model::Value;

use crate::digest::digest_of;
use crate::event::{Columns, Event, Given, Misfit, event_of};
use crate::facts::Fact;
use crate::failure::Failure;
use crate::hook::Shared;
use crate::point::{Kind, Label};

/// A node, as its code knows it: 1, 2, 3, …
pub type Id = u64;

/// The relation of what clients ask.
pub(crate) const ASKED: &str = "asked";

/// A node of a cluster: some lines around the code under test.
///
/// At each instant a node that is up is handed what arrived, in the order of sending and of senders; then its timers, then what clients ask;
/// then it ticks, and drains. What it does may depend on what it is told and on its disk, and on nothing else: no clock, no
/// thread, no randomness that it shares.
pub trait Node {
    /// What nodes send each other.
    type Message: Clone + Debug;
    /// What clients ask.
    type Request: Clone + Debug + Send + Sync;

    /// An instant passes.
    fn tick(&mut self, out: &mut Out<Self::Message>);

    /// A message arrives.
    fn handle(&mut self, from: Id, message: Self::Message, out: &mut Out<Self::Message>);

    /// A client asks for something.
    fn ask(&mut self, request: Self::Request, out: &mut Out<Self::Message>);

    /// What a request is to specifications: the columns of a fact `asked(node, …)`, which the world tells when the node hears it. A
    /// promise that rests on such facts alone can be proved from part of an execution. The node then tells of no `asked` itself.
    fn asked(request: &Self::Request) -> Option<Vec<Value>> {
        let _ = request;
        None
    }

    /// A timer fires that the node set with [`Out::timer`].
    fn timer(&mut self, label: &str, out: &mut Out<Self::Message>) {
        let _ = (label, out);
    }

    /// The last thing at each instant: for code that collects what it wants to send.
    fn drain(&mut self, out: &mut Out<Self::Message>) {
        let _ = out;
    }

    /// What a message is, without its particulars: its type, and perhaps whether it carries something.
    fn label(message: &Self::Message) -> Label {
        label_of(message)
    }

    /// The content of a message in one number.
    fn digest(message: &Self::Message) -> u64 {
        digest_of(message)
    }

    /// All of the node's state in one number, its disk aside. Two nodes with the same number must go on the same way. Without it
    /// nodes are told apart by all that they were ever told: just as sound, but then less can be spared.
    fn fingerprint(&self) -> Option<u64> {
        None
    }

    /// For so many steps, what the node is told is part of its state beside the fingerprint: for code whose calls and timers under way
    /// cannot be seen, but do not last longer.
    fn memory(&self) -> u32 {
        0
    }
}

/// The first word of what is printed for debugging, the name of a struct or of a variant: what messages are called where their
/// [`Node::label`] says nothing else.
///
/// ```
/// #[derive(Debug)]
/// enum Message { Vote { term: u64 }, Append(Vec<u64>) }
///
/// assert_eq!(ldfi_live::label_of(&Message::Vote { term: 7 }), "Vote");
/// assert_eq!(ldfi_live::label_of(&Message::Append(vec![1])), "Append");
/// ```
pub fn label_of<T: Debug + ?Sized>(content: &T) -> Label {
    let text = format!("{content:?}");
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text[..end].to_owned().into()
}

/// A message as it leaves a node.
#[derive(Debug)]
pub(crate) struct Leaving<M> {
    pub to: Id,
    pub message: M,
    /// Where it passed the hook; what a node sends itself does not.
    pub point: Option<u32>,
    /// What goes wrong with it, and with the link to that node, each by its place in the scenario.
    pub struck: Option<(Failure, usize)>,
    pub link: Option<(Failure, usize)>,
}

/// What a node does: messages, events, timers.
#[derive(Debug)]
pub struct Out<M> {
    place: u32,
    name: String,
    time: u32,
    hook: Shared,
    /// How many nodes there are, and what a message is.
    nodes: usize,
    label: fn(&M) -> Label,
    pub(crate) sent: Vec<Leaving<M>>,
    pub(crate) events: Vec<Event>,
    /// When, and what.
    pub(crate) timers: Vec<(u32, String)>,
    pub(crate) misfit: Option<Misfit>,
    /// Whether it uses threads other than its own.
    pub(crate) threads: bool,
    /// How often the world told what clients ask.
    asked: usize,
}

impl<M> Out<M> {
    pub(crate) fn new(place: u32, names: &[String], time: u32, hook: &Shared, label: fn(&M) -> Label) -> Self {
        Out {
            place,
            name: names[place as usize].clone(),
            time,
            hook: hook.clone(),
            nodes: names.len(),
            label,
            sent: vec![],
            events: vec![],
            timers: vec![],
            misfit: None,
            threads: false,
            asked: 0,
        }
    }

    /// Sends a message. It arrives at the next instant, if all goes well.
    pub fn send(&mut self, to: Id, message: M) {
        if !self.stopped() {
            self.leaves(to, message);
        }
    }

    /// A message passes the hook, and leaves; the node may stop right after it.
    fn leaves(&mut self, to: Id, message: M) {
        let place = to.checked_sub(1).and_then(|place| u32::try_from(place).ok());
        let peer = place.filter(|place| *place != self.place && (*place as usize) < self.nodes);
        let mut leaving = Leaving { to, message, point: None, struck: None, link: None };
        if let Some(peer) = peer {
            let (first, label) = (!self.sent.iter().any(|sent| sent.to == to), (self.label)(&leaving.message));
            let mut hook = self.hook.lock();
            if first {
                leaving.link = hook.pass_by(Kind::Link, self.place, Some(peer), Label::Borrowed(""));
            }
            leaving.point = u32::try_from(hook.points.len()).ok();
            leaving.struck = hook.pass_by(Kind::Message, self.place, Some(peer), label);
            if let Some((failure, _)) = leaving.struck.take_if(|(failure, _)| failure.stops()) {
                hook.stopped.get_or_insert(failure);
            }
        }
        self.sent.push(leaving);
    }

    /// Records that something happened, for specifications: a fact of that relation, with the node's name before the columns.
    pub fn event(&mut self, relation: &str, columns: impl Columns) {
        if self.stopped() {
            return;
        }
        match event_of(relation, &self.name, columns) {
            Ok(event) => self.events.push(event),
            Err(misfit) => drop(self.misfit.get_or_insert(misfit)),
        }
    }

    /// Records an event of a type of its own; see [`events!`](crate::events).
    pub fn tell<F: Fact>(&mut self, fact: F) {
        self.event(F::RELATION, Given(fact.values()));
    }

    /// Records a tuple whose first column is the node.
    pub(crate) fn tuple(&mut self, tuple: Event) {
        if !self.stopped() {
            self.events.push(tuple);
        }
    }

    /// Takes what was done elsewhere, before the node stopped if it did. It may stop between two messages.
    #[cfg(feature = "tokio")]
    pub(crate) fn take(&mut self, sent: &mut Vec<(Id, M)>, events: &mut Vec<Event>, misfit: &mut Option<Misfit>) {
        let before = self.stopped();
        for (to, message) in sent.drain(..) {
            if self.stopped() == before {
                self.leaves(to, message);
            }
        }
        self.events.append(events);
        self.misfit = self.misfit.take().or(misfit.take());
    }

    /// The world tells what a client asks.
    pub(crate) fn is_asked(&mut self, mut values: Vec<Value>) {
        values.insert(0, self.name.as_str().into());
        self.events.push(Event::new(ASKED, values));
        self.asked += 1;
    }

    /// What is wrong if the node itself told what the world tells.
    pub(crate) fn asked_itself(&self) -> Option<Misfit> {
        let told = self.events.iter().filter(|event| event.relation == ASKED).count();
        let why = "the world tells it, since `Node::asked` says what it is; the node must not".to_owned();
        (told != self.asked).then(|| Misfit { event: ASKED.to_owned(), why })
    }

    /// Sets a timer; it fires so many instants from now, at least one.
    pub fn timer(&mut self, after: u32, label: &str) {
        let mut hook = self.hook.lock();
        if hook.stopped.is_some() {
            return;
        }
        let late = match hook.pass(Kind::Timer, self.place, None, label.to_owned().into()) {
            Some(Failure::Delay(by)) => by,
            _ => 0,
        };
        let due = self.time.saturating_add(after.max(1)).saturating_add(late);
        self.timers.push((due, label.to_owned()));
    }

    /// The instant.
    pub fn now(&self) -> u32 {
        self.time
    }

    fn stopped(&self) -> bool {
        self.hook.lock().stopped.is_some()
    }
}
