//! Games that organisers add: a file is received, checked, and added to the arena.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Extension};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use schemars::JsonSchema;
use serde::Serialize;
use utoipa_axum::routes;

use crate::accounts::caller::Bearer;
use crate::accounts::secret::WORD_FIELD;
use crate::accounts::signed_in::Organiser;
use crate::accounts::visitor::refuse_authors;
use crate::bots::uploads::file_form::{
    FORM_BYTES, FileForm, FormPart, MultipartForm, length, unknown_field,
};
use crate::bots::uploads::receive::{PendingUpload, receive_game};
use crate::shared::api::answer::made;
use crate::shared::api::operations::Operations;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::Result;
use crate::shared::rates::RateAddress;
use crate::site::Site;

#[derive(Template)]
#[template(path = "add_game.html")]
struct AddGamePage {
    word: String,
    most: u64,
}

impl PageView for AddGamePage {
    fn head(&self) -> PageHead {
        PageHead::new("Add a game", Section::Account)
    }
}

impl AddGamePage {
    /// The most bytes of a file, in MiB.
    fn mebibytes(&self) -> u64 {
        self.most >> 20
    }
}

/// A game that was added.
#[derive(JsonSchema, Serialize)]
pub(crate) struct GameAdded {
    /// The id with the version: `nim@1`.
    game: String,
    /// The SHA-256 of its program, hexadecimal.
    sha256: String,
    /// Whether this version was not there before.
    new: bool,
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/organiser/games", get(form))
}

/// Bodies are larger here and take longer; both are counted while they come.
pub(crate) fn routes_of_uploads() -> Routes {
    Routes::new()
        .route("/organiser/games", post(upload))
        .layer(DefaultBodyLimit::disable())
}

/// The same for the API.
pub(crate) fn operations_with_files() -> Operations {
    Operations::default()
        .routes(routes!(add))
        .layer(DefaultBodyLimit::disable())
}

async fn form(Organiser(visit, visitor): Organiser) -> Result<Response> {
    let page = AddGamePage {
        word: visitor.form_word(),
        most: visit.site.limits.uploads.file_bytes,
    };
    visit.private(&page)
}

/// The fields of the form come in their order: the word of the session, and then the file.
async fn upload(
    Organiser(visit, visitor): Organiser,
    Extension(address): Extension<RateAddress>,
    headers: HeaderMap,
    form: MultipartForm,
) -> Result<Redirect> {
    visit.site.rates.upload(address, visitor.account.id)?;
    let (length, account) = (length(&headers), &visitor.account);
    let permit = PendingUpload::begin(&visit.site, account, address, length, FORM_BYTES)?;
    let mut word = String::new();
    let mut form = FileForm::of(form, &visit.site)?;
    loop {
        match form.next().await? {
            FormPart::File(file) => {
                visitor.check_form(&word)?;
                let name = file.file_name().unwrap_or_default().to_owned();
                let added = receive_game(&visit.site, permit, &name, *file).await?;
                return Ok(Redirect::to(&format!("/games/{}", added.game.label())));
            }
            FormPart::Text(field, text) if field == WORD_FIELD => word = text,
            FormPart::Text(..) => return Err(unknown_field()),
        }
    }
}

/// Add a game
///
/// For organisers. The body is the program of the game: a script that begins with `#!`, a Linux program, a module, a
/// bundle of `flipside pack`, or its folder as a zip, a tar or a tar.gz. It is checked while you wait, which may take a
/// minute, and is the next version of its id then. The same program is added only once.
#[utoipa::path(
    post,
    path = "/api/v1/games",
    operation_id = "add_game",
    tag = "games",
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 201, description = "The game", body = ref("#/components/schemas/GameAdded")))
)]
async fn add(
    Bearer(site, visitor): Bearer,
    Extension(address): Extension<RateAddress>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    site.rates.upload(address, visitor.account.id)?;
    let site: Arc<Site> = site;
    let length = length(&headers);
    let permit = PendingUpload::begin(&site, &visitor.account, address, length, 0)?;
    let added = receive_game(&site, permit, "", body.into_data_stream()).await?;
    let game = added.game.label();
    let location = format!("/api/v1/games/{game}");
    let shown = GameAdded {
        game,
        sha256: added.game.sha256,
        new: added.new,
    };
    Ok(made(StatusCode::CREATED, location, shown))
}
