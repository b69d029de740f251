//! A program in every strategy and mode, against trying everything with the reference evaluator.

use std::collections::BTreeSet;
use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_core::sweep::sweep;
use ldfi_core::{Conclusion, Negation, Options, Search, SearchError, Strategy, Verdict};
use ldfi_model::{FailureSpec, Faults};

use crate::generate::bounds::smaller;
use crate::generate::{OutcomeCase, usable, with_outcome};
use crate::oracle::brute::truth::{less, violates};
use crate::oracle::brute::{Question, Truth, admissible, sets, truth};
use crate::oracle::{self, Agreed};
use crate::sample;
use crate::tally::Tally;

/// More fault sets than these are too many to try with the reference evaluator: in one round of eight, and in the others,
/// which are many more in the same time.
const MOST: usize = 2_000;
const MOSTLY: usize = 250;
/// At a point of a sweep.
const MOST_OF_A_POINT: usize = 300;
/// Runs that trying everything may take where only two ways of running are compared.
const MANY: u64 = 20_000;
/// Counterexamples asked for at once.
const ALL: usize = 60;

/// One program.
pub fn round(seed: u64, tally: &mut Tally) -> Result<(), String> {
    sample::try_on(seed, &with_outcome(), |sample| check(sample, seed, tally))
}

fn check(sample: &OutcomeCase, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let Some(plan) = sample.case.plan() else { return Ok(()) };
    let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
    let specs: Vec<FailureSpec> = smaller(sample.spec).into_iter().filter_map(|spec| usable(spec, &program)).collect();
    let most = if seed.is_multiple_of(8) { MOST } else { MOSTLY };
    let agreed = specs.into_iter().find_map(|spec| oracle::agree(&program, spec, most).map(|said| (spec, said)));
    let Some((spec, said)) = agreed else {
        tally.count("modes: too much to try");
        return Ok(());
    };
    let Agreed { name, least, squeezed } = said?;
    tally.count(format!("modes: {name}"));
    if let Some(who) = squeezed {
        tally.count(format!("modes: squeezed memory, by {who}"));
    }
    let question = Question::new(&program, spec);
    let modes = Modes { program: &program, spec, name, least, question, most, seed };
    modes.incomplete()?;
    modes.squeezed(tally)?;
    modes.threads()?;
    modes.all(tally)?;
    modes.sweep(tally).map_err(|why| format!("{spec}: {why}"))
}

struct Modes<'a> {
    program: &'a Interpreted,
    spec: FailureSpec,
    /// What trying everything says.
    name: &'static str,
    least: Option<Faults>,
    question: Question<'a>,
    /// Fault sets that there may be.
    most: usize,
    seed: u64,
}

impl Modes<'_> {
    fn search(&self, change: impl FnOnce(&mut Options)) -> Result<Conclusion, SearchError> {
        let mut options = Options::default();
        change(&mut options);
        Search::new(self.program, self.spec, options).run()
    }

    fn wrong(&self, mode: &str, found: &Result<Conclusion, SearchError>) -> String {
        format!("{mode} at {}: {}, but {:?}", self.spec, self.name, found.as_ref().map(|c| &c.verdict))
    }

    /// Whether an answer that need not be complete is right as far as it goes, and the least if it is to be.
    fn sound(&self, mode: &str, found: &Result<Conclusion, SearchError>, least: bool) -> Result<(), String> {
        let right = match found.as_ref().map(|conclusion| &conclusion.verdict) {
            Err(SearchError::Run { .. }) => self.name == "fails",
            Err(_) => false,
            Ok(Verdict::Inconclusive(_)) => true,
            Ok(Verdict::Counterexample(cex)) => {
                let faults = cex.faults();
                admissible(faults, self.question.bounds, &self.question.input.nodes)
                    && violates(&self.question, faults)
                    // Where some run fails, only what is left out can be told to be too much.
                    && (!least || self.least.as_ref().map_or(less(&self.question, faults).is_none(), |it| it == faults))
            }
            Ok(verdict) => verdict.name() == self.name,
        };
        if right { Ok(()) } else { Err(self.wrong(mode, found)) }
    }

    /// Strategies that find what they find.
    fn incomplete(&self) -> Result<(), String> {
        let ignore = self.search(|options| options.strategy = Strategy::Lineage(Negation::Ignore));
        self.sound("lineage-ignore", &ignore, true)?;
        let random = self.search(|options| {
            options.strategy = Strategy::Random(self.seed);
            options.limits.executions = Some(200);
        });
        self.sound("random", &random, true)
    }

    /// With hardly any time, or hardly any runs.
    fn squeezed(&self, tally: &mut Tally) -> Result<(), String> {
        let mut dice = fastrand::Rng::with_seed(self.seed);
        let strategies =
            [Strategy::Exact, Strategy::Exhaustive, Strategy::Lineage(Negation::Conservative), Strategy::Random(1)];
        for strategy in strategies {
            let time = Duration::from_micros(dice.u64(0..3_000));
            let found = self.search(|options| {
                options.strategy = strategy;
                options.limits.time = Some(time);
            });
            self.sound(&format!("{} within {time:?}", strategy.name()), &found, false)?;
            let runs = dice.u64(0..12);
            let found = self.search(|options| {
                options.strategy = strategy;
                options.limits.executions = Some(runs);
            });
            self.sound(&format!("{} with {runs} runs", strategy.name()), &found, false)?;
            let memory = 1 << dice.u32(6..22);
            let found = self.search(|options| {
                options.strategy = strategy;
                options.limits.memory = memory;
                options.limits.executions = Some(500);
            });
            self.sound(&format!("{} with {memory} bytes", strategy.name()), &found, false)?;
            if matches!(found.map(|c| c.verdict), Ok(Verdict::Inconclusive(_))) {
                tally.count("modes: squeezed, inconclusive");
            }
        }
        Ok(())
    }

    /// Nothing but time depends on the number of threads.
    fn threads(&self) -> Result<(), String> {
        for strategy in [Strategy::Exact, Strategy::Exhaustive, Strategy::Lineage(Negation::Conservative)] {
            let with = |threads: usize| {
                self.search(|options| {
                    options.strategy = strategy;
                    options.threads = threads;
                    // Single messages of all runs together may be far more than the oracle had to try.
                    options.limits.executions = (strategy == Strategy::Exhaustive).then_some(MANY);
                })
            };
            let told = |found: Result<Conclusion, SearchError>| match found {
                Ok(conclusion) => format!("{:?} {:?}", conclusion.verdict, conclusion.statistics.executions),
                Err(error) => error.to_string(),
            };
            let (one, three) = (told(with(1)), told(with(3)));
            if one != three {
                return Err(format!("{} at {}: {one} with one thread, {three} with three", strategy.name(), self.spec));
            }
        }
        Ok(())
    }

    /// Every minimal counterexample.
    fn all(&self, tally: &mut Tally) -> Result<(), String> {
        let search = |symmetric| Search::new(self.program, self.spec, Options::default()).all(ALL, symmetric);
        let all = match search(false) {
            Ok(all) => all,
            Err(error) if self.name == "fails" => return tally.expected("modes: all", &error),
            Err(error) => return Err(format!("`all` at {}: {}, but {error}", self.spec, self.name)),
        };
        if self.name == "fails" || self.name == "incorrect-without-faults" {
            return Ok(());
        }
        let found: BTreeSet<Faults> = all.found.iter().map(|cex| cex.faults().clone()).collect();
        if found.len() != all.found.len() || found.is_empty() == (self.name == "counterexample") {
            return Err(format!("`all` at {}: {}, but {found:?}", self.spec, self.name));
        }
        for faults in &found {
            let fits = admissible(faults, self.question.bounds, &self.question.input.nodes);
            if !fits || !violates(&self.question, faults) || less(&self.question, faults).is_some() {
                return Err(format!("`all` at {}: `{faults}` is no minimal counterexample", self.spec));
            }
        }
        if all.missing.is_none() && self.spec.is_classic() && self.question.input.maybes(self.spec.eot()).is_empty() {
            let expected = self.minimal();
            if found != expected {
                return Err(format!("`all` at {}: {found:?}, but {expected:?}", self.spec));
            }
            tally.count("modes: all, complete");
        }
        let distinct = search(true).map_err(|error| error.to_string())?;
        let strange = distinct.found.iter().find(|cex| !violates(&self.question, cex.faults()));
        match strange {
            Some(cex) => Err(format!("up to symmetry at {}: `{}` does not violate", self.spec, cex.faults())),
            None => Ok(()),
        }
    }

    /// Every violating fault set of which no part violates, by trying everything.
    fn minimal(&self) -> BTreeSet<Faults> {
        let mut all: Vec<Faults> = vec![];
        sets::for_each(&self.question, self.most, |faults, _| {
            if violates(&self.question, faults) {
                all.push(faults.clone());
            }
        });
        all.iter().filter(|set| !all.iter().any(|part| part != *set && part.is_subset(set))).cloned().collect()
    }

    /// Each point of a sweep is what trying everything says there.
    fn sweep(&self, tally: &mut Tally) -> Result<(), String> {
        let mut options = Options::default();
        options.limits.time = Some(Duration::from_millis(20));
        let swept = match sweep(self.program, self.spec.bounds(), &options) {
            Ok(swept) => swept,
            Err(error) => return tally.expected("modes: sweeps", &error),
        };
        for (spec, name) in swept.points.iter().filter(|(_, name)| *name != "inconclusive") {
            let Some(truth) = truth(&Question::new(self.program, *spec), MOST_OF_A_POINT) else { continue };
            let right = match &truth {
                Truth::Verdict(expected, _) => expected == name,
                Truth::Fails(_) => false,
            };
            if !right {
                return Err(format!("a sweep says {name} at {spec}: {truth:?}"));
            }
            tally.count("modes: points of sweeps");
        }
        Ok(())
    }
}
