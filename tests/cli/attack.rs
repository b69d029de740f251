//! The explorer's server under attack: whatever is sent to it, the next good request is answered.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::explorer::Server;

/// A connection on which something was said, and nothing read.
fn say(server: &Server, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(&server.host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
    // A server that has heard enough may have hung up.
    let _ = stream.write_all(bytes);
    stream
}

/// The status of the answer, if there is one before the server hangs up.
fn status(mut stream: TcpStream) -> Option<u16> {
    let mut answer = vec![];
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).split(' ').nth(1)?.parse().ok()
}

/// Fails the test unless a good request is answered.
fn still_serves(server: &Server, after: &str) {
    let (status, page) = server.ask("GET", &format!("/{}/", server.token), &server.host, "", "");
    assert!(status == 200 && page.contains("LDFI_EXPLORE"), "after {after}: {status}");
    let (status, run) = server.post("run", r#"{"faults":"lose a->b@1"}"#);
    assert!(status == 200 && run.contains(r#""status":"failure""#), "after {after}: {status} {run}");
}

/// Asks, and does not mind if there is no answer.
pub(super) fn ask(host: &str, token: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "POST /{token}/api/run HTTP/1.1\r\nHost: {host}\r\nX-Ldfi-Token: {token}\r\nContent-Length: {length}\r\n\r\n"
    );
    if let Ok(mut stream) = TcpStream::connect(host) {
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
        let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
        let _ = stream.read_to_end(&mut vec![]);
    }
}

fn head(server: &Server, token: &str, lines: &str) -> Vec<u8> {
    let (host, path) = (&server.host, &server.token);
    format!("POST /{path}/api/run HTTP/1.1\r\nHost: {host}\r\nX-Ldfi-Token: {token}\r\n{lines}\r\n").into_bytes()
}

#[test]
fn lengths_that_lie_do_no_harm() {
    let server = Server::new();
    let mut open = vec![];
    for length in ["18446744073709551615", "18446744073709551616", "100000000000000", "5000", "-1", "0x10", "", "1e9"] {
        for token in [&server.token[..], "wrong"] {
            open.push(say(&server, &head(&server, token, &format!("Content-Length: {length}\r\n"))));
            still_serves(&server, &format!("a length of {length:?}"));
        }
    }
    for (lines, refused) in [
        ("Content-Length: 18446744073709551615\r\n", 413),
        ("Content-Length: 2\r\nContent-Length: 3\r\n", 400),
        ("Content-Length: +2\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 501),
        ("", 411),
    ] {
        let stream = say(&server, &head(&server, &server.token, lines));
        assert_eq!(status(stream), Some(refused), "{lines:?}");
    }
    still_serves(&server, "lengths");
}

#[test]
fn clients_that_dawdle_hold_up_nobody() {
    let server = Server::new();
    let mut open = vec![];
    for _ in 0..40 {
        open.push(say(&server, b""));
        open.push(say(&server, b"GET / HTTP/1.1\r\nHost: 127."));
        open.push(say(&server, &head(&server, &server.token, "Content-Length: 5000\r\n")));
    }
    still_serves(&server, "idle clients");
    // Byte by byte, while others are served.
    for (sent, byte) in b"GET / HTTP/1.1\r\nX-Slow: 1".iter().enumerate() {
        let _ = open[1].write_all(&[*byte]);
        if sent % 5 == 0 {
            still_serves(&server, "a byte");
        }
    }
}

#[test]
fn clients_that_never_read_hold_up_nobody() {
    let server = Server::new();
    let page = format!("GET /{}/ HTTP/1.1\r\nHost: {}\r\n\r\n", server.token, server.host);
    let open: Vec<TcpStream> = (0..20)
        .map(|_| {
            let stream = say(&server, page.as_bytes());
            stream.set_nonblocking(true).unwrap();
            // Many more requests on the same connection, whose answers nobody takes.
            for _ in 0..2000 {
                if (&stream).write_all(page.as_bytes()).is_err() {
                    break;
                }
            }
            stream
        })
        .collect();
    still_serves(&server, "requests without end");
    drop(open);
    still_serves(&server, "hanging up");
}

#[test]
fn heads_are_limited() {
    let server = Server::new();
    let host = &server.host;
    let long = "x".repeat(1 << 20);
    let many: String = (0..5000).map(|n| format!("X-{n}: {n}\r\n")).collect();
    for (what, bytes) in [
        ("a long line", format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n\r\n")),
        ("a long name", format!("GET / HTTP/1.1\r\nHost: {host}\r\n{long}: x\r\n\r\n")),
        ("a long address", format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n")),
        ("a long method", format!("{long} / HTTP/1.1\r\nHost: {host}\r\n\r\n")),
        ("many headers", format!("GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n")),
        ("a head without end", long.clone()),
    ] {
        let answer = status(say(&server, bytes.as_bytes()));
        assert!(answer.is_none_or(|status| [400, 431].contains(&status)), "{what}: {answer:?}");
        still_serves(&server, what);
    }
    let headers = "X: 1\r\n".repeat(100);
    let few = say(&server, format!("GET / HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n").as_bytes());
    assert_eq!(status(few), Some(431));
}

#[test]
fn bodies_are_limited() {
    let server = Server::new();
    let (code, reply) = server.post("run", &format!("{{\"crashes\":[{}]}}", " ".repeat(1 << 21)));
    assert!(code == 413 && reply.contains("too long"), "{code} {reply}");
    let deep = "[".repeat(100_000);
    assert_eq!(server.post("run", &format!("{{\"crashes\":{deep}")).0, 400);
    still_serves(&server, "large bodies");
}

#[test]
fn what_is_no_request_is_refused() {
    let server = Server::new();
    let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let token = &server.token;
    for bytes in [
        &noise[..],
        b"\0\0\0\0",
        b"\r\n\r\n\r\n\r\n",
        b"GET",
        b"GET \r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\r\n Host: folded\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: \xff\r\n\r\n",
    ] {
        let stream = say(&server, bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let answer = status(stream);
        assert!(answer.is_none_or(|status| [400, 403].contains(&status)), "{bytes:?}: {answer:?}");
        still_serves(&server, "noise");
    }
    for (method, path) in [("PUT", ""), ("DELETE", ""), ("HEAD", ""), ("OPTIONS", "api/run"), ("GET", "api/run")] {
        let (status, _) = server.ask(method, &format!("/{token}/{path}"), &server.host, token, "");
        assert_eq!(status, 405, "{method} {path}");
    }
}

#[test]
fn there_is_no_way_round_the_token_or_out_of_the_page() {
    let server = Server::new();
    let (host, token) = (&server.host, &server.token);
    for path in [
        "/",
        "//",
        "*",
        "/../etc/passwd",
        "/wrong/",
        &format!("/{token}"),
        &format!("/{token}/../../etc/passwd"),
        &format!("/{token}/%2e%2e/%2e%2e/etc/passwd"),
        &format!("/{token}/api"),
        &format!("/{token}/api/run/"),
        &format!("/{}/", token.to_uppercase().replace('0', "O")),
        &format!("/{}/", &token[1..]),
        &format!("/{token}0/"),
        &format!("http://{host}/"),
    ] {
        let (status, body) = server.ask("GET", path, host, token, "");
        assert!([400, 404].contains(&status) && !body.contains("LDFI_EXPLORE"), "{path}: {status}");
    }
    let port = host.rsplit_once(':').unwrap().1;
    for foreign in ["example.com", "127.0.0.1.example.com", "localhost.example.com:80", "0.0.0.0", "", "evil@127.0.0.1"]
    {
        assert_eq!(server.ask("GET", &format!("/{token}/"), foreign, token, "").0, 403, "{foreign}");
    }
    // Two hosts: a proxy and we might each believe another.
    let two = format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nHost: example.com\r\n\r\n");
    assert_eq!(status(say(&server, two.as_bytes())), Some(400));
    assert_eq!(server.ask("GET", &format!("/{token}/"), &format!("localhost:{port}"), "", "").0, 200);
    for wrong in ["", "wrong", &token[1..], &format!("{token}0")] {
        assert_eq!(server.ask("POST", &format!("/{token}/api/run"), host, wrong, "{}").0, 403, "{wrong}");
    }
    still_serves(&server, "guesses");
}

#[cfg(unix)]
#[test]
fn one_ctrl_c_ends_the_server_whoever_hangs_on_to_it() {
    use super::explorer::{interrupt, status_within};
    let mut server = Server::new();
    let page = format!("GET /{}/ HTTP/1.1\r\nHost: {}\r\n\r\n", server.token, server.host);
    let open = [
        say(&server, b"GET / HT"),
        say(&server, &head(&server, &server.token, "Content-Length: 5000\r\n")),
        say(&server, page.repeat(100).as_bytes()),
    ];
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&server.child);
    // Less than the server's own time-outs: it does not wait for them.
    assert_eq!(status_within(&mut server.child, Duration::from_secs(5)), Some(0));
    drop(open);
}

#[test]
fn a_request_that_never_ends_is_ended() {
    let server = Server::new();
    let half = say(&server, b"GET / HTTP/1.1\r\nHost: 127.");
    let no_body = say(&server, &head(&server, &server.token, "Content-Length: 5000\r\n"));
    assert_eq!((status(half), status(no_body)), (Some(408), Some(408)));
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most.max(1)
    }

    /// A good request with bytes changed, left out, repeated, or cut off.
    fn spoil(&mut self, good: &[u8]) -> Vec<u8> {
        let mut bytes = good.to_vec();
        for _ in 0..1 + self.below(6) {
            let at = self.below(bytes.len());
            match self.below(6) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => drop(bytes.remove(at)),
                3 => bytes.insert(at, b"\r\n :/0\0"[self.below(7)]),
                4 => {
                    let end = (at + self.below(40)).min(bytes.len());
                    let piece = bytes[at..end].repeat(1 + self.below(300));
                    bytes.splice(at..at, piece);
                }
                _ => bytes.splice(at..at, self.below(usize::MAX).to_string().into_bytes()).for_each(drop),
            }
            if bytes.is_empty() {
                bytes.push(b'G');
            }
        }
        bytes
    }
}

/// `LDFI_ATTACK_SECONDS=3600 cargo test --test cli -- --ignored --nocapture whatever_is_sent`
#[test]
#[ignore = "as long as one likes"]
fn whatever_is_sent_the_server_serves_on() {
    let server = Server::new();
    let seconds = std::env::var("LDFI_ATTACK_SECONDS").map_or(20, |text| text.parse().unwrap());
    let body = r#"{"faults":"lose a->b@1; crash c@2"}"#;
    let mut good = head(&server, &server.token, &format!("Content-Length: {}\r\n", body.len()));
    good.extend_from_slice(body.as_bytes());
    // What is spoilt is a request that is answered as long as it is not.
    assert_eq!(status(say(&server, &good)), Some(200));
    let (began, mut dice, mut open, mut sent) = (std::time::Instant::now(), Dice(1), vec![], 0);
    while began.elapsed() < Duration::from_secs(seconds) {
        let spoilt = dice.spoil(&good);
        let stream = say(&server, &spoilt);
        sent += 1;
        // Some read the answer, some hang up, some hang on.
        match dice.below(4) {
            0 => {
                let _ = stream.shutdown(Shutdown::Write);
                let _ = status(stream);
            }
            1 => drop(stream),
            _ => open.push(stream),
        }
        if open.len() > 200 {
            open.drain(..100);
        }
        if sent % 100 == 0 {
            still_serves(&server, &format!("{:?}", String::from_utf8_lossy(&spoilt)));
        }
    }
    println!("{sent} spoilt requests in {seconds} s");
    still_serves(&server, "all of them");
}
