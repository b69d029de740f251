//! What the good outcome rests on: failures that touch none of it need not be looked at.
//!
//! A promise is kept if `post` has a reason, and rules without negation keep a reason whatever else happens. Of an execution that is
//! foretold up to some cell, everything before that cell is certain. So if the certain events alone are reason enough for everything
//! that may be promised, the rest does not matter: neither what nodes do there, nor what else fails there.
//!
//! Before, one looked for failures that touch every reason (a hitting set); here each set of failures is asked whether it leaves one.
//! That is so only for promises: a relation `err_…`, or a panic, may come about wherever it is not known what happens. So may a
//! mistake of a node (`mistake`); it breaks no promise, and is found where it is seen.

use std::collections::BTreeSet;

use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{HeadColumn, Plan, RelId};

use crate::cell::Run;
use crate::digest::digest;
use crate::error::LiveError;
use crate::event::Event;
use crate::explore::Explorer;
use crate::foretell::Told as Unknown;
use crate::node::ASKED;
use crate::options::Options;
use crate::setup::System;
use crate::specification::{Specification, Told, is_told};

/// What clients may ask, at every instant at which a node may hear it, if lineage tells anything about these specifications.
pub(crate) fn applies(
    system: &dyn System,
    specifications: &[Specification],
    options: &Options,
) -> Option<Vec<(u32, Event)>> {
    // Code that tells a specification may tell less because of more events.
    let rest = |spec: &Specification| spec.is_told_by_name() && rests_on_events(spec.plan());
    if !options.panics_are_crashes || !specifications.iter().all(rest) {
        return None;
    }
    // A node that is paused hears them later.
    let asked = system.asked()?.into_iter();
    Some(asked.flat_map(|(time, event)| (time..=system.end()).map(move |time| (time, event.clone()))).collect())
}

/// Whether a program only makes promises, because of what clients ask alone, that more events keep if fewer do.
fn rests_on_events(plan: &Plan) -> bool {
    let promises = plan.promises();
    let errors = plan.relations.iter().any(|relation| relation.name.starts_with("err_"));
    let asked = |relation: &RelId| plan.rel(*relation).name == ASKED;
    !errors
        && !promises.is_empty()
        && promises.iter().all(|promise| {
            let (Some(pre), Some(post)) = (promise.pre, promise.post) else { return false };
            let (Some(pre), Some(post)) = (roots(plan, pre), roots(plan, post)) else { return false };
            pre.iter().all(asked) && !post.iter().any(asked)
        })
}

/// The relations of events that a relation comes from, if no rule on the way negates, counts, sends (a crash would silence it), or
/// reads what the world keeps.
fn roots(plan: &Plan, relation: RelId) -> Option<BTreeSet<RelId>> {
    let (mut seen, mut open, mut roots) = (BTreeSet::from([relation]), vec![relation], BTreeSet::new());
    while let Some(relation) = open.pop() {
        if plan.rel(relation).reserved.is_some() {
            return None;
        }
        if is_told(plan, relation) {
            roots.insert(relation);
        }
        for rule in plan.rules.iter().filter(|rule| rule.head.relation == relation) {
            if !rule.negated.is_empty()
                || rule.head.when == When::Async
                || rule.head.columns.iter().any(|column| matches!(column, HeadColumn::Aggregate(..)))
            {
                return None;
            }
            open.extend(rule.premises.iter().map(|premise| premise.relation).filter(|premise| seen.insert(*premise)));
        }
    }
    Some(roots)
}

impl Explorer<'_> {
    /// Whether all promises are kept, whatever happens from there on.
    pub(crate) fn rests(&mut self, run: &Run, from: &Unknown) -> Result<bool, LiveError> {
        let Some(asked) = &self.asked else { return Ok(false) };
        let until = from.position();
        let key = digest(&(self.tale(run, &[]), until));
        if let Some(known) = self.resting.get(&key) {
            return Ok(*known);
        }
        let (told, _) = self.told_until(run, until);
        let events = told.events.into_iter().filter(|(_, event)| event.relation != ASKED).chain(asked.iter().cloned());
        let told = Told { events: events.collect(), crashes: vec![] };
        let mut rests = true;
        for specification in self.specifications {
            let judged = specification.judge(&told, self.system.nodes(), self.system.end())?;
            rests &= judged.violations.is_empty();
        }
        self.resting.insert(key, rests);
        Ok(rests)
    }
}
