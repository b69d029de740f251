//! Texts that are nearly programs, fault sets, regression files and reports: whatever they are, they are answered.

use std::path::PathBuf;

use dedalus_runtime::Interpreted;
use dedalus_syntax::compile_text;
use ldfi::picture::run_picture;
use ldfi::regressions::Regressions;
use ldfi_model::Faults;
use ldfi_report::model::{Report, TupleId};
use ldfi_report::text::{self, TextOptions};
use ldfi_report::{dot, html, lineage, mermaid, svg};
use proptest::prelude::*;

use crate::generate::{mutated, mutated_program, program, token_soup};
use crate::sample;
use crate::tally::Tally;

/// Texts of each kind.
const EACH: u64 = 10;

/// Some texts.
pub fn round(seed: u64, tally: &mut Tally) -> Result<(), String> {
    for seed in (0..EACH).map(|n| seed.wrapping_mul(EACH).wrapping_add(n)) {
        sample::try_on(seed, &mutated_program(), |text| front_end(text))?;
        sample::try_on(seed, &token_soup(), |text| front_end(text))?;
        sample::try_on(seed, &program(), |case| faults(&case.faults))?;
        let spoilt = program().prop_map(|case| case.faults.to_string()).prop_flat_map(mutated);
        sample::try_on(seed, &spoilt, |text| match text.parse::<Faults>() {
            Ok(parsed) => faults(&parsed),
            Err(error) if error.to_string().is_empty() => Err(format!("no reason is given for {text:?}")),
            Err(_) => Ok(()),
        })?;
        let file = program().prop_map(|case| format!("# kept\nP: {}\n", case.faults)).prop_flat_map(mutated);
        sample::try_on(seed, &file, |text| regressions(text))?;
        sample::try_on(seed, &("\\PC{0,12}", program()), |(name, case)| saved(name, &case.faults))?;
    }
    tally.count("texts: sixties");
    let drawn = program().prop_filter_map("it cannot be drawn", |case| {
        let drawn = Interpreted::new(case.plan()?).nodes(case.nodes.iter().cloned());
        Some(run_picture(&drawn, "drawn", &case.faults, 4).ok()?.to_json())
    });
    sample::try_on(seed, &drawn.prop_flat_map(mutated), |json| report(json))?;
    tally.count("texts: spoilt reports");
    writers(seed)?;
    tally.count("texts: files with four writers");
    Ok(())
}

/// A report that is read can be shown in every way, whatever was done to it; else there is a reason.
fn report(json: &str) -> Result<(), String> {
    let report = match Report::from_json(json) {
        Ok(report) => report,
        Err(error) if error.to_string().is_empty() => return Err("no reason is given".into()),
        Err(_) => return Ok(()),
    };
    let options = TextOptions::default();
    text::overview(&report, &options);
    for (at, run) in report.runs.iter().enumerate() {
        text::tables(&report, run, &options);
        dot::spacetime(&report, run);
        svg::spacetime(&report, run);
        mermaid::spacetime(&report, run);
        for tuple in (0..).map(TupleId).zip(&run.tuples).map(|(id, _)| id).take(3) {
            svg::lineage(&report, &lineage::why(&report, at, tuple, lineage::DEFAULT_LIMIT));
        }
    }
    html::page(&report);
    Ok(())
}

/// What several write at once is all there.
fn writers(seed: u64) -> Result<(), String> {
    const WRITERS: u32 = 4;
    let path = scratch();
    let _ = std::fs::remove_file(&path);
    let of = |writer: u32| Regressions::in_file(&path, &*format!("writer {writer} of {seed}"));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || (1..=WRITERS).for_each(|at| drop(of(writer).add(&Faults::none().lose("a", "b", at)))));
        }
    });
    let found: Vec<_> = (0..WRITERS).map(|writer| of(writer).read().map(|read| read.len())).collect();
    let _ = std::fs::remove_file(&path);
    let all = found.iter().all(|read| matches!(read, Ok(count) if *count == WRITERS as usize));
    if all { Ok(()) } else { Err(format!("several writers: {found:?}")) }
}

/// A program that is read is printed so that it is read again, and means the same.
fn front_end(text: &str) -> Result<(), String> {
    match compile_text("spoilt.ded", text) {
        Ok(plan) => {
            let printed = plan.ast.to_string();
            match compile_text("spoilt.ded", &printed) {
                Ok(again) if again.ast.to_string() == printed => Ok(()),
                Ok(again) => Err(format!("{printed}\nis printed again as\n{}", again.ast)),
                Err(error) => Err(format!("{printed}\nis refused:\n{error}")),
            }
        }
        Err(rejected) if rejected.to_string().is_empty() => Err("no reason is given".into()),
        Err(_) => Ok(()),
    }
}

/// Faults that make sense are read back from their text.
fn faults(faults: &Faults) -> Result<(), String> {
    if faults.is_empty() || faults.check().is_err() {
        return Ok(());
    }
    match faults.to_string().parse::<Faults>() {
        Ok(read) if read == *faults => Ok(()),
        other => Err(format!("`{faults}` is read as {other:?}")),
    }
}

fn scratch() -> PathBuf {
    std::env::temp_dir().join(format!("ldfi-hard-use-{}.ldfi-regressions", std::process::id()))
}

/// A regression file is read, or refused with its place.
fn regressions(text: &str) -> Result<(), String> {
    let path = scratch();
    std::fs::write(&path, text).map_err(|error| error.to_string())?;
    let read = Regressions::in_file(&path, "P").read();
    let _ = std::fs::remove_file(&path);
    match read {
        Err(error) if error.line.is_none() => Err(format!("{text:?}: {error}")),
        _ => Ok(()),
    }
}

/// What is saved under any name is read back, and nothing else is.
fn saved(name: &str, kept: &Faults) -> Result<(), String> {
    let path = scratch();
    let _ = std::fs::remove_file(&path);
    let file = Regressions::in_file(&path, name);
    let said = file.add(kept);
    let other = Regressions::in_file(&path, &*format!("{name}'"));
    other.add(&Faults::none().crash("a", 1));
    let read = file.read();
    let _ = std::fs::remove_file(&path);
    let expected: Vec<Faults> = if kept.is_empty() || kept.check().is_err() { vec![] } else { vec![kept.clone()] };
    match read {
        Ok(read) if read == expected => Ok(()),
        other => Err(format!("{name:?}: `{kept}` ({said}) is read as {other:?}")),
    }
}
