//! `ldfi explore`: the report as a game, served to this machine only.

use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dedalus_runtime::faults::Faults;
use dedalus_runtime::interpret::Interpreted;
use ldfi::picture::Picture;
use ldfi_core::options::Options;
use ldfi_core::search::Search;
use ldfi_core::spec::FailureSpec;
use ldfi_core::verdict::Verdict;
use ldfi_report::html::{AdversaryReply, ErrorReply, ExploreHook, explorer_page};
use ldfi_report::model;
use serde::Serialize;
use tiny_http::{Header, Method, Request, Response, Server};

use super::args::ExploreArgs;
use super::progress::interrupt;
use super::terminal::Terminal;
use super::{Failure, Outcome, Status, load};

/// A fault set is never longer than this.
const LONGEST_BODY: u64 = 1 << 20;
/// The adversary thinks no longer than this.
const THINKING: Duration = Duration::from_secs(20);

/// Serves until Ctrl-C.
pub(super) fn explore(args: &ExploreArgs, terminal: &Terminal) -> Outcome {
    let (program, name) = load::load(&args.program, terminal)?;
    let eot = args.eot.unwrap_or_else(|| load::first_eot(&program) + 3);
    let spec = FailureSpec::new(eot, args.eff.unwrap_or(eot.saturating_sub(1)), args.crashes)?;
    let game = Game::new(&program, &name, spec)?;
    let failed = |error| Failure(format!("cannot serve on port {}: {error}", args.port));
    let server = Server::http(("127.0.0.1", args.port)).map_err(failed)?;
    let port = server.server_addr().to_ip().map_or(args.port, |address| address.port());
    // Whoever knows the address may end it, so Ctrl-C is heard first.
    let stop = interrupt();
    terminal.say(&format!("http://127.0.0.1:{port}/{}/\n", game.token));
    terminal.note("open it in a browser; Ctrl-C ends");
    while !stop.load(Ordering::Relaxed) {
        match server.recv_timeout(Duration::from_millis(100)) {
            Ok(Some(request)) => game.answer(request),
            Ok(None) => {}
            Err(error) => return Err(Failure(format!("cannot serve any more: {error}"))),
        }
    }
    terminal.note("ended");
    Ok(Status::Good)
}

struct Game<'p> {
    program: &'p Interpreted,
    spec: FailureSpec,
    picture: Picture<'p, Interpreted>,
    page: String,
    token: String,
}

/// A status and a body of JSON.
type Reply = Result<String, (u16, String)>;

impl<'p> Game<'p> {
    fn new(program: &'p Interpreted, name: &str, spec: FailureSpec) -> Result<Self, Failure> {
        let picture = Picture::new(program, name, spec.eot())?;
        let mut report = picture.report().clone();
        report.fspec.eff = spec.eff();
        report.fspec.crashes = spec.crashes();
        if report.runs[0].status == model::Status::Failure {
            report.verdict = model::Verdict::IncorrectWithoutFaults;
        }
        report.note = Some("your move: lose messages, crash nodes, or ask the adversary".into());
        let token = token();
        let page = explorer_page(&report, &ExploreHook { base: String::new(), token: token.clone() });
        Ok(Game { program, spec, picture, page, token })
    }

    fn answer(&self, mut request: Request) {
        let (status, kind, body) = match self.route(&mut request) {
            Ok(None) => (200, "text/html; charset=utf-8", self.page.clone()),
            Ok(Some(json)) => (200, "application/json", json),
            Err((status, error)) => (status, "application/json", to_json(&ErrorReply { error }).unwrap_or_default()),
        };
        let mut response = Response::from_string(body).with_status_code(status);
        for (name, value) in [
            ("Content-Type", kind),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ] {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        // A browser that went away wants no answer.
        let _ = request.respond(response);
    }

    /// The page (`None`), or the answer to one of its questions.
    fn route(&self, request: &mut Request) -> Result<Option<String>, (u16, String)> {
        let host = header(request, "Host").unwrap_or_default();
        let local = host.rsplit_once(':').map_or(&host[..], |(name, _)| name);
        if !["127.0.0.1", "localhost"].contains(&local) {
            return Err((403, "this game is for the machine that it runs on".into()));
        }
        let path = request.url().split('?').next().unwrap_or_default().to_owned();
        let Some(path) = path.strip_prefix(&format!("/{}/", self.token)) else {
            return Err((404, "nothing here: use the address that was printed".into()));
        };
        match (request.method(), path) {
            (Method::Get, "") => Ok(None),
            (Method::Post, "api/run" | "api/adversary") => {
                if header(request, "X-Ldfi-Token").as_deref() != Some(&self.token) {
                    return Err((403, "the token is missing or wrong".into()));
                }
                let faults = read_faults(request)?;
                if path == "api/run" { self.run(&faults) } else { self.adversary(&faults) }.map(Some)
            }
            _ => Err((404, "nothing here".into())),
        }
    }

    fn run(&self, faults: &Faults) -> Reply {
        let run = self.picture.run("your move", faults).map_err(|error| (400, error.to_string()))?;
        to_json(&run)
    }

    /// The least fault set that breaks the promise.
    fn adversary(&self, current: &Faults) -> Reply {
        let mut options = Options { interrupt: interrupt(), ..Options::default() };
        options.limits.time = Some(THINKING);
        let began = Instant::now();
        let found = Search::new(self.program, self.spec, options).run().map_err(|error| (400, error.to_string()))?;
        let took = began.elapsed().as_millis();
        let (faults, message) = match &found.verdict {
            Verdict::Counterexample(found) if found.faults == *current => {
                (Some(&found.faults), "that is my move too: nothing less breaks it".to_owned())
            }
            Verdict::Counterexample(found) => (Some(&found.faults), format!("{} (after {took} ms)", found.faults)),
            Verdict::IncorrectWithoutFaults(_) => (None, "nothing to do: it breaks by itself".to_owned()),
            Verdict::FaultTolerant => {
                (None, format!("I give up: within {} nothing breaks it (after {took} ms)", self.spec))
            }
            Verdict::Vacuous => (None, "the promise is empty: there is nothing to break".to_owned()),
            Verdict::Inconclusive(reason) => (None, format!("I do not know: {reason}")),
        };
        let run = match faults {
            Some(faults) => {
                Some(self.picture.run("the adversary's move", faults).map_err(|error| (500, error.to_string()))?)
            }
            None => None,
        };
        to_json(&AdversaryReply { faults: run.as_ref().map(|run| run.faults.clone()), run, message })
    }
}

fn to_json(value: &impl Serialize) -> Reply {
    serde_json::to_string(value).map_err(|error| (500, error.to_string()))
}

fn header(request: &Request, name: &'static str) -> Option<String> {
    let found = request.headers().iter().find(|header| header.field.equiv(name));
    found.map(|header| header.value.as_str().to_owned())
}

fn read_faults(request: &mut Request) -> Result<Faults, (u16, String)> {
    let mut body = vec![];
    let read = request.as_reader().take(LONGEST_BODY + 1).read_to_end(&mut body);
    read.map_err(|error| (400, error.to_string()))?;
    if body.len() as u64 > LONGEST_BODY {
        return Err((413, "that is too long for a fault set".into()));
    }
    let given: model::Faults = serde_json::from_slice(&body).map_err(|error| (400, error.to_string()))?;
    let mut faults = Faults::none();
    for omission in given.omissions {
        faults = faults.lose(omission.from, omission.to, omission.time);
    }
    for crash in given.crashes {
        faults = faults.crash(crash.node, crash.time);
    }
    Ok(faults)
}

/// 128 bits that nobody can guess: a keyed hash whose keys the system drew at random.
fn token() -> String {
    let random = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", random(), random())
}
