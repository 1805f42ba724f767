//! A tournament in words, the same wherever it is described.

use std::time::Duration;

use flipside_games::words::{counted, joined};
use flipside_ratings::{Bounds, Model, Running, Sprt, SprtDecision, hundredths};
use flipside_referee::PublicKey;
use flipside_tournament::{
    ChangeRow, ChangeWord, Format, Import, LeftAs, MAX_LADDER_MATCHES, Pause, Rounds, Runs,
    Settings, Standings, StandingsRow, Total, Tournament,
};

use crate::plain::plain_line;
use crate::width::cut;

/// What is said where bots had no jail around them.
pub const TRUSTED: &str = "trust: processes were started without a jail";

/// What the column `imported` of ratings means.
pub const IMPORTED: &str = "imported: how many of the games another arena played; their records were verified, and \
                            nothing shows who chose the moves";

/// What is said of a tournament that counts in no rating.
pub const UNRATED: &str = "unrated: the arena's ratings leave this tournament out";

/// The points of a seat in a match: `1`, `½`, and a part of one with at most two digits.
pub fn points(points: f64) -> String {
    match points {
        0.5 => "½".into(),
        _ => {
            let text = format!("{points:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// How a sequential test stands, in one line: of whom against whom, how far it is, and what is decided.
pub fn sequential_test(tournament: &Tournament, running: &Running) -> String {
    match (&tournament.entrants[..], tournament.settings.format) {
        ([one, other], Format::Sprt(sprt)) => {
            sequential_test_of([&one.label(), &other.label()], &sprt, running)
        }
        _ => String::new(),
    }
}

/// What a sequential test has found, without the terms of statistics.
fn found([one, other]: [&str; 2], sprt: &Sprt, decision: Option<SprtDecision>) -> String {
    let unit = match sprt.model() {
        Model::Logistic => "Elo",
        Model::Normalized => "nElo",
    };
    match decision {
        None => "not decided".into(),
        Some(SprtDecision::Elo1) if sprt.elo1() > 0.0 => {
            format!("{one} is stronger than {other}")
        }
        Some(SprtDecision::Elo1) => {
            format!(
                "{one} is not weaker than {other} by {} {unit}",
                -sprt.elo0()
            )
        }
        Some(SprtDecision::Elo0) if sprt.elo0() < 0.0 => {
            format!("{one} is weaker than {other}")
        }
        Some(SprtDecision::Elo0) => {
            format!(
                "{one} is not stronger than {other} by {} {unit}",
                sprt.elo1()
            )
        }
    }
}

/// How a sequential test stands, as a sentence for somebody who knows no statistics; nothing for other formats.
pub fn test_in_a_sentence(tournament: &Tournament, standings: &Standings) -> Option<String> {
    let running = standings.sprt?;
    let (Format::Sprt(sprt), [one, other]) = (tournament.settings.format, &tournament.entrants[..])
    else {
        return None;
    };
    let (one, other) = (one.label(), other.label());
    let blocks = counted(running.blocks, "block");
    let share = standings.rows.iter().find(|row| row.bot == one);
    let share = share.filter(|row| row.games > 0);
    let share = share.map(|row| format!(" {one} has {:.1} % of the points.", row.percent));
    let sentence = match running.decision {
        None => format!("Whether {one} is stronger than {other} is not decided after {blocks}."),
        decision => {
            let found = found([&one, &other], &sprt, decision);
            format!("{found}: the test decided so after {blocks}.")
        }
    };
    Some(plain_line(&(sentence + &share.unwrap_or_default())))
}

pub(super) fn sequential_test_of(
    [one, other]: [&str; 2],
    sprt: &Sprt,
    running: &Running,
) -> String {
    let Running {
        blocks,
        llr,
        bounds: Bounds { lower, upper },
        decision,
    } = running;
    let model = match sprt.model() {
        Model::Logistic => "logistic",
        Model::Normalized => "normalized",
    };
    let found = found([one, other], sprt, *decision);
    let verdict = match decision {
        None => found,
        Some(SprtDecision::Elo1) => format!("H1 accepted: {found}"),
        Some(SprtDecision::Elo0) => format!("H0 accepted: {found}"),
    };
    let (bound, part) = if *llr < 0.0 {
        ("H0", llr / lower)
    } else {
        ("H1", llr / upper)
    };
    plain_line(&format!(
        "{one} against {other}: LLR {:.2} ({lower:.2}, {upper:.2}) in {model} Elo, {:.0} % of the bound of {bound}, {}: {verdict}",
        hundredths(*llr),
        100.0 * part,
        counted(*blocks, "block"),
    ))
}

/// What is said where an archive was taken in only in part.
pub const IN_PART: &str =
    "taken in only in part: `flipside import` with the same archive brings the rest";

/// That archives were taken in only in part, in one line; nothing where none was.
pub fn in_part(imports: &[Import]) -> Option<String> {
    let open = imports.iter().filter(|import| !import.finished);
    let names: Vec<&str> = open.map(|import| import.name.as_str()).collect();
    let were = if names.len() == 1 { "was" } else { "were" };
    (!names.is_empty()).then(|| plain_line(&format!("{} {were} {IN_PART}", names.join(", "))))
}

/// Whether a tournament has no end: a ladder that goes on for as long as somebody lets it.
pub fn is_endless(total: Total) -> bool {
    total.most() >= MAX_LADDER_MATCHES
}

/// How many matches were played, and of how many, in words: `12 of 90 matches`.
pub fn progress(played: u64, total: Total) -> String {
    match is_endless(total) {
        true => format!("{}, continuous", counted(played, "match")),
        false => format!("{played} of {total} matches"),
    }
}

/// How many matches were left out, because no side was there, as a further part of a list.
pub fn left_out(standings: &Standings) -> String {
    match standings.left_out {
        0 => String::new(),
        left_out => format!(", {left_out} left out"),
    }
}

/// That nothing was decided, where every match was drawn.
pub fn all_drawn(standings: &Standings) -> Option<String> {
    let mut rows = standings.rows.iter();
    let is_drawn = standings.played > 0 && rows.all(|row| row.wins == 0 && row.losses == 0);
    is_drawn.then(|| match standings.played {
        1 => "the only match was drawn: it does not tell the bots apart".into(),
        all => format!("all {all} matches were drawn: they do not tell the bots apart"),
    })
}

/// Which neighbours' order the results do not support, in one line; nothing where all is supported or shared.
pub fn not_told_apart(standings: &Standings) -> Option<String> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for two in standings.rows.windows(2) {
        let [above, below] = [two[0].rank, two[1].rank];
        match runs.last_mut() {
            _ if two[1].is_told_apart != Some(false) || above == below => {}
            Some([_, last]) if *last == above => *last = below,
            _ => runs.push([above, below]),
        }
    }
    let places = runs.iter().map(|[first, last]| match last - first {
        1 => format!("{first} and {last}"),
        _ => format!("{first} to {last}"),
    });
    let places = joined(places, ", ");
    (!places.is_empty()).then(|| {
        format!("not certain: the order of places {places}; the results do not support it at 95 %")
    })
}

/// Two neighbours of the table are said to be loosely linked if their link is worth less than one of so many of the
/// matches that either has played. Where everybody meets everybody, it is worth a half of them.
const LOOSE: f64 = 10.0;

/// Of how many neighbours it is told that few matches link them.
const MOST_LOOSE: usize = 3;

/// Which neighbours of the table few matches link, a line for each of the first; nothing where none are.
pub fn loosely_linked(standings: &Standings) -> impl Iterator<Item = String> {
    let pairs = standings.rows.windows(2);
    let loose = pairs.filter_map(|two| {
        let (above, below, link) = (&two[0], &two[1], two[1].link?);
        let played = above.games.min(below.games);
        let worth = match link {
            ..1.0 => "less than one match".into(),
            _ => counted(link.round() as u64, "match"),
        };
        (link * LOOSE < played as f64).then(|| {
            plain_line(&format!(
                "loosely linked: {} and {} have each played at least {played} matches, but all matches together compare \
                 the two no better than {worth} between them would",
                above.bot, below.bot
            ))
        })
    });
    loose.take(MOST_LOOSE)
}

/// How a bot has left, in a word.
pub fn left_in_short(how: LeftAs) -> &'static str {
    match how {
        LeftAs::Withdrawn => "withdrawn",
        LeftAs::Disqualified => "disqualified",
    }
}

/// The widest cell that says how a bot has left; the notes below the table have the whole reason.
const MAX_LEFT: usize = 60;

/// How a bot has left, and why it was sent away; nothing if it has not left.
pub fn left(row: &StandingsRow) -> Option<String> {
    let how = left_in_short(row.left?);
    let sent_away = row.left == Some(LeftAs::Disqualified);
    Some(match row.left_because.as_ref().filter(|_| sent_away) {
        Some(reason) => cut(
            &plain_line(&format!("{how}: {}", reason.as_str())),
            MAX_LEFT,
        ),
        None => how.to_owned(),
    })
}

/// How many matches do not count, and why; nothing if all count.
pub fn uncounted(standings: &Standings) -> Option<String> {
    let matches = standings.uncounted;
    (matches > 0).then(|| {
        format!(
            "not counted: {} with a bot that was disqualified afterwards; the ratings of the game count them",
            counted(matches, "match")
        )
    })
}

/// What becomes of the matches of a bot that does not come to them.
const FORFEITED: &str = "; its remaining matches are forfeits";

/// Who is paused, why, and what becomes of its matches; in one line.
pub fn paused(pause: &Pause) -> String {
    plain_line(&format!("{} {pause}{FORFEITED}", pause.bot))
}

/// What was changed of a tournament, and what follows; in one line.
pub fn changed(change: &ChangeRow) -> String {
    let leaves = [ChangeWord::Withdrawn, ChangeWord::Disqualified].contains(&change.what);
    let matches = if leaves { FORFEITED } else { "" };
    plain_line(&format!("{change}{matches}"))
}

/// The options that are not as they are without any being asked for; nothing if all are so.
pub fn options(settings: &Settings) -> Option<String> {
    type Options = serde_json::Map<String, serde_json::Value>;
    let read = |json: &str| serde_json::from_str::<Options>(json).ok();
    let usual = flipside_games::find(&settings.game)
        .and_then(|game| game.set_up("{}", settings.seats).ok())
        .and_then(|setup| read(&setup.options))
        .unwrap_or_default();
    let Some(options) = read(&settings.options) else {
        return Some(plain_line(&settings.options));
    };
    let others = options.iter();
    let others = others.filter(|(name, value)| usual.get(*name) != Some(value));
    let others = others.map(|(name, value)| match value {
        serde_json::Value::String(text) => format!("{name}={text}"),
        value => format!("{name}={value}"),
    });
    let others = joined(others, " ");
    (!others.is_empty()).then(|| plain_line(&others))
}

/// Which bots have settings of their own, a line for each.
pub fn bots_settings(settings: &Settings) -> impl Iterator<Item = String> {
    let all = settings.bot.iter();
    all.map(|(bot, own)| plain_line(&format!("{bot} plays with {}", own.in_words())))
}

/// How many rounds were asked for; nothing in a format that counts its own.
pub fn rounds(settings: &Settings) -> Option<String> {
    match settings.format.rounds() {
        Rounds::Asked(_) => Some(counted(settings.rounds, "round")),
        Rounds::Blocks(_) => Some(format!("at most {}", counted(settings.rounds, "block"))),
        Rounds::Own => None,
    }
}

/// How many plies are drawn before anybody is asked; nothing if none are.
pub fn opening(settings: &Settings) -> Option<String> {
    match settings.opening_plies {
        0 => None,
        plies => Some(counted(plies, "opening ply")),
    }
}

/// That the same two bots may play the same match more than once, where nothing in the game makes matches
/// differ; nothing where they meet only once, or something does.
pub fn may_repeat(settings: &Settings) -> Option<String> {
    let game = flipside_games::find(&settings.game)?;
    let meet_again = settings.format.meets_again(settings.rounds);
    let alike = !game.info().chance && settings.opening_plies == 0;
    (alike && meet_again).then(|| {
        format!(
            "{} has no random events: deterministic bots repeat the same match, and every repetition counts; \
             --opening-plies 4 starts each block with random moves",
            settings.game
        )
    })
}

/// Names a bot whose matches are void far more often than those of the others.
pub fn often_void(row: &StandingsRow) -> String {
    plain_line(&format!(
        "voids: the matches of {} are void far more often than the others': {} of {} tries; look at what it does",
        row.bot,
        row.voids,
        row.games + row.voids
    ))
}

/// Where matches come from that were not played here, in one line.
pub fn imported(import: &Import) -> String {
    let (were, records) = match import.matches {
        1 => ("was", "its record"),
        _ => ("were", "their records"),
    };
    let told = plain_line(&format!(
        "import: {} {were} played in another arena, as {} ({}): with {records} verified; nothing shows who chose the \
         moves",
        counted(import.matches, "match"),
        import.name,
        signed(import.signer),
    ));
    if import.finished {
        told
    } else {
        format!("{told}; {IN_PART}")
    }
}

/// Who signed something.
pub fn signed(signer: Option<PublicKey>) -> String {
    match signer {
        Some(signer) => format!("signed by {signer}"),
        None => "not signed".into(),
    }
}

/// That a worker on another machine was banned, in one line.
pub fn banned(worker: &str, reason: &str, withdrawn: u64) -> String {
    let again = match withdrawn {
        0 => "none of its results had counted".into(),
        1 => "1 of its results is withdrawn and played again".into(),
        _ => format!("{withdrawn} of its results are withdrawn and played again"),
    };
    format!("the worker {worker} is banned: {reason}; {again}")
}

/// That matches had cores of their own, in one line; nothing where none had.
pub fn affinity(runs: Runs, imports: &[Import]) -> Option<String> {
    let each = if imports.is_empty() {
        "each match"
    } else {
        "each match that was played here"
    };
    let when = match (runs.pinned, runs.all) {
        (0, _) => return None,
        (pinned, all) if pinned == all => String::new(),
        (pinned, all) => format!("in {pinned} of {all} runs, "),
    };
    Some(format!(
        "affinity: {when}{each} ran on CPU cores of its own, except for bots with several threads"
    ))
}

/// A warning, in one line, that matches were played on machines of different speed; nothing where they were not.
pub fn classes(classes: &[(String, u64)]) -> Option<String> {
    if classes.len() < 2 {
        return None;
    }
    let each = classes.iter().map(|(class, matches)| {
        let matches = counted(*matches, "match");
        match class.as_str() {
            "" => format!("{matches} on machines of unknown class"),
            class => format!("{matches} on class {class}"),
        }
    });
    Some(format!(
        "warning: the machines differ in speed, so a bot could compute more in some matches: {}",
        joined(each, ", ")
    ))
}

/// A warning, in one line, that results are of workers that were banned since; nothing where none are.
pub fn untrusted(results: u64) -> Option<String> {
    let what = match results {
        0 => return None,
        1 => "1 result was returned by a worker that has".to_owned(),
        _ => format!("{results} results were returned by workers that have"),
    };
    Some(format!(
        "warning: {what} been banned since; resume the tournament to withdraw and repeat these matches"
    ))
}

/// The game, the format and the clock, in one line.
pub fn about(settings: &Settings, bots: usize) -> String {
    let Settings {
        game,
        seats,
        copies,
        format,
        clock,
        ..
    } = settings;
    let seats = match (seats, copies) {
        (2, 1) => String::new(),
        (seats, 1) => format!(" of {seats} seats"),
        (seats, copies) => format!(" of {seats} seats, {copies} for each bot"),
    };
    let more = |part: Option<String>| part.map_or_else(String::new, |part| format!(", {part}"));
    plain_line(&format!(
        "{game}{}{seats}, {bots} bots, {format}{}, clock {clock}{}",
        more(options(settings)),
        more(rounds(settings)),
        more(opening(settings)),
    ))
}

/// What people call a format: the first word of how it is typed, as a title.
pub fn format_title(format: &str) -> String {
    let name = format.split([' ', ':', ',']).next().unwrap_or(format);
    if name == "sprt" {
        return "SPRT".into();
    }
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A time that something took and that may be far less than a second, from microseconds.
pub fn took(us: f64) -> String {
    match us {
        us if us < 9.95 => format!("{us:.1} µs"),
        us if us < 999.5 => format!("{us:.0} µs"),
        us if us < 9_950.0 => format!("{:.1} ms", us / 1e3),
        us if us < 999_500.0 => format!("{:.0} ms", us / 1e3),
        us => in_words(Duration::from_secs_f64(us / 1e6)),
    }
}

/// A size in units of a thousand.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return match bytes {
            1 => "1 byte".into(),
            _ => format!("{bytes} bytes"),
        };
    }
    let (mut number, mut unit) = (bytes as f64 / 1e3, 0);
    // What would be rounded to a thousand is one of the next unit.
    while number >= 999.5 && unit + 1 < UNITS.len() {
        number /= 1e3;
        unit += 1;
    }
    let decimals = usize::from(number < 9.95);
    format!("{number:.decimals$} {}", UNITS[unit])
}

/// A time that has passed, in words.
pub fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..90 => format!("{seconds} s"),
        seconds @ 90..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_titles() {
        let told = [
            "round-robin",
            "sprt elo0=0 elo1=50",
            "swiss",
            "knockout, best of 3",
            "",
        ]
        .map(format_title);
        assert_eq!(told, ["Round robin", "SPRT", "Swiss", "Knockout", ""]);
    }

    #[test]
    fn times_and_sizes_are_in_units_that_fit() {
        let times = [
            0.0,
            12.0,
            999.0,
            1_049.0,
            46_000.0,
            999_000.0,
            4_100_000.0,
            9e7,
        ];
        let told = times.map(took);
        let expected = [
            "0.0 µs",
            "12 µs",
            "999 µs",
            "1.0 ms",
            "46 ms",
            "999 ms",
            "4.1 s",
            "1 min 30 s",
        ];
        assert_eq!(told, expected);
        let sizes = [
            0,
            1,
            999,
            1_000,
            9_940,
            9_960,
            47_284_864,
            999_499,
            999_500,
            1 << 40,
        ];
        let told = sizes.map(size);
        let expected = [
            "0 bytes",
            "1 byte",
            "999 bytes",
            "1.0 kB",
            "9.9 kB",
            "10 kB",
            "47 MB",
            "999 kB",
            "1.0 MB",
            "1.1 TB",
        ];
        assert_eq!(told, expected);
    }

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
        Settings {
            game: "flipflop-3x3".into(),
            options: options.into(),
            rounds: 2,
            ..Settings::default()
        }
    }

    #[test]
    fn a_sequential_test_says_how_far_it_is_and_what_it_decided() {
        let told = |hypotheses: [f64; 2], model, llr: f64, decision| {
            let sprt = Sprt::new(hypotheses[0], hypotheses[1], 0.05, 0.05, model).unwrap();
            let running = Running {
                blocks: 12,
                llr,
                bounds: sprt.bounds(),
                decision,
            };
            sequential_test_of(["yon@2", "yon@1"], &sprt, &running)
        };
        let (h0, h1) = (Some(SprtDecision::Elo0), Some(SprtDecision::Elo1));
        let (elo, nelo) = (Model::Logistic, Model::Normalized);
        let lines = [
            told([0.0, 20.0], elo, -0.001, None),
            told([0.0, 20.0], elo, 1.25, None),
            told([0.0, 20.0], elo, -1.25, None),
            told([0.0, 20.0], elo, 3.01, h1),
            told([0.0, 20.0], nelo, -3.2, h0),
            told([-15.0, 15.0], elo, 3.01, h1),
            told([-15.0, 15.0], elo, -3.01, h0),
            told([-5.0, 0.0], nelo, 3.01, h1),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r"
        yon@2 against yon@1: LLR 0.00 (-3.00, 3.00) in logistic Elo, 0 % of the bound of H0, 12 blocks: not decided
        yon@2 against yon@1: LLR 1.25 (-3.00, 3.00) in logistic Elo, 42 % of the bound of H1, 12 blocks: not decided
        yon@2 against yon@1: LLR -1.25 (-3.00, 3.00) in logistic Elo, 42 % of the bound of H0, 12 blocks: not decided
        yon@2 against yon@1: LLR 3.01 (-3.00, 3.00) in logistic Elo, 100 % of the bound of H1, 12 blocks: H1 accepted: yon@2 is stronger than yon@1
        yon@2 against yon@1: LLR -3.20 (-3.00, 3.00) in normalized Elo, 107 % of the bound of H0, 12 blocks: H0 accepted: yon@2 is not stronger than yon@1 by 20 nElo
        yon@2 against yon@1: LLR 3.01 (-3.00, 3.00) in logistic Elo, 100 % of the bound of H1, 12 blocks: H1 accepted: yon@2 is stronger than yon@1
        yon@2 against yon@1: LLR -3.01 (-3.00, 3.00) in logistic Elo, 100 % of the bound of H0, 12 blocks: H0 accepted: yon@2 is weaker than yon@1
        yon@2 against yon@1: LLR 3.01 (-3.00, 3.00) in normalized Elo, 100 % of the bound of H1, 12 blocks: H1 accepted: yon@2 is not weaker than yon@1 by 5 nElo
        ");
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

    #[test]
    fn that_matches_had_cores_of_their_own_is_told_of_those_that_had() {
        let told = |pinned, all| affinity(Runs { all, pinned }, &[]);
        assert_eq!([told(0, 0), told(0, 3)], [None, None]);
        let each = "each match ran on CPU cores of its own, except for bots with several threads";
        assert_eq!(told(1, 1).unwrap(), format!("affinity: {each}"));
        assert_eq!(
            told(2, 3).unwrap(),
            format!("affinity: in 2 of 3 runs, {each}")
        );
    }
}
