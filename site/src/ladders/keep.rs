//! Continuous ladders: for a game, a ladder without an end that every bot joins which is accepted for the game.
//!
//! Only for which games there is a ladder is stored. Everything else follows from the arena each time that it is looked
//! at: the ladder's tournament from its name, who is to join from the bots that are there and the entrants, and whether
//! it may play from its latest matches. So nothing is lost or done twice, however the server ends.

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use flipside_operations::{Failure, Joining, Leaving, Request, Result, cancel, join, withdraw};
use flipside_store::{Journal, unix_ms};
use flipside_tournament::{
    Bot, BotFile, BotRef, ChangeReason, Format, MAX_CHANGES, MAX_ENTRANTS, MAX_LADDER_MATCHES,
    Name, Tournament, TournamentSpec, game_in_names,
};

use super::history::LadderHistory;
use crate::accounts::people::folded;
use crate::shared::store::error::Error;
use crate::shared::threads::locked;
use crate::tournaments::host::state::{
    DesiredState, Host, HostShared, HostState, Priority, QueuedTournament, begun,
};

/// The most matches that a ladder may be asked to play in a day.
pub(crate) const MAX_A_DAY: u64 = 100_000;

/// How many matches a ladder plays after a bot has joined, also beyond those of a day, so that a newcomer does not wait
/// until the next day.
const FOR_NEWCOMER: u64 = 100;

/// A day, in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// How often the ladders are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The same while a request waits for the end of running matches.
const SHORT_LOOK: Duration = Duration::from_millis(250);

/// How long a ladder plays while another one waits.
const SLICE: Duration = Duration::from_secs(5 * 60);

/// How many changes a tournament must have room for, so that a bot can join it and older versions leave.
const ROOM: usize = 100;

/// What is said of a ladder with fewer than two bots.
const LONELY: &str = "it waits for a second bot";

/// A ladder that the server keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostedLadder {
    /// The game's id.
    pub(crate) game: String,
    /// About how many matches it plays in 24 hours.
    pub(crate) a_day: u64,
    /// The clock of its matches; empty: the default.
    pub(crate) clock: String,
    /// Bots that play beside those that were submitted for the game, as somebody has typed them.
    pub(crate) bots: Vec<String>,
}

/// How a ladder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LadderStatus {
    pub(crate) ladder: HostedLadder,
    /// Its tournament, if it has begun.
    pub(crate) tournament: Option<Name>,
    /// What it waits for or what has failed, if there is something.
    pub(crate) said: Option<String>,
}

impl Host {
    /// Keeps a ladder from now on, or changes by what it is kept.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) fn keep_ladder(&self, ladder: &HostedLadder) -> Result<()> {
        self.shared.store.put_ladder(ladder)?;
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Keeps the ladder of a game no longer; its running matches are finished. Says whether there was one.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) fn drop_ladder(&self, game: &str) -> Result<bool> {
        let known = self.shared.store.remove_ladder(game)?;
        let seen = self.shared.seen().of_game.remove(game);
        if let Some((Some(tournament), _)) = seen {
            self.shared.state().rest(&tournament)?;
        }
        Ok(known)
    }

    /// The ladders that the server keeps, and how they are.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn ladders(&self) -> Result<Vec<LadderStatus>> {
        let ladders = self.shared.store.ladders()?;
        let seen = self.shared.seen();
        let keeping = |ladder: HostedLadder| {
            let (tournament, said) = seen.of_game.get(&ladder.game).cloned().unwrap_or_default();
            LadderStatus {
                ladder,
                tournament,
                said,
            }
        };
        Ok(ladders.into_iter().map(keeping).collect())
    }

    /// Whether a tournament is that of a ladder which goes on: it is not over, however few matches are left.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn keeps(&self, tournament: &Tournament) -> Result<bool> {
        let ladders = self.shared.store.ladders()?;
        let mut of_game = ladders.iter();
        let is_kept = of_game.any(|ladder| is_ladder_of(tournament, &ladder.game));
        Ok(is_kept && !tournament.is_cancelled())
    }
}

impl HostShared {
    fn seen(&self) -> MutexGuard<'_, LadderHistory> {
        locked(&self.ladders)
    }

    /// Looks at the ladders again and again, until the host is closed, and whether others have waited for long enough.
    pub(crate) fn keep_ladders(&self) {
        let mut journal = None;
        loop {
            self.state().let_others_in();
            if let Err(failure) = self.look(&mut journal) {
                tracing::error!("the ladders: {failure}");
                journal = None;
            }
            let state = self.state();
            if state.is_closing {
                return;
            }
            let pause = state
                .share_left()
                .map_or(LOOK, |left| left.clamp(SHORT_LOOK, LOOK));
            let waited = self.changed.wait_timeout(state, pause);
            if waited.unwrap_or_else(PoisonError::into_inner).0.is_closing {
                return;
            }
        }
    }

    fn look(&self, journal: &mut Option<Journal>) -> Result<()> {
        let ladders = match self.store.ladders() {
            // The host is closed next.
            Err(Error::Stopping) => return Ok(()),
            ladders => ladders?,
        };
        if ladders.is_empty() {
            return Ok(());
        }
        let journal = match journal {
            Some(journal) => journal,
            none => none.insert(self.arena.read_journal()?),
        };
        for ladder in &ladders {
            // What is wrong with one ladder stops no other.
            let mut known = None;
            let said = ladder_of(journal, &ladder.game).and_then(|(name, found)| {
                known = found;
                match &known {
                    None => self.begin_ladder(journal, ladder, &name),
                    Some(known) => self.tend(journal, ladder, known),
                }
            });
            let said = said.unwrap_or_else(|failure| {
                tracing::warn!(game = ladder.game, "the ladder: {failure}");
                Some(failure.message().to_owned())
            });
            // It may have been dropped meanwhile.
            if self.store.ladders()?.contains(ladder) {
                let seen = (known.map(|known| known.name), said);
                self.seen().of_game.insert(ladder.game.clone(), seen);
            }
        }
        self.state().take_turns()
    }

    /// Begins the tournament of a ladder when there are enough bots. Gives what it waits for.
    fn begin_ladder(
        &self,
        journal: &Journal,
        ladder: &HostedLadder,
        name: &Name,
    ) -> Result<Option<String>> {
        let bots = journal.bots()?;
        let members = members(&bots, &ladder.game, &self.store.disabled_names()?);
        let mut typed: Vec<String> = members.iter().map(|bot| bot.label()).collect();
        let is_other = |word: &&String| {
            let name = word.split('@').next();
            members.iter().all(|bot| Some(bot.name.as_str()) != name)
        };
        typed.extend(ladder.bots.iter().filter(is_other).cloned());
        if typed.len() < 2 {
            return Ok(Some(LONELY.into()));
        }
        typed.truncate(MAX_ENTRANTS);
        if self.seen().failed.has(&(name.clone(), None)) {
            return Ok(self.said(&ladder.game));
        }
        let begun = self.begin_season(&spec(ladder, name, typed));
        if begun.is_err() {
            self.seen().failed.put((name.clone(), None));
        }
        begun.map(|()| None)
    }

    /// Enters a tournament into the journal. It is played when it is looked at the next time: what is in the journal
    /// does not depend on the queue.
    fn begin_season(&self, spec: &TournamentSpec) -> Result<()> {
        let request = Request::for_others(spec)?;
        let _one = locked(&self.beginning);
        self.enter_new(&request)
    }

    fn said(&self, game: &str) -> Option<String> {
        let seen = self.seen();
        seen.of_game.get(game).and_then(|(_, said)| said.clone())
    }

    /// Lets bots leave and join that are to, and sees to it that the ladder is played as often as it may. Gives what it
    /// waits for.
    fn tend(
        &self,
        journal: &Journal,
        ladder: &HostedLadder,
        known: &Tournament,
    ) -> Result<Option<String>> {
        let name = &known.name;
        let bots = journal.bots()?;
        let disabled = self.store.disabled_names()?;
        let field = LadderField::of(journal, known)?;
        for bot in field.present() {
            let why = match is_disabled(bot, &disabled) {
                true => "its account was disabled",
                false if !bot.is_here() => "it was deleted",
                false => continue,
            };
            self.leave(name, bot, why)?;
        }
        let mut failed = None;
        for bot in members(&bots, &ladder.game, &disabled) {
            if !field.can_join(bot) || self.seen().failed.has(&(name.clone(), Some(bot.id))) {
                continue;
            }
            if field.is_full() {
                // The next tournament has room only for those that have left.
                if field.present().count() < MAX_ENTRANTS {
                    return self.end_season(name);
                }
                failed = Some(format!("no more than {MAX_ENTRANTS} bots can play"));
                break;
            }
            // Many bots take long to join.
            self.state().let_others_in();
            if let Err(failure) = self.enter(name, bot) {
                tracing::warn!(ladder = name.as_str(), bot = bot.label(), "{failure}");
                self.seen().failed.put((name.clone(), Some(bot.id)));
                failed = Some(format!("{}: {}", bot.label(), failure.message()));
            }
        }
        let playing = self.play_ladder(journal, ladder, known)?;
        Ok(failed.or(playing))
    }

    fn leave(&self, name: &Name, bot: &Bot, why: &str) -> Result<()> {
        let which = BotRef {
            name: bot.name.clone(),
            version: Some(bot.version),
        };
        let reason: Option<ChangeReason> = why.parse().ok();
        let from = Some(name.as_str());
        withdraw(
            self.arena.path(),
            &which,
            from,
            Leaving::Withdrawn,
            reason.as_ref(),
        )?;
        tracing::info!(ladder = name.as_str(), bot = bot.label(), "leaves: {why}");
        Ok(())
    }

    fn enter(&self, name: &Name, bot: &Bot) -> Result<()> {
        let joining = Joining {
            bots: &[bot.label()],
            files: false,
            reason: None,
        };
        let mut note = |line: &str| tracing::info!(ladder = name.as_str(), "{line}");
        join(self.arena.path(), name.as_str(), &joining, &mut note)?;
        tracing::info!(ladder = name.as_str(), bot = bot.label(), "joins");
        Ok(())
    }

    /// The tournament of a ladder has no more room: it ends, and the next one begins.
    fn end_season(&self, name: &Name) -> Result<Option<String>> {
        let reason: Option<ChangeReason> = "it is full, and the ladder goes on in the next one"
            .parse()
            .ok();
        cancel(self.arena.path(), name.as_str(), reason.as_ref())?;
        tracing::info!(ladder = name.as_str(), "is full");
        Ok(Some("its next tournament begins".into()))
    }

    /// Puts a ladder into the queue, or takes it out when it has played enough.
    fn play_ladder(
        &self,
        journal: &Journal,
        ladder: &HostedLadder,
        known: &Tournament,
    ) -> Result<Option<String>> {
        let name = &known.name;
        let now = journal.tournament(name.as_str())?;
        let needed = usize::from(now.settings.seating().map_err(Failure::usage)?.bots());
        let present = (0..now.entrants.len()).filter(|&entrant| !now.has_left(entrant));
        let has_bots = present.count() >= needed.max(2);
        let may_play = may_play(journal, ladder, &now)?;
        let wanted = {
            let mut state = self.state();
            let wanted = state.find(name).map(|hosted| hosted.wanted.clone());
            if wanted == Some(DesiredState::Play) && !may_play {
                state.rest(name)?;
            }
            wanted
        };
        match wanted {
            None if may_play && has_bots => self.resume_as(name, Priority::Ladder)?,
            Some(DesiredState::Failed(why)) => {
                let again = (name.clone(), None);
                let mut seen = self.seen();
                // It is tried again at once, and from then on after a while.
                if !seen.failed.has(&again) {
                    seen.failed.put(again);
                    drop(seen);
                    self.resume_as(name, Priority::Ladder)?;
                }
                return Ok(Some(why));
            }
            _ => {}
        }
        Ok(match (has_bots, may_play) {
            (false, _) => Some(LONELY.into()),
            (_, false) => Some("it has played the matches of a day".into()),
            _ => None,
        })
    }
}

impl HostState {
    /// A ladder is not played for the time being. What somebody has paused stays so.
    fn rest(&mut self, name: &Name) -> Result<()> {
        if self
            .find(name)
            .is_none_or(|one| one.wanted != DesiredState::Play)
        {
            return Ok(());
        }
        self.remove(name)?;
        self.stop_soon(name);
        Ok(())
    }

    /// A ladder that has played for some time goes behind the others that wait.
    fn take_turns(&mut self) -> Result<()> {
        let Some(now) = self.now.as_ref() else {
            return Ok(());
        };
        let name = now.tournament.clone();
        let is_due = now.rank == Priority::Ladder && now.began.elapsed() >= SLICE;
        let waits = |one: &QueuedTournament| {
            self.may_play(one) && one.rank == Priority::Ladder && one.tournament != name
        };
        let Some(known) = self.find(&name).filter(|_| is_due).cloned() else {
            return Ok(());
        };
        if known.wanted != DesiredState::Play || !self.hosted.iter().any(waits) {
            return Ok(());
        }
        now.stop.soon();
        let since = unix_ms();
        self.put(QueuedTournament { since, ..known })
    }
}

/// Who is in a ladder's tournament, with those that are about to be.
struct LadderField<'a> {
    entrants: Vec<&'a Bot>,
    joining: Vec<Bot>,
    left: HashSet<usize>,
    changes: usize,
}

impl<'a> LadderField<'a> {
    fn of(journal: &Journal, known: &'a Tournament) -> Result<Self> {
        let requested = journal.requested_changes(known.id)?;
        let settled = known.changes.iter().map(|changed| changed.change);
        let all = settled.chain(requested.iter().map(|requested| requested.change));
        Ok(LadderField {
            entrants: known.entrants.iter().collect(),
            left: all.filter_map(|change| change.leaves()).collect(),
            changes: known.changes.len() + requested.len(),
            joining: requested.into_iter().filter_map(|one| one.bot).collect(),
        })
    }

    /// The bots that have not left, with those that are about to join.
    fn present(&self) -> impl Iterator<Item = &Bot> {
        let all = self.entrants.iter().copied().chain(&self.joining);
        let stays = |(entrant, bot)| (!self.left.contains(&entrant)).then_some(bot);
        all.enumerate().filter_map(stays)
    }

    /// Whether a bot was never in it, and no newer version of it is.
    fn can_join(&self, bot: &Bot) -> bool {
        let is_newer = |other: &Bot| other.name == bot.name && other.version > bot.version;
        let mut all = self.entrants.iter().copied().chain(&self.joining);
        all.all(|other| other.id != bot.id) && !self.present().any(is_newer)
    }

    /// Whether it has no room for a further bot.
    fn is_full(&self) -> bool {
        let entrants = self.entrants.len() + self.joining.len();
        entrants >= MAX_ENTRANTS || self.changes + ROOM > MAX_CHANGES
    }
}

/// The name of the n-th tournament of a game's ladder, from 1.
fn name_of(game: &str, season: u32) -> String {
    let game = game_in_names(game);
    match season {
        1 => format!("ladder-{game}"),
        _ => format!("ladder-{game}-{season}"),
    }
}

/// Whether a tournament is, or was, that of a game's ladder.
pub(crate) fn is_ladder_of(tournament: &Tournament, game: &str) -> bool {
    let settings = &tournament.settings;
    let first = name_of(game, 1);
    let rest = tournament.name.as_str().strip_prefix(&first);
    let is_season = |rest: &str| {
        let number = rest.strip_prefix('-').and_then(|rest| rest.parse().ok());
        rest.is_empty() || number.is_some_and(|number: u32| number > 1)
    };
    // Somebody may have taken the name for something else.
    rest.is_some_and(is_season)
        && settings.game == game
        && matches!(settings.format, Format::Ladder(_))
        && !settings.trust
}

/// The tournament of a game's ladder: the first one of its names that was not cancelled. Each is in its turn the ladder
/// until it is full or an organiser cancels it.
pub(super) fn ladder_of(journal: &Journal, game: &str) -> Result<(Name, Option<Tournament>)> {
    let mut season = 1;
    loop {
        let name: Name = name_of(game, season).parse().map_err(Failure::new)?;
        match begun(journal, &name)? {
            Some(other) if !is_ladder_of(&other, game) || other.is_cancelled() => season += 1,
            known => return Ok((name, known)),
        }
    }
}

/// What the tournament of a ladder is described by.
fn spec(ladder: &HostedLadder, name: &Name, bots: Vec<String>) -> TournamentSpec {
    let mut spec = TournamentSpec::default();
    spec.put("game", &*ladder.game);
    spec.put("bots", bots);
    spec.put("name", name.as_str());
    spec.put("title", format!("Ladder of {}", ladder.game));
    spec.put("format", "ladder");
    spec.put("matches", MAX_LADDER_MATCHES);
    if !ladder.clock.is_empty() {
        spec.put("clock", &*ladder.clock);
    }
    spec
}

fn is_disabled(bot: &Bot, disabled: &HashSet<String>) -> bool {
    disabled.contains(&folded(bot.name.as_str()))
}

/// The bots that belong into the ladder of a game: of each name the newest version that was accepted for it, if its
/// file is here and its account is not disabled.
fn members<'a>(bots: &'a [Bot], game: &str, disabled: &HashSet<String>) -> Vec<&'a Bot> {
    let mut newest: HashMap<&str, &Bot> = HashMap::new();
    // A built-in bot plays where somebody names it.
    let is_submitted = |bot: &&Bot| !matches!(bot.file, Some(BotFile::BuiltIn(_)));
    for bot in (bots.iter()).filter(|bot| is_submitted(bot) && bot.plays(game)) {
        let known = newest.entry(bot.name.as_str()).or_insert(bot);
        if bot.version > known.version {
            *known = bot;
        }
    }
    let mut members: Vec<&Bot> = newest.into_values().collect();
    members.retain(|bot| bot.is_here() && !is_disabled(bot, disabled));
    members.sort_by_key(|bot| bot.id);
    members
}

/// Whether a ladder has played less than it may in 24 hours, or a bot has joined for which it goes on.
fn may_play(journal: &Journal, ladder: &HostedLadder, known: &Tournament) -> Result<bool> {
    let since = unix_ms().saturating_sub(DAY);
    let has_begun = |matches: u64, after: u64| {
        let began = journal.began_at_from_the_end(known.id, matches)?;
        Ok::<_, Failure>(began.is_some_and(|began| began >= after))
    };
    if !has_begun(ladder.a_day, since)? {
        return Ok(true);
    }
    let joined = known.changes.iter();
    let joined = joined.filter(|changed| changed.change.joins().is_some());
    match joined.map(|changed| changed.at).max() {
        Some(last) if last >= since => Ok(!has_begun(FOR_NEWCOMER, last)?),
        _ => Ok(false),
    }
}
