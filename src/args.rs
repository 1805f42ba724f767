//! Arguments that several subcommands share.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use clap::{Arg, ArgAction, ArgMatches, Command};
use flipside_operations::{Failure, MOST_DISK, Processes, Result};
use flipside_protocol::Size;
use flipside_ratings::Sprt;
use flipside_referee::is_machine;
use flipside_runner::RemoteRunner;
use flipside_store::{Arena, Journal};
use flipside_tournament::spec::{MAX_CONCURRENCY, SpecKey};
use flipside_tournament::{
    BotRef, BotsSettings, NameError, TournamentSpec, asked_sprt, sprt_parameters,
};
use flipside_workers::{
    Address, AddressError, Credentials, Dispatcher, DispatcherSettings, Options, WorkerName,
};
use serde_json::Value;

use crate::number;

/// The id of the argument that names the arena.
pub(crate) const ARENA_ID: &str = "arena";

/// Which arena. The flag is one of the whole command, so that it may stand before the subcommand.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ArenaArg {
    /// The arena's folder [env: FLIPSIDE_ARENA] [default: arena]
    #[arg(long = "arena", id = ARENA_ID, value_name = "DIR", global = true)]
    typed: Option<PathBuf>,
}

/// The arena's folder where none is typed.
static USUAL: LazyLock<PathBuf> = LazyLock::new(|| {
    let set = std::env::var_os("FLIPSIDE_ARENA").filter(|folder| !folder.is_empty());
    set.unwrap_or_else(|| "arena".into()).into()
});

impl ArenaArg {
    /// The folder's path.
    pub(crate) fn path(&self) -> &Path {
        self.typed().unwrap_or(&USUAL)
    }

    /// The folder's path, if it was typed.
    pub(crate) fn typed(&self) -> Option<&Path> {
        self.typed.as_deref()
    }

    /// The arena of a site.
    ///
    /// # Errors
    /// When there is none, unless a new one may be made, or the folder belongs to something else.
    pub(crate) fn open(&self, new: NewArg) -> Result<Arena> {
        Ok(match new.new {
            true => Arena::create(self.path())?,
            false => Arena::open(self.path())?,
        })
    }

    /// The arena's journal, for reading.
    pub(crate) fn journal(&self) -> Result<Journal> {
        Ok(Arena::open(self.path())?.read_journal()?)
    }
}

/// Whether an arena is made where none is.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct NewArg {
    /// Make the arena if its folder is missing or empty
    #[arg(long)]
    new: bool,
}

/// What single bots of a match have of their own.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct BotsArg {
    /// Give single bots a clock, memory, options, network or variables of their own
    ///
    /// As the tables [bot.NAME] in the file of a tournament, for example
    /// '{"mybot":{"network":true,"env":["LLM_API_KEY"]}}'.
    #[arg(long = "bot", id = "own", value_name = "JSON", default_value = "{}", hide_default_value = true, value_parser = bots_settings)]
    pub(crate) settings: BotsSettings,
}

fn bots_settings(json: &str) -> Result<BotsSettings, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// How processes run.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ProcessArgs {
    #[command(flatten)]
    trust: TrustArg,
    /// Allow processes to compute on the turns of others
    ///
    /// By default, a process that computes outside its own turn is suspended there.
    #[arg(
        long,
        value_name = "on|off",
        default_value = "off",
        hide_possible_values = true
    )]
    ponder: Ponder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Ponder {
    On,
    Off,
}

/// Whether processes run without isolation.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TrustArg {
    /// Run processes without isolation
    ///
    /// They can then do whatever you can do. Records and tables say so.
    #[arg(long)]
    trust: bool,
}

impl From<TrustArg> for Processes {
    fn from(args: TrustArg) -> Self {
        Processes {
            trust: args.trust,
            ponder: false,
        }
    }
}

impl From<ProcessArgs> for Processes {
    fn from(args: ProcessArgs) -> Self {
        Processes {
            trust: args.trust.trust,
            ponder: args.ponder == Ponder::On,
        }
    }
}

/// Who one is at a NATS server.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct LoginArgs {
    /// Log in to the server with this file
    ///
    /// It holds an nkey seed, a token, or the credentials of a user as `nsc` writes them.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    credentials: Option<PathBuf>,
    /// Trust this certificate authority, a PEM file [default: those of the system]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    ca: Option<PathBuf>,
}

/// Reads the address of a NATS server.
pub(crate) fn address(typed: &str) -> Result<Address> {
    typed
        .parse()
        .map_err(|error: AddressError| refused(error, AddressError::hint))
}

/// The failure of what was typed, with the way out.
fn refused<E: Display, H: Display>(error: E, hint: impl FnOnce(&E) -> H) -> Failure {
    let hint = hint(&error);
    Failure::usage(error).hint(hint)
}

impl LoginArgs {
    /// Who one is at a server, by this name.
    pub(crate) fn options(&self, name: &str) -> Result<Options> {
        let name = WorkerName::new(name).map_err(|error| refused(error, |error| error.hint()))?;
        let mut options = Options::new(name);
        options.ca.clone_from(&self.ca);
        if let Some(path) = &self.credentials {
            let read = Credentials::read(path);
            let read = read.map_err(|error| refused(error, |error| error.hint()))?;
            options.credentials = Some(read);
        }
        Ok(options)
    }
}

/// Which workers on other machines play the matches, if any do.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WorkersArgs {
    /// Play the matches on the workers of this NATS server
    ///
    /// nats://HOST:PORT, or tls://HOST:PORT for TLS. `flipside worker` starts a worker. The arena stays here: it hands
    /// out the matches, and verifies each record that comes back.
    #[arg(long, value_name = "ADDRESS", hide_short_help = true)]
    workers: Option<String>,
    /// Audit this share of the workers' matches [default: 2%]
    ///
    /// An audit plays a match of modules on clocks that count fuel again, which must give the same record. A worker
    /// that returned a false one is banned, and its results that the arena has not proven itself are withdrawn and
    /// played again. 0% audits nothing.
    #[arg(long, value_name = "SHARE", value_parser = number::share, requires = "workers", hide_short_help = true)]
    audit: Option<f64>,
    /// Let only workers on machines of this class play
    ///
    /// `flipside workers` lists the classes. On clocks that count fuel, the machine has no influence.
    #[arg(long, value_name = "CLASS", value_parser = machine_class, requires = "workers", hide_short_help = true)]
    class: Option<String>,
    #[command(flatten)]
    login: LoginArgs,
}

impl WorkersArgs {
    /// Where the matches of tournaments of the arena in this folder are played, if not here. `note` hears lines about
    /// it.
    pub(crate) fn remote(
        &self,
        arena: &Path,
        note: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Option<RemoteRunner>> {
        let Some(typed) = &self.workers else {
            return Ok(None);
        };
        let settings = DispatcherSettings {
            address: address(typed)?,
            options: self.login.options("director")?,
            arena: arena.to_owned(),
            audit: self.audit,
            class: self.class.clone(),
        };
        Ok(Some(RemoteRunner(Arc::new(Dispatcher::new(
            settings, note,
        )))))
    }
}

/// Reads the name of a class of machines.
pub(crate) fn machine_class(typed: &str) -> Result<String, String> {
    match is_machine(typed) {
        true => Ok(typed.to_owned()),
        false => Err("a class has up to 32 of the characters a-z, 0-9, - and _".into()),
    }
}

/// How much disk the arena may take.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct DiskArg {
    /// Stop when the arena's folder reaches this size
    ///
    /// K, M, G and T are powers of 1024. Pass a larger size to resume.
    #[arg(long, value_name = "SIZE", default_value_t = MOST_DISK, hide = true)]
    pub(crate) most_disk: Size,
}

/// Reads which bot of a table is meant. A built-in bot stands there without `sample:`.
pub(crate) fn bot_ref(typed: &str) -> Result<BotRef, NameError> {
    typed.strip_prefix("sample:").unwrap_or(typed).parse()
}

/// Reads how many matches are played at once.
pub(crate) fn concurrency(typed: &str) -> Result<NonZeroUsize, String> {
    let number = number::whole(1, MAX_CONCURRENCY as usize)(typed)?;
    Ok(NonZeroUsize::new(number).expect("it is at least 1"))
}

/// The flags of a tournament, which the library's keys declare.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags(pub(crate) TournamentSpec);

impl clap::Args for Flags {
    fn augment_args(command: Command) -> Command {
        command.args(flags().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args(command)
    }
}

impl clap::FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Flags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        typed(matches, flags()).for_each(|(key, value)| self.0.set(key, value));
        Ok(())
    }
}

fn flags() -> impl Iterator<Item = &'static SpecKey> {
    TournamentSpec::keys().iter().filter(|key| !key.positional)
}

/// The keys whose flags were typed, with their values.
fn typed(
    matches: &ArgMatches,
    keys: impl Iterator<Item = &'static SpecKey>,
) -> impl Iterator<Item = (&'static SpecKey, Value)> {
    keys.filter_map(|key| Some((key, matches.get_one::<Value>(&key.name)?.clone())))
}

/// A sequential test, by the flags that the library's keys declare.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestFlags(BTreeMap<&'static str, Value>);

impl TestFlags {
    /// The test that is asked for.
    pub(crate) fn sprt(&self) -> Result<Sprt> {
        Ok(asked_sprt(&self.0)?)
    }
}

impl clap::Args for TestFlags {
    fn augment_args(command: Command) -> Command {
        let flags = sprt_parameters().iter().map(flag);
        command.args(flags.map(|flag| flag.help_heading(None).hide_short_help(false)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        TestFlags::augment_args(command)
    }
}

impl clap::FromArgMatches for TestFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = TestFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let all = typed(matches, sprt_parameters().iter());
        self.0.extend(all.map(|(key, value)| (&*key.name, value)));
        Ok(())
    }
}

fn flag(key: &'static SpecKey) -> Arg {
    let line = key.help_line();
    let long = match &*key.more {
        "" => line.clone(),
        more => format!("{line}\n\n{more}"),
    };
    let arg = Arg::new(&*key.name)
        .long(&*key.name)
        .help_heading(key.heading.text())
        .hide_short_help(key.detail)
        .hide(key.hidden)
        .help(line)
        .long_help(long)
        .action(ArgAction::Set)
        .value_parser(|typed: &str| key.read(typed));
    if key.is_flag() {
        arg.num_args(0).default_missing_value("true")
    } else {
        arg.value_name(key.value_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_a_flag_but_for_the_game_and_the_bots() {
        let command = <Flags as clap::Args>::augment_args(Command::new("flipside"));
        command.clone().debug_assert();
        let flags = command.get_arguments().filter_map(Arg::get_long);
        let keys = TournamentSpec::keys().iter().map(|key| &*key.name);
        let keys = keys.filter(|name| !["game", "bots"].contains(name));
        assert!(flags.eq(keys));
    }
}
