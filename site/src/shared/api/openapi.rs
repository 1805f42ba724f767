//! The OpenAPI document: paths from the handlers, schemas from the values' own JSON Schemas.

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::answer::JsonDocument;
use super::bounds::{self, WholeNumbers};
use super::operations::Operations;
use crate::shared::problem::{Problem, Result};

/// What the API is, for people who meet the document first.
const ABOUT: &str = "Tournaments between game bots: results to read, bots to submit, tournaments to run. \
Errors are problem documents (RFC 9457). Lists come page by page: follow `next`.";

/// What the document describes.
pub(crate) struct Api {
    pub(crate) operations: fn() -> Operations,
    /// Adds the schemas of the values that are told.
    pub(crate) told: fn(&mut SchemaGenerator),
    /// Adds the schemas of the values that are asked for.
    pub(crate) asked: fn(&mut SchemaGenerator),
}

/// The document of this API, made once.
pub(crate) fn document(api: &Api) -> Result<&'static JsonDocument> {
    static DOCUMENT: OnceLock<Result<JsonDocument>> = OnceLock::new();
    let made = DOCUMENT.get_or_init(|| JsonDocument::of(&value(api)?));
    made.as_ref().map_err(Problem::clone)
}

pub(crate) fn value(api: &Api) -> Result<Value> {
    let paths = (api.operations)().into_openapi();
    let mut document = serde_json::to_value(paths)?;
    document["info"] = json!({
        "title": "Flipside",
        "description": ABOUT,
        "version": env!("CARGO_PKG_VERSION"),
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    });
    let schemas = schemas(api);
    let paths = document["paths"].as_object_mut();
    let operations = paths.into_iter().flat_map(|paths| paths.values_mut());
    for (method, operation) in operations.filter_map(Value::as_object_mut).flatten() {
        complete(method, operation);
        bounds::complete(operation, &schemas);
    }
    document["components"] = json!({
        "schemas": schemas,
        "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
    });
    Ok(document)
}

/// Adds what operations have in common.
fn complete(method: &str, operation: &mut Value) {
    let is_public = operation.get("security").is_none();
    if method != "get" {
        // What changes something takes a `Bearer`.
        operation["security"] = json!([{ "token": [] }]);
    } else if is_public {
        let description = "It is as the tag in `If-None-Match` says";
        operation["responses"]["304"] = json!({ "description": description });
    }
    let file = "/requestBody/content/application~1octet-stream/schema";
    if let Some(file) = operation.pointer_mut(file) {
        *file = json!({ "type": "string", "format": "binary" });
    }
    operation["responses"]["default"] = json!({
        "description": "A problem",
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
}

/// The schemas of all values.
fn schemas(api: &Api) -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    let settings = settings.with_transform(Enumerations);
    let told = settings.clone().for_serialize().with_transform(PlainText);
    let mut told = told.into_generator();
    (api.told)(&mut told);
    let asked = settings.for_deserialize().with_transform(PlainText);
    let asked = asked.with_transform(WholeNumbers);
    let mut asked = asked.into_generator();
    (api.asked)(&mut asked);
    let mut all = told.take_definitions(true);
    all.extend(asked.take_definitions(true));
    all
}

/// Words of which a value is one, as an enumeration with one description: generated clients make nothing useful of a
/// choice between constants.
#[derive(Clone)]
struct Enumerations;

impl Transform for Enumerations {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(choices) = schema.get("oneOf").and_then(Value::as_array) else {
            return;
        };
        let Some(words) = choices.iter().map(words_of).collect::<Option<Vec<_>>>() else {
            return;
        };
        let about = schema.get("description").and_then(Value::as_str);
        let mut lines = Vec::from_iter(about.map(|about| format!("{about}\n")));
        for (choice, words) in choices.iter().zip(&words) {
            if let Some(meaning) = choice.get("description").and_then(Value::as_str) {
                let words = words.iter().filter_map(Value::as_str);
                lines.extend(words.map(|word| format!("- `{word}`: {meaning}")));
            }
        }
        schema.remove("oneOf");
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), words.concat().into());
        if !lines.is_empty() {
            schema.insert("description".into(), lines.join("\n").into());
        }
    }
}

/// The words that a choice allows; nothing where it allows anything else.
fn words_of(choice: &Value) -> Option<Vec<Value>> {
    let words = match (choice.get("const"), choice.get("enum")) {
        (Some(word), _) => vec![word.clone()],
        (None, Some(Value::Array(words))) => words.clone(),
        (None, _) => return None,
    };
    words.iter().all(Value::is_string).then_some(words)
}

/// Takes the links of rustdoc out of descriptions.
#[derive(Clone)]
struct PlainText;

impl Transform for PlainText {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = without_links(text);
        }
    }
}

/// "[`Name`](target)" and "[`Name`]" become "`Name`".
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("[`")
        && let Some((name, tail)) = after.split_once("`]")
    {
        plain += &format!("{before}`{name}`");
        let target = tail.strip_prefix('(').and_then(|tail| tail.split_once(')'));
        rest = target.map_or(tail, |(_, tail)| tail);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_no_links_of_rustdoc() {
        for (text, plain) in [
            (
                "The batch rating ([`Batch`](crate::Batch)).",
                "The batch rating (`Batch`).",
            ),
            ("[`A`] and [`B`](b), [c](d) [`", "`A` and `B`, [c](d) [`"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(without_links(text), plain);
        }
    }
}
