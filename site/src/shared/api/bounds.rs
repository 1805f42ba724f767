//! The bounds of what is asked for, as the OpenAPI document states them: from the constants that check them.

use flipside_tournament::Name;
use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Number, Value, json};

use super::answer::MAX_PAGE;

/// A text of one line without control characters.
pub(crate) const ONE_LINE: &str = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$";

/// The same with more than space in it.
pub(crate) const SAID: &str = "^[^\\u0000-\\u001F\\u007F-\\u009F]*[^\\s\\u0000-\\u001F\\u007F-\\u009F][^\\u0000-\\u001F\\u007F-\\u009F]*$";

/// A bot with or without a version.
pub(crate) fn bot() -> String {
    // A version has no sign and no zeros before it, and fits into 32 bits.
    format!(
        "{}(@[1-9][0-9]{{0,8}})?$",
        Name::pattern().trim_end_matches('$')
    )
}

/// Whole numbers have the bounds of their types.
#[derive(Clone)]
pub(crate) struct WholeNumbers;

impl Transform for WholeNumbers {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let most = match schema.get("format").and_then(Value::as_str) {
            Some("uint8") => u64::from(u8::MAX),
            Some("uint32" | "int32") => u64::from(u32::MAX),
            Some("uint64" | "int64" | "uint") => u64::MAX,
            _ => return,
        };
        if schema.get("maximum").is_none() {
            schema.insert("maximum".into(), json!(most));
        }
    }
}

/// Completes what an operation asks for: the bounds of its parameters, and whether it needs a body.
pub(crate) fn complete(operation: &mut Value, schemas: &Map<String, Value>) {
    let parameters = operation
        .get_mut("parameters")
        .and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let is_limit = parameter["name"] == "limit";
        let schema = &mut parameter["schema"];
        if is_limit {
            schema["minimum"] = json!(1);
            schema["maximum"] = json!(MAX_PAGE);
        } else if schema["type"].to_string().contains("integer") && schema["maximum"].is_null() {
            schema["maximum"] = json!(u32::MAX);
        }
    }
    let Some(body) = operation.get_mut("requestBody") else {
        return;
    };
    let reference = body.pointer("/content/application~1json/schema/$ref");
    let schema = reference
        .and_then(Value::as_str)
        .and_then(|reference| reference.rsplit('/').next())
        .and_then(|name| schemas.get(name));
    // An empty body is an empty object.
    let needs = |schema: &Value| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|required| !required.is_empty()) || schema.get("oneOf").is_some()
    };
    body["required"] = json!(schema.is_none_or(needs));
}

/// A value in which whole numbers are written as such: in JSON, 3.0 is the integer 3.
pub(crate) fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(&number).unwrap_or(number)),
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(
                fields
                    .map(|(key, value)| (key, with_whole_numbers(value)))
                    .collect(),
            )
        }
        value => value,
    }
}

fn whole(number: &Number) -> Option<Number> {
    // Beyond it, not every integer has a floating-point number of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = number.as_f64().filter(|_| number.is_f64())?;
    let is_whole = number.fract() == 0.0 && number.abs() <= EXACT;
    is_whole.then(|| Number::from(number as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let value: Value = serde_json::from_str(
            r#"{"a": 47816.0, "b": [1e3, -2.0, 2.5, 1e300], "c": 18446744073709551615, "d": "3.0"}"#,
        )
        .unwrap();
        let expected: Value = serde_json::from_str(
            r#"{"a": 47816, "b": [1000, -2, 2.5, 1e300], "c": 18446744073709551615, "d": "3.0"}"#,
        )
        .unwrap();
        assert_eq!(with_whole_numbers(value), expected);
    }
}
