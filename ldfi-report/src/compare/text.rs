//! Tables for terminals.

use std::fmt::Write as _;

use ldfi_model::{Cell, Comparison, Faults, Finding, Kind, Row, RunCost};

use super::{by_kind, crashes, in_short, in_words, since};
use crate::text::{Ink, TextOptions, paint, visible};

/// More faults than these are not written out in a table.
const MOST: usize = 3;

/// What each variant costs, how far each kind of fault can go, the worst single fault, and the frontiers.
pub fn text(comparison: &Comparison, options: &TextOptions) -> String {
    let rows = &comparison.rows;
    let count = rows.len();
    let plural = if count == 1 { "" } else { "s" };
    let mut out = format!("{count} variant{plural}  {:#}\n", comparison.spec);

    let head = ["without faults", "messages", "kept from", "stored", "by kind"];
    let quiet = rows.iter().map(|row| match &row.quiet {
        Ok(cost) => named(row, figures(cost), by_kind(cost)),
        Err(_) => named(row, ["?", "?", "?"].map(str::to_owned), String::new()),
    });
    table(&mut out, head, quiet, options);

    let [eff, crashes, delay, partitions] = Kind::ALL.map(Kind::name);
    let head = ["survives alone", eff, crashes, delay, partitions, "broken by"];
    let alone = rows.iter().map(|row| {
        let figure = |kind: Kind| {
            let found = row.alone.iter().find(|(of, _)| *of == kind);
            found.map_or_else(|| "?".to_owned(), |(_, reach)| in_short(kind, reach))
        };
        let [eff, crashes, delay, partitions] = Kind::ALL.map(figure);
        [row.name.clone(), eff, crashes, delay, partitions, few(&row.whole)]
    });
    table(&mut out, head, alone, options);

    let head = ["worst one fault", "messages", "kept from", "stored", "fault"];
    let worst = rows.iter().map(|row| match &row.worst {
        Ok(Some(worst)) => named(row, figures(&worst.cost), row.worst_fault()),
        Ok(None) => named(row, ["-", "-", "-"].map(str::to_owned), row.worst_fault()),
        Err(_) => named(row, ["?", "?", "?"].map(str::to_owned), row.worst_fault()),
    });
    table(&mut out, head, worst, options);

    let shortened = |row: &Row| matches!(&row.whole, Finding::Broken(faults) if faults.len() > MOST);
    if rows.iter().any(shortened) {
        let _ = writeln!(out, "\nall faults of a set: --format json, or --report");
    }
    frontiers(&mut out, comparison, options);
    unknown(&mut out, comparison);
    if options.unicode { out } else { plain(&out) }
}

/// The first of many faults, and how many more there are.
fn few(finding: &Finding) -> String {
    match finding {
        Finding::Broken(faults) if faults.len() > MOST => {
            let mut first = Faults::none();
            faults.iter().take(MOST - 1).cloned().for_each(|fault| {
                first.insert(fault);
            });
            format!("{first}; and {} more", faults.len() - first.len())
        }
        other => in_words(other),
    }
}

fn figures(cost: &RunCost) -> [String; 3] {
    [cost.sent().to_string(), since(cost.holds), cost.stored.to_string()]
}

fn named(row: &Row, [one, two, three]: [String; 3], words: String) -> [String; 5] {
    [row.name.clone(), one, two, three, words]
}

/// Figures to the right, names and words to the left.
fn table<const N: usize>(
    out: &mut String,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    options: &TextOptions,
) {
    // Before they are lined up.
    let shown = |cell: String| if options.unicode { visible(&cell).into_owned() } else { plain(&visible(&cell)) };
    let rows: Vec<[String; N]> = rows.map(|row| row.map(shown)).collect();
    let widths = head.map(|name| name.chars().count());
    let widths: Vec<usize> =
        (0..N).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).max(widths[at])).collect();
    let line = |cells: [&str; N]| {
        let mut line = String::new();
        for (at, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let _ = match at {
                0 => write!(line, "{cell:width$}"),
                at if at + 1 == N => write!(line, "  {cell}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        line.trim_end().to_owned()
    };
    let _ = writeln!(out, "\n{}", paint(options, Ink::Faint, &line(head)));
    for row in &rows {
        let _ = writeln!(out, "{}", line(row.each_ref().map(|cell| &cell[..])));
    }
}

/// A map for each variant, as many side by side as there is room for.
fn frontiers(out: &mut String, comparison: &Comparison, options: &TextOptions) {
    let widest = comparison.rows.iter().map(|row| row.frontier.widest()).max().unwrap_or(0);
    let numbers: Vec<String> = (1..=widest).map(|eff| eff.to_string()).collect();
    let step = numbers.last().map_or(1, |last| last.len()) + 1;
    let most = comparison.rows.iter().map(|row| row.frontier.by_crashes.len()).max().unwrap_or(0);
    let side = (0..most).map(|at| crashes(at).len()).max().unwrap_or(0);
    let names = comparison.rows.iter().map(|row| visible(&row.name).chars().count());
    let width = names.max().unwrap_or(0).max(side + step * numbers.len());
    let fit = ((options.width + 3) / (width + 3)).max(1);
    let signs = "● survived  ✗ broken  ○ nothing promised  ? not known";
    let _ = writeln!(out, "\n{}", paint(options, Ink::Faint, &format!("frontier of eff and crashes: {signs}")));
    for some in comparison.rows.chunks(fit) {
        let mut lines: Vec<String> = vec![String::new(); most + 2];
        for (place, row) in some.iter().enumerate() {
            let mut map = vec![(visible(&row.name).into_owned(), visible(&row.name).chars().count())];
            let axis: String = numbers.iter().map(|number| format!("{number:>step$}")).collect();
            map.push((format!("{:>side$}{axis}", "eff"), side + step * numbers.len()));
            for count in 0..most {
                let mut line = format!("{:>side$}", crashes(count));
                for eff in 1..=widest {
                    let (sign, ink) = match row.frontier.cell(count, eff) {
                        Cell::Survives => ('●', Ink::Good),
                        Cell::Breaks => ('✗', Ink::Bad),
                        Cell::Vacuous => ('○', Ink::Warn),
                        Cell::Unknown => ('?', Ink::Warn),
                    };
                    let _ = write!(line, "{}{}", " ".repeat(step - 1), paint(options, ink, &sign.to_string()));
                }
                map.push((line, side + step * numbers.len()));
            }
            let last = place + 1 == some.len();
            for (line, (text, taken)) in lines.iter_mut().zip(map) {
                line.push_str(&text);
                if !last {
                    line.push_str(&" ".repeat(width - taken + 3));
                }
            }
        }
        out.push('\n');
        lines.iter().for_each(|line| {
            let _ = writeln!(out, "{}", line.trim_end());
        });
    }
}

/// What was not found out.
fn unknown(out: &mut String, comparison: &Comparison) {
    let all = comparison.rows.iter().flat_map(|row| row.unknown().into_iter().map(move |open| (&row.name, open)));
    let lines: Vec<String> = all.map(|(name, (what, why))| format!("  {}: {what}: {why}", visible(name))).collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "\nnot found out:\n{}", lines.join("\n"));
    }
}

/// For terminals that know no other characters.
fn plain(text: &str) -> String {
    let signs = [("⟨", "<"), ("⟩", ">"), ("≥", ">="), ("●", "+"), ("✗", "x"), ("○", "o")];
    signs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
