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

use std::borrow::Cow;
use std::time::Duration;

use flipside_games::{MOST_SEATS, Seat};
use flipside_protocol::{Clock, Limits};
use flipside_sandbox::{Kind, Spent};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::clock::micros;
use crate::course::Verdict;
use crate::fault::{Fault, FaultKind};
use crate::seat::Choice;

/// The version of the record's format. An older one is read for ever.
pub const FORMAT: u32 = 1;

/// The longest record that is read, in bytes.
pub const LONGEST_RECORD: usize = 64 * 1024 * 1024;

/// The longest line of a record that is read, in bytes; the longest that is written is a fault with
/// all its evidence, a tenth of this.
pub const LONGEST_RECORD_LINE: usize = 1024 * 1024;

/// The most that a record keeps of the text that shows a fault, in bytes.
pub const LONGEST_EVIDENCE: usize = 4 * 1024;

/// The most that a record holds of the notes of one seat, in bytes. Later ones are left out: notes are
/// remarks, and no bot may make a record too long to be kept with them.
pub const NOTES_QUOTA: usize = 1024 * 1024;

const NOTE_KEY: &[u8] = b",\"note\":";

/// How much of the [`NOTES_QUOTA`] a note takes.
pub(crate) fn note_length(note: &str) -> usize {
    let json = serde_json::to_string(note).expect("a text is JSON");
    NOTE_KEY.len() + json.len()
}

/// What a record needs at most for its end: the faults of all seats, and the last lines.
const FOR_THE_END: usize = 2 * LONGEST_RECORD_LINE;

/// The first line: all that was fixed before the match began.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The format's version.
    pub format: u32,
    /// The version of the referee.
    pub flipside: String,
    /// The match's id.
    pub id: String,
    /// The game's id.
    pub game: String,
    /// All options of the game.
    pub options: Box<RawValue>,
    /// The clock.
    pub clock: Clock,
    /// What the bots had to keep within.
    pub limits: Limits,
    /// What the processes among the bots were started behind: `jail`, or `trust` where that was
    /// nothing. None in a record from before there was a jail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walls: Option<String>,
    /// Whether processes were let compute on the turns of others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ponder: bool,
    /// How many plies were to be drawn before anybody was asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub opening_plies: u32,
    /// Who sat where.
    pub seats: Vec<SeatLine>,
    /// What tells the match apart from others with the same seed. None in a record from before commitments
    /// depended on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The hash of the seed and the number.
    pub commitment: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(flag: &bool) -> bool {
    !flag
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
}

/// A line between the header and the end.
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
    /// What chance did, as JSON of the game's.
    Chance {
        /// The draw: a value, since serde cannot keep raw text inside a tagged enum.
        event: serde_json::Value,
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
    },
}

/// A bot has answered `hello`.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// The time it took, in microseconds.
    pub us: u64,
}

/// What was measured of an answer beside the time that counts. It decides nothing when a record is
/// verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The time by the clock on the wall, in microseconds, where the machine withheld
    /// [`LEAST_WITHHELD`] or more of it, and it was therefore not all taken off.
    pub wall_us: Option<u64>,
    /// The time on the processors, in microseconds, of all processes of a bot that thought for longer
    /// than [`FIRST_LOOK`](flipside_sandbox::FIRST_LOOK). Of a module that is the time that counts.
    pub cpu_us: Option<u64>,
}

/// Less than this is not told as withheld.
pub const LEAST_WITHHELD: Duration = Duration::from_millis(1);

impl Measured {
    pub(crate) fn of(kind: Kind, spent: Spent) -> Self {
        let withheld = spent.wall.saturating_sub(spent.charged);
        Measured {
            wall_us: (withheld >= LEAST_WITHHELD).then(|| micros(spent.wall)),
            cpu_us: match kind {
                Kind::Process => spent.cpu.map(micros),
                Kind::Module => None,
            },
        }
    }
}

/// A choice.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActLine {
    /// Whose.
    pub seat: Seat,
    /// The action, in the game's notation.
    pub action: String,
    /// The time that was taken off the clock, in microseconds; none: the referee acted for a seat that
    /// had fallen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub us: Option<u64>,
    /// The time by the clock on the wall, in microseconds, where the machine withheld [`LEAST_WITHHELD`] or
    /// more of it, and `us` is therefore less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_us: Option<u64>,
    /// The time on the processors, in microseconds, of a bot that thought for longer than
    /// [`FIRST_LOOK`](flipside_sandbox::FIRST_LOOK); of a module the time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
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
    /// The time by the clock on the wall, in microseconds, where the machine withheld [`LEAST_WITHHELD`] or
    /// more of it, and `us` is therefore less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_us: Option<u64>,
    /// The time on the processors, in microseconds, of a bot that thought for longer than
    /// [`FIRST_LOOK`](flipside_sandbox::FIRST_LOOK); of a module the time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The bot's line or action that shows the fault, at most [`LONGEST_EVIDENCE`] bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The end of the bot's standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// What came of the match.
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

/// Writes a record while the match runs, into one growing text.
pub(crate) struct Writer {
    text: Vec<u8>,
    /// By seat, the bytes of its notes so far.
    notes: [usize; MOST_SEATS],
}

impl Writer {
    pub(crate) fn begin(header: &Header) -> Self {
        let mut writer = Writer {
            text: Vec::with_capacity(8 * 1024),
            notes: [0; MOST_SEATS],
        };
        writer.line("match", header);
        writer
    }

    pub(crate) fn ready(&mut self, line: &ReadyLine) {
        self.line("ready", line);
    }

    pub(crate) fn opening(&mut self, acts: &[(Seat, String)]) {
        let act = |(seat, action): &(Seat, String)| ActLine {
            seat: *seat,
            action: action.clone(),
            us: None,
            note: None,
            wall_us: None,
            cpu_us: None,
        };
        #[derive(Serialize)]
        struct Opening {
            acts: Vec<ActLine>,
        }
        let acts = acts.iter().map(act).collect();
        self.line("opening", &Opening { acts });
    }

    pub(crate) fn fault(&mut self, seat: Seat, fault: &Fault) {
        let line = FaultLine {
            seat,
            fault: fault.kind,
            detail: fault.detail.clone(),
            us: fault.us,
            wall_us: fault.measured.wall_us,
            cpu_us: fault.measured.cpu_us,
            evidence: fault.evidence.clone(),
            stderr: fault.stderr.clone(),
        };
        self.line("fault", &line);
    }

    pub(crate) fn chance(&mut self, event: &[u8]) {
        self.text
            .extend_from_slice(b"{\"type\":\"chance\",\"event\":");
        self.text.extend_from_slice(event);
        self.text.extend_from_slice(b"}\n");
    }

    pub(crate) fn acts<'a>(&mut self, acts: impl Iterator<Item = (Seat, &'a Choice)>) {
        self.text
            .extend_from_slice(b"{\"type\":\"acts\",\"acts\":[");
        for (at, (seat, choice)) in acts.enumerate() {
            let Choice {
                action,
                note,
                us,
                measured,
            } = choice;
            self.text.extend_from_slice(if at == 0 {
                b"{\"seat\":"
            } else {
                b",{\"seat\":"
            });
            self.json(&seat);
            self.text.extend_from_slice(b",\"action\":");
            self.json(action);
            if let Some(us) = us {
                self.text.extend_from_slice(b",\"us\":");
                self.json(&us);
            }
            if let Some(us) = measured.wall_us {
                self.text.extend_from_slice(b",\"wall_us\":");
                self.json(&us);
            }
            if let Some(us) = measured.cpu_us {
                self.text.extend_from_slice(b",\"cpu_us\":");
                self.json(&us);
            }
            if let Some(note) = note {
                self.note(seat, note);
            }
            self.text.push(b'}');
        }
        self.text.extend_from_slice(b"]}\n");
    }

    /// Leaves it out where the notes of its seat are too long together.
    fn note(&mut self, seat: Seat, note: &str) {
        let before = self.text.len();
        self.text.extend_from_slice(NOTE_KEY);
        self.json(note);
        let written = self.text.len() - before;
        let sum = &mut self.notes[usize::from(seat)];
        if *sum + written <= NOTES_QUOTA {
            *sum += written;
        } else {
            self.text.truncate(before);
        }
    }

    /// Whether nothing but its end may come, for else nobody would read it.
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() > LONGEST_RECORD - FOR_THE_END
    }

    /// Closes the record and gives its text.
    pub(crate) fn end(mut self, verdict: &Verdict, plies: u64, seed: String) -> String {
        let Verdict {
            points,
            places,
            reason,
        } = verdict.clone();
        self.line(
            "over",
            &OverLine {
                points,
                places,
                reason,
                plies,
                seed,
            },
        );
        let sha256 = hex::encode(Sha256::digest(&self.text));
        self.line("end", &serde_json::json!({ "sha256": sha256 }));
        String::from_utf8(self.text).expect("JSON is text")
    }

    fn line(&mut self, kind: &'static str, fields: &impl Serialize) {
        #[derive(Serialize)]
        struct Tagged<'a, T> {
            #[serde(rename = "type")]
            kind: &'static str,
            #[serde(flatten)]
            fields: &'a T,
        }
        self.json(&Tagged { kind, fields });
        self.text.push(b'\n');
    }

    fn json(&mut self, value: &(impl Serialize + ?Sized)) {
        serde_json::to_writer(&mut self.text, value).expect("writing to memory succeeds");
    }
}

/// Why a text is not a whole record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The text is no record at all.
    #[error("this is not a Flipside record: {0}")]
    NotARecord(String),
    /// The format is newer than this program.
    #[error("the record has format {0}, and this program knows formats up to {FORMAT}")]
    Newer(u32),
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
}

impl RecordError {
    /// The way out, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RecordError::NotARecord(_) => {
                Some("records come from `flipside match --record FILE` and `flipside matches`")
            }
            RecordError::Newer(_) => Some("use a newer flipside"),
            RecordError::Line { .. } => None,
            RecordError::Cut(_) => Some("take the whole file again from where it came"),
            RecordError::Changed => {
                Some("a changed record proves nothing; take it again from where it came")
            }
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
                Line::End { sha256 } => {
                    if sha256 != hex::encode(Sha256::digest(&text.as_bytes()[..at])) {
                        return Err(RecordError::Changed);
                    }
                    if at + end + 1 != text.len() {
                        return Err(RecordError::Line {
                            line: number + 1,
                            what: "nothing may follow the end".into(),
                        });
                    }
                    let over = over.ok_or_else(|| RecordError::Line {
                        line: number,
                        what: "the end comes before the match is over".into(),
                    })?;
                    return Ok(Record {
                        header,
                        lines,
                        over,
                    });
                }
                _ if over.is_some() => {
                    return Err(RecordError::Line {
                        line: number,
                        what: "only the end may follow `over`".into(),
                    });
                }
                Line::Over(line) => over = Some(line),
                line => lines.push((number, line)),
            }
            at += end + 1;
        }
        unreachable!("a text has a last line")
    }
}

fn read_header(text: &str) -> Result<Header, RecordError> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'a, str>,
        format: u32,
    }
    /// The limits, of which a bot may be told more, but not a record.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Known {
        line: u64,
        memory: u64,
    }
    /// The header with its tag: an internally tagged enum cannot hold raw JSON.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Tagged {
        #[serde(rename = "type")]
        _kind: String,
        format: u32,
        flipside: String,
        id: String,
        game: String,
        options: Box<RawValue>,
        clock: Clock,
        limits: Known,
        #[serde(default)]
        walls: Option<String>,
        #[serde(default)]
        ponder: bool,
        #[serde(default)]
        opening_plies: u32,
        seats: Vec<SeatLine>,
        #[serde(default)]
        number: Option<u64>,
        commitment: String,
    }
    if text.len() > LONGEST_RECORD {
        return Err(RecordError::NotARecord(format!(
            "it is over {LONGEST_RECORD} bytes long"
        )));
    }
    let first = text.lines().next().unwrap_or_default();
    if first.len() > LONGEST_RECORD_LINE {
        return Err(RecordError::NotARecord(format!(
            "its first line is over {LONGEST_RECORD_LINE} bytes long"
        )));
    }
    let kind: Kind<'_> =
        serde_json::from_str(first).map_err(|error| RecordError::NotARecord(error.to_string()))?;
    if kind.kind != "match" {
        return Err(RecordError::NotARecord(format!(
            "its first line has the type {:?}",
            kind.kind
        )));
    }
    if kind.format > FORMAT {
        return Err(RecordError::Newer(kind.format));
    }
    let tagged: Tagged = serde_json::from_str(first).map_err(|error| RecordError::Line {
        line: 1,
        what: error.to_string(),
    })?;
    let Tagged {
        format,
        flipside,
        id,
        game,
        options,
        clock,
        limits: Known { line, memory },
        walls,
        ponder,
        opening_plies,
        seats,
        number,
        commitment,
        ..
    } = tagged;
    Ok(Header {
        format,
        flipside,
        id,
        game,
        options,
        clock,
        limits: Limits { line, memory },
        walls,
        ponder,
        opening_plies,
        seats,
        number,
        commitment,
    })
}

fn read_line(number: usize, text: &str) -> Result<Line, RecordError> {
    if text.len() > LONGEST_RECORD_LINE {
        let what = format!("it is over {LONGEST_RECORD_LINE} bytes long");
        return Err(RecordError::Line { line: number, what });
    }
    serde_json::from_str(text).map_err(|error| RecordError::Line {
        line: number,
        what: error.to_string(),
    })
}

/// The beginning of a text, as evidence: at most [`LONGEST_EVIDENCE`] bytes, cut at a character.
pub(crate) fn evidence(text: &str) -> String {
    let mut end = text.len().min(LONGEST_EVIDENCE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer() -> Writer {
        Writer {
            text: Vec::new(),
            notes: [0; MOST_SEATS],
        }
    }

    #[test]
    fn a_bot_cannot_fill_the_record_with_its_notes() {
        let mut writer = writer();
        let talker = Choice {
            action: "a1".into(),
            note: Some("blah".repeat(10_000)),
            us: Some(1),
            measured: Measured::default(),
        };
        let quiet = Choice {
            note: Some("short".into()),
            ..talker.clone()
        };
        for _ in 0..1_000 {
            writer.acts([(0, &talker), (1, &quiet)].into_iter());
        }
        let text = String::from_utf8(writer.text).unwrap();
        assert!(text.len() < NOTES_QUOTA + 1_000 * 200, "{}", text.len());
        let kept = |seat: Seat| -> Vec<String> {
            let acts = text.lines().map(|line| match serde_json::from_str(line) {
                Ok(Line::Acts { acts }) => acts,
                other => panic!("{other:?}"),
            });
            let of_seat = acts.flatten().filter(|act| act.seat == seat);
            of_seat.filter_map(|act| act.note).collect()
        };
        // Of who says little, all; of who says too much, the first.
        assert_eq!(kept(1), vec!["short"; 1_000]);
        let notes = kept(0);
        assert!(notes.len() * 40_000 > NOTES_QUOTA - 50_000 && notes.len() < 30);
    }

    #[test]
    fn a_record_is_full_before_it_is_too_long_to_be_read() {
        let mut writer = writer();
        let event = [b" ".repeat(LONGEST_RECORD_LINE - 100), b"1".to_vec()].concat();
        while !writer.is_full() {
            writer.chance(&event);
        }
        assert!(writer.text.len() + 2 * LONGEST_RECORD_LINE <= LONGEST_RECORD + event.len() + 100);
        assert!(writer.text.len() > LONGEST_RECORD / 2);
    }
}
