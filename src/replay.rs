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

/// Statements that bind `run` to the run of a program under these faults, for the test in this source.
///
/// A program that `dedalus!` made is made again, with its parameters, facts and nodes; another is called `program`.
pub(crate) fn replay_line<P: Program>(program: &P, faults: &Faults, eot: u32, source: &str) -> String {
    let name = std::any::type_name::<P>();
    // Without the prelude the end of time has no short name.
    let prelude = if source.is_empty() || source.contains("prelude") { "" } else { "ldfi::prelude::" };
    let under = format!("&{:?}.parse().unwrap(), {prelude}eot({eot})", faults.to_string());
    // Not a type of the user's: an interpreted program, a reference, a box.
    if name.starts_with("dedalus_runtime::") || name.contains(['&', '<']) {
        return format!("let run = program.execute({under}).unwrap();");
    }
    let name = as_written(name.rsplit("::").next().unwrap_or(name), source);
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

/// The path by which a source names a type that it makes, as in `protocols::Naive::new(3)`.
fn as_written<'s>(name: &'s str, source: &'s str) -> &'s str {
    let made = format!("{name}::new");
    let in_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let paths = source.match_indices(&made).map(|(at, _)| {
        let from = at - source[..at].chars().rev().take_while(|c| in_path(*c)).map(char::len_utf8).sum::<usize>();
        &source[from..at + name.len()]
    });
    // `MyNaive::new` ends in it as well.
    let whole = |path: &&str| path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with("::"));
    paths.filter(whole).max_by_key(|path| path.len()).unwrap_or(name)
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

#[cfg(test)]
mod tests {
    use super::as_written;

    #[test]
    fn a_type_is_named_as_the_test_names_it() {
        for (source, path) in [
            ("check(Naive::new(3))", "Naive"),
            ("check(protocols::Naive::new(3)) .. MyNaive::new()", "protocols::Naive"),
            ("check(crate::a::b::Naive::new())", "crate::a::b::Naive"),
            ("let Other = 1;", "Naive"),
            ("été(&Naive::new())", "Naive"),
        ] {
            assert_eq!(as_written("Naive", source), path, "{source}");
        }
    }
}
