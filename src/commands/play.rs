use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use flipside_games::words::counted;
use flipside_games::{AnyGame, MAX_SEATS, Seat};
use flipside_operations::{
    Failure, GivenSeed, Processes, RecordFile, Result, drawn_id, find_player, game_named,
    last_board, prepare, rules, seed_of_match, set_up,
};
use flipside_protocol::Clock;
use flipside_referee::{Decision, Error, Match, MatchSeed, PlayedMatch, Player, Referee};
use flipside_report::{plain_line, words};
use flipside_sandbox::shell::quoted;
use flipside_tournament::single_match_points;

use crate::args::{ArenaArg, ProcessArgs};
use crate::output::{self, say_line};
use crate::person::{TerminalPerson, evidence};
use crate::terminal::{self, Style};
use crate::{number, page};

/// Play against bots in the terminal
///
/// Each turn shows the board and your moves. Type #N to pick a move from the list, or type the move. You have no
/// clock. Without a terminal, reads one move per line from stdin.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game
    game: String,
    /// Bots for the other seats, in order [default: sample:greedy, or sample:random at a game of your own]
    #[arg(value_name = "BOT")]
    bots: Vec<String>,
    /// Your seat
    #[arg(long, default_value_t = 0, value_parser = number::near::<Seat>(0, MAX_SEATS - 1))]
    seat: Seat,
    /// Number of seats [default: you and one for each bot]
    ///
    /// Bots fill the seats in turn, with copies if there are too few.
    #[arg(long, value_parser = number::near::<u8>(2, MAX_SEATS))]
    seats: Option<u8>,
    /// Your name in the record
    #[arg(long, default_value = "person")]
    name: String,
    /// Clock of the bots: move=1s or 10s+100ms, optionally with ,start=5s
    #[arg(long, default_value = "move=1s")]
    clock: Clock,
    /// Seed of the dice: a number, or the 64 digits that a match printed
    ///
    /// A number is combined with 32 random bytes. The 64 digits repeat the dice exactly, so bots may know them.
    #[arg(long, value_name = "N|DIGITS")]
    seed: Option<GivenSeed>,
    /// Options of the game, as JSON
    #[arg(long, default_value = "{}")]
    options: String,
    /// Write the record to this new file, signed if the arena has a key
    #[arg(long)]
    record: Option<PathBuf>,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

/// What a person who leaves is told where the match goes on, which may take a while.
const PLAYING_ON: &str = "The others play on for the record, legal moves being drawn for you. \
    Ctrl-C stops that, and then there is no record.\n";

pub(crate) fn run(args: &Args) -> Result<()> {
    let game = game_named(args.arena.path(), &args.game, args.process.into())?;
    let seats = seats(args, game)?;
    let setup = set_up(game, &args.options, seats)?;
    if args.seat >= seats {
        return Err(
            Failure::usage(format!("there is no seat {} among {seats}", args.seat))
                .hint(format!("--seat takes 0 to {}", seats - 1)),
        );
    }
    if let Some(path) = &args.record {
        // Now, as after the match it would be too late to learn that it cannot be. It is made anew
        // then, so that somebody who stops the program at the board leaves nothing behind.
        RecordFile::make(path, args.arena.path())?;
    }
    let players = players(args, game, seats)?;
    let sandbox = Processes::from(args.process).sandbox(args.arena.path(), 1);
    prepare(&sandbox, &players, args.clock)?;
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
    let seed = seed_of_match(args.seed, &mut say_line)?;
    let you = SeatedPerson {
        own: args.seat,
        names: names.clone(),
        sides: (0..seats).map(|seat| setup.table.side(seat)).collect(),
    };
    let style = Style::of_stdout();
    output::print(&greeting(args, game, &you, style))?;
    let leaving = match (you.are_two(), &args.record) {
        (true, _) => (Decision::Leave, ""),
        (false, Some(_)) => (Decision::Leave, PLAYING_ON),
        // The others would play on for nobody.
        (false, None) => (Decision::BreakOff, ""),
    };
    let rules = page::set(&rules(game)?, terminal::width(), style);
    let mut person = TerminalPerson::new(names, rules, leaving)?;
    let played = Referee::new(sandbox)?.play_with(
        &Match {
            id: drawn_id(game.info().id),
            game,
            options: args.options.clone(),
            clock: args.clock,
            seed,
            players,
            opening_plies: 0,
            patience: None,
        },
        &mut person,
    );
    if let Some(failure) = person.failure {
        return Err(failure);
    }
    match played {
        Ok(played) => {
            output::print(&told(&played, &you, person.has_left, style)?)?;
            output::print(&kept(args, seed, &played)?)
        }
        Err(Error::BrokenOff(_)) => {
            output::print("You have left the table, and the match has no result.\n")
        }
        Err(error) => Err(error.into()),
    }
}

/// How many seats there are.
fn seats(args: &Args, game: &dyn AnyGame) -> Result<u8> {
    let info = game.info();
    let bots = bots(args, game).len();
    let seated = u8::try_from(bots + 1).unwrap_or(u8::MAX);
    let refused = |what: String| {
        Err(Failure::usage(what).hint(format!(
            "you take one seat of {}, and each bot another: name as many bots as it takes, or say \
            --seats N and the bots fill them all",
            info.seats_in_words()
        )))
    };
    match args.seats {
        Some(seats) if seats < seated => refused(format!(
            "you and {bots} bots are more than {seats} seats hold"
        )),
        Some(seats) if info.seats.contains(&seats) => Ok(seats),
        None if info.seats.contains(&seated) => Ok(seated),
        seats => refused(format!(
            "{} is for {} seats, not {}",
            info.id,
            info.seats_in_words(),
            seats.unwrap_or(seated)
        )),
    }
}

/// The bots for the other seats.
fn bots(args: &Args, game: &dyn AnyGame) -> Vec<String> {
    match (&args.bots[..], game.program()) {
        ([], None) => vec!["sample:greedy".into()],
        ([], Some(_)) => vec!["sample:random".into()],
        (bots, _) => bots.to_vec(),
    }
}

/// Who plays, by seat.
fn players(args: &Args, game: &dyn AnyGame, seats: u8) -> Result<Vec<Player>> {
    let bots = bots(args, game)
        .iter()
        .map(|bot| find_player(args.arena.path(), bot))
        .collect::<Result<Vec<Player>>>()?;
    let others = usize::from(seats) - 1;
    let mut players: Vec<Player> = bots.into_iter().cycle().take(others).collect();
    players.insert(args.seat.into(), Player::person(&args.name));
    Ok(players)
}

/// Who sits where, as the person knows it.
struct SeatedPerson {
    own: Seat,
    names: Vec<String>,
    /// By seat.
    sides: Vec<u8>,
}

impl SeatedPerson {
    fn are_two(&self) -> bool {
        let sides: BTreeSet<&u8> = self.sides.iter().collect();
        sides.len() == 2
    }

    fn are_teams(&self) -> bool {
        self.are_two() && self.sides.len() > 2
    }

    /// Whether a seat plays for the person's side.
    fn is_ours(&self, seat: usize) -> bool {
        self.sides[seat] == self.sides[usize::from(self.own)]
    }

    /// A seat's line in a list of them.
    fn line(&self, seat: usize) -> String {
        let own = seat == usize::from(self.own);
        let who = if own { "you" } else { &self.names[seat] };
        let ally = !own && self.are_teams() && self.is_ours(seat);
        let side = if ally { "  (on your side)" } else { "" };
        format!("seat {seat}  {}{side}", plain_line(who))
    }

    /// What came of the match, for the person.
    fn result(&self, places: &[u8]) -> String {
        let own = places[usize::from(self.own)];
        let team = if self.are_teams() {
            "Your team has"
        } else {
            "You have"
        };
        let mut others = (0..places.len()).filter(|&seat| !self.is_ours(seat));
        let is_shared = others.clone().any(|seat| places[seat] == own);
        if own == 1 && !is_shared {
            format!("{team} won")
        } else if places.iter().all(|&place| place == own) {
            "A draw".into()
        } else if self.are_two() {
            format!("{team} lost")
        } else if is_shared {
            let with = others.find(|&seat| places[seat] == own).unwrap_or_default();
            format!("You share place {own} of {} with seat {with}", places.len())
        } else {
            format!("You have place {own} of {}", places.len())
        }
    }
}

fn greeting(args: &Args, game: &dyn AnyGame, you: &SeatedPerson, style: Style) -> String {
    let info = game.info();
    let mut text = format!("{}: {}.\n", style.bold(info.title), info.summary);
    for seat in 0..you.names.len() {
        let _ = writeln!(text, "  {}", you.line(seat));
    }
    let rest = format!(
        "The bots' clock is {}; you have none. Type ? for help, rules for the rules, quit to leave.",
        args.clock
    );
    text + &page::filled(&rest, terminal::width()) + "\n"
}

/// The last board and the result.
fn told(played: &PlayedMatch, you: &SeatedPerson, has_left: bool, style: Style) -> Result<String> {
    // The match was played, also where the program of its game fails now.
    let board = last_board(&played.record);
    let board = board.unwrap_or_else(|failure| plain_line(failure.message()) + "\n");
    let mut text = format!("\n{board}\n");
    let seats = &played.result.seats;
    let result = match (has_left, you.are_two()) {
        (false, _) => you.result(&played.result.places()),
        (true, true) => "You have left the table, and that loses the match".into(),
        (true, false) => "You have left the table, and the others have played on".into(),
    };
    let _ = writeln!(
        text,
        "{} ({}, {}).",
        style.bold(&result),
        played.result.reason,
        counted(played.result.plies, "ply")
    );
    let points = single_match_points(&played.result, &you.sides);
    let mut order: Vec<usize> = (0..you.names.len()).collect();
    order.sort_by_key(|&seat| seats[seat].place);
    for seat in order {
        let (place, points) = (seats[seat].place, words::points(points[seat]));
        let _ = writeln!(text, "  place {place}  points {points}  {}", you.line(seat));
        let fault = played.seats[seat].fault.as_ref();
        if let Some(fault) = fault.filter(|_| !has_left || seat != usize::from(you.own)) {
            let _ = writeln!(text, "  disqualified: {}", plain_line(&fault.to_string()));
            text += &evidence(fault);
        }
    }
    Ok(text)
}

/// Writes the record if it is wanted; and says where it is, or what else repeats the match.
fn kept(args: &Args, seed: MatchSeed, played: &PlayedMatch) -> Result<String> {
    let Some(path) = &args.record else {
        return Ok(format!(
            "The seed was {seed}. With --record FILE a match can be seen again.\n"
        ));
    };
    RecordFile::make(path, args.arena.path())?.write(&played.record)?;
    let file = plain_line(&path.display().to_string());
    let typed = plain_line(&quoted(path));
    Ok(format!(
        "The record is {file}: `flipside replay {typed}` shows the match again.\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result for seat 0.
    fn result(sides: &[u8], places: &[u8]) -> String {
        let you = SeatedPerson {
            own: 0,
            names: vec!["bot".into(); sides.len()],
            sides: sides.to_vec(),
        };
        you.result(places)
    }

    #[test]
    fn the_result_is_told_as_the_person_would() {
        assert_eq!(result(&[0, 1], &[1, 2]), "You have won");
        assert_eq!(result(&[0, 1], &[2, 1]), "You have lost");
        assert_eq!(result(&[0, 1], &[1, 1]), "A draw");
        assert_eq!(result(&[0, 1, 0, 1], &[1, 3, 1, 3]), "Your team has won");
        assert_eq!(result(&[0, 1, 0, 1], &[3, 1, 3, 1]), "Your team has lost");
        assert_eq!(result(&[0, 1, 2], &[1, 2, 2]), "You have won");
        assert_eq!(
            result(&[0, 1, 2], &[1, 1, 3]),
            "You share place 1 of 3 with seat 1"
        );
        assert_eq!(result(&[0, 1, 2], &[2, 1, 3]), "You have place 2 of 3");
        assert_eq!(result(&[0, 1, 2, 3], &[1, 1, 1, 1]), "A draw");
    }
}
