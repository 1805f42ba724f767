//! How bots that are processes run: in a jail or without, and what they may do on the turns of others.

use std::ffi::OsString;
use std::path::Path;

use flipside_sandbox::jail::{Group, seek_group};
use flipside_sandbox::{Isolation, Jail};

/// The word by which this program, started as the jail's stage, knows that it is. It is looked at before
/// the command line is read, for a stage has no time to lose.
pub(crate) const STAGE: &str = "jail";

/// How processes run.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ProcessArgs {
    /// Run processes without isolation
    ///
    /// They can then do whatever you can do. Records and tables say so.
    #[arg(long)]
    pub(crate) trust: bool,
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

impl ProcessArgs {
    /// What a tournament's settings say.
    pub(crate) fn of(trust: bool, ponder: bool) -> Self {
        let ponder = match ponder {
            true => Ponder::On,
            false => Ponder::Off,
        };
        ProcessArgs { trust, ponder }
    }

    /// Whether they may compute on the turns of others.
    pub(crate) fn ponder(self) -> bool {
        self.ponder == Ponder::On
    }

    /// What bots are started behind, who see nothing of the arena.
    pub(crate) fn isolation(self, arena: Option<&Path>) -> Isolation {
        match (self.trust, arena) {
            (true, _) => Isolation::Trust,
            (false, Some(arena)) => Isolation::Jail(jail_in_a_group().hiding(arena)),
            (false, None) => Isolation::Jail(jail_in_a_group()),
        }
    }
}

/// The same jail, after the user's systemd was asked for a control group where that helps.
fn jail_in_a_group() -> Jail {
    let jail = jail();
    match seek_group(&jail.limits()) {
        Group::NotAsked => {}
        group => tracing::info!("{group}"),
    }
    jail
}

/// The jail whose stage is this program.
pub(crate) fn jail() -> Jail {
    Jail::of_this_program([STAGE])
}

/// If this program was started as the jail's stage, it becomes that, and in the end a bot.
pub(crate) fn enter_if_asked(mut args: impl Iterator<Item = OsString>) -> Option<u8> {
    (args.next()? == STAGE).then(|| flipside_sandbox::jail::enter(args))
}
