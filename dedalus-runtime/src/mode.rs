//! The three variants of every rule.

/// A variant as a type, so that each is compiled on its own and pays for nothing it does not use.
pub trait Mode {
    /// Whether firings are recorded.
    const RECORD: bool;
    /// Whether negation is relaxed and every clock row that can be up is up.
    const RELAX: bool;
}

/// Join and derive, nothing else.
pub struct Plain;
/// Also record each firing.
pub struct Lineage;
/// Derive all that some admissible execution derives, and record each firing.
pub struct Potential;

impl Mode for Plain {
    const RECORD: bool = false;
    const RELAX: bool = false;
}

impl Mode for Lineage {
    const RECORD: bool = true;
    const RELAX: bool = false;
}

impl Mode for Potential {
    const RECORD: bool = true;
    const RELAX: bool = true;
}

/// A variant as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// [`Plain`]
    Plain,
    /// [`Lineage`]
    Lineage,
    /// [`Potential`]
    Potential,
}
