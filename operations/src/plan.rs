//! What a tournament would play, without playing it: its matches, how many there are, and about how long they take.

use std::num::NonZeroUsize;
use std::time::Duration;

use flipside_protocol::{Clock, Pace, Patience};
use flipside_store::{Arena, Journal, MatchFilter, RemainingMatches, check_settings};
use flipside_tournament::{Bot, Next, Pairing, Settings, Total, Tournament};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::game_table::play_at_random;
use crate::games::find_game;
use crate::request::{default_name, seeded};
use crate::start::{PreparedTournament, known, refuse_in_part};

/// How many random matches tell how long one is, in plies.
const RANDOM_MATCHES: u64 = 10;
/// The most plies of such a match; it is taken to be over then.
const LONGEST_RANDOM_MATCH: u64 = 2_000;
/// How many journaled matches tell how long one takes.
const JOURNALED: usize = 1_000;
/// What the question to a process that answers at once takes, in seconds, and what its start in the jail takes, as
/// measured on the machine of BENCHMARKS.md.
const PLY_S: f64 = 7e-6;
const START_S: f64 = 2e-3;

/// What a tournament would play.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it is fixed by, but for the seed.
    pub settings: Settings,
    /// The seed, if that is known before it begins.
    pub seed: Option<u64>,
    /// The bots, as the matches number them.
    pub bots: Vec<String>,
    /// Whether it goes on with a tournament that has begun.
    pub goes_on: bool,
    /// How many matches there are.
    pub total: Total,
    /// How many of them were played.
    pub played: u64,
    /// How many of them were left out, because no side was there.
    pub left_out: u64,
    /// How many are played at once.
    pub concurrency: NonZeroUsize,
    /// How long those that remain take.
    pub estimate: TimeEstimate,
}

/// How long a tournament takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeEstimate {
    /// By matches of the same game, options and clock that are in the arena.
    pub by_journal_s: Option<f64>,
    /// How many these are.
    pub journaled: usize,
    /// When every bot is a process that answers at once, and starts for each match.
    pub instant_s: f64,
    /// When every bot uses all of its time.
    pub by_clock_s: f64,
    /// The plies of such a match: as many as a random match has on average.
    pub plies: f64,
}

/// How far a tournament has come, and what remains of it in the order of the schedule, as far as that is known.
type Remaining<'a> = ((Total, u64, u64), Box<dyn Iterator<Item = Pairing> + 'a>);

impl PreparedTournament<'_> {
    /// Shows what would be played: `show` gets the plan, and the matches that are known before their results are. There
    /// may be more matches than fit into memory.
    ///
    /// # Errors
    /// When [`start`](PreparedTournament::start) would refuse it, the journal cannot be read, or `show` fails.
    pub fn plan<T>(
        &self,
        despite_import: bool,
        show: impl FnOnce(&Plan, &mut dyn Iterator<Item = Pairing>) -> Result<T>,
    ) -> Result<T> {
        let request = self.request;
        let journal = match self.there.as_ref().map(Arena::read_journal) {
            // It is only looked into.
            Some(Err(_)) if self.name.is_none() => None,
            journal => journal.transpose()?,
        };
        let (mut settings, mut known) = (request.settings.clone(), None);
        if let Some(journal) = &journal {
            let there = self.entries.iter().map(|entry| entry.there(journal));
            let there = there.collect::<Result<Vec<Option<Bot>>>>()?;
            known = self.goes_on(journal, &there)?;
            if let (Some(known), false) = (&known, despite_import) {
                refuse_in_part(journal, known)?;
            }
            let label = |bot: &Option<Bot>| bot.as_ref().map_or_else(String::new, Bot::label);
            let labels: Vec<String> = there.iter().map(label).collect();
            settings = seeded(journal, settings, &labels)?;
        }
        let (settings, seed, bots) = match &known {
            Some(Tournament {
                settings, entrants, ..
            }) => {
                let labels = entrants.iter().map(Bot::label).collect();
                (settings.clone(), Some(settings.seed), labels)
            }
            None => {
                let seed = request.spec.seed_number();
                (settings, seed, request.run.bots.clone())
            }
        };
        let director = known.as_ref().map(Tournament::director);
        let director = director.unwrap_or_else(|| settings.director(bots.len()));
        let mut director = director.map_err(Failure::usage)?;
        let ((total, played, left_out), mut matches): Remaining<'_> =
            match known.as_ref().zip(journal.as_ref()) {
                Some((known, journal)) => {
                    let remains = RemainingMatches::of(journal, known, &mut *director)?;
                    let now = (remains.total(), remains.played(), remains.left_out());
                    (now, Box::new(remains))
                }
                None => {
                    let all = (director.total(), 0, 0);
                    let next = move || match director.next() {
                        Next::Match(pairing) => Some(pairing),
                        Next::Wait | Next::Over => None,
                    };
                    (all, Box::new(std::iter::from_fn(next)))
                }
            };
        let open = total.most().saturating_sub(played + left_out);
        let concurrency = self.threads.number;
        let plan = Plan {
            estimate: estimate(&settings, (open, bots.len()), concurrency, journal.as_ref())?,
            settings,
            seed,
            bots,
            goes_on: known.is_some(),
            total,
            played,
            left_out,
            concurrency,
        };
        show(&plan, &mut *matches)
    }

    /// The tournament that [`start`](PreparedTournament::start) would go on with, if there is one. `there` are the bots
    /// that the arena has.
    pub(crate) fn goes_on(
        &self,
        journal: &Journal,
        there: &[Option<Bot>],
    ) -> Result<Option<Tournament>> {
        let all = there.iter().cloned().collect::<Option<Vec<Bot>>>();
        let name = match (&self.name, all) {
            (Some(name), _) => name.clone(),
            (None, Some(bots)) => default_name(&self.request.settings, &bots)?,
            // With a bot that is new it is another tournament.
            (None, None) => return Ok(None),
        };
        let Some(known) = known(journal, &name)? else {
            return Ok(None);
        };
        let labels = there.iter().zip(&self.entries).map(|(bot, entry)| {
            let new = || format!("{}, which is new here", entry.name);
            bot.as_ref().map_or_else(new, Bot::label)
        });
        let labels: Vec<String> = labels.collect();
        match check_settings(&known, &self.request.resumed(&known)?, &labels) {
            Ok(()) => Ok(Some(known)),
            Err(error) => Err(Failure::refusal(error)),
        }
    }
}

/// How long so many matches take between so many bots.
fn estimate(
    settings: &Settings,
    (open, bots): (u64, usize),
    concurrency: NonZeroUsize,
    journal: Option<&Journal>,
) -> Result<TimeEstimate> {
    let plies = plies_at_random(settings)?;
    let seconds = |duration: Duration| duration.as_secs_f64();
    let by_pace = |clock: Clock| match clock.pace {
        Pace::Move(each) => plies * seconds(each),
        Pace::Bank { bank, increment } => {
            f64::from(settings.seats) * seconds(bank) + plies * seconds(increment)
        }
    };
    let patience = settings
        .provider_patience
        .map_or(Duration::ZERO, Patience::time);
    let pauses = f64::from(settings.seats) * seconds(patience);
    let by_clock = pauses + settings.clocks().map(by_pace).fold(0.0, f64::max);
    let journaled = match journal {
        Some(journal) => durations(journal, settings)?,
        None => Vec::new(),
    };
    // Of a bot that plays in few matches at once, all others may be over before its own.
    let at_once = settings.bot.iter().filter_map(|(_, own)| own.at_once).min();
    let own_seats = f64::from(settings.seats) / f64::from(settings.copies.max(1));
    let of_limited = at_once.map_or(0.0, |most| {
        open as f64 * own_seats / bots.max(1) as f64 / f64::from(most)
    });
    let of_each = (open as f64 / concurrency.get() as f64).max(of_limited);
    let mean = journaled.iter().sum::<f64>() / journaled.len() as f64;
    Ok(TimeEstimate {
        by_journal_s: (!journaled.is_empty()).then_some(mean * of_each),
        journaled: journaled.len(),
        instant_s: (plies * PLY_S + f64::from(settings.seats) * START_S) * of_each,
        by_clock_s: by_clock * of_each,
        plies,
    })
}

/// How long journaled matches took that are alike, in seconds, the latest first.
fn durations(journal: &Journal, settings: &Settings) -> Result<Vec<f64>> {
    let mut durations = Vec::new();
    for other in journal.tournaments()?.into_iter().rev() {
        let theirs = &other.settings;
        let alike = theirs.game == settings.game
            && theirs.options == settings.options
            && theirs.seats == settings.seats
            && theirs.clock == settings.clock
            && theirs.bot == settings.bot;
        if alike && durations.len() < JOURNALED {
            let filter = MatchFilter {
                tournament: Some(other.id),
                limit: JOURNALED - durations.len(),
                ..MatchFilter::default()
            };
            let rows = journal.matches(&filter)?;
            // How fast another machine was says nothing of this one.
            let here = rows.iter().filter(|row| !row.elsewhere);
            durations.extend(here.map(|row| row.duration_us as f64 / 1e6));
        }
    }
    Ok(durations)
}

/// How many plies a random match has on average.
fn plies_at_random(settings: &Settings) -> Result<f64> {
    let game = find_game(&settings.game)?;
    let mut plies = 0;
    for seed in 0..RANDOM_MATCHES {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let setup = game.set_up(&settings.options, settings.seats);
        let mut table = setup.map_err(Failure::usage)?.table;
        plies += play_at_random(&mut *table, &mut rng, LONGEST_RANDOM_MATCH)?;
    }
    Ok(plies as f64 / RANDOM_MATCHES as f64)
}
