//! scratch
mod common;
use ldfi_report::{dot, lineage, mermaid, text};
#[test]
fn look() {
    let o = text::TextOptions::default();
    for r in [common::simple_deliv(), common::retry_deliv(), common::redun_deliv(), common::middling()] {
        println!("{}", text::summary(&r, &o));
        for (i, run) in r.runs.iter().enumerate() {
            println!("{}", text::spacetime(&r, run, &o));
            if run.tuples.len() < 200 {
                println!("{}", text::tables(&r, run, &o));
                if let Some(m) = run.outcome.violated.first() {
                    println!("{}", text::why_not(&r, i, m, &o));
                    println!("{}", mermaid::lineage(&r, &lineage::why_not(&r, i, m, 100)));
                    println!("{}", dot::lineage(&r, &lineage::why_not(&r, i, m, 100)));
                }
                if let Some(t) = run.outcome.support.get(1) {
                    println!("{}", text::why(&r, i, *t, &o));
                }
            }
            println!("{} tuples {} firings", run.tuples.len(), run.firings.len());
        }
    }
}
