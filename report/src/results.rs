//! What is shown of results that were played anywhere.

use flipside_games::words::{counted, joined};
use flipside_tournament::{FullTable, LeftOut, ResultList, Standings, Tested};

use crate::document::{Document, Part};
use crate::standings::{cross_table, standings_table};
use crate::tournament::{blocks_of_two_in_words, pair_in_words, statistics_parts};
use crate::words;

/// The command that shows all this.
const RATE: &str = "flipside rate FILE...";

/// What is said where pairs of matches were told by their points.
const PAIRS: &str =
    "won, drawn, lost: a pair that gave one point counts as a match won and a match lost";

/// What is said of every list.
const NO_RECORDS: &str = "no records are behind these results: nothing here verifies them";

/// The most games that a note names.
const MAX_NAMED: usize = 8;

/// That the matches are at several games, if they are.
fn games_in_words(list: &ResultList) -> Option<String> {
    let games = list.games();
    let named = joined(games.iter().take(MAX_NAMED), ", ");
    let more = if games.len() > MAX_NAMED { ", ..." } else { "" };
    (games.len() > 1).then(|| {
        format!(
            "the matches are at {} games, {named}{more}: a bot's rating is that of all together",
            games.len()
        )
    })
}

/// What stood in the files, and is not rated.
fn left_out_in_words(left_out: LeftOut) -> Option<String> {
    let LeftOut { uncounted, open } = left_out;
    let parts = [
        (uncounted, "not counted by the tournament"),
        (open, "without a result"),
    ];
    let parts = parts.into_iter().filter(|(matches, _)| *matches > 0);
    let told = parts.map(|(matches, why)| format!("{} {why}", counted(matches, "match")));
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("left out: {}", told.join(", ")))
}

/// The ratings of a list of results, with the cross table and what must be known of them; with all statistics if
/// `full`.
pub fn rated_document(title: &str, list: &ResultList, table: &FullTable, full: bool) -> Document {
    let FullTable {
        standings,
        statistics,
        ..
    } = table;
    let mut parts = vec![
        // Few files say anything of faults, and none of voids.
        standings_table(standings)
            .without_zeros(&["faults", "voids"])
            .part(),
        cross_table(&standings.cross, RATE).part(),
    ];
    match full {
        true => parts.extend(statistics_parts(table)),
        false => parts.extend(statistics.pair.as_ref().map(pair_in_words).map(Part::Lines)),
    }
    let mut notes: Vec<String> = words::all_drawn(standings).into_iter().collect();
    notes.extend(words::not_told_apart(standings));
    notes.extend(words::loosely_linked(standings));
    notes.extend(list.is_of_pairs().then(|| PAIRS.to_owned()));
    notes.extend(games_in_words(list));
    notes.extend(left_out_in_words(list.left_out()));
    let shared = list.shared();
    if shared > 0 && list.is_without_sides() {
        notes.push(format!(
            "shared: in {} more than one bot, and not all, came first; bots of one team count as opponents here",
            counted(shared, "match")
        ));
    }
    notes.push(NO_RECORDS.to_owned());
    Document {
        title: title.to_owned(),
        about: format!(
            "{}, {}",
            counted(list.bots().len() as u64, "bot"),
            counted(list.matches(), "match")
        ),
        parts,
        notes,
        ..Document::default()
    }
}

/// The cross table alone.
pub fn rated_cross(title: &str, standings: &Standings) -> Document {
    Document {
        title: title.to_owned(),
        about: "cross table".into(),
        parts: vec![cross_table(&standings.cross, RATE).part()],
        ..Document::default()
    }
}

/// How a sequential test of results stands, and what they tell of the difference.
pub fn tested_in_words(tested: &Tested) -> String {
    let Tested {
        test,
        bots: [one, other],
        running,
        of_blocks,
        broken,
        counts,
        score,
        elo,
        superiority,
    } = tested;
    let mut text = words::sequential_test_of([one, other], test, running) + "\n";
    if running.blocks < *of_blocks {
        let after = counted(of_blocks - running.blocks, "block");
        text += &format!("left out: {after} after the decision\n");
    }
    if *broken > 0 {
        text += &format!(
            "left out: {} that miss a match\n",
            counted(*broken, "block")
        );
    }
    if let (Some(elo), Some(score), Some(superiority)) = (elo, score, superiority) {
        text += &blocks_of_two_in_words(elo, score, *superiority, counts);
        text += "\n";
    }
    text
}
