//! What a generated program is about: nodes, relations with typed columns, constants, facts.

use super::choices::Choices;

/// What a column holds. Nodes and texts are both strings, but seldom meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A node's name.
    Node,
    /// Another string.
    Text,
    /// An integer.
    Int,
}

/// A relation.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// Deductive rules for it read this level through positive literals, lower levels through any.
    pub level: usize,
    /// What its columns hold.
    pub columns: Vec<Domain>,
}

impl Relation {
    /// A relation.
    pub fn new(name: &str, level: usize, columns: &[Domain]) -> Self {
        Relation { name: name.into(), level, columns: columns.into() }
    }

    /// Whether two relations are one.
    pub fn is(&self, other: &Relation) -> bool {
        self.name == other.name
    }
}

/// The highest level of a relation that is not about outcomes.
pub const TOP: usize = 3;

/// A program in the making.
pub struct World {
    /// The nodes.
    pub nodes: Vec<String>,
    /// The end of time.
    pub eot: u32,
    /// The relations that rules may read.
    pub relations: Vec<Relation>,
    /// Facts and rules.
    pub items: Vec<String>,
    /// Tuples that are facts somewhere: they are never inputs that may come.
    facts: Vec<String>,
}

impl World {
    /// Some nodes and who talks to whom: `link(from, to)`.
    pub fn new(nodes: usize, eot: u32, choices: &mut Choices<'_>) -> Self {
        let nodes: Vec<String> = ["a", "b", "c", "d"][..nodes].iter().map(|n| (*n).to_owned()).collect();
        let link = Relation::new("link", 0, &[Domain::Node, Domain::Node]);
        let mut world = World { nodes, eot, relations: vec![link], items: vec![], facts: vec![] };
        let sparse = choices.chance(25);
        for from in world.nodes.clone() {
            for to in &world.nodes {
                if from != *to && !(sparse && choices.chance(50)) {
                    world.items.push(format!("link(\"{from}\", \"{to}\")@1;"));
                }
            }
        }
        if !choices.chance(15) {
            world.items.push("link(X, Y)@next :- link(X, Y);".into());
        }
        world
    }

    /// The program.
    pub fn text(&self) -> String {
        self.items.join("\n") + "\n"
    }

    /// Adds a relation of random shape.
    pub fn add_relation(&mut self, choices: &mut Choices<'_>) {
        use Domain::{Int, Node, Text};
        let level = choices.weighted(&[(4, 0), (3, 1), (2, 2), (2, TOP)]);
        let arity = choices.weighted(&[(9, 2), (6, 3), (4, 1), (1, 0)]);
        let first = choices.weighted(&[(12, Node), (1, Int), (1, Text)]);
        let mut columns = vec![first];
        while columns.len() < arity {
            columns.push(choices.weighted(&[(5, Int), (3, Node), (2, Text)]));
        }
        columns.truncate(arity);
        let name = ["p", "q", "r", "s", "t", "u", "v", "w"][self.relations.len() % 8];
        self.relations.push(Relation::new(name, level, &columns));
    }

    /// A constant of a domain.
    pub fn constant(&self, domain: Domain, choices: &mut Choices<'_>) -> String {
        match domain {
            Domain::Node => format!("\"{}\"", choices.one_of(&self.nodes)),
            // A node among the texts, and texts that need quoting.
            Domain::Text => {
                choices.weighted(&[(8, "\"x\""), (6, "\"y\""), (1, "\"a\""), (1, "\"\""), (1, "\"\\\"é\"")]).into()
            }
            Domain::Int => choices
                .weighted(&[
                    (12, "1"),
                    (12, "2"),
                    (8, "3"),
                    (5, "0"),
                    (4, "-1"),
                    (4, "5"),
                    (2, "9223372036854775807"),
                    (1, "-9223372036854775808"),
                ])
                .into(),
        }
    }

    /// Adds a fact, most often at time 1, or an input that may come.
    pub fn add_fact(&mut self, relation: &Relation, choices: &mut Choices<'_>) {
        let late = 1 + choices.pick(self.eot as usize + 1);
        let time = if choices.chance(30) { late } else { 1 };
        let values: Vec<String> = relation.columns.iter().map(|c| self.constant(*c, choices)).collect();
        let tuple = format!("{}({})", relation.name, values.join(", "));
        if choices.chance(25) && !self.facts.contains(&tuple) {
            let until = time + choices.weighted(&[(4, 0), (2, 1), (1, 2)]);
            let until = if until > time { format!("..{until}") } else { String::new() };
            self.items.push(format!("maybe {tuple}@{time}{until};"));
        } else if !self.items.iter().any(|item| item.starts_with(&format!("maybe {tuple}@"))) {
            self.items.push(format!("{tuple}@{time};"));
            self.facts.push(tuple);
        }
    }

    /// Perhaps lets a relation keep what it holds, perhaps until something else holds.
    pub fn persist(&mut self, relation: &Relation, choices: &mut Choices<'_>) {
        if !choices.chance(55) {
            return;
        }
        let columns: Vec<String> = (1..=relation.columns.len()).map(|i| format!("X{i}")).collect();
        let columns = columns.join(", ");
        let stop = self.relations[choices.pick(self.relations.len())].clone();
        let until = match (relation.columns.first(), stop.columns.split_first()) {
            (Some(mine), Some((its, rest))) if mine == its && choices.chance(20) => {
                format!(", notin {}(X1{})", stop.name, ", _".repeat(rest.len()))
            }
            _ => String::new(),
        };
        let name = &relation.name;
        self.items.push(format!("{name}({columns})@next :- {name}({columns}){until};"));
        if choices.chance(40) {
            self.items.push(format!("stable {name};"));
        }
    }
}
