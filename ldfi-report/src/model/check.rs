//! Refusing a report whose ids point nowhere, before a view trips over one.

use super::{Message, Pattern, Place, Report, Run, SCHEMA, Tuple, TupleId};
use ldfi_model::{Claim, ClaimId, Explanation, Why};
use std::fmt;

/// Why a report cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// The JSON does not have the shape of a report.
    Json {
        /// What the reader said.
        message: String,
    },
    /// The report was written in another layout.
    Schema {
        /// The version that was found.
        found: u32,
    },
    /// An id or a time points outside of its table.
    Dangling {
        /// The run, by its label; empty for the program itself.
        run: String,
        /// What points nowhere, in words.
        what: String,
    },
}

impl ModelError {
    pub(crate) fn json(error: serde_json::Error) -> Self {
        ModelError::Json { message: error.to_string() }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Json { message } => write!(f, "this is not a report: {message}"),
            ModelError::Schema { found } => {
                write!(f, "the report has schema {found}, and this version reads schema {SCHEMA}")
            }
            ModelError::Dangling { run, what } if run.is_empty() => write!(f, "{what}"),
            ModelError::Dangling { run, what } => write!(f, "run `{run}`: {what}"),
        }
    }
}

impl std::error::Error for ModelError {}

impl Report {
    /// Checks that every id points into its table and every time lies within the run.
    pub fn check(&self) -> Result<(), ModelError> {
        if self.schema != SCHEMA {
            return Err(ModelError::Schema { found: self.schema });
        }
        for (at, rule) in self.program.rules.iter().enumerate() {
            if rule.id.0 as usize != at {
                let what = format!("rule {} is listed at position {at}", rule.id.0);
                return Err(ModelError::Dangling { run: String::new(), what });
            }
            rule.place
                .map_or(Ok(()), |place| self.place(place))
                .map_err(|what| ModelError::Dangling { run: String::new(), what })?;
        }
        for run in &self.runs {
            let inside = Inside { run, rules: self.program.rules.len(), eot: self.spec.eot() };
            inside
                .everything(self.runs.first())
                .map_err(|what| ModelError::Dangling { run: run.label.clone(), what })?;
        }
        Ok(())
    }

    fn place(&self, place: Place) -> Found {
        below(place.source, self.program.sources.len(), "source")?;
        let source = &self.program.sources[place.source as usize];
        let lines = u32::try_from(source.text.lines().count()).unwrap_or(u32::MAX);
        let last = source.first.saturating_add(lines).saturating_sub(1);
        let inside = source.first <= place.line && place.line <= place.last && place.last <= last;
        let all = || format!("lines {} to {} are not within {} to {last}", place.line, place.last, source.first);
        if inside { Ok(()) } else { Err(all()) }
    }
}

struct Inside<'a> {
    run: &'a Run,
    rules: usize,
    eot: u32,
}

type Found = Result<(), String>;

fn below(id: u32, len: usize, what: &str) -> Found {
    if (id as usize) < len { Ok(()) } else { Err(format!("{what} {id} is one of only {len}")) }
}

impl Inside<'_> {
    fn everything(&self, reference: Option<&Run>) -> Found {
        let run = self.run;
        run.tuples.iter().try_for_each(|t| self.tuple(t))?;
        run.messages.iter().try_for_each(|m| self.message(m))?;
        for firing in &run.firings {
            firing.rule.map_or(Ok(()), |rule| below(rule.0, self.rules, "rule"))?;
            firing.step.map_or(Ok(()), |node| below(node.0, run.values.len(), "value"))?;
            self.tuple_id(firing.head)?;
            firing.premises.iter().try_for_each(|p| self.tuple_id(*p))?;
            firing.negated.iter().try_for_each(|n| self.pattern(n))?;
            firing.message.map_or(Ok(()), |m| below(m.0, run.messages.len(), "message"))?;
        }
        let outcome = &run.outcome;
        let held = outcome.pre.iter().chain(&outcome.post);
        held.copied().try_for_each(|t| self.tuple_id(t))?;
        outcome.violated.iter().try_for_each(|t| self.tuple(t))?;
        let (tuples, firings) = reference.map_or((0, 0), |base| (base.tuples.len(), base.firings.len()));
        run.falsified.tuples.iter().try_for_each(|t| below(t.0, tuples, "falsified tuple"))?;
        run.constant.iter().try_for_each(|r| below(r.0, run.relations.len(), "relation"))?;
        run.brought.iter().try_for_each(|brought| self.tuple_id(brought.tuple))?;
        run.explanation.as_ref().map_or(Ok(()), |explanation| self.explanation(explanation))?;
        let cut = run.cuts.iter().flat_map(|cut| &cut.firings);
        cut.chain(&run.falsified.firings).try_for_each(|f| below(f.0, firings, "falsified firing"))
    }

    fn explanation(&self, explanation: &Explanation) -> Found {
        let claim = |id: ClaimId| below(id.0, explanation.claims.len(), "claim");
        let rule = |rule: &Option<u32>| rule.map_or(Ok(()), |rule| below(rule, self.rules, "rule"));
        for asked in &explanation.asked {
            claim(asked.claim)?;
            asked.given.map_or(Ok(()), claim)?;
            asked.like.map_or(Ok(()), |like| below(like, explanation.asked.len(), "promise"))?;
        }
        for Claim { why, .. } in &explanation.claims {
            why.claims().into_iter().try_for_each(claim)?;
            match why {
                Why::Fired(fired) => rule(&fired.rule)?,
                Why::Never(ways) => ways.iter().try_for_each(|way| rule(&way.rule))?,
                Why::Fact | Why::Anyway | Why::Faults(_) | Why::Untold => {}
            }
        }
        Ok(())
    }

    fn tuple_id(&self, id: TupleId) -> Found {
        below(id.0, self.run.tuples.len(), "tuple")
    }

    fn time(&self, time: u32) -> Found {
        let eot = self.eot;
        if (1..=eot).contains(&time) { Ok(()) } else { Err(format!("time {time} is not between 1 and {eot}")) }
    }

    fn tuple(&self, tuple: &Tuple) -> Found {
        below(tuple.relation.0, self.run.relations.len(), "relation")?;
        self.time(tuple.time)?;
        tuple.values.iter().try_for_each(|v| below(v.0, self.run.values.len(), "value"))
    }

    fn pattern(&self, pattern: &Pattern) -> Found {
        below(pattern.relation.0, self.run.relations.len(), "relation")?;
        let mut values = pattern.columns.iter().flatten();
        values.try_for_each(|v| below(v.0, self.run.values.len(), "value"))
    }

    fn message(&self, message: &Message) -> Found {
        below(message.table.0, self.run.relations.len(), "relation")?;
        below(message.rule.0, self.rules, "rule")?;
        message.row.iter().try_for_each(|v| below(v.0, self.run.values.len(), "value"))?;
        self.time(message.send_time)?;
        self.time(message.receive_time)?;
        match message.tuple {
            Some(tuple) => self.tuple_id(tuple),
            None if message.lost => Ok(()),
            None => Err("a message that arrived names no tuple".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{ModelError, Program, Report, RunBuilder};
    use ldfi_model::{Asked, ClaimId, Explanation, FailureSpec, VerdictKind};

    fn tiny() -> Report {
        let spec = FailureSpec::new(2, 1, 0).unwrap();
        let mut report = Report::new(Program::default(), vec!["a".into()], spec, VerdictKind::FaultTolerant);
        let mut run = RunBuilder::new("failure-free");
        run.tuple("log", 1, ["a"]);
        report.runs.push(run.finish());
        report
    }

    #[test]
    fn a_sound_report_survives_a_round_trip() {
        let report = tiny();
        assert_eq!(Report::from_json(&report.to_json()).unwrap(), report);
    }

    #[test]
    fn dangling_ids_are_refused_in_words() {
        let json = tiny().to_json().replace("[[0,1,0]]", "[[0,1,7]]");
        let error = Report::from_json(&json).unwrap_err();
        assert_eq!(error.to_string(), "run `failure-free`: value 7 is one of only 1");
        let json = tiny().to_json().replace("[[0,1,0]]", "[[]]");
        assert!(matches!(Report::from_json(&json), Err(ModelError::Dangling { .. })));
        let json = tiny().to_json().replace("[[0,1,0]]", "[[0,9,0]]");
        assert!(Report::from_json(&json).unwrap_err().to_string().contains("time 9"));
    }

    #[test]
    fn an_explanation_that_rests_on_nothing_is_refused() {
        let mut report = tiny();
        let asked = vec![Asked { given: None, claim: ClaimId(3), like: None }];
        report.runs[0].explanation = Some(Explanation { asked, ..Explanation::default() });
        assert!(report.check().unwrap_err().to_string().contains("claim 3"));
    }

    #[test]
    fn another_schema_is_refused() {
        let json = tiny().to_json().replace("\"schema\":2", "\"schema\":1");
        assert_eq!(Report::from_json(&json), Err(ModelError::Schema { found: 1 }));
    }
}
