//! Writing an archive.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;

use flipside_referee::{PublicKey, SecretKey};
use flipside_tournament::{GameVersion, PolicyDecision, ScheduleCursor, Tournament};
use tar::Builder;

use super::check::due;
use super::seal::sealed;
use super::{
    ArchiveFiles, ArchiveHeader, ArchivedGame, BATCH, BATCH_BYTES, Entrant, FORMAT, MAX_VOIDS,
    ResultLine,
};
use crate::container::{append, first_text, of_text, packing};
use crate::error::{Error, Result};
use crate::hashing::HashingWriter;
use crate::journal::Journal;
use crate::journal::matches::StoredMatch;
use crate::journal::results::VoidMatch;
use crate::parallel::in_order;
use crate::record_summary::RecordSummary;

/// Halfway between speed and size: a record is read more often than it is written.
const LEVEL: i32 = 9;

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenArchive {
    /// Matches that are in the archive.
    pub matches: u64,
    /// Matches that the journal has, and that are not in it: one before them is still missing.
    pub beyond: u64,
    /// Who signed it; none: nobody did.
    pub signer: Option<PublicKey>,
}

/// Writes all matches of a tournament from the first on, up to one that is missing. So many threads unpack and read
/// the records, and the bytes that are written are the same at any number. `programs` is the folder where the program of the game lies, if it
/// is not built in. `step` is called with how many are written,
/// and how many there are.
///
/// It is signed if a key is given and every match of the tournament was played here: an arena does not vouch for what
/// another one played.
///
/// # Errors
/// When the journal cannot be read or contradicts itself, or nothing can be written there.
pub fn write(
    (journal, programs): (&Journal, &Path),
    tournament: &Tournament,
    key: Option<&SecretKey>,
    threads: NonZeroUsize,
    out: impl Write,
    mut step: impl FnMut(u64, u64),
) -> Result<WrittenArchive> {
    let _moment = journal.snapshot()?;
    // It may have been changed since it was read.
    let tournament = &journal.tournament_by_id(tournament.id)?;
    let (mut written, last) = count(journal, tournament)?;
    if written.matches == 0 {
        return Err(Error::NothingPlayed {
            tournament: tournament.name.to_string(),
        });
    }
    let failed = |error: io::Error| Error::Archive(error);
    let is_own = journal.imported(tournament.id)?.is_empty();
    let key = key.filter(|_| is_own);
    written.signer = key.map(SecretKey::public);
    let packed = packing(out, LEVEL).map_err(failed)?;
    let mut writer = Writer {
        tournament,
        tar: Builder::new(HashingWriter::new(packed)),
        batch: 0,
        results: String::new(),
        records: Vec::new(),
        bytes: 0,
    };
    let game = game_file(journal, programs, &tournament.settings.game)?;
    let archived = game.as_ref().map(|(game, _)| game.clone());
    writer
        .head(written.matches, key.is_some(), archived)
        .map_err(failed)?;
    if let Some((game, file)) = game {
        let path = ArchiveFiles(&tournament.name).game(&game);
        let content = (file, game.bytes);
        append(&mut writer.tar, &path, tournament.created_at, content).map_err(failed)?;
    }
    let text = voids_text(journal.voids(tournament.id)?, last);
    let files = ArchiveFiles(&tournament.name);
    writer.file(&files.voids(), &text).map_err(failed)?;
    let mut director = tournament.director()?;
    let mut cursor = ScheduleCursor::new(tournament, &mut *director);
    let mut rows = journal.kept_in_order(tournament, false);
    let (mut read, mut done) = (0, 0);
    let next = || {
        if read == written.matches {
            return Ok(None);
        }
        read += 1;
        let Some((_, row)) = rows.next()? else {
            return Ok(None);
        };
        let kept = row.map_err(Error::Damaged)?;
        let bytes = kept.bytes();
        Ok(Some((kept, bytes)))
    };
    in_order(threads, next, MatchWithRecord::of, |unpacked| {
        writer.take(&mut cursor, unpacked)?;
        done += 1;
        step(done, written.matches);
        Ok::<(), Error>(())
    })?;
    writer.end_batch().map_err(failed)?;
    if let Some(key) = key {
        let seal = sealed(key, &writer.tar.get_ref().hash());
        writer.file(&files.signature(), &seal).map_err(failed)?;
    }
    let tar = writer.tar.into_inner();
    let finished = tar.and_then(|hashed| hashed.out.finish());
    finished.and_then(|mut out| out.flush()).map_err(failed)?;
    Ok(written)
}

/// The program of a game that is not built in, opened.
fn game_file(
    journal: &Journal,
    programs: &Path,
    game: &str,
) -> Result<Option<(ArchivedGame, File)>> {
    let Ok(version) = GameVersion::from_str(game) else {
        return Ok(None);
    };
    let stored = journal.game(&version)?;
    let path = stored
        .as_ref()
        .and_then(|stored| stored.file.path_in(programs));
    let Some((stored, path)) = stored.zip(path) else {
        return Err(Error::Damaged(format!("it has no game {game}")));
    };
    let failed = |error| Error::reading(&path, error);
    let file = File::open(&path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let file_name = stored.file;
    Ok(Some((
        ArchivedGame {
            file: file_name,
            bytes,
        },
        file,
    )))
}

/// The voids of matches up to this one, a line each; of a match the first [`MAX_VOIDS`].
fn voids_text(voids: Vec<VoidMatch>, last: u64) -> String {
    let mut text = String::new();
    let mut times: HashMap<u64, usize> = HashMap::new();
    for void in voids.into_iter().filter(|void| void.index <= last) {
        let times = times.entry(void.index).or_default();
        *times += 1;
        if *times <= MAX_VOIDS {
            line(&mut text, &void);
        }
    }
    text
}

/// A match of the journal with its record: all that needs no other match.
struct MatchWithRecord {
    /// The match, without its packed record.
    kept: StoredMatch,
    /// The hash of the text of its record.
    hash: Option<[u8; 32]>,
    /// This text and what it shows.
    record: Result<(String, Result<RecordSummary, String>)>,
}

impl MatchWithRecord {
    fn of(mut kept: StoredMatch) -> Self {
        let record = kept.record().map(|text| {
            let shown = RecordSummary::read(&text).map_err(|error| error.to_string());
            (text, shown)
        });
        // Unpacking has compared the hash.
        let hash = kept.finished.record.take().map(|packed| packed.sha256());
        MatchWithRecord { kept, hash, record }
    }
}

/// How many matches follow one another from the first on, and how many come after a gap; and the index of the
/// last of the first.
fn count(journal: &Journal, tournament: &Tournament) -> Result<(WrittenArchive, u64)> {
    let mut director = tournament.director()?;
    let mut cursor = ScheduleCursor::new(tournament, &mut *director);
    let mut written = WrittenArchive {
        matches: 0,
        beyond: 0,
        signer: None,
    };
    let mut last = 0;
    journal.for_each_result(tournament, |scored| {
        if written.beyond == 0
            && let Some((pairing, disposition)) = cursor.next_match()
            && pairing.index == scored.pairing.index
            && ScheduleCursor::fits(&pairing, &disposition, scored).is_ok()
        {
            cursor.hear(&pairing, &disposition, &scored.result);
            written.matches += 1;
            last = pairing.index;
        } else {
            written.beyond += 1;
        }
        Ok(())
    })?;
    Ok((written, last))
}

struct Writer<'a, W: Write> {
    tournament: &'a Tournament,
    tar: Builder<HashingWriter<zstd::Encoder<'static, W>>>,
    batch: u64,
    /// The lines of the batch.
    results: String,
    /// The ids and records of the batch.
    records: Vec<(String, Option<String>)>,
    /// The bytes of these records.
    bytes: usize,
}

impl<W: Write> Writer<'_, W> {
    fn head(
        &mut self,
        matches: u64,
        is_signed: bool,
        game: Option<ArchivedGame>,
    ) -> io::Result<()> {
        let Tournament {
            name,
            settings,
            created_at,
            entrants,
            changes,
            id: _,
        } = self.tournament;
        let entrant = |bot: &flipside_tournament::Bot| Entrant {
            name: bot.name.clone(),
            version: bot.version,
            kind: bot.kind,
            sha256: bot.sha256.clone(),
            size: bot.size,
        };
        let head = ArchiveHeader {
            format: FORMAT,
            flipside: env!("CARGO_PKG_VERSION").into(),
            tournament: name.clone(),
            settings: settings.clone(),
            game,
            created_at: *created_at,
            bots: entrants.iter().map(entrant).collect(),
            changes: changes.clone(),
            signed: is_signed,
            matches,
        };
        self.file(&ArchiveFiles(name).head(), &first_text(&head))
    }

    /// Takes the next match of the journal into the batch.
    fn take(&mut self, cursor: &mut ScheduleCursor<'_>, unpacked: MatchWithRecord) -> Result<()> {
        let MatchWithRecord { kept, hash, record } = unpacked;
        let there = &kept.finished;
        let damaged = |what: &str| Error::Damaged(format!("match {}: {what}", there.id));
        let (pairing, disposition) = cursor
            .next_match()
            .ok_or_else(|| damaged("it is beyond the end"))?;
        let times = (there.started_at, there.duration_us);
        let (text, record) = match disposition {
            PolicyDecision::Forfeit(_) => (None, None),
            _ => {
                let (text, record) = record?;
                (Some(text), Some(record.map_err(|what| damaged(&what))?))
            }
        };
        let hash = text.as_ref().and(hash).map(hex::encode);
        let finished = due(cursor, (&pairing, &disposition), times, record.as_ref());
        let finished = finished.map_err(|what| damaged(&what))?;
        let shown = ResultLine::of(&finished, self.tournament, hash.clone());
        // What the record says counts, and the journal must say the same.
        let line_there = ResultLine::of(there, self.tournament, hash);
        if let Some(differences) = line_there.differences(&shown) {
            return Err(Error::Contradicts {
                id: there.id.clone(),
                what: differences,
            });
        }
        line(&mut self.results, &shown);
        cursor.hear(&pairing, &disposition, &finished.scored.result);
        self.bytes += text.as_ref().map_or(0, String::len);
        self.records.push((finished.id, text));
        if self.records.len() >= BATCH || self.bytes >= BATCH_BYTES {
            self.end_batch().map_err(Error::Archive)?;
        }
        Ok(())
    }

    fn end_batch(&mut self) -> io::Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        let files = ArchiveFiles(&self.tournament.name);
        let results = std::mem::take(&mut self.results);
        self.file(&files.results(self.batch), &results)?;
        for (id, text) in std::mem::take(&mut self.records) {
            if let Some(text) = text {
                self.file(&files.record(&id), &text)?;
            }
        }
        self.batch += 1;
        self.bytes = 0;
        Ok(())
    }

    /// The same bytes for the same journal: nothing of the time of writing is in them, too.
    fn file(&mut self, path: &str, text: &str) -> io::Result<()> {
        let at = self.tournament.created_at;
        append(&mut self.tar, path, at, of_text(text))
    }
}

fn line(text: &mut String, value: &impl serde::Serialize) {
    text.push_str(&serde_json::to_string(value).expect("texts and numbers are JSON"));
    text.push('\n');
}
