//! A value that is on the disk as a whole.

use std::fmt;
use std::io;
use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::disk::Disk;

/// A value that outlasts the node: read from a file at boot, written and synced as a whole with each change.
///
/// It is what it has; each change goes through [`Kept::change`]. For services that wait for their disk there is
/// `ldfi_live::tokio::Kept`. A torn write leaves a file that is no such value: who is to survive that has to write a log instead.
///
/// ```
/// use std::io;
/// use ldfi_live::{Disk, Id, Kept, Node, Options, Out, Scenario, Setup};
///
/// /// Counts what clients ask.
/// struct Counter(Kept<u64>);
///
/// impl Counter {
///     fn boot(_: Id, disk: Disk) -> Self {
///         Counter(Kept::open(disk, "count").expect("what was kept can be read"))
///     }
/// }
///
/// impl Node for Counter {
///     type Message = ();
///     type Request = ();
///
///     fn tick(&mut self, _: &mut Out<()>) {}
///     fn handle(&mut self, _: Id, (): (), _: &mut Out<()>) {}
///
///     fn ask(&mut self, (): (), out: &mut Out<()>) {
///         match self.0.change(|count| *count += 1) {
///             Ok(()) => out.event("counted", *self.0),
///             Err(fault) => out.event("refused", fault.to_string()),
///         }
///     }
/// }
///
/// let mut cluster = Setup::new(1, Counter::boot);
/// cluster.end(9);
/// cluster.workload(|w| w.extend([(2, 1, ()), (4, 1, ()), (8, 1, ())]))?;
/// let told = |failures: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
///     let failures = Scenario::parse(failures, cluster.nodes())?;
///     let replayed = cluster.replay(&[], &Options::default(), &failures)?;
///     Ok(replayed.events.iter().map(|(time, event)| format!("{event}@{time}")).collect())
/// };
/// // What a node counted before its machine stopped, it knows when it is back.
/// assert_eq!(told("reboot n1@5 until 7")?, [r#"counted("n1", 1)@2"#, r#"counted("n1", 2)@4"#, r#"counted("n1", 3)@8"#]);
/// // What the disk does not take did not happen.
/// assert_eq!(
///     told("disk-error n1@4 write:count")?,
///     [r#"counted("n1", 1)@2"#, r#"refused("n1", "the disk reports an error")@4"#, r#"counted("n1", 2)@8"#],
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Kept<T> {
    disk: Disk,
    file: String,
    value: T,
}

impl<T: Serialize + DeserializeOwned + Clone + Default> Kept<T> {
    /// What a file has; its default if there is no such file.
    ///
    /// # Errors
    /// If the disk fails, or the file has something else.
    pub fn open(disk: Disk, file: &str) -> io::Result<Self> {
        let value = decode(file, disk.read(file)?)?;
        Ok(Kept { disk, file: file.to_owned(), value })
    }

    /// Changes it, and makes that last.
    ///
    /// # Errors
    /// If the disk fails; then it is what it was. The file may have the change all the same: the next boot tells.
    pub fn change<A>(&mut self, change: impl FnOnce(&mut T) -> A) -> io::Result<A> {
        let mut value = self.value.clone();
        let answer = change(&mut value);
        self.disk.write(&self.file, &encode(&value)?)?;
        self.disk.sync(&self.file)?;
        self.value = value;
        Ok(answer)
    }
}

/// The value that a file has.
pub(crate) fn decode<T: DeserializeOwned + Default>(file: &str, bytes: Option<Vec<u8>>) -> io::Result<T> {
    let Some(bytes) = bytes else { return Ok(T::default()) };
    let wrong = |error| io::Error::new(io::ErrorKind::InvalidData, format!("`{file}` has something else: {error}"));
    serde_json::from_slice(&bytes).map_err(wrong)
}

/// A value as a file has it.
pub(crate) fn encode<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::Shared;
    use crate::scenario::Scenario;

    fn disk(failures: &str) -> Disk {
        let scenario = Scenario::parse(failures, &["n1".to_owned()]).unwrap_or_else(|error| panic!("{error}"));
        let hook = Shared::new(&scenario, false);
        hook.lock().time = 1;
        Disk::new(0, &hook)
    }

    fn open(disk: &Disk) -> Kept<Vec<u32>> {
        Kept::open(disk.clone(), "state").expect("it can be read")
    }

    #[test]
    fn a_change_outlasts_a_reboot() {
        let disk = disk("no failures");
        let mut kept = open(&disk);
        assert!(kept.is_empty());
        assert_eq!(kept.change(|state| state.extend([1, 2])).ok(), Some(()));
        assert_eq!(kept.change(|state| state.pop()).ok(), Some(Some(2)));
        disk.lose_unsynced();
        assert_eq!(*open(&disk), [1]);
    }

    #[test]
    fn a_change_that_the_disk_refuses_did_not_happen() {
        for failure in ["disk-error n1@1 write:state(2)", "disk-full n1@1 write:state(2)"] {
            let disk = disk(failure);
            let mut kept = open(&disk);
            kept.change(|state| state.push(1)).expect("it works");
            kept.change(|state| state.push(2)).expect_err("it does not");
            assert_eq!(*kept, [1]);
            assert_eq!(*open(&disk), [1]);
        }
    }

    #[test]
    fn what_was_written_and_not_synced_may_be_there_after_all() {
        let disk = disk("disk-error n1@1 sync:state(2)");
        let mut kept = open(&disk);
        kept.change(|state| state.push(1)).expect("it works");
        kept.change(|state| state.push(2)).expect_err("it does not");
        assert_eq!(*kept, [1]);
        // Its process dies: what was written is there. Its machine stops: it is not.
        assert_eq!(*open(&disk), [1, 2]);
        disk.lose_unsynced();
        assert_eq!(*open(&disk), [1]);
    }

    #[test]
    fn a_file_that_has_something_else_is_named() {
        let disk = disk("no failures");
        disk.write("state", b"[1, 2").expect("it works");
        let error = Kept::<Vec<u32>>::open(disk, "state").expect_err("it is cut off");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().starts_with("`state` has something else: EOF"), "{error}");
    }
}
