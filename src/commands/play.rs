use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use flipside_games::{Seat, Viewer};
use flipside_protocol::Clock;
use flipside_referee::{
    Error, Match, MatchSeed, News, Person, Played, Player, Question, Record, Referee, Replay,
};

use crate::arena::ArenaArg;
use crate::commands::play_match::{NewFile, prepare};
use crate::commands::{games, rules};
use crate::failure::{Failure, Result};
use crate::output::{self, plain_line};

/// How many moves are listed unasked.
const MOST_LISTED: usize = 60;

/// How many moves are offered for a mistyped one.
const MOST_OFFERED: usize = 8;

/// The width of a list of moves.
const LINE: usize = 78;

/// The most letters of a draw that are shown.
const MOST_OF_DRAW: usize = 60;

const HELP: &str = "\
Type a move as it is written in the list, or #3 for the third one. Also:
  moves [WORD]   the moves, or those that have WORD in them
  board          the board again
  rules          the rules of this game
  quit           leave the table; the match has no result then
";

/// Sit down at a game against bots, in the terminal
///
/// Each turn shows what you see and what you may do. You have no clock; the bots have theirs. Without
/// a terminal, moves are read from standard input, one a line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game.
    game: String,
    /// The bots on the other seats, in their order.
    #[arg(required = true)]
    bots: Vec<String>,
    /// Your seat.
    #[arg(long, default_value_t = 0)]
    seat: Seat,
    /// The bots' clock: move=1s, or 10s+100ms; ,start=5s behind it for the time to start.
    #[arg(long, default_value = "move=5s")]
    clock: Clock,
    /// The number that all randomness comes from; without it one is drawn.
    #[arg(long)]
    seed: Option<u64>,
    /// The game's options, as JSON.
    #[arg(long, default_value = "{}")]
    options: String,
    /// Write the record into this file, which must not exist yet.
    #[arg(long)]
    record: Option<PathBuf>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let game = games::find(&args.game)?;
    let seats = u8::try_from(args.bots.len() + 1).unwrap_or(u8::MAX);
    game.set_up(&args.options, seats).map_err(|error| {
        Failure::usage(error).hint(format!(
            "you take one seat, and each bot that you name another; `flipside schema {}` tells the options",
            args.game
        ))
    })?;
    if args.seat >= seats {
        return Err(
            Failure::usage(format!("there is no seat {}", args.seat)).hint(format!(
                "with {} bots the seats are 0 to {}",
                args.bots.len(),
                seats - 1
            )),
        );
    }
    let file = args.record.as_deref().map(NewFile::make).transpose()?;
    let mut players = args
        .bots
        .iter()
        .map(|bot| args.arena.player(bot))
        .collect::<Result<Vec<Player>>>()?;
    players.insert(args.seat.into(), Player::person("you"));
    let sandbox = args.arena.sandbox(1);
    prepare(&sandbox, &players)?;
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
    let seed = args.seed.unwrap_or_else(rand::random);
    output::print(&format!(
        "You play {}, seat {} of {seats}, against {}. Type ? for help.\n",
        game.info().title,
        args.seat,
        args.bots.join(", ")
    ))?;
    let mut you = You {
        game: game.info().id,
        names: names.clone(),
        failure: None,
    };
    let the_match = Match {
        id: format!("{}-{seed}", args.game),
        game,
        options: args.options.clone(),
        clock: args.clock,
        seed: MatchSeed::from_number(seed),
        players,
    };
    let played = match Referee::new(sandbox)?.play_with(&the_match, &mut you) {
        Ok(played) => played,
        Err(Error::Left(_)) => {
            return match you.failure {
                Some(failure) => Err(failure),
                None => output::print("You have left the table: the match has no result.\n"),
            };
        }
        Err(error) => return Err(error.into()),
    };
    output::print(&told(&played, &names, args.seat, seed)?)?;
    if let (Some(file), Some(path)) = (file, &args.record) {
        file.write(played.record.as_bytes())?;
        output::print(&format!("The record is {}.\n", path.display()))?;
    }
    Ok(())
}

/// The last board and the result, for the person.
fn told(played: &Played, names: &[String], own: Seat, seed: u64) -> Result<String> {
    let record = Record::read(&played.record).map_err(Failure::new)?;
    let mut replay = Replay::new(&record).map_err(Failure::new)?;
    while replay.step().map_err(Failure::new)?.is_some() {}
    let mut text = format!("\n{}\n", replay.table().text(Viewer::Open));
    let places = &played.verdict.places;
    let place = places[usize::from(own)];
    let first = places.iter().filter(|&&place| place == 1).count();
    let result = match (place, first) {
        (1, 1) => "You have won".to_owned(),
        (1, all) if all == places.len() => "A draw".to_owned(),
        (1, _) => "You share the first place".to_owned(),
        (_, _) if places.len() == 2 => "You have lost".to_owned(),
        (place, _) => format!("You are number {place} of {}", places.len()),
    };
    let _ = writeln!(text, "{result}: {} (seed {seed}).", played.verdict.reason);
    for (seat, (name, place)) in names.iter().zip(places).enumerate() {
        let _ = writeln!(text, "place {place}: {name} (seat {seat})");
        if let Some(fault) = &played.seats[seat].fault {
            let _ = writeln!(text, "  fault: {}", plain_line(&fault.to_string()));
            for line in fault.stderr.lines() {
                let _ = writeln!(text, "  stderr: {}", plain_line(line));
            }
        }
    }
    Ok(text)
}

/// The person at the terminal.
struct You {
    game: &'static str,
    names: Vec<String>,
    /// Why the terminal could not be read or written.
    failure: Option<Failure>,
}

impl Person for You {
    fn choose(&mut self, question: &Question<'_>) -> Option<String> {
        match self.talk(question) {
            Ok(action) => action,
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }
}

impl You {
    /// Asks until there is a legal move; none when the person leaves.
    fn talk(&self, question: &Question<'_>) -> Result<Option<String>> {
        let actions = question.actions();
        let mut text = String::from("\n");
        for news in question.news() {
            let _ = writeln!(text, "{}", self.told(news));
        }
        let _ = write!(text, "\n{}\n", question.board());
        if question.is_shared() {
            text.push_str("The others choose at the same time.\n");
        }
        text += &listed(&actions, "");
        output::print(&text)?;
        loop {
            let Some(typed) = ask()? else {
                return Ok(None);
            };
            let reply = match typed.split_once(' ').unwrap_or((&typed, "")) {
                ("", _) => continue,
                ("?" | "help", _) => HELP.to_owned(),
                ("quit" | "exit", "") => return Ok(None),
                ("board", "") => format!("\n{}\n", question.board()),
                ("moves", word) => listed(&actions, word.trim()),
                ("rules", "") => rules::page(self.game)?.to_owned(),
                _ => match chosen(&typed, &actions) {
                    Some(action) => return Ok(Some(action)),
                    None => refusal(&typed, question, &actions),
                },
            };
            output::print(&reply)?;
        }
    }

    fn told(&self, news: &News) -> String {
        match news {
            News::Act { seat, action } => {
                format!("{} (seat {seat}): {action}", self.names[usize::from(*seat)])
            }
            News::Draw(draw) if draw.len() > MOST_OF_DRAW => {
                let start: String = draw.chars().take(MOST_OF_DRAW).collect();
                format!("chance: {start}…")
            }
            News::Draw(draw) => format!("chance: {draw}"),
            News::Fault { seat, what } => format!(
                "{} (seat {seat}) has fallen, and legal moves are drawn for it: {}",
                self.names[usize::from(*seat)],
                plain_line(what)
            ),
        }
    }
}

/// Reads a line; none at the end of the input.
fn ask() -> Result<Option<String>> {
    output::print("> ")?;
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    let read = match read {
        Ok(read) => read,
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            output::print("that is no text\n")?;
            return Ok(Some(String::new()));
        }
        Err(error) => return Err(Failure::new(format!("cannot read what you type: {error}"))),
    };
    // What was typed stands on the screen; what was piped in does not.
    if !std::io::stdin().is_terminal() {
        output::print(&format!("{}\n", plain_line(line.trim_end())))?;
    }
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// The move that was typed, or picked by its number.
fn chosen(typed: &str, actions: &[String]) -> Option<String> {
    if let Some(action) = actions.iter().find(|action| *action == typed) {
        return Some(action.clone());
    }
    let number: usize = typed.strip_prefix('#')?.trim().parse().ok()?;
    actions.get(number.checked_sub(1)?).cloned()
}

/// Why something typed is not taken, and what may have been meant.
fn refusal(typed: &str, question: &Question<'_>, actions: &[String]) -> String {
    let why = match question.check(typed) {
        _ if typed.starts_with('#') => format!("the moves are #1 to #{}", actions.len()),
        Err(refusal) => refusal.to_string(),
        Ok(()) => "that is not among the moves".into(),
    };
    let mut text = format!("{}\n", plain_line(&why));
    let near: Vec<&str> = actions
        .iter()
        .filter(|action| action.starts_with(typed))
        .map(String::as_str)
        .collect();
    match near.len() {
        0 => text.push_str("`moves` lists what you may do, ? helps\n"),
        count => {
            let some = near[..count.min(MOST_OFFERED)].join(", ");
            let more = if count > MOST_OFFERED { ", …" } else { "" };
            let _ = writeln!(text, "there is: {some}{more}");
        }
    }
    text
}

/// The moves that have a word in them, in columns, with their numbers.
fn listed(actions: &[String], word: &str) -> String {
    let numbered: Vec<String> = actions
        .iter()
        .enumerate()
        .filter(|(_, action)| action.contains(word))
        .map(|(at, action)| format!("#{} {action}", at + 1))
        .collect();
    if numbered.is_empty() {
        return format!("no move has {} in it\n", plain_line(word));
    }
    let most = if word.is_empty() {
        MOST_LISTED
    } else {
        actions.len()
    };
    let shown = &numbered[..numbered.len().min(most)];
    let width = 2 + shown
        .iter()
        .map(|move_| move_.chars().count())
        .max()
        .unwrap_or(0);
    let columns = (LINE / width).max(1);
    let mut text = String::new();
    for line in shown.chunks(columns) {
        let mut row = String::from("  ");
        for entry in line {
            let _ = write!(row, "{entry:width$}");
        }
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if numbered.len() > shown.len() {
        let more = numbered.len() - shown.len();
        let _ = writeln!(
            text,
            "  and {more} more: `moves WORD` lists those with WORD in them"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_typed_or_picked_by_its_number() {
        let actions: Vec<String> = ["12", "15", "3"].map(String::from).to_vec();
        assert_eq!(chosen("3", &actions).as_deref(), Some("3"));
        assert_eq!(chosen("#3", &actions).as_deref(), Some("3"));
        assert_eq!(chosen("#1", &actions).as_deref(), Some("12"));
        for nothing in ["1", "#0", "#4", "#", "#x", "", "99999999999999999999"] {
            assert_eq!(chosen(nothing, &actions), None, "{nothing}");
        }
    }

    #[test]
    fn many_moves_are_cut_and_found_by_a_word() {
        let actions: Vec<String> = (0..100).map(|number| format!("launch {number}")).collect();
        assert!(listed(&actions, "").contains("and 40 more"));
        assert!(listed(&actions, "99").contains("#100 launch 99"));
        assert!(!listed(&actions, "99").contains("more"));
        assert!(listed(&actions, "x").contains("no move has x"));
    }
}
