//! Faults as they are typed, as flags, and in words.

use dedalus_runtime::faults::{Faults, Omission, Time};
use dedalus_runtime::input::Input;
use dedalus_runtime::program::Program;
use dedalus_runtime::syntax::plan::Plan;

use super::Failure;
use super::args::FaultArgs;
use super::load::{self, shell_word};

/// The faults of the command line, and the end of time, not before `least`.
pub(super) fn read(
    args: &FaultArgs,
    program: &dedalus_runtime::interpret::Interpreted,
    least: u32,
) -> Result<(Faults, u32), Failure> {
    let nodes = nodes(program.plan(), program.input())?;
    let mut faults: Faults = args.faults.as_deref().unwrap_or("").parse()?;
    for text in &args.lose {
        let Omission { from, to, time: Time(time) } = omission(text, &nodes)?;
        faults = faults.lose(from, to, time);
    }
    for text in &args.crash {
        let one: Faults = format!("crash {text}").parse()?;
        for (node, Time(time)) in one.crashes() {
            if faults.crashes().any(|(known, _)| known == node) {
                return Err(Failure(format!("`{node}` crashes twice: a node crashes once")));
            }
            faults = faults.crash(node, time);
        }
    }
    let named = faults.omissions().flat_map(|o| [&o.from, &o.to]).cloned();
    let named = named.chain(faults.crashes().map(|(node, _)| node.to_owned()));
    if let Some(unknown) = named.into_iter().find(|name| !nodes.contains(name)) {
        return Err(Failure(format!("there is no node `{unknown}`; the nodes are {}", nodes.join(", "))));
    }
    let last = faults.omissions().map(|o| o.time.0).chain(faults.crashes().map(|(_, time)| time.0)).max();
    let late = last.map_or(0, |time| time.saturating_add(1)).min(1_000_000);
    let eot = args.eot.unwrap_or_else(|| (load::first_eot(program) + 2).max(least).max(late));
    if let Some(late) = last.into_iter().chain([least]).find(|time| *time > eot) {
        return Err(Failure(format!("time {late} is after the end of time, {eot}")));
    }
    Ok((faults, eot))
}

fn nodes(plan: &Plan, input: &Input) -> Result<Vec<String>, Failure> {
    Ok(input.all_nodes(plan)?)
}

/// `a->b@1`, or `a-b@1` where the names of the nodes tell which `-` is meant.
fn omission(text: &str, nodes: &[String]) -> Result<Omission, Failure> {
    let bad = |why: String| Failure(format!("`--lose {text}`: {why}; write a-b@1 or a->b@1"));
    if text.contains("->") {
        let one: Faults = format!("lose {text}").parse()?;
        return one.omissions().next().cloned().ok_or_else(|| bad("it names no message".into()));
    }
    let (who, time) = text.rsplit_once('@').ok_or_else(|| bad("it has no time".into()))?;
    let time: u32 = time.parse().ok().filter(|t| *t > 0).ok_or_else(|| bad("time is a number from 1".into()))?;
    let sides = who.match_indices('-').map(|(at, _)| (&who[..at], &who[at + 1..]));
    let known = |name: &str| nodes.iter().any(|node| node == name);
    let fits: Vec<_> = sides.filter(|(from, to)| known(from) && known(to) && from != to).collect();
    match fits[..] {
        [(from, to)] => Ok(Omission { from: from.into(), to: to.into(), time: Time(time) }),
        [] => Err(bad(format!("it names no two different nodes (they are {})", nodes.join(", ")))),
        _ => Err(bad("it can be read in two ways".into())),
    }
}

/// The faults as flags, for a shell.
pub(super) fn as_flags(faults: &Faults) -> String {
    let mut flags = String::new();
    for omission in faults.omissions() {
        let text = omission.to_string();
        let arrow = text.trim_start_matches("lose ");
        let simple = [&omission.from, &omission.to].iter().all(|n| n.chars().all(char::is_alphanumeric));
        let word = if simple { arrow.replacen("->", "-", 1) } else { arrow.to_owned() };
        flags += &format!(" --lose {}", shell_word(&word));
    }
    for (node, time) in faults.crashes() {
        let text = Faults::none().crash(node, time.0).to_string();
        flags += &format!(" --crash {}", shell_word(text.trim_start_matches("crash ")));
    }
    flags
}

/// The faults, a sentence each, in the order in which they strike.
pub(super) fn in_words(faults: &Faults) -> Vec<String> {
    let mut all: Vec<(Time, String)> = vec![];
    for o in faults.omissions() {
        all.push((o.time, format!("at time {}, what {} sends {} is lost", o.time, o.from, o.to)));
    }
    for (node, time) in faults.crashes() {
        all.push((time, format!("at time {time}, {node} crashes: from then on it sends nothing")));
    }
    all.sort_by_key(|(time, _)| *time);
    all.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_in_a_name_is_told_from_the_dash_between_names() {
        let nodes: Vec<String> = ["a", "b-c", "b"].map(String::from).to_vec();
        let read = |text: &str| omission(text, &nodes).map_err(|Failure(why)| why);
        assert_eq!(read("a-b-c@2").unwrap().to, "b-c");
        assert_eq!(read("b-c-a@2").unwrap().from, "b-c");
        assert_eq!(read("a->b@2").unwrap().to, "b");
        for bad in ["a-x@1", "a-b", "a-b@0", "a-a@1", "ab@1"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn flags_are_what_the_shell_gives_back() {
        let faults = Faults::none().lose("a", "b", 1).crash("it's", 2);
        assert_eq!(as_flags(&faults), r#" --lose a-b@1 --crash '"it'\''s"@2'"#);
    }
}
