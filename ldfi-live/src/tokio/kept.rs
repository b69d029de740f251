//! A value that is on the disk as a whole, for those who wait for it.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::disk::AsyncDisk;
use crate::kept::{decode, encode};

/// A value that outlasts the service: read from a file at boot, written and synced as a whole with each change. A clone is the same
/// value.
///
/// Changes are made one after the other; whoever reads meanwhile finds what is on the disk. See [`crate::Kept`] for nodes that do not
/// wait.
///
/// ```
/// use std::time::Duration;
/// use ldfi_live::tokio::{Host, Kept, Message, setup};
///
/// #[derive(Clone, Debug)]
/// struct Nothing;
/// impl Message for Nothing {}
///
/// setup(1, Duration::from_millis(10), |host: Host<Nothing, u32>| async move {
///     let puts: Kept<Vec<u32>> = Kept::open(host.disk(), "puts").await.expect("what was kept can be read");
///     loop {
///         let put = host.asked().await;
///         if puts.change(|puts| puts.push(put)).await.is_ok() {
///             host.event("put", (put, puts.read(|puts| puts.len())));
///         }
///     }
/// });
/// ```
pub struct Kept<T> {
    inner: Arc<Inner<T>>,
}

struct Inner<T> {
    disk: AsyncDisk,
    file: String,
    value: Mutex<T>,
    /// Held by whoever changes it, from reading to having it on the disk.
    turn: ::tokio::sync::Mutex<()>,
}

impl<T: Serialize + DeserializeOwned + Clone + Default> Kept<T> {
    /// What a file has; its default if there is no such file.
    ///
    /// # Errors
    /// If the disk fails, or the file has something else.
    pub async fn open(disk: AsyncDisk, file: &str) -> io::Result<Self> {
        let value = decode(file, disk.read(file).await?)?;
        let inner =
            Inner { disk, file: file.to_owned(), value: Mutex::new(value), turn: ::tokio::sync::Mutex::default() };
        Ok(Kept { inner: Arc::new(inner) })
    }

    /// Changes it, and makes that last.
    ///
    /// # Errors
    /// If the disk fails; then it is what it was. The file may have the change all the same: the next boot tells.
    pub async fn change<A>(&self, change: impl FnOnce(&mut T) -> A) -> io::Result<A> {
        let Inner { disk, file, turn, .. } = &*self.inner;
        let _turn = turn.lock().await;
        let mut value = self.read(T::clone);
        let answer = change(&mut value);
        disk.write(file, &encode(&value)?).await?;
        disk.sync(file).await?;
        *self.value() = value;
        Ok(answer)
    }
}

impl<T> Kept<T> {
    /// Looks at it.
    pub fn read<A>(&self, read: impl FnOnce(&T) -> A) -> A {
        read(&self.value())
    }

    fn value(&self) -> MutexGuard<'_, T> {
        self.inner.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Kept { inner: self.inner.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read(|value| value.fmt(f))
    }
}
