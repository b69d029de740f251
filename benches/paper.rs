//! Figures 11, 12 and 13 of the LDFI paper: its numbers, and ours beside them.
//!
//! `cargo bench -p ldfi-benches --bench paper` prints the tables and draws Figure 11. Each sweep of Figure 13 takes
//! 120 seconds, as in the paper, and no other search may take longer; `-- --budget 10` or `LDFI_BUDGET=10` makes it 10.
//! Programs run in the interpreter, from their files in `examples/`.

#[path = "paper/combinations.rs"]
mod combinations;
#[path = "paper/measure.rs"]
mod measure;
#[path = "paper/plot.rs"]
mod plot;

use std::path::Path;
use std::time::Duration;

use combinations::{combinations, printed};
use ldfi::core::{Conclusion, Negation, Strategy};
use measure::{furthest, load, random, search};
use plot::{Curve, svg};

const LINEAGE: Strategy = Strategy::Lineage(Negation::Conservative);

/// A row of Figure 12: file, nodes, ⟨EOT, EFF, Crashes⟩, and the paper's combinations, executions and seconds at
/// random, executions and seconds with lineage.
type Buggy = (&'static str, u32, [u32; 3], &'static str, [f64; 2], (u64, f64));

const FIGURE_12: [Buggy; 7] = [
    ("simple_deliv", 3, [4, 2, 0], "4.10e3", [4.08, 0.16], (2, 0.12)),
    ("retry_deliv", 3, [4, 2, 1], "4.07e4", [75.24, 1.28], (3, 0.12)),
    ("classic_deliv", 3, [5, 3, 0], "2.62e5", [116.16, 1.81], (5, 0.24)),
    ("two_pc", 4, [5, 0, 1], "24", [5.48, 0.31], (2, 0.22)),
    ("two_pc_ctp", 4, [8, 0, 1], "36", [8.56, 1.04], (3, 1.01)),
    ("three_pc", 4, [9, 7, 1], "2.43e26", [40.60, 6.24], (55, 9.60)),
    ("kafka", 5, [6, 4, 1], "1.85e25", [1183.12, 133.30], (38, 3.74)),
];

/// A row of Figure 13: file, nodes, the paper's greatest ⟨EOT, EFF⟩, combinations, executions.
type Correct = (&'static str, u32, [u32; 2], &'static str, u64);

const FIGURE_13: [Correct; 5] = [
    ("redun_deliv", 3, [11, 10], "8.07e18", 11),
    ("ack_deliv", 3, [8, 7], "3.08e13", 673),
    ("paxos_synod", 3, [7, 6], "4.81e11", 173),
    ("bully_le", 3, [10, 9], "1.26e17", 2),
    ("flux", 4, [22, 21], "6.20e76", 187),
];

fn main() {
    let budget = budget();
    figure_11(budget);
    figure_12(budget);
    figure_13(budget);
}

/// Seconds for each search and each sweep: `--budget N`, else `LDFI_BUDGET`, else the paper's.
fn budget() -> Duration {
    let arguments: Vec<String> = std::env::args().collect();
    let flag = arguments.iter().position(|a| a == "--budget").and_then(|at| arguments.get(at + 1)).cloned();
    let seconds = flag.or_else(|| std::env::var("LDFI_BUDGET").ok()).map_or(Ok(120.0), |text| text.parse());
    match seconds.ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(time) => time,
        None => panic!("--budget and LDFI_BUDGET take a number of seconds"),
    }
}

/// Executions, and the mark of a search that did not end.
fn executions(conclusion: &Conclusion) -> String {
    let mark = if conclusion.verdict.name() == "inconclusive" { "+" } else { "" };
    format!("{}{mark}", conclusion.statistics.executions)
}

fn seconds(conclusion: &Conclusion) -> f64 {
    conclusion.statistics.elapsed.as_secs_f64()
}

/// Executions against combinations, as EOT and EFF rise.
fn figure_11(budget: Duration) {
    println!("Figure 11. Executions as EFF rises (EOT = EFF + 1, one crash, three nodes).");
    println!("The paper plots the curves; of its numbers only the last are printed (Figure 13).\n");
    println!("{:14} {:>4} {:>13} {:>8} {:>8} {:>6}", "program", "EFF", "combinations", "lineage", "paper", "exact");
    let mut bound = vec![];
    let mut curves = vec![];
    for (name, file, colour, last, paper) in [
        ("redun-deliv, lineage", "redun_deliv", "#1b9e77", 10, 11),
        ("ack-deliv, lineage", "ack_deliv", "#7570b3", 7, 673),
    ] {
        let program = load(file);
        let (mut points, mut given_up) = (vec![], false);
        for eff in 2..=last {
            let spec = [eff + 1, eff, 1];
            let exact = search(&program, spec, Strategy::Exact, budget);
            // Where it was given up once, it would be again.
            let lineage = (!given_up).then(|| search(&program, spec, LINEAGE, budget));
            given_up |= lineage.as_ref().is_some_and(|found| found.verdict.name() == "inconclusive");
            let total = combinations(3, spec);
            let theirs = if eff == last { paper.to_string() } else { String::new() };
            let (l, e) = (lineage.as_ref().map_or("-".to_owned(), executions), executions(&exact));
            println!("{file:14} {eff:>4} {:>13} {l:>8} {theirs:>8} {e:>6}", printed(&total));
            points.extend(lineage.map(|found| (eff, found.statistics.executions as f64)));
            if bound.len() + 2 == eff as usize {
                bound.push((eff, printed(&total).parse().unwrap_or(f64::INFINITY)));
            }
        }
        curves.push(Curve { name, colour, points });
    }
    curves.insert(0, Curve { name: "combinations", colour: "#d95f02", points: bound });
    let exact = curves[1].points.iter().map(|(eff, _)| (*eff, 1.0)).collect();
    curves.push(Curve { name: "exact, either", colour: "#666666", points: exact });
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("paper");
    let file = folder.join("figure-11.svg");
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&file, svg("Figure 11: executions and combinations", &curves)));
    match written {
        Ok(()) => println!("\nplot: {}\n", file.display()),
        Err(error) => println!("\nno plot: {error}\n"),
    }
}

/// Counterexamples: executions and time, with lineage, exactly and at random.
fn figure_12(budget: Duration) {
    println!("Figure 12. Counterexamples. p: the paper's, o: ours; exe: executions, s: seconds.");
    println!("A random run draws from the fault sets of our semantics; 25 seeds, averaged.\n");
    println!(
        "{:14} {:>11} {:>9} {:>9} | {:>9} {:>9} {:>7} {:>7} | {:>6} {:>8} {:>6} | {:>7} {:>8} {:>8}",
        "program",
        "EOT,EFF,Cr",
        "combs p",
        "combs o",
        "rnd exe p",
        "rnd exe o",
        "s p",
        "s o",
        "exe p",
        "lineage",
        "exact",
        "s p",
        "lineage",
        "exact"
    );
    let mut exactly = vec![];
    for (file, nodes, spec, combined, [random_exe, random_s], (exe, s)) in FIGURE_12 {
        let program = load(file);
        let exact = search(&program, spec, Strategy::Exact, budget);
        let lineage = search(&program, spec, LINEAGE, budget);
        let (ours_exe, ours_s, given_up) = random(&program, spec);
        let mark = if given_up > 0 { "+" } else { "" };
        let total = combinations(nodes, spec);
        let [eot, eff, crashes] = spec;
        println!(
            "{file:14} {:>11} {combined:>9} {:>9} | {random_exe:>9.2} {:>9} {random_s:>7.2} {ours_s:>7.3} | \
             {exe:>6} {:>8} {:>6} | {s:>7.2} {:>8.4} {:>8.4}",
            format!("{eot},{eff},{crashes}"),
            printed(&total),
            format!("{ours_exe:.2}{mark}"),
            executions(&lineage),
            executions(&exact),
            seconds(&lineage),
            seconds(&exact),
        );
        exactly.push((file, total));
    }
    println!("\n+: at least; some seeds, or the search, were given up. Combinations exactly:");
    for (file, total) in exactly {
        println!("  {file:14} {total}");
    }
    println!();
}

/// Certified programs: executions, time, and how far the sweep gets.
fn figure_13(budget: Duration) {
    println!(
        "Figure 13. Certified, one crash; the sweep had {} seconds a program (120 in the paper).\n",
        budget.as_secs()
    );
    println!(
        "{:14} {:>7} {:>9} {:>9} | {:>6} {:>8} {:>6} | {:>9} {:>9} | {:>9} {:>9}",
        "program",
        "EOT,EFF",
        "combs p",
        "combs o",
        "exe p",
        "lineage",
        "exact",
        "lineage s",
        "exact s",
        "reached p",
        "reached o"
    );
    let mut exactly = vec![];
    for (file, nodes, [eot, eff], combined, exe) in FIGURE_13 {
        let program = load(file);
        let spec = [eot, eff, 1];
        let exact = search(&program, spec, Strategy::Exact, budget);
        let lineage = search(&program, spec, LINEAGE, budget);
        let reached = furthest(&program, budget);
        let total = combinations(nodes, spec);
        let pair = format!("{eot},{eff}");
        println!(
            "{file:14} {pair:>7} {combined:>9} {:>9} | {exe:>6} {:>8} {:>6} | {:>9.3} {:>9.3} | {pair:>9} {:>9}",
            printed(&total),
            executions(&lineage),
            executions(&exact),
            seconds(&lineage),
            seconds(&exact),
            reached.map_or("-".to_owned(), |(eot, eff)| format!("{eot},{eff}")),
        );
        exactly.push((file, total));
    }
    println!("\n+: at least; the search was given up. Combinations exactly:");
    for (file, total) in exactly {
        println!("  {file:14} {total}");
    }
}
