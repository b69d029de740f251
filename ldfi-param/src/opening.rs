//! How inputs are left open: one word for each relation that facts fill, and their text form.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What is known of the facts of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opening {
    /// As written.
    Given,
    /// Every combination of nodes: a full mesh.
    All,
    /// One for every node.
    Each,
    /// Unknown, fixed at the start.
    Any,
    /// An unknown part of what is written, fixed at the start.
    Some,
    /// Any node, at any time.
    Event,
}

impl Opening {
    /// All of them, with the words for them and what they mean.
    pub const WORDS: [(&'static str, Opening, &'static str); 6] = [
        ("given", Opening::Given, "as written"),
        ("all", Opening::All, "every node with every node"),
        ("each", Opening::Each, "one for every node"),
        ("any", Opening::Any, "unknown, fixed at the start"),
        ("some", Opening::Some, "an unknown part of what is written"),
        ("event", Opening::Event, "any node, at any time"),
    ];

    /// What it means, in a few words.
    pub fn meaning(self) -> &'static str {
        Self::WORDS.into_iter().find(|(_, opening, _)| *opening == self).map_or("", |(_, _, meaning)| meaning)
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::WORDS.into_iter().find(|(_, opening, _)| opening == self).map_or("", |(word, _, _)| word))
    }
}

impl FromStr for Opening {
    type Err = OpeningError;

    fn from_str(word: &str) -> Result<Self, OpeningError> {
        let known = Self::WORDS.into_iter().find(|(known, _, _)| *known == word);
        known.map(|(_, opening, _)| opening).ok_or_else(|| OpeningError::Word(word.to_owned()))
    }
}

/// The openings that were chosen, by relation; the rest is inferred from the facts.
///
/// ```
/// use ldfi_param::{Opening, Openings};
/// let openings: Openings = "node=all, timeout=event".parse().unwrap();
/// assert_eq!(openings.get("timeout"), Some(Opening::Event));
/// assert_eq!(openings.to_string(), "node=all,timeout=event");
/// assert!("node".parse::<Openings>().unwrap_err().to_string().contains("node=all"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings(BTreeMap<String, Opening>);

impl Openings {
    /// Nothing chosen: all is inferred.
    pub fn inferred() -> Self {
        Self::default()
    }

    /// Chooses how a relation is left open.
    #[must_use]
    pub fn with(mut self, relation: impl Into<String>, opening: Opening) -> Self {
        self.0.insert(relation.into(), opening);
        self
    }

    /// What was chosen for a relation.
    pub fn get(&self, relation: &str) -> Option<Opening> {
        self.0.get(relation).copied()
    }

    /// All choices, by relation.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Opening)> {
        self.0.iter().map(|(relation, opening)| (relation.as_str(), *opening))
    }
}

impl FromStr for Openings {
    type Err = OpeningError;

    fn from_str(text: &str) -> Result<Self, OpeningError> {
        let mut openings = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (relation, word) = part.split_once('=').ok_or_else(|| OpeningError::NoWord(part.to_owned()))?;
            let relation = relation.trim();
            if openings.insert(relation.to_owned(), word.trim().parse()?).is_some() {
                return Err(OpeningError::Twice(relation.to_owned()));
            }
        }
        Ok(Openings(openings))
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.iter().map(|(relation, opening)| format!("{relation}={opening}")).collect();
        f.write_str(&parts.join(","))
    }
}

/// A choice of openings that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningError {
    /// A relation without a word.
    NoWord(String),
    /// A word that means nothing.
    Word(String),
    /// A relation with two words.
    Twice(String),
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = || Opening::WORDS.map(|(word, ..)| word).join(", ");
        match self {
            OpeningError::NoWord(part) => {
                write!(f, "`{part}` says nothing: write `{part}=all`; the words are {}", words())
            }
            OpeningError::Word(word) => {
                write!(f, "`{word}` is no way to leave an input open; the words are {}", words())
            }
            OpeningError::Twice(relation) => write!(f, "`{relation}` is opened twice"),
        }
    }
}

impl std::error::Error for OpeningError {}

/// A key of an input: in all its facts of a run, whatever their time, some columns determine the others.
///
/// ```
/// use ldfi_param::Key;
/// let key: Key = "impatient(_, B)".parse().unwrap();
/// assert_eq!((key.relation.as_str(), key.columns.as_slice()), ("impatient", &[false, true][..]));
/// assert_eq!(key.to_string(), "impatient(_, B)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The relation.
    pub relation: String,
    /// For each column whether it is part of the key.
    pub columns: Vec<bool>,
    names: Vec<String>,
}

impl Key {
    /// A key by its columns.
    pub fn new(relation: impl Into<String>, columns: Vec<bool>) -> Self {
        let names =
            columns.iter().zip('A'..='Z').map(|(key, name)| if *key { name.into() } else { "_".into() }).collect();
        Key { relation: relation.into(), columns, names }
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let wrong = || KeyError(text.to_owned());
        let (relation, rest) = text.trim().split_once('(').ok_or_else(wrong)?;
        let inside = rest.trim().strip_suffix(')').ok_or_else(wrong)?;
        let names: Vec<String> = inside.split(',').map(|name| name.trim().to_owned()).collect();
        let columns: Vec<bool> = names.iter().map(|name| name != "_").collect();
        let said = names.iter().all(|name| !name.is_empty()) && columns.contains(&true) && columns.contains(&false);
        if !said || relation.trim().is_empty() {
            return Err(wrong());
        }
        Ok(Key { relation: relation.trim().to_owned(), columns, names })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.relation, self.names.join(", "))
    }
}

/// A key that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError(String);

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no key: write `owner(Lock, _)` if the first column determines the second", self.0)
    }
}

impl std::error::Error for KeyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_as_itself_and_others_are_refused_with_the_list() {
        for (word, opening, _) in Opening::WORDS {
            assert_eq!(word.parse(), Ok(opening));
            assert_eq!(opening.to_string(), word);
        }
        let error = "node=whatever".parse::<Openings>().unwrap_err();
        assert!(error.to_string().contains("given, all, each"), "{error}");
        assert_eq!("a=all,a=each".parse::<Openings>(), Err(OpeningError::Twice("a".into())));
        assert_eq!(" ".parse::<Openings>(), Ok(Openings::inferred()));
    }

    #[test]
    fn a_key_names_some_columns_and_leaves_others_out() {
        for wrong in ["r", "r()", "r(_)", "r(X)", "r(X, Y)", "(X, _)", "r(X, _"] {
            assert!(wrong.parse::<Key>().is_err(), "{wrong}");
        }
        assert_eq!(Key::new("r", vec![true, false]).to_string(), "r(A, _)");
    }
}
