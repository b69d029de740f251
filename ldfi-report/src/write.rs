//! Writing a report to a folder.

use crate::disk;
use crate::html;
use crate::model::{ModelError, Report};
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
            ReportError::Folder { source, .. } | ReportError::File { source, .. } => Some(source),
        }
    }
}

/// Writes `index.html` and `report.json` into a folder, which is made if need be,
/// and returns the path of the page.
pub fn write_report(dir: &Path, report: &Report) -> Result<PathBuf, ReportError> {
    report.check().map_err(ReportError::Model)?;
    write_file(dir, "report.json", &report.to_json())?;
    write_file(dir, "index.html", &html::page(report))
}

/// Writes one file into a folder, which is made if need be.
pub(crate) fn write_file(dir: &Path, name: &str, content: &str) -> Result<PathBuf, ReportError> {
    let folder = |source| ReportError::Folder { path: dir.to_owned(), source };
    std::fs::create_dir_all(dir).map_err(folder)?;
    let path = dir.join(name);
    let file = |source| ReportError::File { path: path.clone(), source };
    disk::write(&path, content).map_err(file)?;
    Ok(path)
}
