//! Certificates: how they are read, and what their lines say of a state.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ldfi_model::Value;

/// The rows of each relation.
pub type State = BTreeMap<String, BTreeSet<Vec<Value>>>;
type Values = BTreeMap<String, Value>;

/// A certificate.
#[derive(Debug, Default)]
pub struct Certificate {
    pub inputs: BTreeMap<String, String>,
    pub keys: Vec<(String, Vec<bool>)>,
    pub named: Vec<String>,
    /// Whether messages may be lost.
    pub losses: bool,
    /// Whether they may be late.
    pub delays: bool,
    /// How many nodes may crash; none is any number.
    pub crashes: Option<usize>,
    /// Steps without losses before the promise is judged.
    pub calm: u32,
    pub always: Vec<Always>,
    pub program: String,
}

/// A line of the invariant.
#[derive(Debug)]
pub struct Always {
    pub text: String,
    given: Vec<Part>,
    then: Then,
}

#[derive(Debug)]
enum Then {
    /// One of these.
    Parts(Vec<Part>),
    /// So many times each, at most so many in all.
    Sum(Vec<(i64, Amount)>, i64),
}

#[derive(Debug)]
enum Part {
    Holds(String, Vec<String>),
    Equal(String, String),
    Differ(String, String),
    Less(String, String),
    Member(String),
    Node(String),
    Crashes(String),
    Down(String),
    /// So many times the values in one column are more than those in another, and so many.
    More(i64, Column, Option<Column>, i64),
    /// So many times an amount is more than another, and so many.
    Exceeds(i64, Amount, Amount, i64),
    Not(Box<Part>),
}

/// A column of a relation: its different values are counted.
#[derive(Debug)]
struct Column {
    relation: String,
    columns: Vec<String>,
}

#[derive(Debug)]
enum Amount {
    Count(Vec<String>, Vec<Part>),
    Param(String),
}

impl Certificate {
    pub fn read(text: &str) -> Self {
        let mut certificate = Certificate::default();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("ldfi proof 1"));
        while let Some(line) = lines.next() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "input" => {
                    let (name, how) = rest.split_once(" = ").unwrap();
                    certificate.inputs.insert(name.into(), how.into());
                }
                "key" => {
                    let (name, columns) = rest.trim_end_matches(')').split_once('(').unwrap();
                    certificate.keys.push((name.into(), columns.split(", ").map(|column| column != "_").collect()));
                }
                "named" => certificate.named = rest.split_whitespace().map(str::to_owned).collect(),
                "always" => certificate.always.push(Always::read(rest)),
                "program" => {
                    certificate.program = lines.collect::<Vec<_>>().join("\n");
                    break;
                }
                "adversary" => {
                    for (name, value) in rest.split(' ').filter_map(|word| word.split_once('=')) {
                        match name {
                            "losses" => certificate.losses = value == "true",
                            "delays" => certificate.delays = value == "true",
                            "crashes" => certificate.crashes = value.parse().ok(),
                            "calm" => certificate.calm = value.parse().unwrap(),
                            other => panic!("`{other}` is nothing that an adversary does"),
                        }
                    }
                }
                "engine" | "crowd" | "param" => {}
                other => panic!("`{other}` is no line of a certificate"),
            }
        }
        certificate
    }
}

impl Always {
    pub fn read(text: &str) -> Self {
        let (given, then) = text.split_once(" -> ").unwrap_or(("", text));
        let parts =
            |text: &str, by: &str| split(text, by).into_iter().filter(|part| !part.is_empty()).map(part).collect();
        let then = match then.split_once(" <= ") {
            Some((sum, most)) => {
                let term = |term: &str| {
                    let (times, of) = term.split_once(" * ").unwrap();
                    (times.parse().unwrap(), amount(of))
                };
                Then::Sum(sum.split(" + ").map(term).collect(), most.parse().unwrap())
            }
            None if then == "false" => Then::Parts(vec![]),
            None => Then::Parts(parts(then, " | ")),
        };
        Always { text: text.to_owned(), given: parts(given, " & "), then }
    }

    /// Whether it holds for all values of its variables.
    pub fn holds(&self, world: &Seen<'_>) -> bool {
        let mut all = vec![Values::new()];
        // What is there gives variables their values, so it comes first.
        let is_test = |part: &&Part| {
            !matches!(part, Part::Holds(..) | Part::Member(_) | Part::Node(_) | Part::Crashes(_) | Part::Down(_))
        };
        let (tests, given): (Vec<&Part>, Vec<&Part>) = self.given.iter().partition(is_test);
        for part in given {
            all = all.into_iter().flat_map(|values| world.satisfy(part, values)).collect();
        }
        // What only tests, and numbers, speak of is any value that there is.
        let numbers: Vec<&Part> = match &self.then {
            Then::Parts(parts) => parts.iter().filter(|part| matches!(part, Part::Exceeds(..))).collect(),
            Then::Sum(..) => vec![],
        };
        if !numbers.is_empty() {
            for name in tests.iter().chain(&numbers).flat_map(|part| part.free()) {
                all = all.into_iter().flat_map(|values| world.any(&name, values)).collect();
            }
        }
        for part in tests {
            all = all.into_iter().flat_map(|values| world.satisfy(part, values)).collect();
        }
        match &self.then {
            Then::Parts(parts) => {
                all.into_iter().all(|values| parts.iter().any(|part| !world.satisfy(part, values.clone()).is_empty()))
            }
            Then::Sum(terms, most) => {
                // Values that are neither given nor counted are any values that there are.
                for name in terms.iter().flat_map(|(_, amount)| amount.free()) {
                    all = all.into_iter().flat_map(|values| world.any(&name, values)).collect();
                }
                let apart = |values: &Values| {
                    self.given
                        .iter()
                        .filter(|p| matches!(p, Part::Differ(..)))
                        .all(|p| !world.satisfy(p, values.clone()).is_empty())
                };
                let sum = |values: &Values| {
                    terms.iter().map(|(times, amount)| times * world.amount(amount, values)).sum::<i64>()
                };
                all.iter().all(|values| !apart(values) || sum(values) <= *most)
            }
        }
    }
}

/// The parts of a text, but for what stands in braces.
fn split<'t>(text: &'t str, by: &str) -> Vec<&'t str> {
    let (mut parts, mut begin, mut depth) = (vec![], 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 0 && at >= begin && text[at..].starts_with(by) => {
                parts.push(&text[begin..at]);
                begin = at + by.len();
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

fn part(text: &str) -> Part {
    if let Some(inner) = text.strip_prefix("not ") {
        return Part::Not(Box::new(part(inner)));
    }
    if let ([one, other], true) = (&split(text, " > ")[..], text.contains('{')) {
        let (times, of) = one.split_once(" * ").unwrap();
        let (than, more) = other.rsplit_once(" + ").unwrap();
        return Part::Exceeds(times.parse().unwrap(), amount(of), amount(than), more.parse().unwrap());
    }
    if let Some((one, other)) = text.split_once(" == ") {
        return Part::Equal(one.into(), other.into());
    }
    if let Some((one, other)) = text.split_once(" != ") {
        return Part::Differ(one.into(), other.into());
    }
    if let Some((one, other)) = text.split_once(" > ") {
        let (times, of) = one.split_once(" * ").unwrap();
        let (than, more) = other.rsplit_once(" + ").unwrap();
        let than = (than != "0").then(|| column(than));
        return Part::More(times.parse().unwrap(), column(of), than, more.parse().unwrap());
    }
    if let Some((one, other)) = text.split_once(" < ") {
        return Part::Less(one.into(), other.into());
    }
    match text.split_once(' ') {
        Some(("crashes", node)) => Part::Crashes(node.into()),
        Some(("down", node)) => Part::Down(node.into()),
        Some(("member", node)) => Part::Member(node.into()),
        Some(("node", node)) => Part::Node(node.into()),
        _ => {
            let (name, columns) =
                text.strip_suffix(')').and_then(|t| t.split_once('(')).unwrap_or_else(|| panic!("`{text}`"));
            Part::Holds(name.into(), columns.split(", ").map(str::to_owned).collect())
        }
    }
}

fn column(text: &str) -> Column {
    let (relation, columns) =
        text.strip_suffix(')').and_then(|t| t.split_once('(')).unwrap_or_else(|| panic!("`{text}`"));
    Column { relation: relation.into(), columns: columns.split(", ").map(str::to_owned).collect() }
}

fn amount(text: &str) -> Amount {
    if let Some(name) = text.strip_prefix("param ") {
        return Amount::Param(name.into());
    }
    let inside = text.strip_prefix("#{").and_then(|t| t.strip_suffix('}')).unwrap_or_else(|| panic!("`{text}`"));
    let (variables, parts) = inside.split_once(": ").unwrap();
    let variables = variables.trim().split(", ").filter(|v| !v.is_empty()).map(str::to_owned).collect();
    Amount::Count(variables, parts.split(" & ").map(part).collect())
}

impl Amount {
    /// Variables that are neither counted nor of no matter.
    fn free(&self) -> Vec<String> {
        let Amount::Count(counted, parts) = self else { return vec![] };
        parts.iter().flat_map(Part::free).filter(|name| !counted.contains(name)).collect()
    }
}

impl Part {
    /// Its variables, but for those of no matter.
    fn free(&self) -> Vec<String> {
        let all = match self {
            Part::Holds(_, columns) => columns.clone(),
            Part::Equal(one, other) | Part::Differ(one, other) | Part::Less(one, other) => {
                vec![one.clone(), other.clone()]
            }
            Part::Exceeds(_, of, than, _) => [of, than].into_iter().flat_map(Amount::free).collect(),
            Part::Not(inner) => inner.free(),
            Part::Member(_) | Part::Node(_) | Part::Crashes(_) | Part::Down(_) | Part::More(..) => vec![],
        };
        all.into_iter().filter(|name| is_variable(name) && !name.ends_with('\'')).collect()
    }
}

fn is_variable(name: &str) -> bool {
    name != "_" && name.starts_with(|c: char| c.is_alphabetic())
}

/// A state, and what is true beside it.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    pub state: &'a State,
    pub params: &'a BTreeMap<String, i64>,
    pub nodes: &'a [String],
    pub members: &'a [String],
    /// Who crashes at some time.
    pub crashes: &'a [String],
    /// Who has crashed.
    pub down: &'a [String],
}

impl Seen<'_> {
    fn value(&self, name: &str, values: &Values) -> Option<Value> {
        if let Some(text) = name.strip_prefix('"') {
            return Some(Value::from(text.trim_end_matches('"')));
        }
        let known = values.get(name).cloned().or_else(|| self.params.get(name).map(|number| Value::Int(*number)));
        known.or_else(|| name.parse().ok().map(Value::Int))
    }

    fn row(&self, columns: &[String], row: &[Value], values: &Values) -> Option<Values> {
        let mut values = values.clone();
        for (column, value) in columns.iter().zip(row) {
            match self.value(column, &values) {
                _ if column == "_" => {}
                Some(known) if known == *value => {}
                Some(_) => return None,
                None => drop(values.insert(column.clone(), value.clone())),
            }
        }
        Some(values)
    }

    /// Any value there is for a variable that has none.
    fn any(&self, name: &str, values: Values) -> Vec<Values> {
        if values.contains_key(name) || self.params.contains_key(name) {
            return vec![values];
        }
        let domain: BTreeSet<&Value> = self.state.values().flatten().flatten().collect();
        let with = |value: &Value| values.clone().into_iter().chain([(name.to_owned(), value.clone())]).collect();
        domain.into_iter().map(with).collect()
    }

    fn satisfy(&self, part: &Part, values: Values) -> Vec<Values> {
        let one_of = |nodes: &[String], name: &String| -> Vec<Values> {
            let rows = nodes.iter().map(|node| [Value::from(node)]);
            rows.filter_map(|row| self.row(std::slice::from_ref(name), &row, &values)).collect()
        };
        match part {
            Part::Holds(name, columns) => {
                let rows = self.state.get(name).into_iter().flatten();
                rows.filter_map(|row| self.row(columns, row, &values)).collect()
            }
            Part::Member(name) => one_of(self.members, name),
            Part::Node(name) => one_of(self.nodes, name),
            Part::Crashes(name) => one_of(self.crashes, name),
            Part::Down(name) => one_of(self.down, name),
            Part::Less(one, other) => match (self.value(one, &values), self.value(other, &values)) {
                (Some(one), Some(other)) if one < other => vec![values],
                _ => vec![],
            },
            Part::More(times, of, than, more) => {
                let than = than.as_ref().map_or(0, |than| self.column(than, &values));
                if times * self.column(of, &values) > than + more { vec![values] } else { vec![] }
            }
            Part::Exceeds(times, of, than, more) => {
                if times * self.amount(of, &values) > self.amount(than, &values) + more { vec![values] } else { vec![] }
            }
            Part::Not(inner) => {
                if self.satisfy(inner, values.clone()).is_empty() {
                    vec![values]
                } else {
                    vec![]
                }
            }
            Part::Equal(one, other) => {
                if self.value(one, &values) == self.value(other, &values) {
                    vec![values]
                } else {
                    vec![]
                }
            }
            // As long as a value is not known, it may differ.
            Part::Differ(one, other) => match (self.value(one, &values), self.value(other, &values)) {
                (Some(one), Some(other)) if one == other => vec![],
                _ => vec![values],
            },
        }
    }

    fn column(&self, of: &Column, values: &Values) -> i64 {
        let place = of.columns.iter().position(|name| name == "#").unwrap();
        let others: Vec<String> = of.columns.iter().map(|n| if n == "#" { "_".into() } else { n.clone() }).collect();
        let rows = self.state.get(&of.relation).into_iter().flatten();
        let found: BTreeSet<&Value> =
            rows.filter(|row| self.row(&others, row, values).is_some()).map(|row| &row[place]).collect();
        found.len() as i64
    }

    fn amount(&self, amount: &Amount, values: &Values) -> i64 {
        match amount {
            Amount::Param(name) => self.params.get(name).copied().unwrap_or(0),
            Amount::Count(variables, parts) => {
                let mut all = vec![values.clone()];
                for part in parts {
                    all = all.into_iter().flat_map(|values| self.satisfy(part, values)).collect();
                }
                let counted =
                    |values: &Values| variables.iter().map(|name| values.get(name).cloned()).collect::<Vec<_>>();
                all.iter().map(counted).collect::<BTreeSet<_>>().len() as i64
            }
        }
    }
}

impl fmt::Display for Always {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &[Part], by: &str| parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(by);
        if !self.given.is_empty() {
            write!(f, "{} -> ", list(&self.given, " & "))?;
        }
        match &self.then {
            Then::Parts(parts) if parts.is_empty() => f.write_str("false"),
            Then::Parts(parts) => f.write_str(&list(parts, " | ")),
            Then::Sum(terms, most) => {
                let term = |(times, amount): &(i64, Amount)| format!("{times} * {amount}");
                write!(f, "{} <= {most}", terms.iter().map(term).collect::<Vec<_>>().join(" + "))
            }
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Param(name) => write!(f, "param {name}"),
            Amount::Count(of, parts) => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "#{{{} : {}}}", of.join(", "), parts.join(" & "))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Holds(name, columns) => write!(f, "{name}({})", columns.join(", ")),
            Part::Equal(one, other) => write!(f, "{one} == {other}"),
            Part::Differ(one, other) => write!(f, "{one} != {other}"),
            Part::Less(one, other) => write!(f, "{one} < {other}"),
            Part::Crashes(name) => write!(f, "crashes {name}"),
            Part::Down(name) => write!(f, "down {name}"),
            Part::More(times, of, than, more) => {
                let than = than.as_ref().map_or("0".into(), ToString::to_string);
                write!(f, "{times} * {of} > {than} + {more}")
            }
            Part::Exceeds(times, of, than, more) => write!(f, "{times} * {of} > {than} + {more}"),
            Part::Not(inner) => write!(f, "not {inner}"),
            Part::Member(name) => write!(f, "member {name}"),
            Part::Node(name) => write!(f, "node {name}"),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.relation, self.columns.join(", "))
    }
}
