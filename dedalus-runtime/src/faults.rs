//! Faults, as every crate knows them, and a macro to write them in Rust.

pub use ldfi_model::{Fault, FaultError, FaultSet, Faults, FaultsError, Sides, Strike, Time, Tuple, eot};

/// A fault set, in the words of its text form.
///
/// ```
/// use dedalus_runtime::{faults, faults::Faults};
/// let lost = faults![lose "a" -> "b" @ 1, crash "c" @ 3, restart "c" @ 5];
/// assert_eq!(lost.to_string(), "lose a->b@1; crash c@3; restart c@5");
/// let late = faults![delay "a" -> "b" @ 1 by 2, partition "a", "b" | "c" @ 1 until 3, pause "c" @ 2 until 4];
/// assert_eq!(late.to_string(), "delay a->b@1 by 2; partition a,b|c@1 until 3; pause c@2 until 4");
/// let one = faults![lose "a" -> "b" @ 1 vote("b", "a", 3), give timeout("a") @ 2];
/// assert_eq!(one.to_string(), "lose a->b@1 vote(\"b\", \"a\", 3); give timeout(\"a\")@2");
/// ```
#[macro_export]
macro_rules! faults {
    // One fault at a time, its tokens gathered up to the comma that ends it.
    (@add $set:expr $(,)?) => { $set };
    (@add $set:expr, lose $from:literal -> $to:literal @ $time:literal $relation:ident ( $($value:expr),* ) $($rest:tt)*) => {
        $crate::faults!(@add $set.with($time, $crate::faults::Strike::Lose {
            from: $from.into(), to: $to.into(), message: Some($crate::faults!(@tuple $relation $($value),*)),
        }) $($rest)*)
    };
    (@add $set:expr, lose $from:literal -> $to:literal @ $time:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.lose($from, $to, $time) $($rest)*)
    };
    (@add $set:expr, delay $from:literal -> $to:literal @ $time:literal $relation:ident ( $($value:expr),* ) by $by:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.with($time, $crate::faults::Strike::Delay {
            from: $from.into(), to: $to.into(), message: Some($crate::faults!(@tuple $relation $($value),*)), by: $by,
        }) $($rest)*)
    };
    (@add $set:expr, delay $from:literal -> $to:literal @ $time:literal by $by:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.delay($from, $to, $time, $by) $($rest)*)
    };
    (@add $set:expr, duplicate $from:literal -> $to:literal @ $time:literal $relation:ident ( $($value:expr),* ) by $by:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.with($time, $crate::faults::Strike::Duplicate {
            from: $from.into(), to: $to.into(), message: Some($crate::faults!(@tuple $relation $($value),*)), by: $by,
        }) $($rest)*)
    };
    (@add $set:expr, duplicate $from:literal -> $to:literal @ $time:literal by $by:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.duplicate($from, $to, $time, $by) $($rest)*)
    };
    (@add $set:expr, partition $($one:literal),+ | $($other:literal),+ @ $time:literal until $until:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.partition([$($one),+], [$($other),+], $time, $until) $($rest)*)
    };
    (@add $set:expr, crash $node:literal @ $time:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.crash($node, $time) $($rest)*)
    };
    (@add $set:expr, restart $node:literal @ $time:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.restart($node, $time) $($rest)*)
    };
    (@add $set:expr, pause $node:literal @ $time:literal until $until:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.pause($node, $time, $until) $($rest)*)
    };
    (@add $set:expr, give $relation:ident ( $($value:expr),* ) @ $time:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.give($crate::faults!(@tuple $relation $($value),*), $time) $($rest)*)
    };
    (@tuple $relation:ident $($value:expr),*) => {
        $crate::faults::Tuple::new(stringify!($relation), [$($crate::Value::from($value)),*])
    };
    () => { $crate::faults::Faults::none() };
    ($($all:tt)+) => { $crate::faults!(@add $crate::faults::Faults::none(), $($all)+) };
}
