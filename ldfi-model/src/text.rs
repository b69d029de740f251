//! Reading the text form of faults.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::beside::Beside;
use crate::fault::{Fault, Sides, Strike};
use crate::faults::{Faults, makes_sense};
use crate::time::Time;
use crate::tuple::Tuple;
use crate::value::{Value, unquote};

/// A text that is not a fault set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultsError {
    /// The fault that is wrong.
    pub part: String,
    /// Where in the whole text, in characters from 1.
    pub column: usize,
    /// What stands there.
    pub found: String,
    /// Why it is wrong.
    pub why: String,
    /// What to write instead, unless only the faults beside it are in its way.
    pub write: Option<String>,
}

impl fmt::Display for FaultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FaultsError { part, column, found, why, write } = self;
        let at = if found.is_empty() { "at the end".to_owned() } else { format!("at `{found}`") };
        match write {
            Some(write) => write!(f, "`{part}` is not a fault: {why} ({at}, column {column}); write {write}"),
            None => write!(f, "`{part}` does not fit: {why} ({at}, column {column})"),
        }
    }
}

impl std::error::Error for FaultsError {}

/// Each kind by its word, with an example, and with one of a single message.
const FORMS: [(&str, &str, Option<&str>); 8] = [
    ("lose", "lose a->b@1", Some("lose a->b@1 vote(\"b\", 3)")),
    ("delay", "delay a->b@1 by 2", Some("delay a->b@1 vote(\"b\", 3) by 2")),
    ("duplicate", "duplicate a->b@1 by 2", Some("duplicate a->b@1 vote(\"b\", 3) by 2")),
    ("partition", "partition a,b|c@1 until 3", None),
    ("crash", "crash c@3", None),
    ("restart", "restart c@5", None),
    ("pause", "pause c@2 until 4", None),
    ("give", "give timeout(\"a\")@2", None),
];

/// How a fault that begins like this is written.
fn form(part: &str) -> String {
    let word = part.split_whitespace().next();
    match FORMS.iter().find(|(known, ..)| word == Some(known)) {
        Some((_, form, None)) => format!("`{form}`"),
        Some((_, form, Some(message))) => format!("`{form}`, or of one message `{message}`"),
        None => {
            let forms: Vec<String> = FORMS.iter().map(|(_, form, _)| format!("`{form}`")).collect();
            format!("{}, separated by `;`", forms.join(", "))
        }
    }
}

impl FromStr for Faults {
    type Err = FaultsError;

    fn from_str(text: &str) -> Result<Self, FaultsError> {
        Faults::none().and_read(text)
    }
}

impl Faults {
    /// These faults, and those of a text beside them.
    ///
    /// # Errors
    /// If the text is wrong, or its faults do not fit these.
    pub fn and_read(&self, text: &str) -> Result<Faults, FaultsError> {
        let mut starts = BTreeMap::new();
        for (fault, start) in read(text)? {
            if starts.insert(fault, start).is_some() {
                return Err(Reader { text, at: start, part: start }.clashes("it is there twice"));
            }
        }
        if let Some((_, start)) = starts.iter().find(|(fault, _)| self.contains(fault)) {
            return Err(Reader { text, at: *start, part: *start }.clashes("it is there twice"));
        }
        let faults: Faults = self.iter().chain(starts.keys()).cloned().collect();
        // Together they must make sense in the order in which they strike, not in that of the text.
        let mut beside = Beside::default();
        for fault in faults.iter() {
            beside.also(fault).map_err(|why| {
                let part = starts.get(fault).copied().unwrap_or(0);
                Reader { text, at: part, part }.clashes(why)
            })?;
        }
        Ok(faults)
    }
}

/// The faults of a text, each with where it begins.
fn read(text: &str) -> Result<Vec<(Fault, usize)>, FaultsError> {
    let mut all = vec![];
    if text.trim() == "no faults" {
        return Ok(all);
    }
    let mut reader = Reader { text, at: 0, part: 0 };
    loop {
        while reader.eat(";") {}
        reader.blanks();
        if reader.rest().is_empty() {
            return Ok(all);
        }
        let start = reader.at;
        reader.part = start;
        let fault = reader.fault()?;
        reader.blanks();
        if !reader.rest().is_empty() && !reader.rest().starts_with(';') {
            return Err(reader.wrong("nothing more belongs to it: faults are separated by `;`"));
        }
        makes_sense(&fault).map_err(|why| reader.wrong_at(start, why))?;
        all.push((fault, start));
    }
}

/// Where a fault stands in a text of faults, in characters from 1.
pub(crate) fn column(text: &str, fault: &str) -> Option<usize> {
    let all = read(text).ok()?;
    let (_, start) = all.iter().find(|(one, _)| one.to_string() == fault)?;
    Some(text[..*start].chars().count() + 1)
}

/// In JSON, faults are a list of their texts.
#[cfg(feature = "serde")]
impl serde::Serialize for Faults {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.iter().map(ToString::to_string))
    }
}

#[cfg(feature = "serde")]
impl<'d> serde::Deserialize<'d> for Faults {
    fn deserialize<D: serde::Deserializer<'d>>(input: D) -> Result<Self, D::Error> {
        let texts: Vec<String> = serde::Deserialize::deserialize(input)?;
        texts.join("; ").parse().map_err(|error: FaultsError| serde::de::Error::custom(error))
    }
}

/// Whether a relation can be called so.
pub(crate) fn is_name(text: &str) -> bool {
    begins_name(text) && text.chars().all(in_name)
}

fn begins_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '?')
}

/// A place in a text of faults.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Where the current fault begins.
    part: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let here = self.rest().starts_with(token);
        self.at += if here { token.len() } else { 0 };
        here
    }

    fn expect(&mut self, token: &str, why: &str) -> Result<(), FaultsError> {
        if self.eat(token) { Ok(()) } else { Err(self.wrong(why)) }
    }

    /// A word such as `by`, which must end where it ends.
    fn expect_word(&mut self, word: &str, why: &str) -> Result<(), FaultsError> {
        self.blanks();
        if self.word() == word {
            self.at += word.len();
            return Ok(());
        }
        Err(self.wrong(why))
    }

    fn word(&self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    }

    fn fault(&mut self) -> Result<Fault, FaultsError> {
        self.blanks();
        let word = self.word();
        if !FORMS.iter().any(|(known, ..)| *known == word) {
            return Err(self.wrong("no fault begins like that"));
        }
        self.at += word.len();
        let (time, strike) = match word {
            "lose" => {
                let (from, to, time, message) = self.send()?;
                (time, Strike::Lose { from, to, message })
            }
            "delay" => {
                let (from, to, time, message) = self.send()?;
                (time, Strike::Delay { from, to, message, by: self.late()? })
            }
            "duplicate" => {
                let (from, to, time, message) = self.send()?;
                (time, Strike::Duplicate { from, to, message, by: self.late()? })
            }
            "partition" => {
                let one = self.side()?;
                self.expect("|", "the two sides are separated by `|`")?;
                let other = self.side()?;
                let (time, until) = self.interval()?;
                (time, Strike::Partition { sides: Sides::new(one, other), until })
            }
            "pause" => {
                let node = self.node()?;
                let (time, until) = self.interval()?;
                (time, Strike::Pause { node, until })
            }
            "give" => {
                let tuple = self.tuple()?;
                (self.time()?, Strike::Give { tuple })
            }
            _ => {
                let node = self.node()?;
                let time = self.time()?;
                (time, if word == "crash" { Strike::Crash { node } } else { Strike::Restart { node } })
            }
        };
        Ok(Fault { time, strike })
    }

    /// `a->b@t`, and perhaps one message.
    fn send(&mut self) -> Result<(String, String, Time, Option<Tuple>), FaultsError> {
        let from = self.node()?;
        self.expect("->", "a message goes `from->to`")?;
        let to = self.node()?;
        let time = self.time()?;
        self.blanks();
        let has_message = begins_name(self.rest()) && !self.is_at_by();
        Ok((from, to, time, if has_message { Some(self.tuple()?) } else { None }))
    }

    /// Whether the word `by` is here: not a relation that is called so, which has its columns behind it.
    fn is_at_by(&self) -> bool {
        let name = self.name();
        name == "by" && !self.rest()[name.len()..].trim_start().starts_with('(')
    }

    /// What could be a relation's name here.
    fn name(&self) -> &'t str {
        let rest = self.rest();
        &rest[..rest.find(|c: char| !in_name(c)).unwrap_or(rest.len())]
    }

    fn late(&mut self) -> Result<u32, FaultsError> {
        self.expect_word("by", "it does not say by how many steps")?;
        self.number("the number of steps")
    }

    fn interval(&mut self) -> Result<(Time, Time), FaultsError> {
        let time = self.time()?;
        self.expect_word("until", "it does not say until when")?;
        Ok((time, Time(self.number("the end")?)))
    }

    fn time(&mut self) -> Result<Time, FaultsError> {
        self.expect("@", "it has no time")?;
        Ok(Time(self.number("the time")?))
    }

    fn number(&mut self, what: &str) -> Result<u32, FaultsError> {
        self.blanks();
        let digits = self.word();
        let number = digits.parse().map_err(|_| {
            let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            let most = u32::MAX;
            self.wrong(&if is_number { format!("{what} is {most} at most") } else { format!("{what} is not a number") })
        })?;
        self.at += digits.len();
        Ok(number)
    }

    fn side(&mut self) -> Result<Vec<String>, FaultsError> {
        let mut side = vec![self.node()?];
        while self.eat(",") {
            side.push(self.node()?);
        }
        Ok(side)
    }

    fn node(&mut self) -> Result<String, FaultsError> {
        self.blanks();
        if self.rest().starts_with('"') {
            return self.string();
        }
        let rest = self.rest();
        let mut end = 0;
        for (at, c) in rest.char_indices() {
            // A dash may be part of a name, an arrow may not.
            let plain = c.is_alphanumeric() || c == '_' || c == '.' || (c == '-' && !rest[at..].starts_with("->"));
            if !plain {
                break;
            }
            end = at + c.len_utf8();
        }
        if end == 0 {
            return Err(self.wrong("a node's name is missing; one with such characters is written in double quotes"));
        }
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    fn string(&mut self) -> Result<String, FaultsError> {
        let start = self.at;
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            if c == '"' && !escaped {
                let inner = &self.text[start + 1..start + at];
                self.at = start + at + 1;
                return unquote(inner).map_err(|why| self.wrong_at(start, &why));
            }
            escaped = c == '\\' && !escaped;
        }
        Err(self.wrong("a string is never closed"))
    }

    fn tuple(&mut self) -> Result<Tuple, FaultsError> {
        self.blanks();
        let name = self.name();
        if !is_name(name) {
            return Err(self.wrong("the name of a relation is missing"));
        }
        self.at += name.len();
        self.expect("(", "a tuple has its columns in parentheses")?;
        let mut values = vec![];
        if !self.eat(")") {
            loop {
                values.push(self.value()?);
                if self.eat(")") {
                    break;
                }
                self.expect(",", "columns are separated by `,`")?;
            }
        }
        Ok(Tuple::new(name, values))
    }

    fn value(&mut self) -> Result<Value, FaultsError> {
        self.blanks();
        if self.rest().starts_with('"') {
            return Ok(Value::Str(self.string()?));
        }
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
        let number =
            rest[..end].parse().map_err(|_| self.wrong("a value is an integer or a string in double quotes"))?;
        self.at += end;
        Ok(Value::Int(number))
    }

    fn wrong(&self, why: &str) -> FaultsError {
        self.wrong_at(self.at, why)
    }

    /// It makes sense, but not with the others.
    fn clashes(&self, why: &str) -> FaultsError {
        FaultsError { write: None, ..self.wrong(why) }
    }

    fn wrong_at(&self, at: usize, why: &str) -> FaultsError {
        let whole = self.text[self.part..].split(';').next().unwrap_or("").trim();
        let token = self.text[at..].split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or("");
        FaultsError {
            part: whole.to_owned(),
            column: self.text[..at].chars().count() + 1,
            found: token.to_owned(),
            why: why.to_owned(),
            write: Some(form(whole)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_prints_and_parses() {
        for text in [
            "lose a->b@1; crash c@3",
            "no faults",
            "lose \"x; y\"->\"z\\\"\"@2",
            "crash \"a-b\"@1",
            "delay a->b@1 by 2; duplicate a->b@1 by 3",
            "partition a,b|c@1 until 3",
            "crash c@3; restart c@5; crash c@7",
            "pause c@2 until 4",
            "give go()@2; give timeout(\"a\", -3)@2",
            "lose a->b@1 vote(\"b\", \"a\", 3)",
            "delay a->b@1 vote(\"b\", \"a\", 3) by 2",
            "lose a->b@1 by(\"b\"); delay a->b@2 by.x(\"b\") by 2; duplicate a->b@2 by?() by 3",
        ] {
            let faults: Faults = text.parse().unwrap();
            assert_eq!(faults.to_string(), text);
            assert_eq!(faults.to_string().parse::<Faults>().unwrap(), faults, "{text}");
        }
    }

    #[test]
    fn spelling_does_not_matter() {
        let one: Faults = " crash  a-b @ 1 ;; partition c , b|a@1 until 2".parse().unwrap();
        assert_eq!(one.to_string(), "partition a|b,c@1 until 2; crash \"a-b\"@1");
    }

    #[test]
    fn a_bad_text_says_which_part_and_where() {
        for (text, column, why) in [
            ("lose a->b", 10, "no time"),
            ("lose a@1", 7, "from->to"),
            ("lose a>b@1", 7, "from->to"),
            ("drop a->b@1", 1, "no fault begins"),
            ("crash @1", 7, "name is missing"),
            ("lose a->a@1", 1, "itself"),
            ("crash a@0", 1, "from 1"),
            ("crash a@x", 9, "not a number"),
            ("delay a->b@1 by 99999999999", 17, "the number of steps is 4294967295 at most"),
            ("crash a@99999999999", 9, "the time is 4294967295 at most"),
            ("delay a->b@1 by -1", 17, "not a number"),
            ("delay a->b@1 by 3; duplicate a->b@1 log(\"b\", \"data\") by 1", 20, "as a whole or message by message"),
            ("lose a->b@1; delay a->b@1 log(\"b\", \"data\") by 1", 14, "as a whole or message by message"),
            ("lose a->b@1 log(\"b\"); lose a->b@1", 1, "as a whole or message by message"),
            ("crash a@1; crash a@2", 12, "crashed already"),
            ("crash a@1;  crash  a @2", 13, "crashed already"),
            ("crash a@10; crash a@1", 1, "crashed already"),
            ("lose a->b@1, crash c@2", 12, "separated by `;`"),
            ("crash c@2, lose a->b@1", 10, "separated by `;`"),
            ("crash a@1; restart b@2", 12, "comes back"),
            ("crash a@1; restart a@1", 12, "comes back"),
            ("delay a->b@1", 13, "by how many"),
            ("delay a->b@1 by 0", 1, "at least 1"),
            ("delay a->b@1 by 2; duplicate a->b@1 by 2", 20, "later than"),
            ("lose a->b@1; delay a->b@1 by 1", 14, "does not arrive"),
            ("partition a,b@1 until 2", 14, "`|`"),
            ("partition a|a@1 until 2", 1, "one side"),
            ("partition a|b@3 until 3", 1, "before it begins"),
            ("pause a@3", 10, "until when"),
            ("give r(a)@1", 8, "integer or a string"),
            ("give r(\"a)@1", 8, "never closed"),
            ("crash a@1 now", 11, "nothing more"),
            ("crash a@1; crash a@1", 12, "twice"),
        ] {
            let error = text.parse::<Faults>().unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.to_string().contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn what_to_write_instead_is_said_where_the_text_is_wrong_and_not_where_faults_clash() {
        let said = |text: &str| text.parse::<Faults>().unwrap_err().to_string();
        let message = "write `lose a->b@1`, or of one message `lose a->b@1 vote(\"b\", 3)`";
        assert!(said("lose a->b@1 vote").contains(message), "{}", said("lose a->b@1 vote"));
        assert!(said("pause a@3").ends_with("write `pause c@2 until 4`"), "{}", said("pause a@3"));
        for clash in ["delay a->b@1 by 1; delay a->b@1 by 2", "restart a@2", "crash a@1; crash a@1"] {
            assert!(said(clash).contains("does not fit") && !said(clash).contains("write"), "{clash}");
        }
    }
}
