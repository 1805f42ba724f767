//! Results of matches: who won against whom, in words and as a table.

use flipside_games::words::joined;
use flipside_store::{MatchRow, SeatRow};

use crate::shared::table::{CellPart, Grid, TableCell, match_address};

/// The bots of a match by what they came to.
struct Ranked<'a> {
    /// Those of the first place; all of them where nobody won.
    first: Vec<&'a SeatRow>,
    /// The others, the better ones first.
    others: Vec<&'a SeatRow>,
}

fn ranked(seats: &[SeatRow]) -> Ranked<'_> {
    let best = seats.iter().map(|seat| seat.result.place).min();
    let is_first = |seat: &&SeatRow| Some(seat.result.place) == best;
    let (first, mut others): (Vec<_>, Vec<_>) = seats.iter().partition(is_first);
    others.sort_by_key(|seat| seat.result.place);
    Ranked { first, others }
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
    let Ranked { first, others } = ranked(seats);
    let is_won = !others.is_empty();
    let mut parts = names(&first, is_won);
    match others.len() {
        0 => parts.push(CellPart::words(" drew")),
        // Of more than two, nobody beats all the others: some come before others.
        _ if seats.len() > 2 => parts.push(CellPart::words(" won ahead of ")),
        _ => parts.push(CellPart::words(" beat ")),
    }
    parts.extend(names(&others, false));
    parts
}

fn names(seats: &[&SeatRow], are_strong: bool) -> Vec<CellPart> {
    let mut parts = Vec::new();
    for (at, seat) in seats.iter().enumerate() {
        match at {
            0 => {}
            at if at + 1 == seats.len() => parts.push(CellPart::words(" and ")),
            _ => parts.push(CellPart::words(", ")),
        }
        parts.push(CellPart::bot(&seat.bot, are_strong));
    }
    parts
}

/// How a match ended: its reason, or whose fault it was.
fn ended(row: &MatchRow) -> TableCell {
    let faults = row.seats.iter().filter_map(|seat| {
        let fault = seat.result.fault.as_ref()?;
        Some(format!("{}: {}", seat.bot, fault.name))
    });
    let faults: Vec<String> = faults.collect();
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

    fn seats(seats: &[(&str, u8)]) -> Vec<SeatRow> {
        let seat = |(bot, place): &(&str, u8)| SeatRow {
            bot: (*bot).to_owned(),
            points: 0.0,
            result: SeatResult {
                place: *place,
                ..SeatResult::default()
            },
        };
        seats.iter().map(seat).collect()
    }

    fn told(of: &[(&str, u8)]) -> String {
        in_words(&seats(of))
    }

    #[test]
    fn a_result_names_the_winner_first() {
        assert_eq!(told(&[("ada@1", 2), ("bob@2", 1)]), "bob@2 beat ada@1");
        assert_eq!(told(&[("ada@1", 1), ("bob@2", 1)]), "ada@1 and bob@2 drew");
        let three = [("ada@1", 3), ("bob@2", 1), ("cy@1", 2)];
        assert_eq!(told(&three), "bob@2 won ahead of cy@1 and ada@1");
        let shared = [("ada@1", 1), ("bob@2", 1), ("cy@1", 3), ("dan@1", 4)];
        assert_eq!(told(&shared), "ada@1 and bob@2 won ahead of cy@1 and dan@1");
    }

    #[test]
    fn only_who_won_is_in_bold() {
        let strong = |of: &[(&str, u8)]| -> Vec<String> {
            let parts = parts(&seats(of)).into_iter();
            parts
                .filter(|part| part.is_strong)
                .map(|part| part.text)
                .collect()
        };
        assert_eq!(strong(&[("ada@1", 2), ("bob@2", 1)]), ["bob@2"]);
        assert!(strong(&[("ada@1", 1), ("bob@2", 1)]).is_empty());
    }
}
