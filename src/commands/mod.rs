//! One file per subcommand: its doc comment is the help, `Args` what it takes, `run` what it does.

mod backup;
mod bots;
mod cancel;
mod check;
mod completions;
mod debug;
mod delete;
mod demo;
mod doctor;
mod env;
mod export;
mod extend;
mod game;
mod games;
mod import;
mod invite;
mod keygen;
mod man;
mod matches;
mod new;
mod pack;
mod perft;
mod play;
mod play_match;
mod protocol;
mod rate;
mod ratings;
mod rename;
mod replay;
mod rerate;
mod restore;
mod rules;
mod sample;
mod schema;
mod serve;
mod sprt;
mod submit;
mod table;
mod tournament;
mod tournaments;
mod verify;
mod withdraw;
mod worker;
mod workers;

use clap::Subcommand as _;
use flipside_operations::Result;

use crate::args::ARENA_ID;

/// Declares the subcommands, and what runs each: the file of its name.
macro_rules! commands {
    ($($(#[$how:meta])* $name:ident: $file:ident,)*) => {
        /// The subcommands.
        #[derive(clap::Subcommand)]
        pub(crate) enum Command {
            $($(#[$how])* $name(Box<$file::Args>),)*
        }

        /// Does what was asked.
        pub(crate) fn run(command: &Command) -> Result<()> {
            match command {
                $(Command::$name(args) => $file::run(args),)*
            }
        }
    };
}

commands! {
    Demo: demo,
    Games: games,
    Game: game,
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
    #[command(hide = true)]
    Rerate: rerate,
    Rate: rate,
    Sprt: sprt,
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
    #[command(hide = true)]
    Perft: perft,
    Env: env,
    Doctor: doctor,
    Completions: completions,
    Man: man,
    #[command(hide = true)]
    Sample: sample,
}

/// Whether a subcommand takes the arena's folder.
pub(crate) fn takes_arena(name: &str) -> bool {
    let all = Command::augment_subcommands(clap::Command::new(""));
    let found = all.find_subcommand(name);
    found.is_some_and(|command| command.get_arguments().any(|arg| arg.get_id() == ARENA_ID))
}
