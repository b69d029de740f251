//! Beside `stateright`: the same protocols and promises, states and time to the verdict, in one table.
//!
//! `cargo bench -p ldfi-benches --bench stateright` prints the table, then criterion's timings of the rows that are
//! small. `LDFI_BENCH_QUICK=1` gives stateright a smaller budget and criterion less time. How to read it is told in
//! `benches/stateright.md`.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use ldfi::core::Conclusion;
use ldfi_benches::stateright::rows::{Asked, Row, rows};
use ldfi_benches::stateright::{Answer, Found};

fn main() {
    let quick = std::env::var_os("LDFI_BENCH_QUICK").is_some();
    let budget = if quick { 200_000 } else { 20_000_000 };
    table(budget);
    criterion(budget, quick);
}

fn table(budget: usize) {
    println!(
        "stateright gives up after {budget} generated states; times in milliseconds, the least of three if short\n"
    );
    println!(
        "| {:17} | {:11} | {:9} | {:7} | {:14} | {:>8} | {:>9} | {:8} | {:14} | {:>3} | {:>7} | {:>8} |   |",
        "protocol", "promise", "spec", "style", "stateright", "states", "ms", "asked", "ours", "exe", "ms", "ratio"
    );
    println!("|{}", "---|".repeat(13));
    for row in rows() {
        let theirs = ask_stateright(&row, budget);
        for (asked, verdict) in &row.ours {
            let ours = ask_us(&row, *asked);
            assert_eq!(ours.verdict.name(), *verdict, "{} {} {}", row.protocol, row.promise, asked.name());
            print(&row, &theirs, *asked, &ours);
        }
    }
    println!("\n≠: the verdicts differ. ratio: their time by ours.\n");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The least of three, if that does not take long: the machine may be busy with other things.
fn ask_stateright(row: &Row, budget: usize) -> Found {
    let first = row.ask_stateright(budget);
    let more = if first.elapsed < Duration::from_secs(1) { 2 } else { 0 };
    let all = (0..more).map(|_| row.ask_stateright(budget)).chain([first]);
    all.min_by_key(|found| found.elapsed).unwrap_or(first)
}

fn ask_us(row: &Row, asked: Asked) -> Conclusion {
    let program = row.program(asked);
    let first = row.ask_us(&program, asked);
    let more = if first.statistics.elapsed < Duration::from_secs(1) { 4 } else { 0 };
    (0..more)
        .map(|_| row.ask_us(&program, asked))
        .fold(first, |a, b| if b.statistics.elapsed < a.statistics.elapsed { b } else { a })
}

fn print(row: &Row, theirs: &Found, asked: Asked, ours: &Conclusion) {
    let verdict = match theirs.answer {
        Answer::Holds => "holds",
        Answer::Broken => "counterexample",
        Answer::GaveUp => "gave up",
    };
    assert!(theirs.answer == row.theirs || theirs.answer == Answer::GaveUp, "{} {}", row.protocol, row.promise);
    let name = ours.verdict.name();
    let differ = match theirs.answer {
        Answer::Holds => name != "fault-tolerant",
        Answer::Broken => name != "counterexample",
        Answer::GaveUp => false,
    };
    let times = ms(theirs.elapsed) / ms(ours.statistics.elapsed);
    let more = if theirs.answer == Answer::GaveUp { ">" } else { "" };
    let ratio = if times < 10.0 { format!("{more}{times:.2}") } else { format!("{more}{times:.0}") };
    let [eot, eff, crashes] = row.spec;
    println!(
        "| {:17} | {:11} | {:9} | {:7} | {verdict:14} | {:>8} | {:>9.2} | {:8} | {name:14} | {:>3} | {:>7.2} | {:>8} | {} |",
        row.protocol,
        row.promise,
        format!("⟨{eot},{eff},{crashes}⟩"),
        row.style.name(),
        theirs.states,
        ms(theirs.elapsed),
        asked.name(),
        ours.statistics.executions,
        ms(ours.statistics.elapsed),
        ratio,
        if differ { "≠" } else { " " },
    );
}

fn criterion(budget: usize, quick: bool) {
    let seconds = |s: f64| Duration::from_secs_f64(if quick { 0.02 } else { s });
    let mut criterion = Criterion::default().configure_from_args();
    for row in rows().into_iter().filter(|row| row.small) {
        let [eot, eff, crashes] = row.spec;
        let name = format!("{} {} {eot},{eff},{crashes} {}", row.protocol, row.promise, row.style.name());
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).warm_up_time(seconds(0.1)).measurement_time(seconds(0.5));
        group.bench_function(BenchmarkId::from_parameter("stateright"), |b| b.iter(|| row.ask_stateright(budget)));
        for (asked, _) in &row.ours {
            let program = row.program(*asked);
            let id = BenchmarkId::new("ours", asked.name());
            group.bench_function(id, |b| b.iter(|| row.ask_us(&program, *asked)));
        }
        group.finish();
    }
    criterion.final_summary();
}
