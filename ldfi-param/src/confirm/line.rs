//! Lines of a certificate as formulas about a moment.

use std::collections::BTreeMap;

use dedalus_syntax::ast::CompareOp;
use dedalus_syntax::plan::RelId;
use ldfi_model::Value;

use super::file::FileError;
use super::formula::{Amount, Formula, Predicate, Term, Var};
use super::program::{Maker, typed};
use crate::sorts::Sort;

/// A line, read and not yet about a moment.
struct Reader<'m, 'q> {
    maker: &'m mut Maker<'q>,
    line: &'m str,
    moment: u32,
    /// The sorts of the line's variables.
    sorts: BTreeMap<String, Sort>,
}

/// The variables that are known at a place of a line.
type Scope = BTreeMap<String, Var>;

/// What a line says of a moment.
pub(super) fn formula(maker: &mut Maker<'_>, line: &str, moment: u32) -> Result<Formula, FileError> {
    let sorts = BTreeMap::new();
    let mut reader = Reader { maker, line, moment, sorts };
    reader.learn_sorts()?;
    let (given, then) = line.split_once(" -> ").unwrap_or(("", line));
    let mut scope = Scope::new();
    for part in parts(given, " & ") {
        reader.introduce(part, &mut scope)?;
    }
    let sum = then.split_once(" <= ");
    if let Some((sum, _)) = sum {
        reader.introduce_free(sum, &mut scope)?;
    }
    let mut supposed = vec![];
    for part in parts(given, " & ") {
        supposed.push(reader.claim(part, &mut scope.clone(), &mut vec![])?);
    }
    let then = match sum {
        Some((sum, most)) => reader.sum(sum, most, &scope)?,
        None => {
            // So are those of which numbers are held against each other.
            for part in parts(then, " | ").filter(|part| exceeds(part).is_some()) {
                reader.introduce(part, &mut scope)?;
            }
            let mut any = vec![];
            for part in parts(then, " | ").filter(|part| *part != "false") {
                let mut bound = vec![];
                let claim = reader.claim(part, &mut scope.clone(), &mut bound)?;
                any.push(Formula::some(bound, claim));
            }
            Formula::any(any)
        }
    };
    Ok(Formula::every(scope.into_values().collect(), Formula::all(supposed).then(then)))
}

/// The parts of a text, but for what stands in braces.
fn parts<'t>(text: &'t str, by: &str) -> std::vec::IntoIter<&'t str> {
    let (mut found, mut begin, mut depth) = (vec![], 0, 0_i32);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 0 && at >= begin && text[at..].starts_with(by) => {
                found.push(&text[begin..at]);
                begin = at + by.len();
            }
            _ => {}
        }
    }
    found.push(&text[begin..]);
    found.retain(|part| !part.is_empty());
    found.into_iter()
}

/// Two amounts of which so many times one is greater than the other, and so many: what stands in `k * #{..} > #{..} + m`.
fn exceeds(text: &str) -> Option<(&str, &str, &str, &str)> {
    let [one, other] = parts(text, " > ").collect::<Vec<_>>()[..] else { return None };
    let ((times, of), (than, more)) = (one.split_once(" * ")?, other.rsplit_once(" + ")?);
    (of.starts_with("#{") && than.starts_with("#{")).then_some((times, of, than, more))
}

/// A relation's name and what stands in its columns.
fn tuple(text: &str) -> Option<(&str, Vec<&str>)> {
    let (name, inside) = text.strip_suffix(')')?.split_once('(')?;
    Some((name, inside.split(", ").collect()))
}

/// Two sides of a comparison, and which.
fn comparison(text: &str) -> Option<(CompareOp, &str, &str)> {
    let all = [(" == ", CompareOp::Eq), (" != ", CompareOp::Ne), (" < ", CompareOp::Lt)];
    all.into_iter().find_map(|(sign, op)| text.split_once(sign).map(|(one, other)| (op, one, other)))
}

impl<'m> Reader<'m, '_> {
    fn wrong(&self, why: impl Into<String>) -> FileError {
        FileError::Line { line: self.line.to_owned(), why: why.into() }
    }

    fn relation(&self, name: &str) -> Result<RelId, FileError> {
        let found = self.maker.question.plan.relation(name);
        found.ok_or_else(|| self.wrong(format!("speaks of `{name}`, which is no relation")))
    }

    /// Whether it names a variable, and no parameter.
    fn is_variable(&self, name: &str) -> bool {
        let params = &self.maker.question.plan.ast.params;
        name.starts_with(|c: char| c.is_alphabetic()) && !params.iter().any(|param| param.name.text == name)
    }

    /// All claims of the line, wherever they stand.
    fn all_claims(&self) -> Vec<&'m str> {
        let line = self.line;
        let (given, then) = line.split_once(" -> ").unwrap_or(("", line));
        let mut all: Vec<&str> = parts(given, " & ").collect();
        match then.split_once(" <= ") {
            Some((sum, _)) => all.extend(amounts(sum).into_iter().flat_map(|(_, amount)| counted(amount).1)),
            None => all.extend(parts(then, " | ")),
        }
        all.into_iter().flat_map(simple).collect()
    }

    /// Variables have the sorts of the columns in which they stand, or of what they are compared with.
    fn learn_sorts(&mut self) -> Result<(), FileError> {
        let node = self.maker.question.sorts.node();
        let mut compared = vec![];
        for claim in self.all_claims() {
            if let Some((_, one, other)) = comparison(claim) {
                compared.push((one.to_owned(), other.to_owned()));
                continue;
            }
            let mut tuples = vec![];
            if let Some((one, other)) = claim.split_once(" > ") {
                tuples.push(one.split_once(" * ").map_or(one, |(_, of)| of));
                tuples.extend(other.rsplit_once(" + ").map(|(than, _)| than).filter(|than| *than != "0"));
            } else {
                match claim.split_once(' ') {
                    Some(("sent" | "possible", rest)) => tuples.push(rest),
                    Some(("crashes" | "down" | "member" | "node", who)) => {
                        self.sorts.insert(who.to_owned(), node);
                    }
                    _ if claim == "false" => {}
                    _ => tuples.push(claim),
                }
            }
            for text in tuples {
                let (name, columns) = tuple(text).ok_or_else(|| self.wrong(format!("has no meaning at `{text}`")))?;
                let relation = self.relation(name)?;
                if columns.len() != self.maker.question.plan.rel(relation).columns.len() {
                    return Err(self.wrong(format!("gives `{name}` another number of columns")));
                }
                for (place, column) in columns.iter().enumerate() {
                    self.sorts.insert((*column).to_owned(), self.maker.question.sorts.column(relation, place));
                }
            }
        }
        for _ in 0..compared.len() {
            for (one, other) in &compared {
                match (self.sorts.get(one).copied(), self.sorts.get(other).copied()) {
                    (Some(sort), None) => drop(self.sorts.insert(other.clone(), sort)),
                    (None, Some(sort)) => drop(self.sorts.insert(one.clone(), sort)),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn sort(&self, name: &str) -> Result<Sort, FileError> {
        self.sorts.get(name).copied().ok_or_else(|| self.wrong(format!("does not say what `{name}` is")))
    }

    /// The variables of what is given are for all values.
    fn introduce(&mut self, claim: &str, scope: &mut Scope) -> Result<(), FileError> {
        for name in names(claim) {
            if self.is_variable(name) && !scope.contains_key(name) {
                let sort = self.sort(name)?;
                scope.insert(name.to_owned(), self.maker.var(sort));
            }
        }
        Ok(())
    }

    /// So are those of a sum that are not counted.
    fn introduce_free(&mut self, sum: &str, scope: &mut Scope) -> Result<(), FileError> {
        for (_, amount) in amounts(sum) {
            let (variables, claims) = counted(amount);
            for name in claims.iter().flat_map(|claim| names(claim)) {
                let free = !variables.contains(&name) && !name.ends_with('\'');
                if free && self.is_variable(name) && !scope.contains_key(name) {
                    let sort = self.sort(name)?;
                    scope.insert(name.to_owned(), self.maker.var(sort));
                }
            }
        }
        Ok(())
    }

    /// What a column is. A variable that is not known yet is bound here.
    fn term(&mut self, name: &str, sort: Sort, scope: &mut Scope, bound: &mut Vec<Var>) -> Result<Term, FileError> {
        if let Some(text) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
            return Ok(Term::Const(Value::from(text), sort));
        }
        if let Ok(number) = name.parse() {
            return Ok(Term::Const(Value::Int(number), sort));
        }
        let params = &self.maker.question.plan.ast.params;
        if let Some(param) = params.iter().position(|param| param.name.text == name) {
            return Ok(typed(self.maker.param(param), sort));
        }
        if let Some(var) = scope.get(name) {
            return Ok(Term::Var(*var));
        }
        let var = self.maker.var(sort);
        bound.push(var);
        if name != "_" {
            scope.insert(name.to_owned(), var);
        }
        Ok(Term::Var(var))
    }

    fn terms(&mut self, text: &str, scope: &mut Scope, bound: &mut Vec<Var>) -> Result<(RelId, Vec<Term>), FileError> {
        let (name, columns) = tuple(text).ok_or_else(|| self.wrong(format!("has no meaning at `{text}`")))?;
        let relation = self.relation(name)?;
        let mut terms = vec![];
        for (place, column) in columns.iter().enumerate() {
            let sort = self.maker.question.sorts.column(relation, place);
            terms.push(self.term(column, sort, scope, bound)?);
        }
        Ok((relation, terms))
    }

    /// A claim; variables that nothing else knows are bound by whoever asks. `_` is bound within.
    fn claim(&mut self, text: &str, scope: &mut Scope, bound: &mut Vec<Var>) -> Result<Formula, FileError> {
        if let Some(inner) = text.strip_prefix("not ") {
            return Ok(self.claim(inner, scope, bound)?.not());
        }
        if let Some((times, of, than, more)) = exceeds(text) {
            let (of, than) = (self.amount(of, scope)?, self.amount(than, scope)?);
            return self.more_than(times, of, Some(than), more);
        }
        if let Some((op, one, other)) = comparison(text) {
            let sort = self.sort(one).or_else(|_| self.sort(other))?;
            let (one, other) = (self.term(one, sort, scope, bound)?, self.term(other, sort, scope, bound)?);
            return Ok(Formula::Compare(op, one, other));
        }
        if let Some((one, other)) = text.split_once(" > ") {
            return self.outnumbers(one, other, scope);
        }
        let node = self.maker.question.sorts.node();
        let predicate = match text.split_once(' ') {
            Some(("crashes", who)) => Some((Predicate::Crashes, who)),
            Some(("down", who)) => Some((Predicate::Down(self.moment), who)),
            Some(("member", who)) => Some((Predicate::Member, who)),
            Some(("node", who)) => Some((Predicate::Node, who)),
            _ => None,
        };
        if let Some((predicate, who)) = predicate {
            return Ok(Formula::Atom(predicate, vec![self.term(who, node, scope, bound)?]));
        }
        let mut own = vec![];
        let known: Vec<String> = scope.keys().cloned().collect();
        let (word, rest) = text.split_once(' ').unwrap_or(("", text));
        let inner = if matches!(word, "sent" | "possible") { rest } else { text };
        let (relation, terms) = self.terms(inner, scope, &mut own)?;
        let reserved = self.maker.question.plan.rel(relation).reserved.is_some();
        let predicate = match word {
            "sent" => Predicate::Sent(relation, self.moment),
            "possible" => Predicate::Possible(relation),
            _ if reserved => Predicate::Holds(relation, 0),
            _ => Predicate::Holds(relation, self.moment),
        };
        // What has a name may be meant elsewhere, too.
        let named: Vec<Var> = scope.iter().filter(|(name, _)| !known.contains(name)).map(|(_, var)| *var).collect();
        bound.extend(own.iter().filter(|var| named.contains(var)));
        own.retain(|var| !named.contains(var));
        Ok(Formula::some(own, Formula::Atom(predicate, terms)))
    }

    /// `k * r(.., #, ..) > s(.., #, ..) + m`
    fn outnumbers(&mut self, one: &str, other: &str, scope: &mut Scope) -> Result<Formula, FileError> {
        let odd = || self.wrong(format!("has no meaning at `{one} > {other}`"));
        let (times, part) = one.split_once(" * ").ok_or_else(odd)?;
        let (whole, more) = other.rsplit_once(" + ").ok_or_else(odd)?;
        let part = self.column(part, scope)?;
        let whole = if whole == "0" { None } else { Some(self.column(whole, scope)?) };
        self.more_than(times, part, whole, more)
    }

    /// So many times one amount is more than another, and so many.
    fn more_than(&self, times: &str, of: Amount, than: Option<Amount>, more: &str) -> Result<Formula, FileError> {
        let odd = || self.wrong(format!("has no numbers at `{times}` and `{more}`"));
        let number = |text: &str| text.parse::<i64>().ok().and_then(i64::checked_neg).ok_or_else(odd);
        let (times, most) = (number(times)?, number(more)?.checked_sub(1).ok_or_else(odd)?);
        let than = than.map(|than| (1, than));
        Ok(Formula::AtMost([Some((times, of)), than].into_iter().flatten().collect(), most))
    }

    /// The values in the column `#`.
    fn column(&mut self, text: &str, scope: &mut Scope) -> Result<Amount, FileError> {
        let mut own = vec![];
        let mut inner = scope.clone();
        let (relation, terms) = self.terms(text, &mut inner, &mut own)?;
        let Some(Var { number, .. }) = inner.get("#").copied() else {
            return Err(self.wrong(format!("counts nothing in `{text}`")));
        };
        let (of, rest) = own.into_iter().partition(|var| var.number == number);
        let atom = Formula::Atom(Predicate::Holds(relation, self.moment), terms);
        Ok(Amount::Count(of, Box::new(Formula::some(rest, atom))))
    }

    fn sum(&mut self, sum: &str, most: &str, scope: &Scope) -> Result<Formula, FileError> {
        let odd = |what: &str| self.wrong(format!("has no number at `{what}`"));
        let most = most.parse().map_err(|_| odd(most))?;
        let mut terms = vec![];
        for (times, amount) in amounts(sum) {
            let times = times.parse().map_err(|_| self.wrong(format!("has no number at `{times}`")))?;
            terms.push((times, self.amount(amount, scope)?));
        }
        Ok(Formula::AtMost(terms, most))
    }

    fn amount(&mut self, text: &str, scope: &Scope) -> Result<Amount, FileError> {
        if let Some(name) = text.strip_prefix("param ") {
            let node = self.maker.question.sorts.node();
            let term = self.term(name, node, &mut scope.clone(), &mut vec![])?;
            return match term {
                Term::Var(_) => Err(self.wrong(format!("speaks of `{name}`, which is no parameter"))),
                term => Ok(Amount::Value(term)),
            };
        }
        if let Some(name) = text.strip_prefix("underway ") {
            return Ok(Amount::UnderWay(self.relation(name)?, self.moment));
        }
        let (variables, claims) = counted(text);
        let (mut inner, mut bound, mut parts) = (scope.clone(), vec![], vec![]);
        for claim in claims {
            parts.push(self.claim(claim, &mut inner, &mut bound)?);
        }
        let of: Vec<Var> = variables.iter().filter_map(|name| inner.get(*name).copied()).collect();
        bound.retain(|var| !of.contains(var));
        Ok(Amount::Count(of, Box::new(Formula::some(bound, Formula::all(parts)))))
    }
}

/// The terms of a sum: how many times, and what.
fn amounts(sum: &str) -> Vec<(&str, &str)> {
    // Claims within braces are joined by `&` and have no `+`, but for comparisons of counts, which sums do not have.
    sum.split(" + ").map(|term| term.split_once(" * ").unwrap_or(("", term))).collect()
}

/// The variables that are counted, and the claims that they satisfy.
fn counted(amount: &str) -> (Vec<&str>, Vec<&str>) {
    let inside = amount.strip_prefix("#{").and_then(|text| text.strip_suffix('}'));
    let Some((variables, claims)) = inside.and_then(|text| text.split_once(": ")) else { return (vec![], vec![]) };
    let variables = variables.trim().split(", ").filter(|name| !name.is_empty()).collect();
    (variables, parts(claims, " & ").collect())
}

/// The claims of which a claim is made: itself, if it is made of none.
fn simple(claim: &str) -> Vec<&str> {
    if let Some((_, of, than, _)) = exceeds(claim) {
        return [of, than].into_iter().flat_map(|amount| counted(amount).1).flat_map(simple).collect();
    }
    vec![claim.strip_prefix("not ").unwrap_or(claim)]
}

/// What stands in the columns of a claim, whatever it is.
fn names(claim: &str) -> Vec<&str> {
    if exceeds(claim).is_some() {
        // Those with a prime are counted, or of no matter.
        return simple(claim).into_iter().flat_map(names).filter(|name| !name.ends_with('\'')).collect();
    }
    if let Some((_, one, other)) = comparison(claim) {
        return vec![one, other];
    }
    if let Some((one, other)) = claim.split_once(" > ") {
        let sides = [one.split_once(" * ").map(|(_, of)| of), other.rsplit_once(" + ").map(|(than, _)| than)];
        return sides.into_iter().flatten().filter_map(tuple).flat_map(|(_, columns)| columns).collect();
    }
    match (claim.split_once(' '), tuple(claim)) {
        (Some(("crashes" | "down" | "member" | "node", who)), _) => vec![who],
        (_, Some((_, columns))) => columns,
        _ => vec![],
    }
}
