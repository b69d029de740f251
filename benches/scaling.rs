//! How the exact search grows: with the end of time, with nodes, with crashes; time by phase, memory.
//!
//! `cargo bench -p ldfi-benches --bench scaling` prints the tables; `LDFI_PLOT=file.svg` also draws them.

use std::fmt::Write as _;

use ldfi::core::options::Options;
use ldfi::core::search::Search;
use ldfi::core::verdict::{Conclusion, Verdict};
use ldfi::model::FailureSpec;
use ldfi_benches::programs::Ack;

/// ack-deliv on a full mesh: the first node broadcasts.
fn ack_deliv(nodes: u32) -> Ack {
    let mut program = Ack::new();
    program.facts_at(1).bcast("n00", "data");
    for i in 0..nodes {
        for j in (0..nodes).filter(|j| *j != i) {
            program.facts_at(1).node(format!("n{i:02}"), format!("n{j:02}"));
        }
    }
    program
}

fn certify(nodes: u32, eot: u32, crashes: u32) -> Conclusion {
    let program = ack_deliv(nodes);
    let spec = FailureSpec::new(eot, eot - 1, crashes).expect("EFF is before EOT");
    // The least of three: the machine may be busy with other things.
    let run = || Search::new(&program, spec, Options::default()).run().expect("the program does no arithmetic");
    (0..3).map(|_| run()).min_by_key(|c| c.statistics.elapsed).expect("three runs")
}

fn row(label: &str, c: &Conclusion) -> f64 {
    assert_eq!(c.verdict, Verdict::FaultTolerant, "{label}");
    let s = &c.statistics;
    let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
    println!(
        "{label:<26} {:>4} {:>9} {:>9} {:>8} {:>8} {:>9.2} {:>9.2} {:>9.2} {:>9.2}",
        s.executions,
        s.tuples,
        s.firings,
        s.variables,
        s.clauses,
        ms(s.running),
        ms(s.encoding),
        ms(s.solving),
        ms(s.elapsed)
    );
    ms(s.elapsed)
}

/// A series of points and the exponent of its growth: the slope of the line through it on double-logarithmic paper.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in logs {
        above += (x - mx) * (y - my);
        below += (x - mx) * (x - mx);
    }
    above / below
}

fn series(title: &str, points: impl Iterator<Item = (u32, u32, u32, u32)>) -> (String, Vec<(f64, f64)>) {
    let found: Vec<(f64, f64)> = points
        .map(|(x, nodes, eot, crashes)| {
            let label = format!("{nodes} nodes ⟨{eot},{},{crashes}⟩", eot - 1);
            (f64::from(x), row(&label, &certify(nodes, eot, crashes)))
        })
        .collect();
    println!("  {title}: time grows as x^{:.2}\n", exponent(&found));
    (title.to_owned(), found)
}

fn main() {
    println!("ack-deliv, certified; times in milliseconds");
    println!(
        "{:<26} {:>4} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9}",
        "", "exe", "tuples", "firings", "vars", "clauses", "running", "encoding", "solving", "in all"
    );
    let quick = std::env::var_os("LDFI_QUICK").is_some();
    let times: &[u32] = if quick { &[8, 16] } else { &[8, 16, 25, 50, 100] };
    let sizes: &[u32] = if quick { &[3, 4] } else { &[3, 5, 7, 10, 14] };
    let all = [
        series("end of time (3 nodes, 2 crashes)", times.iter().map(|t| (*t, 3, *t, 2))),
        series("nodes (EOT 12, 2 crashes)", sizes.iter().map(|n| (*n, *n, 12, 2))),
        series("crashes (6 nodes, EOT 12)", (1..=if quick { 2 } else { 4 }).map(|c| (c, 6, 12, c))),
    ];
    for (nodes, eot, crashes) in [(3, 8, 1), (3, 100, 2), (10, 12, 2), (20, 20, 3)] {
        if !quick || eot == 8 {
            let label = format!("{nodes} nodes ⟨{eot},{},{crashes}⟩", eot - 1);
            row(&label, &certify(nodes, eot, crashes));
        }
    }
    println!("\npeak memory: {}", peak_memory());
    if let Some(path) = std::env::var_os("LDFI_PLOT") {
        std::fs::write(&path, plot(&all)).expect("the plot can be written");
    }
}

/// The process's largest resident set, where the system tells.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.map_or_else(|| "unknown".into(), |line| line.trim_start_matches("VmHWM:").trim().to_owned())
}

/// The series on double-logarithmic paper.
fn plot(all: &[(String, Vec<(f64, f64)>)]) -> String {
    let (width, height) = (640.0, 400.0);
    let points = || all.iter().flat_map(|(_, points)| points);
    let (x0, x1) = (1.0f64, points().map(|p| p.0).fold(2.0, f64::max));
    let (y0, y1) = (points().map(|p| p.1).fold(f64::MAX, f64::min), points().map(|p| p.1).fold(0.0, f64::max));
    let x = |v: f64| 60.0 + (v.ln() - x0.ln()) / (x1.ln() - x0.ln()) * (width - 90.0);
    let y = |v: f64| height - 50.0 - (v.ln() - y0.ln()) / (y1.ln() - y0.ln()) * (height - 90.0);
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='12'>\
         <rect width='100%' height='100%' fill='white'/>"
    );
    for (i, (title, points)) in all.iter().enumerate() {
        let colour = ["#2563eb", "#dc2626", "#059669"][i % 3];
        let line: Vec<String> = points.iter().map(|(a, b)| format!("{:.1},{:.1}", x(*a), y(*b))).collect();
        let _ = write!(svg, "<polyline fill='none' stroke='{colour}' stroke-width='2' points='{}'/>", line.join(" "));
        for (a, b) in points {
            let _ = write!(svg, "<circle cx='{:.1}' cy='{:.1}' r='3' fill='{colour}'/>", x(*a), y(*b));
        }
        let _ =
            write!(svg, "<text x='70' y='{}' fill='{colour}'>{title}: x^{:.2}</text>", 24 + 16 * i, exponent(points));
    }
    let mut tick = 10f64.powf(y0.log10().floor());
    while tick <= y1 {
        if tick >= y0 {
            let _ = write!(svg, "<text x='8' y='{:.1}'>{tick} ms</text>", y(tick));
        }
        tick *= 10.0;
    }
    for v in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        if v <= x1 {
            let _ = write!(svg, "<text x='{:.1}' y='{}'>{v}</text>", x(v) - 4.0, height - 28.0);
        }
    }
    svg + "</svg>"
}
