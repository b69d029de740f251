//! Exact linear programs: is there a point, and if not, why not.
//!
//! All variables are at least zero (they count things) and all coefficients whole. Nothing is rounded: numbers are machine
//! words as long as they fit, and grow where they do not. What has no point has a certificate ([`Farkas`]) that anybody can
//! check by adding rows.
//!
//! | module | noun |
//! |---|---|
//! | `row` | `a·x ≤ b`, and systems of such rows |
//! | `tableau` | the simplex method, on whole numbers with one common denominator |
//! | `farkas` | a sum of rows that says `0 < 0` |
//! | `whole` | points of whole numbers, with alternatives among rows |
//!
//! ```
//! use ldfi_param::linear::{Feasibility, Row, System};
//! // Two sets of more than half of n nodes that have none in common.
//! let (n, a, b) = (0, 1, 2);
//! let mut system = System::new(3);
//! system.push(Row::at_most([(n, 1), (a, -2)], -1));
//! system.push(Row::at_most([(n, 1), (b, -2)], -1));
//! system.push(Row::at_most([(a, 1), (b, 1), (n, -1)], 0));
//! let Feasibility::Refuted(why) = system.solve() else { panic!() };
//! assert!(why.refutes(&system));
//! ```

mod farkas;
mod row;
mod tableau;
mod whole;

pub use farkas::Farkas;
pub use row::{Feasibility, Point, Row, System};
pub use whole::{Alternatives, Effort, Whole};
