//! Misère Nim between two teams: the smallest game here with sides.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::picture::picture;
use crate::game::{Event, Game, Illegal, Info, Never, ParseError, illegal, malformed, require};
use crate::options::{BoundedInt, OptionsError};
use crate::seats::{Outcome, Seat, SeatTurn, Seats, Viewer};
use crate::without_chance;

/// There are four seats.
const SEATS: u8 = 4;

/// The most heaps, as they are named with the letters `a` to `f`.
const MAX_HEAPS: usize = 6;

/// A match of Nim: in turn, the seats take any number of stones from one heap. Seats 0 and 2 play
/// against 1 and 3. Whoever takes the last stone loses the match for the team.
#[derive(Clone, Debug)]
pub struct Teams {
    heaps: Vec<u8>,
    ply: u32,
}

/// The settings of Nim.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct TeamOptions {
    /// How many stones are on each heap, of one to six heaps.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 6)))]
    pub heaps: Vec<BoundedInt<1, 9>>,
}

impl Default for TeamOptions {
    fn default() -> Self {
        TeamOptions {
            heaps: [3, 4, 5].map(BoundedInt::new).into(),
        }
    }
}

/// Takes stones from a heap: `b2` takes two from the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Take {
    heap: u8,
    stones: u8,
}

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TeamView {
    /// How many stones are on each heap.
    heaps: Vec<u8>,
    /// The seat whose turn it is; null when the match is over.
    to_move: Option<Seat>,
    /// How many actions have been taken.
    ply: u32,
}

/// The team of a seat.
fn team(seat: Seat) -> u8 {
    seat % 2
}

impl Teams {
    fn mover(&self) -> Seat {
        (self.ply % u32::from(SEATS)) as Seat
    }

    fn is_over(&self) -> bool {
        self.heaps.iter().all(|&stones| stones == 0)
    }

    /// Whether the numbers of a view can come about.
    fn is_sound(&self, options: &TeamOptions) -> bool {
        let starts = || options.heaps.iter().map(|stones| stones.get());
        if self.heaps.len() != starts().len() {
            return false;
        }
        let gone = || {
            starts()
                .zip(&self.heaps)
                .map(|(start, &left)| start.checked_sub(left.into()))
        };
        // Every ply takes at least one stone, and all that is gone from a heap at most.
        gone().all(|gone| gone.is_some())
            && gone().flatten().sum::<u32>() >= self.ply
            && gone().flatten().filter(|&gone| gone > 0).count() <= self.ply as usize
    }
}

impl Game for Teams {
    type Options = TeamOptions;
    type Action = Take;
    type Chance = Never;
    type View = TeamView;

    const INFO: Info = Info {
        id: "test-teams",
        title: "Nim in teams",
        summary: "Take stones from heaps; the team that takes the last one loses",
        seats: &[SEATS],
        chance: false,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = "[a-f][1-9]";

    fn new(options: &TeamOptions, _: u8) -> Result<Self, OptionsError> {
        let heaps: Vec<u8> = options
            .heaps
            .iter()
            .map(|stones| stones.get() as u8)
            .collect();
        match heaps.len() {
            1..=MAX_HEAPS => Ok(Teams { heaps, ply: 0 }),
            count => Err(OptionsError(format!(
                "option heaps: 1 to {MAX_HEAPS} heaps, not {count}"
            ))),
        }
    }

    fn presets() -> Vec<(&'static str, TeamOptions)> {
        let heaps = |stones, count| TeamOptions {
            heaps: vec![BoundedInt::new(stones); count],
        };
        vec![
            ("one-heap", heaps(9, 1)),
            ("one-stone-each", heaps(1, MAX_HEAPS)),
        ]
    }

    fn seats(&self) -> u8 {
        SEATS
    }

    fn side(&self, seat: Seat) -> u8 {
        team(seat)
    }

    fn turn(&self) -> SeatTurn {
        if !self.is_over() {
            return SeatTurn::Seats(Seats::one(self.mover()));
        }
        // The seat to move is of the team that did not take the last stone.
        let points = (0..SEATS).map(|seat| i32::from(team(seat) == team(self.mover())));
        SeatTurn::Over(Outcome {
            points: points.collect(),
            reason: "last-stone",
        })
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Take>) {
        actions.clear();
        if seat != self.mover() {
            return;
        }
        for (heap, &most) in (0..).zip(&self.heaps) {
            actions.extend((1..=most).map(|stones| Take { heap, stones }));
        }
    }

    fn read_action(&self, text: &str) -> Result<Take, ParseError> {
        match *text.as_bytes() {
            [heap @ b'a'..=b'f', stones @ b'1'..=b'9'] => Ok(Take {
                heap: heap - b'a',
                stones: stones - b'0',
            }),
            _ => Err(malformed!(
                "a turn is like b2: a heap from a to f, and 1 to 9 stones"
            )),
        }
    }

    fn write_action(&self, Take { heap, stones }: Take, out: &mut String) {
        out.push((b'a' + heap) as char);
        out.push((b'0' + stones) as char);
    }

    fn check(&self, seat: Seat, Take { heap, stones }: Take) -> Result<(), Illegal> {
        if self.is_over() {
            return Err(illegal!("the match is over"));
        }
        if seat != self.mover() {
            return Err(illegal!("it is not seat {seat}'s turn"));
        }
        match self.heaps.get(usize::from(heap)) {
            Some(&left) if stones <= left => Ok(()),
            Some(left) => Err(illegal!("only {left} stones are left on this heap")),
            None => Err(illegal!("there are only {} heaps", self.heaps.len())),
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let (_, Take { heap, stones }) = match event {
            Event::Acts(acts) => acts[0],
            Event::Chance(never) => match *never {},
        };
        self.heaps[usize::from(heap)] -= stones;
        self.ply += 1;
    }

    without_chance!();

    fn view(&self, _: Viewer) -> TeamView {
        TeamView {
            heaps: self.heaps.clone(),
            to_move: (!self.is_over()).then_some(self.mover()),
            ply: self.ply,
        }
    }

    fn from_view(
        options: &TeamOptions,
        _: u8,
        viewer: Viewer,
        view: &TeamView,
        _: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        let teams = Teams {
            heaps: view.heaps.clone(),
            ply: view.ply,
        };
        let fits = teams.is_sound(options) && teams.view(viewer) == *view;
        require!(fits, "what the view says does not fit together");
        Ok(teams)
    }

    fn text(view: &TeamView) -> String {
        let mut text = String::new();
        for (name, &stones) in ('a'..).zip(&view.heaps) {
            text += &format!("heap {name}: {stones}\n");
        }
        text += &match view.to_move {
            Some(seat) => format!("seat {seat} to move\n"),
            None => "no stones left\n".into(),
        };
        text
    }

    fn svg(view: &TeamView) -> String {
        picture(&Self::text(view))
    }
}

#[cfg(test)]
mod tests {
    use crate::seats::SeatTurn;
    use crate::testing::find;

    #[test]
    fn who_takes_the_last_stone_loses_for_the_team() {
        let game = find("test-teams").expect("a test game");
        let mut table = game.set_up(r#"{"heaps":[2,1]}"#, 4).expect("it fits").table;
        assert_eq!([0, 1, 2, 3].map(|seat| table.side(seat)), [0, 1, 0, 1]);
        for (seat, take) in [(0, "a1"), (1, "b1"), (2, "a1")] {
            table.act(&[(seat, take)]).expect("the stones are there");
        }
        let SeatTurn::Over(outcome) = table.turn() else {
            panic!("the match is over");
        };
        assert_eq!(
            (&outcome.points[..], outcome.reason),
            (&[0, 1, 0, 1][..], "last-stone")
        );
    }

    #[test]
    fn heaps_have_letters_a_to_f() {
        let game = find("test-teams").expect("a test game");
        for (heaps, why) in [
            ("[]", "option heaps: 1 to 6 heaps, not 0"),
            ("[1,1,1,1,1,1,1]", "option heaps: 1 to 6 heaps, not 7"),
        ] {
            let Err(error) = game.set_up(&format!(r#"{{"heaps":{heaps}}}"#), 4) else {
                panic!("{heaps} is not refused");
            };
            assert_eq!(error.0, why);
        }
    }
}
