//! A match of a simultaneous game that goes as a test says: where each token comes down, how long
//! everything takes, and who is heard first.

use std::collections::BTreeMap;

use flipside_games::{Seat, SeatTurn, Table, Viewer, find};
use serde_json::{Value, json};

/// A table with what chance is to do.
pub(crate) struct Script {
    pub(crate) table: Box<dyn Table>,
    /// Where the token of a side and a launch comes down.
    places: BTreeMap<(u64, u64), String>,
    pub(crate) flight: u64,
    pub(crate) reload: u64,
    pub(crate) reaction: u64,
    pub(crate) claimant: u64,
    /// Tokens that come down together do so from the last launch to the first.
    pub(crate) backwards: bool,
    /// What chance did, and the acts.
    pub(crate) log: Vec<String>,
}

pub(crate) fn start(id: &str, options: &Value, seats: u8) -> Script {
    let setup = find(id)
        .expect("a game")
        .set_up(&options.to_string(), seats);
    Script {
        table: setup.expect("options that fit").table,
        places: BTreeMap::new(),
        flight: 3,
        reload: 4,
        reaction: 2,
        claimant: 0,
        backwards: false,
        log: Vec::new(),
    }
}

/// Options made of these parts.
pub(crate) fn options<const N: usize>(parts: [(&str, Value); N]) -> Value {
    let parts = parts
        .into_iter()
        .map(|(name, part)| (name.to_string(), part));
    Value::Object(parts.collect())
}

pub(crate) fn basic() -> Script {
    start("puissance4-basic", &json!({}), 2)
}

pub(crate) fn championship() -> Script {
    start("puissance4-championship", &json!({}), 2)
}

impl Script {
    pub(crate) fn sees(&self, viewer: Viewer) -> Value {
        let mut json = Vec::new();
        self.table.write_view(viewer, &mut json);
        serde_json::from_slice(&json).expect("a view is JSON")
    }

    /// What everybody sees.
    pub(crate) fn view(&self) -> Value {
        self.sees(Viewer::Public)
    }

    pub(crate) fn tick(&self) -> u64 {
        self.view()["tick"].as_u64().expect("a tick")
    }

    pub(crate) fn round(&self) -> u64 {
        self.view()["round"].as_u64().expect("a round")
    }

    pub(crate) fn phase(&self) -> String {
        self.view()["phase"].as_str().expect("a phase").into()
    }

    pub(crate) fn side(&self, side: u64) -> Value {
        self.view()["sides"][side as usize].clone()
    }

    pub(crate) fn scores(&self) -> [Value; 2] {
        [0, 1].map(|side| self.side(side)["score"].clone())
    }

    /// The stack in a cell like `top c3`, bottom to top.
    pub(crate) fn stack(&self, place: &str) -> String {
        let (tray, cell) = place.split_once(' ').expect("a tray and a cell");
        let file = "abcdef".find(&cell[..1]).expect("a file");
        let rank: usize = cell[1..].parse().expect("a rank");
        let ranks = self.view()[tray]["ranks"].clone();
        let row = ranks.as_array().expect("ranks").len() - rank;
        ranks[row][file].as_str().expect("a stack").into()
    }

    pub(crate) fn over(&self) -> Option<(Vec<i32>, &'static str)> {
        match self.table.turn() {
            SeatTurn::Over(outcome) => Some((outcome.points.to_vec(), outcome.reason)),
            _ => None,
        }
    }

    pub(crate) fn asked(&self) -> Vec<Seat> {
        match self.table.turn() {
            SeatTurn::Seats(seats) => seats.collect(),
            _ => Vec::new(),
        }
    }

    /// The seats that are asked act, and nothing more.
    pub(crate) fn act(&mut self, throws: &[(u64, &str)]) {
        let tick = self.tick();
        let mut acts = Vec::new();
        for seat in self.asked() {
            let side = u64::from(seat % 2);
            let throw = throws.iter().find(|throw| throw.0 == side);
            acts.push((
                seat,
                throw.map_or("wait".into(), |(_, place)| {
                    self.places.insert((side, tick), (*place).into());
                    format!("launch {}", aim_for(place))
                }),
            ));
        }
        assert!(
            throws.len() <= acts.len(),
            "not ready: {throws:?} at {tick}"
        );
        let acts: Vec<(Seat, &str)> = acts
            .iter()
            .map(|(seat, text)| (*seat, text.as_str()))
            .collect();
        self.table.act(&acts).expect("the seats may do this");
        self.log.push(format!("{acts:?}"));
    }

    /// What chance is to do now.
    pub(crate) fn plan(&self) -> Value {
        let open = self.sees(Viewer::Open);
        let tick = open["tick"].as_u64().expect("a tick");
        let mut air = Vec::new();
        for side in [0u64, 1] {
            for token in open["sides"][side as usize]["in_air"]
                .as_array()
                .expect("tokens")
            {
                air.push((
                    token["launched"].as_u64().expect("a tick"),
                    side,
                    token["lands"].clone(),
                ));
            }
        }
        air.sort_by_key(|token| (token.0, token.1));
        let new_sides = |side: &u64| {
            let lines = open["lines"].as_array().expect("lines");
            lines
                .iter()
                .any(|line| line["side"] == *side && line["new"] == true)
        };
        match open["phase"].as_str().expect("a phase") {
            "delays" => {
                let new = air.iter().filter(|token| token.2.is_null());
                let delays = new.map(|(_, side, _)| {
                    json!({ "side": side, "flight": self.flight, "reload": self.reload })
                });
                json!({ "delays": delays.collect::<Vec<_>>() })
            }
            "reactions" | "void" => {
                let sides = [0, 1].into_iter().filter(new_sides);
                let each = sides.map(|side| json!({ "side": side, "ticks": self.reaction }));
                json!({ "reactions": each.collect::<Vec<_>>() })
            }
            "claimant" => json!({ "claimant": self.claimant }),
            phase => {
                let due = |lands: &Value| phase == "claim" || *lands == tick;
                let mut landings: Vec<Value> = air
                    .iter()
                    .filter(|(_, _, lands)| due(lands))
                    .map(|(launched, side, _)| {
                        let place = self.places.get(&(*side, *launched)).expect("a place");
                        json!({ "side": side, "launched": launched, "place": place })
                    })
                    .collect();
                if self.backwards {
                    landings.reverse();
                }
                json!({ "landings": landings })
            }
        }
    }

    /// Chance does what is planned, once.
    pub(crate) fn chance(&mut self) {
        let event = self.plan().to_string();
        self.table
            .chance(&event)
            .unwrap_or_else(|why| panic!("{event}: {why}"));
        self.log.push(event);
    }

    /// Chance does what is planned until seats choose, or this phase is come to.
    pub(crate) fn run_to(&mut self, phase: &str) {
        while self.table.turn() == SeatTurn::Chance && self.phase() != phase {
            self.chance();
        }
    }

    /// The sides launch tokens that will come down there, the others wait; and chance does what is
    /// planned until seats choose again.
    pub(crate) fn throw(&mut self, throws: &[(u64, &str)]) {
        self.act(throws);
        self.run_to("none");
    }

    /// Waits until a side is ready, and then launches.
    pub(crate) fn then(&mut self, side: u64, place: &str) {
        while self.side(side)["ready"] != true {
            self.throw(&[]);
        }
        self.throw(&[(side, place)]);
    }

    /// Everybody waits until this tick, or until the match is over.
    pub(crate) fn wait_until(&mut self, tick: u64) {
        while self.over().is_none() && self.tick() < tick {
            self.throw(&[]);
        }
    }

    /// Everybody waits until a round, or the match, is over.
    pub(crate) fn wait_out(&mut self) {
        let round = self.round();
        while self.over().is_none() && self.round() == round {
            self.throw(&[]);
        }
    }

    /// A side makes a line of these cells, the other waits.
    pub(crate) fn line(&mut self, side: u64, tray: &str, cells: [&str; 4]) {
        for cell in cells {
            self.then(side, &format!("{tray} {cell}"));
        }
    }
}

/// What a token that comes down there may have been aimed at.
fn aim_for(place: &str) -> String {
    match place {
        "miss" => "bottom c3".into(),
        place => place.replace("rim", "c3"),
    }
}
