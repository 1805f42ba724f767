//! Bots that are a few lines of shell, and matches between them.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "every test file uses another part"
)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flipside_games::AnyGame;
use flipside_referee::{
    Error, Match, MatchSeed, PlayedMatch, Player, Record, Referee, Verified, VerifyError,
    verify_with,
};
use flipside_sandbox::{Program, Sandbox, SandboxSettings};

pub const FIRST_WAT: &str = include_str!("../../../sample-bots/wat/first.wat");

/// A shell bot that plays the first legal action. `$turn` counts its turns; `misbehave` runs before
/// each of them, with `$id` and `$action` set.
pub fn shell_bot(misbehave: &str) -> String {
    format!(
        r#"#!/bin/sh
turn=0
while IFS= read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{{"type":"ready","name":"shell","actions":true}}' ;;
    *'"type":"turn"'*)
      turn=$((turn + 1))
      id=${{line#*'"id":'}}; id=${{id%%,*}}
      action=${{line#*'"actions":["'}}; action=${{action%%'"'*}}
      {misbehave}
      echo "{{\"type\":\"act\",\"id\":$id,\"action\":\"$action\"}}" ;;
  esac
done
"#
    )
}

/// A folder with bots in it, and a referee.
pub struct Hall {
    folder: tempfile::TempDir,
    pub referee: Referee,
}

impl Hall {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let referee = Referee::new(Sandbox::new(SandboxSettings::default())).unwrap();
        Hall { folder, referee }
    }

    /// A file in the folder of the bots.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn first(&self) -> Player {
        let path = self.path("first.wat");
        std::fs::write(&path, FIRST_WAT).unwrap();
        self.player(&path)
    }

    pub fn shell(&self, name: &str, text: &str) -> Player {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.player(&path)
    }

    fn player(&self, path: &Path) -> Player {
        Player::of(Program::open(path).unwrap())
    }

    pub fn play(
        &mut self,
        game: &'static dyn AnyGame,
        clock: &str,
        players: Vec<Player>,
    ) -> PlayedMatch {
        self.play_from(game, clock, players, 0)
    }

    /// Plays a match that begins with so many plies that are drawn.
    pub fn play_from(
        &mut self,
        game: &'static dyn AnyGame,
        clock: &str,
        players: Vec<Player>,
        opening_plies: u32,
    ) -> PlayedMatch {
        self.play_match(&Match {
            id: "test".into(),
            game,
            options: "{}".into(),
            clock: clock.parse().unwrap(),
            seed: MatchSeed::from_number(1),
            players,
            opening_plies,
            patience: None,
        })
    }

    /// Plays a match, and verifies its record. A match is void where the machine keeps the referee from waking; then it
    /// is played again, as a tournament does.
    pub fn play_match(&mut self, the_match: &Match) -> PlayedMatch {
        let late = |error: &Error| error.to_string().contains("the referee woke");
        let played = loop {
            match self.referee.play(the_match) {
                Err(error) if late(&error) => eprintln!("{error}"),
                played => break played.unwrap(),
            }
        };
        verified(&played.record).unwrap_or_else(|error| panic!("{error}\n{}", played.record));
        played
    }
}

/// Any game, built in or made for tests.
pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
    flipside_games::find(id).or_else(|| flipside_games::testing::find(id))
}

pub fn verified(record: &str) -> Result<Verified, VerifyError> {
    verify_with(record, find)
}

/// The record with other lines in front of its end, closed again with the right hash: what somebody
/// would do who wants to be believed.
pub fn sealed_again(record: &str, change: impl Fn(&str) -> String) -> String {
    use sha2::{Digest, Sha256};
    let (lines, _) = record.trim_end().rsplit_once('\n').unwrap();
    let lines: String = lines.lines().map(|line| change(line) + "\n").collect();
    let hash = hex::encode(Sha256::digest(&lines));
    assert_ne!(
        format!("{lines}{{\"type\":\"end\",\"sha256\":\"{hash}\"}}\n"),
        record,
        "nothing was changed"
    );
    format!("{lines}{{\"type\":\"end\",\"sha256\":\"{hash}\"}}\n")
}

/// The record, read.
pub fn read(played: &PlayedMatch) -> Record {
    Record::read(&played.record).unwrap()
}
