//! The oracle: a truth table as one bit a row.

use super::*;

/// All models of the clauses added so far, over a fixed number of variables.
pub struct Table {
    vars: usize,
    rows: Vec<bool>,
}

impl Table {
    pub fn new(vars: usize) -> Self {
        Self { vars, rows: vec![true; 1 << vars] }
    }

    pub fn add_clause(&mut self, clause: &[Lit]) {
        for (row, open) in self.rows.iter_mut().enumerate() {
            *open &= clause.iter().any(|&lit| holds(row, lit));
        }
    }

    pub fn is_model(&self, model: &Model) -> bool {
        let row: usize = (0..self.vars).map(|i| (model.value(Var::new(i as u32)) as usize) << i).sum();
        self.rows[row]
    }

    pub fn models(&self, assumed: &[Lit]) -> usize {
        (0..self.rows.len()).filter(|&row| self.rows[row] && assumed.iter().all(|&lit| holds(row, lit))).count()
    }
}

fn holds(row: usize, lit: Lit) -> bool {
    (row >> lit.var().index() & 1 == 1) == lit.is_pos()
}
