//! Every message as a type, and reading and writing them.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::clock::Clock;
use crate::malformed::{ACT, Malformed, PAUSE, READY};
use crate::patience::LONGEST_REASON;
use crate::text::{cut, head};
use crate::{LONGEST_NAME, LONGEST_NOTE};

/// A message from the referee to a bot.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FromReferee {
    /// A match begins; the bot answers `ready`.
    Hello(Hello),
    /// The bot is asked for an action; it answers `act`.
    Turn(Turn),
    /// The match has ended; no answer is due.
    Over(Over),
}

/// A match begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hello {
    /// The protocol's version: 1.
    pub protocol: u32,
    /// The match's id, the same for all its seats.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The game's id, as `flipside games` lists it.
    pub game: String,
    /// The game's options, all of them, with their values in this match.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub options: Box<RawValue>,
    /// The seat of this bot, from 0.
    pub seat: u8,
    /// How many seats play.
    pub seats: u8,
    /// The clock of this bot.
    pub clock: Clock,
    /// The options that the organiser set for this bot, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")
    )]
    pub bot_options: Option<Box<RawValue>>,
    /// What the bot must keep within.
    pub limits: Limits,
    /// How long the bot's clock may stand still in this match while the bot pauses, in milliseconds in all; absent
    /// where it may not pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
    /// The hash that commits the referee to the match's seed, 64 hexadecimal digits: the record
    /// reveals the seed, so a bot that keeps this can prove that the dice were fixed before.
    #[serde(default)]
    pub commitment: String,
    /// A seed of this bot's own for its random numbers, from 0 to 2^53 - 1: a bot that takes all its
    /// randomness from it plays the same match again.
    // It stays the last field: small bots look for it from the end of the line, for options may have a `seed` too.
    pub seed: u64,
}

/// What a bot must keep within.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// The longest line a bot may write, in bytes without the newline.
    pub line: u64,
    /// The memory a bot may use, in bytes; 0 where it is not limited.
    pub memory: u64,
}

/// The bot is asked for an action.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Turn {
    /// The number of this question; the answer repeats it.
    pub id: u64,
    /// The legal actions in byte order, each once, if the bot asked for them in `ready`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
    /// The time that each seat has for its next move, in milliseconds, by seat. If a clock counts fuel, it is the time
    /// of that fuel: a nanosecond for each [`FUEL_PER_NS`](crate::FUEL_PER_NS) units.
    pub clocks: Vec<u64>,
    /// The fuel that this seat has for its next move, where its clock counts fuel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// What this bot's clock was charged for its last answer, in milliseconds as in `clocks`; absent in its first
    /// question of a match. If its clock counts fuel, it is the time of the fuel that it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charged: Option<u64>,
    /// All that this seat may see now; its schema is the game's.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub view: Box<RawValue>,
    /// What has happened since this bot was last asked, as far as its seat may know, the oldest first; if the bot asked
    /// for it in `ready`. At most [`LONGEST_EVENTS`](crate::LONGEST_EVENTS) bytes.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_events"
    )]
    pub events: Option<Vec<TurnEvent>>,
}

/// Something that happened in a match, as far as a seat may know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TurnEvent {
    /// These seats acted, at the same time if there are several.
    Acts(Vec<TurnAct>),
    /// An outcome of chance, in the game's form; null if it is hidden.
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    Chance(Option<Box<RawValue>>),
    /// A bot is disqualified. From now on, legal actions that are drawn at random stand in for it.
    Fault(TurnFault),
    /// So many older events were left out, because all together were too long.
    Missed(u64),
}

/// All that an event may be, in one struct: fields that this version does not know are passed over.
#[derive(Deserialize)]
struct AnyTurnEvent {
    acts: Option<Vec<TurnAct>>,
    // Null is an outcome that is hidden, and not the same as none.
    #[serde(default, deserialize_with = "present")]
    chance: Option<Option<Box<RawValue>>>,
    fault: Option<TurnFault>,
    missed: Option<u64>,
}

impl AnyTurnEvent {
    /// The event; nothing if it is of a kind that this version does not know.
    fn known(self) -> Option<TurnEvent> {
        let acts = self.acts.map(TurnEvent::Acts);
        let chance = self.chance.map(TurnEvent::Chance);
        let fault = self.fault.map(TurnEvent::Fault);
        let missed = self.missed.map(TurnEvent::Missed);
        acts.or(chance).or(fault).or(missed)
    }
}

/// Reads a list of events without those of a kind that this version does not know.
fn known_events<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Vec<TurnEvent>>, D::Error> {
    let events: Option<Vec<AnyTurnEvent>> = Option::deserialize(reader)?;
    let known = |events: Vec<_>| events.into_iter().filter_map(AnyTurnEvent::known).collect();
    Ok(events.map(known))
}

/// Reads a value that is there, even if it is null.
fn present<'de, D, T>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(reader).map(Some)
}

/// An action of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnAct {
    /// The seat.
    pub seat: u8,
    /// The action, in the game's notation; absent if it is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

/// A bot that is disqualified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnFault {
    /// Its seat.
    pub seat: u8,
    /// The name of the fault.
    pub fault: String,
}

/// The match has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Over {
    /// Points by seat; more is better.
    pub points: Vec<i32>,
    /// Places by seat; 1 is the best, equal is a tie.
    pub places: Vec<u8>,
    /// Why it ended: a reason of the game's, or `fault`.
    pub reason: String,
    /// All that may be seen after the match.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub view: Box<RawValue>,
}

/// A message from a bot to the referee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FromBot {
    /// The answer to `hello`.
    Ready(Ready),
    /// The answer to `turn`.
    Act(Act),
    /// Before the answer to `turn`: the clock stands still until the next line.
    Pause(Pause),
}

/// The bot is there, and says what it wishes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// What the bot calls itself; over 64 bytes it is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version, in any form; over 64 bytes it is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether every `turn` shall list the legal actions.
    #[serde(default)]
    pub actions: bool,
    /// Whether the bot can play another match after `over`, from a new `hello`.
    #[serde(default)]
    pub reuse: bool,
    /// Whether every `turn` shall tell what has happened since the one before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub events: bool,
}

/// An action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// The id of the turn that is answered.
    pub id: u64,
    /// The action, in the game's notation.
    pub action: String,
    /// A remark that the record keeps; over 240 bytes it is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The bot waits for what is not its doing, such as the provider of its model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// Why, which the record keeps; over 240 bytes it is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// All that a bot may write, in one struct: it is read in one pass, wherever `type` stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyFromBot<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    id: Option<u64>,
    action: Option<String>,
    note: Option<String>,
    name: Option<String>,
    version: Option<String>,
    actions: Option<bool>,
    reuse: Option<bool>,
    events: Option<bool>,
    reason: Option<String>,
}

impl FromBot {
    /// Reads a bot's line.
    ///
    /// # Errors
    /// Says in words for the bot's author what is wrong: no JSON object, an unknown `type`, a
    /// field that is missing, unknown, twice there or of another type.
    pub fn read(line: &str) -> Result<Self, Malformed> {
        if let Some(act) = plain_act(line) {
            return Ok(FromBot::Act(act));
        }
        // The reader of a struct would take one for the list of its fields.
        if line.trim_start().starts_with('[') {
            return Err(Malformed::new(
                "not a message: it is an array, and a message is an object".into(),
            ));
        }
        let any: AnyFromBot<'_> =
            serde_json::from_str(line).map_err(|error| Malformed::of(line, &error))?;
        match &*any.kind {
            "act" => any.act().map(FromBot::Act).map_err(|why| why.with(ACT)),
            "ready" => any
                .ready()
                .map(FromBot::Ready)
                .map_err(|why| why.with(READY)),
            "pause" => any
                .pause()
                .map(FromBot::Pause)
                .map_err(|why| why.with(PAUSE)),
            other => Err(Malformed::new(format!(
                "a bot's type is \"ready\", \"act\" or \"pause\", not {:?}",
                head(other, 40)
            ))),
        }
    }
}

/// Reads an `act` as most bots write it: without spaces, note or escapes, its fields in this order. Nothing where it is
/// written otherwise: then it is read as any JSON. It is the line of every ply, and this takes a fifth of the time.
fn plain_act(line: &str) -> Option<Act> {
    let rest = line.strip_prefix("{\"type\":\"act\",\"id\":")?;
    let (id, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let action = rest.strip_prefix(",\"action\":\"")?.strip_suffix("\"}")?;
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    let has_zeros = id.len() > 1 && id.starts_with('0');
    if has_zeros || !action.bytes().all(is_plain) {
        return None;
    }
    Some(Act {
        id: id.parse().ok()?,
        action: action.to_owned(),
        note: None,
    })
}

impl AnyFromBot<'_> {
    fn act(self) -> Result<Act, Malformed> {
        if self.name.is_some()
            || self.version.is_some()
            || self.actions.is_some()
            || self.reuse.is_some()
            || self.events.is_some()
            || self.reason.is_some()
        {
            return Err(Malformed::new(
                "an act has type, id, action and perhaps note, no other field".into(),
            ));
        }
        let missing = |field| Malformed::new(format!("an act needs the field {field:?}"));
        Ok(Act {
            id: self.id.ok_or_else(|| missing("id"))?,
            action: self.action.ok_or_else(|| missing("action"))?,
            note: self.note.map(|note| cut(note, LONGEST_NOTE)),
        })
    }

    fn ready(self) -> Result<Ready, Malformed> {
        if self.id.is_some()
            || self.action.is_some()
            || self.note.is_some()
            || self.reason.is_some()
        {
            return Err(Malformed::new(
                "a ready has type and perhaps name, version, actions, reuse and events, no other field"
                    .into(),
            ));
        }
        Ok(Ready {
            name: self.name.map(|name| cut(name, LONGEST_NAME)),
            version: self.version.map(|version| cut(version, LONGEST_NAME)),
            actions: self.actions.unwrap_or(false),
            reuse: self.reuse.unwrap_or(false),
            events: self.events.unwrap_or(false),
        })
    }

    fn pause(self) -> Result<Pause, Malformed> {
        if self.id.is_some()
            || self.action.is_some()
            || self.note.is_some()
            || self.name.is_some()
            || self.version.is_some()
            || self.actions.is_some()
            || self.reuse.is_some()
            || self.events.is_some()
        {
            return Err(Malformed::new(
                "a pause has type and perhaps reason, no other field".into(),
            ));
        }
        Ok(Pause {
            reason: self.reason.map(|reason| cut(reason, LONGEST_REASON)),
        })
    }
}

impl FromReferee {
    /// Reads a referee's line. Fields and events that this version does not know are passed over.
    ///
    /// # Errors
    /// Says what is wrong with the line; a type that this version does not know is wrong too.
    pub fn read(line: &str) -> Result<Self, Malformed> {
        Self::read_any(line)?.map_err(|kind| {
            let what = format!("the type {:?} is not known", head(&kind, 40));
            Malformed::new(what)
        })
    }

    /// Reads a referee's line, for bots: nothing if its type is one that this version does not know. A bot passes over
    /// such a message, which asks for no answer.
    ///
    /// # Errors
    /// Says what is wrong with the line.
    pub fn read_known(line: &str) -> Result<Option<Self>, Malformed> {
        Ok(Self::read_any(line)?.ok())
    }

    /// Reads a message of a known type, or the name of another type.
    fn read_any(line: &str) -> Result<Result<Self, String>, Malformed> {
        #[derive(Deserialize)]
        struct MessageKind<'a> {
            #[serde(rename = "type", borrow)]
            kind: Cow<'a, str>,
        }
        let malformed =
            |error: serde_json::Error| Malformed::new(format!("not a message: {error}"));
        let kind: MessageKind<'_> = serde_json::from_str(line).map_err(malformed)?;
        let read = match &*kind.kind {
            "hello" => serde_json::from_str(line).map(FromReferee::Hello),
            "turn" => serde_json::from_str(line).map(FromReferee::Turn),
            "over" => serde_json::from_str(line).map(FromReferee::Over),
            other => return Ok(Err(other.to_owned())),
        };
        read.map(Ok).map_err(malformed)
    }
}

/// What a `turn` holds beside its number; all but the clocks is JSON text already.
#[derive(Clone, Copy, Debug)]
pub struct TurnText<'a> {
    /// The list of legal actions, if the bot wants it.
    pub actions: Option<&'a [u8]>,
    /// The time of each seat, in milliseconds.
    pub clocks: &'a [u64],
    /// The fuel of this seat, if its clock counts fuel.
    pub fuel: Option<u64>,
    /// What its last answer was charged, in milliseconds, if it has answered a turn.
    pub charged: Option<u64>,
    /// The view.
    pub view: &'a [u8],
    /// The list of events, if the bot wants it.
    pub events: Option<&'a [u8]>,
}

/// Writes a `turn` line with its newline.
pub fn write_turn(out: &mut Vec<u8>, id: u64, turn: &TurnText<'_>) {
    out.extend_from_slice(b"{\"type\":\"turn\",\"id\":");
    write_json(out, &id);
    if let Some(actions) = turn.actions {
        out.extend_from_slice(b",\"actions\":");
        out.extend_from_slice(actions);
    }
    out.extend_from_slice(b",\"clocks\":");
    write_json(out, turn.clocks);
    if let Some(fuel) = turn.fuel {
        out.extend_from_slice(b",\"fuel\":");
        write_json(out, &fuel);
    }
    if let Some(charged) = turn.charged {
        out.extend_from_slice(b",\"charged\":");
        write_json(out, &charged);
    }
    out.extend_from_slice(b",\"view\":");
    out.extend_from_slice(turn.view);
    if let Some(events) = turn.events {
        out.extend_from_slice(b",\"events\":");
        out.extend_from_slice(events);
    }
    out.extend_from_slice(b"}\n");
}

/// Writes an `act` line with its newline, for bots.
pub fn write_act(out: &mut Vec<u8>, id: u64, action: &str) {
    out.extend_from_slice(b"{\"type\":\"act\",\"id\":");
    write_json(out, &id);
    out.extend_from_slice(b",\"action\":");
    write_json(out, action);
    out.extend_from_slice(b"}\n");
}

fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("numbers and texts are always JSON");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(line: &str) -> String {
        FromBot::read(line).unwrap_err().to_string()
    }

    #[test]
    fn a_plain_act_is_read_as_any_json_is() {
        let (mut plain, mut other) = (0, 0);
        for id in [
            "0",
            "17",
            "01",
            "-1",
            "1.0",
            "1e3",
            "",
            " 1",
            "99999999999999999999",
        ] {
            for action in [
                "",
                "a1-b2",
                "\u{e9}",
                "a\\u0041",
                "a\"",
                "a\u{1}",
                "a\u{7f}",
                "\",\"note\":\"x",
            ] {
                for end in ["\"}", "\"} ", "\",\"note\":\"x\"}", "\"", "\"}}"] {
                    let line = format!("{{\"type\":\"act\",\"id\":{id},\"action\":\"{action}{end}");
                    // A space in front changes nothing but who reads it.
                    let by_json = FromBot::read(&format!(" {line}")).ok();
                    let Some(act) = plain_act(&line) else {
                        other += 1;
                        continue;
                    };
                    plain += 1;
                    assert_eq!(by_json, Some(FromBot::Act(act)), "{line}");
                }
            }
        }
        assert!(plain > 5 && other > 300, "{plain}, {other}");
    }

    #[test]
    fn an_act_is_read_wherever_its_type_stands() {
        let act = FromBot::Act(Act {
            id: 3,
            action: "a1-a2".into(),
            note: Some("hm".into()),
        });
        for line in [
            r#"{"type":"act","id":3,"action":"a1-a2","note":"hm"}"#,
            r#" { "note" : "hm", "action" : "a1-a2", "id" : 3, "type" : "act" } "#,
        ] {
            assert_eq!(FromBot::read(line).unwrap(), act);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(complaint("hello").starts_with("not a message"));
        for array in [
            "[]",
            " [\"ready\",null,null,null,\"a bot\",\"1\",true,false]",
        ] {
            assert_eq!(
                complaint(array),
                "not a message: it is an array, and a message is an object"
            );
        }
        assert!(complaint("{}").contains("missing field `type`"));
        assert!(complaint(r#"{"type":"act","id":3}"#).contains("\"action\""));
        assert!(complaint(r#"{"type":"act","action":"x"}"#).contains("\"id\""));
        assert!(complaint(r#"{"type":"act","id":3,"acton":"x"}"#).contains("acton"));
        assert!(complaint(r#"{"type":"act","id":3,"id":3,"action":"x"}"#).contains("duplicate"));
        assert!(complaint(r#"{"type":"act","id":-1,"action":"x"}"#).starts_with("not a message"));
        assert!(
            complaint(r#"{"type":"act","id":1e300,"action":"x"}"#).starts_with("not a message")
        );
        assert!(complaint(r#"{"type":"act","id":1,"action":5}"#).contains("must be a string"));
        assert!(
            complaint(r#"{"type":"act","id":1,"action":"x","reuse":true}"#).contains("no other")
        );
        assert!(complaint(r#"{"type":"ready","id":1}"#).contains("no other"));
        assert!(complaint(r#"{"type":"pause","id":1}"#).contains("no other"));
        assert!(complaint(r#"{"type":"act","id":1,"action":"x","reason":"y"}"#).contains("other"));
        assert!(complaint(r#"{"type":"move"}"#).contains("\"ready\", \"act\" or \"pause\""));
        assert!(
            complaint("{\"type\":\"act\",\"id\":1,\"action\":\"a\0\"}")
                .contains("control character")
        );
        let deep = format!("{{\"type\":{}", "[".repeat(60_000));
        assert!(complaint(&deep).starts_with("not a message"));
    }

    #[test]
    fn a_long_note_is_cut_at_a_character() {
        let line = format!(
            r#"{{"type":"act","id":1,"action":"x","note":"{}"}}"#,
            "é".repeat(200)
        );
        let FromBot::Act(act) = FromBot::read(&line).unwrap() else {
            panic!("not an act")
        };
        assert_eq!(act.note.unwrap(), "é".repeat(120));
        let line = format!(
            r#"{{"type":"act","id":1,"action":"x","note":"x{}"}}"#,
            "é".repeat(200)
        );
        let FromBot::Act(act) = FromBot::read(&line).unwrap() else {
            panic!("not an act")
        };
        assert_eq!(act.note.unwrap().len(), 239);
    }

    #[test]
    fn a_pause_is_read_and_its_reason_is_cut() {
        let pause = |reason: Option<&str>| {
            let reason = reason.map(str::to_owned);
            FromBot::Pause(Pause { reason })
        };
        let long = "é".repeat(1000);
        for (line, reason) in [
            (r#"{"type":"pause"}"#.to_owned(), None),
            (r#"{"reason":"429","type":"pause"}"#.into(), Some("429")),
            (
                format!(r#"{{"type":"pause","reason":"{long}"}}"#),
                Some(&long[..240]),
            ),
        ] {
            assert_eq!(FromBot::read(&line), Ok(pause(reason)), "{line}");
        }
    }

    #[test]
    fn a_long_name_and_a_long_version_are_cut_at_a_character() {
        for (given, kept) in [
            ("x".repeat(64), "x".repeat(64)),
            ("x".repeat(65), "x".repeat(64)),
            ("é".repeat(1000), "é".repeat(32)),
            (
                "x".to_owned() + &"é".repeat(32),
                "x".to_owned() + &"é".repeat(31),
            ),
        ] {
            let line = format!(r#"{{"type":"ready","name":"{given}","version":"{given}"}}"#);
            let ready = Ready {
                name: Some(kept.clone()),
                version: Some(kept),
                ..Ready::default()
            };
            assert_eq!(FromBot::read(&line), Ok(FromBot::Ready(ready)));
        }
    }

    #[test]
    fn a_bot_passes_over_messages_that_it_does_not_know() {
        let later = r#"{"type":"later","id":1}"#;
        assert!(FromReferee::read_known(later).unwrap().is_none());
        let error = FromReferee::read(later).unwrap_err().to_string();
        assert!(error.contains("\"later\" is not known"), "{error}");
        for broken in ["", "later", "{}", r#"{"type":5}"#, r#"{"type":"turn"}"#] {
            assert!(FromReferee::read_known(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_turn_passes_over_events_that_it_does_not_know() {
        let turn = |events: &str| {
            let line =
                format!(r#"{{"type":"turn","id":1,"clocks":[1],"view":{{}},"events":{events}}}"#);
            FromReferee::read(&line).map(|message| match message {
                FromReferee::Turn(turn) => serde_json::to_string(&turn.events).unwrap(),
                other => panic!("{other:?}"),
            })
        };
        let events =
            r#"[{"later":{"x":[1]}},{"chance":null,"later":1},{},{"missed":2},{"later":null}]"#;
        assert_eq!(turn(events).unwrap(), r#"[{"chance":null},{"missed":2}]"#);
        assert_eq!(turn("null").unwrap(), "null");
        for broken in [r#"[5]"#, r#"[{"missed":"two"}]"#, r#"{"missed":2}"#] {
            assert!(turn(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_turn_is_written_as_its_type_would_be() {
        for (fuel, charged, actions, list) in [
            (None, None, None, None),
            (
                Some(u64::MAX),
                Some(7),
                Some(&br#"["a1-a2","b1"]"#[..]),
                Some(vec!["a1-a2".into(), "b1".into()]),
            ),
        ] {
            let mut fast = Vec::new();
            let text = TurnText {
                actions,
                clocks: &[0, 1500],
                fuel,
                charged,
                view: b"{\"board\":[]}",
                events: None,
            };
            write_turn(&mut fast, u64::MAX, &text);
            let turn = Turn {
                events: None,
                id: u64::MAX,
                actions: list,
                clocks: vec![0, 1500],
                fuel,
                charged,
                view: RawValue::from_string("{\"board\":[]}".into()).unwrap(),
            };
            let plain = serde_json::to_string(&FromReferee::Turn(turn)).unwrap() + "\n";
            assert_eq!(String::from_utf8(fast).unwrap(), plain);
            assert!(matches!(
                FromReferee::read(&plain),
                Ok(FromReferee::Turn(_))
            ));
        }
    }

    #[test]
    fn the_events_of_a_turn_are_read_and_written_to_the_same() {
        let events = concat!(
            r#"[{"missed":3},{"acts":[{"seat":0,"action":"a1"},{"seat":1}]},"#,
            r#"{"chance":{"roll":[6]}},{"chance":null},{"fault":{"seat":2,"fault":"late"}}]"#
        );
        let text = TurnText {
            actions: None,
            clocks: &[1],
            fuel: None,
            charged: None,
            view: b"{}",
            events: Some(events.as_bytes()),
        };
        let mut line = Vec::new();
        write_turn(&mut line, 7, &text);
        let line = String::from_utf8(line).unwrap();
        let Ok(FromReferee::Turn(turn)) = FromReferee::read(&line) else {
            panic!("not a turn: {line}")
        };
        assert_eq!(turn.events.as_ref().map(Vec::len), Some(5));
        let again = serde_json::to_string(&FromReferee::Turn(turn)).unwrap() + "\n";
        assert_eq!(again, line);
    }

    #[test]
    fn an_act_is_written_as_its_type_would_be() {
        let mut fast = Vec::new();
        write_act(&mut fast, 10, "a\"\n");
        let act = FromBot::Act(Act {
            id: 10,
            action: "a\"\n".into(),
            note: None,
        });
        assert_eq!(
            String::from_utf8(fast).unwrap(),
            serde_json::to_string(&act).unwrap() + "\n"
        );
    }
}
