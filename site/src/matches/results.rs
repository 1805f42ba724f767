//! Results of matches: who won against whom, in words and as a table.

use flipside_games::words::joined;
use flipside_store::{MatchRow, SeatRow};

use crate::shared::table::{CellPart, Grid, TableCell, match_address};

/// Among how many of a bot's latest matches those are looked for that say most of it.
pub(crate) const LATEST_OF_BOT: usize = 200;

/// The bots of a match by what they came to, each once.
struct Ranked<'a> {
    /// Those with the most points; all of them where nobody won.
    first: Vec<&'a str>,
    /// The others, the better ones first.
    others: Vec<&'a str>,
    /// Whether somebody has got points: where nobody came, nobody has.
    is_played: bool,
}

fn ranked(seats: &[SeatRow]) -> Ranked<'_> {
    let mut bots: Vec<(&str, f64)> = Vec::new();
    for seat in seats {
        match bots.iter_mut().find(|(bot, _)| *bot == seat.bot) {
            Some((_, points)) => *points += seat.points,
            None => bots.push((&seat.bot, seat.points)),
        }
    }
    let most = bots.iter().map(|(_, points)| *points).fold(0.0, f64::max);
    // Shares of seats are added up in different orders.
    let is_first = |(_, points): &(&str, f64)| most - *points < 1e-9;
    let (first, mut others): (Vec<_>, Vec<_>) = bots.into_iter().partition(is_first);
    others.sort_by(|one, other| other.1.total_cmp(&one.1));
    Ranked {
        is_played: most > 0.0 || seats.len() < 2,
        first: first.into_iter().map(|(bot, _)| bot).collect(),
        others: others.into_iter().map(|(bot, _)| bot).collect(),
    }
}

/// Whether a bot has won a match of several bots, alone or with others, or lost it; nothing where all are level, and
/// where the match counts for nobody.
pub(crate) fn has_won(row: &MatchRow, bot: &str) -> Option<bool> {
    let Ranked { first, others, .. } = ranked(&row.seats);
    let is_decided = !others.is_empty() && row.counts;
    is_decided.then(|| first.contains(&bot))
}

/// Who won a match against whom, in words.
pub(crate) fn told(row: &MatchRow) -> String {
    in_words(&row.seats)
}

fn in_words(seats: &[SeatRow]) -> String {
    let parts = parts(seats);
    parts.iter().map(|part| part.text.as_str()).collect()
}

/// The same with links, the winner in bold.
fn parts(seats: &[SeatRow]) -> Vec<CellPart> {
    let Ranked {
        first,
        others,
        is_played,
    } = ranked(seats);
    let is_won = !others.is_empty();
    let mut parts = names(&first, is_won);
    let verb = match (others.len(), first.len()) {
        _ if !is_played => " did not play",
        (0, 1) => " played alone",
        (0, _) => " drew",
        (1, 1) => " beat ",
        // Of several, nobody beats all the others: some come before others.
        _ => " won ahead of ",
    };
    parts.push(CellPart::words(verb));
    parts.extend(names(&others, false));
    parts
}

fn names(bots: &[&str], are_strong: bool) -> Vec<CellPart> {
    let mut parts = Vec::new();
    for (at, bot) in bots.iter().enumerate() {
        match at {
            0 => {}
            at if at + 1 == bots.len() => parts.push(CellPart::words(" and ")),
            _ => parts.push(CellPart::words(", ")),
        }
        parts.push(CellPart::bot(bot, are_strong));
    }
    parts
}

/// How a match ended: its reason, or whose fault it was.
fn ended(row: &MatchRow) -> TableCell {
    let faults = row.seats.iter().filter_map(|seat| {
        let fault = seat.result.fault.as_ref()?;
        Some(format!("{}: {}", seat.bot, fault.name))
    });
    let mut faults: Vec<String> = faults.collect();
    if !row.counts {
        faults.push("counts for nobody".into());
    }
    match faults.is_empty() {
        true => TableCell::words(row.reason.replace('-', " ")),
        false => TableCell {
            class: "fault",
            ..TableCell::words(joined(faults, ", "))
        },
    }
}

/// A table of results. `names_game` says whether they are of several games.
pub(crate) fn results(
    id: &'static str,
    caption: &str,
    rows: &[MatchRow],
    names_game: bool,
) -> Grid {
    let mut headings = vec![("result", "")];
    if names_game {
        headings.push(("game", ""));
    }
    headings.extend([
        ("ended by", ""),
        ("plies", "n"),
        ("when", ""),
        ("match", ""),
    ]);
    let row = |row: &MatchRow| {
        let mut cells = vec![TableCell::of_parts(parts(&row.seats))];
        if names_game {
            cells.push(TableCell::game(&row.game));
        }
        cells.push(ended(row));
        cells.push(TableCell {
            class: "n",
            ..TableCell::words(row.plies.to_string())
        });
        cells.push(TableCell::moment(row.started_at));
        cells.push(TableCell {
            href: match_address(&row.id),
            unseen: Some(row.id.clone()),
            ..TableCell::words("Watch")
        });
        cells
    };
    Grid::of_cells(id, caption, &headings, rows.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use flipside_referee::SeatResult;

    use super::*;

    fn seats(seats: &[(&str, f64)]) -> Vec<SeatRow> {
        let seat = |(bot, points): &(&str, f64)| SeatRow {
            bot: (*bot).to_owned(),
            colour: None,
            side: None,
            points: *points,
            result: SeatResult::default(),
        };
        seats.iter().map(seat).collect()
    }

    fn told(of: &[(&str, f64)]) -> String {
        in_words(&seats(of))
    }

    #[test]
    fn a_result_names_the_winner_first() {
        for (of, expected) in [
            (&[("ada@1", 0.0), ("bob@2", 1.0)][..], "bob@2 beat ada@1"),
            (&[("ada@1", 0.5), ("bob@2", 0.5)], "ada@1 and bob@2 drew"),
            (
                &[("ada@1", 0.0), ("bob@2", 0.0)],
                "ada@1 and bob@2 did not play",
            ),
            (
                &[("ada@1", 0.0), ("bob@2", 1.0), ("cy@1", 0.5)],
                "bob@2 won ahead of cy@1 and ada@1",
            ),
            (
                &[
                    ("ada@1", 0.8),
                    ("bob@2", 0.8),
                    ("cy@1", 0.3),
                    ("dan@1", 0.0),
                ],
                "ada@1 and bob@2 won ahead of cy@1 and dan@1",
            ),
            // A bot in several seats is one, and has what they have together.
            (
                &[
                    ("ada@1", 0.33),
                    ("bob@2", 0.27),
                    ("bob@2", 0.2),
                    ("ada@1", 0.0),
                ],
                "bob@2 beat ada@1",
            ),
            (&[("ada@1", 0.5), ("ada@1", 0.5)], "ada@1 played alone"),
        ] {
            assert_eq!(told(of), expected);
        }
    }

    #[test]
    fn only_who_won_is_in_bold() {
        let strong = |of: &[(&str, f64)]| -> Vec<String> {
            let parts = parts(&seats(of)).into_iter();
            parts
                .filter(|part| part.is_strong)
                .map(|part| part.text)
                .collect()
        };
        assert_eq!(strong(&[("ada@1", 0.0), ("bob@2", 1.0)]), ["bob@2"]);
        assert!(strong(&[("ada@1", 0.5), ("bob@2", 0.5)]).is_empty());
    }
}
