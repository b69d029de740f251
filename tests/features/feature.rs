//! A feature: a program, and what it must come to.

use dedalus_runtime::faults::{Faults, eot};
use dedalus_runtime::program::Program;
use dedalus_runtime::value::Value;

use crate::agree::assert_all_agree;
use crate::agree::contents::attempt;

/// What is tried on every program that has the nodes for it.
const FAULTS: [&str; 7] = [
    "",
    "lose a->b@1",
    "lose b->a@2; lose a->c@1",
    "crash a@1",
    "crash b@2; lose c->a@1",
    "crash a@3; crash c@1; lose a->b@2",
    "lose a->b@1; lose a->b@2; lose c->b@1; lose c->b@2",
];

/// Every evaluator agrees about a program under all fault sets that name its nodes only.
pub fn agrees(program: &dyn Program, time: u32) {
    let nodes = program.input().all_nodes(program.plan()).unwrap();
    let known = |text: &str| {
        let faults: Faults = text.parse().unwrap();
        let named = |name: &str| nodes.iter().any(|n| n == name);
        faults.crashes().all(|(node, _)| named(node)) && faults.omissions().all(|o| named(&o.from) && named(&o.to))
    };
    let sets: Vec<&str> = FAULTS.into_iter().filter(|text| known(text)).collect();
    assert_all_agree(program, &sets, eot(time));
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
