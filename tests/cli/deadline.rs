//! A deadline and Ctrl-C are kept in every phase, and the verdict is told all the same.
//!
//! What is given here takes minutes if nothing asks the clock. A second is asked for; when it ends by the clock on the
//! wall is a matter of what else the machine does, so what counts is the work that a thread does when the time is up: the
//! processor's time.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::unwritten::relays;
use super::{file, folder, ldfi};

/// It hangs, even where much else is going on.
const FAR_TOO_LATE: Duration = Duration::from_secs(60);

/// What is asked for.
const ASKED: Duration = Duration::from_secs(1);

/// Seconds of work that each thread may do when the time is up: to hear of it, to tell what is known, to leave. It is half a
/// second where the command is optimised; here it is not.
const AFTER: f64 = 1.0;

/// How long it takes a process to begin, and its time with it.
const BEGINNING: Duration = Duration::from_millis(250);

/// What the threads of a process do when its time is up.
struct Watch {
    id: u32,
    /// When the time is up.
    up: Instant,
    /// Seconds of work of each thread until then, once it is.
    until: Option<HashMap<String, f64>>,
    /// The same until now, of those that have ended as well.
    so_far: HashMap<String, f64>,
}

impl Watch {
    fn new(id: u32, up: Instant) -> Self {
        Watch { id, up, until: None, so_far: HashMap::new() }
    }

    fn look(&mut self) {
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.id)).into_iter().flatten().flatten() {
            let told = std::fs::read_to_string(thread.path().join("schedstat"));
            let nanoseconds = told.ok().and_then(|told| told.split(' ').next()?.parse::<u64>().ok());
            if let Some(nanoseconds) = nanoseconds {
                let name = thread.file_name().to_string_lossy().into_owned();
                self.so_far.insert(name, Duration::from_nanos(nanoseconds).as_secs_f64());
            }
        }
        if self.until.is_none() && Instant::now() >= self.up {
            self.until = Some(self.so_far.clone());
        }
    }

    /// Seconds of work of whichever thread did most of it after the time was up.
    fn late(&self) -> f64 {
        let Some(until) = &self.until else { return 0.0 };
        let late = |(thread, work): (&String, &f64)| work - until.get(thread).unwrap_or(&0.0);
        self.so_far.iter().map(late).fold(0.0, f64::max)
    }

    /// How the process ended, if it did.
    fn follow(&mut self, child: &mut Child) -> Option<ExitStatus> {
        let began = Instant::now();
        loop {
            // Before it is known to have ended: then nobody can tell any more.
            self.look();
            if let Some(status) = child.try_wait().unwrap() {
                return Some(status);
            }
            if began.elapsed() > FAR_TOO_LATE {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Presses Ctrl-C after a while. Whoever has ended already does not mind.
fn interrupt(id: u32) {
    std::thread::sleep(ASKED);
    let _ = Command::new("kill").args(["-INT", &id.to_string()]).stderr(Stdio::null()).status();
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

/// A chain of so many rules, the last one first.
fn reversed(rules: usize) -> String {
    let chain: String = (1..=rules).rev().map(|i| format!("p{i}(X) :- p{}(X);\n", i - 1)).collect();
    format!(
        "{chain}p0(X)@async :- s(Y, X); s(X, Y)@next :- s(X, Y); s(\"a\", \"b\")@1; s(\"b\", \"a\")@1;
         w(X)@next :- w(X); w(\"a\")@1; pre(X) :- w(X); post(X) :- w(X), p{rules}(X);"
    )
}

/// A circle of so many rules.
fn circle(rules: usize) -> String {
    let rule = |i: usize| format!("p{i}(M) :- p{}(M);\n", (i + rules - 1) % rules);
    "w(X)@next :- w(X); w(\"a\")@1; w(\"b\")@1; s(M, N)@async :- w(N), w(M); s(M, N)@next :- s(M, N);\n".to_owned()
        + &(0..rules).rev().map(rule).collect::<String>()
        + "p0(M) :- s(M, _); pre(X) :- w(X); post(X) :- p3(X);"
}

/// A promise that losses break, in runs that each take a while.
fn slow_run(rows: usize) -> String {
    let rules = "n(N)@next :- n(N); pre(N) :- n(N); post(M) :- n(M), notin bad(M); g(M)@async :- n(N), n(M), M != N;
                 q(X)@next :- q(X); bad(M) :- n(M), notin g(M), w(M); w(M)@next :- w(M); w(M)@next :- n(M);
                 c(X) :- q(X), q(Y), q(Z), X + Y + Z < 0; n(\"a\")@1; n(\"b\")@1; n(\"c\")@1; n(\"d\")@1;\n";
    rules.to_owned() + &(0..rows).map(|i| format!("q({i})@1; ")).collect::<String>()
}

/// A promise that half of so many losses break.
fn half(senders: usize) -> String {
    let rules = format!(
        "say(N, M)@next :- say(N, M); heard(M, N)@async :- say(N, M); first(M, N) :- heard(M, N)@2, due(M);
         hearing(M, count<N>) :- first(M, N); kept(M) :- hearing(M, K), K > {}; kept(M)@next :- kept(M);
         due(M)@next :- due(M); pre(M) :- due(M); post(M) :- kept(M); due(\"m\")@1; say(\"m\", \"m\")@1;\n",
        senders / 2
    );
    rules + &(0..senders).map(|i| format!("say(\"n{i:03}\", \"m\")@1; ")).collect::<String>()
}

/// All ways through a mesh of so many nodes, within a step: a large formula.
fn closure(nodes: usize) -> String {
    let rules = "r(X, Y) :- e(X, Y); r(X, Z) :- r(X, Y), r(Y, Z); e(B, A)@async :- l(A, B); e(X, Y)@next :- e(X, Y);
                 pre(X) :- r(X, _); post(X) :- r(X, X);\n";
    let pairs = (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))).filter(|(a, b)| a != b);
    rules.to_owned() + &pairs.map(|(a, b)| format!("l(\"n{a}\", \"n{b}\")@1;\n")).collect::<String>()
}

/// Every row that does not end in time, and why.
fn late(folder: &std::path::Path, asked: Duration, table: Vec<(&'static str, String, Vec<String>)>) -> Vec<String> {
    let ends = |(phase, program, mut args): (_, String, Vec<String>)| {
        let program = file(folder, "slow.ded", program);
        args.extend(["--timeout".into(), format!("{}ms", asked.as_millis()), "--memory".into(), "1GB".into()]);
        let args: Vec<&str> = ["check", &program].into_iter().chain(args.iter().map(String::as_str)).collect();
        ends(phase, ldfi(&args), asked, |_| {}).err()
    };
    table.into_iter().filter_map(ends).collect()
}

#[test]
fn the_deadline_is_kept_in_every_phase_and_the_verdict_is_told() {
    let folder = folder("deadline");
    let late = late(&folder, ASKED, table(&folder));
    assert!(late.is_empty(), "{late:#?}");
}

#[test]
fn whatever_takes_long_keeps_the_deadline() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let table = vec![
        ("a chain of rules in reverse", reversed(10_000), words("--eot 3 --eff 2")),
        ("a circle of rules", circle(10_000), words("--eot 3 --eff 2")),
        ("making minimal what is found in slow runs", slow_run(170), words("--eot 6 --eff 5 --strategy random")),
        ("very many faults", half(300), words("--eot 5 --eff 4 --strategy random")),
        ("a large formula", closure(14), words("--eot 5 --eff 4 --crashes 1")),
    ];
    // Long enough to come to it, on a busy machine too.
    let late = late(&folder("long"), 3 * ASKED, table);
    assert!(late.is_empty(), "{late:#?}");
}

#[test]
fn a_proof_for_any_number_of_nodes_hears_of_the_deadline_and_of_ctrl_c() {
    let program = file(&folder("proof"), "slow.ded", ring(1_200));
    ends("a proof by the deadline", ldfi(&["prove", &program, "--timeout", "1"]), ASKED, |_| {}).unwrap();
    ends("a proof by Ctrl-C", ldfi(&["prove", &program]), ASKED, interrupt).unwrap();
}

#[test]
fn ctrl_c_is_heard_in_every_phase_and_the_verdict_is_told() {
    let folder = folder("interrupted");
    let ends = |(phase, program, args): (_, String, Vec<String>)| {
        let program = file(&folder, "slow.ded", program);
        let args: Vec<&str> = ["check", &program].into_iter().chain(args.iter().map(String::as_str)).collect();
        ends(phase, ldfi(&args), ASKED, interrupt).err()
    };
    let late: Vec<String> = table(&folder).into_iter().filter_map(ends).collect();
    assert!(late.is_empty(), "{late:#?}");
}

#[test]
fn ctrl_c_is_heard_while_the_explorer_opens() {
    let folder = folder("opening");
    let program = file(&folder, "slow.ded", told(70));
    let mut explore = ldfi(&["explore", &program, "--eot", "40"]);
    let mut child = explore.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    interrupt(child.id());
    let mut watch = Watch::new(child.id(), Instant::now() + BEGINNING);
    let ended = watch.follow(&mut child);
    assert!(watch.late() <= AFTER, "{} s of work after Ctrl-C", watch.late());
    // Before anybody listens to Ctrl-C it ends the process as it always does.
    assert!(ended.is_some_and(|status| status.code().is_none_or(|code| code == 0)), "it did not end: {ended:?}");
}

/// Whether a command ends in time, with a verdict; or why not.
fn ends(phase: &str, mut command: Command, asked: Duration, meanwhile: impl FnOnce(u32)) -> Result<(), String> {
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
    let mut watch = Watch::new(child.id(), Instant::now().max(began + asked) + BEGINNING);
    let status = watch.follow(&mut child);
    let (out, err) = (out.join().unwrap().unwrap(), err.join().unwrap().unwrap());
    let why =
        |why: String| Err(format!("{phase}: {why}: {}", (out.clone() + &err).chars().take(500).collect::<String>()));
    let Some(status) = status else { return why("it did not end".into()) };
    if watch.late() > AFTER {
        return why(format!("a thread worked {:.2} s after the time was up", watch.late()));
    }
    if cfg!(target_os = "linux") && watch.so_far.is_empty() {
        return why("nobody tells how much it worked".into());
    }
    if out.contains("the memory budget was spent") {
        return why("it was refused, not ended".into());
    }
    if !status.code().is_some_and(|code| [0, 1, 3, 4].contains(&code)) {
        return why(status.to_string());
    }
    let told =
        ["inconclusive", "fault-tolerant", "counterexample", "proved"].iter().any(|verdict| out.contains(verdict));
    // Where not even the program could be read, or the question put, there is no verdict to tell.
    let told =
        told || ["while the program was read", "before the question was put"].iter().any(|why| err.contains(why));
    if told { Ok(()) } else { why("it tells no verdict".into()) }
}
