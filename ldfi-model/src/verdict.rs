//! The kinds of verdict that a check comes to.

use std::fmt;

/// What a check comes to, without the particulars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum VerdictKind {
    /// No admissible fault set violates the outcome.
    FaultTolerant,
    /// An admissible fault set violates it.
    Counterexample,
    /// The run without any fault violates it.
    IncorrectWithoutFaults,
    /// Nothing was ever promised: `pre` is empty.
    Vacuous,
    /// A budget ran out, or an incomplete search found nothing.
    Inconclusive,
}

impl VerdictKind {
    /// The name used in JSON, on the command line and in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            VerdictKind::FaultTolerant => "fault-tolerant",
            VerdictKind::Counterexample => "counterexample",
            VerdictKind::IncorrectWithoutFaults => "incorrect-without-faults",
            VerdictKind::Vacuous => "vacuous",
            VerdictKind::Inconclusive => "inconclusive",
        }
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            VerdictKind::FaultTolerant => "No admissible combination of faults breaks the outcome.",
            VerdictKind::Counterexample => "These faults are allowed, and they break the outcome.",
            VerdictKind::IncorrectWithoutFaults => "The outcome fails even when nothing goes wrong.",
            VerdictKind::Vacuous => {
                "Without faults the precondition never holds, and no faults break the promise: that says little."
            }
            VerdictKind::Inconclusive => "The search ended before it could tell.",
        }
    }

    /// Whether the check succeeded.
    pub fn is_success(self) -> bool {
        self == VerdictKind::FaultTolerant
    }

    /// Whether the question is settled: no budget ran out, no incomplete mode found nothing. A counterexample settles it,
    /// whoever found it. This is what `complete` says everywhere.
    pub fn is_complete(self) -> bool {
        self != VerdictKind::Inconclusive
    }
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
