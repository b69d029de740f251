//! Looking for failures that break something, from a command line.

use ldfi_live::{Conclusion, Failure, Id, Node, Options, Scenario, Setup, Specification, Strategy};

/// What to look for, and how.
#[derive(Clone, Debug)]
pub struct Question {
    /// What can go wrong, how often, until when, found how.
    pub options: Options,
    /// `safety` or `progress`.
    pub promise: String,
    /// The last instant.
    pub end: u32,
    /// What clients ask: when, whom, what.
    pub asked: Vec<(u32, Id, u64)>,
    /// One scenario to be told in full, instead.
    pub replay: Option<String>,
}

impl Question {
    /// Reads `failures=lose,reboot:6 most=2 until=40 end=120 strategy=pruned promise=safety executions=1000 from=1 asked=14:1:7,60:2:9`,
    /// any of it, or `replay="lose n1->n2@4 Vote"`.
    ///
    /// # Errors
    /// If something is none of that.
    pub fn read(words: impl Iterator<Item = String>, asked: &[(u32, Id, u64)]) -> Result<Self, String> {
        let options = Options { at_most: 2, until: 40, panics_are_crashes: false, ..Options::default() };
        let asked = asked.to_vec();
        let mut question = Question { options, promise: "safety".to_owned(), end: 120, asked, replay: None };
        for word in words {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`"))?;
            let number = || value.parse::<u32>().map_err(|_| format!("`{value}` is no number"));
            match name {
                "failures" => question.options.failures = value.split(',').map(failure).collect::<Result<_, _>>()?,
                "most" => question.options.at_most = number()? as usize,
                "from" => question.options.from = number()?,
                "until" => question.options.until = number()?,
                "executions" => question.options.executions = Some(number()?.into()),
                "seed" => question.options.strategy = Strategy::Random { seed: number()?.into() },
                "strategy" => question.options.strategy = value.parse()?,
                "between" => question.options.between_messages = value == "yes",
                "crashes" => question.options.panics_are_crashes = value == "yes",
                "end" => question.end = number()?,
                "asked" => question.asked = value.split(',').map(request).collect::<Result<_, _>>()?,
                "promise" => question.promise = value.to_owned(),
                "replay" => question.replay = Some(value.to_owned()),
                other => return Err(format!("there is no `{other}`")),
            }
        }
        Ok(question)
    }

    /// What is promised.
    pub fn specifications(&self) -> Vec<Specification> {
        if self.promise == "progress" { crate::progress() } else { crate::safety() }
    }
}

/// `14:1:7`: at 14, of node 1, the value 7.
fn request(text: &str) -> Result<(u32, Id, u64), String> {
    let wrong = || format!("`{text}` is no request");
    let numbers: Vec<u64> = text.split(':').map(|part| part.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let [time, node, value] = numbers[..] else { return Err(wrong()) };
    Ok((u32::try_from(time).map_err(|_| wrong())?, node, value))
}

/// `lose`, or with a length `delay:3`.
fn failure(text: &str) -> Result<Failure, String> {
    let (word, length) = text.split_once(':').unwrap_or((text, "1"));
    let length = length.parse().map_err(|_| format!("`{length}` is no length"))?;
    Ok(match word {
        "lose" => Failure::Lose,
        "delay" => Failure::Delay(length),
        "duplicate" => Failure::Duplicate(length),
        "cut" => Failure::Cut(length),
        "isolate" => Failure::Isolate(length),
        "crash" => Failure::Crash,
        "kill" => Failure::Kill(length),
        "reboot" => Failure::Reboot(length),
        "pause" => Failure::Pause(length),
        "disk-error" => Failure::DiskError,
        _ => return Err(format!("`{word}` is no failure")),
    })
}

/// Looks, and prints what there is.
///
/// # Errors
/// If the command line says nothing, or the exploration cannot be.
pub fn look<N: Node<Request = u64>>(
    words: impl Iterator<Item = String>,
    asked: &[(u32, Id, u64)],
    cluster: Setup<N>,
) -> Result<(), String> {
    let question = Question::read(words, asked)?;
    let setup = crate::running(cluster, question.end, &question.asked);
    let specifications = question.specifications();
    if let Some(text) = &question.replay {
        let scenario = Scenario::parse(text, setup.nodes()).map_err(|error| error.to_string())?;
        let replayed =
            setup.replay(&specifications, &question.options, &scenario).map_err(|error| error.to_string())?;
        replayed.trace.iter().for_each(|line| println!("{line}"));
        replayed.violations.iter().for_each(|violation| println!("VIOLATED {violation}"));
        return Ok(());
    }
    let conclusion = setup.explore(&specifications, &question.options).map_err(|error| error.to_string())?;
    print(&conclusion);
    Ok(())
}

fn print(conclusion: &Conclusion) {
    println!("{}\n{}", conclusion.in_words(), conclusion.statistics);
    println!("{:?}, first after {:?}", conclusion.statistics.elapsed, conclusion.statistics.to_first);
    for bug in &conclusion.bugs {
        println!("{} ({} minimal): {}", bug.rule, bug.minimal, bug.scenario.show(&conclusion.nodes));
        bug.violations.iter().take(2).for_each(|violation| println!("    {violation}"));
    }
}
