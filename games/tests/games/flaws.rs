//! The laws find what breaks them: test games with one flaw each, and the laws that see it.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use flipside_games::testing::laws::{Law, LawEffort, breaches, keep};
use flipside_games::testing::{Goofspiel, Kuhn, Race, Teams};
use flipside_games::{
    ActionPath, BoundedInt, Event, Game, Illegal, Info, OptionsError, ParseError, Phase10, Points,
    Puissance4Basic, Puissance4Championship, Seat, SeatTurn, Seats, Viewer,
};
use rand_core::Rng;

const EFFORT: LawEffort = LawEffort {
    matches: 10,
    looks: 12,
    events: 60_000,
};

/// What is wrong with a game; the rest is right.
trait Flaw<G: Game>: 'static {
    const INFO: Info = G::INFO;
    const NOTATION: &'static str = G::NOTATION;

    fn start(options: &G::Options, seats: u8) -> Result<G, OptionsError> {
        G::new(options, seats)
    }
    fn presets() -> Vec<(&'static str, G::Options)> {
        G::presets()
    }
    fn copy_over(over: &mut G, game: &G) {
        over.clone_from(game);
    }
    fn side(game: &G, seat: Seat) -> u8 {
        game.side(seat)
    }
    fn turn(game: &G) -> SeatTurn {
        game.turn()
    }
    fn actions(game: &G, seat: Seat, actions: &mut Vec<G::Action>) {
        game.actions(seat, actions);
    }
    fn count_actions(game: &G, seat: Seat) -> usize {
        game.count_actions(seat)
    }
    fn read_action(game: &G, text: &str) -> Result<G::Action, ParseError> {
        game.read_action(text)
    }
    fn write_action(game: &G, action: G::Action, out: &mut String) {
        game.write_action(action, out);
    }
    fn check(game: &G, seat: Seat, action: G::Action) -> Result<(), Illegal> {
        game.check(seat, action)
    }
    fn apply(game: &mut G, event: Event<'_, G>) {
        game.apply(event);
    }
    fn sample(game: &G, rng: &mut dyn Rng) -> G::Chance {
        game.sample(rng)
    }
    fn check_chance(game: &G, event: &G::Chance) -> Result<(), Illegal> {
        game.check_chance(event)
    }
    fn read_chance(game: &G, json: &str) -> Result<G::Chance, ParseError> {
        game.read_chance(json)
    }
    fn path(game: &G, seat: Seat, action: G::Action) -> ActionPath {
        game.path(seat, action)
    }
    fn view(game: &G, viewer: Viewer) -> G::View {
        game.view(viewer)
    }
    fn sees_action(game: &G, viewer: Viewer, seat: Seat, action: G::Action) -> bool {
        game.sees_action(viewer, seat, action)
    }
    fn sees_chance(game: &G, viewer: Viewer, event: &G::Chance) -> bool {
        game.sees_chance(viewer, event)
    }
    fn from_view(
        options: &G::Options,
        seats: u8,
        viewer: Viewer,
        view: &G::View,
        rng: &mut dyn Rng,
    ) -> Result<G, ParseError> {
        G::from_view(options, seats, viewer, view, rng)
    }
    fn redeal(game: &G, viewer: Viewer, rng: &mut dyn Rng) -> G {
        game.redeal(viewer, rng)
    }
    fn text(view: &G::View) -> String {
        G::text(view)
    }
    fn svg(view: &G::View) -> String {
        G::svg(view)
    }
}

/// A game with a flaw.
struct Bent<G, F> {
    game: G,
    flaw: PhantomData<fn() -> F>,
}

impl<G, F> Bent<G, F> {
    fn of(game: G) -> Self {
        Bent {
            game,
            flaw: PhantomData,
        }
    }
}

impl<G: Game, F: Flaw<G>> Clone for Bent<G, F> {
    fn clone(&self) -> Self {
        Bent::of(self.game.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        F::copy_over(&mut self.game, &source.game);
    }
}

impl<G: Game, F: Flaw<G>> Game for Bent<G, F> {
    type Options = G::Options;
    type Action = G::Action;
    type Chance = G::Chance;
    type View = G::View;

    const INFO: Info = F::INFO;
    const NOTATION: &'static str = F::NOTATION;

    fn new(options: &G::Options, seats: u8) -> Result<Self, OptionsError> {
        F::start(options, seats).map(Bent::of)
    }
    fn presets() -> Vec<(&'static str, G::Options)> {
        F::presets()
    }
    fn seats(&self) -> u8 {
        self.game.seats()
    }
    fn side(&self, seat: Seat) -> u8 {
        F::side(&self.game, seat)
    }
    fn turn(&self) -> SeatTurn {
        F::turn(&self.game)
    }
    fn actions(&self, seat: Seat, actions: &mut Vec<G::Action>) {
        F::actions(&self.game, seat, actions);
    }
    fn count_actions(&self, seat: Seat) -> usize {
        F::count_actions(&self.game, seat)
    }
    fn read_action(&self, text: &str) -> Result<G::Action, ParseError> {
        F::read_action(&self.game, text)
    }
    fn write_action(&self, action: G::Action, out: &mut String) {
        F::write_action(&self.game, action, out);
    }
    fn check(&self, seat: Seat, action: G::Action) -> Result<(), Illegal> {
        F::check(&self.game, seat, action)
    }
    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Acts(acts) => F::apply(&mut self.game, Event::Acts(acts)),
            Event::Chance(draw) => F::apply(&mut self.game, Event::Chance(draw)),
        }
    }
    fn sample(&self, rng: &mut dyn Rng) -> G::Chance {
        F::sample(&self.game, rng)
    }
    fn check_chance(&self, event: &G::Chance) -> Result<(), Illegal> {
        F::check_chance(&self.game, event)
    }
    fn read_chance(&self, json: &str) -> Result<G::Chance, ParseError> {
        F::read_chance(&self.game, json)
    }
    fn write_chance(&self, event: &G::Chance, out: &mut Vec<u8>) {
        self.game.write_chance(event, out);
    }
    fn view(&self, viewer: Viewer) -> G::View {
        F::view(&self.game, viewer)
    }
    fn path(&self, seat: Seat, action: G::Action) -> ActionPath {
        F::path(&self.game, seat, action)
    }
    fn sees_action(&self, viewer: Viewer, seat: Seat, action: G::Action) -> bool {
        F::sees_action(&self.game, viewer, seat, action)
    }
    fn sees_chance(&self, viewer: Viewer, event: &G::Chance) -> bool {
        F::sees_chance(&self.game, viewer, event)
    }
    fn from_view(
        options: &G::Options,
        seats: u8,
        viewer: Viewer,
        view: &G::View,
        rng: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        F::from_view(options, seats, viewer, view, rng).map(Bent::of)
    }
    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Self {
        Bent::of(F::redeal(&self.game, viewer, rng))
    }
    fn text(view: &G::View) -> String {
        F::text(view)
    }
    fn svg(view: &G::View) -> String {
        F::svg(view)
    }
}

/// Asserts that a law finds a flaw. Others may find it too.
fn finds<G: Game, F: Flaw<G>>(law: Law) {
    let breaches = breaches::<Bent<G, F>>(EFFORT);
    let breach = breaches.iter().find(|breach| breach.law == law);
    let message = breach
        .unwrap_or_else(|| panic!("only these are found: {breaches:?}"))
        .to_string();
    let start = format!("{} breaks the law {}: ", G::INFO.id, law.name());
    assert!(message.starts_with(&start), "{message}");
}

struct Flawless;
impl<G: Game> Flaw<G> for Flawless {}

#[test]
fn a_game_without_a_flaw_keeps_the_laws() {
    keep::<Bent<Race, Flawless>>(EFFORT);
    keep::<Bent<Kuhn, Flawless>>(EFFORT);
    keep::<Bent<Goofspiel, Flawless>>(EFFORT);
    keep::<Bent<Teams, Flawless>>(EFFORT);
}

#[test]
#[should_panic(expected = "test-teams breaks the law lists: 13 actions are counted: ")]
fn a_breach_is_told_with_game_and_law() {
    keep::<Bent<Teams, CountsOneTooMany>>(EFFORT);
}

#[test]
fn a_breach_names_the_match_in_which_it_was_seen() {
    let breach = breaches::<Bent<Kuhn, ShowsAllCards>>(EFFORT)
        .remove(0)
        .to_string();
    let parts = [
        "test-kuhn",
        "2 seats",
        "default {\"rounds\":4}",
        "seed 0",
        "events: chance {\"deal\"",
    ];
    for part in parts {
        assert!(breach.contains(part), "{breach}");
    }
}

// A random match ends.

struct AsksNobodyAtTheEnd;
impl Flaw<Teams> for AsksNobodyAtTheEnd {
    fn turn(game: &Teams) -> SeatTurn {
        match game.turn() {
            SeatTurn::Over(_) => SeatTurn::Seats(Seats::NONE),
            turn => turn,
        }
    }
}

struct PlaysOnAfterTheLimit;
impl Flaw<Race> for PlaysOnAfterTheLimit {
    fn start(options: &<Race as Game>::Options, seats: u8) -> Result<Race, OptionsError> {
        let mut options = options.clone();
        options.max_plies = BoundedInt::new(options.max_plies.get() + 1);
        Race::new(&options, seats)
    }
}

#[test]
fn a_match_that_does_not_end_is_found() {
    finds::<Teams, AsksNobodyAtTheEnd>(Law::Ends);
    finds::<Race, PlaysOnAfterTheLimit>(Law::Ends);
}

// Its record replays.

struct ReadsEveryDrawAsOne;
impl Flaw<Race> for ReadsEveryDrawAsOne {
    fn read_chance(game: &Race, json: &str) -> Result<<Race as Game>::Chance, ParseError> {
        game.read_chance(json)?;
        game.read_chance(r#"{"roll":1}"#)
    }
}

struct DependsOnTheWorld;
static WORLD: AtomicU32 = AtomicU32::new(0);
impl Flaw<Race> for DependsOnTheWorld {
    fn apply(game: &mut Race, event: Event<'_, Race>) {
        let surprise = WORLD.fetch_add(1, Ordering::Relaxed) % 7 == 0;
        match event {
            Event::Chance(_) if surprise => {
                let six = game.read_chance(r#"{"roll":6}"#).expect("a die shows six");
                game.apply(Event::Chance(&six));
            }
            event => game.apply(event),
        }
    }
}

#[test]
fn a_record_that_does_not_replay_is_found() {
    finds::<Race, ReadsEveryDrawAsOne>(Law::Replays);
    finds::<Race, DependsOnTheWorld>(Law::Replays);
}

// What is bad is refused.

struct TakesTheFirstLetter;
impl Flaw<Race> for TakesTheFirstLetter {
    fn read_action(game: &Race, text: &str) -> Result<<Race as Game>::Action, ParseError> {
        game.read_action(&text[..1])
    }
}

struct LooksForTheRollByPlace;
impl Flaw<Race> for LooksForTheRollByPlace {
    fn read_chance(game: &Race, json: &str) -> Result<<Race as Game>::Chance, ParseError> {
        let roll = char::from(json.as_bytes()[8]);
        game.read_chance(&format!(r#"{{"roll":{roll}}}"#))
    }
}

#[test]
fn a_reader_that_panics_is_found() {
    finds::<Race, TakesTheFirstLetter>(Law::Refuses);
    finds::<Race, LooksForTheRollByPlace>(Law::Refuses);
}

// Listed actions are those that are accepted.

struct ListsBackwards;
impl Flaw<Goofspiel> for ListsBackwards {
    fn actions(game: &Goofspiel, seat: Seat, actions: &mut Vec<<Goofspiel as Game>::Action>) {
        game.actions(seat, actions);
        actions.reverse();
    }
}

struct KeepsTheListBefore;
impl Flaw<Teams> for KeepsTheListBefore {
    fn actions(game: &Teams, seat: Seat, actions: &mut Vec<<Teams as Game>::Action>) {
        let mut more = Vec::new();
        game.actions(seat, &mut more);
        actions.append(&mut more);
    }
}

struct CountsOneTooMany;
impl Flaw<Teams> for CountsOneTooMany {
    fn count_actions(game: &Teams, seat: Seat) -> usize {
        match game.count_actions(seat) {
            0 => 0,
            count => count + 1,
        }
    }
}

struct ForgetsOneAction;
impl Flaw<Teams> for ForgetsOneAction {
    fn actions(game: &Teams, seat: Seat, actions: &mut Vec<<Teams as Game>::Action>) {
        game.actions(seat, actions);
        if actions.len() > 3 {
            actions.remove(2);
        }
    }
}

struct LetsEverybodyBidEverything;
impl Flaw<Goofspiel> for LetsEverybodyBidEverything {
    fn check(_: &Goofspiel, _: Seat, _: <Goofspiel as Game>::Action) -> Result<(), Illegal> {
        Ok(())
    }
}

struct ForbidsTheLastAction;
impl Flaw<Kuhn> for ForbidsTheLastAction {
    fn check(game: &Kuhn, seat: Seat, action: <Kuhn as Game>::Action) -> Result<(), Illegal> {
        let mut actions = Vec::new();
        game.actions(seat, &mut actions);
        match actions.last() {
            Some(&last) if last == action => Err(Illegal("not this one".into())),
            _ => game.check(seat, action),
        }
    }
}

#[test]
fn a_list_that_is_not_what_is_accepted_is_found() {
    finds::<Goofspiel, ListsBackwards>(Law::Lists);
    finds::<Teams, KeepsTheListBefore>(Law::Lists);
    finds::<Teams, CountsOneTooMany>(Law::Lists);
    finds::<Teams, ForgetsOneAction>(Law::Lists);
    finds::<Goofspiel, LetsEverybodyBidEverything>(Law::Lists);
    finds::<Goofspiel, LetsEverybodyBidEverything>(Law::Refuses);
    finds::<Kuhn, ForbidsTheLastAction>(Law::Lists);
}

// Notation has no aliases.

struct Trims;
impl Flaw<Kuhn> for Trims {
    fn read_action(game: &Kuhn, text: &str) -> Result<<Kuhn as Game>::Action, ParseError> {
        game.read_action(text.trim())
    }
}

struct FoldsCase;
impl Flaw<Teams> for FoldsCase {
    fn read_action(game: &Teams, text: &str) -> Result<<Teams as Game>::Action, ParseError> {
        game.read_action(&text.to_lowercase())
    }
}

struct NamesTooNarrowANotation;
impl Flaw<Teams> for NamesTooNarrowANotation {
    const NOTATION: &'static str = "[a-f][1-4]";
}

struct NamesRunnersTheOtherWayRound;
impl NamesRunnersTheOtherWayRound {
    fn swap(text: &str) -> String {
        text.chars()
            .map(|name| if name == 'a' { 'b' } else { 'a' })
            .collect()
    }
}
impl Flaw<Race> for NamesRunnersTheOtherWayRound {
    fn read_action(game: &Race, text: &str) -> Result<<Race as Game>::Action, ParseError> {
        game.read_action(text)
            .and_then(|_| game.read_action(&Self::swap(text)))
    }
    fn write_action(game: &Race, action: <Race as Game>::Action, out: &mut String) {
        let mut name = String::new();
        game.write_action(action, &mut name);
        out.push_str(&Self::swap(&name));
    }
}

#[test]
fn an_alias_is_found() {
    finds::<Kuhn, Trims>(Law::Notation);
    finds::<Teams, FoldsCase>(Law::Notation);
    finds::<Teams, NamesTooNarrowANotation>(Law::Notation);
    finds::<Teams, NamesTooNarrowANotation>(Law::Schemas);
    finds::<Race, NamesRunnersTheOtherWayRound>(Law::Notation);
}

// What a viewer must not know changes nothing that it sees.

struct ShowsAllCards;
impl Flaw<Kuhn> for ShowsAllCards {
    fn view(game: &Kuhn, _: Viewer) -> <Kuhn as Game>::View {
        game.view(Viewer::Open)
    }
}

struct ShowsThePublicSeatZero;
impl Flaw<Kuhn> for ShowsThePublicSeatZero {
    fn view(game: &Kuhn, viewer: Viewer) -> <Kuhn as Game>::View {
        match viewer {
            Viewer::Public => game.view(Viewer::Seat(0)),
            viewer => game.view(viewer),
        }
    }
}

struct ScoldsWithTheOthersCard;
impl Flaw<Kuhn> for ScoldsWithTheOthersCard {
    fn check(game: &Kuhn, seat: Seat, action: <Kuhn as Game>::Action) -> Result<(), Illegal> {
        let all = serde_json::to_string(&game.view(Viewer::Open)).expect("a view is JSON");
        game.check(seat, action)
            .map_err(|Illegal(why)| Illegal(format!("{why}: {all}")))
    }
}

struct LetsFoldOnlyAgainstAKing;
impl Flaw<Kuhn> for LetsFoldOnlyAgainstAKing {
    fn actions(game: &Kuhn, seat: Seat, actions: &mut Vec<<Kuhn as Game>::Action>) {
        game.actions(seat, actions);
        actions.retain(|&action| Self::check(game, seat, action).is_ok());
    }
    fn count_actions(game: &Kuhn, seat: Seat) -> usize {
        let mut actions = Vec::new();
        Self::actions(game, seat, &mut actions);
        actions.len()
    }
    fn check(game: &Kuhn, seat: Seat, action: <Kuhn as Game>::Action) -> Result<(), Illegal> {
        game.check(seat, action)?;
        let view = serde_json::to_value(game.view(Viewer::Open)).expect("a view is JSON");
        let mut text = String::new();
        game.write_action(action, &mut text);
        if text == "fold" && view["cards"][1 - usize::from(seat)] != "K" {
            return Err(Illegal("why would you fold?".into()));
        }
        Ok(())
    }
}

struct DealsNothingAgain;
impl Flaw<Kuhn> for DealsNothingAgain {
    fn redeal(game: &Kuhn, _: Viewer, _: &mut dyn Rng) -> Kuhn {
        game.clone()
    }
}

struct SaysItHasNoSecrets;
impl Flaw<Kuhn> for SaysItHasNoSecrets {
    const INFO: Info = Info {
        secrets: false,
        ..Kuhn::INFO
    };
}

/// The games with secrets leak what one seat alone sees: a hand, the aims of tokens in the air.
struct ShowsAllWhatSeatZeroSees;
impl<G: Game> Flaw<G> for ShowsAllWhatSeatZeroSees {
    fn view(game: &G, _: Viewer) -> G::View {
        game.view(Viewer::Seat(0))
    }
}

/// Every event is told to everybody.
struct TellsEveryEvent;
impl<G: Game> Flaw<G> for TellsEveryEvent {
    fn sees_action(_: &G, _: Viewer, _: Seat, _: G::Action) -> bool {
        true
    }
    fn sees_chance(_: &G, _: Viewer, _: &G::Chance) -> bool {
        true
    }
}

/// Nobody is told of any event, not even of its own actions.
struct TellsNothing;
impl<G: Game> Flaw<G> for TellsNothing {
    fn sees_action(_: &G, _: Viewer, _: Seat, _: G::Action) -> bool {
        false
    }
}

/// A seat learns of an action only if it holds a king.
struct TellsAKingMore;
impl Flaw<Kuhn> for TellsAKingMore {
    fn sees_action(game: &Kuhn, _: Viewer, seat: Seat, _: <Kuhn as Game>::Action) -> bool {
        let all = serde_json::to_string(&game.view(Viewer::Seat(seat))).expect("a view is JSON");
        all.contains('K')
    }
}

#[test]
fn an_event_that_tells_a_secret_is_found() {
    finds::<Kuhn, TellsEveryEvent>(Law::NonInterference);
    finds::<Kuhn, TellsAKingMore>(Law::NonInterference);
    finds::<Kuhn, TellsNothing>(Law::NonInterference);
    finds::<Phase10, TellsEveryEvent>(Law::NonInterference);
    finds::<Puissance4Basic, TellsEveryEvent>(Law::NonInterference);
}

#[test]
fn a_leak_of_a_rulebooks_game_is_found() {
    finds::<Phase10, ShowsAllWhatSeatZeroSees>(Law::NonInterference);
    finds::<Puissance4Basic, ShowsAllWhatSeatZeroSees>(Law::NonInterference);
    finds::<Puissance4Championship, ShowsAllWhatSeatZeroSees>(Law::NonInterference);
}

#[test]
fn a_leak_is_found() {
    finds::<Kuhn, ShowsAllCards>(Law::NonInterference);
    finds::<Kuhn, ShowsThePublicSeatZero>(Law::NonInterference);
    finds::<Kuhn, ScoldsWithTheOthersCard>(Law::NonInterference);
    finds::<Kuhn, LetsFoldOnlyAgainstAKing>(Law::NonInterference);
    finds::<Kuhn, DealsNothingAgain>(Law::NonInterference);
    finds::<Kuhn, SaysItHasNoSecrets>(Law::NonInterference);
}

// A state is built from a view.

struct BuildsTheStart;
impl Flaw<Teams> for BuildsTheStart {
    fn from_view(
        options: &<Teams as Game>::Options,
        seats: u8,
        _: Viewer,
        _: &<Teams as Game>::View,
        _: &mut dyn Rng,
    ) -> Result<Teams, ParseError> {
        Ok(Teams::new(options, seats).expect("the options fit"))
    }
}

struct TakesBadViewsForTheStart;
impl Flaw<Teams> for TakesBadViewsForTheStart {
    fn from_view(
        options: &<Teams as Game>::Options,
        seats: u8,
        viewer: Viewer,
        view: &<Teams as Game>::View,
        rng: &mut dyn Rng,
    ) -> Result<Teams, ParseError> {
        Teams::from_view(options, seats, viewer, view, rng)
            .or_else(|_| BuildsTheStart::from_view(options, seats, viewer, view, rng))
    }
}

#[test]
fn a_state_that_is_not_as_its_view_is_found() {
    finds::<Teams, BuildsTheStart>(Law::FromView);
    finds::<Teams, TakesBadViewsForTheStart>(Law::FromView);
}

// What comes of an event depends on state and event alone.

struct CopiesNothingOver;
impl Flaw<Race> for CopiesNothingOver {
    fn copy_over(_: &mut Race, _: &Race) {}
}

#[test]
fn a_copy_that_goes_another_way_is_found() {
    finds::<Race, CopiesNothingOver>(Law::Steps);
    finds::<Race, DependsOnTheWorld>(Law::Steps);
}

// Draws can happen and come from the seed.

struct AlwaysRollsOne;
impl Flaw<Race> for AlwaysRollsOne {
    fn sample(game: &Race, _: &mut dyn Rng) -> <Race as Game>::Chance {
        game.read_chance(r#"{"roll":1}"#).expect("a die shows one")
    }
}

struct RollsSevens;
impl Flaw<Race> for RollsSevens {
    fn sample(game: &Race, rng: &mut dyn Rng) -> <Race as Game>::Chance {
        let roll = 1 + rng.next_u32() % 7;
        game.read_chance(&format!(r#"{{"roll":{roll}}}"#))
            .expect("a number")
    }
}

struct LetsTheDieShowAnything;
impl Flaw<Race> for LetsTheDieShowAnything {
    fn check_chance(_: &Race, _: &<Race as Game>::Chance) -> Result<(), Illegal> {
        Ok(())
    }
}

#[test]
fn a_loaded_die_is_found() {
    finds::<Race, AlwaysRollsOne>(Law::Draws);
    finds::<Race, RollsSevens>(Law::Draws);
    finds::<Race, LetsTheDieShowAnything>(Law::Draws);
}

// Outcomes, sides and flags fit what is seen.

struct ShoutsTheReason;
impl Flaw<Kuhn> for ShoutsTheReason {
    fn turn(game: &Kuhn) -> SeatTurn {
        match game.turn() {
            SeatTurn::Over(mut outcome) => {
                outcome.reason = "All rounds played!";
                SeatTurn::Over(outcome)
            }
            turn => turn,
        }
    }
}

struct PaysOnlyTwoSeats;
impl Flaw<Goofspiel> for PaysOnlyTwoSeats {
    fn turn(game: &Goofspiel) -> SeatTurn {
        match game.turn() {
            SeatTurn::Over(mut outcome) => {
                outcome.points = Points::zero(2);
                SeatTurn::Over(outcome)
            }
            turn => turn,
        }
    }
}

struct PaysOneOfATeam;
impl Flaw<Teams> for PaysOneOfATeam {
    fn turn(game: &Teams) -> SeatTurn {
        match game.turn() {
            SeatTurn::Over(mut outcome) => {
                outcome.points.set(0, 7);
                SeatTurn::Over(outcome)
            }
            turn => turn,
        }
    }
}

struct HasSidesThatAreNotThere;
impl Flaw<Teams> for HasSidesThatAreNotThere {
    fn side(_: &Teams, seat: Seat) -> u8 {
        seat + 1
    }
}

struct SaysItHasNoChance;
impl Flaw<Race> for SaysItHasNoChance {
    const INFO: Info = Info {
        chance: false,
        ..Race::INFO
    };
}

struct SaysItIsInTurns;
impl Flaw<Goofspiel> for SaysItIsInTurns {
    const INFO: Info = Info {
        simultaneous: false,
        ..Goofspiel::INFO
    };
}

struct SaysItIsSimultaneous;
impl Flaw<Teams> for SaysItIsSimultaneous {
    const INFO: Info = Info {
        simultaneous: true,
        ..Teams::INFO
    };
}

#[test]
fn an_outcome_or_a_flag_that_does_not_fit_is_found() {
    finds::<Kuhn, ShoutsTheReason>(Law::Facts);
    finds::<Goofspiel, PaysOnlyTwoSeats>(Law::Facts);
    finds::<Teams, PaysOneOfATeam>(Law::Facts);
    finds::<Teams, HasSidesThatAreNotThere>(Law::Facts);
    finds::<Race, SaysItHasNoChance>(Law::Facts);
    finds::<Goofspiel, SaysItIsInTurns>(Law::Facts);
    finds::<Teams, SaysItIsSimultaneous>(Law::Facts);
}

// Options have a canonical form and names.

struct NamesAPresetTwice;
impl Flaw<Kuhn> for NamesAPresetTwice {
    fn presets() -> Vec<(&'static str, <Kuhn as Game>::Options)> {
        [Kuhn::presets(), Kuhn::presets()].concat()
    }
}

struct CannotBePlayed;
impl Flaw<Kuhn> for CannotBePlayed {
    fn start(_: &<Kuhn as Game>::Options, _: u8) -> Result<Kuhn, OptionsError> {
        Err(OptionsError("not today".into()))
    }
}

#[test]
fn options_that_do_not_fit_are_found() {
    finds::<Kuhn, NamesAPresetTwice>(Law::Options);
    finds::<Kuhn, CannotBePlayed>(Law::Options);
}

// Drawings are drawings.

struct EndsWithoutANewline;
impl Flaw<Kuhn> for EndsWithoutANewline {
    fn text(view: &<Kuhn as Game>::View) -> String {
        Kuhn::text(view).trim_end().into()
    }
}

struct EscapesNothing;
impl Flaw<Kuhn> for EscapesNothing {
    fn svg(view: &<Kuhn as Game>::View) -> String {
        Kuhn::svg(view).replace("seat", "seat < & >")
    }
}

struct PointsBesideTheDrawing;
impl Flaw<Kuhn> for PointsBesideTheDrawing {
    fn path(_: &Kuhn, _: Seat, action: <Kuhn as Game>::Action) -> ActionPath {
        ActionPath::on([format!("{action:?}")])
    }
}

struct PointsAtOneForAll;
impl Flaw<Kuhn> for PointsAtOneForAll {
    fn path(_: &Kuhn, _: Seat, _: <Kuhn as Game>::Action) -> ActionPath {
        ActionPath::beside("go on")
    }
}

#[test]
fn a_path_that_leads_nowhere_is_found() {
    finds::<Kuhn, PointsBesideTheDrawing>(Law::Paths);
    finds::<Kuhn, PointsAtOneForAll>(Law::Paths);
}

#[test]
fn a_bad_drawing_is_found() {
    finds::<Kuhn, EndsWithoutANewline>(Law::Pictures);
    finds::<Kuhn, EscapesNothing>(Law::Pictures);
}
