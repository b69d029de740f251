//! What a terminal shows, character by character.

mod common;

use common::Broadcast;
use insta::assert_snapshot;
use ldfi_model::VerdictKind;
use ldfi_report::model::Report;
use ldfi_report::text::{self, TextOptions};

const PLAIN: TextOptions = TextOptions { width: 80, color: false, unicode: true };

fn because(report: &Report, run: usize, options: &TextOptions) -> String {
    text::because(&report.program, report.runs[run].explanation.as_ref().unwrap(), options)
}

fn everything(report: &Report) -> String {
    let mut out = text::summary(report, &PLAIN);
    for run in &report.runs {
        out += &format!("\n== {}\n{}", run.label, text::spacetime(report, run, &PLAIN));
    }
    out
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn simple_deliv_loses_to_one_omission() {
    let report = common::simple_deliv();
    assert_snapshot!(everything(&report));
    assert_snapshot!("simple_deliv_why_not", because(&report, 1, &PLAIN));
    assert_snapshot!("simple_deliv_tables", text::tables(&report, &report.runs[1], &PLAIN));
}

#[test]
fn an_overview_is_the_verdict_the_diagram_and_the_reason() {
    let report = common::simple_deliv();
    let parts = [
        text::summary(&report, &PLAIN),
        text::spacetime(&report, &report.runs[1], &PLAIN),
        because(&report, 1, &PLAIN),
    ];
    assert_eq!(text::overview(&report, &PLAIN), parts.join("\n"));
    assert!(parts[2].contains("LOST by lose a->b@1"), "{}", parts[2]);
    let calm = common::redun_deliv();
    assert_eq!(text::overview(&calm, &PLAIN), text::summary(&calm, &PLAIN));
}

#[test]
fn retry_deliv_loses_to_a_crash_after_a_loss() {
    let report = common::retry_deliv();
    assert_snapshot!(everything(&report));
    assert_snapshot!("retry_deliv_why_not", because(&report, 1, &PLAIN));
}

#[test]
fn redun_deliv_shows_its_redundancy_in_space_and_time() {
    let report = common::redun_deliv();
    assert_snapshot!(everything(&report));
    let log = ldfi_model::Tuple::new("log", ["b".into(), "data".into()]);
    let why = common::Broadcast { relay: true, ..Broadcast::new("redun-deliv", 3, 1, 6) }.explain_tuple("", &log, 3);
    assert_snapshot!("redun_deliv_why", text::because(&report.program, &why, &PLAIN));
}

#[test]
fn a_tuple_that_never_holds_is_told_in_one_line() {
    let protocol = Broadcast::new("simple-deliv", 3, 1, 4);
    let nobody = ldfi_model::Tuple::new("bcast", ["nobody".into(), "data".into()]);
    let told = protocol.explain_tuple("lose a->b@1", &nobody, 1);
    let said = text::because(&protocol.program(), &told, &PLAIN);
    assert_eq!(said, "bcast(nobody, data)@1  missing: no rule can make it\n");
}

#[test]
fn plain_terminals_get_plain_characters() {
    let report = common::retry_deliv();
    let ascii = TextOptions { unicode: false, ..PLAIN };
    let drawn = text::summary(&report, &ascii)
        + &text::spacetime(&report, &report.runs[1], &ascii)
        + &text::tables(&report, &report.runs[1], &ascii)
        + &because(&report, 1, &ascii);
    assert!(drawn.is_ascii(), "{drawn}");
    assert_snapshot!(drawn);
}

#[test]
fn colour_changes_nothing_but_colour() {
    let report = common::retry_deliv();
    let color = TextOptions { color: true, ..PLAIN };
    let draw = |options: &TextOptions| {
        text::summary(&report, options)
            + &text::spacetime(&report, &report.runs[1], options)
            + &because(&report, 1, options)
    };
    let mut plain = String::new();
    let mut rest = draw(&color).replace("\u{1b}[", "\u{1}");
    assert!(rest.contains('\u{1}'));
    while let Some(at) = rest.find('\u{1}') {
        plain.push_str(&rest[..at]);
        rest = rest[at..].split_once('m').unwrap().1.to_owned();
    }
    assert_eq!(plain + &rest, draw(&PLAIN));
}

#[test]
fn many_processes_fit_or_say_how_to_see_the_rest() {
    let wide = Broadcast { retry: true, crashes: 1, ..Broadcast::new("wide", 20, 1, 30) };
    let report = wide.report(VerdictKind::Counterexample, &["lose a->b@1; lose a->t@1; crash a@2"]);
    let drawn = text::spacetime(&report, &report.runs[1], &PLAIN);
    assert!(widest(&drawn) <= 80, "{drawn}");
    assert_snapshot!(drawn);
    let named = drawn.split_once("COLUMNS=").unwrap().1.split(',').next().unwrap().parse().unwrap();
    let broad = text::spacetime(&report, &report.runs[1], &TextOptions { width: named, ..PLAIN });
    assert!(!broad.contains("not drawn") && widest(&broad) <= named, "{broad}");
    let narrow = text::spacetime(&report, &report.runs[1], &TextOptions { width: named - 1, ..PLAIN });
    assert!(narrow.contains("not drawn"), "{narrow}");
    assert!(widest(&text::tables(&report, &report.runs[1], &PLAIN)) <= 80);
}

#[test]
fn long_names_are_shortened_not_spilled() {
    let mut protocol = Broadcast::new("names", 3, 1, 4);
    protocol.nodes = ["coordinator-in-the-north", "b", "agent-number-forty-two"].map(String::from).into();
    let report = protocol.report(VerdictKind::Counterexample, &["lose coordinator-in-the-north->b@1"]);
    let drawn = text::spacetime(&report, &report.runs[1], &PLAIN);
    assert!(widest(&drawn) <= 80, "{drawn}");
    assert_snapshot!(drawn);
}

#[test]
fn captions_that_do_not_fit_are_seen_in_the_columns_that_are_named() {
    let protocol = Broadcast::new("captions", 9, 1, 4);
    let lost = "lose a->b@1; lose a->c@1; lose a->d@1; lose a->e@1; lose a->f@1; lose a->g@1; lose a->h@1; lose a->i@1";
    let report = protocol.report(VerdictKind::Counterexample, &[lost]);
    let drawn = text::spacetime(&report, &report.runs[1], &PLAIN);
    assert!(widest(&drawn) <= 80 && drawn.contains("whole captions"), "{drawn}");
    let named = drawn.rsplit_once("COLUMNS=").unwrap().1.split(',').next().unwrap().parse().unwrap();
    let broad = text::spacetime(&report, &report.runs[1], &TextOptions { width: named, ..PLAIN });
    assert!(broad.contains("log, lost to b, c, d, e, f, g, h, i\n") && !broad.contains("COLUMNS"), "{broad}");
    for width in [30, 40, 60] {
        let drawn = text::spacetime(&report, &report.runs[1], &TextOptions { width, ..PLAIN });
        assert!(widest(&drawn) <= width, "{width}:\n{drawn}");
    }
}

#[test]
fn a_report_without_nodes_or_runs_does_not_panic() {
    let mut report = common::simple_deliv();
    report.nodes.clear();
    text::spacetime(&report, &report.runs[0], &PLAIN);
    report.runs.clear();
    text::summary(&report, &PLAIN);
}
