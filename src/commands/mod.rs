//! One file per subcommand: its doc comment is the help, `Args` what it takes, `run` what it does.

mod bench;
mod bots;
mod compile;
mod demo;
mod doctor;
mod echo;
mod export;
mod games;
mod import;
mod matches;
mod perft;
mod play;
mod play_match;
mod ratings;
mod replay;
mod rerate;
mod rules;
mod sample;
mod schema;
mod submit;
mod table;
mod tournament;
mod tournaments;
mod verify;

use std::process::ExitCode;

use flipside_arena::{COMPILER, Result};

/// The subcommands.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Demo(demo::Args),
    Games(games::Args),
    Rules(rules::Args),
    Schema(schema::Args),
    Match(play_match::Args),
    Play(play::Args),
    Tournament(Box<tournament::Args>),
    Tournaments(tournaments::Args),
    Submit(submit::Args),
    Bots(bots::Args),
    Matches(matches::Args),
    Ratings(ratings::Args),
    Rerate(rerate::Args),
    Table(table::Args),
    Export(export::Args),
    Import(import::Args),
    Replay(replay::Args),
    Verify(verify::Args),
    Perft(perft::Args),
    Bench(bench::Args),
    Doctor(doctor::Args),
    #[command(hide = true)]
    Sample(sample::Args),
    #[command(hide = true)]
    Echo(echo::Args),
    #[command(hide = true, name = COMPILER)]
    Compile(compile::Args),
}

/// Does what was asked.
pub(crate) fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Demo(args) => demo::run(&args)?,
        Command::Games(args) => games::run(&args)?,
        Command::Rules(args) => rules::run(&args)?,
        Command::Schema(args) => schema::run(&args)?,
        Command::Match(args) => play_match::run(&args)?,
        Command::Play(args) => play::run(&args)?,
        Command::Tournament(args) => tournament::run(&args)?,
        Command::Tournaments(args) => tournaments::run(&args)?,
        Command::Submit(args) => submit::run(&args)?,
        Command::Bots(args) => bots::run(&args)?,
        Command::Matches(args) => matches::run(&args)?,
        Command::Ratings(args) => ratings::run(&args)?,
        Command::Rerate(args) => rerate::run(&args)?,
        Command::Table(args) => table::run(&args)?,
        Command::Export(args) => export::run(&args)?,
        Command::Import(args) => import::run(&args)?,
        Command::Replay(args) => replay::run(&args)?,
        Command::Verify(args) => verify::run(&args)?,
        Command::Perft(args) => perft::run(&args)?,
        Command::Bench(args) => bench::run(&args)?,
        Command::Doctor(args) => doctor::run(&args)?,
        Command::Sample(args) => sample::run(&args)?,
        Command::Echo(args) => echo::run(&args)?,
        Command::Compile(args) => compile::run(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}
