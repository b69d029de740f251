//! `ldfi::check(program)`: the builder that ends in an assertion.

mod assertion;

use std::path::Path;
use std::time::Duration;

use dedalus_runtime::{Program, Promising};
use ldfi_core::challenge::{self, Challenge};
use ldfi_core::sweep::{self, Sweep};
use ldfi_core::{Conclusion, Counterexamples, Options, Search, SearchError, Strategy};
use ldfi_model::{Bounds, FailureSpec};

use crate::compare::{Compare, Variant, compare};
use crate::explore::{self, ExploreError, Game};
use crate::knobs;
use crate::proof::{self, ProofError};
use crate::regressions::Subject;
use crate::replay::given_params;

/// Checks a program against a failure specification.
///
/// ```
/// use ldfi::prelude::*;
/// dedalus! {
///     program Tell {
///         heard(Other, What)@async :- say(Node, Other, What);
///         heard(Node, What)@next :- heard(Node, What);
///         pre(What) :- say(_, _, What)@1;
///         post(What) :- heard("b", What);
///         say("a", "b", "hello")@1;
///         node("b")@1;
///     }
/// }
/// let cex = ldfi::check(Tell::new()).eot(3).eff(2).assert_counterexample();
/// assert_eq!(cex.faults(), &faults![lose "a" -> "b" @ 1]);
/// ldfi::check(Tell::new()).eot(3).assert_fault_tolerant();
/// ```
pub fn check<P: Program>(program: P) -> Check<P> {
    Check { program, name: type_name::<P>(), promise: None, bounds: Bounds::default(), options: Options::default() }
}

/// What a program is called in reports unless told otherwise.
pub(crate) fn type_name<P>() -> String {
    std::any::type_name::<P>().rsplit("::").next().unwrap_or("program").trim_end_matches('>').to_owned()
}

/// A check under construction. Environment variables override it without editing the test:
/// see [`knobs`].
#[must_use = "a check does nothing until it is run: end it with `assert_fault_tolerant()` or `run()`"]
pub struct Check<P> {
    program: P,
    name: String,
    /// The one promise that counts, of several.
    promise: Option<String>,
    /// A check without an end of time is a mistake in the test; EOT 0 is what says so.
    bounds: Bounds,
    options: Options,
}

impl<P: Program> Check<P> {
    // What to check.

    /// The end of time.
    pub fn eot(mut self, eot: u32) -> Self {
        self.bounds.eot = eot;
        self
    }

    /// The end of finite failures: messages sent before this time may be lost, and other network faults and pauses strike.
    pub fn eff(mut self, eff: u32) -> Self {
        self.bounds.eff = eff;
        self
    }

    /// At most so many crashes.
    pub fn crashes(mut self, most: u32) -> Self {
        self.bounds.crashes = most;
        self
    }

    /// At most so many losses; any number unless told otherwise.
    pub fn losses(mut self, most: u32) -> Self {
        self.bounds.losses = Some(most);
        self
    }

    /// Messages may be late, by at most so many steps.
    pub fn delay(mut self, steps: u32) -> Self {
        self.bounds.delay = steps;
        self
    }

    /// At most so many messages are late; any number unless told otherwise. Needs [`delay`](Self::delay).
    pub fn delays(mut self, most: u32) -> Self {
        self.bounds.delays = Some(most);
        self
    }

    /// At most so many messages arrive a second time, later. Needs [`delay`](Self::delay).
    pub fn duplicates(mut self, most: u32) -> Self {
        self.bounds.duplicates = most;
        self
    }

    /// At most so many times the nodes are parted into two sides that lose what they send each other.
    pub fn partitions(mut self, most: u32) -> Self {
        self.bounds.partitions = most;
        self
    }

    /// At most so many crashed nodes come back, with what the program declares `stable`. Needs [`crashes`](Self::crashes).
    pub fn restarts(mut self, most: u32) -> Self {
        self.bounds.restarts = most;
        self
    }

    /// At most so many times a node takes no step for a while.
    pub fn pauses(mut self, most: u32) -> Self {
        self.bounds.pauses = most;
        self
    }

    /// At most so many of the inputs that may come (`maybe`) do; any number unless told otherwise.
    pub fn gives(mut self, most: u32) -> Self {
        self.bounds.gives = Some(most);
        self
    }

    /// Losses, delays and copies strike single messages, not all that goes from one node to another at a step.
    pub fn per_message(mut self) -> Self {
        self.bounds.per_message = true;
        self
    }

    /// The name in reports; the program's type unless told otherwise.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Of the promises that the program makes (`pre.name` and `post.name`), this one alone counts.
    pub fn promise(mut self, name: impl Into<String>) -> Self {
        self.promise = Some(name.into());
        self
    }

    // How to check it.

    /// The strategy; `exact` unless told otherwise.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.options.strategy = strategy;
        self
    }

    /// Wall-clock time; what was found is returned when it ends.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.options.limits.time = Some(time);
        self
    }

    /// Concrete runs at most.
    pub fn executions(mut self, most: u64) -> Self {
        self.options.limits.executions = Some(most);
        self
    }

    /// Bytes that the tuples and firings of one run may take (of the potential universe, above all), as many the formula
    /// made of it, as many its clauses in solvers, forks included, and as many what they learn; what is drawn is not counted.
    /// Beyond it `exact` hands over to `lineage`.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.options.limits.memory = bytes;
        self
    }

    /// Every other setting.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    // What comes of it.

    /// Searches.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn run(&self) -> Result<Conclusion, SearchError> {
        Search::new(self.chosen()?.program(), self.spec()?, self.settings()).run()
    }

    /// Every counterexample of which no part is one too, in order of size, at most `limit`; and whether these are all.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn all_counterexamples(&self, limit: usize) -> Result<Counterexamples, SearchError> {
        Search::new(self.chosen()?.program(), self.spec()?, self.settings()).all(limit, false)
    }

    /// The same up to node symmetry: one for each set that exchanging like nodes leads to.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn distinct_counterexamples(&self, limit: usize) -> Result<Counterexamples, SearchError> {
        Search::new(self.chosen()?.program(), self.spec()?, self.settings()).all(limit, true)
    }

    /// Raises EOT and EFF as far as the time allows; see [`ldfi_core::sweep`].
    ///
    /// # Errors
    /// If runs of the program fail.
    pub fn sweep(&self) -> Result<Sweep, SearchError> {
        sweep::sweep(self.chosen()?.program(), self.bounds(), &self.settings())
    }

    /// Leaves out each rule and each negated literal of the protocol in turn, and says which of them no promise depends
    /// on; see [`ldfi_core::challenge`]. `None` if the program is not fault-tolerant as it is.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn challenge(&self) -> Result<Option<Challenge>, SearchError> {
        Ok(challenge::challenge(self.chosen()?.program(), self.spec()?, &self.settings())?.1)
    }

    /// Puts the program beside variants of it: what each costs, what it survives, the frontier of EFF and crashes.
    ///
    /// EFF and crashes are looked at up to the bounds of the check, and as far as they go where it has none; all its other
    /// bounds hold throughout.
    ///
    /// ```
    /// # use ldfi::prelude::*;
    /// # dedalus! { program Tell(times: int) {
    /// #     said(Node, What, K + 1)@next :- said(Node, What, K), K < times;
    /// #     heard(Other, What)@async :- said(Node, What, K), K <= times, peer(Node, Other);
    /// #     heard(Node, What)@next :- heard(Node, What);
    /// #     peer(Node, Other)@next :- peer(Node, Other);
    /// #     pre(What) :- told(What);
    /// #     post(What) :- heard("b", What);
    /// #     told(What) :- said(_, What, _);
    /// #     told(What)@next :- told(What);
    /// #     said("a", "hello", 1)@1; peer("a", "b")@1; peer("b", "a")@1;
    /// # } }
    /// let found = ldfi::check(Tell::new(1)).name("once").eot(6).crashes(1).compare([("twice", Tell::new(2))]).run().unwrap();
    /// assert_eq!(found.rows[1].quiet.as_ref().unwrap().sent(), 2);
    /// ```
    pub fn compare<'p, V: Into<Variant<'p>>>(self, others: impl IntoIterator<Item = V>) -> Compare<'p>
    where
        P: Send + 'p,
    {
        let own = Variant::new(self.name, self.program);
        let variants = std::iter::once(own).chain(others.into_iter().map(Into::into));
        let Bounds { eot, eff, crashes, .. } = self.bounds;
        let mut compare =
            compare(variants).eot(eot).bounds(|all| *all = self.bounds).options(|all| *all = self.options);
        if eff > 0 {
            compare = compare.eff(eff);
        }
        if crashes > 0 {
            compare = compare.crashes(crashes);
        }
        match self.promise {
            Some(promise) => compare.promise(promise),
            None => compare,
        }
    }

    /// Searches, and writes down what the verdict rests on into a folder, for others to check: the questions (DIMACS), the
    /// proofs that they have no answer (DRAT), and the ground firings that they are made from. `docs/certificates.md` says
    /// what they vouch for.
    ///
    /// # Errors
    /// If the specification makes no sense, runs of the program fail, there is no verdict, or it cannot be written.
    pub fn write_proof(&self, dir: impl AsRef<Path>) -> Result<Conclusion, ProofError> {
        let found = self.run()?;
        proof::write(dir.as_ref(), self.chosen()?.program(), &found, self.settings())?;
        Ok(found)
    }

    /// Serves the explorer for the program within the bounds of the check, and returns when it has ended; see
    /// [`explore`](mod@crate::explore).
    ///
    /// # Errors
    /// If the specification makes no sense, a run of the program fails, or nothing can be served.
    pub fn explore(&self) -> Result<(), ExploreError> {
        let chosen = self.chosen()?;
        let game = Game::new(chosen.program(), &self.name, self.spec()?, &self.options.budget)?;
        explore::play(&game, &format!("explore {}", self.subject()))
    }

    /// The program, with the promise that counts.
    fn chosen(&self) -> Result<Chosen<'_, P>, SearchError> {
        Ok(match &self.promise {
            Some(name) => Chosen::One(Promising::new(&self.program, Some(name))?),
            None => Chosen::All(&self.program),
        })
    }

    fn spec(&self) -> Result<FailureSpec, SearchError> {
        Ok(FailureSpec::try_from(self.bounds())?)
    }

    fn bounds(&self) -> Bounds {
        let mut bounds = self.bounds;
        knobs::bound(&mut bounds);
        bounds
    }

    fn settings(&self) -> Options {
        let mut options = self.options.clone();
        knobs::apply(&mut options);
        options
    }

    /// What is checked, and in which test: reports and regressions go by it.
    fn subject(&self) -> Subject {
        Subject::in_this_test(self.name.clone(), params(&self.program))
    }
}

/// A program of which all promises count, or one.
enum Chosen<'p, P> {
    All(&'p P),
    One(Promising<'p, P>),
}

impl<P: Program> Chosen<'_, P> {
    fn program(&self) -> &dyn Program {
        match self {
            Chosen::All(program) => *program,
            Chosen::One(program) => program,
        }
    }
}

/// The parameters of a program, as in `(3, 2)`; empty if it has none.
fn params<P: Program>(program: &P) -> String {
    let values: Vec<String> = given_params(program).map(|(_, value, _)| value.to_string()).collect();
    if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) }
}
