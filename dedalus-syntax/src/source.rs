//! Files and their includes: several files are one program.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::ast::{Ast, Name, Param};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::lex::lex;
use crate::parse::{Dialect, Item, parse};
use crate::span::{FileId, Span};

/// A text that is part of the program.
#[derive(Clone, Debug)]
struct Source {
    /// As shown to people.
    name: String,
    /// Real place on disk, if it has one: the same file counts once.
    path: Option<PathBuf>,
    text: String,
    /// The file that included this one.
    parent: Option<FileId>,
}

/// The texts of a program.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
    /// Problems met while reading files.
    problems: Diagnostics,
}

impl Sources {
    /// One text without a file.
    pub fn from_text(name: &str, text: &str) -> Self {
        Sources::from_texts([(name, text)])
    }

    /// Texts with their names that are one program, such as files built into another program.
    pub fn from_texts<N: Into<String>, T: Into<String>>(texts: impl IntoIterator<Item = (N, T)>) -> Self {
        let source = |(name, text): (N, T)| Source { name: name.into(), path: None, text: text.into(), parent: None };
        Sources { list: texts.into_iter().map(source).collect(), problems: Diagnostics::default() }
    }

    /// Reads files, and what they include, as one program. Problems are reported by [`parse`](Self::parse).
    pub fn from_files<P: AsRef<Path>>(paths: &[P]) -> Self {
        let mut sources = Sources::default();
        for path in paths {
            let path = path.as_ref();
            if let Err(why) = sources.add(path, &tidy(path), None) {
                let file = FileId(u32::try_from(sources.list.len()).unwrap_or(u32::MAX));
                let name = tidy(path).display().to_string();
                sources.list.push(Source { name: name.clone(), path: None, text: String::new(), parent: None });
                let span = Span { file, lo: 0, hi: 0 };
                sources.problems.push(Diagnostic::error(span, format!("cannot read `{name}`: {why}")));
            }
        }
        sources
    }

    /// The paths of all files read, for build systems to watch.
    pub fn paths(&self) -> Vec<&Path> {
        self.list.iter().filter_map(|source| source.path.as_deref()).collect()
    }

    /// The name and text of a source.
    pub fn get(&self, file: FileId) -> (&str, &str) {
        self.list.get(file.0 as usize).map_or(("", ""), |source| (&source.name, &source.text))
    }

    /// The name and text of each source, in the order of [`FileId`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.list.iter().map(|source| (&*source.name, &*source.text))
    }

    /// The first and the last line of a stretch of text, counted from 1.
    pub fn lines(&self, span: Span) -> Option<(u32, u32)> {
        let text = &self.list.get(span.file.0 as usize)?.text;
        let line = |at: u32| {
            let before = text.as_bytes().get(..at as usize)?;
            u32::try_from(before.iter().filter(|byte| **byte == b'\n').count() + 1).ok()
        };
        Some((line(span.lo)?, line(span.hi)?))
    }

    /// Adds a file and all it includes. A file that is there already counts once.
    fn add(&mut self, path: &Path, shown: &Path, parent: Option<FileId>) -> Result<(), String> {
        // A pipe has no other name than the one it is given by.
        let real = match fs::canonicalize(path) {
            Err(_) if path.exists() => path.to_path_buf(),
            real => real.map_err(|e| plain_io(&e))?,
        };
        if self.list.iter().any(|source| source.path.as_deref() == Some(&real)) {
            return Ok(());
        }
        if real.is_dir() {
            return Err("it is a folder, not a file".into());
        }
        let bytes = fs::read(&real).map_err(|e| plain_io(&e))?;
        let text = String::from_utf8(bytes).map_err(|_| "it is not text (UTF-8)".to_owned())?;
        let file = FileId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        let includes = includes(file, &text);
        self.list.push(Source { name: shown.display().to_string(), path: Some(real), text, parent });
        for include in includes {
            self.include(file, &include);
        }
        Ok(())
    }

    /// Looks beside the including file, then beside each file that led to it.
    fn include(&mut self, from: FileId, include: &Name) {
        let mut looked = vec![];
        let mut at = Some(from);
        while let Some(source) = at.and_then(|file| self.list.get(file.0 as usize)) {
            let folder = source.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
            let candidate = folder.join(&include.text);
            let shown = tidy(&Path::new(&source.name).with_file_name("").join(&include.text));
            let parent = source.parent;
            if candidate.exists() {
                if let Err(why) = self.add(&candidate, &shown, Some(from)) {
                    let message = format!("cannot include `{}`: {why}", include.text);
                    self.problems.push(Diagnostic::error(include.span, message));
                }
                return;
            }
            if !looked.contains(&shown.display().to_string()) {
                looked.push(shown.display().to_string());
            }
            at = parent;
        }
        let error = Diagnostic::error(include.span, format!("cannot find the included file `{}`", include.text));
        self.problems.push(error.help(format!("looked for {}", looked.join(", "))));
    }

    /// Parses all texts into one program.
    pub fn parse(&self, params: Vec<Param>, diagnostics: &mut Diagnostics) -> Ast {
        for problem in self.problems.sorted() {
            diagnostics.push(problem.clone());
        }
        let mut ast = Ast { params, ..Ast::default() };
        for (file, source) in (0u32..).zip(&self.list) {
            let (tokens, _) = lex(FileId(file), &source.text);
            let items = parse(&tokens, Dialect::FILE, &ast.params, diagnostics);
            for item in items {
                if let (Item::Include(name), None) = (&item, &source.path) {
                    let error = Diagnostic::error(name.span, "a text that is not a file cannot include files");
                    diagnostics.push(error);
                }
                ast.add(item);
            }
        }
        ast
    }
}

impl Ast {
    /// Adds an item; includes were followed when files were read.
    pub fn add(&mut self, item: Item) {
        match item {
            Item::Include(_) => {}
            Item::Input(input) => self.inputs.push(input),
            Item::Fact(fact) => self.facts.push(fact),
            Item::Rule(rule) => self.rules.push(rule),
        }
    }
}

/// The `include`s of a text. Other errors are found when the whole is parsed.
fn includes(file: FileId, text: &str) -> Vec<Name> {
    let items = parse(&lex(file, text).0, Dialect::FILE, &[], &mut Diagnostics::default());
    let name = |item| if let Item::Include(name) = item { Some(name) } else { None };
    items.into_iter().filter_map(name).collect()
}

/// A path without `a/..`, for people to read. Files are opened by the path as given.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        let inside = matches!(tidy.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if inside => drop(tidy.pop()),
            part => tidy.push(part),
        }
    }
    tidy
}

fn plain_io(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}
