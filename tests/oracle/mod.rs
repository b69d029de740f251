//! The oracle of the search: every admissible fault set, run.

use dedalus_runtime::faults::{Faults, eot};
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use ldfi_core::exhaustive::{FaultSets, rank};
use ldfi_core::options::{Negation, Options, Strategy};
use ldfi_core::outcome::Judge;
use ldfi_core::search::Search;
use ldfi_core::spec::FailureSpec;
use ldfi_core::verdict::{Conclusion, SearchError, Verdict};

/// What trying every fault set tells.
pub enum Truth {
    /// Some run fails.
    Fails,
    /// The verdict's name, and every violating fault set.
    Verdict(&'static str, Vec<Faults>),
}

/// Tries every fault set.
pub fn truth(program: &dyn Program, spec: FailureSpec) -> Truth {
    let mut runner = Runner::new(program, eot(spec.eot())).expect("generated programs take no parameters");
    let Ok(run) = runner.run(&Faults::none()) else { return Truth::Fails };
    let judge = Judge::new(run);
    if judge.violates(run) {
        return Truth::Verdict("incorrect-without-faults", vec![Faults::none()]);
    }
    let vacuous = judge.is_vacuous(run);
    let nodes = run.nodes().to_vec();
    let mut violating = vec![];
    for faults in FaultSets::new(&nodes, spec) {
        match runner.run(&faults) {
            Err(_) => return Truth::Fails,
            Ok(run) if judge.violates(run) => violating.push(faults),
            Ok(_) => {}
        }
    }
    let name = match (violating.is_empty(), vacuous) {
        (false, _) => "counterexample",
        (true, true) => "vacuous",
        (true, false) => "fault-tolerant",
    };
    Truth::Verdict(name, violating)
}

/// Searches with default options.
pub fn check(program: &dyn Program, spec: FailureSpec, strategy: Strategy) -> Result<Conclusion, SearchError> {
    Search::new(program, spec, Options { strategy, ..Options::default() }).run()
}

/// Whether `exact` and `lineage` say what trying everything says; the verdict's name if so.
pub fn agree(program: &dyn Program, spec: FailureSpec) -> Result<&'static str, String> {
    let truth = truth(program, spec);
    for strategy in [Strategy::Exact, Strategy::Lineage(Negation::Conservative)] {
        compare(&truth, check(program, spec, strategy), strategy)
            .map_err(|why| format!("{strategy:?} at {spec}: {why}"))?;
    }
    Ok(match truth {
        Truth::Fails => "fails",
        Truth::Verdict(name, _) => name,
    })
}

fn compare(truth: &Truth, found: Result<Conclusion, SearchError>, strategy: Strategy) -> Result<(), String> {
    let (name, violating) = match (truth, &found) {
        (Truth::Fails, Err(SearchError::Run { .. })) => return Ok(()),
        // Only the exact search looks for failures before it looks for violations.
        (Truth::Fails, Ok(c)) if c.verdict.counterexample().is_some() && strategy != Strategy::Exact => return Ok(()),
        (Truth::Fails, other) => return Err(format!("some run fails, but {other:?}")),
        (Truth::Verdict(name, violating), _) => (*name, violating),
    };
    let conclusion = found.map_err(|error| format!("{name}, but {error}"))?;
    if conclusion.verdict.name() != name {
        return Err(format!("{name}, but {:?}", conclusion.verdict));
    }
    if conclusion.statistics.spurious > 0 {
        return Err("the encoding has a spurious model".into());
    }
    let Verdict::Counterexample(cex) = &conclusion.verdict else { return Ok(()) };
    if !violating.contains(cex.faults()) {
        return Err(format!("`{}` does not violate", cex.faults()));
    }
    if let Some(fewer) = cex.faults().without_one().into_iter().find(|fewer| violating.contains(fewer)) {
        return Err(format!("`{}` is not minimal: `{fewer}` violates", cex.faults()));
    }
    let least = violating.iter().min_by_key(|f| rank(f, &conclusion.nodes));
    if strategy == Strategy::Exact && least != Some(cex.faults()) {
        return Err(format!(
            "`{}` is not the least: `{}` is",
            cex.faults(),
            least.map_or(String::new(), ToString::to_string)
        ));
    }
    Ok(())
}
