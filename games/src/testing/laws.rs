//! The laws that every game must keep. A game that keeps them can be refereed, recorded,
//! replayed and verified, and its secrets stay secret.
//!
//! Each law is judged on random matches of every preset at every number of seats. What a match
//! does follows from its seed alone, so a breach comes again when the test is run again.
//!
//! ```
//! use flipside_games::testing::{Kuhn, laws};
//!
//! laws::keep::<Kuhn>(laws::LawEffort { matches: 4, looks: 8, ..Default::default() });
//! ```

mod moves;
mod mutants;
mod play;
mod rules;
#[cfg(feature = "schema")]
mod schemas;
mod secrets;
mod state;
mod steps;
mod verdict;
mod words;

use std::fmt;

use crate::game::Game;
use play::{ObservedTraits, Play};
use state::Subject;
use verdict::{Verdict, calm};

/// How much is tried. The default takes a small game about a second.
#[derive(Clone, Copy, Debug)]
pub struct LawEffort {
    /// How many random matches a game is given. They are shared out over its presets and numbers
    /// of seats, and each of these cases gets at least one.
    pub matches: usize,
    /// At how many positions of a match a law looks closely; at most, and spread at random.
    pub looks: usize,
    /// How many events all matches of a game may have together: once they are more, no further
    /// round of its cases is begun with another seed.
    pub events: usize,
}

impl Default for LawEffort {
    fn default() -> Self {
        LawEffort {
            matches: 80,
            looks: 32,
            events: 60_000,
        }
    }
}

/// Something that every game must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// A random match ends, and until then somebody is asked who has something to do.
    Ends,
    /// A record replays to the same turns, actions, views and outcome.
    Replays,
    /// What is bad, missing, malformed or unasked is refused, and changes nothing.
    Refuses,
    /// The listed actions are exactly those that are accepted, in order.
    Lists,
    /// Actions are written and read back to the same, each in one way only.
    Notation,
    /// What a viewer must not know changes nothing that the viewer sees.
    NonInterference,
    /// A state built from a view looks the same; what is no view is refused.
    FromView,
    /// What comes of an event depends on the state and the event alone.
    Steps,
    /// A draw changes nothing, can happen, is written and read back, and depends on its seed.
    Draws,
    /// Outcomes, sides and what the game says of itself fit what is seen.
    Facts,
    /// Options have a canonical form; those that do not fit are refused by name.
    Options,
    /// A text drawing is lines, a page's drawing is one well-formed `<svg>` element.
    Pictures,
    /// Each legal action has a path of its own over the marks of the seat's drawing.
    Paths,
    /// Views, actions and options are of their published schemas. Needs the feature `schema`.
    Schemas,
}

impl Law {
    /// Every law.
    pub const ALL: [Law; 14] = [
        Law::Ends,
        Law::Replays,
        Law::Refuses,
        Law::Lists,
        Law::Notation,
        Law::NonInterference,
        Law::FromView,
        Law::Steps,
        Law::Draws,
        Law::Facts,
        Law::Options,
        Law::Pictures,
        Law::Paths,
        Law::Schemas,
    ];

    /// The name, as messages have it.
    pub fn name(self) -> &'static str {
        match self {
            Law::Ends => "ends",
            Law::Replays => "replays",
            Law::Refuses => "refuses",
            Law::Lists => "lists",
            Law::Notation => "notation",
            Law::NonInterference => "non-interference",
            Law::FromView => "from-view",
            Law::Steps => "steps",
            Law::Draws => "draws",
            Law::Facts => "facts",
            Law::Options => "options",
            Law::Pictures => "pictures",
            Law::Paths => "paths",
            Law::Schemas => "schemas",
        }
    }

    /// Judges one match.
    fn judge(self, play: &Play, seen: &mut ObservedTraits) -> Verdict {
        match self {
            Law::Ends => rules::ends(play),
            Law::Replays => steps::replays(play),
            Law::Refuses => moves::refuses(play, seen),
            Law::Lists => moves::lists(play, seen),
            Law::Notation => moves::notation(play, seen),
            Law::NonInterference => secrets::non_interference(play, seen),
            Law::FromView => secrets::from_view(play, seen),
            Law::Steps => steps::steps(play),
            Law::Draws => steps::draws(play, seen),
            Law::Facts => rules::facts(play, seen),
            Law::Options => Ok(()),
            Law::Pictures => rules::pictures(play),
            Law::Paths => moves::paths(play),
            #[cfg(feature = "schema")]
            Law::Schemas => schemas::schemas(play),
            #[cfg(not(feature = "schema"))]
            Law::Schemas => Ok(()),
        }
    }

    /// Judges the game as a whole, after all its matches.
    fn judge_game(self, subject: &Subject, seen: &ObservedTraits) -> Verdict {
        match self {
            Law::Options => rules::options(subject),
            Law::Facts => rules::flags(&subject.info, seen),
            Law::NonInterference => secrets::flag(&subject.info, seen),
            Law::Draws => steps::draws_vary(&subject.info, seen),
            _ => Ok(()),
        }
    }
}

/// How a game breaks a law.
#[derive(Clone, Debug)]
pub struct Breach {
    /// The law.
    pub law: Law,
    /// The id of the game.
    pub game: &'static str,
    /// What is wrong.
    pub what: String,
    /// The match in which it was seen: seats, options, seed and events.
    pub seen_in: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (game, law, what) = (self.game, self.law.name(), &self.what);
        write!(
            f,
            "{game} breaks the law {law}: {what}\n    {}",
            self.seen_in
        )
    }
}

/// Judges a game by every law.
///
/// # Panics
/// When the game breaks laws: names them, and says how to see it again.
pub fn keep<G: Game>(effort: LawEffort) {
    let breaches = breaches::<G>(effort);
    let lines: Vec<String> = breaches.iter().map(Breach::to_string).collect();
    assert!(breaches.is_empty(), "{}", lines.join("\n"));
}

/// Judges a game by every law, and tells for each law the first breach that is found.
pub fn breaches<G: Game>(effort: LawEffort) -> Vec<Breach> {
    let mut court = Court {
        game: G::INFO.id,
        breaches: Vec::new(),
    };
    match calm(Subject::of::<G>) {
        Ok(subject) => court.judge(&subject, effort),
        Err(panic) => court.rule(Law::Options, panic, NOWHERE.into()),
    }
    court.breaches.sort_by_key(|breach| breach.law);
    court.breaches
}

/// Keeps the first breach of each law.
struct Court {
    game: &'static str,
    breaches: Vec<Breach>,
}

/// Where a breach was seen that no match shows.
const NOWHERE: &str = "seen in the game as a whole";

impl Court {
    fn judge(&mut self, subject: &Subject, effort: LawEffort) {
        let mut seen = ObservedTraits::default();
        let mut events = 0;
        for seed in 0..effort.matches.div_ceil(subject.cases.len().max(1)) as u64 {
            for case in &subject.cases {
                if seed > 0 && events > effort.events {
                    continue;
                }
                match calm(|| Play::random(subject, case, seed, effort.looks, &mut seen)) {
                    Ok(play) => {
                        events += play.record.len();
                        self.judge_match(&play, &mut seen);
                    }
                    Err(panic) => self.rule(Law::Ends, panic, case.name(seed)),
                }
            }
        }
        for law in Law::ALL {
            if let Err(what) = calm(|| law.judge_game(subject, &seen)).unwrap_or_else(Err) {
                self.rule(law, what, NOWHERE.into());
            }
        }
    }

    fn judge_match(&mut self, play: &Play, seen: &mut ObservedTraits) {
        for law in Law::ALL {
            if let Err(what) = calm(|| law.judge(play, seen)).unwrap_or_else(Err) {
                self.rule(law, what, play.name());
            }
        }
    }

    fn rule(&mut self, law: Law, what: String, seen_in: String) {
        if self.breaches.iter().all(|breach| breach.law != law) {
            self.breaches.push(Breach {
                law,
                game: self.game,
                what,
                seen_in,
            });
        }
    }
}
