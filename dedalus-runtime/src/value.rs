//! Values, and the symbols that stand for strings while a program runs.

use std::fmt;

use dedalus_syntax::ast::{Constant, Type};

/// A value as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A string.
    Str(String),
}

impl Value {
    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Value::Int(_) => Type::Int,
            Value::Str(_) => Type::Str,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Constant::from(self.clone()).fmt(f)
    }
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Int(value) => Value::Int(value),
            Constant::Str(text) => Value::Str(text),
        }
    }
}

impl From<Value> for Constant {
    fn from(value: Value) -> Self {
        match value {
            Value::Int(value) => Constant::Int(value),
            Value::Str(text) => Constant::Str(text),
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Str(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Str(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Str(text.clone())
    }
}

/// A value while a program runs: an integer, or the number of a symbol. Types are settled at build
/// time, so one word never has to say which it is.
pub type Word = i64;

/// All strings of an instance, sorted: comparing two symbols compares their strings byte by byte.
///
/// The language makes no new strings, so this is complete before the first step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    sorted: Vec<String>,
}

impl Symbols {
    /// The symbols for these strings.
    pub fn new(strings: impl IntoIterator<Item = String>) -> Self {
        let mut sorted: Vec<String> = strings.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        Symbols { sorted }
    }

    /// How many there are: a symbol's word is less than this.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The word for a string, if the instance has it.
    pub fn word(&self, text: &str) -> Option<Word> {
        let place = self.sorted.binary_search_by(|s| s.as_str().cmp(text)).ok()?;
        Word::try_from(place).ok()
    }

    /// The string of a word.
    pub fn text(&self, word: Word) -> &str {
        usize::try_from(word).ok().and_then(|i| self.sorted.get(i)).map_or("", String::as_str)
    }

    /// A word as a value of that type.
    pub fn value(&self, ty: Type, word: Word) -> Value {
        match ty {
            Type::Int => Value::Int(word),
            Type::Str => Value::Str(self.text(word).to_owned()),
        }
    }

    /// The word of a value, if the instance has it.
    pub fn encode(&self, value: &Value) -> Option<Word> {
        match value {
            Value::Int(value) => Some(*value),
            Value::Str(text) => self.word(text),
        }
    }
}
