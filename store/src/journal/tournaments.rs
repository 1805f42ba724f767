//! The tournaments in the journal.

use std::collections::{HashMap, HashSet};

use flipside_tournament::{
    Bot, BotId, Changed, Name, REQUEST_PREFIX, Settings, Tournament, TournamentId,
};
use rusqlite::{Connection, Params, Row, ToSql, params, params_from_iter};

use super::bots::{by_id, names, nearest};
use super::{Journal, Queries};
use crate::error::{Error, Result};
use crate::journal::columns::{Json, Parsed, as_json, bot_id, tournament_id};

/// How many tournaments are named where one is not found.
const MAX_LISTED: usize = 10;

/// Among how many tournaments a name that is nearly it is looked for, the latest.
const MAX_COMPARED: usize = 1_000;

/// A tournament that is to be played: from its beginning, or from where it was left.
#[derive(Clone, Debug)]
pub struct OpenedTournament {
    /// The tournament.
    pub tournament: Tournament,
    /// Whether it is new.
    pub new: bool,
}

/// Which tournaments a list has. The latest come first.
#[derive(Clone, Debug, Default)]
pub struct TournamentFilter {
    /// Only those of this game.
    pub game: Option<String>,
    /// Only requested matches (true), or all but these (false).
    pub requests: Option<bool>,
    /// Only what this account has requested.
    pub requested_by: Option<i64>,
    /// Only those that this bot was entered in.
    pub bot: Option<BotId>,
    /// Only those that have this text in their name, game or format, in whatever case.
    pub text: Option<String>,
    /// Only those before this one in the order of creation.
    pub before: Option<TournamentId>,
    /// By what they are sorted.
    pub order: TournamentOrder,
    /// How many of the list are left out, the first.
    pub skip: usize,
}

/// The order of a list of tournaments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TournamentOrder {
    /// By what.
    pub by: TournamentKey,
    /// Whether the lowest come first.
    pub ascending: bool,
}

/// What a list of tournaments is sorted by: what is stored of each, so that a page of the list costs what it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TournamentKey {
    /// When they were begun.
    #[default]
    Begun,
    /// By name.
    Name,
    /// By game.
    Game,
    /// By format.
    Format,
}

impl TournamentKey {
    fn column(self) -> &'static str {
        match self {
            TournamentKey::Begun => "id",
            TournamentKey::Name => "name",
            TournamentKey::Game => "game",
            TournamentKey::Format => "settings ->> 'format'",
        }
    }
}

impl TournamentFilter {
    /// The conditions, and their values.
    fn conditions(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let (mut all, mut values) = (String::from(" WHERE TRUE"), Vec::<Box<dyn ToSql>>::new());
        let mut add = |condition: &str, value: Box<dyn ToSql>| {
            all += " AND ";
            all += condition;
            values.push(value);
        };
        if let Some(game) = &self.game {
            add("game = ?", Box::new(game.clone()));
        }
        if let Some(requests) = self.requests {
            add("request = ?", Box::new(requests));
        }
        if let Some(account) = self.requested_by {
            // All names that begin so, by the index of names.
            add(
                "request AND name > ?",
                Box::new(format!("{REQUEST_PREFIX}{account}-")),
            );
            add("name < ?", Box::new(format!("{REQUEST_PREFIX}{account}.")));
        }
        if let Some(bot) = self.bot {
            add(
                "id IN (SELECT tournament FROM entrants WHERE bot = ?)",
                Box::new(bot.number()),
            );
        }
        if let Some(text) = &self.text {
            let has =
                "instr(lower(name || ' ' || game || ' ' || (settings ->> 'format')), lower(?))";
            add(has, Box::new(text.clone()));
        }
        if let Some(before) = self.before {
            add("id < ?", Box::new(before.number()));
        }
        (all, values)
    }

    /// The query for at most so many, and its values.
    pub(super) fn query(&self, limit: usize) -> (String, Vec<Box<dyn ToSql>>) {
        let (conditions, mut values) = self.conditions();
        let TournamentOrder { by, ascending } = self.order;
        let direction = if ascending { "ASC" } else { "DESC" };
        let column = by.column();
        let query = format!(
            "{COLUMNS}{conditions} ORDER BY {column} {direction}, id {direction} LIMIT ? OFFSET ?"
        );
        values.extend([limit, self.skip].map(|number| Box::new(number as i64) as Box<dyn ToSql>));
        (query, values)
    }
}

const COLUMNS: &str = "SELECT id, name, settings, created_at FROM tournaments";

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
    ) -> Result<OpenedTournament> {
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
                    params![as_json(settings), begun.tournament.id.number()],
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

    /// A list of tournaments, of at most so many.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn listed_tournaments(
        &self,
        of: &TournamentFilter,
        limit: usize,
    ) -> Result<Vec<Tournament>> {
        let (query, values) = of.query(limit);
        found_all(&self.connection, &query, params_from_iter(values))
    }

    /// How many tournaments a list has in all.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn count_tournaments(&self, of: &TournamentFilter) -> Result<usize> {
        let (conditions, values) = of.conditions();
        let query = format!("SELECT count(*) FROM tournaments{conditions}");
        let count: u64 =
            (self.connection).one(&query, params_from_iter(values), |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The tournaments at a game that its ratings include, in order of creation.
    pub(crate) fn rated_tournaments(&self, game: &str) -> Result<Vec<Tournament>> {
        let query = format!("{COLUMNS} WHERE game = ? AND unrated = 0 ORDER BY id");
        found_all(&self.connection, &query, [game])
    }

    /// The tournaments that a bot was entered in or is to join, in order of creation.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn needing(&self, bot: BotId) -> Result<Vec<Tournament>> {
        let query = format!(
            "{COLUMNS} WHERE id IN (SELECT tournament FROM entrants WHERE bot = ?1)
             OR id IN (SELECT tournament FROM changes WHERE idx IS NULL AND bot = ?1) ORDER BY id"
        );
        found_all(&self.connection, &query, [bot.number()])
    }

    /// How many matches have a result, by game.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn matches_by_game(&self) -> Result<HashMap<String, u64>> {
        let query =
            "SELECT t.game, count(*) FROM tournaments t JOIN matches m ON m.tournament = t.id
             GROUP BY t.game";
        Ok((self.connection).all(query, [], |row| row.try_into())?)
    }

    /// The tournament of a name, if there is one.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn find_tournament(&self, name: &str) -> Result<Option<Tournament>> {
        by_name(&self.connection, name)
    }

    /// The tournament of a name.
    ///
    /// # Errors
    /// When there is none; a name that is nearly it is named.
    pub fn tournament(&self, name: &str) -> Result<Tournament> {
        if let Some(found) = self.find_tournament(name)? {
            return Ok(found);
        }
        let names = names(
            &self.connection,
            &format!("SELECT name FROM tournaments ORDER BY id DESC LIMIT {MAX_COMPARED}"),
        )?;
        Err(Error::NoSuchTournament {
            name: name.into(),
            latest: names.iter().take(MAX_LISTED).cloned().collect(),
            nearest: nearest(name, names),
        })
    }

    /// The tournament with this id.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn tournament_by_id(&self, id: TournamentId) -> Result<Tournament> {
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

impl Journal {
    /// Deletes matches that somebody has requested, with all that is kept of them. No rating depends on them.
    ///
    /// # Errors
    /// When there is no such tournament, or it is no request.
    pub fn delete_request(&mut self, name: &Name) -> Result<TournamentId> {
        let tournament = self.tournament(name.as_str())?;
        if tournament.requested_by().is_none() {
            return Err(Error::NotARequest {
                tournament: name.to_string(),
            });
        }
        self.durably(|transaction| {
            for table in PARTS {
                let command = format!("DELETE FROM {table} WHERE tournament = ?");
                transaction.execute(&command, [tournament.id.number()])?;
            }
            transaction.execute(
                "DELETE FROM tournaments WHERE id = ?",
                [tournament.id.number()],
            )?;
            Ok(tournament.id)
        })
    }
}

/// Whether a tournament goes on with these settings and with bots of these labels, `greedy@2`: those that it began with.
///
/// # Errors
/// [`Error::OtherSettings`] when it began with others.
pub fn check_settings(
    tournament: &Tournament,
    settings: &Settings,
    labels: &[String],
) -> Result<()> {
    let differences = tournament.differences(settings, labels);
    if differences.is_empty() {
        Ok(())
    } else {
        Err(Error::OtherSettings {
            name: tournament.name.to_string(),
            differences,
        })
    }
}

/// The tables with rows of tournaments, those that refer to others first.
pub(super) const PARTS: [&str; 13] = [
    "evidence",
    "records",
    "match_seats",
    "matches",
    "notes",
    "voids",
    "pauses",
    "audits",
    "withdrawn",
    "imports",
    "runs",
    "changes",
    "entrants",
];

/// All tournaments, in order of creation.
pub(super) fn all(connection: &Connection) -> Result<Vec<Tournament>> {
    found_all(connection, &format!("{COLUMNS} ORDER BY id"), [])
}

/// All tournaments that a query finds.
fn found_all(connection: &Connection, query: &str, values: impl Params) -> Result<Vec<Tournament>> {
    let all: Vec<Tournament> = connection.all(query, values, read)?;
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
) -> Result<OpenedTournament> {
    let bots = entrants.iter().map(|&id| by_id(transaction, id));
    let bots: Vec<Bot> = bots.collect::<Result<_>>()?;
    if let Some(tournament) = by_name(transaction, name.as_str())? {
        let labels: Vec<String> = bots.iter().map(Bot::label).collect();
        check_settings(&tournament, settings, &labels)?;
        let new = false;
        return Ok(OpenedTournament { tournament, new });
    }
    let mut seen = HashSet::new();
    if let Some(twice) = bots.iter().find(|bot| !seen.insert(bot.id)) {
        return Err(Error::EnteredTwice { bot: twice.label() });
    }
    transaction.execute(
        "INSERT INTO tournaments (name, settings, created_at) VALUES (?, ?, ?)",
        params![name.as_str(), as_json(settings), at],
    )?;
    let id = TournamentId::of_number(transaction.last_insert_rowid());
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
    Ok(OpenedTournament { tournament, new })
}

fn by_name(connection: &Connection, name: &str) -> Result<Option<Tournament>> {
    let query = format!("{COLUMNS} WHERE name = ?");
    found(connection, &query, [name])
}

pub(super) fn by_id_of_tournament(connection: &Connection, id: TournamentId) -> Result<Tournament> {
    let found = found(
        connection,
        &format!("{COLUMNS} WHERE id = ?"),
        [id.number()],
    )?;
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
        id: tournament_id(row, 0)?,
        name: row.get::<_, Parsed<_>>(1)?.0,
        settings: row.get::<_, Json<_>>(2)?.0,
        created_at: row.get(3)?,
        entrants: Vec::new(),
        changes: Vec::new(),
    })
}

fn with_entrants(connection: &Connection, mut tournament: Tournament) -> Result<Tournament> {
    let ids: Vec<BotId> = connection.all(
        "SELECT bot FROM entrants WHERE tournament = ? ORDER BY number",
        [tournament.id.number()],
        |row| bot_id(row, 0),
    )?;
    let entrants = ids.into_iter().map(|id| by_id(connection, id));
    tournament.entrants = entrants.collect::<Result<_>>()?;
    tournament.changes = settled(connection, tournament.id)?;
    Ok(tournament)
}

/// A bot is an entrant from now on.
pub(super) fn enter(
    transaction: &Connection,
    tournament: TournamentId,
    entrant: usize,
    bot: BotId,
) -> Result<()> {
    transaction.execute(
        "INSERT INTO entrants (tournament, number, bot) VALUES (?, ?, ?)",
        params![tournament.number(), entrant as u64, bot.number()],
    )?;
    Ok(())
}

/// The changes of a tournament that are settled, in order.
pub(super) fn settled(connection: &Connection, tournament: TournamentId) -> Result<Vec<Changed>> {
    let read = |row: &Row<'_>| {
        Ok(Changed {
            index: row.get(0)?,
            change: row.get::<_, Json<_>>(1)?.0,
            reason: row.get::<_, Option<Parsed<_>>>(2)?.map(|reason| reason.0),
            at: row.get(3)?,
        })
    };
    Ok(connection.all(
        "SELECT idx, change, reason, at FROM changes
         WHERE tournament = ? AND idx IS NOT NULL ORDER BY number",
        [tournament.number()],
        read,
    )?)
}
