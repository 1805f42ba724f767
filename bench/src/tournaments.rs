//! Whole tournaments with one and with two match threads, as `flipside tournament` plays them: a journal, records, and
//! bots that are kept between matches. The arena is a temporary one.

use std::path::PathBuf;
use std::time::Instant;

use flipside_operations::{Failure, MOST_DISK, PreparedTournament, Request, Result, Runner, cores};
use flipside_runner::{RunEvent, StopSignal};
use flipside_store::FinishedMatch;
use flipside_tournament::{Name, TournamentSpec};

use crate::measuring::{Bench, CLOCK, disqualified, step};
use crate::plan::BenchPart;
use crate::random::BenchRandom;
use crate::report::{Figure, FigureTarget, Series};
use crate::starts::no_jail;
use crate::turns::{in_turns, steps};

/// Board games with short, longer and long matches.
const GAMES: [&str; 3] = ["flipflop-3x3", "yonmoque", "flipfour"];

/// A whole seed, so that all tournaments of a game play the same matches.
const SEED: &str = "1-00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// The fewest rounds of a tournament. A round is two matches.
const MIN_ROUNDS: u64 = 8;

/// What plays in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bots {
    Modules,
    /// Without isolation.
    Processes,
    Jailed,
}

impl Bots {
    fn name(self) -> &'static str {
        match self {
            Bots::Modules => "modules",
            Bots::Processes => "processes",
            Bots::Jailed => "jailed",
        }
    }

    /// How many times as many plies a tournament has as one measurement of a ply: so many take about half a second.
    fn plies(self) -> u32 {
        match self {
            Bots::Modules => 5,
            Bots::Processes | Bots::Jailed => 2,
        }
    }
}

/// Tournaments that are alike.
struct Tournaments<'a> {
    arena: PathBuf,
    game: &'a str,
    bots: [String; 2],
    trust: bool,
    rounds: u64,
    begun: u64,
    stop: StopSignal,
}

impl<'a> Tournaments<'a> {
    fn of(bench: &Bench<'_>, bots: Bots, game: &'a str) -> Result<Self> {
        let paths = match bots {
            Bots::Modules => &bench.files.modules,
            Bots::Processes | Bots::Jailed => &bench.files.processes,
        };
        let typed = |path: &PathBuf| path.to_string_lossy().into_owned();
        let plies = f64::from(bench.plan.rounds) * f64::from(bots.plies());
        let rounds = plies / BenchRandom::of(game)?.plies / 2.0;
        Ok(Tournaments {
            arena: bench.files.arena(&format!("{}-{game}", bots.name())),
            game,
            bots: [typed(&paths[0]), typed(&paths[1])],
            trust: bots != Bots::Jailed,
            rounds: (rounds as u64).max(MIN_ROUNDS),
            begun: 0,
            stop: bench.stop.clone(),
        })
    }

    /// Plays another one. Gives the matches a second; what comes before the first match does not count.
    fn play(&mut self, match_threads: u32) -> Result<f64> {
        self.begun += 1;
        let spec = format!(
            "name = \"bench-{}\"\nrounds = {}\nconcurrency = {match_threads}\ntrust = {}\nclock = \"{CLOCK}\"\n\
             seed = \"{SEED}\"",
            self.begun, self.rounds, self.trust
        );
        let spec = TournamentSpec::from_toml(&spec).map_err(Failure::new)?;
        // Nobody needs to hear that this chance can be predicted.
        let mut note = |_: &str| ();
        let request = Request::of(&self.arena, &spec, self.game, &self.bots, &mut note)?;
        let again = |name: &Name| format!("--name {name}");
        let prepared = PreparedTournament::new(&self.arena, &request, &again, &mut note)?;
        let mut started = prepared.start(false, &mut note)?;
        let tournament = &started.tournament;
        let runner = Runner::new(&started.arena, tournament, &started.sandbox, MOST_DISK)?;
        let mut fault = None;
        let began = Instant::now();
        let threads = started.threads.clone();
        let ran = runner.run(&mut started.journal, threads, &self.stop, |event| {
            if let RunEvent::Landed(finished) = event {
                fault = fault.take().or_else(|| fault_of(finished));
            }
        })?;
        let took = began.elapsed();
        match fault {
            Some(fault) => Err(disqualified(fault)),
            None => Ok(ran.played as f64 / took.as_secs_f64()),
        }
    }
}

fn fault_of(finished: &FinishedMatch) -> Option<String> {
    let mut seats = finished.scored.result.seats.iter();
    seats.find_map(|seat| Some(seat.fault.as_ref()?.detail.clone()))
}

pub(crate) fn tournaments(bench: &mut Bench<'_>) -> Result<()> {
    if cores().get() < 2 {
        let why =
            "tournaments are not measured: there is one CPU here, and two match threads need two";
        bench.notes.push(why.into());
        return Ok(());
    }
    let mut kinds = vec![Bots::Modules, Bots::Processes];
    if let Some(missing) = no_jail(bench.files.echo())? {
        let why = format!("tournaments in the jail are not measured: {missing}");
        bench.notes.push(why);
    } else {
        kinds.push(Bots::Jailed);
    }
    // They take most of the time.
    let repeats = bench.plan.repeats.div_ceil(2);
    let pairs = (kinds.len() * GAMES.len()) as u64;
    bench.begins(
        BenchPart::Tournaments,
        "measurement",
        pairs * steps(repeats, 2),
    );
    for bots in kinds {
        for game in GAMES {
            let tournaments = std::cell::RefCell::new(Tournaments::of(bench, bots, game)?);
            let mut one = || tournaments.borrow_mut().play(1);
            let mut two = || tournaments.borrow_mut().play(2);
            let sides = &mut [&mut one as _, &mut two as _];
            let values = in_turns(repeats, sides, || step(bench.on, bench.stop))?;
            let [one, two] = <[_; 2]>::try_from(values).expect("there are two sides");
            bench.add(Figure::new(
                &format!("{}-{game}", bots.name()),
                "matches/s",
                FigureTarget::High,
                Series::new("one match thread", one),
                Series::new("two match threads", two),
            ))?;
        }
    }
    Ok(())
}
