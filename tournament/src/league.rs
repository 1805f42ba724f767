//! Leagues: seasons of several games with one total table; if asked for, in divisions between which bots move up and
//! down.
//!
//! A league is described once. For each season and division, each game is a tournament of its own, with the same
//! settings. This says which tournaments these are, who plays in which division, and what the total table is. When a
//! season begins is up to who runs it.

mod divisions;
#[cfg(test)]
mod tests;
pub(super) mod totals;

use serde::Deserialize;
use serde_json::Value;

use crate::formats::swiss::most_swiss_rounds;
use crate::game_version::game_in_names;
use crate::names::{Name, Text};
use crate::spec::TournamentSpec;
use crate::spec::described::SettingsError;

pub use divisions::{MIN_DIVISION, divide};
pub use totals::{GameTable, LeagueRow, totals};

/// The most games of a league.
pub const MAX_LEAGUE_GAMES: usize = 20;

/// The most divisions of a league.
pub const MAX_DIVISIONS: usize = 20;

/// The most places of a division.
pub const MAX_PLACES: usize = 1_000;

/// The highest number of a season.
pub const MAX_SEASON: u32 = 9_999;

/// The formats that a league's tournaments may have: all bots play about equally often, and nobody is eliminated.
const FORMATS: [&str; 2] = ["round-robin", "swiss"];

/// How games are named.
const GAMES_HINT: &str = "games = [\"flipfour\", \"yonmoque\"]";

/// The keys that name what a league decides itself.
const DECIDED: [&str; 2] = ["bots", "game"];

/// The description of a league.
#[derive(Clone, Debug, PartialEq)]
pub struct League {
    /// Its name.
    pub name: Name,
    /// Its title, if it has one.
    pub title: Option<Text<100, 1>>,
    /// The ids of its games, each once.
    pub games: Vec<String>,
    /// How many divisions there are at most.
    pub divisions: usize,
    /// How many bots play in each division but the last, which takes all others.
    pub places: usize,
    /// How many bots move up and down between two divisions after a season.
    pub moves: usize,
    /// What all its tournaments have in common.
    shared: TournamentSpec,
}

/// The keys of a league beside those of tournaments.
#[derive(Debug, Default)]
struct Own {
    games: Option<Vec<String>>,
    divisions: Option<usize>,
    places: Option<usize>,
    moves: Option<usize>,
}

/// The id of a game with its version, if it has versions: all seasons of a league play the same one.
fn latest(id: String) -> String {
    flipside_games::find(&id).map_or(id, |game| game.info().id.to_owned())
}

fn refused<T>(what: impl Into<String>, hint: impl Into<String>) -> Result<T, SettingsError> {
    Err(SettingsError::new(what).hint_at(hint))
}

impl League {
    /// Reads a description in TOML: `name`, `games`, and optionally `title`, `divisions`, `places`, `moves` and the
    /// keys that describe a tournament, but for `game` and `bots`.
    ///
    /// # Errors
    /// When it is not TOML, has an unknown key or a value that does not fit.
    pub fn from_toml(text: &str) -> Result<Self, SettingsError> {
        let mut own = Own::default();
        let shared = TournamentSpec::from_toml_with(text, |key, value| own.take(key, value))?;
        if let Some(key) = DECIDED.iter().find(|key| shared.get(key).is_some()) {
            let what = format!("{key} is not for leagues");
            return refused(
                what,
                "a league has games = [\"flipfour\"]; bots are entered before each season",
            );
        }
        let format = shared.get("format").and_then(Value::as_str);
        if format.is_some_and(|format| !FORMATS.contains(&format)) {
            return refused(
                "the tournaments of a league are round robins or swiss tournaments",
                "format = \"round-robin\"",
            );
        }
        let Some(name) = shared.run()?.name else {
            return refused("the league has no name", "name = \"spring\"");
        };
        let league = League {
            name,
            title: shared
                .get("title")
                .and_then(Value::as_str)
                .and_then(|title| title.parse().ok()),
            games: own
                .games
                .unwrap_or_default()
                .into_iter()
                .map(latest)
                .collect(),
            divisions: own.divisions.unwrap_or(1),
            places: own.places.unwrap_or(8),
            moves: own.moves.unwrap_or(2),
            shared,
        };
        league.check()?;
        Ok(league)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let games = &self.games;
        if games.is_empty() || games.len() > MAX_LEAGUE_GAMES {
            let what = format!("a league has 1 to {MAX_LEAGUE_GAMES} games");
            return refused(what, GAMES_HINT);
        }
        let unknown = games
            .iter()
            .find(|id| flipside_games::find(id).is_none_or(|game| game.info().id != **id));
        if let Some(unknown) = unknown {
            let what = format!("there is no game {unknown:?}");
            return refused(what, "flipside games lists them");
        }
        let twice = (1..).zip(games);
        if let Some((_, game)) = { twice }.find(|(next, game)| games[*next..].contains(game)) {
            return refused(format!("{game} is named twice"), "name each game once");
        }
        for (what, is, least, most) in [
            ("divisions", self.divisions, 1, MAX_DIVISIONS),
            ("places", self.places, MIN_DIVISION, MAX_PLACES),
            ("moves", self.moves, 0, self.places / 2),
        ] {
            if !(least..=most).contains(&is) {
                let hint = format!("{what} = {}", is.clamp(least, most));
                return refused(format!("{what} is a number from {least} to {most}"), hint);
            }
        }
        // The names of the tournaments of every season must be names.
        let longest = games.iter().max_by_key(|game| game.len());
        let longest = longest.map(|game| self.tournament_name(MAX_SEASON, self.divisions, game));
        if let Some(Err(text)) = longest {
            let what = format!("the name is too long: its tournaments would be called {text}");
            return refused(what, "choose a shorter name");
        }
        Ok(())
    }

    /// Whether it has several divisions. Pages show divisions only then.
    pub fn has_divisions(&self) -> bool {
        self.divisions > 1
    }

    /// What people call it.
    pub fn headline(&self) -> &str {
        self.title.as_ref().map_or(self.name.as_str(), Text::as_str)
    }

    /// The name of the tournament of a game: `spring-s1-flipfour`, and `spring-s1-d2-flipfour` in a league of several
    /// divisions; or the text that would be too long for a name. Seasons and divisions count from 1.
    ///
    /// # Errors
    /// When it is too long. That of a checked league, with a season up to [`MAX_SEASON`], is not.
    fn tournament_name(&self, season: u32, division: usize, game: &str) -> Result<Name, String> {
        let division = if self.has_divisions() {
            format!("d{division}-")
        } else {
            String::new()
        };
        let game = game_in_names(game);
        let text = format!("{}-s{season}-{division}{game}", self.name);
        text.parse().map_err(|_| text)
    }

    /// The tournament of a game in a season and division, which count from 1, between bots of these labels. A swiss
    /// has at most as many rounds as so few bots can be paired in.
    ///
    /// # Errors
    /// When the season is beyond [`MAX_SEASON`].
    pub fn tournament(
        &self,
        season: u32,
        division: usize,
        game: &str,
        bots: Vec<String>,
    ) -> Result<(Name, TournamentSpec), SettingsError> {
        let name = self.tournament_name(season, division, game);
        let name = name.or_else(|text| {
            let what = format!("{text} is too long for a name");
            refused(what, "begin a league with another name")
        })?;
        let headline = self.headline();
        let title = if self.has_divisions() {
            format!("{headline}, season {season}, division {division}: {game}")
        } else {
            format!("{headline}, season {season}: {game}")
        };
        let mut spec = self.shared.clone();
        spec.put("name", name.as_str());
        // A long title of the league leaves no room for the rest.
        if title.parse::<Text<100, 1>>().is_ok() {
            spec.put("title", title);
        }
        if let Some(rounds) = self.swiss_rounds(game, bots.len()) {
            spec.put("rounds", rounds);
        }
        spec.put("game", game);
        spec.put("bots", bots);
        Ok((name, spec))
    }

    /// The rounds of a swiss of so many bots, where the description names some: as many as it names, or as can be
    /// paired, because nobody knows at the description how many bots will be entered.
    fn swiss_rounds(&self, game: &str, bots: usize) -> Option<u32> {
        if self.shared.get("format").and_then(Value::as_str) != Some("swiss") {
            return None;
        }
        let rounds = u32::try_from(self.number("rounds")?).unwrap_or(u32::MAX);
        Some(rounds.min(most_swiss_rounds(bots, self.bots_of_match(game))))
    }

    /// How many bots a match of a game has: as the description says, or as few as the game can be played by.
    pub fn bots_of_match(&self, game: &str) -> u8 {
        let least = flipside_games::find(game).map_or(2, |game| game.info().least_seats().into());
        let (seats, copies) = (self.number("seats"), self.number("copies"));
        let bots = seats.unwrap_or(least) / copies.unwrap_or(1).max(1);
        u8::try_from(bots).unwrap_or(u8::MAX).max(1)
    }

    /// A whole number that all its tournaments have in common.
    fn number(&self, key: &str) -> Option<u64> {
        self.shared.get(key).and_then(Value::as_u64)
    }
}

impl Own {
    /// Takes the value of a key, if it is one of a league.
    fn take(&mut self, key: &str, value: &Value) -> Option<Result<(), SettingsError>> {
        let is_read = match key {
            "games" => read(value, &mut self.games),
            "divisions" => read(value, &mut self.divisions),
            "places" => read(value, &mut self.places),
            "moves" => read(value, &mut self.moves),
            _ => return None,
        };
        let (what, hint) = match key {
            "games" => ("a list of ids of games", GAMES_HINT.to_owned()),
            _ => ("a whole number", format!("{key} = 2")),
        };
        Some(match is_read {
            true => Ok(()),
            false => refused(format!("{key} is {what}"), hint),
        })
    }
}

fn read<T: for<'a> Deserialize<'a>>(value: &Value, to: &mut Option<T>) -> bool {
    *to = T::deserialize(value).ok();
    to.is_some()
}
