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

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands that print no JSON, with what they do: they list nothing.
    const LISTS_NOTHING: [(&str, &str); 27] = [
        ("backup", "writes a file"),
        ("cancel", "changes a tournament"),
        ("completions", "prints a script"),
        ("delete", "changes a bot"),
        ("demo", "plays"),
        ("env", "is a conversation"),
        ("export", "writes a file"),
        ("extend", "changes a tournament"),
        ("game new", "makes a folder"),
        ("import", "takes in a file"),
        ("invite", "prints an address"),
        ("keygen", "prints a key"),
        ("man", "writes pages"),
        ("new", "makes a folder"),
        ("pack", "writes a file"),
        ("perft", "prints numbers of actions"),
        ("play", "is a conversation"),
        ("protocol", "shows a page"),
        ("rename", "changes a bot"),
        ("restore", "makes an arena"),
        ("rules", "shows a page"),
        ("sample", "is a bot"),
        ("schema", "prints JSON anyway"),
        ("serve", "runs until it is stopped"),
        ("verify", "says whether a record is true"),
        ("withdraw", "changes a tournament"),
        ("worker", "runs until it is stopped"),
    ];

    /// All commands that do something, by their names.
    fn leaves(command: &clap::Command, before: &str, found: &mut Vec<(String, clap::Command)>) {
        for inner in command.get_subcommands() {
            let name = format!("{before}{}", inner.get_name());
            match inner.has_subcommands() {
                true => leaves(inner, &format!("{name} "), found),
                false => found.push((name, inner.clone())),
            }
        }
    }

    #[test]
    fn every_command_that_lists_something_prints_json() {
        let all = Command::augment_subcommands(clap::Command::new(""));
        let mut found = Vec::new();
        leaves(&all, "", &mut found);
        assert!(found.len() > 40);
        for (name, command) in &found {
            let has_json = command.get_arguments().any(|arg| arg.get_id() == "json");
            let listed = LISTS_NOTHING.iter().any(|(other, _)| other == name);
            assert_ne!(
                has_json, listed,
                "{name}: a command that lists something flattens OutputFormat; any other stands in LISTS_NOTHING"
            );
            let about = command.get_about().map(ToString::to_string);
            let flags = command.get_arguments().filter_map(clap::Arg::get_help);
            let mut helps = about.into_iter().chain(flags.map(ToString::to_string));
            let is_list = helps.find(|help| help.starts_with("List "));
            assert!(has_json || is_list.is_none(), "{name}: {is_list:?}");
        }
        for (name, _) in LISTS_NOTHING {
            assert!(found.iter().any(|(other, _)| other == name), "{name}");
        }
    }
}
