//! Submitting a bot by a form.

use askama::Template;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, Extension, Multipart};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Redirect, Response};
use axum::routing::get;
use flipside_games::current_games;
use flipside_tournament::{Name, NameError};
use tokio::time::{Instant, timeout_at};

use super::receive::{PendingUpload, receive};
use crate::accounts::secret::WORD_FIELD;
use crate::accounts::signed_in::SignedIn;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::RateAddress;

/// What a form has beside its file, in bytes: names, games and what stands between them.
pub(crate) const FORM_BYTES: u64 = 64 << 10;

/// The longest text in a field of the form, in bytes.
const MAX_FIELD: usize = 256;

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
    let games = current_games();
    let games = games.iter().map(|game| (game.info().id, game.info().title));
    let page = SubmitPage {
        word: visitor.form_word(),
        games: games.collect(),
        names,
        most: visit.site.limits.uploads.file_bytes,
    };
    visit.private(&page)
}

/// How long a request says that its body is.
pub(crate) fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
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
    form: Result<Multipart, axum::extract::multipart::MultipartRejection>,
) -> Result<Redirect> {
    let mut form = form.map_err(|_| Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE))?;
    visit.site.rates.upload(address, visitor.account.id)?;
    let (length, account) = (length(&headers), &visitor.account);
    let permit = PendingUpload::begin(&visit.site, account, address, length, FORM_BYTES)?;
    let (mut word, mut name, mut games) = (String::new(), String::new(), Vec::new());
    let broken =
        |error: MultipartError| Problem::refused(format!("the form is not understood: {error}"));
    // What comes before the file is short.
    let end = Instant::now() + visit.site.limits.uploads.pace;
    loop {
        let next = timeout_at(end, form.next_field()).await;
        let next = next.map_err(|_| Problem::of_status(StatusCode::REQUEST_TIMEOUT))?;
        let Some(field) = next.map_err(broken)? else {
            return Err(Problem::unfit("there is no file")
                .hint("choose a file")
                .at("file"));
        };
        match field.name() {
            Some("file") => {
                visitor.check_form(&word)?;
                let pending = permit.named(&visit.site, bot_name(&name)?, games).await?;
                let id = receive(&visit.site, pending, field).await?;
                return Ok(Redirect::to(&format!("/uploads/{}", id.0)));
            }
            Some(WORD_FIELD) => word = text(field, end).await?,
            Some("name") => name = text(field, end).await?,
            Some("game") if games.len() < MAX_GAMES => games.push(text(field, end).await?),
            _ => {
                let message = "the form has a field that is not understood";
                return Err(Problem::unfit(message));
            }
        }
    }
}

/// A short field.
pub(crate) async fn text(mut field: Field<'_>, end: Instant) -> Result<String> {
    let refused = || Problem::unfit("a form field is too long or not UTF-8");
    let mut bytes = Vec::new();
    loop {
        let next = timeout_at(end, field.chunk()).await;
        let next = next.map_err(|_| Problem::of_status(StatusCode::REQUEST_TIMEOUT))?;
        let Some(more) = next.map_err(|_| refused())? else {
            break;
        };
        if bytes.len() + more.len() > MAX_FIELD {
            return Err(refused());
        }
        bytes.extend_from_slice(&more);
    }
    String::from_utf8(bytes).map_err(|_| refused())
}
