//! What a program promises: that whatever is in `pre` at the end is in `post`. Several promises have names:
//! `pre.durability` goes with `post.durability`.

use std::fmt;

use crate::plan::{Outcome, Plan, RelId};

/// A promise: every tuple of one relation at the end must be in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its name; none for plain `pre` and `post`.
    pub name: Option<String>,
    /// What it is made for, if the program has such a relation.
    pub pre: Option<RelId>,
    /// What it promises, if the program has such a relation.
    pub post: Option<RelId>,
}

/// The two sides of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What it is made for.
    Pre,
    /// What is promised.
    Post,
}

impl Side {
    /// The word that names of such relations begin with.
    pub fn word(self) -> &'static str {
        match self {
            Side::Pre => "pre",
            Side::Post => "post",
        }
    }

    /// The relation of a promise's side.
    pub fn relation(self, promise: Option<&str>) -> String {
        match promise {
            Some(name) => format!("{}.{name}", self.word()),
            None => self.word().to_owned(),
        }
    }
}

/// Which side of which promise a relation is, if it is one.
///
/// ```
/// use dedalus_syntax::{Side, side_of};
/// assert_eq!(side_of("post.durability"), Some((Side::Post, Some("durability"))));
/// assert_eq!(side_of("pre"), Some((Side::Pre, None)));
/// assert_eq!(side_of("prefix"), None);
/// ```
pub fn side_of(relation: &str) -> Option<(Side, Option<&str>)> {
    [Side::Pre, Side::Post].into_iter().find_map(|side| match relation.strip_prefix(side.word())? {
        "" => Some((side, None)),
        rest => Some((side, Some(rest.strip_prefix('.').filter(|name| !name.is_empty())?))),
    })
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref();
        write!(f, "{} → {}", Side::Pre.relation(name), Side::Post.relation(name))
    }
}

/// A promise that a program does not make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPromise {
    /// What was asked for.
    pub name: String,
    /// The promises that it makes and that have names.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownPromise { name, known } = self;
        write!(f, "the program makes no promise `{name}`: ")?;
        match &known[..] {
            [] => write!(f, "name one by the relations `pre.{name}` and `post.{name}`"),
            known => write!(f, "it makes `{}`", known.join("`, `")),
        }
    }
}

impl std::error::Error for UnknownPromise {}

impl Plan {
    /// The promises that it makes; none where the outcome is what persists.
    pub fn promises(&self) -> &[Promise] {
        match &self.outcome {
            Outcome::Promises(promises) => promises,
            Outcome::Persistent(_) => &[],
        }
    }

    /// The relations by whose contents runs are judged where nothing is promised.
    pub fn persistent(&self) -> &[RelId] {
        match &self.outcome {
            Outcome::Promises(_) => &[],
            Outcome::Persistent(relations) => relations,
        }
    }

    /// The same plan with one of its promises alone, by its name; plain `pre` and `post` have none.
    ///
    /// # Errors
    /// If it makes no such promise.
    pub fn promising(&self, name: Option<&str>) -> Result<Plan, UnknownPromise> {
        let chosen: Vec<Promise> =
            self.promises().iter().filter(|promise| promise.name.as_deref() == name).cloned().collect();
        if chosen.is_empty() {
            let known = self.promises().iter().filter_map(|promise| promise.name.clone()).collect();
            return Err(UnknownPromise { name: name.unwrap_or("pre").to_owned(), known });
        }
        Ok(Plan { outcome: Outcome::Promises(chosen), ..self.clone() })
    }

    /// The same plan with those of its promises alone that another makes by name.
    #[must_use]
    pub fn promising_as(mut self, other: &Plan) -> Plan {
        if let Outcome::Promises(promises) = &mut self.outcome {
            promises.retain(|promise| other.promises().iter().any(|one| one.name == promise.name));
        }
        self
    }
}
