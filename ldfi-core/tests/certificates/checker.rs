//! The formula of a certificate, made anew from its ground firings and compared with the one that was written.

use std::collections::{BTreeMap, BTreeSet};

use ldfi_core::certificate::{Certificate, Goal, Question};
use varisat::{ExtendFormula, Solver};

use super::formula::Lit;
use super::meaning::Meaning;
use super::read;

/// A formula in the hands of a solver that is not ours, and its fault variables by name.
struct Posed {
    solver: Solver<'static>,
    inputs: BTreeMap<String, Lit>,
}

impl Posed {
    fn new(clauses: impl IntoIterator<Item = Vec<Lit>>, inputs: BTreeMap<String, Lit>) -> Self {
        let mut solver = Solver::new();
        for clause in clauses {
            let clause: Vec<varisat::Lit> = clause.into_iter().map(lit).collect();
            solver.add_clause(&clause);
        }
        Posed { solver, inputs }
    }

    /// The question as it was written.
    fn written(question: &Question) -> Self {
        let text = question.cnf.to_dimacs();
        let (mut clauses, mut inputs) = (vec![], BTreeMap::new());
        for line in text.lines().filter(|line| !line.starts_with("p ")) {
            if let Some(comment) = line.strip_prefix("c ") {
                if let Some((number, name)) = comment.split_once(' ')
                    && let Ok(number) = number.parse()
                {
                    inputs.insert(name.to_owned(), number);
                }
                continue;
            }
            clauses.push(line.split(' ').map(|word| word.parse().unwrap()).take_while(|lit| *lit != 0).collect());
        }
        Posed::new(clauses, inputs)
    }

    /// Whether there is an answer under these assumptions.
    fn has_answer(&mut self, assumptions: &[Lit]) -> bool {
        self.solver.assume(&assumptions.iter().copied().map(lit).collect::<Vec<_>>());
        self.solver.solve().unwrap()
    }

    /// The faults of the last answer.
    fn faults(&self) -> BTreeSet<String> {
        let model: BTreeSet<isize> = self.solver.model().unwrap().iter().map(|lit| lit.to_dimacs()).collect();
        let holds = |lit: Lit| model.contains(&(lit as isize));
        self.inputs.iter().filter(|(_, lit)| holds(**lit)).map(|(name, _)| name.clone()).collect()
    }

    /// Whether exactly these faults are an answer.
    fn accepts(&mut self, faults: &BTreeSet<String>) -> bool {
        // A fault that nothing in the formula speaks of changes nothing, as long as it is admissible.
        let sign = |(name, lit): (&String, &Lit)| if faults.contains(name) { *lit } else { -*lit };
        let assumptions: Vec<Lit> = self.inputs.iter().map(sign).collect();
        self.has_answer(&assumptions)
    }
}

fn lit(lit: Lit) -> varisat::Lit {
    varisat::Lit::from_dimacs(lit as isize)
}

/// The question made anew from the ground firings.
fn rebuilt(firings: &str, goal: Goal) -> Posed {
    let ground = read::read(firings);
    let mut meaning = Meaning::new(&ground);
    let reached = match goal {
        Goal::Violated => meaning.violated(),
        Goal::Fails => meaning.fails(),
    };
    let admissible = meaning.world.admissible();
    let formula = meaning.world.formula;
    let clauses = formula.clauses().into_iter().chain([vec![reached], vec![admissible]]);
    Posed::new(clauses, formula.inputs)
}

/// What a question says that it is about, line by line.
fn headings(question: &Question) -> Vec<String> {
    let text = question.cnf.to_dimacs();
    text.lines().filter_map(|line| line.strip_prefix("c about ")).map(str::to_owned).collect()
}

/// A specification, as a heading says it: its bounds by name.
fn bounds(heading: &str) -> BTreeMap<String, String> {
    let inner = heading.trim_start_matches('⟨').trim_end_matches('⟩');
    let bound = |part: &str| {
        part.rsplit_once(' ')
            .map_or((part.to_owned(), "yes".to_owned()), |(name, value)| (name.to_lowercase(), value.to_owned()))
    };
    inner
        .split(", ")
        .map(|part| if part == "per message" { ("per_message".into(), "yes".into()) } else { bound(part) })
        .collect()
}

/// Whether what a question says that it is about is what its firings are about.
fn check_headings(question: &Question, ground: &read::Ground) -> Result<(), String> {
    let said = headings(question);
    let after = |word: &str| -> Vec<&str> {
        said.iter().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' ')).collect()
    };
    if after("program") != [&ground.program[..]] {
        return Err(format!("it is about the program {:?}, its firings about {}", after("program"), ground.program));
    }
    let promised: Vec<String> = match &ground.promises[..] {
        [] => vec!["what persists without faults".into()],
        promises => promises.iter().map(|(pre, post)| format!("{pre} -> {post}")).collect(),
    };
    if after("promise") != promised {
        return Err(format!("it is about {:?}, its firings about {promised:?}", after("promise")));
    }
    let [asked, clamped] = [after("asked"), after("specification")].map(|said| said.concat());
    let (asked, clamped) = (bounds(&asked), bounds(&clamped));
    for (name, value) in &ground.bounds {
        // A bound that is not said is that of no faults, or of any number.
        let unsaid = |said: &BTreeMap<String, String>| {
            said.get(name).cloned().unwrap_or_else(|| {
                let open = ["losses", "delays", "gives"].contains(&&name[..]);
                (if open {
                    "any"
                } else if name == "per_message" {
                    "no"
                } else {
                    "0"
                })
                .to_owned()
            })
        };
        let (asked, clamped) = (unsaid(&asked), unsaid(&clamped));
        if clamped != *value {
            return Err(format!("its {name} is {clamped}, that of its firings {value}"));
        }
        // What was asked is no less, and no other than what is allowed but for being clamped.
        let number = |text: &str| text.parse::<u32>().ok();
        if asked != clamped && number(&asked) <= number(&clamped) {
            return Err(format!("{name} {asked} was asked, and {clamped} is more"));
        }
    }
    Ok(())
}

/// What is wrong with a certificate; whether its questions have answers if nothing is.
pub fn check(certificate: &Certificate) -> Result<Vec<bool>, String> {
    let mut answers = vec![];
    let ground = read::read(&certificate.firings);
    for question in &certificate.questions {
        check_headings(question, &ground)?;
        let (mut written, mut anew) = (Posed::written(question), rebuilt(&certificate.firings, question.goal));
        let goal = question.goal.name();
        let has = [written.has_answer(&[]), anew.has_answer(&[])];
        match has {
            [false, false] => {}
            [true, true] => {
                let one = written.faults();
                if !anew.accepts(&one) {
                    return Err(format!("{goal}: {one:?} is an answer only as written"));
                }
                // Faults that are as good as others need not be written: a delay beyond the end is as good as a loss.
                let unwritten = anew.inputs.iter().filter(|(name, _)| !written.inputs.contains_key(*name));
                let without: Vec<Lit> = unwritten.map(|(_, lit)| -lit).collect();
                if !anew.has_answer(&without) {
                    return Err(format!("{goal}: there is an answer only with faults that are not written"));
                }
                let other = anew.faults();
                if !written.accepts(&other) {
                    return Err(format!("{goal}: {other:?} is an answer only anew"));
                }
            }
            _ => return Err(format!("{goal}: as written it has an answer: {}, anew: {}", has[0], has[1])),
        }
        compare_at_points(&mut written, &mut anew).map_err(|why| format!("{goal}: {why}"))?;
        answers.push(has[0]);
    }
    Ok(answers)
}

/// Both say the same of single faults and of pairs of neighbours.
fn compare_at_points(written: &mut Posed, anew: &mut Posed) -> Result<(), String> {
    let names: Vec<String> = written.inputs.keys().filter(|name| anew.inputs.contains_key(*name)).cloned().collect();
    let singles = names.iter().map(|name| BTreeSet::from([name.clone()]));
    let pairs = names.windows(2).map(|pair| pair.iter().cloned().collect());
    for faults in singles.chain(pairs).take(40) {
        let said = [written.accepts(&faults), anew.accepts(&faults)];
        if said[0] != said[1] {
            return Err(format!("{faults:?}: as written {}, anew {}", said[0], said[1]));
        }
    }
    Ok(())
}
