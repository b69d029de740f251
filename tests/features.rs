//! Small programs, one clause of the language each: generated Rust, interpreter and reference evaluator agree
//! on every tuple, under several fault sets, in all variants; and what they agree on is what was meant.

mod agree;
mod features {
    #[macro_use]
    pub mod feature;
    mod aggregates;
    mod arithmetic;
    mod columns;
    mod faults;
    mod files;
    mod messages;
    mod negation;
    mod params;
    mod recursion;
    mod shared;
    mod time;
    mod typed;
}
