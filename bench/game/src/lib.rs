//! FlipFour as a game program, so that the cost of a program can be compared with the same rules built in.

use std::io::{self, BufRead, Write};

use flipside_games::{FlipFour, GameHandle, GameServer};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The built-in game that is served.
pub const GAME: &str = "flipfour";

/// Its id as a program: none may have that of a built-in game.
pub const ID: &str = "served-flipfour";

/// Serves the game until its input ends.
///
/// # Errors
/// When its input cannot be read, is no request, or its output cannot be written.
pub fn serve_flipfour(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let game = GameHandle::<FlipFour>::NEW;
    let mut server = GameServer::new(&game, "# FlipFour", ChaCha8Rng::from_seed);
    let mut described = false;
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let mut answer = server.answer(line.trim_end()).map_err(invalid)?;
        line.clear();
        // The first request asks for the description.
        if !std::mem::replace(&mut described, true) {
            let [own, told] = [GAME, ID].map(|id| format!(r#""id":"{id}""#));
            answer = answer.replacen(&own, &told, 1);
        }
        answer.push('\n');
        output.write_all(answer.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}
