//! Prove, from inside `cargo test`, that a distributed protocol survives message loss and crashes.

extern crate self as ldfi;

#[doc(hidden)]
pub use dedalus_macros::__dedalus_resume;
pub use dedalus_macros::{dedalus, dedalus_file};
#[doc(hidden)]
pub use dedalus_runtime as __rt;
pub use dedalus_runtime::faults;

/// What a user of `ldfi` writes with.
pub mod prelude {
    pub use dedalus_macros::{dedalus, dedalus_file};
    pub use dedalus_runtime::faults;
    pub use dedalus_runtime::faults::{Faults, eot};
    pub use dedalus_runtime::program::Program;
}
