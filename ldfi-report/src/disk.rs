//! How every file of ours is written: whole or not at all, so that a full disk costs the new text and never the old.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use ldfi_model::{Budget, Spent};

/// Links that lead to links; the system gives up at about as many.
const MOST_LINKS: usize = 40;

/// Writes a file: beside its place first, then into it.
///
/// Permissions stay as they are, a link is followed, and what is no file (a pipe, a device) is written as it is.
///
/// # Errors
/// What the system says; then whatever was there is still there, unchanged.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    prepare(path, &Budget::unlimited(), |out| out.write_all(content.as_ref()))?.publish()
}

/// A file that is written beside its place, and not there yet. It is removed unless it is [published](Self::publish).
#[derive(Debug)]
#[must_use = "nothing is in its place before it is published"]
pub struct Prepared {
    /// Where it is and where it goes; none for what is no file, which is written already.
    places: Option<(PathBuf, PathBuf)>,
}

impl Prepared {
    /// Puts it into its place.
    ///
    /// # Errors
    /// What the system says.
    pub fn publish(mut self) -> io::Result<()> {
        let Some((beside, place)) = self.places.take() else { return Ok(()) };
        fs::rename(&beside, &place).inspect_err(|_| drop(fs::remove_file(&beside)))
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.places {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Writes a file beside its place: what `fill` writes, as long as there is time. [`write()`] says what becomes of links.
///
/// # Errors
/// What the system says, or [`Spent`] inside of an error if there is no more time; then nothing is left.
pub fn prepare(
    path: &Path,
    budget: &Budget,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Prepared> {
    let (place, old) = match fs::metadata(path) {
        Ok(old) => {
            // What may not be written may not be replaced either.
            let file = OpenOptions::new().write(true).open(path)?;
            if !old.is_file() {
                in_time(file, budget, fill)?;
                return Ok(Prepared { places: None });
            }
            (fs::canonicalize(path)?, Some(old))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => (follow(path)?, None),
        Err(error) => return Err(error),
    };
    let (file, beside) = create_beside(&place, old.is_some())?;
    let prepared = Prepared { places: Some((beside, place)) };
    let file = in_time(file, budget, fill)?;
    settle(&file, old.as_ref())?;
    Ok(prepared)
}

/// Bytes that are written between two looks at the clock.
const CHUNK: usize = 1 << 16;

/// Fills something, as long as there is time.
pub(crate) fn in_time<W: Write>(
    out: W,
    budget: &Budget,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<W> {
    let mut out = BufWriter::with_capacity(CHUNK, InTime { out, budget });
    fill(&mut out)?;
    match out.into_inner() {
        Ok(InTime { out, .. }) => Ok(out),
        Err(error) => Err(error.into_error()),
    }
}

/// A place that looks at the clock whenever something is written to it.
struct InTime<'b, W> {
    out: W,
    budget: &'b Budget,
}

impl<W: Write> Write for InTime<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.budget.check().map_err(io::Error::other)?;
        self.out.write(&bytes[..bytes.len().min(CHUNK)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether an error is that there was no more time.
pub fn spent(error: &io::Error) -> Option<Spent> {
    error.get_ref()?.downcast_ref::<Spent>().copied()
}

/// Writes one file into a folder, which is made if need be, and gives its path.
///
/// # Errors
/// What could not be written, and what the system says.
pub fn write_into(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, WriteError> {
    let failed = |what: &Path| {
        let path = what.to_owned();
        |source| WriteError { path, source }
    };
    fs::create_dir_all(dir).map_err(failed(dir))?;
    let path = dir.join(name);
    write(&path, content).map_err(failed(&path))?;
    Ok(path)
}

/// A file or a folder that could not be written.
#[derive(Debug)]
pub struct WriteError {
    /// Which.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Where a link leads whose end is not there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&place) else { return Ok(place) };
        place = place.parent().unwrap_or(Path::new("")).join(link);
    }
    Err(io::Error::other("it is a link that leads nowhere"))
}

/// A new file in the same folder. Until it is in its place only its owner reads it, if it replaces another.
fn create_beside(place: &Path, replaces: bool) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = place.parent().unwrap_or(Path::new(""));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if replaces {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = replaces;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!(".ldfi-{}-{number}.tmp", std::process::id()));
        match options.open(&beside) {
            Ok(file) => return Ok((file, beside)),
            // Left behind by a process of the same number that was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io::Error::new(error.kind(), format!("no file can be made beside it: {error}"))),
        }
    }
}

/// Gives a new file what the old one has beside its content.
fn settle(file: &File, old: Option<&Metadata>) -> io::Result<()> {
    let Some(old) = old else { return Ok(()) };
    // The owner stays if we may say so; the new file is ours if not.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())?;
    // Not before the new text is surely there may the old one go.
    file.sync_all()
}

/// Adds to the end of a file, which is made if need be, while no other process does: `more` sees what is there and
/// gives what is to follow, perhaps nothing. Whether anything was added.
///
/// # Errors
/// What the system says; then the file is as it was.
pub fn append(path: &Path, more: impl FnOnce(&str) -> String) -> io::Result<bool> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    // Some file systems know no locks; there a single write at the end must do.
    let _ = file.lock();
    let mut there = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_string(&mut there)?;
    let more = more(&there);
    if more.is_empty() {
        return Ok(false);
    }
    if let Err(error) = file.write_all(more.as_bytes()) {
        // Half a line helps nobody.
        let _ = file.set_len(there.len() as u64);
        return Err(error);
    }
    Ok(true)
}

/// The text of a file, not while another process [appends](append); none if there is no such file.
///
/// # Errors
/// What the system says.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let _ = file.lock_shared();
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(Some(text))
}

/// A name that stays inside the folder it is joined to, on every system: itself if it may, otherwise what is harmless
/// of it and a number that tells it from others.
pub fn file_name(name: &str) -> String {
    const LONGEST: usize = 100;
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let plain = |c: char| c.is_alphanumeric() || "-_.,+=@()[]{} ".contains(c);
    let harmless: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    // Windows gives `nul.txt` to the device, and drops dots and spaces at the end.
    let stem = harmless.split('.').next().unwrap_or_default().trim().to_lowercase();
    let device = DEVICES.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit()));
    let bare = harmless.trim_matches(['.', ' ']);
    if harmless == name && bare == name && !name.is_empty() && !device && name.len() <= LONGEST {
        return harmless;
    }
    let mut end = bare.len().min(LONGEST);
    while !bare.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}_{:08x}", &bare[..end], number(name))
}

/// FNV-1a: the same on every system and in every version, so that a report is found where it was.
fn number(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_stay_and_others_stay_inside() {
        for plain in ["Broadcast", "two words", "retry_deliv-2.0", "été", "f(x)"] {
            assert_eq!(file_name(plain), plain);
        }
        let odd = ["", ".", "..", "../up", "/etc/x", "a/b", "a\\b", "C:\\x", "a:b", "x\0", "a\nb", " a", "a.", "con"];
        let odd = odd.iter().chain(&["NUL.txt", "com1", "Lpt9.x", "\u{1b}[2J", "~/x", "a*", "P<T>"]);
        let long = "y".repeat(1000);
        let mut seen = std::collections::HashSet::new();
        for name in odd.copied().chain([&long[..], "a_b", &"é".repeat(80)]) {
            let safe = file_name(name);
            let parts: Vec<_> = Path::new(&safe).components().collect();
            assert!(matches!(parts[..], [std::path::Component::Normal(_)]), "{name:?}: {safe:?}");
            assert!(!safe.contains(['/', '\\', ':', '\0', '\n', '\u{1b}', '*', '<']), "{name:?}: {safe:?}");
            assert!(safe.len() <= 120 && safe.trim_matches(['.', ' ']) == safe, "{name:?}: {safe:?}");
            assert!(seen.insert(safe), "{name:?} is taken for another");
        }
    }
}
