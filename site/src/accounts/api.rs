//! One's own account, and what organisers see of all: accounts, invitations, the log.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use flipside_store::unix_ms;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa_axum::routes;

use super::actions::{self, MAX_USES};
use super::caller::{Bearer, Caller};
use super::people::AccountRow;
use super::visitor::refuse_authors;
use crate::shared::api::answer::{own, own_list};
use crate::shared::api::body::JsonBody;
use crate::shared::api::operations::Operations;
use crate::shared::problem::Result;

/// How many lines of the log are told, the newest.
const LOG: u32 = 200;

/// One's own account.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Me {
    #[serde(flatten)]
    account: AccountRow,
    /// The names of its bots, in lower case.
    bots: Vec<String>,
}

/// An invitation that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationAsked {
    /// How many accounts can be made with it, from 1 to 1000.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MAX_USES))]
    uses: u32,
    /// Whether they are organisers.
    #[serde(default)]
    organiser: bool,
}

/// An invitation. It is shown once.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Invitation {
    /// The page where an account can be made within a week; its path, if the server does not know its own address.
    address: String,
    /// How many accounts can be made with it.
    uses: u32,
}

/// A token. It is shown once.
#[derive(JsonSchema, Serialize)]
pub(crate) struct NewToken {
    /// The token.
    token: String,
}

fn one() -> u32 {
    1
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(me))
        .routes(routes!(new_token))
        .routes(routes!(accounts))
        .routes(routes!(disable))
        .routes(routes!(enable))
        .routes(routes!(log))
        .routes(routes!(invite))
}

/// Your account
#[utoipa::path(
    get,
    path = "/api/v1/me",
    operation_id = "own_account",
    tag = "account",
    security(("token" = [])),
    responses((status = 200, description = "The account", body = ref("#/components/schemas/Me")))
)]
async fn me(Caller(site, visitor): Caller) -> Result<Response> {
    let id = visitor.account.id;
    let owned = site.stored(move |store| store.owned(id)).await?;
    let mut bots: Vec<String> = owned.into_iter().collect();
    bots.sort();
    let account = visitor.account.clone();
    Ok(own(StatusCode::OK, Me { account, bots }))
}

/// Take a new token
///
/// The old one ends, and so do all sessions.
#[utoipa::path(
    post,
    path = "/api/v1/me/token",
    tag = "account",
    responses((status = 201, description = "The new token", body = ref("#/components/schemas/NewToken")))
)]
async fn new_token(Bearer(site, visitor): Bearer) -> Result<Response> {
    let token = site
        .stored(move |store| store.new_token(&visitor.account, None, unix_ms()))
        .await?;
    let token = token.as_str().to_owned();
    Ok(own(StatusCode::CREATED, NewToken { token }))
}

/// Accounts
///
/// All of them, by name. For organisers.
#[utoipa::path(
    get,
    path = "/api/v1/accounts",
    tag = "organisers",
    security(("token" = [])),
    responses((status = 200, description = "The accounts", body = ref("#/components/schemas/AccountRowList")))
)]
async fn accounts(Caller(site, visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    Ok(own_list(site.stored(|store| store.accounts()).await?))
}

/// Disable an account
///
/// It keeps its name and its bots; its sessions end. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/accounts/{account}/disable",
    operation_id = "disable_account",
    tag = "organisers",
    params(("account" = String, Path, description = "The name of an account")),
    responses((status = 204, description = "It is disabled"))
)]
async fn disable(Bearer(site, visitor): Bearer, Path(account): Path<String>) -> Result<StatusCode> {
    actions::disable(&site, &visitor, account, true).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enable an account
///
/// For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/accounts/{account}/enable",
    operation_id = "enable_account",
    tag = "organisers",
    params(("account" = String, Path, description = "The name of an account")),
    responses((status = 204, description = "It is enabled"))
)]
async fn enable(Bearer(site, visitor): Bearer, Path(account): Path<String>) -> Result<StatusCode> {
    actions::disable(&site, &visitor, account, false).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The log
///
/// Who did what: the latest 200 lines, the latest first. For organisers.
#[utoipa::path(
    get,
    path = "/api/v1/log",
    operation_id = "audit_log",
    tag = "organisers",
    security(("token" = [])),
    responses((status = 200, description = "The log", body = ref("#/components/schemas/LogRowList")))
)]
async fn log(Caller(site, visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    Ok(own_list(site.stored(|store| store.audit(LOG)).await?))
}

/// Make an invitation
///
/// For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/invitations",
    operation_id = "make_invitation",
    tag = "organisers",
    request_body(content = ref("#/components/schemas/InvitationAsked"), content_type = "application/json"),
    responses((status = 201, description = "The invitation", body = ref("#/components/schemas/Invitation")))
)]
async fn invite(
    Bearer(site, visitor): Bearer,
    JsonBody(asked): JsonBody<InvitationAsked>,
) -> Result<Response> {
    let InvitationAsked { uses, organiser } = asked;
    let address = actions::invite(&site, &visitor, uses, organiser, None).await?;
    Ok(own(StatusCode::CREATED, Invitation { address, uses }))
}
