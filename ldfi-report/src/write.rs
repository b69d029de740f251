//! Writing a report to a folder.

use crate::disk;
use crate::html;
use crate::model::{ModelError, Report};
use ldfi_model::{Budget, Spent};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a report could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReportError {
    /// The report itself is not sound.
    Model(ModelError),
    /// The folder could not be made.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There was no more time; nothing was written.
    Spent(Spent),
    /// A file could not be written.
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::Model(error) => write!(f, "cannot write the report: {error}"),
            ReportError::Spent(spent) => write!(f, "cannot write the report: {spent}"),
            ReportError::Folder { path, source } => {
                write!(f, "cannot make the report folder {}: {source}", path.display())
            }
            ReportError::File { path, source } => {
                write!(f, "cannot write {}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for ReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReportError::Model(error) => Some(error),
            ReportError::Spent(spent) => Some(spent),
            ReportError::Folder { source, .. } | ReportError::File { source, .. } => Some(source),
        }
    }
}

/// Writes `index.html` and `report.json` into a folder, which is made if need be,
/// and returns the path of the page.
///
/// # Errors
/// If the report is not sound, or cannot be written.
pub fn write_report(dir: &Path, report: &Report) -> Result<PathBuf, ReportError> {
    write_report_within(dir, report, &Budget::unlimited())
}

/// [`write_report`], given up when the budget is spent: then what was there is still there.
///
/// # Errors
/// If the report is not sound, cannot be written, or there is no more time.
pub fn write_report_within(dir: &Path, report: &Report, budget: &Budget) -> Result<PathBuf, ReportError> {
    report.check().map_err(ReportError::Model)?;
    // Both or none: a page beside the data of another run would be a riddle.
    let json = prepare(dir, "report.json", budget, |out| Ok(serde_json::to_writer(out, report)?))?;
    let page = prepare(dir, "index.html", budget, |out| html::write_page(report, out))?;
    json.publish()?;
    page.publish()
}

/// A file that is written and not in its place yet.
pub(crate) struct PreparedFile {
    path: PathBuf,
    prepared: disk::Prepared,
}

impl PreparedFile {
    /// Puts it into its place, and gives its path.
    pub(crate) fn publish(self) -> Result<PathBuf, ReportError> {
        let PreparedFile { path, prepared } = self;
        prepared.publish().map_err(|source| ReportError::File { path: path.clone(), source })?;
        Ok(path)
    }
}

/// Writes one file into a folder, which is made if need be.
pub(crate) fn prepare(
    dir: &Path,
    name: &str,
    budget: &Budget,
    fill: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<PreparedFile, ReportError> {
    let folder = |source| ReportError::Folder { path: dir.to_owned(), source };
    std::fs::create_dir_all(dir).map_err(folder)?;
    let path = dir.join(name);
    match disk::prepare(&path, budget, fill) {
        Ok(prepared) => Ok(PreparedFile { path, prepared }),
        Err(source) => Err(match disk::spent(&source) {
            Some(spent) => ReportError::Spent(spent),
            None => ReportError::File { path, source },
        }),
    }
}
