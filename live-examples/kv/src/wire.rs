//! Frames on a stream: a put and its number, or that a number is kept.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::server::Put;

/// What primary and backup send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Keep this; it is the put of that number.
    Keep(u32, Put),
    /// Everything up to that number is kept.
    Kept(u32),
}

pub(crate) async fn write(stream: &mut (impl AsyncWrite + Unpin), frame: Frame) -> io::Result<()> {
    let words = match frame {
        Frame::Keep(number, put) => [u32::from(b'P'), number, put.key, put.value],
        Frame::Kept(number) => [u32::from(b'K'), number, 0, 0],
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    stream.write_all(&bytes).await?;
    stream.flush().await
}

pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Frame> {
    let mut words = [0; 4];
    for word in &mut words {
        *word = stream.read_u32_le().await?;
    }
    match words {
        [kind, number, key, value] if kind == u32::from(b'P') => Ok(Frame::Keep(number, Put { key, value })),
        [kind, number, ..] if kind == u32::from(b'K') => Ok(Frame::Kept(number)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
