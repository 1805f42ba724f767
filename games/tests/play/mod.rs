//! A match at which tests play, by texts.

use flipside_games::{Event, Game, Seat, Turn, Viewer};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Deserialize as _;
use serde_json::Value;

/// A match of a game for two.
pub(crate) struct Match<G: Game> {
    pub(crate) game: G,
}

/// The start of a match with these options.
pub(crate) fn start<G: Game>(options: &str) -> Match<G> {
    let options = serde_json::from_str(options).expect("options");
    Match {
        game: G::new(&options, 2).expect("a match"),
    }
}

/// A match with these options that shows this view.
pub(crate) fn resume<G: Game>(options: &str, view: &Value) -> Result<Match<G>, String> {
    let options = serde_json::from_str(options).expect("options");
    let view = G::View::deserialize(view).map_err(|error| error.to_string())?;
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    match G::from_view(&options, 2, Viewer::Public, &view, &mut rng) {
        Ok(game) => Ok(Match { game }),
        Err(malformed) => Err(malformed.to_string()),
    }
}

impl<G: Game> Match<G> {
    /// The seat whose turn it is.
    pub(crate) fn mover(&self) -> Option<Seat> {
        match self.game.turn() {
            Turn::Seats(seats) => seats.lowest(),
            _ => None,
        }
    }

    /// Does these actions, separated by spaces; each must be legal.
    pub(crate) fn play(mut self, actions: &str) -> Self {
        for text in actions.split_whitespace() {
            let seat = self.mover().unwrap_or_else(|| panic!("over before {text}"));
            let action = self.game.read_action(text).expect("in the notation");
            self.game
                .check(seat, action)
                .unwrap_or_else(|why| panic!("{text}: {why}"));
            self.game.apply(Event::Acts(&[(seat, action)]));
        }
        self
    }

    /// The legal actions of the seat whose turn it is, separated by spaces.
    pub(crate) fn actions(&self) -> String {
        let mut actions = Vec::new();
        self.game.actions(self.mover().unwrap_or(0), &mut actions);
        let mut texts = String::new();
        for action in actions {
            if !texts.is_empty() {
                texts.push(' ');
            }
            self.game.write_action(action, &mut texts);
        }
        texts
    }

    /// Whether the seat whose turn it is may do this.
    pub(crate) fn allows(&self, action: &str) -> bool {
        self.refusal(action).is_none()
    }

    /// Why the seat whose turn it is may not do this, if so.
    pub(crate) fn refusal(&self, action: &str) -> Option<String> {
        let action = self.game.read_action(action).expect("in the notation");
        let seat = self.mover().unwrap_or(0);
        self.game
            .check(seat, action)
            .err()
            .map(|why| why.to_string())
    }

    /// How the match ended: points and reason, or that it goes on.
    pub(crate) fn end(&self) -> String {
        match self.game.turn() {
            Turn::Over(outcome) => {
                format!(
                    "{} {} {}",
                    outcome.points[0], outcome.points[1], outcome.reason
                )
            }
            _ => "goes on".into(),
        }
    }

    /// What everybody sees.
    pub(crate) fn view(&self) -> Value {
        serde_json::from_str(&self.json()).expect("JSON")
    }

    /// What everybody sees, as it is written.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(&self.game.view(Viewer::Public)).expect("JSON")
    }
}
