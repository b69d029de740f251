//! Looking for failures that break something, from a command line.

use std::str::FromStr;

use ldfi_live::{Conclusion, Failure, Id, Node, Options, Scenario, Setup, Specification, Strategy};

/// What is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// What may never happen.
    Safety,
    /// The same, of those who do not tell how many entries they call decided.
    Outcomes,
    /// What must happen in the end.
    Progress,
}

impl FromStr for Promise {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "safety" => Ok(Promise::Safety),
            "outcomes" => Ok(Promise::Outcomes),
            "progress" => Ok(Promise::Progress),
            _ => Err(format!("`{text}` is no promise: it is safety, outcomes or progress")),
        }
    }
}

/// What to look for, and how.
#[derive(Clone, Debug)]
pub struct Question {
    /// What can go wrong, how often, until when, found how.
    pub options: Options,
    /// What is promised.
    pub promise: Promise,
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
        let mut question = Question { options, promise: Promise::Safety, end: 120, asked, replay: None };
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
                "between" => question.options.between_messages = yes(value)?,
                "crashes" => question.options.panics_are_crashes = yes(value)?,
                "end" => question.end = number()?,
                "asked" => question.asked = value.split(',').map(request).collect::<Result<_, _>>()?,
                "promise" => question.promise = value.parse()?,
                "replay" => question.replay = Some(value.to_owned()),
                other => return Err(format!("there is no `{other}`")),
            }
        }
        Ok(question)
    }

    /// What is promised.
    pub fn specifications(&self) -> Vec<Specification> {
        match self.promise {
            Promise::Safety => crate::safety(),
            Promise::Outcomes => crate::outcomes(),
            Promise::Progress => crate::progress(),
        }
    }
}

/// `14:1:7`: at 14, of node 1, the value 7.
fn request(text: &str) -> Result<(u32, Id, u64), String> {
    let wrong = || format!("`{text}` is no request");
    let numbers: Vec<u64> = text.split(':').map(|part| part.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let [time, node, value] = numbers[..] else { return Err(wrong()) };
    Ok((u32::try_from(time).map_err(|_| wrong())?, node, value))
}

/// `yes` or `no`.
fn yes(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("`{text}` is neither yes nor no")),
    }
}

/// `lose`, or with a length `delay:3`.
fn failure(text: &str) -> Result<Failure, String> {
    let (word, length) = text.split_once(':').map_or((text, None), |(word, length)| (word, Some(length)));
    let number = length.unwrap_or("1").parse().map_err(|_| format!("`{text}` has no length"))?;
    let all = Failure::all(number);
    let failure = all.into_iter().find(|failure| failure.word() == word).ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|failure| failure.word()).collect();
        format!("`{word}` is none of {}", words.join(", "))
    })?;
    if length.is_some() && failure.length().is_none() {
        return Err(format!("`{word}` has no length"));
    }
    failure.makes_sense().map_err(|error| error.to_string())?;
    Ok(failure)
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
    conclusion.notes.iter().for_each(|note| println!("note: {note}"));
    println!("{:?}, first after {:?}", conclusion.statistics.elapsed, conclusion.statistics.to_first);
    for bug in &conclusion.bugs {
        println!("{} ({} minimal): {}", bug.rule, bug.minimal, bug.scenario.show(&conclusion.nodes));
        bug.violations.iter().take(2).for_each(|violation| println!("    {violation}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Question, String> {
        Question::read(words.split(' ').map(str::to_owned), &[])
    }

    #[test]
    fn every_failure_has_its_word() {
        let all = "failures=lose,delay:3,duplicate:1,cut:2,isolate:2,crash,kill:2,reboot:6,pause:5,disk-error,bad-disk,disk-full,\
            torn:3,corrupt,slow:4";
        let question = read(all).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(question.options.failures.len(), Failure::all(1).len());
        assert_eq!(question.options.failures[1], Failure::Delay(3));
    }

    #[test]
    fn words_that_nobody_knows_are_refused() {
        for (words, why) in [
            ("promise=saftey", "`saftey` is no promise"),
            ("failures=loose", "`loose` is none of lose, delay"),
            ("failures=lose:3", "`lose` has no length"),
            ("failures=reboot:x", "`reboot:x` has no length"),
            ("failures=reboot:0", "`reboot` is to last for 0 instants"),
            ("crashes=ja", "`ja` is neither yes nor no"),
            ("most=many", "`many` is no number"),
            ("most", "`most` has no `=`"),
            ("mots=2", "there is no `mots`"),
        ] {
            let error = read(words).expect_err(words);
            assert!(error.contains(why), "{error}");
        }
    }
}
