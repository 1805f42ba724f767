//! A match: who sat where and how it ended, faults with their hints, the replay, the record. A match is in the journal
//! only when it is over, so nothing hidden of a running match is here. What reveals random events of matches that are
//! still to come is shown when its tournament is over.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use flipside_games::find;
use flipside_games::words::counted;
use flipside_operations::MatchReplay;
use flipside_referee::{Line, Record, without_stderr};
use flipside_report::words;
use flipside_store::MatchRow;

use super::picture::picture_of;
use super::replay::replay_fragment;
use super::results::told;
use super::shown::{Detail, board_at_end, or_nothing, record_of, shown};
use crate::accounts::people::folded;
use crate::shared::answer_headers::{kept_by_one, record_file};
use crate::shared::api::answer::JsonDocument;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::shared::table::{bot_address, game_address, game_title};
use crate::shared::times::When;
use crate::site::{ReadContext, stamp_of};

#[derive(Template)]
#[template(path = "match.html")]
struct MatchPage {
    row: MatchRow,
    /// Who won against whom.
    told: String,
    game: Option<String>,
    /// What the game is about, in one line, where it is known.
    goal: Option<&'static str>,
    started: When,
    took: String,
    seats: Vec<MatchSeatRow>,
    /// The board at the end, or the replay; nothing of a match that was not played.
    replay: Option<String>,
    has_record: bool,
    /// Whether the record quotes what a bot wrote to standard error, and whether anybody can sign in to have it.
    quotes: bool,
    has_accounts: bool,
    /// Whether its tournament is over: then everything of it may be shown.
    is_open: bool,
    /// Whether the replay is only the board at the end.
    is_board: bool,
}

struct MatchSeatRow {
    seat: usize,
    bot: String,
    href: Option<String>,
    place: u8,
    points: String,
    plies: u64,
    used: String,
    fault: Option<MatchFaultRow>,
}

struct MatchFaultRow {
    name: String,
    detail: String,
    hint: Option<String>,
}

impl PageView for MatchPage {
    fn head(&self) -> PageHead {
        let title = format!("{} · {}", self.told, game_title(&self.row.game));
        let head = PageHead::new(title, Section::Matches).about(self.description());
        match &self.replay {
            Some(replay) if !replay.is_empty() => head.pictured(picture_of(&self.row)),
            _ => head,
        }
    }
}

impl MatchPage {
    /// What is said of it beside a link.
    fn description(&self) -> String {
        let (told, reason) = (&self.told, self.row.reason.replace('-', " "));
        format!("{told} after {}: {reason}.", counted(self.row.plies, "ply"))
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/matches/{id}", get(one))
        .route("/matches/{id}/replay", get(replay_data))
        .route("/matches/{id}/replay/outline", get(outline))
        .route("/matches/{id}/replay/{view}/{part}", get(part))
}

async fn one(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("match {id}");
    visit.page(key, move |reading| make(reading, &id)).await
}

fn make(reading: &ReadContext<'_>, id: &str) -> Result<MatchPage> {
    let journal = reading.journal;
    let row = journal.match_row(id)?;
    let evidence = journal.evidence(id)?;
    let record = record_of(journal, id)?;
    let seats = row.seats.iter().enumerate().map(|(seat, sits)| {
        let result = &sits.result;
        let kept = evidence.iter().find(|(of, _)| usize::from(*of) == seat);
        MatchSeatRow {
            seat,
            href: bot_address(&sits.bot),
            bot: sits.bot.clone(),
            place: result.place,
            points: words::points(sits.points),
            plies: result.plies,
            used: words::took(result.used_us as f64),
            fault: result.fault.as_ref().map(|fault| MatchFaultRow {
                name: fault.name.clone(),
                detail: without_stderr(&fault.detail).to_owned(),
                hint: kept.and_then(|(_, kept)| kept.hint.clone()),
            }),
        }
    });
    let how = Detail::of(reading, &row.tournament)?;
    Ok(MatchPage {
        told: told(&row),
        game: game_address(&row.game),
        goal: find(&row.game).map(|game| game.info().summary),
        started: When::at(row.started_at),
        took: words::took(row.duration_us as f64),
        seats: seats.collect(),
        has_record: record.is_some(),
        quotes: match &record {
            Some(record) => !quoted_seats(record)?.is_empty(),
            None => false,
        },
        has_accounts: reading.site.accounts.is_some(),
        replay: record.as_deref().map(|record| replay(record, id, how)),
        is_open: how == Detail::Open,
        is_board: how == Detail::Board,
        row,
    })
}

/// What shows how the match went.
fn replay(record: &str, id: &str, how: Detail) -> String {
    let address = format!("/matches/{id}/replay");
    let shown = match how {
        Detail::Board => board_at_end(record, how),
        _ => shown(record, how).and_then(|replay| replay_fragment(&replay, &address)),
    };
    or_nothing(shown)
}

/// The replay of a match as its page shows it, whole.
pub(super) async fn replay_data(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let make = |replay: &MatchReplay| Ok(super::replay::replay_data(replay)?);
    replay_json(visit, id, "replay".into(), make).await
}

/// The replay without its drawings.
async fn outline(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let make = |replay: &MatchReplay| Ok(super::replay::replay_outline(replay)?);
    replay_json(visit, id, "outline".into(), make).await
}

/// A part of the drawings of a view.
async fn part(
    Path((id, view, part)): Path<(String, String, String)>,
    visit: Visit,
) -> Result<Response> {
    let none = || Problem::not_found("the replay has no such part");
    let (Ok(view), Ok(part)) = (view.parse::<usize>(), part.parse::<usize>()) else {
        return Err(none());
    };
    let make = move |replay: &MatchReplay| {
        let json = super::replay::replay_part(replay, view, part)?;
        json.ok_or_else(none)
    };
    replay_json(visit, id, format!("replay {view} {part}"), make).await
}

/// Answers with JSON made of a replay.
async fn replay_json(
    visit: Visit,
    id: String,
    what: String,
    make: impl FnOnce(&MatchReplay) -> Result<String> + Send + 'static,
) -> Result<Response> {
    let read = move |reading: &ReadContext<'_>| {
        let row = reading.journal.match_row(&id)?;
        let how = Detail::of(reading, &row.tournament)?;
        if how == Detail::Board {
            return Err(early(&row.tournament));
        }
        let stamp = stamp_of(&how);
        let make = || {
            let record = reading.journal.record(&id)?;
            let json = make(&shown(&record, how)?)?;
            Ok((JsonDocument::of_json(json), stamp))
        };
        // A match does not change, but what of it is shown does.
        let key = format!("{what} {id}");
        Ok(reading.site.cache.get(&key, stamp, make)?.value)
    };
    Ok(visit.site.read(read).await?.answer(&visit))
}

/// Why there is no record yet.
fn early(tournament: &str) -> Problem {
    Problem::forbidden(format!("records are shown when the tournament {tournament} is over"),
    )
    .hint("a record reveals the seed of its block, and other matches of the block may be still to come")
}

/// The seats of the bots whose standard error a record quotes.
///
/// # Errors
/// When the record was changed.
pub(crate) fn quoted_seats(record: &str) -> Result<Vec<usize>> {
    let record = Record::read(record).map_err(|error| Problem::internal(&error))?;
    let faults = record.lines.iter().filter_map(|(_, line)| match line {
        Line::Fault(fault) => Some(fault),
        _ => None,
    });
    let quotes = |fault: &&flipside_referee::FaultLine| {
        !fault.stderr.is_empty() || without_stderr(&fault.detail) != fault.detail
    };
    let quoting = faults.filter(quotes);
    Ok(quoting.map(|fault| usize::from(fault.seat)).collect())
}

/// Refuses a record that quotes the standard error of bots, except to their owner and to organisers.
async fn refuse_quotes(visit: &Visit, bots: Vec<String>) -> Result<()> {
    if bots.is_empty() {
        return Ok(());
    }
    if let Some(visitor) = &visit.visitor {
        if visitor.is_organiser() {
            return Ok(());
        }
        let account = visitor.account.id;
        let owned = visit.site.stored(move |store| store.owned(account)).await?;
        let is_own = |label: &String| {
            let name = label.split('@').next().unwrap_or(label);
            owned.contains(&folded(name))
        };
        if bots.iter().all(is_own) {
            return Ok(());
        }
    }
    let message = format!(
        "the record quotes what {} wrote to standard error",
        bots.join(", ")
    );
    Err(Problem::forbidden(message)
        .hint("the owner of the bot and organisers can download it when they have signed in"))
}

/// Whether everybody could have the record of a match, if it quotes nobody.
pub(super) fn has_record(reading: &ReadContext<'_>, row: &MatchRow) -> Result<bool> {
    let tournament = reading.journal.tournament(&row.tournament)?;
    if !reading.is_over(&tournament)? {
        return Ok(false);
    }
    Ok(record_of(reading.journal, &row.id)?.is_some())
}

/// The record of a match, if it is public and the visitor may have it.
pub(crate) async fn record(id: String, visit: &Visit) -> Result<Response> {
    let read = {
        let id = id.clone();
        move |reading: &ReadContext<'_>| {
            let row = reading.journal.match_row(&id)?;
            let tournament = reading.journal.tournament(&row.tournament)?;
            if !reading.is_over(&tournament)? {
                return Err(early(&row.tournament));
            }
            let text = (reading.site.arena).record_to_give(reading.journal, &id)?;
            let quoted = quoted_seats(&text)?.into_iter();
            let bots = quoted.filter_map(|seat| row.seats.get(seat).map(|sits| sits.bot.clone()));
            Ok((text, bots.collect()))
        }
    };
    let (text, quoted) = visit.site.read(read).await?;
    refuse_quotes(visit, quoted).await?;
    // A match of this id is in the journal, so it is a name.
    Ok(record_file(&format!("{id}.jsonl"), kept_by_one(), text))
}
