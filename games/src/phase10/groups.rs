//! Groups of cards, and what can be laid from a hand.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::cards::{Face, HIGHEST, Laid, WILD};

/// What a group is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Consecutive numbers of one colour.
    Run,
    /// The same number.
    Set,
}

/// A group that a phase asks for: what it is made of and of how many cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What it is made of.
    pub kind: Kind,
    /// Of how many cards, when it is laid.
    pub cards: usize,
}

const fn run(cards: usize) -> Wanted {
    Wanted {
        kind: Kind::Run,
        cards,
    }
}

const fn set(cards: usize) -> Wanted {
    Wanted {
        kind: Kind::Set,
        cards,
    }
}

/// The ten phases, each in the order in which its groups are laid.
const PHASES: [&[Wanted]; 10] = [
    &[run(2), run(2)],
    &[run(2), set(2)],
    &[run(2), set(3)],
    &[run(3), set(2)],
    &[run(4), set(2)],
    &[run(3), run(3)],
    &[run(3), set(3)],
    &[run(5), set(2)],
    &[run(2), set(4)],
    &[run(3), set(2), set(2)],
];

/// The last phase.
pub(super) const LAST_PHASE: u8 = PHASES.len() as u8;

/// The most cards of a group as it is laid.
pub(super) const MOST_LAID: usize = 5;

/// The groups of a phase, from 1.
pub fn wanted(phase: u8) -> &'static [Wanted] {
    PHASES[usize::from(phase.clamp(1, LAST_PHASE)) - 1]
}

/// Some cards by their faces, how many of each; sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Faces(Vec<(Face, u8)>);

impl Faces {
    pub(super) fn of(faces: impl IntoIterator<Item = Face>) -> Self {
        let mut all: Vec<Face> = faces.into_iter().collect();
        all.sort_unstable();
        let mut counts: Vec<(Face, u8)> = Vec::with_capacity(all.len());
        for face in all {
            match counts.last_mut() {
                Some((last, count)) if *last == face => *count += 1,
                _ => counts.push((face, 1)),
            }
        }
        Faces(counts)
    }

    /// The faces, each once.
    pub(super) fn each(&self) -> impl Iterator<Item = Face> + '_ {
        self.0
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(face, _)| *face)
    }

    pub(super) fn has(&self, face: Face) -> bool {
        self.each().any(|other| other == face)
    }

    /// Takes a card out; false if there is none.
    pub(super) fn take(&mut self, face: Face) -> bool {
        match self
            .0
            .iter_mut()
            .find(|(other, count)| *other == face && *count > 0)
        {
            Some((_, count)) => {
                *count -= 1;
                true
            }
            None => false,
        }
    }

    fn put(&mut self, at: usize) {
        self.0[at].1 += 1;
    }

    /// Calls `each` with every group of this kind that these cards make, in its own order, and
    /// with the cards that are left; until it breaks.
    pub(super) fn groups(
        &mut self,
        wanted: Wanted,
        each: &mut dyn FnMut(&[Laid], &mut Faces) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut group = Vec::with_capacity(MOST_LAID);
        match wanted.kind {
            Kind::Run => {
                for suit in 0..=WILD {
                    for low in 1..=(HIGHEST + 1).saturating_sub(wanted.cards as u8) {
                        self.runs(suit, low, wanted.cards, &mut group, each)?;
                    }
                }
            }
            Kind::Set => {
                for number in 1..=HIGHEST {
                    self.sets(number, wanted.cards, &mut group, each)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds the next card of a run in every way.
    fn runs(
        &mut self,
        suit: u8,
        low: u8,
        cards: usize,
        group: &mut Vec<Laid>,
        each: &mut dyn FnMut(&[Laid], &mut Faces) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if group.len() == cards {
            return each(group, self);
        }
        let number = low + group.len() as u8;
        for at in 0..self.0.len() {
            let (face, count) = self.0[at];
            let Some(laid) = Laid::new(face, number).filter(|_| count > 0 && face.suit() == suit)
            else {
                continue;
            };
            self.0[at].1 -= 1;
            group.push(laid);
            let flow = self.runs(suit, low, cards, group, each);
            group.pop();
            self.put(at);
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Adds the next card of a set in every way that is not lower than the one before.
    fn sets(
        &mut self,
        number: u8,
        cards: usize,
        group: &mut Vec<Laid>,
        each: &mut dyn FnMut(&[Laid], &mut Faces) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if group.len() == cards {
            return each(group, self);
        }
        for at in 0..self.0.len() {
            let (face, count) = self.0[at];
            let Some(laid) = Laid::new(face, number)
                .filter(|laid| count > 0 && group.last().is_none_or(|last| last <= laid))
            else {
                continue;
            };
            self.0[at].1 -= 1;
            group.push(laid);
            let flow = self.sets(number, cards, group, each);
            group.pop();
            self.put(at);
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Whether these cards can complete a phase of which some groups are laid.
    pub(super) fn complete(&mut self, progress: Progress<'_>) -> bool {
        let Some(next) = progress.next() else {
            return progress.has_number;
        };
        if !progress.has_number && self.each().all(Face::is_star) {
            return false;
        }
        let flow = self.groups(next, &mut |group, rest| {
            let done = progress
                .with(group)
                .is_some_and(|progress| rest.complete(progress));
            if done {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        flow.is_break()
    }

    /// A way to complete the phase, if there is one: the cards that it takes.
    pub(super) fn completion(&mut self, progress: Progress<'_>) -> Option<Vec<Laid>> {
        let Some(next) = progress.next() else {
            return progress.has_number.then(Vec::new);
        };
        let mut found = None;
        let _ = self.groups(next, &mut |group, rest| {
            let more = progress
                .with(group)
                .and_then(|progress| rest.completion(progress));
            match more {
                Some(more) => {
                    found = Some([group, &more].concat());
                    ControlFlow::Break(())
                }
                None => ControlFlow::Continue(()),
            }
        });
        found
    }
}

/// How far a phase has been laid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress<'a> {
    /// The groups of the phase that are yet to be laid.
    missing: &'static [Wanted],
    /// The group before the next one, if both are alike: the next one may not be lower.
    least: Option<&'a [Laid]>,
    /// Whether a number card has been laid.
    has_number: bool,
}

impl<'a> Progress<'a> {
    /// Nothing has been laid of this phase.
    pub(super) fn start(phase: u8) -> Self {
        Progress {
            missing: wanted(phase),
            least: None,
            has_number: false,
        }
    }

    /// The next group that is wanted.
    pub(super) fn next(&self) -> Option<Wanted> {
        self.missing.first().copied()
    }

    /// What is left once this group, of the right kind, is laid; nothing if it is too low.
    pub(super) fn with<'b>(&self, group: &'b [Laid]) -> Option<Progress<'b>>
    where
        'a: 'b,
    {
        if self.least.is_some_and(|least| group < least) {
            return None;
        }
        let (this, missing) = self.missing.split_first()?;
        Some(Progress {
            missing,
            least: missing.first().filter(|next| *next == this).map(|_| group),
            has_number: self.has_number || group.iter().any(|laid| !laid.face.is_star()),
        })
    }
}

/// Whether some cards are a group of this kind as it is laid, in its own order.
pub(super) fn is_group(kind: Kind, cards: &[Laid]) -> bool {
    let same_colour = cards
        .windows(2)
        .all(|two| two[0].face.suit() == two[1].face.suit());
    let steps = |step: u8| {
        cards
            .windows(2)
            .all(|two| two[1].number == two[0].number + step)
    };
    match kind {
        Kind::Run => same_colour && steps(1),
        Kind::Set => steps(0) && cards.is_sorted(),
    }
}

/// The colour of a run: that of its coloured cards, none if it has none.
pub(super) fn colour(cards: &[Laid]) -> Option<u8> {
    cards
        .iter()
        .map(|laid| laid.face.suit())
        .find(|&suit| suit != WILD)
}

/// Whether cards on the table can have grown into a group of this kind.
pub(super) fn is_grown_group(kind: Kind, cards: &[Laid]) -> bool {
    let step = u8::from(kind == Kind::Run);
    let steps = cards
        .windows(2)
        .all(|two| two[1].number == two[0].number + step);
    let one_colour = colour(cards).is_none_or(|colour| {
        cards
            .iter()
            .all(|laid| [colour, WILD].contains(&laid.face.suit()))
    });
    steps && (kind == Kind::Set || one_colour)
}
