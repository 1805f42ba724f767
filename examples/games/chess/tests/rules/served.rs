//! The program, served in this process: lines go in and out, as over standard input and output.

use flipside_chess::RULES;
use flipside_games::{
    AnyGame, GameHost, GameLink, GameServer, ProgramGame, SeatTurn, Viewer, chance,
};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::game;

struct Served;

struct ServedLink(GameServer<'static, fn([u8; 32]) -> ChaCha8Rng>, String);

impl GameHost for Served {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        let server = GameServer::new(game(), RULES, ChaCha8Rng::from_seed as _);
        Ok(Box::new(ServedLink(server, String::new())))
    }
}

impl GameLink for ServedLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        self.1 = self.0.answer(request).map_err(|error| error.to_string())?;
        Ok(&self.1)
    }
}

pub(crate) fn program() -> ProgramGame {
    ProgramGame::open(Box::new(Served), &"0".repeat(64)).unwrap()
}

#[test]
fn a_table_of_the_program_shows_what_the_match_shows() {
    let (own, program) = (game(), program());
    assert_eq!(program.program().unwrap().rules, RULES);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for (name, options) in own.presets() {
        let [mut ours, mut theirs] =
            [own, &program as &dyn AnyGame].map(|game| game.set_up(&options, 2).unwrap());
        assert_eq!(theirs.options, ours.options, "{name}");
        let [ours, theirs] = [&mut ours.table, &mut theirs.table];
        while let SeatTurn::Seats(asked) = ours.turn() {
            let seat = asked.lowest().unwrap();
            let actions = ours.actions(seat);
            assert_eq!(theirs.actions(seat), actions);
            let action = chance::one_of(&mut rng, &actions);
            assert_eq!(theirs.action_in_words(action), ours.action_in_words(action));
            for table in [&mut *ours, &mut *theirs] {
                table.act(&[(seat, action)]).unwrap();
            }
            assert_eq!(theirs.text(Viewer::Public), ours.text(Viewer::Public));
            assert_eq!(theirs.svg(Viewer::Public), ours.svg(Viewer::Public));
        }
        assert_eq!((theirs.turn(), theirs.failure()), (ours.turn(), None));
    }
}
