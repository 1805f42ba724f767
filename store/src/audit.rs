//! Comparing the journal with its records: every record is refereed again, must be that of the match which the
//! settings and all results before it ask for, and must show what the journal says came of it.
//!
//! What records show counts, and not what the journal says: a changed result does not make all that follows look
//! wrong. When a match began, how long it took, and how often it was void is the journal's word.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use flipside_tournament::{
    Format, OTHERS_AWAY, Pairing, Pause, PolicyDecision, ScheduleCursor, ScoredPairing, Tournament,
    forfeits, is_unplayed, match_id,
};

use crate::archive::ResultLine;
use crate::archive::check::{LATEST_MS, MAX_LEFT_OUT, derived, is_a_time};
use crate::error::{Error, Result};
use crate::journal::Journal;
use crate::journal::matches::{Evidence, FinishedMatch, StoredMatch, StoredRow, damaged};
use crate::journal::packed::PackedRecord;
use crate::parallel::in_order;
use crate::record_summary::RecordSummary;
use crate::scheduler::MAX_AHEAD;

/// What was found of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordAudit {
    /// Its record is true, and the journal says what it shows.
    True {
        /// How many of its faults no evidence shows.
        faults_told: u64,
    },
    /// It was forfeited and has no record, as it must be.
    Forfeit,
    /// It is not as it must be.
    Wrong(String),
    /// It has no result, though a later match has one: it was deleted, was void each time, or its run was killed.
    /// That the host failed to play it would be the journal's word, which anybody can add who deletes a match.
    Missing,
    /// It does not count: a bot of it was paused while it was played ahead, or a sequential test was decided
    /// before it.
    Open,
}

/// A match with what was found of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The match's id.
    pub id: String,
    /// What was found.
    pub found: RecordAudit,
}

/// How many matches were found to be what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// Matches whose record is true and shows what the journal says.
    pub proven: u64,
    /// Forfeits as they must be.
    pub forfeits: u64,
    /// Matches, or other things that the journal says, that are not as they must be.
    pub wrong: u64,
    /// Matches without a result before others that have one.
    pub missing: u64,
    /// Matches that do not count.
    pub open: u64,
    /// Matches that were left out, because no side was there.
    pub left_out: u64,
    /// Faults in the records that no evidence shows.
    pub faults_told: u64,
    /// How many matches there will be at most.
    pub due: u64,
}

impl Audited {
    /// Counts what was found.
    pub fn count(&mut self, found: &RecordAudit) {
        match found {
            RecordAudit::True { faults_told } => {
                self.proven += 1;
                self.faults_told += faults_told;
            }
            RecordAudit::Forfeit => self.forfeits += 1,
            RecordAudit::Wrong(_) => self.wrong += 1,
            RecordAudit::Missing => self.missing += 1,
            RecordAudit::Open => self.open += 1,
        }
    }
}

/// Compares all matches of a tournament with their records, on so many threads. `on` hears of each match in order of
/// the schedule, with how many are done and how many there are; when it breaks, all threads end, and what was counted
/// until then is returned. All is the same at any number of threads.
///
/// # Errors
/// When the journal cannot be read.
pub fn audit(
    journal: &Journal,
    tournament: &Tournament,
    threads: NonZeroUsize,
    mut on: impl FnMut(&Finding, u64, u64) -> ControlFlow<()>,
) -> Result<Audited> {
    let _moment = journal.snapshot()?;
    // It may have been changed since it was read.
    let tournament = &journal.tournament_by_id(tournament.id)?;
    let all = journal.count_matches(tournament.id)?;
    let mut audited = Audited::default();
    let mut done = 0;
    let mut tell = |index: Option<u64>, found: RecordAudit| {
        audited.count(&found);
        done += u64::from(!matches!(found, RecordAudit::Missing));
        let name = &tournament.name;
        let id = index.map_or_else(|| name.to_string(), |index| match_id(name, index));
        match on(&Finding { id, found }, done.min(all), all) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(AuditStop::Told),
        }
    };
    let mut director = match tournament.director() {
        Ok(director) => director,
        Err(error) => {
            // Nothing follows, whether it is to be heard or not.
            let _ = tell(None, RecordAudit::Wrong(format!("its settings: {error}")));
            return Ok(audited);
        }
    };
    let cursor = ScheduleCursor::new(tournament, &mut *director).leaving_out(MAX_LEFT_OUT);
    let mut auditor = Auditor::new(journal, cursor)?;
    let mut rows = journal.kept_in_order(tournament, true);
    let next = || {
        let Some((index, row)) = rows.next()? else {
            return Ok(None);
        };
        let bytes = row.as_ref().map_or(0, StoredMatch::bytes);
        Ok(Some(((index, row), bytes)))
    };
    let walked = in_order(
        threads,
        next,
        |(index, row)| (index, Refereed::of(row)),
        |(index, refereed)| {
            let mut found = auditor.take(index, refereed).into_iter();
            found.try_for_each(|(index, found)| tell(Some(index), found))
        },
    );
    let rest = walked.and_then(|()| auditor.rest(journal).map_err(AuditStop::Failed));
    let told = rest.and_then(|wrong| {
        let mut wrong = wrong.into_iter();
        wrong.try_for_each(|(index, what)| tell(Some(index), RecordAudit::Wrong(what)))
    });
    if let Err(AuditStop::Failed(error)) = told {
        return Err(error);
    }
    audited.left_out = auditor.cursor.left_out;
    audited.due = auditor.cursor.total().most();
    Ok(audited)
}

/// Why an audit ends before it is over.
enum AuditStop {
    /// Whoever heard of it has heard enough.
    Told,
    /// The journal cannot be read.
    Failed(Error),
}

impl From<Error> for AuditStop {
    fn from(error: Error) -> Self {
        AuditStop::Failed(error)
    }
}

/// Compares one match with its record. The results before it count as the journal says.
///
/// # Errors
/// When there is no such match, or the journal cannot be read.
pub fn audit_match(journal: &Journal, id: &str) -> Result<RecordAudit> {
    let _moment = journal.snapshot()?;
    let (tournament, index) = journal.find_match(id)?;
    let mut director = match tournament.director() {
        Ok(director) => director,
        Err(error) => {
            return Ok(RecordAudit::Wrong(format!(
                "the tournament's settings: {error}"
            )));
        }
    };
    let cursor = ScheduleCursor::new(&tournament, &mut *director).leaving_out(MAX_LEFT_OUT);
    let mut auditor = Auditor::new(journal, cursor)?;
    let heard = journal.for_each_result_before(&tournament, index, |scored| {
        auditor.believe(scored);
        Ok(())
    });
    // What cannot be read is as if it were not there: then the match is judged by what is known before it.
    match heard {
        Ok(()) | Err(Error::Damaged(_)) => {}
        Err(error) => return Err(error),
    }
    let refereed = Refereed::of(damaged(journal.stored(&tournament, index))?);
    let found = auditor.take(index, refereed);
    Ok(found.into_iter().next_back().expect("it was taken").1)
}

/// What a record shows, if it is true; otherwise what is wrong with it.
type Judged = std::result::Result<RecordSummary, String>;

/// A match of the journal with what its record shows: all that needs no other match, so that many threads can do it.
struct Refereed {
    /// The match, without its record and evidence.
    row: StoredRow,
    /// None: it has no record.
    shown: Option<Judged>,
    /// The seats of whose faults the journal keeps something else than the record shows.
    other_evidence: Vec<u8>,
}

impl Refereed {
    fn of(mut row: StoredRow) -> Self {
        let (mut shown, mut other_evidence) = (None, Vec::new());
        if let Ok(kept) = &mut row {
            let verified =
                |text: String| RecordSummary::verified(&text).map_err(|error| error.to_string());
            let record = kept.finished.record.take();
            shown = record.map(|record| record.unpack().and_then(verified));
            let evidence = std::mem::take(&mut kept.finished.evidence);
            if let Some(Ok(shown)) = &shown {
                let other = evidence.iter().filter(|kept| !is_evidence(shown, kept));
                other_evidence = other.map(|(seat, _)| *seat).collect();
            }
        }
        Refereed {
            row,
            shown,
            other_evidence,
        }
    }
}

/// Whether what is kept of the fault of a seat is what the record shows.
fn is_evidence(shown: &RecordSummary, (seat, packed): &(u8, PackedRecord)) -> bool {
    let at = usize::from(*seat);
    let at_fault = (shown.result.seats.get(at)).is_some_and(|seat| seat.fault.is_some());
    let evidence = packed.value::<Evidence>();
    at_fault && evidence.is_ok_and(|evidence| evidence.stderr == shown.stderr[at])
}

/// Where the walk through the schedule is.
enum Front {
    /// Before this match.
    Due(Pairing, PolicyDecision),
    /// Beyond the last match.
    Over,
    /// A result is not known, so nothing after it can be heard.
    Stuck,
}

/// A match's place in the schedule, and whether it is the next, or was named before it was known what came of a match
/// before it. What it is found to be, if it has none.
type SchedulePosition = std::result::Result<(Pairing, PolicyDecision, bool), RecordAudit>;

/// Goes through the schedule with what the records show.
struct Auditor<'a> {
    cursor: ScheduleCursor<'a>,
    front: Front,
    /// The matches that were named since the front is stuck, and that were not passed.
    named: VecDeque<(Pairing, PolicyDecision)>,
    /// How many were named since then.
    ahead: usize,
    /// Whether archives brought matches.
    has_imports: bool,
    /// Who is paused, as results show it.
    pauses: Vec<Pause>,
    /// The last match that was heard.
    heard: Option<u64>,
}

impl<'a> Auditor<'a> {
    fn new(journal: &Journal, cursor: ScheduleCursor<'a>) -> Result<Self> {
        let tournament = cursor.tournament;
        let mut auditor = Auditor {
            front: Front::Over,
            named: VecDeque::new(),
            ahead: 0,
            has_imports: journal.has_imports(tournament.id)?,
            pauses: Vec::new(),
            heard: None,
            cursor,
        };
        auditor.next();
        Ok(auditor)
    }

    fn next(&mut self) {
        self.front = match self.cursor.next_match() {
            Some((pairing, disposition)) => Front::Due(pairing, disposition),
            None => Front::Over,
        };
    }

    /// Takes the next match of the journal: gives what was found of it, and before it of those that are missing.
    fn take(&mut self, index: u64, refereed: Refereed) -> Vec<(u64, RecordAudit)> {
        let (missing, place) = self.reach(index);
        let missing = missing
            .into_iter()
            .map(|index| (index, RecordAudit::Missing));
        let mut found: Vec<(u64, RecordAudit)> = missing.collect();
        found.push((index, self.judge(refereed, place)));
        found
    }

    /// Hears a result without looking at its record.
    fn believe(&mut self, scored: &ScoredPairing) {
        let (_, place) = self.reach(scored.pairing.index);
        if let Ok((pairing, disposition, true)) = place {
            match ScheduleCursor::fits(&pairing, &disposition, scored) {
                Ok(()) => self.hear(&disposition, scored),
                Err(_) => self.front = Front::Stuck,
            }
        }
    }

    /// Where a match has its place, and the matches before it that have no result.
    fn reach(&mut self, index: u64) -> (Vec<u64>, SchedulePosition) {
        let nowhere = |what: &str| (Vec::new(), Err(RecordAudit::Wrong(what.into())));
        match &self.front {
            Front::Due(pairing, disposition) if pairing.index == index => {
                return (Vec::new(), Ok((pairing.clone(), disposition.clone(), true)));
            }
            Front::Due(pairing, _) if pairing.index > index => {
                return nowhere("it is left out, because no side is there, or it is there twice");
            }
            Front::Due(pairing, disposition) => {
                self.named.push_back((pairing.clone(), disposition.clone()));
                self.front = Front::Stuck;
            }
            Front::Over => {
                return match self.cursor.tournament.settings.format {
                    // The test was decided before it.
                    Format::Sprt(_) => (Vec::new(), Err(RecordAudit::Open)),
                    _ => nowhere("the tournament is over before it"),
                };
            }
            Front::Stuck => {}
        }
        self.name_up_to(index);
        let named = &mut self.named;
        let Ok(at) = named.binary_search_by_key(&index, |(pairing, _)| pairing.index) else {
            return nowhere("a match before it must be over first, and its result is not known");
        };
        let passed = named
            .drain(..at)
            .filter(|(_, disposition)| *disposition != PolicyDecision::LeaveOut);
        let missing = passed.map(|(pairing, _)| pairing.index).collect();
        let (pairing, disposition) = named.pop_front().expect("it was found");
        (missing, Ok((pairing, disposition, false)))
    }

    /// Lets the director name matches that do not wait for results which are not known.
    fn name_up_to(&mut self, index: u64) {
        let last = |named: &VecDeque<(Pairing, PolicyDecision)>| {
            named.back().map(|(pairing, _)| pairing.index)
        };
        while last(&self.named).is_none_or(|last| last < index)
            && self.ahead < MAX_AHEAD
            && let Some(named) = self.cursor.named()
        {
            self.named.push_back(named);
            self.ahead += 1;
        }
    }

    /// What a match is found to be; the walk goes on by what its record shows.
    fn judge(&mut self, refereed: Refereed, place: SchedulePosition) -> RecordAudit {
        let (pairing, disposition, due) = match place {
            Ok(place) => place,
            Err(found) => return found,
        };
        let Refereed {
            row,
            shown,
            other_evidence,
        } = refereed;
        let kept = match row {
            Ok(kept) => kept,
            Err(what) => {
                self.front = Front::Stuck;
                return RecordAudit::Wrong(what);
            }
        };
        let mut wrong: Vec<String> = self.beside(&kept, shown.as_ref(), &other_evidence);
        let due_result = self.due(&kept, shown.as_ref(), &pairing, &disposition);
        let result = due_result.map_err(|what| wrong.push(what)).ok();
        let line =
            |finished: &FinishedMatch| ResultLine::of(finished, self.cursor.tournament, None);
        let differences =
            |(due, _): &(FinishedMatch, bool)| line(&kept.finished).differences(&line(due));
        wrong.extend(result.as_ref().and_then(differences));
        let waits = result.as_ref().is_some_and(|(_, waits)| *waits);
        if waits && due {
            wrong.push("it was played, and a bot of it is paused or has left".into());
        }
        let forfeit = shown.is_none();
        let faults_told = match shown {
            Some(Ok(shown)) => shown.faults_told,
            _ => 0,
        };
        if due {
            self.go_on(&kept.finished, result.as_ref(), &pairing, &disposition);
        }
        match (wrong.is_empty(), waits, forfeit) {
            (false, ..) => RecordAudit::Wrong(wrong.join("; ")),
            (true, true, _) => RecordAudit::Open,
            (true, false, true) => RecordAudit::Forfeit,
            (true, false, false) => RecordAudit::True { faults_told },
        }
    }

    /// The result that a match must have, and whether it waits for its forfeit: it was played before a bot of it was
    /// paused, and the run was killed then. Otherwise what is wrong with its record.
    fn due(
        &self,
        kept: &StoredMatch,
        shown: Option<&Judged>,
        pairing: &Pairing,
        disposition: &PolicyDecision,
    ) -> std::result::Result<(FinishedMatch, bool), String> {
        let there = &kept.finished;
        let times = (there.started_at, there.duration_us);
        is_a_time(times.0, times.1)?;
        match (shown, disposition) {
            (None, PolicyDecision::Forfeit(away)) => {
                let forfeit = FinishedMatch::forfeited(&self.cursor, pairing, away, times.0);
                Ok((forfeit, false))
            }
            (None, _) if is_unplayed(&there.scored.result) => {
                Err("it is told as a forfeit, and no bot of it is paused or has left".into())
            }
            (None, _) => Err("its record is missing".into()),
            (Some(Err(what)), _) => Err(format!("its record is not true: {what}")),
            (Some(Ok(shown)), disposition) => {
                let finished = derived(self.cursor.tournament, pairing, times, shown)?;
                let as_planned =
                    ScheduleCursor::fits(pairing, disposition, &finished.scored).is_ok();
                let has_forfeit = finished.scored.result.seats.iter().any(forfeits);
                let waits = !as_planned && has_pauses(disposition) && !has_forfeit;
                if as_planned || waits {
                    Ok((finished, waits))
                } else {
                    Err(OTHERS_AWAY.into())
                }
            }
        }
    }

    /// What is wrong with what the journal keeps beside the result.
    fn beside(
        &self,
        kept: &StoredMatch,
        shown: Option<&Judged>,
        other_evidence: &[u8],
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        if !(kept.seats.iter().copied()).eq(0..kept.seats.len() as u64) {
            wrong.push("its seats are not those of a match".into());
        }
        if kept.elsewhere && !self.has_imports {
            wrong.push("it is told to come from an archive, and none was taken in".into());
        }
        if kept.has_stray_detail {
            wrong.push("a seat without a fault has the description of one".into());
        }
        let Some(Ok(shown)) = shown else {
            return wrong;
        };
        if !kept.elsewhere {
            wrong.extend(named_otherwise(
                &kept.finished,
                self.cursor.tournament,
                shown,
            ));
        }
        wrong.extend(other_evidence.iter().map(|seat| {
            format!("what is kept of the fault of seat {seat} is not what its record shows")
        }));
        wrong
    }

    /// Goes on to the next match, by what must have come of this one; if that is not known, by what the journal says.
    fn go_on(
        &mut self,
        there: &FinishedMatch,
        result: Option<&(FinishedMatch, bool)>,
        pairing: &Pairing,
        disposition: &PolicyDecision,
    ) {
        let scored = match (result, disposition) {
            (Some((finished, false)), _) => Some(finished.scored.clone()),
            (Some((_, true)), PolicyDecision::Forfeit(away)) => {
                Some(self.cursor.forfeited(pairing, away))
            }
            (Some((_, true)), _) => None,
            (None, _) => Some(there.scored.clone()),
        };
        match scored.filter(|scored| ScheduleCursor::fits(pairing, disposition, scored).is_ok()) {
            Some(scored) => self.hear(disposition, &scored),
            None => self.front = Front::Stuck,
        }
    }

    /// Hears a result.
    fn hear(&mut self, disposition: &PolicyDecision, scored: &ScoredPairing) {
        let ScoredPairing { pairing, result } = scored;
        for (entrant, names) in self.cursor.hear(pairing, disposition, result) {
            let bot = &self.cursor.tournament.entrants[entrant];
            let mut own = scored.seats().filter(|(seated, _)| *seated == entrant);
            let fault = own.find_map(|(_, seat)| seat.fault.as_ref());
            let detail = fault.map_or_else(String::new, |fault| fault.detail.clone());
            self.pauses
                .push(Pause::of(bot, pairing.index, names, detail));
        }
        self.heard = Some(pairing.index);
        self.next();
    }

    /// What the journal says of voids and pauses that cannot be, after all matches: the match, and what is wrong.
    fn rest(&self, journal: &Journal) -> Result<Vec<(u64, String)>> {
        let tournament = self.cursor.tournament;
        let mut wrong = Vec::new();
        let test = matches!(tournament.settings.format, Format::Sprt(_));
        for void in journal.voids(tournament.id)? {
            let beyond = !test && void.index >= self.cursor.total().most();
            if beyond || void.at > LATEST_MS {
                wrong.push((void.index, "it is told as void, and cannot be".to_owned()));
            }
        }
        let heard = |pause: &&Pause| self.heard.is_some_and(|heard| pause.index <= heard);
        let there = match journal.pauses(tournament) {
            Ok(there) => there,
            Err(Error::Damaged(what)) => {
                wrong.push((0, what));
                return Ok(wrong);
            }
            Err(error) => return Err(error),
        };
        for pause in there.iter().filter(heard) {
            if !self.pauses.contains(pause) {
                let what = format!("{} is not paused after it, or not for this", pause.bot);
                wrong.push((pause.index, what));
            }
        }
        for due in &self.pauses {
            // A run may have been killed before it noted the last.
            let noted = there.contains(due);
            if !noted && self.heard != Some(due.index) {
                wrong.push((due.index, format!("{} is paused after it", due.bot)));
            }
        }
        Ok(wrong)
    }
}

/// Whether bots of a match are paused.
fn has_pauses(disposition: &PolicyDecision) -> bool {
    match disposition {
        PolicyDecision::Play(away) | PolicyDecision::Forfeit(away) => !away.is_empty(),
        PolicyDecision::LeaveOut => true,
    }
}

/// What a record that was played here calls the match and its bots.
fn named_otherwise(
    there: &FinishedMatch,
    tournament: &Tournament,
    shown: &RecordSummary,
) -> Option<String> {
    if shown.header.id != there.id {
        return Some(format!("its record is that of {}", shown.header.id));
    }
    let recorded: Vec<&str> = shown.header.seats.iter().map(|seat| &*seat.bot).collect();
    let seats = there.scored.pairing.seats.iter();
    let mut named = seats.zip(&recorded);
    // It may have been renamed since.
    let same =
        |(&entrant, label): (&usize, &&str)| tournament.entrants[entrant].has_had_label(label);
    let fits = recorded.len() == there.scored.pairing.seats.len() && named.all(same);
    (!fits).then(|| {
        format!(
            "its record is of bots with other names: {}",
            recorded.join(", ")
        )
    })
}
