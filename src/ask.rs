//! Asking about a run: why a tuple holds, and why it does not.
//!
//! ```
//! use ldfi::prelude::*;
//!
//! dedalus! {
//!     program Tell {
//!         heard(B, W)@async :- say(A, W), peer(A, B);
//!         heard(B, W)@next :- heard(B, W);
//!         say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
//!     }
//! }
//!
//! let program = Tell::new();
//! let why = program.why("heard(b, hello)@3", &Faults::none(), eot(3)).unwrap();
//! assert!(why.to_string().contains("held since @2"), "{why}");
//! let why_not = program.why_not("heard(b, hello)@3", &faults![lose "a" -> "b" @ 1], eot(3)).unwrap();
//! assert!(why_not.to_string().contains("LOST by lose a->b@1"), "{why_not}");
//! // `_` stands for what comes nearest: of what holds, or held, or would.
//! let any = program.why_not("heard(_, hello)@3", &faults![lose "a" -> "b" @ 1], eot(3)).unwrap();
//! assert_eq!(any.to_string(), why_not.to_string());
//! // Or of a run, such as the one that a failing test prints as its `replay` line.
//! let run = program.run(&faults![lose "a" -> "b" @ 1], eot(3));
//! assert_eq!(run.why_not("heard(b, hello)").unwrap().to_string(), why_not.to_string());
//! ```

use std::fmt;

use dedalus_runtime::syntax::plan::Plan;
use dedalus_runtime::{Execution, Program, RunError};
use ldfi_core::explain::explain_tuple;
use ldfi_model::{Budget, Explanation, Faults, Time, Tuple, Type, Value, unquote};
use ldfi_report::model;
use ldfi_report::text::{TextOptions, because, visible};

use crate::picture::{again, describe};

/// Questions that can be asked of any program under given faults.
pub trait Ask: Program {
    /// Why a tuple holds under these faults. It is written as in programs or as it is printed: `log(b, data)@4`; without a
    /// time it is asked about at the end, and `_` is whatever comes nearest.
    ///
    /// # Errors
    /// If the program has no such tuples, the run fails, or the tuple does not hold.
    fn why(&self, tuple: &str, faults: &Faults, eot: Time) -> Result<Answer, AskError> {
        answer(self, tuple, faults, eot)?.why()
    }

    /// Why a tuple does not hold under these faults.
    ///
    /// # Errors
    /// If the program has no such tuples, the run fails, or the tuple holds.
    fn why_not(&self, tuple: &str, faults: &Faults, eot: Time) -> Result<Answer, AskError> {
        answer(self, tuple, faults, eot)?.why_not()
    }
}

impl<P: Program + ?Sized> Ask for P {}

/// Questions that can be asked of a run.
pub trait AskRun {
    /// Why a tuple holds; [`Ask::why`] says how it is written.
    ///
    /// # Errors
    /// If there are no such tuples, or it does not hold.
    fn why(&self, tuple: &str) -> Result<Answer, AskError>;

    /// Why a tuple does not hold.
    ///
    /// # Errors
    /// If there are no such tuples, or it holds.
    fn why_not(&self, tuple: &str) -> Result<Answer, AskError>;
}

impl AskRun for Execution {
    fn why(&self, tuple: &str) -> Result<Answer, AskError> {
        again(self).why(tuple, self.faults(), self.eot())
    }

    fn why_not(&self, tuple: &str) -> Result<Answer, AskError> {
        again(self).why_not(tuple, self.faults(), self.eot())
    }
}

/// The answer to a question. It displays as a tree.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub question: AskedTuple,
    /// Why.
    pub explanation: Explanation,
    program: model::Program,
}

impl Answer {
    /// Whether the tuple holds.
    pub fn holds(&self) -> bool {
        self.explanation.asked.first().is_some_and(|asked| self.explanation.claim(asked.claim).holds)
    }

    /// Why it holds.
    fn why(self) -> Result<Self, AskError> {
        if self.holds() { Ok(self) } else { Err(AskError::DoesNotHold(self.shown())) }
    }

    /// Why it does not.
    fn why_not(self) -> Result<Self, AskError> {
        if self.holds() { Err(AskError::Holds(self.shown())) } else { Ok(self) }
    }

    /// As a tree, for the terminal at hand.
    pub fn tree(&self, options: &TextOptions) -> String {
        because(&self.program, &self.explanation, options)
    }

    /// The tuple, as it is printed.
    pub fn shown(&self) -> String {
        self.question.to_string()
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tree(&TextOptions::default()))
    }
}

/// Why a tuple holds, or does not, whichever it is.
///
/// # Errors
/// If the program has no such tuples, or the run fails.
pub fn answer<P: Program + ?Sized>(program: &P, tuple: &str, faults: &Faults, eot: Time) -> Result<Answer, AskError> {
    let plan = program.plan();
    let mut question = AskedTuple::read(tuple, plan)?;
    let time = *question.time.get_or_insert(eot);
    if time > eot {
        return Err(AskError::TooLate { time, eot });
    }
    if !question.open.is_empty() {
        question = question.filled(program, faults, eot)?;
    }
    let explained = explain_tuple(program, faults, eot.0, (&question.tuple, time), &Budget::unlimited());
    let explanation = explained.map_err(AskError::Run)?;
    Ok(Answer { explanation, program: describe(plan, "program"), question })
}

/// A tuple that is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedTuple {
    /// The tuple.
    pub tuple: Tuple,
    /// When; at the end if that is not said.
    pub time: Option<Time>,
    /// The columns that were left open, as `_`: what stands in the tuple there is of no matter.
    pub open: Vec<usize>,
}

impl fmt::Display for AskedTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column =
            |(at, value): (usize, &Value)| if self.open.contains(&at) { "_".into() } else { value.to_string() };
        let columns: Vec<String> = self.tuple.values.iter().enumerate().map(column).collect();
        f.write_str(&visible(&format!("{}({})", self.tuple.relation, columns.join(", "))))?;
        self.time.map_or(Ok(()), |time| write!(f, "@{time}"))
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AskError {
    /// The text is no tuple.
    NoTuple {
        /// The text.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The program has no such relation.
    NoRelation {
        /// What was asked for.
        name: String,
        /// The relations that it has.
        known: Vec<String>,
    },
    /// The relation has another number of columns.
    Columns {
        /// The relation.
        relation: String,
        /// How many it has.
        has: usize,
        /// How many were given.
        given: usize,
    },
    /// A column holds integers.
    NoInteger {
        /// The relation.
        relation: String,
        /// What was given.
        given: String,
    },
    /// The run ends before.
    TooLate {
        /// When it was asked about.
        time: Time,
        /// The end of time.
        eot: Time,
    },
    /// Nothing like it ever holds, so that `_` stands for nothing.
    Anything(String),
    /// It holds: there is no reason why not.
    Holds(String),
    /// It does not hold: there is no reason why.
    DoesNotHold(String),
    /// The run fails.
    Run(RunError),
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::NoTuple { text, why } => {
                write!(f, "`{text}` is not a tuple: {why}; write log(\"b\", \"data\")@4, or log(b, data)@4")
            }
            AskError::NoRelation { name, known } => {
                write!(f, "there is no relation `{name}`; there are {}", known.join(", "))
            }
            AskError::Columns { relation, has, given } => write!(f, "`{relation}` has {has} columns, not {given}"),
            AskError::NoInteger { relation, given } => {
                write!(f, "{given} in `{relation}` should be a value of type int")
            }
            AskError::TooLate { time, eot } => write!(f, "the run ends at {eot}, before {time}"),
            AskError::Anything(tuple) => {
                write!(f, "nothing like {tuple} holds at any time: name a value in the place of each `_`")
            }
            AskError::Holds(tuple) => write!(f, "{tuple} holds; ask why"),
            AskError::DoesNotHold(tuple) => write!(f, "{tuple} does not hold; ask why-not"),
            AskError::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AskError {}

impl AskedTuple {
    /// Reads a tuple of a program's relation: strings in quotes, or bare as they are printed.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(text: &str, plan: &Plan) -> Result<Self, AskError> {
        let wrong = |why| AskError::NoTuple { text: text.to_owned(), why };
        let bare = text.trim().trim_end_matches(';').trim_end();
        let (name, rest) = bare.split_once('(').ok_or_else(|| wrong("it has no columns"))?;
        let (inner, end) = rest.rsplit_once(')').ok_or_else(|| wrong("its columns have no end"))?;
        let time = match end.trim() {
            "" => None,
            end => {
                let digits = end.strip_prefix('@').ok_or_else(|| wrong("only a time may follow its columns"))?;
                // Of several steps, as in `@1-6`, it is asked about the last.
                let last = digits.rsplit_once('-').map_or(digits, |(_, last)| last);
                let time = last.trim().parse().ok().filter(|time| (1..=1_000_000).contains(time));
                Some(Time(time.ok_or_else(|| wrong("time runs from 1, and not that far"))?))
            }
        };
        let name = name.trim();
        let relation = plan.relation(name).ok_or_else(|| AskError::NoRelation {
            name: name.to_owned(),
            known: plan.relations.iter().map(|relation| relation.name.clone()).collect(),
        })?;
        let types = &plan.rel(relation).columns;
        let columns = columns(inner).ok_or_else(|| wrong("a string is never closed"))?;
        if columns.len() != types.len() {
            let (has, given) = (types.len(), columns.len());
            return Err(AskError::Columns { relation: name.to_owned(), has, given });
        }
        let value = |(column, ty): (&&str, &Type)| match (*column, ty) {
            ("_", Type::Int) => Ok(Value::Int(0)),
            _ => value(column, *ty, name, text),
        };
        let values = columns.iter().zip(types).map(value).collect::<Result<Vec<Value>, AskError>>()?;
        let open = (0..columns.len()).filter(|at| columns[*at] == "_").collect();
        Ok(AskedTuple { tuple: Tuple::new(name, values), time, open })
    }

    /// The same about one tuple: one that holds, or else one that does at another time, or without faults; or else of a node.
    fn filled<P: Program + ?Sized>(&self, program: &P, faults: &Faults, eot: Time) -> Result<Self, AskError> {
        let run = program.execute(faults, eot).map_err(AskError::Run)?;
        let usual = program.execute(&Faults::none(), eot).map_err(AskError::Run)?;
        let now = self.time.unwrap_or(eot).0;
        let is_one = |values: &Vec<Value>| {
            let same =
                |(at, value): (usize, &Value)| self.open.contains(&at) || self.tuple.values.get(at) == Some(value);
            values.iter().enumerate().all(same)
        };
        let nearest = [now].into_iter().chain((1..now).rev()).chain(now + 1..=eot.0);
        let times = nearest.flat_map(|time| [(&run, time), (&usual, time)]);
        let mut all = times.flat_map(|(run, time)| run.tuples(&self.tuple.relation, time));
        let values = all.find(is_one).or_else(|| {
            // Where a tuple is, it is at a node.
            let node = run.nodes().first().filter(|_| self.open == [0])?;
            let mut values = self.tuple.values.clone();
            *values.first_mut()? = Value::Str(node.clone());
            Some(values)
        });
        let values = values.ok_or_else(|| AskError::Anything(self.to_string()))?;
        Ok(AskedTuple { tuple: Tuple::new(self.tuple.relation.clone(), values), time: self.time, open: vec![] })
    }
}

/// What stands between commas that are in no string. None if a string has no end.
fn columns(inner: &str) -> Option<Vec<&str>> {
    let (mut all, mut from) = (vec![], 0);
    let (mut inside, mut escaped) = (false, false);
    for (at, c) in inner.char_indices() {
        match c {
            '"' if !escaped && (inside || inner[from..at].trim().is_empty()) => inside = !inside,
            ',' if !inside => {
                all.push(inner[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        escaped = inside && c == '\\' && !escaped;
    }
    let last = inner[from..].trim();
    if !(all.is_empty() && last.is_empty()) {
        all.push(last);
    }
    (!inside).then_some(all)
}

fn value(column: &str, ty: Type, relation: &str, text: &str) -> Result<Value, AskError> {
    if ty == Type::Int {
        let wrong = || AskError::NoInteger { relation: relation.to_owned(), given: column.to_owned() };
        return column.parse().map(Value::Int).map_err(|_| wrong());
    }
    let Some(quoted) = column.strip_prefix('"') else { return Ok(Value::Str(column.to_owned())) };
    let wrong = |why| AskError::NoTuple { text: text.to_owned(), why };
    let inner = quoted.strip_suffix('"').ok_or_else(|| wrong("something follows a string"))?;
    unquote(inner).map(Value::Str).map_err(|_| wrong("a string has an escape that nothing stands for"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let plan = dedalus_runtime::syntax::compile_text("t.ded", "log(N, W, 3) :- say(N, W); say(\"a\", \"b\")@1;");
        AskedTuple::read(text, &plan.unwrap()).map(|q| q.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_printed_is_read() {
        for text in ["log(a, two words, 3)@4", "log(\"a\", \"two words\", 3)@4", " log( a ,two words,3 ) @ 4 ;"] {
            assert_eq!(read(text).as_deref(), Ok("log(\"a\", \"two words\", 3)@4"), "{text}");
        }
        assert_eq!(read("say(a, \"x, \\\"y\\\")\")").as_deref(), Ok("say(\"a\", \"x, \\\"y\\\")\")"));
        assert_eq!(read("say(-, )").as_deref(), Ok("say(\"-\", \"\")"));
        // What may be anything, a string that is just that, and several steps.
        assert_eq!(read("log(_, b, _)@2-4").as_deref(), Ok("log(_, \"b\", _)@4"));
        assert_eq!(read("say(a, \"_\")").as_deref(), Ok("say(\"a\", \"_\")"));
    }

    #[test]
    fn what_is_no_tuple_is_refused_with_the_reason() {
        for (text, why) in [
            ("log", "no columns"),
            ("log(a", "have no end"),
            ("lag(a)", "no relation `lag`; there are"),
            ("say(a)", "2 columns, not 1"),
            ("log(a, b, c)", "type int"),
            ("say(a, b)@0", "from 1"),
            ("say(a, b)@x", "from 1"),
            ("say(a, b) 4", "only a time"),
            ("say(\"a, b)", "never closed"),
            ("say(\"a\"b, c)", "follows a string"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
