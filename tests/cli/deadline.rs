//! A deadline and Ctrl-C are kept in every phase, and the verdict is told all the same.
//!
//! What is given here takes minutes if nothing asks the clock. A second is asked for; when it ends by the clock on the
//! wall is a matter of what else the machine does, so what counts is the work that is done: the processor's time.

use std::fmt::Write as _;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::unwritten::relays;
use super::{file, folder, ldfi};

/// It hangs, even where much else is going on.
const FAR_TOO_LATE: Duration = Duration::from_secs(60);

/// Seconds of work that may be done when the time is up: to hear of it, to tell what is known, to leave.
const AFTER: f64 = 2.0;

/// Seconds of work that a process has done so far, on all its threads; nothing where nobody tells. `true` once it has ended.
fn work_of(id: u32) -> Option<(f64, bool)> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the process, in parentheses, may contain anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    // In hundredths, whatever the kernel counts in.
    let [user, system] = [11, 12].map(|at| fields.get(at).and_then(|ticks| ticks.parse::<u32>().ok()));
    Some((f64::from(user? + system?) / 100.0, fields.first() == Some(&"Z")))
}

/// So many nodes, each of which tells all others.
fn mesh(nodes: usize) -> String {
    let mut text = "heard(B, A)@async :- peer(A, B); heard(B, A)@next :- heard(B, A); peer(A, B)@next :- peer(A, B);\n\
                    pre(B, A) :- heard(B, A); post(B, A) :- heard(B, A);\n"
        .to_owned();
    for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))).filter(|(a, b)| a != b) {
        let _ = writeln!(text, "peer(\"n{from}\", \"n{to}\")@1;");
    }
    text
}

/// So many nodes that have nothing to do with each other.
fn crowd(nodes: usize) -> String {
    let rules = "p(N)@next :- p(N); pre(N) :- p(N); post(N) :- p(N);\n".to_owned();
    rules + &(0..nodes).map(|n| format!("p(\"n{n}\")@1;\n")).collect::<String>()
}

/// A product that adds nothing.
fn product(rows: usize) -> String {
    let rules = "bad(N) :- q(N, X), q(N, Y), q(N, Z), X + Y + Z < 0; pre(N) :- n(N); post(N) :- n(N), notin bad(N);\n\
                 n(\"a\")@1;\n";
    rules.to_owned() + &(0..rows).map(|i| format!("q(\"a\", {i})@1;\n")).collect::<String>()
}

/// Numbers that arrive or not, summed up: every sum is another.
fn sum(values: usize) -> String {
    let mut text = "got(C, V)@async :- sends(F, C, V); got(C, V)@next :- got(C, V); total(C, sum<V>) :- got(C, V);\n\
                    pre(C) :- got(C, _); post(C) :- total(C, T), T != 1000; node(\"c\")@1;\n"
        .to_owned();
    for i in 0..values {
        let _ = writeln!(text, "sends(\"n{i}\", \"c\", {})@1;", 1u64 << i);
    }
    text
}

/// A promise kept by many tuples, each with a lineage of its own.
fn many(tuples: usize) -> String {
    let rules = "p(N, I)@next :- p(N, I); pre(N, I) :- p(N, I); post(N, I) :- p(N, I);\n".to_owned();
    rules + &(0..tuples).map(|i| format!("p(\"a\", {i})@1;\n")).collect::<String>()
}

/// A promise that one lost message breaks many times over, in a run that is large to draw and to write.
fn lossy(tuples: usize) -> String {
    let rules = "p(N, I)@next :- p(N, I); got(B, I)@async :- say(A, B, I); got(B, I)@next :- got(B, I);\n\
                 pre(I) :- p(_, I); post(I) :- p(_, I), got(\"b\", I); node(\"b\")@1;\n";
    let facts = |i: usize| format!("p(\"a\", {i})@1; say(\"a\", \"b\", {i})@1;\n");
    rules.to_owned() + &(0..tuples).map(facts).collect::<String>()
}

/// A count that every sender matters to.
fn count(senders: usize) -> String {
    let rules = format!(
        "got(C, F)@async :- sends(F, C); got(C, F)@next :- got(C, F); total(C, count<F>) :- got(C, F);\n\
         want(C)@next :- want(C); pre(C) :- want(C); post(C) :- total(C, {senders}); want(\"c\")@1;\n"
    );
    rules + &(0..senders).map(|i| format!("sends(\"n{i}\", \"c\")@1;\n")).collect::<String>()
}

/// So many nodes that tell each other what they were told until each has heard that.
fn told(nodes: usize) -> String {
    let rules = "log(N)@next :- log(N); node(N, M)@next :- node(N, M); log(M)@async :- log(N), node(N, M), notin heard(N, M);\n\
                 heard(M, N)@async :- log(N), node(N, M); heard(N, M)@next :- heard(N, M);\n\
                 lost(N) :- log(N), crash(_, N, _); pre(N) :- log(M), notin lost(M), node(M, N); post(N) :- log(N);\n";
    let pairs = (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b)));
    let facts = pairs.filter(|(a, b)| a != b).map(|(a, b)| format!("node(\"n{a}\", \"n{b}\")@1;\n"));
    rules.to_owned() + "log(\"n0\")@1;\n" + &facts.collect::<String>()
}

/// A body that is long.
fn long(literals: usize) -> String {
    let body: Vec<String> = (0..literals).map(|i| format!("q(X{i}, X{}), X{i} != \"x{i}\"", i + 1)).collect();
    format!(
        "p(X0) :- {}; q(X, Y)@next :- q(X, Y); pre(X) :- p(X); post(X) :- q(X, _); q(\"a\", \"a\")@1;",
        body.join(", ")
    )
}

/// So many promises.
fn promises(count: usize) -> String {
    let promise =
        |i| format!("pre.a{i}(X) :- q(X, _); post.a{i}(X) :- q(X, Y), notin z{i}(X); z{i}(X) :- q(X, Y), q(Y, X);\n");
    "q(X, Y)@next :- q(X, Y); q(\"a\", \"b\")@1;\n".to_owned() + &(0..count).map(promise).collect::<String>()
}

/// So many nodes in a ring.
fn ring(nodes: usize) -> String {
    let rules = "x(N)@next :- x(N); y(M)@async :- x(N), l(N, M); y(N)@next :- y(N); l(N, M)@next :- l(N, M);\n\
                 pre(N) :- x(N), notin crash(_, N, _); post(N) :- y(N);\n";
    let facts = |i: usize| format!("x(\"n{i}\")@1; l(\"n{i}\", \"n{}\")@1;\n", (i + 1) % nodes);
    rules.to_owned() + &(0..nodes).map(facts).collect::<String>()
}

/// Phase, program, arguments.
fn table(folder: &std::path::Path) -> Vec<(&'static str, String, Vec<String>)> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let place = |name: &str| folder.join(name).display().to_string();
    let export = |kind: &str| [words("--eot 8 --eff 5 --export"), vec![kind.to_owned(), place(kind)]].concat();
    let into = |option: &str| [words("--eot 8 --eff 5 --crashes 1"), vec![option.to_owned(), place("there")]].concat();
    vec![
        ("the failure-free run", product(3_000), words("--eot 3")),
        ("the potential run", mesh(60), words("--eot 40 --eff 38 --crashes 2")),
        ("the sums of the potential run", sum(30), words("--eot 3 --eff 2")),
        ("the search by lineage", mesh(24), words("--eot 9 --eff 8 --crashes 2 --strategy lineage")),
        ("lineage of a crowd", crowd(5_001), words("--eot 6 --eff 5 --crashes 2 --strategy lineage")),
        ("every fault set", mesh(8), words("--eot 6 --eff 5 --crashes 2 --strategy exhaustive")),
        ("every crash of a crowd", crowd(1_200), words("--eot 6 --eff 1 --crashes 2 --strategy exhaustive")),
        ("random fault sets", mesh(8), words("--eot 6 --eff 5 --strategy random")),
        ("random fault sets of a crowd", crowd(300), words("--eot 6 --eff 5 --strategy random")),
        ("clauses of a crowd", told(70), words("--eot 20 --eff 19 --crashes 3 --strategy lineage")),
        ("a sweep", mesh(12), words("--crashes 1")),
        ("every counterexample", relays(18), words("--eot 4 --eff 3 --all --limit 10000000")),
        ("a long body", long(20_000), words("--eot 3 --eff 2")),
        ("each of many promises", promises(2_000), words("--eot 3")),
        ("an explanation", count(3_000), words("--eot 3 --eff 2")),
        ("a report", lossy(3_000), into("--report")),
        ("a proof", mesh(24), into("--proof")),
        ("a challenge", mesh(16), words("--eot 9 --eff 7 --crashes 1 --challenge")),
        ("lineages", many(3_000), export("dot")),
        ("provenance", lossy(3_000), export("molly")),
        ("a drawing", lossy(3_000), export("svg")),
    ]
}

#[test]
fn the_deadline_is_kept_in_every_phase_and_the_verdict_is_told() {
    let folder = folder("deadline");
    for (phase, program, mut args) in table(&folder) {
        let program = file(&folder, "slow.ded", program);
        args.extend(["--timeout".into(), "1".into(), "--memory".into(), "1GB".into()]);
        let args: Vec<&str> = ["check", &program].into_iter().chain(args.iter().map(String::as_str)).collect();
        ends(phase, ldfi(&args), |_| {});
    }
}

#[test]
fn a_proof_for_any_number_of_nodes_hears_of_the_deadline_and_of_ctrl_c() {
    let program = file(&folder("proof"), "slow.ded", ring(1_200));
    ends("a proof by the deadline", ldfi(&["prove", &program, "--timeout", "1"]), |_| {});
    ends("a proof by Ctrl-C", ldfi(&["prove", &program]), |id| {
        std::thread::sleep(Duration::from_secs(1));
        let _ = Command::new("kill").args(["-INT", &id.to_string()]).stderr(Stdio::null()).status();
    });
}

#[test]
fn ctrl_c_is_heard_in_every_phase_and_the_verdict_is_told() {
    let folder = folder("interrupted");
    for (phase, program, args) in table(&folder) {
        let program = file(&folder, "slow.ded", program);
        let args: Vec<&str> = ["check", &program].into_iter().chain(args.iter().map(String::as_str)).collect();
        ends(phase, ldfi(&args), |id| {
            std::thread::sleep(Duration::from_secs(1));
            // Whoever has ended already does not mind.
            let _ = Command::new("kill").args(["-INT", &id.to_string()]).stderr(Stdio::null()).status();
        });
    }
}

#[test]
fn ctrl_c_is_heard_while_the_explorer_opens() {
    let folder = folder("opening");
    let program = file(&folder, "slow.ded", told(70));
    let mut explore = ldfi(&["explore", &program, "--eot", "40"]);
    let mut child = explore.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    let before = work_of(child.id()).map_or(0.0, |(work, _)| work);
    let began = Instant::now();
    let mut ended = None;
    while ended.is_none() && began.elapsed() < FAR_TOO_LATE {
        if let Some((after, false)) = work_of(child.id()) {
            assert!(after - before <= AFTER, "it goes on working after Ctrl-C");
        }
        std::thread::sleep(Duration::from_millis(5));
        ended = child.try_wait().unwrap_or_default();
    }
    let _ = child.kill();
    let _ = child.wait();
    // Before anybody listens to Ctrl-C it ends the process as it always does.
    assert!(ended.is_some_and(|status| status.code().is_none_or(|code| code == 0)), "it did not end: {ended:?}");
}

/// Whether a command ends in time, with a verdict.
fn ends(phase: &str, mut command: Command, meanwhile: impl FnOnce(u32)) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let err = std::thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).map(|_| text)
    });
    let began = Instant::now();
    meanwhile(child.id());
    let mut work = None;
    let status = loop {
        // Asked before it is known to have ended: then nobody can tell any more.
        work = work_of(child.id()).or(work);
        let running = work.is_some_and(|(_, ended)| !ended);
        match if running { None } else { child.try_wait().unwrap() } {
            Some(status) => break status,
            None if began.elapsed() > FAR_TOO_LATE => {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{phase}: it did not end");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let (out, err) = (out.join().unwrap().unwrap(), err.join().unwrap().unwrap());
    if let Some((work, _)) = work {
        let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
        assert!(work <= cores + AFTER, "{phase}: {work} s of work, where one second was asked for: {out}{err}");
    }
    assert!(cfg!(not(target_os = "linux")) || work.is_some(), "{phase}: nobody tells how much it worked");
    assert!(!out.contains("the memory budget was spent"), "{phase}: it was refused, not ended: {out}");
    assert!(status.code().is_some_and(|code| [0, 1, 3, 4].contains(&code)), "{phase}: {status} {err}");
    let told =
        ["inconclusive", "fault-tolerant", "counterexample", "proved"].iter().any(|verdict| out.contains(verdict));
    // Where not even the program could be read, or the question put, there is no verdict to tell.
    let told =
        told || ["while the program was read", "before the question was put"].iter().any(|why| err.contains(why));
    assert!(told, "{phase}: {out}{err}");
}
