//! The pages of matches with a person: choosing opponents, and the table.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Path, Query};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use flipside_games::{Info, Seat};
use serde::Deserialize;

use super::player::{Player, PlayerForm};
use super::session::{
    MatchOwner, OfferedAction, PlaySession, PlayerCommand, SessionPhase, SessionView,
};
use super::sessions::{PlayRequest, given_seed, refuse_to_guests};
use crate::accounts::posted::number;
use crate::bots::players::refuse_strangers;
use crate::matches::page::quoted_seats;
use crate::shared::answer_headers::{kept_by_nobody, record_file};
use crate::shared::known_games::offered;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::pieces::{self, piece};
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::RateAddress;
use crate::shared::seat_sign::SeatSign;
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
    /// The game that is chosen at first, and the bot.
    chosen: String,
    opponent: String,
    bots: Vec<String>,
    is_guest: bool,
    /// The matches that are played now: the address and the title of the game.
    open: Vec<(String, &'static str)>,
}

/// What the address says.
#[derive(Debug, Deserialize)]
struct PlayQuery {
    #[serde(default)]
    game: String,
    #[serde(default)]
    bot: String,
}

impl PageView for PlayPage {
    fn head(&self) -> PageHead {
        PageHead::new("Play", Section::Play)
    }
}

async fn offers(
    Query(asked): Query<PlayQuery>,
    Player(visit, visitor): Player,
) -> Result<Response> {
    let mut bots: Vec<String> = OFFERED.map(String::from).into();
    if !visitor.is_guest() {
        bots.extend(visit.site.read(|reading| reading.bot_names()).await?);
    }
    let open = visit.site.play_sessions.of(&visitor.owners()).into_iter();
    let page = PlayPage {
        word: visitor.form_word(),
        games: offered(&visit.site).await?,
        chosen: asked.game,
        opponent: asked.bot,
        bots,
        is_guest: visitor.is_guest(),
        open: open
            .map(|(id, session)| (format!("/play/{id}"), session.game.title))
            .collect(),
    };
    Ok(visitor.with_cookie(visit.private(&page)?))
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
    #[serde(default)]
    seed: String,
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
            seed: match self.seed.trim() {
                "" => None,
                seed => Some(given_seed(seed)?),
            },
            game: self.game,
        })
    }
}

async fn begin(
    Extension(address): Extension<RateAddress>,
    PlayerForm(site, visitor, form): PlayerForm<PlayForm>,
) -> Result<Redirect> {
    let wish = form.wish()?;
    if visitor.is_guest() {
        site.rates.guest_match(address)?;
    }
    let (owner, from) = (visitor.owner(), site.rates.told_apart(address));
    let begin = move |reading: &ReadContext<'_>| {
        refuse_to_guests(owner, &wish)?;
        refuse_strangers(reading, &wish.bots, &wish.game)?;
        reading.site.play_sessions.begin(owner, from, &wish)
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
    /// What the game is about, in one line.
    goal: &'static str,
    piece: TablePiece,
}

/// What changes of the table.
#[derive(Template)]
#[template(path = "play-session-piece.html")]
struct TablePiece {
    id: String,
    word: String,
    own: Seat,
    seats: Vec<(SeatSign, String)>,
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
            seats: (session.signs.iter().cloned())
                .zip(session.names.clone())
                .collect(),
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
        if ending.gave_up {
            return Some("You gave up".into());
        }
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
pub(crate) fn find(site: &Site, owners: &[MatchOwner], id: &str) -> Result<Arc<PlaySession>> {
    let session = site.play_sessions.get(id);
    let own = session.filter(|session| owners.contains(&session.owner));
    own.ok_or_else(|| {
        Problem::not_found("this match is not known").hint(
            "the server forgets a match some time after its end, and when it is started again",
        )
    })
}

async fn table(Player(visit, visitor): Player, Path(id): Path<String>) -> Result<Response> {
    let session = find(&visit.site, &visitor.owners(), &id)?;
    let piece = TablePiece::of(&id, &visitor.form_word(), &session);
    let Info {
        title,
        id: game,
        summary: goal,
        ..
    } = session.game;
    let page = PlayTable {
        id,
        title,
        game,
        goal,
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

/// Giving up, which is asked once more.
#[derive(Debug, Deserialize)]
struct PlayLeave {
    question: u64,
    #[serde(default)]
    sure: bool,
}

/// Asks whether somebody really gives up.
#[derive(Template)]
#[template(path = "leave.html")]
struct LeavePage {
    word: String,
    id: String,
    title: &'static str,
    seats: usize,
    question: u64,
}

impl PageView for LeavePage {
    fn head(&self) -> PageHead {
        PageHead::new("Give up?", Section::Play)
    }
}

async fn act(
    Path(id): Path<String>,
    PlayerForm(site, visitor, form): PlayerForm<PlayAction>,
) -> Result<Redirect> {
    let PlayAction { action, typed, .. } = form;
    let picked = if action.is_empty() { typed } else { action };
    let said = PlayerCommand::Act(picked.trim().to_owned());
    say(&site, &visitor.owners(), &id, form.question, said)
}

async fn leave(
    Path(id): Path<String>,
    visit: Visit,
    PlayerForm(site, visitor, form): PlayerForm<PlayLeave>,
) -> Result<Response> {
    let owners = visitor.owners();
    if form.sure {
        let left = say(&site, &owners, &id, form.question, PlayerCommand::Leave)?;
        return Ok(left.into_response());
    }
    let session = find(&site, &owners, &id)?;
    visit.private(&LeavePage {
        word: visitor.form_word(),
        title: session.game.title,
        seats: session.names.len(),
        question: form.question,
        id,
    })
}

fn say(
    site: &Site,
    owners: &[MatchOwner],
    id: &str,
    question: u64,
    said: PlayerCommand,
) -> Result<Redirect> {
    find(site, owners, id)?.say(question, said);
    Ok(Redirect::to(&format!("/play/{id}")))
}

async fn follow(Player(visit, visitor): Player, Path(id): Path<String>) -> Result<Response> {
    let session = find(&visit.site, &visitor.owners(), &id)?;
    let (changes, word) = (session.changes(), visitor.form_word());
    let piece_of =
        move |_: &u64| -> Option<Bytes> { Some(piece(&TablePiece::of(&id, &word, &session))) };
    Ok(pieces::send(&visit.site, changes, piece_of))
}

async fn record_page(Player(visit, visitor): Player, Path(id): Path<String>) -> Result<Response> {
    record(&visit.site, &visitor.owners(), &id)
}

/// The record of a match, if it is this visitor's and is over.
pub(crate) fn record(site: &Site, owners: &[MatchOwner], id: &str) -> Result<Response> {
    let session = find(site, owners, id)?;
    let SessionPhase::Over(ending) = session.scene().phase else {
        let message = "the record is written when the match is over";
        return Err(Problem::not_found(message));
    };
    if !quoted_seats(&ending.record)?.is_empty() {
        let message = "the record quotes what a bot wrote to standard error";
        return Err(Problem::forbidden(message));
    }
    let record = ending.record.to_string();
    // A signature would say that nobody could choose what chance did.
    let record = match session.is_seeded {
        true => record,
        false => site.arena.signed(record)?,
    };
    Ok(record_file("match.jsonl", kept_by_nobody(), record))
}
