//! What the API's operations have in common: answers, bounds, who asks, and the OpenAPI document.

pub(crate) mod answer;
pub(crate) mod bounds;
pub(crate) mod caller;
pub(crate) mod openapi;
pub(crate) mod operations;
