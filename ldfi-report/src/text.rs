//! Views for terminals: short when the answer is short, plain unless colour is asked for. What strings hold is shown,
//! never sent to the terminal as it is.

mod because;
mod diagram;
mod paint;
mod signs;
mod summary;
mod tables;
mod visible;

pub use because::{because, because_briefly, in_words};
pub use diagram::{spacetime, spacetime_between};
pub use summary::{nothing_promised, overview, plural, summary};
pub use tables::tables;
pub use visible::{visible, visible_colored, visible_json, visible_lines};

pub(crate) use paint::{Ink, paint};

/// How to write for the terminal at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns available.
    pub width: usize,
    /// Whether to colour.
    pub color: bool,
    /// Whether box-drawing characters may be used.
    pub unicode: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions { width: 80, color: false, unicode: true }
    }
}
