//! Routes with their descriptions, and where they begin.

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::site::Site;

/// Routes with their descriptions.
pub(crate) type Operations = OpenApiRouter<Arc<Site>>;

/// Where it begins.
pub(crate) const BASE: &str = "/api/v1";
