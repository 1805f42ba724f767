use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use flipside_operations::{LANGUAGES, NewBot, Result, make_bot};
use flipside_sandbox::shell::quoted;

use crate::output;

/// Make a folder with a new bot that plays every game
///
/// The bot chooses at random from the legal actions. A comment marks where your strategy goes. Its README has the
/// commands to build it, to test it and to let it play. `uci` makes a bot of a chess engine that speaks UCI instead,
/// and `llm` one that asks a language model.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Language
    #[arg(value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|language| language.id)))]
    language: String,
    /// Folder to make
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Name [default: the folder's name]
    #[arg(long)]
    name: Option<String>,
    /// Clone of Flipside's repository, for a Rust bot that uses the crate flipside-bot with the rules of all games
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let made = make_bot(NewBot {
        language: &args.language,
        folder: &args.folder,
        name: args.name.as_deref(),
        checkout: args.checkout.as_deref(),
    })?;
    let folder = args.folder.display().to_string();
    let mut told = format!("{} in {folder} is a bot in {}:\n", made.name, made.language);
    for file in &made.files {
        told += &format!("  {file}\n");
    }
    told += &format!("Next:\n  cd {}\n", quoted(&args.folder));
    for command in &made.commands {
        told += &format!("  {command}\n");
    }
    output::print(&told)
}
