//! In the potential variant: which tuples hold in *every* admissible execution.
//!
//! Knowing them keeps the universe small (a negation that a certain tuple defeats never fires, a
//! count over certain tuples has one value) and lets the search fold them to constants.

use crate::database::Database;
use crate::mode::Mode;

impl Database {
    /// Whether a firing happens in every execution.
    pub(crate) fn is_certain_firing(&self, rule: usize, firing: u32) -> bool {
        let firings = &self.firings[rule];
        firings.is_sure(firing)
            && (self.plan.rules[rule].premises.iter().zip(firings.premises(firing)))
                .all(|(premise, row)| self.tables[premise.relation.index()].is_certain(*row))
    }

    /// Marks what the rules of a stratum derive in every execution. Free outside the potential variant.
    pub fn settle<M: Mode>(&mut self, rules: &[usize]) {
        if !M::RELAX {
            return;
        }
        loop {
            let mut grew = false;
            for &rule in rules {
                let head = &self.plan.rules[rule].head;
                let relation = head.relation.index();
                // Aggregates are marked as they are derived.
                if head.aggregates() {
                    continue;
                }
                for firing in self.settled[rule]..self.firings[rule].len() {
                    let row = self.firings[rule].head(firing);
                    if !self.tables[relation].is_certain(row) && self.is_certain_firing(rule, firing) {
                        self.tables[relation].set_certain(row);
                        grew = true;
                    }
                }
            }
            if !grew {
                break;
            }
        }
        for &rule in rules {
            self.settled[rule] = self.firings[rule].len();
        }
    }
}
