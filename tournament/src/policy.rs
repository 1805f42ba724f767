//! What becomes of bots that do not come to their matches: those that were at fault in match after match are paused,
//! and others have left. A pure function of the settings, the changes and the results in the order of the schedule.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use flipside_games::words::{counted, joined};
use flipside_referee::{MatchResult, SeatFault, SeatResult};
use schemars::JsonSchema;
use serde::Serialize;

use crate::bot::Bot;
use crate::change::{Change, Changed};
use crate::schedule::Pairing;

/// The reason of a match that was not played, because a bot of it is paused or has left.
pub const FORFEIT: &str = "forfeit";

/// After how many matches in a row with a fault a bot is paused, unless somebody says otherwise.
pub const PAUSE_AFTER: u32 = 5;

/// A bot that is paused.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Pause {
    /// The bot: `greedy@2`.
    pub bot: String,
    /// The match after which it is paused, by its index in the schedule.
    pub index: u64,
    /// The names of the faults that it was at, with how often.
    pub faults: BTreeMap<String, u32>,
    /// What happened in the last of these matches.
    pub detail: String,
}

/// What is to become of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyDecision {
    /// It is played, by two sides or more; the bots of these seats do not come to it, and count as fallen from the
    /// beginning.
    Play(Vec<usize>),
    /// One side is left, which wins; the bots of these seats lose it, and it is not played.
    Forfeit(Vec<usize>),
    /// No side is left, so nobody wins: it is not played, and has no result.
    LeaveOut,
}

impl PolicyDecision {
    /// Whether what came of a match is what was to come of it.
    pub fn fits(&self, result: &MatchResult) -> bool {
        let (PolicyDecision::Play(away) | PolicyDecision::Forfeit(away)) = self else {
            return false;
        };
        let mut seats = result.seats.iter().enumerate();
        seats.all(|(at, seat)| forfeits(seat) == away.contains(&at))
    }
}

/// Who is paused or has left; it hears results in the order of the schedule.
#[derive(Clone, Debug)]
pub(crate) struct PauseCount {
    /// After how many matches in a row with a fault a bot is paused; 0: never.
    pause_after: u32,
    /// By seat, the side that it is on.
    sides: Vec<u8>,
    bots: Vec<Streak>,
    /// By bot, from which index on it has left, and why it does not come; nothing if it has not.
    left: Vec<Option<(u64, String)>>,
}

/// How a bot has fared of late.
#[derive(Clone, Debug, Default)]
struct Streak {
    /// Its matches in a row with a fault.
    matches: u32,
    faults: BTreeMap<String, u32>,
    paused: bool,
}

impl PauseCount {
    pub(crate) fn new(pause_after: u32, sides: Vec<u8>, bots: usize) -> Self {
        PauseCount {
            pause_after,
            sides,
            bots: vec![Streak::default(); bots],
            left: vec![None; bots],
        }
    }

    /// The same where bots leave by some of these changes.
    pub(crate) fn with_changes(mut self, changes: &[Changed]) -> Self {
        for changed in changes {
            let leaves = changed.change.leaves();
            if let Some(left) = leaves.and_then(|bot| self.left.get_mut(bot)) {
                left.get_or_insert_with(|| (changed.index, why_left(changed)));
            }
        }
        self
    }

    /// What is to become of a match, after all results that were taken.
    pub(crate) fn disposition(&self, pairing: &Pairing) -> PolicyDecision {
        let away = self.away(pairing);
        if away.is_empty() {
            return PolicyDecision::Play(away);
        }
        let seats = 0..pairing.seats.len();
        match self.count_sides(seats.filter(|&seat| !self.is_out(seat, &away))) {
            0 => PolicyDecision::LeaveOut,
            1 => PolicyDecision::Forfeit(away),
            _ => PolicyDecision::Play(away),
        }
    }

    /// Takes the result of a match that was played, and gives the bots that are paused from now on: the
    /// number of each, and its faults in the matches that count.
    pub(crate) fn take(&mut self, bots: &[usize], result: &MatchResult) -> PausedBots {
        let mut paused = Vec::new();
        for (at, &entrant) in bots.iter().enumerate() {
            if bots[..at].contains(&entrant) {
                continue;
            }
            let own = bots.iter().zip(&result.seats);
            let mut own = own.filter(|(bot, _)| **bot == entrant);
            let fault = own.find_map(|(_, seat)| seat.fault.as_ref());
            let streak = &mut self.bots[entrant];
            let Some(fault) = fault else {
                streak.matches = 0;
                streak.faults.clear();
                continue;
            };
            // Who did not come has neither failed nor done well.
            if streak.paused || fault.name == FORFEIT {
                continue;
            }
            streak.matches = streak.matches.saturating_add(1);
            *streak.faults.entry(fault.name.clone()).or_default() += 1;
            if self.pause_after > 0 && streak.matches >= self.pause_after {
                streak.paused = true;
                paused.push((entrant, streak.faults.clone()));
            } else if self.pause_after == 0 {
                // Nobody asks for it.
                streak.faults.clear();
            }
        }
        paused
    }

    /// Why a bot does not come to the match with this index.
    pub(crate) fn why(&self, bot: usize, index: u64) -> String {
        if let Some(why) = self.has_left(bot, index) {
            return why.into();
        }
        let matches = self.pause_after;
        format!("it is paused: it was at fault in {matches} of its matches in a row")
    }

    /// Why a bot has left before the match with this index, if it has.
    fn has_left(&self, bot: usize, index: u64) -> Option<&str> {
        let left = self.left[bot].as_ref();
        left.and_then(|(from, why)| (index >= *from).then_some(why.as_str()))
    }

    /// The seats of a match whose bots are paused or have left.
    pub(crate) fn away(&self, pairing: &Pairing) -> Vec<usize> {
        let has_left = |bot: usize| self.has_left(bot, pairing.index).is_some();
        let seats = pairing.seats.iter().enumerate();
        let away = seats.filter(|&(_, &bot)| self.bots[bot].paused || has_left(bot));
        away.map(|(seat, _)| seat).collect()
    }

    /// The result of a match that is not played, because the bots of these seats do not come: as if they had fallen
    /// together at its beginning.
    pub(crate) fn forfeit(&self, pairing: &Pairing, away: &[usize]) -> MatchResult {
        let fallen = self.fallen(away).into_iter().take(pairing.seats.len());
        let seat = |(seat, (points, place))| SeatResult {
            points,
            place,
            fault: away.contains(&seat).then(|| SeatFault {
                name: FORFEIT.into(),
                detail: self.why(pairing.seats[seat], pairing.index),
            }),
            ..SeatResult::default()
        };
        MatchResult {
            reason: FORFEIT.into(),
            plies: 0,
            seats: fallen.enumerate().map(seat).collect(),
        }
    }

    /// By seat, the points and the place when the bots of some seats fall together at the beginning, and
    /// not more than one side is left.
    fn fallen(&self, away: &[usize]) -> Vec<(i32, u8)> {
        let is_out: Vec<bool> = (0..self.sides.len())
            .map(|seat| self.is_out(seat, away))
            .collect();
        let lost = self.count_sides((0..is_out.len()).filter(|&seat| is_out[seat]));
        let present = is_out.iter().filter(|&&is_out| !is_out).count() as u8;
        let of = |is_out| {
            if is_out {
                (0, 1 + present)
            } else {
                (lost as i32, 1)
            }
        };
        is_out.into_iter().map(of).collect()
    }

    /// On how many sides these seats are.
    fn count_sides(&self, seats: impl Iterator<Item = usize>) -> usize {
        let sides: BTreeSet<u8> = seats.map(|seat| self.sides[seat]).collect();
        sides.len()
    }

    /// Whether a seat is out when the bots of others do not come: with two sides, all seats of a side
    /// fall with one of them.
    fn is_out(&self, seat: usize, away: &[usize]) -> bool {
        let two_sides = self.sides.iter().all(|&side| side < 2);
        away.contains(&seat)
            || two_sides
                && away
                    .iter()
                    .any(|&other| self.sides[other] == self.sides[seat])
    }
}

/// Why a bot that has left does not come to its match.
fn why_left(changed: &Changed) -> String {
    let what = match changed.change {
        Change::Disqualify { .. } => "it was disqualified",
        _ => "it was withdrawn",
    };
    match &changed.reason {
        None => what.into(),
        Some(reason) => format!("{what}: {}", reason.as_str()),
    }
}

/// Whether nobody played a match: bots forfeited it.
pub fn is_unplayed(result: &MatchResult) -> bool {
    result.reason == FORFEIT
}

/// Tells of the seats of a match that was played whose bots did not come; and of one that was not played, who else lost
/// it: the partners of these, and everybody if no side was there.
pub(crate) fn away(result: &MatchResult) -> impl Fn(&SeatResult) -> bool {
    let is_unplayed = is_unplayed(result);
    let is_first = |seat: &SeatResult| seat.place == 1 && forfeits(seat);
    let nobody = is_unplayed && result.seats.iter().any(is_first);
    move |seat| forfeits(seat) || is_unplayed && (nobody || seat.place > 1)
}

/// Whether a seat's bot did not come to its match.
pub fn forfeits(seat: &SeatResult) -> bool {
    (seat.fault.as_ref()).is_some_and(|fault| fault.name == FORFEIT)
}

impl Pause {
    /// The pause of a bot after the match of this index.
    pub fn of(bot: &Bot, index: u64, faults: BTreeMap<String, u32>, detail: String) -> Self {
        Pause {
            bot: bot.label(),
            index,
            faults,
            detail,
        }
    }
}

impl fmt::Display for Pause {
    /// Reads after the bot's name: `is paused after match 12, at fault in 5 matches in a row (late 3, crashed 2); the
    /// last: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = (self.faults.iter()).map(|(name, times)| format!("{name} {times}"));
        let (index, faults, detail) = (self.index, joined(faults, ", "), &self.detail);
        let matches: u64 = self.faults.values().copied().map(u64::from).sum();
        let matches = counted(matches, "match");
        write!(
            f,
            "is paused after match {index}, at fault in {matches} in a row ({faults}); the last: {detail}"
        )
    }
}

/// The bots that are paused after a match: the number of each, and its faults.
pub type PausedBots = Vec<(usize, BTreeMap<String, u32>)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forfeit_is_a_win_for_the_side_that_is_there() {
        let paused = |seats: &[usize]| {
            let mut pauses = PauseCount::new(1, vec![0, 1, 0, 1], 4);
            let mut late = MatchResult::of_places(vec![1; seats.len()]);
            for seat in &mut late.seats {
                seat.fault = Some(SeatFault {
                    name: "late".into(),
                    detail: String::new(),
                });
            }
            let faults = pauses.take(seats, &late);
            assert_eq!(faults.len(), seats.len());
            let pairing = Pairing {
                index: 0,
                round: 0,
                block: 0,
                seats: vec![0, 1, 2, 3],
            };
            let disposition = pauses.disposition(&pairing);
            let forfeit = match &disposition {
                PolicyDecision::Forfeit(away) => {
                    let forfeit = pauses.forfeit(&pairing, away);
                    let seats = forfeit.seats.iter();
                    let seat = |seat: &SeatResult| (seat.points, seat.place, seat.fault.is_some());
                    Some(seats.map(seat).collect::<Vec<_>>())
                }
                _ => None,
            };
            (disposition, forfeit)
        };
        assert_eq!(paused(&[]), (PolicyDecision::Play(vec![]), None));
        // The partner of who does not come falls with it, and has no fault of its own.
        let (disposition, forfeit) = paused(&[1]);
        assert_eq!(disposition, PolicyDecision::Forfeit(vec![1]));
        assert_eq!(
            forfeit.unwrap(),
            [(1, 1, false), (0, 3, true), (1, 1, false), (0, 3, false)]
        );
        let (disposition, _) = paused(&[1, 3]);
        assert_eq!(disposition, PolicyDecision::Forfeit(vec![1, 3]));
        // Nobody has won where no side is there.
        assert_eq!(paused(&[0, 3]).0, PolicyDecision::LeaveOut);
    }
}
