//! Matches, tournaments and ratings that are looked up.

use flipside_games::AnyGame;
use flipside_report::Rated;
use flipside_store::{
    Evidence, HistoryRow, Journal, MatchFilter, MatchRow, SeatNotes, for_each_in_history, ratings,
    ratings_against,
};
use flipside_tournament::{Against, BotRef, Name, SlowMoves, Tournament};
use serde::Serialize;

use crate::failure::{Failure, Result};

/// Which matches are looked for.
#[derive(Clone, Debug, Default)]
pub struct MatchQuery<'a> {
    /// Of the tournament of this name.
    pub tournament: Option<&'a str>,
    /// At the game of this id.
    pub game: Option<&'a str>,
    /// Of this bot: its name, or its name and version.
    pub bot: Option<&'a str>,
    /// Only those with a fault.
    pub faults: bool,
    /// So many at most.
    pub limit: usize,
}

/// A match with what is kept of its faults.
#[derive(Debug, Serialize)]
pub struct MatchDetails {
    /// The match.
    #[serde(flatten)]
    pub row: MatchRow,
    /// Of each seat of which something is kept.
    pub evidence: Vec<BySeat<Evidence>>,
    /// What is kept of the seats whose bots did not fail.
    pub notes: Vec<BySeat<SeatNotes>>,
}

/// What is kept of a seat.
#[derive(Debug, Serialize)]
pub struct BySeat<T> {
    /// The seat, from 0.
    pub seat: u8,
    /// What is kept.
    #[serde(flatten)]
    pub kept: T,
}

/// Shows the matches that are looked for one by one, the latest first.
///
/// # Errors
/// When there is no such tournament or bot, or the journal cannot be read; and what `show` fails with.
pub fn for_each_match(
    journal: &Journal,
    query: &MatchQuery<'_>,
    show: &mut dyn FnMut(MatchRow) -> Result<()>,
) -> Result<()> {
    let filter = filter_of(journal, query)?;
    let mut shown = Ok(());
    journal.for_each_listed(&filter, |row| {
        shown = show(row);
        shown.is_ok()
    })?;
    shown
}

fn filter_of(journal: &Journal, query: &MatchQuery<'_>) -> Result<MatchFilter> {
    let bot = |typed: &str| {
        let wanted = typed.parse();
        let wanted = wanted.map_err(|error| Failure::usage(format!("{typed:?}: {error}")))?;
        Ok::<_, Failure>(journal.bot(&wanted)?.id)
    };
    let bot = query.bot.map(bot).transpose()?;
    let tournament = query.tournament.map(|name| journal.tournament(name));
    let tournament = tournament.transpose()?.map(|tournament| tournament.id);
    Ok(MatchFilter {
        tournament,
        game: query.game.map(|id| match flipside_games::find(id) {
            Some(game) => game.info().id.to_owned(),
            None => id.to_owned(),
        }),
        bot,
        faults_only: query.faults,
        limit: query.limit,
        ..MatchFilter::default()
    })
}

/// The slowest move of each seat in the matches that are looked for, `limit` of them.
///
/// # Errors
/// When there is no such tournament or bot, or the journal cannot be read.
pub fn slowest_moves(journal: &Journal, query: &MatchQuery<'_>) -> Result<SlowMoves> {
    let filter = filter_of(journal, query)?;
    Ok(flipside_store::slowest_moves(journal, &filter)?)
}

/// The match of this id.
///
/// # Errors
/// When there is none, or the journal cannot be read.
pub fn match_details(journal: &Journal, id: &str) -> Result<MatchDetails> {
    fn of_seats<T>(all: Vec<(u8, T)>) -> Vec<BySeat<T>> {
        let all = all.into_iter();
        all.map(|(seat, kept)| BySeat { seat, kept }).collect()
    }
    Ok(MatchDetails {
        evidence: of_seats(journal.evidence(id)?),
        notes: of_seats(journal.notes(id)?),
        row: journal.match_row(id)?,
    })
}

/// The tournament of this name, or the latest.
///
/// # Errors
/// When there is none, or the journal cannot be read.
pub fn find_tournament(journal: &Journal, name: Option<&str>) -> Result<Tournament> {
    match name {
        Some(name) => Ok(journal.tournament(name)?),
        None => journal.latest_tournament()?.ok_or_else(|| {
            Failure::new("no tournament was played in this arena")
                .hint("`flipside tournament GAME BOT BOT...` plays one")
        }),
    }
}

/// The number of a tournament's entrant; without a version, of the latest that is entered.
///
/// # Errors
/// When it is not entered.
pub fn find_entrant(tournament: &Tournament, bot: &BotRef) -> Result<usize> {
    let all = tournament.entrants.iter().enumerate();
    let fits = all.filter(|(_, entrant)| bot.fits(entrant));
    let latest = fits.max_by_key(|(_, entrant)| entrant.version);
    latest.map(|(number, _)| number).ok_or_else(|| {
        Failure::usage(format!("{bot} is not in {}", tournament.name)).hint(format!(
            "`flipside table {}` lists its bots",
            tournament.name
        ))
    })
}

/// The ratings at these games.
///
/// # Errors
/// When the journal cannot be read.
pub fn find_ratings(journal: &Journal, games: &[&dyn AnyGame]) -> Result<Vec<Rated>> {
    let mut all = Vec::new();
    for game in games {
        let id = game.info().id;
        all.extend(ratings(journal, id)?.rows.into_iter().map(|row| Rated {
            game: id.to_owned(),
            row,
        }));
    }
    Ok(all)
}

/// How much stronger each other bot is than this one at a game, and the label of this one.
///
/// # Errors
/// When it is not rated there, or the journal cannot be read.
pub fn find_against(journal: &Journal, game: &str, bot: &BotRef) -> Result<(String, Vec<Against>)> {
    let found = ratings_against(journal, game, bot)?;
    let (own, rows) = found.ok_or_else(|| {
        Failure::usage(format!("{bot} has no rating at {game}")).hint(format!(
            "`flipside ratings {game}` lists the bots that have one"
        ))
    })?;
    Ok((own.label(), rows))
}

/// Shows how the ratings of all versions of a bot have changed at these games, row by row.
///
/// # Errors
/// When there is no such bot, or the journal cannot be read; and what `show` fails with.
pub fn find_history(
    journal: &Journal,
    name: &Name,
    games: &[&dyn AnyGame],
    show: &mut dyn FnMut(HistoryRow) -> Result<()>,
) -> Result<()> {
    if !journal.bots()?.iter().any(|bot| bot.name == *name) {
        return Err(
            Failure::usage(format!("no bot is named {:?}", name.as_str()))
                .hint("`flipside bots` lists the arena's bots; the name is without its version"),
        );
    }
    let mut shown = Ok(());
    for game in games {
        for_each_in_history(journal, game.info().id, name.as_str(), |row| {
            if shown.is_ok() {
                shown = show(row);
            }
        })?;
    }
    shown
}
