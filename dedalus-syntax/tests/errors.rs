//! What people read who made a mistake: every check, as a file, to the letter.
//!
//! The programs under `errors/` are compiled as macros too, by the `compile_fail` test of `ldfi`.
//! After a change of wording: `INSTA_UPDATE=always cargo test -p dedalus-syntax --test errors`, then read the diff.

use std::fs;
use std::path::{Path, PathBuf};

use dedalus_syntax::{Sources, compile_sources, compile_text};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Errors, or else warnings, as they are printed.
fn said(name: &str, text: &str) -> String {
    match compile_text(name, text) {
        Ok(plan) => plan.warnings.join("\n\n"),
        Err(rejected) => rejected.to_string(),
    }
}

fn snapshot_all(kind: &str, least: usize) {
    let mut files: Vec<PathBuf> = fs::read_dir(folder(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= least, "only {} programs in {kind}", files.len());
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let said = said(&format!("{name}.ded"), &text);
        assert!(said.contains(&format!("--> {name}.ded:")), "{name} is not told where: {said}");
        insta::with_settings!({ description => text, omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, said);
        });
    }
}

#[test]
fn every_mistake_is_explained_at_its_place() {
    snapshot_all("errors", 38);
}

#[test]
fn every_mistake_that_only_a_file_can_make_is_explained_at_its_place() {
    snapshot_all("files_only", 5);
}

// Files that cannot be read.

/// A folder of this test's own, with these files.
fn with_files(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(folder.join("folder")).unwrap();
    for (file, bytes) in files {
        fs::write(folder.join(file), bytes).unwrap();
    }
    folder
}

/// What is said about `main.ded`, with the folder's own name cut out.
fn said_of_files(folder: &Path) -> String {
    let shown = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    match compile_sources(Sources::from_files(&[folder.join("main.ded")]), vec![]) {
        Ok(plan) => format!("{}{}", plan.warnings.join("\n\n"), plan.ast),
        Err(rejected) => rejected.to_string(),
    }
    .replace(&shown, "")
}

#[test]
fn a_missing_include_says_where_it_was_looked_for() {
    let main: &[u8] = b"include \"folder/part.ded\";\np(\"a\")@1;\n";
    let part: &[u8] = b"include \"gone.ded\";\n";
    insta::assert_snapshot!(said_of_files(&with_files("missing", &[("main.ded", main), ("folder/part.ded", part)])));
}

#[test]
fn a_folder_cannot_be_included() {
    let main: &[u8] = b"p(\"a\")@1;\ninclude \"folder\";\n";
    insta::assert_snapshot!(said_of_files(&with_files("folder", &[("main.ded", main)])));
}

#[test]
fn binary_junk_is_not_text() {
    let main: &[u8] = b"include \"junk.ded\";\ninclude \"nul.ded\";\n";
    let files: [(&str, &[u8]); 3] =
        [("main.ded", main), ("junk.ded", &[0xff, 0xfe, 0, 1, 0x80]), ("nul.ded", &[0, 1, 2, b'p'])];
    insta::assert_snapshot!(said_of_files(&with_files("junk", &files)));
}

#[test]
fn a_file_that_is_not_there_is_told_by_its_name() {
    insta::assert_snapshot!(said_of_files(&with_files("nothing", &[])));
}

#[test]
fn errors_in_two_files_are_told_in_their_own_lines() {
    let main: &[u8] = b"include \"part.ded\";\np(X) :- q(X, 1);\n";
    let part: &[u8] = b"// one\nq(X) :- r(X);\nr(\"a\")@1;\nr(Y) :- q(X);\n";
    insta::assert_snapshot!(said_of_files(&with_files("two", &[("main.ded", main), ("part.ded", part)])));
}

#[test]
fn circles_of_includes_and_files_included_twice_count_once() {
    let main: &[u8] = b"include \"part.ded\";\ninclude \"part.ded\";\ninclude \"folder/../part.ded\";\np(X) :- q(X);\n";
    let part: &[u8] = b"include \"main.ded\";\ninclude \"part.ded\";\nq(\"a\")@1;\n";
    let program = said_of_files(&with_files("circle", &[("main.ded", main), ("part.ded", part)]));
    assert_eq!(program, "p(X) :- q(X);\nq(\"a\")@1;\n");
}

#[test]
fn what_is_stable_or_may_come_is_included_too() {
    let main: &[u8] = b"include \"part.ded\";\nstable q;\nq(X)@next :- q(X);\n";
    let part: &[u8] = b"stable p;\np(X)@next :- p(X);\nmaybe p(\"a\")@1..2;\nmaybe q(\"a\")@3;\n";
    let program = said_of_files(&with_files("stable", &[("main.ded", main), ("part.ded", part)]));
    let wanted = "stable q, p;\nq(X)@next :- q(X);\np(X)@next :- p(X);\nmaybe p(\"a\")@1..2;\nmaybe q(\"a\")@3;\n";
    assert_eq!(program, wanted);
}

#[test]
fn a_text_without_a_file_cannot_include_files() {
    insta::assert_snapshot!(said("text.ded", "include \"part.ded\";"));
}
