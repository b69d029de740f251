//! SVG, DOT, Mermaid and the page: well formed, self-contained, and right about what they show.

mod common;

use insta::assert_snapshot;
use ldfi_model::{Budget, Spent, VerdictKind};
use ldfi_report::html::{ExploreHook, explorer_page, page};
use ldfi_report::lineage::{self, Lineage};
use ldfi_report::model::Report;
use ldfi_report::text::{self, TextOptions};
use ldfi_report::{dot, mermaid, svg};
use std::time::Duration;

fn why_not(report: &Report, run: usize) -> Lineage {
    lineage::because(report.runs[run].explanation.as_ref().unwrap(), 0)
}

/// Follows the tags of an XML document and complains about the first that does not match.
fn well_formed(xml: &str) -> Result<(), String> {
    let mut open: Vec<String> = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        if text.contains('>') && !open.iter().any(|t| t == "style") {
            return Err(format!("a stray > in {text:?}"));
        }
        let end = tag.find('>').ok_or("a tag without end")?;
        let inside = &tag[1..end];
        rest = &tag[end + 1..];
        if inside.matches('"').count() % 2 != 0 {
            return Err(format!("odd quotes in <{inside}>"));
        }
        let name = inside.split_whitespace().next().unwrap_or("").trim_end_matches('/');
        if let Some(name) = name.strip_prefix('/') {
            let last = open.pop().ok_or("one end tag too many")?;
            if last != name {
                return Err(format!("<{last}> is closed by </{name}>"));
            }
        } else if !inside.ends_with('/') && !inside.starts_with('?') {
            open.push(name.to_owned());
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never closed: {open:?}")) }
}

#[test]
fn svg_is_well_formed_and_shows_every_loss_and_crash() {
    for report in [common::simple_deliv(), common::retry_deliv(), common::middling()] {
        for (at, run) in report.runs.iter().enumerate() {
            let picture = svg::spacetime(&report, run);
            assert_eq!(well_formed(&picture), Ok(()));
            let sent = run.messages.iter().filter(|m| !m.unsent);
            assert_eq!(picture.contains("class=\"lost\""), sent.clone().any(|m| m.lost));
            assert_eq!(picture.matches(">crash<").count(), run.faults.crashes().count());
            if !run.outcome.violated.is_empty() {
                assert_eq!(well_formed(&svg::lineage(&report, &why_not(&report, at))), Ok(()));
            }
        }
    }
}

#[test]
fn svg_of_simple_deliv_is_pinned() {
    let report = common::simple_deliv();
    assert_snapshot!("svg_spacetime", svg::spacetime(&report, &report.runs[1]));
    assert_snapshot!("svg_lineage", svg::lineage(&report, &why_not(&report, 1)));
}

#[test]
fn graphviz_and_mermaid_draw_the_same_diagrams() {
    let report = common::retry_deliv();
    assert_snapshot!("dot_spacetime", dot::spacetime(&report, &report.runs[1]));
    assert_snapshot!("dot_lineage", dot::lineage(&report, &why_not(&report, 1)));
    assert_snapshot!("mermaid_spacetime", mermaid::spacetime(&report, &report.runs[1]));
    assert_snapshot!("mermaid_lineage", mermaid::lineage(&report, &why_not(&report, 1)));
}

#[test]
fn every_kind_of_fault_is_drawn_in_every_picture() {
    let report = common::stormy();
    let run = &report.runs[1];
    assert_snapshot!("stormy_svg", svg::spacetime(&report, run));
    assert_snapshot!("stormy_mermaid", mermaid::spacetime(&report, run));
    assert_snapshot!("stormy_text", text::spacetime(&report, run, &TextOptions::default()));
    let plain = TextOptions { unicode: false, ..TextOptions::default() };
    assert_snapshot!("stormy_plain_text", text::spacetime(&report, run, &plain));
}

#[test]
fn each_kind_of_fault_leaves_its_mark_and_no_other() {
    let marks = [
        ("delay a->b@1 by 2", "class=\"message late\""),
        ("duplicate a->b@1 by 2", "class=\"message copy\""),
        ("lose a->b@1", "class=\"lost\""),
        ("pause b@2 until 4", "class=\"hatch\""),
        ("crash b@2", ">crash<"),
        ("crash b@3; restart b@4", ">restart<"),
        ("partition a|b,c@2 until 3", "class=\"wall\""),
        ("give bcast(\"c\", \"more\")@2", "class=\"given\""),
    ];
    let storm = common::Broadcast::new("each", 3, 1, 5);
    let pictures: Vec<String> = marks
        .map(|(faults, _)| {
            let report = storm.report(VerdictKind::Counterexample, &[faults]);
            svg::spacetime(&report, &report.runs[1])
        })
        .to_vec();
    for (at, picture) in pictures.iter().enumerate() {
        assert_eq!(well_formed(picture), Ok(()));
        for (other, (faults, mark)) in marks.iter().enumerate() {
            // A restart comes with its crash, and nothing is sent while the partition stands.
            let expected = at == other || (marks[at].0.contains("restart") && *mark == ">crash<");
            assert_eq!(picture.contains(mark), expected, "{mark} of `{faults}` in the picture of `{}`", marks[at].0);
        }
    }
}

#[test]
fn a_late_message_is_drawn_to_where_it_lands() {
    let storm = common::Broadcast::new("late", 2, 1, 5);
    let slope = |faults: &str| {
        let report = storm.report(VerdictKind::Counterexample, &[faults]);
        let picture = svg::spacetime(&report, &report.runs[1]);
        let ends = picture.lines().filter(|line| line.contains("class=\"message"));
        let ends = ends.map(|line| line.rsplit_once(' ').unwrap().1.split('"').next().unwrap().to_owned());
        // The last number of the path is where the arrow ends, in pixels from the top.
        ends.map(|end| end.parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let [on_time] = slope("lose a->b@3")[..] else { panic!("one message is sent") };
    let [late] = slope("delay a->b@1 by 2")[..] else { panic!("it arrives once") };
    let [first, second] = slope("duplicate a->b@1 by 2")[..] else { panic!("it arrives twice") };
    assert_eq!([first, second], [on_time, late]);
    assert!(late > on_time + 100.0, "two steps further down: {late} and {on_time}");
}

#[test]
fn what_is_due_after_the_end_is_late_and_not_lost() {
    let storm = common::Broadcast::new("late", 2, 1, 4);
    let report = storm.report(VerdictKind::Counterexample, &["delay a->b@1 by 7"]);
    let run = &report.runs[1];
    assert_eq!((run.messages[0].lost, run.messages[0].due), (true, Some(9)));
    let picture = svg::spacetime(&report, run);
    assert!(
        picture.contains("class=\"message late\"") && picture.contains(">7 late<") && !picture.contains("class=\"head")
    );
    assert!(text::spacetime(&report, run, &TextOptions::default()).contains("log, late to b"));
    assert!(mermaid::spacetime(&report, run).contains("n0--)n1: log (late)"));
    assert!(dot::spacetime(&report, run).contains("n0_1 -> n1_4"), "there is no step 9");
}

#[test]
fn every_bar_of_a_mermaid_picture_ends() {
    let storm = common::Broadcast::new("paused", 2, 1, 4);
    for (pauses, bars) in
        [("pause b@2 until 9", 1), ("pause b@1 until 3", 1), ("pause b@1 until 4; crash b@2; restart b@3", 2)]
    {
        let report = storm.report(VerdictKind::Counterexample, &[pauses]);
        let drawn = mermaid::spacetime(&report, &report.runs[1]);
        let count = |word: &str| drawn.lines().filter(|line| line.trim_start().starts_with(word)).count();
        assert_eq!((count("activate"), count("deactivate")), (bars, bars), "{pauses}");
    }
}

/// A report whose every name and value is an attack on some quoting.
fn hostile() -> Report {
    let json = common::simple_deliv().to_json();
    let bad = r#"</script><b a='1'>&\"\\n]]>"#;
    Report::from_json(&json.replace("data", bad).replace("\"b\"", "\"b\\\"<&>\"")).unwrap()
}

#[test]
fn names_in_faults_cannot_break_out_either() {
    let mut storm = common::Broadcast { retry: true, ..common::Broadcast::new("storm", 3, 1, 6) };
    storm.nodes[1] = "b\"<&>;#".to_owned();
    let faults =
        r##"pause "b\"<&>;#"@2 until 4; partition a,"b\"<&>;#"|c@1 until 2; give bcast("b\"<&>;#", "</style>")@3"##;
    let report = storm.report(VerdictKind::Counterexample, &[faults]);
    assert_eq!(well_formed(&svg::spacetime(&report, &report.runs[1])), Ok(()));
    let mermaid = mermaid::spacetime(&report, &report.runs[1]);
    let bare: Vec<&str> = mermaid.lines().filter(|line| line.contains("</style>") || line.contains("b\"")).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

#[test]
fn names_and_values_cannot_break_out_of_any_picture() {
    let report = hostile();
    let run = &report.runs[1];
    let graph = why_not(&report, 1);
    assert_eq!(well_formed(&svg::spacetime(&report, run)), Ok(()));
    assert_eq!(well_formed(&svg::lineage(&report, &graph)), Ok(()));
    assert_eq!(well_formed(&ldfi_report::junit::junit([&report])), Ok(()));
    for line in dot::lineage(&report, &graph).lines() {
        let bare = line.replace("\\\\", "").replace("\\\"", "");
        assert!(bare.matches('"').count().is_multiple_of(2), "{line}");
    }
    assert!(!mermaid::lineage(&report, &graph).contains("<b"));
    assert_eq!(page(&report).matches("</script>").count(), 2);
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing_else() {
    let html = page(&common::retry_deliv());
    assert!(html.starts_with("<!doctype html>"));
    assert!(html.contains("default-src 'none'"));
    for outside in ["src=", "https://", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
    let addresses: Vec<&str> = html.match_indices("http://").map(|(at, _)| &html[at..at + 26]).collect();
    assert_eq!(addresses, ["http://www.w3.org/2000/svg"], "only the name of the SVG language");
    assert!(!html.contains("{{"));
}

#[test]
fn the_explorer_is_the_same_page_with_a_hook() {
    let report = common::simple_deliv();
    let hook = ExploreHook { base: "/x/".into(), token: "</script>".into(), inputs: vec![] };
    let html = explorer_page(&report, &hook, &Budget::unlimited()).unwrap();
    let line = "<script>window.LDFI_EXPLORE = {\"base\":\"/x/\",\"token\":\"\\u003c/script>\",\"inputs\":[]};</script>";
    assert!(html.contains(line));
    assert_eq!(html.replace(line, ""), page(&report));
    assert_eq!(explorer_page(&report, &hook, &Budget::within(Duration::ZERO)), Err(Spent::Time));
}
