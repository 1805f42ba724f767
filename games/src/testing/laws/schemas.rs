//! The law about schemas, and as much of JSON Schema as the published schemas use.

use regex_lite::Regex;
use serde_json::{Value, json};

use super::play::{Play, viewers};
use super::verdict::{Verdict, require};
use crate::table::AnyGame;

pub(super) fn schemas(play: &Play) -> Verdict {
    let schemas = play.subject.game.schemas();
    let [options, action, views] = [schemas.options, schemas.action, schemas.view].map(Value::from);
    for state in play.positions() {
        for viewer in viewers(play.case.seats) {
            let mut view = read(&state.view(viewer));
            let misfit = misfit(&views, &view);
            require!(misfit.is_none(), "a view is not of its schema: {misfit:?}");
            view["no_such_key"] = json!(1);
            let closed = self::misfit(&views, &view).is_some();
            require!(
                closed,
                "the schema of the view allows a key that it does not name"
            );
        }
        for text in play.listed(state) {
            let misfit = misfit(&action, &json!(text));
            require!(
                misfit.is_none(),
                "an action is not of its schema: {misfit:?}"
            );
        }
    }
    play.end();
    let misfit = misfit(&options, &read(&play.case.options));
    require!(
        misfit.is_none(),
        "the options are not of their schema: {misfit:?}"
    );
    Ok(())
}

/// Options with a number just out of the range that their schema names: the key, the options, and
/// the bound that must be named in the refusal.
pub(super) fn numbers_out_of_range(game: &dyn AnyGame) -> Vec<(String, Value, String)> {
    let schema = Value::from(game.schemas().options);
    let mut found = Vec::new();
    collect(&schema, &schema, &|value| value, &mut found);
    found
}

fn collect(
    root: &Value,
    schema: &Value,
    wrap: &dyn Fn(Value) -> Value,
    found: &mut Vec<(String, Value, String)>,
) {
    let Some(fields) = resolved(root, schema)["properties"].as_object() else {
        return;
    };
    for (key, field) in fields {
        let field = resolved(root, field);
        let mut add = |bound: &Value, beyond: i64| {
            if let Some(number) = bound.as_i64() {
                let options = wrap(json!({ key: number + beyond }));
                found.push((key.clone(), options, number.to_string()));
            }
        };
        add(&field["minimum"], -1);
        add(&field["maximum"], 1);
        collect(root, field, &|value| wrap(json!({ key: value })), found);
    }
}

fn read(json: &str) -> Value {
    serde_json::from_str(json).expect("views and options are JSON")
}

/// Says where a value does not fit a schema.
///
/// # Panics
/// When the schema uses a keyword that is not known here: then it is to be added.
fn misfit(schema: &Value, value: &Value) -> Option<String> {
    misfit_within(schema, schema, value, "it")
}

fn misfit_within(root: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    let rules = match schema {
        Value::Bool(true) => return None,
        Value::Object(rules) => rules,
        _ => return Some(format!("{place} may not be")),
    };
    rules
        .iter()
        .find_map(|(keyword, rule)| misfit_to(root, schema, keyword, rule, value, place))
}

fn misfit_to(
    root: &Value,
    schema: &Value,
    keyword: &str,
    rule: &Value,
    value: &Value,
    place: &str,
) -> Option<String> {
    let within =
        |schema: &Value, value: &Value, place: &str| misfit_within(root, schema, value, place);
    let field = |key: &String| format!("{place}.{key}");
    let fits = match keyword {
        "$ref" => return within(resolved(root, schema), value, place),
        "properties" => {
            let mut named = rule.as_object().into_iter().flatten();
            return named.find_map(|(key, schema)| within(schema, value.get(key)?, &field(key)));
        }
        "additionalProperties" => {
            let others = value.as_object().into_iter().flatten();
            return others
                .filter(|(key, _)| schema["properties"].get(key).is_none())
                .find_map(|(key, other)| within(rule, other, &field(key)));
        }
        "prefixItems" => {
            let mut pairs = items(rule).iter().zip(items(value)).zip(0..);
            return pairs
                .find_map(|((schema, item), at)| within(schema, item, &format!("{place}[{at}]")));
        }
        "items" => {
            let skipped = items(&schema["prefixItems"]).len();
            let mut items = items(value).iter().zip(0..).skip(skipped);
            return items.find_map(|(item, at)| within(rule, item, &format!("{place}[{at}]")));
        }
        "anyOf" | "oneOf" | "allOf" => {
            let fits = |schema: &&Value| within(schema, value, place).is_none();
            let count = items(rule).iter().filter(fits).count();
            match keyword {
                "anyOf" => count > 0,
                "oneOf" => count == 1,
                _ => count == items(rule).len(),
            }
        }
        _ => satisfies(value, keyword, rule),
    };
    (!fits).then(|| format!("{place} is {value}, against {keyword} {rule}"))
}

/// Returns whether a value satisfies a keyword that looks at the value alone.
fn satisfies(value: &Value, keyword: &str, rule: &Value) -> bool {
    let length = match value {
        Value::String(text) => text.chars().count() as u64,
        _ => items(value).len() as u64,
    };
    let bound = rule.as_u64().unwrap_or(0);
    let number = value.as_f64().zip(rule.as_f64());
    match keyword {
        "$schema" | "$defs" | "title" | "description" | "default" | "format" | "examples" => true,
        "type" => match rule {
            Value::Array(types) => types.iter().any(|name| is_of(value, name)),
            name => is_of(value, name),
        },
        "enum" => items(rule).contains(value),
        "const" => rule == value,
        "minimum" => number.is_none_or(|(number, bound)| number >= bound),
        "maximum" => number.is_none_or(|(number, bound)| number <= bound),
        "minLength" => !value.is_string() || length >= bound,
        "maxLength" => !value.is_string() || length <= bound,
        "minItems" => !value.is_array() || length >= bound,
        "maxItems" => !value.is_array() || length <= bound,
        "uniqueItems" => {
            let items = items(value);
            (1..items.len()).all(|place| !items[..place].contains(&items[place]))
        }
        "pattern" => value.as_str().is_none_or(|text| {
            let pattern = Regex::new(rule.as_str().unwrap_or("")).expect("a pattern is one");
            pattern.is_match(text)
        }),
        "required" => value.as_object().is_none_or(|fields| {
            let mut keys = items(rule).iter().filter_map(Value::as_str);
            keys.all(|key| fields.contains_key(key))
        }),
        other => panic!("the law about schemas does not know the keyword {other}"),
    }
}

/// Returns the items of an array; none of anything else.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_of(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

/// The schema that a reference means.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"]
        .as_str()
        .and_then(|path| root.pointer(path.strip_prefix('#')?))
    {
        Some(meant) => resolved(root, meant),
        None => schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_finds_what_does_not_fit() {
        for (schema, good, bad) in [
            (r#"{"type":"integer"}"#, "1", "1.5"),
            (r#"{"type":["string","null"]}"#, "null", "0"),
            (r#"{"enum":["a","b"]}"#, r#""a""#, r#""c""#),
            (r#"{"const":"a"}"#, r#""a""#, r#""b""#),
            (r#"{"anyOf":[{"type":"null"},{"minimum":3}]}"#, "3", "2"),
            (r#"{"oneOf":[{"minimum":3},{"minimum":5}]}"#, "4", "6"),
            (r#"{"allOf":[{"minimum":3},{"maximum":5}]}"#, "4", "6"),
            (r#"{"minimum":0,"maximum":9}"#, "9", "-1"),
            (r#"{"minLength":1,"maxLength":2}"#, r#""éé""#, r#""""#),
            (r#"{"minItems":1,"maxItems":2}"#, "[1]", "[1,2,3]"),
            (r#"{"uniqueItems":true}"#, "[1,2]", "[1,2,1]"),
            (r#"{"pattern":"^[ab]+$"}"#, r#""ab""#, r#""abc""#),
            (r#"{"required":["a"]}"#, r#"{"a":1}"#, r#"{"b":1}"#),
            (
                r#"{"properties":{"a":{"type":"null"}}}"#,
                r#"{"b":1}"#,
                r#"{"a":1}"#,
            ),
            (
                r#"{"properties":{"a":true},"additionalProperties":false}"#,
                r#"{"a":1}"#,
                r#"{"b":1}"#,
            ),
            (r#"{"items":{"type":"null"}}"#, "[null]", "[null,1]"),
            (r#"{"prefixItems":[true],"items":false}"#, "[1]", "[1,2]"),
            (
                r##"{"$ref":"#/$defs/A","$defs":{"A":{"type":"null"}}}"##,
                "null",
                "1",
            ),
        ] {
            let schema = read(schema);
            assert_eq!(misfit(&schema, &read(good)), None, "{schema}");
            assert!(misfit(&schema, &read(bad)).is_some(), "{schema}");
        }
    }
}
