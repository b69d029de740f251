//! A small HTTP server for this machine, of which nobody can ask too much.
//!
//! What is read is limited in size, in number and in time; each connection has a thread of its own, so that one that
//! dawdles holds up nobody; and where all places are taken, the connection that has kept us waiting longest gives up
//! its place. A connection is good for one request.

mod guests;
mod request;

use std::borrow::Cow;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use guests::{Guest, Guests};
pub(super) use request::{Body, Head};

/// How long a request may take to come in.
const HEARING: Duration = Duration::from_secs(10);
/// How long an answer may take to go out.
const TELLING: Duration = Duration::from_secs(30);
/// How long we wait for a client to hang up, so that it sees the answer rather than a broken connection.
const PARTING: Duration = Duration::from_secs(1);
/// How long answers may still be on their way when it is over.
const LEAVING: Duration = Duration::from_millis(250);
/// How soon the end is seen.
const ATTENTION: Duration = Duration::from_millis(50);
/// How long a listener waits where nothing can be accepted.
const PAUSE: Duration = Duration::from_millis(20);
/// How long it takes until whoever gives way is gone.
const MAKING_ROOM: Duration = Duration::from_millis(2);
/// The process, or the system, has as many files open as it may: EMFILE, ENFILE, WSAEMFILE.
const NO_FILES: [i32; 3] = [24, 23, 10_024];

/// What is served.
pub(super) trait Site: Sync {
    /// The answer. The body is read only if it is asked for.
    fn answer(&self, head: &Head, body: &mut Body) -> Reply<'_>;
}

/// An answer.
pub(super) struct Reply<'s> {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Cow<'s, str>,
}

/// Why a request is not answered.
pub(super) enum Refusal {
    /// With a status and a reason.
    Because(u16, &'static str),
    /// There is nobody left to tell.
    Gone,
}

/// Binds a port of this machine, any free one if 0, and gives the one it is.
pub(super) fn bind(port: u16) -> std::io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Serves on threads of its own, until it is over. Then `end` tells whoever is still at work to give up, answers that are
/// on their way go out, and everybody is gone when this returns.
pub(super) fn serve(
    listener: &TcpListener,
    site: &impl Site,
    is_over: impl Fn() -> bool,
    end: impl FnOnce(),
) -> std::io::Result<()> {
    let (guests, closed) = (Arc::new(Guests::default()), AtomicBool::new(false));
    let address = listener.local_addr()?;
    std::thread::scope(|scope| {
        let listen = || {
            while let Some(accepted) = accept(listener, &guests, &closed) {
                // Where there is no room, for a guest or for a thread, the connection is closed and the next one tried.
                let Some((guest, stream)) = accepted.and_then(|stream| Some((guests.admit(&stream)?, stream))) else {
                    continue;
                };
                let attend = move || {
                    // Whatever goes wrong with one request is no matter of the others.
                    let _ = catch_unwind(AssertUnwindSafe(|| attend(&stream, site, &guest)));
                };
                let _ = std::thread::Builder::new().name("serving".into()).spawn_scoped(scope, attend);
            }
        };
        let listening = std::thread::Builder::new().name("listening".into()).spawn_scoped(scope, listen)?;
        while !is_over() {
            std::thread::sleep(ATTENTION);
        }
        end();
        closed.store(true, Ordering::Relaxed);
        // A listener sees that it is closed when somebody comes.
        while !listening.is_finished() {
            let _ = TcpStream::connect(address);
            std::thread::sleep(PAUSE);
        }
        guests.leave(LEAVING);
        Ok(())
    })
}

/// The next connection; none inside if it failed, none at all once it is closed.
fn accept(listener: &TcpListener, guests: &Guests, closed: &AtomicBool) -> Option<Option<Arc<TcpStream>>> {
    let accepted = listener.accept();
    if closed.load(Ordering::Relaxed) {
        return None;
    }
    if let Err(error) = &accepted {
        // Too many open files: somebody gives way. Whatever else it is passes.
        let makes_room = error.raw_os_error().is_some_and(|code| NO_FILES.contains(&code)) && guests.make_room();
        std::thread::sleep(if makes_room { MAKING_ROOM } else { PAUSE });
    }
    Some(accepted.ok().map(|(stream, _)| Arc::new(stream)))
}

fn attend(stream: &TcpStream, site: &impl Site, guest: &Guest) {
    let mut wire = Wire { stream, until: Instant::now() + HEARING };
    let reply = match request::read(&mut wire) {
        Ok((head, rest)) => site.answer(&head, &mut Body::new(&head, rest, &mut wire, guest)),
        Err(Refusal::Because(status, why)) => Reply { status, kind: "text/plain; charset=utf-8", body: why.into() },
        Err(Refusal::Gone) => return,
    };
    guest.waits();
    wire.until = Instant::now() + TELLING;
    // A browser that went away wants no answer.
    if wire.write(head_of(&reply).as_bytes()).and_then(|()| wire.write(reply.body.as_bytes())).is_ok() {
        part(&mut wire);
    }
}

/// A connection that is closed with words of the client unread is broken, and the answer with it: hears it out, a while.
fn part(wire: &mut Wire) {
    let _ = wire.stream.shutdown(Shutdown::Write);
    wire.until = Instant::now() + PARTING;
    let mut unread = [0; 4096];
    while wire.read(&mut unread).is_ok_and(|read| read > 0) {}
}

fn head_of(reply: &Reply) -> String {
    let name = match reply.status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        _ => "Internal Server Error",
    };
    format!(
        "HTTP/1.1 {} {name}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\r\n",
        reply.status,
        reply.kind,
        reply.body.len(),
    )
}

/// A connection on which everything ends at some time, however little at a time is read or written.
struct Wire<'c> {
    stream: &'c TcpStream,
    until: Instant,
}

impl Wire<'_> {
    fn left(&self) -> Result<Duration, Refusal> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Refusal::Because(408, "the request took too long")) } else { Ok(left) }
    }

    /// What has come, 0 bytes at its end.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Refusal> {
        loop {
            let left = self.left()?;
            self.stream.set_read_timeout(Some(left)).map_err(|_| Refusal::Gone)?;
            match self.stream.read(into) {
                Ok(read) => return Ok(read),
                Err(error) if is_passing(error.kind()) => {}
                Err(_) => return Err(Refusal::Gone),
            }
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), Refusal> {
        while !bytes.is_empty() {
            let left = self.left()?;
            self.stream.set_write_timeout(Some(left)).map_err(|_| Refusal::Gone)?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(Refusal::Gone),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if is_passing(error.kind()) => {}
                Err(_) => return Err(Refusal::Gone),
            }
        }
        Ok(())
    }
}

// Whoever hangs on to it, it is over within half a second.
const _: () = assert!(ATTENTION.as_millis() + 2 * PAUSE.as_millis() + LEAVING.as_millis() <= 400);

/// Whether to look at the clock and try again.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
