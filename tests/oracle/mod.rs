//! Whether the strategies of the search say what trying everything says.

// Each test file uses its part of this module.
#![allow(dead_code)]

pub mod brute;

use brute::{Question, Truth, truth};
use dedalus_runtime::Program;
use dedalus_runtime::faults::Faults;
use dedalus_runtime::model::{Bounds, FailureSpec};
use ldfi_core::{Conclusion, Limits, Negation, Options, Reason, Search, SearchError, Strategy, Verdict};

/// The strategies that are complete, and so must come to the verdict of trying everything.
const COMPLETE: [Strategy; 3] = [Strategy::Exact, Strategy::Exhaustive, Strategy::Lineage(Negation::Conservative)];

/// Searches with default options.
pub fn check(program: &dyn Program, spec: FailureSpec, strategy: Strategy) -> Result<Conclusion, SearchError> {
    let executions = (strategy == Strategy::Exhaustive).then_some(MANY);
    let limits = Limits { executions, ..Limits::default() };
    Search::new(program, spec, Options { strategy, limits, ..Options::default() }).run()
}

/// Where single messages are struck, `exhaustive` tries all that some run sends, the oracle only what the run at hand does:
/// what is little for one may be too much for the other.
const MANY: u64 = 300_000;

/// What all strategies agree on.
pub struct Agreed {
    /// The verdict's name.
    pub name: &'static str,
    /// The least counterexample, if there is one.
    pub least: Option<Faults>,
    /// Which strategy concluded where there was very little memory.
    pub squeezed: Option<&'static str>,
}

/// Whether every strategy says what trying everything says, with much memory and with little. `None` if there is too much
/// to try: more fault sets than `most`.
pub fn agree(program: &dyn Program, spec: FailureSpec, most: usize) -> Option<Result<Agreed, String>> {
    let truth = truth(&Question::new(program, spec), most)?;
    let agreed = || {
        let name = agree_with(program, spec, &truth, &COMPLETE)?;
        let squeezed = agree_when_squeezed(program, spec, &truth)?;
        Ok(Agreed { name, least: truth.into_least(), squeezed })
    };
    Some(agreed())
}

/// The same where the reference evaluator is too slow to try everything: `exhaustive` does, with the runtime. What
/// the strategies find is still confirmed by the reference evaluator.
pub fn agree_quickly(program: &dyn Program, spec: FailureSpec, most: u64) -> Option<Result<&'static str, String>> {
    let limits = Limits { executions: Some(most), ..Limits::default() };
    let options = Options { strategy: Strategy::Exhaustive, limits, ..Options::default() };
    let truth = match Search::new(program, spec, options).run() {
        Err(SearchError::Run { .. }) => Truth::Fails(None),
        Err(other) => return Some(Err(other.to_string())),
        Ok(Conclusion { verdict: Verdict::Inconclusive(_), .. }) => return None,
        // What was found before all were tried need not be the least.
        Ok(Conclusion { statistics, .. }) if statistics.executions >= most => return None,
        Ok(Conclusion { verdict, .. }) => {
            Truth::Verdict(verdict.name(), verdict.counterexample().map(|cex| cex.faults().clone()))
        }
    };
    Some(agree_with(program, spec, &truth, &[Strategy::Exact, Strategy::Lineage(Negation::Conservative)]))
}

fn agree_with(
    program: &dyn Program,
    spec: FailureSpec,
    truth: &Truth,
    strategies: &[Strategy],
) -> Result<&'static str, String> {
    let question = Question::new(program, spec);
    for strategy in strategies {
        let found = check(program, spec, *strategy);
        compare(&question, truth, found, *strategy, Memory::Enough)
            .map_err(|why| format!("{strategy:?} at {spec}: {why}"))?;
    }
    Ok(truth.name())
}

/// Whether `exact` with as little memory as lets it conclude anything says what trying everything says; the strategy that
/// concluded if so. With so little, the potential universe seldom fits, and the paper's loop takes over.
fn agree_when_squeezed(
    program: &dyn Program,
    spec: FailureSpec,
    truth: &Truth,
) -> Result<Option<&'static str>, String> {
    let question = Question::new(program, spec);
    for memory in (8..24).map(|size| 1 << size) {
        let limits = Limits { memory, ..Limits::default() };
        let found = Search::new(program, spec, Options { limits, ..Options::default() }).run();
        if let Ok(Conclusion { verdict: Verdict::Inconclusive(Reason::Memory(_)), .. }) = found {
            continue;
        }
        let (who, strategy) = match &found {
            Ok(conclusion) if conclusion.strategy != "exact" => {
                (conclusion.strategy, Strategy::Lineage(Negation::Conservative))
            }
            Ok(conclusion) => (conclusion.strategy, Strategy::Exact),
            // Who found that a run fails is not told: ask only what both promise.
            Err(_) => ("exact", Strategy::Lineage(Negation::Conservative)),
        };
        let compared = compare(&question, truth, found, strategy, Memory::Little);
        return compared.map(|()| Some(who)).map_err(|why| format!("with {memory} bytes at {spec}: {why}"));
    }
    Ok(None)
}

/// Whether the loop of runs and lineage knows all that may happen.
fn lineage_knows(bounds: Bounds) -> bool {
    bounds.delay == 0 && bounds.restarts == 0 && bounds.pauses == 0 && !bounds.per_message
}

/// How much memory there was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Enough,
    Little,
}

fn compare(
    question: &Question<'_>,
    truth: &Truth,
    found: Result<Conclusion, SearchError>,
    strategy: Strategy,
    memory: Memory,
) -> Result<(), String> {
    let by_lineage = matches!(strategy, Strategy::Lineage(_));
    if let Ok(conclusion) = &found
        && strategy == Strategy::Exhaustive
        && conclusion.statistics.executions >= MANY
    {
        // What it came upon before is to be right all the same.
        let wrong = conclusion.verdict.counterexample().filter(|cex| !brute::truth::violates(question, cex.faults()));
        return wrong.map_or(Ok(()), |cex| Err(format!("`{}` does not violate", cex.faults())));
    }
    if let Ok(conclusion) = &found
        && by_lineage
        && matches!(conclusion.verdict, Verdict::Inconclusive(Reason::Unsupported { .. }))
    {
        let knows = lineage_knows(question.bounds) && question.input.maybes(question.bounds.eot).is_empty();
        return if knows { Err(format!("{:?}", conclusion.verdict)) } else { Ok(()) };
    }
    let (name, least) = match (truth, found.as_ref()) {
        (Truth::Fails(least), Err(SearchError::Run { faults, .. })) => {
            return match least.as_ref().filter(|least| memory == Memory::Enough && *least != faults) {
                Some(least) => Err(format!("runs fail under `{least}`, which is less than `{faults}`")),
                None => Ok(()),
            };
        }
        // The others may come upon a violation first.
        (Truth::Fails(_), Ok(c)) if by_lineage && c.verdict.counterexample().is_some() => return Ok(()),
        (Truth::Fails(least), other) => return Err(format!("a run fails under {least:?}, but {other:?}")),
        (Truth::Verdict(name, least), _) => (*name, least),
    };
    let conclusion = found.map_err(|error| format!("{name}, but {error}"))?;
    if conclusion.verdict.name() != name {
        return Err(format!(
            "{name}{}, but {:?}",
            least.as_ref().map_or(String::new(), |l| format!(" `{l}`")),
            conclusion.verdict
        ));
    }
    if conclusion.statistics.spurious > 0 {
        return Err("the encoding has a spurious model".into());
    }
    let (Verdict::Counterexample(cex), Some(least)) = (&conclusion.verdict, least) else { return Ok(()) };
    if !brute::admissible(cex.faults(), question.bounds, &question.input.nodes) {
        return Err(format!("`{}` is not admissible", cex.faults()));
    }
    if let Some(less) = brute::truth::less(question, cex.faults()) {
        return Err(format!("`{}` is not minimal: `{less}` violates", cex.faults()));
    }
    if !brute::truth::violates(question, cex.faults()) {
        return Err(format!("`{}` does not violate", cex.faults()));
    }
    let given_up = conclusion.notes.iter().any(|note| note.contains("while looking for the least"));
    if least != cex.faults() && !given_up {
        return Err(format!("`{}` is not the least: `{least}` is", cex.faults()));
    }
    Ok(())
}
