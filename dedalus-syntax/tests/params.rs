//! Parameters that a file declares.

use dedalus_syntax::ast::{Constant, Name, Param, Type};
use dedalus_syntax::plan::Plan;
use dedalus_syntax::{Sources, Span, compile_sources, compile_text};

fn compile(text: &str) -> Plan {
    compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn rejected(text: &str) -> String {
    compile_text("t.ded", text).expect_err("should be refused").to_string()
}

#[test]
fn a_parameter_stands_for_its_value_before_and_after_its_declaration() {
    let plan = compile(
        "late(X) :- t(X, K), K > wait; param wait: int = 3; t(X, wait) :- n(X, who); n(\"a\", who)@1; param who: str = \"b\";",
    );
    let params: Vec<_> = plan.ast.params.iter().map(|p| (p.name.text.as_str(), p.ty, p.default.clone())).collect();
    let who = Some(Constant::Str("b".into()));
    assert_eq!(params, [("wait", Type::Int, Some(Constant::Int(3))), ("who", Type::Str, who)]);
}

#[test]
fn a_program_with_parameters_reads_back_as_it_was_printed() {
    let plan = compile("param wait: int = -3; param who: str; p(X) :- q(X, K), K > wait; q(who, 1)@1;");
    let printed = plan.ast.to_string();
    assert!(printed.starts_with("param wait: int = -3;\nparam who: str;\n"), "{printed}");
    let again = compile(&printed);
    assert_eq!(again.ast.to_string(), printed);
    assert_eq!(again.fingerprint(), plan.fingerprint());
}

#[test]
fn a_parameter_that_is_given_takes_the_place_of_one_that_is_declared() {
    let given = |ty, default| {
        let name = Name { text: "k".into(), span: Span::default() };
        let sources = Sources::from_text("t.ded", "param k: int = 3; p(X, k) :- q(X); q(\"a\")@1;");
        compile_sources(sources, vec![Param { name, ty, default: Some(default), declared: false }])
    };
    let plan = given(Type::Int, Constant::Int(7)).unwrap_or_else(|rejected| panic!("{rejected}"));
    assert_eq!(plan.ast.params.len(), 1);
    assert_eq!(plan.ast.params[0].default, Some(Constant::Int(7)));
    let error = given(Type::Str, Constant::Str("x".into())).expect_err("of another type").to_string();
    assert!(error.contains("parameter `k` is `int` here, and given as `str`"), "{error}");
}

#[test]
fn a_relation_may_still_be_called_param() {
    let plan = compile("param(X) :- q(X); q(\"a\")@1; param(\"b\")@1;");
    assert!(plan.ast.params.is_empty() && plan.relation("param").is_some());
}

#[test]
fn what_is_wrong_with_a_parameter_is_said_at_its_place() {
    let rest = "p(X) :- q(X); q(\"a\")@1;";
    for (text, said) in [
        ("param k = 3;", "expected `:` and a type"),
        ("param k: bool = 3;", "expected a type, `str` or `int`"),
        ("param k: int = x;", "the value of a parameter is a constant"),
        ("param k: int = 1 + 2;", "expected `=` or `;`"),
        ("param k: int = \"x\";", "parameter `k` is `int`, its default \"x\" is not"),
        ("param k: int = 1; param k: int = 2;", "parameter `k` is declared twice"),
        ("param _: int = 1;", "a parameter needs a name"),
        ("param k: int = 99999999999999999999;", "does not fit in a 64-bit integer"),
    ] {
        let error = rejected(&format!("{rest}\n{text}"));
        assert!(error.contains(said) && error.contains("t.ded:2"), "{text}:\n{error}");
    }
}
