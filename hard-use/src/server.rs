//! The explorer, attacked: whatever is sent to it, the next good request is answered.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::tally::Tally;

/// Spoilt requests a round.
const REQUESTS: usize = 20;
/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(30);

const PROGRAM: &str = r#"
    got(B, X)@async :- has(A, X), peer(A, B);
    got(B, X)@next :- got(B, X);
    pre(X) :- has(_, X)@1;
    post(X) :- got("b", X);
    has("a", 1)@1; peer("a", "b")@1; node("b")@1;
"#;

/// A server that is gone when dropped.
pub struct Server {
    child: Child,
    host: String,
    token: String,
    /// Clients that hang on.
    open: Vec<TcpStream>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Some spoilt requests, and a good one.
pub fn round(seed: u64, ldfi: &Path, server: &mut Option<Server>, tally: &mut Tally) -> Result<(), String> {
    if server.is_none() {
        *server = Some(Server::new(ldfi)?);
    }
    let Some(running) = server else { return Ok(()) };
    let result = running.attack(seed);
    match &result {
        Ok(()) => tally.count("server: twenty spoilt requests"),
        Err(_) => *server = None,
    }
    result
}

impl Server {
    fn new(ldfi: &Path) -> Result<Self, String> {
        let file = std::env::temp_dir().join(format!("ldfi-hard-use-server-{}.ded", std::process::id()));
        std::fs::write(&file, PROGRAM).map_err(|error| error.to_string())?;
        let mut child = Command::new(ldfi)
            .arg("explore")
            .arg(&file)
            .args(["--eot", "4", "--eff", "2"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut line).map_err(|error| error.to_string())?;
        let _ = std::fs::remove_file(&file);
        let (host, token) = line.trim().trim_start_matches("http://").split_once('/').ok_or("no address")?;
        let (host, token) = (host.to_owned(), token.trim_matches('/').to_owned());
        Ok(Server { child, host, token, open: vec![] })
    }

    fn request(&self, body: &str) -> Vec<u8> {
        let (host, token) = (&self.host, &self.token);
        let head = format!("POST /{token}/api/run HTTP/1.1\r\nHost: {host}\r\nX-Ldfi-Token: {token}\r\n");
        format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()).into_bytes()
    }

    fn say(&self, bytes: &[u8]) -> Result<TcpStream, String> {
        let mut stream = TcpStream::connect(&self.host).map_err(|error| format!("nobody is there: {error}"))?;
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_write_timeout(Some(PATIENCE));
        // A server that has heard enough may have hung up.
        let _ = stream.write_all(bytes);
        Ok(stream)
    }

    fn attack(&mut self, seed: u64) -> Result<(), String> {
        let mut dice = fastrand::Rng::with_seed(seed);
        let good = self.request(r#"{"faults":"lose a->b@1"}"#);
        let mut last = vec![];
        for _ in 0..REQUESTS {
            last = spoil(&mut dice, &good);
            let mut stream = self.say(&last)?;
            match dice.u8(0..4) {
                0 => {
                    let _ = stream.shutdown(Shutdown::Write);
                    let _ = stream.read_to_end(&mut vec![]);
                }
                1 => drop(stream),
                _ => self.open.push(stream),
            }
        }
        if self.open.len() > 200 {
            self.open.drain(..100);
        }
        let mut answer = vec![];
        let _ = self.say(&good)?.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        if answer.contains(" 200 ") && answer.contains(r#""status":"failure""#) {
            return Ok(());
        }
        Err(format!("after {:?} a good request is answered with {answer:?}", String::from_utf8_lossy(&last)))
    }
}

/// Some bytes changed, left out, repeated or put in.
fn spoil(dice: &mut fastrand::Rng, good: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..dice.usize(1..6) {
        if bytes.is_empty() {
            break;
        }
        let at = dice.usize(..bytes.len());
        match dice.u8(0..5) {
            0 => bytes[at] = dice.u8(..),
            1 => drop(bytes.drain(at..(at + dice.usize(1..20)).min(bytes.len()))),
            2 => bytes.truncate(at),
            3 => bytes.insert(at, b"\r\n\0\"{}:"[dice.usize(..7)]),
            _ => {
                let part = bytes[at..(at + dice.usize(1..40)).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}
