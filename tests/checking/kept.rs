//! What a failing test leaves behind, test by test: regressions, reports, a line to run it again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ldfi::prelude::*;

dedalus! {
    /// A word is said once, and may be lost.
    program Told(word: int, again: str = "no") {
        heard(B, W)@async :- say(A, B, W);
        heard(B, W)@next :- heard(B, W);
        pre(W) :- say(_, _, W)@1;
        post(W) :- heard("b", W);
        say("a", "b", word)@1;
        node("b", again)@1;
    }

    /// It says another word than it should.
    program Wrong {
        heard(B, 1)@async :- say(A, B);
        heard(B, W)@next :- heard(B, W);
        pre(2) :- say(_, _)@1;
        post(W) :- heard("b", W);
        say("a", "b")@1;
        node("b")@1;
    }

    /// Said again and again.
    program Repeats {
        say(A, B)@next :- say(A, B);
        heard(B, A)@async :- say(A, B);
        heard(B, A)@next :- heard(B, A);
        pre(B) :- say(_, B);
        post(B) :- heard(B, _);
        say("a", "b")@1;
        node("b")@1;
    }
}

/// What an assertion says as it fails.
fn failing<P: Program>(program: P) -> String {
    let check = ldfi::check(program).eot(4).eff(2);
    let panic = catch_unwind(AssertUnwindSafe(|| check.assert_fault_tolerant())).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

fn after<'t>(said: &'t str, word: &str) -> &'t str {
    said.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_else(|| panic!("no `{word}` in\n{said}"))
}

/// The regression file beside this one, for one test at a time; it is gone before and after.
struct Alone {
    file: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Alone {
    fn new() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checking/kept.ldfi-regressions");
        let _ = std::fs::remove_file(&file);
        Alone { file, _turn: turn }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

#[test]
fn regressions_are_kept_by_test_and_parameters_and_tried_after_the_run_without_faults() {
    let alone = Alone::new();
    let file = &alone.file;
    let before = "a fault set that broke it before still does";
    let three = failing(Told::new(3));
    assert!(three.contains("Told: not fault-tolerant"), "{three}");
    // Another parameter is another matter; the same is the same.
    let four = failing(Told::new(4));
    assert!(!four.contains(before), "{four}");
    let again = failing(Told::new(3));
    assert!(again.contains(before) && again.contains("  2 executions, "), "{again}");
    let kept = std::fs::read_to_string(file).unwrap();
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let params = r#"(3, \"no\")"#;
    assert!(kept.contains(&format!("\"Told{params} in {test}\": lose a->b@1\n")), "{kept}");
    // Another test has its own.
    let other = std::thread::Builder::new().name("kept::another_test".into());
    let other = other.spawn(|| failing(Told::new(3))).unwrap().join().unwrap();
    assert!(!other.contains(before), "{other}");
    let reports: Vec<PathBuf> = [&three, &four, &other].map(|said| PathBuf::from(after(said, "report: "))).to_vec();
    assert!(reports[0] != reports[1] && reports[0] != reports[2] && reports[1] != reports[2], "{reports:?}");
    assert!(reports.iter().all(|page| page.is_file()), "{reports:?}");
    // A line without a test is for all of them.
    std::fs::write(file, "Told: lose a->b@1\nWrong: lose a->b@1\nRepeats: lose a->b@1\n").unwrap();
    assert!(failing(Told::new(7)).contains(before));
    // What is wrong without faults says so first.
    let wrong = failing(Wrong::new());
    assert!(wrong.contains("Wrong: wrong even without faults"), "{wrong}");
    // What was tried again counts, though it broke nothing.
    let kept = ldfi::check(Repeats::new()).eot(4).eff(2).assert_fault_tolerant();
    assert_eq!(kept.statistics.executions, 1 + 2);
}

/// The run that a line binds, and the line.
macro_rules! pasted {
    ($run:ident; $($line:tt)*) => {{
        $($line)*
        ($run.faults().to_string(), stringify!($($line)*).split_whitespace().collect::<String>())
    }};
}

/// The line that a failing assertion prints, without spaces.
fn printed<P: Program>(check: ldfi::check::Check<P>) -> String {
    let check = check.eot(4).eff(2).strategy(Strategy::Exact);
    // Expecting a counterexample where there is none prints no line; expecting none does.
    let panic = catch_unwind(AssertUnwindSafe(|| check.assert_fault_tolerant())).unwrap_err();
    after(panic.downcast_ref::<String>().unwrap(), "replay: ").split_whitespace().collect()
}

#[test]
fn the_line_that_replays_a_run_compiles_where_it_is_pasted() {
    let _alone = Alone::new();
    let (faults, line) = pasted!(run; let run = Told::new(3).run(&"lose a->b@1".parse().unwrap(), eot(4)););
    assert_eq!((&faults[..], line), ("lose a->b@1", printed(ldfi::check(Told::new(3)))));
    let (_, line) = pasted!(run;
        let run = Told::new(5000000000_i64).again("a\"b").nodes(["a", "b"]).run(&"lose a->b@1".parse().unwrap(), eot(4));
    );
    let program = Told::new(5_000_000_000_i64).again("a\"b").nodes(["a", "b"]);
    assert_eq!(line, printed(ldfi::check(program)));
    // With facts from Rust.
    let (_, line) = pasted!(run;
        let mut program = Told::new(3);
        program.facts_at(2).say("a", "b", 4);
        program.maybe_at(3).node("c", "yes");
        let run = program.run(&"lose a->b@1".parse().unwrap(), eot(4));
    );
    let mut program = Told::new(3);
    program.facts_at(2).say("a", "b", 4);
    program.maybe_at(3).node("c", "yes");
    assert_eq!(line, printed(ldfi::check(program)));
}

#[test]
fn an_assertion_that_allows_no_fault_passes() {
    ldfi::check(Told::new(3)).eot(4).assert_fault_tolerant();
}

#[test]
fn and_says_so_though_tests_that_pass_are_quiet() {
    let tests = Command::new(std::env::current_exe().unwrap());
    let run = |mut tests: Command, threads: &str| {
        let args = ["--exact", "kept::an_assertion_that_allows_no_fault_passes", "--test-threads", threads];
        let output = tests.args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = run(tests, "2");
    assert!(
        said.contains("note: Told(3, \"no\") in kept::an_assertion_that_allows_no_fault_passes: no fault"),
        "{said}"
    );
    let said = run(Command::new(std::env::current_exe().unwrap()), "1");
    assert!(said.contains("note: Told(3, \"no\")"), "{said}");
}

#[test]
fn a_run_draws_itself_and_is_short_to_debug() {
    let run = Told::new(3).run(&faults![lose "a" -> "b" @ 1], eot(4));
    let drawn = run.to_string();
    assert!(drawn.contains("time  a") && drawn.contains("heard, lost to b"), "{drawn}");
    let shown = format!("{run:?}");
    assert!(shown.starts_with("Execution { eot: 4, faults: \"lose a->b@1\", tuples: "), "{shown}");
    assert!(shown.len() < 100, "{shown}");
    // What it is made of does too, whichever way it is run; also with facts and parameters from Rust.
    let mut program = Told::new(3);
    program.facts_at(2).say("a", "b", 4);
    for run in [program.execute(run.faults(), eot(4)), Program::explain(&&program, run.faults(), eot(4))] {
        let run = run.unwrap();
        assert_eq!(run.to_string(), program.run(&faults![lose "a" -> "b" @ 1], eot(4)).to_string());
        assert!(run.to_string().contains("   2  ●────────────▶│"), "{run}");
        assert!(format!("{run:?}").starts_with("Execution { eot: 4"));
    }
}

#[test]
fn a_run_can_be_asked_why() {
    let mut program = Told::new(3);
    program.facts_at(2).say("a", "b", 4);
    let run = program.run(&faults![lose "a" -> "b" @ 1], eot(4));
    let why_not = run.why_not("heard(b, 3)@4").unwrap().to_string();
    assert!(why_not.contains("LOST by lose a->b@1"), "{why_not}");
    assert_eq!(why_not, program.why_not("heard(b, 3)@4", run.faults(), eot(4)).unwrap().to_string());
    let why = run.why("heard(b, 4)").unwrap().to_string();
    assert!(why.contains("heard(b, 4)@4  held since @3"), "{why}");
    assert_eq!(run.why("heard(b, 3)").unwrap_err().to_string(), "heard(\"b\", 3)@4 does not hold; ask why-not");
    assert_eq!(run.why_not("heard(b, 4)").unwrap_err().to_string(), "heard(\"b\", 4)@4 holds; ask why");
}

#[test]
fn a_check_is_put_beside_variants_of_it_within_its_bounds() {
    let found = ldfi::check(Repeats::new()).eot(5).eff(3).crashes(1).compare([("once", Told::new(3))]);
    let found = found.with("once, otherwise", Told::new(4)).run().unwrap();
    let names: Vec<&str> = found.rows.iter().map(|row| &row.name[..]).collect();
    assert_eq!(names, ["Repeats", "once", "once, otherwise"]);
    assert!(found.to_string().starts_with("3 variants  ⟨EOT 5, EFF 3, crashes 1⟩"), "{found}");
    // What the check does not bound is looked at as far as it goes.
    let found = ldfi::check(Repeats::new()).eot(5).delay(1).compare([("once", Told::new(3))]).run().unwrap();
    assert!(found.to_string().starts_with("2 variants  ⟨EOT 5, EFF 4, crashes 2, delay 1⟩"), "{found}");
}

#[test]
fn a_protocol_is_challenged_from_rust() {
    let challenge = ldfi::check(Repeats::new()).eot(6).eff(4).challenge().unwrap().expect("it is fault-tolerant");
    let unneeded: Vec<&str> = challenge.unneeded().map(|part| &part.text[..]).collect();
    assert_eq!(unneeded, ["heard(B, A)@next :- heard(B, A);"], "{challenge}");
    let (file, line) = challenge.parts[2].at.clone().expect("it is written somewhere");
    assert!(file.ends_with("kept.rs"), "{file}");
    let source = include_str!("kept.rs").lines().nth(line as usize - 1).unwrap();
    assert_eq!(source.trim(), "heard(B, A)@next :- heard(B, A);");
    assert_eq!(ldfi::check(Told::new(3)).eot(4).eff(2).challenge().unwrap(), None);
}
