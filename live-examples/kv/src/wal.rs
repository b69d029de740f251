//! The write-ahead log: records with checksums, and what a crash leaves of them.

use std::io;

use crate::Storage;
use crate::server::Put;

/// Bytes of a record: key, value, checksum.
const RECORD: usize = 12;

/// What is done with the end of a log that a crash left half written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// It is cut off before anything is added.
    Cut,
    /// It is passed over, and what follows is added behind it: the mistake.
    Left,
}

/// The log of a node.
pub(crate) struct Wal<S> {
    storage: S,
    /// How long the part is that is known to be good; what is behind it is not.
    good: usize,
}

impl<S: Storage> Wal<S> {
    /// Opens the log, and tells what is in it.
    pub async fn open(storage: S, tail: Tail) -> io::Result<(Self, Vec<Put>)> {
        let bytes = storage.read().await?;
        let mut puts = vec![];
        for record in bytes.chunks(RECORD) {
            let Some(put) = decode(record) else { break };
            puts.push(put);
        }
        let mut wal = Wal { storage, good: puts.len() * RECORD };
        if tail == Tail::Cut && wal.good < bytes.len() {
            wal.storage.truncate(wal.good).await?;
        } else {
            wal.good = bytes.len();
        }
        Ok((wal, puts))
    }

    /// How long the part is that is known to be good.
    pub fn good(&self) -> usize {
        self.good
    }

    /// Adds a record; it lasts.
    pub async fn append(&mut self, put: Put) -> io::Result<()> {
        let record = encode(put);
        if let Err(error) = self.storage.append(&record).await {
            // Whatever of it is there must not stand before what comes next.
            self.storage.truncate(self.good).await?;
            return Err(error);
        }
        self.good += RECORD;
        Ok(())
    }
}

fn encode(put: Put) -> Vec<u8> {
    let mut record = [put.key.to_le_bytes(), put.value.to_le_bytes()].concat();
    record.extend(checksum(&record).to_le_bytes());
    record
}

fn decode(record: &[u8]) -> Option<Put> {
    let number = |at: usize| Some(u32::from_le_bytes(record.get(at..at + 4)?.try_into().ok()?));
    let (key, value, sum) = (number(0)?, number(4)?, number(8)?);
    (sum == checksum(&record[..8])).then_some(Put { key, value })
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_half_of_one_is_not() {
        let put = Put { key: 3, value: 70_000 };
        let record = encode(put);
        assert_eq!(record.len(), RECORD);
        assert_eq!(decode(&record), Some(put));
        assert_eq!(decode(&record[..RECORD / 2]), None);
        let mut wrong = record;
        wrong[5] ^= 1;
        assert_eq!(decode(&wrong), None);
    }
}
