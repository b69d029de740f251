//! `ldfi explore`: the report as a game, served to this machine only.

use dedalus_runtime::RunError;
use ldfi::explore::{ExploreError, Game, first_eot};
use ldfi_model::FailureSpec;

use super::args::ExploreArgs;
use super::progress::budget;
use super::terminal::Terminal;
use super::{Outcome, Status, load, spec};

/// Serves until the page or Ctrl-C ends it.
pub(super) fn explore(args: &ExploreArgs, terminal: &Terminal) -> Outcome {
    let (program, name) = load::load(&args.program, terminal)?;
    let eot = args.eot.unwrap_or_else(|| first_eot(&program) + 3);
    let eff = args.eff.unwrap_or(eot.saturating_sub(1));
    let bounds = FailureSpec::try_from(args.bounds.with(eot, eff, args.crashes)).map_err(spec::refuse)?;
    // Whoever knows the address may end it, so Ctrl-C is heard first.
    let budget = budget(None);
    let game = match Game::new(&program, &name, bounds, &budget) {
        // Before it began is as good as later.
        Err(ExploreError::Run(RunError::Spent(_))) => {
            terminal.note("ended");
            return Ok(Status::Good);
        }
        game => game?,
    };
    game.serve(args.port, &budget, |address| {
        terminal.say(&format!("{address}\n"));
        terminal.note("open it in a browser; its End button or Ctrl-C ends");
    })?;
    terminal.note("ended");
    Ok(Status::Good)
}
