//! The rows of every table: a program in a world, and who runs it.

use dedalus_runtime::faults::{Faults, eot};
use dedalus_runtime::model::FailureSpec;
use dedalus_runtime::{Program, Runner};

use crate::peers::datalog::{AscentClosure, AscentGeneration, CrepeClosure, CrepeGeneration};
use crate::peers::frog::{FrogBroadcast, FrogClosure, FrogGeneration};
use crate::peers::{Peer, Tuples, World, protocols};
use crate::programs;

/// Who runs a row: ours first (`plain`, `lineage`, `potential`), then the peers.
pub const CONTESTANTS: [&str; 6] = ["plain", "lineage", "potential", "ascent", "crepe", "datafrog"];

/// A program in a world.
pub struct Row {
    /// Its name.
    pub name: String,
    /// Whether it is pure Datalog rather than a protocol.
    pub datalog: bool,
    contestants: Vec<Contestant>,
}

struct Contestant {
    name: &'static str,
    make: Box<dyn Fn() -> Run>,
    /// What it derives; ours derive the same in all variants but `potential`.
    tuples: Option<Box<dyn Fn() -> Tuples>>,
}

/// Does one run; returns something that depends on all of it.
pub type Run = Box<dyn FnMut() -> usize>;

impl Row {
    /// Who can run it.
    pub fn contestants(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.contestants.iter().map(|c| c.name)
    }

    /// A run for a contestant, ready to be repeated.
    ///
    /// # Panics
    /// If the contestant does not run this row.
    pub fn run(&self, contestant: &str) -> Run {
        let found = self.contestants.iter().find(|c| c.name == contestant);
        (found.unwrap_or_else(|| panic!("{contestant} does not run {}", self.name)).make)()
    }

    /// Checks that everybody derives the same tuples; returns how many.
    ///
    /// # Panics
    /// If somebody does not.
    pub fn check(&self) -> usize {
        let mut expected = None;
        for Contestant { name, tuples, .. } in &self.contestants {
            let Some(tuples) = tuples.as_ref().map(|tuples| tuples()) else { continue };
            match &expected {
                None => expected = Some(tuples),
                Some(ours) => {
                    let missing: Vec<_> = ours.difference(&tuples).take(3).collect();
                    let extra: Vec<_> = tuples.difference(ours).take(3).collect();
                    assert!(ours == &tuples, "{name} on {}: lacks {missing:?}, adds {extra:?}", self.name);
                }
            }
        }
        expected.map_or(0, |tuples| tuples.len())
    }
}

/// The rows. The quick ones are for trying out; they leave out what takes seconds.
pub fn rows(quick: bool) -> Vec<Row> {
    rows_where(quick, |_| true)
}

/// The rows whose names are wanted; the others are not even set up.
pub fn rows_where(quick: bool, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut rows = vec![];
    // Sets a row up if it is wanted.
    macro_rules! row {
        ($name:expr, $program:expr, $constants:expr, $end:expr, $($peer:literal $encoded:ty),*) => {{
            let name = $name;
            if wanted(&name) {
                rows.push(Builder::new(name, $program, $constants, $end)$(.peer::<$encoded>($peer))*.done());
            }
        }};
    }
    let sizes: &[(u32, u32)] = if quick { &[(3, 10)] } else { &[(3, 10), (3, 50), (10, 10), (10, 50)] };
    for &(nodes, end) in sizes {
        macro_rules! broadcast {
            ($($module:ident $($frog:ty)?),*) => {$(
                row!(
                    format!("{}-deliv, {nodes} nodes, EOT {end}", stringify!($module)),
                    programs::$module(nodes), protocols::$module::CONSTANTS, end,
                    "ascent" protocols::$module::ascent::Encoded,
                    "crepe" protocols::$module::crepe::Encoded
                    $(, "datafrog" $frog)?
                );
            )*};
        }
        broadcast!(simple FrogBroadcast<false, false>, retry FrogBroadcast<true, false>, redun FrogBroadcast<true, true>);
        broadcast!(classic, ack);
    }
    let sizes: &[(u32, u32)] = if quick { &[(3, 10)] } else { &[(3, 10), (10, 50)] };
    for &(agents, end) in sizes {
        row!(
            format!("2pc, {agents} agents, EOT {end}"), programs::two_pc(agents), protocols::two_pc::CONSTANTS, end,
            "ascent" protocols::two_pc::ascent::Encoded, "crepe" protocols::two_pc::crepe::Encoded
        );
    }
    for &end in if quick { &[10][..] } else { &[10, 30][..] } {
        row!(
            format!("paxos, EOT {end}"), programs::paxos(), protocols::paxos::CONSTANTS, end,
            "ascent" protocols::paxos::ascent::Encoded, "crepe" protocols::paxos::crepe::Encoded
        );
    }
    let protocols = rows.len();
    let mut graphs = vec![("8/16", programs::random_graph(8, 16)), ("40/80", programs::random_graph(40, 80))];
    if !quick {
        graphs.push(("chain of 1,000", programs::chain(1000)));
        graphs.push(("2,000/6,000", programs::random_graph(2000, 6000)));
    }
    for (name, pairs) in &graphs {
        macro_rules! closure {
            ($($type:literal $make:ident),*) => {$(
                row!(
                    format!("closure {name}, {}", $type), programs::$make(pairs), &[], 1,
                    "ascent" AscentClosure, "crepe" CrepeClosure, "datafrog" FrogClosure
                );
            )*};
        }
        closure!("integers" closure_int, "strings" closure_str);
    }
    for nodes in if quick { vec![31] } else { vec![31, 511] } {
        let pairs = programs::tree(nodes);
        macro_rules! generation {
            ($($type:literal $make:ident),*) => {$(
                row!(
                    format!("same generation {nodes}, {}", $type), programs::$make(&pairs), &[], 1,
                    "ascent" AscentGeneration, "crepe" CrepeGeneration, "datafrog" FrogGeneration
                );
            )*};
        }
        generation!("integers" generation_int, "strings" generation_str);
    }
    rows[protocols..].iter_mut().for_each(|row| row.datalog = true);
    rows
}

struct Builder {
    row: Row,
    world: &'static World,
}

impl Builder {
    fn new<P: Program + 'static>(name: String, program: P, constants: &[&str], end: u32) -> Self {
        // Rows live as long as the benchmark does.
        let world: &'static World = Box::leak(Box::new(World::new(&program, constants, end)));
        let program: &'static P = Box::leak(Box::new(program));
        let runner = move || Runner::new(program, eot(end)).expect("the program has all its parameters");
        let ours = |name: &'static str, variant: fn(&mut Runner<'static, P>, u32) -> usize| {
            let make = move || -> Run {
                let mut runner = runner();
                Box::new(move || variant(&mut runner, end))
            };
            Contestant { name, make: Box::new(make), tuples: None }
        };
        let mut contestants = vec![ours("plain", plain), ours("lineage", lineage), ours("potential", potential)];
        contestants[0].tuples =
            Some(Box::new(move || world.ours(runner().run(&Faults::none()).expect("the program runs"))));
        contestants[1].tuples =
            Some(Box::new(move || world.ours(runner().run_lineage(&Faults::none()).expect("the program runs"))));
        Builder { row: Row { name, datalog: false, contestants }, world }
    }

    fn peer<P: Peer + 'static>(mut self, name: &'static str) -> Self {
        let world = self.world;
        let make = move || -> Run {
            let input = P::load(world);
            Box::new(move || {
                std::hint::black_box(P::run(&input));
                0
            })
        };
        let tuples = move || world.theirs(P::tuples(&P::run(&P::load(world))));
        self.row.contestants.push(Contestant { name, make: Box::new(make), tuples: Some(Box::new(tuples)) });
        self
    }

    fn done(self) -> Row {
        self.row
    }
}

fn plain<P: Program>(runner: &mut Runner<'static, P>, _: u32) -> usize {
    runner.run(&Faults::none()).map_or(0, |run| run.plan().rules.len())
}

fn lineage<P: Program>(runner: &mut Runner<'static, P>, _: u32) -> usize {
    runner.run_lineage(&Faults::none()).map_or(0, |run| run.plan().rules.len())
}

/// One crash, and losses up to the last step but one.
fn potential<P: Program>(runner: &mut Runner<'static, P>, end: u32) -> usize {
    let spec = FailureSpec::new(end, end.saturating_sub(1), 1).expect("EFF is before EOT");
    runner.run_potential(spec).map_or(0, |run| run.plan().rules.len())
}
