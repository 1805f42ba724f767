//! The built-in games as programs: what a table of theirs tells is what the game itself tells.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_core::Rng;

use super::*;
use crate::chance;
use crate::list::GAMES;
use crate::seats::{SeatTurn, Viewer};
use crate::testing;

/// Serves a game in this process.
struct ServedHere(&'static dyn AnyGame);

struct HereLink(GameServer<'static, fn([u8; 32]) -> ChaCha8Rng>, String);

impl GameHost for ServedHere {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        let server = GameServer::new(self.0, "# Rules", ChaCha8Rng::from_seed as _);
        Ok(Box::new(HereLink(server, String::new())))
    }
}

impl GameLink for HereLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        self.1 = self.0.answer(request).map_err(|error| error.to_string())?;
        // The lines that are written by hand are those of the types.
        let reply = GameReply::read(&self.1).map_err(|error| error.to_string())?;
        assert_eq!(serde_json::to_string(&reply).unwrap(), self.1);
        Ok(&self.1)
    }
}

fn games() -> impl Iterator<Item = &'static dyn AnyGame> {
    GAMES.iter().chain(testing::GAMES).copied()
}

/// A built-in game as a program. Its id is another one, for it has that of a built-in game.
fn as_program(game: &'static dyn AnyGame) -> ProgramGame {
    struct Renamed(ServedHere);
    struct RenamedLink(Box<dyn GameLink>, String);
    impl GameHost for Renamed {
        fn start(&self) -> Result<Box<dyn GameLink>, String> {
            Ok(Box::new(RenamedLink(self.0.start()?, String::new())))
        }
    }
    impl GameLink for RenamedLink {
        fn exchange(&mut self, request: &str) -> Result<&str, String> {
            self.1 = self
                .0
                .exchange(request)?
                .replacen(r#""id":""#, r#""id":"served-"#, 1);
            Ok(&self.1)
        }
    }
    ProgramGame::open(Box::new(Renamed(ServedHere(game))), &"0".repeat(64)).unwrap()
}

fn view(table: &dyn Table, viewer: Viewer) -> String {
    let mut view = Vec::new();
    table.write_view(viewer, &mut view);
    String::from_utf8(view).unwrap()
}

fn viewers(seats: u8) -> Vec<Viewer> {
    let mut viewers: Vec<_> = (0..seats).map(Viewer::Seat).collect();
    viewers.extend([Viewer::Public, Viewer::Open]);
    viewers
}

#[track_caller]
fn agree(own: &mut dyn Table, program: &mut dyn Table) {
    assert_eq!(program.failure(), None);
    assert_eq!(program.turn(), own.turn());
    for seat in 0..own.seats() {
        assert_eq!(program.side(seat), own.side(seat));
        assert_eq!(program.actions(seat), own.actions(seat));
        let [mut ours, mut theirs] = [Vec::new(), Vec::new()];
        own.write_actions(seat, &mut ours);
        program.write_actions(seat, &mut theirs);
        assert_eq!(theirs, ours);
    }
    for viewer in viewers(own.seats()) {
        assert_eq!(view(program, viewer), view(own, viewer));
    }
    assert_eq!(program.failure(), None);
}

/// Plays a random match of a game at two tables; returns how many events there were.
fn play(own: &mut dyn Table, program: &mut dyn Table, rng: &mut ChaCha8Rng) -> usize {
    let mut events = 0;
    loop {
        agree(own, program);
        match own.turn() {
            SeatTurn::Over(_) => return events,
            SeatTurn::Chance => {
                let mut bytes = [0; 32];
                let mut theirs = Vec::new();
                let seed = rng.next_u64();
                program.sample(&mut ChaCha8Rng::seed_from_u64(seed), &mut theirs);
                ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
                let mut ours = Vec::new();
                own.sample(&mut ChaCha8Rng::from_seed(bytes), &mut ours);
                assert_eq!(theirs, ours);
                let outcome = String::from_utf8(ours).unwrap();
                own.chance(&outcome).unwrap();
                program.chance(&outcome).unwrap();
                for viewer in viewers(own.seats()) {
                    let sees = own.sees_chance(viewer, &outcome);
                    assert_eq!(program.sees_chance(viewer, &outcome), sees, "{viewer:?}");
                }
                assert_eq!(
                    program.chance_in_words(&outcome),
                    own.chance_in_words(&outcome)
                );
            }
            SeatTurn::Seats(asked) => {
                let acts: Vec<_> = asked
                    .map(|seat| (seat, chance::one_of(rng, &own.actions(seat)).clone()))
                    .collect();
                let acts: Vec<_> = acts
                    .iter()
                    .map(|(seat, action)| (*seat, &**action))
                    .collect();
                own.act(&acts).unwrap();
                program.act(&acts).unwrap();
                for &(seat, action) in &acts {
                    for viewer in viewers(own.seats()) {
                        let sees = own.sees_action(viewer, seat, action);
                        assert_eq!(
                            program.sees_action(viewer, seat, action),
                            sees,
                            "{viewer:?} {action}"
                        );
                    }
                    assert_eq!(program.action_in_words(action), own.action_in_words(action));
                }
            }
        }
        events += 1;
        if events % 16 == 5 {
            let mut copy = program.copy();
            agree(own, &mut *copy);
            let viewer = *chance::one_of(rng, &viewers(own.seats()));
            let seed = rng.next_u64();
            let mut bytes = [0; 32];
            ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
            let mut ours = own.redeal(viewer, &mut ChaCha8Rng::from_seed(bytes));
            let theirs = program.redeal(viewer, &mut ChaCha8Rng::seed_from_u64(seed));
            agree(&mut *ours, &mut *theirs.copy());
            for viewer in viewers(own.seats()) {
                assert_eq!(program.text(viewer), own.text(viewer));
                // A program draws views, which do not tell the last action.
                assert_eq!(program.svg(viewer), drawn(own, viewer));
            }
        }
    }
}

fn drawn(table: &dyn Table, viewer: Viewer) -> String {
    let view = view(table, viewer);
    let game = games().find(|game| game.info().id == table.info().id);
    game.unwrap().draw(&view, true).unwrap()
}

#[test]
fn a_game_as_a_program_is_the_same_game() {
    let mut rng = ChaCha8Rng::seed_from_u64(33);
    for game in games() {
        let program = as_program(game);
        let (ours, theirs) = (game.info(), program.info());
        assert_eq!(theirs.id, format!("served-{}", ours.id));
        assert_eq!((theirs.title, theirs.summary), (ours.title, ours.summary));
        assert_eq!((theirs.seats, theirs.traits()), (ours.seats, ours.traits()));
        assert_eq!(program.notation(), game.notation());
        assert_eq!(program.program().unwrap().rules, "# Rules");
        for &seats in ours.seats {
            let brief = game.brief();
            let options = [brief.as_str(), "{}"];
            for options in &options[..if ours.chance { 1 } else { 2 }] {
                let mut own = game.set_up(options, seats).unwrap();
                let mut program = program.set_up(options, seats).unwrap();
                assert_eq!(program.options, own.options);
                let events = play(&mut *own.table, &mut *program.table, &mut rng);
                assert!(events > 0);
            }
        }
    }
}

/// A version of a game of an arena that nobody starts.
fn of_arena(id: &str, version: u32, sha256: &str) -> ProgramGame {
    struct Nobody;
    impl GameHost for Nobody {
        fn start(&self) -> Result<Box<dyn GameLink>, String> {
            panic!("nothing is started to know a game")
        }
    }
    let described = as_program(GAMES[0]).program().unwrap().description.clone();
    let described = described.replacen("served-flip4", id, 1);
    assert!(described.contains(id));
    ProgramGame::described(&described, Some(version), Box::new(Nobody), sha256).unwrap()
}

#[test]
fn the_games_of_an_arena_are_found_by_their_versions() {
    let known = |id: &str| crate::known::find(id).map(|game| game.info().id);
    assert_eq!((known("kept"), known("kept@1")), (None, None));
    for version in [1, 10, 2] {
        let sha256 = version.to_string().repeat(64);
        crate::known::make_known(of_arena("kept", version, &sha256)).unwrap();
    }
    assert_eq!(known("kept@1"), Some("kept@1"));
    assert_eq!(known("kept"), Some("kept@10"));
    assert_eq!(
        (known("kept@3"), known("kept@01"), known("kep")),
        (None, None, None)
    );
    let ids = |games: Vec<&'static dyn AnyGame>| -> Vec<&str> {
        let ids = games.into_iter().map(|game| game.info().id);
        ids.filter(|id| id.starts_with("kept")).collect()
    };
    assert_eq!(
        ids(crate::known::all_games()),
        ["kept@1", "kept@2", "kept@10"]
    );
    assert_eq!(ids(crate::known::current_games()), ["kept@10"]);
    // What another arena has brought is not what the id means, unless there is nothing else.
    let brought = of_arena("kept", 20, &"d".repeat(64));
    crate::known::make_known_imported(brought).unwrap();
    assert_eq!(
        (known("kept"), known("kept@20")),
        (Some("kept@10"), Some("kept@20"))
    );
    crate::known::make_known_imported(of_arena("brought", 7, &"e".repeat(64))).unwrap();
    assert_eq!(known("brought"), Some("brought@7"));
    let by_program = crate::known::find_program("kept@99", &"d".repeat(64)).unwrap();
    assert_eq!(by_program.info().id, "kept@20");
    // The same program again is the same game; another one is refused.
    let again = crate::known::make_known(of_arena("kept", 2, &"2".repeat(64))).unwrap();
    assert_eq!(again.info().id, "kept@2");
    let taken = crate::known::make_known(of_arena("kept", 2, &"3".repeat(64)));
    assert_eq!(taken.err().unwrap().0, "kept@2");
}

#[test]
fn more_games_are_looked_for_when_one_is_not_known() {
    crate::known::look_for_more(|| {
        crate::known::make_known(of_arena("later", 1, &"a".repeat(64))).unwrap();
    });
    let found = crate::known::find("later").expect("it was looked for");
    assert_eq!(found.info().id, "later@1");
    assert!(crate::known::find("flip4").is_some() && crate::known::find("never").is_none());
}
