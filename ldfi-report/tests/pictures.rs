//! SVG, DOT, Mermaid and the page: well formed, self-contained, and right about what they show.

mod common;

use insta::assert_snapshot;
use ldfi_report::html::{ExploreHook, explorer_page, page};
use ldfi_report::lineage::{self, Lineage};
use ldfi_report::model::Report;
use ldfi_report::{dot, mermaid, svg};

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

/// A report whose every name and value is an attack on some quoting.
fn hostile() -> Report {
    let json = common::simple_deliv().to_json();
    let bad = r#"</script><b a='1'>&\"\\n]]>"#;
    Report::from_json(&json.replace("data", bad).replace("\"b\"", "\"b\\\"<&>\"")).unwrap()
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
    let hook = ExploreHook { base: "/x/".into(), token: "</script>".into() };
    let html = explorer_page(&report, &hook);
    let line = "<script>window.LDFI_EXPLORE = {\"base\":\"/x/\",\"token\":\"\\u003c/script>\"};</script>";
    assert!(html.contains(line));
    assert_eq!(html.replace(line, ""), page(&report));
}
