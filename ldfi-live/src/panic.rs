//! Panics of nodes, caught: a finding, not the end of the test.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// A panic: what it said, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Panic {
    /// What it said.
    pub message: String,
    /// Where, as `file:line`.
    pub place: String,
    /// How it came there, where that was asked for.
    pub backtrace: Option<String>,
}

/// Whether a panic on this thread is to be caught, and what was.
#[derive(Default)]
struct Watch {
    on: bool,
    backtrace: bool,
    caught: Option<Panic>,
}

thread_local! {
    static WATCH: RefCell<Watch> = RefCell::default();
}

/// Runs something; a panic is returned, and not printed.
pub(crate) fn catch<T>(backtrace: bool, work: impl FnOnce() -> T) -> Result<T, Panic> {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            let ours = WATCH.with_borrow_mut(|watch| {
                if watch.on {
                    let message = info.payload_as_str().unwrap_or("a panic without words").to_owned();
                    let place = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
                    let backtrace = watch.backtrace.then(|| of_the_code(&Backtrace::force_capture().to_string()));
                    watch.caught = Some(Panic { message, place, backtrace });
                }
                watch.on
            });
            if !ours {
                before(info);
            }
        }));
    });
    let outer = WATCH.replace(Watch { on: true, backtrace, caught: None });
    // A node that panicked is never touched again.
    let result = catch_unwind(AssertUnwindSafe(work));
    let watch = WATCH.replace(outer);
    result.map_err(|_| {
        let unknown = || Panic { message: "a panic without words".to_owned(), place: String::new(), backtrace: None };
        watch.caught.unwrap_or_else(unknown)
    })
}

/// The frames of a backtrace between the machinery of panics and that of the world.
fn of_the_code(backtrace: &str) -> String {
    let mut frames: Vec<String> = vec![];
    for line in backtrace.lines() {
        let begins = line.trim_start().split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        match frames.last_mut() {
            Some(frame) if !begins => *frame = format!("{frame}\n{line}"),
            _ => frames.push(line.to_owned()),
        }
    }
    let panics = |frame: &String| frame.contains("core::panicking::") || frame.contains("rust_begin_unwind");
    let first = frames.iter().rposition(panics).map_or(0, |at| at + 1);
    let caught = |frame: &String| frame.contains("catch_unwind") || frame.contains("ldfi_live::panic::catch");
    let last = frames.iter().skip(first).position(caught).map_or(frames.len(), |at| first + at);
    frames[first..last].join("\n")
}

/// Whether something panicked on this thread that is being watched, and was caught by somebody else.
#[cfg(feature = "tokio")]
pub(crate) fn caught() -> bool {
    WATCH.with_borrow(|watch| watch.caught.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_place() {
        let caught = catch(true, || panic!("number {}", 7)).expect_err("it panics");
        assert_eq!(caught.message, "number 7");
        assert!(caught.place.contains("panic.rs:"), "{}", caught.place);
        assert!(caught.backtrace.is_some_and(|trace| trace.contains("a_panic_is_caught")));
        assert_eq!(catch(false, || 3), Ok(3));
        let both = catch(false, || {
            let inner = catch(false, || panic!("inner")).expect_err("it panics");
            panic!("outer after {}", inner.message);
        });
        assert_eq!(both.map_err(|panic: Panic| panic.message), Err::<(), _>("outer after inner".to_owned()));
    }
}
