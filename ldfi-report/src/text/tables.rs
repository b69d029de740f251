//! The tables of a run by time: a row for each tuple, a mark for each step at which it holds.

use super::paint::{Ink, clip, paint};
use super::{TextOptions, visible};
use crate::model::{Report, Run, Time, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Rows beyond this many in one relation are counted, not shown.
const MOST_ROWS: usize = 40;

/// Every relation of a run, in the order of their names.
pub fn tables(report: &Report, run: &Run, options: &TextOptions) -> String {
    let run = &*visible::run(run);
    let mut relations: BTreeMap<&str, Lives> = BTreeMap::new();
    for tuple in &run.tuples {
        let lives = relations.entry(run.relation(tuple.relation)).or_default();
        lives.entry(&tuple.values).or_default().insert(tuple.time);
    }
    let blocks: Vec<String> = relations.iter().map(|(name, lives)| table(report, run, name, lives, options)).collect();
    blocks.join("\n")
}

/// When each row holds.
type Lives<'a> = BTreeMap<&'a [ValueId], BTreeSet<Time>>;

fn table(report: &Report, run: &Run, name: &str, lives: &Lives, options: &TextOptions) -> String {
    let mut rows: Vec<(Vec<String>, &BTreeSet<Time>)> =
        lives.iter().map(|(row, times)| (row.iter().map(|v| run.text(*v)).collect(), times)).collect();
    rows.sort();
    let hidden = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    let texts = align(&rows);
    let eot = report.spec.eot();
    let width = texts.iter().map(|t| t.chars().count()).chain([name.chars().count()]).max();
    let width = width.unwrap_or(0).min(options.width / 2);
    let cell = eot.to_string().len() + 1;
    let grid = 4 + width + cell * eot as usize <= options.width;

    let steps: String = (1..=eot).map(|t| format!("{t:>cell$}")).collect();
    let heading = format!("{name:<pad$}", pad = width + 2);
    let mut out = paint(options, Ink::Name, &heading);
    let _ = writeln!(out, "{}", if grid { paint(options, Ink::Faint, &steps) } else { String::new() });
    for (text, (_, times)) in texts.iter().zip(&rows) {
        let life = if grid { marks(times, eot, cell, options) } else { format!(" {}", spans(times)) };
        let _ = writeln!(out, "  {:<width$}{life}", clip(text, width, options.unicode));
    }
    if hidden > 0 {
        let _ = writeln!(out, "  … and {hidden} more rows; the HTML report shows them all");
    }
    out
}

/// The rows with their columns lined up.
fn align(rows: &[(Vec<String>, &BTreeSet<Time>)]) -> Vec<String> {
    let mut widths: Vec<usize> = Vec::new();
    for (row, _) in rows {
        for (at, cell) in row.iter().enumerate() {
            let length = cell.chars().count();
            match widths.get_mut(at) {
                Some(width) => *width = length.max(*width),
                None => widths.push(length),
            }
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(|(row, _)| line(row)).collect()
}

fn marks(times: &BTreeSet<Time>, eot: Time, cell: usize, options: &TextOptions) -> String {
    let (on, off) = if options.unicode { ("■", "·") } else { ("#", ".") };
    let mark = |t: Time| format!("{:>cell$}", if times.contains(&t) { on } else { off });
    (1..=eot).map(mark).collect()
}

/// `1-4, 7` for the times 1, 2, 3, 4 and 7.
fn spans(times: &BTreeSet<Time>) -> String {
    let mut spans: Vec<(Time, Time)> = Vec::new();
    for time in times {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *time => *last = *time,
            _ => spans.push((*time, *time)),
        }
    }
    let show = |(from, to): &(Time, Time)| {
        if from == to { from.to_string() } else { format!("{from}-{to}") }
    };
    spans.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_join_neighbouring_times() {
        assert_eq!(spans(&BTreeSet::from([1, 2, 3, 5, 7, 8])), "1-3, 5, 7-8");
    }
}
