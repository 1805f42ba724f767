//! One file per subcommand: its doc comment is the help, `Args` what it takes, `run` what it does.

mod backup;
mod bench;
mod bots;
mod cancel;
mod check;
mod compile;
mod debug;
mod delete;
mod demo;
mod doctor;
mod export;
mod extend;
mod games;
mod import;
mod invite;
mod keygen;
mod matches;
mod new;
mod pack;
mod perft;
mod play;
mod play_match;
mod protocol;
mod ratings;
mod rename;
mod replay;
mod rerate;
mod restore;
mod rules;
mod sample;
mod schema;
mod serve;
mod submit;
mod table;
mod tournament;
mod tournaments;
mod verify;
mod withdraw;
mod worker;
mod workers;

use std::process::ExitCode;

use flipside_operations::{COMPILER, Result};

/// Declares the subcommands, and what runs each: the file of its name.
macro_rules! commands {
    ($($(#[$how:meta])* $name:ident: $file:ident,)*) => {
        /// The subcommands.
        #[derive(clap::Subcommand)]
        pub(crate) enum Command {
            $($(#[$how])* $name(Box<$file::Args>),)*
        }

        /// Does what was asked.
        pub(crate) fn run(command: &Command) -> Result<ExitCode> {
            match command {
                $(Command::$name(args) => $file::run(args)?,)*
            }
            Ok(ExitCode::SUCCESS)
        }
    };
}

commands! {
    Demo: demo,
    Games: games,
    Rules: rules,
    Schema: schema,
    Protocol: protocol,
    New: new,
    Match: play_match,
    Play: play,
    Tournament: tournament,
    Tournaments: tournaments,
    Withdraw: withdraw,
    Extend: extend,
    Cancel: cancel,
    Check: check,
    Debug: debug,
    Submit: submit,
    Pack: pack,
    Bots: bots,
    Rename: rename,
    Delete: delete,
    Matches: matches,
    Ratings: ratings,
    Rerate: rerate,
    Serve: serve,
    Invite: invite,
    Worker: worker,
    Workers: workers,
    Table: table,
    Export: export,
    Import: import,
    Replay: replay,
    Verify: verify,
    Keygen: keygen,
    Backup: backup,
    Restore: restore,
    Perft: perft,
    Bench: bench,
    Doctor: doctor,
    #[command(hide = true)]
    Sample: sample,
    #[command(hide = true, name = COMPILER)]
    Compile: compile,
}
