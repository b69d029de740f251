//! Reads the ground firings of a certificate, as `docs/certificates.md` describes them.

use std::collections::{BTreeMap, BTreeSet};

/// A column: an integer or a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Int(i128),
    Text(String),
}

#[derive(Clone, Debug)]
pub struct Tuple {
    pub relation: String,
    pub time: u32,
    pub values: Vec<Value>,
}

/// What must be absent. No time: nothing can be there.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub relation: String,
    pub time: Option<u32>,
    pub columns: Vec<Option<Value>>,
}

/// What a firing needs of the world, beside tuples.
#[derive(Clone, Debug)]
pub enum Need {
    Message { from: String, to: String, sent: u32, by: u32 },
    Clock { from: String, to: String, sent: u32 },
    Step { node: String, time: u32 },
}

/// A firing, a member of a group, or a computation that fails.
#[derive(Clone, Debug, Default)]
pub struct Firing {
    pub rule: usize,
    pub head: usize,
    /// Of a member: what the aggregates range over.
    pub values: Vec<Value>,
    pub premises: Vec<usize>,
    pub needs: Vec<Need>,
    pub absent: Vec<Pattern>,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub rule: usize,
    pub time: u32,
    pub by: u32,
    pub heads: Vec<usize>,
    pub overflows: bool,
    pub members: Vec<Firing>,
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub when: String,
    /// Columns that are aggregates.
    pub aggregates: Vec<(usize, String)>,
}

#[derive(Clone, Debug, Default)]
pub struct Ground {
    pub program: String,
    pub bounds: BTreeMap<String, String>,
    pub nodes: Vec<String>,
    pub stable: BTreeSet<String>,
    pub promises: Vec<(String, String)>,
    pub owed: Vec<Pattern>,
    pub rules: Vec<Rule>,
    pub tuples: Vec<Tuple>,
    pub facts: BTreeSet<usize>,
    pub given: BTreeSet<usize>,
    pub turns: BTreeSet<usize>,
    pub boots: BTreeSet<usize>,
    pub kept: Vec<(usize, usize)>,
    pub firings: Vec<Firing>,
    pub groups: Vec<Group>,
    pub failures: Vec<Firing>,
}

impl Ground {
    /// The bound of that name; none for any number.
    pub fn bound(&self, name: &str) -> Option<u32> {
        self.bounds[name].parse().ok()
    }
}

/// Where a line that goes on belongs.
enum Last {
    Firing,
    Member,
    Failure,
}

pub fn read(text: &str) -> Ground {
    let mut ground = Ground::default();
    let mut last = Last::Firing;
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("ldfi ground firings 1"));
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse::<usize>().unwrap_or_else(|_| panic!("{line}"));
        let step = |at: usize| fields[at].parse::<u32>().unwrap_or_else(|_| panic!("{line}"));
        match fields[0] {
            "program" => ground.program = fields[1].to_owned(),
            "bounds" => {
                let bounds = fields[1..].iter().map(|field| field.split_once('=').expect(line));
                ground.bounds = bounds.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            }
            "nodes" => ground.nodes = fields[1..].iter().map(|field| string(field)).collect(),
            "stable" => ground.stable = fields[1..].iter().map(|field| (*field).to_owned()).collect(),
            "promise" => ground.promises.push((fields[1].to_owned(), fields[2].to_owned())),
            "owed" => ground.owed.push(pattern(&fields[1..])),
            "rule" => {
                let aggregates = fields[4..].iter().map(|field| field.split_once('=').expect(line));
                let aggregates = aggregates.map(|(column, op)| (column.parse().unwrap(), op.to_owned())).collect();
                ground.rules.push(Rule { when: fields[2].to_owned(), aggregates });
            }
            "tuple" => {
                assert_eq!(number(1), ground.tuples.len());
                let values = fields[4..].iter().map(|field| value(field)).collect();
                ground.tuples.push(Tuple { relation: fields[2].to_owned(), time: step(3), values });
            }
            "fact" => _ = ground.facts.insert(number(1)),
            "given" => _ = ground.given.insert(number(1)),
            "turn" => _ = ground.turns.insert(number(1)),
            "boot" => _ = ground.boots.insert(number(1)),
            "kept" => ground.kept.push((number(1), number(2))),
            "firing" => {
                let premises = ids(fields[4]);
                ground.firings.push(Firing { rule: number(1), head: number(2), premises, ..Firing::default() });
                last = Last::Firing;
            }
            "group" => {
                let (heads, overflows) = (ids(fields[4]), fields[5] == "overflows");
                let (rule, time, by) = (number(1), step(2), step(3));
                ground.groups.push(Group { rule, time, by, heads, overflows, members: vec![] });
            }
            "member" => {
                let values = fields[2..].iter().map(|field| value(field)).collect();
                let member = Firing { values, premises: ids(fields[1]), ..Firing::default() };
                ground.groups.last_mut().expect(line).members.push(member);
                last = Last::Member;
            }
            "failure" => {
                ground.failures.push(Firing { rule: number(1), premises: ids(fields[3]), ..Firing::default() });
                last = Last::Failure;
            }
            word => {
                let firing = match last {
                    Last::Firing => ground.firings.last_mut(),
                    Last::Member => ground.groups.last_mut().and_then(|group| group.members.last_mut()),
                    Last::Failure => ground.failures.last_mut(),
                };
                let firing = firing.expect(line);
                let name = |at: usize| string(fields[at]);
                match word {
                    "message" => {
                        firing.needs.push(Need::Message { from: name(1), to: name(2), sent: step(3), by: step(4) })
                    }
                    "clock" => firing.needs.push(Need::Clock { from: name(1), to: name(2), sent: step(3) }),
                    "step" => firing.needs.push(Need::Step { node: name(1), time: step(2) }),
                    "absent" => firing.absent.push(pattern(&fields[1..])),
                    _ => panic!("{line}"),
                }
            }
        }
    }
    ground
}

fn ids(field: &str) -> Vec<usize> {
    if field == "-" { vec![] } else { field.split(',').map(|id| id.parse().unwrap()).collect() }
}

fn pattern(fields: &[&str]) -> Pattern {
    let column = |field: &&str| if *field == "_" { None } else { Some(value(field)) };
    Pattern {
        relation: fields[0].to_owned(),
        time: fields[1].parse().ok(),
        columns: fields[2..].iter().map(column).collect(),
    }
}

fn value(field: &str) -> Value {
    if field.starts_with('"') { Value::Text(string(field)) } else { Value::Int(field.parse().unwrap()) }
}

/// A string in double quotes, its escapes resolved.
fn string(field: &str) -> String {
    let inner = field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect(field);
    let (mut out, mut chars) = (String::new(), inner.chars());
    while let Some(c) = chars.next() {
        out.push(match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('t')) => '\t',
            ('\\', Some('r')) => '\r',
            ('\\', Some('0')) => '\0',
            ('\\', Some(other)) => other,
            (c, _) => c,
        });
    }
    out
}
