//! Enough of JSON Schema to hold answers against the schemas of `schema/`.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../schema/check.schema.json");
const COMPARE: &str = include_str!("../../schema/compare.schema.json");

const PROVE: &str = include_str!("../../schema/prove.schema.json");

/// Fails the test if the answer of a check is not what the schema describes.
pub fn validate(answer: &Value) {
    against(SCHEMA, answer);
}

/// The same for a comparison.
pub fn validate_comparison(answer: &Value) {
    against(COMPARE, answer);
}

/// The same for a proof.
pub fn validate_proof(answer: &Value) {
    against(PROVE, answer);
}

fn against(schema: &str, answer: &Value) {
    let schema: Value = serde_json::from_str(schema).unwrap();
    if let Err(why) = fits(answer, &schema, &schema, "answer") {
        panic!("{why}\n{answer}");
    }
}

fn fits(value: &Value, schema: &Value, root: &Value, at: &str) -> Result<(), String> {
    let rules = schema.as_object().ok_or("a schema is an object")?;
    for (rule, wanted) in rules {
        let good = match rule.as_str() {
            "$schema" | "title" | "description" | "$defs" | "properties" => true,
            "$ref" => {
                let path = wanted.as_str().unwrap().trim_start_matches('#');
                return fits(value, root.pointer(path).unwrap(), root, at);
            }
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => has_type(value, wanted),
            "minimum" => value.as_f64().is_none_or(|n| n >= wanted.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|a| a.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|a| a.len() as u64 <= wanted.as_u64().unwrap()),
            // It says nothing of what is no object.
            "required" => value.as_object().is_none_or(|fields| {
                wanted.as_array().unwrap().iter().all(|key| fields.contains_key(key.as_str().unwrap()))
            }),
            "anyOf" => wanted.as_array().unwrap().iter().any(|one| fits(value, one, root, at).is_ok()),
            "items" | "prefixItems" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(item, wanted.get(i).unwrap_or(wanted), root, &format!("{at}[{i}]"))?;
                }
                true
            }
            "additionalProperties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    let known = schema.pointer(&format!("/properties/{key}"));
                    match known.unwrap_or(wanted) {
                        Value::Bool(allowed) if !allowed => return Err(format!("{at}.{key} is not in the schema")),
                        schema => fits(inner, schema, root, &format!("{at}.{key}"))?,
                    }
                }
                true
            }
            other => return Err(format!("this test does not know the rule `{other}`")),
        };
        if !good {
            return Err(format!("{at} is {value}, against {rule}: {wanted}"));
        }
    }
    Ok(())
}

fn has_type(value: &Value, wanted: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("this test does not know the type `{other}`"),
    };
    match wanted {
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        name => is(name.as_str().unwrap()),
    }
}

#[test]
fn the_validator_refuses_what_it_should() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for bad in [r#"{}"#, r#"[]"#, r#"{"schema": 2}"#] {
        assert!(fits(&serde_json::from_str(bad).unwrap(), &schema, &schema, "").is_err(), "{bad}");
    }
    let place = &schema["$defs"]["counterexample"];
    let bad = r#"{"omissions": [["a", 1, "b"]], "crashes": [], "violated": [], "missing": [], "faults": ""}"#;
    assert!(fits(&serde_json::from_str(bad).unwrap(), place, &schema, "").is_err());
}
