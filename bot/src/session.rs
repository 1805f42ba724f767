//! The bot's side of the protocol: what to answer to each line. How a move is found is the
//! bot's affair.

use std::fmt;
use std::io::{self, BufRead, ErrorKind, Write};

use flipside_protocol::{FromBot, FromReferee, Hello, Malformed, Ready, Turn, VERSION, write_act};

/// A bot, which can play any number of matches, one after the other.
pub trait Bot {
    /// What it calls itself and what it wishes.
    fn ready(&self) -> Ready;

    /// Begins a match.
    ///
    /// # Errors
    /// When it cannot play this one: the game is not known, or its options are not.
    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error>;
}

/// A bot in one match. It is dropped when the match is over, and all it knows with it.
pub trait SessionPlayer {
    /// Chooses an action and writes it into `action`, which is empty.
    ///
    /// # Errors
    /// When the turn cannot be understood.
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error>;
}

/// Why a bot gives up.
#[derive(Debug)]
pub enum Error {
    /// The bot does not know the game.
    UnknownGame(String),
    /// The bot plays only some games, and this is none of them: the game, and what it plays.
    OtherGame(String, String),
    /// The options are not those of the game.
    Options(String),
    /// The referee speaks another version of the protocol.
    Version(u32),
    /// The referee's line is no message.
    Message(Malformed),
    /// A turn cannot be played: it is outside a match, or what it shows cannot be.
    Turn(String),
    /// Reading or writing failed.
    Io(io::Error),
    /// Another reason, in the bot's own words.
    Other(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownGame(game) => write!(f, "this bot does not know the game {game:?}"),
            Error::OtherGame(game, known) => {
                write!(
                    f,
                    "this bot does not play the game {game:?}; it plays {known}"
                )
            }
            Error::Options(why) => write!(f, "the options of the game are not understood: {why}"),
            Error::Version(version) => {
                write!(
                    f,
                    "this bot speaks version {VERSION} of the protocol, not {version}"
                )
            }
            Error::Message(why) => write!(f, "a line from the referee is not understood: {why}"),
            Error::Turn(why) => write!(f, "a turn cannot be played: {why}"),
            Error::Io(error) => write!(f, "cannot speak with the referee: {error}"),
            Error::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Error::Message(malformed)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

/// A conversation with a referee, line by line, without the reading and writing.
pub struct Session {
    bot: Box<dyn Bot>,
    brain: Option<Box<dyn SessionPlayer>>,
    action: String,
}

impl Session {
    /// A conversation before its first line.
    pub fn new(bot: Box<dyn Bot>) -> Self {
        Session {
            bot,
            brain: None,
            action: String::new(),
        }
    }

    /// Takes a line of the referee's and appends the answer with its newline, if one is due. None is due for a message
    /// of a later version, which is passed over.
    ///
    /// # Errors
    /// As the bot's, and when the line is no message or comes at the wrong time.
    pub fn answer(&mut self, line: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(message) = FromReferee::read_known(line)? else {
            return Ok(());
        };
        match message {
            FromReferee::Hello(hello) => {
                if hello.protocol != VERSION {
                    return Err(Error::Version(hello.protocol));
                }
                self.brain = Some(self.bot.begin(&hello)?);
                let ready = FromBot::Ready(self.bot.ready());
                serde_json::to_writer(&mut *out, &ready).expect("a message is always JSON");
                out.push(b'\n');
            }
            FromReferee::Turn(turn) => {
                let brain = self
                    .brain
                    .as_mut()
                    .ok_or_else(|| Error::Turn("no hello came before".into()))?;
                self.action.clear();
                brain.choose(&turn, &mut self.action)?;
                write_act(out, turn.id, &self.action);
            }
            FromReferee::Over(_) => self.brain = None,
        }
        Ok(())
    }
}

/// Plays until the input ends. Every answer is flushed at once, for the referee waits for it.
///
/// # Errors
/// As [`Session::answer`], and when reading or writing fails. A referee that no longer listens is
/// the end, not an error.
pub fn play(
    bot: Box<dyn Bot>,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), Error> {
    let mut session = Session::new(bot);
    let mut line = String::new();
    let mut answer = Vec::new();
    while input.read_line(&mut line)? > 0 {
        session.answer(&line, &mut answer)?;
        match output.write_all(&answer).and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            result => result?,
        }
        line.clear();
        answer.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays the number of the turn within its match.
    struct Counting;

    impl Bot for Counting {
        fn ready(&self) -> Ready {
            Ready {
                name: Some("counting".into()),
                reuse: true,
                ..Ready::default()
            }
        }

        fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
            match hello.game.as_str() {
                "numbers" => Ok(Box::new(PlyCount(0))),
                other => Err(Error::UnknownGame(other.into())),
            }
        }
    }

    struct PlyCount(u32);

    impl SessionPlayer for PlyCount {
        fn choose(&mut self, _: &Turn, action: &mut String) -> Result<(), Error> {
            self.0 += 1;
            action.push_str(&self.0.to_string());
            Ok(())
        }
    }

    fn hello(game: &str, protocol: u32) -> String {
        format!(
            r#"{{"type":"hello","protocol":{protocol},"match":"m","game":"{game}","options":{{}},"seat":0,"seats":2,"clock":"move=1s","limits":{{"line":65536,"memory":0}},"seed":1}}"#
        ) + "\n"
    }

    const TURN: &str = "{\"type\":\"turn\",\"id\":5,\"clocks\":[1,1],\"view\":{}}\n";
    const OVER: &str =
        "{\"type\":\"over\",\"points\":[1,0],\"places\":[1,2],\"reason\":\"line\",\"view\":{}}\n";

    fn played(input: &str) -> (Result<(), Error>, String) {
        let mut output = Vec::new();
        let result = play(Box::new(Counting), input.as_bytes(), &mut output);
        (result, String::from_utf8(output).unwrap())
    }

    #[test]
    fn a_new_hello_begins_from_nothing() {
        let hello = hello("numbers", 1);
        let (result, output) = played(&[&hello, TURN, TURN, OVER, &hello, TURN].concat());
        result.unwrap();
        let ready = r#"{"type":"ready","name":"counting","actions":false,"reuse":true}"#;
        let act = |number| format!(r#"{{"type":"act","id":5,"action":"{number}"}}"#);
        let lines: Vec<_> = output.lines().map(str::to_owned).collect();
        assert_eq!(lines, [ready.into(), act(1), act(2), ready.into(), act(1)]);
    }

    #[test]
    fn messages_and_events_of_later_versions_are_passed_over() {
        let hello = hello("numbers", 1);
        let later = "{\"type\":\"later\",\"id\":9}\n";
        let turn = "{\"type\":\"turn\",\"id\":5,\"clocks\":[1,1],\"view\":{},\"events\":[{\"later\":{}}]}\n";
        let (result, output) = played(&[later, &hello, later, turn, later, TURN].concat());
        result.unwrap();
        let acts: Vec<_> = output.lines().skip(1).collect();
        let act = |number| format!(r#"{{"type":"act","id":5,"action":"{number}"}}"#);
        assert_eq!(acts, [act(1), act(2)]);
    }

    #[test]
    fn the_end_of_the_input_is_the_end() {
        let hello = hello("numbers", 1);
        for input in [
            "",
            &hello,
            &[&hello, TURN].concat(),
            &[&hello, TURN, OVER].concat(),
        ] {
            played(input).0.unwrap();
        }
    }

    #[test]
    fn what_cannot_be_played_is_an_error_in_words() {
        let over_and_turn = [&hello("numbers", 1), OVER, TURN].concat();
        for (input, words) in [
            (
                hello("chess", 1).as_str(),
                "does not know the game \"chess\"",
            ),
            (
                hello("numbers", 2).as_str(),
                "version 1 of the protocol, not 2",
            ),
            (TURN, "no hello"),
            (over_and_turn.as_str(), "no hello"),
            ("what?\n", "not understood"),
            ("\n", "not understood"),
        ] {
            let error = played(input).0.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_referee_that_no_longer_listens_is_the_end() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        play(Box::new(Counting), hello("numbers", 1).as_bytes(), Gone).unwrap();
    }

    #[test]
    fn every_answer_is_flushed_at_once() {
        #[derive(Default)]
        struct Flushing {
            pending: usize,
            flushed: usize,
        }
        impl Write for &mut Flushing {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.pending += bytes.len();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                self.flushed += std::mem::take(&mut self.pending);
                Ok(())
            }
        }
        let mut output = Flushing::default();
        play(
            Box::new(Counting),
            [&hello("numbers", 1), TURN].concat().as_bytes(),
            &mut output,
        )
        .unwrap();
        assert_eq!(output.pending, 0);
        assert!(output.flushed > 0);
    }
}
