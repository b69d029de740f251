//! A long way round: what holds here is handed on by one rule after another, perhaps in a circle, before anybody reads it or
//! computes with it.

use super::choices::Choices;
use super::world::{Domain, Relation, World};

/// Adds `way`, which holds what some other relation does, or when which node crashed, at the end of a row of rules.
pub fn add(world: &mut World, choices: &mut Choices<'_>) {
    let crash = ("crash(_, X1, X2)".to_owned(), 0, vec![Domain::Node, Domain::Int]);
    let known = choices.one_of(&world.relations);
    let columns: Vec<String> = (1..=known.columns.len()).map(|i| format!("X{i}")).collect();
    let known = (format!("{}({})", known.name, columns.join(", ")), known.level, known.columns);
    let (source, level, columns) = choices.weighted(&[(1, known), (2, crash)]);
    let all = (1..=columns.len()).map(|i| format!("X{i}")).collect::<Vec<_>>().join(", ");
    let length = 2 + choices.pick(14);
    let name = |at: usize| if at == length { "way".to_owned() } else { format!("way{at}") };
    let mut rules = vec![format!("{}({all}) :- {source};", name(0))];
    rules.extend((1..=length).map(|at| format!("{}({all}) :- {}({all});", name(at), name(at - 1))));
    if choices.chance(60) {
        rules.push(format!("{}({all}) :- {}({all});", name(0), name(length)));
    }
    if choices.chance(60) {
        rules.reverse();
    }
    // What comes of it is computed with, which may fail.
    if columns.len() > 1 && columns.last() == Some(&Domain::Int) && choices.chance(70) {
        let rest = ", _".repeat(columns.len() - 2);
        rules.push(format!("computed(X1) :- way(X1{rest}, X), 6 / (X - {}) >= -6;", choices.pick(4)));
        world.relations.push(Relation::new("computed", level, &columns[..1]));
    }
    world.relations.push(Relation::new("way", level, &columns));
    world.items.extend(rules);
}
