//! Untested rules: each rule and each negated literal of a protocol is left out in turn, as mutation testing does for
//! code. What can be left out without breaking any promise is what no promise depends on.

use std::collections::BTreeSet;
use std::fmt;

use dedalus_runtime::model::{FailureSpec, VerdictKind};
use dedalus_runtime::syntax::Diagnostics;
use dedalus_runtime::syntax::ast::{Ast, Literal};
use dedalus_runtime::syntax::compile;
use dedalus_runtime::syntax::lasting::is_judged_by_what_is_gone;
use dedalus_runtime::syntax::plan::{Plan, RuleId};
use dedalus_runtime::syntax::rewrite::{Edit, of_protocol, omissions};
use dedalus_runtime::{Fact, Input, Interpreted, Program};
use rayon::prelude::*;

use crate::batch::in_pool;
use crate::options::{Event, Options};
use crate::search::Search;
use crate::verdict::{Conclusion, Reason, SearchError, Verdict};

/// What a program comes to without each part of its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// What was left out, in the order of the text.
    pub parts: Vec<Part>,
}

/// A rule of the protocol, or a negated literal of one, and what the program comes to without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The rule.
    pub rule: RuleId,
    /// The file, and the line of the rule in it, if it is known.
    pub at: Option<(String, u32)>,
    /// The rule as text.
    pub text: String,
    /// The literal as text, if it is that which was left out.
    pub literal: Option<String>,
    /// What the program comes to without it.
    pub without: Without,
}

/// What a program comes to without some part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Without {
    /// It is still fault-tolerant: no promise depends on the part.
    Tolerant,
    /// It is fault-tolerant only because its promises are then judged by a relation that is empty at the end.
    Blind,
    /// It is not.
    Broken(VerdictKind),
    /// It is no program any more, or its runs fail.
    Meaningless,
    /// Nobody knows.
    Open(Reason),
}

impl Without {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Without::Tolerant => VerdictKind::FaultTolerant.name(),
            Without::Blind => "blind",
            Without::Broken(kind) => kind.name(),
            Without::Meaningless => "meaningless",
            Without::Open(_) => VerdictKind::Inconclusive.name(),
        }
    }
}

impl Challenge {
    /// The parts that no promise depends on.
    pub fn unneeded(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.without == Without::Tolerant)
    }

    /// The parts of which nobody knows.
    pub fn open(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| matches!(part.without, Without::Open(_)))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, line)) = &self.at {
            write!(f, "line {line}: ")?;
        }
        match &self.literal {
            Some(literal) => write!(f, "`{literal}` in {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |of: &dyn Fn(&Without) -> bool| self.parts.iter().filter(|part| of(&part.without)).count();
        let (all, unneeded) = (self.parts.len(), self.unneeded().count());
        let (blind, open) = (count(&|w| *w == Without::Blind), self.open().count());
        let parts = if all == 1 { "part" } else { "parts" };
        writeln!(f, "{all} {parts} of the protocol (rules, negated literals) left out in turn:")?;
        match unneeded {
            0 if open == 0 => writeln!(f, "promises depend on each of them")?,
            0 if open == all => writeln!(f, "none of them was settled")?,
            0 => writeln!(f, "promises depend on the {} that were settled", all - open)?,
            _ => writeln!(
                f,
                "without {} it is still fault-tolerant:",
                if unneeded == 1 { "this" } else { "each of these" }
            )?,
        }
        // Lines of several files are told apart.
        let files: BTreeSet<&str> = self.parts.iter().flat_map(|part| &part.at).map(|(file, _)| &file[..]).collect();
        let file = |part: &Part| match &part.at {
            Some((file, _)) if files.len() > 1 => format!("{} ", file.rsplit(['/', '\\']).next().unwrap_or(file)),
            _ => String::new(),
        };
        self.unneeded().try_for_each(|part| writeln!(f, "  {}{part}", file(part)))?;
        if blind > 0 {
            writeln!(
                f,
                "without {} nothing is left at the end to judge by:",
                if blind == 1 { "this" } else { "each of these" }
            )?;
            let blind = self.parts.iter().filter(|part| part.without == Without::Blind);
            blind.into_iter().try_for_each(|part| writeln!(f, "  {}{part}", file(part)))?;
        }
        if let Some(Part { without: Without::Open(reason), .. }) = self.open().next() {
            writeln!(f, "nobody knows of {open} more: {reason}")?;
        }
        Ok(())
    }
}

/// Leaves out each rule and each negated literal of a program's protocol, and searches again, all within one budget
/// (`options.limits.time` and `options.budget`). `None` if the program is not fault-tolerant as it is.
///
/// # Errors
/// If there is no verdict on the program as it is.
pub fn challenge<P: Program + ?Sized>(
    program: &P,
    spec: FailureSpec,
    options: &Options,
) -> Result<(Conclusion, Option<Challenge>), SearchError> {
    let options = Options { budget: options.starting_now(), ..options.clone() };
    let mut options = Options { limits: crate::options::Limits { time: None, ..options.limits.clone() }, ..options };
    let conclusion = Search::new(program, spec, options.clone()).run()?;
    if conclusion.verdict != Verdict::FaultTolerant {
        return Ok((conclusion, None));
    }
    options.tell(Event::Phase("challenge"));
    // Nobody wants to be told of each search among many.
    options.observer = None;
    let challenge = of_tolerant(program, &conclusion, &options);
    Ok((conclusion, Some(challenge)))
}

/// The same for a program that is known to be fault-tolerant.
pub fn of_tolerant<P: Program + ?Sized>(program: &P, conclusion: &Conclusion, options: &Options) -> Challenge {
    let plan = program.plan();
    let ours = of_protocol(&plan.ast);
    let edits: Vec<Edit> = omissions(&plan.ast).into_iter().filter(|e| e.rule().is_some_and(|r| ours[r])).collect();
    let written = plan.as_written("program");
    let alone = Options { threads: 1, ..options.clone() };
    let try_one = |edit: &Edit| without(program, *edit, conclusion, &alone);
    let found: Vec<Without> = match options.threads {
        1 => edits.iter().map(try_one).collect(),
        threads => in_pool(threads, || edits.par_iter().map(try_one).collect()),
    };
    let part = |(edit, without): (Edit, Without)| {
        let (place, literal) = match edit {
            Edit::DropLiteral(rule, literal) => (rule, Some(show(&plan.ast, &plan.ast.rules[rule].body[literal]))),
            Edit::DropRule(rule) | Edit::Postpone(rule) => (rule, None),
        };
        let rule = RuleId(u32::try_from(place).unwrap_or(u32::MAX));
        let at = written.at(rule).map(|at| (written.texts[at.text as usize].name.clone(), at.line));
        Part { rule, at, text: plan.ast.show_rule(&plan.ast.rules[place]), literal, without }
    };
    Challenge { parts: edits.into_iter().zip(found).map(part).collect() }
}

fn show(ast: &Ast, literal: &Literal) -> String {
    match literal {
        Literal::Atom(atom) => ast.show_atom(atom),
        Literal::Compare(_) => literal.to_string(),
    }
}

/// What a program comes to with an edit.
fn without<P: Program + ?Sized>(program: &P, edit: Edit, base: &Conclusion, options: &Options) -> Without {
    if let Err(spent) = options.budget.check() {
        return Without::Open(spent.into());
    }
    let ast = edit.apply(&program.plan().ast);
    let blind = is_judged_by_what_is_gone(&ast) && !is_judged_by_what_is_gone(&program.plan().ast);
    let Some(plan) = compile(ast, &mut Diagnostics::default()) else { return Without::Meaningless };
    // Where one promise counts, the others do not count here either.
    let mut changed = Interpreted::new(plan.promising_as(program.plan()));
    changed.input = moved(program.input(), program.plan(), changed.plan(), &base.nodes);
    match Search::new(&changed, base.spec, options.clone()).run().map(|found| found.verdict) {
        Ok(Verdict::FaultTolerant) if blind => Without::Blind,
        Ok(Verdict::FaultTolerant) => Without::Tolerant,
        Ok(Verdict::Inconclusive(reason)) => Without::Open(reason),
        Ok(verdict) => Without::Broken(verdict.kind()),
        Err(_) => Without::Meaningless,
    }
}

/// An input for a program whose relations have other numbers. The nodes stay, also those that no fact names any more.
fn moved(input: &Input, from: &Plan, to: &Plan, nodes: &[String]) -> Input {
    let fact = |fact: &Fact| Some(Fact { relation: to.relation(&from.rel(fact.relation).name)?, ..fact.clone() });
    Input {
        params: input.params.clone(),
        facts: input.facts.iter().filter_map(fact).collect(),
        nodes: Some(nodes.to_vec()),
    }
}
