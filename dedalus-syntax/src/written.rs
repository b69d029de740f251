//! Where the rules of a compiled program stand in the texts that its author wrote: a Rust file, or `.ded` files.

use crate::plan::{Plan, RuleId};

/// The texts that an author wrote, and where each rule stands in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The texts.
    pub texts: Vec<WrittenText>,
    /// The place of each rule, if it is known.
    pub rules: Vec<Option<WrittenAt>>,
}

/// A text, or the part of one that is the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenText {
    /// The file.
    pub name: String,
    /// The line of the file with which it begins, from 1.
    pub first: u32,
    /// What stands there.
    pub text: String,
}

/// Where a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenAt {
    /// Its place among [`Written::texts`].
    pub text: u32,
    /// Its first line in the file, from 1.
    pub line: u32,
    /// Its last line.
    pub last: u32,
}

impl Written {
    /// As the sources of a plan have it.
    pub fn in_sources(plan: &Plan) -> Self {
        let text = |(name, text): (&str, &str)| WrittenText { name: name.into(), first: 1, text: text.into() };
        let place = |rule: &crate::ast::Rule| {
            let (line, last) = plan.sources.lines(rule.span)?;
            Some(WrittenAt { text: rule.span.file.0, line, last })
        };
        Written { texts: plan.sources.iter().map(text).collect(), rules: plan.ast.rules.iter().map(place).collect() }
    }

    /// A program without a text is its own: a rule a line, after the declared inputs.
    fn canonical(plan: &Plan, name: &str) -> Self {
        let text = plan.ast.to_string();
        let place = |rule: &crate::ast::Rule| {
            let wanted = rule.to_string();
            let line = text.lines().position(|line| line == wanted)?;
            let line = u32::try_from(line + 1).ok()?;
            Some(WrittenAt { text: 0, line, last: line })
        };
        let rules = plan.ast.rules.iter().map(place).collect();
        Written { texts: vec![WrittenText { name: name.to_owned(), first: 1, text }], rules }
    }

    /// The places of all rules, for [`parse_places`](Self::parse_places) to read back.
    pub fn places(&self) -> String {
        let place = |at: &Option<WrittenAt>| match at {
            Some(WrittenAt { text, line, last }) => format!("{text}:{line}-{last}"),
            None => "?".to_owned(),
        };
        self.rules.iter().map(place).collect::<Vec<_>>().join(" ")
    }

    /// What [`places`](Self::places) wrote.
    pub fn parse_places(text: &str) -> Vec<Option<WrittenAt>> {
        let place = |word: &str| {
            let (text, lines) = word.split_once(':')?;
            let (line, last) = lines.split_once('-')?;
            Some(WrittenAt { text: text.parse().ok()?, line: line.parse().ok()?, last: last.parse().ok()? })
        };
        text.split_whitespace().map(place).collect()
    }

    /// Where a rule stands.
    pub fn at(&self, rule: RuleId) -> Option<WrittenAt> {
        self.rules.get(rule.index()).copied().flatten()
    }
}

impl Plan {
    /// The file and the line at which a rule begins, if its author's text is known.
    pub fn place(&self, rule: RuleId) -> Option<String> {
        let (name, line) = match &self.written {
            Some(written) => {
                let at = written.at(rule)?;
                (written.texts.get(at.text as usize)?.name.as_str(), at.line)
            }
            None => {
                let span = self.ast.rules.get(rule.index())?.span;
                let (line, _) = self.sources.lines(span)?;
                (self.sources.iter().nth(span.file.0 as usize)?.0, line)
            }
        };
        Some(format!("{name}:{line}"))
    }

    /// What its author wrote; where that is not known, the program in canonical form under this name.
    pub fn as_written(&self, name: &str) -> Written {
        match &self.written {
            Some(written) => written.clone(),
            None if self.sources.iter().len() > 0 => Written::in_sources(self),
            None => Written::canonical(self, name),
        }
    }
}
