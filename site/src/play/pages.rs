//! The pages of matches with a person: choosing opponents, and the table.

use std::sync::Arc;

use askama::Template;
use axum::extract::Path;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use flipside_games::{Info, Seat, current_games};
use serde::Deserialize;

use super::session::{OfferedAction, PlaySession, PlayerCommand, SessionPhase, SessionView};
use super::sessions::PlayRequest;
use crate::accounts::posted::{SignedInForm, number};
use crate::accounts::signed_in::SignedIn;
use crate::accounts::visitor::AccountVisitor;
use crate::bots::players::refuse_strangers;
use crate::matches::page::quoted_seats;
use crate::shared::answer_headers::{kept_by_nobody, record_file};
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::pieces::{self, piece};
use crate::shared::problem::{Problem, Result};
use crate::site::{ReadContext, Site};

/// The most actions that have a button each; with more of them, the person types or picks from a list.
const MAX_BUTTONS: usize = 60;

/// The built-in bots that are offered; others can be typed.
const OFFERED: [&str; 6] = [
    "sample:random",
    "sample:greedy",
    "sample:mcts",
    "sample:alphabeta",
    "sample:rollout",
    "sample:strong",
];

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/play", get(offers).post(begin))
        .route("/play/{id}", get(table))
        .route("/play/{id}/act", post(act))
        .route("/play/{id}/leave", post(leave))
        .route("/play/{id}/pieces", get(follow))
        .route("/play/{id}/record", get(record_page))
}

#[derive(Template)]
#[template(path = "play.html")]
struct PlayPage {
    word: String,
    games: Vec<&'static Info>,
    bots: Vec<String>,
    /// The matches that the visitor is playing: their ids and games.
    open: Vec<(String, &'static str)>,
}

impl PageView for PlayPage {
    fn head(&self) -> PageHead {
        PageHead::new("Play", Section::Play)
    }
}

async fn offers(SignedIn(visit, visitor): SignedIn) -> Result<Response> {
    let mut bots = visit.site.read(|reading| reading.bot_names()).await?;
    bots.splice(0..0, OFFERED.map(String::from));
    let page = PlayPage {
        word: visitor.form_word(),
        games: current_games().iter().map(|game| game.info()).collect(),
        bots,
        open: visit.site.play_sessions.open_of(visitor.account.id),
    };
    visit.private(&page)
}

/// What the form asks for.
#[derive(Debug, Deserialize)]
struct PlayForm {
    game: String,
    /// Names of bots, with commas or spaces between them.
    bots: String,
    #[serde(default)]
    seats: String,
    #[serde(default)]
    seat: String,
    /// JSON; empty for the defaults.
    #[serde(default)]
    options: String,
}

impl PlayForm {
    fn wish(self) -> Result<PlayRequest> {
        let options = match self.options.trim() {
            "" => "{}",
            options => options,
        };
        let bots = self.bots.split([',', ' ']).map(str::trim);
        Ok(PlayRequest {
            seats: number(&self.seats, "seats")?,
            seat: number(&self.seat, "seat")?.unwrap_or(0),
            bots: bots
                .filter(|bot| !bot.is_empty())
                .map(String::from)
                .collect(),
            options: options.to_owned(),
            game: self.game,
        })
    }
}

async fn begin(SignedInForm(site, visitor, form): SignedInForm<PlayForm>) -> Result<Redirect> {
    let wish = form.wish()?;
    let account = visitor.account.id;
    let begin = move |reading: &ReadContext<'_>| {
        refuse_strangers(reading, &wish.bots, &wish.game)?;
        reading.site.play_sessions.begin(account, &wish)
    };
    let id = site.read(begin).await?;
    Ok(Redirect::to(&format!("/play/{id}")))
}

#[derive(Template)]
#[template(path = "play-session.html")]
struct PlayTable {
    id: String,
    title: &'static str,
    game: &'static str,
    piece: TablePiece,
}

/// What changes of the table.
#[derive(Template)]
#[template(path = "play-session-piece.html")]
struct TablePiece {
    id: String,
    word: String,
    own: Seat,
    names: Vec<String>,
    scene: SessionView,
    has_buttons: bool,
}

impl PageView for PlayTable {
    fn head(&self) -> PageHead {
        PageHead::new(format!("Playing {}", self.title), Section::Play)
    }
}

impl TablePiece {
    fn of(id: &str, word: &str, session: &PlaySession) -> Self {
        let scene = session.scene();
        TablePiece {
            id: id.to_owned(),
            word: word.to_owned(),
            own: session.own,
            names: session.names.clone(),
            has_buttons: scene.actions.len() <= MAX_BUTTONS,
            scene,
        }
    }

    fn is_yours(&self) -> bool {
        self.scene.phase == SessionPhase::Yours
    }

    /// Whether the words of an action say more than its notation.
    fn says_more(choice: &OfferedAction) -> bool {
        choice.words != choice.action
    }

    /// The result, from the person's side.
    fn result(&self) -> Option<String> {
        let SessionPhase::Over(ending) = &self.scene.phase else {
            return None;
        };
        let own = ending.places[usize::from(self.own)];
        let level = ending.places.iter().filter(|place| **place == own).count();
        Some(match (own, level, ending.places.len()) {
            (1, 1, _) => "You have won".into(),
            (_, level, all) if level == all => "Draw".into(),
            (1, ..) => "You have won, together with others".into(),
            (_, _, 2) => "You have lost".into(),
            (place, ..) => format!("You are in place {place}"),
        })
    }
}

/// The match of this id, if it is this visitor's.
pub(crate) fn find(site: &Site, visitor: &AccountVisitor, id: &str) -> Result<Arc<PlaySession>> {
    let session = site.play_sessions.get(id);
    let own = session.filter(|session| session.account == visitor.account.id);
    own.ok_or_else(|| {
        Problem::not_found("this match is not known").hint(
            "the server forgets a match some time after its end, and when it is started again",
        )
    })
}

async fn table(SignedIn(visit, visitor): SignedIn, Path(id): Path<String>) -> Result<Response> {
    let session = find(&visit.site, &visitor, &id)?;
    let piece = TablePiece::of(&id, &visitor.form_word(), &session);
    let Info {
        title, id: game, ..
    } = session.game;
    let page = PlayTable {
        id,
        title,
        game,
        piece,
    };
    visit.private(&page)
}

/// What the person does.
#[derive(Debug, Deserialize)]
struct PlayAction {
    question: u64,
    #[serde(default)]
    action: String,
    /// What was typed; an action that was picked comes before it.
    #[serde(default)]
    typed: String,
}

async fn act(
    Path(id): Path<String>,
    SignedInForm(site, visitor, form): SignedInForm<PlayAction>,
) -> Result<Redirect> {
    let PlayAction { action, typed, .. } = form;
    let picked = if action.is_empty() { typed } else { action };
    let said = PlayerCommand::Act(picked.trim().to_owned());
    say(&site, &visitor, &id, form.question, said)
}

async fn leave(
    Path(id): Path<String>,
    SignedInForm(site, visitor, form): SignedInForm<PlayAction>,
) -> Result<Redirect> {
    say(&site, &visitor, &id, form.question, PlayerCommand::Leave)
}

fn say(
    site: &Site,
    visitor: &AccountVisitor,
    id: &str,
    question: u64,
    said: PlayerCommand,
) -> Result<Redirect> {
    find(site, visitor, id)?.say(question, said);
    Ok(Redirect::to(&format!("/play/{id}")))
}

async fn follow(SignedIn(visit, visitor): SignedIn, Path(id): Path<String>) -> Result<Response> {
    let session = find(&visit.site, &visitor, &id)?;
    let (changes, word) = (session.changes(), visitor.form_word());
    let piece_of =
        move |_: &u64| -> Option<Bytes> { Some(piece(&TablePiece::of(&id, &word, &session))) };
    Ok(pieces::send(&visit.site, changes, piece_of))
}

async fn record_page(
    SignedIn(visit, visitor): SignedIn,
    Path(id): Path<String>,
) -> Result<Response> {
    record(&visit.site, &visitor, &id)
}

/// The record of a match, if it is this visitor's and is over.
pub(crate) fn record(site: &Site, visitor: &AccountVisitor, id: &str) -> Result<Response> {
    let SessionPhase::Over(ending) = find(site, visitor, id)?.scene().phase else {
        let message = "the record is written when the match is over";
        return Err(Problem::not_found(message));
    };
    if !quoted_seats(&ending.record)?.is_empty() {
        let message = "the record quotes what a bot wrote to standard error";
        return Err(Problem::forbidden(message));
    }
    let record = site.arena.signed(ending.record.to_string())?;
    Ok(record_file("match.jsonl", kept_by_nobody(), record))
}
