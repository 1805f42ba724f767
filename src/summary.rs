//! What came of a tournament in a few lines that can be pasted into a message: plain text, no wider than
//! messages are.

use std::time::Duration;

use flipside_tournament::{Ranking, Row, Settings, Standings, Tournament};

use crate::export::share;
use crate::output::plain_line;
use crate::text::{cut, left, left_name, right, width as columns_of};
use crate::words;

/// The widest line, but for the command in the last one.
pub(crate) const WIDTH: usize = 72;

/// How many bots are named.
const MOST_ROWS: usize = 8;

/// The columns that scores take at least.
const NARROWEST_SCORE: usize = 7;

/// The columns that a share of the points takes.
const SHARE: usize = 5;

/// The widest name.
const WIDEST_NAME: usize = 28;

/// The run that a summary is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took {
    /// Matches that were done in it.
    pub(crate) matches: u64,
    /// Matches that were played beyond the one that decided.
    pub(crate) beyond: u64,
    /// How long it was.
    pub(crate) time: Duration,
}

/// What a summary tells of a tournament beside its standings.
struct Facts {
    name: String,
    about: String,
    seed: u64,
    trust: bool,
    /// How a sequential test stands.
    test: Option<String>,
}

/// The summary; with the run that has just ended, if one has.
pub(crate) fn of(tournament: &Tournament, standings: &Standings, took: Option<Took>) -> String {
    let facts = Facts {
        name: tournament.name.to_string(),
        about: about(&tournament.settings, tournament.entrants.len()),
        seed: tournament.settings.seed,
        trust: tournament.settings.trust,
        test: (standings.sprt.as_ref()).map(|running| words::sequential_test(tournament, running)),
    };
    told(&facts, standings, took)
}

fn told(facts: &Facts, standings: &Standings, took: Option<Took>) -> String {
    let title = plain_line(&facts.name);
    let mut lines = vec![title.clone()];
    let about = textwrap::wrap(&facts.about, WIDTH);
    lines.extend(about.into_iter().map(String::from));
    lines.push(played(standings, took));
    let mut more = vec![format!("seed {}", facts.seed)];
    let faults: u64 = standings.rows.iter().map(|row| row.faults).sum();
    more.push(counted(faults, "fault"));
    more.push(counted(standings.voids, "void"));
    if !standings.pauses.is_empty() {
        let bots = counted(standings.pauses.len() as u64, "bot");
        more.push(format!("{bots} paused"));
    }
    if facts.trust {
        more.push("without a jail".into());
    }
    lines.push(more.join(", "));
    if let Some(in_part) = words::in_part(&standings.imports) {
        lines.extend(
            textwrap::wrap(&in_part, WIDTH)
                .into_iter()
                .map(String::from),
        );
    }
    lines.push(String::new());
    let shown = &standings.rows[..standings.rows.len().min(MOST_ROWS)];
    let names = shown.iter().map(|row| columns_of(&plain_line(&row.bot)));
    let name = names.max().unwrap_or(0).clamp(3, WIDEST_NAME);
    let scores = scores(standings);
    let score = scores
        .iter()
        .take(shown.len() + 1)
        .map(|score| columns_of(score));
    let score = score.max().unwrap_or(0).max(NARROWEST_SCORE);
    let mut scores = scores.iter().map(|text| right(text, score));
    lines.push(format!(
        "    {}  rating  95 %   {}  won-drawn-lost",
        left("bot", name),
        scores.next().unwrap_or_default()
    ));
    let rows = shown.iter().zip(scores);
    lines.extend(rows.map(|(row, score)| line(row, name, &score)));
    if standings.rows.len() > shown.len() {
        lines.push(format!(
            "    and {} more",
            standings.rows.len() - shown.len()
        ));
    }
    if let Some(test) = &facts.test {
        lines.extend(textwrap::wrap(test, WIDTH).into_iter().map(String::from));
    }
    lines.push(String::new());
    let lines = lines
        .iter()
        .map(|line| cut(line, WIDTH).trim_end().to_owned() + "\n");
    // It is to be typed, so it is whole however wide.
    lines.collect::<String>() + &format!("more: flipside table {title} --full\n")
}

/// The game, the format and the clock, in one line.
pub(crate) fn about(settings: &Settings, bots: usize) -> String {
    let Settings {
        game,
        seats,
        format,
        clock,
        ..
    } = settings;
    let seats = match seats {
        2 => String::new(),
        seats => format!(" of {seats} seats"),
    };
    let more = |part: Option<String>| part.map_or_else(String::new, |part| format!(", {part}"));
    plain_line(&format!(
        "{game}{}{seats}, {bots} bots, {format}{}, clock {clock}{}",
        more(words::options(settings)),
        more(words::rounds(settings)),
        more(words::opening(settings)),
    ))
}

/// How many matches, and in what time.
fn played(standings: &Standings, took: Option<Took>) -> String {
    let all = match standings.played == standings.total.most() {
        true => counted(standings.played, "match"),
        false => format!("{} of {} matches", standings.played, standings.total),
    };
    let done = match took {
        None => all,
        Some(Took { matches, time, .. }) if matches == standings.played => {
            format!("{all} in {}", in_words(time))
        }
        Some(Took { matches, time, .. }) => {
            format!("{all}, {matches} of them now, in {}", in_words(time))
        }
    };
    let beyond = match took.map_or(0, |took| took.beyond) {
        0 => String::new(),
        1 => ", 1 beyond the decision does not count".into(),
        beyond => format!(", {beyond} beyond the decision do not count"),
    };
    done + &words::left_out(standings) + &beyond
}

/// What ranks, with its heading: what decides first in the order of a format's own, or else the score.
fn scores(standings: &Standings) -> Vec<String> {
    match &standings.ranking {
        Some(Ranking { by, rows }) => {
            let first = rows.iter().map(|row| row.cells.first().cloned());
            let heading = by.first().map(|&heading| heading.to_owned());
            std::iter::once(heading)
                .chain(first)
                .map(Option::unwrap_or_default)
                .collect()
        }
        None => {
            // Where some have played more than others, the share of the points ranks.
            let even = standings
                .rows
                .windows(2)
                .all(|two| two[0].games == two[1].games);
            let score = |score: &str, share: &str| match even {
                true => score.to_owned(),
                false => format!("{score}  {}", right(share, SHARE)),
            };
            let scores = standings
                .rows
                .iter()
                .map(|row| score(&format!("{:.1}", row.score), &share(row)));
            std::iter::once(score("score", "%")).chain(scores).collect()
        }
    }
}

fn line(row: &Row, name: usize, score: &str) -> String {
    let around = (row.high - row.low) / 2.0;
    format!(
        "{}. {}  {}  {}  {}  {}-{}-{}{}",
        right(&row.rank.to_string(), 2),
        left_name(&plain_line(&row.bot), name),
        right(&format!("{:.0}", row.rating), 6),
        left(&format!("±{around:.0}"), 5),
        score,
        row.wins,
        row.draws,
        row.losses,
        match row.faults {
            0 => String::new(),
            faults => format!(", {}", counted(faults, "fault")),
        }
    )
}

/// `1 fault`, `2 faults`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {}", plural(what)),
    }
}

/// `faults`, `matches`, `plies`.
pub(crate) fn plural(what: &str) -> String {
    match what.strip_suffix('y') {
        Some(begin) => format!("{begin}ies"),
        None if what.ends_with("ch") => format!("{what}es"),
        None => format!("{what}s"),
    }
}

/// A time that has passed, in words.
pub(crate) fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..90 => format!("{seconds} s"),
        seconds @ 90..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use flipside_tournament::{CrossTable, Ranked, Total};

    use super::*;

    fn row(rank: usize, bot: &str, faults: u64) -> Row {
        Row {
            rank,
            bot: bot.into(),
            rating: 1712.0,
            deviation: 23.0,
            low: 1667.0,
            high: 1757.0,
            games: 90,
            wins: 80,
            draws: 3,
            losses: 7,
            score: 81.5,
            percent: 90.5,
            percent_low: None,
            percent_high: None,
            faults,
            fault_names: BTreeMap::new(),
            voids: 0,
            often_void: false,
        }
    }

    fn standings(rows: Vec<Row>) -> Standings {
        Standings {
            played: 90,
            total: Total::Exactly(90),
            voids: 1,
            pauses: Vec::new(),
            imports: Vec::new(),
            left_out: 0,
            over: true,
            rows,
            cross: CrossTable {
                bots: Vec::new(),
                cells: Vec::new(),
            },
            ranking: None,
            encounters: Vec::new(),
            sprt: None,
        }
    }

    fn facts() -> Facts {
        Facts {
            name: "summer".into(),
            about: "flipfour, 2 bots, round-robin, 10 rounds, clock move=1s".into(),
            seed: 7,
            trust: false,
            test: None,
        }
    }

    #[test]
    fn a_summary_has_what_a_message_needs() {
        let rows = vec![row(1, "greedy@1", 0), row(2, "random@12", 2)];
        let took = Took {
            matches: 90,
            beyond: 0,
            time: Duration::from_secs(192),
        };
        assert_eq!(
            told(&facts(), &standings(rows), Some(took)),
            "\
summer
flipfour, 2 bots, round-robin, 10 rounds, clock move=1s
90 matches in 3 min 12 s
seed 7, 2 faults, 1 void

    bot        rating  95 %     score  won-drawn-lost
 1. greedy@1     1712  ±45       81.5  80-3-7
 2. random@12    1712  ±45       81.5  80-3-7, 2 faults

more: flipside table summer --full
"
        );
    }

    #[test]
    fn a_summary_shows_what_its_order_comes_from() {
        let mut standings = standings(vec![row(1, "a@1", 0), row(2, "b@1", 0)]);
        let ranked = |rank, reached: &str| Ranked {
            rank,
            entrant: 2 - rank,
            cells: vec![reached.into()],
        };
        standings.ranking = Some(Ranking {
            by: vec!["reached"],
            rows: vec![ranked(1, "quarter-final"), ranked(2, "last 16")],
        });
        let text = told(&facts(), &standings, None);
        for line in [
            "    bot  rating  95 %         reached  won-drawn-lost\n",
            " 1. a@1    1712  ±45    quarter-final  80-3-7\n",
            " 2. b@1    1712  ±45          last 16  80-3-7\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }

    #[test]
    fn a_summary_shows_the_shares_where_some_have_played_more() {
        let greedy = Row {
            games: 15,
            score: 11.0,
            percent: 1_100.0 / 15.0,
            ..row(2, "greedy@1", 0)
        };
        let random = Row {
            games: 10,
            score: 9.0,
            percent: 90.0,
            ..row(1, "random@2", 0)
        };
        let text = told(&facts(), &standings(vec![random, greedy]), None);
        for line in [
            "    bot       rating  95 %   score      %  won-drawn-lost\n",
            " 1. random@2    1712  ±45      9.0   90.0  80-3-7\n",
            " 2. greedy@1    1712  ±45     11.0   73.3  80-3-7\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }

    #[test]
    fn what_does_not_count_is_told_beside_what_does() {
        let mut standings = standings(vec![row(1, "greedy@1", 0)]);
        let took = |beyond| Took {
            matches: 90,
            beyond,
            time: Duration::from_millis(400),
        };
        let text = told(&facts(), &standings, Some(took(33)));
        let line = "\n90 matches in 0.4 s, 33 beyond the decision do not count\n";
        assert!(text.contains(line), "{text}");
        standings.total = Total::Exactly(96);
        standings.left_out = 6;
        let text = told(&facts(), &standings, Some(took(0)));
        assert!(
            text.contains("\n90 of 96 matches in 0.4 s, 6 left out\n"),
            "{text}"
        );
    }

    #[test]
    fn versions_of_a_bot_stay_apart_and_a_command_can_be_typed() {
        let name = "n".repeat(64);
        let bots = [1, 12].map(|version| format!("{name}@{version}"));
        let rows = vec![row(1, &bots[0], 0), row(2, &bots[1], 0)];
        let facts = Facts {
            name: name.clone(),
            ..facts()
        };
        let text = told(&facts, &standings(rows), None);
        let cut = |version: &str| format!("n…{}{version}  ", "n".repeat(9 - version.len()));
        for version in ["@1", "@12"] {
            assert!(text.contains(&cut(version)), "{text}");
        }
        assert!(text.ends_with(&format!("\nmore: flipside table {name} --full\n")));
    }

    #[test]
    fn one_is_not_told_as_many() {
        for (what, one, more) in [
            ("fault", "1 fault", "2 faults"),
            ("match", "1 match", "0 matches"),
            ("ply", "1 ply", "30 plies"),
        ] {
            let number = |text: &str| text.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(
                [one, more].map(|text| counted(number(text), what)),
                [one, more]
            );
        }
    }

    #[test]
    fn a_summary_of_a_part_says_so() {
        let mut standings = standings(vec![row(1, "greedy@1", 0)]);
        standings.total = Total::AtMost(400);
        let took = Took {
            matches: 30,
            beyond: 0,
            time: Duration::from_millis(8340),
        };
        let text = told(&facts(), &standings, Some(took));
        assert!(
            text.contains("\n90 of at most 400 matches, 30 of them now, in 8.3 s\n"),
            "{text}"
        );
        let text = told(&facts(), &standings, None);
        assert!(text.contains("\n90 of at most 400 matches\n"), "{text}");
    }

    #[test]
    fn a_summary_is_narrow_and_plain_whatever_the_names() {
        let hostile = "\x1b[2J\u{202e}evil\n五子棋五子棋五子棋五子棋五子棋五子棋";
        let rows = (1..=30)
            .map(|rank| row(rank, hostile, u64::MAX / 64))
            .collect();
        let facts = Facts {
            name: hostile.into(),
            about: plain_line(&hostile.repeat(9)),
            trust: true,
            ..facts()
        };
        let text = told(&facts, &standings(rows), None);
        assert!(text.contains("    and 22 more\n"), "{text}");
        for line in text.lines() {
            let command = line.starts_with("more: ");
            assert!(columns_of(line) <= WIDTH || command, "{line}");
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
}
