//! A tournament as a document: what `table` prints and `export` writes.

use flipside_games::words::counted;
use flipside_ratings::{Elo, Interval, MAX_PAIRS, PairReport, StatisticsReport};
use flipside_tournament::{FullTable, Standings, Tournament, utc};

use crate::document::{Document, Part};
use crate::plain::plain_line;
use crate::standings::{cross_table, encounters_table, ranking_figures, standings_table};
use crate::statistics::{
    blocks_figures, bots_table, counts, ends_table, field_table, pairs_table, seats_table,
    slowest_table, superiority_figures, superiority_table, test_figures,
};
use crate::value::range;
use crate::words;

/// The command that shows a tournament's tables.
const TABLE: &str = "flipside table NAME";

/// What people call a tournament: its title, or its name if it has none.
pub fn headline(tournament: &Tournament) -> &str {
    let title = tournament.settings.title.as_ref();
    title.map_or(tournament.name.as_str(), |title| title.as_str())
}

/// The standings, the cross table and what must be known of them.
pub fn table_document(tournament: &Tournament, table: &FullTable) -> Document {
    let mut document = standings_document(tournament, &table.standings);
    let pair = table.statistics.pair.as_ref().map(pair_in_words);
    document.parts.extend(pair.map(Part::Lines));
    document
}

/// The same with all statistics.
pub fn full_document(tournament: &Tournament, table: &FullTable) -> Document {
    let FullTable {
        standings, slowest, ..
    } = table;
    let mut document = standings_document(tournament, standings);
    let parts = &mut document.parts;
    parts.extend(statistics_parts(table));
    parts.extend(test_figures(tournament, table).map(|table| table.part()));
    parts.extend(
        slowest
            .as_ref()
            .map(|slowest| slowest_table(slowest).part()),
    );
    parts.extend(ranking_figures(standings).map(|table| table.part()));
    document
}

/// All that the results tell beside the standings.
pub(super) fn statistics_parts(table: &FullTable) -> Vec<Part> {
    let statistics = &table.statistics;
    let mut parts = vec![
        Part::Lines(blocks_in_words(statistics)),
        blocks_figures(statistics).part(),
        superiority_table(statistics).part(),
    ];
    parts.extend(statistics.pair.as_ref().map(pair_in_words).map(Part::Lines));
    parts.extend(field_table(table).map(|table| table.part()));
    parts.push(superiority_figures(statistics).part());
    parts.push(pairs_table(statistics).part());
    if statistics.pairs_left_out > 0 {
        parts.push(Part::Lines(format!(
            "Elo by pairs: {} pairs have met, and no more than {MAX_PAIRS} are shown",
            statistics.pairs_left_out
        )));
    }
    let tables = [
        seats_table(statistics),
        ends_table(table),
        bots_table(table),
    ];
    let known = tables.into_iter().filter(|table| !table.is_empty());
    parts.extend(known.map(|table| table.part()));
    parts
}

/// The whole seed, which repeats the random events in another arena. It is no part of a document, because until
/// the tournament is over it reveals the random events that are still to come.
pub fn seed_note(tournament: &Tournament) -> String {
    format!("whole seed: {}", tournament.settings.whole_seed())
}

/// The cross table alone.
pub fn cross_document(tournament: &Tournament, standings: &Standings) -> Document {
    Document {
        title: tournament.name.to_string(),
        about: "cross table".into(),
        parts: vec![cross_table(&standings.cross, TABLE).part()],
        ..Document::default()
    }
}

fn standings_document(tournament: &Tournament, standings: &Standings) -> Document {
    let settings = &tournament.settings;
    let test = standings.sprt.as_ref();
    let test = test.map(|running| words::sequential_test(tournament, running));
    let mut parts = vec![standings_table(standings).part()];
    parts.extend(test.map(Part::Lines));
    parts.extend(encounters_table(standings).map(|table| table.part()));
    parts.push(cross_table(&standings.cross, TABLE).part());
    Document {
        headline: settings.title.as_ref().map(|title| title.as_str().into()),
        remark: settings.note.as_ref().map(|note| note.as_str().into()),
        title: tournament.name.to_string(),
        about: format!(
            "{}, seed {}: {}{}",
            words::about(&tournament.extended_settings(), tournament.entrants.len()),
            settings.seed,
            words::progress(standings.played, standings.total),
            words::left_out(standings)
        ),
        facts: facts(tournament, standings),
        parts,
        notes: notes(tournament, standings),
    }
}

/// The game, the clock and what else fixes the tournament, with how far it has come.
fn facts(tournament: &Tournament, standings: &Standings) -> Vec<(&'static str, String)> {
    let settings = &tournament.extended_settings();
    let over = match standings.over {
        _ if tournament.is_cancelled() => "; it was cancelled",
        true => "; it is over",
        false => "",
    };
    let left_out = words::left_out(standings);
    let played = standings.played;
    let matches = match words::is_endless(standings.total) {
        true => format!("{played}, continuous{left_out}{over}"),
        false => format!("{played} of {}{left_out}{over}", standings.total.most()),
    };
    let copies = (settings.copies > 1).then(|| settings.copies.to_string());
    let name = settings
        .title
        .is_some()
        .then(|| tournament.name.to_string());
    let facts = [
        ("name", name),
        ("begun", Some(utc(tournament.created_at))),
        ("winner", winner(standings)),
        ("game", Some(settings.game.clone())),
        ("seats", Some(settings.seats.to_string())),
        ("format", Some(settings.format.to_string())),
        ("options", words::options(settings)),
        ("length", words::rounds(settings)),
        ("begins with", words::opening(settings)),
        ("clock", Some(settings.clock.to_string())),
        ("seed", Some(settings.seed.to_string())),
        ("matches", Some(matches)),
        ("copies of each bot", copies),
    ];
    let facts = facts.into_iter();
    facts
        .filter_map(|(name, fact)| Some((name, fact?)))
        .collect()
}

/// Who has won, where the tournament is over: all bots of the first rank, unless that is everybody.
fn winner(standings: &Standings) -> Option<String> {
    let first = standings.rows.iter().filter(|row| row.rank == 1);
    let first: Vec<&str> = first.map(|row| row.bot.as_str()).collect();
    let is_won = standings.over && first.len() < standings.rows.len();
    is_won.then(|| first.join(", "))
}

/// What a reader of the tables must know beside them.
fn notes(tournament: &Tournament, standings: &Standings) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(words::all_drawn(standings));
    if tournament.settings.trust {
        notes.push(words::TRUSTED.into());
    }
    notes.extend(words::uncounted(standings));
    notes.extend(words::not_told_apart(standings));
    notes.extend(words::loosely_linked(standings));
    if tournament.settings.unrated {
        notes.push(words::UNRATED.into());
    }
    notes.extend(words::bots_settings(&tournament.settings));
    notes.extend(words::affinity(standings.runs, &standings.imports));
    notes.extend(words::classes(&standings.classes));
    notes.extend(words::untrusted(standings.untrusted));
    notes.extend(standings.imports.iter().map(words::imported));
    let changes = standings.changes.iter();
    notes.extend(changes.map(words::changed));
    let pauses = standings.pauses.iter();
    notes.extend(pauses.map(words::paused));
    if standings.voids > 0 {
        notes.push(format!(
            "voids: {} a match failed by no fault of a bot, and was or will be played again",
            counted(standings.voids, "time")
        ));
    }
    let often = standings.rows.iter().filter(|row| row.often_void);
    notes.extend(often.map(words::often_void));
    notes
}

/// How many blocks there are, and what they saved.
fn blocks_in_words(report: &StatisticsReport) -> String {
    let mut text = format!(
        "{} of {}",
        counted(report.blocks, "block"),
        counted(report.matches_of_block, "match")
    );
    if report.broken > 0 {
        text += &format!(
            ", and {} that miss a match and do not count here (whose bots have no interval beside their share)",
            report.broken
        );
    }
    if let Some(saved) = report.saved {
        text += &format!("; a match in a block is worth {saved:.2} independent matches");
    }
    text
}

/// How one of two bots fared against the other, in the words of chess tools.
pub(super) fn pair_in_words(pair: &PairReport) -> String {
    let [lost, drawn, won] = pair.matches;
    let [one, other] = &pair.bots;
    format!(
        "{}: {}, won {won}, drawn {drawn}, lost {lost}\n{}",
        plain_line(&format!("{one} against {other}")),
        counted(won + drawn + lost, "match"),
        blocks_of_two_in_words(&pair.elo, &pair.score, pair.superiority, &pair.blocks)
    )
}

/// What the blocks of two bots tell of the first.
pub(super) fn blocks_of_two_in_words(
    elo: &Elo,
    score: &Interval,
    superiority: f64,
    blocks: &[u64],
) -> String {
    let name = match blocks.len() {
        5 => "Ptnml(0-2)".to_owned(),
        scores => format!("Blocks by points (0-{})", (scores - 1) / 2),
    };
    format!(
        "{elo}, 95 % interval {}\n\
         LOS: {:.2} %, score: {:.2} % ({:.2} to {:.2} %)\n\
         {name}: {}",
        range(elo.low, elo.high, 2),
        100.0 * superiority,
        100.0 * score.mean,
        100.0 * score.low,
        100.0 * score.high,
        counts(blocks)
    )
}
