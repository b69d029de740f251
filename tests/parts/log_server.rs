//! A replicated log with a fixed leader: what it decides is on the disks of two nodes.

use ldfi::live::{Disk, Id, Node, Out, digest_of};

/// What nodes send each other.
#[derive(Clone, Debug)]
pub enum Message {
    /// Keep this.
    Append(u32, i64),
    /// It is on my disk.
    Kept(u32),
    /// It is decided.
    Decide(u32),
    /// I know.
    Decided(u32),
}

/// A mistake that can be planted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mistake {
    /// None.
    #[default]
    None,
    /// What is written is not synced before it is acknowledged.
    NoSync,
    /// What is lost is not sent again.
    NoRepeat,
    /// An error of the disk ends it.
    Unwraps,
}

/// A node of the log; the first leads.
#[derive(Debug)]
pub struct Server {
    id: Id,
    disk: Disk,
    mistake: Mistake,
    /// What is on the disk.
    log: Vec<i64>,
    /// What clients asked and is not on the disk yet.
    waiting: Vec<i64>,
    /// Of a leader: for each entry, who keeps it, and who knows that it is decided.
    kept: Vec<Vec<Id>>,
    knows: Vec<Vec<Id>>,
    /// How many entries are decided, as far as it knows.
    decided: usize,
}

impl Server {
    pub fn new(id: Id, disk: Disk) -> Self {
        Self::with(id, disk, Mistake::None)
    }

    pub fn with(id: Id, disk: Disk, mistake: Mistake) -> Self {
        let read = || disk.read("log");
        let bytes = read().or_else(|_| read()).or_else(|_| read()).expect("three times is enough");
        let log: Vec<i64> = bytes.unwrap_or_default().iter().map(|byte| i64::from(*byte)).collect();
        let (kept, knows) = (vec![vec![]; log.len()], vec![vec![]; log.len()]);
        Server { id, disk, mistake, log, waiting: vec![], kept, knows, decided: 0 }
    }

    /// Puts an entry on the disk, at that place.
    fn keep(&mut self, at: usize, value: i64) -> bool {
        let mut log = self.log.clone();
        log.truncate(at);
        log.push(value);
        let bytes: Vec<u8> = log.iter().map(|value| *value as u8).collect();
        let mut written = self.disk.write("log", &bytes);
        if self.mistake != Mistake::NoSync {
            written = written.and_then(|()| self.disk.sync("log"));
        }
        if self.mistake == Mistake::Unwraps {
            written.expect("the disk works");
        }
        if written.is_ok() {
            self.log = log;
            self.kept.push(vec![]);
            self.knows.push(vec![]);
        }
        written.is_ok()
    }

    /// Tells of what is decided, in order.
    fn decide(&mut self, count: usize, out: &mut Out<Message>) {
        while self.decided < count.min(self.log.len()) {
            out.event("decided", (self.decided, self.log[self.decided]));
            self.decided += 1;
        }
    }
}

impl Node for Server {
    type Message = Message;
    type Request = i64;

    fn ask(&mut self, value: i64, _: &mut Out<Message>) {
        self.waiting.push(value);
    }

    fn tick(&mut self, out: &mut Out<Message>) {
        if self.id != 1 {
            return;
        }
        while let Some(value) = self.waiting.first().copied() {
            if !self.keep(self.log.len(), value) {
                break;
            }
            self.waiting.remove(0);
            out.event("asked", value);
        }
        let count = self.kept.iter().take_while(|kept| !kept.is_empty()).count();
        self.decide(count, out);
        let again = self.mistake != Mistake::NoRepeat && out.now().is_multiple_of(4);
        for at in 0..self.log.len() {
            let first = self.kept[at].is_empty() && self.knows[at].is_empty();
            for peer in [2, 3] {
                if !self.kept[at].contains(&peer) && (again || first) {
                    out.send(peer, Message::Append(at as u32, self.log[at]));
                } else if at < self.decided && !self.knows[at].contains(&peer) && again {
                    out.send(peer, Message::Decide(at as u32));
                }
            }
            // It was sent once.
            if first {
                self.knows[at].push(1);
            }
        }
    }

    fn handle(&mut self, from: Id, message: Message, out: &mut Out<Message>) {
        match message {
            Message::Append(at, value) => {
                let here = at as usize;
                let there = self.log.get(here) == Some(&value);
                if there || (here == self.log.len() && self.keep(here, value)) {
                    out.send(from, Message::Kept(at));
                }
            }
            Message::Kept(at) => {
                if let Some(kept) = self.kept.get_mut(at as usize).filter(|kept| !kept.contains(&from)) {
                    kept.push(from);
                    out.send(from, Message::Decide(at));
                }
            }
            Message::Decide(at) => {
                if (at as usize) < self.log.len() {
                    self.decide(at as usize + 1, out);
                    out.send(from, Message::Decided(at));
                }
            }
            Message::Decided(at) => {
                if let Some(knows) = self.knows.get_mut(at as usize).filter(|knows| !knows.contains(&from)) {
                    knows.push(from);
                }
            }
        }
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(digest_of(&(&self.log, &self.waiting, &self.kept, &self.knows, self.decided)))
    }
}
