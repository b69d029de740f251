//! Shared code of the benchmarks: what is measured, and the peers it is measured against.

pub mod encode;
pub mod peers;
pub mod programs;
pub mod rows;
pub mod stateright;
