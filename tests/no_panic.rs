//! No text makes the front end panic or hang: it answers with a plan or with errors.

mod generate;

use dedalus_syntax::compile_text;
use generate::{mutated_program, token_soup};
use proptest::prelude::*;

fn answers(text: &str) -> Result<(), TestCaseError> {
    match compile_text("soup.ded", text) {
        Ok(plan) => {
            // What is printed must be readable again, and mean the same.
            let printed = plan.ast.to_string();
            let again = compile_text("soup.ded", &printed);
            let again = again.map_err(|e| TestCaseError::fail(format!("{printed}\nis refused:\n{e}")))?;
            prop_assert_eq!(printed, again.ast.to_string());
            prop_assert!(!plan.to_string().is_empty() || plan.relations.is_empty());
        }
        Err(rejected) => prop_assert!(!rejected.to_string().is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_is_answered(text in token_soup()) {
        answers(&text)?;
    }

    #[test]
    fn mutated_programs_are_answered(text in mutated_program()) {
        answers(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "minutes"]
    fn much_token_soup_is_answered(text in token_soup()) {
        answers(&text)?;
    }

    #[test]
    #[ignore = "minutes"]
    fn many_mutated_programs_are_answered(text in mutated_program()) {
        answers(&text)?;
    }

    #[test]
    #[ignore = "minutes"]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        answers(&text)?;
    }
}

#[test]
fn the_deepest_expression_is_answered() {
    // As deep as the parser lets through, and one deeper: chains of operators in nested parentheses.
    for (nested, long) in [(60, 60), (64, 64), (65, 65), (5000, 2), (2, 5000)] {
        let chain = format!("{}{}", " * 1".repeat(long), " + 1".repeat(long));
        let text = format!("p({}X{}) :- q(X);", "(".repeat(nested), format!("{chain})").repeat(nested));
        let answer = compile_text("deep.ded", &text);
        assert!(answer.is_ok() || answer.is_err());
    }
}

#[test]
fn a_large_program_is_answered() {
    let rule = |i: usize| format!("p{}(X) :- p{i}(X), notin q{i}(X);\nq{i}(X)@next :- p{i}(X);\n", i + 1);
    let text: String = (0..200).map(rule).collect();
    let facts: String = (0..10_000).map(|i| format!("p0({i})@1;\n")).collect();
    assert!(compile_text("large.ded", &(text + &facts)).is_ok());
}
