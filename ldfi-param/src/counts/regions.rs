//! Regions of a Venn diagram: counts of one variable at one moment are sums of them.

use ldfi_model::Spent;

use super::model::Model;
use super::query::{Atom, Measure, Moment, Query, Term, Var};
use super::rows::Number;
use super::system::Maker;
use crate::linear::Row;

/// Literals that tell regions apart, at most.
const MOST_ATTRIBUTES: usize = 7;

impl Maker<'_> {
    /// Counts of one variable at one moment are sums of regions.
    pub(super) fn regions(&mut self, moment: Moment) -> Result<(), Spent> {
        let mut counts = vec![];
        let mut attributes: Vec<Atom> = vec![];
        for (place, number) in self.out.numbers.iter().enumerate() {
            let Number::Count(measure) = number else { continue };
            if let Some(literals) = literals_of_one(measure, moment, self.model) {
                for (atom, _) in &literals {
                    if !attributes.contains(atom) {
                        attributes.push(atom.clone());
                    }
                }
                counts.push((place, literals));
            }
        }
        // Those that were asked for first matter most.
        attributes.truncate(MOST_ATTRIBUTES);
        attributes.sort();
        let mut regions = vec![];
        for bits in 1..1u32 << attributes.len() {
            self.budget.check()?;
            let signs: Vec<bool> = (0..attributes.len()).map(|bit| bits >> bit & 1 == 1).collect();
            let mut query = Query::default();
            for (atom, sign) in attributes.iter().zip(&signs) {
                if *sign {
                    query.here.insert(atom.clone())
                } else {
                    query.absent.insert(atom.clone())
                };
            }
            if self.chase(&query).is_some() {
                let place = self.out.place(Number::Region(moment, attributes.clone(), signs.clone()));
                regions.push((place, signs));
            }
        }
        for (place, literals) in counts {
            let at = |atom: &Atom| attributes.iter().position(|attribute| attribute == atom);
            if !literals.iter().all(|(atom, _)| at(atom).is_some()) {
                continue;
            }
            let mine =
                |signs: &Vec<bool>| literals.iter().all(|(atom, sign)| at(atom).is_some_and(|bit| signs[bit] == *sign));
            let parts = regions.iter().filter(|(_, signs)| mine(signs)).map(|(region, _)| (*region, -1));
            let terms: Vec<(usize, i64)> = parts.chain([(place, 1)]).collect();
            self.out.rows.extend(Row::equal(terms, 0));
        }
        Ok(())
    }
}

/// The literals of a count of one variable, which each has and no other; all at one moment, or the same at all.
fn literals_of_one(measure: &Measure, moment: Moment, model: &Model<'_>) -> Option<Vec<(Atom, bool)>> {
    let [var] = measure.of.iter().copied().collect::<Vec<_>>()[..] else { return None };
    let Query { here, absent, tests } = &measure.query;
    let fits = |atom: &Atom| {
        let vars: Vec<Var> = atom.vars().collect();
        (atom.moment == moment || model.is_rigid(atom.symbol))
            && !vars.is_empty()
            && vars.iter().all(|v| *v == var)
            && !atom.terms.contains(&Term::Any)
    };
    let own = here.iter().chain(absent).any(|atom| atom.moment == moment && !atom.symbol.is_rigid())
        || moment == Moment::Before;
    if !own || !tests.is_empty() || !here.iter().chain(absent).all(fits) {
        return None;
    }
    let signed = |sign: bool| move |atom: &Atom| (atom.clone(), sign);
    Some(here.iter().map(signed(true)).chain(absent.iter().map(signed(false))).collect())
}
