//! Arithmetic that never wraps. Operands and results are `Result`s, so that expressions nest.

use dedalus_syntax::ast::BinaryOp;

use crate::error::Arithmetic;
use crate::value::Word;

/// A computed value, or why there is none.
pub type Computed = Result<Word, Arithmetic>;

/// `a + b`
#[inline(always)]
pub fn add(a: Computed, b: Computed) -> Computed {
    a?.checked_add(b?).ok_or(Arithmetic::Overflow)
}

/// `a - b`
#[inline(always)]
pub fn sub(a: Computed, b: Computed) -> Computed {
    a?.checked_sub(b?).ok_or(Arithmetic::Overflow)
}

/// `a * b`
#[inline(always)]
pub fn mul(a: Computed, b: Computed) -> Computed {
    a?.checked_mul(b?).ok_or(Arithmetic::Overflow)
}

/// `a / b`, toward zero
#[inline(always)]
pub fn div(a: Computed, b: Computed) -> Computed {
    let (a, b) = (a?, b?);
    if b == 0 {
        return Err(Arithmetic::DivisionByZero);
    }
    a.checked_div(b).ok_or(Arithmetic::Overflow)
}

/// `-a`
#[inline(always)]
pub fn neg(a: Computed) -> Computed {
    a?.checked_neg().ok_or(Arithmetic::Overflow)
}

/// `a op b`
pub fn binary(op: BinaryOp, a: Computed, b: Computed) -> Computed {
    match op {
        BinaryOp::Add => add(a, b),
        BinaryOp::Sub => sub(a, b),
        BinaryOp::Mul => mul(a, b),
        BinaryOp::Div => div(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_wraps() {
        assert_eq!(add(Ok(i64::MAX), Ok(1)), Err(Arithmetic::Overflow));
        assert_eq!(sub(Ok(i64::MIN), Ok(1)), Err(Arithmetic::Overflow));
        assert_eq!(mul(Ok(i64::MAX), Ok(2)), Err(Arithmetic::Overflow));
        assert_eq!(div(Ok(i64::MIN), Ok(-1)), Err(Arithmetic::Overflow));
        assert_eq!(neg(Ok(i64::MIN)), Err(Arithmetic::Overflow));
        assert_eq!(div(Ok(1), Ok(0)), Err(Arithmetic::DivisionByZero));
        assert_eq!(div(Ok(-7), Ok(2)), Ok(-3));
    }
}
