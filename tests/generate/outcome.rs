//! Random `pre` and `post` for random protocols.

use std::fmt;

use dedalus_runtime::faults::Faults;
use dedalus_runtime::model::FailureSpec;
use proptest::prelude::*;

use super::bounds::specification;
use super::choices::Choices;
use super::world::{Domain, Relation, World};
use super::{Case, broadcast, genes, many, populate, relations, ring, rule, timer};

/// A program with outcomes, and the faults that it should survive. The case itself has none.
#[derive(Clone)]
pub struct OutcomeCase {
    /// The program.
    pub case: Case,
    /// What may go wrong.
    pub spec: FailureSpec,
}

impl fmt::Debug for OutcomeCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.spec)?;
        self.case.fmt(f)
    }
}

/// A random protocol with something to judge it by: 2 or 3 nodes, an end of time from 3 to 5, bounds of all kinds.
pub fn with_outcome() -> impl Strategy<Value = OutcomeCase> {
    (genes(60), relations(0..=3), many(rule::GENES, 0..=3)).prop_map(|(shape, relations, rules)| {
        let mut choices = Choices::new(&shape);
        let nodes = 2 + choices.pick(2);
        let eot = choices.weighted(&[(4, 3), (4, 4), (1, 5)]);
        let spec = specification(eot, &mut choices);
        let mut world = World::new(nodes, eot, &mut choices);
        if !choices.chance(15) {
            broadcast::add(&mut world, &mut choices);
        }
        if choices.chance(35) {
            timer::add(&mut world, &mut choices);
        }
        if choices.chance(10) {
            ring::add(&mut world, &mut choices);
        }
        populate(&mut world, &relations);
        // Without `pre` and `post`, what persists is what must.
        if !choices.chance(8) {
            add(&mut world, &mut choices, &rules);
        }
        // A second promise, with a name, now and then without the first.
        if choices.chance(15) {
            let Promise { cause, effect, columns } = promise(&world, &mut choices);
            world.items.push(format!("pre.more({columns}) :- {cause};"));
            world.items.push(format!("post.more({columns}) :- {cause}, {effect};"));
        }
        let case = Case { text: world.text(), nodes: world.nodes.clone(), eot, faults: Faults::none() };
        OutcomeCase { case, spec }
    })
}

/// What is promised, and what keeps the promise.
struct Promise {
    /// `start(N, V)`, or another relation with a node and a value.
    cause: String,
    /// `log(M, V)`, or another relation with a node and a value.
    effect: String,
    /// What `pre` and `post` say.
    columns: &'static str,
}

fn add(world: &mut World, choices: &mut Choices<'_>, rules: &[Vec<u16>]) {
    let promise = promise(world, choices);
    let Promise { cause, columns, .. } = &promise;
    let spared = if choices.chance(25) { ", notin crash(_, N, _)" } else { "" };
    world.items.push(format!("pre({columns}) :- {cause}{spared};"));
    for text in post(&promise, choices) {
        world.items.push(text);
    }
    let domains: &[Domain] = match *columns {
        "V" => &[Domain::Text],
        "N, V" => &[Domain::Node, Domain::Text],
        _ => &[],
    };
    // Specifications nobody would write, to reach the corners.
    for genes in rules {
        let mut choices = Choices::new(genes);
        let (name, level) = choices.weighted(&[(2, ("pre", 7)), (1, ("post", 8))]);
        if choices.chance(30) {
            let relation = Relation::new(name, level, domains);
            let text = rule::write(world, &relation, &genes[2..]);
            world.items.push(text);
        }
    }
}

/// A cause and an effect with a node and a text; `link` with a constant when there is nothing better.
fn promise(world: &World, choices: &mut Choices<'_>) -> Promise {
    let told = |r: &&Relation| r.columns.first() == Some(&Domain::Node) && r.columns[1..].contains(&Domain::Text);
    let all: Vec<&Relation> = world.relations.iter().filter(told).collect();
    let literal = |relation: &Relation, node: &str| {
        let value = relation.columns.iter().position(|c| *c == Domain::Text).unwrap_or(0);
        let column = |i: usize| {
            if i == 0 {
                node
            } else if i == value {
                "V"
            } else {
                "_"
            }
        };
        let columns: Vec<&str> = (0..relation.columns.len()).map(column).collect();
        format!("{}({})", relation.name, columns.join(", "))
    };
    let columns = choices.weighted(&[(4, "V"), (3, "N, V"), (1, "")]);
    if all.len() < 2 {
        let [cause, effect] = ["link(N, _)@1, V == \"x\"".into(), "link(_, M), V == \"x\"".into()];
        return Promise { cause, effect, columns };
    }
    let (from, to) = if choices.chance(20) { (choices.one_of(&all), choices.one_of(&all)) } else { (all[0], all[1]) };
    let at = if choices.chance(30) { "" } else { "@1" };
    Promise { cause: literal(from, "N") + at, effect: literal(to, "M"), columns }
}

/// Rules for `post`: from the plain to the roundabout.
fn post(promise: &Promise, choices: &mut Choices<'_>) -> Vec<String> {
    let Promise { cause, effect, columns } = promise;
    let exempt = ["", ", notin crash(_, M, _)", ", notin crash(M, M, _)", ", notin restart(_, M, _)"];
    let crashed = choices.one_of(&exempt);
    let missing = format!("missing(M, V) :- {cause}, link(N, M)@1, notin has(M, V){crashed};\nhas(M, V) :- {effect};");
    match choices.pick(6) {
        0 => vec![format!("post({columns}) :- {cause}, {effect}, M != N;")],
        1 => vec![missing, format!("post({columns}) :- {cause}, notin missing(_, V);")],
        2 => {
            let quorum = 1 + choices.pick(3);
            vec![
                format!("votes(V, count<M>) :- {effect};"),
                format!("post({columns}) :- {cause}, votes(V, C), C >= {quorum};"),
            ]
        }
        // Whoever knows vouches for whom they can reach; a crashed node vouches for nobody.
        3 => vec![
            format!("reach(M, V) :- {effect}, notin crash(M, M, _);"),
            "reach(Y, V) :- reach(X, V), link(X, Y), reach(Y, V);".into(),
            "pair(X, Y, V) :- reach(X, V), reach(Y, V), X < Y;".into(),
            "pair(X, Z, V) :- pair(X, Y, V), pair(Y, Z, V);".into(),
            format!("post({columns}) :- {cause}, pair(_, _, V);"),
            format!("post({columns}) :- {cause}, crash(N, N, _);"),
        ],
        // A chain of negations.
        4 => vec![
            missing,
            format!("fine(V) :- {cause}, notin missing(_, V);"),
            format!("poor(V) :- {cause}, notin fine(V);"),
            format!("post({columns}) :- {cause}, notin poor(V);"),
        ],
        // Excused by a crash, by its time, by the number of crashes.
        _ => vec![
            missing,
            "lost(V, max<M>, count<M>) :- missing(M, V);".into(),
            format!("post({columns}) :- {cause}, notin lost(V, _, _);"),
            format!("post({columns}) :- {cause}, crash(_, N, T), T <= {};", 1 + choices.pick(3)),
            format!("post({columns}) :- {cause}, lost(V, M, 1), crash(_, M, _);"),
        ],
    }
}
