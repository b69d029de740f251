//! Errors and warnings, written for the person who made the mistake: what, where, why not, what instead.

use std::fmt;

use indexmap::IndexSet;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::source::Sources;
use crate::span::Span;

/// Columns from one place to another that a line is not shown across.
const FAR: usize = 100;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program cannot run.
    Error,
    /// The program runs, though perhaps not as meant.
    Warning,
}

/// One problem at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The offending text.
    pub span: Span,
    /// Other places that matter, each with a word on why.
    pub notes: Vec<(Span, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Error, message: message.into(), span, notes: vec![], help: None }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at another place that matters.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push((span, text.into()));
        self
    }

    /// The diagnostic as text: file:line:column, the line, a caret, the help.
    pub fn render(&self, sources: &Sources, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut title = Group::with_title(level.primary_title(self.message.clone()));
        let mut files = vec![self.span.file];
        files.extend(self.notes.iter().map(|(span, _)| span.file).filter(|file| *file != self.span.file));
        files.dedup();
        for file in files {
            let (path, text) = sources.get(file);
            // A file that could not be read has no line to show.
            if text.is_empty() {
                continue;
            }
            let range = |span: Span| {
                let hi = (span.hi as usize).min(text.len());
                (span.lo as usize).min(hi)..hi
            };
            let mut snippet = Snippet::source(text).path(path);
            if file == self.span.file {
                snippet = snippet.annotation(AnnotationKind::Primary.span(range(self.span)));
            }
            let column = |span: Span| {
                let lo = range(span).start;
                lo - text.as_bytes()[..lo].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
            };
            let mut far = vec![];
            for (span, note) in self.notes.iter().filter(|(span, _)| span.file == file) {
                let annotation = AnnotationKind::Context.span(range(*span)).label(note);
                // What stands far to the side has a snippet of its own: one for both would show all that is between them.
                if file == self.span.file && column(*span).abs_diff(column(self.span)) > FAR {
                    far.push(Snippet::source(text).path(path).annotation(annotation));
                } else {
                    snippet = snippet.annotation(annotation);
                }
            }
            title = far.into_iter().fold(title.element(snippet), Group::element);
        }
        let mut report: Vec<Group<'_>> = vec![title];
        if let Some(help) = &self.help {
            report.push(Group::with_title(Level::HELP.secondary_title(help.clone())));
        }
        renderer.render(&report)
    }
}

/// Everything found wrong with a program, in the order in which it was found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: IndexSet<Diagnostic>,
    errors: usize,
}

/// Errors, or warnings, beyond which they are counted and not printed: nobody reads more at once.
pub const SHOWN: usize = 24;

impl Diagnostics {
    /// Adds one, unless it was said already.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        self.errors += usize::from(self.list.insert(diagnostic) && is_error);
    }

    /// Whether the program cannot run.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// All of them: errors first, each kind in the order of the text.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut all: Vec<_> = self.list.iter().collect();
        all.sort_by_key(|d| (d.severity, d.span));
        all
    }

    /// All of them as plain text, those beyond [`SHOWN`] as a number.
    pub fn render_all(&self, sources: &Sources) -> Vec<String> {
        render(&self.sorted(), sources, &Renderer::plain())
    }
}

fn render(all: &[&Diagnostic], sources: &Sources, renderer: &Renderer) -> Vec<String> {
    let shown = all.iter().take(SHOWN).map(|diagnostic| diagnostic.render(sources, renderer));
    shown.chain(more(all)).collect()
}

/// `… and 9,976 more errors`, if there are more than are shown.
pub fn more(all: &[&Diagnostic]) -> Option<String> {
    let left = all.get(SHOWN..).filter(|left| !left.is_empty())?;
    let what = match (left[0].severity, left.len()) {
        (Severity::Error, 1) => "error",
        (Severity::Error, _) => "errors",
        (Severity::Warning, 1) => "warning",
        (Severity::Warning, _) => "warnings",
    };
    Some(format!("… and {} more {what}", thousands(left.len())))
}

/// `9,976`
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A program that cannot run, with every reason, rendered up to [`SHOWN`]. Warnings wait until there are no errors.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The errors, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    plain: String,
    styled: String,
}

impl Rejected {
    /// Renders what was found.
    pub fn new(diagnostics: &Diagnostics, sources: &Sources) -> Self {
        let mut sorted = diagnostics.sorted();
        sorted.retain(|d| d.severity == Severity::Error);
        let text = |renderer: &Renderer| render(&sorted, sources, renderer).join("\n\n");
        Rejected {
            plain: text(&Renderer::plain()),
            styled: text(&Renderer::styled()),
            diagnostics: sorted.into_iter().cloned().collect(),
        }
    }

    /// The same text with terminal colours.
    pub fn styled(&self) -> &str {
        &self.styled
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plain)
    }
}

impl std::error::Error for Rejected {}
