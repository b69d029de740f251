//! What surely survives other faults, seen from the lineage of one run: the reasoning of the paper's loop.
//!
//! | module | what |
//! |---|---|
//! | `whole` | relations looked at as a whole: coarse and safe |
//! | `absence` | what stays away, pattern by pattern |
//! | `bindings` | which variables a rule can have |
//! | `domains`, `ranges` | which values can stand in a column, and how large numbers get |

mod absence;
mod bindings;
mod domains;
mod ranges;
mod whole;

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::lineage::{Firing, FiringId};
use dedalus_runtime::matcher::Pattern;
use dedalus_runtime::model::{Concrete, FaultSet, Node};
use dedalus_runtime::syntax::plan::RuleId;

use super::room::Room;
use super::walk::{Ground, Walk};
use crate::formula::{Bit, Formula};
use crate::options::Negation;
use crate::space::FaultSpace;
use absence::untouchable;
use whole::Place;

pub(crate) use domains::Domains;
pub(crate) use ranges::Ranges;

/// What surely survives other faults, seen from one run.
pub(crate) struct Survive<'e> {
    ground: Ground<'e>,
    negation: Negation,
    /// The faults of the run.
    faults: FaultSet<Node>,
    /// The same, to be asked.
    world: Concrete,
    gains: HashMap<Place, Bit>,
    /// The relations that no fault can change.
    fixed: Vec<bool>,
    /// The values that columns can have.
    domains: Rc<Domains>,
    /// Patterns that surely stay away, when they do; `None` while that is being found out.
    away: HashMap<Pattern, Option<Bit>>,
    /// Tuples that are surely gone, when they are; `None` while that is being found out.
    gone: HashMap<TupleId, Option<Bit>>,
    /// How many patterns each place has been asked for.
    patterns: HashMap<Place, usize>,
    /// How many patterns and tuples are being looked at.
    depth: usize,
}

impl<'e> Survive<'e> {
    /// For a run with lineage.
    pub(crate) fn new(
        run: &'e Execution,
        formula: Formula,
        space: FaultSpace,
        room: Room,
        domains: Rc<Domains>,
        negation: Negation,
    ) -> Self {
        Survive {
            ground: Ground::new(run, formula, space, room),
            negation,
            faults: run.placed_faults().clone(),
            world: run.world(),
            gains: HashMap::new(),
            fixed: untouchable(run.plan()),
            domains,
            away: HashMap::new(),
            gone: HashMap::new(),
            patterns: HashMap::new(),
            depth: 0,
        }
    }

    /// The circuits and the faults that they are over.
    pub(crate) fn into_parts(self) -> (Formula, FaultSpace) {
        (self.ground.formula, self.ground.space)
    }
}

impl<'e> Deref for Survive<'e> {
    type Target = Ground<'e>;

    fn deref(&self) -> &Ground<'e> {
        &self.ground
    }
}

impl<'e> DerefMut for Survive<'e> {
    fn deref_mut(&mut self) -> &mut Ground<'e> {
        &mut self.ground
    }
}

impl<'e> Walk<'e> for Survive<'e> {
    fn ground(&self) -> &Ground<'e> {
        &self.ground
    }

    fn ground_mut(&mut self) -> &mut Ground<'e> {
        &mut self.ground
    }

    fn is_sure(&self, _: FiringId) -> bool {
        false
    }

    fn push_absences(&mut self, _: &Firing, _: &mut Vec<TupleId>) {}

    fn absent(&mut self, pattern: &Pattern) -> Bit {
        match self.run().plan().rel(pattern.relation).is_timeless() {
            _ if pattern.time == 0 => Bit::TRUE,
            true => !self.turn_pattern(pattern),
            false => self.stays_away(pattern),
        }
    }

    fn group(&mut self, rule: RuleId, number: u32, tuple: TupleId) -> Bit {
        self.group_stays(rule, number, tuple)
    }
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::interpret::Interpreted;
    use dedalus_runtime::model::{Budget, FailureSpec, Faults, Time};
    use dedalus_runtime::runner::Runner;

    use super::*;

    /// Whether what is asked of a run surely lasts when these inputs hold, by their names.
    fn lasts(faults: &str, inputs: &[&str], ask: impl Fn(&mut Survive<'_>) -> Bit) -> bool {
        let text = r#"
            heard(B, W)@async :- say(A, W), peer(A, B);
            heard(B, W)@next :- heard(B, W);
            peer(A, B)@next :- peer(A, B);
            say("a", 1)@1; peer("a", "b")@1; peer("b", "a")@1;
        "#;
        let program = Interpreted::from_text("test.ded", text).unwrap();
        let spec = FailureSpec::new(3, 3, 1).unwrap();
        let mut runner = Runner::new(&program, Time(3)).unwrap();
        let run = runner.run_lineage(&faults.parse::<Faults>().unwrap()).unwrap();
        let mut formula = Formula::default();
        let mut room = Room::new(10_000, Budget::unlimited());
        let space = FaultSpace::new(spec, run, &mut formula, &mut room).unwrap();
        let domains = Rc::new(Domains::new(run));
        let mut survive =
            Survive::new(run, formula, space, Room::new(10_000, Budget::unlimited()), domains, Negation::Conservative);
        let everything: Vec<TupleId> = (0u32..)
            .zip(&run.plan().relations)
            .flat_map(|(r, _)| {
                let relation = dedalus_runtime::syntax::plan::RelId(r);
                (0..run.table(relation).len()).map(move |row| TupleId { relation, row })
            })
            .collect();
        survive.encode(&everything).unwrap();
        let bit = ask(&mut survive);
        let (formula, space) = survive.into_parts();
        let names = space.names();
        formula.evaluate(bit, &|bit| names.iter().any(|(b, name)| *b == bit && inputs.contains(&name.as_str())))
    }

    fn heard(survive: &mut Survive<'_>) -> Bit {
        let relation = survive.run().plan().relation("heard").unwrap();
        let tuple = survive.run().at(relation, 3).next().unwrap();
        survive.holds(tuple)
    }

    fn unheard(survive: &mut Survive<'_>) -> Bit {
        let relation = survive.run().plan().relation("heard").unwrap();
        survive.absent(&Pattern { relation, time: 3, columns: vec![None, None] })
    }

    #[test]
    fn what_holds_lasts_as_long_as_its_message_arrives() {
        assert!(lasts("no faults", &[], heard));
        assert!(lasts("no faults", &["lose b->a@1"], heard));
        assert!(!lasts("no faults", &["lose a->b@1"], heard));
        assert!(!lasts("no faults", &["dead a@1", "dead a@2", "dead a@3"], heard));
    }

    #[test]
    fn what_was_lost_stays_away_as_long_as_it_is_lost() {
        assert!(lasts("lose a->b@1", &["lose a->b@1"], unheard));
        assert!(lasts("lose a->b@1", &["dead a@1", "dead a@2", "dead a@3"], unheard));
        assert!(!lasts("lose a->b@1", &[], unheard));
    }
}
