//! A simulated disk: files of bytes, of which a reboot keeps what was synced.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::digest::digest;
use crate::failure::Failure;
use crate::hook::Shared;
use crate::point::Kind;

/// Why an operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiskFault {
    /// The device reports an error.
    Io,
    /// There is no room.
    Full,
}

impl fmt::Display for DiskFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DiskFault::Io => "the disk reports an error",
            DiskFault::Full => "the disk is full",
        })
    }
}

impl std::error::Error for DiskFault {}

impl From<DiskFault> for std::io::Error {
    fn from(fault: DiskFault) -> Self {
        let kind = match fault {
            DiskFault::Io => std::io::ErrorKind::Other,
            DiskFault::Full => std::io::ErrorKind::StorageFull,
        };
        std::io::Error::new(kind, fault)
    }
}

type Files = BTreeMap<String, Vec<u8>>;

#[derive(Debug, Default, Hash)]
struct Store {
    /// What is read.
    files: Files,
    /// What is there after a reboot.
    durable: Files,
    /// Every operation fails from now on, or every write.
    broken: Option<DiskFault>,
    /// So many operations are slow and not done yet, for those who wait by themselves.
    awaited: u32,
}

/// A node's disk. A clone is the same disk.
#[derive(Clone, Debug)]
pub struct Disk {
    node: u32,
    hook: Shared,
    store: Arc<Mutex<Store>>,
}

impl Disk {
    pub(crate) fn new(node: u32, hook: &Shared) -> Self {
        Disk { node, hook: hook.clone(), store: Arc::default() }
    }

    /// All of a file; none if there is no such file.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>, DiskFault> {
        let failure = self.pass("read", file, |_, _| {})?;
        let mut bytes = self.store().files.get(file).cloned();
        if let (Some(Failure::Corrupt), Some(bytes)) = (failure, &mut bytes) {
            flip(bytes);
        }
        Ok(bytes)
    }

    /// Replaces all of a file, or makes it.
    ///
    /// # Errors
    /// If the disk fails; then nothing was written.
    pub fn write(&self, file: &str, bytes: &[u8]) -> Result<(), DiskFault> {
        self.put("write", file, bytes, true)
    }

    /// Adds to the end of a file, or makes it.
    ///
    /// # Errors
    /// If the disk fails; then nothing was written.
    pub fn append(&self, file: &str, bytes: &[u8]) -> Result<(), DiskFault> {
        self.put("append", file, bytes, false)
    }

    /// Leaves so many bytes of a file.
    ///
    /// # Errors
    /// If the disk fails; then nothing was changed.
    pub fn truncate(&self, file: &str, length: usize) -> Result<(), DiskFault> {
        let cut = |store: &mut Store, file: &str| {
            if let Some(content) = store.files.get_mut(file) {
                content.truncate(length);
            }
        };
        self.pass("truncate", file, cut).map(drop)
    }

    /// Deletes a file, if it is there.
    ///
    /// # Errors
    /// If the disk fails; then nothing was changed.
    pub fn remove(&self, file: &str) -> Result<(), DiskFault> {
        self.pass("remove", file, |store, file| drop(store.files.remove(file))).map(drop)
    }

    /// Makes all that was done to a file last.
    ///
    /// # Errors
    /// If the disk fails; then what was not synced before is not now.
    pub fn sync(&self, file: &str) -> Result<(), DiskFault> {
        self.pass("sync", file, Store::sync).map(drop)
    }

    fn put(&self, operation: &str, file: &str, bytes: &[u8], anew: bool) -> Result<(), DiskFault> {
        let put = |store: &mut Store, file: &str| {
            let content = store.files.entry(file.to_owned()).or_default();
            if anew {
                content.clear();
            }
            content.extend_from_slice(bytes);
        };
        self.pass(operation, file, put).map(drop)
    }

    /// Passes the hook, and does what the operation does unless it fails; tells what went wrong with it.
    fn pass(
        &self,
        operation: &str,
        file: &str,
        act: impl FnOnce(&mut Store, &str),
    ) -> Result<Option<Failure>, DiskFault> {
        let mut hook = self.hook.lock();
        if hook.stopped.is_some() {
            return Ok(None);
        }
        let failure = hook.pass(Kind::Disk, self.node, None, format!("{operation}:{file}").into());
        let mut store = self.store();
        let grows = matches!(operation, "write" | "append");
        match failure {
            Some(Failure::DiskError) => return Err(DiskFault::Io),
            Some(Failure::BadDisk) => store.broken = Some(DiskFault::Io),
            Some(Failure::DiskFull) => store.broken = Some(DiskFault::Full),
            Some(Failure::Slow(long)) => hook.slow = hook.slow.max(long),
            _ => {}
        }
        if let Some(fault) = store.broken.filter(|fault| grows || *fault != DiskFault::Full) {
            // The operation does nothing, and the node stops right after it all the same.
            hook.stopped = failure.filter(|failure| failure.stops());
            return Err(fault);
        }
        let before = store.files.get(file).cloned();
        act(&mut store, file);
        match failure {
            Some(Failure::Corrupt) if grows => {
                let from = if operation == "append" { before.map_or(0, |bytes| bytes.len()) } else { 0 };
                if let Some(content) = store.files.get_mut(file) {
                    flip(&mut content[from..]);
                }
            }
            // The operation is done: the node stops right after it.
            Some(Failure::Crash | Failure::Kill(_) | Failure::Reboot(_)) => hook.stopped = failure,
            Some(Failure::Torn(_)) => {
                hook.stopped = failure;
                store.tear(file, operation == "append", before.unwrap_or_default());
            }
            _ => {}
        }
        Ok(failure)
    }

    /// Does something with it, and takes aside how long that takes: for those who wait by themselves.
    #[cfg(feature = "tokio")]
    pub(crate) fn aside<T>(&self, act: impl FnOnce(&Disk) -> T) -> (T, u32) {
        let before = std::mem::take(&mut self.hook.lock().slow);
        let result = act(self);
        (result, std::mem::replace(&mut self.hook.lock().slow, before))
    }

    /// One operation more, or fewer, is slow and not done yet.
    #[cfg(feature = "tokio")]
    pub(crate) fn await_one(&self, begins: bool) {
        let awaited = &mut self.store().awaited;
        *awaited = if begins { *awaited + 1 } else { *awaited - 1 };
    }

    /// Whether somebody waits for a slow operation.
    #[cfg(feature = "tokio")]
    pub(crate) fn is_awaited(&self) -> bool {
        self.store().awaited > 0
    }

    /// Whether the node stopped in the middle of its step.
    #[cfg(feature = "tokio")]
    pub(crate) fn is_stopped(&self) -> bool {
        self.hook.lock().stopped.is_some()
    }

    /// Whether messages may be late.
    #[cfg(feature = "tokio")]
    pub(crate) fn may_be_late(&self) -> bool {
        self.hook.lock().late
    }

    /// The instant.
    pub(crate) fn time(&self) -> u32 {
        self.hook.lock().time
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The machine stops: what was not synced is gone.
    pub(crate) fn lose_unsynced(&self) {
        let mut store = self.store();
        store.files = store.durable.clone();
    }

    /// All that is on it, and how it is, in one number.
    pub(crate) fn digest(&self) -> u64 {
        digest(&*self.store())
    }
}

impl Store {
    fn sync(&mut self, file: &str) {
        match self.files.get(file) {
            Some(content) => drop(self.durable.insert(file.to_owned(), content.clone())),
            None => drop(self.durable.remove(file)),
        }
    }

    /// Half of what an operation wrote reaches the disk, and what was there before it.
    fn tear(&mut self, file: &str, append: bool, before: Vec<u8>) {
        let now = self.files.get(file).cloned().unwrap_or_default();
        let kept = if append { before.len() } else { 0 };
        let half = kept + (now.len() - kept) / 2;
        // A file that is replaced from its start keeps the end of what it was.
        let mut torn = now[..half].to_vec();
        torn.extend(before.get(half..).unwrap_or_default());
        self.files.insert(file.to_owned(), torn);
        self.sync(file);
    }
}

/// One bit in the middle is wrong.
fn flip(bytes: &mut [u8]) {
    let middle = bytes.len() / 2;
    if let Some(byte) = bytes.get_mut(middle) {
        *byte ^= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    fn disk(failures: &str) -> Disk {
        let scenario = Scenario::parse(failures, &["n1".to_owned()]).unwrap_or_else(|error| panic!("{error}"));
        let hook = Shared::new(&scenario, false);
        hook.lock().time = 1;
        Disk::new(0, &hook)
    }

    #[test]
    fn a_reboot_keeps_what_was_synced() {
        let disk = disk("no failures");
        disk.append("log", b"one").expect("it works");
        disk.sync("log").expect("it works");
        disk.append("log", b"two").expect("it works");
        disk.write("new", b"three").expect("it works");
        assert_eq!(disk.read("log"), Ok(Some(b"onetwo".to_vec())));
        disk.lose_unsynced();
        assert_eq!(disk.read("log"), Ok(Some(b"one".to_vec())));
        assert_eq!(disk.read("new"), Ok(None));
    }

    #[test]
    fn a_removal_lasts_once_it_is_synced() {
        let disk = disk("no failures");
        disk.write("a", b"x").and_then(|()| disk.sync("a")).and_then(|()| disk.remove("a")).expect("it works");
        assert_eq!(disk.read("a"), Ok(None));
        disk.lose_unsynced();
        assert_eq!(disk.read("a"), Ok(Some(b"x".to_vec())));
        disk.remove("a").and_then(|()| disk.sync("a")).expect("it works");
        disk.lose_unsynced();
        assert_eq!(disk.read("a"), Ok(None));
    }

    #[test]
    fn an_error_strikes_one_operation_and_does_nothing() {
        let disk = disk("disk-error n1@1 append:log(2)");
        assert_eq!(disk.append("log", b"one"), Ok(()));
        assert_eq!(disk.append("log", b"two"), Err(DiskFault::Io));
        assert_eq!(disk.append("log", b"three"), Ok(()));
        assert_eq!(disk.read("log"), Ok(Some(b"onethree".to_vec())));
    }

    #[test]
    fn a_bad_disk_stays_bad_and_a_full_one_can_be_read() {
        let bad = disk("bad-disk n1@1 append:log");
        assert_eq!(bad.append("log", b"x"), Err(DiskFault::Io));
        assert_eq!(bad.read("log"), Err(DiskFault::Io));
        let full = disk("disk-full n1@1 append:log(2)");
        assert_eq!(full.append("log", b"x"), Ok(()));
        assert_eq!(full.append("log", b"y"), Err(DiskFault::Full));
        assert_eq!(full.append("other", b"y"), Err(DiskFault::Full));
        assert_eq!(full.read("log"), Ok(Some(b"x".to_vec())));
    }

    #[test]
    fn a_node_stops_after_an_operation_that_fails_as_after_any_other() {
        for stop in ["crash n1@1 append:log(2)", "reboot n1@1 append:log(2) until 3", "torn n1@1 append:log(2) until 3"]
        {
            let bad = disk(&format!("bad-disk n1@1 append:log; {stop}"));
            assert_eq!(bad.append("log", b"x"), Err(DiskFault::Io));
            assert_eq!(bad.hook.lock().stopped, None);
            assert_eq!(bad.append("log", b"x"), Err(DiskFault::Io));
            assert!(bad.hook.lock().stopped.is_some(), "{stop}");
        }
    }

    #[test]
    fn half_of_a_torn_write_is_there_after_the_reboot() {
        let torn = disk("torn n1@1 append:log(2) until 4");
        assert_eq!(torn.append("log", b"one"), Ok(()));
        assert_eq!(torn.append("log", b"wxyz"), Ok(()));
        // The node is no longer there.
        assert_eq!(torn.append("log", b"more"), Ok(()));
        torn.lose_unsynced();
        torn.hook.lock().begin();
        assert_eq!(torn.read("log"), Ok(Some(b"onewx".to_vec())));
        let over = disk("torn n1@1 write:log(2) until 4");
        assert_eq!(over.write("log", b"aaaaaa"), Ok(()));
        assert_eq!(over.write("log", b"bbbb"), Ok(()));
        over.hook.lock().begin();
        assert_eq!(over.read("log"), Ok(Some(b"bbaaaa".to_vec())));
    }

    #[test]
    fn corruption_is_read_back_or_read_once() {
        let written = disk("corrupt n1@1 append:log(2)");
        assert_eq!(written.append("log", b"ab").and_then(|()| written.append("log", b"cd")), Ok(()));
        assert_eq!(written.read("log"), Ok(Some(b"abce".to_vec())));
        let read = disk("corrupt n1@1 read:log");
        assert_eq!(read.write("log", b"ab"), Ok(()));
        assert_eq!(read.read("log"), Ok(Some(b"ac".to_vec())));
        assert_eq!(read.read("log"), Ok(Some(b"ab".to_vec())));
    }

    #[test]
    fn a_stop_after_a_sync_finds_it_done() {
        let disk = disk("reboot n1@1 sync:log until 5");
        assert_eq!(disk.append("log", b"x").and_then(|()| disk.sync("log")), Ok(()));
        assert_eq!(disk.hook.lock().stopped, Some(Failure::Reboot(4)));
        disk.lose_unsynced();
        disk.hook.lock().begin();
        assert_eq!(disk.read("log"), Ok(Some(b"x".to_vec())));
    }
}
