//! A feature: a program, and what it must come to.

use dedalus_runtime::faults::{Faults, Strike, Tuple, eot};
use dedalus_runtime::naive::{self, NaiveInput};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::{Program, Value};

use crate::agree::assert_all_agree;
use crate::agree::contents::attempt;

/// What is tried on every program that has the nodes and the time for it.
const FAULTS: [&str; 19] = [
    "",
    "lose a->b@1",
    "lose b->a@2; lose a->c@1",
    "crash a@1",
    "crash b@2; lose c->a@1",
    "crash a@3; crash c@1; lose a->b@2",
    "lose a->b@1; lose a->b@2; lose c->b@1; lose c->b@2",
    "delay a->b@1 by 1",
    "delay a->b@1 by 2; duplicate a->b@1 by 3; delay b->a@2 by 1",
    "duplicate a->b@1 by 1; duplicate b->a@1 by 2",
    "partition a|b@1 until 2",
    "partition a,b|c@1 until 3",
    "partition a|b,c@2 until 3; lose b->c@1",
    "crash a@1; restart a@2",
    "crash b@1; restart b@3; delay a->b@1 by 2",
    "crash a@1; restart a@2; crash a@3; crash b@2; restart b@3",
    "pause a@1 until 2",
    "pause b@1 until 3; delay a->b@1 by 1",
    "pause a@1 until 3; crash a@2; restart a@3; pause b@2 until 3",
];

/// Messages of the failure-free run that are struck one by one.
const MESSAGES: usize = 3;

/// Every evaluator agrees about a program under all fault sets that make sense for it.
pub fn agrees(program: &dyn Program, time: u32) {
    let nodes = program.input().all_nodes(program.plan()).unwrap();
    let mut sets: Vec<Faults> = FAULTS.iter().map(|text| text.parse().unwrap()).collect();
    let input = NaiveInput::of(program).unwrap();
    for (relation, at, row) in input.maybes(time) {
        sets.push(Faults::none().give(Tuple::new(relation, row.clone()), at));
    }
    if let Ok(run) = naive::run(&program.plan().ast, &input, &Faults::none(), time)
        && one_sender_each(program)
    {
        for message in run.messages.into_iter().take(MESSAGES) {
            let (from, to, tuple) = (message.from, message.to, Some(message.tuple));
            let [a, b, c] = [&from, &from, &from].map(|from| (from.clone(), to.clone(), tuple.clone()));
            for strike in [
                Strike::Lose { from: a.0, to: a.1, message: a.2 },
                Strike::Delay { from: b.0, to: b.1, message: b.2, by: 1 },
                Strike::Duplicate { from: c.0, to: c.1, message: c.2, by: 2 },
            ] {
                sets.push(Faults::none().with(message.time, strike));
            }
        }
    }
    sets.retain(|faults| faults.resolve(&nodes, eot(time)).is_ok());
    let texts: Vec<String> = sets.iter().map(ToString::to_string).collect();
    assert_all_agree(program, &texts.iter().map(String::as_str).collect::<Vec<_>>(), eot(time));
}

/// Whether no rule sends groups: such groups may have several senders, and then are no messages.
fn one_sender_each(program: &dyn Program) -> bool {
    program.plan().ast.rules.iter().all(|rule| rule.head.when != When::Async || !rule.aggregates())
}

/// What a relation holds at a time, printed: `a 1, b 2`. `fails` where arithmetic does.
pub fn shown(program: &dyn Program, faults: &str, time: u32, place: &str) -> String {
    let (relation, at) = place.split_once('@').expect("a place is written `relation@time`");
    let run = program.execute(&faults.parse().unwrap(), eot(time));
    let Ok(contents) = attempt(run.as_ref()) else { return "fails".into() };
    let plain = |value: &Value| match value {
        Value::Int(value) => value.to_string(),
        Value::Str(text) => text.clone(),
    };
    let row = |row: &Vec<Value>| match row.len() {
        0 => "()".to_owned(),
        _ => row.iter().map(plain).collect::<Vec<_>>().join(" "),
    };
    let rows = contents.get(&(relation.to_owned(), at.parse().unwrap())).cloned().unwrap_or_default();
    rows.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// A test named after the behaviour, with its program and what must hold where, with and without faults.
macro_rules! feature {
    (
        $name:ident, eot $eot:literal,
        { $($rules:tt)* }
        $([$faults:literal] $($place:literal => $rows:literal),+;)+
    ) => {
        // Some features are there to be warned about.
        #[allow(deprecated)]
        mod $name {
            ldfi::dedalus! { program Feature { $($rules)* } }

            #[test]
            fn agrees() {
                crate::features::feature::agrees(&Feature::new(), $eot);
            }

            #[test]
            fn holds() {
                $($(
                    let found = crate::features::feature::shown(&Feature::new(), $faults, $eot, $place);
                    assert_eq!(found, $rows, "{} under `{}`", $place, $faults);
                )+)+
            }
        }
    };
}
