//! A chess engine as a bot: what `flipside new uci` makes, in a real match. The engine is a script, and so is the game:
//! a stand-in for chess that knows the moves of one match, so that neither needs a build.

use std::path::Path;

use serde_json::Value;

use super::{root, run_script, shell};

/// The moves are those that the engine knows.
const GAME: &str = r#"
from flipside_game import Game, serve

MOVES = ["f2f3", "e7e5", "g2g4", "d8h4"]


class Chess(Game):
    id = "chess"
    title = "Fool's mate"
    summary = "The shortest match of chess"
    notation = "[a-h][1-8][a-h][1-8]"
    reasons = ("checkmate", "draw")

    def start(self, options, seats):
        self.moves = []

    def to_move(self):
        return len(self.moves) % 2

    def actions(self, seat):
        return [MOVES[len(self.moves)], "a2a3", "a7a6"]

    def play(self, seat, action):
        self.moves.append(action)

    def over(self):
        if len(self.moves) < len(MOVES):
            return None
        return ([0, 1], "checkmate") if self.moves == MOVES else ([0, 0], "draw")

    def view(self, viewer):
        return {"fen": f"8/8/8/8/8/8/8/8 {'wb'[self.to_move()]} - - 0 {len(self.moves) // 2 + 1}"}


if __name__ == "__main__":
    serve(Chess)
"#;

/// A folder with the game, and a new bot, `yon`.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    run_script(
        place.path(),
        "flipside game new python chess; flipside new uci yon",
    );
    std::fs::write(place.path().join("chess/game.py"), GAME).unwrap();
    place
}

/// Copies the engine beside the bot.
fn add_engine(bot: &Path) {
    let engine = root().join("kits/uci/fake_engine.py");
    std::fs::copy(engine, bot.join("engine")).unwrap();
}

#[test]
fn an_engine_plays_in_the_jail_and_its_words_are_in_the_record() {
    let place = place();
    add_engine(&place.path().join("yon"));
    let told = run_script(
        place.path(),
        "flipside match ./chess ./yon ./yon --strict --clock move=10h,start=10h --record match.jsonl",
    );
    assert!(told.contains("checkmate, 4 plies"), "{told}");
    let record = std::fs::read_to_string(place.path().join("match.jsonl")).unwrap();
    let lines = record
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let notes: Vec<String> = lines
        .filter(|line: &Value| line["type"] == "acts")
        .map(|line| line["acts"][0]["note"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        notes,
        [
            "+0.35, depth 2, 81 nodes: f2f3 e7e5 g2g4 d8h4",
            "+0.35, depth 2, 81 nodes: e7e5 g2g4 d8h4",
            "+0.35, depth 2, 81 nodes: g2g4 d8h4",
            "+0.35, depth 2, 81 nodes: d8h4",
        ]
    );
}

#[test]
fn an_engine_that_ends_is_in_the_report() {
    let place = place();
    add_engine(&place.path().join("yon"));
    let told = run_script(
        place.path(),
        "sed -i 's/\"[.]\\/engine\"/&, \"dies\"/' yon/bot.py
        flipside match ./chess ./yon sample:random --clock move=10h,start=10h",
    );
    assert!(
        told.contains("closed: exited with code 1")
            && told.contains("error: the engine exited with code 7 after 'go movetime 35999950'"),
        "{told}"
    );
}

#[test]
fn a_bot_without_its_engine_is_refused() {
    let place = place();
    let mut play = shell(place.path(), "flipside match ./chess ./yon sample:random");
    let output = play.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("files names engine, which is not in the folder"),
        "{stderr}"
    );
}
