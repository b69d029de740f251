//! The disk, for those who wait for it.

use std::io;
use std::time::Duration;

use crate::disk::{Disk, DiskFault};

/// A node's disk. A slow operation holds up whoever waits for it, and nobody else. A clone is the same disk.
#[derive(Clone, Debug)]
pub struct AsyncDisk {
    disk: Disk,
    instant: Duration,
}

impl AsyncDisk {
    pub(super) fn new(disk: Disk, instant: Duration) -> Self {
        AsyncDisk { disk, instant }
    }

    /// All of a file; none if there is no such file.
    ///
    /// # Errors
    /// If the disk fails.
    pub async fn read(&self, file: &str) -> io::Result<Option<Vec<u8>>> {
        self.wait(|disk| disk.read(file)).await
    }

    /// Replaces all of a file, or makes it.
    ///
    /// # Errors
    /// If the disk fails; then nothing was written.
    pub async fn write(&self, file: &str, bytes: &[u8]) -> io::Result<()> {
        self.wait(|disk| disk.write(file, bytes)).await
    }

    /// Adds to the end of a file, or makes it.
    ///
    /// # Errors
    /// If the disk fails; then nothing was written.
    pub async fn append(&self, file: &str, bytes: &[u8]) -> io::Result<()> {
        self.wait(|disk| disk.append(file, bytes)).await
    }

    /// Leaves so many bytes of a file.
    ///
    /// # Errors
    /// If the disk fails; then nothing was changed.
    pub async fn truncate(&self, file: &str, length: usize) -> io::Result<()> {
        self.wait(|disk| disk.truncate(file, length)).await
    }

    /// Deletes a file, if it is there.
    ///
    /// # Errors
    /// If the disk fails; then nothing was changed.
    pub async fn remove(&self, file: &str) -> io::Result<()> {
        self.wait(|disk| disk.remove(file)).await
    }

    /// Makes all that was done to a file last.
    ///
    /// # Errors
    /// If the disk fails; then what was not synced before is not now.
    pub async fn sync(&self, file: &str) -> io::Result<()> {
        self.wait(|disk| disk.sync(file)).await
    }

    async fn wait<T>(&self, act: impl FnOnce(&Disk) -> Result<T, DiskFault>) -> io::Result<T> {
        let (result, slow) = self.disk.aside(act);
        if self.disk.is_stopped() {
            // The node is no longer there to hear of it.
            return std::future::pending().await;
        }
        if slow > 0 {
            let _waits = Waits::for_one(&self.disk);
            ::tokio::time::sleep(self.instant.saturating_mul(slow)).await;
        }
        Ok(result?)
    }
}

/// Somebody waits for a slow operation, or is dropped meanwhile.
struct Waits<'d>(&'d Disk);

impl<'d> Waits<'d> {
    fn for_one(disk: &'d Disk) -> Self {
        disk.await_one(true);
        Waits(disk)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.await_one(false);
    }
}
