//! How seats play Phase 10 Flip in a rollout: towards the phase with the fewest missing cards and
//! the most cards that help, and once it is laid, out of cards. A seat uses only what it sees.

use flipside_bot::evaluation::phase10::Hand;
use flipside_games::phase10::{Face, GroupKind, Phase10Action};
use flipside_games::{Game, Phase10, Seat};

/// How many missing cards a hand has about that has just been turned over: its owner does not
/// know the backs.
const MISSING_AFTER_A_FLIP: u8 = 3;

/// How good an action looks.
type CardRank = (u8, u8, u32);

/// Chooses for seats in rollouts; it keeps its memory.
#[derive(Default)]
pub(super) struct RolloutPolicy {
    actions: Vec<Phase10Action>,
    wanted: Vec<(GroupKind, u8)>,
    faces: Vec<Face>,
}

impl RolloutPolicy {
    /// Chooses an action of the seat whose turn it is.
    pub(super) fn choose(&mut self, state: &Phase10, seat: Seat) -> Phase10Action {
        self.faces.clear();
        self.faces.extend(state.hand(seat));
        if !state.is_to_discard(seat) {
            return self.draw(state, seat);
        }
        if state.is_down(seat) {
            state.actions(seat, &mut self.actions);
            let hit = |action: &&Phase10Action| matches!(action, Phase10Action::Hit(..));
            return match self.actions.iter().find(hit) {
                Some(&hit) => hit,
                None => self.discard_of_the_rest(),
            };
        }
        self.wanted.clear();
        self.wanted.extend(state.wanted(seat));
        let mut hand = Hand::of(self.faces.iter().copied());
        if state.groups_laid(seat) > 0 || hand.need(&self.wanted).missing == 0 {
            state.actions(seat, &mut self.actions);
            let lays = self.actions.iter().filter_map(|&action| match action {
                Phase10Action::Lay(lay) => Some((lay.stars(), action)),
                _ => None,
            });
            if let Some((_, lay)) = lays.min_by_key(|&(stars, _)| stars) {
                return lay;
            }
        }
        self.discard_on_the_way(&mut hand)
    }

    fn draw(&mut self, state: &Phase10, seat: Seat) -> Phase10Action {
        let Some(top) = state.top_discard() else {
            return Phase10Action::DrawPile;
        };
        let takes = if state.is_down(seat) {
            state.fits_on_table(top)
        } else {
            self.wanted.clear();
            self.wanted.extend(state.wanted(seat));
            let mut hand = Hand::of(self.faces.iter().copied());
            let before = hand.need(&self.wanted).missing;
            hand.add(top);
            hand.need(&self.wanted).missing < before
        };
        if takes {
            Phase10Action::DrawDiscard
        } else {
            Phase10Action::DrawPile
        }
    }

    /// Discards what counts most, rather without turning the cards over.
    fn discard_of_the_rest(&self) -> Phase10Action {
        let faces = self.faces.iter().copied();
        let worst = faces.max_by_key(|face| (!face.flips(), face.score()));
        Phase10Action::Discard(worst.expect("a seat that discards has cards"))
    }

    /// Discards what is needed least.
    fn discard_on_the_way(&self, hand: &mut Hand) -> Phase10Action {
        let mut best = None;
        for (at, &face) in self.faces.iter().enumerate() {
            if self.faces[..at].contains(&face) {
                continue;
            }
            let rank = self.rank_of_discard(hand, face, MISSING_AFTER_A_FLIP);
            if best.is_none_or(|(other, _)| rank > other) {
                best = Some((rank, face));
            }
        }
        let (_, face) = best.expect("a seat that discards has cards");
        Phase10Action::Discard(face)
    }

    /// Returns how good it looks to discard a card of a hand before the phase is laid; more is better.
    fn rank_of_discard(&self, hand: &mut Hand, face: Face, missing_after_a_flip: u8) -> CardRank {
        if face.flips() {
            return (u8::MAX - missing_after_a_flip, 0, 0);
        }
        hand.remove(face);
        let need = hand.need(&self.wanted);
        hand.add(face);
        (u8::MAX - need.missing, need.outs, face.score())
    }

    /// Sorts the actions of a seat, the most promising ones first, and returns how many of them are
    /// worth a comparison.
    pub(super) fn sort(
        &mut self,
        state: &Phase10,
        seat: Seat,
        actions: &mut [Phase10Action],
    ) -> usize {
        const COMPARED: usize = 7;
        self.wanted.clear();
        self.wanted.extend(state.wanted(seat));
        let mut hand = Hand::of(state.hand(seat));
        let is_down = state.is_down(seat);
        actions.sort_by_cached_key(|action| {
            let rank = match *action {
                Phase10Action::Lay(lay) => (u8::MAX, u8::MAX - lay.stars() as u8, 0),
                Phase10Action::Hit(..) | Phase10Action::DrawDiscard | Phase10Action::DrawPile => {
                    (u8::MAX, 0, 0)
                }
                Phase10Action::Discard(face) if is_down => (0, 0, face.score()),
                // Of the cards that turn all hands over, one is always compared.
                Phase10Action::Discard(face) => self.rank_of_discard(&mut hand, face, 0),
            };
            std::cmp::Reverse(rank)
        });
        let lays = |action: &&Phase10Action| matches!(action, Phase10Action::Lay(_));
        match actions.iter().filter(lays).count() {
            0 => actions.len().min(COMPARED),
            lays => lays.min(COMPARED),
        }
    }
}
