//! Workers on other machines in the journal: which of them played a match, which matches were played again to see
//! whether they tell the truth, and which workers are banned because they did not.

use flipside_tournament::{ScheduleCursor, Tournament, TournamentId};
use rusqlite::{Row, params};
use serde::Serialize;

use super::{Journal, Queries, reader};
use crate::error::Result;
use crate::journal::played_by::OF_A_MATCH;
use crate::journal::unix_ms;

/// A match whose modules were played again, to see whether its worker tells the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The match, by its index.
    pub index: u64,
    /// Who played it.
    pub worker: String,
    /// Who played it again; empty: the arena.
    pub auditor: String,
    /// What differs, if something does.
    pub difference: Option<String>,
    /// The SHA-256 of the record that was audited.
    pub record: [u8; 32],
    /// Whether it proves that the whole record is true: the arena itself has played it, and nothing but modules plays
    /// in it, on clocks that count fuel.
    pub proves: bool,
}

/// A worker of which nothing counts any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BannedWorker {
    /// The worker.
    pub worker: String,
    /// What it returned that is not true.
    pub reason: String,
    /// When it was banned, in milliseconds since 1970.
    pub at: u64,
}

/// What a worker has done for a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WorkerTrail {
    /// The worker; empty: the arena itself, or somebody whom an archive does not tell.
    pub worker: String,
    /// The classes of its machine, in order.
    pub classes: Vec<String>,
    /// Its matches that count.
    pub matches: u64,
    /// Of its matches, how many were played again, and were the same.
    pub proven: u64,
    /// Of its matches, how many were played again, and were not.
    pub untrue: u64,
    /// How many of its results were withdrawn.
    pub withdrawn: u64,
    /// How many matches of others it played again.
    pub audits: u64,
    /// Why nothing of it counts any more, if that is so.
    pub banned: Option<String>,
}

/// Which results do not count: those of workers that are banned, unless an audit has proven this very record.
const UNTRUSTED: &str = "SELECT m.idx, w.name FROM matches m JOIN workers w ON w.id = m.worker
    WHERE m.tournament = ?1 AND w.name IN (SELECT worker FROM banned_workers)
      AND NOT EXISTS (
        SELECT 1 FROM audits a JOIN records r ON r.tournament = ?1 AND r.idx = m.idx
        WHERE a.tournament = ?1 AND a.idx = m.idx AND a.proves AND a.record = r.sha256)
    ORDER BY m.idx";

impl Journal {
    /// Bans a worker from this arena, and says why.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn ban(&mut self, worker: &str, reason: &str) -> Result<()> {
        self.write(
            "INSERT OR IGNORE INTO banned_workers (worker, reason, at) VALUES (?, ?, ?)",
            params![worker, reason, unix_ms()],
        )
    }

    /// Lets a worker in again. Says whether it was banned.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn readmit(&mut self, worker: &str) -> Result<bool> {
        self.durably(|transaction| {
            let delete = "DELETE FROM banned_workers WHERE worker = ?";
            Ok(transaction.run(delete, [worker])? > 0)
        })
    }

    /// The workers that are banned, by name.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn banned_workers(&self) -> Result<Vec<BannedWorker>> {
        let read = reader!(BannedWorker: worker, reason, at);
        let query = "SELECT worker, reason, at FROM banned_workers ORDER BY worker";
        Ok(self.connection.all(query, [], read)?)
    }

    /// Notes that a match was played again.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn note_audit(&mut self, tournament: TournamentId, audit: &Audit) -> Result<()> {
        let Audit {
            index,
            worker,
            auditor,
            difference,
            record,
            proves,
        } = audit;
        self.write(
            "INSERT INTO audits (tournament, idx, worker, auditor, difference, record, proves, at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                tournament.number(),
                index,
                worker,
                auditor,
                difference,
                record,
                proves,
                unix_ms()
            ],
        )
    }

    /// How many results of a tournament do not count because of who returned them, and are still there.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn untrusted(&self, tournament: TournamentId) -> Result<u64> {
        if !self.is_anybody_banned()? {
            return Ok(0);
        }
        let count = format!("SELECT count(*) FROM ({UNTRUSTED})");
        Ok((self.connection).one(&count, [tournament.number()], |row| row.get(0))?)
    }

    fn is_anybody_banned(&self) -> Result<bool> {
        Ok(self.connection.has("SELECT 1 FROM banned_workers", [])?)
    }

    /// Takes the results out of a tournament that do not count because of who returned them, and gives them: the index
    /// of each and its worker. They are noted, and are to be played again. So are the matches after the first of them
    /// that the tournament's format names by its result.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn withdraw(&mut self, tournament: &Tournament) -> Result<Vec<(u64, String)>> {
        // Most tournaments have none, and their matches need not be read.
        if !self.is_anybody_banned()? {
            return Ok(Vec::new());
        }
        let id = tournament.id;
        let withdrawn: Vec<(u64, String)> =
            (self.connection).all(UNTRUSTED, [id.number()], |row| row.try_into())?;
        let Some((first, _)) = withdrawn.first() else {
            return Ok(withdrawn);
        };
        let first = *first;
        self.together(|journal| {
            let transaction = &journal.connection;
            for (index, worker) in &withdrawn {
                for table in OF_A_MATCH {
                    let delete = format!("DELETE FROM {table} WHERE tournament = ? AND idx = ?");
                    transaction.run(&delete, params![id.number(), index])?;
                }
                transaction.run(
                    "INSERT INTO withdrawn (tournament, idx, worker, at) VALUES (?, ?, ?, ?)",
                    params![id.number(), index, worker, unix_ms()],
                )?;
            }
            // Whoever is paused after it is found anew.
            let pauses = "DELETE FROM pauses WHERE tournament = ? AND idx >= ?";
            transaction.run(pauses, params![id.number(), first])?;
            if let Some(unnamed) = journal.first_unnamed(tournament)? {
                journal.forget_from(id, unnamed)?;
            }
            Ok(())
        })?;
        Ok(withdrawn)
    }

    /// The index of the first match in the journal that the format cannot name as long as an earlier result is missing.
    fn first_unnamed(&self, tournament: &Tournament) -> Result<Option<u64>> {
        let last = "SELECT max(idx) FROM matches WHERE tournament = ?";
        let last = (self.connection)
            .one::<Option<u64>>(last, [tournament.id.number()], |row| row.get(0))?;
        let Some(last) = last else {
            return Ok(None);
        };
        let mut director = tournament.director()?;
        let mut cursor = ScheduleCursor::new(tournament, &mut *director);
        let mut next = self
            .up_to_now(&mut cursor)?
            .map(|(pairing, _)| pairing.index);
        let mut unnamed = 0;
        while let Some(index) = next {
            if index >= last {
                return Ok(None);
            }
            unnamed = index + 1;
            next = cursor.named().map(|(pairing, _)| pairing.index);
        }
        Ok(Some(unnamed))
    }

    /// How many matches of a tournament were played on machines of each class, by class; where a clock counted time. Of
    /// those that an arena has played, nobody knows the class: it is empty, and they are counted if there are others.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn classes(&self, tournament: TournamentId) -> Result<Vec<(String, u64)>> {
        let all: Vec<(Option<String>, u64)> = self.connection.all(
            "SELECT w.class, count(*) FROM matches m LEFT JOIN workers w ON w.id = m.worker
             WHERE m.tournament = ? AND m.reason <> ? AND w.class IS NOT '' GROUP BY w.class ORDER BY w.class",
            params![tournament.number(), flipside_tournament::FORFEIT],
            |row| row.try_into(),
        )?;
        let is_known = all.iter().any(|(class, _)| class.is_some());
        let all = all.into_iter().filter(|_| is_known);
        Ok(all
            .map(|(class, matches)| (class.unwrap_or_default(), matches))
            .collect())
    }

    /// What each worker has done for a tournament, by name. The arena itself comes first, without a name.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn worker_trails(&self, tournament: TournamentId) -> Result<Vec<WorkerTrail>> {
        let query = "WITH played AS (
                 SELECT coalesce(w.name, '') AS name, w.class AS class, count(*) AS matches
                 FROM matches m LEFT JOIN workers w ON w.id = m.worker
                 WHERE m.tournament = ?1 AND m.reason <> ?2 GROUP BY m.worker),
             classes AS (
                 SELECT name, sum(matches) AS matches,
                     group_concat(class, ' ' ORDER BY class) FILTER (WHERE class <> '') AS classes
                 FROM played GROUP BY name),
             judged AS (
                 SELECT worker AS name, count(DISTINCT idx) FILTER (WHERE difference IS NULL) AS proven,
                     count(DISTINCT idx) FILTER (WHERE difference IS NOT NULL) AS untrue
                 FROM audits WHERE tournament = ?1 GROUP BY worker),
             judges AS (
                 SELECT auditor AS name, count(DISTINCT idx) AS matches
                 FROM audits WHERE tournament = ?1 GROUP BY auditor),
             gone AS (
                 SELECT worker AS name, count(*) AS matches FROM withdrawn WHERE tournament = ?1 GROUP BY worker),
             known AS (
                 SELECT name FROM classes UNION SELECT name FROM judged UNION SELECT name FROM judges
                 UNION SELECT name FROM gone UNION SELECT worker FROM banned_workers)
             SELECT k.name, c.classes, coalesce(c.matches, 0), coalesce(d.proven, 0), coalesce(d.untrue, 0),
                 coalesce(g.matches, 0), coalesce(j.matches, 0), s.reason
             FROM known k LEFT JOIN classes c USING (name) LEFT JOIN judged d USING (name)
                 LEFT JOIN gone g USING (name) LEFT JOIN judges j USING (name)
                 LEFT JOIN banned_workers s ON s.worker = k.name
             ORDER BY k.name";
        let read = |row: &Row<'_>| {
            let classes: Option<String> = row.get(1)?;
            Ok(WorkerTrail {
                worker: row.get(0)?,
                classes: classes
                    .unwrap_or_default()
                    .split_whitespace()
                    .map(String::from)
                    .collect(),
                matches: row.get(2)?,
                proven: row.get(3)?,
                untrue: row.get(4)?,
                withdrawn: row.get(5)?,
                audits: row.get(6)?,
                banned: row.get(7)?,
            })
        };
        let values = params![tournament.number(), flipside_tournament::FORFEIT];
        Ok(self.connection.all(query, values, read)?)
    }
}
