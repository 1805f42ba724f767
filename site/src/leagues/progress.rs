//! What happens in a season: who plays is fixed, the tournaments begin, they end.

use std::collections::HashMap;

use flipside_operations::{Failure, FailureKind, Result, cancel};
use flipside_store::{Arena, Journal, TournamentRow, TournamentState, table, tournament_row};
use flipside_tournament::league::{GameTable, League, LeagueRow, MIN_DIVISION, divide, totals};
use flipside_tournament::{Bot, BotRef, Change, Name};

use super::clock::{LeagueShared, Leagues};
use super::season::{LeagueEntrant, Season, SeasonState};
use crate::shared::threads::locked;
use crate::tournaments::host::state::{Priority, begun};

/// A division of a season with its total table.
pub(crate) struct DivisionTable {
    /// From 1.
    pub(crate) number: usize,
    /// By game, in the order of the league.
    pub(crate) games: Vec<GameOfSeason>,
    pub(crate) rows: Vec<LeagueRow>,
}

/// A game in a division.
pub(crate) struct GameOfSeason {
    pub(crate) game: String,
    pub(crate) tournament: Name,
    /// How far its tournament is; none: it has not begun, or fewer bots than a match needs play the game.
    pub(crate) row: Option<TournamentRow>,
    /// Whether it is still to begin.
    pub(crate) is_missing: bool,
}

/// A tournament of a season.
struct SeasonPart<'a> {
    name: Name,
    spec: flipside_tournament::TournamentSpec,
    game: &'a str,
    bots: usize,
    /// How many bots a match has.
    bots_of_match: u8,
}

/// The tournaments of a division, also those that nobody can play. `bots` are all of the arena; a bot whose file is
/// gone plays in none that has not begun.
fn parts<'a>(
    league: &'a League,
    season: &Season,
    division: usize,
    bots: &[Bot],
) -> Result<Vec<SeasonPart<'a>>> {
    let one = |game: &'a String| {
        let of_game = season.divisions[division].iter();
        let of_game = of_game.filter(|entrant| entrant.games.contains(game));
        let here = of_game.filter_map(|entrant| known(bots, entrant).filter(|bot| bot.is_here()));
        let labels: Vec<String> = here.map(Bot::label).collect();
        let bots = labels.len();
        let described = league.tournament(season.number, division + 1, game, labels);
        let (name, spec) =
            described.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint))?;
        Ok(SeasonPart {
            name,
            spec,
            game,
            bots,
            bots_of_match: league.bots_of_match(game),
        })
    };
    league.games.iter().map(one).collect()
}

/// The bot of an entrant, which may have another name by now.
fn known<'a>(bots: &'a [Bot], entrant: &LeagueEntrant) -> Option<&'a Bot> {
    bots.iter().find(|bot| bot.id == entrant.id)
}

impl SeasonPart<'_> {
    /// Whether enough bots play the game for a match.
    fn can_be_played(&self) -> bool {
        self.bots >= usize::from(self.bots_of_match).max(MIN_DIVISION)
    }
}

/// The total tables of a season, from the highest division; none before its divisions are fixed.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn tables(
    arena: &Arena,
    journal: &Journal,
    league: &League,
    season: &Season,
) -> Result<Vec<DivisionTable>> {
    let all = journal.bots()?;
    let one = |division: usize| {
        let (mut games, mut standings) = (Vec::new(), Vec::new());
        for part in parts(league, season, division, &all)? {
            let begun = begun(journal, &part.name)?;
            let (row, table) = match &begun {
                None => (None, None),
                Some(tournament) => (
                    Some(tournament_row(arena, journal, tournament)?),
                    Some(table(journal, tournament)?),
                ),
            };
            standings.push(table);
            games.push(GameOfSeason {
                game: part.game.to_owned(),
                is_missing: begun.is_none() && part.can_be_played(),
                tournament: part.name,
                row,
            });
        }
        let by_game = league.games.iter().zip(&standings);
        let by_game: Vec<GameTable<'_>> = by_game
            .map(|(game, standings)| GameTable {
                game,
                standings: standings.as_ref(),
            })
            .collect();
        let bots: Vec<String> = season.divisions[division]
            .iter()
            .map(|bot| known(&all, bot).map_or_else(|| bot.bot.clone(), Bot::label))
            .collect();
        Ok(DivisionTable {
            number: division + 1,
            games,
            rows: totals(&bots, &by_game),
        })
    };
    (0..season.divisions.len()).map(one).collect()
}

impl LeagueShared {
    /// Does what is due in a season.
    pub(super) fn advance(&self, season: Season, now: u64) -> Result<()> {
        let league = self.league(&season.league)?;
        let mut season = season;
        if season.state == SeasonState::Open && now >= season.times.deadline {
            if self.store.has_unchecked(season.times.deadline)? {
                // What was received in time plays, if it passes its check.
                return Ok(());
            }
            season = self.fix(&league, season)?;
        }
        if season.state == SeasonState::Fixed && now >= season.times.starts_at {
            season = Season {
                state: SeasonState::Playing,
                why: None,
                ..season
            };
            self.store.put_season(&season)?;
        }
        if season.state == SeasonState::Playing {
            let begun = match now < season.times.ends_at {
                true => self.begin(&league, &season),
                false => Ok(()),
            };
            self.end(&league, season, now)?;
            begun?;
        }
        Ok(())
    }

    /// Decides who plays where: of each bot that was entered in time, the newest version that was received in time.
    fn fix(&self, league: &League, season: Season) -> Result<Season> {
        let journal = self.arena.read_journal()?;
        let deadline = season.times.deadline;
        let uploads = self.store.accepted_until(deadline)?;
        let mut bots = journal.bots()?;
        bots.retain(|bot| {
            bot.is_here() && (bot.submitted_at <= deadline || uploads.contains(&bot.label()))
        });
        let mut entrants: Vec<LeagueEntrant> = Vec::new();
        for name in self.store.entries_until(&league.name, deadline)? {
            let Some(bot) = latest(&bots, &name) else {
                continue;
            };
            let plays = |game: &&String| bot.plays(game);
            let games: Vec<String> = league.games.iter().filter(plays).cloned().collect();
            let is_new = entrants.iter().all(|known| known.id != bot.id);
            if is_new && !games.is_empty() {
                entrants.push(LeagueEntrant {
                    bot: bot.label(),
                    id: bot.id,
                    games,
                });
            }
        }
        let fixed = match entrants.len() < MIN_DIVISION {
            true => Season {
                state: SeasonState::Cancelled,
                why: Some("fewer than two bots that can play were entered".into()),
                ..season
            },
            false => Season {
                state: SeasonState::Fixed,
                divisions: self.divided(&journal, league, &season, &bots, entrants)?,
                why: None,
                ..season
            },
        };
        self.store.put_season(&fixed)?;
        Ok(fixed)
    }

    fn divided(
        &self,
        journal: &Journal,
        league: &League,
        season: &Season,
        bots: &[Bot],
        entrants: Vec<LeagueEntrant>,
    ) -> Result<Vec<Vec<LeagueEntrant>>> {
        let before = self.store.seasons(&league.name)?.into_iter();
        let last = before
            .filter(|one| one.number < season.number && one.state == SeasonState::Over)
            .max_by_key(|one| one.number);
        let last = match &last {
            None => Vec::new(),
            Some(last) => tables(&self.arena, journal, league, last)?,
        };
        // Bots are the same in all versions, and under all names that they had.
        let current = |label: &str| -> Option<Name> {
            let bot: BotRef = label.parse().ok()?;
            Some(latest(bots, bot.name.as_str()).map_or(bot.name, |bot| bot.name.clone()))
        };
        let last: Vec<Vec<Name>> = last
            .iter()
            .map(|division| {
                let rows = division.rows.iter();
                rows.filter_map(|row| current(&row.bot)).collect()
            })
            .collect();
        let mut by_name: HashMap<Name, LeagueEntrant> = HashMap::new();
        let mut names = Vec::new();
        for entrant in entrants {
            if let Some(name) = current(&entrant.bot) {
                names.push(name.clone());
                by_name.insert(name, entrant);
            }
        }
        let divided = divide(&last, &names, league.divisions, league.places, league.moves);
        let mut take = |division: Vec<Name>| {
            let bots = division.iter().filter_map(|name| by_name.remove(name));
            bots.collect::<Vec<LeagueEntrant>>()
        };
        Ok(divided.into_iter().map(&mut take).collect())
    }

    /// Begins the tournaments of a season that have not begun. One that fails is tried again after a while.
    fn begin(&self, league: &League, season: &Season) -> Result<()> {
        let journal = self.arena.read_journal()?;
        let bots = journal.bots()?;
        let mut failed = Ok(());
        for division in 0..season.divisions.len() {
            for part in parts(league, season, division, &bots)? {
                if !part.can_be_played()
                    || begun(&journal, &part.name)?.is_some()
                    || locked(&self.put_off).has(&part.name)
                {
                    continue;
                }
                // The others begin nevertheless.
                if let Err(failure) = self
                    .host
                    .begin(&part.spec, Priority::Tournament, |_| Ok(()))
                {
                    failed = Err(Failure::new(format!("{}: {failure}", part.name)));
                    locked(&self.put_off).put(part.name);
                }
            }
        }
        failed
    }

    /// Ends a season whose tournaments are over. When its time is over, what is left of them is cancelled.
    fn end(&self, league: &League, season: Season, now: u64) -> Result<()> {
        if now >= season.times.ends_at {
            self.cancel_tournaments(league, &season, "the season has ended")?;
        }
        let journal = self.arena.read_journal()?;
        let tables = tables(&self.arena, &journal, league, &season)?;
        let mut games = tables.iter().flat_map(|division| &division.games);
        let is_past = now >= season.times.ends_at;
        if games.all(|game| match &game.row {
            Some(row) => row.state == TournamentState::Over,
            None => is_past || !game.is_missing,
        }) {
            self.store.put_season(&Season {
                state: SeasonState::Over,
                why: None,
                ..season
            })?;
        }
        Ok(())
    }

    fn cancel_tournaments(&self, league: &League, season: &Season, why: &str) -> Result<()> {
        let journal = self.arena.read_journal()?;
        let bots = journal.bots()?;
        let why = why
            .parse()
            .map_err(|error| Failure::usage(format!("the reason: {error}")))?;
        for division in 0..season.divisions.len() {
            for part in parts(league, season, division, &bots)? {
                let Some(tournament) = begun(&journal, &part.name)? else {
                    continue;
                };
                // Whoever plays it may not have noticed yet.
                let is_over =
                    |journal: &Journal| -> Result<bool> { Ok(table(journal, &tournament)?.over) };
                let requested = journal.requested_changes(tournament.id)?;
                let mut requested = requested.iter().map(|one| one.change);
                if is_over(&journal)? || requested.any(|change| change == Change::Cancel) {
                    continue;
                }
                let cancelled = cancel(self.arena.path(), part.name.as_str(), Some(&why));
                // Its last match may have ended meanwhile.
                if let Err(failure) = cancelled
                    && !is_over(&self.arena.read_journal()?)?
                {
                    return Err(failure);
                }
            }
        }
        Ok(())
    }
}

impl Leagues {
    /// Ends a season: its tournaments are cancelled, and it counts for nothing.
    ///
    /// # Errors
    /// When it is past already, or something cannot be read or written.
    pub(crate) fn cancel(&self, name: &Name, number: u32, why: &str) -> Result<()> {
        let shared = &self.shared;
        let league = shared.league(name)?;
        let _one = shared.acting();
        let Some(season) = shared.season(name, number)? else {
            let what = format!("{name} has no season {number}");
            return Err(Failure::of(FailureKind::Missing, what));
        };
        if season.state.is_past() {
            let what = format!("season {number} of {name} is {}", season.state.name());
            let failure = Failure::of(FailureKind::Conflict, what);
            return Err(failure.hint("only a season that is not past can be cancelled"));
        }
        shared.cancel_tournaments(&league, &season, why)?;
        shared.store.put_season(&Season {
            state: SeasonState::Cancelled,
            why: Some(why.to_owned()),
            ..season
        })?;
        Ok(())
    }
}

/// The newest version of a bot under this name; or, if no bot has it, under the name that it has now.
pub(crate) fn latest<'a>(bots: &'a [Bot], name: &str) -> Option<&'a Bot> {
    let newest = |is_it: &dyn Fn(&Bot) -> bool| {
        let all = bots.iter().filter(|bot| is_it(bot));
        all.max_by_key(|bot| bot.version)
    };
    newest(&|bot| bot.name.as_str() == name).or_else(|| {
        let had = |bot: &Bot| {
            bot.former_names
                .iter()
                .any(|former| former.as_str() == name)
        };
        newest(&had)
    })
}
