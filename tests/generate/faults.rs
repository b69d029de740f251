//! Random fault sets of all kinds, for a program and its nodes.

use dedalus_runtime::Program;
use dedalus_runtime::faults::{Faults, Strike, Tuple, eot};
use dedalus_runtime::model::FailureSpec;
use dedalus_runtime::naive::{self, NaiveInput};
use dedalus_runtime::syntax::ast::{Ast, ExprKind, HeadTerm, Rule, When};

use super::Case;
use super::choices::Choices;

/// How many genes a fault has.
pub const GENES: usize = 6;

/// The kinds of fault, as text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lose,
    Crash,
    Delay,
    Duplicate,
    Restart,
    Pause,
    Partition,
    Give,
    Message,
}

/// Faults from genes, each of which makes sense beside those before it.
pub fn fault_set(case: &Case, ast: Option<&Ast>, genes: &[Vec<u16>]) -> Faults {
    genes.iter().fold(Faults::none(), |before, genes| {
        let more = one_fault(case, ast, &before, &mut Choices::new(genes));
        let fits = more.resolve(&case.nodes, eot(case.eot)).is_ok();
        if fits { more } else { before }
    })
}

fn one_fault(case: &Case, ast: Option<&Ast>, before: &Faults, choices: &mut Choices<'_>) -> Faults {
    let kind = choices.weighted(&[
        (6, Kind::Lose),
        (2, Kind::Crash),
        (4, Kind::Delay),
        (3, Kind::Duplicate),
        (4, Kind::Restart),
        (4, Kind::Pause),
        (2, Kind::Partition),
        (4, Kind::Give),
        (4, Kind::Message),
    ]);
    let nodes = &case.nodes;
    let from = choices.pick(nodes.len());
    let other = (from + 1 + choices.pick(nodes.len() - 1)) % nodes.len();
    let (from, to) = (nodes[from].clone(), nodes[other].clone());
    let last = case.eot.saturating_sub(1).max(1) as usize;
    // Early faults do most harm.
    let time = 1 + choices.pick(last).min(choices.pick(last)) as u32;
    // A plain `as`: lengths are small.
    let length = 1 + choices.pick(3) as u32;
    let faults = before.clone();
    match kind {
        Kind::Lose => faults.lose(from, to, time),
        Kind::Delay => faults.delay(from, to, time, length),
        Kind::Duplicate => faults.duplicate(from, to, time, length),
        Kind::Crash => faults.crash(from, time),
        Kind::Restart => faults.crash(&from, time).restart(from, time + length),
        Kind::Pause => faults.pause(from, time, time + length),
        Kind::Partition => {
            let (here, there): (Vec<String>, Vec<String>) =
                nodes.iter().cloned().partition(|node| *node == from || *node != to && length == 1);
            faults.partition(here, there, time, time + length)
        }
        Kind::Give => ast.map_or(faults.clone(), |ast| give(case, ast, faults, choices)),
        Kind::Message => ast.map_or(faults.clone(), |ast| strike_message(case, ast, faults, length, choices)),
    }
}

fn give(case: &Case, ast: &Ast, faults: Faults, choices: &mut Choices<'_>) -> Faults {
    let Ok(input) = NaiveInput::new(ast, vec![], vec![], Some(case.nodes.clone())) else { return faults };
    let maybes = input.maybes(case.eot);
    if maybes.is_empty() {
        return faults;
    }
    let (relation, time, row) = maybes[choices.pick(maybes.len())];
    faults.give(Tuple::new(relation, row.clone()), time)
}

/// Strikes a message that is sent under the faults so far.
fn strike_message(case: &Case, ast: &Ast, faults: Faults, by: u32, choices: &mut Choices<'_>) -> Faults {
    let input = NaiveInput::new(ast, vec![], vec![], Some(case.nodes.clone()));
    let run = input.and_then(|input| naive::run(ast, &input, &faults, case.eot));
    let Some(run) = run.ok().filter(|run| !run.messages.is_empty() && one_sender_each(ast)) else { return faults };
    let message = run.messages.iter().nth(choices.pick(run.messages.len())).cloned().expect("one of them");
    let (from, to, tuple) = (message.from, message.to, Some(message.tuple));
    let strike = match choices.pick(3) {
        0 => Strike::Lose { from, to, message: tuple },
        1 => Strike::Delay { from, to, message: tuple, by },
        _ => Strike::Duplicate { from, to, message: tuple, by },
    };
    faults.with(message.time, strike)
}

/// A specification without the bounds that are refused because the program cannot use them, if anything is left of it.
pub fn usable(spec: FailureSpec, program: &dyn Program) -> Option<FailureSpec> {
    let (mut bounds, ast) = (spec.bounds(), &program.plan().ast);
    if NaiveInput::of(program).ok()?.maybes(bounds.eot).is_empty() {
        bounds.gives = None;
    }
    bounds.per_message &= one_sender_each(ast);
    if !ast.rules.iter().any(|rule| rule.head.when == When::Async) {
        bounds.losses = bounds.losses.map(|_| 0);
        (bounds.delay, bounds.delays, bounds.duplicates, bounds.partitions) = (0, None, 0, 0);
        bounds.per_message = false;
    }
    FailureSpec::try_from(bounds).ok()
}

/// Whether each group that an `@async` rule sends has one sender, so that single messages can be struck.
fn one_sender_each(ast: &Ast) -> bool {
    let grouped = |rule: &&Rule| rule.head.when == When::Async && rule.aggregates();
    ast.rules.iter().filter(grouped).all(|rule| match rule.location().map(|expr| &expr.kind) {
        Some(ExprKind::Var(place)) => {
            rule.head.terms.iter().any(|term| matches!(term, HeadTerm::Expr(expr) if expr.as_var() == Some(place)))
        }
        Some(ExprKind::Const(_)) => true,
        _ => false,
    })
}
