//! How many matches are played at once, and on which cores, so that no bot takes another's time: at most as many
//! bots think at once as there are cores, unless that is forced.

use std::fmt;
use std::num::NonZeroUsize;

use flipside_referee::thinking_at_once;
use flipside_runner::{Affinity, MatchThreads};
use flipside_sandbox::{Cores, ProgramKind};
use flipside_tournament::Settings;
use flipside_tournament::spec::{MAX_CONCURRENCY, RunOptions};

use crate::NoteSink;
use crate::failure::{Failure, Result};
use crate::games::find_game;

/// The threads for a tournament's matches between bots of these kinds; a note says what is unusual of them.
pub(crate) fn threads(
    settings: &Settings,
    kinds: impl Iterator<Item = ProgramKind>,
    asked: &RunOptions,
    note: NoteSink<'_>,
) -> Result<MatchThreads> {
    let (thinking, cores) = (thinking(settings, kinds)?, cores());
    let number = matches(asked, thinking, cores)?;
    let at_once = thinking.get() * number.get();
    if at_once > cores.get() {
        let forced = match number.get() {
            1 => "",
            _ => ", because of --force-concurrency",
        };
        note(&format!(
            "up to {at_once} bots think at once on {}{forced}: they wait for each other",
            in_words(cores)
        ));
    }
    let affinity = match (asked.use_affinity, asked.no_affinity) {
        (true, true) => {
            let what = "use-affinity and no-affinity contradict each other";
            return Err(Failure::usage(what).hint("leave one of them out"));
        }
        (true, false) => always(number, thinking)?,
        (false, true) => Affinity::System,
        (false, false) => automatic(number, thinking, &CoreCount::here()).unwrap_or_else(|why| {
            tracing::debug!("nothing is pinned: {why}");
            Affinity::System
        }),
    };
    Ok(MatchThreads {
        number,
        affinity,
        live: None,
        remote: None,
    })
}

/// The processors that this machine offers.
#[derive(Clone, Copy, Debug)]
struct CoreCount {
    /// On how many processors this process may run.
    allowed: usize,
    /// How many may be busy all the time: fewer where its control group has a quota.
    usable: usize,
}

impl CoreCount {
    fn here() -> Self {
        let usable = cores().get();
        CoreCount {
            // Where the system does not tell, nothing is pinned.
            allowed: Cores::allowed().map_or(0, |allowed| allowed.count()),
            usable,
        }
    }
}

/// Why nothing is pinned unless that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unpinned {
    /// Bots have to share processors.
    TooFew,
    /// The machine is shared: whoever has the rest of it may be pinned to the same processors, and a quota does not
    /// care where it is used up.
    Quota,
}

impl fmt::Display for Unpinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unpinned::TooFew => "more bots think at once than there are cores",
            Unpinned::Quota => "a quota gives fewer CPUs than there are cores",
        })
    }
}

/// How matches are pinned if nobody says: each to cores of its own, where none has to be shared.
fn automatic(
    number: NonZeroUsize,
    thinking: NonZeroUsize,
    machine: &CoreCount,
) -> std::result::Result<Affinity, Unpinned> {
    if number.get().saturating_mul(thinking.get()) > machine.allowed {
        Err(Unpinned::TooFew)
    } else if machine.usable < machine.allowed {
        Err(Unpinned::Quota)
    } else {
        Ok(Affinity::Automatic(thinking))
    }
}

/// As many matches at once as there are cores for, but not more than this.
///
/// # Errors
/// When the game of the settings is not known.
pub fn most_at_once(
    settings: &Settings,
    kinds: impl Iterator<Item = ProgramKind>,
    at_most: Option<NonZeroUsize>,
) -> Result<NonZeroUsize> {
    let most = most_matches(thinking(settings, kinds)?, cores());
    Ok(at_most.map_or(most, |at_most| at_most.min(most)))
}

/// How many cores there are for this process.
pub fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The most bots that think at once in a match.
fn thinking(settings: &Settings, kinds: impl Iterator<Item = ProgramKind>) -> Result<NonZeroUsize> {
    let game = find_game(&settings.game)?;
    let bots = kinds.filter(|kind| *kind == ProgramKind::Process).count();
    let seats = bots.saturating_mul(settings.copies.into());
    let processes = u8::try_from(seats).unwrap_or(u8::MAX);
    let thinking = thinking_at_once(game.info(), settings.seats, processes, settings.ponder);
    Ok(NonZeroUsize::new(thinking.into()).unwrap_or(NonZeroUsize::MIN))
}

/// One match is always played, whoever has to wait in it.
fn most_matches(thinking: NonZeroUsize, cores: NonZeroUsize) -> NonZeroUsize {
    let most = (cores.get() / thinking).clamp(1, MAX_CONCURRENCY as usize);
    NonZeroUsize::new(most).expect("it is at least one")
}

fn matches(
    asked: &RunOptions,
    thinking: NonZeroUsize,
    cores: NonZeroUsize,
) -> Result<NonZeroUsize> {
    let most = most_matches(thinking, cores);
    let number = asked.concurrency.map(NonZeroUsize::try_from);
    match number.and_then(|number| number.ok()) {
        None => Ok(most),
        Some(number) if number <= most || asked.force_concurrency => Ok(number),
        Some(number) => {
            let at_once = number.get().saturating_mul(thinking.get());
            let what = format!(
                "{number} matches at once have up to {at_once} bots thinking at once, and there {} {} here",
                if cores.get() == 1 { "is" } else { "are" },
                in_words(cores)
            );
            Err(Failure::usage(what).hint(format!(
                "--concurrency {most}, or --force-concurrency to oversubscribe the CPUs: bots then wait for each other"
            )))
        }
    }
}

/// Cores for each of so many matches, in any case.
fn always(number: NonZeroUsize, thinking: NonZeroUsize) -> Result<Affinity> {
    let cannot = |error: std::io::Error| {
        Failure::usage(format!("bots cannot be kept on cores here: {error}"))
            .hint("leave --use-affinity out")
    };
    let allowed = Cores::allowed().map_err(cannot)?;
    // It changes nothing, and shows whether it may be done.
    allowed.pin().map_err(cannot)?;
    let count = allowed.count();
    if number.get() > count {
        let what = format!(
            "{number} matches at once cannot have cores of their own, for there are {count}"
        );
        return Err(Failure::usage(what).hint(format!(
            "--concurrency {count}, or leave --use-affinity out"
        )));
    }
    Ok(Affinity::Always(thinking))
}

fn in_words(cores: NonZeroUsize) -> String {
    match cores.get() {
        1 => "one core".into(),
        number => format!("{number} cores"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nonzero(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    #[test]
    fn no_more_bots_think_than_there_are_cores_unless_it_is_one_match_or_forced() {
        for cores in 1..20 {
            for thinking in 1..7 {
                let by = |matches: Option<usize>, force_concurrency| {
                    let number = matches.map(|number| nonzero(number).try_into().unwrap());
                    let asked = RunOptions {
                        concurrency: number,
                        force_concurrency,
                        ..RunOptions::default()
                    };
                    matches_of(&asked, thinking, cores)
                };
                let usual = by(None, false).unwrap();
                assert!(usual == 1 || usual * thinking <= cores);
                assert!((usual + 1) * thinking > cores, "there is room for one more");
                assert_eq!(by(None, true).unwrap(), usual);
                for asked in 1..40 {
                    assert_eq!(by(Some(asked), false).is_ok(), asked <= usual);
                    assert_eq!(by(Some(asked), true).unwrap(), asked);
                }
                let refused = format!("{:?}", by(Some(usual + 1), false).unwrap_err());
                assert!(refused.contains(&format!("--concurrency {usual}, or --force")));
                let here = match cores {
                    1 => "there is one core here".to_owned(),
                    _ => format!("there are {cores} cores here"),
                };
                assert!(refused.contains(&here), "{refused}");
            }
        }
        assert_eq!(
            most_matches(nonzero(1), nonzero(1000)).get(),
            MAX_CONCURRENCY as usize
        );
    }

    #[test]
    fn matches_are_pinned_where_each_has_cores_of_its_own_and_no_quota_is_shared() {
        for allowed in 0..12 {
            for usable in 1..=allowed.max(1) {
                let machine = CoreCount { allowed, usable };
                for number in 1..14 {
                    for thinking in 1..5 {
                        let chosen = automatic(nonzero(number), nonzero(thinking), &machine);
                        let enough = number * thinking <= allowed;
                        let due = match (enough, usable == allowed) {
                            (false, _) => Err(Unpinned::TooFew),
                            (true, false) => Err(Unpinned::Quota),
                            (true, true) => Ok(Affinity::Automatic(nonzero(thinking))),
                        };
                        assert_eq!(chosen, due, "{machine:?} {number} {thinking}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let settings = Settings {
            game: "flipfour".into(),
            ..Settings::default()
        };
        let affinity = |use_affinity, no_affinity| {
            let asked = RunOptions {
                use_affinity,
                no_affinity,
                ..RunOptions::default()
            };
            let kinds = std::iter::repeat_n(ProgramKind::Module, 2);
            let threads = threads(&settings, kinds, &asked, &mut |_| ());
            threads.map(|threads| threads.affinity)
        };
        assert!(affinity(true, true).is_err());
        assert_eq!(affinity(false, true).unwrap(), Affinity::System);
        assert!(matches!(
            affinity(true, false).unwrap(),
            Affinity::Always(_)
        ));
        assert!(!matches!(
            affinity(false, false).unwrap(),
            Affinity::Always(_)
        ));
    }

    fn matches_of(asked: &RunOptions, thinking: usize, cores: usize) -> Result<usize> {
        matches(asked, nonzero(thinking), nonzero(cores)).map(NonZeroUsize::get)
    }
}
