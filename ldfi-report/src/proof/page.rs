//! One small page that opens from disk and needs no network: the invariant, the sizes tried, the concrete run.

use super::{Attempt, Proof, ProofVerdict, covered, nodes};
use crate::html;
use crate::xml::escape;

const STYLE: &str = include_str!("page.css");

/// The page.
pub fn page(proof: &Proof) -> String {
    let (verdict, class) = match proof.verdict {
        ProofVerdict::Proved => ("proved for any number of nodes", "good"),
        ProofVerdict::Broken => ("counterexample", "bad"),
        ProofVerdict::Open => ("not proved", "warn"),
    };
    let name = escape(&proof.program);
    let by = proof.engine.as_ref().map(|engine| format!(" by {}", escape(engine))).unwrap_or_default();
    let mut cards = vec![];
    let always: Vec<String> = proof.invariant.iter().map(|line| format!("<code>{}</code>", escape(line))).collect();
    cards.push(card("Because, always", "invariant", &always));
    cards.push(card("Inputs", "", &escaped(&proof.inputs)));
    cards.push(card("Looked at", "", &looked_at(proof)));
    cards.extend(proof.attempts.iter().map(attempt));
    cards.push(run(proof));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name} · ldfi</title>\n<style>{}{STYLE}</style>\n</head>\n<body class=\"proof\">\n\
         <header class=\"top\"><div class=\"headline\"><h1>{name}</h1><span class=\"{class}\">{verdict}{by}</span></div>\
         <p>{}</p></header>\n{}</body>\n</html>\n",
        html::STYLE,
        escape(&proof.adversary),
        cards.concat(),
    )
}

fn escaped(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| escape(line)).collect()
}

/// Nothing, where there is nothing to list.
fn card(title: &str, class: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let items: String = lines.iter().map(|line| format!("<li>{line}</li>")).collect();
    format!("<section class=\"card {class}\"><h2>{title}</h2><ul>{items}</ul></section>\n")
}

fn looked_at(proof: &Proof) -> Vec<String> {
    let mut lines = vec![];
    if let Some(found) = proof.agreement {
        lines.push(format!(
            "{} of {} random runs with {} to {} nodes agree with every line",
            found.agree, found.runs, found.fewest, found.most
        ));
    }
    lines.extend(covered(proof));
    for (members, eot, why) in &proof.unsettled {
        lines.push(format!("not settled: {} at EOT {eot}: {}", nodes(*members), escape(why)));
    }
    lines
}

fn attempt(attempt: &Attempt) -> String {
    let mut lines = vec![escape(&attempt.reason)];
    lines.extend(attempt.state.iter().map(|line| format!("in the way: <code>{}</code>", escape(line))));
    lines.extend(attempt.found.iter().map(|line| format!("always: <code>{}</code>", escape(line))));
    lines.extend(attempt.advice.iter().map(|line| format!("try: {}", escape(line))));
    card(&escape(&attempt.engine), "", &lines)
}

fn run(proof: &Proof) -> String {
    let Some(run) = &proof.run else { return String::new() };
    let title = match proof.verdict {
        ProofVerdict::Proved => "A run in which something is promised",
        ProofVerdict::Broken | ProofVerdict::Open => "The counterexample",
    };
    let faults = if run.faults.is_empty() { "without faults".into() } else { escape(&run.faults.to_string()) };
    let tuples = escape(&run.tuples.join(", "));
    let diagram = run.diagram.as_deref().unwrap_or_default();
    format!(
        "<section class=\"card\"><h2>{title}</h2><p>{}, EOT {}, <code>{faults}</code></p><p><code>{tuples}</code></p>{diagram}</section>\n",
        nodes(run.nodes.len()),
        run.eot
    )
}
