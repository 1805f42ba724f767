//! The tournaments in the journal.

use std::collections::HashSet;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, Params, Row, params};
use serde::Serialize;

use super::bots::{by_id, names, nearest};
use super::changes::{enter, settled};
use super::{Bot, BotId, Journal, Queries, TournamentId};
use crate::settings::entrants_difference;
use crate::{
    Change, Changed, Director, Error, Name, Result, RoundRobin, ScheduleError, Settings,
    TournamentSpec, changes,
};

/// How many tournaments are named where one is not found.
const MAX_LISTED: usize = 10;

/// A tournament, running or over.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tournament {
    /// Which, in this journal.
    pub id: TournamentId,
    /// Its name.
    pub name: Name,
    /// What it is fixed by.
    pub settings: Settings,
    /// When it was begun, in milliseconds since 1970.
    pub created_at: u64,
    /// Its bots, by number of entrant.
    pub entrants: Vec<Bot>,
    /// What was changed since it began, in the order of the requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Changed>,
}

/// A tournament that is to be played: from its beginning, or from where it was left.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The tournament.
    pub tournament: Tournament,
    /// Whether it is new.
    pub new: bool,
}

const COLUMNS: &str = "SELECT id, name, settings, created_at FROM tournaments";

impl Tournament {
    /// All its matches, where they do not depend on results.
    ///
    /// # Errors
    /// When the settings do not fit the number of bots, or the schedule depends on results, or on changes: rounds that were
    /// added are between the bots that are still there.
    pub fn schedule(&self) -> Result<RoundRobin, ScheduleError> {
        let is_longer = |changed: &Changed| matches!(changed.change, Change::Rounds { .. });
        if self.changes.iter().any(is_longer) || self.founders().len() < self.entrants.len() {
            return Err(ScheduleError::NotFixed {
                format: self.settings.format.rules().in_words(),
            });
        }
        self.settings.schedule(self.entrants.len())
    }

    /// Who says what is played, before the first match: it is told of the changes when they act.
    ///
    /// # Errors
    /// When the settings do not fit the number of bots, or the changes do not fit the settings.
    pub fn director(&self) -> Result<Box<dyn Director>, ScheduleError> {
        let changes = self.changes.iter().map(|changed| &changed.change);
        let bots = self.founders().len();
        changes::check(&self.settings, bots, changes)?;
        self.settings.director(bots)
    }

    /// The bots that it began with: the first of its entrants.
    pub fn founders(&self) -> &[Bot] {
        changes::founders(&self.entrants, &self.changes)
    }

    /// Whether this entrant has been withdrawn or disqualified.
    pub fn has_left(&self, entrant: usize) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|changed| changed.change.leaves() == Some(entrant))
    }

    /// Whether somebody has ended it.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled_at().is_some()
    }

    /// The index of the first match that does not count, if somebody has ended it.
    pub(crate) fn cancelled_at(&self) -> Option<u64> {
        let mut changes = self.changes.iter();
        let cancel = changes.find(|changed| changed.change == Change::Cancel);
        cancel.map(|changed| changed.index)
    }

    /// Whether it goes on with these settings and with bots of these labels, `greedy@2`: those that it began with.
    ///
    /// # Errors
    /// [`Error::OtherSettings`] when it began with others.
    pub fn goes_on_with(&self, settings: &Settings, labels: &[String]) -> Result<()> {
        let mut differences = self.settings.difference(settings);
        let may_change = |name: &str| TournamentSpec::key(name).is_some_and(|key| key.may_change);
        differences.retain(|difference| !may_change(&difference.what));
        differences.extend(entrants_difference(&labels_of(self.founders()), labels));
        if differences.is_empty() {
            Ok(())
        } else {
            Err(Error::OtherSettings {
                name: self.name.to_string(),
                differences,
            })
        }
    }
}

fn labels_of(bots: &[Bot]) -> Vec<String> {
    bots.iter().map(Bot::label).collect()
}

impl Journal {
    /// Begins a tournament, or goes on with the one of that name, and stores those of its settings that may change.
    ///
    /// # Errors
    /// When the tournament of that name has other settings or bots, or they give no schedule; when a new one has no
    /// salt.
    pub fn begin(
        &mut self,
        name: &Name,
        settings: &Settings,
        entrants: &[BotId],
        at: u64,
    ) -> Result<Begun> {
        settings.director(entrants.len())?;
        self.durably(|transaction| {
            let mut begun = begin(transaction, name, settings, entrants, at)?;
            if begun.new && !settings.salt.is_set() {
                return Err(Error::NoSalt);
            }
            if begun.tournament.settings != *settings {
                // It resumes, and what differs may change.
                transaction.execute(
                    "UPDATE tournaments SET settings = ? WHERE id = ?",
                    params![as_json(settings), begun.tournament.id],
                )?;
                begun.tournament.settings = settings.clone();
            }
            Ok(begun)
        })
    }

    /// All tournaments, in order of creation.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn tournaments(&self) -> Result<Vec<Tournament>> {
        all(&self.connection)
    }

    /// The tournament of a name.
    ///
    /// # Errors
    /// When there is none; a name that is nearly it is named.
    pub fn tournament(&self, name: &str) -> Result<Tournament> {
        if let Some(found) = by_name(&self.connection, name)? {
            return Ok(found);
        }
        let names = names(
            &self.connection,
            "SELECT name FROM tournaments ORDER BY id DESC",
        )?;
        Err(Error::NoSuchTournament {
            name: name.into(),
            latest: names.iter().take(MAX_LISTED).cloned().collect(),
            nearest: nearest(name, names),
        })
    }

    /// The tournament with this id.
    pub(crate) fn tournament_by_id(&self, id: TournamentId) -> Result<Tournament> {
        by_id_of_tournament(&self.connection, id)
    }

    /// The tournament that was begun last.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn latest_tournament(&self) -> Result<Option<Tournament>> {
        found(
            &self.connection,
            &format!("{COLUMNS} ORDER BY id DESC LIMIT 1"),
            [],
        )
    }
}

/// All tournaments, in order of creation.
pub(super) fn all(connection: &Connection) -> Result<Vec<Tournament>> {
    let all: Vec<Tournament> = connection.all(&format!("{COLUMNS} ORDER BY id"), [], read)?;
    all.into_iter()
        .map(|tournament| with_entrants(connection, tournament))
        .collect()
}

/// Begins a tournament inside a transaction.
pub(super) fn begin(
    transaction: &Connection,
    name: &Name,
    settings: &Settings,
    entrants: &[BotId],
    at: u64,
) -> Result<Begun> {
    let bots = entrants.iter().map(|&id| by_id(transaction, id));
    let bots: Vec<Bot> = bots.collect::<Result<_>>()?;
    if let Some(tournament) = by_name(transaction, name.as_str())? {
        tournament.goes_on_with(settings, &labels_of(&bots))?;
        let new = false;
        return Ok(Begun { tournament, new });
    }
    let mut seen = HashSet::new();
    if let Some(twice) = bots.iter().find(|bot| !seen.insert(bot.id)) {
        return Err(Error::EnteredTwice { bot: twice.label() });
    }
    transaction.execute(
        "INSERT INTO tournaments (name, settings, created_at) VALUES (?, ?, ?)",
        params![name.as_str(), as_json(settings), at],
    )?;
    let id = TournamentId(transaction.last_insert_rowid());
    for (number, &bot) in entrants.iter().enumerate() {
        enter(transaction, id, number, bot)?;
    }
    let tournament = Tournament {
        id,
        name: name.clone(),
        settings: settings.clone(),
        created_at: at,
        entrants: bots,
        changes: Vec::new(),
    };
    let new = true;
    Ok(Begun { tournament, new })
}

pub(super) fn as_json(settings: &Settings) -> String {
    serde_json::to_string(settings).expect("settings are always JSON")
}

fn by_name(connection: &Connection, name: &str) -> Result<Option<Tournament>> {
    let query = format!("{COLUMNS} WHERE name = ?");
    found(connection, &query, [name])
}

pub(super) fn by_id_of_tournament(connection: &Connection, id: TournamentId) -> Result<Tournament> {
    let found = found(connection, &format!("{COLUMNS} WHERE id = ?"), [id])?;
    found.ok_or_else(|| Error::Damaged("a tournament is missing".into()))
}

/// The first tournament that a query finds.
fn found(connection: &Connection, query: &str, values: impl Params) -> Result<Option<Tournament>> {
    let tournament = connection.first(query, values, read)?;
    let whole = tournament.map(|tournament| with_entrants(connection, tournament));
    whole.transpose()
}

/// The tournament of a row, still without its entrants.
fn read(row: &Row<'_>) -> rusqlite::Result<Tournament> {
    Ok(Tournament {
        id: row.get(0)?,
        name: row.get(1)?,
        settings: row.get(2)?,
        created_at: row.get(3)?,
        entrants: Vec::new(),
        changes: Vec::new(),
    })
}

fn with_entrants(connection: &Connection, mut tournament: Tournament) -> Result<Tournament> {
    let ids: Vec<BotId> = connection.all(
        "SELECT bot FROM entrants WHERE tournament = ? ORDER BY number",
        [tournament.id],
        |row| row.get(0),
    )?;
    let entrants = ids.into_iter().map(|id| by_id(connection, id));
    tournament.entrants = entrants.collect::<Result<_>>()?;
    tournament.changes = settled(connection, tournament.id)?;
    Ok(tournament)
}

impl FromSql for Settings {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map_err(FromSqlError::other)
    }
}
