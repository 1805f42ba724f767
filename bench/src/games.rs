//! The cost of a game that is a program: matches between two instant modules, whose game is a process, a module, or
//! built in. All serve the same rules.

use std::env;
use std::process::Command;

use flipside_bench_game as served;
use flipside_games::AnyGame;
use flipside_operations::{Failure, Result, find_game};
use flipside_referee::open_game;
use flipside_sandbox::shell::quoted;
use flipside_sandbox::{Program, Sandbox, SandboxSettings};

use crate::baseline::{Pinned, pipe_round_trip};
use crate::measuring::{Bench, step};
use crate::plan::BenchPart;
use crate::plies::{PlyBench, UNIT, micros};
use crate::report::{Figure, FigureTarget, Series};
use crate::turns::{TurnSide, in_turns, steps};

/// What the program `flipside-bench` is called with to be a game.
pub const SERVE: &str = "--serve-flipfour";

/// The ply of a game that is a process against one that is built in, and what it costs more against a round trip through
/// two pipes; and the ply of a game that is a module against one that is built in.
pub(crate) fn games(bench: &mut Bench<'_>) -> Result<()> {
    let _pinned = Pinned::here().map_err(Failure::new)?;
    let bot = Program::open(&bench.files.modules[0])?;
    let (rounds, line_len) = (bench.plan.rounds, bench.random.question_bytes);

    let mut built_in = PlyBench::of(find_game(served::GAME)?, &bot)?;
    let mut process = PlyBench::of(opened(&process_game(bench)?)?, &bot)?;
    let module = bench.plan.game_module.as_deref();
    let module = module.map(Program::open).transpose()?;
    let module = module.map(|game| PlyBench::of(opened(&game)?, &bot));
    let mut module = module.transpose()?;

    let echo = bench.files.echo().to_owned();
    let mut pipes = || {
        let mut echo = Command::new(&echo);
        let time = pipe_round_trip(&mut echo, rounds, line_len);
        time.map(micros).map_err(Failure::new)
    };
    let mut built_in = || built_in.ply(rounds);
    let mut process = || process.ply(rounds);
    let mut module = (module.as_mut()).map(|module| || module.ply(rounds));
    let mut sides: Vec<TurnSide<'_>> = vec![&mut pipes, &mut built_in, &mut process];
    sides.extend(module.as_mut().map(|side| side as TurnSide<'_>));
    let steps = steps(bench.plan.repeats, sides.len());
    bench.begins(BenchPart::Games, "measurement", steps);
    let values = in_turns(bench.plan.repeats, &mut sides, || {
        step(bench.on, bench.stop)
    })?;

    let mut values = values.into_iter();
    let [pipes, built_in, process] = [(); 3].map(|()| values.next().expect("a side has values"));
    let pairs = process.iter().zip(&built_in);
    let more = pairs
        .map(|(process, built_in)| process - built_in)
        .collect();
    let built_in = Series::new("built in", built_in);
    let mut figure = |name: &str, baseline, measured| {
        bench.add(Figure::new(
            name,
            UNIT,
            FigureTarget::Low,
            baseline,
            measured,
        ))
    };
    let process = Series::new("process", process);
    figure("game-process-ply", built_in.clone(), process)?;
    let (pipes, more) = (Series::new("bare pipes", pipes), Series::new("cost", more));
    figure("game-process-cost", pipes, more)?;
    let Some(module) = values.next() else {
        let note = "game-module-ply is not measured: it needs --game-module";
        bench.notes.push(note.into());
        return Ok(());
    };
    figure("game-module-ply", built_in, Series::new("module", module))
}

/// This program as a process that serves the game.
fn process_game(bench: &Bench<'_>) -> Result<Program> {
    let program = env::current_exe().map_err(Failure::new)?;
    let text = format!("#!/bin/sh\nexec {} {SERVE}\n", quoted(&program));
    let script = bench
        .files
        .script("flipfour", &text)
        .map_err(Failure::new)?;
    Ok(Program::open(&script)?)
}

/// A game that lives as long as the program.
fn opened(program: &Program) -> Result<&'static dyn AnyGame> {
    let sandbox = Sandbox::new(SandboxSettings::default());
    let game = open_game(program, &sandbox).map_err(Failure::new)?;
    Ok(Box::leak(Box::new(game)))
}
