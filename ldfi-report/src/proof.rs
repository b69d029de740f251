//! A question about any number of nodes, answered: text for terminals, JSON, and a page.

mod json;
mod page;
mod text;

use std::path::{Path, PathBuf};

use ldfi_model::Faults;

use crate::disk::{self, WriteError};

pub use json::json;
pub use page::page;
pub use text::text;

/// What a question about any number of nodes comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofVerdict {
    /// It holds for any number of nodes.
    Proved,
    /// It does not hold: there is a counterexample.
    Broken,
    /// Neither is known.
    Open,
}

impl ProofVerdict {
    /// In JSON.
    pub fn name(self) -> &'static str {
        match self {
            ProofVerdict::Proved => "proved",
            ProofVerdict::Broken => "counterexample",
            ProofVerdict::Open => "not-proved",
        }
    }
}

/// All there is to show.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The program.
    pub program: String,
    /// What it comes to.
    pub verdict: ProofVerdict,
    /// Who proved it.
    pub engine: Option<String>,
    /// What may go wrong, in words.
    pub adversary: String,
    /// How inputs are left open, a line for each.
    pub inputs: Vec<String>,
    /// What always holds, a line for each part.
    pub invariant: Vec<String>,
    /// How many of these, the last ones, only say who is a node.
    pub background: usize,
    /// Random runs that agree with the invariant, out of how many, with how many nodes.
    pub agreement: Option<Agreement>,
    /// A concrete run: one in which something is promised, or the counterexample.
    pub run: Option<Told>,
    /// Numbers of nodes and ends of time with which nothing breaks.
    pub safe: Vec<(usize, u32)>,
    /// Those that were not settled, and why.
    pub unsettled: Vec<(usize, u32, String)>,
    /// What engines without a proof have to say.
    pub attempts: Vec<Attempt>,
    /// Milliseconds that it took.
    pub elapsed_ms: u64,
    /// What else there is to say, as why nobody was asked.
    pub note: Option<String>,
}

impl Proof {
    /// What there is to show of a question before anybody was asked.
    pub fn unasked(program: String, adversary: String) -> Self {
        Proof {
            program,
            verdict: ProofVerdict::Open,
            engine: None,
            adversary,
            inputs: vec![],
            invariant: vec![],
            background: 0,
            agreement: None,
            run: None,
            safe: vec![],
            unsettled: vec![],
            attempts: vec![],
            elapsed_ms: 0,
            note: None,
        }
    }
}

/// Random runs held against an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Those that agree.
    pub agree: u32,
    /// All.
    pub runs: u32,
    /// Fewest nodes.
    pub fewest: usize,
    /// Most nodes.
    pub most: usize,
}

/// A concrete run.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its nodes.
    pub nodes: Vec<String>,
    /// Its end.
    pub eot: u32,
    /// Its faults and inputs.
    pub faults: Faults,
    /// What is promised at its end; of a counterexample, what is missing then.
    pub tuples: Vec<String>,
    /// Its diagram, as an SVG.
    pub diagram: Option<String>,
}

/// What an engine without a proof has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Which.
    pub engine: String,
    /// Why it has none.
    pub reason: String,
    /// The state that could not be excluded.
    pub state: Vec<String>,
    /// What was found to hold always; not enough.
    pub found: Vec<String>,
    /// What to try.
    pub advice: Vec<String>,
}

/// Writes `index.html` and `proof.json` into a folder, which is made if need be, and returns the path of the page.
///
/// # Errors
/// What could not be written, and what the system says.
pub fn write(dir: &Path, proof: &Proof) -> Result<PathBuf, WriteError> {
    disk::write_into(dir, "proof.json", json(proof))?;
    disk::write_into(dir, "index.html", page(proof))
}

/// `1 node`, `2 nodes`.
fn nodes(count: usize) -> String {
    format!("{count} node{}", if count == 1 { "" } else { "s" })
}

/// The largest sizes of a list: for each number of nodes the latest end of time.
fn sizes(all: &[(usize, u32)]) -> Vec<(usize, u32)> {
    let mut latest = std::collections::BTreeMap::new();
    for (members, eot) in all {
        let entry = latest.entry(*members).or_insert(*eot);
        *entry = (*entry).max(*eot);
    }
    latest.into_iter().collect()
}

/// How far it was looked for a counterexample, in words.
fn covered(proof: &Proof) -> Option<String> {
    let parts: Vec<String> =
        sizes(&proof.safe).into_iter().map(|(members, eot)| format!("of {members} to EOT {eot}")).collect();
    (!parts.is_empty()).then(|| format!("no counterexample with a crowd {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextOptions;

    fn proved() -> Proof {
        Proof {
            verdict: ProofVerdict::Proved,
            engine: Some("counts of tuples".into()),
            inputs: vec!["neighbor = any: unknown, fixed at the start".into()],
            invariant: vec!["there is at most one of token(_) and pass(_) together".into()],
            agreement: Some(Agreement { agree: 12, runs: 12, fewest: 1, most: 9 }),
            run: Some(Told {
                nodes: vec!["a".into(), "b".into()],
                eot: 4,
                faults: Faults::none(),
                tuples: vec!["(\"a\", \"a\")".into()],
                diagram: None,
            }),
            elapsed_ms: 20,
            ..Proof::unasked("token <b>".into(), "any losses, any crashes, runs of any length".into())
        }
    }

    #[test]
    fn a_proof_is_told_as_what_always_holds() {
        let shown = text(&proved(), &TextOptions::default());
        let expected = "\
token <b>  proved for any number of nodes, by counts of tuples
  any losses, any crashes, runs of any length
  because, always:
    there is at most one of token(_) and pass(_) together
  12 of 12 random runs with 1 to 9 nodes agree with every line of it
  not vacuous: with 2 nodes, (\"a\", \"a\") is promised at 4 without faults
";
        assert_eq!(shown, expected, "{shown}");
    }

    #[test]
    fn what_is_not_proved_says_how_far_it_was_looked_and_what_to_try() {
        let attempt = Attempt {
            engine: "counts of tuples".into(),
            reason: "no invariant of this form excludes it".into(),
            state: vec!["#token = 2".into()],
            found: vec![],
            advice: vec!["declare a key".into()],
        };
        let open = Proof {
            verdict: ProofVerdict::Open,
            engine: None,
            invariant: vec![],
            background: 0,
            agreement: None,
            run: None,
            safe: vec![(1, 4), (1, 5), (2, 4)],
            unsettled: vec![(3, 4, "the time ran out".into())],
            attempts: vec![attempt],
            ..proved()
        };
        let shown = text(&open, &TextOptions::default());
        for wanted in [
            "not proved",
            "no counterexample with a crowd of 1 to EOT 5, of 2 to EOT 4",
            "#token = 2",
            "declare a key",
            "the time ran out",
        ] {
            assert!(shown.contains(wanted), "{wanted}: {shown}");
        }
    }

    #[test]
    fn a_page_needs_nothing_else_and_names_are_harmless_in_it() {
        let page = page(&proved());
        assert!(page.contains("token &lt;b&gt;") && !page.contains("<b>"), "{page}");
        assert!(!page.contains("http") && !page.contains("<script"), "{page}");
        assert!(page.contains("at most one of token(_)"));
    }

    #[test]
    fn json_has_every_part() {
        let object: serde_json::Value = serde_json::from_str(&json(&proved())).unwrap();
        assert_eq!(object["verdict"], "proved");
        assert_eq!(object["agreement"]["runs"], 12);
        assert_eq!(object["invariant"][0], proved().invariant[0]);
    }
}
