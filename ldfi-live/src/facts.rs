//! Events as types: a struct for each relation, so that the compiler checks what is told, and a cluster whom it is told to.

use ldfi_model::{Type, Value};

use crate::event::{Column, Misfit};
use crate::specification::Specification;

/// An event of a type of its own; [`events!`](crate::events) makes such types.
pub trait Fact {
    /// The relation.
    const RELATION: &'static str;

    /// The types of its columns, the node aside.
    const COLUMNS: &'static [Type];

    /// Its columns, the node aside; none if one of them does not fit.
    fn values(self) -> Option<Vec<Value>>;
}

/// The type that a column of Rust is in a relation.
pub trait Typed: Column {
    /// The type.
    const TYPE: Type;
}

macro_rules! typed {
    ($($ty:ty => $as:ident),*) => {
        $(impl Typed for $ty {
            const TYPE: Type = Type::$as;
        })*
    };
}
typed!(i32 => Int, i64 => Int, u32 => Int, u64 => Int, usize => Int, &'static str => Str, String => Str);

/// Types for events: `Decided = decided(usize, i64);` makes `struct Decided(pub usize, pub i64)`, of the relation `decided`.
///
/// ```
/// ldfi_live::events! {
///     /// A client was promised this.
///     Acked = acked(i64);
///     Decided = decided(usize, i64);
/// }
/// use ldfi_live::Fact;
/// assert_eq!(Decided::RELATION, "decided");
/// assert_eq!(Decided(1, 7).values().map(|values| values.len()), Some(2));
/// ```
#[macro_export]
macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $relation:ident($($column:ty),* $(,)?);)*) => {
        $(
            #[doc = concat!("An event of the relation `", stringify!($relation), "`.")]
            $(#[$doc])*
            #[derive(Clone, Debug)]
            pub struct $name($(pub $column),*);

            impl $crate::Fact for $name {
                const RELATION: &'static str = stringify!($relation);
                const COLUMNS: &'static [$crate::Type] = &[$(<$column as $crate::Typed>::TYPE),*];

                fn values(self) -> ::core::option::Option<::std::vec::Vec<$crate::Value>> {
                    $crate::events!(@bind self $name [] $($column),*)
                }
            }
        )*
    };
    (@bind $self:ident $name:ident [$($bound:ident)*] $first:ty $(, $rest:ty)*) => {
        $crate::events!(@bind $self $name [$($bound)* column] $($rest),*)
    };
    (@bind $self:ident $name:ident []) => { ::core::option::Option::Some(::std::vec![]) };
    (@bind $self:ident $name:ident [$a:ident]) => {{
        let $name(a) = $self;
        $crate::Columns::values((a,))
    }};
    (@bind $self:ident $name:ident [$a:ident $b:ident]) => {{
        let $name(a, b) = $self;
        $crate::Columns::values((a, b))
    }};
    (@bind $self:ident $name:ident [$a:ident $b:ident $c:ident]) => {{
        let $name(a, b, c) = $self;
        $crate::Columns::values((a, b, c))
    }};
    (@bind $self:ident $name:ident [$a:ident $b:ident $c:ident $d:ident]) => {{
        let $name(a, b, c, d) = $self;
        $crate::Columns::values((a, b, c, d))
    }};
    (@bind $self:ident $name:ident [$a:ident $b:ident $c:ident $d:ident $e:ident]) => {{
        let $name(a, b, c, d, e) = $self;
        $crate::Columns::values((a, b, c, d, e))
    }};
}

/// Whether some specification has a relation for such events, with the node in its first column.
///
/// # Errors
/// If none has, or with other columns.
pub fn fits<F: Fact>(specifications: &[Specification]) -> Result<(), Misfit> {
    let mut wrong = "no specification has a relation of this name".to_owned();
    let show = |types: &[Type]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let columns: Vec<Type> = [Type::Str].into_iter().chain(F::COLUMNS.iter().copied()).collect();
    for specification in specifications {
        let plan = specification.plan();
        let Some(relation) = plan.relation(F::RELATION) else { continue };
        let there = &plan.rel(relation).columns;
        if *there == columns {
            return Ok(());
        }
        let name = specification.name();
        wrong = format!("with its node it is ({}), and `{name}` has ({})", show(&columns), show(there));
    }
    Err(Misfit { event: F::RELATION.to_owned(), why: wrong })
}
