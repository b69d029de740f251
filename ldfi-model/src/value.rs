//! Values, and how they are written.

use std::fmt;

/// The type of a column or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A string.
    Str,
    /// A 64-bit integer.
    Int,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Str => "str",
            Type::Int => "int",
        })
    }
}

/// A value as people see it.
///
/// ```
/// use ldfi_model::Value;
/// assert_eq!(Value::from("say \"hi\"").to_string(), r#""say \"hi\"""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(untagged))]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A string.
    Str(String),
}

/// In JSON a value is a number or a string. Readers such as browsers hold integers exactly only up to 2⁵³, so larger
/// ones are written as strings of digits.
#[cfg(feature = "serde")]
impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Int(number) if number.unsigned_abs() < 1 << 53 => out.serialize_i64(*number),
            Value::Int(number) => out.serialize_str(&number.to_string()),
            Value::Str(text) => out.serialize_str(text),
        }
    }
}

impl Value {
    /// Without the quotes that programs need.
    pub fn bare(&self) -> String {
        match self {
            Value::Int(number) => number.to_string(),
            Value::Str(text) => text.clone(),
        }
    }

    /// As people read it: without quotes, unless a comma, a quote or blanks around it make them needed to read it back.
    ///
    /// ```
    /// use ldfi_model::Value;
    /// assert_eq!(Value::from("two words").shown(), "two words");
    /// assert_eq!(Value::from("one, two").shown(), r#""one, two""#);
    /// ```
    pub fn shown(&self) -> String {
        match self {
            Value::Str(text) if !reads_back(text) => quote(text),
            _ => self.bare(),
        }
    }

    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Value::Int(_) => Type::Int,
            Value::Str(_) => Type::Str,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => value.fmt(f),
            Value::Str(text) => f.write_str(&quote(text)),
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Str(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Str(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Str(text.clone())
    }
}

/// Whether a string stands for itself without quotes among the columns of a tuple.
fn reads_back(text: &str) -> bool {
    text != "_" && text.trim() == text && !text.contains([',', '"'])
}

/// A string in double quotes, with the escapes that programs read back.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// What stands between the quotes of a string, its escapes resolved. The error says what is wrong.
///
/// # Errors
/// If there is an escape that nothing stands for.
pub fn unquote(inner: &str) -> Result<String, String> {
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('0') => out.push('\0'),
            Some('\\') => out.push('\\'),
            Some('"') => out.push('"'),
            Some('\'') => out.push('\''),
            Some(other) => return Err(format!("unknown escape `\\{other}` in a string")),
            None => return Err("a string ends in a lone `\\`".into()),
        }
    }
    Ok(out)
}
