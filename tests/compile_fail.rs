//! Every mistake is a compile error on the user's own tokens, never inside generated code.
//!
//! After a change of wording: `TRYBUILD=overwrite cargo test --test compile_fail`, then read the diff.

use std::fs;
use std::path::Path;

#[test]
fn every_mistake_is_an_error_on_the_tokens_that_made_it() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

/// The same text without its space.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn files_and_macros_make_the_same_mistakes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(root.join("dedalus-syntax/tests/errors")).unwrap();
    let mut compared = 0;
    for path in files.map(|entry| entry.unwrap().path()) {
        let twin = root.join("tests/compile_fail").join(path.with_extension("rs").file_name().unwrap());
        let code = fs::read_to_string(&twin).unwrap_or_else(|e| panic!("{}: {e}", twin.display()));
        let (_, body) = code.split_once("program Program {").expect("the program of the file");
        assert!(packed(body).starts_with(&packed(&fs::read_to_string(&path).unwrap())), "{} differs", twin.display());
        compared += 1;
    }
    assert!(compared >= 38, "{compared}");
}

#[test]
fn no_mistake_in_a_program_is_told_from_inside_generated_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in fs::read_dir(root.join("dedalus-syntax/tests/errors")).unwrap().map(|entry| entry.unwrap().path()) {
        let answer = root.join("tests/compile_fail").join(path.with_extension("stderr").file_name().unwrap());
        let text = fs::read_to_string(&answer).unwrap_or_else(|e| panic!("{}: {e}", answer.display()));
        for inside in ["in this macro invocation", "originates in the macro", "error[", "__rt"] {
            assert!(!text.contains(inside), "{} speaks of `{inside}`:\n{text}", answer.display());
        }
    }
}
