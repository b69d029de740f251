//! Why promises were broken: an [`Explanation`] of a run, held against the runs with each of its faults left out, and
//! with none.
//!
//! What holds in all of these runs, or in none, needs no reason: it is so anyway. What holds has one that suffices. What
//! is absent has one for each way in which it comes about in another run: what was in the way here. A fault is named
//! wherever something would be otherwise without it. So an explanation proves that the faults break the promise; and if
//! some fault did not occur in it, all of it would be just as true without that fault, and so the promise broken. Of a
//! minimal counterexample, therefore, every fault occurs.
//!
//! | module | noun |
//! |---|---|
//! | `ground` | the runs that are compared |
//! | `blame` | which faults to name |
//! | `holds`, `absent` | reasons, claim by claim |
//! | `nearly` | how far a rule came that no run fires |
//! | `nearest` | of what could have matched a literal, what came nearest |
//! | `body` | the body of a rule, tried on a run |
//! | `fold` | the same at several steps, told once |
//! | `alike` | promises that break for the like reason, told once |
//! | `later` | late, or broken for good |

mod absent;
mod alike;
mod blame;
mod body;
mod fold;
mod ground;
mod holds;
mod later;
mod nearest;
mod nearly;

use std::collections::VecDeque;

use dedalus_runtime::model::{
    Absence, Asked, Budget, Claim, ClaimId, Did, Explanation, Fate, Faults, Spent, Time, Tuple, Value, Why,
};
use dedalus_runtime::syntax::plan::RelId;
use dedalus_runtime::{Execution, Program, RunError, TupleId, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::outcome::{Judge, Obligation};
use ground::Ground;

/// Claims beyond which reasons are left untold.
const MOST: usize = 4_000;

/// Why a run breaks its promises: every one that it breaks, with whether they are only kept too late.
///
/// # Errors
/// If the runs fail, or the budget is spent.
pub fn explain<P: Program + ?Sized>(
    program: &P,
    faults: &Faults,
    eot: u32,
    budget: &Budget,
) -> Result<Explanation, RunError> {
    let ground = Ground::new(program, faults, eot, budget)?;
    let judge = Judge::new(ground.usual());
    let mut explainer = Explainer::new(&ground, budget)?;
    let (mut asked, mut homeless) = (vec![], vec![]);
    for obligation in judge.broken(ground.actual()) {
        let given = obligation.given.map(|given| explainer.claim(Key::of(ground.actual(), given, true)));
        let tuple = obligation.tuple(ground.actual());
        match (obligation, given) {
            (Obligation { owed: Some(relation), words, .. }, _) => {
                asked.push((given, explainer.claim(Key { relation, words, time: eot, holds: false, base: false })));
            }
            // No relation could have it, so all that can be told is why it is owed.
            (Obligation { owed: None, .. }, Some(given)) => homeless.push((given, tuple)),
            (Obligation { owed: None, .. }, None) => {}
        }
    }
    let known = asked.len();
    asked.extend(homeless.iter().map(|(given, _)| (None, *given)));
    explainer.roots = asked.iter().map(|(_, claim)| *claim).collect();
    explainer.work()?;
    let mut explanation = explainer.fold(&asked)?;
    for (asked, (_, tuple)) in explanation.asked[known..].iter_mut().zip(homeless) {
        asked.given = Some(asked.claim);
        asked.claim = ClaimId(u32::try_from(explanation.claims.len()).unwrap_or(u32::MAX));
        explanation.claims.push(out_of_reach(&tuple, Time(eot)));
    }
    explanation.later = later::later(program, faults, eot, &judge, budget)?;
    Ok(explanation)
}

/// Why nothing is promised at the end of the failure-free run: of each promise, what keeps it from being made.
///
/// # Errors
/// If the run fails, or the budget is spent.
pub fn explain_vacuous<P: Program + ?Sized>(program: &P, eot: u32, budget: &Budget) -> Result<Explanation, RunError> {
    let ground = Ground::new(program, &Faults::none(), eot, budget)?;
    let judge = Judge::new(ground.usual());
    let mut explainer = Explainer::new(&ground, budget)?;
    let mut asked = vec![];
    for relation in judge.brings().filter(|pre| ground.actual().at(*pre, eot).next().is_none()) {
        asked.push((None, explainer.told_claim(Key::none_of(relation, eot))));
    }
    explainer.work()?;
    Ok(explainer.fold(&asked)?)
}

/// Why a tuple holds at a time under some faults, or why it does not. Nothing is asked where the program has no such
/// relation.
///
/// # Errors
/// If the runs fail, or the budget is spent.
pub fn explain_tuple<P: Program + ?Sized>(
    program: &P,
    faults: &Faults,
    eot: u32,
    (tuple, time): (&Tuple, Time),
    budget: &Budget,
) -> Result<Explanation, RunError> {
    let ground = Ground::new(program, faults, eot, budget)?;
    let run = ground.actual();
    let Some(relation) = run.plan().relation(&tuple.relation) else { return Ok(Explanation::default()) };
    let words: Option<Vec<Word>> = tuple.values.iter().map(|value| run.symbols().encode(value)).collect();
    let Some(words) = words.filter(|words| words.len() == run.plan().rel(relation).columns.len()) else {
        return Ok(unheard_of(tuple, time));
    };
    let mut explainer = Explainer::new(&ground, budget)?;
    let holds = run.find_words(relation, time.0, &words).is_some();
    let key = Key { relation, words, time: time.0, holds, base: false };
    // Whoever asks about what would be so anyway wants to see how it comes about, or how far it comes.
    explainer.all |= holds || explainer.lineages.is_anyway(&key)?;
    let claim = explainer.claim(key);
    explainer.roots.insert(claim);
    explainer.work()?;
    Ok(explainer.fold(&[(None, claim)])?)
}

/// A string that the program never saw is in no tuple.
fn unheard_of(tuple: &Tuple, time: Time) -> Explanation {
    let asked = Asked { given: None, claim: ClaimId(0), like: None };
    Explanation { claims: vec![out_of_reach(tuple, time)], asked: vec![asked], later: None }
}

/// That a tuple does not hold, as no rule can make it.
fn out_of_reach(tuple: &Tuple, time: Time) -> Claim {
    Claim { tuple: tuple.clone(), from: time, until: time, holds: false, usual: true, why: Why::Never(vec![]) }
}

/// What is claimed: that a tuple holds at a time, or that it does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    relation: RelId,
    words: Vec<Word>,
    time: u32,
    holds: bool,
    /// Whether it is about holding otherwise than by a deductive rule.
    base: bool,
}

impl Key {
    fn of(run: &Execution, tuple: TupleId, holds: bool) -> Self {
        Key { relation: tuple.relation, words: run.words(tuple).to_vec(), time: run.time(tuple).0, holds, base: false }
    }

    /// That nothing at all is in a relation.
    fn none_of(relation: RelId, time: u32) -> Self {
        Key { relation, words: vec![], time, holds: false, base: false }
    }

    /// Whether it is about a whole relation, and not about the one tuple of a relation without columns.
    fn is_open(&self, run: &Execution) -> bool {
        self.words.is_empty() && !run.plan().rel(self.relation).columns.is_empty()
    }
}

/// A claim with its reasons, at one step.
#[derive(Clone, Debug)]
struct Raw {
    key: Key,
    why: RawWhy,
}

#[derive(Clone, Debug, PartialEq)]
enum RawWhy {
    /// Not looked at.
    Untold,
    Fact,
    Anyway,
    Faults(Faults),
    Fired {
        rule: Option<u32>,
        time: u32,
        parts: Vec<RawPart>,
    },
    Never(Vec<RawWay>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RawWay {
    rule: Option<u32>,
    time: u32,
    usual: bool,
    obstacle: RawPart,
}

/// A part of a reason, with claims by their place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RawPart {
    Claim(usize),
    OnlyDerived(usize),
    Instead(usize),
    Message { from: String, to: String, sent: u32, fate: Fate, arrives: Option<u32>, faults: Faults },
    Node { node: String, did: Did, time: u32, faults: Faults },
    NoMatch { absence: Absence, nearest: Option<usize> },
    Untrue(String),
    Struck(Faults),
    Discounted { tuple: Tuple, time: u32, faults: Faults },
}

/// Makes claims and finds their reasons.
struct Explainer<'g> {
    ground: &'g Ground,
    lineages: ground::Lineages<'g>,
    blame: blame::Blamer,
    claims: Vec<Raw>,
    places: FxHashMap<Key, usize>,
    queue: VecDeque<usize>,
    /// What was asked about: told even where it would be so anyway.
    roots: FxHashSet<usize>,
    /// Tell everything, also what would be so anyway.
    all: bool,
}

impl<'g> Explainer<'g> {
    fn new(ground: &'g Ground, budget: &Budget) -> Result<Self, Spent> {
        Ok(Explainer {
            ground,
            lineages: ground::Lineages::new(ground, budget)?,
            blame: blame::Blamer::new(&ground.faults, ground.actual().nodes()),
            claims: vec![],
            places: FxHashMap::default(),
            queue: VecDeque::new(),
            roots: FxHashSet::default(),
            // Without faults everything is so anyway, and yet somebody asks.
            all: ground.faults.is_empty(),
        })
    }

    /// The place of a claim, which is made if it is new.
    fn claim(&mut self, key: Key) -> usize {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let place = self.claims.len();
        self.places.insert(key.clone(), place);
        self.claims.push(Raw { key, why: RawWhy::Untold });
        self.queue.push_back(place);
        place
    }

    /// Whether a claim is told even if it is so anyway.
    fn is_told(&self, place: usize) -> bool {
        self.all || self.roots.contains(&place)
    }

    /// A claim with its reasons, also where it is so anyway.
    fn told_claim(&mut self, key: Key) -> usize {
        let place = self.claim(key);
        self.roots.insert(place);
        place
    }

    /// The tuple that a claim is about.
    fn tuple(&self, key: &Key) -> Tuple {
        let run = self.ground.actual();
        let relation = run.plan().rel(key.relation);
        if key.is_open(run) {
            return Tuple::new(relation.name.clone(), relation.columns.iter().map(|_| Value::from("_")));
        }
        let values = relation.columns.iter().zip(&key.words).map(|(ty, word)| run.symbols().value(*ty, *word));
        Tuple::new(relation.name.clone(), values)
    }

    /// Finds the reasons of every claim.
    fn work(&mut self) -> Result<(), Spent> {
        while let Some(place) = self.queue.pop_front() {
            if place >= MOST {
                continue;
            }
            let key = self.claims[place].key.clone();
            let why = if key.holds { self.why_holds(&key, place)? } else { self.why_absent(&key, place)? };
            self.claims[place].why = why;
        }
        Ok(())
    }

    /// The explanation: the same at several steps told once, places as they are read.
    fn fold(mut self, asked: &[(Option<usize>, usize)]) -> Result<Explanation, Spent> {
        let usual = fold::usual(&mut self)?;
        let mut pace = self.lineages.pace();
        let mut folded = fold::fold(&self, &usual, &mut pace)?;
        let id = |place: usize| folded.place(place);
        let asked =
            asked.iter().map(|(given, claim)| Asked { given: given.map(id), claim: id(*claim), like: None }).collect();
        let mut explanation = folded.explanation(asked)?;
        alike::mark(&mut explanation, &mut pace)?;
        Ok(explanation)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use dedalus_runtime::Interpreted;

    use super::*;

    /// A promise that one lost message breaks so many times.
    fn told(count: usize) -> Interpreted {
        let mut text = "p(N, I)@next :- p(N, I); got(B, I)@async :- say(A, B, I); got(B, I)@next :- got(B, I);
            pre(I) :- p(_, I); post(I) :- p(_, I), got(\"b\", I); node(\"b\")@1;\n"
            .to_owned();
        for i in 0..count {
            let _ = writeln!(text, "p(\"a\", {i})@1; say(\"a\", \"b\", {i})@1;");
        }
        Interpreted::from_text("told.ded", &text).unwrap()
    }

    #[test]
    fn an_explanation_under_way_hears_that_it_is_to_end() {
        let faults = Faults::none().lose("a", "b", 1);
        let ground = Ground::new(&told(1_500), &faults, 3, &Budget::unlimited()).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().cancelled_by(stop.clone());
        let asked = |explainer: &mut Explainer<'_>| -> Vec<(Option<usize>, usize)> {
            let broken = Judge::new(ground.usual()).broken(ground.actual()).into_iter();
            let claim = |Obligation { owed, words, .. }: Obligation| {
                let relation = owed.expect("there is such a relation");
                (None, explainer.claim(Key { relation, words, time: 3, holds: false, base: false }))
            };
            broken.map(claim).collect()
        };
        let mut explainer = Explainer::new(&ground, &budget).unwrap();
        let all = asked(&mut explainer);
        explainer.work().unwrap();
        // All reasons are found; to put them in order takes time as well.
        stop.store(true, Ordering::Relaxed);
        assert_eq!(explainer.fold(&all), Err(Spent::Interrupted));
        stop.store(false, Ordering::Relaxed);
        let mut explainer = Explainer::new(&ground, &budget).unwrap();
        asked(&mut explainer);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(explainer.work(), Err(Spent::Interrupted));
        assert_eq!(Explainer::new(&ground, &budget).err(), Some(Spent::Interrupted));
    }

    #[test]
    fn a_chain_as_long_as_a_run_is_explained_in_a_small_stack() {
        let text = "q(N, I + 1)@next :- p(N, I); p(N, I + 1)@next :- q(N, I); p(B, 0)@async :- go(A, B);
            go(\"a\", \"b\")@1; want(N)@next :- want(N); want(\"b\")@1;
            pre(N) :- want(N); post(N) :- p(N, _); post(N) :- q(N, _);";
        let explained = std::thread::Builder::new().stack_size(512 << 10).spawn(move || {
            let program = Interpreted::from_text("chain.ded", text).unwrap();
            let told = explain(&program, &Faults::none().lose("a", "b", 1), 1_200, &Budget::unlimited()).unwrap();
            assert!(told.claims.len() > 1_000, "{}", told.claims.len());
        });
        explained.unwrap().join().unwrap();
    }
}
