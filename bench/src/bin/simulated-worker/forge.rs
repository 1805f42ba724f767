//! Forged records: what a worker can say about what only it has seen. Each is a true record that was changed, with a
//! closing hash that fits.

use flipside_games::{Outcome, Refusal, Seat, SeatTurn, Table};
use flipside_protocol::FUEL_PER_US;
use flipside_referee::{
    ActLine, BY_FAULT, FaultKind, FaultLine, Line, OverLine, Record, Replay, verify,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The most plies that are invented behind a changed action.
const MAX_INVENTED: usize = 100;

/// What a worker lies about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Lie {
    /// Nothing
    None,
    /// The result has another winner; the rules refute it
    Result,
    /// An action is another legal one
    Move,
    /// Another bot has played
    Bot,
    /// A bot has a fault that it did not commit
    Fault,
}

/// What came of a lie.
pub(crate) enum Forged {
    /// A lie that keeps all other actions of the match, or is about something else.
    Lie(String),
    /// A lie behind which the rest of the match is invented.
    Invented(String),
    /// There is no such lie about this match.
    Impossible,
    /// A lie that is not as it should be: the rules refute it, or do not. That is a defect of this program.
    Defect(String),
}

/// Lies about the match of this number. `other` is its record as other bots played it.
pub(crate) fn forged(lie: Lie, number: u64, text: &str, other: Option<&str>) -> Forged {
    let Some(truth) = ForgeTruth::read(text) else {
        return Forged::Impossible;
    };
    let forged = match lie {
        Lie::None => None,
        Lie::Result => return refuted(truth.other_winner()),
        Lie::Move => return truth.other_move(),
        Lie::Bot => other.and_then(|other| truth.other_bot(other)),
        Lie::Fault => truth.invented_fault(number),
    };
    match forged {
        None => Forged::Impossible,
        Some(forged) => match verify(&forged) {
            Ok(_) => Forged::Lie(forged),
            Err(error) => Forged::Defect(error.to_string()),
        },
    }
}

/// A lie that the rules must refute.
fn refuted(forged: Option<String>) -> Forged {
    match forged {
        None => Forged::Impossible,
        Some(forged) if verify(&forged).is_err() => Forged::Lie(forged),
        Some(_) => Forged::Defect("the rules do not refute another winner".into()),
    }
}

/// A true record.
struct ForgeTruth<'a> {
    lines: Vec<&'a str>,
    record: Record,
}

/// A choice in a record, and the position before it.
struct ForgeChoice {
    /// Where it is in the lines of the record.
    at: usize,
    act: ActLine,
    table: Box<dyn Table>,
    /// The time for it, in microseconds.
    clock_us: u64,
    /// The plies before it.
    plies: u64,
}

impl<'a> ForgeTruth<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let record = Record::read(text).ok()?;
        Some(ForgeTruth {
            lines: text.lines().collect(),
            record,
        })
    }

    /// The text of the first lines: the header and so many of the lines after it.
    fn beginning(&self, lines: usize) -> String {
        let lines = self.lines.iter().take(1 + lines);
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// The choices that a bot made alone.
    fn choices(&self) -> Option<Vec<ForgeChoice>> {
        let mut replay = Replay::new(&self.record).ok()?;
        let (mut choices, mut plies) = (Vec::new(), 0);
        for (at, (_, line)) in self.record.lines.iter().enumerate() {
            if let Line::Acts { acts } = line
                && let [act] = &acts[..]
                && act.us.is_some()
            {
                choices.push(ForgeChoice {
                    at,
                    act: act.clone(),
                    table: replay.table().copy(),
                    clock_us: replay.clock_us(act.seat)?,
                    plies,
                });
            }
            plies += line.plies();
            replay.step().ok()?;
        }
        Some(choices)
    }

    fn other_winner(&self) -> Option<String> {
        let mut over = self.record.over.clone();
        if over.points.len() != 2 {
            return None;
        }
        if over.points[0] == over.points[1] {
            (over.points, over.places) = (vec![1, 0], vec![1, 2]);
        } else {
            over.points.reverse();
            over.places.reverse();
        }
        let mut text = self.beginning(self.record.lines.len());
        text += &tagged("over", &over);
        Some(sealed(text))
    }

    /// The last action that can be another one: if possible, so that all actions after it stay.
    fn other_move(&self) -> Forged {
        let choices = self.choices().unwrap_or_default();
        for keeps in [true, false] {
            for choice in choices.iter().rev() {
                for action in choice.table.actions(choice.act.seat) {
                    let changed = match action == choice.act.action {
                        true => None,
                        false => self.changed(choice, &action, keeps),
                    };
                    match changed.filter(|changed| verify(changed).is_ok()) {
                        Some(changed) if keeps => return Forged::Lie(changed),
                        Some(changed) => return Forged::Invented(changed),
                        None => {}
                    }
                }
            }
        }
        Forged::Impossible
    }

    /// The record with another action. The actions behind it stay, or else what cannot stay is invented.
    fn changed(&self, choice: &ForgeChoice, action: &str, keeps: bool) -> Option<String> {
        let mut rest = self.record.lines[choice.at + 1..].iter();
        let mut table = choice.table.copy();
        let mut text = self.beginning(choice.at);
        let mut act = ActLine {
            action: action.into(),
            ..choice.act.clone()
        };
        let mut plies = choice.plies;
        loop {
            table.act(&[(act.seat, &act.action)]).ok()?;
            text += &format!("{{\"type\":\"acts\",\"acts\":[{}]}}\n", json(&act));
            plies += 1;
            let mut seats = match table.turn() {
                SeatTurn::Seats(seats) => seats,
                SeatTurn::Over(outcome) if !keeps || rest.next().is_none() => {
                    text += &self.over(&outcome, plies);
                    return Some(sealed(text));
                }
                SeatTurn::Over(_) | SeatTurn::Chance => return None,
            };
            let (seat, None) = (seats.next()?, seats.next()) else {
                return None;
            };
            let kept = match rest.next() {
                Some((_, Line::Acts { acts })) => acts
                    .first()
                    .filter(|kept| kept.seat == seat && table.check(seat, &kept.action).is_ok()),
                Some(_) => return None,
                None => None,
            };
            act = match kept {
                Some(kept) => kept.clone(),
                None if keeps || plies > choice.plies + MAX_INVENTED as u64 => return None,
                None => ActLine {
                    seat,
                    action: table.actions(seat).into_iter().next()?,
                    ..act
                },
            };
        }
    }

    fn over(&self, outcome: &Outcome, plies: u64) -> String {
        let points = outcome.points.to_vec();
        let better = |own: &i32| 1 + points.iter().filter(|other| *other > own).count() as u8;
        let over = OverLine {
            places: points.iter().map(better).collect(),
            reason: outcome.reason.into(),
            plies,
            seed: self.record.over.seed.clone(),
            points,
        };
        tagged("over", &over)
    }

    /// What other bots played, as if it had been these.
    fn other_bot(&self, other: &str) -> Option<String> {
        let other = ForgeTruth::read(other)?;
        let is_ready = |line: &&&str| line.starts_with(r#"{"type":"ready""#);
        let (ours, theirs) = (self.lines.iter(), other.lines.iter());
        let played = |lines: &[&str]| lines[1..lines.len() - 1].join("\n");
        let ready = ours.clone().filter(is_ready);
        let rest = theirs.skip(1).filter(|line| !is_ready(line));
        let rest = rest.take_while(|line| !line.starts_with(r#"{"type":"end""#));
        let all: Vec<&str> = ours.take(1).chain(ready).chain(rest).copied().collect();
        let is_same = played(&[&all[..], &[""]].concat()) == played(&self.lines);
        (!is_same).then(|| sealed(all.join("\n") + "\n"))
    }

    /// The record up to some choice, and a fault in its place.
    fn invented_fault(&self, number: u64) -> Option<String> {
        let choices = self.choices()?;
        if self.record.header.seats.len() != 2 || choices.is_empty() {
            return None;
        }
        // Somewhere in the match, and each kind as often.
        let choice = &choices[number as usize * 7919 % choices.len()];
        let mut kinds = [FaultKind::Crashed, FaultKind::Late, FaultKind::Illegal];
        kinds.rotate_left(number as usize % 3);
        let fault = (kinds.iter()).find_map(|&kind| self.fault(&choices, choice, kind))?;
        let loser = usize::from(choice.act.seat);
        let by_seat = |winner, loser_has| match loser {
            0 => vec![loser_has, winner],
            _ => vec![winner, loser_has],
        };
        let over = OverLine {
            points: by_seat(1, 0),
            places: by_seat(1, 2).into_iter().map(|place| place as u8).collect(),
            reason: BY_FAULT.into(),
            plies: choice.plies,
            seed: self.record.over.seed.clone(),
        };
        let text = self.beginning(choice.at) + &tagged("fault", &fault) + &tagged("over", &over);
        Some(sealed(text))
    }

    /// A fault in place of a choice.
    fn fault(
        &self,
        choices: &[ForgeChoice],
        choice: &ForgeChoice,
        kind: FaultKind,
    ) -> Option<FaultLine> {
        let ForgeChoice { act, plies, .. } = choice;
        let own = choices.iter().filter(|one| one.act.seat == act.seat);
        let question = 1 + own.filter(|one| one.at < choice.at).count();
        let when = format!("at ply {plies} (question {question})");
        let (mut us, mut fuel, mut evidence) = (act.us?, act.fuel, None);
        let detail = match kind {
            FaultKind::Late => {
                us = choice.clock_us;
                fuel = fuel.map(|_| us * FUEL_PER_US);
                let used = fuel.unwrap_or(us);
                format!("{used} of {used} units of fuel {when} and wrote nothing")
            }
            FaultKind::Illegal => {
                let (action, refusal) = illegal(&*choice.table, act.seat, choices)?;
                evidence = Some(format!(
                    r#"{{"type":"act","id":{question},"action":"{action}"}}"#
                ));
                format!("{refusal}; {when}")
            }
            _ => format!("a trap: wasm trap: wasm `unreachable` instruction executed, {when}"),
        };
        Some(FaultLine {
            seat: act.seat,
            fault: kind,
            detail,
            us,
            wall_us: None,
            cpu_us: None,
            fuel,
            paused: None,
            evidence,
            stderr: String::new(),
        })
    }
}

/// An action of the match that the rules do not allow a seat at a table, and why not.
fn illegal(table: &dyn Table, seat: Seat, choices: &[ForgeChoice]) -> Option<(String, String)> {
    let mut actions = choices.iter().map(|choice| &choice.act.action);
    actions.find_map(|action| match table.check(seat, action) {
        Err(Refusal::Illegal(why)) => Some((action.clone(), why.to_string())),
        _ => None,
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it is JSON")
}

/// A line of a record, as the referee writes it.
fn tagged(kind: &str, value: &impl Serialize) -> String {
    format!("{{\"type\":\"{kind}\",{}\n", &json(value)[1..])
}

/// The text of a record with its closing hash.
fn sealed(mut text: String) -> String {
    let seal = hex::encode(Sha256::digest(&text));
    text += &format!("{{\"type\":\"end\",\"sha256\":\"{seal}\"}}\n");
    text
}
