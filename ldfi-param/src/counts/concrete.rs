//! The oracle: every pair of consecutive moments of concrete runs satisfies every row of the encoding.
//!
//! Queries are evaluated here by looking at all tuples, and rows by adding up: nothing of the encoding is used but what it
//! says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dedalus_runtime::{Execution, Interpreted};
use dedalus_syntax::rewrite::omissions;
use fastrand::Rng;
use ldfi_model::{Budget, Value};

use super::goal::Goal;
use super::infer::Found;
use super::model::Model;
use super::query::{Atom, Fixed, Measure, Moment, Op, Query, Symbol, Term, Test, Var};
use super::rows::{Number, Rows};
use super::search::Search;
use crate::linear::Row;
use crate::question::{Question, Settings};
use crate::runs::RandomRun;

type Values = BTreeMap<Var, Value>;

/// Two consecutive moments of a run, and what the goal's values are taken to be.
struct Pair<'a> {
    question: &'a Question,
    run: &'a RandomRun,
    execution: &'a Execution,
    before: u32,
    witnesses: BTreeMap<u32, Value>,
}

impl Pair<'_> {
    fn tuples(&self, atom: &Atom) -> Option<Vec<Vec<Value>>> {
        let time = if atom.moment == Moment::Before { self.before } else { self.before + 1 };
        let nodes = |nodes: &[String]| nodes.iter().map(|node| vec![Value::from(node)]).collect();
        match atom.symbol {
            Symbol::Relation(relation) => Some(self.execution.tuples(&self.question.plan.rel(relation).name, time)),
            Symbol::Node => Some(nodes(&self.run.instance.nodes)),
            Symbol::Member => Some(nodes(&self.run.instance.members)),
            // Runs do not keep what was ever sent.
            Symbol::Sent(_) => None,
        }
    }

    fn fixed(&self, fixed: &Fixed) -> Value {
        match fixed {
            Fixed::Str(text) => Value::from(&**text),
            Fixed::Int(number) => Value::Int(*number),
            Fixed::Param(param) => self.question.input.param(&self.question.plan, *param).unwrap(),
            Fixed::Witness(number) => self.witnesses[number].clone(),
        }
    }

    fn matches(&self, atom: &Atom, tuple: &[Value], values: &Values) -> Option<Values> {
        let mut values = values.clone();
        for (term, value) in atom.terms.iter().zip(tuple) {
            match term {
                Term::Any => {}
                Term::Fixed(fixed) if self.fixed(fixed) == *value => {}
                Term::Fixed(_) => return None,
                Term::Var(var) if values.entry(*var).or_insert_with(|| value.clone()) == value => {}
                Term::Var(_) => return None,
            }
        }
        Some(values)
    }

    fn test(&self, test: &Test, values: &Values) -> Option<bool> {
        let value = |term: &Term| match term {
            Term::Var(var) => values.get(var).cloned(),
            Term::Fixed(fixed) => Some(self.fixed(fixed)),
            Term::Any => None,
        };
        let terms: Vec<(Value, i64)> =
            test.sum.iter().map(|(term, times)| Some((value(term)?, *times))).collect::<Option<_>>()?;
        if terms.iter().any(|(value, _)| matches!(value, Value::Str(_))) {
            let [(one, _), (other, _)] = &terms[..] else { return None };
            return Some((one == other) == (test.op == Op::Eq));
        }
        let number = |value: &Value| if let Value::Int(number) = value { *number } else { 0 };
        let sum = terms.iter().map(|(value, times)| number(value) * times).sum::<i64>() + test.plus;
        Some(match test.op {
            Op::Eq => sum == 0,
            Op::Ne => sum != 0,
            Op::Le => sum <= 0,
        })
    }

    /// All solutions; `None` if something in it cannot be seen.
    fn solutions(&self, query: &Query) -> Option<Vec<Values>> {
        let mut found = vec![Values::new()];
        for atom in &query.here {
            let tuples = self.tuples(atom)?;
            found =
                found.iter().flat_map(|values| tuples.iter().filter_map(|t| self.matches(atom, t, values))).collect();
        }
        let mut kept = vec![];
        for values in found {
            let mut good = true;
            for atom in &query.absent {
                good &= !self.tuples(atom)?.iter().any(|tuple| self.matches(atom, tuple, &values).is_some());
            }
            for test in &query.tests {
                good &= self.test(test, &values)?;
            }
            if good {
                kept.push(values);
            }
        }
        Some(kept)
    }

    fn number(&self, number: &Number) -> Option<i64> {
        let count = |measure: &Measure| {
            let solutions = self.solutions(&measure.query)?;
            let of = |values: &Values| measure.of.iter().map(|var| values.get(var).cloned()).collect::<Vec<_>>();
            i64::try_from(solutions.iter().map(of).collect::<BTreeSet<_>>().len()).ok()
        };
        match number {
            Number::Count(measure) => count(measure),
            Number::UnderWay(..) => None,
            Number::Region(_, attributes, signs) => {
                let mut query = Query::default();
                for (atom, sign) in attributes.iter().zip(signs) {
                    if *sign {
                        query.here.insert(atom.clone())
                    } else {
                        query.absent.insert(atom.clone())
                    };
                }
                count(&Measure { query, of: BTreeSet::from([0]) })
            }
            Number::Above(fixed) => match self.fixed(fixed) {
                Value::Int(number) => Some(number.max(0)),
                Value::Str(_) => None,
            },
            Number::Below(fixed) => match self.fixed(fixed) {
                Value::Int(number) => Some((-number).max(0)),
                Value::Str(_) => None,
            },
        }
    }

    /// Whether a row holds; `None` if something in it cannot be seen.
    fn holds(&self, row: &Row, seen: &[Option<i64>]) -> Option<bool> {
        let mut sum = 0;
        for (place, factor) in &row.terms {
            sum += seen[*place]? * factor;
        }
        Some(sum <= row.most)
    }

    /// The first row that is wrong.
    fn refutes(&self, rows: &Rows) -> Option<String> {
        let seen: Vec<Option<i64>> = rows.numbers.iter().map(|number| self.number(number)).collect();
        let show = |row: &Row| {
            let term =
                |(place, factor): &(usize, i64)| format!("{factor} * {:?} = {:?}", rows.numbers[*place], seen[*place]);
            format!("{:#?} <= {}", row.terms.iter().map(term).collect::<Vec<_>>(), row.most)
        };
        if let Some(wrong) = rows.rows.iter().find(|row| self.holds(row, &seen) == Some(false)) {
            return Some(show(wrong));
        }
        let fails = |rows: &Vec<Row>| rows.iter().any(|row| self.holds(row, &seen) == Some(false));
        let wrong = rows.either.iter().find(|list| list.iter().all(fails))?;
        Some(wrong.iter().flatten().map(show).collect::<Vec<_>>().join("\nor "))
    }
}

fn example(name: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// What each of the goal's values may be: something that is there.
fn witnesses(goal: &Goal, execution: &Execution, question: &Question, rng: &mut Rng) -> BTreeMap<u32, Value> {
    let mut found = BTreeMap::new();
    for atom in &goal.query.here {
        let Symbol::Relation(relation) = atom.symbol else { continue };
        let name = &question.plan.rel(relation).name;
        let time = rng.u32(1..=execution.eot().0);
        let tuples = execution.tuples(name, time);
        let tuple = (!tuples.is_empty()).then(|| &tuples[rng.usize(0..tuples.len())]);
        for (column, term) in atom.terms.iter().enumerate() {
            if let Term::Fixed(Fixed::Witness(number)) = term {
                let none = match question.plan.rel(relation).columns[column] {
                    ldfi_model::Type::Str => Value::from("nobody"),
                    ldfi_model::Type::Int => Value::Int(7),
                };
                found.entry(*number).or_insert_with(|| tuple.map_or(none, |tuple| tuple[column].clone()));
            }
        }
    }
    found
}

/// Runs of a program against its own encoding; how many pairs of moments were looked at.
fn hold_against_runs(program: &Interpreted, openings: &str, runs: u64, most: usize) -> usize {
    let settings = Settings { openings: openings.parse().unwrap(), ..Settings::default() };
    let Ok(question) = Question::new(program, &settings) else { return 0 };
    let budget = Budget::unlimited();
    let model = Model::new(&question);
    let found = Found::new(&model, &budget).unwrap();
    let laws = found.added_to(&model.laws(), &[Moment::Before, Moment::After]);
    let mut pairs = 0;
    let goals = question.promises.iter().filter_map(|promise| Goal::all(&model, promise, &laws)).flatten();
    for query in goals.take(2) {
        for goal in [Goal::counting(&query), Goal::witnessed(&query)] {
            let (step, first) = Search::new(&model, &found, &goal, &budget).rows().unwrap();
            for seed in 0..runs {
                let mut rng = Rng::with_seed(seed);
                let run = RandomRun::new(&question, rng.usize(1..=most), rng.u32(2..7), seed);
                let Some(execution) = run.execute() else { continue };
                for before in 1..run.eot {
                    let witnesses = witnesses(&goal, &execution, &question, &mut rng);
                    let pair = Pair { question: &question, run: &run, execution: &execution, before, witnesses };
                    // The rows are about values of which this holds.
                    let about = goal.always().iter().all(|test| pair.test(test, &Values::new()) == Some(true))
                        && goal.there(&model).iter().all(|atom| {
                            let one = Query { here: BTreeSet::from([atom.clone()]), ..Query::default() };
                            pair.solutions(&one).is_some_and(|found| !found.is_empty())
                        });
                    if !about {
                        continue;
                    }
                    pairs += 1;
                    let wrong = pair.refutes(&step).or_else(|| if before == 1 { pair.refutes(&first) } else { None });
                    if let Some(wrong) = wrong {
                        panic!(
                            "seed {seed}, {before}, faults {}, witnesses {:?}:\n{wrong}",
                            run.faults, pair.witnesses
                        );
                    }
                }
            }
        }
    }
    pairs
}

/// Every program that leaving something out of an example leads to.
fn mutants(name: &str) -> Vec<Interpreted> {
    let program = example(name);
    let ast = &dedalus_runtime::Program::plan(&program).ast;
    let texts = omissions(ast).into_iter().map(|edit| edit.apply(ast).to_string());
    texts.filter_map(|text| Interpreted::from_text("mutant.ded", &text).ok()).collect()
}

const ZYZZYVA: &str = "node=all,faulty=any,order=event,claim=event";

#[test]
fn every_step_of_a_token_satisfies_every_row() {
    for name in ["token.ded", "token_kept.ded"] {
        let pairs = hold_against_runs(&example(name), "neighbor=any,release=event", 40, 9);
        assert!(pairs > 50, "{name}: {pairs}");
    }
}

#[test]
fn every_step_of_an_agreement_satisfies_every_row() {
    let pairs = hold_against_runs(&example("zyzzyva.ded"), ZYZZYVA, 8, 6);
    assert!(pairs > 10, "{pairs}");
}

#[test]
fn so_does_every_step_of_what_a_token_can_be_changed_to() {
    let pairs: usize =
        mutants("token.ded").iter().map(|mutant| hold_against_runs(mutant, "neighbor=any,release=event", 4, 5)).sum();
    assert!(pairs > 20, "{pairs}");
}

#[test]
#[ignore = "minutes: cargo test -p ldfi-param --lib concrete -- --ignored"]
fn thousands_of_steps_satisfy_every_row() {
    for (name, openings) in [
        ("token.ded", "neighbor=any,release=event"),
        ("token_kept.ded", ""),
        ("zyzzyva.ded", ZYZZYVA),
        ("zyzzyva_3f.ded", ZYZZYVA),
    ] {
        hold_against_runs(&example(name), openings, 400, 9);
        for mutant in mutants(name) {
            hold_against_runs(&mutant, openings, 20, 6);
        }
    }
}
