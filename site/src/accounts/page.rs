//! One's own account: token, sessions, bots and uploads.

use std::collections::HashSet;

use askama::Template;
use axum::body::Body;
use axum::extract::Path;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use flipside_store::unix_ms;
use flipside_tournament::{BotFile, FileForm};
use futures_util::stream;
use tokio::io::AsyncReadExt;

use super::people::{AccountRow, Role, folded};
use super::posted::{NoFields, SignedInForm};
use super::secret::Secret;
use super::signed_in::SignedIn;
use crate::bots::uploads::rows::Upload;
use crate::shared::answer_headers::{attachment, kept_by_nobody};
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::shared::table::bot_address;
use crate::shared::times::When;
use crate::site::ReadContext;

/// How many uploads and bots are listed, the newest.
const LATEST: u32 = 20;
const MAX_BOTS: usize = 200;

/// How much of a file is read at once, in bytes.
const BLOCK: usize = 64 << 10;

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    uploads: UploadList,
    bots: Vec<OwnBot>,
    account: AccountRow,
    created: When,
    sessions: u64,
    word: String,
}

/// Uploads as a table.
#[derive(Template)]
#[template(path = "uploads.html")]
pub(crate) struct UploadList {
    uploads: Vec<Upload>,
    /// Whether they are of several accounts.
    of_all: bool,
}

/// A bot of one's own.
struct OwnBot {
    name: String,
    label: String,
    href: String,
    games: String,
    /// Whether its file is in the arena.
    is_here: bool,
}

/// A token, shown once.
#[derive(Template)]
#[template(path = "token.html")]
pub(super) struct TokenForm {
    token: String,
    is_first: bool,
    /// Whose it is, where somebody else made it.
    of: Option<String>,
}

impl TokenForm {
    /// The token of a new account, or in place of an old one; `of` says whose it is, where somebody else made it.
    pub(crate) fn new(token: &Secret, is_first: bool, of: Option<String>) -> Self {
        let token = token.as_str().to_owned();
        TokenForm {
            token,
            is_first,
            of,
        }
    }
}

impl UploadList {
    pub(crate) fn new(uploads: Vec<Upload>, of_all: bool) -> Self {
        UploadList { uploads, of_all }
    }

    fn is_empty(&self) -> bool {
        self.uploads.is_empty()
    }

    fn received(&self, upload: &Upload) -> When {
        When::at(upload.created_at)
    }
}

impl PageView for AccountPage {
    fn head(&self) -> PageHead {
        PageHead::new(&self.account.name, Section::Account)
    }
}

impl PageView for TokenForm {
    fn head(&self) -> PageHead {
        let is_new = self.of.is_some();
        let title = if is_new { "New token" } else { "Your token" };
        PageHead::new(title, Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/account", get(account))
        .route("/account/token", post(new_token))
        .route("/account/bots/{bot}/file", get(file))
}

async fn account(SignedIn(visit, visitor): SignedIn) -> Result<Response> {
    let id = visitor.account.id;
    let (sessions, uploads, owned) = visit
        .site
        .stored(move |store| {
            let uploads = store.uploads(Some(id), LATEST)?;
            Ok((store.sessions(id, unix_ms())?, uploads, store.owned(id)?))
        })
        .await?;
    let bots = visit
        .site
        .read(move |reading| own_bots(reading, &owned))
        .await?;
    let page = AccountPage {
        uploads: UploadList::new(uploads, false),
        bots,
        account: visitor.account.clone(),
        created: When::at(visitor.account.created_at),
        sessions,
        word: visitor.form_word(),
    };
    visit.private(&page)
}

async fn new_token(
    visit: Visit,
    SignedInForm(site, visitor, _): SignedInForm<NoFields>,
) -> Result<Response> {
    let token = site
        .stored(move |store| store.new_token(&visitor.account, visitor.session(), unix_ms()))
        .await?;
    visit.private(&TokenForm::new(&token, false, None))
}

/// The bots of these names, which are in lower case, the newest first.
fn own_bots(reading: &ReadContext<'_>, owned: &HashSet<String>) -> Result<Vec<OwnBot>> {
    let mut bots = reading.journal.bots()?;
    bots.retain(|bot| owned.contains(&folded(bot.name.as_str())));
    bots.sort_by_key(|bot| std::cmp::Reverse(bot.submitted_at));
    let own = bots.into_iter().take(MAX_BOTS).map(|bot| OwnBot {
        href: bot_address(&bot.label()).unwrap_or_default(),
        name: bot.name.to_string(),
        label: bot.label(),
        games: bot.games.join(", "),
        // What a built-in bot runs is no file of the arena.
        is_here: (reading.site.arena.bot_path(&bot)).is_some_and(|path| path.is_file()),
    });
    Ok(own.collect())
}

/// The file of a bot, for its owner alone.
async fn file(SignedIn(visit, visitor): SignedIn, Path(typed): Path<String>) -> Result<Response> {
    let id = visitor.account.id;
    let owned = visit.site.stored(move |store| store.owned(id)).await?;
    let (bot, path) = visit
        .site
        .read(move |reading| {
            let absent = || Problem::not_found(format!("you have no bot {typed:?}"));
            let bot = crate::bots::page::known(reading, &typed).map_err(|_| absent())?;
            let path = reading.site.arena.bot_path(&bot);
            let is_own = owned.contains(&folded(bot.name.as_str()));
            match path.filter(|path| is_own && path.is_file()) {
                Some(path) => Ok((bot, path)),
                None => Err(absent()),
            }
        })
        .await?;
    let file = tokio::fs::File::open(path).await?;
    let form = bot.file.as_ref().and_then(BotFile::form);
    let ending = form.map_or("", FileForm::ending);
    let name = format!("{}{ending}", bot.label());
    let bytes = HeaderValue::from_static("application/octet-stream");
    let headers = [
        (CONTENT_TYPE, bytes),
        (CACHE_CONTROL, kept_by_nobody()),
        (CONTENT_LENGTH, file.metadata().await?.len().into()),
        (CONTENT_DISPOSITION, attachment(&name)),
    ];
    let blocks = stream::unfold(file, |mut file| async {
        let mut block = vec![0; BLOCK];
        match file.read(&mut block).await {
            Ok(0) => None,
            Ok(count) => {
                block.truncate(count);
                Some((Ok(block), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    });
    Ok((headers, Body::from_stream(blocks)).into_response())
}
