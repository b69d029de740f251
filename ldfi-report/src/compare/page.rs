//! One small page that opens from disk and needs no network: a table, and the frontier of each variant.

use std::fmt::Write as _;

use ldfi_model::{Cell, Comparison, Finding, Kind, Reach, Row, RunCost};

use super::{by_kind, crashes, in_short, in_words, since};
use crate::html;
use crate::xml::escape;

const STYLE: &str = include_str!("page.css");

/// The side of a cell.
const SIDE: u32 = 24;
/// Room for the numbers of crashes, and for those of EFF.
const LEFT: u32 = 74;
const TOP: u32 = 24;

/// The page.
pub fn page(comparison: &Comparison) -> String {
    let count = comparison.rows.len();
    let title = format!("{count} variant{} side by side", if count == 1 { "" } else { "s" });
    let cards: String = comparison.rows.iter().map(|row| card(comparison, row)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · ldfi</title>\n<style>{}{STYLE}</style>\n</head>\n<body class=\"compare\">\n\
         <header class=\"top\"><div class=\"headline\"><h1>{title}</h1><code>{}</code></div></header>\n\
         <section class=\"figures\">{}</section>\n<p class=\"key\">{KEY}<span>delay and partitions strike before eff {}</span></p>\n\
         <section class=\"cards\" style=\"--map: {}px\">\n{cards}</section>\n</body>\n</html>\n",
        html::STYLE,
        escape(&format!("{:#}", comparison.spec)),
        table(comparison),
        comparison.spec.eff(),
        LEFT + widest(comparison) * SIDE + 34,
    )
}

const KEY: &str = "<span><i class=\"survives\"></i>survived</span><span><i class=\"breaks\"></i>broken</span>\
    <span><i class=\"vacuous\"></i>nothing promised</span><span><i class=\"unknown\"></i>not known</span>\
    <span>eff 1: no message may be lost</span><span>≥ n: nothing that was asked about breaks it</span>\
    <span>n?: the next one is not known</span>";

fn table(comparison: &Comparison) -> String {
    let mut out = String::from(
        "<table>\n<thead><tr><th rowspan=\"2\">variant</th><th colspan=\"3\">without faults</th>\
         <th colspan=\"4\">survives alone</th><th colspan=\"4\">under the worst one fault</th></tr>\n\
         <tr><th>messages</th><th>kept from</th><th>stored</th><th>eff</th><th>crashes</th><th>delay</th>\
         <th>partitions</th><th>messages</th><th>kept from</th><th>stored</th><th>fault</th></tr></thead>\n<tbody>\n",
    );
    for row in &comparison.rows {
        let _ = write!(out, "<tr><th>{}</th>", escape(&row.name));
        match &row.quiet {
            Ok(cost) => figures(&mut out, cost),
            Err(why) => not_known(&mut out, why, 3),
        }
        for (kind, reach) in &row.alone {
            let (short, class) = (in_short(*kind, reach), class(*kind, reach));
            let next = reach.next.as_ref().map(|next| format!("beyond it: {}", in_words(next)));
            let title = escape(&next.unwrap_or_else(|| format!("up to {} was asked about", reach.most)));
            let _ = write!(out, "<td class=\"{class}\" title=\"{title}\">{short}</td>");
        }
        match &row.worst {
            Ok(Some(worst)) => {
                figures(&mut out, &worst.cost);
                let _ = write!(out, "<td class=\"words\"><code>{}</code></td>", escape(&row.worst_fault()));
            }
            Ok(None) => {
                let _ = write!(out, "<td></td><td></td><td></td><td class=\"words\">{}</td>", row.worst_fault());
            }
            Err(why) => not_known(&mut out, why, 4),
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody></table>"
}

fn figures(out: &mut String, cost: &RunCost) {
    let (kinds, since) = (escape(&by_kind(cost)), since(cost.holds));
    let class = if since == "never" { "bad" } else { "" };
    let _ = write!(
        out,
        "<td title=\"{kinds}\">{}</td><td class=\"{class}\">{since}</td><td>{}</td>",
        cost.sent(),
        cost.stored
    );
}

fn not_known(out: &mut String, why: &str, columns: usize) {
    for _ in 0..columns {
        let _ = write!(out, "<td class=\"warn\" title=\"{}\">?</td>", escape(why));
    }
}

fn class(kind: Kind, reach: &Reach) -> &'static str {
    match (&reach.survived, &reach.next) {
        (_, Some(Finding::Unknown(_))) => "warn",
        (None, _) => "bad",
        (Some(_), None) if reach.most > kind.least() => "good",
        _ => "",
    }
}

fn card(comparison: &Comparison, row: &Row) -> String {
    let (verdict, class) = match &row.whole {
        Finding::Survives => ("fault-tolerant", "good"),
        Finding::Broken(faults) if faults.is_empty() => ("wrong without faults", "bad"),
        Finding::Broken(_) => ("not fault-tolerant", "bad"),
        Finding::Vacuous => ("vacuous", "warn"),
        Finding::Unknown(_) => ("not known", "warn"),
    };
    let broken = match &row.whole {
        Finding::Broken(faults) if !faults.is_empty() => {
            format!("<p class=\"least\">least faults that break it<br><code>{}</code></p>", escape(&faults.to_string()))
        }
        Finding::Unknown(why) => format!("<p class=\"least\">{}</p>", escape(why)),
        _ => String::new(),
    };
    let unknown: Vec<String> = row.unknown().iter().map(|(what, why)| escape(&format!("{what}: {why}"))).collect();
    let unknown = match &unknown[..] {
        [] => String::new(),
        all => format!("<details><summary>not found out: {}</summary>{}</details>", all.len(), all.join("<br>")),
    };
    format!(
        "<article class=\"panel card\"><div class=\"headline\"><h2>{}</h2><span class=\"verdict {class}\">{verdict}</span>\
         </div>\n{}{broken}{unknown}</article>\n",
        escape(&row.name),
        map(comparison, row),
    )
}

/// The greatest EFF of any map.
fn widest(comparison: &Comparison) -> u32 {
    comparison.rows.iter().map(|row| row.frontier.widest()).max().unwrap_or(0)
}

/// EFF from left to right, crashes from bottom to top, and the stairs between what is survived and what is not.
fn map(comparison: &Comparison, row: &Row) -> String {
    let widest = widest(comparison);
    let most = comparison.rows.iter().map(|row| row.frontier.by_crashes.len()).max().unwrap_or(0);
    let high = u32::try_from(most).unwrap_or(0);
    let (width, height) = (LEFT + widest * SIDE + 2, high * SIDE + TOP + 4);
    let name = escape(&row.name);
    let mut out = format!(
        "<svg class=\"map\" viewBox=\"0 -2 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\
         <title>the frontier of {name}</title>\n"
    );
    for (at, above) in (0..most).zip(0u32..) {
        let y = (high - 1 - above) * SIDE;
        let _ = writeln!(out, "<text class=\"side\" x=\"{}\" y=\"{}\">{}</text>", LEFT - 8, y + 16, crashes(at));
        for eff in 1..=widest {
            let x = LEFT + (eff - 1) * SIDE;
            let (class, said) = match row.frontier.cell(at, eff) {
                Cell::Survives => ("survives", "survived".to_owned()),
                Cell::Breaks => ("breaks", format!("broken by {}", breaker(row, at, eff))),
                Cell::Vacuous => ("vacuous", "nothing is promised".to_owned()),
                Cell::Unknown => ("unknown", "not known".to_owned()),
            };
            let title = escape(&format!("eff {eff}, {}: {said}", crashes(at)));
            let (x, y, side) = (x + 1, y + 1, SIDE - 2);
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" rx=\"3\"><title>{title}</title></rect>"
            );
            if class == "unknown" {
                let _ = writeln!(out, "<text class=\"sign\" x=\"{}\" y=\"{}\">?</text>", x + side / 2, y + 15);
            }
        }
    }
    for eff in 1..=widest {
        let x = LEFT + (eff - 1) * SIDE + SIDE / 2;
        let _ = writeln!(out, "<text class=\"axis\" x=\"{x}\" y=\"{}\">{eff}</text>", high * SIDE + 16);
    }
    let _ = writeln!(out, "<text class=\"side\" x=\"{}\" y=\"{}\">eff</text>", LEFT - 8, high * SIDE + 16);
    out + &stairs(row, high) + "</svg>\n"
}

/// The least faults that break a combination, as far as they were looked for.
fn breaker(row: &Row, crashes: usize, eff: u32) -> String {
    let broken = row.frontier.by_crashes[..=crashes].iter().rev().find_map(|reach| match &reach.next {
        Some(Finding::Broken(faults)) if reach.survived.is_none_or(|survived| survived < eff) => Some(faults),
        _ => None,
    });
    broken.map_or_else(String::new, |faults| match faults.is_empty() {
        true => "nothing: it is wrong without faults".to_owned(),
        false => faults.to_string(),
    })
}

/// The line along the last cells that are survived.
fn stairs(row: &Row, high: u32) -> String {
    let mut path = String::new();
    let mut before = None;
    for (reach, above) in row.frontier.by_crashes.iter().zip(0u32..) {
        let x = LEFT + reach.survived.unwrap_or(0) * SIDE;
        let (bottom, top) = ((high - above) * SIDE, (high - 1 - above) * SIDE);
        match before {
            None => path = format!("M{x} {bottom}"),
            Some(before) if before != x => {
                let _ = write!(path, "H{x}");
            }
            Some(_) => {}
        }
        let _ = write!(path, "V{top}");
        before = Some(x);
    }
    if before.is_some_and(|x| x > LEFT) {
        let _ = write!(path, "H{LEFT}");
    }
    format!("<path class=\"stairs\" d=\"{path}\"/>\n")
}
