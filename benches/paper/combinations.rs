//! How many combinations of failures a specification admits, by the paper's definition.

use num_bigint::BigUint;

/// Combinations for ⟨EOT, EFF, Crashes⟩ on so many nodes, exactly.
///
/// Each message between two different nodes, at each of the steps 1 to EFF, is lost or not. With a crash: for each
/// node and each time of 1 to EOT + 1 (one beyond the end stands for none), the messages that it would send from
/// then on count no more. This reproduces every entry of Figures 12 and 13. (The paper counts EFF lossy steps; here
/// messages sent *before* EFF may be lost, which is one step less. The figures are compared as they are printed.)
pub fn combinations(nodes: u32, [eot, eff, crashes]: [u32; 3]) -> BigUint {
    let two = BigUint::from(2_u32);
    let messages = nodes * (nodes - 1) * eff;
    if crashes == 0 {
        return two.pow(messages);
    }
    assert_eq!(crashes, 1, "the paper's tables have no more than one crash");
    let silenced = |crash: u32| (nodes - 1) * (eff + 1).saturating_sub(crash);
    (1..=eot + 1).map(|crash| two.pow(messages - silenced(crash))).sum::<BigUint>() * nodes
}

/// As the paper prints them: three figures, or all of a small number.
pub fn printed(number: &BigUint) -> String {
    let digits = number.to_string();
    if digits.len() <= 2 {
        return digits;
    }
    let mut power = digits.len() - 1;
    let mut leading: u32 = digits[..3].parse().expect("three digits");
    leading += u32::from(digits.as_bytes().get(3).is_some_and(|next| *next >= b'5'));
    if leading == 1000 {
        (leading, power) = (100, power + 1);
    }
    format!("{}.{:02}e{power}", leading / 100, leading % 100)
}
