//! A race with a die: the smallest game here with chance, and for as many seats as there can be.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::picture::picture;
use crate::game::{Event, Game, Illegal, Info, ParseError, illegal, malformed, require};
use crate::options::{BoundedInt, OptionsError};
use crate::seats::{Outcome, Seat, SeatTurn, Seats, Viewer};
use crate::{chance, chance_by_serde};

/// The highest number on the die.
const HIGHEST: u32 = 6;

/// A match of the race. In every turn chance casts the die, and then the seat lets one of its two
/// runners go so many steps. Who brings both home first wins.
#[derive(Clone, Debug)]
pub struct Race {
    track: u32,
    max_plies: u32,
    /// How far the two runners of each seat are.
    runners: Vec<[u32; 2]>,
    /// What the die shows in this turn.
    roll: Option<u32>,
    ply: u32,
}

/// The settings of the race.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RaceOptions {
    /// How many steps it is home.
    pub track: BoundedInt<1, 100>,
    /// After so many plies the match ends as it stands.
    pub max_plies: BoundedInt<1, 1_000_000>,
}

impl Default for RaceOptions {
    fn default() -> Self {
        RaceOptions {
            track: BoundedInt::new(12),
            max_plies: BoundedInt::new(300),
        }
    }
}

/// Which runner goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaceRunner {
    /// The first one, written `a`.
    A,
    /// The second one, written `b`.
    B,
}

/// The die is cast: `{"roll":4}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cast {
    roll: u32,
}

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RaceView {
    /// How many steps it is home.
    track: u32,
    /// By seat, how far its runners `a` and `b` are.
    runners: Vec<[u32; 2]>,
    /// The seat whose turn it is; null when the match is over.
    to_move: Option<Seat>,
    /// What the die shows; null until it is cast.
    roll: Option<u32>,
    /// How many actions have been taken.
    ply: u32,
    /// Why the match is over; null while it runs.
    over: Option<RaceReason>,
}

/// How the race ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum RaceReason {
    /// Both runners of a seat are home.
    Home,
    /// The most plies were played.
    Limit,
}

impl Race {
    fn mover(&self) -> Seat {
        (self.ply % self.runners.len() as u32) as Seat
    }

    fn over(&self) -> Option<RaceReason> {
        if self.runners.contains(&[self.track; 2]) {
            Some(RaceReason::Home)
        } else if self.ply >= self.max_plies {
            Some(RaceReason::Limit)
        } else {
            None
        }
    }

    fn outcome(&self, reason: RaceReason) -> Outcome {
        let points = self.runners.iter().map(|[a, b]| (a + b) as i32).collect();
        let reason = match reason {
            RaceReason::Home => "home",
            RaceReason::Limit => "limit",
        };
        Outcome { points, reason }
    }

    /// Whether the numbers of a view can come about.
    fn is_sound(&self) -> bool {
        let seats = self.runners.len() as u32;
        let can_be = |(seat, &[a, b]): (u32, &[u32; 2])| {
            let turns = (self.ply + seats - 1 - seat) / seats;
            a.max(b) <= self.track && (turns..=HIGHEST * turns).contains(&(a + b))
        };
        self.ply <= self.max_plies
            && self
                .roll
                .is_none_or(|roll| (1..=HIGHEST).contains(&roll) && self.over().is_none())
            && (0..).zip(&self.runners).all(can_be)
    }
}

impl Game for Race {
    type Options = RaceOptions;
    type Action = RaceRunner;
    type Chance = Cast;
    type View = RaceView;

    const INFO: Info = Info {
        id: "test-race",
        title: "Test race",
        summary: "Cast a die and choose which of two runners goes; both home first wins",
        seats: &[2, 3, 4, 5, 6],
        chance: true,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = "[ab]";

    fn new(options: &RaceOptions, seats: u8) -> Result<Self, OptionsError> {
        Ok(Race {
            track: options.track.get(),
            max_plies: options.max_plies.get(),
            runners: vec![[0; 2]; seats.into()],
            roll: None,
            ply: 0,
        })
    }

    fn presets() -> Vec<(&'static str, RaceOptions)> {
        let one_step = RaceOptions {
            track: BoundedInt::new(1),
            ..RaceOptions::default()
        };
        let short = RaceOptions {
            max_plies: BoundedInt::new(7),
            ..RaceOptions::default()
        };
        vec![("one-step", one_step), ("short", short)]
    }

    fn seats(&self) -> u8 {
        self.runners.len() as u8
    }

    fn turn(&self) -> SeatTurn {
        match (self.over(), self.roll) {
            (Some(reason), _) => SeatTurn::Over(self.outcome(reason)),
            (None, None) => SeatTurn::Chance,
            (None, Some(_)) => SeatTurn::Seats(Seats::one(self.mover())),
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<RaceRunner>) {
        actions.clear();
        actions.extend([RaceRunner::A, RaceRunner::B]);
        actions.retain(|&runner| self.check(seat, runner).is_ok());
    }

    fn read_action(&self, text: &str) -> Result<RaceRunner, ParseError> {
        match text {
            "a" => Ok(RaceRunner::A),
            "b" => Ok(RaceRunner::B),
            _ => Err(malformed!("a runner is a or b")),
        }
    }

    fn write_action(&self, runner: RaceRunner, out: &mut String) {
        out.push(match runner {
            RaceRunner::A => 'a',
            RaceRunner::B => 'b',
        });
    }

    fn check(&self, seat: Seat, runner: RaceRunner) -> Result<(), Illegal> {
        if !self.turn().asked().contains(seat) {
            return Err(illegal!("it is not seat {seat}'s turn"));
        }
        if self.runners[usize::from(seat)][runner as usize] == self.track {
            return Err(illegal!("this runner is home"));
        }
        Ok(())
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Chance(cast) => self.roll = Some(cast.roll),
            Event::Acts(acts) => {
                let (seat, runner) = acts[0];
                let steps = self
                    .roll
                    .take()
                    .expect("the die is cast before a seat acts");
                let place = &mut self.runners[usize::from(seat)][runner as usize];
                *place = self.track.min(*place + steps);
                self.ply += 1;
            }
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> Cast {
        Cast {
            roll: 1 + chance::below(rng, HIGHEST),
        }
    }

    fn check_chance(&self, cast: &Cast) -> Result<(), Illegal> {
        match cast.roll {
            1..=HIGHEST => Ok(()),
            roll => Err(illegal!("a die shows 1 to {HIGHEST}, not {roll}")),
        }
    }

    chance_by_serde!();

    fn view(&self, _: Viewer) -> RaceView {
        let over = self.over();
        RaceView {
            track: self.track,
            runners: self.runners.clone(),
            to_move: over.is_none().then_some(self.mover()),
            roll: self.roll,
            ply: self.ply,
            over,
        }
    }

    fn from_view(
        options: &RaceOptions,
        seats: u8,
        viewer: Viewer,
        view: &RaceView,
        _: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        let count = view.runners.len();
        require!(
            count == usize::from(seats),
            "there are runners for {seats} seats"
        );
        let race = Race {
            runners: view.runners.clone(),
            roll: view.roll,
            ply: view.ply,
            ..Race::new(options, seats)?
        };
        let fits = race.is_sound() && race.view(viewer) == *view;
        require!(fits, "what the view says does not fit together");
        Ok(race)
    }

    fn text(view: &RaceView) -> String {
        let mut text = format!("Race of {} steps, ply {}\n", view.track, view.ply);
        for (seat, [a, b]) in view.runners.iter().enumerate() {
            text += &format!("seat {seat}: a at {a}, b at {b}\n");
        }
        text += &match (view.over, view.to_move, view.roll) {
            (None, Some(seat), Some(roll)) => format!("seat {seat} goes {roll}\n"),
            (None, Some(seat), None) => format!("the die is to be cast for seat {seat}\n"),
            (Some(RaceReason::Home), ..) => "over: home\n".into(),
            (Some(RaceReason::Limit), ..) | (None, None, _) => "over: limit\n".into(),
        };
        text
    }

    fn svg(view: &RaceView) -> String {
        picture(&Self::text(view))
    }
}

#[cfg(test)]
mod tests {
    use crate::seats::SeatTurn;
    use crate::testing::find;

    #[test]
    fn both_runners_home_wins_and_the_others_have_their_progress() {
        let game = find("test-race").expect("a test game");
        let mut table = game.set_up(r#"{"track":4}"#, 2).expect("it fits").table;
        for (roll, seat, runner) in [(3, 0, "a"), (6, 1, "b"), (1, 0, "a"), (2, 1, "a")] {
            table
                .chance(&format!(r#"{{"roll":{roll}}}"#))
                .expect("a die shows this");
            table.act(&[(seat, runner)]).expect("the runner goes");
        }
        table.chance(r#"{"roll":5}"#).expect("a die shows five");
        assert_eq!(table.actions(0), ["b"], "runner a is home");
        table.act(&[(0, "b")]).expect("runner b goes home");
        let SeatTurn::Over(outcome) = table.turn() else {
            panic!("the match is over");
        };
        assert_eq!((&outcome.points[..], outcome.reason), (&[8, 6][..], "home"));
    }
}
