//! One's own account: token, sessions, bots and uploads.

use std::collections::HashSet;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use flipside_tournament::report::words;
use flipside_tournament::unix_ms;
use futures_util::stream;
use serde::Deserialize;
use tokio::io::AsyncReadExt;

use crate::Site;
use crate::accounts::{Account, AccountId, Posted, Role, SignedIn, folded};
use crate::page::{Head, Section, View, Visit, kept_by_nobody, private};
use crate::problem::{Problem, Result};
use crate::site::Reading;
use crate::table::bot_address;
use crate::uploads::Upload;

/// How many uploads and bots are listed, the newest.
const LATEST: u32 = 20;
const MAX_BOTS: usize = 200;

/// How much of a file is read at once, in bytes.
const BLOCK: usize = 64 << 10;

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    uploads: Listed,
    bots: Vec<OwnBot>,
    account: Account,
    created: String,
    sessions: u64,
    word: String,
}

/// Uploads as a table.
#[derive(Template)]
#[template(path = "uploads.html")]
pub(super) struct Listed {
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
pub(super) struct NewToken {
    token: String,
    is_first: bool,
    /// Whose it is, where somebody else made it.
    of: Option<String>,
}

#[derive(Deserialize)]
struct Nothing {}

impl NewToken {
    /// That of a new account.
    pub(super) fn first(token: &str) -> Self {
        NewToken {
            token: token.to_owned(),
            is_first: true,
            of: None,
        }
    }
}

impl NewToken {
    /// That of somebody who has lost the old one.
    pub(super) fn of(account: &str, token: &str) -> Self {
        NewToken {
            token: token.to_owned(),
            is_first: false,
            of: Some(account.to_owned()),
        }
    }
}

impl Listed {
    pub(super) fn new(uploads: Vec<Upload>, of_all: bool) -> Self {
        Listed { uploads, of_all }
    }

    fn is_empty(&self) -> bool {
        self.uploads.is_empty()
    }

    fn received(&self, upload: &Upload) -> String {
        words::utc(upload.created_at)
    }
}

impl View for AccountPage {
    fn head(&self) -> Head {
        head(&self.account.name)
    }
}

impl View for NewToken {
    fn head(&self) -> Head {
        head(if self.of.is_some() {
            "New token"
        } else {
            "Your token"
        })
    }
}

fn head(title: &str) -> Head {
    Head {
        title: title.to_owned(),
        section: Section::Account,
        live: None,
    }
}

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/account", get(account))
        .route("/account/token", post(new_token))
        .route("/account/bots/{bot}/file", get(file))
}

async fn account(
    State(site): State<Arc<Site>>,
    SignedIn(visitor): SignedIn,
    visit: Visit,
) -> Result<Response> {
    let id = visitor.account.id;
    let (sessions, uploads, owned) = site
        .stored(move |store| {
            let uploads = store.uploads(Some(id), LATEST)?;
            Ok((store.sessions(id, unix_ms())?, uploads, store.owned(id)?))
        })
        .await?;
    let bots = site.read(move |reading| own_bots(reading, &owned)).await?;
    let page = AccountPage {
        uploads: Listed::new(uploads, false),
        bots,
        account: visitor.account.clone(),
        created: words::utc(visitor.account.created_at),
        sessions,
        word: visitor.form_word(),
    };
    Ok(private(&visit, &page))
}

async fn new_token(
    State(site): State<Arc<Site>>,
    visit: Visit,
    Posted { visitor, .. }: Posted<Nothing>,
) -> Result<Response> {
    let token = site
        .stored(move |store| store.new_token(&visitor.account, visitor.session(), unix_ms()))
        .await?;
    let page = NewToken {
        token: token.as_str().to_owned(),
        is_first: false,
        of: None,
    };
    Ok(private(&visit, &page))
}

/// The bots of these names, which are in lower case, the newest first.
fn own_bots(reading: &Reading<'_>, owned: &HashSet<String>) -> Result<Vec<OwnBot>> {
    let mut bots = reading.journal.bots()?;
    bots.retain(|bot| owned.contains(&folded(bot.name.as_str())));
    bots.sort_by_key(|bot| std::cmp::Reverse(bot.submitted_at));
    let own = bots.into_iter().take(MAX_BOTS).map(|bot| OwnBot {
        href: bot_address(&bot.label()).unwrap_or_default(),
        name: bot.name.to_string(),
        label: bot.label(),
        games: bot.games.join(", "),
        // What a built-in bot runs is no file of the arena.
        is_here: bot.is_here() && reading.site.arena.bot_path(&bot).is_file(),
    });
    Ok(own.collect())
}

/// The file of a bot, for its owner alone.
async fn file(
    State(site): State<Arc<Site>>,
    SignedIn(visitor): SignedIn,
    Path(typed): Path<String>,
) -> Result<Response> {
    let id: AccountId = visitor.account.id;
    let owned = site.stored(move |store| store.owned(id)).await?;
    let (bot, path) = site
        .read(move |reading| {
            let absent = || Problem::not_found(format!("you have no bot {typed:?}"));
            let bot = super::bot::known(reading, &typed).map_err(|_| absent())?;
            let path = reading.site.arena.bot_path(&bot);
            let is_own = owned.contains(&folded(bot.name.as_str()));
            match is_own && bot.is_here() && path.is_file() {
                true => Ok((bot, path)),
                false => Err(absent()),
            }
        })
        .await?;
    let opened = tokio::fs::File::open(path).await;
    let file = opened.map_err(|error| Problem::internal(&error))?;
    let name = bot
        .file
        .split_once('.')
        .map_or(String::new(), |(_, ending)| format!(".{ending}"));
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        ),
        (CACHE_CONTROL, kept_by_nobody()),
        (CONTENT_LENGTH, bot_length(&file).await?),
        (
            CONTENT_DISPOSITION,
            attachment(&format!("{}{name}", bot.label())),
        ),
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

async fn bot_length(file: &tokio::fs::File) -> Result<HeaderValue> {
    let found = file.metadata().await;
    Ok(found
        .map_err(|error| Problem::internal(&error))?
        .len()
        .into())
}

/// A label of a bot has no quote and no line.
fn attachment(name: &str) -> HeaderValue {
    let text = format!("attachment; filename=\"{name}\"");
    HeaderValue::from_str(&text).expect("names are ASCII")
}
