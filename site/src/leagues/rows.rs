//! Leagues in the store.

use std::collections::HashSet;

use flipside_tournament::Name;
use flipside_tournament::league::{League, MAX_SEASON};
use rusqlite::{Connection, Params, Row, params};

use super::season::{MAX_ENTRIES, MAX_LEAGUES, Season, SeasonState, SeasonTimes};
use crate::accounts::people::{AccountRow, Role};
use crate::bots::uploads::rows::owner;
use crate::shared::store::audit_log::note;
use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, first, name, one, rows, value};

const SEASON: &str =
    "SELECT league, number, deadline, starts_at, ends_at, state, divisions, why FROM seasons";

fn season(row: &Row<'_>) -> Result<Season, Error> {
    let (league, state): (String, String) = (row.get(0)?, row.get(5)?);
    let divisions: Option<String> = row.get(6)?;
    Ok(Season {
        league: name(&league)?,
        number: row.get(1)?,
        times: SeasonTimes {
            deadline: row.get(2)?,
            starts_at: row.get(3)?,
            ends_at: row.get(4)?,
        },
        state: state_of(&state)?,
        divisions: match divisions {
            None => Vec::new(),
            Some(json) => serde_json::from_str(&json)
                .map_err(|error| Error::Value(format!("divisions: {error}")))?,
        },
        why: row.get(7)?,
    })
}

fn state_of(text: &str) -> Result<SeasonState, Error> {
    use SeasonState::{Cancelled, Fixed, Open, Over, Playing};
    let all = [Open, Fixed, Playing, Over, Cancelled];
    let found = all.into_iter().find(|state| state.name() == text);
    found.ok_or_else(|| Error::Value(format!("season {text:?}")))
}

fn described(row: &Row<'_>) -> Result<League, Error> {
    let text: String = row.get(0)?;
    League::from_toml(&text).map_err(|error| Error::Value(format!("league: {error}")))
}

fn find(store: &Connection, name: &Name) -> Result<Option<League>, Error> {
    let query = "SELECT description FROM leagues WHERE name = ?";
    first(store, query, [name.as_str()], described)
}

/// Makes sure that there is a league of this name.
fn refuse_absent(store: &Connection, name: &Name) -> Result<(), Error> {
    let is_there = "SELECT EXISTS (SELECT 1 FROM leagues WHERE name = ?)";
    match one::<bool>(store, is_there, [name.as_str()])? {
        true => Ok(()),
        false => Err(Error::NoLeague(name.to_string())),
    }
}

fn seasons(store: &Connection, rest: &str, params: impl Params) -> Result<Vec<Season>, Error> {
    rows(store, &format!("{SEASON} {rest}"), params, season)
}

impl AccountStore {
    /// All leagues, by name.
    pub(crate) fn leagues(&self) -> Result<Vec<League>, Error> {
        let query = "SELECT description FROM leagues ORDER BY name";
        self.read(|store| rows(store, query, [], described))
    }

    /// The league of this name.
    pub(crate) fn league(&self, name: &Name) -> Result<Option<League>, Error> {
        self.read(|store| find(store, name))
    }

    /// Adds a league that this text describes.
    pub(super) fn add_league(
        &self,
        league: &League,
        text: &str,
        by: &str,
        now: u64,
    ) -> Result<(), Error> {
        self.change_shown(|store| {
            if one::<usize>(store, "SELECT count(*) FROM leagues", [])? >= MAX_LEAGUES {
                return Err(Error::TooMany("leagues", MAX_LEAGUES));
            }
            let added = store.execute(
                "INSERT INTO leagues (name, description, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                params![league.name.as_str(), text, now],
            )?;
            if added == 0 {
                return Err(Error::LeagueThere(league.name.to_string()));
            }
            note(store, now, by, &format!("makes the league {}", league.name))
        })
    }

    /// Enters a bot for the seasons of a league that are not fixed yet. It must be the account's, or the account an
    /// organiser's.
    pub(super) fn enter_league(
        &self,
        league: &Name,
        bot: &Name,
        by: &AccountRow,
        now: u64,
    ) -> Result<(), Error> {
        self.change_shown(|store| {
            refuse_others(store, bot, by)?;
            refuse_absent(store, league)?;
            let entered = "SELECT count(*) FROM league_entries WHERE league = ?";
            let entered: usize = one(store, entered, [league.as_str()])?;
            if entered >= MAX_ENTRIES {
                return Err(Error::TooMany("bots in this league", MAX_ENTRIES));
            }
            let added = store.execute(
                "INSERT INTO league_entries (league, bot, entered_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                params![league.as_str(), bot.as_str(), now],
            )?;
            let what = format!("enters {bot} for the league {league}");
            if added > 0 {
                note(store, now, &by.name, &what)?;
            }
            Ok(())
        })
    }

    /// Takes a bot out of the seasons of a league that are not fixed yet.
    pub(super) fn leave_league(
        &self,
        league: &Name,
        bot: &Name,
        by: &AccountRow,
        now: u64,
    ) -> Result<(), Error> {
        self.change_shown(|store| {
            refuse_others(store, bot, by)?;
            refuse_absent(store, league)?;
            let removed = store.execute(
                "DELETE FROM league_entries WHERE league = ? AND bot = ?",
                params![league.as_str(), bot.as_str()],
            )?;
            let what = format!("takes {bot} out of the league {league}");
            if removed > 0 {
                note(store, now, &by.name, &what)?;
            }
            Ok(())
        })
    }

    /// The names of the bots that were entered, in the order in which they were.
    pub(super) fn league_entries(&self, league: &Name) -> Result<Vec<String>, Error> {
        self.read(|store| entries(store, league, "", u64::MAX))
    }

    /// The same until this time, without the bots of disabled accounts.
    pub(super) fn entries_until(&self, league: &Name, until: u64) -> Result<Vec<String>, Error> {
        let rest =
            "AND NOT EXISTS (SELECT 1 FROM owners JOIN accounts ON accounts.id = owners.account
                    WHERE owners.folded = lower(bot) AND accounts.disabled_at IS NOT NULL)";
        self.read(|store| entries(store, league, rest, until))
    }

    /// Whether uploads that were received until this time have not been checked.
    pub(super) fn has_unchecked(&self, until: u64) -> Result<bool, Error> {
        let query = "SELECT EXISTS (SELECT 1 FROM uploads
                     WHERE state IN ('waiting', 'checking') AND created_at <= ?)";
        self.read(|store| one(store, query, [time(until)]))
    }

    /// The bots, with their versions, that were received by the site until this time and passed their check.
    pub(super) fn accepted_until(&self, until: u64) -> Result<HashSet<String>, Error> {
        let query = "SELECT bot FROM uploads WHERE bot IS NOT NULL AND created_at <= ?";
        self.read(|store| rows(store, query, [time(until)], value))
    }

    /// All seasons of a league, from the first.
    pub(crate) fn seasons(&self, league: &Name) -> Result<Vec<Season>, Error> {
        self.read(|store| seasons_of(store, league))
    }

    /// The seasons in which something is still to happen.
    pub(super) fn unfinished_seasons(&self) -> Result<Vec<Season>, Error> {
        let rest = "WHERE state IN ('open', 'fixed', 'playing') ORDER BY league, number";
        self.read(|store| seasons(store, rest, []))
    }

    /// Announces the next season of a league, and gives its number.
    pub(super) fn announce_season(
        &self,
        league: &Name,
        times: SeasonTimes,
        by: &str,
        now: u64,
    ) -> Result<u32, Error> {
        self.change_shown(|store| {
            refuse_absent(store, league)?;
            let before = seasons_of(store, league)?;
            if let Some(one) = before.iter().find(|one| !one.state.is_past()) {
                return Err(Error::SeasonIsOn(one.number));
            }
            let number = before.last().map_or(1, |last| last.number + 1);
            if number > MAX_SEASON {
                return Err(Error::TooMany("seasons", MAX_SEASON as usize));
            }
            store.execute(
                "INSERT INTO seasons (league, number, deadline, starts_at, ends_at, state)
                 VALUES (?, ?, ?, ?, ?, 'open')",
                params![
                    league.as_str(),
                    number,
                    times.deadline,
                    times.starts_at,
                    times.ends_at
                ],
            )?;
            let what = format!("announces season {number} of the league {league}");
            note(store, now, by, &what)?;
            Ok(number)
        })
    }

    /// Stores what went wrong in a season, unless it is past already.
    pub(super) fn say_of_season(&self, league: &Name, number: u32, why: &str) -> Result<(), Error> {
        self.change_shown(|store| {
            store.execute(
                "UPDATE seasons SET why = ?
                 WHERE league = ? AND number = ? AND state NOT IN ('over', 'cancelled')",
                params![why, league.as_str(), number],
            )?;
            Ok(())
        })
    }

    /// Stores how far a season is, unless it is past already.
    pub(super) fn put_season(&self, season: &Season) -> Result<(), Error> {
        let all = Some(&season.divisions).filter(|all| !all.is_empty());
        let divisions = all.map(serde_json::to_string).transpose();
        let divisions = divisions.map_err(|error| Error::Value(format!("divisions: {error}")))?;
        self.change_shown(|store| {
            store.execute(
                "UPDATE seasons SET state = ?, divisions = ?, why = ?
                 WHERE league = ? AND number = ? AND state NOT IN ('over', 'cancelled')",
                params![
                    season.state.name(),
                    divisions,
                    season.why,
                    season.league.as_str(),
                    season.number
                ],
            )?;
            Ok(())
        })
    }
}

fn seasons_of(store: &Connection, league: &Name) -> Result<Vec<Season>, Error> {
    seasons(store, "WHERE league = ? ORDER BY number", [league.as_str()])
}

/// A time as the database holds it.
fn time(at: u64) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}

fn entries(
    store: &Connection,
    league: &Name,
    rest: &str,
    until: u64,
) -> Result<Vec<String>, Error> {
    let query = format!(
        "SELECT bot FROM league_entries WHERE league = ? AND entered_at <= ? {rest} ORDER BY id"
    );
    rows(store, &query, params![league.as_str(), time(until)], value)
}

fn refuse_others(store: &Connection, bot: &Name, by: &AccountRow) -> Result<(), Error> {
    if by.role == Role::Organiser {
        return Ok(());
    }
    match owner(store, bot)? {
        Some(owner) if owner == by.id => Ok(()),
        Some(_) => Err(Error::NotYours(bot.to_string())),
        None => Err(Error::OfOrganisers(bot.to_string())),
    }
}
