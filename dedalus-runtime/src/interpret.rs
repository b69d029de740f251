//! The plan interpreter: runs a plan without rustc, for files given at run time and for tests.

mod frame;

use std::path::Path;
use std::sync::Arc;

use dedalus_syntax::plan::Plan;
use dedalus_syntax::{Rejected, Sources, UnknownPromise};

use crate::database::{Database, Step};
use crate::input::{Input, InputError};
use crate::mode::{Lineage, Mode, Plain, Potential, Variant};
use crate::program::Program;
use crate::value::Value;
use frame::Frame;

/// A program that is interpreted.
///
/// ```
/// use dedalus_runtime::{Interpreted, Program, faults::{Faults, eot}};
/// let program = Interpreted::from_text("t.ded", r#"p(X)@next :- p(X); p("a")@1;"#).unwrap();
/// let run = program.execute(&Faults::none(), eot(3)).unwrap();
/// assert_eq!(run.tuples("p", 3).len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Interpreted {
    plan: Arc<Plan>,
    /// What it is given beside its text.
    pub input: Input,
}

impl Interpreted {
    /// A program that is planned already.
    pub fn new(plan: impl Into<Arc<Plan>>) -> Self {
        Interpreted { plan: plan.into(), input: Input::default() }
    }

    /// A program from text.
    ///
    /// # Errors
    /// If the text is not a program that can run.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Rejected> {
        Ok(Self::new(dedalus_syntax::compile_text(name, text)?))
    }

    /// A program from files: several files are one program.
    ///
    /// # Errors
    /// If they cannot be read, or are not a program that can run.
    pub fn from_files<Q: AsRef<Path>>(paths: &[Q]) -> Result<Self, Rejected> {
        Ok(Self::new(dedalus_syntax::compile_sources(Sources::from_files(paths), vec![])?))
    }

    /// The program with one of its promises alone, by its name; plain `pre` and `post` have none.
    ///
    /// # Errors
    /// If it makes no such promise.
    pub fn promising(mut self, promise: Option<&str>) -> Result<Self, UnknownPromise> {
        self.plan = Arc::new(self.plan.promising(promise)?);
        Ok(self)
    }

    /// Gives a parameter its value, instead of the one that the text gives it.
    ///
    /// ```
    /// use dedalus_runtime::Interpreted;
    /// let text = r#"param k: int = 3; p(X, k) :- q(X); q("a")@1;"#;
    /// let program = Interpreted::from_text("t.ded", text).unwrap();
    /// assert!(program.clone().param("k", 5).is_ok());
    /// assert!(program.param("n", 5).unwrap_err().to_string().contains("it has `k`"));
    /// ```
    ///
    /// # Errors
    /// If the program has no such parameter, or it has the other type.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Result<Self, InputError> {
        self.input.set_param(&self.plan, name, value.into())?;
        Ok(self)
    }

    /// Sets the nodes instead of inferring them from the facts.
    #[must_use]
    pub fn nodes<S: Into<String>>(mut self, nodes: impl IntoIterator<Item = S>) -> Self {
        self.input.nodes = Some(nodes.into_iter().map(Into::into).collect());
        self
    }

    fn deduce_as<M: Mode>(&self, db: &mut Database) -> Step {
        for stratum in &self.plan.strata {
            let relations: Vec<usize> = stratum.relations.iter().map(|r| r.index()).collect();
            let rules: Vec<usize> = stratum.rules.iter().map(|r| r.index()).collect();
            for &rule in &rules {
                let rule = &self.plan.rules[rule];
                let joins = self.plan.joins(rule.id);
                if let Some(base) = &joins.base
                    && !joins.base_unless.contains(&i64::from(db.now()))
                {
                    Frame::<M>::run(rule, base, db)?;
                }
            }
            if stratum.recursive {
                db.first_round(&relations);
                loop {
                    for &rule in &rules {
                        let rule = &self.plan.rules[rule];
                        let now = i64::from(db.now());
                        for delta in self.plan.joins(rule.id).deltas.iter().filter(|d| d.at.is_none_or(|at| at == now))
                        {
                            Frame::<M>::run(rule, &delta.join, db)?;
                        }
                    }
                    if !db.next_round(&relations)? {
                        break;
                    }
                }
            }
            db.publish(&relations);
            db.settle::<M>(&rules);
        }
        Ok(())
    }

    fn send_as<M: Mode>(&self, db: &mut Database) -> Step {
        for rule in &self.plan.sends {
            let rule = self.plan.rule(*rule);
            if let Some(base) = &self.plan.joins(rule.id).base {
                Frame::<M>::run(rule, base, db)?;
            }
        }
        let rules: Vec<usize> = self.plan.sends.iter().map(|r| r.index()).collect();
        db.settle::<M>(&rules);
        Ok(())
    }
}

impl Program for Interpreted {
    fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    fn input(&self) -> &Input {
        &self.input
    }

    fn deduce(&self, db: &mut Database, variant: Variant) -> Step {
        match variant {
            Variant::Plain => self.deduce_as::<Plain>(db),
            Variant::Lineage => self.deduce_as::<Lineage>(db),
            Variant::Potential => self.deduce_as::<Potential>(db),
        }
    }

    fn send(&self, db: &mut Database, variant: Variant) -> Step {
        match variant {
            Variant::Plain => self.send_as::<Plain>(db),
            Variant::Lineage => self.send_as::<Lineage>(db),
            Variant::Potential => self.send_as::<Potential>(db),
        }
    }
}
