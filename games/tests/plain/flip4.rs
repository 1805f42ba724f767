//! FLIP 4, plainly: a map from numbers to seats, a grid to look numbers up in, and loops.

use std::collections::BTreeMap;

use serde_json::{Value, json};

const CORNER: i32 = -1;

#[derive(Clone)]
pub(crate) struct PlainFlip4 {
    grid: [[i32; 5]; 5],
    corner_return: bool,
    double_line: String,
    max_turns: usize,
    seats: i32,
    /// Whose piece is on a number.
    pieces: BTreeMap<i32, i32>,
    start: Option<i32>,
    /// 1 or -1.
    step: i32,
    mover: i32,
    rolls: Vec<(i32, i32)>,
    lost: Vec<u32>,
    turns: usize,
    last: Value,
    over: Option<(Vec<i32>, &'static str)>,
}

/// Everything that can be written in the notation.
pub(crate) fn notation() -> Vec<String> {
    let numbers = numbers();
    let mut all = vec!["pass".to_string()];
    for from in &numbers {
        all.push(from.to_string());
        for to in &numbers {
            all.push(format!("{from}-{to}"));
            all.push(format!("{from}-C-{to}"));
        }
    }
    all
}

/// What two dice can give.
fn numbers() -> Vec<i32> {
    let mut numbers = Vec::new();
    for a in 1..=6i32 {
        for b in 1..=6 {
            for number in [a + b, (a - b).abs(), a * b] {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
    }
    numbers
}

impl PlainFlip4 {
    pub(crate) fn start(options: &Value, seats: u8) -> Self {
        let mut order: Vec<i32> = options["layout"]
            .as_array()
            .expect("a layout")
            .iter()
            .map(|number| number.as_i64().expect("a number") as i32)
            .collect();
        for corner in [0, 4, 20, 24] {
            order.insert(corner, CORNER);
        }
        let mut grid = [[CORNER; 5]; 5];
        for (place, number) in order.into_iter().enumerate() {
            grid[place / 5][place % 5] = number;
        }
        PlainFlip4 {
            grid,
            corner_return: options["corner_return"].as_bool().expect("yes or no"),
            double_line: options["double_line"].as_str().expect("a word").into(),
            max_turns: options["max_turns"].as_u64().expect("a number") as usize,
            seats: seats.into(),
            pieces: BTreeMap::new(),
            start: None,
            step: 1,
            mover: 0,
            rolls: Vec::new(),
            lost: vec![0; seats.into()],
            turns: 0,
            last: Value::Null,
            over: None,
        }
    }

    fn placed(&self) -> usize {
        self.pieces.len()
    }

    fn in_part_1(&self) -> bool {
        self.placed() < 4 * self.seats as usize
    }

    /// The results of the last roll, each once.
    fn results(&self) -> Vec<i32> {
        let mut results = Vec::new();
        if let Some(&(a, b)) = self.rolls.last() {
            for number in [a + b, (a - b).abs(), a * b] {
                if !results.contains(&number) {
                    results.push(number);
                }
            }
        }
        results
    }

    fn open(&self) -> Vec<i32> {
        let open = numbers().into_iter();
        open.filter(|number| !self.pieces.contains_key(number))
            .collect()
    }

    fn own(&self) -> Vec<i32> {
        let own = self.pieces.iter().filter(|(_, seat)| **seat == self.mover);
        own.map(|(&number, _)| number).collect()
    }

    /// What is next to a number, corners too.
    fn around(&self, number: i32) -> Vec<i32> {
        let mut around = Vec::new();
        for row in 0..5i32 {
            for column in 0..5i32 {
                if self.grid[row as usize][column as usize] != number {
                    continue;
                }
                for down in -1..=1 {
                    for right in -1..=1 {
                        let (r, c) = (row + down, column + right);
                        let inside = (0..5).contains(&r) && (0..5).contains(&c);
                        if inside && (down, right) != (0, 0) {
                            around.push(self.grid[r as usize][c as usize]);
                        }
                    }
                }
            }
        }
        around
    }

    pub(crate) fn phase(&self) -> &'static str {
        if self.over.is_some() {
            return "over";
        }
        if self.start.is_none() {
            return "start";
        }
        if self.rolls.is_empty() {
            return "roll";
        }
        let results = self.results();
        if self.in_part_1() {
            let open = self.open();
            if results.iter().any(|result| open.contains(result)) {
                "place"
            } else if self.rolls.len() == 3 {
                "place-anywhere"
            } else {
                "roll"
            }
        } else if self.own().iter().any(|piece| results.contains(piece)) {
            "move"
        } else {
            "free-move"
        }
    }

    /// The seat that is asked, if one is.
    pub(crate) fn asked(&self) -> Option<u8> {
        match self.phase() {
            "place" | "place-anywhere" | "move" | "free-move" => Some(self.mover as u8),
            _ => None,
        }
    }

    pub(crate) fn actions(&self) -> Vec<String> {
        let mut actions = Vec::new();
        let results = self.results();
        let phase = self.phase();
        match phase {
            "place" | "place-anywhere" => {
                for number in self.open() {
                    if phase == "place-anywhere" || results.contains(&number) {
                        actions.push(number.to_string());
                    }
                }
            }
            "move" | "free-move" => {
                let own = self.own();
                for &from in &own {
                    if phase == "move" && !results.contains(&from) {
                        continue;
                    }
                    for to in self.around(from) {
                        if to == CORNER {
                            for beyond in numbers() {
                                let is_return = beyond == from && self.corner_return;
                                if is_return || !own.contains(&beyond) {
                                    actions.push(format!("{from}-C-{beyond}"));
                                }
                            }
                        } else if !own.contains(&to) {
                            actions.push(format!("{from}-{to}"));
                        }
                    }
                }
                if phase == "free-move" {
                    actions.push("pass".into());
                }
            }
            _ => {}
        }
        actions.sort();
        actions
    }

    pub(crate) fn chance(&mut self, event: &Value) {
        if let Some(start) = event["start"].as_i64() {
            self.start = Some(start as i32);
            self.mover = start as i32;
            return;
        }
        let die = |at: usize| event["roll"][at].as_i64().expect("a die") as i32;
        self.rolls.push((die(0), die(1)));
        if self.in_part_1() {
            return;
        }
        let mover = self.mover as usize;
        if self.phase() == "move" {
            self.lost[mover] = 0;
        } else {
            self.lost[mover] += 1;
            if self.lost[mover] < 3 {
                self.finish(false, &Value::Null);
            }
        }
    }

    pub(crate) fn act(&mut self, action: &str) {
        let was_part_1 = self.in_part_1();
        let words: Vec<&str> = action.split('-').collect();
        let number = |word: &str| word.parse::<i32>().expect("a number");
        match words[..] {
            ["pass"] => {}
            [to] => {
                self.pieces.insert(number(to), self.mover);
            }
            [from, .., to] => {
                let (from, to) = (number(from), number(to));
                if from != to {
                    let flipped = self.pieces.remove(&to);
                    self.pieces.remove(&from);
                    self.pieces.insert(to, self.mover);
                    if let Some(opponent) = flipped {
                        self.pieces.insert(from, opponent);
                    }
                }
            }
            [] => unreachable!("a text has words"),
        }
        self.lost[self.mover as usize] = 0;
        self.finish(was_part_1, &action.into());
    }

    fn finish(&mut self, was_part_1: bool, action: &Value) {
        let (a, b) = *self.rolls.last().expect("a roll");
        self.last = json!({ "seat": self.mover, "roll": [a, b], "action": action });
        if a == b && self.seats > 2 && !was_part_1 {
            self.step = -self.step;
        }
        self.turns += 1;
        self.rolls.clear();
        let mut points = vec![0; self.seats as usize];
        let with_lines: Vec<i32> = (0..self.seats)
            .filter(|&seat| self.has_line(seat))
            .collect();
        for &seat in &with_lines {
            let alone = with_lines.len() == 1;
            let wins = match self.double_line.as_str() {
                "mover" => seat == self.mover,
                "opponent" => seat != self.mover,
                _ => true,
            };
            if alone || wins {
                points[seat as usize] = 1;
            }
        }
        if !with_lines.is_empty() {
            self.over = Some((points, "line"));
        } else if self.turns == self.max_turns {
            self.over = Some((points, "limit"));
        }
        self.mover = (self.mover + self.step + self.seats) % self.seats;
    }

    fn has_line(&self, seat: i32) -> bool {
        for row in 0..5i32 {
            for column in 0..5i32 {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let mut count = 0;
                    for far in 0..4 {
                        let (r, c) = (row + down * far, column + right * far);
                        if (0..5).contains(&r) && (0..5).contains(&c) {
                            let number = self.grid[r as usize][c as usize];
                            if self.pieces.get(&number) == Some(&seat) {
                                count += 1;
                            }
                        }
                    }
                    if count == 4 {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The points and the reason, if the match is over.
    pub(crate) fn outcome(&self) -> Option<(Vec<i32>, &'static str)> {
        self.over.clone()
    }

    /// What everybody sees.
    pub(crate) fn view(&self) -> Value {
        let mut layout = Vec::new();
        let mut board = Vec::new();
        for row in self.grid {
            let mut numbers = Vec::new();
            let mut letters = String::new();
            for number in row {
                if number == CORNER {
                    numbers.push(Value::Null);
                    letters.push('C');
                } else {
                    numbers.push(number.into());
                    match self.pieces.get(&number) {
                        Some(seat) => letters += &seat.to_string(),
                        None => letters.push('.'),
                    }
                }
            }
            layout.push(numbers);
            board.push(letters);
        }
        let mut hands = Vec::new();
        for seat in 0..self.seats {
            hands.push(4 - self.pieces.values().filter(|owner| **owner == seat).count());
        }
        let mut view = json!({
            "layout": layout,
            "board": board,
            "part": if self.in_part_1() { 1 } else { 2 },
            "phase": self.phase(),
            "start": self.start,
            "direction": if self.step == 1 { "ascending" } else { "descending" },
            "to_move": Value::Null,
            "rolls": self.rolls,
            "hands": hands,
            "lost_turns": self.lost,
            "turns": self.turns,
            "last": self.last,
        });
        match &self.over {
            Some((points, reason)) => {
                view["over"] = json!({ "points": points, "reason": reason });
            }
            None if self.start.is_some() => view["to_move"] = self.mover.into(),
            None => {}
        }
        view
    }
}
