//! What a tournament would play, without playing it: its first matches, how many there are, and about how
//! long they take.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::time::Duration;

use flipside_games::Turn;
use flipside_protocol::Pace;
use flipside_tournament::{
    Bot, Journal, MatchFilter, Next, Pairing, Remains, Settings, Total, Tournament,
};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;

use crate::failure::{Failure, Result, writing};
use crate::output::{Format, grid, plain_json, print};
use crate::summary::about;

/// How many matches are shown to people.
const SHOWN: usize = 20;
/// How many random matches tell how long one is, in plies.
const RANDOM_MATCHES: u64 = 10;
/// The most plies of such a match; it is taken to be over then.
const LONGEST_RANDOM_MATCH: u64 = 2_000;
/// How many journaled matches tell how long one takes.
const JOURNALED: usize = 1_000;

/// How long a tournament takes, in seconds.
#[derive(Clone, Copy, Debug, Serialize)]
struct Estimate {
    /// By matches of the same game, options and clock that are in the arena, and how many these are.
    by_journal_s: Option<f64>,
    journaled: usize,
    /// When every bot uses all of its time, in matches of so many plies.
    by_clock_s: f64,
    plies: f64,
}

/// What is to be played.
pub(crate) struct Planned<'a> {
    /// What it is fixed by, but for the seed.
    pub(crate) settings: &'a Settings,
    pub(crate) bots: &'a [String],
    /// The seed, if one is asked for.
    pub(crate) seed: Option<u64>,
    /// The tournament that it goes on with.
    pub(crate) known: Option<&'a Tournament>,
}

/// How far it has come.
#[derive(Clone, Copy)]
struct Now {
    total: Total,
    played: u64,
    left_out: u64,
}

/// Prints what would be played.
pub(crate) fn show(
    planned: &Planned<'_>,
    concurrency: NonZeroUsize,
    journal: Option<&Journal>,
    format: Format,
) -> Result<()> {
    let (settings, bots) = match planned.known {
        Some(known) => {
            let labels = known.entrants.iter().map(Bot::label).collect();
            (&known.settings, labels)
        }
        None => (planned.settings, planned.bots.to_vec()),
    };
    let seed = planned
        .known
        .map(|known| known.settings.seed)
        .or(planned.seed);
    let mut director = settings.director(bots.len()).map_err(Failure::usage)?;
    let known = planned.known.zip(journal);
    let (now, matches): (Now, Box<dyn Iterator<Item = Pairing> + '_>) = match known {
        Some((known, journal)) => {
            let remains = Remains::of(journal, known, &mut *director)?;
            let now = Now {
                total: remains.total(),
                played: remains.played(),
                left_out: remains.left_out(),
            };
            (now, Box::new(remains))
        }
        None => {
            let now = Now {
                total: director.total(),
                played: 0,
                left_out: 0,
            };
            let all = std::iter::from_fn(move || match director.next() {
                Next::Match(pairing) => Some(pairing),
                Next::Wait | Next::Over => None,
            });
            (now, Box::new(all))
        }
    };
    let estimate = estimate(settings, now, concurrency, journal)?;
    if !format.for_people() {
        return as_json((settings, seed), &bots, now, estimate, matches);
    }
    let seed = match seed {
        Some(seed) => format!("seed {seed}"),
        None => "a seed that is drawn when it begins".into(),
    };
    let text = format!(
        "{}, {seed}: {} matches{}\n",
        about(settings, bots.len()),
        now.total,
        progress(planned.known.is_some(), now),
    );
    let time = in_words(estimate, concurrency);
    print(&(text + &listed(settings.seats, &bots, now, &time, matches)))
}

/// The first matches, under the time that all take.
fn listed(
    seats: u8,
    bots: &[String],
    now: Now,
    time: &str,
    mut matches: impl Iterator<Item = Pairing>,
) -> String {
    let first: Vec<Pairing> = matches.by_ref().take(SHOWN).collect();
    if first.is_empty() {
        return "nothing is left to be played\n".into();
    }
    let seats = (0..seats).map(|seat| format!("seat {seat}"));
    let headings: Vec<String> = ["match", "round", "block"]
        .into_iter()
        .map(String::from)
        .chain(seats)
        .collect();
    let rows = first.iter().map(|pairing| {
        let numbers = [
            pairing.index.to_string(),
            pairing.round.to_string(),
            pairing.block.to_string(),
        ];
        let seats = pairing.seats.iter().map(|&bot| bots[bot].clone());
        numbers.into_iter().chain(seats).collect()
    });
    let all_known = now.played + now.left_out + first.len() as u64;
    let end = match (matches.next(), now.total) {
        (Some(_), _) => "and so on; --json has all that are known now\n",
        (None, Total::Exactly(all)) if all == all_known => "",
        (None, _) => "what comes after these depends on their results\n",
    };
    format!("{time}\n\n{}\n{end}", grid(&headings, rows))
}

/// How much of it has been done.
fn progress(goes_on: bool, now: Now) -> String {
    let left_out = match now.left_out {
        0 => String::new(),
        left_out => format!(", {left_out} left out"),
    };
    match goes_on {
        true => format!(", {} of them played{left_out}", now.played),
        false => String::new(),
    }
}

fn as_json(
    (settings, seed): (&Settings, Option<u64>),
    bots: &[String],
    now: Now,
    estimate: Estimate,
    matches: impl Iterator<Item = Pairing>,
) -> Result<()> {
    // There may be more matches than fit into memory.
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut head = serde_json::json!({
        "settings": settings, "bots": bots, "total": now.total, "played": now.played,
        "left_out": now.left_out, "estimate": estimate
    });
    head["settings"]["seed"] = seed.into();
    // The object stays open for the matches.
    let head = plain_json(&head.to_string());
    let open = head.strip_suffix('}').expect("it is an object");
    write!(out, "{open},\"matches\":[").map_err(writing)?;
    for (at, pairing) in matches.enumerate() {
        let Pairing {
            index,
            round,
            block,
            seats,
        } = pairing;
        let seats: Vec<&String> = seats.iter().map(|&bot| &bots[bot]).collect();
        let line =
            serde_json::json!({"index": index, "round": round, "block": block, "seats": seats});
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", plain_json(&line.to_string())).map_err(writing)?;
    }
    writeln!(out, "]}}").map_err(writing)?;
    out.flush().map_err(writing)
}

fn estimate(
    settings: &Settings,
    now: Now,
    concurrency: NonZeroUsize,
    journal: Option<&Journal>,
) -> Result<Estimate> {
    let plies = plies_at_random(settings)?;
    let seconds = |duration: Duration| duration.as_secs_f64();
    let by_clock = match settings.clock.pace {
        Pace::Move(each) => plies * seconds(each),
        Pace::Bank { bank, increment } => {
            f64::from(settings.seats) * seconds(bank) + plies * seconds(increment)
        }
    };
    let journaled = match journal {
        Some(journal) => durations(journal, settings)?,
        None => Vec::new(),
    };
    let open = now.total.most().saturating_sub(now.played + now.left_out);
    let at_once = open as f64 / concurrency.get() as f64;
    let mean = journaled.iter().sum::<f64>() / journaled.len() as f64;
    Ok(Estimate {
        by_journal_s: (!journaled.is_empty()).then_some(mean * at_once),
        journaled: journaled.len(),
        by_clock_s: by_clock * at_once,
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
            && theirs.clock == settings.clock;
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
    let game = crate::commands::games::find(&settings.game)?;
    let mut plies = 0;
    for seed in 0..RANDOM_MATCHES {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let setup = game
            .set_up(&settings.options, settings.seats)
            .map_err(Failure::usage)?;
        let mut table = setup.table;
        let (mut event, mut of_match) = (Vec::new(), 0);
        while of_match < LONGEST_RANDOM_MATCH {
            match table.turn() {
                Turn::Over(_) => break,
                Turn::Chance => {
                    event.clear();
                    table.sample(&mut rng, &mut event);
                    let text = std::str::from_utf8(&event).expect("JSON is text");
                    table
                        .chance(text)
                        .expect("a game takes the draws that it makes");
                }
                Turn::Seats(seats) => {
                    let mut acts = Vec::new();
                    for seat in seats {
                        let mut action = String::new();
                        table.random_action(seat, &mut rng, &mut action);
                        acts.push((seat, action));
                    }
                    let acts: Vec<(u8, &str)> = acts
                        .iter()
                        .map(|(seat, action)| (*seat, action.as_str()))
                        .collect();
                    table.act(&acts).expect("what is listed is legal");
                    of_match += acts.len() as u64;
                }
            }
        }
        plies += of_match;
    }
    Ok(plies as f64 / RANDOM_MATCHES as f64)
}

fn in_words(estimate: Estimate, concurrency: NonZeroUsize) -> String {
    let at_once = match concurrency.get() {
        1 => "one match at a time".into(),
        number => format!("{number} matches at a time"),
    };
    let by_clock = format!(
        "{} if every bot uses all of its time, with {:.0} plies a match as in random play",
        span(estimate.by_clock_s),
        estimate.plies
    );
    match estimate.by_journal_s {
        Some(seconds) => format!(
            "time, {at_once}: about {} by the {} latest matches of this kind here; {by_clock}",
            span(seconds),
            estimate.journaled
        ),
        None => format!("time, {at_once}: {by_clock}"),
    }
}

/// A time as people say it.
fn span(seconds: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(60.0, "s"), (60.0, "min"), (24.0, "h"), (365.0, "days")];
    let mut number = seconds;
    for (most, unit) in STEPS {
        if number < most {
            return format!("{number:.1} {unit}");
        }
        number /= most;
    }
    format!("{number:.0} years")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_said_in_a_fitting_unit() {
        let told = [0.0, 59.0, 90.0, 7200.0, 172_800.0, 1e9].map(span);
        assert_eq!(
            told,
            [
                "0.0 s", "59.0 s", "1.5 min", "2.0 h", "2.0 days", "32 years"
            ]
        );
    }
}
