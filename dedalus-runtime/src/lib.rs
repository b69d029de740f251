//! Values, relations, time steps, faults, lineage, and the plan interpreter.

pub mod error;
pub mod faults;
pub mod input;
pub mod naive;
pub mod value;
