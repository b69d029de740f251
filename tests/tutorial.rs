//! What the tutorial and the README show as the tool's output is the tool's output.

use ldfi::prelude::*;

dedalus! {
    program Once {
        heard(Other, What)@async :- say(Node, What), peer(Node, Other);
        heard(Node, What)@next :- heard(Node, What);
        pre(What) :- say("a", What)@1;
        post(What) :- heard("b", What);
        say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
    }

    program Retry {
        said(Node, What) :- say(Node, What);
        said(Node, What)@next :- said(Node, What);
        peer(Node, Other)@next :- peer(Node, Other);
        heard(Other, What)@async :- said(Node, What), peer(Node, Other);
        heard(Node, What)@next :- heard(Node, What);
        pre(What) :- say("a", What)@1;
        post(What) :- heard("b", What);
        say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
    }

    program SimpleDeliv {
        log(Node, Pload) :- bcast(Node, Pload);
        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);
        log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);

        missing_log(A, P) :- log(X, P), node(X, A), notin log(A, P);
        pre(X, P) :- log(X, P), notin crash(_, X, _);
        post(X, P) :- log(X, P), notin missing_log(_, P);

        bcast("a", "data")@1;
        node("a", "b")@1;  node("a", "c")@1;
        node("b", "a")@1;  node("b", "c")@1;
        node("c", "a")@1;  node("c", "b")@1;
    }

    program Exempt {
        said(Node, What) :- say(Node, What);
        said(Node, What)@next :- said(Node, What);
        peer(Node, Other)@next :- peer(Node, Other);
        heard(Other, What)@async :- said(Node, What), peer(Node, Other);
        heard(Node, What)@next :- heard(Node, What);
        pre(What) :- say("a", What)@1, notin crash(_, "a", _);
        post(What) :- heard("b", What);
        say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
    }

    program Times(most: int) {
        said(Node, What, 1) :- say(Node, What);
        said(Node, What, K + 1)@next :- said(Node, What, K), K < most;
        peer(Node, Other)@next :- peer(Node, Other);
        heard(Other, What)@async :- said(Node, What, _), peer(Node, Other);
        heard(Node, What)@next :- heard(Node, What);
        pre(What) :- say("a", What)@1, notin crash(_, "a", _);
        post(What) :- heard("b", What);
        say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
    }
}

/// The blocks of output in the tutorial.
fn shown() -> Vec<String> {
    let text = include_str!("../src/tutorial.rs");
    let mut blocks = vec![];
    let mut block: Option<String> = None;
    for line in text.lines().filter_map(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut block, line) {
            (None, "```text") => block = Some(String::new()),
            (Some(text), "```") => {
                blocks.push(std::mem::take(text));
                block = None;
            }
            (Some(text), line) => *text += &format!("{line}\n"),
            (None, _) => {}
        }
    }
    blocks
}

/// What a check prints, without the time it took.
fn printed<P: Program + Send>(program: P, name: &str, [eot, eff, crashes]: [u32; 3]) -> String {
    let conclusion = ldfi::check(&program).eot(eot).eff(eff).crashes(crashes).run().unwrap();
    let report = ldfi::picture::report(&program, name, &conclusion, &[]).unwrap();
    without_time(&ldfi_report::text::overview(&report, &ldfi_report::text::TextOptions::default()))
}

/// Without the time it took, and without the file and the lines in it, which are this file's here.
fn without_time(text: &str) -> String {
    let line = |line: &str| match line {
        _ if line.contains(" solver call") => line.split(", ").take(2).collect::<Vec<_>>().join(", "),
        _ if line.starts_with("lines are those of ") => "lines are those of a file".to_owned(),
        _ => {
            let mut parts = line.split("line ");
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |all, part| all + "line " + part.trim_start_matches(char::is_numeric))
        }
    };
    text.trim_end().lines().map(|text| line(text.trim_end())).collect::<Vec<_>>().join("\n")
}

/// The run that the tutorial replays, and why something is missing from it.
fn replayed() -> String {
    let run = Once::new().run(&"lose a->b@1".parse().unwrap(), eot(3));
    without_time(&format!("{run}\n{}", run.why_not("heard(b, hello)@2").unwrap()))
}

/// What each way of saying it costs, and what it buys.
fn compared() -> String {
    let times = [("once", Times::new(1)), ("three times", Times::new(3))];
    let found = ldfi::check(Exempt::new()).name("always").eot(6).crashes(1).compare(times).run().unwrap();
    without_time(&found.to_string())
}

fn challenged() -> String {
    let challenge = ldfi::check(Exempt::new()).eot(6).eff(5).crashes(1).challenge().unwrap().unwrap();
    without_time(&challenge.to_string())
}

#[test]
fn the_tutorial_shows_what_the_tool_prints() {
    let printed = [
        printed(Once::new(), "Once", [3, 2, 0]),
        replayed(),
        printed(Retry::new(), "Retry", [6, 5, 0]),
        printed(Retry::new(), "Retry", [6, 5, 1]),
        printed(Exempt::new(), "Exempt", [6, 5, 1]),
        compared(),
        challenged(),
    ];
    let shown: Vec<String> = shown().iter().map(|block| without_time(block)).collect();
    assert_eq!(shown.len(), printed.len(), "{}", printed.join("\n\n--\n\n"));
    for (shown, printed) in shown.iter().zip(&printed) {
        assert_eq!(shown, printed, "shown:\n{shown}\n\nprinted:\n{printed}");
    }
}

#[test]
fn the_readme_shows_what_the_tool_prints() {
    let readme = include_str!("../README.md");
    let (_, shown) = readme.split_once("SimpleDeliv: not fault-tolerant\n\n").expect("the example is there");
    let (shown, _) = shown.split_once("\nreplay: ").expect("and ends");
    assert_eq!(without_time(shown), printed(SimpleDeliv::new(), "SimpleDeliv", [4, 2, 0]));
}

/// What follows the command in a text that shows it, up to the end of the block.
fn block_after(text: &str, command: &str) -> Option<String> {
    let (_, shown) = text.split_once(command)?;
    let (_, shown) = shown.split_once("```text\n")?;
    Some(shown.split_once("```")?.0.to_owned())
}

#[test]
fn the_example_and_the_readme_show_what_a_comparison_prints() {
    let command = "ldfi compare examples/failover.ded --param patience=2..8 --eot 10 --crashes 1";
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/failover.ded");
    let program = dedalus_runtime::Interpreted::from_files(&[file]).unwrap_or_else(|e| panic!("{e}"));
    let variant = |patience: i64| {
        let program = program.clone().param("patience", patience).unwrap();
        (format!("failover patience={patience}"), program)
    };
    let printed = ldfi::compare((2..=8).map(variant)).eot(10).crashes(1).run().unwrap().to_string();
    let example = include_str!("../examples/compare.rs").lines().map_while(|line| line.strip_prefix("//!"));
    let example: Vec<&str> = example.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let shown = block_after(&(example.join("\n") + "\n"), command).expect("the example shows it");
    assert_eq!(shown, printed);
    let three = |patience: i64| (format!("patience {patience}"), variant(patience).1);
    let printed = ldfi::compare([2, 4, 7].map(three)).eot(10).crashes(1).run().unwrap().to_string();
    let shown = block_after(include_str!("../README.md"), "ldfi::compare(").expect("the README shows it");
    assert_eq!(shown, printed, "{printed}");
}
