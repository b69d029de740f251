//! Tuples that hold at the next step without a rule: the stable ones of a node that is down, all of one
//! that is paused.

use dedalus_syntax::ast::Type;
use ldfi_model::{Node, Possible};

use crate::database::{Database, Step};
use crate::mode::Variant;
use crate::value::Word;

/// The tuples of a relation that were kept: the row at the next step, and the row that it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    pairs: Vec<(u32, u32)>,
}

impl Carried {
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// The row at the next step, and the row that it was.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}

/// Bytes that it takes to tell that a tuple was kept.
const KEPT: usize = 8;

impl Database {
    /// Keeps the base tuples of nodes that stand still. Free where none can.
    ///
    /// # Errors
    /// If the memory or the time does not suffice.
    #[inline(always)]
    pub(crate) fn carry(&mut self, variant: Variant) -> Step {
        if variant == Variant::Plain || !self.clock.is_guarded() { Ok(()) } else { self.carry_over() }
    }

    fn carry_over(&mut self) -> Step {
        for relation in 0..self.tables.len() {
            let plan = &self.plan.relations[relation];
            if plan.is_timeless() || plan.columns.first() != Some(&Type::Str) {
                continue;
            }
            let stable = plan.stable;
            let mut keeps: Vec<Word> = vec![];
            for node in Node::first(self.nodes.len()) {
                if self.clock.keeps(node, stable) != Possible::Never {
                    keeps.push(self.node_words()[node.index()]);
                }
            }
            if keeps.is_empty() {
                continue;
            }
            for row in self.tables[relation].base_rows() {
                let words = self.tables[relation].row(row).to_vec();
                if keeps.contains(&words[0]) {
                    let (kept, fresh) = self.tables[relation].insert_next(&words);
                    self.carried[relation].pairs.push((kept, row));
                    self.allowance.take(KEPT)?;
                    self.take_row(relation, fresh)?;
                }
            }
        }
        Ok(())
    }
}
