//! Amounts of memory, as people write them.

use std::fmt;
use std::str::FromStr;

/// An amount of memory, written as in `512 MiB`.
///
/// ```
/// use ldfi_model::Bytes;
/// assert_eq!("1.5GiB".parse(), Ok(Bytes(3 << 29)));
/// assert_eq!(Bytes(200 << 20).to_string(), "200 MiB");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes(pub usize);

/// A text that is not an amount of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytesError(pub String);

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not an amount of memory: write it as in `512MiB` or `2GiB`", self.0)
    }
}

impl std::error::Error for BytesError {}

const UNITS: [(&str, u32); 4] = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, shift) = UNITS.iter().find(|(_, shift)| self.0 >> shift > 0).unwrap_or(&("B", 0));
        // One digit after the point where there is something to say there.
        let tenths = (self.0 >> shift).saturating_mul(10) + (((self.0 & ((1 << shift) - 1)) * 10) >> shift);
        if tenths.is_multiple_of(10) || tenths >= 1000 {
            write!(f, "{} {unit}", tenths / 10)
        } else {
            write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
        }
    }
}

impl FromStr for Bytes {
    type Err = BytesError;

    fn from_str(text: &str) -> Result<Self, BytesError> {
        let wrong = || BytesError(text.to_owned());
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (number, unit) = (text[..end].parse::<f64>().map_err(|_| wrong())?, text[end..].trim().to_lowercase());
        let shift = match unit.as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            _ => return Err(wrong()),
        };
        // Beyond what there can be, all amounts are alike.
        let bytes = number * f64::from(1u32 << shift);
        Ok(Bytes(if bytes >= usize::MAX as f64 { usize::MAX } else { bytes as usize }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_as_they_are_written() {
        for (text, bytes) in [("0 B", 0), ("100 B", 100), ("1 KiB", 1024), ("1.5 KiB", 1536), ("2 GiB", 2 << 30)] {
            assert_eq!(Bytes(bytes).to_string(), text);
            assert_eq!(text.parse(), Ok(Bytes(bytes)));
        }
        assert_eq!("64kb".parse(), Ok(Bytes(65536)));
        assert_eq!("1e99".parse::<Bytes>(), Err(BytesError("1e99".into())));
        assert_eq!("99999999999999999999G".parse(), Ok(Bytes(usize::MAX)));
        for wrong in ["", "GiB", "1 TiB", "-3MB", "1.2.3"] {
            assert!(wrong.parse::<Bytes>().is_err(), "{wrong}");
        }
    }
}
