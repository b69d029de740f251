//! A tuple of a relation, without its time.

use std::fmt;

use crate::value::Value;

/// A tuple of a relation, as in `vote("b", "a", 3)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tuple {
    /// The relation.
    pub relation: String,
    /// The columns.
    pub values: Vec<Value>,
}

impl Tuple {
    /// A tuple of that relation.
    pub fn new(relation: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Tuple { relation: relation.into(), values: values.into_iter().collect() }
    }
}

impl fmt::Display for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.relation)?;
        for (i, value) in self.values.iter().enumerate() {
            write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}
