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

use dedalus_runtime::model::{Concrete, FaultSet, Node};
use dedalus_runtime::syntax::plan::RuleId;
use dedalus_runtime::{Execution, Firing, FiringId, Pattern, TupleId};

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
    use dedalus_runtime::model::{Budget, FailureSpec, Faults, Paced, Time};
    use dedalus_runtime::{Interpreted, Runner};

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
        let domains = Rc::new(Domains::new(run, &mut Paced::default()).unwrap());
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

    /// Programs whose absences have every kind of reason: messages, negation, groups, relations that faults do not touch.
    const PROGRAMS: [&str; 4] = [
        r#"heard(B, W)@async :- say(A, W), peer(A, B);
           heard(B, W)@next :- heard(B, W);
           say(A, W)@next :- say(A, W), notin heard(A, W);
           peer(A, B)@next :- peer(A, B);
           say("a", 1)@1; say("b", 2)@1; peer("a", "b")@1; peer("b", "a")@1;"#,
        r#"ping(B, A)@async :- peer(A, B);
           peer(A, B)@next :- peer(A, B);
           alone(B) :- peer(B, A), notin ping(B, A);
           doubt(B)@next :- alone(B);
           doubt(B)@next :- doubt(B), notin ping(B, _);
           dead(N) :- crash(_, N, T), T < 3;
           calm(B) :- peer(B, _), notin doubt(B), notin dead(B);
           peer("a", "b")@1; peer("b", "a")@1;"#,
        r#"vote(B, A, V)@async :- mine(A, V), peer(A, B);
           vote(B, A, V)@next :- vote(B, A, V);
           mine(A, V)@next :- mine(A, V);
           peer(A, B)@next :- peer(A, B);
           votes(B, count<A>) :- vote(B, A, _);
           top(B, max<V>) :- vote(B, _, V);
           none(B) :- peer(B, _), notin votes(B, _);
           mine("a", 1)@1; mine("b", 2)@1; peer("a", "b")@1; peer("b", "a")@1; vote("a", "a", 3)@2;"#,
        r#"want(B, K)@async :- ask(A, K), owner(K, B), node(A);
           want(B, K)@next :- want(B, K);
           owner(K, B)@next :- owner(K, B);
           node(A)@next :- node(A);
           idle(B) :- node(B), notin want(B, _);
           odd(B, K) :- want(B, K), owner(K, C), C != B;
           ask("a", "k")@1; ask("b", "l")@2; owner("k", "b")@1; owner("l", "a")@1; node("a")@1; node("b")@1;"#,
    ];

    /// Up to two losses and one crash, with the inputs that hold under them.
    fn fault_sets() -> Vec<(String, Vec<String>)> {
        let losses = ["lose a->b@1", "lose a->b@2", "lose b->a@1", "lose b->a@2"];
        let mut all = vec![];
        for crash in [None, Some(("a", 1)), Some(("a", 2)), Some(("b", 1)), Some(("b", 3))] {
            for bits in 0u32..16 {
                let mut inputs: Vec<String> = (losses.iter().enumerate())
                    .filter(|(at, _)| bits >> at & 1 == 1)
                    .map(|(_, loss)| (*loss).to_owned())
                    .collect();
                let mut faults = inputs.clone();
                if let Some((node, time)) = crash {
                    faults.push(format!("crash {node}@{time}"));
                    inputs.extend((time..=3).map(|t| format!("dead {node}@{t}")));
                }
                if bits.count_ones() <= 2 {
                    all.push((faults.join("; "), inputs));
                }
            }
        }
        all
    }

    /// What is said of a run to last under other faults is so in the runs under them.
    #[test]
    fn what_surely_lasts_does_in_every_run() {
        let spec = FailureSpec::new(3, 3, 1).unwrap();
        let sets = fault_sets();
        let (mut lasting, mut asked) = (0, 0);
        for text in PROGRAMS {
            let program = Interpreted::from_text("test.ded", text).unwrap_or_else(|error| panic!("{error}"));
            let mut other = Runner::new(&program, Time(3)).unwrap();
            let mut runner = Runner::new(&program, Time(3)).unwrap();
            for (base, _) in sets.iter().step_by(5) {
                let run = runner.run_lineage(&base.parse::<Faults>().unwrap()).unwrap();
                let mut formula = Formula::default();
                let mut room = Room::new(100_000, Budget::unlimited());
                let space = FaultSpace::new(spec, run, &mut formula, &mut room).unwrap();
                let domains = Rc::new(Domains::new(run, &mut Paced::default()).unwrap());
                let mut survive = Survive::new(run, formula, space, room, domains, Negation::Conservative);
                let relations: Vec<_> = (0u32..)
                    .zip(&run.plan().relations)
                    .filter(|(_, relation)| !relation.is_timeless())
                    .map(|(r, relation)| (dedalus_runtime::syntax::plan::RelId(r), relation.columns.len()))
                    .collect();
                let everything = relations.iter().flat_map(|(relation, _)| {
                    (0..run.table(*relation).len()).map(|row| TupleId { relation: *relation, row })
                });
                survive.encode(&everything.collect::<Vec<_>>()).unwrap();
                let tuples: Vec<TupleId> = relations.iter().flat_map(|(relation, _)| run.at(*relation, 3)).collect();
                let mut claims: Vec<(Bit, Option<TupleId>, dedalus_runtime::syntax::plan::RelId)> =
                    tuples.iter().map(|tuple| (survive.holds(*tuple), Some(*tuple), tuple.relation)).collect();
                for (relation, columns) in &relations {
                    let nothing_new = Pattern { relation: *relation, time: 3, columns: vec![None; *columns] };
                    claims.push((survive.absent(&nothing_new), None, *relation));
                }
                let (formula, space) = survive.into_parts();
                let names = space.names();
                for (faults, inputs) in &sets {
                    let then = other.run(&faults.parse::<Faults>().unwrap()).unwrap();
                    let on = |bit: Bit| names.iter().any(|(b, name)| *b == bit && inputs.contains(name));
                    for (bit, tuple, relation) in &claims {
                        asked += 1;
                        if !formula.evaluate(*bit, &on) {
                            continue;
                        }
                        lasting += 1;
                        let there: Vec<_> = then.at(*relation, 3).map(|t| then.words(t).to_vec()).collect();
                        let so = match tuple {
                            Some(tuple) => there.contains(&run.words(*tuple).to_vec()),
                            None => there.iter().all(|new| run.at(*relation, 3).any(|old| run.words(old) == &new[..])),
                        };
                        let what = tuple.map_or(run.plan().rel(*relation).name.clone(), |t| run.tuple(t).to_string());
                        assert!(so, "seen from `{base}`, {what} should last under `{faults}`:\n{text}");
                    }
                }
            }
        }
        assert!(lasting > asked / 10 && lasting < asked, "{lasting} of {asked}");
    }
}
