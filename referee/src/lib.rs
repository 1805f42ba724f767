//! One match: seats, clocks, faults, the record; and verifying a record without the bots.
//!
//! The referee asks, the bots answer, the rules judge. A bot's wrong is a [`Fault`] and becomes
//! part of the result; the host's wrong is an [`Error`] and voids the match. Only this crate holds
//! a clock.
//!
//! ```no_run
//! use flipside_referee::{MatchSeed, Player, Referee, Match};
//! use flipside_sandbox::{Program, Sandbox, SandboxSettings};
//!
//! let sandbox = Sandbox::new(SandboxSettings::default());
//! let player = Player::of(Program::open("first.wat")?);
//! let mut referee = Referee::new(sandbox)?;
//! let played = referee.play(&Match {
//!     id: "example".into(),
//!     game: flipside_games::find("flipfour").expect("built in"),
//!     options: "{}".into(),
//!     clock: "move=1s".parse()?,
//!     seed: MatchSeed::from_number(1),
//!     players: vec![player.clone(), player],
//!     opening_plies: 0,
//!     patience: None,
//! })?;
//! flipside_referee::verify(&played.record)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod bot_pool;
mod bot_settings;
mod clock;
mod diagnosis;
mod error;
mod event;
mod event_log;
mod fault;
mod game_program;
mod match_setup;
mod model_use;
mod observer;
mod opening;
mod pauses;
mod person;
mod play;
mod questions;
mod ranges;
mod record;
mod recorder;
mod referee;
mod replay;
mod result;
mod seat;
mod seating;
mod seed;
mod signature;
mod state;
mod suspend_counter;
mod tally;
mod thinking;
mod traffic;
mod transcript;
mod verify;
mod watch;

pub use answer::{MIN_RUN_DELAY, MeasuredTime};
pub use bot_settings::{
    BOT_MEMORY, BotSettings, BotSettingsError, LONGEST_BOT_OPTIONS, LONGEST_VARIABLE, MAX_AT_ONCE,
    MAX_BOT_VARIABLES,
};
pub use diagnosis::without_stderr;
pub use error::Error;
pub use event_log::EventLog;
pub use fault::{Fault, FaultKind, LONGEST_EVIDENCE};
pub use game_program::{GameTimes, game_host, game_host_with, open_game};
pub use match_setup::{Match, PERSON, Player};
pub use model_use::ModelUse;
pub use observer::{Observer, ObserverEvent};
pub use opening::{MAX_OPENING_PLIES, OPENING_TRIES, OpeningError, opening_fits};
pub use pauses::Paused;
pub use person::{Decision, Person, PersonUpdate, SeatChoice, SeatView};
pub use questions::{Questions, RecordedAnswer, SentLine};
pub use ranges::{
    LONGEST_DETAIL, LONGEST_ID, LONGEST_SEAT_NAME, MAX_PROCESSORS, is_machine, steers,
};
pub use record::{
    ActLine, FORMAT, FaultLine, Header, LONGEST_RECORD, LONGEST_RECORD_LINE, Line, NOTES_QUOTA,
    OverLine, ReadyLine, Record, RecordError, SeatLine, sign_record, without_choices,
};
pub use referee::{Referee, STOP_LOOK};
pub use replay::Replay;
pub use result::{LARGEST_NUMBER, MatchResult, PlayedMatch, SeatFault, SeatResult, SeatTrace};
pub use seat::{MAX_LATENESS, OVER_ALLOWANCE};
pub use seed::{MatchSeed, Salt, SaltError};
pub use signature::{KeyError, PublicKey, SecretKey, Signature, SignedKind, is_hex};
pub use state::BY_FAULT;
pub use suspend_counter::{SUSPEND_HEARD, SuspendCounter};
pub use thinking::thinking_at_once;
pub use traffic::{TRAFFIC_LINE, TRAFFIC_LINES, TrafficLine};
pub use transcript::{TRANSCRIPT_FORMAT, Transcript, TranscriptLine};
pub use verify::{Verified, VerifyError, verify, verify_with};
pub use watch::{LOOK_EVERY, SeatScene, WatchView, Watcher};
