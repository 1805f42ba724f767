//! What the API's operations have in common: answers, bodies, bounds, and the OpenAPI document.

pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod bounds;
pub(crate) mod openapi;
pub(crate) mod operations;
