//! The explorer from Rust: for a program with its facts and parameters, and where an assertion fails.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ldfi::prelude::*;

use super::play::Player;

dedalus! {
    /// A word is said once to every peer.
    program Greets(word: str) {
        input peer(str, str);
        heard(Other, What)@async :- say(Node, What), peer(Node, Other);
        heard(Node, What)@next :- heard(Node, What);
        peer(Node, Other)@next :- peer(Node, Other);
        lacks(Other, What) :- say(Node, What)@1, peer(Node, Other), notin heard(Other, What);
        pre(What) :- say(_, What)@1;
        post(What) :- say(_, What)@1, notin lacks(_, What);
        say("ann", word)@1;
    }
}

fn greets() -> Greets {
    let mut program = Greets::new("good morning");
    for (one, other) in [("ann", "bob"), ("ann", "eve"), ("bob", "ann"), ("eve", "ann")] {
        program.facts_at(1).peer(one, other);
    }
    program
}

#[test]
#[ignore = "serves until it is ended: run by other tests"]
fn explores_by_itself() {
    ldfi::explore(greets()).unwrap();
}

#[test]
#[ignore = "serves until it is ended: run by other tests"]
fn explores_within_bounds() {
    ldfi::check(greets()).eot(5).eff(2).explore().unwrap();
}

#[test]
#[ignore = "fails: run by other tests"]
fn fails_to_greet() {
    ldfi::check(greets()).eot(5).eff(2).assert_fault_tolerant();
}

/// One of the tests above, in a process of its own.
fn begin(test: &str, knobs: &[(&str, &str)]) -> Child {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args(["--ignored", "--exact", &format!("explored::{test}")]).env_remove("BROWSER");
    tests.envs(knobs.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    tests.spawn().unwrap()
}

/// What is said up to the address, and who plays there.
fn player(child: &mut Child) -> (String, Player) {
    let mut said = String::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        said += &(line.unwrap() + "\n");
        if let Some(at) = said.find("http://") {
            let player = Player::at(&said[at..]);
            return (said, player);
        }
    }
    let output = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    panic!("no address in\n{said}{output}");
}

/// The status and what was printed, once the page ends it.
fn end(mut child: Child, player: &Player) -> (Option<i32>, String) {
    assert_eq!(player.post("end", "{}").0, 200);
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    (child.wait().unwrap().code(), printed)
}

#[test]
fn a_program_is_explored_with_its_facts_and_parameters() {
    let mut child = begin("explores_by_itself", &[]);
    let (said, player) = player(&mut child);
    assert!(said.starts_with("explore Greets: http://127.0.0.1:"), "{said}");
    // The promise holds at 2, and there are three steps more.
    let page = player.page();
    assert!(page.contains(r#""nodes":["ann","bob","eve"]"#) && page.contains("good morning"), "{page}");
    assert!(page.contains(r#""eot":5,"eff":4,"crashes":1"#), "{page}");
    assert!(page.contains("checking/explored.rs"), "the program's own text is shown");
    let (status, run) = player.post("run", r#"{"faults":"lose ann->eve@1"}"#);
    assert!(status == 200 && run.contains(r#""status":"failure""#), "{run}");
    assert!(player.post("adversary", r#"{"faults":""}"#).1.contains("lose ann->bob@1"));
    assert_eq!(end(child, &player).0, Some(0));
}

#[test]
fn the_bounds_of_a_check_and_of_knobs_are_those_of_the_game() {
    for (test, knobs, bounds) in [
        ("explores_within_bounds", &[][..], r#""eot":5,"eff":2,"crashes":0"#),
        ("explores_within_bounds", &[("LDFI_EOT", "7"), ("LDFI_CRASHES", "2")], r#""eot":7,"eff":2,"crashes":2"#),
        ("explores_by_itself", &[("LDFI_EOT", "7")], r#""eot":7,"eff":6,"crashes":1"#),
    ] {
        let mut child = begin(test, knobs);
        let (_, player) = player(&mut child);
        assert!(player.page().contains(bounds), "{bounds}");
        assert_eq!(end(child, &player).0, Some(0));
    }
}

#[test]
fn a_failing_assertion_opens_the_explorer_on_what_fails_it_and_then_fails() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checking/explored.ldfi-regressions");
    let _ = std::fs::remove_file(&kept);
    let mut child = begin("fails_to_greet", &[("LDFI_EXPLORE", "1")]);
    let (said, player) = player(&mut child);
    let what = r#"Greets("good morning") in explored::fails_to_greet: not fault-tolerant: lose ann->bob@1"#;
    assert!(said.starts_with(&format!("{what}\nexplore it: http://")), "{said}");
    let page = player.page();
    let data = page.split_once(r#"id="ldfi-data">"#).and_then(|(_, rest)| rest.split_once("</script>")).unwrap().0;
    let report: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(report["verdict"], "counterexample");
    assert_eq!(report["runs"][1]["faults"]["each"], serde_json::json!(["lose ann->bob@1"]));
    assert!(report["runs"][1]["explanation"].is_object());
    let (_, run) = player.post("run", r#"{"faults":""}"#);
    assert!(run.contains(r#""status":"success""#), "the fault can be taken back: {run}");
    let (status, printed) = end(child, &player);
    assert_eq!(status, Some(101));
    assert!(printed.contains("Greets: not fault-tolerant") && printed.contains("replay: "), "{printed}");
    // Neither yes nor no is not ignored.
    let output = begin("fails_to_greet", &[("LDFI_EXPLORE", "maybe")]).wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("LDFI_EXPLORE is `maybe`: write 1 or 0"), "{printed}");
    std::fs::remove_file(&kept).unwrap();
}

#[cfg(unix)]
#[test]
fn the_browser_is_asked_for_the_page() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("ldfi-browser-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (browser, asked) = (folder.join("browser"), folder.join("asked"));
    std::fs::write(&browser, format!("#!/bin/sh\nprintf %s \"$1\" > {0}.part && mv {0}.part {0}\n", asked.display()))
        .unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut child = begin("explores_within_bounds", &[("BROWSER", browser.to_str().unwrap())]);
    let (_, player) = player(&mut child);
    let began = std::time::Instant::now();
    while !asked.exists() && began.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let address = std::fs::read_to_string(&asked).unwrap();
    assert_eq!(address, format!("http://{}/{}/", player.host, player.token));
    assert_eq!(end(child, &player).0, Some(0));
    std::fs::remove_dir_all(&folder).unwrap();
}
