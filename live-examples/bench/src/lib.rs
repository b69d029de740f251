//! What each strategy takes on the live examples: executions until everything is covered and until the first violation, and time.

use std::time::Duration;

use ldfi_live::{Conclusion, Failure, Node, Options, Setup, Specification, Strategy};

/// A system, what is promised of it, and what goes wrong.
pub struct Case<'c, N: Node> {
    /// Its name.
    pub name: &'c str,
    /// The system.
    pub setup: Setup<N>,
    /// What is promised.
    pub specifications: Vec<Specification>,
    /// What goes wrong, at most so often, until when.
    pub options: Options,
}

/// Losses, at most so many, before an instant; a panic is a crash.
pub fn losses(at_most: usize, until: u32) -> Options {
    Options { failures: vec![Failure::Lose], at_most, until, panics_are_crashes: true, ..Options::default() }
}

impl<N: Node> Case<'_, N> {
    /// Explores it with a strategy.
    ///
    /// # Panics
    /// If it cannot be explored.
    pub fn explore(&self, strategy: Strategy, executions: Option<u64>) -> Conclusion {
        let options = Options { strategy, executions, ..self.options.clone() };
        self.setup.explore(&self.specifications, &options).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Prints what each strategy takes, as rows of a table, if the case is asked for. Brute force is run only where that is wanted; how much it would run is
    /// known without.
    pub fn rows(&self, brute_force: bool) {
        if !is_wanted(self.name) {
            return;
        }
        let pruned = self.explore(Strategy::Pruned, None);
        // What lineage leaves out is not counted, so that this may be less than brute force would run.
        let mut brute = pruned.statistics.scenarios() + 2;
        if brute_force {
            let all = self.explore(Strategy::BruteForce, None);
            brute = all.statistics.executions;
            self.row("brute force", &all, brute);
        } else {
            println!("| {} | brute force (not run) | {brute} | | | |", self.name);
        }
        for strategy in [Strategy::Labels, Strategy::Recovery, Strategy::Lineage, Strategy::Footprints] {
            let whole = !matches!(strategy, Strategy::Labels | Strategy::Recovery);
            if brute_force || !whole {
                self.row(strategy.name(), &self.explore(strategy, None), brute);
            }
        }
        self.row("all of them", &pruned, brute);
        // Where there is nothing to find, chance finds nothing.
        if !pruned.failing.is_empty() {
            self.random(pruned.statistics.executions);
        }
        println!("<!-- {}\n{}-->", self.name, pruned.statistics);
    }

    fn row(&self, strategy: &str, conclusion: &Conclusion, brute: u64) {
        let statistics = &conclusion.statistics;
        let first = statistics.to_first.map_or_else(String::new, |first| first.to_string());
        let times = brute as f64 / statistics.executions as f64;
        let found = conclusion.failing.len();
        let executions = statistics.executions;
        println!(
            "| {} | {strategy} | {executions} ({times:.1}) | {first} | {found} | {} |",
            self.name,
            show(statistics.elapsed)
        );
    }

    /// As many executions as pruning takes, drawn at random, from 25 seeds.
    fn random(&self, executions: u64) {
        let all: Vec<Conclusion> =
            (0..25).map(|seed| self.explore(Strategy::Random { seed }, Some(executions))).collect();
        let mut firsts: Vec<u64> = all.iter().filter_map(|one| one.statistics.to_first).collect();
        firsts.sort_unstable();
        let median = firsts.get(firsts.len() / 2).map_or_else(String::new, |first| format!("{first} (median)"));
        let (hit, elapsed) = (firsts.len(), all.iter().map(|one| one.statistics.elapsed).sum::<Duration>() / 25);
        println!(
            "| {} | random, {executions} each | {hit} of 25 seeds hit | {median} | | {} |",
            self.name,
            show(elapsed)
        );
    }
}

/// Whether a case is asked for on the command line: by some part of its name, or because none is.
fn is_wanted(name: &str) -> bool {
    let parts: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--") && word != "three").collect();
    parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()))
}

fn show(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
