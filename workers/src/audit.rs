//! Audits: a share of the matches is played again to see whether the workers tell the truth.
//!
//! Where nothing but modules plays, on clocks that count fuel, a second worker plays the match from its beginning, and
//! must return the same bytes. Its job says nothing of an audit, but it can guess it, for blocks are not whole. So
//! two workers that belong together can spare each other, and the arena plays some matches itself. It also plays the
//! modules itself where bytes differ, so no worker can get another one banned. Other matches are not audited: a
//! process may decide otherwise each time, and on a clock of time a second worker would see other times.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use flipside_operations::Rerunner;
use flipside_referee::Record;
use flipside_runner::{RemoteBlocks, ToAudit};
use flipside_store::Audit;

use crate::job::MatchOutcome;
use crate::transport::names::JobId;

/// How long a match that is to be played again waits for others, to be sent in one job.
const GATHER: Duration = Duration::from_secs(1);

/// How often a match is sent to a second worker. Afterwards the arena plays its modules.
const MAX_TRIES: u32 = 3;

/// After so long, a second worker is not waited for any more; and at least after so many times the mean time of the
/// matches in its job.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_TIMES: u32 = 10;

/// The most that is waited.
const MOST_PATIENCE: Duration = Duration::from_secs(3600);

/// Of the matches that a second worker could play, the arena plays this share itself, so that workers that lie together
/// are found, too.
const ARENA_SHARE: f64 = 0.1;

/// While so many matches wait for the arena, or are audited, none is drawn.
const MAX_FOR_THE_ARENA: usize = 64;
const MAX_CASES: usize = 1_024;

/// The audits of a run.
pub(crate) struct Audits {
    /// How probable it is for each match that it is audited.
    share: f64,
    /// What is being audited, by index.
    cases: HashMap<u64, AuditCase>,
    /// What is to be sent to a second worker, and since when the first of them waits.
    waiting: Vec<u64>,
    waits_since: Option<Instant>,
    /// What second workers have, by job.
    jobs: HashMap<JobId, SentAudit>,
    /// Whether a match was not drawn because too many are audited.
    has_skipped: bool,
    /// How many matches wait for the arena.
    for_the_arena: usize,
    arena: ArenaThread,
    /// Workers of which nothing counts: they have sent what is not true, or are of no use.
    banned: HashSet<String>,
    /// Workers that have answered in this run.
    seen: HashSet<String>,
}

/// A job of matches that are audited.
struct SentAudit {
    /// Until when it is waited for.
    until: Instant,
    matches: HashSet<u64>,
    /// Whether its matches were sent again. What comes of it counts all the same.
    is_lost: bool,
}

/// A match that is audited.
struct AuditCase {
    first: ToAudit,
    tries: u32,
}

impl Audits {
    /// Audits this share of the matches, from 0 to 1, of the arena in this folder.
    pub(crate) fn new(share: f64, arena: &Path, banned: &[String]) -> Self {
        Audits {
            share,
            cases: HashMap::new(),
            waiting: Vec::new(),
            waits_since: None,
            jobs: HashMap::new(),
            has_skipped: false,
            for_the_arena: 0,
            arena: ArenaThread::new(arena),
            banned: banned.iter().cloned().collect(),
            seen: HashSet::new(),
        }
    }

    /// A worker has answered.
    pub(crate) fn seen(&mut self, worker: &str) {
        self.seen.insert(worker.into());
    }

    /// Whether nothing of a worker counts.
    pub(crate) fn is_banned(&self, worker: &str) -> bool {
        self.banned.contains(worker)
    }

    /// Nothing of a worker counts in this run any more. Says whether that is new.
    pub(crate) fn leave_out(&mut self, worker: &str) -> bool {
        self.banned.insert(worker.into())
    }

    /// Nothing of a worker counts in this arena any more: what it has returned of a match is not true.
    pub(crate) fn ban(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        worker: &str,
        (index, what): (u64, &str),
    ) {
        if self.banned.insert(worker.into()) {
            blocks.ban(worker, &format!("match {index}: {what}"));
        }
    }

    /// Draws whether the next match is audited; and whether it is the first that is not only because too many are.
    pub(crate) fn draw(&mut self) -> (bool, bool) {
        if rand::random::<f64>() >= self.share {
            return (false, false);
        }
        let is_full = self.for_the_arena >= MAX_FOR_THE_ARENA || self.cases.len() >= MAX_CASES;
        let had_skipped = self.has_skipped;
        self.has_skipped |= is_full;
        (!is_full, is_full && !had_skipped)
    }

    /// Begins to audit a match.
    pub(crate) fn begin(&mut self, blocks: &mut RemoteBlocks<'_>, first: ToAudit) {
        let index = first.index;
        self.cases.insert(index, AuditCase { first, tries: 0 });
        match rand::random::<f64>() < ARENA_SHARE {
            true => self.ask_the_arena(blocks, index, None),
            false => self.wait_for_a_worker(index),
        }
    }

    /// What is to be sent to a second worker now, if it is. `workers` is how many are known to be there; `is_idle` says
    /// that nothing else is to be played.
    pub(crate) fn due(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        workers: usize,
        is_idle: bool,
    ) -> Vec<u64> {
        self.give_up(blocks);
        let waits = |since: Instant| is_idle || since.elapsed() > GATHER;
        if !self.waits_since.is_some_and(waits) {
            return Vec::new();
        }
        self.waits_since = None;
        let waiting = std::mem::take(&mut self.waiting);
        let seen = self.seen.difference(&self.banned).count();
        if workers.max(seen) > 1 {
            return waiting;
        }
        for index in waiting {
            self.ask_the_arena(blocks, index, None);
        }
        Vec::new()
    }

    /// A job of these matches is out, each of which takes about so long.
    pub(crate) fn sent(&mut self, job: JobId, all: &[u64], mean: Duration) {
        for index in all {
            if let Some(case) = self.cases.get_mut(index) {
                case.tries += 1;
            }
        }
        let number = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let time = mean.saturating_mul(number.saturating_mul(PATIENCE_TIMES));
        let sent = SentAudit {
            until: Instant::now() + time.clamp(PATIENCE, MOST_PATIENCE),
            matches: all.iter().copied().collect(),
            is_lost: false,
        };
        self.jobs.insert(job, sent);
    }

    /// A job of these matches could not be sent.
    pub(crate) fn unsent(&mut self, all: Vec<u64>) {
        for index in all {
            self.wait_for_a_worker(index);
        }
    }

    /// The matches of a job, if it is an audit. What is missing in its answer is to be sent again.
    pub(crate) fn answered(&mut self, job: &JobId) -> Option<HashSet<u64>> {
        self.jobs.remove(job).map(|sent| sent.matches)
    }

    /// Whether a job is an audit that is out.
    pub(crate) fn has_sent(&self, job: &JobId) -> bool {
        self.jobs.contains_key(job)
    }

    /// Sends the matches of a job again, if it is an audit: nothing of the worker counts that has answered it.
    pub(crate) fn send_again(&mut self, blocks: &mut RemoteBlocks<'_>, job: &JobId) {
        let Some(sent) = self.jobs.get_mut(job) else {
            return;
        };
        if !std::mem::replace(&mut sent.is_lost, true) {
            for index in sent.matches.clone() {
                self.again(blocks, index);
            }
        }
    }

    /// Whether something is out or waits.
    pub(crate) fn is_busy(&self) -> bool {
        !self.cases.is_empty()
    }

    /// Takes what came of a match when this worker played it again.
    pub(crate) fn take(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        index: u64,
        worker: &str,
        outcome: Option<MatchOutcome>,
    ) {
        let Some(case) = self.cases.get(&index) else {
            return;
        };
        let Some(MatchOutcome::Played(returned)) = outcome else {
            return self.again(blocks, index);
        };
        match blocks.is_same(&case.first, &returned) {
            Err(why) => {
                self.ban(blocks, worker, (index, &why));
                self.again(blocks, index);
            }
            // It agrees with itself, whether it tells the truth or not.
            Ok(_) if worker == case.first.worker => self.again(blocks, index),
            Ok(true) => self.end(blocks, index, Some((worker, None))),
            Ok(false) => {
                let second = (worker.to_owned(), returned.record);
                self.ask_the_arena(blocks, index, Some(second));
            }
        }
    }

    /// Takes what the arena has found meanwhile.
    pub(crate) fn take_findings(&mut self, blocks: &mut RemoteBlocks<'_>) {
        loop {
            match self.arena.findings.try_recv() {
                Ok(found) => self.take_finding(blocks, found),
                Err(TryRecvError::Empty) => return,
                // Its thread has ended, and finds out nothing any more.
                Err(TryRecvError::Disconnected) => {
                    for index in self.cases.keys().copied().collect::<Vec<_>>() {
                        self.end(blocks, index, None);
                    }
                    return;
                }
            }
        }
    }

    fn take_finding(&mut self, blocks: &mut RemoteBlocks<'_>, found: AuditFinding) {
        let index = found.index;
        self.for_the_arena -= 1;
        if let Some((worker, RerunOutcome::Differs(what))) = found.second {
            self.ban(blocks, &worker, (index, &what));
        }
        let by_the_arena = match found.first {
            RerunOutcome::Unknown => None,
            RerunOutcome::Same => Some(("", None)),
            RerunOutcome::Differs(what) => Some(("", Some(what))),
        };
        self.end(blocks, index, by_the_arena);
    }

    /// What second workers do not return in time is not waited for.
    fn give_up(&mut self, blocks: &mut RemoteBlocks<'_>) {
        let now = Instant::now();
        let late = self.jobs.extract_if(|_, sent| sent.until < now);
        let late: Vec<SentAudit> = late.map(|(_, sent)| sent).collect();
        self.give_up_these(blocks, late);
    }

    /// No second worker is waited for any more.
    pub(crate) fn give_up_all(&mut self, blocks: &mut RemoteBlocks<'_>) {
        let all = self.jobs.drain().map(|(_, sent)| sent).collect();
        self.give_up_these(blocks, all);
    }

    fn give_up_these(&mut self, blocks: &mut RemoteBlocks<'_>, jobs: Vec<SentAudit>) {
        // Those that are lost were sent again.
        let jobs = jobs.into_iter().filter(|sent| !sent.is_lost);
        for index in jobs.flat_map(|sent| sent.matches) {
            self.ask_the_arena(blocks, index, None);
        }
    }

    /// A second worker has not played a match, or it was the one that had played it before.
    fn again(&mut self, blocks: &mut RemoteBlocks<'_>, index: u64) {
        match self.cases.get(&index) {
            Some(case) if case.tries < MAX_TRIES => self.wait_for_a_worker(index),
            _ => self.ask_the_arena(blocks, index, None),
        }
    }

    fn wait_for_a_worker(&mut self, index: u64) {
        self.waiting.push(index);
        self.waits_since.get_or_insert_with(Instant::now);
    }

    /// Lets the arena play the modules of a match again, and those of the record that a second worker returned.
    pub(crate) fn ask_the_arena(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        index: u64,
        second: Option<(String, String)>,
    ) {
        let Some(case) = self.cases.get(&index) else {
            return;
        };
        let question = AuditQuestion {
            index,
            first: case.first.record.clone(),
            second,
        };
        match self.arena.questions.send(question) {
            Ok(()) => self.for_the_arena += 1,
            // Its thread has ended, so nobody finds it out.
            Err(_) => self.end(blocks, index, None),
        }
    }

    /// Ends an audit: who played the match again, empty for the arena, and what differs, for which its worker is
    /// banned. Nothing where nobody could.
    fn end(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        index: u64,
        found: Option<(&str, Option<String>)>,
    ) {
        let Some(AuditCase { first, .. }) = self.cases.remove(&index) else {
            return;
        };
        let differs = found
            .as_ref()
            .and_then(|(_, difference)| difference.as_ref());
        let reason = differs.map(|what| format!("match {index}: {what}"));
        if reason.is_some() {
            self.banned.insert(first.worker.clone());
        }
        let audit = found.map(|(auditor, difference)| audit_of(first, auditor, difference));
        blocks.end_audit(index, audit, reason.as_deref());
    }
}

fn audit_of(first: ToAudit, auditor: &str, difference: Option<String>) -> Audit {
    Audit {
        index: first.index,
        worker: first.worker,
        auditor: auditor.into(),
        // A worker may say what another one has told it.
        proves: auditor.is_empty() && difference.is_none(),
        record: first.sha256,
        difference,
    }
}

/// The thread on which the arena plays modules again. It ends when its questions do.
struct ArenaThread {
    questions: Sender<AuditQuestion>,
    findings: Receiver<AuditFinding>,
}

struct AuditQuestion {
    index: u64,
    /// The record that is audited.
    first: String,
    /// The record of a second worker, and its name.
    second: Option<(String, String)>,
}

struct AuditFinding {
    index: u64,
    first: RerunOutcome,
    second: Option<(String, RerunOutcome)>,
}

/// What was found of the modules of a record.
enum RerunOutcome {
    /// They give the answers of the record.
    Same,
    /// They do not: what differs.
    Differs(String),
    /// They could not be played, or their files are not in the arena.
    Unknown,
}

impl ArenaThread {
    fn new(folder: &Path) -> Self {
        let (questions, asked) = channel::<AuditQuestion>();
        let (answer, findings) = channel();
        let folder = folder.to_owned();
        thread::spawn(move || {
            let rerunner = Rerunner::new(&folder);
            // A fault of ours is not to let audits wait for ever.
            let find = |record: &str| {
                let found = catch_unwind(AssertUnwindSafe(|| find(&rerunner, record)));
                found.unwrap_or(RerunOutcome::Unknown)
            };
            for question in asked {
                let second = question.second;
                let finding = AuditFinding {
                    index: question.index,
                    first: find(&question.first),
                    second: second.map(|(worker, record)| (worker, find(&record))),
                };
                if answer.send(finding).is_err() {
                    return;
                }
            }
        });
        ArenaThread {
            questions,
            findings,
        }
    }
}

fn find(rerunner: &Rerunner, record: &str) -> RerunOutcome {
    let record = match Record::read(record) {
        Ok(record) => record,
        Err(error) => return RerunOutcome::Differs(error.to_string()),
    };
    match rerunner.play(&record) {
        Ok(Ok(rerun)) if rerun.absent > 0 => {
            tracing::warn!(
                id = record.header.id,
                "the files of a match that is audited are not here"
            );
            RerunOutcome::Unknown
        }
        Ok(Ok(_)) => RerunOutcome::Same,
        Ok(Err(what)) => RerunOutcome::Differs(what),
        Err(failure) => {
            let id = record.header.id;
            tracing::warn!(id, %failure, "a match could not be audited");
            RerunOutcome::Unknown
        }
    }
}
