//! The messages between the referee and a game program, and reading and writing them. GAMES.md, beside this crate,
//! shows each of them in an exchange.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::malformed::Malformed;

/// The version of the protocol of game programs. It changes when a program must change.
pub const GAME_VERSION: u32 = 1;

/// The longest line a game program may write, in bytes, its newline not counted.
pub const LONGEST_GAME_LINE: usize = 1024 * 1024;

/// A request to a game program, which answers each with one [`GameReply`].
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum GameRequest {
    /// What game is this? It is the first request; the answer is `game`.
    Describe(Describe),
    /// Begins a match, in place of the one before; the answer is `state`, or `refused` for options that do not fit.
    Setup(GameSetup),
    /// The choices of all seats that were asked; the answer is `state`.
    Acts(GameActs),
    /// An outcome of chance; the answer is `state`.
    Chance(GameOutcome),
    /// Samples an outcome of chance from these bytes; the state does not change. The answer is `outcome`.
    Sample(SampleRequest),
    /// Samples a legal action of a seat from these bytes; the state does not change. The answer is `action`. It is sent
    /// only to a program that does not list the actions.
    Choose(ChooseRequest),
    /// May a seat do this now? The answer is `legal`, or `refused` with the reason.
    Check(CheckRequest),
    /// What may this viewer see now? The answer is `view`.
    View(ViewRequest),
    /// Draws a view; the answer is `drawing`.
    Draw(DrawRequest),
    /// How does a person point at the legal actions of a seat on its drawing? The answer is `paths`.
    Paths(PathsRequest),
    /// Describes an action or an outcome of chance for people; the answer is `words`.
    Words(WordsRequest),
    /// Begins a match and takes all these events; the answer is the last `state`.
    Replay(GameReplay),
    /// Samples anew what a viewer must not know, so that it cannot tell the new match from the one before; the answer is
    /// `state`. It is what shows that a game keeps its secrets.
    Redeal(RedealRequest),
}

/// The first request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Describe {
    /// The protocol's version: 1.
    pub protocol: u32,
}

/// A match begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameSetup {
    /// The game's options, all of them.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub options: Box<RawValue>,
    /// How many seats play.
    pub seats: u8,
}

/// The choices of all seats that were asked, by ascending seat.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameActs {
    /// The choices.
    pub acts: Vec<GameAct>,
}

/// The choice of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameAct {
    /// The seat.
    pub seat: u8,
    /// The action, in the game's notation.
    pub action: String,
}

/// What chance does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameOutcome {
    /// The outcome, in the game's own form.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub outcome: Box<RawValue>,
}

/// Asks for an outcome of chance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleRequest {
    /// All the randomness that the program may use.
    pub random: RandomBytes,
}

/// Asks for a legal action of a seat.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChooseRequest {
    /// The seat.
    pub seat: u8,
    /// All the randomness that the program may use.
    pub random: RandomBytes,
}

/// Asks whether an action is legal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckRequest {
    /// The seat.
    pub seat: u8,
    /// Any text: it may be in no notation.
    pub action: String,
}

/// Asks for a view.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ViewRequest {
    /// Who looks.
    pub viewer: GameViewer,
}

/// Who looks at a match: the number of a seat, `"public"` for a spectator, or `"open"` for everybody after the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameViewer {
    /// A seat, which sees its own hidden information.
    Seat(u8),
    /// A spectator during the match.
    Public,
    /// Anybody after the match.
    Open,
}

/// Asks for a drawing.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrawRequest {
    /// What to draw: a view that this program made.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub view: Box<RawValue>,
    /// How to draw it.
    #[serde(rename = "as")]
    pub form: DrawingForm,
}

/// How a view is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DrawingForm {
    /// As lines of text for a terminal.
    Text,
    /// As one `<svg>` element for a page.
    Svg,
}

/// Asks for the paths of the legal actions of a seat.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathsRequest {
    /// The seat.
    pub seat: u8,
}

/// Asks for words: of an action or of an outcome, one of the two.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WordsRequest {
    /// The action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The outcome of chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub outcome: Option<Box<RawValue>>,
}

/// A match as far as it has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameReplay {
    /// The game's options, all of them.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub options: Box<RawValue>,
    /// How many seats play.
    pub seats: u8,
    /// What happened, the oldest first.
    pub events: Vec<GameEvent>,
}

/// Asks for a match that a viewer cannot tell from this one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedealRequest {
    /// Who must not be able to tell.
    pub viewer: GameViewer,
    /// All the randomness that the program may use.
    pub random: RandomBytes,
}

/// Something that happened in a match; one of the two.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameEvent {
    /// The choices of all seats that were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts: Option<Vec<GameAct>>,
    /// An outcome of chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub chance: Option<Box<RawValue>>,
}

/// Thirty-two random bytes, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RandomBytes(pub [u8; 32]);

/// An answer of a game program.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum GameReply {
    /// What the game is.
    Game(Box<GameDescription>),
    /// What the match waits for.
    State(GameState),
    /// Something is not allowed.
    Refused(Refused),
    /// The action is legal.
    Legal,
    /// A sampled outcome of chance.
    Outcome(GameOutcome),
    /// A sampled action.
    Action(ActionReply),
    /// What a viewer may see.
    View(ViewReply),
    /// A drawing.
    Drawing(Drawing),
    /// How a person points at actions.
    Paths(PathsReply),
    /// A description for people.
    Words(WordsReply),
    /// The program does not know this request, or does not serve it.
    Unsupported,
}

/// What a game is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameDescription {
    /// The protocol's version: 1.
    pub protocol: u32,
    /// The id that people type: lower-case words of letters and digits, with hyphens between them.
    pub id: String,
    /// The name that people read, in one line.
    pub title: String,
    /// A description in one line.
    pub summary: String,
    /// The supported numbers of seats, ascending, from 1 to 6.
    pub seats: Vec<u8>,
    /// Whether there is chance.
    #[serde(default)]
    pub chance: bool,
    /// Whether any information is hidden from a seat.
    #[serde(default)]
    pub secrets: bool,
    /// Whether several seats may have to choose at once.
    #[serde(default)]
    pub simultaneous: bool,
    /// Whether a state lists the legal actions. Without lists, the program serves `check` and `choose`.
    #[serde(default = "yes")]
    pub lists: bool,
    /// A regular expression that matches the whole text of every action.
    pub notation: String,
    /// The options as a JSON Schema: an object whose properties are numbers, strings or booleans. An option
    /// has its `default`, or is absent where it is not given.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    #[serde(default = "no_options")]
    pub options: Box<RawValue>,
    /// Options for short matches that still show the game, to try out a bot. Those that are left out have their
    /// default.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    #[serde(default = "no_options")]
    pub brief: Box<RawValue>,
    /// Named options, apart from the default, that tests must cover.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "BTreeMap<String, serde_json::Map<String, serde_json::Value>>")
    )]
    pub presets: BTreeMap<String, Box<RawValue>>,
    /// The rules for people, in Markdown.
    #[serde(default)]
    pub rules: String,
    /// A JSON Schema of the views, for authors of bots.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    #[serde(default = "no_options")]
    pub view: Box<RawValue>,
}

fn yes() -> bool {
    true
}

fn no_options() -> Box<RawValue> {
    RawValue::from_string("{}".into()).expect("it is JSON")
}

/// What a match waits for: seats, chance, or nothing. Exactly one of `asks`, `chance` and `over` is there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameState {
    /// The seats that choose now, ascending; several choose at once, without seeing each other's choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<AskedSeat>,
    /// An outcome of chance is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<ChanceDue>,
    /// The match has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<GameOver>,
    /// Which seats learn what just happened: a list of seats for each act, in order, or one list for an outcome of
    /// chance. Where it is left out, all learn everything in a game without secrets; with secrets, each seat learns its
    /// own acts only, and nobody learns an outcome of chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<Vec<u8>>>,
    /// The side of each seat, in the answer to `setup` and `replay` of a game with teams; left out, each seat is a side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<Vec<u8>>,
    /// The options as a record shall show them, in the answer to `setup`; left out, as they came.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Box<RawValue>>,
}

/// A seat that chooses now.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedSeat {
    /// The seat.
    pub seat: u8,
    /// Its legal actions in byte order, each once; left out by a program that does not list them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
    /// What it may see.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub view: Box<RawValue>,
}

/// A part of what an asked seat is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedPart {
    /// The array of its legal actions.
    Actions,
    /// Its view.
    View,
}

/// Writes a state that only asks these seats, ascending, as [`GameReply::State`] is written. `write` writes the JSON of
/// each part.
pub fn write_asks(
    out: &mut Vec<u8>,
    seats: impl IntoIterator<Item = u8>,
    mut write: impl FnMut(u8, AskedPart, &mut Vec<u8>),
) {
    out.extend_from_slice(br#"{"type":"state","asks":["#);
    for (place, seat) in seats.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(br#"{"seat":"#);
        out.extend_from_slice(seat.to_string().as_bytes());
        out.extend_from_slice(br#","actions":"#);
        write(seat, AskedPart::Actions, out);
        out.extend_from_slice(br#","view":"#);
        write(seat, AskedPart::View, out);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
}

/// An outcome of chance that is due.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChanceDue {
    /// All outcomes with their weights, and the referee samples one. Left out, the program samples it, by `sample`.
    /// The sum of all weights is below 2^32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<WeightedOutcome>>,
}

/// A possible outcome of chance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeightedOutcome {
    /// The outcome.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub outcome: Box<RawValue>,
    /// How probable it is, as a part of the sum of all weights; from 1 to 2^32 - 1.
    #[serde(default = "one")]
    pub weight: u32,
}

fn one() -> u32 {
    1
}

/// How a match ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameOver {
    /// Points by seat. More are better, equal points are a tie.
    pub points: Vec<i32>,
    /// The name of the rule that ended it, as an id is written.
    pub reason: String,
    /// What everybody may see after the match.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub view: Box<RawValue>,
}

/// Something is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refused {
    /// Why, in words for who wrote it.
    pub reason: String,
    /// Whether an action is not in the game's notation at all.
    #[serde(default)]
    pub malformed: bool,
}

/// A sampled action.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionReply {
    /// The action.
    pub action: String,
}

/// What a viewer may see.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ViewReply {
    /// The view.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub view: Box<RawValue>,
}

/// A drawing.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drawing {
    /// The lines of text, or the `<svg>` element.
    pub drawing: String,
}

/// How a person points at the legal actions of a seat.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathsReply {
    /// A path for each action, in the order of the actions.
    pub paths: Vec<ActionPath>,
}

/// How a person points at an action: at marks of the drawing, and then perhaps at a choice beside it. It has at least
/// one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionPath {
    /// Marks of the drawing of the seat's view, each the `data-mark` of an element. Before a choice, a person points at
    /// them in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// What a button beside the drawing says, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

impl ActionPath {
    /// Returns the path that points at these marks, one after the other.
    pub fn on<T: ToString>(marks: impl IntoIterator<Item = T>) -> Self {
        ActionPath {
            marks: marks.into_iter().map(|mark| mark.to_string()).collect(),
            choice: None,
        }
    }

    /// Returns the path that ends with a choice.
    pub fn choose(self, choice: impl Into<String>) -> Self {
        ActionPath {
            choice: Some(choice.into()),
            ..self
        }
    }

    /// Returns the path that is a choice alone.
    pub fn beside(choice: impl Into<String>) -> Self {
        ActionPath::default().choose(choice)
    }
}

/// A description for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WordsReply {
    /// Words that follow the name of who acts: `places a rook on c3`.
    pub words: String,
}

/// Why a line is not a message of this protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MalformedGameLine(String);

/// The type of a line.
#[derive(Deserialize)]
struct LineType<'a> {
    #[serde(rename = "type", borrow)]
    name: Cow<'a, str>,
}

fn read<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, MalformedGameLine> {
    serde_json::from_str(line).map_err(|error| MalformedGameLine(in_words(line, &error)))
}

/// What the parser calls a kind of values, and what the author of a program calls it. A value may follow.
const KINDS: [(&str, &str); 14] = [
    ("map", "an object"),
    ("a map", "an object"),
    ("struct", "an object"),
    ("sequence", "an array"),
    ("a sequence", "an array"),
    ("string", "the string"),
    ("a borrowed string", "a string"),
    ("integer", "the number"),
    ("floating point", "the number"),
    ("boolean", "the boolean"),
    ("a boolean", "true or false"),
    ("u8", "a whole number from 0 to 255"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("i32", "a whole number of 32 bits"),
];

/// Why a line of a program could not be read.
fn in_words(line: &str, error: &serde_json::Error) -> String {
    if !error.is_data() {
        return Malformed::of(line, error).to_string();
    }
    let text = error.to_string();
    let what = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(what, _)| what);
    let (about, rest) = what.split_once([':', '`']).unwrap_or((what, ""));
    let said = match (about, rest.rsplit_once(", expected ")) {
        ("missing field ", _) => format!("the field `{rest} is missing"),
        ("duplicate field ", _) => format!("the field `{rest} is there twice"),
        ("invalid type" | "invalid value", Some((found, due))) => {
            format!("{} stands where {} is due", kind(found), kind(due))
        }
        _ => what.to_owned(),
    };
    format!("{said}, at column {}", error.column())
}

/// A kind of values, and its value if there is one.
fn kind(found: &str) -> String {
    let found = found.trim();
    let named = |(name, words): &(&str, &'static str)| {
        let value = found.strip_prefix(name)?;
        let is_whole = value.is_empty() || value.starts_with(' ');
        is_whole.then(|| (*words, value.trim().trim_matches('`')))
    };
    match KINDS.iter().find_map(named) {
        None => found.to_owned(),
        Some((words, "")) => words.to_owned(),
        // The name of a type in this program tells nobody anything.
        Some(("an object", _)) => "an object".to_owned(),
        Some((words, value)) => format!("{words} {value}"),
    }
}

impl GameRequest {
    /// Reads a request; nothing if its type is one that this version does not know. Fields that it does not know are
    /// passed over.
    ///
    /// # Errors
    /// Says what is wrong with the line.
    pub fn read(line: &str) -> Result<Option<Self>, MalformedGameLine> {
        // What is asked at every ply is read in one pass.
        if line.starts_with(r#"{"type":"acts","#) {
            return read(line).map(|acts| Some(GameRequest::Acts(acts)));
        }
        Ok(Some(match &*read::<LineType<'_>>(line)?.name {
            "describe" => GameRequest::Describe(read(line)?),
            "setup" => GameRequest::Setup(read(line)?),
            "acts" => GameRequest::Acts(read(line)?),
            "chance" => GameRequest::Chance(read(line)?),
            "sample" => GameRequest::Sample(read(line)?),
            "choose" => GameRequest::Choose(read(line)?),
            "check" => GameRequest::Check(read(line)?),
            "view" => GameRequest::View(read(line)?),
            "draw" => GameRequest::Draw(read(line)?),
            "paths" => GameRequest::Paths(read(line)?),
            "words" => GameRequest::Words(read(line)?),
            "replay" => GameRequest::Replay(read(line)?),
            "redeal" => GameRequest::Redeal(read(line)?),
            _ => return Ok(None),
        }))
    }

    /// The name of its type.
    pub fn name(&self) -> &'static str {
        match self {
            GameRequest::Describe(_) => "describe",
            GameRequest::Setup(_) => "setup",
            GameRequest::Acts(_) => "acts",
            GameRequest::Chance(_) => "chance",
            GameRequest::Sample(_) => "sample",
            GameRequest::Choose(_) => "choose",
            GameRequest::Check(_) => "check",
            GameRequest::View(_) => "view",
            GameRequest::Draw(_) => "draw",
            GameRequest::Paths(_) => "paths",
            GameRequest::Words(_) => "words",
            GameRequest::Replay(_) => "replay",
            GameRequest::Redeal(_) => "redeal",
        }
    }
}

impl GameReply {
    /// Reads a reply. Fields that this version does not know are passed over.
    ///
    /// # Errors
    /// Says what is wrong with the line; a type that this version does not know is wrong too.
    pub fn read(line: &str) -> Result<Self, MalformedGameLine> {
        // The answer at every ply is read in one pass where it begins as most programs write it.
        if line.starts_with(r#"{"type":"state","#) || line.starts_with(r#"{"type": "state", "#) {
            return read(line).map(GameReply::State);
        }
        Ok(match &*read::<LineType<'_>>(line)?.name {
            "game" => GameReply::Game(read(line)?),
            "state" => GameReply::State(read(line)?),
            "refused" => GameReply::Refused(read(line)?),
            "legal" => GameReply::Legal,
            "outcome" => GameReply::Outcome(read(line)?),
            "action" => GameReply::Action(read(line)?),
            "view" => GameReply::View(read(line)?),
            "drawing" => GameReply::Drawing(read(line)?),
            "paths" => GameReply::Paths(read(line)?),
            "words" => GameReply::Words(read(line)?),
            "unsupported" => GameReply::Unsupported,
            other => {
                let other = crate::text::head(other, 40);
                return Err(MalformedGameLine(format!(
                    "the type {other:?} is not known"
                )));
            }
        })
    }

    /// The name of its type.
    pub fn name(&self) -> &'static str {
        match self {
            GameReply::Game(_) => "game",
            GameReply::State(_) => "state",
            GameReply::Refused(_) => "refused",
            GameReply::Legal => "legal",
            GameReply::Outcome(_) => "outcome",
            GameReply::Action(_) => "action",
            GameReply::View(_) => "view",
            GameReply::Drawing(_) => "drawing",
            GameReply::Paths(_) => "paths",
            GameReply::Words(_) => "words",
            GameReply::Unsupported => "unsupported",
        }
    }
}

impl Serialize for GameViewer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            GameViewer::Seat(seat) => serializer.serialize_u8(*seat),
            GameViewer::Public => serializer.serialize_str("public"),
            GameViewer::Open => serializer.serialize_str("open"),
        }
    }
}

impl<'de> Deserialize<'de> for GameViewer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum SeatOrName {
            Seat(u8),
            Name(String),
        }
        match SeatOrName::deserialize(deserializer)? {
            SeatOrName::Seat(seat) => Ok(GameViewer::Seat(seat)),
            SeatOrName::Name(name) if name == "public" => Ok(GameViewer::Public),
            SeatOrName::Name(name) if name == "open" => Ok(GameViewer::Open),
            SeatOrName::Name(name) => Err(serde::de::Error::custom(format!(
                "a viewer is a seat, \"public\" or \"open\", not {name:?}"
            ))),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for GameViewer {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "GameViewer".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 5 },
            { "enum": ["public", "open"] }
        ] })
    }
}

impl fmt::Debug for RandomBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for RandomBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for RandomBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RandomBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || serde::de::Error::custom("random bytes are 64 hexadecimal digits");
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return Err(wrong());
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let value = |digit: u8| char::from(digit).to_digit(16);
            let (high, low) = (value(pair[0]), value(pair[1]));
            let both = high.zip(low).map(|(high, low)| high * 16 + low);
            *byte = both.ok_or_else(wrong)? as u8;
        }
        Ok(RandomBytes(bytes))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RandomBytes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RandomBytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_line_is_told_in_words() {
        for (line, told) in [
            ("", "not a message: the line is empty"),
            (
                "hello",
                "not a message: the line begins with \"hello\", not with {",
            ),
            (
                r#"{"type":"sta"#,
                "not a message: the line ends in the middle of a message",
            ),
            ("{}", "the field `type` is missing, at column 2"),
            (
                r#"{"type":"view"}"#,
                "the field `view` is missing, at column 15",
            ),
            (
                r#"{"type":"action","action":"a","action":"b"}"#,
                "the field `action` is there twice, at column 38",
            ),
            (
                r#"{"type":"action","action":3}"#,
                "the number 3 stands where a string is due, at column 27",
            ),
            (
                r#"{"type":"state","asks":{}}"#,
                "an object stands where an array is due, at column 23",
            ),
            (
                r#"{"type":"state","asks":[{"seat":256,"view":{}}]}"#,
                "the number 256 stands where a whole number from 0 to 255 is due, at column 35",
            ),
            (
                r#"{"type":"state","over":"done"}"#,
                "the string \"done\" stands where an object is due, at column 29",
            ),
            (r#"{"type":"move"}"#, "the type \"move\" is not known"),
        ] {
            assert_eq!(GameReply::read(line).err().unwrap().to_string(), told);
        }
    }
}
