//! The OpenAPI document of a site, and whether answers are as it says.

use axum::http::{HeaderMap, StatusCode};
use boon::{Compiler, Schemas};
use serde_json::Value;

/// Where the validator finds the document.
pub(crate) const PLACE: &str = "http://localhost/openapi.json";

/// What a site says of its API.
pub(crate) struct OpenApi {
    pub(crate) document: Value,
}

impl OpenApi {
    /// From the answer with the document.
    pub(crate) fn of(document: &[u8]) -> Self {
        OpenApi {
            document: serde_json::from_slice(document).unwrap(),
        }
    }

    /// Every operation: path, method and its description.
    pub(crate) fn operations(&self) -> Vec<(&str, &str, &Value)> {
        let paths = self.document["paths"].as_object().unwrap().iter();
        let operations = paths.flat_map(|(path, item)| {
            let item = item.as_object().unwrap().iter();
            item.map(|(method, operation)| (path.as_str(), method.as_str(), operation))
        });
        operations.collect()
    }

    /// Makes sure that an answer has a status, a type and a body that are described.
    pub(crate) fn check(
        &self,
        method: &str,
        path: &str,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) {
        let what = format!("{method} {path}: {status}");
        let responses = &self.document["paths"][path][method]["responses"];
        let code = status.as_str();
        let described = if responses[code].is_object() {
            code
        } else {
            assert!(!status.is_success(), "{what} is not described");
            "default"
        };
        let Some(content) = responses[described]["content"].as_object() else {
            assert!(body.is_empty(), "{what} has a body");
            return;
        };
        let found = headers["content-type"].to_str().unwrap();
        let media = found.split(';').next().unwrap();
        assert!(content.contains_key(media), "{what} has the type {found}");
        if !media.ends_with("json") {
            return;
        }
        let escaped = |text: &str| {
            let text = text.replace('~', "~0").replace('/', "~1");
            text.replace('{', "%7B").replace('}', "%7D")
        };
        let schema = format!(
            "{PLACE}#/paths/{}/{method}/responses/{described}/content/{}/schema",
            escaped(path),
            escaped(media)
        );
        let body: Value = serde_json::from_slice(body).unwrap();
        if let Err(wrong) = self.validate(&schema, &body) {
            panic!("{what}: {wrong}\n{body:#}");
        }
    }

    /// Whether a value is as a schema of the document says.
    pub(crate) fn validate(&self, schema: &str, value: &Value) -> Result<(), String> {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.add_resource(PLACE, self.document.clone()).unwrap();
        let compiled = compiler.compile(schema, &mut schemas);
        let compiled = compiled.unwrap_or_else(|error| panic!("{schema}: {error:#}"));
        schemas
            .validate(value, compiled)
            .map_err(|error| format!("{error:#}"))
    }
}
