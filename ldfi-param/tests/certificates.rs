//! A second opinion on certificates: it reads the file, and shares no code with the engines.
//!
//! A state is any tuples of the program's relations among a few nodes. The naive evaluator takes a step from it, under
//! losses. Of random states that satisfy the invariant the next one must satisfy it, too, and none may break the promise;
//! so must every first state. It knows no crashes, and reads what the engine of counts writes.

#[path = "certificates/read.rs"]
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dedalus_runtime::Interpreted;
use dedalus_runtime::faults::Faults;
use dedalus_runtime::naive::{self, NaiveFact, NaiveInput};
use dedalus_syntax::ast::{Ast, When};
use fastrand::Rng;
use ldfi_model::{Budget, Type, Value};
use ldfi_param::{Answer, Instance, Question, Settings, certificate, counts};

use read::{Always, Certificate, State};

fn example(name: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn proved(name: &str, openings: &str) -> (Question, String) {
    let settings = Settings { openings: openings.parse().unwrap(), ..Settings::default() };
    let question = Question::new(&example(name), &settings).unwrap();
    let Answer::Proved(proof) = counts::prove(&question, &Budget::unlimited()) else { panic!("{name} is not proved") };
    let text = certificate(&question, &proof);
    (question, text)
}

/// A program of so many nodes to take steps with.
struct World {
    ast: Ast,
    nodes: Vec<String>,
    /// Relations that hold otherwise than by deductive rules, with the types of their columns.
    base: Vec<(String, Vec<Type>)>,
    /// Those that facts may fill at any time.
    events: BTreeSet<String>,
    keys: Vec<(String, Vec<bool>)>,
    values: BTreeMap<bool, Vec<Value>>,
}

impl World {
    fn new(question: &Question, certificate: &Certificate, members: usize) -> Self {
        let program = Interpreted::from_text("certificate.ded", &certificate.program).unwrap();
        let plan = dedalus_runtime::Program::plan(&program).clone();
        let mut ast = plan.ast.clone();
        let derived: BTreeSet<&str> =
            ast.rules.iter().filter(|r| r.head.when != When::Now).map(|r| r.head.relation.text.as_str()).collect();
        let given: BTreeSet<&str> = certificate.inputs.keys().map(String::as_str).collect();
        let base = (plan.relations.iter())
            .filter(|r| derived.contains(r.name.as_str()) || given.contains(r.name.as_str()))
            .map(|r| (r.name.clone(), r.columns.clone()))
            .collect();
        let events =
            certificate.inputs.iter().filter(|(_, how)| *how == "event").map(|(name, _)| name.clone()).collect();
        ast.facts.clear();
        let nodes = Instance::open(question, members, 2).nodes;
        let mut strings: Vec<Value> = nodes.iter().map(Value::from).collect();
        strings.extend(["r", "q"].map(Value::from));
        let values = BTreeMap::from([(true, strings), (false, vec![Value::Int(1), Value::Int(2)])]);
        World { ast, nodes, base, events, keys: certificate.keys.clone(), values }
    }

    fn facts(state: &State, time: u32) -> Vec<NaiveFact> {
        let fact = |relation: &String, row: &Vec<Value>| NaiveFact {
            relation: relation.clone(),
            time,
            until: time,
            row: row.clone(),
            maybe: false,
        };
        state.iter().flat_map(|(relation, rows)| rows.iter().map(move |row| fact(relation, row))).collect()
    }

    /// The two moments that begin with a state.
    fn step(&self, state: &State, later: &State, faults: &Faults) -> Option<[State; 2]> {
        let mut facts = Self::facts(state, 1);
        facts.extend(Self::facts(later, 2));
        let input = NaiveInput::new(&self.ast, facts, vec![], Some(self.nodes.clone())).ok()?;
        let run = naive::run(&self.ast, &input, faults, 2).ok()?;
        let at = |time: u32| {
            let mut state = State::new();
            for ((relation, when), rows) in &run.tables {
                if *when == time {
                    state.insert(relation.clone(), rows.iter().cloned().collect());
                }
            }
            state
        };
        Some([at(1), at(2)])
    }

    fn random(&self, rng: &mut Rng, only: Option<&BTreeSet<String>>) -> State {
        let mut state = State::new();
        for (name, columns) in self.base.iter().filter(|(name, _)| only.is_none_or(|only| only.contains(name))) {
            let rows = state.entry(name.clone()).or_default();
            for _ in 0..rng.usize(0..=4) {
                rows.insert(columns.iter().map(|ty| self.value(*ty, rng)).collect());
            }
        }
        state
    }

    fn value(&self, ty: Type, rng: &mut Rng) -> Value {
        let values = &self.values[&(ty == Type::Str)];
        values[rng.usize(0..values.len())].clone()
    }

    fn respects_keys(&self, state: &State) -> bool {
        self.keys.iter().all(|(relation, columns)| {
            let part = |row: &Vec<Value>| -> Vec<Value> {
                row.iter().zip(columns).filter(|(_, key)| **key).map(|(value, _)| value.clone()).collect()
            };
            let rows = state.get(relation).cloned().unwrap_or_default();
            rows.iter().map(part).collect::<BTreeSet<_>>().len() == rows.len()
        })
    }

    fn broken(&self, state: &State) -> bool {
        let rows = |name: &str| state.get(name).cloned().unwrap_or_default();
        !rows("pre").is_subset(&rows("post"))
    }

    fn params(&self) -> BTreeMap<String, i64> {
        let number = |value: &Value| if let Value::Int(number) = value { *number } else { 0 };
        let param = |p: &dedalus_syntax::ast::Param| Some((p.name.text.clone(), number(p.default.as_ref()?)));
        self.ast.params.iter().filter_map(param).collect()
    }
}

/// What was looked at.
#[derive(Debug, Default)]
struct Looked {
    states: usize,
    good: usize,
    first: usize,
}

/// Holds a certificate against states of so many nodes; the first complaint, if there is one.
fn check(question: &Question, text: &str, members: usize, tries: u64) -> Result<Looked, String> {
    let certificate = Certificate::read(text);
    let world = World::new(question, &certificate, members);
    let params = world.params();
    let members: Vec<String> = world.nodes.iter().filter(|node| !certificate.named.contains(node)).cloned().collect();
    let sees =
        |state: &State| certificate.always.iter().find(|line| !line.holds(state, &params, &world.nodes, &members));
    let mut looked = Looked::default();
    for seed in 0..tries {
        let mut rng = Rng::with_seed(seed);
        let state = world.random(&mut rng, None);
        let later = world.random(&mut rng, Some(&world.events));
        let mut faults = Faults::none();
        for from in &world.nodes {
            for to in world.nodes.iter().filter(|to| *to != from) {
                if rng.bool() {
                    faults = faults.lose(from, to, 1);
                }
            }
        }
        let Some([before, after]) = world.step(&state, &later, &faults) else { continue };
        looked.states += 1;
        if !world.respects_keys(&before) || sees(&before).is_some() {
            continue;
        }
        looked.good += 1;
        if world.broken(&before) {
            return Err(format!("the promise is broken at {before:#?}"));
        }
        if let Some(line) = sees(&after) {
            return Err(format!("`{}` fails after a step from {before:#?}\nto {after:#?}", line.text));
        }
    }
    for seed in 0..tries / 10 {
        let instance = Instance::random(question, members.len(), 2, seed);
        let facts = instance.program.input.facts.iter().filter(|fact| fact.time.0 == 1);
        let mut state = State::new();
        for fact in facts {
            state.entry(question.plan.rel(fact.relation).name.clone()).or_default().insert(fact.values.clone());
        }
        let Some([first, _]) = world.step(&state, &State::new(), &Faults::none()) else { continue };
        looked.first += 1;
        if let Some(line) = sees(&first) {
            return Err(format!("`{}` fails at first: {first:#?}", line.text));
        }
    }
    Ok(looked)
}

#[test]
fn the_proof_of_a_token_is_one() {
    let (question, text) = proved("token.ded", "neighbor=any,release=event");
    for members in 1..=3 {
        let looked = check(&question, &text, members, 2_000).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert!(looked.good > 50 && looked.first > 50, "{looked:?}");
    }
}

#[test]
fn a_false_invariant_is_found_out() {
    let (question, text) = proved("token.ded", "neighbor=any,release=event");
    let line = text.lines().find(|line| line.starts_with("always ")).unwrap();
    // It does not hold at first; it is not kept; it excludes nothing.
    for wrong in ["1 * #{A' : token(A')} <= 0", "1 * #{A' : token(A')} <= 1", "1 * #{A' : token(A')} <= 9"] {
        let wrong = text.replace(line, &format!("always {wrong}"));
        assert!(check(&question, &wrong, 3, 4_000).is_err(), "{wrong}");
    }
}

#[test]
fn lines_are_read_as_they_are_written() {
    let lines = [
        "vote(N, V, T) & vote(M, V, T) -> N == M",
        "reply(C, X, R, S) -> accepted(X, R, S) | faulty(X)",
        "A != B -> 1 * #{X' : p(X', A)} + -2 * #{ : q(\"a\", B)} + 1 * param f <= 3",
        "p(X) -> false",
        "member X & member Y -> node(X, Y)",
    ];
    for line in lines {
        assert_eq!(Always::read(line).to_string(), line);
    }
}

#[test]
#[ignore = "minutes: cargo test -p ldfi-param --test certificates -- --ignored"]
fn so_is_the_proof_of_an_agreement() {
    let (question, text) = proved("zyzzyva.ded", "node=all,faulty=any,order=event,claim=event");
    for members in 2..=4 {
        let looked = check(&question, &text, members, 20_000).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert!(looked.first > 50, "{looked:?}");
    }
}
