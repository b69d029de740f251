//! Making a fault set that violates, or makes a computation fail, minimal by running it: many faults left out at once, then one by one, then shorter ones.

use dedalus_runtime::model::{FaultSet, Node, Tuple};
use dedalus_runtime::{Program, Runner};

use crate::outcome::Judge;
use crate::search::{Search, Stop, counterexample};
use crate::verdict::{Counterexample, Reason};

/// A fault set that violates; and what it breaks, if a run has shown it.
#[derive(Clone)]
pub(crate) struct Violating {
    pub(crate) faults: FaultSet<Node>,
    seen: Option<Counterexample>,
}

impl Violating {
    /// What a run has shown: it is not lost, however long runs take.
    pub(crate) fn seen(faults: FaultSet<Node>, violations: Vec<Tuple>, nodes: &[String]) -> Self {
        let seen = Counterexample { faults: faults.named(nodes), violations };
        Violating { faults, seen: Some(seen) }
    }

    /// What no run has shown yet.
    pub(crate) fn claimed(faults: FaultSet<Node>) -> Self {
        Violating { faults, seen: None }
    }

    /// As a counterexample, run again unless there is no time and it was seen before.
    pub(crate) fn shown<'p, P: Program + ?Sized>(
        self,
        search: &mut Search<'p, P>,
        judge: &Judge,
        runner: &mut Runner<'p, P>,
    ) -> Result<Counterexample, Stop> {
        search.grant_grace(runner);
        match (search.execute(runner, &self.faults), self.seen) {
            (Ok(run), _) => Ok(counterexample(judge, run)),
            (Err(Stop::Reason(_)), Some(seen)) => Ok(seen),
            (Err(stop), _) => Err(stop),
        }
    }
}

/// A fault set that is being made smaller.
struct Shrink<'s, 'p, P: Program + ?Sized, T, F> {
    search: &'s mut Search<'p, P>,
    /// What comes of a run, if it is still what is asked for.
    still: F,
    faults: FaultSet<Node>,
    best: T,
}

impl<'p, P: Program + ?Sized> Search<'p, P> {
    /// Makes faults fewer and shorter as long as the run still violates. What is left when a budget ends it is returned
    /// all the same, and a note says so.
    ///
    /// # Errors
    /// If the run of the faults themselves does not end in time, or fails.
    pub(crate) fn shrink(
        &mut self,
        judge: &Judge,
        runner: &mut Runner<'p, P>,
        Violating { faults, seen }: Violating,
    ) -> Result<Counterexample, Stop> {
        self.found(&faults);
        self.grant_grace(runner);
        self.smaller(faults, seen, |search, faults| {
            let run = search.execute(runner, faults)?;
            Ok(judge.violates(run).then(|| counterexample(judge, run)))
        })
    }

    /// Makes faults fewer and shorter as long as some computation still fails, which is told.
    pub(crate) fn shrink_failing(&mut self, runner: &mut Runner<'p, P>, faults: FaultSet<Node>) -> Stop {
        self.grant_grace(runner);
        let failing = self.smaller(faults, None, |search, faults| match search.execute(runner, faults) {
            Ok(_) => Ok(None),
            Err(Stop::Error(error)) => Ok(Some(error)),
            Err(stop) => Err(stop),
        });
        failing.map_or_else(|stop| stop, Stop::Error)
    }

    fn smaller<T>(
        &mut self,
        faults: FaultSet<Node>,
        seen: Option<T>,
        mut still: impl FnMut(&mut Self, &FaultSet<Node>) -> Result<Option<T>, Stop>,
    ) -> Result<T, Stop> {
        let best = match (still(self, &faults), seen) {
            (Ok(Some(best)), _) | (Err(Stop::Reason(_)), Some(best)) => best,
            (Err(stop), _) => {
                self.note_claimed(&faults, &stop);
                return Err(stop);
            }
            (Ok(None), _) => {
                debug_assert!(false, "only what is asked for is made smaller");
                return Err(Reason::Solver(format!(
                    "`{}` is not what it was: please report this",
                    faults.named(self.nodes())
                ))
                .into());
            }
        };
        let mut shrink = Shrink { search: self, still, faults, best };
        match shrink.finish() {
            Ok(()) => Ok(shrink.best),
            Err(Stop::Reason(reason)) => {
                let note = format!("{reason} before these faults were known to be minimal: fewer may do");
                shrink.search.notes.push(note);
                Ok(shrink.best)
            }
            Err(error) => Err(error),
        }
    }

    /// Where no run has shown what was found: names it all the same.
    pub(crate) fn note_claimed(&mut self, faults: &FaultSet<Node>, stop: &Stop) {
        if let Stop::Reason(reason) = stop {
            let faults = faults.named(self.nodes());
            self.notes.push(format!("`{faults}` should break it, but {reason} before a run could show it"));
        }
    }

    /// Runs what the solver has found; so near to the end, that may take a moment longer than is left.
    pub(crate) fn grant_grace(&mut self, runner: &mut Runner<'p, P>) {
        self.budget = self.budget.or_a_moment();
        runner.set_budget(self.budget.clone());
        // What confirms a finding is no part of the search for it.
        self.most_runs = None;
    }
}

impl<'p, P: Program + ?Sized, T, F> Shrink<'_, 'p, P, T, F>
where
    F: FnMut(&mut Search<'p, P>, &FaultSet<Node>) -> Result<Option<T>, Stop>,
{
    fn finish(&mut self) -> Result<(), Stop> {
        self.drop_many()?;
        // Leaving out one fault may let another go that was needed before.
        while self.drop_single()? | self.shorten()? {}
        Ok(())
    }

    /// Whether a fault set does it too; then it is the one to go on with.
    fn goes_on_with(&mut self, smaller: Option<FaultSet<Node>>) -> Result<bool, Stop> {
        let Some(smaller) = smaller else { return Ok(false) };
        let Some(best) = (self.still)(self.search, &smaller)? else { return Ok(false) };
        self.best = best;
        self.faults = smaller;
        Ok(true)
    }

    /// Leaves out halves, quarters, … of the faults.
    fn drop_many(&mut self) -> Result<(), Stop> {
        let mut size = self.faults.len() / 2;
        while size > 1 {
            let mut at = 0;
            while at < self.faults.len() {
                if !self.goes_on_with(self.faults.without(at..at + size))? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Leaves out single faults, each tried once. Whether some could go.
    fn drop_single(&mut self) -> Result<bool, Stop> {
        let (mut at, mut any) = (0, false);
        while at < self.faults.len() {
            if self.goes_on_with(self.faults.without_one_at(at))? {
                any = true;
            } else {
                at += 1;
            }
        }
        Ok(any)
    }

    /// Makes single faults shorter, the shortest first. Whether some could be.
    fn shorten(&mut self) -> Result<bool, Stop> {
        let (mut at, mut any) = (0, false);
        'fault: while at < self.faults.len() {
            for shorter in self.faults.shorter_at(at) {
                if self.goes_on_with(Some(shorter))? {
                    any = true;
                    continue 'fault;
                }
            }
            at += 1;
        }
        Ok(any)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::Duration;

    use dedalus_runtime::Interpreted;
    use dedalus_runtime::model::{Bounds, Budget, FailureSpec, Fault, Strike, Time};

    use super::*;
    use crate::options::Options;

    /// Everybody tells the first node at every step; the promise breaks once half of the senders are not heard at step 1.
    fn half_of(senders: usize) -> String {
        let mut text = format!(
            "say(N, M)@next :- say(N, M);
             heard(M, N)@async :- say(N, M);
             first(M, N) :- heard(M, N)@2, due(M);
             hearing(M, count<N>) :- first(M, N);
             kept(M) :- hearing(M, K), K > {};
             kept(M)@next :- kept(M);
             due(M)@next :- due(M);
             pre(M) :- due(M);
             post(M) :- kept(M);
             due(\"m\")@1; say(\"m\", \"m\")@1;\n",
            senders / 2
        );
        for sender in 0..senders {
            let _ = writeln!(text, "say(\"n{sender:03}\", \"m\")@1;");
        }
        text
    }

    /// Shrinks the loss of everything at steps 1 to 3, of which only losses at step 1 matter.
    fn shrunk(senders: usize, budget: Option<Budget>) -> (Counterexample, Vec<String>, u64) {
        let program = Interpreted::from_text("half.ded", &half_of(senders)).unwrap_or_else(|e| panic!("{e}"));
        let spec = FailureSpec::try_from(Bounds { eot: 5, eff: 4, ..Bounds::default() }).unwrap();
        let mut search = Search::new(&program, spec, Options::default());
        let mut runner = search.runner().ok().unwrap();
        let run = search.execute(&mut runner, &FaultSet::none()).ok().unwrap();
        let (judge, nodes) = (Judge::new(run), run.nodes().to_vec());
        let to = Node(nodes.iter().position(|n| n == "m").unwrap() as u32);
        let senders = (0..nodes.len() as u32).map(Node).filter(|n| *n != to);
        let all = senders.flat_map(|from| (1..=3).map(move |at| (from, Time(at))));
        let lost = |(from, time)| Fault { time, strike: Strike::Lose { from, to, message: None } };
        let all: FaultSet<Node> = all.map(lost).collect();
        let run = search.execute(&mut runner, &all).ok().unwrap();
        let all = Violating::seen(all, judge.violations(run), &nodes);
        let before = search.statistics.executions;
        if let Some(budget) = budget {
            search.budget = budget;
        }
        let found = search.shrink(&judge, &mut runner, all).unwrap_or_else(|stop| panic!("{stop:?}"));
        (found, search.notes, search.statistics.executions - before)
    }

    #[test]
    fn each_fault_is_tried_a_few_times_however_many_go() {
        let (found, notes, runs) = shrunk(40, None);
        assert_eq!(found.faults.len(), 21);
        assert_eq!(notes, [""; 0]);
        // Beginning anew after each drop would take thousands.
        assert!(runs <= 4 * 120, "{runs} runs for 120 faults");
    }

    #[test]
    fn when_the_time_is_up_what_is_left_is_returned_and_said_to_be_perhaps_too_large() {
        let (found, notes, runs) = shrunk(300, Some(Budget::within(Duration::ZERO)));
        assert!(!found.violations.is_empty());
        assert!(found.faults.len() > 151, "{runs} runs do not suffice for {}", found.faults.len());
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(note.contains("before these faults were known to be minimal: fewer may do"), "{note}");
    }
}
