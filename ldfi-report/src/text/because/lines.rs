//! The lines of a tree, and which of them to keep where there is room for a few only.

use ldfi_model::Fault;
use std::collections::HashSet;
use std::fmt::Write as _;

/// One thing that a tree says, on a line or several.
#[derive(Default)]
pub(super) struct Line {
    /// How far it is from its root.
    pub depth: usize,
    /// What stands before it: the branches of the tree.
    pub indent: String,
    /// What stands before its other lines.
    pub more: String,
    /// What it says, line by line.
    pub text: Vec<String>,
    /// Of what is told elsewhere: that line, by its place, and what is said if it is left out.
    pub see: Option<(usize, Vec<String>)>,
    /// The faults that it names.
    pub faults: Vec<Fault>,
}

/// The lines as they are, each root after an empty line.
pub(super) fn all(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        add(&mut out, line, &line.text);
    }
    out
}

/// About `most` of the lines, and how many were left out: those on the way to the first mention of each fault, then those
/// nearest to the roots. Where lines are left out that is seen.
pub(super) fn few(lines: &[Line], most: usize, dots: &str) -> (String, usize) {
    let kept = kept(lines, most);
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        if kept[at] {
            let text = line.see.as_ref().filter(|(see, _)| !kept[*see]).map_or(&line.text, |(_, left_out)| left_out);
            add(&mut out, line, text);
        } else if at == 0 || kept[at - 1] {
            let _ = writeln!(out, "{}{dots}", line.indent);
        }
    }
    (out, lines.iter().zip(kept).filter(|(_, kept)| !kept).map(|(line, _)| line.text.len()).sum())
}

fn add(out: &mut String, line: &Line, text: &[String]) {
    if line.depth == 0 && !out.is_empty() {
        out.push('\n');
    }
    for (at, text) in text.iter().enumerate() {
        let indent = if at == 0 { &line.indent } else { &line.more };
        let _ = writeln!(out, "{}", format!("{indent}{text}").trim_end());
    }
}

fn kept(lines: &[Line], most: usize) -> Vec<bool> {
    let whole: usize = lines.iter().map(|line| line.text.len()).sum();
    let mut kept = vec![whole <= most; lines.len()];
    let mut named = HashSet::new();
    for (at, line) in lines.iter().enumerate() {
        let fresh = line.faults.iter().filter(|fault| named.insert(*fault)).count();
        if fresh > 0 {
            keep_with_those_above(lines, at, &mut kept);
        }
    }
    let taken: usize = lines.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| line.text.len()).sum();
    let mut room = most.saturating_sub(taken);
    let deepest = lines.iter().map(|line| line.depth).max().unwrap_or(0);
    for depth in 0..=deepest {
        for at in (0..lines.len()).filter(|at| lines[*at].depth == depth) {
            if room > 0 && !kept[at] {
                kept[at] = true;
                room = room.saturating_sub(lines[at].text.len());
            }
        }
    }
    // To say that one line is left out takes a line.
    for at in 0..lines.len() {
        let alone = |other: Option<&bool>| other.is_none_or(|kept| *kept);
        kept[at] |= lines[at].text.len() == 1 && alone(kept.get(at.wrapping_sub(1))) && alone(kept.get(at + 1));
    }
    kept
}

/// Keeps a line and those that it stands below.
fn keep_with_those_above(lines: &[Line], at: usize, kept: &mut [bool]) {
    kept[at] = true;
    let mut depth = lines[at].depth;
    for above in (0..at).rev() {
        if lines[above].depth < depth {
            depth = lines[above].depth;
            kept[above] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(depths: &[(usize, &str)]) -> Vec<Line> {
        let fault = |text: &&str| text.parse::<ldfi_model::Faults>().unwrap().iter().next().cloned();
        let line = |(at, (depth, faults)): (usize, &(usize, &str))| Line {
            depth: *depth,
            indent: " ".repeat(*depth),
            text: vec![at.to_string()],
            faults: Some(faults).filter(|text| !text.is_empty()).and_then(fault).into_iter().collect(),
            ..Line::default()
        };
        depths.iter().enumerate().map(line).collect()
    }

    #[test]
    fn a_short_tree_is_told_whole() {
        let lines = tree(&[(0, ""), (1, "crash a@1"), (0, "")]);
        assert_eq!(few(&lines, 3, "…"), (all(&lines), 0));
        assert_eq!(all(&lines), "0\n 1\n\n2\n");
    }

    #[test]
    fn no_fault_is_left_out_nor_the_way_to_it() {
        let lines = tree(&[(0, ""), (1, ""), (2, ""), (1, ""), (2, ""), (3, "crash a@1"), (2, "crash a@1"), (1, "")]);
        let (out, left) = few(&lines, 2, "…");
        assert_eq!(out, "0\n …\n 3\n  4\n   5\n  …\n");
        assert_eq!(left, 4);
        let (out, left) = few(&lines, 5, "…");
        assert_eq!(
            (&out[..], left),
            ("0\n 1\n  2\n 3\n  4\n   5\n  …\n", 2),
            "nothing is gained by leaving out one line"
        );
    }

    #[test]
    fn what_is_told_in_a_line_that_is_left_out_says_so() {
        let mut lines = tree(&[(0, ""), (1, ""), (2, ""), (2, ""), (1, "crash a@1"), (1, "crash b@1")]);
        lines[5].see = Some((2, vec!["left out".to_owned()]));
        let (out, left) = few(&lines, 1, "…");
        assert_eq!((&out[..], left), ("0\n …\n 4\n left out\n", 3));
        lines[5].see = Some((4, vec!["left out".to_owned()]));
        assert!(few(&lines, 1, "…").0.ends_with(" 4\n 5\n"), "what it points to is there");
    }

    #[test]
    fn what_takes_several_lines_is_counted_so() {
        let mut lines = tree(&[(0, ""), (1, ""), (1, ""), (1, "")]);
        lines[1].text = vec!["one".to_owned(), "two".to_owned()];
        lines[1].more = "  | ".to_owned();
        assert_eq!(all(&lines), "0\n one\n  | two\n 2\n 3\n");
        assert_eq!(few(&lines, 5, "…"), (all(&lines), 0));
        assert_eq!(few(&lines, 2, "…"), ("0\n one\n  | two\n …\n".to_owned(), 2));
    }
}
