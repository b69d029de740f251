//! A player: asks an explorer what its page would ask.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Where an explorer is.
pub struct Player {
    /// `127.0.0.1:port`
    pub host: String,
    pub token: String,
}

impl Player {
    /// Of an address as it is printed.
    pub fn at(address: &str) -> Self {
        let (host, token) = address.trim().trim_start_matches("http://").split_once('/').unwrap();
        Player { host: host.to_owned(), token: token.trim_matches('/').to_owned() }
    }

    /// The status and the body of an answer.
    pub fn ask(&self, method: &str, path: &str, host: &str, token: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        // Longer than any answer takes; a server that hangs fails the test rather than hanging it.
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nX-Ldfi-Token: {token}\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    /// The page.
    pub fn page(&self) -> String {
        let (status, page) = self.ask("GET", &format!("/{}/", self.token), &self.host, "", "");
        assert_eq!(status, 200, "{page}");
        page
    }

    pub fn post(&self, question: &str, body: &str) -> (u16, String) {
        self.ask("POST", &format!("/{}/api/{question}", self.token), &self.host, &self.token, body)
    }
}
