//! Blocks that are played on other machines. Whole blocks are handed out, so that the matches of a block are played in
//! one place, one after the other. A record that comes back is verified like that of an archive before it counts.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;

use flipside_protocol::ClockUnit;
use flipside_referee::{Header, Match, VerifyError};
use flipside_sandbox::{METERING, ProgramKind};
use flipside_store::archive::{derived, is_a_time};
use flipside_store::{
    Audit, Evidence, FinishedMatch, PackedNotes, PackedRecord, PlayedBy, RecordSummary, Task,
    unix_ms,
};
use flipside_tournament::{Bot, Tournament, forfeits, match_id};

use crate::messages::{MAX_TRIES, RunMessage};
use crate::queue::Queue;
use crate::remote_match::{NotPlayed, RemoteMatch, RemoteSeat};

/// A match that is to be played elsewhere.
pub struct Assignment<'a> {
    /// Its number in the tournament.
    pub index: u64,
    /// The match.
    pub the_match: Match,
    /// Its bots, by seat.
    pub bots: Vec<&'a Bot>,
}

/// Blocks that are to be played elsewhere, and what comes of them.
pub struct RemoteBlocks<'a> {
    queue: &'a Queue<'a>,
    hand_over: &'a SyncSender<RunMessage>,
    plan: &'a dyn Fn(&Tournament, &Task) -> Match,
    tournament: &'a Tournament,
    /// What is out, by index.
    out: HashMap<u64, BlockOut>,
    /// How many matches were taken.
    taken: u64,
    /// How many matches of each block are out.
    blocks: HashMap<u64, usize>,
    /// The matches that are played again, by index.
    audited: HashMap<u64, Task>,
    /// The workers of which nothing counts.
    banned: &'a [String],
    /// The class of machines on which they must be played, if only one will do.
    class: Option<String>,
    /// Whether a clock of a bot counts time.
    is_timed: bool,
    /// The entrants that have played elsewhere in this part of the run, and those that cannot.
    able: HashSet<usize>,
    unable: HashSet<usize>,
}

/// A match that was played elsewhere, and is to be played again to see whether its worker tells the truth. Nothing but
/// modules plays in it, on clocks that count fuel, so that its record has the same bytes wherever it is played.
#[derive(Clone, Debug)]
pub struct ToAudit {
    /// Its number in the tournament.
    pub index: u64,
    /// Who played it.
    pub worker: String,
    /// Its record.
    pub record: String,
    /// The SHA-256 of its record.
    pub sha256: [u8; 32],
}

/// Why a returned match does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotLanded {
    /// Its record is not true, or of another match: why.
    Untrue(String),
    /// The program of the game failed here when it was to referee the record: how. That speaks against nobody.
    Unjudged(String),
}

struct BlockOut {
    task: Task,
    generation: u64,
    /// When it was taken, in milliseconds since 1970.
    since: u64,
    /// How often it was void, by worker.
    voids: HashMap<String, u32>,
    /// The workers that could not start the bot of a seat, by seat.
    unable: HashMap<usize, HashSet<String>>,
    /// The workers where the program of the game failed.
    game_failed: HashSet<String>,
}

/// What follows where a worker could not play a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voided {
    /// Whether it speaks against the worker.
    pub is_its_fault: bool,
    /// Whether the match is handed out again only when others have had time to take it.
    pub waits: bool,
}

/// A match is given up when it was void so often, and no worker is there that has not tried it.
const MAX_VOIDS: u32 = 10;

/// How much of a reason is kept, in bytes.
const MAX_REASON: usize = 1_000;

/// As much of a reason as is kept.
fn kept(reason: &str) -> &str {
    &reason[..reason.floor_char_boundary(MAX_REASON)]
}

impl<'a> RemoteBlocks<'a> {
    pub(crate) fn new(
        queue: &'a Queue<'a>,
        hand_over: &'a SyncSender<RunMessage>,
        plan: &'a dyn Fn(&Tournament, &Task) -> Match,
        tournament: &'a Tournament,
        banned: &'a [String],
    ) -> Self {
        let settings = &tournament.settings;
        let own = |bot| settings.bot.of(bot).clock.unwrap_or(settings.clock);
        let mut clocks = tournament.entrants.iter().map(own);
        let is_timed = clocks.any(|clock| clock.unit == ClockUnit::Time);
        RemoteBlocks {
            queue,
            hand_over,
            plan,
            tournament,
            out: HashMap::new(),
            taken: 0,
            blocks: HashMap::new(),
            audited: HashMap::new(),
            banned,
            class: None,
            is_timed,
            able: HashSet::new(),
            unable: HashSet::new(),
        }
    }

    /// Takes only matches that were played on machines of this class, wherever a clock counts time.
    pub fn demand(&mut self, class: Option<String>) {
        self.class = class;
    }

    /// The tournament.
    pub fn tournament(&self) -> &Tournament {
        self.tournament
    }

    /// Whether nothing new is begun any more: what is out is still waited for.
    pub fn is_ending(&self) -> bool {
        self.queue.ends()
    }

    /// Whether nobody waits for results any more.
    pub fn is_over(&self) -> bool {
        self.queue.is_abandoned()
    }

    /// The workers of which nothing counts, because they have returned what is not true.
    pub fn banned_before(&self) -> &'a [String] {
        self.banned
    }

    /// Whether the speed of the machine has an influence: a clock of a bot counts time.
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// The block of a match that is out.
    pub fn block_of(&self, index: u64) -> Option<u64> {
        self.out.get(&index).map(|out| out.task.pairing.block)
    }

    /// Whether this match is out.
    pub fn is_out(&self, index: u64) -> bool {
        self.out.contains_key(&index)
    }

    /// The matches of the next block that may be played, in the order of the schedule; none if there is none at
    /// present. While a match of a block is out, no other of it is given.
    pub fn take(&mut self) -> Vec<u64> {
        let tasks = self
            .queue
            .take_block(&|block| self.blocks.contains_key(&block));
        let mut indices = Vec::with_capacity(tasks.len());
        for task in tasks {
            let index = task.pairing.index;
            *self.blocks.entry(task.pairing.block).or_default() += 1;
            self.taken += 1;
            let out = BlockOut {
                task,
                generation: self.taken,
                since: unix_ms(),
                voids: HashMap::new(),
                unable: HashMap::new(),
                game_failed: HashSet::new(),
            };
            self.out.insert(index, out);
            indices.push(index);
        }
        indices
    }

    /// Whether nothing is out.
    pub fn is_idle(&self) -> bool {
        self.out.is_empty()
    }

    /// Tells a match that is out apart from what was out before under its index: where a bot was paused meanwhile, the
    /// match may be another.
    pub fn generation(&self, index: u64) -> Option<u64> {
        self.out.get(&index).map(|out| out.generation)
    }

    /// A match that is out, to be handed out.
    pub fn assignment(&self, index: u64) -> Option<Assignment<'_>> {
        Some(self.assigned(&self.out.get(&index)?.task))
    }

    /// Takes a match that this worker has played. One that is not out any more came before. If it is to be audited, and
    /// can be, gives what that needs; then the run does not end before [`end_audit`](RemoteBlocks::end_audit).
    ///
    /// # Errors
    /// When it is not the match that is due, or its record is not true: why. Then it is still out.
    pub fn land(
        &mut self,
        index: u64,
        worker: &str,
        returned: &RemoteMatch,
        audit: bool,
    ) -> Result<Option<ToAudit>, NotLanded> {
        let Some(out) = self.out.get(&index) else {
            return Ok(None);
        };
        let (shown, finished) = self.verified(&out.task, returned)?;
        self.able.extend(played_by(&out.task));
        let mut finished = packed(finished, worker, returned, &shown);
        // The clock of the worker may be wrong.
        let now = unix_ms().max(out.since);
        finished.started_at = finished.started_at.clamp(out.since, now);
        let most = now.saturating_sub(out.since).saturating_add(1) * 1_000;
        finished.duration_us = finished.duration_us.min(most);
        let audit = audit && !self.audited.contains_key(&index);
        let audit = audit && is_repeatable(&shown.header);
        let to_audit = audit.then(|| ToAudit {
            index,
            worker: worker.into(),
            record: returned.record.clone(),
            sha256: PackedRecord::hash(&returned.record),
        });
        if let Some(task) = self.gone(index)
            && to_audit.is_some()
        {
            self.audited.insert(index, task);
            self.queue.audits.fetch_add(1, Ordering::Relaxed);
        }
        self.tell(RunMessage::FinishedMatch(Box::new(finished)));
        Ok(to_audit)
    }

    /// A match that is audited, to be played once more.
    pub fn second(&self, index: u64) -> Option<Assignment<'_>> {
        Some(self.assigned(self.audited.get(&index)?))
    }

    fn assigned(&self, task: &Task) -> Assignment<'_> {
        let bot = |&entrant: &usize| &self.tournament.entrants[entrant];
        Assignment {
            index: task.pairing.index,
            the_match: (self.plan)(self.tournament, task),
            bots: task.pairing.seats.iter().map(bot).collect(),
        }
    }

    /// Whether a match has the same bytes as what came of it when a second worker played it again.
    ///
    /// # Errors
    /// When what came of it is not true: why.
    pub fn is_same(&self, first: &ToAudit, returned: &RemoteMatch) -> Result<bool, String> {
        let Some(task) = self.audited.get(&first.index) else {
            return Ok(true);
        };
        match self.verified(task, returned) {
            Ok(_) => Ok(first.record == returned.record),
            Err(NotLanded::Untrue(why)) => Err(why),
            Err(NotLanded::Unjudged(_)) => Ok(true),
        }
    }

    /// Ends the audit of a match, and notes what was found, if it was found out. If something differs, its worker is
    /// banned for this reason.
    pub fn end_audit(&mut self, index: u64, audit: Option<Audit>, reason: Option<&str>) {
        if self.audited.remove(&index).is_some() {
            let worker = audit.as_ref().map(|audit| audit.worker.clone());
            self.tell(RunMessage::Audited {
                audit,
                banned: worker.zip(reason.map(kept).map(String::from)),
            });
        }
    }

    /// Bans a worker, which has returned what is not true: what it has returned before is withdrawn, but for what
    /// an audit has proven, and is played again.
    pub fn ban(&mut self, worker: &str, reason: &str) {
        let (worker, reason) = (worker.to_owned(), kept(reason).to_owned());
        self.tell(RunMessage::Banned { worker, reason });
    }

    /// Hands something over. When nobody takes it, the run has ended.
    fn tell(&self, done: RunMessage) {
        let _ = self.hand_over.send(done);
    }

    /// Notes that a match could not be played by this worker, of which there are so many now. When [`MAX_TRIES`]
    /// workers could not play it, it is out no longer; or all that are there, and it was void `MAX_VOIDS` times. When
    /// so many workers cannot start the same bot, or all that are there, the bot is set aside. So one of several
    /// neither gives up a match nor sets a bot aside, however often it says so.
    ///
    /// It does not speak against a worker to name a bot that has not played in this run yet, unless it names it again
    /// after others have had time to take the match.
    pub fn void(&mut self, index: u64, worker: &str, why: NotPlayed, workers: usize) -> Voided {
        let Some(out) = self.out.get_mut(&index) else {
            return Voided {
                is_its_fault: true,
                waits: false,
            };
        };
        let NotPlayed {
            reason,
            seat,
            of_game,
        } = why;
        let own = out.voids.entry(worker.into()).or_default();
        *own += 1;
        let times = *own;
        let enough = workers.clamp(1, MAX_TRIES as usize);
        let all: u32 = out.voids.values().sum();
        let is_common = out.voids.len() >= MAX_TRIES as usize;
        let is_too_often = is_common || (all >= MAX_VOIDS && out.voids.len() >= enough);
        let seats = &out.task.pairing.seats;
        let named = seat.filter(|&seat| seat < seats.len() && !self.able.contains(&seats[seat]));
        if of_game {
            out.game_failed.insert(worker.into());
        }
        // Where several workers play, the word of one ends no tournament.
        let of_game = of_game && out.game_failed.len() >= enough;
        let says_game = out.game_failed.contains(worker);
        let is_excused = (named.is_some() || says_game) && times <= 2;
        let unable = named.and_then(|seat| {
            let by = out.unable.entry(seat).or_default();
            by.insert(worker.into());
            let is_known = self.unable.contains(&seats[seat]);
            (is_known || by.len() >= enough).then_some(seats[seat])
        });
        let again = unable.is_none() && !is_too_often && !of_game;
        let waits = again && times > 1 && out.voids.len() < enough;
        let reason = format!("{worker}: {}", kept(&reason));
        self.tell_void(index, reason, again, unable, of_game);
        Voided {
            is_its_fault: !is_excused && unable.is_none(),
            waits,
        }
    }

    /// Notes that a match cannot be played anywhere, because the bot of a seat cannot be handed out. The bot is set
    /// aside.
    pub fn cannot_send(&mut self, index: u64, seat: usize, reason: &str) {
        let out = self.out.get(&index);
        let entrant = out.and_then(|out| out.task.pairing.seats.get(seat).copied());
        if entrant.is_some() {
            self.tell_void(index, kept(reason).to_owned(), false, entrant, false);
        }
    }

    fn tell_void(
        &mut self,
        index: u64,
        reason: String,
        again: bool,
        unable: Option<usize>,
        of_game: bool,
    ) {
        let done = RunMessage::Void {
            index,
            id: match_id(&self.tournament.name, index),
            reason,
            again,
            unable,
            of_game,
        };
        self.unable.extend(unable);
        if !again {
            self.gone(index);
        }
        self.tell(done);
    }

    /// What the record of a match shows, if it is true and of the match that is due.
    fn verified(
        &self,
        task: &Task,
        returned: &RemoteMatch,
    ) -> Result<(RecordSummary, FinishedMatch), NotLanded> {
        let shown = RecordSummary::verified(&returned.record).map_err(|error| match error {
            VerifyError::Game(failure) => NotLanded::Unjudged(failure.to_string()),
            error => NotLanded::Untrue(error.to_string()),
        })?;
        let finished = self
            .due(task, returned, &shown)
            .map_err(NotLanded::Untrue)?;
        Ok((shown, finished))
    }

    /// The match of a true record, if it is the one that is due; or why it is not.
    fn due(
        &self,
        task: &Task,
        returned: &RemoteMatch,
        shown: &RecordSummary,
    ) -> Result<FinishedMatch, String> {
        let tournament = self.tournament;
        let (pairing, times) = (&task.pairing, (returned.started_at, returned.duration_us));
        is_a_time(times.0, times.1)?;
        let id = match_id(&tournament.name, pairing.index);
        if shown.header.id != id {
            return Err(format!("its record is of the match {}", shown.header.id));
        }
        let metering = shown.header.metering.as_deref();
        if metering.is_some_and(|is| is != METERING) {
            return Err("its record has fuel of another engine".into());
        }
        is_where(&shown.header, self.class.as_deref())?;
        let away = task.away.iter().map(|(seat, _)| *seat);
        let seats = (0..).zip(&shown.result.seats);
        let found = seats.filter(|(_, seat)| forfeits(seat));
        if !found.map(|(seat, _)| seat).eq(away) {
            return Err("its record has other bots that are paused".into());
        }
        let finished = derived(tournament, pairing, times, shown)?;
        let is_whole = returned.seats.len() == shown.result.seats.len();
        if !is_whole || !returned.seats.iter().all(RemoteSeat::fits) {
            return Err("what was seen of its bots does not fit its record".into());
        }
        Ok(finished)
    }

    /// A match is not out any more.
    fn gone(&mut self, index: u64) -> Option<Task> {
        let out = self.out.remove(&index)?;
        let block = out.task.pairing.block;
        if let Some(left) = self.blocks.get_mut(&block) {
            *left -= 1;
            if *left == 0 {
                self.blocks.remove(&block);
            }
        }
        Some(out.task)
    }
}

/// The entrants that play in a match, without those that do not come to it.
fn played_by(task: &Task) -> impl Iterator<Item = usize> {
    let is_there = |seat: usize| task.away.iter().all(|(away, _)| *away != seat);
    let seats = task.pairing.seats.iter().enumerate();
    seats
        .filter(move |(seat, _)| is_there(*seat))
        .map(|(_, &entrant)| entrant)
}

/// A match that was found true, with all that the journal keeps of it.
fn packed(
    finished: FinishedMatch,
    worker: &str,
    returned: &RemoteMatch,
    shown: &RecordSummary,
) -> FinishedMatch {
    let seats = (0..).zip(&returned.seats).zip(&shown.result.seats);
    let (mut evidence, mut notes) = (Vec::new(), Vec::new());
    for (((number, seat), result), stderr) in seats.zip(&shown.stderr) {
        match &result.fault {
            None => notes.extend(PackedNotes::of(number, &seat.trace())),
            Some(_) => {
                let kept = Evidence {
                    stderr: stderr.clone(),
                    traffic: seat.traffic.clone(),
                    hint: seat.hint.clone(),
                };
                evidence.push((number, PackedRecord::of(&kept)));
            }
        }
    }
    FinishedMatch {
        record: Some(PackedRecord::pack(&returned.record)),
        evidence,
        notes,
        played_by: Some(PlayedBy {
            worker: worker.into(),
            class: shown.header.machine.clone().unwrap_or_default(),
        }),
        ..finished
    }
}

/// Whether a match gives the same record wherever it is played: nothing but modules plays in it, on clocks that count
/// fuel.
fn is_repeatable(header: &Header) -> bool {
    let modules = |kind: &str| kind.parse() == Ok(ProgramKind::Module);
    let is_fuel = |seat| header.clock_of(seat).unit == ClockUnit::Fuel;
    (0..)
        .zip(&header.seats)
        .all(|(seat, one)| modules(&one.kind) && is_fuel(seat))
}

/// Whether a record names the class of machines that is demanded, if one is, or any.
fn is_where(header: &Header, demanded: Option<&str>) -> Result<(), String> {
    let named = header.machine.as_deref();
    match (named, demanded) {
        _ if header.counts_only_fuel() => Ok(()),
        (None, _) => Err("its record does not name the class of its machine".into()),
        (Some(named), Some(demanded)) if named != demanded => {
            Err(format!("its record is of a machine of class {named}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;
    use crate::stop_signal::StopSignal;
    use flipside_store::testing::{new_journal, tournament};

    /// What comes of one match when these workers say, in turn, that they cannot play it, because of the bot of this
    /// seat; and which entrant was set aside. So many workers are there.
    fn claims(
        seat: Option<usize>,
        by: &[&str],
        workers: usize,
    ) -> (Vec<Voided>, Vec<Option<usize>>) {
        let (voided, said) = said(seat, by, workers);
        (voided, said.into_iter().map(|(_, aside)| aside).collect())
    }

    /// After how many voids a match is given up, if it is.
    fn given_up(by: &[&str], workers: usize) -> Option<usize> {
        let (_, said) = said(None, by, workers);
        let last = said.iter().position(|(again, _)| !again);
        last.map(|at| at + 1)
    }

    /// The same as [`claims`], and whether the match was to be played again.
    fn said(
        seat: Option<usize>,
        by: &[&str],
        workers: usize,
    ) -> (Vec<Voided>, Vec<(bool, Option<usize>)>) {
        let (_folder, mut journal) = new_journal();
        let cup = tournament(&mut journal, "cup", 2, 1);
        let stop = StopSignal::default();
        let queue = Queue::new(1, Vec::new(), &stop);
        let pairing = cup.schedule().unwrap().pairing(0).unwrap();
        let set_aside = seat.map(|seat| pairing.seats[seat]);
        queue.put(vec![Task {
            pairing,
            away: Vec::new(),
        }]);
        let (hand_over, done): (_, Receiver<RunMessage>) = sync_channel(by.len());
        let plan = |_: &Tournament, _: &Task| -> Match { unreachable!("nothing is played") };
        let mut blocks = RemoteBlocks::new(&queue, &hand_over, &plan, &cup, &[]);
        let [index] = blocks.take()[..] else {
            panic!("one match")
        };
        let why = || NotPlayed {
            reason: "no Python".into(),
            seat,
            of_game: false,
        };
        let voided = by
            .iter()
            .map(|worker| blocks.void(index, worker, why(), workers));
        let voided = voided.collect();
        let told = done.try_iter().map(|done| match done {
            RunMessage::Void { again, unable, .. } => {
                assert!(unable.is_none() || unable == set_aside);
                (again, unable)
            }
            _ => panic!("nothing else was said"),
        });
        (voided, told.collect())
    }

    const EXCUSED: Voided = Voided {
        is_its_fault: false,
        waits: false,
    };

    #[test]
    fn a_bot_is_set_aside_when_all_workers_that_are_there_cannot_start_it() {
        for (by, workers) in [
            (&["one"][..], 1),
            (&["one", "two"], 2),
            (&["one", "two", "three"], 3),
            (&["one", "two", "three"], 40),
        ] {
            let (voided, aside) = claims(Some(1), by, workers);
            assert!(voided.iter().all(|one| *one == EXCUSED), "{voided:?}");
            let (last, before) = aside.split_last().unwrap();
            assert!(
                last.is_some() && before.iter().all(Option::is_none),
                "{aside:?}"
            );
        }
    }

    #[test]
    fn one_worker_of_several_gives_up_nothing_however_often_it_says_so() {
        for (seat, excused) in [(Some(0), 2), (None, 0)] {
            let by = ["one"; 2 * MAX_VOIDS as usize];
            let (voided, aside) = claims(seat, &by, 2);
            assert!(aside.iter().all(Option::is_none), "{aside:?}");
            for (at, one) in voided.iter().enumerate() {
                let due = Voided {
                    is_its_fault: at >= excused,
                    // Others have time to take the match.
                    waits: at > 0,
                };
                assert_eq!(*one, due, "{seat:?}, {at}");
            }
        }
    }

    #[test]
    fn a_match_is_given_up_when_all_that_are_there_could_not_play_it() {
        let alone = ["one"; MAX_VOIDS as usize];
        let in_turns = ["one", "two"].repeat(MAX_VOIDS as usize / 2);
        for (by, workers) in [
            (&alone[..], 1),
            (&in_turns, 2),
            (&["one", "two", "three"], 40),
        ] {
            let (voided, _) = claims(None, by, workers);
            assert!(voided.iter().all(|one| one.is_its_fault && !one.waits));
            assert_eq!(given_up(by, workers), Some(by.len()));
        }
        assert_eq!(given_up(&alone, 2), None);
    }
}
