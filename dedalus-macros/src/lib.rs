//! The dedalus! macro: rules compiled to specialised Rust joins.
