//! A formula on paper: clauses with the names of their variables, as DIMACS.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use dedalus_runtime::model::{Paced, Spent};

use super::{Lit, SatSolver, Sink, Var};

/// A recorded formula, to be written down, loaded into any solver, or proved unsatisfiable.
///
/// ```
/// use ldfi_core::solver::{Answer, Budget, Cnf, SatSolver, Sink, SplrSolver};
/// let mut cnf = Cnf::new();
/// let lost = cnf.new_var();
/// cnf.name(lost, "lose a->b@1");
/// cnf.add_clause(&[lost.pos()]);
/// assert_eq!(cnf.to_dimacs(), "c 1 lose a->b@1\np cnf 1 1\n1 0\n");
///
/// let mut solver = SplrSolver::new();
/// cnf.load_into(&mut solver);
/// assert!(matches!(solver.solve(&Budget::unlimited()), Answer::Sat(_)));
/// assert_eq!(Cnf::parse_dimacs(&cnf.to_dimacs()), Ok(cnf));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cnf {
    vars: usize,
    /// All clauses one after the other.
    lits: Vec<Lit>,
    /// Where each clause ends in `lits`.
    ends: Vec<usize>,
    names: BTreeMap<Var, String>,
    /// What it is about, a line each.
    remarks: Vec<String>,
}

/// Why a text is not a DIMACS formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseDimacsError {
    /// The line, from 1.
    pub line: usize,
    /// What stands there that should not.
    pub found: String,
}

impl Sink for Cnf {
    fn new_var(&mut self) -> Var {
        self.vars += 1;
        Var::new((self.vars - 1) as u32)
    }

    /// Records a disjunction, as it is; variables it mentions are made.
    fn add_clause(&mut self, clause: &[Lit]) {
        for lit in clause {
            self.vars = self.vars.max(lit.var().index() + 1);
        }
        self.lits.extend_from_slice(clause);
        self.ends.push(self.lits.len());
    }
}

impl Cnf {
    /// A formula without variables or clauses.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // ---- Problem ------------------------------------------------------------------------------

    /// Says what a variable means; the name is written as a comment.
    pub fn name(&mut self, var: Var, name: impl Into<String>) {
        self.vars = self.vars.max(var.index() + 1);
        self.names.insert(var, name.into());
    }

    /// Says what the formula is about, in a line, written as a comment.
    pub fn remark(&mut self, line: impl Into<String>) {
        self.remarks.push(line.into());
    }

    // ---- Reading ------------------------------------------------------------------------------

    /// Variables made so far.
    #[must_use]
    pub fn num_vars(&self) -> usize {
        self.vars
    }

    /// Clauses recorded so far.
    #[must_use]
    pub fn num_clauses(&self) -> usize {
        self.ends.len()
    }

    /// The clauses in the order in which they were recorded.
    pub fn clauses(&self) -> impl Iterator<Item = &[Lit]> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.lits[start..end])
    }

    /// What a variable was said to mean.
    #[must_use]
    pub fn name_of(&self, var: Var) -> Option<&str> {
        self.names.get(&var).map(String::as_str)
    }

    /// What was said of the formula.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Gives everything recorded to a solver, under the same variables.
    pub fn load_into(&self, solver: &mut dyn SatSolver) {
        let loaded = self.load_within(solver, &mut Paced::default());
        debug_assert!(loaded.is_ok(), "without a limit nothing ends it");
    }

    /// The same, as far as the budget goes.
    ///
    /// # Errors
    /// If it is spent.
    pub(crate) fn load_within(&self, solver: &mut dyn SatSolver, pace: &mut Paced) -> Result<(), Spent> {
        while solver.num_vars() < self.vars {
            pace.tick(1)?;
            solver.new_var();
        }
        for clause in self.clauses() {
            pace.tick(1 + u32::try_from(clause.len()).unwrap_or(u32::MAX - 1))?;
            solver.add_clause(clause);
        }
        Ok(())
    }

    // ---- DIMACS -------------------------------------------------------------------------------

    /// Writes the formula: first what it is about, a line `c about …` for each remark, then a line `c <number> <name>` for
    /// every named variable, then header and clauses.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_dimacs(&self, out: &mut dyn Write) -> io::Result<()> {
        // A line break would end the comment and be read as clauses.
        let on_one_line = |text: &str| text.replace(['\n', '\r'], " ");
        for remark in &self.remarks {
            writeln!(out, "c about {}", on_one_line(remark))?;
        }
        for (var, name) in &self.names {
            writeln!(out, "c {} {}", var.pos().to_dimacs(), on_one_line(name))?;
        }
        writeln!(out, "p cnf {} {}", self.num_vars(), self.num_clauses())?;
        for clause in self.clauses() {
            for lit in clause {
                write!(out, "{} ", lit.to_dimacs())?;
            }
            writeln!(out, "0")?;
        }
        Ok(())
    }

    /// What [`Cnf::write_dimacs`] writes, as text.
    #[must_use]
    pub fn to_dimacs(&self) -> String {
        let mut out = Vec::new();
        // Writing to memory does not fail.
        let _ = self.write_dimacs(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Reads a DIMACS formula, with names if they are written as [`Cnf::write_dimacs`] does.
    ///
    /// # Errors
    /// If a line is neither comment, header nor literals.
    pub fn parse_dimacs(text: &str) -> Result<Self, ParseDimacsError> {
        let mut cnf = Self::new();
        let mut clause = Vec::new();
        for (row, line) in text.lines().enumerate() {
            let wrong = |found: &str| ParseDimacsError { line: row + 1, found: found.to_string() };
            match line.split_whitespace().next() {
                None => {}
                Some("c") => cnf.read_comment(line),
                Some("p") => {
                    let mut words = line.split_whitespace().skip(1);
                    let vars = match (words.next(), words.next().map(str::parse::<u32>)) {
                        (Some("cnf"), Some(Ok(vars))) if vars <= i32::MAX as u32 => vars,
                        _ => return Err(wrong(line)),
                    };
                    cnf.vars = cnf.vars.max(vars as usize);
                }
                Some(_) => {
                    for word in line.split_whitespace() {
                        let number = word.parse::<i32>().map_err(|_| wrong(word))?;
                        match Lit::from_dimacs(number) {
                            Some(lit) => clause.push(lit),
                            None if number == 0 => cnf.add_clause(&std::mem::take(&mut clause)),
                            None => return Err(wrong(word)),
                        }
                    }
                }
            }
        }
        // The last clause may lack its 0.
        if !clause.is_empty() {
            cnf.add_clause(&clause);
        }
        Ok(cnf)
    }

    /// `c <number> <name>` names a variable, `c about` is a remark; any other comment says nothing to us.
    fn read_comment(&mut self, line: &str) {
        if let Some(remark) = line.strip_prefix("c about ") {
            self.remark(remark);
            return;
        }
        let Some((number, name)) = line.strip_prefix("c ").and_then(|rest| rest.split_once(' ')) else {
            return;
        };
        if let Some(lit) = number.parse::<i32>().ok().and_then(Lit::from_dimacs)
            && lit.is_pos()
        {
            // Not `name()`: a stray number in a comment must not make variables.
            self.names.insert(lit.var(), name.to_string());
        }
    }
}

impl fmt::Display for ParseDimacsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: `{}` is no part of a DIMACS formula", self.line, self.found)
    }
}

impl std::error::Error for ParseDimacsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_comes_back_from_its_text() {
        let mut cnf = Cnf::new();
        let (x, y) = (cnf.new_var(), cnf.new_var());
        cnf.new_var();
        cnf.name(x, "crash a@2");
        cnf.remark("a goal");
        cnf.add_clause(&[x.pos(), y.neg()]);
        cnf.add_clause(&[]);
        assert_eq!(cnf.to_dimacs(), "c about a goal\nc 1 crash a@2\np cnf 3 2\n1 -2 0\n0\n");
        assert_eq!(Cnf::parse_dimacs(&cnf.to_dimacs()), Ok(cnf.clone()));
        assert_eq!(cnf.clauses().map(<[Lit]>::len).collect::<Vec<_>>(), [2, 0]);
        assert_eq!(cnf.name_of(x), Some("crash a@2"));
    }

    #[test]
    fn a_name_cannot_smuggle_in_a_clause() {
        let mut cnf = Cnf::new();
        let x = cnf.new_var();
        cnf.name(x, "evil\n1 0\n-1 0");
        assert_eq!(Cnf::parse_dimacs(&cnf.to_dimacs()).map(|c| c.num_clauses()), Ok(0));
    }

    #[test]
    fn what_is_no_formula_is_named() {
        let wrong = |text| Cnf::parse_dimacs(text).unwrap_err();
        assert_eq!(wrong("p cnf 2 1\n1 x 0"), ParseDimacsError { line: 2, found: "x".into() });
        assert_eq!(wrong("p dnf 2 1").line, 1);
        assert_eq!(wrong("1 -2147483648 0").found, "-2147483648");
    }
}
