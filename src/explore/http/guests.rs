//! Who is being served, and who gives way when all places are taken.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Connections at a time.
const PLACES: usize = 64;

/// The connections that are open, by their number.
#[derive(Default)]
pub(super) struct Guests(Mutex<Places>);

#[derive(Default)]
struct Places {
    next: u64,
    taken: BTreeMap<u64, Place>,
}

struct Place {
    stream: Arc<TcpStream>,
    /// We wait for the client, to send or to read; not the client for us.
    waits: bool,
}

/// A place that is free again when this is dropped.
pub(super) struct Guest {
    guests: Arc<Guests>,
    number: u64,
}

impl Guests {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection: a free one, or that of whoever has kept us waiting longest. None if all are served.
    pub(super) fn admit(self: &Arc<Self>, stream: &Arc<TcpStream>) -> Option<Guest> {
        let mut places = self.places();
        if places.taken.len() >= PLACES && !places.make_room() {
            return None;
        }
        let number = places.next;
        places.next += 1;
        places.taken.insert(number, Place { stream: stream.clone(), waits: true });
        Some(Guest { guests: self.clone(), number })
    }

    /// Whoever has kept us waiting longest gives way; whether there is somebody.
    pub(super) fn make_room(&self) -> bool {
        self.places().make_room()
    }

    /// Waits so long for everybody to leave, and shows out who is still there.
    pub(super) fn leave(&self, patience: Duration) {
        let until = Instant::now() + patience;
        while !self.places().taken.is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        for place in self.places().taken.values() {
            let _ = place.stream.shutdown(Shutdown::Both);
        }
    }
}

impl Places {
    fn make_room(&mut self) -> bool {
        let oldest = self.taken.iter().find(|(_, place)| place.waits).map(|(number, _)| *number);
        let Some(place) = oldest.and_then(|number| self.taken.remove(&number)) else { return false };
        // Its thread sees that and ends.
        let _ = place.stream.shutdown(Shutdown::Both);
        true
    }
}

impl Guest {
    /// The client waits for us: it keeps its place.
    pub(super) fn is_served(&self) {
        self.set(false);
    }

    /// We wait for the client.
    pub(super) fn waits(&self) {
        self.set(true);
    }

    fn set(&self, waits: bool) {
        if let Some(place) = self.guests.places().taken.get_mut(&self.number) {
            place.waits = waits;
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.guests.places().taken.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn whoever_kept_us_waiting_longest_gives_way_and_whoever_is_served_does_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let pair = || {
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            (client, Arc::new(listener.accept().unwrap().0))
        };
        let guests = Arc::new(Guests::default());
        let mut all: Vec<_> = (0..PLACES)
            .map(|_| {
                let (client, server) = pair();
                let guest = guests.admit(&server).unwrap();
                guest.is_served();
                (client, guest)
            })
            .collect();
        let (_late, server) = pair();
        assert!(guests.admit(&server).is_none(), "everybody is served");
        for at in [5, 9] {
            all[at].1.waits();
        }
        let newcomer = guests.admit(&server).unwrap();
        assert_eq!(all[5].0.read(&mut [0]).unwrap(), 0, "the first that waits is shown out");
        assert_eq!(guests.places().taken.len(), PLACES);
        drop((all, newcomer));
        assert!(guests.places().taken.is_empty());
    }

    #[test]
    fn whoever_does_not_leave_is_shown_out() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let guests = Arc::new(Guests::default());
        let guest = guests.admit(&Arc::new(listener.accept().unwrap().0)).unwrap();
        guest.is_served();
        guests.leave(Duration::from_millis(10));
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
    }
}
