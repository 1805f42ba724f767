use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap_complete::Shell;
use flipside_operations::Result;

use crate::{command_line, output};

/// Print a script with which a shell completes commands and options
///
/// bash: flipside completions bash > ~/.local/share/bash-completion/completions/flipside
///
/// zsh: flipside completions zsh > "${fpath[1]}/_flipside"
///
/// fish: flipside completions fish > ~/.config/fish/completions/flipside.fish
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Shell
    #[arg(value_parser = PossibleValuesParser::new(["bash", "fish", "zsh"]).try_map(|name| name.parse::<Shell>()))]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command_line(), "flipside", &mut script);
    output::print_content(&String::from_utf8(script).expect("names and help texts are UTF-8"))
}
