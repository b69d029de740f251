//! The parts of a protocol that no promise depends on: those without which trying everything finds nothing either.

use dedalus_runtime::model::{FailureSpec, Time, VerdictKind};
use dedalus_runtime::syntax::rewrite::{of_protocol, omissions};
use dedalus_runtime::{Fact, Interpreted, Program, Promising, Value};
use ldfi_core::challenge::{Challenge, Without, challenge};
use ldfi_core::{Options, Search, Strategy};

const BROADCAST: &str = r#"node(N, M)@next :- node(N, M);
log(N, P)@next :- log(N, P);
log(N, P) :- bcast(N, P);
log(M, P)@async :- log(N, P), node(N, M);
idle(N)@next :- node(N, _), notin bored(N);
bored("x")@1;
missing(M, P) :- log(N, P), node(N, M), notin log(M, P);
pre(P) :- log(N, P), notin crash(_, N, _);
post(P) :- log(_, P), notin missing(_, P);
node("a", "b")@1; node("b", "a")@1; node("b", "c")@1; node("c", "b")@1;
bcast("a", "hello")@1;
"#;

fn program(text: &str) -> Interpreted {
    Interpreted::from_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn challenged(program: &Interpreted, spec: [u32; 3], options: &Options) -> Challenge {
    let [eot, eff, crashes] = spec;
    let (_, challenge) = challenge(program, FailureSpec::new(eot, eff, crashes).unwrap(), options).unwrap();
    challenge.expect("it is fault-tolerant")
}

#[test]
fn what_no_promise_depends_on_is_named_by_its_line() {
    let found = challenged(&program(BROADCAST), [8, 4, 0], &Options::default());
    let unneeded: Vec<String> = found.unneeded().map(ToString::to_string).collect();
    assert_eq!(
        unneeded,
        [
            "line 5: idle(N)@next :- node(N, _), notin bored(N);",
            "line 5: `notin bored(N)` in idle(N)@next :- node(N, _), notin bored(N);",
        ],
        "{found}"
    );
    let blind: Vec<&str> = found.parts.iter().filter(|p| p.without == Without::Blind).map(|p| &p.text[..]).collect();
    assert_eq!(blind, ["node(N, M)@next :- node(N, M);"], "{found}");
    let broken = found.parts.iter().filter(|part| matches!(part.without, Without::Broken(_)));
    assert_eq!(broken.map(|part| part.at.as_ref().unwrap().1).collect::<Vec<_>>(), [2, 3, 4]);
    let told = found.to_string();
    assert!(told.contains("without each of these it is still fault-tolerant:\n  line 5: "), "{told}");
}

#[test]
fn where_one_promise_counts_the_others_need_nothing() {
    let text = BROADCAST.replace("pre(P)", "pre.heard(P)").replace("post(P)", "post.heard(P)")
        + "pre.kept(N) :- bored(N)@1; post.kept(N) :- bored(N)@1, idle(\"a\");";
    let program = program(&text);
    let kept = Promising::new(&program, Some("kept")).unwrap();
    let heard = Promising::new(&program, Some("heard")).unwrap();
    let unneeded = |program: &dyn Program| {
        let (_, found) = challenge(program, FailureSpec::new(8, 4, 0).unwrap(), &Options::default()).unwrap();
        let found = found.expect("it is fault-tolerant");
        found.unneeded().map(|part| part.at.as_ref().unwrap().1).collect::<Vec<_>>()
    };
    assert_eq!(unneeded(&heard), [5, 5]);
    assert_eq!(unneeded(&kept), [2, 3, 4, 5]);
}

#[test]
fn only_what_is_fault_tolerant_can_be_challenged() {
    let spec = FailureSpec::new(3, 3, 0).unwrap();
    let (conclusion, challenge) = challenge(&program(BROADCAST), spec, &Options::default()).unwrap();
    assert_eq!(conclusion.verdict.kind(), VerdictKind::Counterexample);
    assert_eq!(challenge, None);
}

/// Of each example that is fault-tolerant at some small specification.
#[test]
fn a_challenge_says_what_trying_everything_says() {
    let (mut parts, mut unneeded) = (0, 0);
    let few = Options { strategy: Strategy::Exhaustive, ..Options::default() };
    for path in crate::mutate::protocols() {
        let original = Interpreted::from_files(&[&path]).unwrap_or_else(|rejected| panic!("{rejected}"));
        let ast = &original.plan().ast;
        // The smallest ones: everything is to be tried for each part.
        if ast.rules.len() > 12 {
            continue;
        }
        let spec = FailureSpec::new(4, 2, 0).unwrap();
        let (_, Some(found)) = challenge(&original, spec, &Options::default()).unwrap() else { continue };
        let ours = of_protocol(ast);
        let edits: Vec<_> = omissions(ast).into_iter().filter(|edit| ours[edit.rule().unwrap()]).collect();
        assert_eq!(edits.len(), found.parts.len());
        for (edit, part) in edits.into_iter().zip(&found.parts) {
            let Ok(mutant) = Interpreted::from_text("mutant.ded", &edit.apply(ast).to_string()) else {
                assert_eq!(part.without, Without::Meaningless);
                continue;
            };
            let nodes = Search::new(&original, spec, Options::default()).run().unwrap().nodes;
            let verdict = Search::new(&mutant.nodes(nodes), spec, few.clone()).run().unwrap().verdict;
            let tolerant = matches!(part.without, Without::Tolerant | Without::Blind);
            assert_eq!(tolerant, verdict.kind() == VerdictKind::FaultTolerant, "{}: {part}", path.display());
            parts += 1;
            unneeded += usize::from(tolerant);
        }
    }
    println!("{unneeded} of {parts}");
    assert!(parts >= 15 && unneeded >= 3 && unneeded < parts, "{unneeded} of {parts}");
}

#[test]
fn threads_change_nothing_and_a_spent_budget_is_said() {
    let program = program(BROADCAST);
    let one = challenged(&program, [6, 4, 0], &Options { threads: 1, ..Options::default() });
    let many = challenged(&program, [6, 4, 0], &Options { threads: 3, ..Options::default() });
    assert_eq!(one, many);
    let raised = Options::default();
    let (conclusion, _) = challenge(&program, FailureSpec::new(6, 4, 0).unwrap(), &raised).unwrap();
    let spent = Options { budget: raised.budget.at_most(std::time::Duration::ZERO), ..Options::default() };
    let late = ldfi_core::challenge::of_tolerant(&program, &conclusion, &spent);
    assert_eq!(late.open().count(), late.parts.len());
    assert!(late.to_string().contains("nobody knows of"), "{late}");
}

#[test]
fn facts_from_outside_go_along_though_relations_get_other_numbers() {
    let text = "junk(N)@next :- junk(N); input told(str, str); heard(N, W)@next :- heard(N, W);
        heard(N, W) :- told(N, W); heard(M, W)@async :- heard(N, W), link(N, M); link(N, M)@next :- link(N, M);
        pre(W) :- heard(\"a\", W); post(W) :- heard(\"b\", W);
        junk(\"a\")@1; link(\"a\", \"b\")@1; link(\"b\", \"a\")@1;";
    let mut program = program(text);
    let relation = program.plan().relation("told").unwrap();
    let values = vec![Value::Str("a".into()), Value::Str("hello".into())];
    program.input.facts.push(Fact { relation, time: Time(1), values, maybe: false });
    let found = challenged(&program, [6, 3, 0], &Options::default());
    let unneeded: Vec<&str> = found.unneeded().map(|part| &part.text[..]).collect();
    assert_eq!(unneeded, ["junk(N)@next :- junk(N);"], "{found}");
}
