//! TRF, the tournament report file of the world chess federation (FIDE, "Format of Tournament Report File", 2016) with
//! the line `XXR` of JaVaFo and bbpPairings: a line for each player, with fixed columns for each round.
//!
//! In a round of TRF, a player has one game. So the matches of a round of the schedule take as many rounds of TRF as
//! one bot has matches in it. Comments, lines that begin with `###`, keep what TRF has no place for: which games are one
//! block, and names that are too long.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// The first characters of a player's line.
const PLAYER: &str = "001";

/// The first characters of a comment.
const COMMENT: &str = "###";

/// The columns of a player's line, from 0, and behind the last.
const NUMBER: [usize; 2] = [4, 8];
const NAME: [usize; 2] = [14, 47];
const POINTS: [usize; 2] = [80, 84];
const ROUNDS: usize = 91;

/// The columns of a round: the opponent's number in four, the colour, the result, and what is between them.
const ROUND: usize = 10;

/// The most half points that fit into the columns of the points.
const MAX_HALF_POINTS: u64 = 199;

/// What came of a game for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrfResult {
    /// It won.
    Won,
    /// A draw.
    Drawn,
    /// It lost.
    Lost,
    /// The opponent did not come.
    WonByForfeit,
    /// It did not come.
    LostByForfeit,
}

impl TrfResult {
    const ALL: [(TrfResult, char); 5] = [
        (TrfResult::Won, '1'),
        (TrfResult::Drawn, '='),
        (TrfResult::Lost, '0'),
        (TrfResult::WonByForfeit, '+'),
        (TrfResult::LostByForfeit, '-'),
    ];

    fn letter(self) -> char {
        let mut all = TrfResult::ALL.iter();
        let found = all.find(|(result, _)| *result == self);
        found.expect("all results are listed").1
    }

    fn half_points(self) -> u64 {
        match self {
            TrfResult::Won | TrfResult::WonByForfeit => 2,
            TrfResult::Drawn => 1,
            TrfResult::Lost | TrfResult::LostByForfeit => 0,
        }
    }
}

/// A game of a tournament that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrfGame {
    /// Who has white, and who black: indices of the players.
    pub players: [usize; 2],
    /// What came of it for both.
    pub results: [TrfResult; 2],
    /// Its round in the schedule. Games stand in the order of the schedule.
    pub round: u32,
    /// Its block.
    pub block: u64,
    /// Its day: `2026-11-30`.
    pub day: String,
}

/// A tournament that is written.
#[derive(Clone, Debug, Default)]
pub struct TrfTournament {
    /// Its name.
    pub name: String,
    /// Its format, in words.
    pub format: String,
    /// Its clock.
    pub clock: String,
    /// By player, its name and its rank, from 1.
    pub players: Vec<(String, usize)>,
    /// The games.
    pub games: Vec<TrfGame>,
    /// Who rests in a round of the schedule, with a point for each round of TRF.
    pub byes: Vec<(usize, u32)>,
    /// How many rounds of TRF there will be, as far as that is known.
    pub rounds: usize,
}

/// Why a tournament does not fit into the form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("TRF has room for 99.5 points, and {name} has {points}")]
pub struct TrfOverflow {
    /// Whose points do not fit.
    pub name: String,
    /// Its points.
    pub points: f64,
}

impl TrfTournament {
    /// The text of the file.
    ///
    /// # Errors
    /// When somebody has more points than the columns hold.
    pub fn text(&self) -> Result<String, TrfOverflow> {
        let rounds = self.rounds_of_games();
        let played = rounds.iter().map(|round| round + 1).max().unwrap_or(0);
        let mut cells = vec![vec![None; played]; self.players.len()];
        let mut half_points = vec![0; self.players.len()];
        for (game, &round) in self.games.iter().zip(&rounds) {
            let [white, black] = game.players;
            let results = game.results.map(TrfResult::letter);
            cells[white][round] = Some(format!("{:4} w {}", black + 1, results[0]));
            cells[black][round] = Some(format!("{:4} b {}", white + 1, results[1]));
            for (player, result) in game.players.into_iter().zip(game.results) {
                half_points[player] += result.half_points();
            }
        }
        for &(player, round) in &self.byes {
            let mut of_round: Vec<usize> = (self.games.iter().zip(&rounds))
                .filter(|(game, _)| game.round == round)
                .map(|(_, &round)| round)
                .collect();
            of_round.sort_unstable();
            of_round.dedup();
            for round in of_round {
                cells[player][round] = Some("0000 - U".into());
                half_points[player] += 2;
            }
        }
        let mut text = self.heading();
        for (player, (name, rank)) in self.players.iter().enumerate() {
            let points = half_points[player];
            if points > MAX_HALF_POINTS {
                return Err(TrfOverflow {
                    name: name.clone(),
                    points: points as f64 / 2.0,
                });
            }
            let width = NAME[1] - NAME[0];
            let short: String = match name.chars().count() > width {
                true => name.chars().take(width - 1).chain(['~']).collect(),
                false => name.clone(),
            };
            let points = format!("{}.{}", points / 2, 5 * (points % 2));
            // No sex, title, rating, federation, number or date of birth.
            let mut line = format!(
                "{PLAYER} {:4}      {short:width$} {:32}{points:>4} {rank:4}",
                player + 1,
                ""
            );
            for cell in &cells[player] {
                line += "  ";
                line += cell.as_deref().unwrap_or("0000 - Z");
            }
            text += &(line + "\n");
        }
        let _ = writeln!(text, "XXR {}", self.rounds.max(played));
        Ok(text + &self.comments(&rounds))
    }

    /// By game, its round of TRF, from 0: the first one of its round of the schedule in which both players are free.
    fn rounds_of_games(&self) -> Vec<usize> {
        let mut rounds = Vec::with_capacity(self.games.len());
        // By player, the rounds of TRF since `first` that are taken.
        let mut taken: Vec<Vec<bool>> = vec![Vec::new(); self.players.len()];
        let (mut first, mut behind) = (0, 0);
        let mut of_schedule = None;
        for game in &self.games {
            if of_schedule.replace(game.round) != Some(game.round) {
                first = behind;
                taken.iter_mut().for_each(Vec::clear);
            }
            let is_free = |at: &usize| {
                let is_taken = |player: usize| taken[player].get(*at).copied().unwrap_or(false);
                !game.players.into_iter().any(is_taken)
            };
            let at = (0..).find(is_free).expect("some round is free");
            for player in game.players {
                let taken = &mut taken[player];
                taken.resize(taken.len().max(at + 1), false);
                taken[at] = true;
            }
            rounds.push(first + at);
            behind = behind.max(first + at + 1);
        }
        rounds
    }

    fn heading(&self) -> String {
        let all = || self.games.iter().map(|game| game.day.as_str());
        let written = |day: Option<&str>| day.unwrap_or_default().replace('-', "/");
        let [begun, ended] = [all().min(), all().max()].map(written);
        let mut text = String::new();
        for (code, value) in [
            ("012", self.name.as_str()),
            ("042", &begun),
            ("052", &ended),
            ("062", &self.players.len().to_string()),
            ("072", "0"),
            ("082", "0"),
            ("092", &self.format),
            ("122", &self.clock),
        ] {
            if !value.is_empty() {
                let _ = writeln!(text, "{code} {value}");
            }
        }
        text
    }

    fn comments(&self, rounds: &[usize]) -> String {
        let mut text = String::new();
        let width = NAME[1] - NAME[0];
        for (number, (name, _)) in (1..).zip(&self.players) {
            if name.chars().count() > width {
                let _ = writeln!(text, "{COMMENT} name {number}: {name}");
            }
        }
        // In the order of the schedule.
        let mut order: Vec<(u64, [usize; 2])> = Vec::new();
        let mut blocks: HashMap<(u64, [usize; 2]), Vec<usize>> = HashMap::new();
        for (game, &round) in self.games.iter().zip(rounds) {
            let [mut low, mut high] = game.players;
            if low > high {
                std::mem::swap(&mut low, &mut high);
            }
            let key = (game.block, [low, high]);
            let block = blocks.entry(key).or_default();
            if block.is_empty() {
                order.push(key);
            }
            block.push(round + 1);
        }
        for key in order {
            let (_, [low, high]) = key;
            let rounds = blocks[&key].iter().map(usize::to_string);
            let rounds = rounds.collect::<Vec<_>>().join(" ");
            let _ = writeln!(text, "{COMMENT} block {}-{}: {rounds}", low + 1, high + 1);
        }
        text
    }
}

/// A game that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrfPlayed {
    /// The line of the file, from 1, of the player with white.
    pub line: u64,
    /// The names of the players with white and with black.
    pub players: [String; 2],
    /// What came of it for both; nothing where they have no result together.
    pub results: Option<[TrfResult; 2]>,
    /// Which block it is of, if comments say so.
    pub block: Option<usize>,
}

/// Why a text is no TRF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct TrfError {
    /// The line, from 1.
    pub line: u64,
    what: String,
}

/// A player's line that was read.
struct PlayerLine {
    line: u64,
    name: String,
    rounds: Vec<Option<RoundCell>>,
}

/// A game of a player: against whom, with which colour, and the letter of the result.
#[derive(Clone, Copy)]
struct RoundCell {
    opponent: u32,
    is_white: Option<bool>,
    result: char,
}

/// A block of games that a comment names: the numbers of the players, and the rounds from 1.
type CommentedBlock = ([u32; 2], Vec<usize>);

/// Whether a text is a file of this form.
pub fn is_trf(text: &str) -> bool {
    let is_tournament = |line: &str| {
        let mut bytes = line.bytes();
        let [a, b, c, d] = [bytes.next(), bytes.next(), bytes.next(), bytes.next()];
        let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        let is_code = is_digit(a) && is_digit(b) && is_digit(c);
        // Those of JaVaFo: `XXR`, `XXC` and others.
        let is_further = line.starts_with("XX") && c.is_some_and(|byte| byte.is_ascii_uppercase());
        line.starts_with(COMMENT) || (is_code || is_further) && d == Some(b' ')
    };
    text.lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(is_tournament)
}

/// Reads the names of the players of a text, and the games in the order of their blocks, if comments name them, and of
/// their rounds.
///
/// # Errors
/// When a player's line cannot be read, or two players do not say the same of their game.
pub fn read_trf(text: &str) -> Result<(Vec<String>, Vec<TrfPlayed>), TrfError> {
    let mut players: BTreeMap<u32, PlayerLine> = BTreeMap::new();
    let mut names: HashMap<u32, &str> = HashMap::new();
    let mut blocks: Vec<CommentedBlock> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        if content.starts_with(PLAYER) {
            let (number, player) = read_player(line, content)?;
            let error = || TrfError {
                line,
                what: format!("the number {number} stands in another line, too"),
            };
            if players.insert(number, player).is_some() {
                return Err(error());
            }
        } else if let Some(comment) = content.strip_prefix(COMMENT) {
            if let Some((number, name)) = named(comment) {
                names.insert(number, name);
            }
            blocks.extend(block(comment));
        }
    }
    for (number, name) in names {
        if let Some(player) = players.get_mut(&number) {
            name.clone_into(&mut player.name);
        }
    }
    let mut of_games = HashMap::new();
    for (at, (numbers, rounds)) in blocks.iter().enumerate() {
        for &round in rounds {
            of_games.entry((*numbers, round)).or_insert(at);
        }
    }
    let mut games = Vec::new();
    for (&number, player) in &players {
        for (round, cell) in (1..).zip(&player.rounds) {
            let Some(cell) = cell else { continue };
            let Some(white_first) = game_of(&players, (number, player), (round, *cell))? else {
                continue;
            };
            let (numbers, played) = white_first;
            let block = of_games.get(&(numbers, round)).copied();
            let order = (block.unwrap_or(usize::MAX), round, number);
            games.push((order, TrfPlayed { block, ..played }));
        }
    }
    games.sort_by_key(|(order, _)| *order);
    let games = games.into_iter().map(|(_, game)| game).collect();
    let names = players.into_values().map(|player| player.name).collect();
    Ok((names, games))
}

/// The game of a player in a round, with the numbers of both in ascending order; nothing where it is told with the
/// other player.
fn game_of(
    players: &BTreeMap<u32, PlayerLine>,
    (number, player): (u32, &PlayerLine),
    (round, cell): (usize, RoundCell),
) -> Result<Option<([u32; 2], TrfPlayed)>, TrfError> {
    let error = |what: String| TrfError {
        line: player.line,
        what,
    };
    let other = cell.opponent;
    let Some(opponent) = players.get(&other) else {
        return Err(error(format!(
            "there is no player {other}, of round {round}"
        )));
    };
    let answer = opponent.rounds.get(round - 1).copied().flatten();
    let answer = answer.filter(|answer| answer.opponent == number && other != number);
    let Some(answer) = answer else {
        return Err(error(format!(
            "{number} has a game against {other} in round {round}, and {other} has none against {number}"
        )));
    };
    let is_white = match (cell.is_white, answer.is_white) {
        (Some(own), Some(others)) if own == others => {
            return Err(error(format!(
                "{number} and {other} have the same colour in round {round}"
            )));
        }
        (Some(own), _) => own,
        (None, Some(others)) => !others,
        // Nobody has a colour where nobody came.
        (None, None) => number < other,
    };
    if !is_white {
        return Ok(None);
    }
    let results = match (cell.result, answer.result) {
        ('1', '0') => Some([TrfResult::Won, TrfResult::Lost]),
        ('0', '1') => Some([TrfResult::Lost, TrfResult::Won]),
        ('=', '=') => Some([TrfResult::Drawn; 2]),
        // A game of less than a move is as good as none.
        ('+' | 'W', '-' | 'L') => Some([TrfResult::WonByForfeit, TrfResult::LostByForfeit]),
        ('-' | 'L', '+' | 'W') => Some([TrfResult::LostByForfeit, TrfResult::WonByForfeit]),
        ('-', '-') => Some([TrfResult::LostByForfeit; 2]),
        // Both lost by a decision of the arbiter, or it was drawn without a move.
        ('0', '0') | ('D', 'D') => None,
        (own, others) => {
            return Err(error(format!(
                "{number} has {own} against {other} in round {round}, and {other} has {others}"
            )));
        }
    };
    let played = TrfPlayed {
        line: player.line,
        players: [&player.name, &opponent.name].map(Clone::clone),
        results,
        block: None,
    };
    Ok(Some(([number.min(other), number.max(other)], played)))
}

fn read_player(line: u64, content: &str) -> Result<(u32, PlayerLine), TrfError> {
    let error = |what: String| TrfError { line, what };
    // The columns are characters.
    let characters: Vec<char> = content.chars().collect();
    let field = |[from, to]: [usize; 2]| -> String {
        let to = to.min(characters.len());
        let field: String = characters
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .collect();
        field.trim().to_owned()
    };
    if characters.len() < POINTS[1] {
        let columns = characters.len();
        return Err(error(format!(
            "the line of a player has at least {} columns, and this one {columns}",
            POINTS[1]
        )));
    }
    let number = field(NUMBER);
    let number = number.parse().ok().filter(|&number| number > 0);
    let number =
        number.ok_or_else(|| error("the number of a player stands in columns 5 to 8".into()))?;
    let name = match field(NAME) {
        name if name.is_empty() => format!("player {number}"),
        name => name,
    };
    let mut rounds = Vec::new();
    for (round, at) in (1..).zip((ROUNDS..characters.len()).step_by(ROUND)) {
        let opponent = field([at, at + 4]);
        let letter = |place: usize| characters.get(place).copied().unwrap_or(' ');
        let (colour, result) = (letter(at + 5), letter(at + 7).to_ascii_uppercase());
        let refused = || {
            let cell: String = characters[at..].iter().take(8).collect();
            error(format!("{cell:?} is no result of round {round}"))
        };
        let opponent = match opponent.as_str() {
            "" => 0,
            number => number.parse().map_err(|_| refused())?,
        };
        let is_white = match colour {
            'w' => Some(true),
            'b' => Some(false),
            '-' | ' ' => None,
            _ => return Err(refused()),
        };
        // Games against nobody are byes, and one whose result is still to come is none yet.
        rounds.push(match (opponent, result) {
            (0, _) | (_, ' ' | 'H' | 'F' | 'U' | 'Z') => None,
            (opponent, '1' | '=' | '0' | '+' | '-' | 'W' | 'D' | 'L') => Some(RoundCell {
                opponent,
                is_white,
                result,
            }),
            _ => return Err(refused()),
        });
    }
    Ok((number, PlayerLine { line, name, rounds }))
}

/// The number and the name of a comment that has one.
fn named(comment: &str) -> Option<(u32, &str)> {
    let (number, name) = comment.trim().strip_prefix("name ")?.split_once(": ")?;
    Some((number.parse().ok()?, name))
}

/// The block that a comment names.
fn block(comment: &str) -> Option<CommentedBlock> {
    let (players, rounds) = comment.trim().strip_prefix("block ")?.split_once(": ")?;
    let (low, high) = players.split_once('-')?;
    let rounds: Option<Vec<usize>> = rounds.split(' ').map(|round| round.parse().ok()).collect();
    Some(([low.parse().ok()?, high.parse().ok()?], rounds?))
}

#[cfg(test)]
mod tests;
