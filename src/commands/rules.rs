use flipside_operations::{Result, common_rules, find_game, game_of, rules, rules_page};

use crate::terminal::{self, Style};
use crate::{output, page};

/// Show a game's rules, notation and options
///
/// Each ruling names its source. Marks show which rulings Flipside's authors chose. Without GAME, shows the rules that
/// all games share.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game
    game: Option<String>,
    /// Print the page as Markdown
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let page = match &args.game {
        Some(id) => rules(find_game(game_of(id))?)?,
        None if args.markdown => common_rules()?.to_owned(),
        None => format!(
            "{}\n`flipside rules GAME` tells a game's.\n",
            common_rules()?
        ),
    };
    output::print(&match (args.markdown, &args.game) {
        (false, _) => page::set(&page, terminal::width(), Style::of_stdout()),
        (true, None) => page,
        (true, Some(id)) => rules_page(game_of(id))?.text.to_owned(),
    })
}
