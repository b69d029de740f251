//! `ldfi compare`: variants side by side; parameters; whole programs that are read as one.

use serde_json::Value;

use super::{example, file, folder, run, schema};

const TELL: &str = r#"
    param times: int = 2;
    param who: str = "b";
    said("a", "hello", 1)@1; peer("a", "b")@1; peer("b", "a")@1;
    said(N, W, K + 1)@next :- said(N, W, K), K < times;
    heard(M, W)@async :- said(N, W, _), peer(N, M);
    heard(N, W)@next :- heard(N, W);
    peer(N, M)@next :- peer(N, M);
    told(W) :- said(_, W, _);
    told(W)@next :- told(W);
    pre(W) :- told(W);
    post(W) :- heard(who, W);
"#;

#[test]
fn files_are_put_side_by_side() {
    let files = ["simple_deliv", "retry_deliv", "redun_deliv"].map(example);
    let said = run(&["compare", &files[0], &files[1], &files[2], "--eot", "6", "--crashes", "1"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let lines: Vec<Vec<&str>> = said.out.lines().map(|line| line.split_whitespace().collect()).collect();
    for wanted in [
        "3 variants ⟨EOT 6, EFF 5, crashes 1⟩",
        "simple_deliv 2 2 9 log 2",
        "retry_deliv 10 2 10 log 10",
        "redun_deliv 26 2 10 log 26",
        "retry_deliv ≥5 ≥1 ≥5 ≥2 lose a->b@1; crash a@2",
        "redun_deliv ≥5 ≥1 ≥5 ≥2 nothing",
    ] {
        let wanted: Vec<&str> = wanted.split_whitespace().collect();
        assert!(lines.contains(&wanted), "{wanted:?} in\n{}", said.out);
    }
}

#[test]
fn the_object_is_what_the_schema_says() {
    let files = ["simple_deliv", "kafka"].map(example);
    let said =
        run(&["compare", &files[0], &files[1], "--eot", "6", "--eff", "4", "--crashes", "1", "--format", "json"]);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    schema::validate_comparison(&answer);
    assert_eq!(answer["complete"], true);
    assert_eq!(answer["variants"][0]["without_faults"]["by_kind"]["log"], 2);
    assert_eq!(answer["variants"][0]["alone"]["eff"]["next"]["faults"], "lose a->b@1");
    assert_eq!(answer["variants"][1]["whole"]["faults"], "lose b->zk@1; lose c->zk@1; crash a@4");
    assert_eq!(answer["variants"][0]["map"].as_array().unwrap().len(), 2);
    // And what is not known is in it too.
    let said = run(&["compare", &files[1], "--eot", "6", "--timeout", "0s", "--format", "json"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    schema::validate_comparison(&answer);
    assert_eq!(answer["complete"], false);
    assert_eq!(answer["variants"][0]["map"][0][0], "unknown");
}

#[test]
fn a_parameter_makes_a_variant_of_each_value() {
    let tell = file(&folder("compare_params"), "tell.ded", TELL);
    let said = run(&["compare", &tell, "--param", "times=1..3", "--eot", "6", "--crashes", "0", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    let variants = answer["variants"].as_array().unwrap();
    let names: Vec<&str> = variants.iter().map(|variant| variant["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tell times=1", "tell times=2", "tell times=3"]);
    let figure = |path: &str| variants.iter().map(|v| v.pointer(path).unwrap().as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(figure("/without_faults/messages"), [1, 2, 3]);
    assert_eq!(figure("/alone/eff/survived"), [1, 2, 3]);
    // Two parameters: every combination.
    let said = run(&["compare", &tell, "--param", "times=1,3", "--param", "who=a,b", "--eot", "4", "--format", "json"]);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    let last = &answer["variants"].as_array().unwrap()[3];
    assert_eq!(last["name"], "tell times=3 who=b");
    // A file that has no such parameter is a variant by itself.
    let simple = example("simple_deliv");
    let said = run(&["compare", &simple, &tell, "--param", "times=1..2", "--eot", "4", "--format", "json"]);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["variants"].as_array().unwrap().len(), 3);
}

#[test]
fn a_parameter_is_set_for_every_other_command() {
    let tell = file(&folder("check_params"), "tell.ded", TELL);
    assert_eq!(run(&["check", &tell, "--eot", "5", "--eff", "3"]).status, Some(1));
    let said = run(&["check", &tell, "--eot", "5", "--eff", "3", "--param", "times=3"]);
    assert_eq!(said.status, Some(0), "{}", said.out);
    let said = run(&["check", &tell, "--eot", "5", "--eff", "3", "--param", "times=1"]);
    assert!(said.out.contains("--param times=1"), "the commands that show it again:\n{}", said.out);
    let said = run(&["why", &tell, "heard(\"b\", \"hello\")@4", "--eot", "5", "--param", "times=1"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason() {
    let folder = folder("compare_wrong");
    let (tell, simple) = (file(&folder, "tell.ded", TELL), example("simple_deliv"));
    for (args, reason) in [
        (&["compare", &simple][..], "--eot"),
        (&["compare", "--eot", "4"], "FILE"),
        (&["compare", &simple, "--eot", "4", "--eff", "9"], "EFF is 9"),
        (&["compare", &simple, &simple, "--eot", "4"], "two variants are called"),
        (&["compare", &simple, "--eot", "4", "--gives", "1"], "simple_deliv: --gives cannot be used here"),
        (&["compare", &simple, "--eot", "4", "--format", "junit"], "passes or fails nothing"),
        (&["compare", &simple, "--eot", "4", "--param", "k=2..3"], "the program has no parameter `k`"),
        (&["compare", &tell, "--eot", "4", "--param", "tims=2..3"], "it has `times`, `who`"),
        (&["compare", &tell, "--eot", "4", "--param", "times=a,b"], "parameter `times` is `int`"),
        (&["compare", &tell, "--eot", "4", "--param", "times"], "write timeout=3"),
        (&["compare", &tell, "--eot", "4", "--param", "times=3..2"], "has no values"),
        (&["check", &tell, "--eot", "4", "--param", "times=2..3"], "ldfi compare"),
    ] {
        let said = run(args);
        assert_eq!(said.status, Some(2), "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(reason), "{args:?}: {}", said.err);
    }
}

#[test]
fn a_page_is_written_beside_the_answer() {
    let out = folder("compare_page");
    let (simple, out) = (example("simple_deliv"), out.to_str().unwrap());
    let said = run(&["compare", &simple, "--eot", "5", "--report", out]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let page = std::fs::read_to_string(format!("{out}/index.html")).unwrap();
    assert!(
        page.contains("<svg class=\"map\"") && page.contains("eff 2, 0 crashes: broken by lose a-&gt;b@1"),
        "{page}"
    );
    let json = std::fs::read_to_string(format!("{out}/comparison.json")).unwrap();
    schema::validate_comparison(&serde_json::from_str(&json).unwrap());
}

#[test]
fn whole_programs_that_are_read_as_one_are_warned_about() {
    let warned = |files: &[&str]| {
        let said = run(&[&["check"], files, &["--eot", "4"]].concat());
        said.err.contains("ldfi compare").then_some(said.err)
    };
    let (simple, classic) = (example("simple_deliv"), example("classic_deliv"));
    let said = warned(&[&simple, &classic]).expect("two whole programs");
    assert!(said.contains("a whole program each") && said.contains(&format!("{simple} {classic}")), "{said}");
    // That one includes the other.
    assert_eq!(warned(&[&simple, &example("retry_deliv")]), None);

    let folder = folder("wholes");
    let rules = "log(M, P)@async :- bcast(N, P), peer(N, M); log(N, P)@next :- log(N, P);";
    let facts = "bcast(\"a\", \"x\")@1; peer(\"a\", \"b\")@1; peer(\"b\", \"a\")@1;";
    let spec = "pre(P) :- bcast(_, P)@1; post(P) :- log(\"b\", P);";
    let protocol = file(&folder, "protocol.ded", format!("{rules}{facts}"));
    let spec = file(&folder, "spec.ded", spec);
    // Neither says anything without the other.
    assert_eq!(warned(&[&protocol, &spec]), None);
    // A file and one that it includes are one program.
    let all = file(&folder, "all.ded", "include \"protocol.ded\"; include \"spec.ded\";");
    let more = file(&folder, "more.ded", "include \"all.ded\"; bcast(\"b\", \"y\")@2;");
    assert_eq!(warned(&[&all, &more]), None);
    assert_eq!(warned(&[&all, &all]), None);
    // Two that include the same specification are two.
    let other = file(&folder, "other.ded", format!("include \"spec.ded\"; {rules}{facts}"));
    assert!(warned(&[&all, &other]).is_some());
    assert_eq!(warned(&[&all]), None);
}
