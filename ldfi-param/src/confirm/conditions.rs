//! The three questions of a certificate.

use std::fmt;

use super::file::{File, FileError};
use super::formula::Formula;
use super::line;
use super::program::{Maker, Network};

/// What has to be so of an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It holds at the first moment.
    Initial,
    /// Every step keeps it.
    Inductive,
    /// Where it holds, the promise is not broken, after as many calm steps as were asked for.
    Excludes,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 3] = [Condition::Initial, Condition::Inductive, Condition::Excludes];
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::Initial => "it holds at first",
            Condition::Inductive => "every step keeps it",
            Condition::Excludes => "it excludes what is not to be",
        })
    }
}

/// The conditions of a certificate, each as formulas that must have no model together.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// What may be there whether the certificate is one or not, for each condition.
    suppose: [Vec<Formula>; 3],
    /// What refutes each: of the first two, for each line by itself.
    refute: [Vec<(String, Formula)>; 3],
}

impl Conditions {
    /// The conditions of a file.
    ///
    /// # Errors
    /// If a line of it cannot be read.
    pub fn new(file: &File) -> Result<Self, FileError> {
        let mut maker = Maker::new(&file.question, file.any_params);
        let lines = |maker: &mut Maker<'_>, moment: u32| -> Result<Vec<(String, Formula)>, FileError> {
            file.lines.iter().map(|text| Ok((text.clone(), line::formula(maker, text, moment)?))).collect()
        };
        let negated =
            |lines: Vec<(String, Formula)>| lines.into_iter().map(|(text, said)| (text, said.not())).collect();
        let held = |lines: Vec<(String, Formula)>| lines.into_iter().map(|(_, said)| said);

        let mut first = maker.background();
        first.extend(maker.moment(0));
        first.extend(maker.first());
        let fails_first = negated(lines(&mut maker, 0)?);

        let mut step = maker.background();
        step.extend(held(lines(&mut maker, 0)?));
        step.extend(maker.moment(0));
        step.extend(maker.moment(1));
        step.extend(maker.step(0, Network::Rough));
        let fails_next = negated(lines(&mut maker, 1)?);

        let mut end = maker.background();
        end.extend(held(lines(&mut maker, 0)?));
        end.extend(maker.moment(0));
        for moment in 0..file.question.calm {
            end.extend(maker.moment(moment + 1));
            end.extend(maker.step(moment, Network::Calm));
        }
        let broken = vec![("the promise".to_owned(), maker.broken(file.question.calm))];
        Ok(Conditions { suppose: [first, step, end], refute: [fails_first, fails_next, broken] })
    }

    /// What is supposed for a condition.
    pub fn suppose(&self, condition: Condition) -> &[Formula] {
        &self.suppose[condition as usize]
    }

    /// What, beside that, must have no model: by the line that it refutes.
    pub fn refute(&self, condition: Condition) -> &[(String, Formula)] {
        &self.refute[condition as usize]
    }
}
