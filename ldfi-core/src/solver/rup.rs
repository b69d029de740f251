//! A forward checker of clausal proofs, independent of every solver here.
//!
//! Each lemma must follow by reverse unit propagation: assume all its literals false, propagate, meet a conflict.
//! That is the fragment of DRAT that solvers use when they do not eliminate variables.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead};

use dedalus_runtime::model::Spent;

use super::{Budget, Cnf, Lit};

/// Why a text does not prove a formula unsatisfiable.
#[derive(Debug)]
pub enum RupError {
    /// The proof could not be read.
    Read(io::Error),
    /// A line is not a lemma or a deletion.
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What stands there that should not.
        found: String,
    },
    /// A lemma does not follow by unit propagation.
    NotImplied {
        /// The line of the lemma, from 1.
        line: usize,
    },
    /// All lemmas follow, but they do not contradict each other.
    NoContradiction,
    /// The budget was spent before the end of the proof.
    Spent(Spent),
}

/// Checks a DRAT proof in its text form; `Ok` means that `cnf` is unsatisfiable, whoever wrote the proof.
///
/// Lemmas that need more than unit propagation (RAT) are refused. Deletions only ever weaken what is known,
/// so those of clauses that were never there are let pass.
///
/// # Errors
/// The first thing wrong with the proof.
///
/// ```
/// use ldfi_core::solver::{Cnf, check_proof};
/// let cnf = Cnf::parse_dimacs("p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n").unwrap();
/// assert!(check_proof(&cnf, &mut "1 0\n0\n".as_bytes()).is_ok());
/// assert!(check_proof(&cnf, &mut "0\n".as_bytes()).is_err());
/// ```
pub fn check_proof(cnf: &Cnf, proof: &mut dyn BufRead) -> Result<(), RupError> {
    check_proof_within(cnf, proof, &Budget::unlimited())
}

/// [`check_proof`], given up when `budget` is spent.
///
/// # Errors
/// The first thing wrong with the proof, or [`RupError::Spent`].
pub fn check_proof_within(cnf: &Cnf, proof: &mut dyn BufRead, budget: &Budget) -> Result<(), RupError> {
    let mut checker = Checker::new(cnf.num_vars());
    for clause in cnf.clauses() {
        checker.add(clause);
    }
    for (row, line) in proof.lines().enumerate() {
        if checker.contradiction {
            return Ok(());
        }
        budget.check().map_err(RupError::Spent)?;
        let line = line.map_err(RupError::Read)?;
        match parse(&line).map_err(|found| RupError::Syntax { line: row + 1, found })? {
            None => {}
            Some((true, clause)) => checker.delete(&clause),
            Some((false, lemma)) => {
                if !checker.follows(&lemma) {
                    return Err(RupError::NotImplied { line: row + 1 });
                }
                checker.add(&lemma);
            }
        }
    }
    if checker.contradiction { Ok(()) } else { Err(RupError::NoContradiction) }
}

/// A line of a proof: whether it is a deletion, and the clause; `None` for comments and empty lines.
fn parse(line: &str) -> Result<Option<(bool, Vec<Lit>)>, String> {
    let mut words = line.split_whitespace().peekable();
    let deletion = match words.peek() {
        None | Some(&"c") => return Ok(None),
        Some(&"d") => words.next().is_some(),
        Some(_) => false,
    };
    let mut clause = Vec::new();
    let mut ended = false;
    for word in words {
        let number = word.parse::<i32>().map_err(|_| word.to_string())?;
        match Lit::from_dimacs(number) {
            Some(lit) if !ended => clause.push(lit),
            None if number == 0 && !ended => ended = true,
            _ => return Err(word.to_string()),
        }
    }
    if ended { Ok(Some((deletion, clause))) } else { Err("no 0 at the end".into()) }
}

/// Clauses under unit propagation with two watched literals.
struct Checker {
    /// `None` once deleted; each has at least two literals, the first two watched.
    clauses: Vec<Option<Vec<Lit>>>,
    /// By sorted literals, for deletion.
    ids: HashMap<Vec<Lit>, Vec<usize>>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<usize>>,
    /// By literal: true, as far as is known.
    holds: Vec<bool>,
    trail: Vec<Lit>,
    propagated: usize,
    contradiction: bool,
}

impl Checker {
    fn new(vars: usize) -> Self {
        Self {
            clauses: Vec::new(),
            ids: HashMap::new(),
            watches: vec![Vec::new(); 2 * vars],
            holds: vec![false; 2 * vars],
            trail: Vec::new(),
            propagated: 0,
            contradiction: false,
        }
    }

    fn make_room_for(&mut self, clause: &[Lit]) {
        let needed = clause.iter().map(|lit| 2 * (lit.var().index() + 1)).max().unwrap_or(0);
        if needed > self.holds.len() {
            self.holds.resize(needed, false);
            self.watches.resize(needed, Vec::new());
        }
    }

    /// Adds a clause at the root, where everything on the trail stays.
    fn add(&mut self, clause: &[Lit]) {
        self.make_room_for(clause);
        let mut lits = sorted(clause);
        if lits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        let key = lits.clone();
        // Watch what is not yet false; the root is never undone, so false there is false for good.
        lits.sort_by_key(|lit| self.holds[(!*lit).code()]);
        let open = lits.iter().take_while(|lit| !self.holds[(!**lit).code()]).count();
        if lits.len() >= 2 {
            let id = self.clauses.len();
            self.watches[lits[0].code()].push(id);
            self.watches[lits[1].code()].push(id);
            self.ids.entry(key).or_default().push(id);
            self.clauses.push(Some(lits.clone()));
        }
        match open {
            0 => self.contradiction = true,
            1 => self.contradiction |= !(self.assert(lits[0]) && self.propagate()),
            _ => {}
        }
    }

    /// Forgets a clause; what it has made true at the root was implied and stays.
    fn delete(&mut self, clause: &[Lit]) {
        if let Some(id) = self.ids.get_mut(&sorted(clause)).and_then(Vec::pop) {
            self.clauses[id] = None;
        }
    }

    /// Whether the lemma follows by propagation from its negation.
    fn follows(&mut self, lemma: &[Lit]) -> bool {
        self.make_room_for(lemma);
        let root = self.trail.len();
        let consistent = lemma.iter().all(|&lit| self.assert(!lit)) && self.propagate();
        for lit in self.trail.drain(root..) {
            self.holds[lit.code()] = false;
        }
        self.propagated = root;
        !consistent
    }

    /// Makes a literal true; `false` if it is false already.
    fn assert(&mut self, lit: Lit) -> bool {
        if self.holds[(!lit).code()] {
            return false;
        }
        if !self.holds[lit.code()] {
            self.holds[lit.code()] = true;
            self.trail.push(lit);
        }
        true
    }

    /// Unit propagation; `false` on a conflict.
    fn propagate(&mut self) -> bool {
        while let Some(&lit) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let mut watching = std::mem::take(&mut self.watches[(!lit).code()]);
            let mut conflict = false;
            watching.retain(|&id| {
                if conflict {
                    return true;
                }
                let keep = self.visit(id, !lit);
                conflict = keep.is_none();
                keep.unwrap_or(true)
            });
            // Clauses that moved here meanwhile do not exist: a false literal is never chosen as a watch.
            self.watches[(!lit).code()] = watching;
            if conflict {
                return false;
            }
        }
        true
    }

    /// One clause whose watched literal has become false: does it still watch it? `None` if all are false.
    fn visit(&mut self, id: usize, falsified: Lit) -> Option<bool> {
        let Some(lits) = self.clauses[id].as_mut() else { return Some(false) };
        if lits[0] == falsified {
            lits.swap(0, 1);
        }
        if self.holds[lits[0].code()] {
            return Some(true);
        }
        if let Some(other) = (2..lits.len()).find(|&i| !self.holds[(!lits[i]).code()]) {
            lits.swap(1, other);
            self.watches[lits[1].code()].push(id);
            return Some(false);
        }
        let unit = lits[0];
        self.assert(unit).then_some(true)
    }
}

fn sorted(clause: &[Lit]) -> Vec<Lit> {
    let mut lits = clause.to_vec();
    lits.sort_unstable();
    lits.dedup();
    lits
}

impl fmt::Display for RupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "the proof cannot be read: {error}"),
            Self::Syntax { line, found } => write!(f, "line {line} of the proof: {found}"),
            Self::NotImplied { line } => {
                write!(f, "line {line} of the proof does not follow by unit propagation")
            }
            Self::NoContradiction => f.write_str("the proof ends without a contradiction"),
            Self::Spent(spent) => write!(f, "the proof was not checked to its end: {spent}"),
        }
    }
}

impl std::error::Error for RupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            _ => None,
        }
    }
}
