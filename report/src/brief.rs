//! What came of a tournament in a few lines that can be pasted into a message: plain text, no wider than
//! messages are.

use std::time::Duration;

use flipside_games::words::counted;
use flipside_tournament::{Standings, Tournament};

use crate::plain::plain_line;
use crate::standings::standings_table;
use crate::width::cut;
use crate::words::{self, about, in_words};

/// The widest line, but for the command in the last one.
const WIDTH: usize = 72;

/// How many bots are named.
const MAX_ROWS: usize = 8;

/// The run that a summary is of.
#[derive(Clone, Copy, Debug)]
pub struct RunStats {
    /// Matches that were done in it.
    pub matches: u64,
    /// Matches that were played beyond the one that decided.
    pub beyond: u64,
    /// How long it was.
    pub time: Duration,
    /// Whether the whole table stands beside the summary, which then does not repeat its rows.
    pub has_table: bool,
}

/// What a summary tells of a tournament beside its standings.
struct Facts {
    name: String,
    title: Option<String>,
    about: String,
    seed: u64,
    trust: bool,
    /// How a sequential test stands.
    test: Option<String>,
}

/// The summary; with the run that has just ended, if one has.
pub fn brief(tournament: &Tournament, standings: &Standings, took: Option<RunStats>) -> String {
    let facts = Facts {
        name: tournament.name.to_string(),
        title: (tournament.settings.title.as_ref()).map(|title| plain_line(title.as_str())),
        about: about(&tournament.settings, tournament.entrants.len()),
        seed: tournament.settings.seed,
        trust: tournament.settings.trust,
        test: (standings.sprt.as_ref()).map(|running| words::sequential_test(tournament, running)),
    };
    told(&facts, standings, took)
}

fn told(facts: &Facts, standings: &Standings, took: Option<RunStats>) -> String {
    let title = plain_line(&facts.name);
    let wrap = |text: &str| -> Vec<String> {
        let lines = textwrap::wrap(text, WIDTH).into_iter();
        lines.map(String::from).collect()
    };
    let mut lines: Vec<String> = facts.title.as_deref().map(wrap).unwrap_or_default();
    lines.push(title.clone());
    lines.extend(wrap(&facts.about));
    lines.push(played(standings, took));
    let mut more = vec![format!("seed {}", facts.seed)];
    let faults: u64 = standings.rows.iter().map(|row| row.faults).sum();
    more.push(counted(faults, "fault"));
    more.push(counted(standings.voids, "void"));
    if !standings.pauses.is_empty() {
        let bots = counted(standings.pauses.len() as u64, "bot");
        more.push(format!("{bots} paused"));
    }
    if !standings.changes.is_empty() {
        more.push(counted(standings.changes.len() as u64, "change"));
    }
    if facts.trust {
        more.push("without a jail".into());
    }
    lines.push(more.join(", "));
    lines.extend(
        words::in_part(&standings.imports)
            .iter()
            .flat_map(|text| wrap(text)),
    );
    if !took.is_some_and(|took| took.has_table) {
        lines.push(String::new());
        // The headings, and a line about those that are not named.
        let table = standings_table(standings).screen(WIDTH, 1 + MAX_ROWS + 1);
        lines.extend(table.into_iter().map(|(_, line)| line));
        lines.extend(facts.test.iter().flat_map(|text| wrap(text)));
    }
    lines.push(String::new());
    let lines = lines
        .iter()
        .map(|line| cut(line, WIDTH).trim_end().to_owned() + "\n");
    // It is to be typed, so it is whole however wide.
    lines.collect::<String>() + &format!("more: flipside table {title} --full\n")
}

/// How many matches, and in what time.
fn played(standings: &Standings, took: Option<RunStats>) -> String {
    let all = if standings.played == standings.total.most() {
        counted(standings.played, "match")
    } else {
        words::progress(standings.played, standings.total)
    };
    let done = match took {
        None => all,
        Some(RunStats { matches, time, .. }) if matches == standings.played => {
            format!("{all} in {}", in_words(time))
        }
        Some(RunStats { matches, time, .. }) => {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use flipside_tournament::{CrossTable, Ranked, Ranking, Runs, StandingsRow, Total};
    use insta::assert_snapshot;

    use super::*;

    fn row(rank: usize, bot: &str, faults: u64) -> StandingsRow {
        StandingsRow {
            rank,
            bot: bot.into(),
            left: None,
            left_because: None,
            is_void: false,
            rating: 1712.0,
            deviation: 23.0,
            low: 1667.0,
            high: 1757.0,
            is_told_apart: None,
            link: None,
            glicko: Some(1490.0),
            glicko_deviation: Some(23.0),
            games: 90,
            wins: 80,
            draws: 3,
            losses: 7,
            score: 81.5,
            percent: 90.5,
            percent_low: None,
            percent_high: None,
            by_play: 90u64.saturating_sub(faults),
            faults,
            fault_names: BTreeMap::new(),
            voids: 0,
            often_void: false,
            model: None,
        }
    }

    fn standings(rows: Vec<StandingsRow>) -> Standings {
        Standings {
            played: 90,
            total: Total::Exactly(90),
            voids: 1,
            pauses: Vec::new(),
            changes: Vec::new(),
            imports: Vec::new(),
            runs: Runs::default(),
            classes: Vec::new(),
            untrusted: 0,
            uncounted: 0,
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
            title: None,
            about: "flipfour, 2 bots, round-robin, 10 rounds, clock move=1s".into(),
            seed: 7,
            trust: false,
            test: None,
        }
    }

    #[test]
    fn a_summary_has_what_a_message_needs() {
        let rows = vec![row(1, "greedy@1", 0), row(2, "random@12", 2)];
        let took = RunStats {
            matches: 90,
            beyond: 0,
            time: Duration::from_secs(192),
            has_table: false,
        };
        assert_snapshot!(told(&facts(), &standings(rows), Some(took)), @r"
        summer
        flipfour, 2 bots, round-robin, 10 rounds, clock move=1s
        90 matches in 3 min 12 s
        seed 7, 2 faults, 1 void

           bot        rating  95 %  games  won-drawn-lost  score  faults
        1  greedy@1     1712   ±45     90          80-3-7   81.5       0
        2  random@12    1712   ±45     90          80-3-7   81.5       2

        more: flipside table summer --full
        ");
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
        assert_snapshot!(text, @r"
        summer
        flipfour, 2 bots, round-robin, 10 rounds, clock move=1s
        90 matches
        seed 7, 0 faults, 1 void

           bot  rating  95 %  games  won-drawn-lost  reached        faults
        1  a@1    1712   ±45     90          80-3-7  quarter-final       0
        2  b@1    1712   ±45     90          80-3-7  last 16             0

        more: flipside table summer --full
        ");
    }

    #[test]
    fn a_summary_shows_the_shares_where_some_have_played_more() {
        let greedy = StandingsRow {
            games: 15,
            by_play: 15,
            score: 11.0,
            percent: 1_100.0 / 15.0,
            ..row(2, "greedy@1", 0)
        };
        let random = StandingsRow {
            games: 10,
            by_play: 10,
            score: 9.0,
            percent: 90.0,
            ..row(1, "random@2", 0)
        };
        let text = told(&facts(), &standings(vec![random, greedy]), None);
        assert_snapshot!(text, @r"
        summer
        flipfour, 2 bots, round-robin, 10 rounds, clock move=1s
        90 matches
        seed 7, 0 faults, 1 void

           bot       rating  95 %  games  won-drawn-lost  score     %  faults
        1  random@2    1712   ±45     10          80-3-7    9.0  90.0       0
        2  greedy@1    1712   ±45     15          80-3-7   11.0  73.3       0

        more: flipside table summer --full
        ");
    }

    #[test]
    fn what_does_not_count_is_told_beside_what_does() {
        let mut standings = standings(vec![row(1, "greedy@1", 0)]);
        let took = |beyond| RunStats {
            matches: 90,
            beyond,
            time: Duration::from_millis(400),
            has_table: false,
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
        let facts = Facts { name, ..facts() };
        let text = told(&facts, &standings(rows), None);
        assert_snapshot!(text, @r"
        nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
        flipfour, 2 bots, round-robin, 10 rounds, clock move=1s
        90 matches
        seed 7, 0 faults, 1 void

           bot                rating  95 %  games  won-drawn-lost  score  faults
        1  nnnnnnnnnn…nnnn@1    1712   ±45     90          80-3-7   81.5       0
        2  nnnnnnnnnn…nnn@12    1712   ±45     90          80-3-7   81.5       0

        more: flipside table nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn --full
        ");
    }

    #[test]
    fn a_summary_of_a_part_says_so() {
        let mut standings = standings(vec![row(1, "greedy@1", 0)]);
        standings.total = Total::AtMost(400);
        let took = RunStats {
            matches: 30,
            beyond: 0,
            time: Duration::from_millis(8340),
            has_table: false,
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
        assert!(text.contains("\nand 22 more\n"), "{text}");
        for line in text.lines() {
            let command = line.starts_with("more: ");
            assert!(crate::width::width(line) <= WIDTH || command, "{line}");
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
}
