//! Games that are programs: the nine built-in games, served over lines, make the same records as they do themselves;
//! and a program that errs makes its match void and is nobody's fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::Hall;
use flipside_games::{
    ActionPath, AnyGame, GAMES, GameHost, GameLink, GameServer, Info, OptionsError, ParseError,
    PerftError, ProgramGame, Refusal, Schemas, Seat, SeatTurn, Setup, Table, Viewer, chance,
    testing,
};
use flipside_referee::{
    Decision, Error, Match, MatchSeed, Person, PersonUpdate, Player, Record, SeatView, verify_with,
};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// What a program answers in place of what it should, to a request; or why it gives no answer.
type Change = fn(&str, String) -> Result<String, String>;

/// Serves a game in this process. An answer may be changed, or be none.
struct Served {
    game: &'static dyn AnyGame,
    change: Change,
    started: Arc<AtomicU32>,
}

struct ServedLink {
    server: GameServer<'static, fn([u8; 32]) -> ChaCha8Rng>,
    change: Change,
    answer: String,
}

impl GameHost for Served {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        self.started.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(ServedLink {
            server: GameServer::new(self.game, "# Rules", ChaCha8Rng::from_seed as _),
            change: self.change,
            answer: String::new(),
        }))
    }
}

impl GameLink for ServedLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        let answer = self
            .server
            .answer(request)
            .map_err(|error| error.to_string())?;
        // A program cannot have the id of a built-in game.
        let answer = answer.replacen(r#""id":""#, r#""id":"served-"#, 1);
        self.answer = (self.change)(request, answer)?;
        Ok(&self.answer)
    }
}

fn served(game: &'static dyn AnyGame, change: Change) -> &'static ProgramGame {
    let host = Served {
        game,
        change,
        started: Arc::default(),
    };
    let opened = ProgramGame::open(Box::new(host), &"5e".repeat(32));
    Box::leak(Box::new(opened.unwrap()))
}

fn as_it_is(_: &str, answer: String) -> Result<String, String> {
    Ok(answer)
}

/// A game whose chance is sampled from 32 bytes, as a program samples it.
struct FromBytes(&'static dyn AnyGame);

struct FromBytesTable(Box<dyn Table>);

impl AnyGame for FromBytes {
    fn info(&self) -> &'static Info {
        self.0.info()
    }

    fn notation(&self) -> &'static str {
        self.0.notation()
    }

    fn set_up(&self, options: &str, seats: u8) -> Result<Setup, OptionsError> {
        let Setup { table, options } = self.0.set_up(options, seats)?;
        let table = Box::new(FromBytesTable(table));
        Ok(Setup { table, options })
    }

    fn draw(&self, view: &str, as_svg: bool) -> Result<String, ParseError> {
        self.0.draw(view, as_svg)
    }

    fn presets(&self) -> Vec<(&'static str, String)> {
        self.0.presets()
    }

    fn brief(&self) -> String {
        self.0.brief()
    }

    fn schemas(&self) -> Schemas {
        self.0.schemas()
    }
}

impl Table for FromBytesTable {
    fn info(&self) -> &'static Info {
        self.0.info()
    }

    fn seats(&self) -> u8 {
        self.0.seats()
    }

    fn side(&self, seat: Seat) -> u8 {
        self.0.side(seat)
    }

    fn turn(&self) -> SeatTurn {
        self.0.turn()
    }

    fn write_actions(&mut self, seat: Seat, out: &mut Vec<u8>) {
        self.0.write_actions(seat, out);
    }

    fn actions(&self, seat: Seat) -> Vec<String> {
        self.0.actions(seat)
    }

    fn random_action(&mut self, seat: Seat, rng: &mut dyn Rng, out: &mut String) {
        self.0.random_action(seat, rng, out);
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal> {
        self.0.check(seat, action)
    }

    fn choose(&mut self, seat: Seat, action: &str) -> Result<(), Refusal> {
        self.0.choose(seat, action)
    }

    fn play(&mut self) -> Result<(), Refusal> {
        self.0.play()
    }

    fn act(&mut self, acts: &[(Seat, &str)]) -> Result<(), Refusal> {
        self.0.act(acts)
    }

    fn sample(&self, rng: &mut dyn Rng, out: &mut Vec<u8>) {
        let mut bytes = [0; 32];
        rng.fill_bytes(&mut bytes);
        self.0.sample(&mut ChaCha8Rng::from_seed(bytes), out);
    }

    fn chance(&mut self, event: &str) -> Result<(), Refusal> {
        self.0.chance(event)
    }

    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>) {
        self.0.write_view(viewer, out);
    }

    fn sees_action(&self, viewer: Viewer, seat: Seat, action: &str) -> bool {
        self.0.sees_action(viewer, seat, action)
    }

    fn sees_chance(&self, viewer: Viewer, event: &str) -> bool {
        self.0.sees_chance(viewer, event)
    }

    fn paths(&self, seat: Seat) -> Vec<ActionPath> {
        self.0.paths(seat)
    }

    fn action_in_words(&self, action: &str) -> String {
        self.0.action_in_words(action)
    }

    fn chance_in_words(&self, event: &str) -> String {
        self.0.chance_in_words(event)
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn Table> {
        self.0.redeal(viewer, rng)
    }

    fn text(&self, viewer: Viewer) -> String {
        self.0.text(viewer)
    }

    fn svg(&self, viewer: Viewer) -> String {
        self.0.svg(viewer)
    }

    fn perft(&self, depth: u32) -> Result<u64, PerftError> {
        self.0.perft(depth)
    }

    fn copy(&self) -> Box<dyn Table> {
        Box::new(FromBytesTable(self.0.copy()))
    }
}

/// People who play at random; one in some matches leaves, so that stand-ins play on.
struct Random {
    rng: ChaCha8Rng,
    leaves: Option<Seat>,
    turns: u32,
    told: Vec<String>,
}

impl Person for Random {
    fn choose(&mut self, place: &SeatView<'_>) -> Decision {
        self.turns += 1;
        if self.turns > 6 && self.leaves == Some(place.seat()) {
            return Decision::Leave;
        }
        Decision::Act(chance::one_of::<String>(&mut self.rng, &place.actions()).clone())
    }

    fn learn(&mut self, place: &SeatView<'_>, news: &PersonUpdate<'_>) {
        self.told.push(format!("{} {news:?}", place.seat()));
    }
}

/// Plays a match of people; returns the record and what they learnt.
fn play(
    hall: &mut Hall,
    game: &'static dyn AnyGame,
    seats: u8,
    seed: u64,
) -> Result<(String, Vec<String>), Error> {
    let mut person = Random {
        rng: ChaCha8Rng::seed_from_u64(seed),
        leaves: (seed % 4 == 3).then_some((seed / 4) as u8 % seats),
        turns: 0,
        told: Vec::new(),
    };
    let info = game.info();
    let has_openings = info.seats == [2] && !info.chance && !info.simultaneous && !info.secrets;
    let the_match = Match {
        id: "test".into(),
        game,
        options: game.brief(),
        clock: "move=10m,start=10m".parse().unwrap(),
        seed: MatchSeed::from_number(seed),
        players: (0..seats).map(|_| Player::person("Ada")).collect(),
        opening_plies: if has_openings { (seed % 5) as u32 } else { 0 },
        patience: None,
    };
    let played = hall.referee.play_with(&the_match, &mut person)?;
    Ok((played.record, person.told))
}

/// The lines of a record without its end, and without what only a program has.
fn lines(record: &str) -> Vec<String> {
    let mut lines: Vec<String> = record.lines().map(str::to_owned).collect();
    lines.pop();
    let sha256 = format!(r#","game_sha256":"{}""#, "5e".repeat(32));
    lines[0] = lines[0]
        .replacen(&sha256, "", 1)
        .replacen(r#""game":"served-"#, r#""game":""#, 1);
    lines
}

fn records_are_equal(matches: u64) {
    let mut hall = Hall::new();
    for &game in GAMES.iter().chain(testing::GAMES) {
        let program = served(game, as_it_is);
        let own: &'static FromBytes = Box::leak(Box::new(FromBytes(game)));
        for &seats in game.info().seats {
            for seed in 0..matches {
                let (ours, we_learnt) = play(&mut hall, own, seats, seed).unwrap();
                let (theirs, they_learnt) = play(&mut hall, program, seats, seed).unwrap();
                assert_eq!(
                    lines(&theirs),
                    lines(&ours),
                    "{} {seats} {seed}",
                    game.info().id
                );
                assert_eq!(they_learnt, we_learnt);
                let find = |_: &str| Some(program as &'static dyn AnyGame);
                verify_with(&theirs, find).unwrap_or_else(|error| panic!("{error}\n{theirs}"));
            }
        }
    }
}

#[test]
fn the_records_of_a_game_and_of_its_program_are_equal() {
    records_are_equal(6);
}

#[test]
#[ignore = "long: 200 matches of each game"]
fn the_records_of_a_game_and_of_its_program_are_equal_in_200_matches() {
    records_are_equal(200);
}

#[test]
fn a_record_is_of_the_program_that_it_names() {
    let mut hall = Hall::new();
    let game = testing::find("test-race").unwrap();
    let program = served(game, as_it_is);
    let (record, _) = play(&mut hall, program, 2, 1).unwrap();
    let none = verify_with(&record, |_| None).unwrap_err();
    assert!(none.to_string().contains(&"5e".repeat(32)), "{none}");
    assert!(none.hint().unwrap().contains("--game"));
    let other = verify_with(&record, |_| Some(game)).unwrap_err();
    assert!(other.to_string().contains("is built in here"), "{other}");
    let header = Record::read(&record).unwrap().header;
    assert_eq!(header.game_sha256, Some("5e".repeat(32)));
}

/// What a program does wrong in a match, and the step where.
const FAILURES: [(&str, Change); 8] = [
    ("setup", |request, answer| {
        match request.contains(r#""type":"setup""#) {
            true => Err("it ended with exit code 1; on stderr: KeyError: 'seats'".into()),
            false => Ok(answer),
        }
    }),
    ("acts", |request, answer| {
        match request.contains(r#""type":"acts""#) {
            true => Err("it gave no answer within 10 s".into()),
            false => Ok(answer),
        }
    }),
    ("acts", |request, answer| {
        match request.contains(r#""type":"acts""#) {
            true => Ok(answer[..answer.len() / 2].to_owned()),
            false => Ok(answer),
        }
    }),
    ("acts", |request, answer| {
        match request.contains(r#""type":"acts""#) {
            true => Ok(r#"{"type":"refused","reason":"it is not your turn"}"#.into()),
            false => Ok(answer),
        }
    }),
    ("acts", |request, answer| {
        match request.contains(r#""type":"acts""#) {
            true => Ok(r#"{"type":"state"}"#.into()),
            false => Ok(answer),
        }
    }),
    ("chance", |request, answer| {
        match request.contains(r#""type":"chance""#) {
            true => Ok(r#"{"type":"refused","reason":"no such roll"}"#.into()),
            false => Ok(answer),
        }
    }),
    ("sample", |request, answer| {
        match request.contains(r#""type":"sample""#) {
            true => Ok(r#"{"type":"outcome","outcome":null}"#.into()),
            false => Ok(answer),
        }
    }),
    ("acts", |_, answer| {
        Ok(answer.replace(r#""reason":"#, r#""reason":"Done! ","x":"#))
    }),
];

#[test]
fn a_program_that_errs_makes_the_match_void_and_nobody_is_at_fault() {
    let mut hall = Hall::new();
    let game = testing::find("test-race").unwrap();
    for (step, change) in FAILURES {
        let program = served(game, change);
        let error = play(&mut hall, program, 2, 1).unwrap_err();
        let Error::Game(failure) = &error else {
            panic!("{step}: {error}");
        };
        assert!(
            failure.step == step || (step == "acts" && failure.step == "chance"),
            "{step}: {failure}"
        );
        assert_eq!(failure.game, "served-test-race");
        assert!(error.hint().unwrap().contains("game check"), "{error}");
    }
}
