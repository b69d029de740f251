//! Every view of a verdict: terminal, SVG, HTML, DOT, Mermaid, JSON, JUnit, and Nemo's files.
//!
//! The road is short. Somebody fills a [`model::Report`]: the program, the faults allowed, the
//! verdict, and one [`model::Run`] for the failure-free execution and each counterexample. Each
//! view is then a pure function of it.
//!
//! | module | what it gives |
//! |---|---|
//! | [`model`] | the data, its JSON and its checks |
//! | `index`, [`spacetime`], [`lineage`] | what the pictures show: lookups, arrows, why and why not |
//! | [`text`] | diagrams, tables and trees for terminals |
//! | [`svg`], [`dot`], [`mermaid`] | the two diagrams as files |
//! | [`html`] | one self-contained page, and the contract of the explorer's server |
//! | [`compare`] | variants side by side: tables, JSON, a page |
//! | [`proof`] | a question about any number of nodes: text, JSON, a page |
//! | [`molly`], [`junit`] | files that other tools read |
//! | `write` | a folder with `index.html` and `report.json` |
//! | [`disk`] | how every file is written: whole or not at all |
//! | `xml` | text made harmless within tags |

#![forbid(unsafe_code)]

// The data, and what pictures of it show.
pub mod lineage;
pub mod model;
pub mod spacetime;

// Views of a report.
pub mod dot;
pub mod html;
pub mod mermaid;
pub mod svg;
pub mod text;

// Views of other findings.
pub mod compare;
pub mod proof;

// Files: for other tools, and how all of them are written.
pub mod disk;
pub mod junit;
pub mod molly;
pub use write::{ReportError, write_report, write_report_within};

mod index;
mod write;
mod xml;
