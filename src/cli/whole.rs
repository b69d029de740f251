//! Files that are whole programs each, given as if they were one.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use dedalus_runtime::syntax::compile_sources;
use dedalus_runtime::syntax::plan::Plan;
use dedalus_runtime::syntax::{Side, Sources, side_of};

/// Those of the files that are a program with a promise of their own, if there are several of them. A file that
/// another one includes, or that says something only together with others, is none.
pub(super) fn several(files: &[PathBuf]) -> Option<Vec<PathBuf>> {
    if files.len() < 2 {
        return None;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let read: Vec<(PathBuf, Option<HashSet<PathBuf>>)> = files.iter().map(|file| (real(file), whole(file))).collect();
    let includes =
        |one: &Option<HashSet<PathBuf>>, other: &PathBuf| one.as_ref().is_some_and(|all| all.contains(other));
    let mut seen = HashSet::new();
    let mut found = vec![];
    for (file, (path, all)) in files.iter().zip(&read) {
        let apart = read.iter().filter(|(other, _)| other != path);
        let apart = apart.into_iter().all(|(other, others)| !includes(all, other) && !includes(others, path));
        if all.is_some() && apart && seen.insert(path) {
            found.push(file.clone());
        }
    }
    (found.len() > 1).then_some(found)
}

/// The files that a whole program consists of; none if it is not one.
fn whole(file: &Path) -> Option<HashSet<PathBuf>> {
    let sources = Sources::from_files(&[file]);
    let paths = sources.paths().into_iter().map(Path::to_owned).collect();
    let plan = compile_sources(sources, vec![]).ok()?;
    (promises(&plan) && closed(&plan)).then_some(paths)
}

fn promises(plan: &Plan) -> bool {
    plan.ast.rules.iter().any(|rule| matches!(side_of(&rule.head.relation.text), Some((Side::Pre, _))))
}

/// Whether everything that its rules read comes from somewhere.
fn closed(plan: &Plan) -> bool {
    let ast = &plan.ast;
    let derived = ast.rules.iter().map(|rule| &rule.head.relation.text);
    let given: BTreeSet<&String> = derived.chain(ast.facts.iter().map(|fact| &fact.relation.text)).collect();
    let reserved = |name: &str| plan.relation(name).is_some_and(|id| plan.rel(id).reserved.is_some());
    let mut read = ast.rules.iter().flat_map(|rule| rule.atoms()).map(|atom| &atom.relation.text);
    read.all(|name| given.contains(name) || reserved(name))
}
