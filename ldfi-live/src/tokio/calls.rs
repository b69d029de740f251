//! Calls with answers, made of messages: a letter there and a letter back.

use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::tokio::sync::oneshot;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::host::Host;
use super::service::Message;
use crate::digest::digest_of;
use crate::node::Id;
use crate::point::Label;

/// When a call was made, and how many others its caller made to that node at that moment. Calls to others, and calls that failed before, do
/// not change it.
type Number = (Duration, u32);

/// A call to another node, or its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    number: Number,
    label: Label,
    body: String,
    answers: bool,
}

/// `Vote`, and `answer:Vote`.
impl Message for Letter {
    fn label(&self) -> Label {
        if self.answers { format!("answer:{}", self.label).into() } else { self.label.clone() }
    }
}

impl Letter {
    /// Its content.
    ///
    /// # Panics
    /// If it is of another type.
    pub fn read<T: DeserializeOwned>(&self) -> T {
        // Nothing happens to what is in a letter: whoever cannot read it takes it for something else.
        let wrong = |error| panic!("`{}` is no `{}` but {}: {error}", self.label(), type_name::<T>(), self.body);
        serde_json::from_str(&self.body).unwrap_or_else(wrong)
    }
}

/// Which way a letter goes, for the node that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// This node sends it.
    Sent,
    /// It arrived at this node.
    Heard,
}

/// Looks at letters: which way, to or from whom, what.
type Watch = Arc<dyn Fn(Way, Id, &Letter) + Send + Sync>;

/// Calls to other nodes, for services whose traits ask for a request and an answer rather than for messages. A clone has the same
/// calls.
///
/// A call is a [`Letter`] there and a letter back, either of which failures can strike. A service that sends nothing else waits for
/// [`Calls::question`]s. Where its message is an `enum` that can be made `From<Letter>`, it takes messages in with [`Host::recv`] and
/// hands the letters to [`Calls::hear`].
///
/// ```
/// use std::time::Duration;
/// use ldfi_live::tokio::{Calls, Host, Letter, setup};
/// use ldfi_live::{Options, Scenario};
/// use tokio::time::timeout;
///
/// /// The first of two nodes has the second double what clients ask.
/// async fn serve(host: Host<Letter, u32>) {
///     let calls = Calls::new(&host);
///     loop {
///         tokio::select! {
///             biased;
///             question = calls.question() => question.answer(&(2 * question.read::<u32>())),
///             number = host.asked() => {
///                 let (host, calls) = (host.clone(), calls.clone());
///                 tokio::spawn(async move {
///                     // A call that is lost has no answer.
///                     match timeout(Duration::from_millis(30), calls.call::<u32>(2, "Double", &number)).await {
///                         Ok(double) => host.event("doubled", (number, double)),
///                         Err(_) => host.event("failed", number),
///                     }
///                 });
///             }
///         }
///     }
/// }
///
/// let mut service = setup(2, Duration::from_millis(10), serve);
/// service.end(9);
/// service.workload(|w| w.at(2).ask(21))?;
/// let told = |failures: &str| -> Result<String, Box<dyn std::error::Error>> {
///     let failures = Scenario::parse(failures, service.nodes())?;
///     let replayed = service.replay(&[], &Options::default(), &failures)?;
///     let [(time, event)] = &replayed.events[..] else { panic!("{:?}", replayed.events) };
///     Ok(format!("{event}@{time}"))
/// };
/// assert_eq!(told("no failures")?, r#"doubled("n1", 21, 42)@4"#);
/// assert_eq!(told("lose n1->n2@2 Double")?, r#"failed("n1", 21)@5"#);
/// assert_eq!(told("lose n2->n1@3 answer:Double")?, r#"failed("n1", 21)@5"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Calls<M, R> {
    host: Host<M, R>,
    open: Arc<Mutex<Open>>,
}

/// Calls that somebody waits for.
#[derive(Default)]
struct Open {
    /// By whom was called and the number of the call: its content, and who waits.
    waiting: BTreeMap<(Id, Number), (u64, oneshot::Sender<Letter>)>,
    /// The last call to each node.
    last: BTreeMap<Id, Number>,
    watch: Option<Watch>,
}

impl<M: From<Letter>, R> Calls<M, R> {
    /// Calls of this node.
    pub fn new(host: &Host<M, R>) -> Self {
        Calls { host: host.clone(), open: Arc::default() }
    }

    /// The world that it is in.
    pub fn host(&self) -> &Host<M, R> {
        &self.host
    }

    /// Calls a node, and waits for its answer; for ever if that is lost, or nobody answers. The label is what the call is, without its
    /// particulars: a loss is named `lose n1->n2@14 Vote`, that of its answer `lose n2->n1@15 answer:Vote`.
    ///
    /// Whoever gives up (by `tokio::time::timeout`, say) drops what this gives: an answer that comes later is not heard.
    ///
    /// # Panics
    /// If the answer is of another type, or the question cannot be written as JSON.
    pub async fn call<A: DeserializeOwned>(&self, to: Id, label: impl Into<Label>, question: &impl Serialize) -> A {
        let (label, body) = (label.into(), write(question));
        let (tell, answer) = oneshot::channel();
        let number = self.open().begin(to, self.host.now(), digest_of(&(&label, &body)), tell);
        let _waits = Waits { open: &self.open, call: (to, number) };
        self.send(to, Letter { number, label, body, answers: false });
        match answer.await {
            Ok(answer) => answer.read(),
            // What is told is taken out first.
            Err(_) => std::future::pending().await,
        }
    }

    /// Takes in a letter: an answer is handed to whoever waits for it, a question is to be answered.
    #[must_use]
    pub fn hear(&self, from: Id, letter: Letter) -> Option<Question<M, R>> {
        self.looks_at(Way::Heard, from, &letter);
        if !letter.answers {
            return Some(Question { calls: self.clone(), from, letter });
        }
        // Nobody waits any more for one that is late, or a copy.
        let waiting = self.open().waiting.remove(&(from, letter.number));
        let _ = waiting.map(|(_, tell)| tell.send(letter));
        None
    }

    /// Has every letter looked at from now on, as it is sent or heard: a service that does not tell all of its state may show the rest by
    /// what it answers; see [`Host::fingerprint`]. Whoever looked before does no longer.
    pub fn watch(&self, watch: impl Fn(Way, Id, &Letter) + Send + Sync + 'static) {
        self.open().watch = Some(Arc::new(watch));
    }

    /// The calls that somebody waits for: part of the state of a service; see [`Host::fingerprint`].
    pub fn state(&self) -> impl Debug + use<M, R> {
        let open = self.open();
        open.waiting.iter().map(|((to, number), (content, _))| (*to, *number, *content)).collect::<Vec<_>>()
    }
}

impl<R> Calls<Letter, R> {
    /// The next question. Answers that come before it are handed to whoever waits for them.
    pub async fn question(&self) -> Question<Letter, R> {
        loop {
            let (from, letter) = self.host.recv().await;
            if let Some(question) = self.hear(from, letter) {
                return question;
            }
        }
    }
}

impl<M: From<Letter>, R> Calls<M, R> {
    fn send(&self, to: Id, letter: Letter) {
        self.looks_at(Way::Sent, to, &letter);
        self.host.send(to, letter.into());
    }
}

impl<M, R> Calls<M, R> {
    fn looks_at(&self, way: Way, peer: Id, letter: &Letter) {
        // Whoever looks may ask for calls, so nothing is held.
        let watch = self.open().watch.clone();
        if let Some(watch) = watch {
            watch(way, peer, letter);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn begin(&mut self, to: Id, now: Duration, content: u64, tell: oneshot::Sender<Letter>) -> Number {
        let last = self.last.get(&to).filter(|(at, _)| *at == now);
        let number = (now, last.map_or(0, |(_, others)| others + 1));
        self.last.insert(to, number);
        self.waiting.insert((to, number), (content, tell));
        number
    }
}

/// Somebody waits for an answer, or gives up.
struct Waits<'c> {
    open: &'c Mutex<Open>,
    call: (Id, Number),
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&self.call);
    }
}

/// What another node asks. Its caller waits until it is answered, for ever if it is not.
pub struct Question<M, R> {
    calls: Calls<M, R>,
    from: Id,
    letter: Letter,
}

impl<M: From<Letter>, R> Question<M, R> {
    /// Who asks.
    pub fn from(&self) -> Id {
        self.from
    }

    /// What it is, as its caller says.
    pub fn label(&self) -> &str {
        &self.letter.label
    }

    /// Its content.
    ///
    /// # Panics
    /// If it is of another type.
    pub fn read<Q: DeserializeOwned>(&self) -> Q {
        self.letter.read()
    }

    /// Answers it. Its caller hears one answer.
    ///
    /// # Panics
    /// If the answer cannot be written as JSON.
    pub fn answer(&self, answer: &impl Serialize) {
        let (number, label) = (self.letter.number, self.letter.label.clone());
        self.calls.send(self.from, Letter { number, label, body: write(answer), answers: true });
    }
}

fn write(content: &impl Serialize) -> String {
    serde_json::to_string(content).unwrap_or_else(|error| panic!("this cannot be sent: {error}"))
}

impl<M, R> Clone for Calls<M, R> {
    fn clone(&self) -> Self {
        Calls { host: self.host.clone(), open: self.open.clone() }
    }
}

impl<M, R> Debug for Calls<M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open: Vec<(Id, Number)> = self.open().waiting.keys().copied().collect();
        write!(f, "Calls({:?}, open: {open:?})", self.host)
    }
}

impl<M, R> Debug for Question<M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Question(n{}, {:?})", self.from, self.letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_does_not_depend_on_calls_to_others_or_before() {
        let mut open = Open::default();
        let mut begin = |to, now| open.begin(to, Duration::from_millis(now), 0, oneshot::channel().0);
        let ten = Duration::from_millis(10);
        assert_eq!([begin(2, 10), begin(3, 10), begin(2, 10)], [(ten, 0), (ten, 0), (ten, 1)]);
        assert_eq!([begin(2, 20), begin(3, 20)], [(2 * ten, 0), (2 * ten, 0)]);
    }

    #[test]
    fn a_call_that_is_given_up_is_not_waited_for_and_its_number_is_not_used_again() {
        let calls = Mutex::new(Open::default());
        let begin = || calls.lock().unwrap().begin(2, Duration::ZERO, 0, oneshot::channel().0);
        let first = begin();
        drop(Waits { open: &calls, call: (2, first) });
        assert!(calls.lock().unwrap().waiting.is_empty());
        // An answer that is on its way must not be taken for that of the next call.
        assert_ne!(begin(), first);
    }
}
