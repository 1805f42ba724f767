//! A tournament in words, the same wherever it is told.

use flipside_tournament::statistics::{Bounds, Decision, Running};
use flipside_tournament::{
    Bot, Format, Import, Pause, Paused, Settings, Standings, Tournament, hundredths,
};

use crate::output::plain_line;
use crate::summary::counted;

/// How a sequential test stands, in one line: of whom against whom, and what is decided.
pub(crate) fn sequential_test(tournament: &Tournament, running: &Running) -> String {
    let bots: Vec<String> = tournament.entrants.iter().map(Bot::label).collect();
    sequential_test_of(&bots, running)
}

fn sequential_test_of(bots: &[String], running: &Running) -> String {
    let Running {
        blocks,
        llr,
        bounds: Bounds { lower, upper },
        decision,
    } = running;
    let decided = match decision {
        None => "not decided",
        Some(Decision::Elo0) => "elo0 is taken for true",
        Some(Decision::Elo1) => "elo1 is taken for true",
    };
    plain_line(&format!(
        "{}: LLR {:.2} ({lower:.2}, {upper:.2}), {}: {decided}",
        bots.join(" against "),
        hundredths(*llr),
        counted(*blocks, "block"),
    ))
}

/// What is said where an archive was taken in only in part.
pub(crate) const IN_PART: &str =
    "taken in only in part: `flipside import` with the same archive brings the rest";

/// That archives were taken in only in part, in one line; nothing where none was.
pub(crate) fn in_part(imports: &[Import]) -> Option<String> {
    let open = imports.iter().filter(|import| !import.finished);
    let names: Vec<&str> = open.map(|import| import.name.as_str()).collect();
    let were = if names.len() == 1 { "was" } else { "were" };
    (!names.is_empty()).then(|| plain_line(&format!("{} {were} {IN_PART}", names.join(", "))))
}

/// How many matches were left out for bots that are paused, as a further part of a list.
pub(crate) fn left_out(standings: &Standings) -> String {
    match standings.left_out {
        0 => String::new(),
        left_out => format!(", {left_out} left out"),
    }
}

/// Who is paused, why, and what becomes of its matches; in one line.
pub(crate) fn paused(tournament: &Tournament, pause: &Pause) -> String {
    let matches = match tournament.settings.policy.paused {
        Paused::Forfeit => "are forfeits",
        Paused::LeaveOut => "are left out",
    };
    plain_line(&format!(
        "{} {pause}; its remaining matches {matches}",
        pause.bot
    ))
}

/// The options that are not as they are without any being asked for; nothing if all are so.
pub(crate) fn options(settings: &Settings) -> Option<String> {
    type Options = serde_json::Map<String, serde_json::Value>;
    let read = |json: &str| serde_json::from_str::<Options>(json).ok();
    let usual = flipside_games::find(&settings.game)
        .and_then(|game| game.set_up("{}", settings.seats).ok())
        .and_then(|setup| read(&setup.options))
        .unwrap_or_default();
    let Some(options) = read(&settings.complete_options()) else {
        return Some(plain_line(&settings.options));
    };
    let others: Vec<String> = options
        .iter()
        .filter(|(name, value)| usual.get(*name) != Some(value))
        .map(|(name, value)| match value {
            serde_json::Value::String(text) => format!("{name}={text}"),
            value => format!("{name}={value}"),
        })
        .collect();
    (!others.is_empty()).then(|| plain_line(&others.join(" ")))
}

/// How many rounds were asked for; nothing in a format that counts its own.
pub(crate) fn rounds(settings: &Settings) -> Option<String> {
    match settings.format {
        Format::RoundRobin | Format::Gauntlet { .. } | Format::Swiss { .. } => {
            Some(counted(settings.rounds.into(), "round"))
        }
        Format::Sprt(_) => Some(format!(
            "at most {}",
            counted(settings.rounds.into(), "block")
        )),
        Format::Knockout { .. } | Format::Ladder { .. } => None,
    }
}

/// How many plies are drawn before anybody is asked; nothing if none are.
pub(crate) fn opening(settings: &Settings) -> Option<String> {
    match settings.opening_plies {
        0 => None,
        plies => Some(counted(plies.into(), "opening ply")),
    }
}

/// That the same two bots may play the same match more than once, where nothing in the game makes matches
/// differ; nothing where they meet only once, or something does.
pub(crate) fn may_repeat(settings: &Settings) -> Option<String> {
    let game = flipside_games::find(&settings.game)?;
    let meet_again = match &settings.format {
        Format::RoundRobin | Format::Gauntlet { .. } => settings.rounds > 1,
        Format::Knockout { best_of, .. } => *best_of > 1,
        Format::Sprt(_) | Format::Ladder { .. } => true,
        Format::Swiss { .. } => false,
    };
    let alike = !game.info().chance && settings.opening_plies == 0;
    (alike && meet_again).then(|| {
        format!(
            "nothing is drawn by lot in {}: bots that always answer alike play the same match again and again, \
             and each counts as a new one; --opening-plies 4 lets every block begin differently",
            settings.game
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_drawn_bots_may_play_the_same_match_again() {
        let told = |format: &str, change: &dyn Fn(&mut Settings)| {
            let mut settings = settings("{}");
            settings.format = format.parse().unwrap();
            change(&mut settings);
            may_repeat(&settings).is_some()
        };
        let as_it_is = |_: &mut Settings| {};
        assert!(told("round-robin", &as_it_is) && told("sprt", &as_it_is));
        assert!(!told("swiss", &as_it_is));
        assert!(!told("round-robin", &|settings| settings.rounds = 1));
        assert!(!told("sprt", &|settings| settings.opening_plies = 2));
        assert!(!told("round-robin", &|settings| settings.game = "flip4".into()));
    }

    fn settings(options: &str) -> Settings {
        let json = format!(
            r#"{{"game":"flipflop-3x3","options":{options:?},"seats":2,"format":"round-robin","rounds":2,"clock":"move=1s","seed":1}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn no_minus_stands_before_a_ratio_of_zero() {
        let running = |llr| Running {
            blocks: 1,
            llr,
            bounds: Bounds {
                lower: -2.94,
                upper: 2.94,
            },
            decision: None,
        };
        let told = |llr| sequential_test_of(&["a@1".into(), "b@1".into()], &running(llr));
        assert_eq!(
            told(-0.001),
            "a@1 against b@1: LLR 0.00 (-2.94, 2.94), 1 block: not decided"
        );
        assert!(told(-0.006).contains(" LLR -0.01 "));
    }

    #[test]
    fn options_are_told_that_are_not_as_they_mostly_are() {
        let game = flipside_games::find("flipflop-3x3").unwrap();
        let usual = game.set_up("{}", 2).unwrap().options;
        assert_eq!(options(&settings(&usual)), None);
        let other = game.set_up(r#"{"max_plies":17}"#, 2).unwrap().options;
        assert_eq!(options(&settings(&other)).unwrap(), "max_plies=17");
        // What is no object is told as it stands, on one line.
        assert_eq!(options(&settings("a\nb")).unwrap(), "a\\nb");
    }

    #[test]
    fn what_is_not_asked_for_is_not_told() {
        let mut settings = settings("{}");
        assert_eq!(opening(&settings), None);
        settings.opening_plies = 1;
        assert_eq!(opening(&settings).unwrap(), "1 opening ply");
        assert_eq!(rounds(&settings).unwrap(), "2 rounds");
        settings.format = "sprt".parse().unwrap();
        assert_eq!(rounds(&settings).unwrap(), "at most 2 blocks");
        settings.format = "knockout".parse().unwrap();
        assert_eq!(rounds(&settings), None);
    }
}
