//! Games with planted mistakes: each is found, by the step that is for it.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use flipside_games::{AnyGame, GameHost, GameLink, GameServer, testing};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use super::*;

/// What a program does wrong: it changes an answer, or gives none for a reason.
type Mistake = fn(&Value, &mut Value, &mut u32) -> Result<(), String>;

/// A game that is served in this process, with a mistake.
struct Planted {
    game: &'static dyn AnyGame,
    mistake: Mistake,
    redeals: bool,
}

struct PlantedLink {
    server: GameServer<'static, fn([u8; 32]) -> ChaCha8Rng>,
    mistake: Mistake,
    redeals: bool,
    /// For mistakes that depend on what came before.
    counter: u32,
    answer: String,
}

impl GameHost for Planted {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        Ok(Box::new(PlantedLink {
            server: GameServer::new(self.game, "# Rules", ChaCha8Rng::from_seed as _),
            mistake: self.mistake,
            redeals: self.redeals,
            counter: 0,
            answer: String::new(),
        }))
    }
}

impl GameLink for PlantedLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        // The server must not do what the program says that it cannot.
        let served = match self.redeals || !request.contains("\"redeal\"") {
            true => request,
            false => r#"{"type":"no-redeal"}"#,
        };
        let answer = self
            .server
            .answer(served)
            .map_err(|error| error.to_string())?;
        let request: Value = serde_json::from_str(request).unwrap();
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        (self.mistake)(&request, &mut answer, &mut self.counter)?;
        self.answer = answer.to_string();
        Ok(&self.answer)
    }
}

fn checked(game: &str, mistake: Mistake) -> CheckedGame {
    check_planted(game, mistake, true)
}

fn check_planted(game: &str, mistake: Mistake, redeals: bool) -> CheckedGame {
    let game = testing::find(game).expect("a game for tests");
    let request = GameCheckRequest {
        game: Path::new("planted"),
        steps: &[],
        matches: 2,
        seed: 1,
        processes: Processes::default(),
        most: None,
    };
    let mut checked = CheckedGame {
        program: "planted".into(),
        game: None,
        sha256: "0".repeat(64),
        steps: Vec::new(),
        ms: 0,
    };
    let planted = Planted {
        game,
        mistake,
        redeals,
    };
    check_hosted(planted, &request, &mut checked, &mut |_| Ok(())).unwrap();
    checked
}

/// The steps that a game does not pass.
fn failed(checked: &CheckedGame) -> Vec<&'static str> {
    let failed = checked.steps.iter();
    let failed = failed.filter(|step| step.outcome.status == CheckStatus::Failed);
    failed.map(|step| step.name).collect()
}

const GAMES: [&str; 4] = ["test-kuhn", "test-race", "test-goofspiel", "test-teams"];

#[test]
fn a_game_without_a_mistake_passes_every_step() {
    for game in GAMES {
        let checked = checked(game, |_, _, _| Ok(()));
        let told: Vec<_> = checked
            .steps
            .iter()
            .map(|step| (step.name, &step.outcome))
            .collect();
        assert!(failed(&checked).is_empty(), "{game}: {told:#?}");
        assert_eq!(checked.steps.len(), game_checks().count());
        assert!(
            checked
                .steps
                .iter()
                .all(|step| step.outcome.status != CheckStatus::Warning)
        );
    }
}

fn is(request: &Value, kind: &str) -> bool {
    request["type"] == kind
}

/// Whether the program answers with a state that asks somebody.
fn asks(answer: &Value) -> bool {
    answer["asks"].is_array()
}

/// Mistakes, each with the game that has it and the first step that finds it.
const MISTAKES: [(&str, &str, &str, Mistake); 34] = [
    ("says nothing", "test-race", "describes", |_, _, _| {
        Err("closed".into())
    }),
    (
        "answers out of form",
        "test-race",
        "describes",
        |_, answer, _| {
            *answer = json!({ "type": "hello" });
            Ok(())
        },
    ),
    (
        "describes itself otherwise each time",
        "test-race",
        "describes",
        |request, answer, _| {
            static ASKED: AtomicU32 = AtomicU32::new(0);
            if is(request, "describe") {
                answer["summary"] = json!(ASKED.fetch_add(1, Ordering::Relaxed).to_string());
            }
            Ok(())
        },
    ),
    (
        "speaks another version",
        "test-race",
        "describes",
        |_, answer, _| {
            answer["protocol"] = json!(2);
            Ok(())
        },
    ),
    (
        "has the id of a built-in game",
        "test-race",
        "describes",
        |request, answer, _| {
            if is(request, "describe") {
                answer["id"] = json!("flipfour");
            }
            Ok(())
        },
    ),
    (
        "has an id with capitals",
        "test-race",
        "describes",
        |request, answer, _| {
            if is(request, "describe") {
                answer["id"] = json!("My Game");
            }
            Ok(())
        },
    ),
    (
        "is for seats in no order",
        "test-race",
        "describes",
        |request, answer, _| {
            if is(request, "describe") {
                answer["seats"] = json!([3, 2]);
            }
            Ok(())
        },
    ),
    (
        "has a title of two lines",
        "test-race",
        "describes",
        |request, answer, _| {
            if is(request, "describe") {
                answer["title"] = json!("a\nb");
            }
            Ok(())
        },
    ),
    (
        "has brief options that it does not know",
        "test-race",
        "describes",
        |request, answer, _| {
            if is(request, "describe") {
                answer["brief"] = json!({ "no_such": 1 });
            }
            Ok(())
        },
    ),
    (
        "has a notation that is no expression",
        "test-race",
        "notation",
        |request, answer, _| {
            if is(request, "describe") {
                answer["notation"] = json!("(");
            }
            Ok(())
        },
    ),
    (
        "refuses a number of seats that it names",
        "test-race",
        "seats",
        |request, answer, _| {
            if is(request, "setup") && request["seats"] == 3 {
                *answer = json!({ "type": "refused", "reason": "not three" });
            }
            Ok(())
        },
    ),
    (
        "ends at an unknown request",
        "test-race",
        "unknown-request",
        |request, _, _| match is(request, "no-such-request") {
            true => Err("closed".into()),
            false => Ok(()),
        },
    ),
    (
        "ends at an unknown field",
        "test-race",
        "unknown-field",
        |request, _, _| match request["later"].is_object() {
            true => Err("closed".into()),
            false => Ok(()),
        },
    ),
    (
        "crashes in a match",
        "test-race",
        "ends",
        |request, _, counter| {
            *counter += u32::from(is(request, "acts"));
            match *counter > 4 {
                true => Err("it ended with exit code 1".into()),
                false => Ok(()),
            }
        },
    ),
    (
        "lists actions in no order",
        "test-goofspiel",
        "ends",
        |_, answer, _| {
            if asks(answer)
                && let Some(list) = answer["asks"][0]["actions"].as_array_mut()
            {
                list.reverse();
            }
            Ok(())
        },
    ),
    (
        "lists an action twice",
        "test-race",
        "ends",
        |_, answer, _| {
            if asks(answer)
                && let Some(list) = answer["asks"][0]["actions"].as_array_mut()
            {
                let first = list[0].clone();
                list.insert(0, first);
            }
            Ok(())
        },
    ),
    (
        "asks a seat that is not there",
        "test-race",
        "ends",
        |_, answer, _| {
            if asks(answer) {
                answer["asks"][0]["seat"] = json!(6);
            }
            Ok(())
        },
    ),
    (
        "waits for seats and for chance",
        "test-race",
        "ends",
        |_, answer, _| {
            if asks(answer) {
                answer["chance"] = json!({});
            }
            Ok(())
        },
    ),
    (
        "asks a seat without actions",
        "test-race",
        "ends",
        |_, answer, _| {
            if asks(answer) {
                answer["asks"][0]["actions"] = json!([]);
            }
            Ok(())
        },
    ),
    (
        "has a view that is no object",
        "test-race",
        "ends",
        |_, answer, _| {
            if asks(answer) {
                answer["asks"][0]["view"] = json!([1]);
            }
            Ok(())
        },
    ),
    (
        "has points for too few seats",
        "test-race",
        "ends",
        |_, answer, _| {
            if answer["over"].is_object() {
                answer["over"]["points"] = json!([1]);
            }
            Ok(())
        },
    ),
    (
        "has a reason in words",
        "test-race",
        "ends",
        |_, answer, _| {
            if answer["over"].is_object() {
                answer["over"]["reason"] = json!("Somebody won!");
            }
            Ok(())
        },
    ),
    (
        "refuses an action that it listed",
        "test-goofspiel",
        "ends",
        |request, answer, counter| {
            *counter += u32::from(is(request, "acts"));
            if *counter == 2 {
                *answer = json!({ "type": "refused", "reason": "no" });
            }
            Ok(())
        },
    ),
    (
        "has actions that are not in its notation",
        "test-race",
        "actions",
        |request, answer, _| {
            if is(request, "describe") {
                answer["notation"] = json!("[0-9]{9}");
            }
            Ok(())
        },
    ),
    (
        "takes anything",
        "test-race",
        "refuses",
        |request, answer, _| {
            if is(request, "check") {
                *answer = json!({ "type": "legal" });
            }
            Ok(())
        },
    ),
    (
        "samples as it likes",
        "test-race",
        "chance",
        |request, answer, counter| {
            if is(request, "sample") {
                *counter += 1;
                answer["outcome"] = json!({ "roll": 1 + *counter % 2 });
            }
            Ok(())
        },
    ),
    (
        "refuses what it sampled",
        "test-race",
        "ends",
        |request, answer, _| {
            if is(request, "chance") {
                *answer = json!({ "type": "refused", "reason": "no such roll" });
            }
            Ok(())
        },
    ),
    (
        "has a view that depends on the clock",
        "test-teams",
        "repeats",
        |request, answer, counter| {
            *counter += 1;
            if is(request, "view") {
                answer["view"]["asked"] = json!(*counter);
            }
            Ok(())
        },
    ),
    (
        "replays to another state",
        "test-goofspiel",
        "replays",
        |request, answer, _| {
            if is(request, "replay") && asks(answer) {
                answer["asks"][0]["view"]["replayed"] = json!(true);
            }
            Ok(())
        },
    ),
    (
        "says that there is chance",
        "test-teams",
        "traits",
        |request, answer, _| {
            if is(request, "describe") {
                answer["chance"] = json!(true);
            }
            Ok(())
        },
    ),
    (
        "does not say that seats choose at once",
        "test-goofspiel",
        "ends",
        |request, answer, _| {
            if is(request, "describe") {
                answer["simultaneous"] = json!(false);
            }
            Ok(())
        },
    ),
    (
        "shows a seat what is hidden",
        "test-kuhn",
        "secrets",
        |request, answer, counter| {
            // The open view of what was dealt, to everybody.
            if is(request, "chance") || is(request, "redeal") {
                *counter = counter
                    .wrapping_mul(31)
                    .wrapping_add(1 + request["random"].to_string().len() as u32);
            }
            if is(request, "redeal") && asks(answer) {
                answer["asks"][0]["view"]["leak"] = json!("another deal");
            }
            Ok(())
        },
    ),
    (
        "draws nothing as text",
        "test-race",
        "text",
        |request, answer, _| {
            if is(request, "draw") && request["as"] == "text" {
                answer["drawing"] = json!("");
            }
            Ok(())
        },
    ),
    (
        "draws with a script",
        "test-race",
        "svg",
        |request, answer, _| {
            if is(request, "draw") && request["as"] == "svg" {
                answer["drawing"] = json!(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"
                );
            }
            Ok(())
        },
    ),
];

#[test]
fn every_planted_mistake_is_found_by_its_step() {
    let mut wrong = Vec::new();
    for (name, game, due, mistake) in MISTAKES {
        let checked = checked(game, mistake);
        let failed = failed(&checked);
        if failed.first() != Some(&due) {
            wrong.push(format!("a game that {name}: {failed:?} and not {due}"));
        }
        let found = checked.steps.iter().find(|step| step.name == due).unwrap();
        let outcome = &found.outcome;
        if !["describes", "notation"].contains(&due) && outcome.status == CheckStatus::Failed {
            assert!(!outcome.said.is_empty(), "{name}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_game_that_does_not_deal_again_is_told_that_its_secrets_cannot_be_seen() {
    let checked = check_planted("test-kuhn", |_, _, _| Ok(()), false);
    assert!(checked.passed());
    let secrets = checked
        .steps
        .iter()
        .find(|step| step.name == "secrets")
        .unwrap();
    assert_eq!(secrets.outcome.status, CheckStatus::Warning);
}
