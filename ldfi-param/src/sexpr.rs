//! Nested lists of words, as solvers write them.

use std::collections::BTreeMap;

/// A word, or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sexpr {
    /// A word.
    Atom(String),
    /// A list.
    List(Vec<Sexpr>),
}

/// How deep `let` may nest, and how much may come of it.
const MOST: usize = 100_000;

impl Sexpr {
    /// All that a text has; `None` if a list does not end.
    pub(crate) fn read_all(text: &str) -> Option<Vec<Sexpr>> {
        let mut open: Vec<Vec<Sexpr>> = vec![vec![]];
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        for word in spaced.split_whitespace() {
            match word {
                "(" => open.push(vec![]),
                ")" => {
                    let list = open.pop()?;
                    open.last_mut()?.push(Sexpr::List(list));
                }
                _ => open.last_mut()?.push(Sexpr::Atom(word.to_owned())),
            }
        }
        let all = open.pop()?;
        open.is_empty().then_some(all)
    }

    /// The word that it is.
    pub(crate) fn atom(&self) -> Option<&str> {
        if let Sexpr::Atom(word) = self { Some(word) } else { None }
    }

    /// The list that it is.
    pub(crate) fn list(&self) -> Option<&[Sexpr]> {
        if let Sexpr::List(list) = self { Some(list) } else { None }
    }

    /// The number that it is: `3` or `(- 3)`.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Sexpr::Atom(word) => word.parse().ok(),
            Sexpr::List(list) => match &list[..] {
                [Sexpr::Atom(minus), Sexpr::Atom(word)] if minus == "-" => word.parse::<i64>().ok()?.checked_neg(),
                _ => None,
            },
        }
    }

    /// With what `let` names put in its place; `None` if that grows too large.
    pub(crate) fn without_let(&self) -> Option<Sexpr> {
        let mut left = MOST;
        self.with(&BTreeMap::new(), &mut left)
    }

    fn with(&self, names: &BTreeMap<String, Sexpr>, left: &mut usize) -> Option<Sexpr> {
        *left = left.checked_sub(1)?;
        let list = match self {
            Sexpr::Atom(word) => return Some(names.get(word).cloned().unwrap_or_else(|| self.clone())),
            Sexpr::List(list) => list,
        };
        if let [Sexpr::Atom(word), Sexpr::List(bindings), body] = &list[..]
            && word == "let"
        {
            let mut more = names.clone();
            for binding in bindings {
                let [Sexpr::Atom(name), value] = binding.list()? else { return None };
                more.insert(name.clone(), value.with(names, left)?);
            }
            return body.with(&more, left);
        }
        list.iter().map(|part| part.with(names, left)).collect::<Option<_>>().map(Sexpr::List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_names_put_in_their_place() {
        let all = Sexpr::read_all("sat (let ((a (+ x 1))) (<= a (- 2)))").unwrap();
        assert_eq!(all[0].atom(), Some("sat"));
        let expected = Sexpr::read_all("(<= (+ x 1) (- 2))").unwrap();
        assert_eq!(all[1].without_let().as_ref(), expected.first());
        assert_eq!(expected[0].list().and_then(|list| list[2].number()), Some(-2));
        assert_eq!(Sexpr::read_all("(a"), None);
        assert_eq!(Sexpr::read_all("a)"), None);
    }
}
