//! Views of a match, and matches built from views.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::cards::{
    CARDS, Card, CardColor, CardId, CardList, CardSide, Face, PlayedCard, misprint,
};
use super::groups::{GroupKind, MAX_GROUPS, Phase10Group};
use super::hidden::KnownFaces;
use super::state::{DEALT, MAX_HAND, Phase10, Phase10Reason, PlayerState, Stage};
use super::{groups, hidden};
use crate::game::{ParseError, malformed, require};
use crate::seats::{Seat, Viewer};

/// The maximum score of a hand: all stars and two high cards.
const MAX_ROUND_SCORE: u32 = 180;

/// What a viewer sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Phase10View {
    /// The number of the round, from 1; 0 before the first deal. After a round all stays as it is
    /// until the next deal.
    pub round: u32,
    /// The seats that play the deciding round, ascending; null in any other round.
    pub deciding: Option<Vec<Seat>>,
    /// The seat that dealt; null before it is drawn.
    pub dealer: Option<Seat>,
    /// The side in play.
    pub side: CardSide,
    /// How many turns have ended in this round.
    pub turn: u32,
    /// What comes next.
    pub stage: Stage,
    /// The seat whose turn it is; null when chance is to draw and when the match is over.
    pub to_move: Option<Seat>,
    /// Your hand, the side in play, sorted; left out for those who have no seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand: Option<Vec<Face>>,
    /// By seat, what belongs to it.
    pub seats: Vec<SeatShown>,
    /// The draw pile. Its top card shows its back: the side that is not in play.
    pub draw_pile: PileShown,
    /// The discard pile. Its top card shows the side in play.
    pub discard_pile: PileShown,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Phase10Over>,
    /// What nobody sees while the match runs; left out for all who play or watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenedCards>,
}

/// What is seen of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SeatShown {
    /// Its total; lower is better.
    pub score: u32,
    /// How many phases it has completed in all.
    pub completed: u8,
    /// The phase, from 1, that it works on in this round, or has laid.
    pub phase: u8,
    /// Whether its phase of this round is down. Groups that lie while it is not are the first of
    /// a phase that is being laid.
    pub laid: bool,
    /// How many cards it holds.
    pub cards: u8,
    /// The backs of its cards, the side that is not in play, sorted; left out for your own, and
    /// for those who have no seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backs: Option<Vec<Face>>,
    /// Its groups on the table. An action names them by their numbers from 1.
    pub groups: Vec<GroupShown>,
}

/// A group on the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GroupShown {
    /// Whether it is a run or a set.
    pub kind: GroupKind,
    /// The colour of a run; null for a set, and for a run that has none yet.
    pub colour: Option<CardColor>,
    /// The cards: of a run in their order, of a set as they came. A star has its number: `r*=5`.
    pub cards: Vec<PlayedCard>,
}

/// A pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PileShown {
    /// How many cards are in it.
    pub cards: u8,
    /// What is seen of its top card; null when there is none.
    pub top: Option<Face>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Phase10Over {
    /// By seat, how many seats are ranked strictly behind it.
    pub points: Vec<i32>,
    /// By which rule.
    pub reason: Phase10Reason,
}

/// What is open after a match: the cards by number, and where each is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OpenedCards {
    /// By number, the two faces of each card: colour side, wild side. Empty before they are drawn.
    pub cards: Vec<Card>,
    /// By seat, the numbers of the cards in hand, ascending.
    pub hands: Vec<Vec<CardId>>,
    /// By seat and group, the numbers of the cards on the table, in their order.
    pub groups: Vec<Vec<Vec<CardId>>>,
    /// The numbers of the cards in the draw pile, from the top.
    pub draw_pile: Vec<CardId>,
    /// The numbers of the cards in the discard pile, from the top.
    pub discard_pile: Vec<CardId>,
}

/// Returns what a viewer sees of a match.
pub(super) fn shown(game: &Phase10, viewer: Viewer) -> Phase10View {
    let side = game.side;
    let sorted = |seat: Seat, side: CardSide| {
        let hand = game.place(seat).hand.iter();
        let mut faces: Vec<Face> = hand.map(|&card| game.face(card, side)).collect();
        faces.sort_unstable();
        faces
    };
    let seat_shown = |seat: Seat| {
        let place = game.place(seat);
        let others = matches!(viewer, Viewer::Seat(own) if own != seat);
        SeatShown {
            score: place.score,
            completed: place.completed,
            phase: game.phase(seat),
            laid: place.laid,
            cards: place.hand.len() as u8,
            backs: others.then(|| sorted(seat, side.other())),
            groups: place.groups.iter().map(group_shown).collect(),
        }
    };
    let pile = |pile: &[CardId], side| PileShown {
        cards: pile.len() as u8,
        top: pile.last().map(|&card| game.face(card, side)),
    };
    Phase10View {
        round: game.round,
        deciding: game.deciding.then(|| game.playing.collect()),
        dealer: game.dealer,
        side,
        turn: game.turns,
        stage: game.stage,
        to_move: game.mover(),
        hand: match viewer {
            Viewer::Seat(own) => Some(sorted(own, side)),
            Viewer::Public | Viewer::Open => None,
        },
        seats: (0..game.seats).map(seat_shown).collect(),
        draw_pile: pile(&game.draw_pile, side.other()),
        discard_pile: pile(&game.discard_pile, side),
        over: game.over.map(|(reason, points)| Phase10Over {
            points: points.to_vec(),
            reason,
        }),
        open: (viewer == Viewer::Open).then(|| open(game)),
    }
}

fn group_shown(group: &Phase10Group) -> GroupShown {
    GroupShown {
        kind: group.kind,
        colour: group.colour(),
        cards: group.cards.to_vec(),
    }
}

fn open(game: &Phase10) -> OpenedCards {
    let hand = |place: &PlayerState| {
        let mut cards = place.hand.to_vec();
        cards.sort_unstable();
        cards
    };
    let ids = |place: &PlayerState| {
        place
            .groups
            .iter()
            .map(|group| group.ids.to_vec())
            .collect()
    };
    let from_the_top = |pile: &[CardId]| pile.iter().rev().copied().collect();
    OpenedCards {
        cards: game.cards.map_or(Vec::new(), |cards| cards.to_vec()),
        hands: game.all_places().iter().map(hand).collect(),
        groups: game.all_places().iter().map(ids).collect(),
        draw_pile: from_the_top(&game.draw_pile),
        discard_pile: from_the_top(&game.discard_pile),
    }
}

/// Builds a match that shows this view from a match that has just begun. Only what would break the
/// match is checked: whether play can lead there is not.
pub(super) fn read(
    start: Phase10,
    viewer: Viewer,
    view: &Phase10View,
    rng: &mut dyn Rng,
) -> Result<Phase10, ParseError> {
    let seats = start.seats;
    let is_there = !matches!(viewer, Viewer::Seat(own) if own >= seats);
    let all_there = view.seats.len() == usize::from(seats);
    require!(is_there && all_there, "there are {seats} seats");
    let mut game = start;
    game.stage = view.stage;
    game.dealer = view.dealer;
    game.round = view.round;
    let has_dealer = !matches!(view.stage, Stage::Cards | Stage::Dealer);
    let dealt = view.dealer.is_some_and(|dealer| dealer < seats);
    require!(
        dealt == has_dealer,
        "the dealer is one of the seats, once drawn"
    );
    if view.round > 0 && has_dealer {
        read_round(&mut game, view)?;
        place_cards(&mut game, view)?;
        check_cards(&game)?;
    } else {
        let is_before = matches!(view.stage, Stage::Cards | Stage::Dealer | Stage::Deal);
        require!(is_before, "nothing is played before the first deal");
    }
    if view.stage != Stage::Cards {
        game.cards = Some(read_or_sample_cards(&game, viewer, view, rng)?);
    }
    if view.round > 0 && view.stage != Stage::Play {
        game.settle();
    }
    let fits = shown(&game, viewer) == *view;
    require!(fits, "what the view says does not fit together");
    Ok(game)
}

fn read_or_sample_cards(
    game: &Phase10,
    viewer: Viewer,
    view: &Phase10View,
    rng: &mut dyn Rng,
) -> Result<[Card; CARDS], ParseError> {
    if let Some(open) = &view.open {
        return read_cards(game, open);
    }
    let known = known(game, viewer, view)?;
    hidden::sample(game, &known, viewer, rng)
        .ok_or_else(|| malformed!("no cards are such as are seen here"))
}

/// Reads everything but the cards.
fn read_round(game: &mut Phase10, view: &Phase10View) -> Result<(), ParseError> {
    let (rounds, turns) = (game.rules.rounds(), game.rules.max_turns);
    require!(view.round <= rounds, "there are {rounds} rounds at most");
    let ended = turns - u32::from(view.stage == Stage::Play);
    require!(view.turn <= ended, "a round has {turns} turns at most");
    game.turns = view.turn;
    game.side = view.side;
    game.deciding = view.deciding.is_some();
    for (place, shown) in game.places.iter_mut().zip(&view.seats) {
        place.score = shown.score;
        place.completed = shown.completed;
        place.laid = shown.laid;
    }
    if let Some(deciding) = &view.deciding {
        let there = deciding.iter().copied().filter(|&seat| seat < game.seats);
        game.playing = there.collect();
        require!(
            game.leaders() == game.playing && game.playing.len() >= 2,
            "a deciding round is between the seats that completed the last phase with the lowest total"
        );
    }
    let last = game.rules.last_phase;
    let fits = |place: &PlayerState| {
        let in_range = if game.deciding {
            place.completed <= last
        } else {
            let before = place.completed.checked_sub(place.laid.into());
            before.is_some_and(|before| before < last)
        };
        in_range && place.score <= MAX_ROUND_SCORE * view.round
    };
    let all_fit = game.all_places().iter().all(fits);
    require!(all_fit, "no seat can have such a score or so many phases");
    Ok(())
}

/// Gives every card of the view its number in an open view, or any number.
fn place_cards(game: &mut Phase10, view: &Phase10View) -> Result<(), ParseError> {
    let mut any = 0..CARDS as CardId;
    let mut given = view.open.iter().flat_map(numbers);
    let is_open = view.open.is_some();
    let mut used = [false; CARDS];
    let mut next = || {
        let card = if is_open { given.next() } else { any.next() };
        card.filter(|&card| {
            let used = used.get_mut(usize::from(card));
            used.is_some_and(|used| !std::mem::replace(used, true))
        })
        .ok_or_else(|| malformed!("each of the {CARDS} cards is somewhere, once"))
    };
    for seat in 0..game.seats {
        let shown = &view.seats[usize::from(seat)];
        let phase = game.phase(seat);
        require!(
            phase == shown.phase,
            "seat {seat} is not at phase {}",
            shown.phase
        );
        let can_be = usize::from(shown.cards) <= MAX_HAND && shown.groups.len() <= MAX_GROUPS;
        require!(can_be, "seat {seat} has too many cards or groups");
        for (group, shape) in shown.groups.iter().zip(groups::shapes(phase)) {
            let kind = shape.kind;
            let mut lying = Phase10Group {
                kind,
                ..Phase10Group::default()
            };
            let sizes = usize::from(shape.cards)..=groups::MAX_GROUP_CARDS;
            let is_group =
                sizes.contains(&group.cards.len()) && groups::is_group(kind, &group.cards);
            require!(is_group, "seat {seat} has cards that are no group");
            for &card in &group.cards {
                lying.add(next()?, card, None);
            }
            game.places[usize::from(seat)].groups.push(lying);
        }
        for _ in 0..shown.cards {
            game.places[usize::from(seat)].hand.push(next()?);
        }
    }
    let mut pile = |shown: PileShown| {
        let pile = (0..shown.cards).map(|_| next());
        let mut pile = pile.collect::<Result<CardList<CardId, CARDS>, _>>()?;
        // The numbers are in order from the top.
        pile.reverse();
        Ok::<_, ParseError>(pile)
    };
    game.draw_pile = pile(view.draw_pile)?;
    game.discard_pile = pile(view.discard_pile)?;
    require!(next().is_err(), "there are {CARDS} cards");
    Ok(())
}

/// Returns the numbers of an open view in the order in which cards get them.
fn numbers(open: &OpenedCards) -> impl Iterator<Item = CardId> + '_ {
    let places = open.groups.iter().zip(&open.hands);
    let places = places.flat_map(|(groups, hand)| groups.iter().flatten().chain(hand));
    places
        .chain(&open.draw_pile)
        .chain(&open.discard_pile)
        .copied()
}

/// Refuses hands, groups and piles with which the match cannot go on. Each seat is dealt ten cards,
/// and the seat in turn holds or has played one more.
fn check_cards(game: &Phase10) -> Result<(), ParseError> {
    let in_turn = (game.stage == Stage::Play).then(|| game.mover()).flatten();
    let is_between = matches!(game.stage, Stage::Deal | Stage::Over);
    let (mut cards, dealt) = (0, DEALT * game.playing.len());
    for (seat, place) in (0..).zip(game.all_places()) {
        let (hand, groups) = (place.hand.len(), place.groups.len());
        let has_drawn = in_turn == Some(seat);
        let is_whole = groups == game.shapes(seat).len();
        let fits = if game.playing.contains(seat) {
            place.laid == is_whole
                && (groups == 0 || is_whole || has_drawn)
                && hand <= DEALT + usize::from(has_drawn)
                && (hand > 0 || is_between)
        } else {
            !place.laid && hand + groups == 0
        };
        require!(fits, "seat {seat} cannot hold so many cards");
        let played = place.groups.iter().map(|group| group.cards.len());
        cards += hand + played.sum::<usize>();
    }
    // A seat that goes out by hits discards nothing.
    let drawn = in_turn.is_some() || (cards == dealt + 1 && game.gone_out().is_some());
    let can_be = cards == dealt + usize::from(drawn) && (drawn || !game.discard_pile.is_empty());
    require!(can_be, "the piles and hands cannot be so large");
    Ok(())
}

/// Reads the cards of an open view.
fn read_cards(game: &Phase10, open: &OpenedCards) -> Result<[Card; CARDS], ParseError> {
    if let Some(why) = misprint(&open.cards, game.rules.flips_each_side) {
        return Err(ParseError(why));
    }
    let cards: Result<[Card; CARDS], _> = open.cards.as_slice().try_into();
    let cards = cards.map_err(|_| malformed!("there are {CARDS} cards"))?;
    let match_up = game.groups().all(|group| {
        let mut played = group.ids.iter().zip(group.cards.iter());
        played.all(|(&id, card)| cards[usize::from(id)][card.side() as usize] == card.face())
    });
    require!(match_up, "a card on the table is another one by its number");
    let pending = game.pending();
    let goes_on = pending.is_none_or(|seat| hidden::can_go_on(game, seat, &cards));
    require!(goes_on, "the phase that is being laid cannot be completed");
    Ok(cards)
}

/// Returns the faces that a view shows, by the numbers of the cards.
fn known(game: &Phase10, viewer: Viewer, view: &Phase10View) -> Result<KnownFaces, ParseError> {
    let mut known: KnownFaces = [[None; 2]; CARDS];
    let mut see = |card: CardId, face: Face, side: CardSide| {
        known[usize::from(card)][side as usize] = Some(face);
        require!(
            face.side() == side,
            "{face} is not of the side that is seen"
        );
        Ok(())
    };
    for (seat, place) in (0..).zip(game.all_places()) {
        for group in place.groups.iter() {
            for (&id, card) in group.ids.iter().zip(group.cards.iter()) {
                see(id, card.face(), card.side())?;
            }
        }
        let (faces, side) = match viewer {
            Viewer::Seat(own) if own == seat => (&view.hand, view.side),
            Viewer::Seat(_) => (&view.seats[usize::from(seat)].backs, view.side.other()),
            Viewer::Public | Viewer::Open => continue,
        };
        let faces = faces
            .as_ref()
            .filter(|faces| faces.len() == place.hand.len());
        let faces = faces.ok_or_else(|| malformed!("a hand is not shown as it should be"))?;
        for (&card, &face) in place.hand.iter().zip(faces) {
            see(card, face, side)?;
        }
    }
    let tops = [
        (&game.draw_pile, view.draw_pile.top, view.side.other()),
        (&game.discard_pile, view.discard_pile.top, view.side),
    ];
    for (pile, face, side) in tops {
        if let (Some(&card), Some(face)) = (pile.last(), face) {
            see(card, face, side)?;
        }
    }
    Ok(known)
}
