//! Variables and literals.

use std::fmt;
use std::ops::Not;

/// A propositional variable, numbered from 0 in the order of [`Sink::new_var`](super::Sink::new_var).
///
/// ```
/// use ldfi_core::solver::Var;
/// let x = Var::new(0);
/// assert_eq!(x.pos().to_dimacs(), 1);
/// assert_eq!(x.neg().to_dimacs(), -1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

/// A variable or its negation, coded as `2 * variable + (1 if negated)`.
///
/// ```
/// use ldfi_core::solver::{Lit, Sink, Var};
/// let x = Var::new(4);
/// assert_eq!(!x.pos(), x.neg());
/// assert_eq!(!!x.neg(), x.neg());
/// assert_eq!(x.neg().var(), x);
/// assert_eq!(Lit::from_dimacs(-5), Some(x.neg()));
/// assert_eq!(Lit::from_dimacs(0), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Var {
    /// The largest variable: beyond it a DIMACS number would not fit in `i32`.
    pub const MAX: Var = Var(i32::MAX as u32 - 1);

    /// The variable with this index; an index beyond [`Var::MAX`] gives [`Var::MAX`].
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Var(if index > Self::MAX.0 { Self::MAX.0 } else { index })
    }

    /// Position in tables that have one row a variable.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true when the variable is.
    #[must_use]
    pub const fn pos(self) -> Lit {
        Lit(self.0 << 1)
    }

    /// The literal that is true when the variable is false.
    #[must_use]
    pub const fn neg(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }

    /// The literal that says "this variable has that value".
    #[must_use]
    pub const fn lit(self, value: bool) -> Lit {
        Lit(self.0 << 1 | !value as u32)
    }
}

impl Lit {
    /// The variable spoken of.
    #[must_use]
    pub const fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether the literal asserts its variable rather than denies it.
    #[must_use]
    pub const fn is_pos(self) -> bool {
        self.0 & 1 == 0
    }

    /// Position in tables that have one row a literal.
    #[must_use]
    pub const fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal as DIMACS writes it: variables from 1, negation as a minus sign.
    #[must_use]
    pub const fn to_dimacs(self) -> i32 {
        let number = (self.0 >> 1) as i32 + 1;
        if self.is_pos() { number } else { -number }
    }

    /// Reads what [`Lit::to_dimacs`] writes; `None` for 0, which ends a clause, and for `i32::MIN`.
    #[must_use]
    pub const fn from_dimacs(number: i32) -> Option<Self> {
        match number.checked_abs() {
            None | Some(0) => None,
            Some(n) => Some(Var(n as u32 - 1).lit(number > 0)),
        }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl From<Var> for Lit {
    fn from(var: Var) -> Lit {
        var.pos()
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", if self.is_pos() { "" } else { "!" }, self.var())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimacs_numbers_come_back_as_they_went() {
        for number in [1, -1, 2, -2, 77, i32::MAX, -i32::MAX] {
            assert_eq!(Lit::from_dimacs(number).map(Lit::to_dimacs), Some(number));
        }
        assert_eq!(Lit::from_dimacs(i32::MIN), None);
        assert_eq!(Var::new(u32::MAX), Var::MAX);
        assert_eq!(Var::MAX.neg().to_dimacs(), -i32::MAX);
    }
}
