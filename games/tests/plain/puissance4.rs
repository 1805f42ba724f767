//! Puissance 4 Flip once more, as plainly as its page reads: stacks by the names of their cells,
//! every line written down, and loops. It shares no code with the game, whose judge it is, and is
//! told what happens by the same texts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::{Value, json};

/// What the page leaves to options, as far as the rules need it.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) championship: bool,
    pub(crate) size: usize,
    pub(crate) leave: bool,
    pub(crate) powers_each: u64,
    pub(crate) max_ticks: u64,
    pub(crate) max_rounds: u64,
    pub(crate) pick_up: u64,
    pub(crate) hand_over: u64,
    pub(crate) team_wait: bool,
    pub(crate) lines_first: bool,
    pub(crate) seats: usize,
}

/// The stacks, bottom to top, by names like `top c3`; and the rims, `top rim`.
type Stacks = BTreeMap<String, Vec<char>>;

fn letter(side: usize, kind: &str) -> char {
    let letter = match kind {
        "basic" => 'T',
        "bomb" => 'B',
        "cell" => 'C',
        "double" => 'D',
        "line" => 'L',
        _ => panic!("no kind {kind}"),
    };
    if side == 0 {
        letter
    } else {
        letter.to_ascii_lowercase()
    }
}

fn side_of(letter: char) -> usize {
    usize::from(letter.is_lowercase())
}

/// The name of the cell in this file and rank, both from 1, if the tray has it.
fn cell(size: usize, file: i32, rank: i32) -> Option<String> {
    let there = 1 <= file && file <= size as i32 && 1 <= rank && rank <= size as i32;
    let name = ["", "a", "b", "c", "d", "e", "f"];
    there.then(|| format!("{}{rank}", name[file as usize]))
}

/// Every line of four of a tray of this size, each as its cells in order.
fn all_lines(size: usize) -> &'static [Vec<String>] {
    static LINES: [OnceLock<Vec<Vec<String>>>; 7] = [const { OnceLock::new() }; 7];
    LINES[size].get_or_init(|| write_lines(size))
}

fn write_lines(size: usize) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for file in 1..=size as i32 {
        for rank in 1..=size as i32 {
            for (right, up) in [(0, 1), (1, -1), (1, 0), (1, 1)] {
                let cells: Vec<String> = (0..4)
                    .filter_map(|far| cell(size, file + far * right, rank + far * up))
                    .collect();
                if cells.len() == 4 {
                    lines.push(cells);
                }
            }
        }
    }
    lines.sort();
    lines
}

fn tray_view(stacks: &Stacks, size: usize, tray: &str) -> Value {
    let at = |place: String| -> String {
        let stack = stacks.get(&place).cloned().unwrap_or_default();
        stack.into_iter().collect()
    };
    let mut ranks = Vec::new();
    for rank in (1..=size as i32).rev() {
        let mut cells = Vec::new();
        for file in 1..=size as i32 {
            let name = cell(size, file, rank).expect("a cell");
            cells.push(at(format!("{tray} {name}")));
        }
        ranks.push(cells);
    }
    json!({ "ranks": ranks, "rim": at(format!("{tray} rim")) })
}

/// A line as its tray and cells, in the order in which lines are claimed: top first.
type PlainLine = (&'static str, Vec<String>);

/// The lines of four cells that a side controls, in the order of claims.
fn standing(stacks: &Stacks, size: usize, controls: &dyn Fn(&[char]) -> bool) -> Vec<PlainLine> {
    let mut found = Vec::new();
    for tray in ["top", "bottom"] {
        let mut controlled = BTreeSet::new();
        for (place, stack) in stacks {
            if let Some(cell) = place.strip_prefix(tray) {
                if controls(stack) {
                    controlled.insert(cell.trim());
                }
            }
        }
        for line in all_lines(size) {
            if line.iter().all(|cell| controlled.contains(cell.as_str())) {
                found.push((tray, line.clone()));
            }
        }
    }
    found
}

fn line_view((tray, cells): &PlainLine) -> Value {
    json!({ "tray": tray, "cells": cells })
}

fn over_view(seats: usize, winner: Option<usize>, reason: &str) -> Value {
    let points: Vec<i32> = (0..seats)
        .map(|seat| i32::from(Some(seat % 2) == winner))
        .collect();
    json!({ "points": points, "reason": reason })
}

/// The seat after this one in its team.
fn next_in_team(seat: usize, seats: usize) -> usize {
    let team: Vec<usize> = (0..seats).filter(|other| other % 2 == seat % 2).collect();
    let place = team
        .iter()
        .position(|&other| other == seat)
        .expect("in its team");
    team[(place + 1) % team.len()]
}

/// A line that stands.
#[derive(Clone)]
struct Puissance4Known {
    side: usize,
    since: u64,
    /// The tick of its claim, once that is drawn.
    claimed: Option<u64>,
    /// Alike for lines that were found together.
    find: u64,
    line: PlainLine,
}

/// Both simultaneous games.
#[derive(Clone)]
pub(crate) struct Rush {
    setting: Setting,
    round: u64,
    tick: u64,
    /// What is waited for.
    phase: &'static str,
    stacks: Stacks,
    score: [u64; 2],
    holder: [usize; 2],
    hand: [u64; 2],
    out: [u64; 2],
    launched: [Option<u64>; 2],
    /// The tick at which the launcher is ready.
    reloaded: [u64; 2],
    /// Side, tick of the launch, aim, tick of landing.
    air: Vec<(usize, u64, String, Option<u64>)>,
    /// Side, and the tick at which the token is back.
    picked_up: Vec<(usize, u64)>,
    /// The lines that stand, in the order in which they were found.
    lines: Vec<Puissance4Known>,
    /// How often new lines were found.
    finds: u64,
    /// Side and line of the claim for which tokens come down, and who was heard first.
    claim: Option<(usize, PlainLine)>,
    landed: Option<(u64, Vec<Value>)>,
    scored: Value,
    winner: Option<usize>,
}

impl Rush {
    pub(crate) fn start(setting: Setting) -> Self {
        Rush {
            setting,
            round: 1,
            tick: 0,
            phase: "choose",
            stacks: Stacks::new(),
            score: [0, 0],
            holder: [0, 1],
            hand: [21, 21],
            out: [0, 0],
            launched: [None, None],
            reloaded: [0, 0],
            air: Vec::new(),
            picked_up: Vec::new(),
            lines: Vec::new(),
            finds: 0,
            claim: None,
            landed: None,
            scored: Value::Null,
            winner: None,
        }
    }

    fn ready(&self, side: usize) -> bool {
        self.hand[side] > 0 && self.reloaded[side] <= self.tick
    }

    pub(crate) fn asked(&self) -> Vec<usize> {
        let mut asked = Vec::new();
        for side in [0, 1] {
            if self.phase == "choose" && self.ready(side) {
                asked.push(self.holder[side]);
            }
        }
        asked.sort_unstable();
        asked
    }

    pub(crate) fn actions(&self, seat: usize) -> Vec<String> {
        let mut actions = Vec::new();
        if self.asked().contains(&seat) {
            // A team mate launches immediately, if no option allows to wait.
            if self.setting.seats == 2 || self.setting.team_wait {
                actions.push("wait".to_string());
            }
            for tray in ["top", "bottom"] {
                for file in 1..=self.setting.size as i32 {
                    for rank in 1..=self.setting.size as i32 {
                        let name = cell(self.setting.size, file, rank).expect("a cell");
                        actions.push(format!("launch {tray} {name}"));
                    }
                }
            }
            actions.sort();
        }
        actions
    }

    pub(crate) fn act(&mut self, acts: &[(usize, String)]) {
        for side in [0, 1] {
            for (seat, text) in acts {
                let Some(aim) = text.strip_prefix("launch ") else {
                    continue;
                };
                if seat % 2 != side {
                    continue;
                }
                assert_eq!(*seat, self.holder[side]);
                self.hand[side] -= 1;
                self.launched[side] = Some(self.tick);
                // Until it is drawn.
                self.reloaded[side] = u64::MAX;
                self.holder[side] = next_in_team(*seat, self.setting.seats);
                self.air.push((side, self.tick, aim.to_string(), None));
            }
        }
        if acts.iter().any(|(_, text)| text != "wait") {
            self.phase = "delays";
        } else {
            self.next_tick();
        }
    }

    pub(crate) fn chance(&mut self, event: &Value) {
        match self.phase {
            "delays" => {
                for delays in event["delays"].as_array().expect("delays") {
                    let side = delays["side"].as_u64().expect("a side") as usize;
                    let [flight, reload] =
                        ["flight", "reload"].map(|what| delays[what].as_u64().expect("ticks"));
                    let in_team = self.setting.seats > 2;
                    let hand_over = if in_team { self.setting.hand_over } else { 0 };
                    self.reloaded[side] = self.tick + reload + hand_over;
                    for token in &mut self.air {
                        if token.0 == side && token.1 == self.tick {
                            token.3 = Some(self.tick + flight);
                        }
                    }
                }
                self.next_tick();
            }
            "landings" => {
                self.come_down(event);
                self.look("reactions");
            }
            "claim" => {
                let (side, line) = self.claim.take().expect("a claim");
                let hit = self.come_down(event).iter().any(|(by, place)| {
                    let cells = line.1.iter().map(|cell| format!("{} {cell}", line.0));
                    *by != side && cells.into_iter().any(|cell| cell == *place)
                });
                if hit {
                    self.drop_line(side, &line);
                    self.try_claims(side);
                } else {
                    self.count(side, &line);
                }
            }
            "reactions" | "void" => {
                for reaction in event["reactions"].as_array().expect("reactions") {
                    for known in &mut self.lines {
                        if known.claimed.is_none() && reaction["side"] == known.side {
                            let ticks = reaction["ticks"].as_u64().expect("ticks");
                            known.claimed = Some(self.tick + ticks);
                        }
                    }
                }
                self.claims();
            }
            "claimant" => {
                let first = event["claimant"].as_u64().expect("a side") as usize;
                self.try_claims(first);
            }
            other => panic!("no chance in {other}"),
        }
    }

    fn next_tick(&mut self) {
        self.tick += 1;
        for side in [0, 1] {
            let back = |&&(of, at): &&(usize, u64)| of == side && at == self.tick;
            self.hand[side] += self.picked_up.iter().filter(back).count() as u64;
        }
        self.picked_up.retain(|&(_, at)| at != self.tick);
        if self.air.iter().any(|token| token.3 == Some(self.tick)) {
            self.phase = "landings";
        } else {
            self.look("reactions");
        }
    }

    /// What came down where, in order.
    fn come_down(&mut self, event: &Value) -> Vec<(usize, String)> {
        let landings = event["landings"].as_array().expect("landings").clone();
        let mut places = Vec::new();
        for landing in &landings {
            let side = landing["side"].as_u64().expect("a side") as usize;
            let place = landing["place"].as_str().expect("a place").to_string();
            self.air
                .retain(|token| !(token.0 == side && landing["launched"] == token.1));
            if place == "miss" {
                self.picked_up
                    .push((side, self.tick + self.setting.pick_up));
            } else if place.ends_with("rim") && !self.setting.leave {
                self.out[side] += 1;
            } else {
                let stack = self.stacks.entry(place.clone()).or_default();
                stack.push(letter(side, "basic"));
            }
            places.push((side, place));
        }
        match &mut self.landed {
            Some((tick, before)) if *tick == self.tick => before.extend(landings),
            landed => *landed = Some((self.tick, landings)),
        }
        places
    }

    fn stand(&self, side: usize) -> Vec<PlainLine> {
        standing(&self.stacks, self.setting.size, &|stack| {
            stack.last().is_some_and(|&top| side_of(top) == side)
        })
    }

    fn find_lines(&mut self) {
        for side in [0, 1] {
            let stand = self.stand(side);
            self.lines
                .retain(|known| known.side != side || stand.contains(&known.line));
            self.finds += 1;
            for line in stand {
                let mut known = self.lines.iter();
                if !known.any(|known| known.side == side && known.line == line) {
                    self.lines.push(Puissance4Known {
                        side,
                        since: self.tick,
                        claimed: None,
                        find: self.finds,
                        line,
                    });
                }
            }
        }
    }

    fn drop_line(&mut self, side: usize, line: &PlainLine) {
        self.lines
            .retain(|known| known.side != side || known.line != *line);
    }

    fn look(&mut self, phase: &'static str) {
        self.find_lines();
        if self.lines.iter().any(|known| known.claimed.is_none()) {
            self.phase = phase;
        } else {
            self.claims();
        }
    }

    fn due(&self, side: usize) -> Option<PlainLine> {
        let stand = self.stand(side);
        let due = |line: &&PlainLine| {
            let mut known = self.lines.iter();
            known.any(|known| {
                known.side == side && known.claimed == Some(self.tick) && known.line == **line
            })
        };
        stand.iter().find(due).cloned()
    }

    fn claims(&mut self) {
        match [0, 1].map(|side| self.due(side).is_some()) {
            [true, true] => self.phase = "claimant",
            [true, false] => self.try_claims(0),
            [false, true] => self.try_claims(1),
            [false, false] => self.end_of_tick(),
        }
    }

    fn try_claims(&mut self, first: usize) {
        for side in [first, 1 - first] {
            if let Some(line) = self.due(side) {
                if self.air.is_empty() {
                    self.count(side, &line);
                } else {
                    self.claim = Some((side, line));
                    self.phase = "claim";
                }
                return;
            }
        }
        self.look("void");
    }

    fn count(&mut self, side: usize, line: &PlainLine) {
        let on_top = line.0 == "top" && self.setting.championship;
        self.score[side] += if on_top { 2 } else { 1 };
        self.scored = json!({ "round": self.round, "side": side, "line": line_view(line) });
        if self.score[side] >= if self.setting.championship { 5 } else { 1 } {
            self.winner = Some(side);
            self.finish();
        } else {
            self.end_of_round();
        }
    }

    fn finish(&mut self) {
        self.phase = "over";
        self.find_lines();
        if self.scored["round"] == self.round {
            let (side, line) = (&self.scored["side"], &self.scored["line"]);
            let counted =
                |known: &Puissance4Known| *side == known.side && *line == line_view(&known.line);
            self.lines.retain(|known| !counted(known));
        }
    }

    fn end_of_tick(&mut self) {
        let nothing_left = self.hand == [0, 0]
            && self.air.is_empty()
            && self.picked_up.is_empty()
            && self.lines.is_empty();
        if nothing_left || self.tick == self.setting.max_ticks {
            self.end_of_round();
        } else if self.ready(0) || self.ready(1) {
            self.phase = "choose";
        } else {
            self.next_tick();
        }
    }

    fn end_of_round(&mut self) {
        if self.round == self.setting.max_rounds {
            self.finish();
            return;
        }
        let old = self.clone();
        *self = Rush {
            round: old.round + 1,
            score: old.score,
            holder: old.holder,
            scored: old.scored,
            ..Rush::start(old.setting)
        };
    }

    /// What the seats of a side see, or the public.
    pub(crate) fn view(&self, viewer: Option<usize>) -> Value {
        let sides = [0, 1].map(|side| {
            let own = self.air.iter().filter(|token| token.0 == side);
            let in_air: Vec<Value> = own
                .map(|(_, launched, aim, _)| match viewer == Some(side) {
                    true => json!({ "launched": launched, "aim": aim }),
                    false => json!({ "launched": launched }),
                })
                .collect();
            let mut picked_up: Vec<u64> = Vec::new();
            for &(of, at) in &self.picked_up {
                if of == side {
                    picked_up.push(at);
                }
            }
            json!({
                "score": self.score[side], "holder": self.holder[side], "hand": self.hand[side],
                "ready": self.ready(side), "launched": self.launched[side], "in_air": in_air,
                "picked_up": picked_up, "out": self.out[side],
            })
        });
        let mut view = json!({
            "round": self.round, "tick": self.tick, "phase": self.phase,
            "to_move": self.asked(), "sides": sides, "lines": self.lines_view(),
            "top": tray_view(&self.stacks, self.setting.size, "top"),
            "bottom": tray_view(&self.stacks, self.setting.size, "bottom"),
            "landed": null, "scored": self.scored,
        });
        if let Some((tick, tokens)) = &self.landed {
            view["landed"] = json!({ "tick": tick, "tokens": tokens });
        }
        if let Some((side, line)) = &self.claim {
            let mut known = self.lines.iter();
            let known = known.find(|known| known.side == *side && known.line == *line);
            let since = known.expect("what is claimed stands").since;
            view["claim"] = json!({ "side": side, "since": since, "line": line_view(line) });
        }
        if let Some(over) = self.over() {
            view["over"] = over;
        }
        view
    }

    /// Lines of a side that were found together stand together; the one that is being claimed is not among them.
    fn lines_view(&self) -> Vec<Value> {
        let mut groups: Vec<(u64, Value)> = Vec::new();
        for known in &self.lines {
            if self.claim == Some((known.side, known.line.clone())) {
                continue;
            }
            let line = line_view(&known.line);
            match groups.iter_mut().find(|(find, _)| *find == known.find) {
                Some((_, group)) => group["lines"].as_array_mut().expect("lines").push(line),
                None => {
                    let mut group =
                        json!({ "side": known.side, "since": known.since, "lines": [line] });
                    if known.claimed.is_none() && self.phase != "over" {
                        group["new"] = json!(true);
                    }
                    groups.push((known.find, group));
                }
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    pub(crate) fn over(&self) -> Option<Value> {
        let reason = match (self.winner, self.setting.championship) {
            (None, _) => "limit",
            (Some(_), true) => "points",
            (Some(_), false) => "line",
        };
        (self.phase == "over").then(|| over_view(self.setting.seats, self.winner, reason))
    }
}

/// The game in turns.
#[derive(Clone)]
pub(crate) struct PlainExtraPro {
    setting: Setting,
    round: u64,
    phase: &'static str,
    /// The side whose turn it is.
    side: usize,
    starts: Option<usize>,
    stacks: Stacks,
    score: [u64; 2],
    holder: [usize; 2],
    hand: [BTreeMap<&'static str, u64>; 2],
    out: [BTreeMap<&'static str, u64>; 2],
    /// The token in the air: kind and aim.
    air: Option<(&'static str, String)>,
    /// The place of the power that is to be used.
    power_at: Option<String>,
    landed: Value,
    scored: Value,
    winner: Option<usize>,
}

const KINDS: [&str; 5] = ["basic", "bomb", "cell", "double", "line"];

fn kind_of(text: &str) -> &'static str {
    KINDS
        .into_iter()
        .find(|kind| *kind == text)
        .expect("a kind")
}

impl PlainExtraPro {
    pub(crate) fn start(setting: Setting) -> Self {
        let each = setting.powers_each;
        let mut hand = BTreeMap::new();
        let mut none = BTreeMap::new();
        for kind in KINDS {
            hand.insert(kind, if kind == "basic" { 21 - 4 * each } else { each });
            none.insert(kind, 0);
        }
        PlainExtraPro {
            setting,
            round: 1,
            phase: "starter",
            side: 0,
            starts: None,
            stacks: Stacks::new(),
            score: [0, 0],
            holder: [0, 1],
            hand: [hand.clone(), hand],
            out: [none.clone(), none],
            air: None,
            power_at: None,
            landed: Value::Null,
            scored: Value::Null,
            winner: None,
        }
    }

    pub(crate) fn asked(&self) -> Vec<usize> {
        match self.phase {
            "launch" | "double" | "line" | "cell" => vec![self.holder[self.side]],
            _ => vec![],
        }
    }

    fn neighbours(&self) -> Vec<String> {
        let at = self.power_at.as_deref().expect("a power");
        self.next_to(at.split(' ').nth(1).expect("a cell"))
    }

    fn next_to(&self, at: &str) -> Vec<String> {
        let file = 1 + "abcdef".find(&at[..1]).expect("a file") as i32;
        let rank: i32 = at[1..].parse().expect("a rank");
        let mut cells = Vec::new();
        for right in [-1, 0, 1] {
            for up in [-1, 0, 1] {
                if (right, up) != (0, 0) {
                    cells.extend(cell(self.setting.size, file + right, rank + up));
                }
            }
        }
        cells
    }

    pub(crate) fn actions(&self, seat: usize) -> Vec<String> {
        let mut actions = Vec::new();
        if self.asked() != [seat] {
            return actions;
        }
        match self.phase {
            "line" => actions.extend(["row".to_string(), "column".to_string()]),
            "cell" => {
                let cells = self.neighbours();
                actions.extend(cells.iter().map(|cell| format!("clear {cell}")));
            }
            _ => {
                for tray in ["top", "bottom"] {
                    for file in 1..=self.setting.size as i32 {
                        for rank in 1..=self.setting.size as i32 {
                            for (kind, &left) in &self.hand[self.side] {
                                let name = cell(self.setting.size, file, rank).expect("a cell");
                                if left > 0 {
                                    actions.push(format!("launch {tray} {name} {kind}"));
                                }
                            }
                        }
                    }
                }
            }
        }
        actions.sort();
        actions
    }

    pub(crate) fn act(&mut self, acts: &[(usize, String)]) {
        let words: Vec<&str> = acts[0].1.split(' ').collect();
        match words[..] {
            ["launch", tray, cell, kind] => {
                let kind = kind_of(kind);
                *self.hand[self.side].get_mut(kind).expect("a kind") -= 1;
                self.air = Some((kind, format!("{tray} {cell}")));
                self.phase = "landing";
            }
            ["row"] => self.empty_line(|other, own| other[1..] == own[1..]),
            ["column"] => self.empty_line(|other, own| other[..1] == own[..1]),
            ["clear", cell] => {
                let at = self.power_at.take().expect("a power");
                let tray = at.split(' ').next().expect("a tray");
                self.empty(&format!("{tray} {cell}"));
                self.after_power();
            }
            _ => panic!("no action {words:?}"),
        }
    }

    fn empty_line(&mut self, same: fn(&str, &str) -> bool) {
        let at = self.power_at.take().expect("a power");
        let (tray, own) = at.split_once(' ').expect("a cell");
        for file in 1..=self.setting.size as i32 {
            for rank in 1..=self.setting.size as i32 {
                let name = cell(self.setting.size, file, rank).expect("a cell");
                if same(&name, own) {
                    self.empty(&format!("{tray} {name}"));
                }
            }
        }
        self.after_power();
    }

    /// Removes what is in a cell for the round.
    fn empty(&mut self, place: &str) {
        for token in self.stacks.remove(place).unwrap_or_default() {
            let side = side_of(token);
            let kind = KINDS.into_iter().find(|kind| letter(side, kind) == token);
            self.put_out(side, kind.expect("a kind"));
        }
    }

    fn put_out(&mut self, side: usize, kind: &'static str) {
        *self.out[side].get_mut(kind).expect("a kind") += 1;
    }

    pub(crate) fn chance(&mut self, event: &Value) {
        if self.phase == "starter" {
            self.side = event["starter"].as_u64().expect("a side") as usize;
            self.starts = Some(self.side);
            self.phase = "launch";
            return;
        }
        let (kind, _) = self.air.take().expect("a token in the air");
        self.landed = event["landings"][0].clone();
        let place = self.landed["place"].as_str().expect("a place").to_string();
        if place == "miss" || (place.ends_with("rim") && !self.setting.leave) {
            self.put_out(self.side, kind);
            self.next_side();
            return;
        }
        let token = letter(self.side, kind);
        self.stacks.entry(place.clone()).or_default().push(token);
        if place.ends_with("rim") {
            self.next_side();
            return;
        }
        // A line may end the round before the power acts.
        if self.setting.lines_first && self.line_ends_the_round() {
            return;
        }
        match kind {
            "bomb" => {
                let (tray, own) = place.split_once(' ').expect("a cell");
                for other in self.next_to(own) {
                    self.empty(&format!("{tray} {other}"));
                }
                self.after_power();
            }
            "line" | "cell" => {
                self.power_at = Some(place);
                self.phase = kind;
            }
            "double" if !self.line_ends_the_round() => {
                if self.has_tokens(self.side) {
                    self.phase = "double";
                } else {
                    self.next_side();
                }
            }
            "double" => {}
            _ => self.after_power(),
        }
    }

    fn has_tokens(&self, side: usize) -> bool {
        self.hand[side].values().sum::<u64>() > 0
    }

    fn after_power(&mut self) {
        if !self.line_ends_the_round() {
            self.next_side();
        }
    }

    fn line_ends_the_round(&mut self) -> bool {
        let side = self.side;
        let stand = standing(&self.stacks, self.setting.size, &|stack| {
            let own = stack.iter().filter(|&&token| side_of(token) == side);
            2 * own.count() > stack.len()
        });
        let Some(line) = stand.first() else {
            return false;
        };
        self.score[side] += if line.0 == "top" { 2 } else { 1 };
        self.scored = json!({ "round": self.round, "side": side, "line": line_view(line) });
        self.holder[side] = next_in_team(self.holder[side], self.setting.seats);
        if self.score[side] >= 3 {
            self.winner = Some(side);
            self.phase = "over";
        } else {
            self.end_of_round();
        }
        true
    }

    fn next_side(&mut self) {
        self.holder[self.side] = next_in_team(self.holder[self.side], self.setting.seats);
        self.phase = "launch";
        if self.has_tokens(1 - self.side) {
            self.side = 1 - self.side;
        } else if !self.has_tokens(self.side) {
            self.end_of_round();
        }
    }

    fn end_of_round(&mut self) {
        if self.round == self.setting.max_rounds {
            self.phase = "over";
            return;
        }
        let old = self.clone();
        let first = 1 - old.starts.expect("somebody started");
        *self = PlainExtraPro {
            round: old.round + 1,
            phase: "launch",
            side: first,
            starts: Some(first),
            score: old.score,
            holder: old.holder,
            scored: old.scored,
            ..PlainExtraPro::start(old.setting)
        };
    }

    pub(crate) fn view(&self) -> Value {
        let sides = [0, 1].map(|side| {
            json!({
                "score": self.score[side], "holder": self.holder[side],
                "hand": self.hand[side], "out": self.out[side],
            })
        });
        let mut view = json!({
            "round": self.round, "phase": self.phase, "to_move": self.asked().first(),
            "starts": self.starts, "sides": sides,
            "top": tray_view(&self.stacks, self.setting.size, "top"),
            "bottom": tray_view(&self.stacks, self.setting.size, "bottom"),
            "landed": self.landed, "scored": self.scored,
        });
        if let Some((kind, aim)) = &self.air {
            view["in_air"] = json!({ "side": self.side, "kind": kind, "aim": aim });
        }
        if let Some(at) = &self.power_at {
            view["power_at"] = json!(at);
        }
        if let Some(over) = self.over() {
            view["over"] = over;
        }
        view
    }

    pub(crate) fn over(&self) -> Option<Value> {
        let reason = if self.winner.is_some() {
            "points"
        } else {
            "limit"
        };
        (self.phase == "over").then(|| over_view(self.setting.seats, self.winner, reason))
    }
}
