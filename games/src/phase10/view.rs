//! What a viewer sees of a match of Phase 10 Flip, and the way back from it to a state.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::cards::{CARDS, Card, Face, Laid, Side};
use super::groups::{Kind, Progress, is_group, is_grown_group, wanted};
use super::hidden::{Completes, Known, deal};
use super::{DEALT, Group, Options, Over, Phase10, Player, Reason, Stage, TEN_ROUNDS, Variant};
use crate::chance::shuffle;
use crate::course::malformed;
use crate::{Malformed, Seat, Seats, Viewer};

/// More than anybody can score in a round.
const MOST_POINTS: u32 = 300;

/// What a viewer sees. Hands are sorted: by number, stars last, then red, yellow, green, blue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The round, from 1; 0 before the first deal.
    pub(super) round: u32,
    /// What the table waits for.
    pub(super) stage: Stage,
    /// The seat that has dealt this round; null before one is drawn.
    pub(super) dealer: Option<Seat>,
    /// The side in play: what the seats see of their own cards.
    pub(super) side: Side,
    /// The seat whose turn it is; null between rounds.
    pub(super) to_move: Option<Seat>,
    /// How many turns have ended in this round.
    pub(super) turn: u32,
    /// The seats that play the deciding round; null if there is none.
    pub(super) deciding: Option<Vec<Seat>>,
    /// The seats.
    pub(super) seats: Vec<SeatView>,
    /// The draw pile; of its top card the side that is not in play is seen.
    pub(super) draw_pile: PileView,
    /// The discard pile; of its top card the side in play is seen.
    pub(super) discard_pile: PileView,
    /// Where every card is; only after the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<OpenView>,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) over: Option<Over>,
}

/// What a viewer sees of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SeatView {
    /// Its phase in this round.
    pub(super) phase: u8,
    /// Whether that is laid.
    pub(super) down: bool,
    /// Phases completed in all.
    pub(super) completed: u8,
    /// Its total; low is good.
    pub(super) score: u32,
    /// How many cards it holds.
    pub(super) cards: u8,
    /// The faces in play of its hand; null for who must not see them.
    pub(super) hand: Option<Vec<Face>>,
    /// The other faces of its hand; null for who does not see them.
    pub(super) backs: Option<Vec<Face>>,
    /// What it has laid in this round, with all hits.
    pub(super) groups: Vec<GroupView>,
}

/// A group on the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GroupView {
    /// Whether it is a run or a set.
    pub(super) kind: Kind,
    /// A run from its lowest card, a set in the order of arrival.
    pub(super) cards: Vec<Laid>,
}

/// A pile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PileView {
    /// How many cards it has.
    pub(super) cards: u8,
    /// What is seen of the top card; null if there is none.
    pub(super) top: Option<Face>,
}

/// Where every card is, by the cards' numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OpenView {
    /// The colour face and the wild face of each card.
    pub(super) deck: Vec<Card>,
    /// By seat, the cards of its hand.
    pub(super) hands: Vec<Vec<u8>>,
    /// By seat, the cards of its groups.
    pub(super) groups: Vec<Vec<Vec<u8>>>,
    /// From the top.
    pub(super) draw_pile: Vec<u8>,
    /// From the top.
    pub(super) discard_pile: Vec<u8>,
}

impl View {
    pub(super) fn of(game: &Phase10, viewer: Viewer) -> Self {
        let faces = |cards: &[u8], side: Side| {
            let mut faces: Vec<Face> = cards
                .iter()
                .map(|&card| game.cards[usize::from(card)].face(side))
                .collect();
            faces.sort_unstable();
            faces
        };
        let side = game.side;
        let seat_view = |seat: Seat| {
            let player = game.player(seat);
            let own = viewer == Viewer::Open || viewer == Viewer::Seat(seat);
            let across = match viewer {
                Viewer::Open => true,
                Viewer::Seat(other) => other != seat,
                Viewer::Public => false,
            };
            SeatView {
                phase: player.phase,
                down: player.down,
                completed: player.completed,
                score: player.score,
                cards: player.hand.len() as u8,
                hand: own.then(|| faces(&player.hand, side)),
                backs: across.then(|| faces(&player.hand, side.other())),
                groups: player
                    .groups
                    .iter()
                    .map(|group| GroupView {
                        kind: group.kind,
                        cards: group.laid(),
                    })
                    .collect(),
            }
        };
        let pile = |cards: &[u8], side: Side| PileView {
            cards: cards.len() as u8,
            top: cards
                .last()
                .map(|&top| game.cards[usize::from(top)].face(side)),
        };
        View {
            round: game.round,
            stage: game.stage,
            dealer: game.dealer,
            side,
            to_move: is_turn(game.stage).then_some(game.mover),
            turn: game.turns,
            deciding: game.deciding.map(Iterator::collect),
            seats: (0..game.seats).map(seat_view).collect(),
            draw_pile: pile(&game.draw_pile, side.other()),
            discard_pile: pile(&game.discard_pile, side),
            open: (viewer == Viewer::Open).then(|| OpenView::of(game)),
            over: game.over.clone(),
        }
    }

    /// A state that looks so to this viewer; what is not seen is dealt anew.
    ///
    /// # Errors
    /// When no match of these options and seats looks so.
    pub(super) fn state(
        &self,
        options: &Options,
        seats: u8,
        viewer: Viewer,
        rng: &mut dyn Rng,
    ) -> Result<Phase10, Malformed> {
        let mut game = self.shell(options, seats)?;
        Checks {
            view: self,
            game: &game,
        }
        .all()?;
        match &self.open {
            Some(open) => open.place(&mut game, self)?,
            None if self.stage == Stage::Cards => {}
            None => self.deal_hidden(&mut game, viewer, rng)?,
        }
        if View::of(&game, viewer) != *self {
            return Err(malformed("hands, piles and groups do not fit together"));
        }
        if game.stage == Stage::Lay {
            let mut hand = game.faces(game.mover);
            if !game.with_progress(game.mover, |progress| hand.complete(progress)) {
                return Err(malformed("the hand cannot complete the phase"));
            }
        }
        Ok(game)
    }

    /// The state without its cards; of each hand and pile only the length is right.
    fn shell(&self, options: &Options, seats: u8) -> Result<Phase10, Malformed> {
        if self.seats.len() != usize::from(seats) {
            return Err(malformed(format!("there are {seats} seats")));
        }
        let deciding = self.deciding.iter().flatten().copied();
        let named = [self.dealer, self.to_move];
        if deciding
            .clone()
            .chain(named.into_iter().flatten())
            .any(|seat| seat >= seats)
        {
            return Err(malformed(format!("the seats are 0 to {}", seats - 1)));
        }
        if self
            .deciding
            .as_ref()
            .is_some_and(|seats| !seats.is_sorted_by(|one, next| one < next))
        {
            return Err(malformed("deciding has each seat once, ascending"));
        }
        if self.to_move.is_some() != is_turn(self.stage) {
            return Err(malformed("it is somebody's turn during a round"));
        }
        let player = |seat: &SeatView| Player {
            hand: vec![0; seat.cards.into()],
            phase: seat.phase,
            down: seat.down,
            completed: seat.completed,
            score: seat.score,
            groups: seat
                .groups
                .iter()
                .map(|group| Group {
                    kind: group.kind,
                    cards: group.cards.iter().map(|&laid| (0, laid)).collect(),
                })
                .collect(),
        };
        Ok(Phase10 {
            options: options.clone(),
            seats,
            cards: Vec::new(),
            dealer: self.dealer,
            round: self.round,
            deciding: self.deciding.is_some().then(|| deciding.collect()),
            side: self.side,
            draw_pile: vec![0; self.draw_pile.cards.into()],
            discard_pile: vec![0; self.discard_pile.cards.into()],
            players: self.seats.iter().map(player).collect(),
            stage: self.stage,
            mover: self.to_move.unwrap_or(0),
            turns: self.turn,
            over: self.over.clone(),
        })
    }

    /// What is known of each card: hands, groups, the draw pile, the discard pile, in this order.
    fn known(&self) -> Vec<Known> {
        let mut known = Vec::with_capacity(CARDS);
        for seat in &self.seats {
            let seen = seat.hand.as_ref().or(seat.backs.as_ref());
            let cards =
                (0..usize::from(seat.cards)).map(|at| seen.and_then(|seen| seen.get(at).copied()));
            known.extend(cards.map(Known::maybe));
            let laid = seat.groups.iter().flat_map(|group| &group.cards);
            known.extend(laid.map(|laid| Known::showing(laid.face)));
        }
        for pile in [&self.draw_pile, &self.discard_pile] {
            let under = usize::from(pile.cards).saturating_sub(1);
            known.extend(std::iter::repeat_n(Known::default(), under));
            if pile.cards > 0 {
                known.push(Known::maybe(pile.top));
            }
        }
        if self.round == 0 {
            known.resize(CARDS, Known::default());
        }
        known
    }

    fn deal_hidden(
        &self,
        game: &mut Phase10,
        viewer: Viewer,
        rng: &mut dyn Rng,
    ) -> Result<(), Malformed> {
        let known = self.known();
        let flips = game.options.flips_each_side.get();
        let laying = game.stage == Stage::Lay && viewer != Viewer::Seat(game.mover);
        let cards = if laying {
            let held = |seat: &SeatView| {
                let laid: usize = seat.groups.iter().map(|group| group.cards.len()).sum();
                usize::from(seat.cards) + laid
            };
            let start = self.seats[..game.mover.into()].iter().map(held).sum();
            let end = start + usize::from(self.seats[usize::from(game.mover)].cards);
            game.with_progress(game.mover, |progress| {
                let completes = Completes {
                    places: start..end,
                    side: self.side,
                    progress,
                };
                deal(&known, flips, Some(&completes), rng)
            })
        } else {
            deal(&known, flips, None, rng)
        };
        let cards = cards.ok_or_else(|| malformed("the deck has no such cards"))?;
        // The cards' numbers tell nothing.
        let mut numbers: Vec<u8> = (0..CARDS as u8).collect();
        shuffle(rng, &mut numbers);
        game.cards = cards.clone();
        for (card, &number) in cards.iter().zip(&numbers) {
            game.cards[usize::from(number)] = *card;
        }
        if self.round == 0 {
            return Ok(());
        }
        let mut numbers = numbers.into_iter();
        let mut next = |place: &mut u8| *place = numbers.next().expect("104 places");
        for player in &mut game.players {
            player.hand.iter_mut().for_each(&mut next);
            let groups = player.groups.iter_mut().flat_map(|group| &mut group.cards);
            groups.for_each(|(card, _)| next(card));
        }
        game.draw_pile.iter_mut().for_each(&mut next);
        game.discard_pile.iter_mut().for_each(&mut next);
        Ok(())
    }
}

/// Whether it is a seat's turn, or is about to be.
fn is_turn(stage: Stage) -> bool {
    match stage {
        Stage::Draw | Stage::Lay | Stage::Play | Stage::Reshuffle => true,
        Stage::Cards | Stage::Dealer | Stage::Deal | Stage::Over => false,
    }
}

impl OpenView {
    fn of(game: &Phase10) -> Self {
        let from_top = |pile: &[u8]| pile.iter().rev().copied().collect();
        let groups = |player: &Player| {
            let cards = |group: &Group| group.cards.iter().map(|&(card, _)| card).collect();
            player.groups.iter().map(cards).collect()
        };
        OpenView {
            deck: game.cards.clone(),
            hands: game
                .players
                .iter()
                .map(|player| player.hand.clone())
                .collect(),
            groups: game.players.iter().map(groups).collect(),
            draw_pile: from_top(&game.draw_pile),
            discard_pile: from_top(&game.discard_pile),
        }
    }

    /// Puts every card where this says.
    fn place(&self, game: &mut Phase10, view: &View) -> Result<(), Malformed> {
        let wrong = || malformed("the open cards are not those of the deck, each in one place");
        if view.stage == Stage::Cards {
            return match self.deck.is_empty() {
                true => Ok(()),
                false => Err(wrong()),
            };
        }
        game.check_cards(&self.deck)
            .map_err(|why| malformed(why.0))?;
        game.cards.clone_from(&self.deck);
        let mut places: Vec<u8> = Vec::with_capacity(CARDS);
        places.extend(self.hands.iter().flatten());
        places.extend(self.groups.iter().flatten().flatten());
        places.extend(&self.draw_pile);
        places.extend(&self.discard_pile);
        places.sort_unstable();
        let all = view.round == 0 || places.iter().copied().eq(0..CARDS as u8);
        if !all || self.hands.len() != game.players.len() || self.groups.len() != game.players.len()
        {
            return Err(wrong());
        }
        game.draw_pile = self.draw_pile.iter().rev().copied().collect();
        game.discard_pile = self.discard_pile.iter().rev().copied().collect();
        let seats = game.players.iter_mut().zip(&self.hands).zip(&self.groups);
        for ((player, hand), groups) in seats {
            player.hand.clone_from(hand);
            if player.groups.len() != groups.len() {
                return Err(wrong());
            }
            for (group, cards) in player.groups.iter_mut().zip(groups) {
                if group.cards.len() != cards.len() {
                    return Err(wrong());
                }
                for ((place, laid), &card) in group.cards.iter_mut().zip(cards) {
                    *place = card;
                    let face = game
                        .cards
                        .get(usize::from(card))
                        .map(|card| card.face(laid.face.side()));
                    if face != Some(laid.face) {
                        return Err(wrong());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Something that must hold of a view.
type Rule<'a> = fn(&Checks<'a>) -> bool;

/// What must hold of a view, whoever looks.
struct Checks<'a> {
    view: &'a View,
    game: &'a Phase10,
}

impl<'a> Checks<'a> {
    fn all(&self) -> Result<(), Malformed> {
        // In this order: the later ones take what the earlier ones hold for granted.
        let rules: [(Rule<'a>, &str); 9] = [
            (Self::stage_fits, "the stage does not fit the round"),
            (Self::limits_fit, "the match would be over"),
            (Self::phases_fit, "phases and what is completed do not fit"),
            (Self::scores_fit, "nobody can score so much"),
            (Self::deciding_fits, "no deciding round is played so"),
            (Self::groups_fit, "no such groups can be laid"),
            (Self::hands_fit, "no seat holds so many cards"),
            (Self::piles_fit, "the piles cannot be so"),
            (Self::end_fits, "the match has not ended so"),
        ];
        match rules.iter().find(|(holds, _)| !holds(self)) {
            None => Ok(()),
            Some((_, why)) => Err(malformed(*why)),
        }
    }

    fn seats(&self) -> impl Iterator<Item = (Seat, &SeatView)> {
        self.view
            .seats
            .iter()
            .enumerate()
            .map(|(seat, view)| (seat as Seat, view))
    }

    fn last_phase(&self) -> u8 {
        self.game.options.last_phase()
    }

    /// Whether a deciding round is on the table, and not only about to be dealt.
    fn is_deciding(&self) -> bool {
        self.view.deciding.is_some() && self.view.stage != Stage::Deal
    }

    /// Whether a seat was dealt cards in the round that is on the table.
    fn plays(&self, seat: Seat) -> bool {
        !self.is_deciding() || self.game.playing().contains(seat)
    }

    fn stage_fits(&self) -> bool {
        let View {
            stage,
            round,
            dealer,
            ..
        } = *self.view;
        let before = matches!(stage, Stage::Cards | Stage::Dealer);
        let dealt = round > 0;
        if before == dealer.is_some()
            || (before && dealt)
            || (!dealt && !before && stage != Stage::Deal)
        {
            return false;
        }
        let untouched = self.seats().all(|(_, seat)| {
            (
                seat.phase,
                seat.down,
                seat.completed,
                seat.score,
                seat.cards,
            ) == (1, false, 0, 0, 0)
                && seat.groups.is_empty()
        });
        let no_piles = self.view.draw_pile.cards == 0 && self.view.discard_pile.cards == 0;
        let quiet =
            self.view.turn == 0 && self.view.deciding.is_none() && self.view.side == Side::Colour;
        (dealt || (untouched && no_piles && quiet))
            && (self.view.over.is_some() == (stage == Stage::Over))
    }

    fn limits_fit(&self) -> bool {
        let View {
            stage, round, turn, ..
        } = *self.view;
        let options = &self.game.options;
        let (rounds, turns) = (options.max_rounds.get(), options.max_turns_per_round.get());
        let rounds = match options.variant {
            Variant::TenRounds => rounds.min(TEN_ROUNDS),
            Variant::Standard | Variant::Short => rounds,
        };
        let more_rounds = stage != Stage::Deal || round < rounds;
        let more_turns = !is_turn(stage) || turn < turns;
        round <= rounds && turn <= turns && more_rounds && more_turns
    }

    fn deciding_fits(&self) -> bool {
        let last = self.last_phase();
        let done = || self.seats().filter(|(_, seat)| seat.completed == last);
        let Some(deciding) = &self.view.deciding else {
            // Who has completed the last phase wins as soon as the round is over.
            return self.view.stage != Stage::Deal
                || self.game.options.variant == Variant::TenRounds
                || done().next().is_none();
        };
        let lowest = done().map(|(_, seat)| seat.score).min();
        let tied = done()
            .filter(|(_, seat)| Some(seat.score) == lowest)
            .map(|(seat, _)| seat);
        self.game.options.variant != Variant::TenRounds
            && deciding.len() > 1
            && self.view.round > 0
            && deciding.iter().copied().eq(tied)
            && (!self.is_deciding() || self.view.round > 1)
    }

    fn phases_fit(&self) -> bool {
        let last = self.last_phase();
        self.seats().all(|(seat, view)| {
            let SeatView {
                phase,
                down,
                completed,
                ..
            } = *view;
            if phase == 0 || phase > last || completed > last {
                return false;
            }
            if self.view.round == 0 {
                return true;
            }
            match self.game.options.variant {
                Variant::TenRounds => {
                    u32::from(phase) == self.view.round
                        && completed <= phase
                        && completed >= u8::from(down)
                        && (down || completed < phase)
                }
                _ if self.is_deciding() && self.game.playing().contains(seat) => {
                    phase == last && completed == last
                }
                _ if self.is_deciding() => !down && [phase, phase - 1].contains(&completed),
                _ => completed + 1 == phase + u8::from(down),
            }
        })
    }

    fn groups_fit(&self) -> bool {
        self.seats().all(|(seat, view)| {
            let wanted = wanted(view.phase);
            let groups = &view.groups;
            let laying = self.view.stage == Stage::Lay && self.view.to_move == Some(seat);
            if laying {
                let mut progress = Some(Progress::start(view.phase));
                for (group, wanted) in groups.iter().zip(wanted) {
                    let right = group.kind == wanted.kind
                        && group.cards.len() == wanted.cards
                        && is_group(group.kind, &group.cards)
                        && group
                            .cards
                            .iter()
                            .all(|laid| laid.face.side() == self.view.side);
                    progress = progress
                        .and_then(|progress| progress.with(&group.cards))
                        .filter(|_| right);
                }
                return progress.is_some()
                    && !view.down
                    && (1..wanted.len()).contains(&groups.len());
            }
            if !view.down {
                return groups.is_empty();
            }
            let grown = groups.iter().zip(wanted).all(|(group, wanted)| {
                group.kind == wanted.kind
                    && group.cards.len() >= wanted.cards
                    && is_grown_group(group.kind, &group.cards)
            });
            let mut cards = groups.iter().flat_map(|group| &group.cards);
            grown && groups.len() == wanted.len() && cards.any(|laid| !laid.face.is_star())
        })
    }

    fn hands_fit(&self) -> bool {
        let stage = self.view.stage;
        if self.view.round == 0 {
            return true;
        }
        let out = self
            .seats()
            .filter(|(seat, view)| view.cards == 0 && self.plays(*seat));
        let out: Vec<Seat> = out.map(|(seat, _)| seat).collect();
        let limit = self
            .view
            .over
            .as_ref()
            .is_some_and(|over| over.reason == Reason::Limit);
        let right_out = match stage {
            Stage::Deal | Stage::Over => out.len() == 1 || (limit && out.is_empty()),
            _ => out.is_empty(),
        };
        let right_held = self.seats().all(|(seat, view)| {
            let mover = self.view.to_move == Some(seat);
            let laid: usize = view.groups.iter().map(|group| group.cards.len()).sum();
            let cards = usize::from(view.cards);
            if !self.plays(seat) {
                return cards == 0 && view.groups.is_empty();
            }
            match stage {
                _ if view.down => cards <= DEALT,
                Stage::Lay if mover => cards + laid == DEALT + 1,
                Stage::Play if mover => cards == DEALT + 1,
                _ => cards == DEALT,
            }
        });
        right_out && right_held
    }

    fn piles_fit(&self) -> bool {
        let View {
            stage,
            draw_pile: PileView { cards: drawn, .. },
            discard_pile: PileView {
                cards: discarded, ..
            },
            ..
        } = *self.view;
        let to_reshuffle = drawn == 0 && discarded > 1;
        match stage {
            Stage::Draw => discarded > 0 && !to_reshuffle,
            Stage::Reshuffle => to_reshuffle,
            _ => true,
        }
    }

    fn scores_fit(&self) -> bool {
        self.seats()
            .all(|(_, seat)| seat.score <= self.view.round.saturating_mul(MOST_POINTS))
    }

    fn end_fits(&self) -> bool {
        let Some(over) = &self.view.over else {
            return true;
        };
        let last = self.last_phase();
        let options = &self.game.options;
        let ten = options.variant == Variant::TenRounds;
        let done: Seats = self
            .seats()
            .filter(|(_, seat)| seat.completed == last)
            .map(|(seat, _)| seat)
            .collect();
        let out = self
            .seats()
            .find(|(seat, view)| view.cards == 0 && self.plays(*seat));
        let winner = match over.reason {
            Reason::TenRounds | Reason::Limit => None,
            Reason::DecidingRound => out.map(|(seat, _)| seat),
            Reason::LastPhase => done.min_by_key(|&seat| self.view.seats[usize::from(seat)].score),
        };
        let right = match over.reason {
            Reason::LastPhase => {
                let score = |seat: Seat| self.view.seats[usize::from(seat)].score;
                let lowest = done.map(score).min();
                let level = done.filter(|&seat| Some(score(seat)) == lowest).count();
                !ten && self.view.deciding.is_none() && level == 1
            }
            Reason::DecidingRound => self.view.deciding.is_some(),
            Reason::TenRounds => ten && self.view.round == TEN_ROUNDS,
            Reason::Limit => match out {
                None => self.view.turn == options.max_turns_per_round.get(),
                Some(_) => self.view.round == options.max_rounds.get() && !self.is_deciding(),
            },
        };
        right && over.points == self.game.ranking(winner)
    }
}
