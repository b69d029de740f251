//! `explore`: the server, and Ctrl-C.

use std::io::{BufRead, BufReader, Read};
use std::ops::Deref;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::play::Player;
use super::{example, ldfi};

/// A server that is gone when dropped.
pub(super) struct Server {
    pub(super) child: Child,
    player: Player,
}

impl Server {
    pub(super) fn new() -> Self {
        Server::on(&[&example("simple_deliv"), "--eot", "4", "--eff", "2"])
    }

    fn on(args: &[&str]) -> Self {
        Self::of(&mut ldfi(&[&["explore"], args].concat()))
    }

    fn of(explore: &mut Command) -> Self {
        let mut child = explore.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Server { child, player: Player::at(&line) }
    }
}

impl Deref for Server {
    type Target = Player;

    fn deref(&self) -> &Player {
        &self.player
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_game_can_be_played() {
    let server = Server::new();
    assert!(server.host.starts_with("127.0.0.1:"));
    assert!(server.page().contains("LDFI_EXPLORE"));
    let (status, run) = server.post("run", r#"{"faults":"lose a->b@1"}"#);
    assert_eq!(status, 200, "{run}");
    assert!(run.contains(r#""status":"failure""#), "{run}");
    let (_, run) = server.post("run", r#"{"faults":"crash c@2"}"#);
    assert!(run.contains(r#""status":"success""#), "{run}");
    let (status, reply) = server.post("adversary", r#"{"faults":""}"#);
    assert_eq!(status, 200, "{reply}");
    assert!(reply.contains(r#""text":"lose a->b@1""#), "{reply}");
}

#[test]
fn nobody_else_can_play() {
    let server = Server::new();
    let (host, token) = (server.host.clone(), server.token.clone());
    assert_eq!(server.ask("GET", "/", &host, "", "").0, 404);
    assert_eq!(server.ask("GET", &format!("/{token}/"), "example.com", "", "").0, 403);
    assert_eq!(server.ask("POST", &format!("/{token}/api/run"), &host, "wrong", "{}").0, 403);
    assert_eq!(server.ask("GET", &format!("/{token}/api/run"), &host, &token, "").0, 405);
    for bad in ["junk", r#"{"faults":"lose a->zz@1"}"#, r#"{"faults":5}"#, "{}"] {
        let (status, reply) = server.post("run", bad);
        assert_eq!(status, 400, "{reply}");
        assert!(reply.contains("\"error\""), "{reply}");
    }
}

#[test]
fn moves_that_cannot_be_are_refused_with_the_reason() {
    let server = Server::new();
    for (faults, reason) in [
        ("lose a->b@0", "from 1"),
        ("lose a->a@1", "itself"),
        ("lose a->b@2", "later than EFF"),
        ("lose a->b", "no time"),
        ("crash a@0", "from 1"),
        ("crash a@5", "the run ends at 4"),
        ("crash a@1; crash a@2", "crashed already"),
        ("crash a@1; crash b@2", "`crashes` allows 1"),
        ("crash zz@1", "zz"),
        ("pause a@1 until 2", "`pauses` allows 0"),
    ] {
        for question in ["run", "adversary"] {
            let (status, reply) = server.post(question, &format!(r#"{{"faults":"{faults}"}}"#));
            assert_eq!(status, 400, "{faults}: {reply}");
            assert!(reply.contains(reason), "{faults}: {reply}");
        }
    }
    assert_eq!(server.post("run", r#"{"faults":"lose a->b@1; crash c@4"}"#).0, 200);
}

/// A program that every kind of fault can strike.
const STORM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ldfi-report/tests/browser/storm.ded");

#[test]
fn every_kind_of_fault_can_be_played_within_its_bound_and_not_beyond() {
    let bounds = "--eot 6 --eff 4 --crashes 1 --restarts 1 --losses 1 --delay 2 --delays 1 --duplicates 1 --partitions 1 \
                  --pauses 1 --gives 1";
    let server = Server::on(&[&[STORM], &bounds.split_whitespace().collect::<Vec<_>>()[..]].concat());
    let play = |faults: &str| server.post("run", &serde_json::json!({ "faults": faults }).to_string());
    for (one, more, bound) in [
        ("lose a->b@1", "lose a->c@1", "losses"),
        ("delay a->b@1 by 2", "delay a->c@1 by 1", "delays"),
        ("duplicate a->b@1 by 1", "duplicate a->c@1 by 2", "duplicates"),
        ("partition a|b,c@1 until 2", "partition a,b|c@2 until 3", "partitions"),
        ("crash b@2", "crash c@2", "crashes"),
        ("pause b@2 until 4", "pause c@1 until 2", "pauses"),
        ("give bcast(\"c\", \"more\")@2", "give bcast(\"c\", \"more\")@3", "gives"),
    ] {
        let (status, run) = play(one);
        assert_eq!(status, 200, "{one}: {run}");
        let run: serde_json::Value = serde_json::from_str(&run).unwrap();
        assert_eq!(run["faults"]["each"], serde_json::json!([one]));
        let (status, reply) = play(&format!("{one}; {more}"));
        assert_eq!(status, 400, "{one}; {more}: {reply}");
        assert!(reply.contains(&format!("`{bound}` allows 1")), "{reply}");
    }
    let (status, run) = play("crash b@2; restart b@4");
    assert_eq!(status, 200, "{run}");
    assert!(
        run.contains(r#"{"node":"b","standing":"down","from":2,"until":4,"fault":"crash b@2; restart b@4"}"#),
        "{run}"
    );
    let (status, reply) = play("delay a->b@1 by 3");
    assert!(status == 400 && reply.contains("later than `delay` allows"), "{reply}");
    let (status, reply) = play("lose a->b@1 log(\"b\", \"data\")");
    assert!(status == 400 && reply.contains("`per_message`"), "{reply}");
    let page = server.page();
    let inputs = r#""inputs":[{"fault":"give bcast(\"c\", \"more\")@2","node":"c","time":2},{"fault":"give bcast(\"c\", \"more\")@3","#;
    assert!(page.contains(inputs), "the page knows what may come");
}

#[cfg(unix)]
#[test]
fn more_faults_than_make_sense_are_refused_with_the_reason_and_ctrl_c_is_heard_meanwhile() {
    let mut server = Server::on(&[&example("simple_deliv"), "--eot", "12000", "--eff", "11999"]);
    let ways = ["a->b", "a->c", "b->a", "b->c", "c->a", "c->b"];
    let faults = |steps: u32| {
        let all = (1..=steps).flat_map(|time| ways.iter().map(move |way| format!("lose {way}@{time}")));
        serde_json::json!({ "faults": all.collect::<Vec<_>>().join("; ") }).to_string()
    };
    let (status, reply) = server.post("run", &faults(9_000));
    assert!(status == 400 && reply.contains("54000 faults are too many for a move: 10000 at most"), "{reply}");
    let (host, token, body) = (server.host.clone(), server.token.clone(), faults(1_600));
    let asking = std::thread::spawn(move || super::attack::ask(&host, &token, &body));
    std::thread::sleep(Duration::from_millis(500));
    interrupt(&server.child);
    assert_eq!(status_within(&mut server.child, Duration::from_secs(10)), Some(0));
    asking.join().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_that_cannot_be_written_is_told_on_standard_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut explore = ldfi(&["explore", &example("simple_deliv"), "--eot", "4"]);
    let mut child = explore.stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.by_ref().map(Result::unwrap).take_while(|line| !line.contains("open it in a browser"));
    let address = address.filter(|line| line.starts_with("http://")).last();
    let server = Server { child, player: Player::at(&address.unwrap_or("http://127.0.0.1:1/nowhere".into())) };
    assert_ne!(server.token, "nowhere", "nobody was told where it is");
    assert_eq!(server.post("end", "{}").0, 200);
    let mut server = server;
    assert_eq!(status_within(&mut server.child, Duration::from_secs(10)), Some(4));
}

#[cfg(unix)]
#[test]
fn where_files_are_few_whoever_waits_longest_gives_way() {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 40 && exec \"$0\" explore \"$1\" --eot 4 --eff 2"]);
    let server = Server::of(limited.args([env!("CARGO_BIN_EXE_ldfi"), &example("simple_deliv")]));
    let idle: Vec<_> = (0..140).map(|_| std::net::TcpStream::connect(&server.host).unwrap()).collect();
    let began = Instant::now();
    assert!(server.page().contains("LDFI_EXPLORE"));
    // Sooner than any of the others has waited for too long.
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    drop(idle);
}

#[cfg(unix)]
pub(super) fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

pub(super) fn status_within(child: &mut Child, time: Duration) -> Option<i32> {
    let began = Instant::now();
    while began.elapsed() < time {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

#[test]
fn the_page_ends_the_server_and_has_its_answer_first() {
    let mut server = Server::new();
    let (host, token) = (server.host.clone(), server.token.clone());
    assert_eq!(server.ask("POST", &format!("/{token}/api/end"), &host, "wrong", "{}").0, 403);
    assert_eq!(server.ask("GET", &format!("/{token}/api/end"), &host, &token, "").0, 405);
    assert_eq!(server.post("end", "{}"), (200, r#"{"ended":true}"#.to_owned()));
    assert_eq!(status_within(&mut server.child, Duration::from_secs(10)), Some(0));
}

#[cfg(unix)]
#[test]
fn a_guest_that_dawdles_does_not_keep_the_server() {
    let mut server = Server::new();
    let guest = std::net::TcpStream::connect(&server.host).unwrap();
    assert_eq!(server.post("end", "{}").0, 200);
    assert_eq!(status_within(&mut server.child, Duration::from_secs(5)), Some(0));
    drop(guest);
}

#[cfg(unix)]
#[test]
fn the_server_stops_when_asked() {
    let mut server = Server::new();
    interrupt(&server.child);
    assert_eq!(status_within(&mut server.child, Duration::from_secs(10)), Some(0));
}

#[cfg(unix)]
#[test]
fn a_search_that_is_interrupted_ends_with_what_is_known_and_status_3() {
    let args = ["check", &example("flux"), "--eot", "40", "--eff", "39", "--crashes", "2", "--strategy", "exhaustive"];
    let mut child = ldfi(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    interrupt(&child);
    let status = status_within(&mut child, Duration::from_secs(30));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(status, Some(3), "{out}");
    assert!(out.contains("inconclusive") && out.contains("interrupted"), "{out}");
}

#[cfg(unix)]
#[test]
fn a_sweep_that_is_interrupted_tells_how_far_it_came_and_is_status_3() {
    let mut child = ldfi(&["sweep", &example("ack_deliv"), "--crashes", "1"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    interrupt(&child);
    let status = status_within(&mut child, Duration::from_secs(30));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(status, Some(3), "{out}");
    assert!(out.contains("fault-tolerant") && out.contains("interrupted"), "{out}");
}
