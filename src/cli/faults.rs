//! Faults as they are typed, as flags, and in words.

use dedalus_runtime::faults::{Fault, Faults, Strike};
use dedalus_runtime::strikable;
use dedalus_runtime::{Interpreted, Program, RunError};
use ldfi_model::Time;

use super::Failure;
use super::args::FaultArgs;
use super::load::shell_word;

/// What is seen later than this is not waited for unless one asks for it.
const FAR: u32 = 1_000;

/// The faults of the command line, and the end of time, not before `least`.
pub(super) fn read(args: &FaultArgs, program: &Interpreted, least: u32) -> Result<(Faults, u32), Failure> {
    let nodes = program.input().all_nodes(program.plan())?;
    let mut faults = Faults::none();
    for text in &args.lose {
        add(&mut faults, loss(text, &nodes)?, &format!("--lose {text}"))?;
    }
    for text in &args.crash {
        let crash: Faults =
            format!("crash {text}").parse().map_err(|error| Failure::new(format!("`--crash {text}`: {error}")))?;
        for fault in crash.iter() {
            add(&mut faults, fault.clone(), &format!("--crash {text}"))?;
        }
    }
    let text = args.faults.as_deref().unwrap_or("");
    faults = faults.and_read(text).map_err(|error| Failure::new(format!("--faults: {error}")))?;
    let eot = match args.eot {
        Some(eot) => eot,
        None => {
            let last = faults.iter().max_by_key(|fault| over(fault));
            if let Some(far) = last.filter(|fault| over(fault) > FAR) {
                return Err(Failure::new(format!(
                    "all of `{far}` is seen at {} only: say where to end with --eot",
                    over(far)
                )));
            }
            (ldfi::explore::first_eot(program) + 2).max(least).max(last.map_or(0, over))
        }
    };
    if least > eot {
        return Err(Failure::new(format!("time {least} is after the end of time, {eot}")));
    }
    let known = faults.resolve(&nodes, Time(eot)).map_err(RunError::from);
    let known = known.and_then(|_| strikable(&faults, program, Time(eot)));
    known.map_err(|error| error.in_text(text))?;
    Ok((faults, eot))
}

/// The first step at which all of a fault can be seen.
fn over(fault: &Fault) -> u32 {
    let seen = match &fault.strike {
        Strike::Delay { by, .. } | Strike::Duplicate { by, .. } => fault.time.0.saturating_add(*by),
        _ => fault.until().map_or(fault.time.0, |until| until.0),
    };
    seen.saturating_add(1)
}

fn add(faults: &mut Faults, fault: Fault, flag: &str) -> Result<(), Failure> {
    let before = faults.clone();
    if faults.insert(fault) && faults.check().is_ok() {
        return Ok(());
    }
    let why = faults.check().err().map_or("it is there twice".to_owned(), |error| error.to_string());
    Err(Failure::new(format!("`{flag}` beside `{before}`: {why}")))
}

/// `a->b@1`, or `a-b@1` where the names of the nodes tell which `-` is meant.
fn loss(text: &str, nodes: &[String]) -> Result<Fault, Failure> {
    let bad = |why: String| Failure::new(format!("`--lose {text}`: {why}; write a-b@1 or a->b@1"));
    if text.contains("->") {
        let one: Faults =
            format!("lose {text}").parse().map_err(|error| Failure::new(format!("`--lose {text}`: {error}")))?;
        return one.iter().next().cloned().ok_or_else(|| bad("it names no message".into()));
    }
    let (who, time) = text.rsplit_once('@').ok_or_else(|| bad("it has no time".into()))?;
    let time: u32 = time.parse().ok().filter(|t| *t > 0).ok_or_else(|| bad("time is a number from 1".into()))?;
    let sides = who.match_indices('-').map(|(at, _)| (&who[..at], &who[at + 1..]));
    let known = |name: &str| nodes.iter().any(|node| node == name);
    let fits: Vec<_> = sides.filter(|(from, to)| known(from) && known(to) && from != to).collect();
    match fits[..] {
        [(from, to)] => {
            let strike = Strike::Lose { from: from.into(), to: to.into(), message: None };
            Ok(Fault { time: Time(time), strike })
        }
        [] => Err(bad(format!("it names no two different nodes (they are {})", nodes.join(", ")))),
        _ => Err(bad("it can be read in two ways".into())),
    }
}

/// The faults as flags, for a shell: the short ones where they say it all.
pub(super) fn as_flags(faults: &Faults) -> String {
    let flags: Option<Vec<String>> = faults.iter().map(as_flag).collect();
    let whole = || vec![format!(" --faults {}", shell_word(&faults.to_string()))];
    flags.unwrap_or_else(whole).concat()
}

fn as_flag(fault: &Fault) -> Option<String> {
    let text = fault.to_string();
    match &fault.strike {
        Strike::Lose { from, to, message: None } => {
            let arrow = text.trim_start_matches("lose ");
            let simple = [from, to].iter().all(|n| n.chars().all(char::is_alphanumeric));
            let word = if simple { arrow.replacen("->", "-", 1) } else { arrow.to_owned() };
            Some(format!(" --lose {}", shell_word(&word)))
        }
        Strike::Crash { .. } => Some(format!(" --crash {}", shell_word(text.trim_start_matches("crash ")))),
        _ => None,
    }
}

/// The faults, a sentence each, in the order in which they strike.
pub(super) fn in_words(faults: &Faults) -> Vec<String> {
    faults.iter().map(|fault| sentence(fault, faults)).collect()
}

fn sentence(fault: &Fault, faults: &Faults) -> String {
    let time = fault.time;
    let steps = |count: u32| format!("{count} step{}", if count == 1 { "" } else { "s" });
    let what =
        |message: &Option<ldfi_model::Tuple>| message.as_ref().map_or("what".to_owned(), |m| format!("the {m} that"));
    match &fault.strike {
        Strike::Lose { from, to, message } => format!("at time {time}, {} {from} sends {to} is lost", what(message)),
        Strike::Delay { from, to, message, by } => {
            format!("at time {time}, {} {from} sends {to} is {} late", what(message), steps(*by))
        }
        Strike::Duplicate { from, to, message, by } => {
            format!("at time {time}, a copy of {} {from} sends {to} arrives {} late", what(message), steps(*by))
        }
        Strike::Partition { sides, until } => {
            let names = |side: &[String]| side.join(", ");
            let (one, other) = (names(sides.first()), names(sides.second()));
            format!("from time {time} to {}, what {one} and {other} send each other is lost", until.0 - 1)
        }
        Strike::Crash { node } => {
            let back =
                |other: &&Fault| other.time > time && matches!(&other.strike, Strike::Restart { node: n } if n == node);
            match faults.iter().find(back) {
                Some(_) => format!("at time {time}, {node} crashes: it keeps only what is stable"),
                None => format!("at time {time}, {node} crashes: from then on it sends nothing"),
            }
        }
        Strike::Restart { node } => format!("at time {time}, {node} comes back"),
        Strike::Pause { node, until } => format!("from time {time} to {}, {node} takes no step", until.0 - 1),
        Strike::Give { tuple } => format!("at time {time}, the input {tuple} comes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_in_a_name_is_told_from_the_dash_between_names() {
        let nodes: Vec<String> = ["a", "b-c", "b"].map(String::from).to_vec();
        let read =
            |text: &str| loss(text, &nodes).map(|fault| fault.to_string()).map_err(|Failure { message: why, .. }| why);
        assert_eq!(read("a-b-c@2").unwrap(), "lose a->\"b-c\"@2");
        assert_eq!(read("b-c-a@2").unwrap(), "lose \"b-c\"->a@2");
        assert_eq!(read("a->b@2").unwrap(), "lose a->b@2");
        for bad in ["a-x@1", "a-b", "a-b@0", "a-a@1", "ab@1"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn flags_are_what_the_shell_gives_back() {
        let faults = Faults::none().lose("a", "b", 1).crash("it's", 2);
        assert_eq!(as_flags(&faults), r#" --lose a-b@1 --crash '"it'\''s"@2'"#);
        let late = faults.delay("a", "b", 2, 1);
        assert_eq!(as_flags(&late), r#" --faults 'lose a->b@1; delay a->b@2 by 1; crash "it'\''s"@2'"#);
    }

    #[test]
    fn every_kind_is_said_in_words() {
        let text = "lose a->b@1; delay a->b@2 by 1; duplicate a->c@2 vote(\"c\") by 2; partition a,b|c@3 until 5; \
                    crash c@4; pause a@5 until 6; give timeout(\"a\")@5; restart c@6; crash c@8";
        assert_eq!(
            in_words(&text.parse().unwrap()),
            [
                "at time 1, what a sends b is lost",
                "at time 2, what a sends b is 1 step late",
                "at time 2, a copy of the vote(\"c\") that a sends c arrives 2 steps late",
                "from time 3 to 4, what a, b and c send each other is lost",
                "at time 4, c crashes: it keeps only what is stable",
                "from time 5 to 5, a takes no step",
                "at time 5, the input timeout(\"a\") comes",
                "at time 6, c comes back",
                "at time 8, c crashes: from then on it sends nothing",
            ]
        );
    }
}
