//! Parameters of a program and their values, as they are typed: `timeout=3`, `timeout=2..8`, `who=a,b`.

use std::str::FromStr;

use dedalus_runtime::{Interpreted, Program};
use ldfi_model::{Type, Value};

use super::Failure;

/// More variants than this nobody compares.
const MOST: usize = 100;

/// A parameter and the values that it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParamArg {
    name: String,
    values: Vec<String>,
    /// As it was typed.
    text: String,
}

impl FromStr for ParamArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write timeout=3, timeout=2..8 or timeout=2,4,8".to_owned();
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let (name, values) = (name.trim(), values.trim());
        if name.is_empty() || values.is_empty() {
            return Err(wrong());
        }
        let values = match values.split_once("..") {
            Some((from, to)) => {
                let end = |text: &str| text.trim_start_matches('=').trim().parse::<i64>().map_err(|_| wrong());
                let (from, to) = (end(from)?, end(to)?);
                if from > to {
                    return Err(format!("{from}..{to} has no values: both ends are included, the lesser comes first"));
                }
                if to.abs_diff(from) >= MOST as u64 {
                    return Err(format!("{from}..{to} has more than {MOST} values"));
                }
                (from..=to).map(|value| value.to_string()).collect()
            }
            None => values.split(',').map(|value| value.trim().to_owned()).collect(),
        };
        Ok(ParamArg { name: name.to_owned(), values, text: text.to_owned() })
    }
}

impl ParamArg {
    /// As it was typed.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// Refuses a parameter that is given twice: the last would win unseen.
fn once(params: &[ParamArg]) -> Result<(), Failure> {
    for (at, param) in params.iter().enumerate() {
        if let Some(before) = params[..at].iter().find(|before| before.name == param.name) {
            let both = format!("--param {} and --param {}", before.text, param.text);
            let (name, one, other) = (&param.name, before.values.join(","), param.values.join(","));
            return Err(Failure::new(format!(
                "{both} both give `{name}`: leave one out; `ldfi compare` takes several values in one, {name}={one},{other}"
            )));
        }
    }
    Ok(())
}

/// The program with one value for each parameter.
pub(super) fn set(program: Interpreted, params: &[ParamArg]) -> Result<Interpreted, Failure> {
    once(params)?;
    params.iter().try_fold(program, |program, param| match &param.values[..] {
        [value] => give(program, &param.name, value),
        _ => Err(Failure::new(format!(
            "--param {} makes several programs of one: `ldfi compare` puts them side by side",
            param.text
        ))),
    })
}

/// A program for each combination of values, with what tells it from the others; just the program where it has none of
/// the parameters.
pub(super) fn each(program: Interpreted, params: &[ParamArg]) -> Result<Vec<(String, Interpreted)>, Failure> {
    once(params)?;
    let its: Vec<&ParamArg> = params.iter().filter(|param| has(&program, param)).collect();
    let mut all = vec![(String::new(), program)];
    for param in its {
        let mut more = vec![];
        for (label, program) in all {
            for value in &param.values {
                more.push((format!("{label} {}={value}", param.name), give(program.clone(), &param.name, value)?));
            }
        }
        if more.len() > MOST {
            return Err(Failure::new(format!("the values of --param make more than {MOST} variants")));
        }
        all = more;
    }
    Ok(all)
}

/// Refuses a parameter that none of the programs has.
pub(super) fn known(programs: &[Interpreted], params: &[ParamArg]) -> Result<(), Failure> {
    for param in params.iter().filter(|param| !programs.iter().any(|program| has(program, param))) {
        // The first one says which parameters there are.
        if let Some(program) = programs.first() {
            give(program.clone(), &param.name, "0")?;
        }
    }
    Ok(())
}

fn has(program: &Interpreted, param: &ParamArg) -> bool {
    program.plan().ast.params.iter().any(|of| of.name.text == param.name)
}

fn give(program: Interpreted, name: &str, value: &str) -> Result<Interpreted, Failure> {
    let param = program.plan().ast.params.iter().find(|param| param.name.text == name);
    let value = match (param.map(|param| param.ty), value.parse::<i64>()) {
        (Some(Type::Int), Ok(number)) => Value::Int(number),
        _ => Value::Str(value.trim_matches('"').to_owned()),
    };
    Ok(program.param(name, value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_one_or_several_or_a_range() {
        let values = |text: &str| text.parse::<ParamArg>().map(|param| (param.name, param.values.join(" ")));
        assert_eq!(values("k=3"), Ok(("k".into(), "3".into())));
        assert_eq!(values("k=-1..2"), Ok(("k".into(), "-1 0 1 2".into())));
        assert_eq!(values("who = a, b"), Ok(("who".into(), "a b".into())));
        for wrong in ["k", "k=", "=3", "k=8..2", "k=a..b", "k=1..9999"] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }
}
