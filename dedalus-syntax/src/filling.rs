//! What is read must be filled by something, and what is made is meant to be read: where not, a name is often misspelt.

use std::collections::HashSet;

use indexmap::{IndexMap, IndexSet};

use crate::ast::{Ast, Rule};
use crate::check::is_reserved;
use crate::diagnostic::{Diagnostic, Diagnostics, SHOWN};
use crate::nearest::nearest;
use crate::promise::side_of;

/// Warns of relations that are read and that nothing fills, and of those that nothing reads and whose name is nearly that of
/// one that is read.
pub fn warn(ast: &Ast, diagnostics: &mut Diagnostics) {
    let given: IndexSet<&str> = (ast.facts.iter().map(|fact| &fact.relation))
        .chain(ast.inputs.iter().map(|input| &input.relation))
        .map(|name| name.text.as_str())
        .collect();
    let mut made: IndexMap<&str, Vec<&Rule>> = IndexMap::new();
    for rule in &ast.rules {
        made.entry(&rule.head.relation.text).or_default().push(rule);
    }
    let filled: IndexSet<&str> = made.keys().copied().chain(given.iter().copied()).collect();
    let mut said: HashSet<&str> = HashSet::new();
    for atom in ast.rules.iter().flat_map(Rule::atoms) {
        let name = atom.relation.text.as_str();
        // A rule that reads what it makes keeps it, or makes more of it; it does not begin it.
        let begins = |rule: &&Rule| !rule.atoms().any(|atom| !atom.negated && atom.relation.text == name);
        let begun = made.get(name).is_some_and(|rules| rules.iter().any(begins));
        if begun || given.contains(name) || is_reserved(name) || !said.insert(name) {
            continue;
        }
        // What will only be counted needs no advice.
        let close = if said.len() <= SHOWN { nearest(name, filled.iter().copied()) } else { None };
        let message = match made.contains_key(name) {
            true => format!("no fact or input begins `{name}`, and each of its rules reads it: it is always empty"),
            false => format!("no rule, fact or input fills `{name}`"),
        };
        diagnostics.push(Diagnostic::warning(atom.relation.span, message).help(match close {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("declare it with `input {name}(…);` if facts come from outside"),
        }));
    }
    unread(ast, &made, diagnostics);
}

/// Whatever is judged is read: by promises, or as what persists.
fn unread(ast: &Ast, made: &IndexMap<&str, Vec<&Rule>>, diagnostics: &mut Diagnostics) {
    if !made.keys().any(|name| side_of(name).is_some()) {
        return;
    }
    let mut read: IndexSet<&str> = IndexSet::new();
    for rule in &ast.rules {
        let others =
            rule.atoms().map(|atom| atom.relation.text.as_str()).filter(|name| *name != rule.head.relation.text);
        read.extend(others);
    }
    let mut looked = 0;
    for (name, rules) in made {
        let meant = name.starts_with('_') || side_of(name).is_some() || read.contains(name) || is_reserved(name);
        if meant || looked == SHOWN {
            continue;
        }
        looked += 1;
        if let Some(close) = nearest(name, read.iter().copied()) {
            let message = format!("nothing reads `{name}`, and `{close}` is read");
            let warning = Diagnostic::warning(rules[0].head.relation.span, message);
            diagnostics
                .push(warning.help(format!("write `{close}` if that is meant, or `_{name}` if nothing is to read it")));
        }
    }
}

#[cfg(test)]
mod tests {
    fn warnings(text: &str) -> Vec<String> {
        crate::compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}")).warnings
    }

    /// Keeps what it has seen.
    const SEEN: &str =
        "w(N)@next :- w(N); w(\"a\")@1; seen(N)@next :- seen(N); pre(N) :- w(N); post(N) :- w(N), seen(N);";

    #[test]
    fn what_is_only_carried_over_is_always_empty() {
        let said = warnings(SEEN).join("\n");
        assert!(said.contains("no fact or input begins `seen`, and each of its rules reads it"), "{said}");
        let anew = "seen(N)@next :- w(N), notin seen(N);";
        for begun in [anew, "seen(\"a\")@2;", "maybe seen(\"a\")@2;", "input seen(str);"] {
            assert_eq!(warnings(&format!("{SEEN} {begun}")), Vec::<String>::new(), "{begun}");
        }
    }

    #[test]
    fn what_nothing_reads_and_is_nearly_what_is_read_is_noticed() {
        let begun = format!("{SEEN} seen(\"a\")@1;");
        let said = warnings(&format!("{begun} sene(N) :- w(N);")).join("\n");
        assert!(said.contains("nothing reads `sene`, and `seen` is read"), "{said}");
        // It is read by what carries it over alone.
        let said = warnings(&format!("{begun} sene(N) :- w(N); sene(N)@next :- sene(N);")).join("\n");
        assert!(said.contains("nothing reads `sene`"), "{said}");
        for quiet in ["other(N) :- w(N);", "_sene(N) :- w(N);"] {
            assert_eq!(warnings(&format!("{begun} {quiet}")), Vec::<String>::new(), "{quiet}");
        }
        // Without promises, what persists is judged.
        assert_eq!(warnings("seen(\"a\")@1; sene(N)@next :- sene(N); sene(N) :- seen(N);"), Vec::<String>::new());
    }
}
