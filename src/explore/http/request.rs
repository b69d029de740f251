//! A request: its head, parsed when it is there, and its body, read when it is wanted.

use super::guests::Guest;
use super::{Refusal, Wire};

/// Bytes of a head. Browsers send the cookies of every other server on this machine along.
const LONGEST_HEAD: usize = 16 << 10;
/// Lines of a head.
const MOST_HEADERS: usize = 64;
/// Bytes of a body.
const LONGEST_BODY: u64 = 1 << 20;

/// What a request says before its body.
pub(in super::super) struct Head {
    pub(in super::super) method: String,
    /// Without the query.
    pub(in super::super) path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// The value of a header, if it is there exactly once.
    pub(in super::super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.values(name);
        values.next().filter(|_| values.next().is_none())
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..])
    }
}

/// Reads a head, and what of the body came with it.
pub(super) fn read(wire: &mut Wire) -> Result<(Head, Vec<u8>), Refusal> {
    let mut bytes = vec![];
    let mut more = [0; 4096];
    loop {
        let room = (LONGEST_HEAD - bytes.len()).min(more.len());
        if room == 0 {
            return Err(Refusal::Because(431, "the head of the request is too long"));
        }
        let count = wire.read(&mut more[..room])?;
        if count == 0 {
            return Err(if bytes.is_empty() {
                Refusal::Gone
            } else {
                Refusal::Because(400, "the request is cut short")
            });
        }
        bytes.extend_from_slice(&more[..count]);
        if let Some((head, length)) = parse(&bytes)? {
            return Ok((head, bytes.split_off(length)));
        }
    }
}

/// A head and its length, if all of it is there.
fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refusal> {
    let bad = |why| Refusal::Because(400, why);
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::Because(431, "the request has too many headers")),
        Err(_) => return Err(bad("this is no HTTP/1 request")),
    };
    let text = |value: &[u8]| String::from_utf8(value.to_vec()).map_err(|_| bad("a header is not text"));
    let headers = request.headers.iter().map(|header| Ok((header.name.to_owned(), text(header.value)?)));
    let path = request.path.unwrap_or_default().split('?').next().unwrap_or_default();
    let head = Head {
        method: request.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        headers: headers.collect::<Result<_, Refusal>>()?,
    };
    // Whoever stands between us might believe the other one.
    if ["Host", "Content-Length"].iter().any(|name| head.values(name).count() > 1) {
        return Err(bad("a header that may be there once is there twice"));
    }
    Ok(Some((head, length)))
}

/// The body of a request, not yet read.
pub(in super::super) struct Body<'c, 'w> {
    length: Result<u64, (u16, &'static str)>,
    begun: Vec<u8>,
    wire: &'c mut Wire<'w>,
    guest: &'c Guest,
}

impl<'c, 'w> Body<'c, 'w> {
    pub(super) fn new(head: &Head, begun: Vec<u8>, wire: &'c mut Wire<'w>, guest: &'c Guest) -> Self {
        Body { length: length(head), begun, wire, guest }
    }

    /// All of it. From here on the client waits for us.
    pub(in super::super) fn read(&mut self) -> Result<Vec<u8>, (u16, &'static str)> {
        let length = usize::try_from(self.length?).map_err(|_| TOO_LONG)?;
        let mut body = std::mem::take(&mut self.begun);
        let mut more = [0; 16 << 10];
        while body.len() < length {
            let room = (length - body.len()).min(more.len());
            match self.wire.read(&mut more[..room]) {
                Ok(0) | Err(Refusal::Gone) => return Err((400, "the request is cut short")),
                Ok(count) => body.extend_from_slice(&more[..count]),
                Err(Refusal::Because(status, why)) => return Err((status, why)),
            }
        }
        body.truncate(length);
        self.guest.is_served();
        Ok(body)
    }
}

const TOO_LONG: (u16, &str) = (413, "that is too long for a fault set");

/// How long a body says it is. Nothing is set aside for it before it is there.
fn length(head: &Head) -> Result<u64, (u16, &'static str)> {
    if head.values("Transfer-Encoding").next().is_some() {
        return Err((501, "a body comes in one piece here, with its length"));
    }
    let text = head.header("Content-Length").ok_or((411, "a body needs its length"))?.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err((400, "the length is no number"));
    }
    // A number that does not fit is a large one.
    match text.parse::<u64>() {
        Ok(length) if length <= LONGEST_BODY => Ok(length),
        _ => Err(TOO_LONG),
    }
}
