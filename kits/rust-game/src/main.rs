//! mygame: take stones from a heap; whoever takes the last one wins. Make it your own game.

use std::fmt::Write as _;
use std::io;

use flipside_games::{
    ActionPath, BoundedInt, Event, Game, GameHandle, Illegal, Info, Never, OptionsError, Outcome,
    ParseError, Seat, SeatTurn, Seats, Viewer, serve, without_chance,
};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_core::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A match. Only `apply` changes it.
#[derive(Clone, Debug)]
struct MyGame {
    stones: u32,
    most: u32,
    mover: Seat,
}

/// The options, with their ranges.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct MyOptions {
    /// How many stones are in the heap at first.
    stones: BoundedInt<1, 100>,
    /// How many stones a seat may take at once.
    most: BoundedInt<2, 9>,
}

impl Default for MyOptions {
    fn default() -> Self {
        MyOptions {
            stones: BoundedInt::new(21),
            most: BoundedInt::new(3),
        }
    }
}

/// Everything that a viewer may see; bots get it as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MyView {
    /// How many stones are left.
    stones: u32,
    /// How many stones a seat may take at once.
    most: u32,
    /// The seat whose turn it is; null at the end.
    to_move: Option<Seat>,
    /// The seat that took the last stone; null until then.
    winner: Option<Seat>,
}

/// How many stones a seat takes. Actions are in the byte order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Take(u8);

impl MyGame {
    fn is_over(&self) -> bool {
        self.stones == 0
    }
}

impl Game for MyGame {
    type Options = MyOptions;
    type Action = Take;
    type Chance = Never;
    type View = MyView;

    const INFO: Info = Info {
        id: "mygame",
        title: "mygame",
        summary: "Take stones from a heap; whoever takes the last one wins",
        seats: &[2],
        chance: false,
        secrets: false,
        simultaneous: false,
    };

    /// A regular expression for the text of an action.
    const NOTATION: &'static str = "[1-9]";

    fn new(options: &MyOptions, _seats: u8) -> Result<Self, OptionsError> {
        Ok(MyGame {
            stones: options.stones.get(),
            most: options.most.get(),
            mover: 0,
        })
    }

    fn brief() -> MyOptions {
        MyOptions {
            stones: BoundedInt::new(9),
            ..MyOptions::default()
        }
    }

    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> SeatTurn {
        if !self.is_over() {
            return SeatTurn::Seats(Seats::one(self.mover));
        }
        // The seat that would be next did not take the last stone.
        let points = (0..2).map(|seat| i32::from(seat != self.mover));
        SeatTurn::Over(Outcome {
            points: points.collect(),
            reason: "last-stone",
        })
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Take>) {
        actions.clear();
        actions.extend((1..=9).map(Take));
        actions.retain(|&take| self.check(seat, take).is_ok());
    }

    fn read_action(&self, text: &str) -> Result<Take, ParseError> {
        match *text.as_bytes() {
            [digit @ b'1'..=b'9'] => Ok(Take(digit - b'0')),
            _ => Err(ParseError("an action is a digit from 1 to 9".into())),
        }
    }

    fn write_action(&self, Take(count): Take, out: &mut String) {
        out.push(char::from(b'0' + count));
    }

    fn action_in_words(&self, Take(count): Take) -> String {
        match count {
            1 => "takes 1 stone".into(),
            _ => format!("takes {count} stones"),
        }
    }

    /// A person points at a stone, and takes it with all that follow it.
    fn path(&self, _seat: Seat, Take(count): Take) -> ActionPath {
        ActionPath::on([count])
    }

    /// Says why a seat may not do this, for the author of a bot.
    fn check(&self, seat: Seat, Take(count): Take) -> Result<(), Illegal> {
        let (count, most, stones) = (u32::from(count), self.most, self.stones);
        if self.is_over() || seat != self.mover {
            Err(Illegal(format!("it is not seat {seat}'s turn")))
        } else if count > most {
            Err(Illegal(format!("a seat takes at most {most} stones")))
        } else if count > stones {
            Err(Illegal(format!("only {stones} are left")))
        } else {
            Ok(())
        }
    }

    /// Takes what was checked.
    fn apply(&mut self, event: Event<'_, Self>) {
        let (seat, Take(count)) = match event {
            Event::Acts(acts) => acts[0],
            Event::Chance(never) => match *never {},
        };
        self.stones -= u32::from(count);
        self.mover = 1 - seat;
    }

    without_chance!();

    fn view(&self, _viewer: Viewer) -> MyView {
        let is_over = self.is_over();
        MyView {
            stones: self.stones,
            most: self.most,
            to_move: (!is_over).then_some(self.mover),
            winner: is_over.then_some(1 - self.mover),
        }
    }

    /// Makes a match from what a viewer sees, so that a bot can play it on with these rules.
    fn from_view(
        _options: &MyOptions,
        _seats: u8,
        viewer: Viewer,
        view: &MyView,
        _rng: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        let mover = view.to_move.or(view.winner.map(|winner| winner ^ 1));
        let game = MyGame {
            stones: view.stones,
            most: view.most,
            mover: mover.filter(|&seat| seat < 2).unwrap_or(0),
        };
        let can_be = view.stones <= 100 && (2..=9).contains(&view.most);
        if !can_be || game.view(viewer) != *view {
            return Err(ParseError(
                "what the view says does not fit together".into(),
            ));
        }
        Ok(game)
    }

    fn text(view: &MyView) -> String {
        let stones = "o".repeat(view.stones as usize);
        format!("{stones} ({} left)\n", view.stones)
    }

    fn svg(view: &MyView) -> String {
        let mut svg = String::from(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" fill="#667">"##,
        );
        for at in 0..view.stones {
            let (x, y) = (20 + 40 * (at % 10), 20 + 40 * (at / 10));
            let mark = view.stones - at;
            let _ = write!(
                svg,
                r#"<circle cx="{x}" cy="{y}" r="15" data-mark="{mark}"/>"#
            );
        }
        svg + "</svg>"
    }
}

fn main() -> io::Result<()> {
    let game = GameHandle::<MyGame>::NEW;
    let rules = include_str!("../rules.md");
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    serve(&game, rules, ChaCha8Rng::from_seed, input, output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flipside_games::AnyGame;
    use flipside_games::testing::laws::{LawEffort, keep};

    #[test]
    fn it_keeps_the_laws_of_all_games() {
        keep::<MyGame>(LawEffort {
            matches: 20,
            ..LawEffort::default()
        });
    }

    #[test]
    fn whoever_takes_the_last_stone_wins() {
        let game = GameHandle::<MyGame>::NEW;
        let mut table = game.set_up(r#"{"stones":4}"#, 2).unwrap().table;
        table.act(&[(0, "3")]).unwrap();
        assert_eq!(
            table.check(1, "2").unwrap_err().to_string(),
            "only 1 are left"
        );
        table.act(&[(1, "1")]).unwrap();
        let SeatTurn::Over(outcome) = table.turn() else {
            panic!("the match is over");
        };
        assert_eq!(
            (&outcome.points[..], outcome.reason),
            (&[0, 1][..], "last-stone")
        );
    }
}
