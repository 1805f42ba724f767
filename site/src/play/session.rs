//! A person on a seat: what the person sees, and what the browser says for the person. The referee asks on its own
//! thread, and waits there until the browser has answered.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use flipside_games::{ActionPath, Info, Seat};
use flipside_operations::{FailureKind, Result};
use flipside_referee::{Decision, Match, Person, PersonUpdate, PlayedMatch, SeatView};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use crate::accounts::people::AccountId;
use crate::accounts::secret::SecretHash;
use crate::shared::rates::RateAddress;
use crate::shared::seat_sign::SeatSign;
use crate::shared::threads::locked;

/// How many lines of what has happened are kept.
const MAX_LINES: usize = 400;

/// Whose a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchOwner {
    Account(AccountId),
    /// By the hash of the guest's secret.
    Guest(SecretHash),
}

impl MatchOwner {
    pub(super) fn is_guest(self) -> bool {
        matches!(self, MatchOwner::Guest(_))
    }
}

/// A match with a person on a seat.
pub(crate) struct PlaySession {
    /// Whose match it is.
    pub(crate) owner: MatchOwner,
    /// Where a guest is, if guests there are told apart from those elsewhere.
    pub(super) from: Option<RateAddress>,
    /// The facts of the game.
    pub(crate) game: &'static Info,
    /// The names, by seat.
    pub(crate) names: Vec<String>,
    /// By seat.
    pub(super) signs: Vec<SeatSign>,
    /// The person's seat.
    pub(crate) own: Seat,
    /// Whether the seed was given: then the person may have known what comes, and chosen it.
    pub(super) is_seeded: bool,
    patience: Duration,
    state: Mutex<SessionState>,
    /// That the browser has said something, or the match has ended.
    said: Condvar,
    /// Counts what has changed for who watches.
    changes: watch::Sender<u64>,
}

struct SessionState {
    scene: SessionView,
    said: Option<PlayerCommand>,
    is_broken_off: bool,
    /// Whether the person has given up.
    has_left: bool,
    /// When the browser said something last, or the match has ended.
    touched: Instant,
}

/// What the person sees.
#[derive(Clone, Debug)]
pub(crate) struct SessionView {
    /// Counts the questions to the person.
    pub(crate) question: u64,
    pub(crate) phase: SessionPhase,
    /// The table as the person sees it, as SVG; empty before the match begins.
    pub(crate) board: String,
    /// The legal actions, while the person is asked.
    pub(crate) actions: Vec<OfferedAction>,
    /// Whether other seats choose at the same time.
    pub(crate) is_shared: bool,
    /// What has happened, the latest last.
    pub(crate) lines: Vec<String>,
    /// Why what the person chose is refused.
    pub(crate) refused: Option<String>,
}

/// A legal action.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "ActionShown")]
pub(crate) struct OfferedAction {
    /// In the game's notation.
    pub(crate) action: String,
    /// In words.
    pub(crate) words: String,
    /// How a person points at it on the board.
    pub(crate) path: ActionPath,
}

/// What the match waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionPhase {
    /// The bots start.
    Starting,
    /// Bots choose.
    Waiting,
    /// The person chooses.
    Yours,
    /// The match is over; this is its record, once it is written.
    Over(Ending),
    /// The match has ended without a result, for this reason.
    Ended(String),
}

/// How a match has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Why it is over.
    pub(crate) reason: String,
    /// The place of each seat, from 1.
    pub(crate) places: Vec<u8>,
    /// Whether the person gave it up.
    pub(crate) gave_up: bool,
    /// The record.
    pub(crate) record: Arc<str>,
}

/// What the browser says for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerCommand {
    /// To do this.
    Act(String),
    /// To leave the table, which loses a match of two sides.
    Leave,
}

impl PlaySession {
    pub(crate) fn new(
        (owner, from): (MatchOwner, Option<RateAddress>),
        the_match: &Match,
        own: Seat,
        is_seeded: bool,
        patience: Duration,
    ) -> Self {
        PlaySession {
            owner,
            from,
            game: the_match.game.info(),
            names: the_match
                .players
                .iter()
                .map(|player| player.name.clone())
                .collect(),
            signs: (0..)
                .zip(&the_match.players)
                .map(|(seat, _)| SeatSign::new(seat, the_match.game.look(seat)))
                .collect(),
            own,
            is_seeded,
            patience,
            state: Mutex::new(SessionState {
                scene: SessionView {
                    question: 0,
                    phase: SessionPhase::Starting,
                    board: String::new(),
                    actions: Vec::new(),
                    is_shared: false,
                    lines: Vec::new(),
                    refused: None,
                },
                said: None,
                is_broken_off: false,
                has_left: false,
                touched: Instant::now(),
            }),
            said: Condvar::new(),
            changes: watch::Sender::new(0),
        }
    }

    /// What the person sees now.
    pub(super) fn scene(&self) -> SessionView {
        self.state().scene.clone()
    }

    /// Hears when what the person sees has changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Answers a question for the person. What answers an earlier question is dropped, as when a form is sent twice.
    pub(crate) fn say(&self, question: u64, said: PlayerCommand) {
        let mut state = self.state();
        if state.scene.phase == SessionPhase::Yours && state.scene.question == question {
            state.said = Some(said);
            state.touched = Instant::now();
            self.said.notify_all();
        }
    }

    /// Ends the match without a result.
    pub(crate) fn break_off(&self) {
        self.state().is_broken_off = true;
        self.said.notify_all();
    }

    /// Waits until the match has ended and its bots with it.
    pub(super) fn wait_for_end(&self) {
        let state = self.state();
        let is_played = |state: &mut SessionState| state.scene.phase.is_played();
        let waited = self.said.wait_while(state, is_played);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether the match goes on.
    pub(crate) fn is_played(&self) -> bool {
        self.state().scene.phase.is_played()
    }

    /// Whether the match has ended so long ago that nobody will look at it.
    pub(crate) fn is_stale(&self, patience: Duration) -> bool {
        let state = self.state();
        !state.scene.phase.is_played() && state.touched.elapsed() > patience
    }

    /// Who sits there, for the referee.
    pub(crate) fn person(self: &Arc<Self>) -> impl Person + use<> {
        BrowserPerson(Arc::clone(self))
    }

    /// The match is over.
    pub(super) fn see_result(&self, played: &PlayedMatch) {
        let ending = Ending {
            reason: played.result.reason.clone(),
            places: played.result.places(),
            gave_up: self.state().has_left,
            record: played.record.as_str().into(),
        };
        self.change(|scene| scene.phase = SessionPhase::Over(ending));
    }

    /// The thread that played has ended.
    pub(crate) fn end(&self, played: Result<String>) {
        if let Err(failure) = played {
            tracing::warn!(failure = failure.message(), "a match of a person has ended");
            let why = match failure.kind() {
                FailureKind::Usage => failure.message().to_owned(),
                _ if self.state().is_broken_off => {
                    "nobody played it on, or the server stopped".into()
                }
                _ if self.state().has_left => "you gave up".into(),
                _ => "the server could not play it".into(),
            };
            self.change(|scene| scene.phase = SessionPhase::Ended(why));
        }
        self.state().touched = Instant::now();
        self.said.notify_all();
    }

    fn change(&self, change: impl FnOnce(&mut SessionView)) {
        change(&mut self.state().scene);
        self.changes.send_modify(|changes| *changes += 1);
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        locked(&self.state)
    }

    /// Waits for the person's choice.
    fn hear(&self, until: Instant) -> Option<PlayerCommand> {
        let mut state = self.state();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if state.is_broken_off || left.is_zero() {
                state.is_broken_off = true;
                return None;
            }
            if let Some(said) = state.said.take() {
                return Some(said);
            }
            let waited = self.said.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl SessionPhase {
    fn is_played(&self) -> bool {
        !matches!(self, SessionPhase::Over(_) | SessionPhase::Ended(_))
    }
}

/// A person whose words come from a browser.
struct BrowserPerson(Arc<PlaySession>);

impl Person for BrowserPerson {
    fn choose(&mut self, place: &SeatView<'_>) -> Decision {
        let actions = place.actions().into_iter().zip(place.paths());
        let actions = actions.map(|(action, path)| OfferedAction {
            words: place.action_in_words(&action),
            action,
            path,
        });
        let actions: Vec<OfferedAction> = actions.collect();
        let until = Instant::now() + self.0.patience;
        // What came after the last answer was for the last question.
        self.0.state().said = None;
        self.0.change(|scene| {
            scene.question += 1;
            scene.phase = SessionPhase::Yours;
            scene.board = place.svg();
            scene.actions = actions;
            scene.is_shared = place.is_shared();
        });
        loop {
            let decision = match self.0.hear(until) {
                None => Decision::BreakOff,
                Some(PlayerCommand::Leave) => {
                    self.0.state().has_left = true;
                    // With more sides, the others would play on for nobody.
                    match self.0.names.len() {
                        2 => Decision::Leave,
                        _ => Decision::BreakOff,
                    }
                }
                Some(PlayerCommand::Act(action)) => match place.check(&action) {
                    Ok(()) => Decision::Act(action),
                    Err(why) => {
                        let why = format!("{action}: {why}");
                        self.0.change(|scene| scene.refused = Some(why));
                        continue;
                    }
                },
            };
            self.0.change(|scene| {
                scene.phase = SessionPhase::Waiting;
                scene.actions.clear();
                scene.refused = None;
            });
            return decision;
        }
    }

    fn learn(&mut self, place: &SeatView<'_>, news: &PersonUpdate<'_>) {
        let lines = self.told(place, news);
        self.0.change(|scene| {
            if scene.phase == SessionPhase::Starting {
                scene.phase = SessionPhase::Waiting;
            }
            scene.board = place.svg();
            scene.lines.extend(lines);
            let more = scene.lines.len().saturating_sub(MAX_LINES);
            scene.lines.drain(..more);
        });
    }
}

impl BrowserPerson {
    /// What has happened, a line each.
    fn told(&self, place: &SeatView<'_>, news: &PersonUpdate<'_>) -> Vec<String> {
        match news {
            PersonUpdate::Draw(None) => Vec::new(),
            PersonUpdate::Draw(Some(draw)) => {
                vec![format!("Chance: {}", place.chance_in_words(draw))]
            }
            PersonUpdate::Acts(acts) => acts
                .iter()
                .map(|acted| {
                    let name = self.name(acted.seat);
                    let words = acted.action.map(|action| place.action_in_words(action));
                    let words = words.unwrap_or_else(|| "acts, hidden".into());
                    let by = if acted.stand_in { " (stand-in)" } else { "" };
                    format!("{name}{by}: {words}")
                })
                .collect(),
            PersonUpdate::Fault { seat, kind, .. } => {
                vec![format!("{} is disqualified: {kind}", self.name(*seat))]
            }
        }
    }

    fn name(&self, seat: Seat) -> String {
        let name = &self.0.names[usize::from(seat)];
        match (seat == self.0.own, self.0.names.len()) {
            (true, _) => "You".into(),
            (false, 2) => name.clone(),
            (false, _) => format!("Seat {seat}, {name}"),
        }
    }
}
