//! Submitting bots, and what became of each upload.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Extension, Path};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use flipside_tournament::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::routes;

use super::queue::Progress;
use super::receive::{PendingUpload, receive};
use super::report::UploadReport;
use super::rows::{Upload, UploadId};
use super::{file_form, page, submit_page};
use crate::accounts::caller::{Bearer, Caller};
use crate::accounts::visitor::refuse_authors;
use crate::shared::api::answer::{PageQuery, Query, made, own};
use crate::shared::api::operations::Operations;
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::RateAddress;
use crate::site::Site;

/// The most games that are named.
const MAX_GAMES: usize = 100;

/// An upload, with the report of its check.
#[derive(JsonSchema, Serialize)]
pub(crate) struct UploadShown {
    #[serde(flatten)]
    upload: Upload,
    /// How many uploads are checked before it.
    before: u64,
    /// How far its check is; null before and after it.
    progress: Option<Progress>,
    /// The report of its check; null until it is over.
    report: Option<UploadReport>,
    /// The page of the upload, for people.
    page: String,
}

/// Which uploads.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct UploadFilter {
    /// Whether those of all accounts, for organisers.
    #[serde(default)]
    #[param(required = false)]
    all: bool,
    /// The most items of a page, from 1 to 200 [default: 50].
    limit: Option<usize>,
    /// Only those after the upload of this number in the list.
    after: Option<String>,
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(uploads))
        .routes(routes!(one))
}

/// What takes files: bodies are larger here and take longer; both are counted while they come.
pub(crate) fn operations_with_files() -> Operations {
    Operations::default()
        .routes(routes!(put))
        .layer(DefaultBodyLimit::disable())
}

/// Submit a bot
///
/// The body is the file: a script that begins with `#!`, a Linux program, a module, a bundle of `flipside pack`, or the
/// folder of the bot as a zip, a tar or a tar.gz. It is stored when you get the answer, and checked when its turn comes. The query `game`, which may be repeated, names
/// games that the bot must play; the default is the games that it is ready for.
#[utoipa::path(
    put,
    path = "/api/v1/bots/{bot}",
    operation_id = "submit_bot",
    tag = "bots",
    params(
        ("bot" = String, Path, description = "The name of the bot"),
        ("game" = Option<Vec<String>>, Query, description = "A game that the bot must play; repeatable")
    ),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 202, description = "The upload", body = ref("#/components/schemas/UploadShown")))
)]
async fn put(
    Bearer(site, visitor): Bearer,
    Extension(address): Extension<RateAddress>,
    Path(name): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    site.rates.upload(address, visitor.account.id)?;
    let length = file_form::length(&headers);
    let permit = PendingUpload::begin(&site, &visitor.account, address, length, 0)?;
    let name: Name = submit_page::bot_name(&name)?;
    let pending = permit.named(&site, name, games(&uri)?).await?;
    let id = receive(&site, pending, "", body.into_data_stream()).await?;
    let upload = site.stored(move |store| store.upload(id)).await?;
    let upload = upload.ok_or_else(|| Problem::internal(&"the upload is stored"))?;
    let location = format!("/api/v1/uploads/{}", id.0);
    let shown = shown(&site, upload).await?;
    Ok(made(StatusCode::ACCEPTED, location, shown))
}

/// The games that a query names.
fn games(uri: &Uri) -> Result<Vec<String>> {
    let query: Vec<(String, String)> = serde_urlencoded::from_str(uri.query().unwrap_or_default())
        .map_err(|error| Problem::refused(format!("the query: {error}")))?;
    if let Some((key, _)) = query.iter().find(|(key, _)| key != "game") {
        let message = format!("the query: there is no {key:?}");
        return Err(Problem::refused(message).hint("?game=flipfour"));
    }
    let games = query.into_iter().map(|(_, game)| game);
    Ok(games.take(MAX_GAMES).collect())
}

/// Uploads
///
/// Yours, or those of all accounts; the newest first.
#[utoipa::path(
    get,
    path = "/api/v1/uploads",
    tag = "bots",
    security(("token" = [])),
    params(UploadFilter),
    responses((status = 200, description = "A page of uploads", body = ref("#/components/schemas/UploadList")))
)]
async fn uploads(
    Caller(site, visitor): Caller,
    Query(which): Query<UploadFilter>,
) -> Result<Response> {
    if which.all {
        refuse_authors(&visitor)?;
    }
    let asked = PageQuery::new("/api/v1/uploads", which.limit, which.after.as_deref())?
        .filter("all", which.all.then_some("true"));
    let after = asked.after.map(|typed| {
        let number = typed.parse().map(UploadId);
        number.map_err(|_| Problem::not_found(format!("there is no upload {typed:?}")))
    });
    let after = after.transpose()?;
    let account = (!which.all).then_some(visitor.account.id);
    let most = u32::try_from(asked.limit + 1).unwrap_or(u32::MAX);
    let found = site
        .stored(move |store| store.uploads_after(account, after, most))
        .await?;
    let page = asked.page(found, |one| one.id.0.to_string());
    Ok(own(StatusCode::OK, page))
}

/// An upload
///
/// How far its check is, and the report. For its owner and for organisers.
#[utoipa::path(
    get,
    path = "/api/v1/uploads/{id}",
    operation_id = "upload",
    tag = "bots",
    security(("token" = [])),
    params(("id" = String, Path, description = "The number of an upload")),
    responses((status = 200, description = "The upload", body = ref("#/components/schemas/UploadShown")))
)]
async fn one(Caller(site, visitor): Caller, Path(typed): Path<String>) -> Result<Response> {
    let upload = page::known(&site, &visitor, &typed).await?;
    Ok(own(StatusCode::OK, shown(&site, upload).await?))
}

async fn shown(site: &Arc<Site>, upload: Upload) -> Result<UploadShown> {
    let id = upload.id;
    let (progress, report, before) = page::details(site, id).await?;
    Ok(UploadShown {
        before: if upload.ended_at.is_some() { 0 } else { before },
        progress,
        report,
        page: format!("/uploads/{}", id.0),
        upload,
    })
}
