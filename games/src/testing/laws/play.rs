//! A random match, which the laws look at.

use std::cell::Cell;
use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_core::Rng;
use regex_lite::Regex;

use super::state::{LawState, StateCase, Subject};
use super::verdict::{Verdict, require};
use super::words::unlike;
use crate::chance;
use crate::seats::{SeatTurn, Viewer};
use crate::table::Table;
use crate::testing::LawStep;

/// A match of any game here ends before so many events.
pub(super) const MAX_EVENTS: usize = 200_000;

/// A pool keeps so many texts at most.
const POOL: usize = 4_000;

/// The last events of a match that a message names.
const LAST_EVENTS: usize = 20;

/// A match that was played at random: to its end, if the game lets it.
pub(super) struct Play<'a> {
    pub(super) subject: &'a Subject,
    pub(super) case: &'a StateCase,
    pub(super) notation: Regex,
    pub(super) record: Vec<LawStep>,
    seed: u64,
    /// The states to look at, each after so many events: the first, the last two, and some between.
    pub(super) looks: Vec<(usize, Box<dyn LawState>)>,
    /// After how many events a law looked last: there something is wrong, or the game panics.
    last_look: Cell<usize>,
}

/// What the matches of a game have shown so far.
#[derive(Default)]
pub(super) struct ObservedTraits {
    pub(super) chance: bool,
    pub(super) simultaneous: bool,
    pub(super) secrets: bool,
    /// Two seeds gave different draws at the same position.
    pub(super) lots: bool,
    pub(super) actions: PlayPool,
    pub(super) draws: PlayPool,
}

/// Texts that were seen, each once.
#[derive(Default)]
pub(super) struct PlayPool {
    texts: Vec<String>,
    known: BTreeSet<String>,
}

/// Everything that a position shows to anybody.
#[derive(PartialEq, Eq)]
pub(super) struct ShownPosition {
    pub(super) turn: SeatTurn,
    pub(super) views: Vec<String>,
    pub(super) actions: Vec<Vec<String>>,
}

impl<'a> Play<'a> {
    pub(super) fn random(
        subject: &'a Subject,
        case: &'a StateCase,
        seed: u64,
        looks: usize,
        seen: &mut ObservedTraits,
    ) -> Self {
        let record = random_record(case, seed);
        let notation = Regex::new(&format!("^(?:{})$", subject.notation));
        let mut play = Play {
            subject,
            case,
            notation: notation.expect("the notation is a regular expression"),
            looks: Vec::new(),
            record,
            seed,
            last_look: Cell::new(0),
        };
        play.look(looks);
        for (_, state) in &play.looks {
            seen.remember(&**state, &mut play.rng(0));
        }
        play
    }

    /// Plays the match once more, and keeps the states to look at.
    fn look(&mut self, looks: usize) {
        let places = places_to_look_at(&self.record, looks, &mut self.rng(1));
        let mut state = self.case.start.copy();
        let mut rng = stream(self.seed);
        for at in 0..=self.record.len() {
            if places.contains(&at) {
                self.looks.push((at, state.copy()));
            }
            state.step(&mut rng);
        }
    }

    /// The positions to look at, in order.
    pub(super) fn positions(&self) -> impl Iterator<Item = &dyn LawState> {
        (0..self.looks.len()).map(|place| self.position(place))
    }

    /// Looks at a position by its number.
    pub(super) fn position(&self, place: usize) -> &dyn LawState {
        let (at, state) = &self.looks[place];
        self.last_look.set(*at);
        &**state
    }

    /// Looks at the end.
    pub(super) fn end(&self) -> &dyn LawState {
        self.position(self.looks.len() - 1)
    }

    /// How many events led to the position where a law looked last.
    pub(super) fn events(&self) -> usize {
        self.last_look.get()
    }

    /// Plays the record through a table as others see it, and looks at both together.
    pub(super) fn beside_a_table(
        &self,
        mut look: impl FnMut(&dyn LawState, &mut dyn Table) -> Verdict,
    ) -> Verdict {
        let mut table = self.table();
        let mut done = 0;
        for place in 0..self.looks.len() {
            for entry in &self.record[done..self.looks[place].0] {
                self.last_look.set(done);
                let played = entry.play(&mut *table);
                require!(
                    played.is_ok(),
                    "its own event {entry} is refused: {played:?}"
                );
                done += 1;
            }
            look(self.position(place), &mut *table)?;
        }
        Ok(())
    }

    /// A table at the start of the match.
    pub(super) fn table(&self) -> Box<dyn Table> {
        let setup = self
            .subject
            .game
            .set_up(&self.case.options, self.case.seats);
        setup.expect("a case was set up once before").table
    }

    /// What is listed for all seats.
    pub(super) fn listed(&self, state: &dyn LawState) -> Vec<String> {
        (0..self.case.seats)
            .flat_map(|seat| state.actions(seat))
            .collect()
    }

    /// A stream of random bits for one purpose, the same whenever the match is judged.
    pub(super) fn rng(&self, purpose: u64) -> ChaCha8Rng {
        stream((purpose + 1) << 32 | self.seed)
    }

    /// Tells the match, up to where a law looked last, so that it can be played again.
    pub(super) fn name(&self) -> String {
        let count = self.events();
        let last = &self.record[count.saturating_sub(LAST_EVENTS)..count];
        let dots = if count > LAST_EVENTS { "… " } else { "" };
        let events: Vec<_> = last.iter().map(LawStep::to_string).collect();
        let case = self.case.name(self.seed);
        format!("{case}, after {count} events: {dots}{}", events.join("; "))
    }
}

impl StateCase {
    pub(super) fn name(&self, seed: u64) -> String {
        let (preset, options, seats) = (self.preset, &self.options, self.seats);
        format!("seen with {seats} seats, preset {preset} {options}, seed {seed}")
    }
}

fn random_record(case: &StateCase, seed: u64) -> Vec<LawStep> {
    let mut rng = stream(seed);
    let mut state = case.start.copy();
    let mut record = Vec::new();
    while record.len() < MAX_EVENTS {
        match state.step(&mut rng) {
            Some(entry) => record.push(entry),
            None => break,
        }
    }
    record
}

/// The first position and the last two, some between, and some before events of chance, which are
/// rare in some games.
fn places_to_look_at(record: &[LawStep], looks: usize, rng: &mut dyn Rng) -> BTreeSet<usize> {
    let last = record.len();
    let mut places = BTreeSet::from([0, last.saturating_sub(1), last]);
    let mut one = |from: &[usize]| {
        places.insert(*chance::one_of(rng, from));
    };
    let all: Vec<usize> = (0..=last).collect();
    let draws: Vec<usize> = (0..last)
        .filter(|&place| matches!(record[place], LawStep::Draw(_)))
        .collect();
    for look in 0..looks {
        one(if look % 4 == 0 && !draws.is_empty() {
            &draws
        } else {
            &all
        });
    }
    places
}

impl ObservedTraits {
    /// Adds what can be done here to the pools.
    fn remember(&mut self, state: &dyn LawState, rng: &mut dyn Rng) {
        match state.turn() {
            SeatTurn::Seats(asked) => {
                asked.for_each(|seat| self.actions.extend(state.actions(seat)));
            }
            SeatTurn::Chance => self.draws.extend([state.sample(rng).0]),
            SeatTurn::Over(_) => {}
        }
    }
}

impl PlayPool {
    fn extend(&mut self, texts: impl IntoIterator<Item = String>) {
        for text in texts {
            if self.texts.len() < POOL && self.known.insert(text.clone()) {
                self.texts.push(text);
            }
        }
    }

    /// Some of the texts, drawn at random; the same one may come twice.
    pub(super) fn some(&self, count: usize, rng: &mut dyn Rng) -> Vec<String> {
        if self.texts.len() <= count {
            return self.texts.clone();
        }
        let one = |_| chance::one_of(rng, &self.texts).clone();
        (0..count).map(one).collect()
    }
}

impl ShownPosition {
    pub(super) fn by(state: &dyn LawState) -> Self {
        ShownPosition {
            turn: state.turn(),
            views: viewers(state.seats())
                .map(|viewer| state.view(viewer))
                .collect(),
            actions: (0..state.seats()).map(|seat| state.actions(seat)).collect(),
        }
    }

    pub(super) fn by_table(table: &dyn Table) -> Self {
        let view = |viewer| {
            let mut json = Vec::new();
            table.write_view(viewer, &mut json);
            String::from_utf8(json).expect("JSON is UTF-8")
        };
        ShownPosition {
            turn: table.turn(),
            views: viewers(table.seats()).map(view).collect(),
            actions: (0..table.seats()).map(|seat| table.actions(seat)).collect(),
        }
    }

    /// Says where another one differs from this one.
    pub(super) fn unlike(&self, other: &Self) -> Option<String> {
        if self.turn != other.turn {
            return Some(format!(
                "the turn was {:?} and is {:?}",
                self.turn, other.turn
            ));
        }
        let seats = self.actions.len() as u8;
        for (viewer, (before, after)) in viewers(seats).zip(self.views.iter().zip(&other.views)) {
            if let Some(how) = unlike(before, after) {
                return Some(format!("the view of {viewer:?} {how}"));
            }
        }
        for (seat, (before, after)) in self.actions.iter().zip(&other.actions).enumerate() {
            if before != after {
                return Some(format!(
                    "seat {seat}'s actions were {before:?} and are {after:?}"
                ));
            }
        }
        None
    }
}

/// Everybody who may look.
pub(super) fn viewers(seats: u8) -> impl Iterator<Item = Viewer> {
    (0..seats)
        .map(Viewer::Seat)
        .chain([Viewer::Public, Viewer::Open])
}

/// The random bits of a seed.
pub(super) fn stream(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Goes on at random for so many events, or to the end.
pub(super) fn go_on(state: &mut dyn LawState, events: usize, rng: &mut dyn Rng) {
    for _ in 0..events {
        if state.step(rng).is_none() {
            return;
        }
    }
}
