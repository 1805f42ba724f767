//! What the owner of a bot does with it: renaming it, and deleting its files after a page that asks again.

use std::sync::Arc;

use askama::Template;
use axum::extract::Path;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_tournament::{Bot, BotRef, Name, NameError};
use serde::Deserialize;

use super::actions::{check_owner, delete_own, rename_own};
use super::uploads::submit_page::fit_name;
use crate::accounts::people::AccountRow;
use crate::accounts::posted::{NoFields, SignedInForm};
use crate::accounts::signed_in::SignedIn;
use crate::shared::actions::done;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};
use crate::shared::times::When;
use crate::site::Site;

#[derive(Template)]
#[template(path = "own_bot.html")]
struct OwnBotPage {
    word: String,
    name: String,
    versions: Vec<BotVersion>,
}

/// A version of the bot.
struct BotVersion {
    label: String,
    submitted: When,
    size: u64,
    /// Whether its file is here.
    is_here: bool,
}

/// Asks whether files are really to be deleted.
#[derive(Template)]
#[template(path = "delete_bot.html")]
struct DeletePage {
    word: String,
    name: String,
    /// What the form deletes: NAME or NAME@VERSION.
    bot: String,
    /// The versions whose files go.
    labels: Vec<String>,
}

impl OwnBotPage {
    /// How many versions have their file here.
    fn files(&self) -> usize {
        let here = self.versions.iter().filter(|version| version.is_here);
        here.count()
    }
}

impl PageView for OwnBotPage {
    fn head(&self) -> PageHead {
        PageHead::new(format!("Your bot {}", self.name), Section::Account)
    }
}

impl PageView for DeletePage {
    fn head(&self) -> PageHead {
        PageHead::new(format!("Delete {}", self.bot), Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/account/bots/{bot}", get(own_bot))
        .route("/account/bots/{bot}/rename", post(rename))
        .route("/account/bots/{bot}/delete", get(ask).post(delete))
}

/// The bot of an address.
fn typed<T: std::str::FromStr<Err = NameError>>(text: &str) -> Result<T> {
    text.parse()
        .map_err(|error: NameError| Problem::not_found(error.to_string()))
}

/// All versions of a bot that belongs to the account, the newest first.
async fn versions(site: &Arc<Site>, account: &AccountRow, name: &Name) -> Result<Vec<BotVersion>> {
    let (account, name) = (account.clone(), name.clone());
    let versions = site.read(move |reading| {
        check_owner(reading.site, &account, &name)?;
        let mut bots = reading.journal.bots()?;
        bots.retain(|bot| bot.name == name);
        bots.sort_by_key(|bot| std::cmp::Reverse(bot.version));
        let arena = &reading.site.arena;
        let versions = bots.into_iter().map(|bot| BotVersion {
            label: bot.label(),
            submitted: When::at(bot.submitted_at),
            size: bot.size,
            is_here: arena.bot_path(&bot).is_some_and(|path| path.is_file()),
        });
        Ok(versions.collect::<Vec<_>>())
    });
    let versions = versions.await?;
    if versions.is_empty() {
        let message = "none of your bots of this name is in the arena";
        return Err(Problem::not_found(message));
    }
    Ok(versions)
}

async fn own_bot(SignedIn(visit, visitor): SignedIn, Path(bot): Path<String>) -> Result<Response> {
    let name: Name = typed(&bot)?;
    let page = OwnBotPage {
        word: visitor.form_word(),
        versions: versions(&visit.site, &visitor.account, &name).await?,
        name: name.to_string(),
    };
    visit.private(&page)
}

#[derive(Deserialize)]
struct Renamed {
    name: String,
}

async fn rename(
    Path(bot): Path<String>,
    SignedInForm(site, visitor, form): SignedInForm<Renamed>,
) -> Result<Redirect> {
    let from: Name = typed(&bot)?;
    let to = fit_name(&form.name, "choose another name")?;
    let address = format!("/account/bots/{to}");
    let what = format!("{from} is called {to} now.");
    let account = visitor.account.clone();
    site.wait_for(move |site| rename_own(site, &account, &from, &to))
        .await?;
    Ok(done(&site, &visitor, what, &address))
}

async fn ask(SignedIn(visit, visitor): SignedIn, Path(bot): Path<String>) -> Result<Response> {
    let wanted: BotRef = typed(&bot)?;
    let mut versions = versions(&visit.site, &visitor.account, &wanted.name).await?;
    versions.retain(|version| {
        version.is_here && (wanted.version.is_none() || version.label == wanted.to_string())
    });
    if versions.is_empty() {
        return Err(Problem::not_found(format!("{wanted} has no file here")));
    }
    let page = DeletePage {
        word: visitor.form_word(),
        name: wanted.name.to_string(),
        bot: wanted.to_string(),
        labels: versions.into_iter().map(|version| version.label).collect(),
    };
    visit.private(&page)
}

async fn delete(
    Path(bot): Path<String>,
    SignedInForm(site, visitor, NoFields {}): SignedInForm<NoFields>,
) -> Result<Redirect> {
    let wanted: BotRef = typed(&bot)?;
    let address = format!("/account/bots/{}", wanted.name);
    let account = visitor.account.clone();
    let deleted = site
        .wait_for(move |site| delete_own(site, &account, &wanted))
        .await?;
    let labels: Vec<String> = deleted.iter().map(Bot::label).collect();
    let what = format!("Deleted: {}.", labels.join(", "));
    Ok(done(&site, &visitor, what, &address))
}
