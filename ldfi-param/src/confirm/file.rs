//! The file of a certificate: how it is read.

use std::fmt;

use dedalus_runtime::Interpreted;
use ldfi_model::Value;

use crate::opening::{Key, Opening, Openings};
use crate::question::{Adversary, Crashes, Question, Settings};

/// A certificate that was read.
#[derive(Clone, Debug)]
pub struct File {
    /// What is asked.
    pub question: Question,
    /// The lines of the invariant, as they are written.
    pub lines: Vec<String>,
    /// Whether it is claimed for all values of integer parameters.
    pub any_params: bool,
}

/// Why a file is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// A line says nothing that belongs there.
    Line {
        /// The line.
        line: String,
        /// What is wrong with it.
        why: String,
    },
    /// The program in it is none, or the question makes no sense.
    Question(String),
    /// The nodes that it speaks of are not those of its program.
    Crowd,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Line { line, why } => write!(f, "`{line}` {why}"),
            FileError::Question(why) => write!(f, "its question cannot be asked: {why}"),
            FileError::Crowd => f.write_str("the nodes of its crowd are not those of its program"),
        }
    }
}

impl std::error::Error for FileError {}

fn wrong(line: &str, why: impl Into<String>) -> FileError {
    FileError::Line { line: line.to_owned(), why: why.into() }
}

/// What stands above the program.
#[derive(Default)]
struct Header {
    settings: Settings,
    params: Vec<(String, Value)>,
    crowd: Vec<String>,
    named: Vec<String>,
    lines: Vec<String>,
    any_params: bool,
}

impl File {
    /// Reads it.
    ///
    /// # Errors
    /// If it is no certificate.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let (head, program) = text.split_once("\nprogram\n").ok_or_else(|| wrong("program", "is missing"))?;
        let mut lines = head.lines();
        let first = lines.next().unwrap_or("");
        if first != "ldfi proof 1" {
            return Err(wrong(first, "is not how a certificate begins: `ldfi proof 1`"));
        }
        let mut header = Header::default();
        for line in lines {
            header.read(line)?;
        }
        header.finish(program)
    }
}

impl Header {
    fn read(&mut self, line: &str) -> Result<(), FileError> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let names = || rest.split_whitespace().map(str::to_owned).collect();
        match word {
            "engine" => self.any_params = rest.starts_with("counts"),
            "adversary" => self.adversary(line, rest)?,
            "crowd" => self.crowd = names(),
            "named" => self.named = names(),
            "input" => {
                let (name, how) = rest.split_once(" = ").ok_or_else(|| wrong(line, "is no input"))?;
                let openings = std::mem::take(&mut self.settings.openings);
                let how = how.parse().map_err(|why| wrong(line, format!("is no input: {why}")))?;
                self.settings.openings = openings.with(name, how);
            }
            "key" => {
                let key: Key = rest.parse().map_err(|why| wrong(line, format!("is no key: {why}")))?;
                self.settings.keys.push(key);
            }
            "param" => {
                let (name, value) = rest.split_once(" = ").ok_or_else(|| wrong(line, "is no parameter"))?;
                let text = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).map(Value::from);
                let value = text.or_else(|| value.parse().ok().map(Value::Int));
                self.params.push((name.to_owned(), value.ok_or_else(|| wrong(line, "has no value"))?));
            }
            "always" => self.lines.push(rest.to_owned()),
            _ => return Err(wrong(line, "is no line of a certificate")),
        }
        Ok(())
    }

    fn adversary(&mut self, line: &str, rest: &str) -> Result<(), FileError> {
        let mut adversary = Adversary::default();
        for word in rest.split_whitespace() {
            let odd = || wrong(line, format!("says nothing of an adversary with `{word}`"));
            let (name, value) = word.split_once('=').ok_or_else(odd)?;
            let yes = || value.parse().map_err(|_| odd());
            match name {
                "losses" => adversary.losses = yes()?,
                "delays" => adversary.delays = yes()?,
                "crashes" if value == "any" => adversary.crashes = Crashes::Any,
                "crashes" => adversary.crashes = Crashes::AtMost(value.parse().map_err(|_| odd())?),
                "calm" => self.settings.calm = value.parse().map_err(|_| odd())?,
                _ => return Err(odd()),
            }
        }
        self.settings.adversary = adversary;
        Ok(())
    }

    fn finish(self, program: &str) -> Result<File, FileError> {
        let refused = |why: &dyn fmt::Display| FileError::Question(why.to_string());
        let mut program = Interpreted::from_text("certificate.ded", program).map_err(|why| refused(&why))?;
        let plan = dedalus_runtime::Program::plan(&program).clone();
        for (name, value) in self.params {
            program.input.set_param(&plan, &name, value).map_err(|why| refused(&why))?;
        }
        // They may have been given beside the text.
        program.input.nodes = Some(self.crowd.iter().chain(&self.named).cloned().collect());
        // A full mesh tells nodes apart or not whether it is written that it is one or inferred.
        let regular = |how| matches!(how, Opening::All | Opening::Each);
        let openings = self.settings.openings.iter().filter(|(_, how)| !regular(*how));
        let fewer = openings.fold(Openings::inferred(), |all, (name, how)| all.with(name, how));
        let fewer = Question::new(&program, &Settings { openings: fewer, ..self.settings.clone() }).ok();
        let asked = Question::new(&program, &self.settings).map_err(|why| refused(&why))?;
        let is_meant = |tried: &Question| {
            let mut openings = self.settings.openings.iter();
            let same = |(name, how): (&str, _)| {
                plan.relation(name).and_then(|r| tried.supply(r)).is_some_and(|supply| supply.opening == how)
            };
            tried.crowd.members == self.crowd && tried.crowd.named == self.named && openings.all(same)
        };
        let mut question = std::iter::once(asked).chain(fewer).find(is_meant);
        // The keys are those that are written, and no others.
        for supply in question.iter_mut().flat_map(|question| &mut question.supplies) {
            let name = &plan.rel(supply.relation).name;
            supply.keys = self.settings.keys.iter().filter(|key| key.relation == *name).cloned().collect();
        }
        let question = question.ok_or(FileError::Crowd)?;
        Ok(File { question, lines: self.lines, any_params: self.any_params })
    }
}
