//! The cost of a ply: whole matches between two instant bots, from the start of the bots to the closed record, divided
//! by their plies. The other side is a round trip of a line of the same length, with nothing of ours around it.

use std::process::Command;
use std::time::{Duration, Instant};

use flipside_games::AnyGame;
use flipside_operations::{Failure, Result, find_game};
use flipside_protocol::ClockUnit;
use flipside_referee::Referee;
use flipside_sandbox::{Program, Sandbox, SandboxSettings};

use crate::baseline::lean::lean_round_trip;
use crate::baseline::{Pinned, RoundTrip, WASI_ROUND_TRIP, pipe_round_trip};
use crate::measuring::{Bench, GAME, match_at, refuse_fault, step};
use crate::plan::BenchPart;
use crate::report::{Figure, FigureTarget, Series};
use crate::turns::{TurnSide, in_turns, steps};

/// Where no core is kept for it, a round trip takes many times as long, so fewer are enough.
const UNPINNED_PART: u32 = 4;

pub(crate) const UNIT: &str = "us";

/// Plays matches of a bot against itself.
pub(crate) struct PlyBench<'a> {
    referee: Referee,
    game: &'static dyn AnyGame,
    bot: &'a Program,
    played: u64,
}

impl<'a> PlyBench<'a> {
    pub(crate) fn of(game: &'static dyn AnyGame, bot: &'a Program) -> Result<Self> {
        let sandbox = Sandbox::new(SandboxSettings::default());
        sandbox.prepare(bot, ClockUnit::Time)?;
        Ok(PlyBench {
            referee: Referee::new(sandbox)?,
            game,
            bot,
            played: 0,
        })
    }

    /// The time of a ply, over at least so many.
    pub(crate) fn ply(&mut self, least: u32) -> Result<f64> {
        let began = Instant::now();
        let mut plies = 0;
        while plies < u64::from(least) {
            let next = match_at(self.game, self.bot, self.played);
            let played = self.referee.play(&next)?;
            refuse_fault(&played)?;
            plies += played.result.plies;
            self.played += 1;
        }
        Ok(micros(began.elapsed()) / plies as f64)
    }
}

/// The ply of a process, and a round trip through two pipes.
pub(crate) fn process(bench: &mut Bench<'_>) -> Result<()> {
    bench.begins(
        BenchPart::Process,
        "measurement",
        2 * steps(bench.plan.repeats, 2),
    );
    // One core for all: where two processes run decides more than what they do.
    {
        let _pinned = Pinned::here().map_err(Failure::new)?;
        process_pair(bench, "process-ply", bench.plan.rounds)?;
    }
    let rounds = (bench.plan.rounds / UNPINNED_PART).max(1);
    process_pair(bench, "process-ply-unpinned", rounds)
}

fn process_pair(bench: &mut Bench<'_>, name: &str, rounds: u32) -> Result<()> {
    let bot = Program::open(bench.files.echo())?;
    let mut plies = PlyBench::of(find_game(GAME)?, &bot)?;
    let line_len = bench.random.question_bytes;
    let mut pipes = || {
        let mut echo = Command::new(bench.files.echo());
        // It stays where this thread is: pinned, or not.
        let time = pipe_round_trip(&mut echo, rounds, line_len);
        time.map(micros).map_err(Failure::new)
    };
    let mut ply = || plies.ply(rounds);
    let sides = &mut [&mut pipes as _, &mut ply as _];
    let values = in_turns(bench.plan.repeats, sides, || step(bench.on, bench.stop))?;
    let [pipes, ply] = <[_; 2]>::try_from(values).expect("there are two sides");
    bench.add(Figure::new(
        name,
        UNIT,
        FigureTarget::Low,
        Series::new("bare pipes", pipes),
        Series::new("ply", ply),
    ))
}

/// The ply of a module, and round trips through the smallest host and through plain wasmtime-wasi.
pub(crate) fn module(bench: &mut Bench<'_>) -> Result<()> {
    let _pinned = Pinned::here().map_err(Failure::new)?;
    let bot = Program::open(&bench.files.modules[0])?;
    let mut plies = PlyBench::of(find_game(GAME)?, &bot)?;
    let (rounds, line_len) = (bench.plan.rounds, bench.random.question_bytes);
    let trips = |yardstick: RoundTrip| {
        move || {
            let time = yardstick(rounds, line_len);
            time.map(micros).map_err(Failure::new)
        }
    };
    let (mut ply, mut lean) = (|| plies.ply(rounds), trips(lean_round_trip));
    let mut wasi = WASI_ROUND_TRIP.map(trips);
    let mut sides: Vec<TurnSide<'_>> = vec![&mut lean, &mut ply];
    sides.extend(wasi.as_mut().map(|side| side as TurnSide<'_>));
    let steps = steps(bench.plan.repeats, sides.len());
    bench.begins(BenchPart::Module, "measurement", steps);
    let values = in_turns(bench.plan.repeats, &mut sides, || {
        step(bench.on, bench.stop)
    })?;
    let mut values = values.into_iter();
    let [lean, ply] = ["lean host", "ply"]
        .map(|what| Series::new(what, values.next().expect("a side has values")));
    bench.add(Figure::new(
        "module-ply",
        UNIT,
        FigureTarget::Low,
        lean,
        ply.clone(),
    ))?;
    let Some(wasi) = values.next() else {
        let note = "module-ply-wasi is not measured: plain wasmtime-wasi needs a build with --features wasi-yardstick";
        bench.notes.push(note.into());
        return Ok(());
    };
    let wasi = Series::new("wasmtime-wasi", wasi);
    bench.add(Figure::new(
        "module-ply-wasi",
        UNIT,
        FigureTarget::Low,
        wasi,
        ply,
    ))
}

pub(crate) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
