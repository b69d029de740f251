//! A protocol in which messages are sure to flow: one node tells the others something.

use super::choices::Choices;
use super::world::{Domain, Relation, World};

/// Adds `start` (what is to be told), `log` (what a node was told) and the rules between them.
pub fn add(world: &mut World, choices: &mut Choices<'_>) {
    let columns = [Domain::Node, Domain::Text];
    world.relations.push(Relation::new("start", 0, &columns));
    world.relations.push(Relation::new("log", 1, &columns));
    let mut rules = vec!["log(N, V) :- start(N, V);", "log(N, V)@next :- log(N, V);"];
    rules.push(choices.weighted(&[
        (3, "log(M, V)@async :- start(N, V), link(N, M);"),
        // Everyone who knows tells everyone, again and again.
        (2, "log(M, V)@async :- log(N, V), link(N, M);"),
        // Only who learned it just now tells the others.
        (2, "log(M, V)@async :- log(N, V), link(N, M), notin told(N, V);\ntold(N, V)@next :- log(N, V);"),
        // Again and again until they acknowledge it.
        (
            2,
            "log(M, V)@async :- log(N, V), link(N, M), notin acked(N, M, V);\n\
             acked(N, M, V)@async :- log(M, V), link(M, N);",
        ),
    ]));
    if choices.chance(40) {
        rules.push("start(N, V)@next :- start(N, V);");
    }
    if choices.chance(25) {
        rules.push("stable log;");
    }
    let first = choices.one_of(&world.nodes);
    let mut facts = vec![format!("start(\"{first}\", \"x\")@1;")];
    let again = choices.one_of(&world.nodes);
    match choices.weighted(&[(12, 0), (4, 1), (2, 2), (2, 3)]) {
        1 => facts.push(format!("start(\"{again}\", \"y\")@2;")),
        2 => facts.push(format!("maybe start(\"{again}\", \"y\")@2;")),
        3 => facts.push(format!("maybe start(\"{again}\", \"y\")@1..2;")),
        _ => {}
    }
    world.items.extend(rules.into_iter().map(str::to_owned));
    world.items.extend(facts);
}
