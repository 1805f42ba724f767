use flipside_operations::{Result, common_rules, game_named, game_of, rules, rules_page};

use crate::args::{ArenaArg, TrustArg};
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
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let named = |typed: &String| {
        let id = game_of(typed);
        game_named(args.arena.path(), id, args.trust.into())
    };
    let game = args.game.as_ref().map(named).transpose()?;
    let page = match game {
        Some(game) => rules(game)?,
        None if args.markdown => common_rules()?.to_owned(),
        None => format!(
            "{}\n`flipside rules GAME` tells a game's.\n",
            common_rules()?
        ),
    };
    output::print(&match (args.markdown, game) {
        (false, _) => page::set(&page, terminal::width(), Style::of_stdout()),
        (true, Some(game)) if game.program().is_none() => {
            rules_page(game.info().id)?.text.to_owned()
        }
        (true, _) => page,
    })
}
