//! Programs of games: opened, and told from bots.

use std::path::Path;

use flipside_games::GameProgramError;
use flipside_sandbox::Program;
use flipside_sandbox::bundle::is_bundle;

use crate::failure::{Failure, Result};

/// Opens the file or the folder of a game.
///
/// # Errors
/// When there is none, or it is a bot.
pub(crate) fn game_program(path: &Path) -> Result<Program> {
    let shown = path.display();
    if !path.exists() {
        let what = format!("there is no game at {shown}");
        return Err(Failure::usage(what).hint(A_GAME));
    }
    if path.is_dir() && !is_bundle(path) {
        let what = format!("{shown} is a folder without a game.toml");
        return Err(Failure::usage(what).hint(A_GAME));
    }
    let program = Program::open(path)?;
    match program.as_bundle() {
        Some(bundle) if !bundle.manifest().is_game => {
            let what = format!("{shown} has a bot.toml: it is a bot, and no game");
            Err(Failure::usage(what).hint(A_GAME))
        }
        _ => Ok(program),
    }
}

/// Refuses the folder of a game as a bot.
///
/// # Errors
/// It is one.
pub(crate) fn refuse_game(program: &Program) -> Result<()> {
    match program.as_bundle() {
        Some(bundle) if bundle.manifest().is_game => {
            let what = format!(
                "{} has a game.toml: it is a game, and no bot",
                program.name()
            );
            let hint = "name it in the place of the game: `flipside match ./mygame BOT BOT`";
            Err(Failure::usage(what).hint(hint))
        }
        _ => Ok(()),
    }
}

/// Why a program is no game, with the way out.
pub(crate) fn no_game(error: GameProgramError) -> Failure {
    let hint = match &error {
        GameProgramError::Mute(_) => {
            "a game program answers {\"type\":\"describe\",…} with a line; `flipside game new python DIR` makes one that does"
        }
        GameProgramError::OtherVersion { .. } => {
            "take the kit of this flipside: `flipside game new`"
        }
        GameProgramError::Wrong(_) => "`flipside game check` tries the program in named steps",
    };
    Failure::usage(error).hint(hint)
}

/// What can be named as a game that is a program.
const A_GAME: &str = "the program of a game is an executable, a .wasm or .wat file, or a folder with a game.toml; `flipside game new python DIR` makes one";
