//! The protocols of `examples/`, and each program that one change to them leads to.

// Each test file uses its part of this module.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use dedalus_runtime::syntax::ast::Ast;
use dedalus_runtime::syntax::rewrite::{omissions, postponements};
use ldfi_model::{Bounds, FailureSpec};

/// The protocols' files.
pub fn protocols() -> Vec<PathBuf> {
    // From whichever package the test is of.
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("examples"));
    let folder = above.find(|folder| folder.join("two_pc.ded").is_file()).expect("there are examples");
    let files = std::fs::read_dir(folder).expect("there are examples").map(|entry| entry.expect("readable").path());
    let mut all: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "ded")).collect();
    all.sort();
    all
}

/// The program itself, and each program that one change leads to.
pub fn mutants(ast: &Ast) -> Vec<(String, Ast)> {
    let edits = omissions(ast).into_iter().chain(postponements(ast));
    let changed = edits.map(|edit| (edit.show(ast), edit.apply(ast)));
    std::iter::once(("as it is".to_owned(), ast.clone())).chain(changed).collect()
}

/// Small specifications, at some of which everything can be tried: as in the paper, and each other kind of fault.
pub fn specs() -> Vec<FailureSpec> {
    let paper = [(3, 2, 0), (4, 2, 0), (5, 0, 1), (4, 2, 1), (7, 0, 1), (5, 0, 2)].map(|(eot, eff, crashes)| Bounds {
        eot,
        eff,
        crashes,
        ..Bounds::default()
    });
    let none = Bounds { eot: 5, eff: 3, losses: Some(0), ..Bounds::default() };
    let others = [
        Bounds { delay: 2, delays: Some(1), ..none },
        Bounds { eff: 2, delay: 1, ..none },
        Bounds { delay: 2, delays: Some(0), duplicates: 1, ..none },
        Bounds { partitions: 1, ..none },
        Bounds { eff: 1, crashes: 1, restarts: 1, ..none },
        Bounds { pauses: 1, ..none },
        Bounds { losses: Some(1), delay: 1, delays: Some(1), per_message: true, ..none },
        Bounds { eff: 2, losses: Some(1), crashes: 1, restarts: 1, pauses: 1, partitions: 1, ..none },
    ];
    paper.into_iter().chain(others).map(|bounds| FailureSpec::try_from(bounds).expect("they make sense")).collect()
}
