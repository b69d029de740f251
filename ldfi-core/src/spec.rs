//! Failure specifications ⟨EOT, EFF, Crashes⟩.

use std::fmt;

/// How bad the world may be: ⟨EOT, EFF, Crashes⟩.
///
/// Message loss ceases at time EFF: a message sent at `t` can be lost iff `t < EFF`. (The paper's
/// algorithm and tables read it so; the example in its section 2.1.1 reads as `t <= EFF`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FailureSpec {
    eot: u32,
    eff: u32,
    crashes: u32,
}

/// Parameters that make no failure specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// EOT is 0, but time runs from 1.
    NoTime,
    /// EFF is after EOT.
    EffAfterEot {
        /// The end of time.
        eot: u32,
        /// The end of finite failures.
        eff: u32,
    },
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::NoTime => f.write_str("EOT is 0, but time runs from 1: choose EOT of at least 1"),
            SpecError::EffAfterEot { eot, eff } => {
                write!(f, "EFF is {eff}, after the end of time, EOT {eot}: choose EFF of at most {eot}")
            }
        }
    }
}

impl std::error::Error for SpecError {}

impl FailureSpec {
    /// ⟨EOT, EFF, Crashes⟩.
    ///
    /// # Errors
    /// If EOT is 0 or EFF is after it.
    ///
    /// ```
    /// use ldfi_core::spec::FailureSpec;
    /// assert_eq!(FailureSpec::new(6, 4, 1).unwrap().to_string(), "⟨6, 4, 1⟩");
    /// assert!(FailureSpec::new(4, 6, 1).is_err());
    /// ```
    pub fn new(eot: u32, eff: u32, crashes: u32) -> Result<Self, SpecError> {
        if eot == 0 {
            return Err(SpecError::NoTime);
        }
        if eff > eot {
            return Err(SpecError::EffAfterEot { eot, eff });
        }
        Ok(FailureSpec { eot, eff, crashes })
    }

    /// The end of time.
    pub fn eot(self) -> u32 {
        self.eot
    }

    /// The end of finite failures: message loss ceases at this time.
    pub fn eff(self) -> u32 {
        self.eff
    }

    /// At most so many nodes crash.
    pub fn crashes(self) -> u32 {
        self.crashes
    }
}

impl fmt::Display for FailureSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "⟨{}, {}, {}⟩", self.eot, self.eff, self.crashes)
    }
}
