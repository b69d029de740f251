//! Twins: of the things that rows speak of, those that can be exchanged without changing the set of rows.
//!
//! Being twins is an equivalence. Candidates are sorted out by colour first: what a thing's rows look like when every
//! other thing is seen by its colour alone, again and again. Only the few that are left are exchanged in earnest, and
//! only in the rows that speak of them. So the work is about the size of the rows, where it was that times the pairs.

use std::hash::{Hash, Hasher};

use dedalus_runtime::model::{Paced, Spent};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// Rounds of colouring: more tell apart only what is far away, which the exchange finds out too.
const ROUNDS: usize = 4;

/// Rows of numbers; those below `things` are things.
pub struct Twins {
    things: usize,
    rows: Vec<Vec<u32>>,
    set: FxHashSet<Vec<u32>>,
    /// The rows that speak of each thing.
    about: Vec<Vec<usize>>,
    /// Rows looked at.
    looks: u64,
}

impl Twins {
    /// So many things, and the rows that speak of them.
    pub fn new(things: usize, rows: FxHashSet<Vec<u32>>) -> Self {
        let set = rows;
        let mut rows: Vec<Vec<u32>> = set.iter().cloned().collect();
        rows.sort_unstable();
        let mut about = vec![vec![]; things];
        for (at, row) in rows.iter().enumerate() {
            for code in row.iter().filter(|code| (**code as usize) < things) {
                let of = &mut about[*code as usize];
                if of.last() != Some(&at) {
                    of.push(at);
                }
            }
        }
        Twins { things, rows, set, about, looks: 0 }
    }

    /// The classes of twins among these things, in order, each with two members at least.
    ///
    /// # Errors
    /// If there is no more time.
    pub fn classes(&mut self, among: &[u32], pace: &mut Paced) -> Result<Vec<Vec<u32>>, Spent> {
        let colours = self.colours(among, pace)?;
        let mut by_colour: FxHashMap<u32, Vec<Vec<u32>>> = FxHashMap::default();
        for &thing in among {
            let classes = by_colour.entry(colours[thing as usize]).or_default();
            let mut twin = None;
            for (at, class) in classes.iter().enumerate() {
                pace.tick(self.looks_to(class[0]) + self.looks_to(thing))?;
                if self.are_twins(class[0], thing) {
                    twin = Some(at);
                    break;
                }
            }
            match twin {
                Some(at) => classes[at].push(thing),
                None => classes.push(vec![thing]),
            }
        }
        let mut classes: Vec<Vec<u32>> = by_colour.into_values().flatten().filter(|class| class.len() > 1).collect();
        classes.sort_unstable();
        Ok(classes)
    }

    /// What a look at every row about a thing takes.
    fn looks_to(&self, thing: u32) -> u32 {
        u32::try_from(self.about[thing as usize].len()).unwrap_or(u32::MAX / 2)
    }

    /// Colours that twins have in common. Those that are not among the candidates have one each.
    fn colours(&mut self, among: &[u32], pace: &mut Paced) -> Result<Vec<u32>, Spent> {
        let mut colours: Vec<u32> = (1..).take(self.things).collect();
        among.iter().for_each(|thing| colours[*thing as usize] = 0);
        let mut count = 0;
        for _ in 0..ROUNDS {
            let mut names: FxHashMap<(u32, u64), u32> = FxHashMap::default();
            let mut next = colours.clone();
            for &thing in among {
                pace.tick(self.looks_to(thing))?;
                let look = (colours[thing as usize], self.look(thing, &colours));
                let fresh = u32::try_from(self.things + names.len()).unwrap_or(u32::MAX);
                next[thing as usize] = *names.entry(look).or_insert(fresh);
            }
            colours = next;
            if std::mem::replace(&mut count, names.len()) == names.len() {
                break;
            }
        }
        Ok(colours)
    }

    /// What the rows about a thing look like, in any order.
    fn look(&mut self, thing: u32, colours: &[u32]) -> u64 {
        self.looks += self.about[thing as usize].len() as u64;
        let seen = |row: &Vec<u32>| {
            let mut hasher = FxHasher::default();
            for code in row {
                match colours.get(*code as usize) {
                    _ if *code == thing => 0u32.hash(&mut hasher),
                    Some(colour) => (1u32, *colour).hash(&mut hasher),
                    None => (2u32, *code).hash(&mut hasher),
                }
            }
            hasher.finish()
        };
        let rows = self.about[thing as usize].iter().map(|at| seen(&self.rows[*at]));
        rows.fold(0, u64::wrapping_add)
    }

    /// Whether exchanging two things leaves the rows as they are.
    fn are_twins(&mut self, a: u32, b: u32) -> bool {
        let mut swapped = vec![];
        for at in self.about[b as usize].iter().chain(&self.about[a as usize]) {
            self.looks += 1;
            swapped.clear();
            swapped.extend(self.rows[*at].iter().map(|code| match *code {
                code if code == a => b,
                code if code == b => a,
                code => code,
            }));
            if !self.set.contains(&swapped) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(n: u32) -> FxHashSet<Vec<u32>> {
        let pairs = (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| vec![1_000_000, i, j]));
        pairs.collect()
    }

    fn all(n: u32) -> Vec<u32> {
        (0..n).collect()
    }

    /// Every pair exchanged in every row: what the classes are, beyond doubt.
    fn by_hand(n: u32, rows: &FxHashSet<Vec<u32>>, among: &[u32]) -> Vec<Vec<u32>> {
        let mut classes: Vec<Vec<u32>> = vec![];
        for &thing in among {
            let swap = |other: u32, code: u32| {
                if code == thing {
                    other
                } else if code == other {
                    thing
                } else {
                    code
                }
            };
            let twin = |class: &&mut Vec<u32>| {
                rows.iter().all(|row| rows.contains(&row.iter().map(|c| swap(class[0], *c)).collect::<Vec<_>>()))
            };
            match classes.iter_mut().find(twin) {
                Some(class) => class.push(thing),
                None => classes.push(vec![thing]),
            }
        }
        assert!(among.iter().all(|thing| *thing < n));
        classes.retain(|class| class.len() > 1);
        classes
    }

    #[test]
    fn the_work_grows_with_the_rows_not_with_rows_times_pairs() {
        for told_apart in [false, true] {
            for n in [20, 40, 80] {
                let mut rows = mesh(n);
                if told_apart {
                    rows.extend((0..n).map(|i| vec![1_000_001, i, 2_000_000 + i]));
                }
                let size = rows.len() as u64;
                let mut twins = Twins::new(n as usize, rows);
                let classes = twins.classes(&all(n), &mut Paced::default()).unwrap();
                assert_eq!(classes, if told_apart { vec![] } else { vec![all(n)] });
                assert!(twins.looks <= 14 * size, "{} looks at {size} rows", twins.looks);
            }
        }
    }

    #[test]
    fn a_deadline_ends_it() {
        let mut spent = Paced::from(dedalus_runtime::model::Budget::within(std::time::Duration::ZERO));
        assert_eq!(Twins::new(80, mesh(80)).classes(&all(80), &mut spent), Err(Spent::Time));
    }

    #[test]
    fn nobody_in_a_ring_has_a_twin() {
        let n = 200;
        let ring = (0..n).map(|i| vec![1_000_000, i, (i + 1) % n]).collect();
        let mut twins = Twins::new(n as usize, ring);
        assert!(twins.classes(&all(n), &mut Paced::default()).unwrap().is_empty());
        assert!(twins.looks <= u64::from(n * n), "{}", twins.looks);
    }

    #[test]
    fn the_classes_are_those_found_by_exchanging_every_pair() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut with_twins = 0;
        for _ in 0..400 {
            let n = random.u32(2..7);
            let row = |random: &mut fastrand::Rng| {
                let width = random.usize(1..4);
                let mut row = vec![1_000_000 + random.u32(0..2)];
                row.extend((0..width).map(|_| if random.bool() { random.u32(0..n) } else { 2_000_000 }));
                row
            };
            let rows: FxHashSet<Vec<u32>> = (0..random.usize(0..8)).map(|_| row(&mut random)).collect();
            let among: Vec<u32> = (0..n).filter(|_| random.u32(0..5) > 0).collect();
            let expected = by_hand(n, &rows, &among);
            with_twins += usize::from(!expected.is_empty());
            let classes = Twins::new(n as usize, rows.clone()).classes(&among, &mut Paced::default()).unwrap();
            assert_eq!(classes, expected, "{rows:?} {among:?}");
        }
        assert!(with_twins > 50, "{with_twins}");
    }
}
