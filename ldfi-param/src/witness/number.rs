//! Numbers that are counts: what a comparison of them comes to.

use dedalus_syntax::ast::{BinaryOp, CompareOp};

use super::theory::Arg;

/// How many elements a group has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    /// Which `count`.
    pub(crate) count: usize,
    /// The columns of its group.
    pub(crate) group: Vec<Arg>,
}

/// `Σ factor · count + constant`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    pub(crate) parts: Vec<(i64, Count)>,
    pub(crate) constant: i64,
}

/// A number made of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Linear(Linear),
    /// `linear / divisor + constant`, where the linear part is not negative and the divisor is positive.
    Quotient(Linear, i64, i64),
}

/// `linear > 0`, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) linear: Linear,
    pub(crate) positive: bool,
}

impl Linear {
    pub(crate) fn constant(constant: i64) -> Self {
        Linear { parts: vec![], constant }
    }

    fn plus(&self, other: &Linear, factor: i64) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (times, count) in &other.parts {
            let times = times.checked_mul(factor)?;
            match sum.parts.iter_mut().find(|(_, known)| known == count) {
                Some((known, _)) => *known = known.checked_add(times)?,
                None => sum.parts.push((times, count.clone())),
            }
        }
        sum.parts.retain(|(factor, _)| *factor != 0);
        Some(sum)
    }

    fn is_not_negative(&self) -> bool {
        self.constant >= 0 && self.parts.iter().all(|(factor, _)| *factor >= 0)
    }
}

impl Number {
    pub(crate) fn of(count: Count) -> Self {
        Number::Linear(Linear { parts: vec![(1, count)], constant: 0 })
    }

    /// The number that arithmetic makes; `None` if it is none of these.
    pub(crate) fn compute(op: BinaryOp, left: &Number, right: &Number) -> Option<Number> {
        use Number::{Linear as L, Quotient as Q};
        let constant = |number: &Number| match number {
            L(linear) if linear.parts.is_empty() => Some(linear.constant),
            _ => None,
        };
        match (op, left, right) {
            (BinaryOp::Add, L(one), L(other)) => one.plus(other, 1).map(L),
            (BinaryOp::Sub, L(one), L(other)) => one.plus(other, -1).map(L),
            (BinaryOp::Mul, L(one), other) | (BinaryOp::Mul, other, L(one)) if constant(other).is_some() => {
                Linear::default().plus(one, constant(other)?).map(L)
            }
            (BinaryOp::Div, L(one), other) if one.is_not_negative() => {
                constant(other).filter(|divisor| *divisor > 0).map(|divisor| Q(one.clone(), divisor, 0))
            }
            (BinaryOp::Add, Q(one, divisor, more), other) | (BinaryOp::Add, other, Q(one, divisor, more)) => {
                Some(Q(one.clone(), *divisor, more.checked_add(constant(other)?)?))
            }
            (BinaryOp::Sub, Q(one, divisor, more), other) => {
                Some(Q(one.clone(), *divisor, more.checked_sub(constant(other)?)?))
            }
            _ => None,
        }
    }

    /// What a comparison says, as parts that must all hold; `None` if it is not linear.
    pub(crate) fn compare(op: CompareOp, left: &Number, right: &Number) -> Option<Vec<Comparison>> {
        let one = |comparison: Option<Comparison>| comparison.map(|comparison| vec![comparison]);
        match op {
            CompareOp::Gt => one(greater(left, right, 0)),
            CompareOp::Ge => one(greater(left, right, 1)),
            CompareOp::Lt => one(greater(right, left, 0)),
            CompareOp::Le => one(greater(right, left, 1)),
            CompareOp::Eq => Some(vec![greater(left, right, 1)?, greater(right, left, 1)?]),
            CompareOp::Ne => None,
        }
    }
}

/// `left + slack > right`, over the integers.
fn greater(left: &Number, right: &Number, slack: i64) -> Option<Comparison> {
    match (left, right) {
        (Number::Linear(left), Number::Linear(right)) => {
            let linear = left.plus(right, -1)?.plus(&Linear::constant(slack), 1)?;
            Some(Comparison { linear, positive: true })
        }
        // left + slack > ⌊x / d⌋ + c  ⟺  ⌊x / d⌋ ≤ left + slack - c - 1  ⟺  d · (left + slack - c) > x
        (Number::Linear(left), Number::Quotient(x, divisor, more)) => {
            let bound = left.plus(&Linear::constant(slack.checked_sub(*more)?), 1)?;
            let linear = Linear::default().plus(&bound, *divisor)?.plus(x, -1)?;
            Some(Comparison { linear, positive: true })
        }
        // left + slack > right  ⟺  not (right + (1 - slack) > left)
        (Number::Quotient(..), Number::Linear(_)) => {
            let turned = greater(right, left, 1 - slack)?;
            Some(Comparison { positive: !turned.positive, ..turned })
        }
        (Number::Quotient(..), Number::Quotient(..)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(which: usize) -> Number {
        Number::of(Count { count: which, group: vec![] })
    }

    fn constant(value: i64) -> Number {
        Number::Linear(Linear::constant(value))
    }

    /// The value of a number when the counts are these.
    fn value(number: &Number, counts: &[i64]) -> i64 {
        let linear = |l: &Linear| l.constant + l.parts.iter().map(|(f, c)| f * counts[c.count]).sum::<i64>();
        match number {
            Number::Linear(l) => linear(l),
            Number::Quotient(l, divisor, more) => linear(l) / divisor + more,
        }
    }

    #[test]
    fn comparisons_say_what_the_numbers_say() {
        let half = Number::compute(BinaryOp::Div, &count(1), &constant(2)).unwrap();
        let majority = Number::compute(BinaryOp::Add, &half, &constant(1)).unwrap();
        let twice = Number::compute(BinaryOp::Mul, &count(0), &constant(2)).unwrap();
        let numbers = [count(0), count(1), half, majority, twice, constant(2)];
        let ops = CompareOp::ALL.map(|(_, op)| op);
        let mut seen = 0;
        for (left, right, op) in numbers.iter().flat_map(|l| numbers.iter().flat_map(move |r| ops.map(|op| (l, r, op))))
        {
            let Some(parts) = Number::compare(op, left, right) else { continue };
            for counts in (0..6).flat_map(|a| (0..6).map(move |b| [a, b])) {
                seen += 1;
                let wanted = op.holds(&value(left, &counts), &value(right, &counts));
                let found = parts
                    .iter()
                    .all(|part| (value(&Number::Linear(part.linear.clone()), &counts) > 0) == part.positive);
                assert_eq!(found, wanted, "{left:?} {op:?} {right:?} at {counts:?}");
            }
        }
        assert!(seen > 2000, "{seen}");
    }
}
