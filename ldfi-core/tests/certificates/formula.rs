//! Formulas made the plainest way: a variable for each gate, and clauses that say what it is.

use std::collections::BTreeMap;

/// A variable or its opposite; true is 1.
pub type Lit = i32;

pub const TRUE: Lit = 1;
pub const FALSE: Lit = -1;

pub struct Formula {
    /// For each variable from 1 on: the conjunction that it is, or none for an input.
    gates: Vec<Option<Vec<Lit>>>,
    known: BTreeMap<Vec<Lit>, Lit>,
    pub inputs: BTreeMap<String, Lit>,
}

impl Formula {
    pub fn new() -> Self {
        Formula { gates: vec![Some(vec![])], known: BTreeMap::new(), inputs: BTreeMap::new() }
    }

    pub fn input(&mut self, name: &str) -> Lit {
        if let Some(known) = self.inputs.get(name) {
            return *known;
        }
        self.gates.push(None);
        let lit = Lit::try_from(self.gates.len()).unwrap();
        self.inputs.insert(name.to_owned(), lit);
        lit
    }

    pub fn and(&mut self, parts: impl IntoIterator<Item = Lit>) -> Lit {
        let mut parts: Vec<Lit> = parts.into_iter().filter(|part| *part != TRUE).collect();
        parts.sort_unstable();
        parts.dedup();
        if parts.contains(&FALSE) {
            return FALSE;
        }
        match parts[..] {
            [] => return TRUE,
            [one] => return one,
            _ => {}
        }
        if let Some(known) = self.known.get(&parts) {
            return *known;
        }
        self.gates.push(Some(parts.clone()));
        let lit = Lit::try_from(self.gates.len()).unwrap();
        self.known.insert(parts, lit);
        lit
    }

    pub fn or(&mut self, parts: impl IntoIterator<Item = Lit>) -> Lit {
        -self.and(parts.into_iter().map(|part| -part).collect::<Vec<_>>())
    }

    /// Whether at least so many hold.
    pub fn at_least(&mut self, lits: &[Lit], least: usize) -> Lit {
        // reached[j]: at least j of those seen so far.
        let mut reached = vec![FALSE; least + 1];
        reached[0] = TRUE;
        for lit in lits {
            for j in (1..=least).rev() {
                let one_more = self.and([reached[j - 1], *lit]);
                reached[j] = self.or([reached[j], one_more]);
            }
        }
        reached[least]
    }

    pub fn at_most(&mut self, lits: &[Lit], most: u32) -> Lit {
        -self.at_least(lits, most as usize + 1)
    }

    /// Every gate as clauses, both ways.
    pub fn clauses(&self) -> Vec<Vec<Lit>> {
        let mut all = vec![vec![TRUE]];
        for (number, parts) in (1..).zip(&self.gates).skip(1) {
            let Some(parts) = parts else { continue };
            all.extend(parts.iter().map(|part| vec![-number, *part]));
            all.push(parts.iter().map(|part| -part).chain([number]).collect());
        }
        all
    }
}
