//! What a node tells a specification.

use std::fmt;

use ldfi_model::{Tuple, Value};

/// Something that happened at a node: a fact of an `input` relation of the same name. Its first column is the node.
pub type Event = Tuple;

/// A value that an event can hold.
pub trait Column {
    /// The value; none if it does not fit in one.
    fn value(self) -> Option<Value>;
}

macro_rules! column {
    ($($ty:ty),*) => {
        $(impl Column for $ty {
            fn value(self) -> Option<Value> {
                i64::try_from(self).ok().map(Value::Int)
            }
        })*
    };
}
column!(i32, i64, u32, u64, usize);

impl Column for &str {
    fn value(self) -> Option<Value> {
        Some(Value::from(self))
    }
}

impl Column for String {
    fn value(self) -> Option<Value> {
        Some(Value::Str(self))
    }
}

impl Column for Value {
    fn value(self) -> Option<Value> {
        Some(self)
    }
}

/// The columns of an event after its node: a tuple of values, or a single one.
pub trait Columns {
    /// The values; none if one of them does not fit.
    fn values(self) -> Option<Vec<Value>>;
}

impl<C: Column> Columns for C {
    fn values(self) -> Option<Vec<Value>> {
        Some(vec![self.value()?])
    }
}

/// Columns that are values already.
pub(crate) struct Given(pub Option<Vec<Value>>);

impl Columns for Given {
    fn values(self) -> Option<Vec<Value>> {
        self.0
    }
}

macro_rules! columns {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Column),*> Columns for ($($name,)*) {
            fn values(self) -> Option<Vec<Value>> {
                Some(vec![$(self.$place.value()?),*])
            }
        }
    };
}
columns!();
columns!(A 0);
columns!(A 0, B 1);
columns!(A 0, B 1, C 2);
columns!(A 0, B 1, C 2, D 3);
columns!(A 0, B 1, C 2, D 3, E 4);

/// An event of a node.
pub(crate) fn event_of(relation: &str, node: &str, columns: impl Columns) -> Result<Event, Misfit> {
    let why = "a number does not fit in a 64-bit integer";
    let mut values = columns.values().ok_or_else(|| Misfit { event: relation.to_owned(), why: why.to_owned() })?;
    values.insert(0, node.into());
    Ok(Event::new(relation, values))
}

/// An event that no specification can take.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Misfit {
    /// The event.
    pub event: String,
    /// Why not.
    pub why: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the event `{}` fits no fact: {}", self.event, self.why)
    }
}

impl std::error::Error for Misfit {}
