//! A game of this crate as a program: it answers the requests of the referee.

use std::io::{self, BufRead, Write};

use flipside_protocol::game::{
    ActionReply, AskedPart, AskedSeat, ChanceDue, Drawing, DrawingForm, GAME_VERSION,
    GameDescription, GameOutcome, GameOver, GameReplay, GameReply, GameRequest, GameState,
    GameViewer, MalformedGameLine, PathsReply, Refused, ViewReply, WordsReply, write_asks,
};
use rand_core::Rng;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::game::Refusal;
use crate::seats::{Seat, SeatTurn, Viewer};
use crate::table::{AnyGame, Table};

/// Serves a game until its input ends: reads the requests of the referee, a line each, and answers each with a line.
/// `rules` is the page of rules, in Markdown. `rng` makes a random generator of 32 bytes.
///
/// # Errors
/// When its input cannot be read, is no request, or its output cannot be written.
pub fn serve<R: Rng>(
    game: &dyn AnyGame,
    rules: &str,
    rng: impl Fn([u8; 32]) -> R,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut server = GameServer::new(game, rules, rng);
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let mut answer = server.answer(line.trim_end()).map_err(invalid)?;
        line.clear();
        answer.push('\n');
        output.write_all(answer.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// An answer, or its line.
enum GameAnswer {
    Reply(GameReply),
    Line(String),
}

/// A game that answers the requests of the referee.
pub struct GameServer<'g, F> {
    game: &'g dyn AnyGame,
    rules: &'g str,
    rng: F,
    table: Option<Box<dyn Table>>,
}

impl<'g, R: Rng, F: Fn([u8; 32]) -> R> GameServer<'g, F> {
    /// Serves a game; see [`serve`] for the rules and the random generator.
    pub fn new(game: &'g dyn AnyGame, rules: &'g str, rng: F) -> Self {
        GameServer {
            game,
            rules,
            rng,
            table: None,
        }
    }

    /// Answers a request; both lines are without their newline.
    ///
    /// # Errors
    /// The line is no request.
    pub fn answer(&mut self, request: &str) -> Result<String, MalformedGameLine> {
        let reply = match GameRequest::read(request)? {
            None => GameReply::Unsupported,
            Some(request) => match self.try_to_answer(request) {
                Ok(GameAnswer::Reply(reply)) => reply,
                Ok(GameAnswer::Line(line)) => return Ok(line),
                Err(refused) => GameReply::Refused(refused),
            },
        };
        Ok(serde_json::to_string(&reply).expect("a reply is JSON"))
    }

    fn try_to_answer(&mut self, request: GameRequest) -> Result<GameAnswer, Refused> {
        Ok(GameAnswer::Reply(match request {
            GameRequest::Describe(_) => self.describe(),
            GameRequest::Setup(setup) => {
                let options = self.set_up(setup.options.get(), setup.seats)?;
                GameReply::State(GameState {
                    options: Some(options),
                    sides: self.sides()?,
                    ..self.state(&[], None)?
                })
            }
            GameRequest::Acts(acts) => {
                let acts: Vec<_> = acts
                    .acts
                    .iter()
                    .map(|act| (act.seat, &*act.action))
                    .collect();
                self.table()?
                    .act(&acts)
                    .map_err(|refusal| refused(&refusal))?;
                if let Some(line) = self.asks()? {
                    return Ok(GameAnswer::Line(line));
                }
                GameReply::State(self.state(&acts, None)?)
            }
            GameRequest::Chance(chance) => {
                let outcome = chance.outcome.get();
                self.table()?
                    .chance(outcome)
                    .map_err(|refusal| refused(&refusal))?;
                GameReply::State(self.state(&[], Some(outcome))?)
            }
            GameRequest::Replay(replay) => GameReply::State(self.replay(&replay)?),
            GameRequest::Redeal(redeal) => {
                let mut rng = (self.rng)(redeal.random.0);
                let dealt = self.table()?.redeal(viewer(redeal.viewer), &mut rng);
                self.table = Some(dealt);
                GameReply::State(self.state(&[], None)?)
            }
            GameRequest::Sample(sample) => {
                let mut outcome = Vec::new();
                let mut rng = (self.rng)(sample.random.0);
                let table = self.table()?;
                if table.turn() != SeatTurn::Chance {
                    return Err(because("the table does not wait for chance"));
                }
                table.sample(&mut rng, &mut outcome);
                let outcome = json(outcome);
                GameReply::Outcome(GameOutcome { outcome })
            }
            GameRequest::Choose(choose) => {
                let mut action = String::new();
                let mut rng = (self.rng)(choose.random.0);
                self.table()?
                    .random_action(choose.seat, &mut rng, &mut action);
                GameReply::Action(ActionReply { action })
            }
            GameRequest::Check(check) => {
                self.table()?
                    .check(check.seat, &check.action)
                    .map_err(|refusal| refused(&refusal))?;
                GameReply::Legal
            }
            GameRequest::View(request) => {
                let view = view(&**self.table()?, viewer(request.viewer));
                GameReply::View(ViewReply { view })
            }
            GameRequest::Draw(draw) => {
                let drawn = self
                    .game
                    .draw(draw.view.get(), draw.form == DrawingForm::Svg);
                let drawing = drawn.map_err(|error| because(&error.to_string()))?;
                GameReply::Drawing(Drawing { drawing })
            }
            GameRequest::Paths(request) => {
                let paths = self.table()?.paths(request.seat);
                GameReply::Paths(PathsReply { paths })
            }
            GameRequest::Words(words) => {
                let table = self.table()?;
                let words = match (&words.action, &words.outcome) {
                    (Some(action), _) => table.action_in_words(action),
                    (None, Some(outcome)) => table.chance_in_words(outcome.get()),
                    (None, None) => return Ok(GameAnswer::Reply(GameReply::Unsupported)),
                };
                GameReply::Words(WordsReply { words })
            }
        }))
    }

    /// Begins a match and takes all its events.
    fn replay(&mut self, replay: &GameReplay) -> Result<GameState, Refused> {
        self.set_up(replay.options.get(), replay.seats)?;
        let table = self.table()?;
        for event in &replay.events {
            let acts = event.acts.iter().flatten();
            let acts: Vec<_> = acts.map(|act| (act.seat, &*act.action)).collect();
            match &event.chance {
                Some(outcome) => table.chance(outcome.get()),
                None => table.act(&acts),
            }
            .map_err(|refusal| refused(&refusal))?;
        }
        let last = replay.events.last();
        let acts = last
            .and_then(|event| event.acts.as_deref())
            .unwrap_or_default();
        let acts: Vec<_> = acts.iter().map(|act| (act.seat, &*act.action)).collect();
        let outcome = last.and_then(|event| event.chance.as_ref());
        Ok(GameState {
            sides: self.sides()?,
            ..self.state(&acts, outcome.map(|outcome| outcome.get()))?
        })
    }

    /// The sides, where some seats share one.
    fn sides(&mut self) -> Result<Option<Vec<u8>>, Refused> {
        let table = self.table()?;
        let sides = (0..table.seats()).map(|seat| table.side(seat));
        Ok((!sides.clone().eq(0..table.seats())).then(|| sides.collect()))
    }

    fn table(&mut self) -> Result<&mut Box<dyn Table>, Refused> {
        self.table
            .as_mut()
            .ok_or_else(|| because("no match has begun"))
    }

    /// Begins a match; returns all its options.
    fn set_up(&mut self, options: &str, seats: u8) -> Result<Box<RawValue>, Refused> {
        let setup = self.game.set_up(options, seats);
        let setup = setup.map_err(|error| because(&error.to_string()))?;
        self.table = Some(setup.table);
        Ok(json(setup.options.into_bytes()))
    }

    /// The line of the state in which seats are asked and nothing is hidden. It is the answer at nearly every ply, so
    /// it is written at once: as [`GameReply::State`] writes it.
    fn asks(&mut self) -> Result<Option<String>, Refused> {
        let table = self.table()?;
        let SeatTurn::Seats(asked) = table.turn() else {
            return Ok(None);
        };
        if table.info().secrets {
            return Ok(None);
        }
        let mut line = Vec::new();
        write_asks(&mut line, asked, |seat, part, line| match part {
            AskedPart::Actions => table.write_actions(seat, line),
            AskedPart::View => table.write_view(Viewer::Seat(seat), line),
        });
        Ok(Some(String::from_utf8(line).expect("JSON is UTF-8")))
    }

    /// What the table waits for, after these acts or this outcome.
    fn state(
        &mut self,
        acts: &[(Seat, &str)],
        outcome: Option<&str>,
    ) -> Result<GameState, Refused> {
        let table = self.table()?;
        let seats = table.seats();
        let mut state = GameState::default();
        let seen_by = |sees: &dyn Fn(Viewer) -> bool| {
            (0..seats)
                .filter(|&seat| sees(Viewer::Seat(seat)))
                .collect()
        };
        if !table.info().secrets {
            // All learn everything, which need not be said.
        } else if let Some(outcome) = outcome {
            let sees = |viewer| table.sees_chance(viewer, outcome);
            state.seen = Some(vec![seen_by(&sees)]);
        } else if !acts.is_empty() {
            let seen = |&(seat, action): &(Seat, &str)| {
                seen_by(&|viewer| table.sees_action(viewer, seat, action))
            };
            state.seen = Some(acts.iter().map(seen).collect());
        }
        match table.turn() {
            SeatTurn::Seats(asked) => {
                let ask = |seat| AskedSeat {
                    seat,
                    actions: Some(table.actions(seat)),
                    view: view(&**table, Viewer::Seat(seat)),
                };
                state.asks = asked.map(ask).collect();
            }
            SeatTurn::Chance => state.chance = Some(ChanceDue::default()),
            SeatTurn::Over(outcome) => {
                state.over = Some(GameOver {
                    points: outcome.points.to_vec(),
                    reason: outcome.reason.to_owned(),
                    view: view(&**table, Viewer::Open),
                });
            }
        }
        Ok(state)
    }

    fn describe(&self) -> GameReply {
        let info = self.game.info();
        let presets = self.game.presets().into_iter().skip(1);
        let presets = presets.map(|(name, options)| (name.to_owned(), json(options.into_bytes())));
        let [options, view] = schemas(self.game);
        GameReply::Game(Box::new(GameDescription {
            protocol: GAME_VERSION,
            id: info.id.to_owned(),
            title: info.title.to_owned(),
            summary: info.summary.to_owned(),
            seats: info.seats.to_vec(),
            chance: info.chance,
            secrets: info.secrets,
            simultaneous: info.simultaneous,
            lists: true,
            notation: self.game.notation().to_owned(),
            options,
            brief: json(self.game.brief().into_bytes()),
            presets: presets.collect(),
            rules: self.rules.to_owned(),
            view,
        }))
    }
}

/// The schemas of the options, each with its default, and of the view.
fn schemas(game: &dyn AnyGame) -> [Box<RawValue>; 2] {
    let [mut options, view] = published(game);
    let default = game.presets().swap_remove(0).1;
    let default: Map<String, Value> =
        serde_json::from_str(&default).expect("options are an object");
    for (name, value) in default {
        options["properties"][&name]["default"] = value;
    }
    [options, view].map(|schema| json(schema.to_string().into_bytes()))
}

#[cfg(feature = "schema")]
fn published(game: &dyn AnyGame) -> [Value; 2] {
    let schemas = game.schemas();
    [schemas.options, schemas.view].map(Value::from)
}

/// Without schemas, only the names of the options are known.
#[cfg(not(feature = "schema"))]
fn published(_: &dyn AnyGame) -> [Value; 2] {
    [
        serde_json::json!({ "type": "object" }),
        serde_json::json!({}),
    ]
}

fn json(text: Vec<u8>) -> Box<RawValue> {
    let text = String::from_utf8(text).expect("JSON is UTF-8");
    RawValue::from_string(text).expect("a game writes JSON")
}

fn view(table: &dyn Table, viewer: Viewer) -> Box<RawValue> {
    let mut text = Vec::new();
    table.write_view(viewer, &mut text);
    json(text)
}

fn viewer(viewer: GameViewer) -> Viewer {
    match viewer {
        GameViewer::Seat(seat) => Viewer::Seat(seat),
        GameViewer::Public => Viewer::Public,
        GameViewer::Open => Viewer::Open,
    }
}

fn because(reason: &str) -> Refused {
    Refused {
        reason: reason.to_owned(),
        malformed: false,
    }
}

fn refused(refusal: &Refusal) -> Refused {
    Refused {
        reason: refusal.to_string(),
        malformed: matches!(refusal, Refusal::Malformed(_)),
    }
}
