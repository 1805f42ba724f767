//! PGN, the portable game notation of chess programs (Edwards, "Standard: Portable Game Notation Specification and
//! Implementation Guide", 1994), as far as results need it: games with their tags. Moves are passed over.

/// The tags of results that Flipside adds to those of the standard.
pub mod tags {
    /// The game's id.
    pub const GAME: &str = "Game";
    /// The match's id.
    pub const MATCH: &str = "MatchId";
    /// The block, whose matches share their random events.
    pub const BLOCK: &str = "Block";
    /// Why the match ended.
    pub const REASON: &str = "Reason";
    /// `no` where the match does not count in the table of its tournament.
    pub const COUNTS: &str = "Counts";
    /// By seat, what its bot did wrong.
    pub const FAULTS: [&str; 2] = ["WhiteFault", "BlackFault"];
    /// By seat, what people call it.
    pub const SEATS: [&str; 2] = ["WhiteSeat", "BlackSeat"];
    /// The plies that were drawn before anybody was asked.
    pub const OPENING: &str = "OpeningPlies";
}

/// The results of PGN: White won, Black won, a draw, and a game without a result.
pub const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// A game: its tags, and the result behind its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// The line of the file, from 1, in which it begins.
    pub line: u64,
    tags: Vec<(String, String)>,
    result: Option<&'static str>,
}

impl PgnGame {
    /// The value of a tag, without those that say that it is not known.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(own, _)| own == name);
        let value = found.map(|(_, value)| value.as_str());
        value.filter(|value| !["", "?", "-"].contains(value))
    }

    /// One of [`RESULTS`]: that of the tag, otherwise that behind the moves.
    ///
    /// # Errors
    /// Gives the value of a tag that is none of them.
    pub fn result(&self) -> Result<&'static str, &str> {
        match self.tag("Result") {
            None => Ok(self.result.unwrap_or("*")),
            Some("1/2") => Ok("1/2-1/2"),
            Some(told) => known_result(told).ok_or(told),
        }
    }
}

fn known_result(word: &str) -> Option<&'static str> {
    RESULTS.into_iter().find(|result| *result == word)
}

/// Why a text is no PGN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct PgnError {
    /// The line, from 1.
    pub line: u64,
    what: &'static str,
}

/// The games of a text, one after the other.
pub struct PgnGames<'a> {
    rest: &'a str,
    line: u64,
}

impl<'a> PgnGames<'a> {
    /// The games of this text.
    pub fn of(text: &'a str) -> Self {
        PgnGames {
            rest: text,
            line: 1,
        }
    }

    /// Passes over so many bytes.
    fn pass(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.bytes().filter(|&byte| byte == b'\n').count() as u64;
        self.rest = rest;
        passed
    }

    /// Passes over all until a character stands, or to the end; tells whether it stands.
    fn pass_to(&mut self, end: char) -> bool {
        let found = self.rest.find(end);
        self.pass(found.unwrap_or(self.rest.len()));
        found.is_some()
    }

    fn error(&self, what: &'static str) -> PgnError {
        PgnError {
            line: self.line,
            what,
        }
    }

    /// Reads a tag, whose bracket is next.
    fn read_tag(&mut self) -> Result<(String, String), PgnError> {
        let error = self.error("a tag is a name and a value in quotes: [White \"ada\"]");
        let line = self.rest[1..].split('\n').next().unwrap_or_default();
        let line = line.trim_end_matches('\r');
        let (name, value) = line.split_once('"').ok_or_else(|| error.clone())?;
        let (mut end, mut is_escaped) = (None, false);
        for (at, character) in value.char_indices() {
            match character {
                // Many programs write quotes in a value without the backslash that the standard asks for.
                '"' if !is_escaped && value[at + 1..].trim_start().starts_with(']') => {
                    end = Some(at);
                    break;
                }
                '\\' => is_escaped = !is_escaped,
                _ => is_escaped = false,
            }
        }
        let end = end.ok_or_else(|| error.clone())?;
        let behind = value[end + 1..].find(']').expect("a bracket was seen");
        self.pass(1 + name.len() + 1 + end + 1 + behind + 1);
        let name = name.trim();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err(error);
        }
        Ok((name.to_owned(), without_escapes(&value[..end])))
    }
}

fn without_escapes(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.extend(characters.next()),
            other => plain.push(other),
        }
    }
    plain
}

impl Iterator for PgnGames<'_> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut game: Option<PgnGame> = None;
        let (mut has_moves, mut depth) = (false, 0_u32);
        let mut is_line_start = true;
        while let Some(first) = self.rest.chars().next() {
            let was_line_start = std::mem::replace(&mut is_line_start, first == '\n');
            match first {
                // DOS ended files with the second.
                _ if first.is_whitespace() || first == '\u{1a}' => {
                    self.pass(first.len_utf8());
                }
                '%' if was_line_start => {
                    self.pass_to('\n');
                }
                ';' => {
                    self.pass_to('\n');
                }
                '{' => {
                    let error = self.error("a comment begins here and has no end: }");
                    if !self.pass_to('}') {
                        return Some(Err(error));
                    }
                    self.pass(1);
                }
                // The next game begins.
                '[' if has_moves => break,
                '[' => {
                    let line = self.line;
                    let tag = match self.read_tag() {
                        Ok(tag) => tag,
                        Err(error) => {
                            // Nothing behind it is read.
                            self.rest = "";
                            return Some(Err(error));
                        }
                    };
                    let new = || PgnGame {
                        line,
                        ..PgnGame::default()
                    };
                    game.get_or_insert_with(new).tags.push(tag);
                }
                '(' => {
                    depth += 1;
                    self.pass(1);
                }
                ')' => {
                    depth = depth.saturating_sub(1);
                    self.pass(1);
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || "[](){};".contains(c);
                    let end = self.rest.char_indices().skip(1);
                    let end = end.into_iter().find(|&(_, c)| ends(c));
                    let length = end.map_or(self.rest.len(), |(at, _)| at);
                    let line = self.line;
                    let word = self.pass(length);
                    has_moves = true;
                    let new = || PgnGame {
                        line,
                        ..PgnGame::default()
                    };
                    let game = game.get_or_insert_with(new);
                    if depth == 0
                        && let Some(result) = known_result(word)
                    {
                        game.result = Some(result);
                        break;
                    }
                }
            }
        }
        game.map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<PgnGame> {
        PgnGames::of(text).map(Result::unwrap).collect()
    }

    #[test]
    fn games_have_tags_and_a_result_whatever_stands_between_their_moves() {
        let text = "% a line for a program\n\
            [White \"A \\\"b\\\" \\\\ c\"]\r\n[Black \"The \"Big\" One\"] [Round \"?\"]\n\n\
            1. e4 {1-0 [White \"no\"]\n} e5 (1... c5 0-1) 2. Nf3 $1 ; 1-0\n1/2-1/2\n\n\
            [White \"c\"]\n[Black \"d\"]\n[Result \"1-0\"]\n\n*\n[White \"e\"]\n\n1. e4\n[White \"f\"]\n";
        let all = games(text);
        assert_eq!(all.len(), 4);
        assert_eq!(all[0].tag("White"), Some("A \"b\" \\ c"));
        assert_eq!(all[0].tag("Black"), Some("The \"Big\" One"));
        assert_eq!(all[0].tag("Round"), None);
        assert_eq!(all[0].result(), Ok("1/2-1/2"));
        assert_eq!((all[0].line, all[1].line), (2, 9));
        assert_eq!(all[1].result(), Ok("1-0"));
        assert_eq!((all[2].tag("White"), all[2].result()), (Some("e"), Ok("*")));
        assert_eq!(all[3].tag("White"), Some("f"));
        assert_eq!(games(" \n\n"), []);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        let error = |text: &str| {
            let error = PgnGames::of(text).find_map(Result::err).unwrap();
            (error.line, error.to_string())
        };
        let tag = "a tag is a name and a value in quotes: [White \"ada\"]";
        for text in [
            "\n[White ada]",
            "\n[White \"ada]\n\"]",
            "\n[\"ada\"]",
            "\n[A b \"ada\"]",
            "\n[",
        ] {
            assert_eq!(error(text), (2, tag.into()), "{text}");
        }
        let comment = "a comment begins here and has no end: }";
        assert_eq!(error("[White \"a\"]\n\n1. e4 {x\n\n"), (3, comment.into()));
        let result = games("[Result \"2-0\"]");
        assert_eq!(result[0].result(), Err("2-0"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(text in r#"(\[|\]|"|\\|\{|\}|\(|\)|;|%|\n| |1-0|\*|White|é){0,40}"#) {
            let lines = text.lines().count() as u64;
            for game in PgnGames::of(&text) {
                let line = game.map_or_else(|error| error.line, |game| game.line);
                proptest::prop_assert!((1..=lines).contains(&line));
            }
        }
    }
}
