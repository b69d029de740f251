//! The known name closest to a mistyped one.

/// The candidate within a third of the longer word's length, if any; the first among equals.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Words of very different length are far apart: no need to count by how much.
    let near = |candidate: &&str| word.len().abs_diff(candidate.len()) <= word.len().max(candidate.len()) / 3;
    candidates
        .into_iter()
        .filter(near)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(d, candidate)| *d <= word.len().max(candidate.len()) / 3 && *candidate != word)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap neighbours) that lead from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word() {
        assert_eq!(nearest("bcats", ["bcast", "log"]), Some("bcast"));
        assert_eq!(nearest("Pload", ["Node", "Payload"]), Some("Payload"));
        assert_eq!(nearest("zzz", ["bcast", "log"]), None);
        assert_eq!(nearest("X", ["Y"]), None);
    }
}
