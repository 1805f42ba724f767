use flipside_operations::Result;

use crate::terminal::{self, Style};
use crate::{output, page};

/// The page about the protocol.
const PAGE: &str = include_str!("../../protocol/PROTOCOL.md");

/// Show the protocol between referee and bot, message by message
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the page as Markdown
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    output::print(&match args.markdown {
        true => PAGE.to_owned(),
        false => page::set(PAGE, terminal::width(), Style::of_stdout()),
    })
}
