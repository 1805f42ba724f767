//! One's own account, and what organisers see of all: accounts, invitations, the log.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use flipside_tournament::unix_ms;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::Listed;
use super::caller::{Bearer, Caller, Sent};
use crate::Site;
use crate::accounts::Account;
use crate::actions::{self, refuse_authors};
use crate::page::kept_by_nobody;
use crate::problem::Result;

/// How many lines of the log are told, the newest.
const LOG: u32 = 200;

/// An account.
#[derive(JsonSchema, Serialize)]
pub(super) struct AccountRow {
    /// Its name.
    name: String,
    /// `author` or `organiser`.
    role: &'static str,
    /// When it was made, in milliseconds since 1970.
    created_at: u64,
    /// When it was disabled, in milliseconds since 1970; null: it is not.
    disabled_at: Option<u64>,
}

/// One's own account.
#[derive(JsonSchema, Serialize)]
pub(super) struct Me {
    #[serde(flatten)]
    account: AccountRow,
    /// The names of its bots, in lower case.
    bots: Vec<String>,
}

/// A line of the log.
#[derive(JsonSchema, Serialize)]
pub(super) struct LogRow {
    /// When, in milliseconds since 1970.
    at: u64,
    /// The name of an account, or `(command)`.
    who: String,
    /// What was done.
    what: String,
}

/// An invitation that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InvitationAsked {
    /// How many accounts can be made with it, from 1 to 1000.
    #[serde(default = "one")]
    uses: u32,
    /// Whether they are organisers.
    #[serde(default)]
    organiser: bool,
}

/// An invitation. It is shown once.
#[derive(JsonSchema, Serialize)]
pub(super) struct Invitation {
    /// The page where an account can be made within a week; its path, if the server does not know its own address.
    address: String,
    /// How many accounts can be made with it.
    uses: u32,
}

/// A token. It is shown once.
#[derive(JsonSchema, Serialize)]
pub(super) struct NewToken {
    /// The token.
    token: String,
}

fn one() -> u32 {
    1
}

impl From<Account> for AccountRow {
    fn from(account: Account) -> Self {
        AccountRow {
            role: account.role.name(),
            name: account.name,
            created_at: account.created_at,
            disabled_at: account.disabled_at,
        }
    }
}

/// An answer for one visitor, which nobody keeps.
pub(super) fn own(status: StatusCode, value: impl Serialize) -> Response {
    (status, [(CACHE_CONTROL, kept_by_nobody())], Json(value)).into_response()
}

pub(super) fn operations() -> OpenApiRouter<Arc<Site>> {
    OpenApiRouter::default()
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
    tag = "account",
    security(("token" = [])),
    responses((status = 200, description = "The account", body = ref("#/components/schemas/Me")))
)]
async fn me(State(site): State<Arc<Site>>, Caller(visitor): Caller) -> Result<Response> {
    let id = visitor.account.id;
    let owned = site.stored(move |store| store.owned(id)).await?;
    let mut bots: Vec<String> = owned.into_iter().collect();
    bots.sort();
    let account = visitor.account.clone().into();
    Ok(own(StatusCode::OK, Me { account, bots }))
}

/// Take a new token
///
/// The old one ends, and so do all sessions.
#[utoipa::path(
    post,
    path = "/api/v1/me/token",
    tag = "account",
    security(("token" = [])),
    responses((status = 201, description = "The new token", body = ref("#/components/schemas/NewToken")))
)]
async fn new_token(State(site): State<Arc<Site>>, Bearer(visitor): Bearer) -> Result<Response> {
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
async fn accounts(State(site): State<Arc<Site>>, Caller(visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    let all = site.stored(|store| store.accounts()).await?;
    let items = all.into_iter().map(AccountRow::from).collect();
    Ok(own(StatusCode::OK, Listed { items, next: None }))
}

/// Disable an account
///
/// It keeps its name and its bots; its sessions end. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/accounts/{account}/disable",
    tag = "organisers",
    security(("token" = [])),
    params(("account" = String, Path, description = "The name of an account")),
    responses((status = 204, description = "It is disabled"))
)]
async fn disable(
    State(site): State<Arc<Site>>,
    Bearer(visitor): Bearer,
    Path(account): Path<String>,
) -> Result<StatusCode> {
    actions::disable(&site, &visitor, account, true).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enable an account
///
/// For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/accounts/{account}/enable",
    tag = "organisers",
    security(("token" = [])),
    params(("account" = String, Path, description = "The name of an account")),
    responses((status = 204, description = "It is enabled"))
)]
async fn enable(
    State(site): State<Arc<Site>>,
    Bearer(visitor): Bearer,
    Path(account): Path<String>,
) -> Result<StatusCode> {
    actions::disable(&site, &visitor, account, false).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The log
///
/// Who did what: the latest 200 lines, the latest first. For organisers.
#[utoipa::path(
    get,
    path = "/api/v1/log",
    tag = "organisers",
    security(("token" = [])),
    responses((status = 200, description = "The log", body = ref("#/components/schemas/LogRowList")))
)]
async fn log(State(site): State<Arc<Site>>, Caller(visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    let rows = site.stored(|store| store.audit(LOG)).await?.into_iter();
    let rows = rows.map(|row| LogRow {
        at: row.at,
        who: row.who,
        what: row.what,
    });
    let items = rows.collect();
    Ok(own(StatusCode::OK, Listed { items, next: None }))
}

/// Make an invitation
///
/// For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/invitations",
    tag = "organisers",
    security(("token" = [])),
    request_body(content = ref("#/components/schemas/InvitationAsked"), content_type = "application/json"),
    responses((status = 201, description = "The invitation", body = ref("#/components/schemas/Invitation")))
)]
async fn invite(
    State(site): State<Arc<Site>>,
    Bearer(visitor): Bearer,
    Sent(asked): Sent<InvitationAsked>,
) -> Result<Response> {
    let InvitationAsked { uses, organiser } = asked;
    let address = actions::invite(&site, &visitor, uses, organiser).await?;
    Ok(own(StatusCode::CREATED, Invitation { address, uses }))
}
