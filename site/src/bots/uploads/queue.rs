//! One check after the other, on a thread of its own, always in the jail.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use flipside_operations::{
    CHECKS, CheckNews, CheckRequest, Checked, FailureKind, Processes, Result, check,
    is_sample_name, submit_checked,
};
use flipside_report::plain_line;
use flipside_runner::StopSignal;
use flipside_sandbox::Program;
use flipside_store::{Arena, unix_ms};
use flipside_tournament::{Bot, Name};
use schemars::JsonSchema;
use serde::Serialize;

use super::folder::UploadFolder;
use super::limits::UploadLimits;
use super::report::{Step, UploadReport};
use super::rows::{Upload, UploadId, UploadState, UploadVerdict};
use crate::accounts::people::{AccountId, folded};
use crate::shared::store::AccountStore;
use crate::shared::store::error::Error;
use crate::shared::threads::locked;

/// How long to wait when the store or the arena fails.
const PAUSE: Duration = Duration::from_secs(5);

/// How often the thread looks for work that it was not told of.
const LOOK: Duration = Duration::from_secs(60);

/// How often a check is tried for which the machine lacks something, [`LOOK`] apart: for about an hour.
const MAX_TRIES: u32 = 60;

/// A check for which the machine lacked something.
struct PostponedCheck {
    tries: u32,
    /// When it is tried again.
    again: Instant,
}

/// The queue of checks.
pub(crate) struct UploadQueue {
    shared: Arc<QueueShared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct QueueShared {
    arena: Arena,
    store: Arc<AccountStore>,
    folder: Arc<UploadFolder>,
    limits: UploadLimits,
    stop: StopSignal,
    progress: Mutex<Option<Progress>>,
    /// Whether there may be something new; with it, the thread is woken.
    woken: Mutex<bool>,
    wake: Condvar,
}

/// How far a check is.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "CheckProgress")]
pub(crate) struct Progress {
    #[serde(skip)]
    pub(crate) upload: UploadId,
    /// What is checked now.
    pub(crate) now: String,
    /// The steps that were taken.
    pub(crate) steps: Vec<Step>,
    /// How many steps there are.
    pub(crate) of: usize,
}

impl UploadQueue {
    /// Begins to check what waits.
    pub(crate) fn start(
        arena: Arena,
        store: Arc<AccountStore>,
        folder: Arc<UploadFolder>,
        limits: UploadLimits,
    ) -> Self {
        let shared = Arc::new(QueueShared {
            arena,
            store,
            folder,
            limits,
            stop: StopSignal::default(),
            progress: Mutex::new(None),
            woken: Mutex::new(true),
            wake: Condvar::new(),
        });
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.work()
        });
        UploadQueue {
            shared,
            thread: Mutex::new(Some(thread)),
        }
    }

    /// There is something new.
    pub(crate) fn wake(&self) {
        self.shared.wake();
    }

    /// The check that runs, if it is that of this upload.
    pub(crate) fn progress(&self, upload: UploadId) -> Option<Progress> {
        let progress = locked(&self.shared.progress);
        progress
            .clone()
            .filter(|progress| progress.upload == upload)
    }

    /// Asks the running check to end: it begins again when the site starts again.
    pub(crate) fn stop(&self) {
        self.shared.stop.now();
        self.shared.wake();
    }

    /// Waits until it has ended, and no longer than until `end`.
    pub(crate) fn wait(&self, end: Instant) {
        let Some(thread) = locked(&self.thread).take() else {
            return;
        };
        while !thread.is_finished() && Instant::now() < end {
            thread::sleep(Duration::from_millis(10));
        }
        match thread.is_finished() {
            true if thread.join().is_err() => tracing::error!("the queue of checks panicked"),
            true => {}
            false => tracing::warn!("a check did not end in time; it is begun again at the start"),
        }
    }
}

impl Drop for UploadQueue {
    fn drop(&mut self) {
        self.stop();
        self.wait(Instant::now() + PAUSE);
    }
}

impl QueueShared {
    fn wake(&self) {
        *locked(&self.woken) = true;
        self.wake.notify_all();
    }

    fn sleep(&self, time: Duration) {
        let woken = locked(&self.woken);
        let (mut woken, _) = self
            .wake
            .wait_timeout_while(woken, time, |woken| !*woken)
            .unwrap_or_else(PoisonError::into_inner);
        *woken = false;
    }

    fn work(&self) {
        let mut lacking: HashMap<UploadId, PostponedCheck> = HashMap::new();
        // How many checks one after the other lacked something: the machine lacks it then, and not one bot.
        let mut in_a_row = 0;
        while !self.stop.is_asked() {
            if in_a_row > 1 {
                self.sleep(LOOK);
                in_a_row = 0;
            }
            let now = Instant::now();
            let later = lacking.iter().filter(|(_, lacking)| lacking.again > now);
            let later: HashSet<UploadId> = later.map(|(id, _)| *id).collect();
            match self.store.begin_check(&later) {
                Ok(Some(upload)) => {
                    self.take(&upload, &mut lacking);
                    let lacked = lacking.contains_key(&upload.id);
                    in_a_row = if lacked { in_a_row + 1 } else { 0 };
                }
                Ok(None) => {
                    let due = lacking.values().map(|lacking| lacking.again);
                    let due = due.filter(|again| *again > now).min();
                    self.sleep(due.map_or(LOOK, |due| (due - now).min(LOOK)));
                }
                Err(Error::Stopping) => return,
                Err(error) => {
                    tracing::error!(%error, "cannot look for uploads");
                    self.sleep(PAUSE);
                }
            }
        }
    }

    /// Checks an upload, and notes what came of it.
    fn take(&self, upload: &Upload, lacking: &mut HashMap<UploadId, PostponedCheck>) {
        let id = upload.id.0;
        tracing::info!(id, name = upload.name.as_str(), "a check begins");
        let tries = lacking
            .remove(&upload.id)
            .map_or(0, |lacking| lacking.tries)
            + 1;
        let judged = catch_unwind(AssertUnwindSafe(|| self.judge(upload, tries)));
        *locked(&self.progress) = None;
        // The others are checked all the same.
        let failed = || UploadVerdict::without_bot(UploadState::Failed, "the server failed", None);
        let verdict = judged.unwrap_or_else(|_| Some(failed()));
        if verdict.is_none() {
            let again = Instant::now() + LOOK;
            lacking.insert(upload.id, PostponedCheck { tries, again });
        }
        let note = || match &verdict {
            None => self.store.put_back(upload.id),
            Some(verdict) => self.end(upload, verdict),
        };
        while let Err(error) = note() {
            tracing::error!(%error, id, "cannot note how a check ended");
            if matches!(error, Error::Stopping) || self.stop.is_asked() {
                return;
            }
            self.sleep(PAUSE);
        }
        let state = verdict.map_or(UploadState::Waiting, |verdict| verdict.state);
        tracing::info!(id, state = state.name(), "a check ended");
    }

    fn end(&self, upload: &Upload, verdict: &UploadVerdict) -> std::result::Result<(), Error> {
        // Where that cannot be known, the name is not given to others.
        let is_in_arena = is_taken(&self.arena, &upload.name).unwrap_or(true);
        self.store
            .end_check(upload, verdict, is_in_arena, unix_ms())?;
        self.folder.remove(&upload.file);
        Ok(())
    }

    /// What is to be said of an upload, which is tried so often now; nothing where the check was broken off.
    fn judge(&self, upload: &Upload, tries: u32) -> Option<UploadVerdict> {
        let path = self.folder.path(&upload.file);
        match self.check(upload, &path) {
            Ok(verdict) => Some(verdict),
            Err(_) if self.stop.is_asked() => None,
            // It is no fault of the bot's. Others are checked meanwhile.
            Err(failure) if may_be_there_later(failure.kind()) && tries < MAX_TRIES => {
                tracing::error!(id = upload.id.0, "a check waits: {failure}");
                None
            }
            Err(failure) => {
                let path = path.display().to_string();
                let shown = |text: &str| plain_line(&text.replace(&path, &upload.name));
                let mut said = shown(failure.message());
                for hint in failure.hints() {
                    said += &format!("; {}", shown(hint));
                }
                let is_of_bot = matches!(failure.kind(), FailureKind::Usage | FailureKind::Bot);
                if !is_of_bot {
                    tracing::error!(id = upload.id.0, said, "a check failed");
                }
                let state = match is_of_bot {
                    true => UploadState::Refused,
                    false => UploadState::Failed,
                };
                Some(UploadVerdict::without_bot(state, said, None))
            }
        }
    }

    fn check(&self, upload: &Upload, path: &Path) -> Result<UploadVerdict> {
        let refused =
            |said: &str, report| UploadVerdict::without_bot(UploadState::Refused, said, report);
        if !self.store.is_enabled(upload.account)? {
            return Ok(refused("its account was disabled", None));
        }
        let Ok(name) = upload.name.parse::<Name>() else {
            return Ok(refused("a bot cannot have its name", None));
        };
        let program = Program::open(path)?;
        if let Some(bot) = self.entered(upload, &program)? {
            // The server ended between the entry and the note of it.
            return Ok(UploadVerdict::accepted(bot, None));
        }
        if let Some(said) = self.too_large_for_account(upload, &program)? {
            return Ok(refused(&said, None));
        }
        let checked = self.run(upload, &program)?;
        let report = UploadReport::of(&checked, program.path(), &upload.name);
        if !checked.passed() {
            let said = report.failure_in_words();
            return Ok(refused(&said, Some(report)));
        }
        if checked.games.is_empty() {
            return Ok(refused("it plays no game of this arena", Some(report)));
        }
        let games = &checked.games;
        let submitted = submit_checked(&self.arena, &program, &name, games, Vec::new())?;
        let report = UploadReport {
            warnings: submitted.warnings,
            ..report
        };
        Ok(UploadVerdict::accepted(submitted.bot.label(), Some(report)))
    }

    /// Takes the steps of the check.
    fn run(&self, upload: &Upload, program: &Program) -> Result<Checked> {
        let request = CheckRequest {
            bot: &upload.name,
            program,
            games: &upload.games,
            also: None,
            clock: self.limits.clock,
            quick: true,
            time: Some(self.limits.check),
            steps: &[],
            processes: Processes::default(),
            stop: &self.stop,
        };
        *locked(&self.progress) = Some(Progress {
            upload: upload.id,
            now: String::new(),
            steps: Vec::new(),
            of: CHECKS.len(),
        });
        check(self.arena.path(), &request, &mut |news| {
            if let Some(progress) = &mut *locked(&self.progress) {
                match news {
                    CheckNews::Begins(step) => step.purpose.clone_into(&mut progress.now),
                    CheckNews::Done(step) => {
                        progress
                            .steps
                            .push(Step::of(step, program.path(), &upload.name));
                    }
                }
            }
            Ok(())
        })
    }

    /// The bot that this very upload has become before, if it has.
    fn entered(&self, upload: &Upload, program: &Program) -> Result<Option<String>> {
        let bots = self.arena.read_journal()?.bots()?;
        let mut own = bots.iter().filter(|bot| bot.name.as_str() == upload.name);
        let found = own.find(|bot| {
            let is_new = bot.submitted_at >= upload.created_at;
            is_new && bot.is_here() && bot.sha256 == program.sha256()
        });
        Ok(found.map(Bot::label))
    }

    /// Why there is no room for a bot among those of its account, if there is none: how large it is unpacked is known
    /// only when all of it is there.
    fn too_large_for_account(&self, upload: &Upload, program: &Program) -> Result<Option<String>> {
        let bots = self.arena.read_journal()?.bots()?;
        let mut there = bots.iter().filter(|bot| bot.is_here());
        if there.any(|bot| bot.sha256 == program.sha256()) {
            return Ok(None);
        }
        let own = own_bytes(&self.arena, &self.store, upload.account)?;
        let size = program.size();
        let is_too_large = own.saturating_add(size) > self.limits.account_bytes;
        let said = || {
            let rest = too_much(own, &self.limits);
            format!("unpacked it has {size} bytes; {rest}; {ASK_TO_DELETE}")
        };
        Ok(is_too_large.then(said))
    }
}

/// Whether a check failed for want of something that the machine may have another time, such as room on the disk.
fn may_be_there_later(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::Full | FailureKind::Short | FailureKind::Busy
    )
}

/// What an author can do whose bots take all that they may.
pub(super) const ASK_TO_DELETE: &str = "ask an organiser to delete old versions";

/// The bytes of all bots of an account that are in the arena; of bundles, as they are unpacked.
pub(super) fn own_bytes(arena: &Arena, store: &AccountStore, account: AccountId) -> Result<u64> {
    let owned = store.owned(account)?;
    let bots = arena.read_journal()?.bots()?;
    let is_own = |bot: &&Bot| bot.is_here() && owned.contains(&folded(bot.name.as_str()));
    Ok(bots.iter().filter(is_own).map(|bot| bot.size).sum())
}

/// That the bots of an account have so many bytes that there is no room for another.
pub(super) fn too_much(bytes: u64, limits: &UploadLimits) -> String {
    let most = limits.account_bytes;
    format!("your bots have {bytes} bytes, and may have {most}")
}

/// Whether the arena has or had a bot of this name, or keeps the name for a sample. Names that differ in case only are
/// one. Of a bot that was renamed, records and entries of leagues have the former name.
pub(crate) fn is_taken(arena: &Arena, name: &str) -> Result<bool> {
    if is_sample_name(name) {
        return Ok(true);
    }
    let bots = arena.read_journal()?.bots()?;
    let mut names = (bots.iter()).flat_map(|bot| bot.former_names.iter().chain([&bot.name]));
    Ok(names.any(|one| one.as_str().eq_ignore_ascii_case(name)))
}
