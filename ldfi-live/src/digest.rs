//! Content as one number: equal content, equal number, in every process.

use std::fmt::{self, Debug, Write};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The number of something that can be hashed.
pub(crate) fn digest<T: Hash + ?Sized>(content: &T) -> u64 {
    // Its keys are fixed, unlike those of a `RandomState`.
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

/// The number of what is printed for debugging, for content that cannot be hashed.
///
/// ```
/// assert_eq!(ldfi_live::digest_of(&(1, "a")), ldfi_live::digest_of(&(1, "a")));
/// assert_ne!(ldfi_live::digest_of(&(1, "a")), ldfi_live::digest_of(&(1, "b")));
/// ```
pub fn digest_of<T: Debug + ?Sized>(content: &T) -> u64 {
    struct Into(DefaultHasher);
    impl Write for Into {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }
    let mut into = Into(DefaultHasher::new());
    // Writing into a hasher does not fail; a `Debug` that does prints as much as it printed.
    let _ = write!(into, "{content:?}");
    into.0.finish()
}
