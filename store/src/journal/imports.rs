//! Archives that were taken in: what they brought is told apart from what was played here.

use std::collections::{BTreeMap, HashMap};

use flipside_referee::PublicKey;
use flipside_tournament::change_rules::founders;
use flipside_tournament::{BotId, Changed, Import, Name, Tournament, TournamentId};
use rusqlite::{Connection, Row, params};

use super::bots::{KindText, by_id, next_version};
use super::changes::{add, requested};
use super::columns::bot_id;
use super::matches::land;
use super::tournaments::{all, begin, by_id_of_tournament};
use super::{Journal, Queries, reader};
use crate::archive::Entrant;
use crate::archive::check::CheckedArchive;
use crate::error::{Error, Result};
use crate::indices::Indices;
use crate::journal::matches::FinishedMatch;
use crate::journal::unix_ms;

/// Which archive, in this journal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImportId(i64);

impl Journal {
    /// Enters the tournament and the bots of an archive with this hash, as far as they are not here yet. `fits` may
    /// object to the matches of a tournament that are here, of this one or of the named other one that may have some of
    /// the archive's, and nothing has happened then.
    pub(crate) fn take_in(
        &mut self,
        archive: &CheckedArchive,
        hash: [u8; 32],
        names: &Names,
        fits: impl Fn(Option<&Name>, &KnownMatches) -> Result<()>,
    ) -> Result<(Tournament, ImportId)> {
        let (head, last, at) = (&archive.head, archive.last(), unix_ms());
        let name = names.tournament.as_ref().unwrap_or(&head.tournament);
        self.durably(|transaction| {
            if let Some(game) = &archive.game {
                super::games::import(transaction, game, at)?;
            }
            let mut bots = Vec::with_capacity(head.bots.len());
            for entrant in &head.bots {
                bots.push(enter(transaction, entrant, names.origin.as_ref(), at)?);
            }
            let founders = founders(&bots, &head.changes);
            let begun = begin(transaction, name, &head.settings, founders, head.created_at)?;
            let mut tournament = begun.tournament;
            for other in alike(transaction, &tournament)? {
                fits(Some(&other.name), &known(transaction, other.id)?)?;
            }
            let here = known(transaction, tournament.id)?;
            fits(None, &here)?;
            let reach = [here.keys().next_back().copied(), last];
            add_changes(transaction, &mut tournament, (&head.changes, &bots), reach)?;
            transaction.execute(
                "INSERT INTO imports (tournament, archive, name, flipside, last, at, signer)
                 VALUES (?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (tournament, archive) DO UPDATE SET last = excluded.last",
                params![
                    tournament.id.number(),
                    hash,
                    head.tournament.as_str(),
                    head.flipside,
                    last,
                    at,
                    archive.signer.as_ref().map(PublicKey::as_bytes)
                ],
            )?;
            let query = "SELECT id FROM imports WHERE tournament = ? AND archive = ?";
            let key = params![tournament.id.number(), hash];
            let import = transaction.one(query, key, |row| row.get(0).map(ImportId))?;
            Ok((tournament, import))
        })
    }

    /// Lands matches that came in an archive, all in one transaction.
    pub(crate) fn land_imported(&mut self, all: &[FinishedMatch], import: ImportId) -> Result<()> {
        self.immediately(|transaction| {
            let mut mark = transaction
                .prepare_cached("UPDATE matches SET import = ? WHERE tournament = ? AND idx = ?")?;
            for finished in all {
                let index = finished.scored.pairing.index;
                land(transaction, finished)?;
                mark.execute(params![import.0, finished.tournament.number(), index])?;
            }
            Ok(())
        })
    }

    /// Notes that all of an archive has been taken in.
    pub(crate) fn finish_import(&mut self, import: ImportId) -> Result<()> {
        self.write("UPDATE imports SET finished = 1 WHERE id = ?", [import.0])
    }

    /// Whether an archive was taken in for a tournament, whatever it brought.
    pub(crate) fn has_imports(&self, tournament: TournamentId) -> Result<bool> {
        let query = "SELECT 1 FROM imports WHERE tournament = ?";
        Ok(self.connection.has(query, [tournament.number()])?)
    }

    /// The indices of the matches of a tournament that were played in another arena.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn imported(&self, tournament: TournamentId) -> Result<Indices> {
        // Most tournaments have none, and their matches need not be read.
        if !self.has_imports(tournament)? {
            return Ok(Indices::default());
        }
        Ok(self.connection.all(
            "SELECT idx FROM matches WHERE tournament = ? AND import IS NOT NULL ORDER BY idx",
            [tournament.number()],
            |row| row.get(0),
        )?)
    }

    /// The archives that brought matches of a tournament, in the order in which they were taken in. One
    /// whose matches were here already brought none.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn imports(&self, tournament: TournamentId) -> Result<Vec<Import>> {
        let read = |row: &Row<'_>| {
            let import = Import {
                archive: hex::encode(row.get::<_, [u8; 32]>(1)?),
                name: row.get(2)?,
                flipside: row.get(3)?,
                signer: row.get::<_, Option<_>>(7)?.map(PublicKey::from_bytes),
                at: row.get(4)?,
                finished: row.get(5)?,
                matches: 0,
            };
            let last = row.get(6)?;
            Ok((row.get(0)?, last, import))
        };
        let mut all: Vec<(i64, Option<u64>, Import)> = self.connection.all(
            "SELECT id, archive, name, flipside, at, finished, last, signer FROM imports
             WHERE tournament = ? ORDER BY id",
            [tournament.number()],
            read,
        )?;
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let brought = brought(&self.connection, tournament)?;
        let whole = all.iter().filter(|(.., import)| import.finished);
        // None of an archive without matches is less than any.
        let reached = whole.map(|(_, last, _)| *last).max();
        for (id, last, import) in &mut all {
            import.matches = brought.get(&Some(*id)).map_or(0, |own| own.matches);
            let here = brought.get(&None);
            let went_on = here.is_some_and(|here| here.latest >= import.at);
            import.finished |= went_on || reached >= Some(*last);
        }
        let mut imports: Vec<Import> = all.into_iter().map(|(.., import)| import).collect();
        imports.retain(|import| import.matches > 0 || !import.finished);
        Ok(imports)
    }
}

/// Adds the changes of an archive that are not here yet. The last matches are those of the tournament here, and of the
/// archive.
fn add_changes(
    transaction: &Connection,
    tournament: &mut Tournament,
    (there, bots): (&[Changed], &[BotId]),
    [last_here, last_there]: [Option<u64>; 2],
) -> Result<()> {
    let here = &tournament.changes;
    let common = here.len().min(there.len());
    let refused = || Error::OtherChanges {
        tournament: tournament.name.to_string(),
    };
    // By the same changes other bots may have joined.
    let mut both = tournament.entrants.iter().zip(bots);
    if here[..common] != there[..common] || both.any(|(bot, id)| bot.id != *id) {
        return Err(refused());
    }
    // What was played on one side without a change of the other cannot be played with it.
    let played_without = |changes: &[Changed], last: Option<u64>| {
        let first = changes.iter().map(|changed| changed.index).min();
        first.is_some_and(|first| last.is_some_and(|last| last >= first))
    };
    let is_more_here = last_here > last_there;
    if (is_more_here && played_without(&there[common..], last_here))
        || (!is_more_here && played_without(&here[common..], last_there))
    {
        return Err(refused());
    }
    let new = &there[common..];
    if new.is_empty() {
        return Ok(());
    }
    if !requested(transaction, tournament.id)?.is_empty() {
        return Err(refused());
    }
    let joining = bots.get(tournament.entrants.len()..).unwrap_or_default();
    for (at, &id) in joining.iter().enumerate() {
        let bot = by_id(transaction, id)?;
        if joining[..at].contains(&id) || tournament.entrants.iter().any(|one| one.id == id) {
            return Err(Error::EnteredTwice { bot: bot.label() });
        }
    }
    add(transaction, tournament.id, (common, new), joining)?;
    *tournament = by_id_of_tournament(transaction, tournament.id)?;
    Ok(())
}

/// The matches of a tournament that are here, by index: the hash of each one's record, none of a match that was not
/// played, and when it began, in milliseconds since 1970.
pub(crate) type KnownMatches = BTreeMap<u64, (Option<[u8; 32]>, u64)>;

/// The tournaments that may have matches of this one under another name: a record is of one game, and its seed
/// is made from the tournament's. So no index of all hashes is needed.
fn alike(transaction: &Connection, tournament: &Tournament) -> Result<Vec<Tournament>> {
    let mut all = all(transaction)?;
    let settings = &tournament.settings;
    all.retain(|other| {
        let theirs = &other.settings;
        other.id != tournament.id && (&theirs.game, theirs.seed) == (&settings.game, settings.seed)
    });
    Ok(all)
}

/// The matches that came with one archive, or of none.
struct Brought {
    matches: u64,
    /// When the latest of them began, in milliseconds since 1970.
    latest: u64,
}

/// By archive, what it brought to a tournament; by none, what was played here.
fn brought(
    connection: &Connection,
    tournament: TournamentId,
) -> Result<HashMap<Option<i64>, Brought>> {
    let read = reader!(Brought: matches, latest);
    Ok(connection.all(
        "SELECT count(*), max(started_at), import FROM matches WHERE tournament = ?
         GROUP BY import",
        [tournament.number()],
        |row| Ok((row.get(2)?, read(row)?)),
    )?)
}

fn known(transaction: &Connection, tournament: TournamentId) -> Result<KnownMatches> {
    let read = |row: &Row<'_>| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)));
    Ok(transaction.all(
        "SELECT m.idx, r.sha256, m.started_at FROM matches m LEFT JOIN records r USING (tournament, idx)
         WHERE m.tournament = ?",
        [tournament.number()],
        read,
    )?)
}

/// The bot of this arena that an entrant is. A bot is known by its name and its file; one that is not known
/// here enters without its file, but never as a version of a bot whose files are here: those are somebody
/// else's.
fn enter(
    transaction: &Connection,
    entrant: &Entrant,
    origin: Option<&Name>,
    at: u64,
) -> Result<BotId> {
    let name: Name = match origin {
        None => entrant.name.clone(),
        Some(origin) => {
            let name = format!("{origin}.{}", entrant.name);
            name.parse().map_err(|_| Error::LongName { name })?
        }
    };
    let known = transaction.first(
        "SELECT id FROM bots WHERE name = ? AND sha256 = ? AND kind = ?
         ORDER BY version = ? DESC, version DESC LIMIT 1",
        params![
            name.as_str(),
            entrant.sha256,
            KindText(entrant.kind),
            entrant.version
        ],
        |row| bot_id(row, 0),
    )?;
    if let Some(known) = known {
        return Ok(known);
    }
    let versions: HashMap<u32, bool> = transaction.all(
        "SELECT version, file IS NULL AND deleted_at IS NULL FROM bots WHERE name = ? ORDER BY version",
        [name.as_str()],
        |row| row.try_into(),
    )?;
    if versions.values().any(|elsewhere| !elsewhere) {
        return Err(Error::OtherBot {
            name: name.to_string(),
        });
    }
    let version = if versions.contains_key(&entrant.version) {
        next_version(&name, versions.keys().copied().max().unwrap_or(0))?
    } else {
        entrant.version
    };
    transaction.execute(
        "INSERT INTO bots (name, version, kind, sha256, size, file, submitted_at)
         VALUES (?, ?, ?, ?, ?, NULL, ?)",
        params![
            name.as_str(),
            version,
            KindText(entrant.kind),
            entrant.sha256,
            entrant.size,
            at
        ],
    )?;
    let id = BotId::of_number(transaction.last_insert_rowid());
    Ok(by_id(transaction, id)?.id)
}

/// What things are to be called here.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The tournament; none: as there.
    pub tournament: Option<Name>,
    /// What is put before the names of the bots, with a dot.
    pub origin: Option<Name>,
}
