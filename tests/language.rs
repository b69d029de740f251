//! `docs/language.md` says what is so: its programs are run, and every mistake of the front end is explained there.

use std::collections::HashMap;
use std::path::Path;

use dedalus_runtime::{Interpreted, Program};
use ldfi::prelude::*;
use ldfi_core::{Options, Search, Verdict};
use ldfi_model::{Bounds, FailureSpec};

const TEXT: &str = include_str!("../docs/language.md");

/// The programs of the page, or what it says is in a file.
fn blocks(fence: &str) -> Vec<String> {
    let mut blocks = vec![];
    let mut block: Option<String> = None;
    for line in TEXT.lines() {
        match (&mut block, line) {
            (None, line) if line == fence => block = Some(String::new()),
            (Some(_), "```") => blocks.extend(block.take()),
            (Some(text), line) => *text += &format!("{line}\n"),
            (None, _) => {}
        }
    }
    blocks
}

/// `p("a")@2`: whether it holds.
fn holds(program: &Interpreted, faults: &Faults, tuple: &str) -> bool {
    let (shown, time) = tuple.rsplit_once('@').unwrap_or_else(|| panic!("`{tuple}` has no time"));
    let (relation, _) = shown.split_once('(').unwrap();
    let time: u32 = time.parse().unwrap();
    let run = program.execute(faults, eot(6)).unwrap_or_else(|e| panic!("{e}"));
    assert!(program.plan().relation(relation).is_some(), "there is no `{relation}`");
    let shows = |values: Vec<_>| ldfi_model::Tuple::new(relation, values).to_string() == shown;
    run.tuples(relation, time).into_iter().any(shows)
}

/// `eot=4 eff=2: counterexample lose a->b@1`: what a check says of it.
fn check(program: &Interpreted, asked: &str) -> String {
    let mut bounds = Bounds::default();
    let mut program = program.clone();
    for (name, value) in asked.split(' ').map(|word| word.split_once('=').unwrap()) {
        let number = || value.parse::<u32>().unwrap();
        match name {
            "eot" => bounds.eot = number(),
            "eff" => bounds.eff = number(),
            "crashes" => bounds.crashes = number(),
            "gives" => bounds.gives = Some(number()),
            "promise" => program = program.promising(Some(value)).unwrap(),
            other => panic!("`{other}` is no bound that is used here"),
        }
    }
    let found = Search::new(&program, FailureSpec::try_from(bounds).unwrap(), Options::default()).run().unwrap();
    match &found.verdict {
        Verdict::Counterexample(cex) => format!("counterexample {}", cex.faults),
        verdict => verdict.name().to_owned(),
    }
}

#[test]
fn every_program_of_the_language_reference_does_what_it_says() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("language");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("timer.ded"), &blocks("```file timer.ded")[0]).unwrap();
    let (mut expectations, blocks) = (0, blocks("```ded"));
    for text in &blocks {
        let file = folder.join("language.ded");
        std::fs::write(&file, text).unwrap();
        let program = Interpreted::from_files(&[&file]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let warnings: Vec<&String> = program.plan().warnings.iter().filter(|w| !w.contains("joins nothing")).collect();
        assert!(warnings.is_empty(), "{warnings:?}");
        let mut faults = Faults::none();
        for line in text.lines() {
            if let Some(under) = line.strip_prefix("// under ") {
                faults = under.parse().unwrap_or_else(|e| panic!("{e}: {line}"));
            } else if let Some(tuple) = line.strip_prefix("// => no ") {
                assert!(!holds(&program, &faults, tuple), "{line} in\n{text}");
                expectations += 1;
            } else if let Some(tuple) = line.strip_prefix("// => ") {
                assert!(holds(&program, &faults, tuple), "{line} in\n{text}");
                expectations += 1;
            } else if let Some(asked) = line.strip_prefix("// check ") {
                let (asked, wanted) = asked.split_once(": ").unwrap();
                assert_eq!(check(&program, asked), wanted, "{line} in\n{text}");
                expectations += 1;
            }
        }
    }
    assert!(blocks.len() >= 15 && expectations >= 40, "{} programs, {expectations} expectations", blocks.len());
}

#[test]
fn every_mistake_is_explained_in_the_words_that_are_told() {
    let row = |line: &'static str| {
        let mut cells = line.strip_prefix("| `")?.splitn(2, "` | ");
        let (name, rest) = (cells.next()?, cells.next()?);
        let (message, meaning) = rest.rsplit_once(" | ")?;
        Some((name, (message, meaning.trim_end_matches(" |"))))
    };
    let explained: HashMap<&str, (&str, &str)> = TEXT.lines().filter_map(row).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = |folder: &str, ending: &str| -> Vec<_> {
        let files = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|of| of == ending)).collect()
    };
    let of_files = [programs("dedalus-syntax/tests/errors", "ded"), programs("dedalus-syntax/tests/files_only", "ded")];
    let mut told: HashMap<String, String> = HashMap::new();
    for path in of_files.into_iter().flatten().chain(programs("tests/compile_fail", "stderr")) {
        let (name, text) = (path.file_stem().unwrap().to_str().unwrap(), std::fs::read_to_string(&path).unwrap());
        if path.extension().is_some_and(|of| of == "stderr") {
            // What the compiler says; the same mistake in a file comes first.
            told.entry(name.to_owned()).or_insert(text);
            continue;
        }
        let said = match Interpreted::from_text(name, &text) {
            Ok(program) => program.plan().warnings.join("\n"),
            Err(rejected) => rejected.to_string(),
        };
        told.insert(name.to_owned(), said);
    }
    for (name, said) in &told {
        let (message, meaning) = explained.get(&name[..]).unwrap_or_else(|| panic!("`{name}` is not explained"));
        assert!(said.contains(message), "{name}: `{message}` is not in\n{said}");
        assert!(meaning.len() > 10, "{name} is hardly explained: {meaning}");
    }
    assert_eq!(told.len(), explained.len(), "a mistake is explained that nobody can make any more");
}

#[test]
fn the_page_is_found_from_everywhere() {
    for args in [&["--help"][..], &["check", "--help"]] {
        let help = std::process::Command::new(env!("CARGO_BIN_EXE_ldfi")).args(args).output().unwrap();
        assert!(String::from_utf8(help.stdout).unwrap().contains("docs/language.md"), "{args:?}");
    }
    assert!(include_str!("../src/lib.rs").contains("[`language`]"));
    assert!(include_str!("../src/tutorial.rs").contains("crate::language"));
    assert!(include_str!("../src/cli/new/lib.rs.txt").contains("ldfi::language"));
    assert!(include_str!("../README.md").contains("docs/language.md"));
}
