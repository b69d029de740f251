//! Values, and the symbols that stand for strings while a program runs.

pub use ldfi_model::{Type, Value};

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
