//! The record of a match: JSON lines, from a header to a closing hash over all that stands before.
//!
//! ```text
//! {"type":"match","format":1, …}            who, what, with which clock; the commitment to the seed
//! {"type":"ready","seat":0, …}              a bot has answered `hello`
//! {"type":"opening","acts":[{…}]}           the plies that were drawn before anybody was asked
//! {"type":"chance","event":…}               what chance did
//! {"type":"acts","acts":[{…}]}              the choices of all the seats that were asked at once
//! {"type":"fault","seat":1,"fault":…}       what a bot did wrong, with the evidence
//! {"type":"over","points":[1,0], …}         what came of it; the seed, revealed
//! {"type":"end","sha256":"…"}               the hash of all the bytes before this line
//! ```
//!
//! Where an arena with a key gives the record out, the last line also has its `signature` of this hash.

use std::borrow::Cow;
use std::fmt;

use flipside_games::{MAX_SEATS, Seat};
use flipside_protocol::{Clock, ClockUnit, Limits, Patience, Size};
use flipside_sandbox::ProgramKind;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use crate::bot_settings::BotSettings;
use crate::fault::FaultKind;
use crate::pauses::Paused;
use crate::result::MatchResult;
use crate::seed::MatchSeed;
use crate::signature::{PublicKey, SecretKey, Signature, SignedKind};

/// The version of the record's format.
pub const FORMAT: u32 = 1;

/// The longest record that is read, in bytes.
pub const LONGEST_RECORD: usize = 64 * 1024 * 1024;

/// The longest line of a record that is read, in bytes; the longest that is written is a fault with
/// all its evidence, a tenth of this.
pub const LONGEST_RECORD_LINE: usize = 1024 * 1024;

/// The most that a record holds of the notes of one seat, in bytes. Later ones are left out: notes are
/// remarks, and no bot may make a record too long to be kept with them.
pub const NOTES_QUOTA: usize = 1024 * 1024;

const NOTE_KEY: &str = ",\"note\":";

/// How much of the [`NOTES_QUOTA`] a note takes.
pub(crate) fn note_length(note: &str) -> usize {
    let json = serde_json::to_string(note).expect("a text is JSON");
    NOTE_KEY.len() + json.len()
}

/// By seat, how much of the [`NOTES_QUOTA`] is taken.
#[derive(Debug, Default)]
pub(crate) struct NoteQuota([usize; MAX_SEATS]);

impl NoteQuota {
    /// What a record holds of the texts of an action: the reason of its pause, and its note.
    pub(crate) fn kept<'a>(
        &mut self,
        seat: Seat,
        (reason, note): (Option<&'a str>, Option<&'a str>),
    ) -> (Option<&'a str>, Option<&'a str>) {
        let reason = reason.filter(|reason| self.has_room(seat, reason));
        (reason, note.filter(|note| self.has_room(seat, note)))
    }

    /// Whether this seat's texts, with this one, are within their quota.
    fn has_room(&mut self, seat: Seat, note: &str) -> bool {
        let sum = &mut self.0[usize::from(seat)];
        let length = note_length(note);
        let fits = *sum + length <= NOTES_QUOTA;
        *sum += if fits { length } else { 0 };
        fits
    }
}

/// The first line: all that was fixed before the match began.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What tells it from other lines, and a record from other files.
    #[serde(rename = "type")]
    pub(crate) kind: HeaderType,
    /// The format's version.
    pub format: u32,
    /// The version of the referee.
    pub flipside: String,
    /// The match's id.
    pub id: String,
    /// The game's id, with its version where an arena has given it one.
    pub game: String,
    /// The SHA-256 of the game's program, hexadecimal; none of a built-in game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_sha256: Option<String>,
    /// All options of the game.
    pub options: Box<RawValue>,
    /// The clock of the seats that had none of their own.
    pub clock: Clock,
    /// What the fuel of those clocks is that count fuel, as [`METERING`](flipside_sandbox::METERING) says; none if
    /// there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metering: Option<String>,
    /// The class of the machine, where a worker on another machine has played and a clock counts time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// What the bots had to keep within; one with memory of its own is an exception.
    #[serde(deserialize_with = "OnlyLimits::deserialize")]
    pub limits: Limits,
    /// How the processes among the bots were isolated: `jail`, or `trust` where they were not.
    pub isolation: String,
    /// Whether processes were let compute on the turns of others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
    /// How many plies were to be drawn before anybody was asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub opening_plies: u32,
    /// How long the clock of each process might stand still, in all, while its bot paused; none: it might not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<Patience>,
    /// Who sat where.
    pub seats: Vec<SeatLine>,
    /// What tells the match apart from others with the same seed.
    pub number: u64,
    /// The hash of the seed and the number.
    pub commitment: String,
}

/// The type of a header.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HeaderType {
    Match,
}

/// The limits, of which a bot may be told more, but not a record.
#[derive(Deserialize)]
#[serde(remote = "Limits", deny_unknown_fields)]
struct OnlyLimits {
    line: u64,
    memory: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(plies: &u32) -> bool {
    *plies == 0
}

/// Who sat on a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatLine {
    /// The bot's name in this arena, with its version where it has one: `greedy@2`.
    pub bot: String,
    /// How it ran: `process` or `module`.
    pub kind: String,
    /// The SHA-256 of its file, hexadecimal.
    pub sha256: String,
    /// What it had of its own.
    #[serde(default, skip_serializing_if = "BotSettings::is_empty")]
    pub settings: BotSettings,
    /// The memory that it might use, in bytes, where its `bot.toml` asks for less than it had otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

impl SeatLine {
    /// The memory that it might use, in bytes, where all bots might use so much.
    pub fn memory_limit(&self, of_all: u64) -> u64 {
        self.memory.unwrap_or_else(|| self.given_memory(of_all))
    }

    /// The same, whatever its `bot.toml` asks for.
    pub(crate) fn given_memory(&self, of_all: u64) -> u64 {
        self.settings.memory.map_or(of_all, Size::bytes)
    }

    /// Whether its bot may pause where any may: the time of a module is what it computes.
    pub(crate) fn may_pause(&self) -> bool {
        self.kind.parse() == Ok(ProgramKind::Process)
    }
}

impl Header {
    /// The clock of each seat.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = Clock> {
        let own = self.seats.iter().map(|seat| seat.settings.clock);
        own.map(|clock| clock.unwrap_or(self.clock))
    }

    /// The clock of each seat, and how long it may stand still.
    pub(crate) fn seat_clocks(&self) -> impl Iterator<Item = (Clock, Option<Patience>)> {
        let patience = |seat: &SeatLine| self.patience.filter(|_| seat.may_pause());
        self.clocks().zip(self.seats.iter().map(patience))
    }

    /// Whether no clock counts time, so that the speed of the machine has no influence.
    pub fn counts_only_fuel(&self) -> bool {
        self.clocks().all(|clock| clock.unit == ClockUnit::Fuel)
    }

    /// The clock of a seat.
    pub fn clock_of(&self, seat: Seat) -> Clock {
        let clock = self.clocks().nth(usize::from(seat));
        clock.unwrap_or(self.clock)
    }
}

/// A line between the header and the end. Its type may be anywhere among its keys, though this program writes it first.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Line {
    /// A bot has answered `hello`.
    Ready(ReadyLine),
    /// The plies that were drawn before anybody was asked, one after the other. They may be fewer than
    /// were to be drawn.
    Opening {
        /// The plies.
        acts: Vec<ActLine>,
    },
    /// What chance did.
    Chance {
        /// The draw, as JSON of the game's.
        #[serde(deserialize_with = "through_value")]
        event: Box<RawValue>,
    },
    /// The choices of the seats that were asked at once, by ascending seat.
    Acts {
        /// The choices.
        acts: Vec<ActLine>,
    },
    /// What a bot did wrong.
    Fault(FaultLine),
    /// What came of the match.
    Over(OverLine),
    /// The closing hash.
    End {
        /// SHA-256 of all bytes before this line, hexadecimal.
        sha256: String,
        /// The signature of this hash, of who gave the record out.
        #[serde(default)]
        signature: Option<Signature>,
    },
}

/// Reads JSON by way of a value: serde cannot read raw text inside a tagged enum.
fn through_value<'de, D: Deserializer<'de>>(from: D) -> Result<Box<RawValue>, D::Error> {
    to_raw_value(&serde_json::Value::deserialize(from)?).map_err(de::Error::custom)
}

impl Line {
    /// How many plies it has.
    pub fn plies(&self) -> u64 {
        match self {
            Line::Opening { acts } | Line::Acts { acts } => acts.len() as u64,
            _ => 0,
        }
    }
}

/// A bot has answered `hello`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadyLine {
    /// Whose.
    pub seat: Seat,
    /// What the bot calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether it wished for the lists of actions.
    #[serde(default)]
    pub actions: bool,
    /// Whether it wished for the lists of events.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub events: bool,
    /// The time it took, in microseconds.
    pub us: u64,
    /// The fuel that it used, where its clock counts fuel; `us` is its time, a microsecond for each
    /// [`FUEL_PER_US`](flipside_protocol::FUEL_PER_US) units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
}

/// A choice.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActLine {
    /// Whose.
    pub seat: Seat,
    /// The action, in the game's notation.
    pub action: String,
    /// The time that was taken off the clock, in microseconds; none: the referee acted for a
    /// disqualified seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub us: Option<u64>,
    /// The wall-clock time in microseconds, where the run delay was
    /// [`MIN_RUN_DELAY`](crate::MIN_RUN_DELAY) or more, and `us` is therefore less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_us: Option<u64>,
    /// The time on the processors, in microseconds, of a bot that thought for longer than
    /// [`FIRST_LOOK`](flipside_sandbox::FIRST_LOOK); of a module the time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The fuel that it used, where its clock counts fuel; `us` is its time, a microsecond for each
    /// [`FUEL_PER_US`](flipside_protocol::FUEL_PER_US) units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// How long the clock stood still before the answer, where the bot paused. `us` and `wall_us` do not contain it,
    /// but `cpu_us` is also of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// The bot's remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a bot did wrong.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultLine {
    /// Whose.
    pub seat: Seat,
    /// The name of the fault.
    pub fault: FaultKind,
    /// What happened, in words.
    pub detail: String,
    /// The time that the bot had used, in microseconds.
    pub us: u64,
    /// The wall-clock time in microseconds, where the run delay was
    /// [`MIN_RUN_DELAY`](crate::MIN_RUN_DELAY) or more, and `us` is therefore less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_us: Option<u64>,
    /// The time on the processors, in microseconds, of a bot that thought for longer than
    /// [`FIRST_LOOK`](flipside_sandbox::FIRST_LOOK); of a module the time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The fuel that it used, where its clock counts fuel; `us` is its time, or more if it was late
    /// without using all that it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// How long the clock stood still before the fault, where the bot paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// The bot's line or action that shows the fault, at most [`LONGEST_EVIDENCE`](crate::LONGEST_EVIDENCE) bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The end of the bot's standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// The result as the last line but one of a record keeps it. It holds only what the other lines do not tell;
/// [`Record::result`] adds the rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverLine {
    /// Points by seat.
    pub points: Vec<i32>,
    /// Places by seat.
    pub places: Vec<u8>,
    /// Why.
    pub reason: String,
    /// Actions taken, of all seats.
    pub plies: u64,
    /// The seed, revealed: 64 hexadecimal digits.
    pub seed: String,
}

impl OverLine {
    pub(crate) fn of(result: &MatchResult, seed: &MatchSeed) -> Self {
        OverLine {
            points: result.points(),
            places: result.places(),
            reason: result.reason.clone(),
            plies: result.plies,
            seed: seed.to_string(),
        }
    }
}

/// Why a text is not a whole record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The text is no record at all.
    #[error("this is not a Flipside record: {0}")]
    NotARecord(String),
    /// The record has another version of the format.
    #[error("the record has format {0}, and this flipside reads format {FORMAT}")]
    OtherFormat(u32),
    /// The first line is none of this format.
    #[error("the header is not that of format {FORMAT}: {0}")]
    OtherHeader(String),
    /// A line cannot be read.
    #[error("line {line}: {what}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The record stops before its end.
    #[error("the record is cut off after line {0}: its last line, the closing hash, is missing")]
    Cut(usize),
    /// The closing hash is not that of the text.
    #[error("the closing hash does not fit: the record was changed after it was written")]
    Changed,
    /// The signature is not one of the closing hash by the key that it names.
    #[error("the signature does not fit: the record was changed after it was signed")]
    WrongSignature,
    /// It was to be signed, and is.
    #[error("the record is signed already")]
    SignedAlready,
}

impl RecordError {
    /// Something is wrong with the line of this number.
    fn at(line: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        RecordError::Line { line, what }
    }

    /// The way out, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RecordError::NotARecord(_) => {
                Some("records come from `flipside match --record FILE` and `flipside matches`")
            }
            RecordError::OtherFormat(_) | RecordError::OtherHeader(_) => {
                Some("use the flipside that wrote the record")
            }
            RecordError::Cut(_) => Some("take the whole file again from where it came"),
            RecordError::Changed | RecordError::WrongSignature => {
                Some("a changed record proves nothing; take it again from where it came")
            }
            RecordError::Line { .. } | RecordError::SignedAlready => None,
        }
    }
}

/// A whole record, read.
#[derive(Clone, Debug)]
pub struct Record {
    /// The first line.
    pub header: Header,
    /// The lines after it but the last two, each with its number.
    pub lines: Vec<(usize, Line)>,
    /// What came of the match.
    pub over: OverLine,
    /// Whose valid signature it has.
    pub signer: Option<PublicKey>,
}

impl Record {
    /// Reads a record and checks its closing hash. Whether the match was right is
    /// [`verify`](crate::verify)'s question.
    ///
    /// # Errors
    /// Names the line and what is wrong with it.
    pub fn read(text: &str) -> Result<Self, RecordError> {
        let header = read_header(text)?;
        let mut lines = Vec::new();
        let mut over = None;
        let mut at = text.find('\n').map_or(text.len(), |end| end + 1);
        for number in 2.. {
            let rest = &text[at..];
            let Some(end) = rest.find('\n') else {
                return Err(RecordError::Cut(number - 1));
            };
            let line = read_line(number, &rest[..end])?;
            match line {
                Line::End { sha256, signature } => {
                    let hash = Sha256::digest(&text.as_bytes()[..at]).into();
                    if sha256 != hex::encode(hash) {
                        return Err(RecordError::Changed);
                    }
                    let signer = signature
                        .map(|signature| signer(&signature, &hash, &rest[..=end]))
                        .transpose()?;
                    if at + end + 1 != text.len() {
                        return Err(RecordError::at(number + 1, "nothing may follow the end"));
                    }
                    let over = over.ok_or_else(|| {
                        RecordError::at(number, "the end comes before the match is over")
                    })?;
                    return Ok(Record {
                        header,
                        lines,
                        over,
                        signer,
                    });
                }
                _ if over.is_some() => {
                    return Err(RecordError::at(number, "only the end may follow `over`"));
                }
                Line::Over(line) => over = Some(line),
                line => lines.push((number, line)),
            }
            at += end + 1;
        }
        unreachable!("a text has a last line")
    }
}

/// Signs a whole record: the same bytes for the same record and key. Whether the match was right is not its business.
///
/// # Errors
/// When the text does not end with its closing hash, or is signed.
pub fn sign_record(text: &str, key: &SecretKey) -> Result<String, RecordError> {
    let before = text.strip_suffix('\n').and_then(|text| text.rfind('\n'));
    let number = text.lines().count();
    let at = before.map_or(0, |newline| newline + 1);
    let hash = Sha256::digest(&text.as_bytes()[..at]).into();
    match read_line(number, text[at..].trim_end_matches('\n'))? {
        Line::End { sha256, .. } if sha256 != hex::encode(hash) => Err(RecordError::Changed),
        Line::End {
            signature: Some(_), ..
        } => Err(RecordError::SignedAlready),
        Line::End { .. } => {
            let signature = key.sign(SignedKind::Record, &hash);
            Ok(text[..at].to_owned() + &end_line(&hash, &signature))
        }
        _ => Err(RecordError::Cut(number)),
    }
}

/// The last line of a signed record.
fn end_line(hash: &[u8; 32], signature: &Signature) -> String {
    let sha256 = hex::encode(hash);
    let signature = serde_json::to_string(signature).expect("digits are JSON");
    format!("{{\"type\":\"end\",\"sha256\":\"{sha256}\",\"signature\":{signature}}}\n")
}

/// Who signed a record with this closing hash and last line.
fn signer(signature: &Signature, hash: &[u8; 32], line: &str) -> Result<PublicKey, RecordError> {
    // The line itself is not hashed, so it must be the one that the signer wrote.
    let is_it = line == end_line(hash, signature);
    let signer = signature.signer(SignedKind::Record, hash);
    signer.filter(|_| is_it).ok_or(RecordError::WrongSignature)
}

/// What tells a record from another file.
#[derive(Deserialize)]
struct AnyLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    format: u32,
}

fn read_header(text: &str) -> Result<Header, RecordError> {
    let other_file = |what: String| Err(RecordError::NotARecord(what));
    if text.len() > LONGEST_RECORD {
        return other_file(format!("it is over {LONGEST_RECORD} bytes long"));
    }
    let first = text.lines().next().unwrap_or_default();
    if first.len() > LONGEST_RECORD_LINE {
        return other_file(format!(
            "its first line is over {LONGEST_RECORD_LINE} bytes long"
        ));
    }
    match serde_json::from_str(first) {
        Err(error) => other_file(in_line(&error)),
        Ok(AnyLine { kind, .. }) if kind != "match" => {
            other_file(format!("its first line has the type {kind:?}"))
        }
        Ok(AnyLine { format, .. }) if format != FORMAT => Err(RecordError::OtherFormat(format)),
        Ok(_) => {
            serde_json::from_str(first).map_err(|error| RecordError::OtherHeader(in_line(&error)))
        }
    }
}

/// Reads what a line has.
fn read_json<T: DeserializeOwned>(number: usize, line: &str) -> Result<T, RecordError> {
    serde_json::from_str(line).map_err(|error| RecordError::at(number, in_line(&error)))
}

pub(crate) fn read_line(number: usize, text: &str) -> Result<Line, RecordError> {
    if text.len() > LONGEST_RECORD_LINE {
        let what = format!("it is over {LONGEST_RECORD_LINE} bytes long");
        return Err(RecordError::at(number, what));
    }
    if let Ok(TypeFirst(line)) = serde_json::from_str(text) {
        return Ok(line);
    }
    // This also says what is wrong with a line that cannot be read.
    read_json(number, text)
}

/// The types of lines.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineType {
    Ready,
    Opening,
    Chance,
    Acts,
    Fault,
    Over,
    End,
}

/// A line as this program writes it, with its type first: what follows is read without being kept in between.
struct TypeFirst(Line);

impl<'de> Deserialize<'de> for TypeFirst {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(TypeFirstVisitor)
    }
}

struct TypeFirstVisitor;

impl<'de> Visitor<'de> for TypeFirstVisitor {
    type Value = TypeFirst;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object that begins with its type")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut line: A) -> Result<TypeFirst, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Acts {
            #[serde(deserialize_with = "few_acts")]
            acts: Vec<ActLine>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Chance {
            event: Box<RawValue>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct EndLine {
            sha256: String,
            #[serde(default)]
            signature: Option<Signature>,
        }
        if line.next_key::<&str>()? != Some("type") {
            return Err(de::Error::custom("its type is not the first key"));
        }
        let kind = line.next_value()?;
        let rest = MapAccessDeserializer::new(line);
        Ok(TypeFirst(match kind {
            LineType::Ready => Line::Ready(Deserialize::deserialize(rest)?),
            LineType::Opening => {
                let Acts { acts } = Deserialize::deserialize(rest)?;
                Line::Opening { acts }
            }
            LineType::Chance => {
                let Chance { event } = Deserialize::deserialize(rest)?;
                Line::Chance { event }
            }
            LineType::Acts => {
                let Acts { acts } = Deserialize::deserialize(rest)?;
                Line::Acts { acts }
            }
            LineType::Fault => Line::Fault(Deserialize::deserialize(rest)?),
            LineType::Over => Line::Over(Deserialize::deserialize(rest)?),
            LineType::End => {
                let EndLine { sha256, signature } = Deserialize::deserialize(rest)?;
                Line::End { sha256, signature }
            }
        }))
    }
}

/// Reads the choices of a turn: mostly one. A vector that grows by itself would take memory for four.
fn few_acts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ActLine>, D::Error> {
    struct Few;
    impl<'de> Visitor<'de> for Few {
        type Value = Vec<ActLine>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of choices")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<ActLine>, A::Error> {
            let mut acts = Vec::with_capacity(1);
            while let Some(act) = list.next_element()? {
                acts.push(act);
            }
            Ok(acts)
        }
    }
    from.deserialize_seq(Few)
}

/// What is wrong with the JSON of one line, with its column: that the parser has seen one line helps nobody.
fn in_line(error: &serde_json::Error) -> String {
    let (text, column) = (error.to_string(), error.column());
    let place = format!(" at line {} column {column}", error.line());
    match text.strip_suffix(&place) {
        Some(what) => format!("{}, at column {column}", without_choices(what)),
        None => without_choices(&text).to_owned(),
    }
}

/// What is wrong with JSON, as serde tells it, without the list of all names that may stand there.
pub fn without_choices(error: &str) -> &str {
    match error.find("`, expected ") {
        Some(end) if error.starts_with("unknown ") => &error[..=end],
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = include_str!("../tests/records/format-1.jsonl");

    /// The record with another time and a closing hash that fits.
    fn other_record() -> String {
        let changed = RECORD.replacen("\"us\":", "\"us\":1", 1);
        let body = &changed[..changed.trim_end().rfind('\n').unwrap() + 1];
        let sha256 = hex::encode(Sha256::digest(body));
        format!("{body}{{\"type\":\"end\",\"sha256\":\"{sha256}\"}}\n")
    }

    #[test]
    fn a_signed_record_names_its_signer_and_an_unsigned_one_none() {
        assert_eq!(Record::read(RECORD).unwrap().signer, None);
        for key in [(); 2].map(|()| SecretKey::draw().unwrap()) {
            let signed = sign_record(RECORD, &key).unwrap();
            assert_eq!(signed, sign_record(RECORD, &key).unwrap());
            assert_eq!(Record::read(&signed).unwrap().signer, Some(key.public()));
            let again = sign_record(&signed, &key);
            assert_eq!(again, Err(RecordError::SignedAlready));
        }
    }

    #[test]
    fn no_byte_of_a_signed_record_can_be_changed() {
        let key = SecretKey::draw().unwrap();
        let signed = sign_record(RECORD, &key).unwrap();
        for at in 0..signed.len() {
            for other in [b' ', b'0', b'a', b'A', signed.as_bytes()[at] ^ 1] {
                let mut bytes = signed.clone().into_bytes();
                bytes[at] = other;
                let Ok(changed) = String::from_utf8(bytes) else {
                    continue;
                };
                let read = Record::read(&changed);
                assert_eq!(read.is_ok(), changed == signed, "byte {at}: {changed}");
            }
        }
        // Nor can any be added to the last line, which no hash is of.
        let last = signed.trim_end().rfind('\n').unwrap() + 1;
        for at in last..=signed.len() {
            let (before, after) = signed.split_at(at);
            assert!(Record::read(&format!("{before} {after}")).is_err(), "{at}");
        }
    }

    #[test]
    fn the_signature_of_another_record_or_key_is_refused() {
        let [one, other] = [(); 2].map(|()| SecretKey::draw().unwrap());
        let unsigned = other_record();
        let [signed, other_signed] =
            [RECORD, &unsigned].map(|text| sign_record(text, &one).unwrap());
        let signature = |text: &str| text[text.rfind(",\"signature\"").unwrap()..].to_owned();
        let moved = signed.replace(&signature(&signed), &signature(&other_signed));
        let wrong = Record::read(&moved).unwrap_err();
        assert_eq!(wrong, RecordError::WrongSignature);
        assert!(wrong.hint().is_some());
        let claimed = signed.replace(&one.public().to_string(), &other.public().to_string());
        assert_eq!(
            Record::read(&claimed).unwrap_err(),
            RecordError::WrongSignature
        );
        // Who changes the record and closes it again has no signature for it.
        assert_eq!(Record::read(&unsigned).unwrap().signer, None);
        let end = unsigned.strip_suffix("}\n").unwrap();
        let forged = format!("{end}{}", signature(&signed));
        assert_eq!(
            Record::read(&forged).unwrap_err(),
            RecordError::WrongSignature
        );
    }

    #[test]
    fn what_is_not_a_whole_record_is_not_signed() {
        let key = SecretKey::draw().unwrap();
        let text = RECORD;
        let changed = text.replacen("\"us\":", "\"us\":1", 1);
        assert_eq!(sign_record(&changed, &key), Err(RecordError::Changed));
        let cut = &text[..text.trim_end().rfind('\n').unwrap() + 1];
        assert!(matches!(sign_record(cut, &key), Err(RecordError::Cut(_))));
        for text in ["", "\n", "{}", "\n\n", "é\n"] {
            assert!(sign_record(text, &key).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_header_of_another_program_is_refused_in_one_line() {
        for (from, to, told) in [
            (
                ",\"number\":",
                ",\"numbers\":",
                "unknown field `numbers`, at column ",
            ),
            (",\"number\":0", "", "missing field `number`, at column "),
        ] {
            let text = RECORD.replacen(from, to, 1);
            assert_ne!(text, RECORD);
            let error = Record::read(&text).unwrap_err();
            let start = format!("the header is not that of format 1: {told}");
            let column = error.to_string();
            let column = column.strip_prefix(&start).map(str::parse::<usize>);
            assert!(matches!(column, Some(Ok(_))), "{error}");
            assert_eq!(error.hint(), Some("use the flipside that wrote the record"));
        }
    }

    /// A line of each type, as this program writes it.
    const LINES: [&str; 7] = [
        r#"{"type":"ready","seat":0,"name":"a\u0062","actions":true,"us":7}"#,
        r#"{"type":"opening","acts":[{"seat":1,"action":"a1"}]}"#,
        r#"{"type":"chance","event":{"dice":[1,2.5,-3],"b":null,"a":"x"}}"#,
        r#"{"type":"acts","acts":[{"seat":0,"action":"a1","us":1},{"seat":1,"action":"b2","us":2,"note":"h\u00e4"}]}"#,
        r#"{"type":"fault","seat":1,"fault":"late","detail":"late","us":9,"stderr":"oh"}"#,
        r#"{"type":"over","points":[1,-1],"places":[1,2],"reason":"line","plies":2,"seed":"00"}"#,
        r#"{"type":"end","sha256":"00"}"#,
    ];

    fn shown(line: &Line) -> String {
        format!("{line:?}")
    }

    #[test]
    fn a_line_is_the_same_wherever_its_type_is() {
        for text in LINES {
            let TypeFirst(first) = serde_json::from_str(text).unwrap();
            assert_eq!(shown(&first), shown(&read_line(1, text).unwrap()));
            let (kind, rest) = text[1..].split_once(',').unwrap();
            let last = format!("{{{},{kind}}}", rest.strip_suffix('}').unwrap());
            let read = read_line(1, &last).unwrap();
            // The keys of an event are in no order.
            let sorted = |line: &Line| match line {
                Line::Chance { event } => serde_json::from_str::<serde_json::Value>(event.get())
                    .unwrap()
                    .to_string(),
                line => shown(line),
            };
            assert_eq!(sorted(&first), sorted(&read), "{last}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_line_is_told_as_if_it_were_read_at_once() {
        for text in LINES {
            let (kind, rest) = text[1..].split_once(',').unwrap();
            for wrong in [
                format!("{{{kind},{rest},"),
                format!("{{{kind},\"more\":1,{rest}"),
                format!("{{{kind},{kind},{rest}"),
                format!("{{{kind}}}"),
                format!("{text}1"),
                text.replacen("\"type\":\"", "\"type\":\"un", 1),
                text.replacen("\"type\"", "\"kind\"", 1),
            ] {
                let at_once = serde_json::from_str::<Line>(&wrong);
                let what = in_line(&at_once.unwrap_err());
                let line = 3;
                let told = read_line(line, &wrong).unwrap_err();
                assert_eq!(told, RecordError::Line { line, what }, "{wrong}");
            }
        }
    }
}
