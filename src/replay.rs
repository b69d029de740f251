//! A line of Rust that runs a program again as it was checked, for pasting into a test.

use dedalus_runtime::faults::Faults;
use dedalus_runtime::{Fact, Program, Value};

/// The parameters of a program: name, value, and whether the value is the default. Those without a value are left out.
pub(crate) fn given_params<P: Program + ?Sized>(program: &P) -> impl Iterator<Item = (&str, Value, bool)> {
    let declared = program.plan().ast.params.iter().enumerate();
    declared.filter_map(move |(place, param)| {
        let given = program.input().params.get(place).cloned().flatten();
        let is_default = given.is_none() || given == param.default;
        Some((param.name.text.as_str(), given.or_else(|| param.default.clone())?, is_default))
    })
}

/// Statements that bind `run` to the run of a program under these faults.
///
/// A program that `dedalus!` made is made again, with its parameters, facts and nodes; another is called `program`.
pub(crate) fn replay_line<P: Program>(program: &P, faults: &Faults, eot: u32) -> String {
    let name = std::any::type_name::<P>();
    let under = format!("&{:?}.parse().unwrap(), eot({eot})", faults.to_string());
    // Not a type of the user's: an interpreted program, a reference, a box.
    if name.starts_with("dedalus_runtime::") || name.contains(['&', '<']) {
        return format!("let run = program.execute({under}).unwrap();");
    }
    let name = name.rsplit("::").next().unwrap_or(name);
    let (wanted, settable): (Vec<_>, Vec<_>) = program.plan().ast.params.iter().partition(|p| p.default.is_none());
    let value = |wanted: &str| given_params(program).find(|(name, ..)| *name == wanted);
    let given = wanted.iter().filter_map(|param| value(&param.name.text)).map(|(_, value, _)| rust(&value));
    let mut made = format!("{name}::new({})", given.collect::<Vec<_>>().join(", "));
    for param in settable {
        if let Some((name, value, false)) = value(&param.name.text) {
            made += &format!(".{name}({})", rust(&value));
        }
    }
    if let Some(nodes) = &program.input().nodes {
        made += &format!(".nodes({nodes:?})");
    }
    if program.input().facts.is_empty() {
        return format!("let run = {made}.run({under});");
    }
    let facts: String = program.input().facts.iter().map(|fact| format!("{} ", add(program, fact))).collect();
    format!("let mut program = {made}; {facts}let run = program.run({under});")
}

/// A fact from Rust, given again.
fn add<P: Program>(program: &P, fact: &Fact) -> String {
    let values: Vec<String> = fact.values.iter().map(rust).collect();
    let at = if fact.maybe { "maybe_at" } else { "facts_at" };
    format!("program.{at}({}).{}({});", fact.time, program.plan().method(fact.relation), values.join(", "))
}

/// A value as Rust writes it.
fn rust(value: &Value) -> String {
    match value {
        // A bare literal is an `i32`.
        Value::Int(number) if i32::try_from(*number).is_err() => format!("{number}_i64"),
        Value::Int(number) => number.to_string(),
        Value::Str(text) => format!("{text:?}"),
    }
}
