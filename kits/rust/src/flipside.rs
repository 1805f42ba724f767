//! A kit for Flipside bots in Rust, without dependencies: this one file.
//!
//! A bot is a function from a turn to an action; see `main.rs`. The kit keeps the protocol: ids, flushing, the end of
//! the input, and a new match in the same process. In a process, `println!` writes to standard error while the bot
//! runs, because standard output belongs to the referee. A WASI module has no such protection: there, use `eprintln!`
//! only. A panic ends the bot with its message on standard error and exit code 1; in a module it is a trap.
//!
//! `flipside rules GAME` explains the fields of a view, and `flipside schema GAME --example` shows real messages. For
//! the rules of the games and typed views, use the crate `flipside-bot`: `flipside new rust DIR --checkout FLIPSIDE`.
#![allow(dead_code)]

use std::any::Any;
use std::fmt::{self, Write as _};
use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The version of the protocol that this kit speaks.
pub const PROTOCOL: i64 = 1;

/// The longest note in bytes. The referee cuts longer ones; the kit does so before it sends them.
pub const LONGEST_NOTE: usize = 240;

/// What stays the same during a match.
pub struct Match {
    /// The match's id.
    pub id: String,
    /// The game's id, for example `flipfour`.
    pub game: String,
    /// The seat of this bot, from 0.
    pub seat: usize,
    /// How many seats play.
    pub seats: usize,
    /// The clock in the protocol's notation, for example `move=1s`.
    pub clock: String,
    /// Random numbers. With all randomness from here, the bot plays the same match again.
    pub random: Random,
    /// Anything that the bot wants to keep until its next turn of this match.
    pub memo: Option<Box<dyn Any>>,
    /// The whole message `hello`, with the options of the game, those of the bot (`bot_options`), and the limits.
    pub message: Json,
}

/// A question of the referee.
pub struct Turn<'a> {
    /// The match that the turn belongs to.
    pub play: &'a mut Match,
    /// The number of the question, from 1.
    pub id: i64,
    /// Everything that this seat may see now.
    pub view: Json,
    /// What happened since this bot's last turn, the oldest first. Each event has one of the fields `acts`, `chance`,
    /// `fault` and `missed`; `flipside protocol` describes them.
    pub events: Vec<Json>,
    /// The legal actions in byte order.
    pub actions: Vec<String>,
    /// The time that each seat has for its next move, in milliseconds.
    pub clocks: Vec<i64>,
    /// A remark for the match's record, for people. The referee cuts it after 240 bytes.
    pub note: Option<String>,
    arrived: Instant,
}

impl Turn<'_> {
    /// Returns the time that is left for this move. A module has no real clock: count work there.
    pub fn time_left(&self) -> Duration {
        let given = self.clocks.get(self.play.seat).copied().unwrap_or(0);
        Duration::from_millis(given.max(0) as u64).saturating_sub(self.arrived.elapsed())
    }

    /// Returns a legal action, all equally likely.
    pub fn random_action(&mut self) -> String {
        let place = self.play.random.below(self.actions.len());
        self.actions[place].clone()
    }
}

/// Random numbers that follow from a seed: SplitMix64, by Steele, Lea and Flood.
pub struct Random(u64);

impl Random {
    /// Returns the numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Returns random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `bound` - 1.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }
}

/// Plays until the referee ends the input. The function returns an action in the game's notation.
pub fn run(name: &str, choose: impl FnMut(&mut Turn) -> String) -> ExitCode {
    let mut session = Session::new(name, choose);
    let mut output = match take_stdout() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("{name}: cannot keep standard output for the referee: {error}");
            return ExitCode::FAILURE;
        }
    };
    for line in io::stdin().lock().lines() {
        let answer = line.map_err(|error| error.to_string());
        // The panic has already said on standard error what happened.
        let answer = answer.and_then(|line| {
            catch_unwind(AssertUnwindSafe(|| session.answer(&line)))
                .unwrap_or_else(|_| Err("the bot's function panicked".into()))
        });
        match answer {
            Ok(answer)
                if output
                    .write_all(answer.as_bytes())
                    .and_then(|()| output.flush())
                    .is_ok() => {}
            // The referee no longer listens.
            Ok(_) => return ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("{name}: {why}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// The stream to the referee. From now on, standard output is standard error, also for children and native code.
#[cfg(unix)]
fn take_stdout() -> io::Result<impl Write> {
    use std::os::fd::AsFd;
    // The standard library has no function for it, but it is linked with the C library that does.
    unsafe extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }
    let referee = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: the numbers are those of standard error and standard output, which nobody owns.
    if unsafe { dup2(2, 1) } < 0 {
        return Err(io::Error::last_os_error());
    }
    io::stdout().flush()?;
    Ok(std::fs::File::from(referee))
}

/// The stream to the referee. A module cannot redirect its output.
#[cfg(not(unix))]
fn take_stdout() -> io::Result<impl Write> {
    Ok(io::stdout())
}

/// A conversation with the referee, without reading and writing: a line in, an answer or an empty text out.
pub struct Session<'a, F> {
    name: &'a str,
    choose: F,
    game: Option<Match>,
}

impl<'a, F: FnMut(&mut Turn) -> String> Session<'a, F> {
    /// A conversation before its first line.
    pub fn new(name: &'a str, choose: F) -> Self {
        Session {
            name,
            choose,
            game: None,
        }
    }

    /// Takes a line and returns the answer, with its newline.
    pub fn answer(&mut self, line: &str) -> Result<String, String> {
        let arrived = Instant::now();
        let message = Json::parse(line)?;
        match message["type"].text() {
            "hello" => {
                self.game = Some(begin(message)?);
                let name = quoted(self.name);
                Ok(format!("{{\"type\":\"ready\",\"name\":{name},\"version\":\"1\",\"actions\":true,\"reuse\":true,\"events\":true}}\n"))
            }
            "turn" => {
                let play = self.game.as_mut().ok_or("a turn came before hello")?;
                let mut turn = Turn {
                    play,
                    id: message["id"].number(),
                    view: message["view"].clone(),
                    events: message["events"].items().to_vec(),
                    actions: message["actions"]
                        .items()
                        .iter()
                        .map(|action| action.text().into())
                        .collect(),
                    clocks: message["clocks"].items().iter().map(Json::number).collect(),
                    note: None,
                    arrived,
                };
                let action = quoted(&(self.choose)(&mut turn));
                let note = turn.note.map_or(String::new(), |note| {
                    format!(",\"note\":{}", quoted(cut(&note)))
                });
                Ok(format!(
                    "{{\"type\":\"act\",\"id\":{},\"action\":{action}{note}}}\n",
                    turn.id
                ))
            }
            "over" => {
                self.game = None;
                Ok(String::new())
            }
            // A message of a later version.
            _ => Ok(String::new()),
        }
    }
}

fn begin(hello: Json) -> Result<Match, String> {
    let version = hello["protocol"].number();
    if version != PROTOCOL {
        return Err(format!(
            "this kit speaks version {PROTOCOL} of the protocol, not {version}"
        ));
    }
    Ok(Match {
        id: hello["match"].text().into(),
        game: hello["game"].text().into(),
        seat: hello["seat"].number() as usize,
        seats: hello["seats"].number() as usize,
        clock: hello["clock"].text().into(),
        random: Random::new(hello["seed"].number() as u64),
        memo: None,
        message: hello,
    })
}

/// Returns the beginning of a note that is short enough.
fn cut(note: &str) -> &str {
    let mut end = note.len().min(LONGEST_NOTE);
    while !note.is_char_boundary(end) {
        end -= 1;
    }
    &note[..end]
}

/// Returns a text as JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\0'..='\x1f' => {
                write!(out, "\\u{:04x}", u32::from(letter)).expect("a string takes it")
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A value of JSON. `view["board"][0].text()` reads it; what is missing is `Json::Null`.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`, and every missing value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number. The referee sends whole ones below 2^53, which this type holds exactly.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err(reader.wrong("text after the end")),
        }
    }

    /// Returns whether it is null or missing.
    pub fn is_null(&self) -> bool {
        *self == Json::Null
    }

    /// Returns a string; empty if it is none.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    /// Returns a whole number; 0 if it is none.
    pub fn number(&self) -> i64 {
        match self {
            Json::Number(number) => *number as i64,
            _ => 0,
        }
    }

    /// Returns whether it is `true`.
    pub fn is_true(&self) -> bool {
        *self == Json::Bool(true)
    }

    /// Returns the items of an array; none if it is none.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }
}

impl std::ops::Index<&str> for Json {
    type Output = Json;

    fn index(&self, name: &str) -> &Json {
        let fields: &[(String, Json)] = match self {
            Json::Object(fields) => fields,
            _ => &[],
        };
        fields
            .iter()
            .find(|(field, _)| field == name)
            .map_or(&Json::Null, |(_, value)| value)
    }
}

impl std::ops::Index<usize> for Json {
    type Output = Json;

    fn index(&self, place: usize) -> &Json {
        self.items().get(place).unwrap_or(&Json::Null)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(number) => write!(f, "{number}"),
            Json::Text(text) => f.write_str(&quoted(text)),
            Json::Array(items) => {
                f.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if place > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Json::Object(fields) => {
                f.write_str("{")?;
                for (place, (name, value)) in fields.iter().enumerate() {
                    write!(
                        f,
                        "{}{}:{value}",
                        if place > 0 { "," } else { "" },
                        quoted(name)
                    )?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Reads JSON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// No message is deeper.
    const DEEPEST: u32 = 100;

    fn value(&mut self, depth: u32) -> Result<Json, String> {
        if depth > Self::DEEPEST {
            return Err(self.wrong("too deep"));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: u32) -> Result<Json, String> {
        let mut fields = Vec::new();
        self.take(b'{')?;
        while self.peek() != Some(b'}') {
            if !fields.is_empty() {
                self.take(b',')?;
                self.peek();
            }
            let name = self.string()?;
            self.take(b':')?;
            fields.push((name, self.value(depth + 1)?));
        }
        self.take(b'}')?;
        Ok(Json::Object(fields))
    }

    fn array(&mut self, depth: u32) -> Result<Json, String> {
        let mut items = Vec::new();
        self.take(b'[')?;
        while self.peek() != Some(b']') {
            if !items.is_empty() {
                self.take(b',')?;
            }
            items.push(self.value(depth + 1)?);
        }
        self.take(b']')?;
        Ok(Json::Array(items))
    }

    fn string(&mut self) -> Result<String, String> {
        self.take(b'"')?;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest
                .find(['"', '\\'])
                .ok_or_else(|| self.wrong("a string without an end"))?;
            out.push_str(&rest[..end]);
            self.at += end + 1;
            if rest.as_bytes()[end] == b'"' {
                return Ok(out);
            }
            out.push(self.escaped()?);
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let letter = self.text[self.at..]
            .chars()
            .next()
            .ok_or_else(|| self.wrong("a string without an end"))?;
        self.at += letter.len_utf8();
        Ok(match letter {
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let first = self.unit()?;
                // The two halves of a character beyond 16 bits.
                if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    let second = self.unit()?;
                    let low = second.wrapping_sub(0xdc00) & 0x3ff;
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + low).unwrap_or('\u{fffd}')
                } else {
                    char::from_u32(first).unwrap_or('\u{fffd}')
                }
            }
            other => other,
        })
    }

    fn unit(&mut self) -> Result<u32, String> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .ok_or_else(|| self.wrong("an escape without an end"))?;
        let unit =
            u32::from_str_radix(digits, 16).map_err(|_| self.wrong("an escape that is none"))?;
        self.at += 4;
        Ok(unit)
    }

    fn number(&mut self) -> Result<Json, String> {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|letter| !"+-.eE0123456789".contains(letter))
            .unwrap_or(rest.len());
        let number = rest[..end].parse().map_err(|_| self.wrong("no value"))?;
        self.at += end;
        Ok(Json::Number(number))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, String> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.wrong("no value"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Skips blanks; returns the next byte, which stays.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| b" \t\r\n".contains(byte))
            .count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() != Some(byte) {
            return Err(self.wrong(&format!("no {}", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    fn wrong(&self, what: &str) -> String {
        format!("a line is not JSON: {what} at byte {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = r#"{"type":"hello","protocol":1,"match":"m","game":"flipfour","options":{"max_plies":60},"seat":1,"seats":2,"clock":"move=1s","limits":{"line":65536,"memory":0},"commitment":"","seed":9007199254740991,"later":[]}"#;
    const TURN: &str = r#"{"type":"turn","id":5,"actions":["+a1","+a2"],"clocks":[10,60000],"view":{"board":["é"],"to_move":null},"events":[{"missed":2},{"acts":[{"seat":0,"action":"+é"},{"seat":1}]},{"chance":null}]}"#;
    const OVER: &str = r#"{"type":"over","points":[1,0],"places":[1,2],"reason":"line","view":{}}"#;

    #[test]
    fn a_turn_is_answered_with_its_id() {
        let mut session = Session::new("a \"bot\"", |turn: &mut Turn| {
            assert_eq!(turn.play.seat, 1);
            assert_eq!(turn.play.message["options"]["max_plies"].number(), 60);
            assert_eq!(turn.view["board"][0].text(), "é");
            assert!(turn.view["to_move"].is_null() && turn.view["x"][7]["y"].is_null());
            let left = turn.time_left();
            assert!(left > Duration::from_secs(50) && left <= Duration::from_secs(60));
            turn.note = Some("a\nb".into());
            turn.actions[1].clone()
        });
        let ready = r#"{"type":"ready","name":"a \"bot\"","version":"1","actions":true,"reuse":true,"events":true}"#;
        assert_eq!(session.answer(HELLO).unwrap(), format!("{ready}\n"));
        let act = r#"{"type":"act","id":5,"action":"+a2","note":"a\u000ab"}"#;
        assert_eq!(session.answer(TURN).unwrap(), format!("{act}\n"));
    }

    #[test]
    fn a_long_note_is_cut_at_a_character() {
        for (note, kept) in [
            ("x".repeat(70_000), "x".repeat(LONGEST_NOTE)),
            (
                "x".to_owned() + &"é".repeat(40_000),
                "x".to_owned() + &"é".repeat(119),
            ),
            ("é".repeat(LONGEST_NOTE / 2), "é".repeat(LONGEST_NOTE / 2)),
        ] {
            let mut session = Session::new("x", |turn: &mut Turn| {
                turn.note = Some(note.clone());
                "+a1".into()
            });
            session.answer(HELLO).unwrap();
            let act = Json::parse(&session.answer(TURN).unwrap()).unwrap();
            assert_eq!(act["note"].text(), kept);
        }
    }

    #[test]
    fn a_turn_has_its_events() {
        let mut session = Session::new("x", |turn: &mut Turn| {
            let mut told = String::new();
            for event in &turn.events {
                told += &format!("{event} ");
                for act in event["acts"].items() {
                    told += &format!("{}{} ", act["seat"].number(), act["action"].is_null());
                }
            }
            told
        });
        session.answer(HELLO).unwrap();
        let told = session.answer(TURN).unwrap();
        let told = Json::parse(&told).unwrap()["action"].text().to_owned();
        let acts = r#"{"acts":[{"seat":0,"action":"+é"},{"seat":1}]}"#;
        assert_eq!(
            told,
            format!("{{\"missed\":2}} {acts} 0false 1true {{\"chance\":null}} ")
        );
        let without = TURN.split(",\"events\":").next().unwrap().to_owned() + "}";
        assert!(session
            .answer(&without)
            .unwrap()
            .contains("\"action\":\"\""));
    }

    #[test]
    fn a_new_match_begins_from_nothing() {
        let mut session = Session::new("x", |turn: &mut Turn| {
            let kept = turn
                .play
                .memo
                .take()
                .and_then(|memo| memo.downcast::<u32>().ok());
            let turns = kept.map_or(1, |turns| *turns + 1);
            turn.play.memo = Some(Box::new(turns));
            format!("{turns} {}", turn.play.random.below(1000))
        });
        let lines = [HELLO, TURN, TURN, OVER, HELLO, TURN];
        let answers = lines.map(|line| session.answer(line).unwrap());
        assert_eq!(answers[1], answers[5]);
        assert!(answers[2].contains("\"2 ") && answers[3].is_empty());
    }

    #[test]
    fn what_cannot_be_played_is_an_error() {
        let refused = |line: &str| {
            Session::new("x", |_: &mut Turn| String::new())
                .answer(line)
                .unwrap_err()
        };
        assert!(refused(TURN).contains("before hello"));
        assert!(refused(&HELLO.replace("\"protocol\":1", "\"protocol\":2")).contains("version 1"));
        let deep = "[".repeat(100_000);
        for text in [
            "", "{", "[1,]", "{\"a\"}", "tru", "\"a", "\"\\u12", "\"\\", "1 2", "[1 2]", "é", &deep,
        ] {
            assert!(refused(text).contains("not JSON"), "{text}");
        }
    }

    #[test]
    fn json_is_read_and_written() {
        let text = r#" { "a" : [ 1 , -25 , true , false , null , "\u00e9\n\"\ud83d\ude00" ] , "b" : { } } "#;
        let read = Json::parse(text).unwrap();
        assert_eq!(read["a"][5].text(), "é\n\"😀");
        assert_eq!(read["a"][1].number(), -25);
        assert!(read["a"][2].is_true() && !read["a"][3].is_true());
        let written = read.to_string();
        assert_eq!(
            written,
            "{\"a\":[1,-25,true,false,null,\"é\\u000a\\\"😀\"],\"b\":{}}"
        );
        assert_eq!(Json::parse(&written).unwrap(), read);
    }

    #[test]
    fn random_numbers_are_even() {
        let mut random = Random::new(7);
        let mut counts = [0; 3];
        (0..3000).for_each(|_| counts[random.below(3)] += 1);
        assert!(
            counts.iter().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
    }
}
