//! `ldfi::explore(program)`: play against a protocol in the browser, from wherever Rust makes it.
//!
//! The page is the report's, with the program as it is: its parameters, its facts from Rust. Clicks strike messages and
//! nodes; every move is run, judged and explained; the adversary can be asked for its own. It is served to this machine
//! only, at an address that nobody can guess, until the page's *End* is pressed.
//!
//! | to play | write |
//! |---|---|
//! | within bounds that are chosen for it | `ldfi::explore(program)` |
//! | within the bounds of a check | [`ldfi::check(program).eot(6).crashes(1).explore()`](crate::check::Check::explore) |
//! | from where a test fails | `LDFI_EXPLORE=1 cargo test name` |
//! | with a file | `ldfi explore protocol.ded` |

mod browser;
mod game;
mod http;

use std::fmt;
use std::io::Write as _;

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::{Program, RunError, Runner};
use ldfi_core::{Judge, SearchError};
use ldfi_model::{Bounds, Budget, FailureSpec, SpecError};

pub use game::Game;

use crate::knobs;

/// Serves the explorer for a program, and returns when it has ended.
///
/// The run ends soon after the promise first holds without faults; messages may be lost until the step before, and one
/// node may crash. [`Check::explore`](crate::check::Check::explore) has the bounds of a check instead, and
/// [`knobs`] override either. The address is written on standard error, and opened if there is a terminal.
///
/// ```no_run
/// use ldfi::prelude::*;
/// dedalus! {
///     program Tell(word: str) {
///         input peer(str, str);
///         heard(Other, What)@async :- say(Node, What), peer(Node, Other);
///         heard(Node, What)@next :- heard(Node, What);
///         pre(What) :- say(_, What)@1;
///         post(What) :- heard("b", What);
///         say("a", word)@1;
///     }
/// }
/// let mut tell = Tell::new("hello");
/// tell.facts_at(1).peer("a", "b").peer("b", "a");
/// ldfi::explore(tell).unwrap();
/// ```
///
/// # Errors
/// If a run of the program fails, its bounds make no sense, or nothing can be served.
pub fn explore<P: Program>(program: P) -> Result<(), ExploreError> {
    // What nobody says is beyond any bound that somebody may say.
    const UNSAID: u32 = u32::MAX;
    let mut bounds = Bounds { eff: UNSAID, crashes: 1, ..Bounds::default() };
    knobs::bound(&mut bounds);
    if bounds.eot == 0 {
        bounds.eot = first_eot(&program) + 3;
    }
    if bounds.eff == UNSAID {
        bounds.eff = bounds.usual_eff();
    }
    let name = crate::check::type_name::<P>();
    let game = Game::new(&program, &name, FailureSpec::try_from(bounds)?, &Budget::unlimited())?;
    play(&game, &format!("explore {name}"))
}

/// Serves a game to whoever waits for a test or a program, and returns when it has ended.
pub(crate) fn play(game: &Game, what: &str) -> Result<(), ExploreError> {
    game.serve(0, &Budget::unlimited(), |address| {
        // Not through `eprintln!`, which tests keep to themselves until they end.
        let told = format!("{what}: {address}\n(its End button goes on from here; Ctrl-C ends everything)\n");
        let _ = std::io::stderr().write_all(told.as_bytes());
        browser::open(address);
    })
}

/// The least end of time at which the failure-free run says something and is right, or 10.
pub fn first_eot<P: Program + ?Sized>(program: &P) -> u32 {
    let says = |eot: u32| {
        let mut runner = Runner::new(program, Time(eot)).ok()?.memory(32 << 20);
        let run = runner.run(&Faults::none()).ok()?;
        let judge = Judge::new(run);
        Some(!judge.is_vacuous(run) && !judge.violates(run))
    };
    (1..=60).find(|eot| says(*eot) == Some(true)).unwrap_or(10)
}

/// Why there is no game.
#[derive(Debug)]
pub enum ExploreError {
    /// The program makes no such promise, or its bounds make no sense.
    Search(SearchError),
    /// A run of the program fails.
    Run(RunError),
    /// The port cannot be had.
    Port {
        /// The port; 0 for any.
        port: u16,
        /// Why not.
        error: std::io::Error,
    },
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::Search(error) => error.fmt(f),
            ExploreError::Run(error) => error.fmt(f),
            ExploreError::Port { port: 0, error } => write!(f, "nothing can be served: {error}"),
            ExploreError::Port { port, error } => write!(f, "cannot serve on port {port}: {error}"),
        }
    }
}

impl std::error::Error for ExploreError {}

impl From<SearchError> for ExploreError {
    fn from(error: SearchError) -> Self {
        ExploreError::Search(error)
    }
}

impl From<SpecError> for ExploreError {
    fn from(error: SpecError) -> Self {
        ExploreError::Search(error.into())
    }
}

impl From<RunError> for ExploreError {
    fn from(error: RunError) -> Self {
        ExploreError::Run(error)
    }
}
