//! Timers: each node counts its steps, and something is due when it has counted far enough.

use super::choices::Choices;
use super::world::{Domain, Relation, World};

/// Adds `tick` (a counter at each node), `due` (what it leads to), and what nodes do when they come back.
pub fn add(world: &mut World, choices: &mut Choices<'_>) {
    world.relations.push(Relation::new("tick", 0, &[Domain::Node, Domain::Int]));
    world.relations.push(Relation::new("due", 1, &[Domain::Node]));
    let most = 1 + choices.pick(3);
    let mut items = vec![
        format!("tick(N, T + 1)@next :- tick(N, T), T < {most};"),
        format!("due(N) :- tick(N, {});", choices.pick(most + 1)),
    ];
    items.extend(world.nodes.iter().map(|node| format!("tick(\"{node}\", 0)@1;")));
    items.push(
        choices
            .weighted(&[
                (3, "tick(N, 0)@next :- boot(N);"),
                (2, "stable tick;"),
                (1, "due(N) :- boot(N);"),
                // Who came back once is never due again.
                (1, "tick(N, 9)@next :- boot(N), notin tick(N, _);"),
                (1, "due(N) :- restart(N, N, T), tick(N, T);"),
            ])
            .to_owned(),
    );
    // A timeout that comes when the adversary likes.
    if choices.chance(40) {
        let node = choices.one_of(&world.nodes);
        items.push(format!("maybe due(\"{node}\")@{}..{};", 1 + choices.pick(2), 2 + choices.pick(2)));
    }
    if choices.chance(60) && world.relations.iter().any(|r| r.name == "log") {
        items.push(
            choices
                .one_of(&[
                    "log(M, V)@async :- due(N), log(N, V), link(N, M);",
                    "log(N, \"y\")@next :- due(N), notin log(N, \"x\");",
                    "log(N, V)@next :- boot(N), log(M, V), link(M, N);",
                ])
                .to_owned(),
        );
    }
    world.items.extend(items);
}
