//! Submitting a bot by a form.

use askama::Template;
use axum::extract::{DefaultBodyLimit, Extension};
use axum::http::HeaderMap;
use axum::response::{Redirect, Response};
use axum::routing::get;
use flipside_tournament::{Name, NameError};

use super::file_form::{FORM_BYTES, FileForm, FormPart, MultipartForm, length, unknown_field};
use super::receive::{PendingUpload, receive};
use crate::accounts::secret::WORD_FIELD;
use crate::accounts::signed_in::SignedIn;
use crate::leagues::deadlines::{Deadline, deadlines};
use crate::shared::known_games::offered;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::RateAddress;

/// The most games that are named.
const MAX_GAMES: usize = 100;

#[derive(Template)]
#[template(path = "submit.html")]
struct SubmitPage {
    word: String,
    games: Vec<(&'static str, &'static str)>,
    /// Names of the account's bots.
    names: Vec<String>,
    most: u64,
    /// Until when seasons take bots.
    deadlines: Vec<Deadline>,
}

impl PageView for SubmitPage {
    fn head(&self) -> PageHead {
        PageHead::new("Submit a bot", Section::Submit)
    }
}

impl SubmitPage {
    /// The most bytes of a file, in MiB.
    fn mebibytes(&self) -> u64 {
        self.most >> 20
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/submit", get(form))
}

/// Bodies are larger here and take longer; both are counted while they come.
pub(crate) fn routes_of_uploads() -> Routes {
    Routes::new()
        .route("/upload", axum::routing::post(upload))
        .layer(DefaultBodyLimit::disable())
}

async fn form(SignedIn(visit, visitor): SignedIn) -> Result<Response> {
    let id = visitor.account.id;
    let owned = visit.site.stored(move |store| store.owned(id)).await?;
    let mut names: Vec<String> = owned.into_iter().collect();
    names.sort();
    let games = offered(&visit.site).await?.into_iter();
    let deadlines = deadlines(&visit.site).await?;
    let page = SubmitPage {
        deadlines,
        word: visitor.form_word(),
        games: games.map(|game| (game.id, game.title)).collect(),
        names,
        most: visit.site.limits.uploads.file_bytes,
    };
    visit.private(&page)
}

/// A name that somebody has typed.
pub(crate) fn fit_name(text: &str, hint: &str) -> Result<Name> {
    let name = text.trim().parse();
    name.map_err(|error: NameError| Problem::unfit(error.to_string()).hint(hint).at("name"))
}

pub(super) fn bot_name(text: &str) -> Result<Name> {
    fit_name(text, "give the bot another name")
}

/// The fields of the form come in their order: the word of the session, the name, the games, and last the file.
async fn upload(
    SignedIn(visit, visitor): SignedIn,
    Extension(address): Extension<RateAddress>,
    headers: HeaderMap,
    form: MultipartForm,
) -> Result<Redirect> {
    visit.site.rates.upload(address, visitor.account.id)?;
    let (length, account) = (length(&headers), &visitor.account);
    let permit = PendingUpload::begin(&visit.site, account, address, length, FORM_BYTES)?;
    let (mut word, mut name, mut games) = (String::new(), String::new(), Vec::new());
    let mut form = FileForm::of(form, &visit.site)?;
    loop {
        match form.next().await? {
            FormPart::File(file) => {
                visitor.check_form(&word)?;
                let pending = permit.named(&visit.site, bot_name(&name)?, games).await?;
                let file_name = file.file_name().unwrap_or_default().to_owned();
                let id = receive(&visit.site, pending, &file_name, *file).await?;
                return Ok(Redirect::to(&format!("/uploads/{}", id.0)));
            }
            FormPart::Text(field, text) => match &*field {
                WORD_FIELD => word = text,
                "name" => name = text,
                "game" if games.len() < MAX_GAMES => games.push(text),
                _ => return Err(unknown_field()),
            },
        }
    }
}
