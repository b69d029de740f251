//! A sum of rows that says `0 < 0`.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::row::System;

/// Why a system has no point: rows, each taken so many times, whose sum has no negative coefficient and a negative bound.
///
/// No point satisfies the sum, because all variables are at least zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Farkas {
    /// One for each row of the system; none is negative.
    pub multipliers: Vec<BigInt>,
}

impl Farkas {
    /// Whether it shows that this system has no point.
    pub fn refutes(&self, system: &System) -> bool {
        if self.multipliers.len() != system.rows.len() || self.multipliers.iter().any(Signed::is_negative) {
            return false;
        }
        let mut sum = vec![BigInt::zero(); system.variables];
        let mut bound = BigInt::zero();
        for (row, times) in system.rows.iter().zip(&self.multipliers) {
            row.terms.iter().for_each(|(variable, factor)| sum[*variable] += times * factor);
            bound += times * row.most;
        }
        bound.is_negative() && !sum.iter().any(Signed::is_negative)
    }

    /// The rows that are needed.
    pub fn support(&self) -> impl Iterator<Item = usize> {
        self.multipliers.iter().enumerate().filter(|(_, times)| !times.is_zero()).map(|(row, _)| row)
    }
}
