//! Bots that are a function from a turn to an action.

use std::time::{Duration, Instant};

use flipside_games::Game;
use flipside_games::chance::one_of;
use flipside_protocol::{Hello, Ready, Turn, TurnEvent};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::session::{Bot, Error, SessionPlayer};
use crate::strategy::{options, state_of, view};

/// A bot that is a function.
///
/// The function is cloned for each match, so what it owns starts anew with each match.
///
/// ```
/// use flipside_bot::{Error, Function, Question, play};
///
/// let last = |question: &mut Question<'_>| {
///     let action = question.actions().last();
///     action.cloned().ok_or_else(|| Error::Other("no legal actions".into()))
/// };
/// let lines = concat!(
///     r#"{"type":"hello","protocol":1,"match":"m1","game":"flipfour","options":{},"seat":0,"seats":2,"#,
///     r#""clock":"move=1s","limits":{"line":65536,"memory":0},"seed":7}"#, "\n",
///     r#"{"type":"turn","id":1,"actions":["+a1","+a2"],"clocks":[1000,1000],"view":{}}"#, "\n",
/// );
/// let mut output = Vec::new();
/// play(Box::new(Function::new("last", last)), lines.as_bytes(), &mut output)?;
/// assert!(output.ends_with(b"{\"type\":\"act\",\"id\":1,\"action\":\"+a2\"}\n"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Function<F> {
    /// What the bot tells the referee. [`Function::new`] asks for lists of legal actions and for events, and allows
    /// reuse.
    pub ready: Ready,
    /// Returns the action, in the game's notation.
    pub choose: F,
}

impl<F> Function<F>
where
    F: FnMut(&mut Question<'_>) -> Result<String, Error> + Clone + 'static,
{
    /// Returns a bot of this name that asks for the list of legal actions and for events.
    pub fn new(name: &str, choose: F) -> Self {
        Function {
            ready: Ready {
                name: Some(name.into()),
                version: None,
                actions: true,
                reuse: true,
                events: true,
            },
            choose,
        }
    }
}

impl<F> Bot for Function<F>
where
    F: FnMut(&mut Question<'_>) -> Result<String, Error> + Clone + 'static,
{
    fn ready(&self) -> Ready {
        self.ready.clone()
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        Ok(Box::new(Match {
            hello: hello.clone(),
            rng: ChaCha8Rng::seed_from_u64(hello.seed),
            choose: self.choose.clone(),
        }))
    }
}

struct Match<F> {
    hello: Hello,
    rng: ChaCha8Rng,
    choose: F,
}

impl<F> SessionPlayer for Match<F>
where
    F: FnMut(&mut Question<'_>) -> Result<String, Error>,
{
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error> {
        let mut question = Question {
            hello: &self.hello,
            turn,
            rng: &mut self.rng,
            began: Instant::now(),
        };
        *action = (self.choose)(&mut question)?;
        Ok(())
    }
}

/// A turn, together with the match that it belongs to.
#[derive(Debug)]
pub struct Question<'a> {
    /// The message that began the match: game, options, seat, clock, limits, seed.
    pub hello: &'a Hello,
    /// The message of this turn.
    pub turn: &'a Turn,
    /// The random numbers of this match. They follow from the bot's seed alone, so the bot plays the
    /// same match again if it takes all its randomness from here.
    pub rng: &'a mut ChaCha8Rng,
    began: Instant,
}

impl Question<'_> {
    /// Returns the legal actions in byte order; none if the bot did not ask for them.
    pub fn actions(&self) -> &[String] {
        self.turn.actions.as_deref().unwrap_or_default()
    }

    /// Returns what happened since this bot's last turn, as far as its seat may know, the oldest first; none if the
    /// bot did not ask for it.
    pub fn events(&self) -> &[TurnEvent] {
        self.turn.events.as_deref().unwrap_or_default()
    }

    /// Returns a legal action, all equally likely.
    ///
    /// # Errors
    /// Returns an error when the turn lists no actions.
    pub fn random_action(&mut self) -> Result<String, Error> {
        let actions = self.turn.actions.as_deref().unwrap_or_default();
        if actions.is_empty() {
            return Err(Error::Turn("it lists no actions".into()));
        }
        Ok(one_of(self.rng, actions).clone())
    }

    /// Returns the time left for this move. In a module, which has no real clock, this is about what
    /// the turn began with: count work there.
    pub fn time_left(&self) -> Duration {
        let clocks = &self.turn.clocks;
        let given = clocks.get(usize::from(self.hello.seat)).copied();
        Duration::from_millis(given.unwrap_or(0)).saturating_sub(self.began.elapsed())
    }

    /// Reads the view.
    ///
    /// # Errors
    /// Returns an error when the view is not one of this game.
    pub fn view<G: Game>(&self) -> Result<G::View, Error> {
        view::<G>(self.turn)
    }

    /// Builds a state of the game that shows this view. What the seat does not see is sampled.
    ///
    /// # Errors
    /// Returns an error when the options or the view are not those of this game.
    pub fn state<G: Game>(&mut self) -> Result<G, Error> {
        let options = options::<G>(self.hello)?;
        let view = self.view::<G>()?;
        state_of(
            &options,
            (self.hello.seats, self.hello.seat),
            &view,
            self.rng,
        )
    }
}

#[cfg(test)]
mod tests {
    use flipside_games::{FlipFour, SeatTurn as Asked};

    use super::*;
    use crate::session::play;

    fn hello(clock: &str) -> String {
        format!(
            r#"{{"type":"hello","protocol":1,"match":"m","game":"flipfour","options":{{"max_plies":60}},"seat":1,"seats":2,"clock":"{clock}","limits":{{"line":65536,"memory":0}},"seed":1}}"#
        ) + "\n"
    }

    const TURN: &str = concat!(
        r#"{"type":"turn","id":1,"actions":["+a2","+a3"],"clocks":[0,60000],"view":{"board":[".....",".....",".....",".....","R...."],"hands":[3,4],"to_move":1,"ply":1,"repetitions":1}}"#,
        "\n"
    );

    fn played(bot: impl Bot + 'static, lines: &str) -> (Result<(), Error>, String) {
        let mut output = Vec::new();
        let result = play(Box::new(bot), lines.as_bytes(), &mut output);
        (result, String::from_utf8(output).unwrap())
    }

    #[test]
    fn a_function_sees_the_match_the_view_the_state_and_its_time() {
        let choose = |question: &mut Question<'_>| {
            assert_eq!(question.hello.seat, 1);
            assert_eq!(question.actions(), ["+a2", "+a3"]);
            let view = question.view::<FlipFour>()?;
            assert_eq!((view.hands, view.to_move, view.ply), ([3, 4], Some(1), 1));
            let state: FlipFour = question.state()?;
            let Asked::Seats(mut seats) = state.turn() else {
                panic!("a seat is asked")
            };
            assert_eq!(seats.next(), Some(1));
            let left = question.time_left();
            assert!(left <= Duration::from_secs(60) && left > Duration::ZERO);
            question.random_action()
        };
        let (result, output) = played(Function::new("x", choose), &(hello("move=60s") + TURN));
        result.unwrap();
        let ready = r#"{"type":"ready","name":"x","actions":true,"reuse":true,"events":true}"#;
        assert_eq!(output.lines().next(), Some(ready));
        assert!(
            output.contains(r#"{"type":"act","id":1,"action":"+a"#),
            "{output}"
        );
    }

    #[test]
    fn a_function_learns_what_happened_since_its_last_turn() {
        let told = |question: &mut Question<'_>| {
            let told: Vec<String> = question
                .events()
                .iter()
                .map(|event| match event {
                    TurnEvent::Missed(missed) => format!("{missed} missed"),
                    TurnEvent::Acts(acts) => format!("{:?} did {:?}", acts[1].seat, acts[1].action),
                    other => format!("{other:?}"),
                })
                .collect();
            Ok(told.join(", "))
        };
        let events = r#","events":[{"missed":2},{"acts":[{"seat":0,"action":"+a1"},{"seat":1}]}]}"#;
        let turn = TURN.trim_end().strip_suffix('}').unwrap().to_owned() + events + "\n";
        let lines = [&hello("move=60s"), &*turn, TURN].concat();
        let (result, output) = played(Function::new("x", told), &lines);
        result.unwrap();
        let acts: Vec<_> = output.lines().skip(1).collect();
        assert!(
            acts[0].ends_with(r#""action":"2 missed, 1 did None"}"#),
            "{output}"
        );
        assert!(acts[1].ends_with(r#""action":""}"#), "{output}");
    }

    #[test]
    fn each_match_starts_with_a_clone_of_the_function() {
        let mut turns = 0;
        let count = move |_: &mut Question<'_>| {
            turns += 1;
            Ok(turns.to_string())
        };
        let lines = [&hello("move=1s"), TURN, TURN, &hello("move=1s"), TURN].concat();
        let (result, output) = played(Function::new("x", count), &lines);
        result.unwrap();
        let ends = ["\"1\"}", "\"2\"}", "\"1\"}"];
        let acts = output.lines().filter(|line| line.contains("act\","));
        for (act, end) in acts.zip(ends) {
            assert!(act.ends_with(end), "{output}");
        }
    }

    #[test]
    fn what_a_function_refuses_ends_the_bot_with_its_words() {
        let refuse =
            |question: &mut Question<'_>| Err(Error::Other(format!("not {}", question.hello.game)));
        let (result, _) = played(Function::new("x", refuse), &(hello("move=1s") + TURN));
        assert_eq!(result.unwrap_err().to_string(), "not flipfour");
        let view = |question: &mut Question<'_>| {
            question
                .view::<flipside_games::Flip4>()
                .map(|_| String::new())
        };
        let (result, _) = played(Function::new("x", view), &(hello("move=1s") + TURN));
        assert!(result.unwrap_err().to_string().contains("cannot be played"));
    }
}
