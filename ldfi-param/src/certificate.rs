//! A proof as a file that another program can check.
//!
//! One statement a line: what is asked, the invariant, the program. `docs/any-n.md` has the grammar, and what is to be
//! checked: the invariant holds at first, every step keeps it, and it excludes that the promise is broken.

use std::fmt::Write as _;

use crate::answer::{Amount, Argument, Claim, Counted, Form, Proof};
use crate::question::{Crashes, Question};

/// The file.
pub fn certificate(question: &Question, proof: &Proof) -> String {
    let mut text = String::from("ldfi proof 1\n");
    let adversary = question.adversary;
    let crashes = match adversary.crashes {
        Crashes::AtMost(most) => most.to_string(),
        Crashes::Any => "any".into(),
    };
    let _ = writeln!(text, "engine {}", proof.engine);
    let _ = writeln!(
        text,
        "adversary losses={} delays={} crashes={crashes} calm={}",
        adversary.losses, adversary.delays, question.calm
    );
    let _ = writeln!(text, "crowd {}", question.crowd.members.join(" "));
    let _ = writeln!(text, "named {}", question.crowd.named.join(" "));
    for supply in &question.supplies {
        let name = &question.plan.rel(supply.relation).name;
        let _ = writeln!(text, "input {name} = {}", supply.opening);
        for key in &supply.keys {
            let _ = writeln!(text, "key {key}");
        }
    }
    for (place, param) in question.plan.ast.params.iter().enumerate() {
        if let Ok(value) = question.input.param(&question.plan, place) {
            let _ = writeln!(text, "param {} = {value}", param.name.text);
        }
    }
    for line in &proof.invariant {
        let _ = writeln!(text, "always {}", form(&line.form));
    }
    let _ = writeln!(text, "program");
    let _ = write!(text, "{}", question.plan.ast);
    for fact in &question.input.facts {
        let values: Vec<String> = fact.values.iter().map(ToString::to_string).collect();
        let maybe = if fact.maybe { "maybe " } else { "" };
        let name = &question.plan.rel(fact.relation).name;
        let _ = writeln!(text, "{maybe}{name}({})@{};", values.join(", "), fact.time.0);
    }
    text
}

fn form(form: &Form) -> String {
    match form {
        Form::Clause { given, then } => {
            let then: Vec<String> = then.iter().map(claim).collect();
            let then = if then.is_empty() { "false".into() } else { then.join(" | ") };
            format!("{}{then}", premises(given.iter().map(claim).collect()))
        }
        Form::Sum { given, apart, sum, most } => {
            let mut all: Vec<String> = given.iter().map(claim).collect();
            all.extend(apart.iter().map(|(one, other)| format!("{} != {}", argument(one), argument(other))));
            let terms: Vec<String> = sum.iter().map(|(of, times)| format!("{times} * {}", amount(of))).collect();
            format!("{}{} <= {most}", premises(all), terms.join(" + "))
        }
    }
}

fn premises(all: Vec<String>) -> String {
    if all.is_empty() { String::new() } else { format!("{} -> ", all.join(" & ")) }
}

fn argument(argument: &Argument) -> String {
    match argument {
        Argument::Anything => "_".into(),
        Argument::Variable(name) => name.clone(),
        Argument::Constant(value) => value.to_string(),
    }
}

fn atom(relation: &str, columns: &[Argument]) -> String {
    format!("{relation}({})", columns.iter().map(argument).collect::<Vec<_>>().join(", "))
}

fn claim(of: &Claim) -> String {
    match of {
        Claim::Holds { relation, columns } => atom(relation, columns),
        Claim::Sent { relation, columns } => format!("sent {}", atom(relation, columns)),
        Claim::Possible { relation, columns } => format!("possible {}", atom(relation, columns)),
        Claim::Same(one, other) => format!("{} == {}", argument(one), argument(other)),
        Claim::Less(one, other) => format!("{} < {}", argument(one), argument(other)),
        Claim::Member(node) => format!("member {}", argument(node)),
        Claim::Node(node) => format!("node {}", argument(node)),
        Claim::Crashes(node) => format!("crashes {}", argument(node)),
        Claim::Down(node) => format!("down {}", argument(node)),
        Claim::Not(inner) => match &**inner {
            Claim::Same(one, other) => format!("{} != {}", argument(one), argument(other)),
            inner => format!("not {}", claim(inner)),
        },
        Claim::Exceeds { part, factor, whole, more } => {
            format!("{factor} * {} > {} + {more}", amount(part), amount(whole))
        }
        Claim::Outnumbers { part, factor, whole, more } => {
            let whole = whole.as_ref().map_or("0".into(), |whole| counted(whole));
            format!("{factor} * {} > {whole} + {more}", counted(part))
        }
    }
}

/// `#` stands in the column that is counted.
fn counted(of: &Counted) -> String {
    let column = |(place, column): (usize, &Argument)| if place == of.column { "#".into() } else { argument(column) };
    let columns: Vec<String> = of.columns.iter().enumerate().map(column).collect();
    format!("{}({})", of.relation, columns.join(", "))
}

fn amount(amount: &Amount) -> String {
    match amount {
        Amount::Bindings { of, variables } => {
            format!("#{{{} : {}}}", variables.join(", "), of.iter().map(claim).collect::<Vec<_>>().join(" & "))
        }
        Amount::UnderWay(relation) => format!("underway {relation}"),
        Amount::Parameter(name) => format!("param {name}"),
    }
}
