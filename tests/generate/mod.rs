//! Random programs, fault sets and broken texts, for tests of everything that reads or runs programs.
//!
//! Programs are typed and stratified by construction: every relation has a level, deductive rules read
//! their own level through positive literals only, and no rule makes integers without end. Proptest
//! shrinks vectors of small numbers, *genes*; each choice reads one, and 0 is always the plainest choice.
//!
//! | module | noun |
//! |---|---|
//! | [`choices`] | genes read as choices |
//! | [`world`] | nodes, relations, constants, facts |
//! | [`rule`] | a random rule |
//! | [`broadcast`] | a protocol in which messages are sure to flow |
//! | [`ring`] | a long row of rules, perhaps in a circle |
//! | [`timer`] | counters that nodes carry from step to step, and what they do when they come back |
//! | [`faults`] | random fault sets of all kinds |
//! | [`bounds`] | random failure specifications, with bounds of all kinds |
//! | [`outcome`] | random `pre` and `post` |
//! | [`broken`] | texts that are nearly programs, or not at all |

// Each test file uses its part of this module.
#![allow(dead_code, unused_imports)]

pub mod bounds;
pub mod broadcast;
pub mod broken;
pub mod choices;
pub mod faults;
pub mod outcome;
pub mod ring;
pub mod rule;
pub mod timer;
pub mod world;

use std::fmt;

use dedalus_runtime::faults::Faults;
use dedalus_runtime::naive::{self, NaiveError, NaiveInput, NaiveRun};
use dedalus_runtime::syntax::ast::Ast;
use dedalus_runtime::syntax::plan::Plan;
use proptest::prelude::*;

pub use broken::{mutated, mutated_program, token_soup};
pub use faults::{fault_set, usable};
pub use outcome::{OutcomeCase, with_outcome};

use choices::Choices;
use world::World;

/// A program with all that a run of it needs.
#[derive(Clone)]
pub struct Case {
    /// The program.
    pub text: String,
    /// Its nodes.
    pub nodes: Vec<String>,
    /// The end of time.
    pub eot: u32,
    /// What goes wrong.
    pub faults: Faults,
}

// As text, because that is what one wants to read (and to paste) when a test fails.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "nodes {}, end of time {}, {}", self.nodes.join(" "), self.eot, self.faults)?;
        f.write_str(&self.text)
    }
}

impl Case {
    /// The program compiled; `None` for the few that a check refuses.
    pub fn plan(&self) -> Option<Plan> {
        dedalus_runtime::syntax::compile_text("generated.ded", &self.text).ok()
    }

    /// What the reference evaluator makes of the program under some faults.
    ///
    /// # Errors
    /// If arithmetic fails.
    pub fn naive(&self, ast: &Ast, faults: &Faults) -> Result<NaiveRun, NaiveError> {
        let input = NaiveInput::new(ast, vec![], vec![], Some(self.nodes.clone()))?;
        naive::run(ast, &input, faults, self.eot)
    }
}

/// The genes of a relation: its shape, its facts, its rules.
type RelationGenes = (Vec<u16>, Vec<Vec<u16>>, Vec<Vec<u16>>);

/// `n` genes.
pub fn genes(n: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), n)
}

/// Many rows of `n` genes.
pub fn many(n: usize, rows: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Vec<u16>>> {
    prop::collection::vec(genes(n), rows)
}

/// Genes for some relations.
pub fn relations(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<RelationGenes>> {
    prop::collection::vec((genes(8), many(6, 0..=4), many(rule::GENES, 0..=3)), count)
}

/// A random valid program (nearly always), 2 to 4 nodes, an end of time from 1 to 6, and some faults.
pub fn program() -> impl Strategy<Value = Case> {
    (genes(36), relations(2..=6), many(faults::GENES, 0..=6)).prop_map(|(shape, relations, faults)| {
        let mut choices = Choices::new(&shape);
        let nodes = 2 + choices.pick(3);
        let eot = choices.weighted(&[(3, 3), (3, 4), (2, 5), (2, 2), (1, 6), (1, 1)]);
        let mut world = World::new(nodes, eot, &mut choices);
        if choices.chance(55) {
            broadcast::add(&mut world, &mut choices);
        }
        if choices.chance(30) {
            timer::add(&mut world, &mut choices);
        }
        if choices.chance(10) {
            ring::add(&mut world, &mut choices);
        }
        populate(&mut world, &relations);
        let mut case = Case { text: world.text(), nodes: world.nodes.clone(), eot, faults: Faults::none() };
        case.faults = fault_set(&case, case.plan().as_ref().map(|plan| &plan.ast), &faults);
        case
    })
}

/// Adds relations, then their facts, then their rules, which may read all of them.
pub fn populate(world: &mut World, genes: &[RelationGenes]) {
    let first = world.relations.len();
    for (shape, _, _) in genes {
        world.add_relation(&mut Choices::new(shape));
    }
    for (i, (shape, facts, rules)) in genes.iter().enumerate() {
        let relation = world.relations[first + i].clone();
        for genes in facts {
            world.add_fact(&relation, &mut Choices::new(genes));
        }
        world.persist(&relation, &mut Choices::new(&shape[5..]));
        for genes in rules {
            let text = rule::write(world, &relation, genes);
            world.items.push(text);
        }
    }
}
