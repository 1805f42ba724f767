//! What a tournament is described by: flags on the command line, a file in TOML, or both, where the flags
//! go first. A key of the file is the name of a flag without its dashes.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;

use flipside_games::MOST_SEATS;
use flipside_protocol::Clock;
use flipside_referee::{MOST_OPENING_PLIES, Salt};
use flipside_tournament::statistics::{Model, Sprt};
use flipside_tournament::{
    Format, MOST_BEST_OF, MOST_LADDER_MATCHES, MOST_ROUNDS, MOST_TIE_BREAKS, Name, Paused,
    ScheduleError, Seeding, Settings, swiss_rounds,
};
use serde::{Deserialize, Deserializer};

use crate::bots;
use crate::commands::games;
use crate::failure::{Failure, Result};
use crate::fair::Asked;
use crate::files::read_text;
use crate::number;
use crate::policy::PolicyAsked;

/// The most matches that are played at once.
pub(crate) const MOST_CONCURRENCY: usize = 256;
/// The most bots in a tournament.
pub(crate) const MOST_BOTS: usize = 1_000;
/// The most blocks of a sequential test, when no number of rounds is asked for.
const MOST_TESTED: u32 = 20_000;
/// The longest file that describes a tournament, in bytes.
const LONGEST_CUP: u64 = 1 << 20;
/// The range of each key that is a whole number, but of the seed, which may be any that has 64 bits. It is told
/// of a number that is none for the computer either; what is nearer, and does not fit, is told with its reason.
const RANGES: [(&str, u64, u64); 10] = [
    ("seats", 2, MOST_SEATS as u64),
    ("copies", 1, MOST_SEATS as u64),
    ("rounds", 1, MOST_ROUNDS as u64),
    ("challengers", 1, MOST_BOTS as u64),
    ("best-of", 1, MOST_BEST_OF as u64),
    ("tie-breaks", 0, MOST_TIE_BREAKS as u64),
    ("matches", 1, MOST_LADDER_MATCHES),
    ("opening-plies", 0, MOST_OPENING_PLIES as u64),
    ("concurrency", 1, MOST_CONCURRENCY as u64),
    ("pause-after", 0, u32::MAX as u64),
];
/// Keys less alike than this are not taken for one another.
const ALIKE: f64 = 0.7;

/// A tournament as it is asked for; what is left out is as it mostly is.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Cup {
    /// The game.
    #[arg(skip)]
    game: Option<String>,
    /// The bots.
    #[arg(skip)]
    bots: Option<Vec<String>>,
    /// How bots are paired: round-robin, gauntlet, swiss, knockout, ladder or sprt; without it, round-robin.
    #[arg(long, value_name = "FORMAT")]
    #[serde(deserialize_with = "from_words")]
    format: Option<Format>,
    /// How many seats a match has; without it, as few as the game is for.
    #[arg(long, value_name = "N", value_parser = near::<u8>("seats"))]
    seats: Option<u8>,
    /// How many seats of a match each bot takes, with copies of itself; without it, one. In a game of
    /// teams, the size of a team makes each bot a team.
    #[arg(long, value_name = "K", value_parser = near::<u8>("copies"))]
    copies: Option<u8>,
    /// How many rounds; without it, one, in a swiss as many as single out a winner (at
    /// most so many that nobody rests twice), and in a sequential test at
    /// most 20000.
    #[arg(long, value_name = "N", value_parser = number::whole(1, MOST_ROUNDS))]
    rounds: Option<u32>,
    /// Gauntlet: how many of the first bots play against the others; without it, one.
    #[arg(long, value_name = "N", value_parser = near::<u32>("challengers"))]
    challengers: Option<u32>,
    /// Knockout: an encounter is best of so many blocks; without it, of one.
    #[arg(long, value_name = "N", value_parser = near::<u32>("best-of"))]
    best_of: Option<u32>,
    /// Knockout: so many blocks are played on while an encounter is level; then the better seed goes on;
    /// without it, three.
    #[arg(long, value_name = "N", value_parser = near::<u32>("tie-breaks"))]
    tie_breaks: Option<u32>,
    /// Knockout: those who lose the semi-finals meet.
    #[arg(long, num_args = 0, default_missing_value = "true")]
    third_place: Option<bool>,
    /// Knockout and swiss: who is better before the first round, by `ratings` at the game or by the order of
    /// `entry`; without it, a knockout asks for ratings and a swiss for the order of entry.
    #[arg(long, value_name = "BY", value_parser = ["entry", "ratings"])]
    seeding: Option<String>,
    /// Ladder: how many matches are played; without it, 1000.
    #[arg(long, value_name = "N", value_parser = near::<u64>("matches"))]
    matches: Option<u64>,
    /// Sequential test: the Elo difference that is not worth it; without it, 0.
    #[arg(long, value_name = "ELO", value_parser = number::fraction)]
    elo0: Option<f64>,
    /// Sequential test: the Elo difference that is; without it, 10.
    #[arg(long, value_name = "ELO", value_parser = number::fraction)]
    elo1: Option<f64>,
    /// Sequential test: how often it may take elo1 to be true when elo0 is; without it, 0.05.
    #[arg(long, value_name = "RATE", value_parser = number::fraction)]
    alpha: Option<f64>,
    /// Sequential test: how often it may take elo0 to be true when elo1 is; without it, 0.05.
    #[arg(long, value_name = "RATE", value_parser = number::fraction)]
    beta: Option<f64>,
    /// Sequential test: what Elo is of, `logistic` of the mean score or `normalized` by what it varies.
    #[arg(long, value_name = "MODEL")]
    #[serde(deserialize_with = "from_words")]
    model: Option<Model>,
    /// The clock: move=1s, or 10s+100ms; ,start=5s behind it for the time to start; without it, move=1s.
    #[arg(long)]
    clock: Option<Clock>,
    /// How many plies of each match are drawn before the bots are asked, alike in all matches of a block:
    /// for board games, whose matches would else all be alike.
    #[arg(long, value_name = "N", value_parser = near::<u32>("opening-plies"))]
    opening_plies: Option<u32>,
    /// A number that goes into the seeds of all matches, beside the salt; without it one is drawn when the
    /// tournament begins.
    #[arg(long, value_parser = number::whole(0, u64::MAX))]
    pub(crate) seed: Option<u64>,
    /// 32 bytes, as 64 hexadecimal digits, that go into the seeds of all matches; without it they are drawn when
    /// the tournament begins. With the seed and the salt of another tournament the chance is the same as there,
    /// and bots may know it.
    #[arg(long, value_name = "DIGITS")]
    #[serde(deserialize_with = "from_words")]
    pub(crate) salt: Option<Salt>,
    /// The game's options, as JSON.
    #[arg(long)]
    #[serde(deserialize_with = "as_json")]
    options: Option<String>,
    /// How many matches are played at once; without it, as many as there are cores for: no more bots think at
    /// once than there are cores.
    #[arg(long, value_name = "N", value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// Play as many matches at once as are asked for, though there are not enough cores: bots wait for each
    /// other, which their clocks make up for only in part.
    #[arg(long, num_args = 0, default_missing_value = "true")]
    force_concurrency: Option<bool>,
    /// Keep each match that is played at once, with its bots, on cores of its own.
    #[arg(long, num_args = 0, default_missing_value = "true")]
    use_affinity: Option<bool>,
    /// The tournament's name; without it, one that follows from the game, the bots and the settings.
    #[arg(long)]
    pub(crate) name: Option<Name>,
    /// Start bots that are processes without a jail: they may do what you may do. The record and the
    /// tables say so.
    #[arg(long, num_args = 0, default_missing_value = "true")]
    trust: Option<bool>,
    /// Whether bots that are processes may compute on the turns of others, `on` or `off`; without it, off:
    /// those that are seen to are stopped there.
    #[arg(long, value_name = "on|off", value_parser = ["on", "off"], hide_possible_values = true)]
    ponder: Option<String>,
    /// Pause a bot after so many matches in a row with a fault, by the order of the schedule; 0: never.
    /// A tournament goes on with what it began with; a new one has 5.
    #[arg(long, value_name = "N", value_parser = number::whole(0, u32::MAX))]
    pause_after: Option<u32>,
    /// What becomes of a paused bot's matches: a forfeit, which it loses (bots of other sides play on
    /// if there are two sides or more), or leave-out.
    #[arg(long, value_name = "forfeit|leave-out")]
    #[serde(deserialize_with = "from_words")]
    paused: Option<Paused>,
}

/// The keys of a file.
const KEYS: [&str; 31] = [
    "game",
    "bots",
    "format",
    "seats",
    "copies",
    "rounds",
    "challengers",
    "best-of",
    "tie-breaks",
    "third-place",
    "seeding",
    "matches",
    "elo0",
    "elo1",
    "alpha",
    "beta",
    "model",
    "clock",
    "opening-plies",
    "seed",
    "salt",
    "options",
    "concurrency",
    "force-concurrency",
    "use-affinity",
    "name",
    "trust",
    "ponder",
    "pause-after",
    "paused",
    "arena",
];

/// What a value of each key looks like.
const EXAMPLES: [(&str, &str); KEYS.len() - 1] = [
    ("game", r#""flipfour""#),
    ("bots", r#"["./mine", "sample:random"]"#),
    ("format", r#""swiss""#),
    ("seats", "2"),
    ("copies", "1"),
    ("rounds", "10"),
    ("challengers", "1"),
    ("best-of", "3"),
    ("tie-breaks", "3"),
    ("third-place", "true"),
    ("seeding", r#""entry""#),
    ("matches", "1000"),
    ("elo0", "0.0"),
    ("elo1", "10.0"),
    ("alpha", "0.05"),
    ("beta", "0.05"),
    ("model", r#""logistic""#),
    ("clock", r#""move=1s""#),
    ("opening-plies", "4"),
    ("seed", "7"),
    (
        "salt",
        r#""00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff""#,
    ),
    ("options", "{ max_plies = 100 }"),
    ("concurrency", "2"),
    ("force-concurrency", "true"),
    ("use-affinity", "true"),
    ("name", r#""summer""#),
    ("trust", "true"),
    ("ponder", r#""off""#),
    ("pause-after", "5"),
    ("paused", r#""leave-out""#),
];

/// Reads the number of a key that has a range; settings that are near it and do not fit are refused with the reason.
fn near<T: FromStr>(key: &str) -> impl Fn(&str) -> Result<T, String> + Clone + use<T> {
    let (_, least, most) = RANGES
        .into_iter()
        .find(|(of, ..)| *of == key)
        .expect("the key has a range");
    number::near(least, most)
}

/// Reads how many matches are played at once.
pub(crate) fn concurrency(typed: &str) -> Result<NonZeroUsize, String> {
    match typed.parse::<NonZeroUsize>() {
        Ok(number) if number.get() <= MOST_CONCURRENCY => Ok(number),
        _ => Err(format!(
            "a whole number from 1 to {MOST_CONCURRENCY}, not {typed}"
        )),
    }
}

fn from_words<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

fn as_json<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let table = serde_json::Map::deserialize(from)?;
    Ok(Some(serde_json::Value::Object(table).to_string()))
}

/// The longest value that a message repeats, in characters.
const LONGEST_VALUE: usize = 40;

/// What is wrong with the type of a key's value, which is that of the key's example.
fn misfit(key: &str, value: &toml::Spanned<toml::de::DeValue<'_>>, text: &str) -> Option<String> {
    let (_, example) = EXAMPLES.iter().find(|(known, _)| *known == key)?;
    let example = format!("it = {example}");
    let example = toml::de::DeTable::parse(&example).expect("examples are right");
    let example = example.get_ref().get("it")?.get_ref();
    let written = |span: std::ops::Range<usize>| {
        let line = text
            .get(span)
            .unwrap_or_default()
            .replace(['\r', '\n'], " ");
        match line.char_indices().nth(LONGEST_VALUE) {
            None => line,
            Some((end, _)) => format!("{}…", &line[..end]),
        }
    };
    let (is, due) = (value.get_ref().type_str(), example.type_str());
    if is != due && (is, due) != ("integer", "float") {
        let range = RANGES.iter().find(|(of, ..)| *of == key);
        let allowed = match (due, range) {
            ("string", _) => "a text in quotes".to_owned(),
            ("integer", Some((_, least, most))) => format!("a whole number from {least} to {most}"),
            ("integer", None) => "a whole number, 0 or more".into(),
            ("float", _) => "a number".into(),
            ("boolean", _) => "true or false".into(),
            ("array", _) => "a list".into(),
            _ => "a table".into(),
        };
        return Some(format!("{key}: {allowed}, not {}", written(value.span())));
    }
    let other = |item: &&toml::Spanned<toml::de::DeValue<'_>>| !item.get_ref().is_str();
    let item = value.get_ref().as_array()?.iter().find(other)?;
    let item = written(item.span());
    Some(format!("{key}: each is a text in quotes, not {item}"))
}

impl Cup {
    /// Reads a file. Paths of bots in it begin at its folder.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let failed = |what: String| Failure::usage(format!("{}{what}", path.display()));
        let text = read_text(path, LONGEST_CUP).map_err(|failure| {
            failure.hint(
                "what ends in .toml is a file that describes the tournament; the path begins where you are",
            )
        })?;
        let mut cup = Cup::parse(&text).map_err(|(line, what, hint)| {
            failed(format!(", line {line}: {what}")).maybe_hint(hint)
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for bot in cup.bots.iter_mut().flatten() {
            if bots::is_surely_a_path(bot) && Path::new(bot.as_str()).is_relative() {
                let joined = folder.join(bot.as_str());
                // A bare name would mean a bot of the arena.
                let here = folder.as_os_str().is_empty() && !bot.contains('/');
                *bot = match here {
                    true => format!("./{bot}"),
                    false => joined.to_string_lossy().into_owned(),
                };
            }
        }
        Ok(cup)
    }

    /// Reads the text of a file; where it fails, in which line, why, and perhaps the way out.
    fn parse(text: &str) -> Result<Self, (usize, String, Option<String>)> {
        let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let wrong = |error: &toml::de::Error| {
            let at = error.span().map_or(text.len(), |span| span.start);
            let hint = None::<String>;
            (line(at), error.message().replace('\n', ", "), hint)
        };
        let table = toml::de::DeTable::parse(text).map_err(|error| wrong(&error))?;
        for key in table.get_ref().keys() {
            let name: &str = key.get_ref();
            if !KEYS.contains(&name) || name == ARENA {
                let hint = match name {
                    ARENA => "the arena is named by --arena DIR or FLIPSIDE_ARENA".into(),
                    _ => match nearest(name) {
                        Some(nearest) => format!("did you mean {nearest}?"),
                        None => format!("there are {}", keys().collect::<Vec<_>>().join(", ")),
                    },
                };
                let at = line(key.span().start);
                return Err((at, format!("there is no key {name:?}"), Some(hint)));
            }
        }
        for (key, value) in table.get_ref() {
            let name: &str = key.get_ref();
            if let Some(what) = misfit(name, value, text) {
                let example = EXAMPLES.iter().find(|(known, _)| *known == name);
                let hint = example.map(|(name, value)| format!("for example {name} = {value}"));
                return Err((line(value.span().start), what, hint));
            }
        }
        toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(text.len(), |span| span.start);
            let (at, what, hint) = wrong(&error);
            let mut values = table.get_ref().iter();
            let Some((key, value)) = values.find(|(_, value)| value.span().contains(&start)) else {
                return (at, what, hint);
            };
            let number = value.get_ref().as_integer();
            match number.and_then(|number| out_of_range(key.get_ref(), number)) {
                Some(told) => (at, told, None),
                None => (at, what, hint),
            }
        })
    }

    /// The same, at this game and between these bots.
    pub(crate) fn between(self, game: &str, bots: &[String]) -> Self {
        Cup {
            game: Some(game.to_owned()),
            bots: Some(bots.to_vec()),
            ..self
        }
    }

    /// The same, with what it leaves out taken from another.
    pub(crate) fn or(self, other: Cup) -> Self {
        Cup {
            game: self.game.or(other.game),
            bots: self.bots.or(other.bots),
            format: self.format.or(other.format),
            seats: self.seats.or(other.seats),
            copies: self.copies.or(other.copies),
            rounds: self.rounds.or(other.rounds),
            challengers: self.challengers.or(other.challengers),
            best_of: self.best_of.or(other.best_of),
            tie_breaks: self.tie_breaks.or(other.tie_breaks),
            third_place: self.third_place.or(other.third_place),
            seeding: self.seeding.or(other.seeding),
            matches: self.matches.or(other.matches),
            elo0: self.elo0.or(other.elo0),
            elo1: self.elo1.or(other.elo1),
            alpha: self.alpha.or(other.alpha),
            beta: self.beta.or(other.beta),
            model: self.model.or(other.model),
            clock: self.clock.or(other.clock),
            opening_plies: self.opening_plies.or(other.opening_plies),
            seed: self.seed.or(other.seed),
            salt: self.salt.or(other.salt),
            options: self.options.or(other.options),
            concurrency: self.concurrency.or(other.concurrency),
            force_concurrency: self.force_concurrency.or(other.force_concurrency),
            use_affinity: self.use_affinity.or(other.use_affinity),
            name: self.name.or(other.name),
            trust: self.trust.or(other.trust),
            ponder: self.ponder.or(other.ponder),
            pause_after: self.pause_after.or(other.pause_after),
            paused: self.paused.or(other.paused),
        }
    }

    /// The game's options for a tournament that was begun, perhaps by an earlier version: an option that was
    /// unknown then, and is not asked for, is as it was.
    pub(crate) fn options_as_begun(&self, begun: &Settings) -> Result<String> {
        let options = self.options.as_deref().unwrap_or("{}");
        let game = games::find(&begun.game)?;
        game.as_begun(options, &begun.options)
            .map_err(Failure::usage)
    }

    /// How many matches are to be played at once, and how.
    pub(crate) fn at_once(&self) -> Result<Asked> {
        match self.concurrency {
            Some(number) if number.get() > MOST_CONCURRENCY => Err(Failure::usage(format!(
                "concurrency: 1 to {MOST_CONCURRENCY}, not {number}"
            ))),
            matches => Ok(Asked {
                matches,
                force: self.force_concurrency.unwrap_or(false),
                affinity: self.use_affinity.unwrap_or(false),
            }),
        }
    }

    /// The settings of the tournament, but for its seed and its salt, and its bots.
    pub(crate) fn settings(&self) -> Result<(Settings, &[String])> {
        let id = self.game.as_deref();
        let id =
            id.ok_or_else(|| Failure::usage("no game is named").hint("game = \"flipfour\""))?;
        let bots = self.bots.as_deref().unwrap_or_default();
        if bots.len() < 2 {
            let only = if bots.is_empty() { "none" } else { "only one" };
            let what = format!("a tournament needs at least two bots, and {only} is named");
            return Err(Failure::usage(what).hint(
                "add another, for example sample:random; `flipside bots` lists the arena's",
            ));
        }
        if bots.len() > MOST_BOTS {
            return Err(Failure::usage(format!(
                "a tournament has at most {MOST_BOTS} bots, not {}",
                bots.len()
            )));
        }
        let game = games::find(id)?;
        let seats = self.seats.unwrap_or(game.info().least_seats());
        let options = self.options.as_deref().unwrap_or("{}");
        let setup = games::set_up(game, options, seats)?;
        let format = self.format()?;
        let rounds = match (self.rounds, format) {
            (Some(_), format) if format.counts_its_rounds() => {
                let what = format!("a {} takes no number of rounds", format.in_words());
                return Err(
                    Failure::usage(what).hint("leave the rounds out; it plays as many as it needs")
                );
            }
            (Some(rounds), _) => rounds,
            // It follows from how many bots a match has.
            (None, Format::Swiss { .. }) => 1,
            (None, Format::Sprt(_)) => MOST_TESTED,
            (None, _) => 1,
        };
        let mut settings = Settings {
            game: id.to_owned(),
            options: setup.options,
            seats,
            copies: self.copies.unwrap_or(1),
            format,
            rounds,
            seeds: Vec::new(),
            clock: self
                .clock
                .unwrap_or_else(|| Clock::per_move(std::time::Duration::from_secs(1))),
            opening_plies: self.opening_plies.unwrap_or(0),
            seed: 0,
            salt: None,
            trust: self.trust.unwrap_or(false),
            ponder: self.ponder()?,
            policy: self.policy().typed(),
        };
        let refused = |error: ScheduleError| {
            let hint = error.hint();
            Failure::usage(error).hint(hint)
        };
        if let (None, Format::Swiss { .. }) = (self.rounds, format) {
            let of_match = settings.seating().map_err(refused)?.bots();
            settings.rounds = swiss_rounds(bots.len(), of_match);
        }
        settings.director(bots.len()).map_err(refused)?;
        Ok((settings, bots))
    }

    /// The format, with what was asked of it.
    fn format(&self) -> Result<Format> {
        let mut format = self.format.unwrap_or_default();
        let asked = |number: Option<u32>, into: &mut u32| *into = number.unwrap_or(*into);
        match &mut format {
            Format::RoundRobin => {}
            Format::Gauntlet { challengers } => asked(self.challengers, challengers),
            Format::Swiss { seeding } => *seeding = self.seeding(*seeding)?,
            Format::Knockout {
                best_of,
                tie_breaks,
                third_place,
                seeding,
            } => {
                asked(self.best_of, best_of);
                asked(self.tie_breaks, tie_breaks);
                *third_place = self.third_place.unwrap_or(false);
                *seeding = self.seeding(*seeding)?;
            }
            Format::Ladder { matches } => *matches = self.matches.unwrap_or(*matches),
            Format::Sprt(sprt) => {
                *sprt = Sprt::new(
                    self.elo0.unwrap_or(sprt.elo0()),
                    self.elo1.unwrap_or(sprt.elo1()),
                    self.alpha.unwrap_or(sprt.alpha()),
                    self.beta.unwrap_or(sprt.beta()),
                    self.model.unwrap_or(sprt.model()),
                )
                .map_err(|error| {
                    Failure::usage(error).hint(
                        "elo0 is what is not worth it and elo1 what is: --elo0 0 --elo1 10 --alpha \
                         0.05 --beta 0.05",
                    )
                })?;
            }
        }
        let knockout = "knockout";
        let asked = [
            ("challengers", self.challengers.is_some(), "gauntlet", ""),
            ("best-of", self.best_of.is_some(), knockout, ""),
            ("tie-breaks", self.tie_breaks.is_some(), knockout, ""),
            ("third-place", self.third_place.is_some(), knockout, ""),
            ("seeding", self.seeding.is_some(), knockout, "swiss"),
            ("matches", self.matches.is_some(), "ladder", ""),
            ("elo0", self.elo0.is_some(), "sprt", ""),
            ("elo1", self.elo1.is_some(), "sprt", ""),
            ("alpha", self.alpha.is_some(), "sprt", ""),
            ("beta", self.beta.is_some(), "sprt", ""),
            ("model", self.model.is_some(), "sprt", ""),
        ];
        for (key, asked, of, or) in asked {
            if asked && format.name() != of && format.name() != or {
                let or = if or.is_empty() {
                    or.to_owned()
                } else {
                    format!(" or a {or}")
                };
                let what = format!(
                    "{key} is for a {of}{or}, and this is a {}",
                    format.in_words()
                );
                let hint = format!("leave it out, or ask for a {of}{or}");
                return Err(Failure::usage(what).hint(hint));
            }
        }
        Ok(format)
    }

    /// What was asked for of the policy towards failing bots.
    pub(crate) fn policy(&self) -> PolicyAsked {
        PolicyAsked {
            pause_after: self.pause_after,
            paused: self.paused,
        }
    }

    fn ponder(&self) -> Result<bool> {
        match self.ponder.as_deref() {
            None | Some("off") => Ok(false),
            Some("on") => Ok(true),
            Some(other) => Err(Failure::usage(format!("ponder: on or off, not {other:?}"))),
        }
    }

    fn seeding(&self, otherwise: Seeding) -> Result<Seeding> {
        match self.seeding.as_deref() {
            None => Ok(otherwise),
            Some("entry") => Ok(Seeding::Entry),
            Some("ratings") => Ok(Seeding::Ratings),
            Some(other) => Err(Failure::usage(format!(
                "seeding: entry or ratings, not {other:?}"
            ))),
        }
    }
}

/// What is wrong with the number of a key that has a range.
fn out_of_range(key: &str, number: &toml::de::DeInteger<'_>) -> Option<String> {
    let Some((_, least, most)) = RANGES.into_iter().find(|(of, ..)| *of == key) else {
        return Some(format!("{key}: a whole number, 0 or more, not {number}"));
    };
    // What has more than 128 bits is in no range.
    let read = i128::from_str_radix(number.as_str(), number.radix()).ok();
    let fits = read.is_some_and(|is| (i128::from(least)..=i128::from(most)).contains(&is));
    (!fits).then(|| format!("{key}: {least} to {most}, not {number}"))
}

/// Typed where it does not belong, for the arena is no part of a tournament.
const ARENA: &str = "arena";

fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().filter(|key| *key != ARENA)
}

/// The key that is nearly this one.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "-");
    let alike = |key: &str| strsim::normalized_damerau_levenshtein(key, &name);
    let best = keys().max_by(|one, other| alike(one).total_cmp(&alike(other)));
    best.filter(|key| alike(key) >= ALIKE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value of every key.
    const WHOLE: &str = r#"
game = "flipfour"
bots = ["sample:greedy", "./mine", "mine.wat", "old@2"]
format = "knockout"
seats = 2
copies = 1
best-of = 3
tie-breaks = 5
third-place = true
seeding = "entry"
clock = "10s+100ms"
opening-plies = 4
seed = 7
salt = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
concurrency = 2
force-concurrency = true
use-affinity = true
name = "summer"
trust = true
ponder = "on"
pause-after = 3
paused = "leave-out"

[options]
"#;

    #[test]
    fn every_key_is_read_and_is_a_flag() {
        let whole = format!(
            "rounds = 2\nchallengers = 1\nmatches = 5\nelo0 = -5.0\nelo1 = 5.0\nalpha = 0.1\nbeta = 0.1\nmodel = \"logistic\"\n{WHOLE}"
        );
        let cup = Cup::parse(&whole).unwrap();
        let taken = Cup::default().or(cup.clone());
        assert_eq!(format!("{taken:?}"), format!("{cup:?}"));
        assert!(!format!("{cup:?}").contains("None"), "{cup:?}");
        for key in keys() {
            assert!(whole.contains(&format!("{key} =")) || whole.contains(&format!("[{key}]")));
        }
        let command = <Cup as clap::Args>::augment_args(clap::Command::new("flipside"));
        let flags: Vec<&str> = command
            .get_arguments()
            .filter_map(|arg| arg.get_long())
            .collect();
        for key in keys().filter(|key| !["game", "bots"].contains(key)) {
            assert!(flags.contains(&key), "--{key}");
        }
        assert_eq!(flags.len() + 2, keys().count());
    }

    #[test]
    fn flags_go_before_the_file() {
        let file = Cup::parse(WHOLE).unwrap();
        let flags = Cup {
            best_of: Some(7),
            seed: Some(1),
            ..Cup::default()
        };
        let cup = flags.or(file);
        let (settings, bots) = cup.settings().unwrap();
        let told = settings.format.to_string();
        assert!(
            told.contains("best of 7 with 5 tie-breaks and a third place"),
            "{told}"
        );
        assert_eq!(
            (cup.seed, settings.opening_plies, bots.len()),
            (Some(1), 4, 4)
        );
        assert_eq!(settings.clock.to_string(), "10s+100ms");
    }

    #[test]
    fn a_value_of_the_wrong_type_is_told_with_its_key_and_an_example() {
        let wrong = |text: &str| Cup::parse(text).unwrap_err();
        for (key, value) in EXAMPLES {
            Cup::parse(&format!("{key} = {value}\n")).unwrap();
            let (line, what, hint) = wrong(&format!("\n{key} = [[]]\n"));
            assert_eq!(line, 2, "{what}");
            assert!(what.starts_with(&format!("{key}: ")), "{what}");
            assert!(
                what.ends_with("not [[]]") || what.ends_with("not []"),
                "{what}"
            );
            for value in ["true", "-1", "1.5", "\"\"", "[]", "[1]", "{}", "1979-05-27"] {
                let Err((_, what, _)) = Cup::parse(&format!("{key} = {value}\n")) else {
                    continue;
                };
                for foreign in [
                    "invalid type",
                    "invalid value",
                    "expected",
                    "u32",
                    "u64",
                    "map",
                ] {
                    assert!(!what.contains(foreign), "{key} = {value}: {what}");
                }
            }
            assert_eq!(hint.unwrap(), format!("for example {key} = {value}"));
        }
        let (line, what, hint) = wrong("game = \"flipfour\"\nbots = \"./x.py\"\n");
        let told = "bots: a list, not \"./x.py\"";
        assert_eq!((line, what.as_str()), (2, told));
        assert!(
            hint.unwrap()
                .contains("bots = [\"./mine\", \"sample:random\"]")
        );
        let (_, what, _) = wrong("bots = [\"./a\", 3]\n");
        assert_eq!(what, "bots: each is a text in quotes, not 3");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = |text: &str| Cup::parse(text).unwrap_err();
        let (line, what, hint) = wrong("game = \"flipfour\"\n\nbest_off = 3\n");
        assert_eq!((line, what.as_str()), (3, "there is no key \"best_off\""));
        assert_eq!(hint.unwrap(), "did you mean best-of?");
        let (line, what, hint) = wrong("game = \"flipfour\"\n[weather]\nsun = 1\n");
        assert_eq!((line, what.as_str()), (2, "there is no key \"weather\""));
        assert!(hint.unwrap().contains("opening-plies"));
        let (line, _, hint) = wrong("arena = \"x\"\n");
        assert_eq!(line, 1);
        assert!(hint.unwrap().contains("--arena"));
        for (text, at, words) in [
            (
                "game = \"a\"\nrounds = -1\n",
                2,
                "rounds: 1 to 1000000, not -1",
            ),
            ("seed = -1\n", 1, "a whole number, 0 or more"),
            (
                "rounds = 99999999999\n",
                1,
                "rounds: 1 to 1000000, not 99999999999",
            ),
            (
                "rounds = 0x1_0000_0000_0000_0000_0000_0000_0000_0000\n",
                1,
                "rounds: 1 to 1000000",
            ),
            ("opening-plies = -1\n", 1, "opening-plies: 0 to 60, not -1"),
            ("concurrency = 0\n", 1, "concurrency: 1 to 256, not 0"),
            ("rounds = \"two\"\n", 1, "two"),
            ("game = \"a\"\nformat = \"swizz\"\n", 2, "knockout"),
            ("clock = \"fast\"\n", 1, "move=1s"),
            ("seats = 300\n", 1, "seats: 2 to 6, not 300"),
            ("game = \"a\"\ngame = \"b\"\n", 2, "duplicate"),
            ("game = \n", 1, ""),
            ("bots = [\"a\"", 1, ""),
            ("options = 5\n", 1, "5"),
            ("name = \"a/b\"\n", 1, "a/b"),
        ] {
            let (line, what, _) = wrong(text);
            assert_eq!(line, at, "{text}: {what}");
            assert!(what.contains(words), "{text}: {what}");
        }
    }

    #[test]
    fn a_swiss_has_as_many_rounds_as_single_out_a_winner_while_nobody_rests_twice() {
        let swiss = |bots: usize, more: &str| {
            let bots: Vec<String> = (0..bots).map(|bot| format!("bot{bot}")).collect();
            let text = format!("format = \"swiss\"\nbots = {bots:?}\n{more}\n");
            let cup = Cup::parse(&text).unwrap();
            cup.settings().map(|(settings, _)| settings.rounds)
        };
        for (bots, more, rounds) in [
            (33, "game = \"flipfour\"", 6),
            (5, "game = \"flip4\"\nseats = 3", 2),
            (27, "game = \"flip4\"\nseats = 3", 3),
            (11, "game = \"phase10-flip\"\nseats = 6", 2),
            (7, "game = \"phase10-flip\"\nseats = 4", 2),
        ] {
            assert_eq!(swiss(bots, more).unwrap(), rounds, "{bots} bots, {more}");
        }
        let told = format!(
            "{:?}",
            swiss(11, "game = \"phase10-flip\"\nseats = 6\nrounds = 3")
        );
        assert!(
            told.contains("at most 2 rounds") && told.contains("ask for fewer"),
            "{told}"
        );
    }

    #[test]
    fn a_parameter_of_another_format_is_refused() {
        for (text, key) in [
            ("best-of = 3", "best-of is for a knockout"),
            (
                "format = \"swiss\"\nchallengers = 2",
                "challengers is for a gauntlet",
            ),
            (
                "format = \"gauntlet\"\nseeding = \"entry\"",
                "seeding is for a knockout",
            ),
            (
                "format = \"knockout\"\nmatches = 5",
                "matches is for a ladder",
            ),
            (
                "format = \"knockout\"\nrounds = 5",
                "takes no number of rounds",
            ),
            (
                "format = \"ladder\"\nthird-place = true",
                "third-place is for a knockout",
            ),
            ("format = \"swiss\"\nseeding = \"luck\"", "entry or ratings"),
            ("format = \"swiss\"\nrounds = 4", "1 to 3, not 4"),
            ("rounds = 1000001", "1 to 1000000"),
            ("opening-plies = 61", "at most 60"),
            ("format = \"sprt\"", "the first bot against the second"),
            (
                "format = \"sprt\"\nelo0 = 5.0\nelo1 = 0.0",
                "5 is not less than 0",
            ),
            ("format = \"sprt\"\nalpha = 0.7", "between 0 and 0.5"),
            ("elo1 = 5.0", "elo1 is for a sprt"),
        ] {
            let text = format!("game = \"flipfour\"\nbots = [\"a\", \"b\", \"c\"]\n{text}\n");
            let cup = Cup::parse(&text).unwrap();
            let told = format!("{:?}", cup.settings().unwrap_err());
            assert!(told.contains(key), "{text}: {told}");
        }
    }
}
