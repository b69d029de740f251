//! One self-contained page: opens from disk, needs no network.
//!
//! # The explorer
//!
//! The same page becomes a game when a local server sends it with [`explorer_page`], which sets
//! `window.LDFI_EXPLORE = {"base": "…", "token": "…", "inputs": […]}` before the page's own script. Then
//! every kind of fault can be played by clicking:
//!
//! | click on | plays |
//! |---|---|
//! | a message | `lose`, `delay`, `duplicate`; of one message alone where the specification has `per_message` |
//! | a node at a step | `crash`, `restart`, `pause` |
//! | the bars beside a step | `partition` |
//! | a diamond | `give` |
//! | what a fault did | takes that fault back |
//!
//! The page offers kinds of which the specification allows any, and knows nothing of what they mean: every
//! change is asked of the server, which runs it or refuses it with the reason. Where the report has a run with
//! faults, those are the first move. The contract is three
//! requests, all `POST`, all with `Content-Type: application/json` and `X-Ldfi-Token: <token>`:
//!
//! | request | body | answer |
//! |---|---|---|
//! | `<base>api/run` | a [`Move`]: `{"faults": "lose a->b@1; crash c@3"}` | 200 and a [`Run`] with exactly those faults |
//! | `<base>api/adversary` | the current [`Move`] | 200 and an [`AdversaryReply`] |
//! | `<base>api/end` | anything | 200 and an [`EndReply`]; whoever waits for the game goes on |
//!
//! Anything else is an [`ErrorReply`] with a 4xx or 5xx status; its text is shown to the player and
//! the picture stays as it was. So a move beyond the bounds is a 400 that says which bound, and what the
//! adversary chooses keeps within the same bounds. A `Run` uses the rule ids of the report, and its
//! [`falsified`](crate::model::Run::falsified) refers to the report's failure-free run.

use crate::disk;
use crate::model::{Report, Run, Time};
use ldfi_model::{Budget, Spent};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

const PAGE: &str = include_str!("page/page.html");
pub(crate) const STYLE: &str = include_str!("page/page.css");
/// In the order in which they are read: each file uses only those before it, and `main` starts it all.
const SCRIPTS: [&str; 16] = [
    include_str!("page/dom.js"),
    include_str!("page/filter.js"),
    include_str!("page/data.js"),
    include_str!("page/because.js"),
    include_str!("page/lineage.js"),
    include_str!("page/layout.js"),
    include_str!("page/spacetime.js"),
    include_str!("page/graph.js"),
    include_str!("page/tables.js"),
    include_str!("page/program.js"),
    include_str!("page/inspector.js"),
    include_str!("page/moves.js"),
    include_str!("page/find.js"),
    include_str!("page/beside.js"),
    include_str!("page/explore.js"),
    include_str!("page/main.js"),
];

/// Where the page finds the explorer's server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploreHook {
    /// Put before `api/run`; empty for paths relative to the page.
    pub base: String,
    /// Sent with every request, so that other pages in the browser cannot make any.
    pub token: String,
    /// The inputs that may come, for the player to give.
    #[serde(default)]
    pub inputs: Vec<MayCome>,
}

/// An input that may come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MayCome {
    /// The fault that gives it, as text.
    pub fault: String,
    /// Its first column: the node that would get it, if that is one.
    pub node: String,
    /// When.
    pub time: Time,
}

/// A question of the page: these faults, in their text form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The faults.
    pub faults: String,
}

/// The answer to "ask the adversary".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdversaryReply {
    /// The run with the faults that it chooses, or `None` when it has no move.
    pub run: Option<Run>,
    /// One sentence for the player.
    pub message: String,
}

/// The answer to "end".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndReply {
    /// The server is about to go.
    pub ended: bool,
}

/// The answer to a request that could not be met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReply {
    /// What went wrong, for the player to read.
    pub error: String,
}

/// The page of a report.
pub fn page(report: &Report) -> String {
    text(&Budget::unlimited(), |out| fill(report, "", out)).expect("the time is not limited")
}

/// Writes the page of a report.
///
/// # Errors
/// What the place that it is written to says.
pub fn write_page(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    fill(report, "", out)
}

/// The same page with the game in it, for a local server to send.
///
/// # Errors
/// If there is no more time.
pub fn explorer_page(report: &Report, hook: &ExploreHook, budget: &Budget) -> Result<String, Spent> {
    let hook = text(budget, |out| Ok(serde_json::to_writer(Embed(out), hook)?))?;
    text(budget, |out| fill(report, &format!("<script>window.LDFI_EXPLORE = {hook};</script>"), out))
}

/// What is written, as text, as long as there is time.
fn text(budget: &Budget, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<String, Spent> {
    let written = disk::in_time(vec![], budget, write);
    let out = written.map_err(|error| disk::spent(&error).expect("memory takes whatever is written to it"))?;
    Ok(String::from_utf8(out).expect("only text is written"))
}

fn fill(report: &Report, hook: &str, out: &mut dyn Write) -> io::Result<()> {
    let title = format!("{} · {} · ldfi", report.program.name, report.verdict);
    // One pass over the template, so that nothing in the data can look like a place to fill.
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("the template closes its braces");
        out.write_all(before.as_bytes())?;
        match name {
            "title" => out.write_all(crate::xml::escape(&title).as_bytes())?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "data" => serde_json::to_writer(Embed(out), report)?,
            "hook" => out.write_all(hook.as_bytes())?,
            "script" => SCRIPTS.iter().try_for_each(|script| out.write_all(script.as_bytes()))?,
            other => unreachable!("the template has no place called {other}"),
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// JSON that may stand inside a script element: `<` never appears, so nothing can end it, and neither do the line breaks
/// that scripts know and JSON does not.
struct Embed<'w>(&'w mut dyn Write);

impl Write for Embed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    /// Whole pieces of text, as the serializer writes them: no character is cut in two.
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        const SIGNS: [(&[u8], &[u8]); 3] =
            [(b"<", b"\\u003c"), (b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029")];
        while let Some(at) = bytes.iter().position(|byte| matches!(byte, b'<' | 0xe2)) {
            let sign = SIGNS.iter().find(|(sign, _)| bytes[at..].starts_with(sign));
            let (old, new) = sign.copied().unwrap_or((&bytes[at..=at], &bytes[at..=at]));
            self.0.write_all(&bytes[..at])?;
            self.0.write_all(new)?;
            bytes = &bytes[at + old.len()..];
        }
        self.0.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_its_script_element() {
        let embed = |json: &str| text(&Budget::unlimited(), |out| Embed(out).write_all(json.as_bytes())).unwrap();
        assert_eq!(embed(r#"["</script><!--"]"#), r#"["\u003c/script>\u003c!--"]"#);
        assert_eq!(embed("[\"a\u{2028}b\u{2029}\u{2026}é<\"]"), "[\"a\\u2028b\\u2029\u{2026}é\\u003c\"]");
    }
}
