use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap_complete::Shell;
use flipside_operations::Result;

use crate::{command_line, output};

/// Print a script with which a shell completes commands and options
///
/// In ~/.bashrc: source <(flipside completions bash)
///
/// In ~/.zshrc, below compinit: source <(flipside completions zsh)
///
/// In ~/.config/fish/config.fish: flipside completions fish | source
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Shell
    #[arg(value_parser = PossibleValuesParser::new(["bash", "fish", "zsh"]).try_map(|name| name.parse::<Shell>()))]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut shown(), "flipside", &mut script);
    output::print_content(&String::from_utf8(script).expect("names and help texts are UTF-8"))
}

/// The command line without the hidden commands, which clap_complete would complete too. Hidden options stay: whoever
/// begins one knows it from its page.
fn shown() -> clap::Command {
    let all = command_line();
    let commands = all.get_subcommands().filter(|one| !one.is_hide_set());
    clap::Command::new("flipside")
        .version(env!("CARGO_PKG_VERSION"))
        .args(all.get_arguments().cloned())
        .groups(all.get_groups().cloned())
        .subcommands(commands.cloned())
}
