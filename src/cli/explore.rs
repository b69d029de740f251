//! `ldfi explore`: the report as a game, served to this machine only.

use dedalus_runtime::RunError;
use ldfi::explore::{ExploreError, Game, first_eot};
use ldfi_model::{Bounds, FailureSpec};

use super::args::ExploreArgs;
use super::progress::budget;
use super::terminal::Terminal;
use super::{Done, Status, load, spec};

/// Serves until the page or Ctrl-C ends it.
pub(super) fn explore(args: &ExploreArgs, terminal: &Terminal) -> Done {
    let (program, name) = load::load(&args.program, terminal)?;
    let eot = args.eot.unwrap_or_else(|| first_eot(&program) + 3);
    let bounds = args.bounds.with(eot, 0, args.crashes);
    let bounds = Bounds { eff: args.eff.unwrap_or(bounds.usual_eff()), ..bounds };
    let bounds = FailureSpec::try_from(bounds).map_err(spec::refuse)?;
    // Whoever knows the address may end it, so Ctrl-C is heard first.
    let budget = budget(None);
    let game = match Game::new(&program, &name, bounds, &budget) {
        // Before it began is as good as later.
        Err(ExploreError::Run(RunError::Spent(_))) => {
            terminal.note("ended");
            return Ok(Status::Good);
        }
        Err(ExploreError::Search(error)) => return Err(spec::failed(error)),
        game => game?,
    };
    game.serve(args.port, &budget, |address| {
        let heard = terminal.say(&format!("{address}\n"));
        terminal.or_in_short(heard, || address.to_owned());
        terminal.note("open it in a browser; its End button or Ctrl-C ends");
    })?;
    terminal.note("ended");
    Ok(Status::Good)
}
