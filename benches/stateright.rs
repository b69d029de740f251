//! Beside `stateright`: the same protocols and promises, states and time to the verdict, in one table.
//!
//! `cargo bench -p ldfi-benches --bench stateright` prints the table, then criterion's timings of the rows that are
//! small. `LDFI_BENCH_QUICK=1` gives stateright a smaller budget and criterion less time. How to read it is told in
//! `benches/stateright.md`.

use std::process::Command;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use ldfi::core::Conclusion;
use ldfi_benches::stateright::Answer;
use ldfi_benches::stateright::rows::{Asked, Row, rows};

/// Whom a process of its own is to ask: the number of a row, and how we are asked, or nothing for them.
const ASK: &str = "LDFI_BENCH_ASK";

fn main() {
    let quick = std::env::var_os("LDFI_BENCH_QUICK").is_some();
    let budget = if quick { 200_000 } else { 20_000_000 };
    if let Ok(ask) = std::env::var(ASK) {
        return tell(&ask, budget);
    }
    table(budget);
    criterion(budget, quick);
}

/// What was answered: by whom does not matter to the table.
struct Told {
    verdict: String,
    /// Their states, our executions.
    size: u64,
    elapsed: Duration,
}

/// Asks in a process of its own: the millions of states that one row leaves behind are not to slow down the next.
fn ask(row: usize, asked: Option<Asked>) -> Told {
    let ask = format!("{row} {}", asked.map_or("", Asked::name));
    let this = std::env::current_exe().expect("a bench knows where it is");
    let output = Command::new(this).env(ASK, &ask).output().expect("a bench can start itself");
    let told = String::from_utf8_lossy(&output.stdout);
    let parts: Vec<&str> = told.trim().split(' ').collect();
    let [verdict, size, nanos] = parts[..] else {
        panic!("{ask}: {told}{}", String::from_utf8_lossy(&output.stderr));
    };
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{ask}: {told}"));
    Told { verdict: verdict.to_owned(), size: number(size), elapsed: Duration::from_nanos(number(nanos)) }
}

/// Answers for one row, on one line.
fn tell(ask: &str, budget: usize) {
    let all = rows();
    let (row, asked) = ask.split_once(' ').expect("a row and how we are asked");
    let row = &all[row.parse::<usize>().expect("the number of a row")];
    let told = match Asked::ALL.into_iter().find(|one| one.name() == asked) {
        Some(asked) => ask_us(row, asked),
        None => ask_stateright(row, budget),
    };
    println!("{} {} {}", told.verdict, told.size, told.elapsed.as_nanos());
}

fn table(budget: usize) {
    println!(
        "stateright gives up after {budget} generated states; times in milliseconds, the least of some if short\n"
    );
    println!(
        "| {:17} | {:11} | {:9} | {:7} | {:14} | {:>8} | {:>9} | {:8} | {:14} | {:>3} | {:>7} | {:>8} |   |",
        "protocol", "promise", "spec", "style", "stateright", "states", "ms", "asked", "ours", "exe", "ms", "ratio"
    );
    println!("|{}", "---|".repeat(13));
    for (number, row) in rows().iter().enumerate() {
        let theirs = ask(number, None);
        for (asked, verdict) in &row.ours {
            let ours = ask(number, Some(*asked));
            assert_eq!(ours.verdict, *verdict, "{} {} {}", row.protocol, row.promise, asked.name());
            print(row, &theirs, *asked, &ours);
        }
    }
    println!("\n≠: the verdicts differ. ratio: their time by ours.\n");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The least of so many as take a second together, three at least if none of them is that long: the machine may be busy with
/// other things.
fn least(mut ask: impl FnMut() -> Told) -> Told {
    let mut best = ask();
    let (mut all, mut times) = (best.elapsed, 1);
    while best.elapsed < LONG && times < MOST && (times < 3 || all < LONG) {
        let next = ask();
        (all, times) = (all + next.elapsed, times + 1);
        if next.elapsed < best.elapsed {
            best = next;
        }
    }
    best
}

/// What takes that long is asked once.
const LONG: Duration = Duration::from_secs(1);

/// More often than that nothing is asked.
const MOST: u32 = 50;

/// In one word, as a line has it.
const GAVE_UP: &str = "gave-up";

fn name(answer: Answer) -> &'static str {
    match answer {
        Answer::Holds => "holds",
        Answer::Broken => "counterexample",
        Answer::GaveUp => GAVE_UP,
    }
}

fn ask_stateright(row: &Row, budget: usize) -> Told {
    least(|| {
        let found = row.ask_stateright(budget);
        Told { verdict: name(found.answer).to_owned(), size: found.states as u64, elapsed: found.elapsed }
    })
}

fn ask_us(row: &Row, asked: Asked) -> Told {
    let program = row.program(asked);
    least(|| {
        let Conclusion { verdict, statistics, .. } = row.ask_us(&*program, asked);
        Told { verdict: verdict.name().to_owned(), size: statistics.executions, elapsed: statistics.elapsed }
    })
}

fn print(row: &Row, theirs: &Told, asked: Asked, ours: &Told) {
    let gave_up = theirs.verdict == GAVE_UP;
    assert!(gave_up || theirs.verdict == name(row.theirs), "{} {}", row.protocol, row.promise);
    let differ = !gave_up && (theirs.verdict == "holds") != (ours.verdict == "fault-tolerant");
    let times = ms(theirs.elapsed) / ms(ours.elapsed);
    let more = if gave_up { ">" } else { "" };
    let ratio = if times < 10.0 { format!("{more}{times:.2}") } else { format!("{more}{times:.0}") };
    let [eot, eff, crashes] = row.spec;
    println!(
        "| {:17} | {:11} | {:9} | {:7} | {:14} | {:>8} | {:>9.2} | {:8} | {:14} | {:>3} | {:>7.2} | {:>8} | {} |",
        row.protocol,
        row.promise,
        format!("⟨{eot},{eff},{crashes}⟩"),
        row.style.name(),
        theirs.verdict.replace(GAVE_UP, "gave up"),
        theirs.size,
        ms(theirs.elapsed),
        asked.name(),
        ours.verdict,
        ours.size,
        ms(ours.elapsed),
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
            group.bench_function(id, |b| b.iter(|| row.ask_us(&*program, *asked)));
        }
        group.finish();
    }
    criterion.final_summary();
}
