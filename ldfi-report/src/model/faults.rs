//! Faults in JSON: their text form, and beside it an array for each kind, for readers that do not parse.

use ldfi_model::{Fault, Faults, FaultsError, Strike, Tuple};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// The arrays by kind, as they stand beside the text form.
///
/// ```
/// let faults = "lose a->b@1; pause c@2 until 4".parse().unwrap();
/// let arrays = ldfi_report::model::arrays(&faults);
/// assert_eq!(arrays["omissions"].to_string(), r#"[["a","b",1]]"#);
/// assert_eq!(arrays["pauses"].to_string(), r#"[["c",2,4]]"#);
/// ```
pub fn arrays(faults: &Faults) -> Map<String, Value> {
    let mut arrays: Map<String, Value> = KINDS.iter().map(|kind| ((*kind).to_owned(), json!([]))).collect();
    for fault in faults.iter() {
        let (kind, row) = row(fault);
        if let Some(Value::Array(rows)) = arrays.get_mut(kind) {
            rows.push(row);
        }
    }
    arrays
}

/// The names of the arrays.
pub const KINDS: [&str; 8] =
    ["omissions", "crashes", "delays", "duplicates", "partitions", "restarts", "pauses", "gives"];

fn row(fault: &Fault) -> (&'static str, Value) {
    let time = fault.time.0;
    // What strikes one message alone ends in it.
    let with = |mut row: Vec<Value>, message: &Option<Tuple>| {
        row.extend(message.as_ref().map(|tuple| json!(tuple.to_string())));
        Value::Array(row)
    };
    match &fault.strike {
        Strike::Lose { from, to, message } => ("omissions", with(vec![json!(from), json!(to), json!(time)], message)),
        Strike::Delay { from, to, message, by } => {
            ("delays", with(vec![json!(from), json!(to), json!(time), json!(by)], message))
        }
        Strike::Duplicate { from, to, message, by } => {
            ("duplicates", with(vec![json!(from), json!(to), json!(time), json!(by)], message))
        }
        Strike::Partition { sides, until } => ("partitions", json!([sides.first(), sides.second(), time, until.0])),
        Strike::Crash { node } => ("crashes", json!([node, time])),
        Strike::Restart { node } => ("restarts", json!([node, time])),
        Strike::Pause { node, until } => ("pauses", json!([node, time, until.0])),
        Strike::Give { tuple } => ("gives", json!([tuple.to_string(), time])),
    }
}

/// Reads and writes [`Faults`] as `{"text": …, "each": […], "omissions": […], …}`; `text` is what is read back.
pub(super) mod as_json {
    use super::{Deserialize, Deserializer, Faults, FaultsError, Serialize, Serializer, arrays};

    #[derive(Deserialize)]
    struct Read {
        text: String,
    }

    pub(crate) fn serialize<S: Serializer>(faults: &Faults, out: S) -> Result<S::Ok, S::Error> {
        let mut object = serde_json::Map::new();
        object.insert("text".to_owned(), faults.to_string().into());
        object.insert("each".to_owned(), faults.iter().map(ToString::to_string).collect());
        object.extend(arrays(faults));
        object.serialize(out)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(input: D) -> Result<Faults, D::Error> {
        let read = Read::deserialize(input)?;
        read.text.parse().map_err(|error: FaultsError| serde::de::Error::custom(error))
    }
}
