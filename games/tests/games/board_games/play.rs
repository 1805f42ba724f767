//! A match at which tests play, by texts.

use flipside_games::{Event, Game, Seat, SeatTurn, Viewer};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Deserialize as _;
use serde_json::{Value, json};

/// A match of a game for two.
pub(crate) struct PlayMatch<G: Game> {
    pub(crate) game: G,
}

/// The start of a match with these options.
pub(crate) fn start<G: Game>(options: &str) -> PlayMatch<G> {
    let options = serde_json::from_str(options).expect("options");
    PlayMatch {
        game: G::new(&options, 2).expect("a match"),
    }
}

/// A match with these options that shows this view.
pub(crate) fn resume<G: Game>(options: &str, view: &Value) -> Result<PlayMatch<G>, String> {
    let options = serde_json::from_str(options).expect("options");
    let view = G::View::deserialize(view).map_err(|error| error.to_string())?;
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    match G::from_view(&options, 2, Viewer::Public, &view, &mut rng) {
        Ok(game) => Ok(PlayMatch { game }),
        Err(malformed) => Err(malformed.to_string()),
    }
}

impl<G: Game> PlayMatch<G> {
    /// The seat whose turn it is.
    pub(crate) fn mover(&self) -> Option<Seat> {
        match self.game.turn() {
            SeatTurn::Seats(seats) => seats.lowest(),
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
            SeatTurn::Over(outcome) => {
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

/// Every square of a 5×5 board by its name.
pub(crate) fn squares() -> Vec<String> {
    let file = |file: char| (1..=5).map(move |rank| format!("{file}{rank}"));
    "abcde".chars().flat_map(file).collect()
}

/// The notation of a game as a pattern for whole texts.
pub(crate) fn pattern<G: Game>() -> regex_lite::Regex {
    regex_lite::Regex::new(&format!("^(?:{})$", G::NOTATION)).expect("a pattern")
}

/// These are actions in the notation, sorted as their texts are, and written as they were read.
pub(crate) fn survive_being_written_and_read<G: Game>(mut all: Vec<String>) {
    all.sort();
    let game = start::<G>("{}").game;
    let pattern = pattern::<G>();
    let read = |text: &String| game.read_action(text).expect(text);
    let actions: Vec<_> = all.iter().map(read).collect();
    assert!(
        actions.is_sorted(),
        "actions are in the byte order of their texts"
    );
    for (text, action) in all.iter().zip(actions) {
        let mut written = String::new();
        game.write_action(action, &mut written);
        assert_eq!(written, *text);
        assert!(pattern.is_match(text));
    }
}

/// None of these texts is an action, and some are refused in these words.
pub(crate) fn are_malformed<G: Game>(texts: &[&str], reasons: &[(&str, &str)]) {
    let game = start::<G>("{}").game;
    for text in texts {
        assert!(game.read_action(text).is_err(), "{text:?}");
    }
    for (text, why) in reasons {
        let told = game.read_action(text).expect_err("malformed");
        assert_eq!(told.to_string(), *why);
    }
}

/// By default matches end after so many plies; with the option at 2, after these two actions.
pub(crate) fn are_limited_to<G: Game>(max_plies: u32, one: &str, two: &str) {
    let options = serde_json::to_value(G::Options::default()).expect("JSON");
    assert_eq!(options, json!({ "max_plies": max_plies }));
    let game = || start::<G>(r#"{"max_plies":2}"#).play(one);
    assert_eq!(game().end(), "goes on");
    assert_eq!(game().play(two).end(), "0 0 limit");
}

/// A view is taken as it is, and refused in these words with one of these changes.
pub(crate) fn is_refused_with<G: Game>(view: &Value, changes: &[(&str, Value, &str)]) {
    resume::<G>("{}", view).map(drop).expect("possible");
    for (key, value, why) in changes {
        let mut view = view.clone();
        view[*key] = value.clone();
        let told = resume::<G>("{}", &view).err();
        assert_eq!(told.as_deref(), Some(*why), "{view}");
    }
}
