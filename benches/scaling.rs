//! How the exact search grows: with the end of time, nodes and crashes, and with each other kind of fault; time by
//! phase, memory.
//!
//! `cargo bench -p ldfi-benches --bench scaling` prints the tables; `LDFI_PLOT=file.svg` also draws them. Words after
//! `--` choose series and rows: those whose title contains one of them.

use std::fmt::Write as _;
use std::path::Path;

use dedalus_runtime::{Interpreted, Program};
use ldfi::core::solver::new_assuming_solver;
use ldfi::core::{Conclusion, Options, Search, Verdict};
use ldfi::model::{Bounds, FailureSpec};
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

/// ack-deliv among three, where a second node may broadcast so many messages, one a step.
fn ack_deliv_at_will(inputs: u32) -> Ack {
    let mut program = ack_deliv(3);
    for step in 1..=inputs {
        program.maybe_at(step).bcast("n01", format!("more{step:02}"));
    }
    program
}

/// A protocol of `examples/`.
fn example(name: &str) -> Interpreted {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).with_extension("ded");
    Interpreted::from_files(&[file]).unwrap_or_else(|error| panic!("{error}"))
}

/// One thing to be measured.
struct Point {
    /// What grows.
    x: u32,
    label: String,
    program: Box<dyn Program>,
    spec: FailureSpec,
    /// The name of the verdict.
    verdict: &'static str,
}

impl Point {
    /// A certificate to be found.
    fn new(x: u32, name: &str, program: impl Program + 'static, bounds: Bounds) -> Self {
        let spec = FailureSpec::try_from(bounds).unwrap_or_else(|error| panic!("{error}"));
        let label = format!("{name} {spec}");
        Point { x, label, program: Box::new(program), spec, verdict: Verdict::FaultTolerant.name() }
    }

    fn broken(self) -> Self {
        Point { verdict: "counterexample", ..self }
    }

    /// The least of three: the machine may be busy with other things.
    fn search(&self) -> Conclusion {
        let run = || {
            Search::new(&*self.program, self.spec, Options { solver: new_assuming_solver, ..Options::default() })
                .run()
                .expect("no computation fails")
        };
        let first = run();
        let more = if first.statistics.elapsed.as_secs() < 2 { 2 } else { 0 };
        (0..more).map(|_| run()).fold(first, |a, b| if b.statistics.elapsed < a.statistics.elapsed { b } else { a })
    }

    /// Prints the row; the milliseconds that it took.
    fn measure(&self) -> f64 {
        let c = self.search();
        assert_eq!(c.verdict.name(), self.verdict, "{}", self.label);
        let s = &c.statistics;
        let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
        println!(
            "{:<44} {:>9} {:>9} {:>8} {:>8} {:>9.2} {:>9.2} {:>9.2} {:>9.2}",
            self.label,
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

/// ⟨EOT, EOT - 1, Crashes⟩.
fn classic(eot: u32, crashes: u32) -> Bounds {
    Bounds { eot, eff: eot - 1, crashes, ..Bounds::default() }
}

fn mesh(x: u32, nodes: u32, bounds: Bounds) -> Point {
    Point::new(x, &format!("{nodes} nodes"), ack_deliv(nodes), bounds)
}

type Series = (&'static str, Vec<Point>);

/// What grows, and how far.
fn all_series(quick: bool) -> Vec<Series> {
    let up_to = |most: u32| 1..=if quick { 2 } else { most };
    let times: &[u32] = if quick { &[8, 16] } else { &[8, 16, 25, 50, 100] };
    let sizes: &[u32] = if quick { &[3, 4] } else { &[3, 5, 7, 10, 14] };
    // What is late or held up before EFF must still be passed on.
    let early = Bounds { eot: 16, eff: 8, crashes: 1, ..Bounds::default() };
    let at_will = |x| Point::new(x, &format!("{x} inputs"), ack_deliv_at_will(x), Bounds { eot: 16, ..early });
    let paxos = |x| {
        let bounds = Bounds { restarts: x, ..classic(8, x) };
        Point::new(x, "paxos_stable", example("paxos_stable"), bounds)
    };
    vec![
        ("end of time (3 nodes, 2 crashes)", times.iter().map(|t| mesh(*t, 3, classic(*t, 2))).collect()),
        ("nodes (EOT 12, 2 crashes)", sizes.iter().map(|n| mesh(*n, *n, classic(12, 2))).collect()),
        ("crashes (6 nodes, EOT 12)", up_to(4).map(|c| mesh(c, 6, classic(12, c))).collect()),
        ("delay bound (3 nodes)", up_to(6).map(|d| mesh(d, 3, Bounds { delay: d, ..early })).collect()),
        ("partitions (4 nodes)", up_to(4).map(|p| mesh(p, 4, Bounds { partitions: p, ..early })).collect()),
        ("restarts (paxos_stable, as many crashes)", up_to(4).map(paxos).collect()),
        ("pauses (4 nodes)", up_to(4).map(|p| mesh(p, 4, Bounds { pauses: p, ..early })).collect()),
        ("inputs (3 nodes)", up_to(6).map(at_will).collect()),
    ]
}

/// Single questions.
fn single_rows(quick: bool) -> Vec<Point> {
    let paxos = Bounds { delay: 8, ..classic(10, 1) };
    let mut rows = vec![
        mesh(1, 3, classic(8, 1)),
        // What comes at the last step is not passed on any more.
        mesh(1, 3, Bounds { delay: 3, ..classic(8, 1) }).broken(),
        mesh(1, 3, Bounds { eff: 4, delay: 3, ..classic(8, 1) }),
    ];
    if !quick {
        rows.extend([
            Point::new(1, "paxos_synod", example("paxos_synod"), classic(10, 1)),
            Point::new(1, "paxos_synod", example("paxos_synod"), paxos),
            Point::new(1, "paxos_synod", example("paxos_synod"), Bounds { per_message: true, ..paxos }),
            mesh(1, 3, classic(100, 2)),
            mesh(1, 10, classic(12, 2)),
            mesh(1, 20, classic(20, 3)),
            mesh(1, 40, classic(20, 3)),
            mesh(1, 80, classic(20, 3)),
        ]);
    }
    rows
}

fn main() {
    let quick = std::env::var_os("LDFI_QUICK").is_some();
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |title: &str| chosen.is_empty() || chosen.iter().any(|word| title.contains(word.as_str()));
    println!("ack-deliv on a mesh, or what is named; times in milliseconds, the least of three");
    println!(
        "{:<44} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9}",
        "", "tuples", "firings", "vars", "clauses", "running", "encoding", "solving", "in all"
    );
    let mut all: Vec<(&str, Vec<(f64, f64)>)> = vec![];
    for (title, points) in all_series(quick).into_iter().filter(|(title, _)| wanted(title)) {
        let found: Vec<(f64, f64)> = points.iter().map(|point| (f64::from(point.x), point.measure())).collect();
        println!("  {title}: time grows as x^{:.2}\n", exponent(&found));
        all.push((title, found));
    }
    for row in single_rows(quick).iter().filter(|row| wanted(&row.label)) {
        row.measure();
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

/// One for each series.
const COLOURS: [&str; 8] = ["#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f"];

/// The series on double-logarithmic paper.
fn plot(all: &[(&str, Vec<(f64, f64)>)]) -> String {
    let (width, height) = (800.0, 560.0);
    let points = || all.iter().flat_map(|(_, points)| points);
    let (x0, x1) = (1.0f64, points().map(|p| p.0).fold(2.0, f64::max));
    let (y0, y1) = (points().map(|p| p.1).fold(f64::MAX, f64::min), points().map(|p| p.1).fold(0.0, f64::max));
    let x = |v: f64| 60.0 + (v.ln() - x0.ln()) / (x1.ln() - x0.ln()) * (width - 90.0);
    let y = |v: f64| height - 50.0 - (v.ln() - y0.ln()) / (y1.ln() - y0.ln()) * (height - 210.0);
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='12'>\
         <rect width='100%' height='100%' fill='white'/>"
    );
    for (i, (title, points)) in all.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
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
