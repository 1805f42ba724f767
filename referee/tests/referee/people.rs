//! People at the table: they are asked like bots but without a clock, learn what their seat may
//! know and no more, and may leave.

use std::time::Duration;

use crate::common::{Hall, find, read, shell_bot, verified};
use flipside_games::{AnyGame, GAMES, testing};
use flipside_referee::{
    BY_FAULT, Decision, Error, FaultKind, Line, Match, MatchSeed, PERSON, Person, PersonUpdate,
    PlayedMatch, Player, SeatChoice, SeatView,
};

/// A person who takes the first legal action until a turn of their own, and then decides otherwise.
struct Scripted<F> {
    turns: usize,
    decide: F,
    told: Vec<String>,
}

impl<F: FnMut(usize, &SeatView<'_>) -> Option<Decision>> Scripted<F> {
    fn new(decide: F) -> Self {
        Scripted {
            turns: 0,
            decide,
            told: Vec::new(),
        }
    }
}

impl<F: FnMut(usize, &SeatView<'_>) -> Option<Decision>> Person for Scripted<F> {
    fn choose(&mut self, place: &SeatView<'_>) -> Decision {
        self.turns += 1;
        let first = || Decision::Act(place.actions()[0].clone());
        (self.decide)(self.turns, place).unwrap_or_else(first)
    }

    fn learn(&mut self, place: &SeatView<'_>, news: &PersonUpdate<'_>) {
        self.told.push(match news {
            PersonUpdate::Draw(Some(draw)) => format!("draw {draw}"),
            PersonUpdate::Draw(None) => "draw".into(),
            PersonUpdate::Acts(acts) => {
                let act = |acted: &SeatChoice<'_>| {
                    let by = if acted.stand_in { "for " } else { "" };
                    format!("{by}{} {}", acted.seat, acted.action.unwrap_or("?"))
                };
                acts.iter().map(act).collect::<Vec<_>>().join(", ")
            }
            PersonUpdate::Fault { seat, kind, fault } => {
                format!("fault {seat} {kind} {}", fault.is_some())
            }
        });
        assert!(!place.board().is_empty());
    }
}

fn try_play(
    hall: &mut Hall,
    game: &'static dyn AnyGame,
    clock: &str,
    players: Vec<Player>,
    person: &mut dyn Person,
) -> Result<PlayedMatch, Error> {
    let the_match = Match {
        id: "test".into(),
        game,
        options: "{}".into(),
        clock: clock.parse().unwrap(),
        seed: MatchSeed::from_number(1),
        players,
        opening_plies: 0,
        patience: None,
    };
    hall.referee.play_with(&the_match, person)
}

fn play(
    hall: &mut Hall,
    game: &'static dyn AnyGame,
    players: Vec<Player>,
    person: &mut dyn Person,
) -> PlayedMatch {
    let played = try_play(hall, game, "move=10m,start=10m", players, person).unwrap();
    verified(&played.record).unwrap_or_else(|error| panic!("{error}\n{}", played.record));
    played
}

/// First on every seat but that of the person.
fn against_first(hall: &Hall, seats: u8, own: u8) -> Vec<Player> {
    let mut players = vec![hall.first(); usize::from(seats) - 1];
    players.insert(own.into(), Player::person("Ada"));
    players
}

#[test]
fn a_person_can_sit_at_every_seat_of_every_game_and_the_record_verifies() {
    let mut hall = Hall::new();
    for game in GAMES.iter().chain(testing::GAMES) {
        let seats = game.info().seats[0];
        for own in 0..seats {
            let mut person = Scripted::new(|_, _| None);
            let players = against_first(&hall, seats, own);
            let played = play(&mut hall, *game, players, &mut person);
            assert_ne!(played.result.reason, BY_FAULT, "{}", played.record);
            let report = &played.result.seats[usize::from(own)];
            assert_eq!(report.plies, person.turns as u64);
            assert_eq!(report.used_us, 0, "a person's actions take no time");
            let line = &read(&played).header.seats[usize::from(own)];
            assert_eq!(
                (line.bot.as_str(), line.kind.as_str(), line.sha256.as_str()),
                ("Ada", PERSON, "")
            );
        }
    }
}

#[test]
fn a_person_plays_the_match_that_a_bot_with_the_same_choices_plays() {
    let mut hall = Hall::new();
    let strip = |record: &str| -> Vec<String> {
        let steps = record
            .lines()
            .filter(|line| line.contains("\"chance\"") || line.contains("\"acts\""));
        steps
            .flat_map(|line| line.split(','))
            .filter(|part| {
                ["us", "wall_us", "cpu_us"]
                    .iter()
                    .all(|us| !part.contains(&format!("\"{us}\":")))
            })
            .map(str::to_owned)
            .collect()
    };
    for game in testing::GAMES {
        let seats = game.info().seats[0];
        let bots = hall.play(
            *game,
            "move=10m,start=10m",
            vec![hall.first(); seats.into()],
        );
        let mut person = Scripted::new(|_, _| None);
        let players = against_first(&hall, seats, 0);
        let mixed = play(&mut hall, *game, players, &mut person);
        assert_eq!(strip(&mixed.record), strip(&bots.record));
    }
}

#[test]
fn a_person_has_no_clock() {
    let mut hall = Hall::new();
    let game = find("test-kuhn").unwrap();
    let mut person = Scripted::new(|turn, _| {
        if turn == 1 {
            std::thread::sleep(Duration::from_millis(700));
        }
        None
    });
    let players = against_first(&hall, 2, 0);
    let played = try_play(
        &mut hall,
        game,
        "move=500ms,start=10m",
        players,
        &mut person,
    )
    .unwrap();
    assert_eq!(played.seats[0].fault, None, "{}", played.record);
    verified(&played.record).unwrap();
}

#[test]
fn bots_have_chosen_before_a_person_is_asked_at_the_same_time() {
    let mut hall = Hall::new();
    let folder = tempfile::tempdir().unwrap();
    let chosen = folder.path().join("chosen");
    let bot = hall.shell(
        "noting",
        &shell_bot(&format!("echo $turn >> '{}'", chosen.display())),
    );
    let mut person = Scripted::new(|turn, place: &SeatView<'_>| {
        assert!(place.is_shared());
        let turns = std::fs::read_to_string(&chosen).unwrap().lines().count();
        assert_eq!(turns, turn, "the bot has written its choice of this turn");
        None
    });
    let players = vec![Player::person("Ada"), bot];
    let played = play(
        &mut hall,
        find("test-goofspiel").unwrap(),
        players,
        &mut person,
    );
    assert!(person.turns > 1, "{}", played.record);
}

#[test]
fn where_nothing_is_hidden_a_person_learns_all_that_happens() {
    let mut hall = Hall::new();
    for id in ["test-goofspiel", "test-race"] {
        let game = find(id).unwrap();
        let players = against_first(&hall, 3, 1);
        let mut person = Scripted::new(|_, _| None);
        let played = play(&mut hall, game, players, &mut person);
        let recorded: Vec<String> = read(&played)
            .lines
            .into_iter()
            .filter_map(|(_, line)| match line {
                Line::Chance { event } => Some(format!("draw {event}")),
                Line::Acts { acts } => Some(
                    acts.iter()
                        .map(|act| format!("{} {}", act.seat, act.action))
                        .collect::<Vec<_>>()
                        .join(", "),
                ),
                _ => None,
            })
            .collect();
        assert_eq!(person.told, recorded);
    }
}

#[test]
fn where_something_is_hidden_a_person_learns_that_it_happened_and_not_what() {
    let mut hall = Hall::new();
    let game = find("test-kuhn").unwrap();
    let mut person = Scripted::new(|_, _| None);
    let players = against_first(&hall, 2, 0);
    play(&mut hall, game, players, &mut person);
    let kinds = |start: &'static str| {
        let told = person.told.iter();
        told.filter(move |told| told.starts_with(start))
    };
    assert!(kinds("draw").count() > 0 && kinds("draw").all(|told| told == "draw"));
    // Bets lie open.
    for seat in ["0 ", "1 "] {
        assert!(kinds(seat).count() > 0 && kinds(seat).all(|told| !told.ends_with('?')));
    }

    // What the other side aims at does not.
    let mut person = Scripted::new(|_, _| None);
    let players = against_first(&hall, 2, 0);
    play(
        &mut hall,
        find("puissance4-basic").unwrap(),
        players,
        &mut person,
    );
    let others = person.told.iter().flat_map(|told| told.split(", "));
    let others: Vec<&str> = others.filter(|told| told.starts_with("1 ")).collect();
    assert!(others.contains(&"1 ?"), "{others:?}");
    assert!(
        others.iter().all(|told| ["1 ?", "1 wait"].contains(told)),
        "{others:?}"
    );

    let bad = hall.shell("bad", &shell_bot("action='bet 1000'"));
    let mut person = Scripted::new(|_, _| None);
    let players = vec![Player::person("Ada"), bad];
    play(&mut hall, game, players, &mut person);
    assert_eq!(
        person.told.last().map(String::as_str),
        Some("fault 1 malformed false"),
        "what shows the fault may show a card"
    );
}

#[test]
fn who_leaves_has_lost_where_two_sides_play() {
    let mut hall = Hall::new();
    let game = find("flipfour").unwrap();
    let players = against_first(&hall, 2, 0);
    let mut person = Scripted::new(|turn, _| (turn == 3).then_some(Decision::Leave));
    let played = play(&mut hall, game, players, &mut person);
    assert_eq!(played.result.reason, BY_FAULT);
    assert_eq!(played.result.places(), [2, 1]);
    let fault = played.seats[0].fault.as_ref().unwrap();
    assert_eq!(fault.kind, FaultKind::Closed);
    assert_eq!(played.result.plies, 4);
}

#[test]
fn where_more_sides_play_the_match_goes_on_without_the_person() {
    let mut hall = Hall::new();
    for id in ["test-race", "test-goofspiel"] {
        let game = find(id).unwrap();
        let players = against_first(&hall, 3, 1);
        let mut person = Scripted::new(|turn, _| (turn == 2).then_some(Decision::Leave));
        let played = play(&mut hall, game, players, &mut person);
        assert_ne!(played.result.reason, BY_FAULT, "{}", played.record);
        assert_eq!(played.result.places()[1], 3);
        assert_eq!(played.result.seats[1].plies, 1);
        assert_eq!(person.turns, 2, "who has left is not asked");
        assert!(
            !person.told.iter().any(|told| told.contains("for 1")),
            "who has left is told nothing: {:?}",
            person.told
        );
    }
}

#[test]
fn a_person_learns_of_a_fall_and_of_what_is_drawn_for_the_fallen() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", &shell_bot("exit 1"));
    let players = vec![Player::person("Ada"), bad, hall.first()];
    let mut person = Scripted::new(|_, _| None);
    play(&mut hall, find("test-race").unwrap(), players, &mut person);
    let at = |start: &str| person.told.iter().position(|told| told.starts_with(start));
    let (fell, stood_in) = (at("fault 1 closed true"), at("for 1 "));
    assert!(
        fell.is_some() && fell < stood_in,
        "first the fall, then the stand-in: {:?}",
        person.told
    );
}

#[test]
fn a_match_that_is_broken_off_has_no_result() {
    let mut hall = Hall::new();
    let players = against_first(&hall, 3, 0);
    let mut person = Scripted::new(|turn, _| (turn == 2).then_some(Decision::BreakOff));
    let game = find("test-race").unwrap();
    let error = try_play(&mut hall, game, "move=10m,start=10m", players, &mut person)
        .expect_err("there is no result");
    assert!(matches!(error, Error::BrokenOff(0)), "{error}");
}

#[test]
fn what_the_table_refuses_is_a_persons_fault_too() {
    let mut hall = Hall::new();
    for (action, kind) in [
        ("a1-a2", FaultKind::Illegal),
        ("nonsense", FaultKind::Malformed),
    ] {
        let players = against_first(&hall, 2, 0);
        let mut person = Scripted::new(|_, place: &SeatView<'_>| {
            assert!(place.check(action).is_err());
            Some(Decision::Act(action.into()))
        });
        let game = find("flipfour").unwrap();
        let played = play(&mut hall, game, players, &mut person);
        assert_eq!(played.seats[0].fault.as_ref().unwrap().kind, kind);
        assert_eq!(verified(&played.record).unwrap().faults_shown, 1);
    }
}

#[test]
fn a_match_with_a_person_and_nobody_to_ask_is_broken_off() {
    let mut hall = Hall::new();
    let players = against_first(&hall, 2, 0);
    let the_match = Match {
        id: "test".into(),
        game: find("flipfour").unwrap(),
        options: "{}".into(),
        clock: "move=10m,start=10m".parse().unwrap(),
        seed: MatchSeed::from_number(1),
        players,
        opening_plies: 0,
        patience: None,
    };
    assert!(matches!(
        hall.referee.play(&the_match),
        Err(Error::BrokenOff(0))
    ));
}
