//! Files and their includes: several files are one program.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use indexmap::IndexSet;

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
    /// Where its lines end.
    ends: Vec<u32>,
    /// The file that included this one.
    parent: Option<FileId>,
}

impl Source {
    fn new(name: String, path: Option<PathBuf>, text: String, parent: Option<FileId>) -> Self {
        let ends = (0u32..).zip(text.bytes()).filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
        Source { name, path, text, ends, parent }
    }

    fn line(&self, at: u32) -> Option<u32> {
        let before = self.ends.partition_point(|end| *end < at);
        u32::try_from(before + 1).ok().filter(|_| at as usize <= self.text.len())
    }
}

/// The texts of a program.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
    /// The real places of the files in the list.
    known: HashSet<PathBuf>,
    /// Problems met while reading files.
    problems: Diagnostics,
    /// Bytes of all texts that were read from files.
    size: u64,
}

impl Sources {
    /// One text without a file.
    pub fn from_text(name: &str, text: &str) -> Self {
        Sources::from_texts([(name, text)])
    }

    /// Texts with their names that are one program, such as files built into another program.
    pub fn from_texts<N: Into<String>, T: Into<String>>(texts: impl IntoIterator<Item = (N, T)>) -> Self {
        let source = |(name, text): (N, T)| Source::new(name.into(), None, text.into(), None);
        Sources { list: texts.into_iter().map(source).collect(), ..Sources::default() }
    }

    /// Reads files, and what they include, as one program. Problems are reported by [`parse`](Self::parse).
    pub fn from_files<P: AsRef<Path>>(paths: &[P]) -> Self {
        let mut sources = Sources::default();
        for path in paths {
            let path = path.as_ref();
            if let Err(why) = sources.add(path, &tidy(path), None) {
                let file = FileId(u32::try_from(sources.list.len()).unwrap_or(u32::MAX));
                let name = tidy(path).display().to_string();
                sources.list.push(Source::new(name.clone(), None, String::new(), None));
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
        let source = self.list.get(span.file.0 as usize)?;
        Some((source.line(span.lo)?, source.line(span.hi)?))
    }

    /// Adds a file and all it includes, each file before the next. A file that is there already counts once.
    fn add(&mut self, path: &Path, shown: &Path, parent: Option<FileId>) -> Result<(), String> {
        // What is left to include, the next one last: includes may be nested deeper than a stack of calls.
        let mut work = self.add_one(path, shown, parent)?;
        while let Some((from, include)) = work.pop() {
            work.extend(self.include(from, &include));
        }
        Ok(())
    }

    /// Adds one file; the includes that it asks for, the first one last.
    fn add_one(&mut self, path: &Path, shown: &Path, parent: Option<FileId>) -> Result<Vec<(FileId, Name)>, String> {
        // A pipe has no other name than the one it is given by.
        let real = match fs::canonicalize(path) {
            Err(_) if path.exists() => path.to_path_buf(),
            real => real.map_err(|e| plain_io(&e))?,
        };
        if !self.known.insert(real.clone()) {
            return Ok(vec![]);
        }
        let text = read_text(&real).inspect_err(|_| {
            self.known.remove(&real);
        })?;
        self.size += text.len() as u64;
        if self.size > LARGEST_SUM {
            return Err(format!("with it the program is larger than {} MB", LARGEST_SUM >> 20));
        }
        let file = FileId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        let includes = includes(file, &text).into_iter().rev().map(|include| (file, include)).collect();
        self.list.push(Source::new(shown.display().to_string(), Some(real), text, parent));
        Ok(includes)
    }

    /// Looks beside the including file, then beside each file that led to it; what the file found includes.
    fn include(&mut self, from: FileId, include: &Name) -> Vec<(FileId, Name)> {
        let mut looked: IndexSet<String> = IndexSet::new();
        let mut at = Some(from);
        while let Some(source) = at.and_then(|file| self.list.get(file.0 as usize)) {
            let shown = tidy(&Path::new(&source.name).with_file_name("").join(&include.text));
            // Most files lie beside the one that includes them: one look is enough.
            if looked.insert(shown.display().to_string()) {
                let folder = source.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
                let candidate = folder.join(&include.text);
                if candidate.exists() {
                    return self.add_one(&candidate, &shown, Some(from)).unwrap_or_else(|why| {
                        let message = format!("cannot include `{}`: {why}", include.text);
                        self.problems.push(Diagnostic::error(include.span, message));
                        vec![]
                    });
                }
            }
            at = source.parent;
        }
        let error = Diagnostic::error(include.span, format!("cannot find the included file `{}`", include.text));
        let looked: Vec<String> = looked.into_iter().collect();
        self.problems.push(error.help(format!("looked for {}", looked.join(", "))));
        vec![]
    }

    /// Parses all texts into one program.
    pub fn parse(&self, params: Vec<Param>, diagnostics: &mut Diagnostics) -> Ast {
        for problem in self.problems.sorted() {
            diagnostics.push(problem.clone());
        }
        // A name may be used before the text that makes it a parameter.
        let mut ast = Ast { params: self.params(params, diagnostics), ..Ast::default() };
        for (file, source) in (0u32..).zip(&self.list) {
            let (tokens, _) = lex(FileId(file), &source.text);
            let items = parse(&tokens, Dialect::FILE, &ast.params, diagnostics);
            for item in items {
                if let (Item::Include(name), None) = (&item, &source.path) {
                    let error = Diagnostic::error(name.span, "a text that is not a file cannot include files");
                    diagnostics.push(error);
                }
                if !matches!(item, Item::Param(_)) {
                    ast.add(item);
                }
            }
        }
        ast
    }

    /// The parameters that are given, and those that the texts declare beside them: one that is given takes the place
    /// of one that is declared.
    fn params(&self, mut given: Vec<Param>, diagnostics: &mut Diagnostics) -> Vec<Param> {
        let mut declared = vec![];
        for (file, source) in (0u32..).zip(&self.list).filter(|(_, source)| source.text.contains("param")) {
            let param = |item| if let Item::Param(param) = item { Some(param) } else { None };
            declared.extend(items(FileId(file), &source.text).into_iter().filter_map(param));
        }
        for param in &declared {
            let name = &param.name.text;
            if let Some(given) = given.iter().find(|given| given.name.text == *name && given.ty != param.ty) {
                let message = format!("parameter `{name}` is `{}` here, and given as `{}`", param.ty, given.ty);
                diagnostics.push(Diagnostic::error(param.name.span, message));
            }
        }
        declared.retain(|param| given.iter().all(|given| given.name.text != param.name.text));
        given.extend(declared);
        given
    }
}

impl Ast {
    /// Adds an item; includes were followed when files were read.
    pub fn add(&mut self, item: Item) {
        match item {
            Item::Include(_) => {}
            Item::Param(param) => self.params.push(param),
            Item::Input(input) => self.inputs.push(input),
            Item::Stable(names) => self.stable.extend(names),
            Item::Fact(fact) => self.facts.push(fact),
            Item::Rule(rule) => self.rules.push(rule),
        }
    }
}

/// The largest text that is read, in bytes: beyond any program, and short of what would fill the memory.
const LARGEST: u64 = 16 << 20;
/// The same of all files of a program together.
const LARGEST_SUM: u64 = 64 << 20;

/// The text of a file. The error says why there is none, for a sentence that begins with "cannot read".
///
/// # Errors
/// If it is a folder, not text, too large, or cannot be read at all.
pub fn read_text(path: &Path) -> Result<String, String> {
    if path.is_dir() {
        return Err("it is a folder, not a file".into());
    }
    limited(fs::File::open(path).map_err(|error| plain_io(&error))?)
}

/// The same for what is already open, such as standard input.
///
/// # Errors
/// If it is not text, too large, or cannot be read at all.
pub fn limited(input: impl Read) -> Result<String, String> {
    let mut bytes = vec![];
    input.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| plain_io(&error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it has more than {} MiB, and no program is that large", LARGEST >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "it is not text (UTF-8)".to_owned())
}

/// The `include`s of a text.
fn includes(file: FileId, text: &str) -> Vec<Name> {
    let name = |item| if let Item::Include(name) = item { Some(name) } else { None };
    items(file, text).into_iter().filter_map(name).collect()
}

/// The items of a text, to see what it declares. Errors are found when the whole is parsed.
fn items(file: FileId, text: &str) -> Vec<Item> {
    parse(&lex(file, text).0, Dialect::FILE, &[], &mut Diagnostics::default())
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
    // The folder that one is in has a name too.
    if tidy.as_os_str().is_empty() { PathBuf::from(".") } else { tidy }
}

fn plain_io(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(sources: &Sources) -> String {
        let mut diagnostics = Diagnostics::default();
        sources.parse(vec![], &mut diagnostics);
        diagnostics.sorted().first().map(|problem| problem.message.clone()).unwrap_or_default()
    }

    #[test]
    fn the_folder_one_is_in_is_named_in_its_error() {
        let said = problem(&Sources::from_files(&["."]));
        assert!(said.starts_with("cannot read `.`"), "{said}");
    }

    #[test]
    fn all_files_together_are_limited() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let mut sources = Sources { size: LARGEST_SUM, ..Sources::default() };
        assert!(sources.add(&path, &path, None).is_err_and(|why| why.contains("larger than 64 MB")));
        assert!(sources.list.is_empty());
    }
}
