//! A match at which the tests sit, by texts.

use flipside_games::{Refusal, Seat, SeatTurn, Table, Viewer, find};
use serde_json::{Value, json};

/// A match.
pub(crate) struct SeatMatch {
    pub(crate) table: Box<dyn Table>,
}

/// A match that is about to begin.
pub(crate) fn fresh(options: &str, seats: u8) -> SeatMatch {
    let game = find("flip4").expect("built in");
    let setup = game.set_up(options, seats).expect("it fits");
    SeatMatch { table: setup.table }
}

/// A match that this seat begins.
pub(crate) fn begun(options: &str, seats: u8, start: Seat) -> SeatMatch {
    fresh(options, seats).chance(&json!({ "start": start }))
}

/// A match at the start of part 2, which seat 0 begins: by seat, where its pieces are.
pub(crate) fn placed(options: &str, pieces: &[[u8; 4]]) -> SeatMatch {
    let mut all = begun(options, pieces.len() as u8, 0);
    for round in 0..4 {
        for of in pieces {
            all = all.place(of[round]);
        }
    }
    all
}

/// A roll that gives a number.
fn dice_for(number: u8) -> [u8; 2] {
    let rolls = (1..=6).flat_map(|a| (1..=6).map(move |b| [a, b]));
    let mut rolls =
        rolls.filter(|&[a, b]: &[u8; 2]| [a + b, a.abs_diff(b), a * b].contains(&number));
    rolls.next().expect("dice give this number")
}

impl SeatMatch {
    pub(crate) fn chance(mut self, event: &Value) -> Self {
        self.table
            .chance(&event.to_string())
            .unwrap_or_else(|why| panic!("{event}: {why}"));
        self
    }

    pub(crate) fn roll(self, a: u8, b: u8) -> Self {
        self.chance(&json!({ "roll": [a, b] }))
    }

    /// Rolls what gives this number, and places there.
    pub(crate) fn place(self, number: u8) -> Self {
        let [a, b] = dice_for(number);
        self.roll(a, b).act(&number.to_string())
    }

    pub(crate) fn act(mut self, action: &str) -> Self {
        let seat = self
            .asked()
            .unwrap_or_else(|| panic!("{action}, but nobody is asked"));
        self.table
            .act(&[(seat, action)])
            .unwrap_or_else(|why| panic!("{action}: {why}"));
        self
    }

    /// The seat that is asked.
    pub(crate) fn asked(&self) -> Option<Seat> {
        match self.table.turn() {
            SeatTurn::Seats(seats) => seats.lowest(),
            _ => None,
        }
    }

    /// The legal actions of the seat that is asked, separated by spaces.
    pub(crate) fn actions(&self) -> String {
        let seat = self.asked().expect("a seat is asked");
        self.table.actions(seat).join(" ")
    }

    /// Why the seat that is asked may not do this.
    pub(crate) fn refusal(&self, action: &str) -> String {
        let seat = self.asked().expect("a seat is asked");
        match self.table.check(seat, action) {
            Err(Refusal::Illegal(why)) => why.0,
            other => panic!("{action}: {other:?}"),
        }
    }

    /// Whether the table waits for a roll, and whose.
    pub(crate) fn rolls_next(&self) -> Option<u64> {
        let view = self.view();
        match self.table.turn() {
            SeatTurn::Chance if view["phase"] == "roll" => view["to_move"].as_u64(),
            _ => None,
        }
    }

    pub(crate) fn view(&self) -> Value {
        serde_json::from_str(&self.json()).expect("JSON")
    }

    /// What everybody sees, as it is written.
    pub(crate) fn json(&self) -> String {
        let mut json = Vec::new();
        self.table.write_view(Viewer::Public, &mut json);
        String::from_utf8(json).expect("JSON is UTF-8")
    }

    /// Whose piece is on a number, or `.`.
    pub(crate) fn on(&self, number: u8) -> char {
        let view = self.view();
        for row in 0..5 {
            for column in 0..5 {
                if view["layout"][row][column] == number {
                    let letters = view["board"][row].as_str().expect("a row");
                    return letters.chars().nth(column).expect("five letters");
                }
            }
        }
        panic!("{number} is not on the board");
    }

    /// How the match ended: points and reason, or that it goes on.
    pub(crate) fn end(&self) -> String {
        match self.table.turn() {
            SeatTurn::Over(outcome) => format!("{:?} {}", &outcome.points[..], outcome.reason),
            _ => "goes on".into(),
        }
    }
}
