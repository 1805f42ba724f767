use std::fmt::Write;

use flipside_tournament::statistics::{
    BotReport, Decision, EndReport, MOST_PAIRS, PairReport, Report, SeatReport,
};
use flipside_tournament::{
    CrossTable, Format as Pairings, FullTable, Import, Journal, Ranking, Row as Standing, Settings,
    Standings, Tournament, full_table, hundredths, table,
};

use crate::arena::ArenaArg;
use crate::export::{ENCOUNTERS, MOST_CROSSED, encounter_cells, left_out, share, share_interval};
use crate::failure::{Failure, Result};
use crate::output::{self, Column, Format, aligned, csv_line, plain_line};
use crate::summary;
use crate::words;

/// Show a tournament's standings and its cross table
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tournament's name; without it, the latest.
    tournament: Option<String>,
    /// Only the cross table.
    #[arg(long)]
    cross: bool,
    /// All statistics: who is likely better than whom, results by seat, why matches ended, time and plies.
    #[arg(long, conflicts_with = "cross")]
    full: bool,
    /// Only a few lines, to be pasted into a message.
    #[arg(long, conflicts_with_all = ["cross", "full", "json", "csv"])]
    brief: bool,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

const COLUMNS: &[Column] = &[
    Column::Number("rank"),
    Column::Text("bot"),
    Column::Number("rating"),
    Column::Number("deviation"),
    Column::Text("95 % interval"),
    Column::Number("games"),
    Column::Number("won"),
    Column::Number("drawn"),
    Column::Number("lost"),
    Column::Number("score"),
    Column::Number("%"),
    Column::Text("% from to"),
    Column::Number("faults"),
    Column::Number("voids"),
];

const BOTS: &[Column] = &[
    Column::Text("bot"),
    Column::Number("matches"),
    Column::Number("blocks"),
    Column::Number("plies a match"),
    Column::Number("ms a match"),
    Column::Number("ms a ply"),
    Column::Number("faults"),
];

const SEATS: &[Column] = &[
    Column::Text("seat"),
    Column::Number("matches"),
    Column::Number("won"),
    Column::Number("shared"),
    Column::Number("%"),
    Column::Text("% from to"),
    Column::Text("an advantage"),
];

const PAIRS: &[Column] = &[
    Column::Text("bot"),
    Column::Text("against"),
    Column::Number("matches"),
    Column::Number("won"),
    Column::Number("drawn"),
    Column::Number("lost"),
    Column::Number("Elo"),
    Column::Number("+/-"),
    Column::Text("95 % interval"),
    Column::Number("LOS %"),
    Column::Text("Ptnml(0-2)"),
];

const ENDS: &[Column] = &[
    Column::Text("ended by"),
    Column::Number("matches"),
    Column::Number("%"),
    Column::Number("drawn"),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = args.arena.open()?.read_journal()?;
    let tournament = match &args.tournament {
        Some(name) => journal.tournament(name)?,
        None => journal.latest_tournament()?.ok_or_else(|| {
            Failure::new("no tournament was played in this arena")
                .hint("`flipside tournament GAME BOT BOT...` plays one")
        })?,
    };
    if args.cross {
        let cross_table = table(&journal, &tournament)?.cross;
        let text = || Ok(cross(&cross_table) + "\n");
        return args
            .format
            .print_value(&cross_table, text, || cross_table.to_csv());
    }
    if args.full {
        let table = full_table(&journal, &tournament)?;
        let text =
            || Ok(told(&tournament, &table.standings) + &told_in_full(&table) + &salt(&tournament));
        return args
            .format
            .print_value(&table, text, || as_csv(&tournament, &table));
    }
    if args.brief {
        let standings = table(&journal, &tournament)?;
        return output::print(&summary::of(&tournament, &standings, None));
    }
    show(&journal, &tournament, args.format).map(drop)
}

/// What another arena needs for the same chance, beside the seed.
fn salt(tournament: &Tournament) -> String {
    let salt = tournament.settings.salt;
    salt.map_or_else(String::new, |salt| format!("\nsalt: {salt}\n"))
}

/// What is said where bots had no jail around them.
pub(crate) const TRUSTED: &str = "trust: processes were started without a jail";

/// Prints a tournament's standings and its cross table; gives the standings.
pub(crate) fn show(
    journal: &Journal,
    tournament: &Tournament,
    format: Format,
) -> Result<Standings> {
    let FullTable {
        standings,
        statistics,
    } = full_table(journal, tournament)?;
    let text = || {
        let pair = statistics
            .pair
            .as_ref()
            .map(|pair| pair_in_words(pair) + "\n");
        Ok(told(tournament, &standings) + &pair.unwrap_or_default())
    };
    format.print_value(&standings, text, || standings.to_csv())?;
    Ok(standings)
}

/// The standings and the cross table, for people.
pub(crate) fn told(tournament: &Tournament, standings: &Standings) -> String {
    let settings = &tournament.settings;
    let mut text = format!(
        "{} - {}{}{}, {}, clock {}{}, seed {}: {} of {} matches{}\n\n{}\n",
        tournament.name,
        settings.game,
        comma(words::options(settings)),
        seats_in_words(settings),
        format_in_words(settings),
        settings.clock,
        comma(words::opening(settings)),
        settings.seed,
        standings.played,
        standings.total,
        words::left_out(standings),
        aligned(COLUMNS, standings.rows.iter().map(cells)),
    );
    if let Some(running) = &standings.sprt {
        let _ = writeln!(text, "\n{}", words::sequential_test(tournament, running));
    }
    if let Some(ranking) = &standings.ranking {
        let _ = writeln!(text, "\n{}", ranked(ranking, standings));
    }
    if !standings.encounters.is_empty() {
        let columns = ENCOUNTERS.map(|(heading, number)| match number {
            true => Column::Number(heading),
            false => Column::Text(heading),
        });
        let rows = standings.encounters.iter();
        let rows = rows.map(|encounter| encounter_cells(encounter).to_vec());
        let _ = writeln!(text, "\n{}", aligned(&columns, rows));
    }
    let _ = write!(
        text,
        "\n{}\nscore of the bot on the left against the bot above\n",
        cross(&standings.cross)
    );
    if settings.trust {
        let _ = writeln!(text, "{TRUSTED}");
    }
    for import in &standings.imports {
        let _ = writeln!(text, "{}", imported(import));
    }
    for pause in &standings.pauses {
        let _ = writeln!(text, "{}", words::paused(tournament, pause));
    }
    if standings.voids > 0 {
        let _ = writeln!(
            text,
            "voids: {} a match failed by no fault of a bot, and was or will be played again",
            summary::counted(standings.voids, "time")
        );
    }
    for row in standings.rows.iter().filter(|row| row.often_void) {
        let _ = writeln!(text, "{}", often_void(row));
    }
    text
}

/// Names a bot whose matches are void far more often than those of the others.
fn often_void(row: &Standing) -> String {
    plain_line(&format!(
        "voids: the matches of {} are void far more often than the others': {} of {} tries; look at what it does",
        row.bot,
        row.voids,
        row.games + row.voids
    ))
}

/// Where matches come from that were not played here, in one line.
pub(crate) fn imported(import: &Import) -> String {
    let told = plain_line(&format!(
        "import: {} {} played in another arena, as {}: with {} verified; that these bots chose the moves is its word",
        summary::counted(import.matches, "match"),
        if import.matches == 1 { "was" } else { "were" },
        import.name,
        if import.matches == 1 {
            "its record"
        } else {
            "their records"
        },
    ));
    match import.finished {
        true => told,
        false => format!("{told}; {}", words::IN_PART),
    }
}

/// A further part of a list, if there is one.
fn comma(part: Option<String>) -> String {
    part.map_or_else(String::new, |part| format!(", {part}"))
}

/// The format, and how many rounds were asked for.
fn format_in_words(settings: &Settings) -> String {
    match (settings.format, words::rounds(settings)) {
        (Pairings::RoundRobin, Some(rounds)) => rounds,
        (format, rounds) => format!("{format}{}", comma(rounds)),
    }
}

/// What the ranks come from, in a format with an order of its own.
fn ranked(ranking: &Ranking, standings: &Standings) -> String {
    let header: Vec<String> = [""]
        .iter()
        .chain(&ranking.by)
        .map(|heading| (*heading).to_owned())
        .collect();
    let rows = ranking
        .rows
        .iter()
        .zip(&standings.rows)
        .map(|(row, standing)| {
            std::iter::once(format!("{} {}", row.rank, standing.bot))
                .chain(row.cells.clone())
                .collect::<Vec<_>>()
        });
    crate::output::grid(&header, rows)
}

/// How many seats a match has, where that is not two bots.
fn seats_in_words(settings: &Settings) -> String {
    match (settings.seats, settings.copies) {
        (2, 1) => String::new(),
        (seats, 1) => format!(", {seats} seats"),
        (seats, copies) => format!(", {seats} seats, {copies} for each bot"),
    }
}

fn cells(row: &Standing) -> Vec<String> {
    vec![
        row.rank.to_string(),
        row.bot.clone(),
        format!("{:.0}", row.rating),
        format!("{:.0}", row.deviation),
        format!("{:.0} to {:.0}", row.low, row.high),
        row.games.to_string(),
        row.wins.to_string(),
        row.draws.to_string(),
        row.losses.to_string(),
        format!("{:.1}", row.score),
        share(row),
        share_interval(row),
        row.faults.to_string(),
        row.voids.to_string(),
    ]
}

/// What the statistics tell beyond the standings, for people.
fn told_in_full(table: &FullTable) -> String {
    let Report {
        matches_of_block,
        blocks,
        broken,
        saved,
        bots,
        superiority,
        pair,
        pairs,
        pairs_left_out,
        seats,
        ends,
    } = &table.statistics;
    let mut text = format!(
        "\n{} of {}",
        summary::counted(*blocks, "block"),
        summary::counted(u64::from(*matches_of_block), "match")
    );
    if *broken > 0 {
        let _ = write!(
            text,
            ", and {broken} that miss a match and do not count here \
             (whose bots have no interval beside their share)"
        );
    }
    if let Some(saved) = saved {
        let _ = write!(
            text,
            "; a match in a block tells as much as {saved:.2} single ones"
        );
    }
    let _ = writeln!(
        text,
        "\n\n{}\nin how many of a hundred cases the bot on the left is better than the bot above{}",
        superior(bots, superiority),
        match left_out(&table.standings.cross, MOST_CROSSED) {
            Some(left_out) => format!(" ({left_out})"),
            None => String::new(),
        }
    );
    if let Some(pair) = pair {
        let _ = writeln!(text, "\n{}", pair_in_words(pair));
    }
    if !pairs.is_empty() {
        let _ = writeln!(text, "\n{}", aligned(PAIRS, pairs.iter().map(pair_cells)));
    }
    if *pairs_left_out > 0 {
        let _ = writeln!(
            text,
            "\nElo by pairs: {pairs_left_out} pairs have met, and no more than {MOST_PAIRS} are shown"
        );
    }
    let tables = [
        aligned(SEATS, seats.iter().map(seat_cells)),
        aligned(
            ENDS,
            ends.iter()
                .map(|end| end_cells(end, table.standings.played)),
        ),
        aligned(BOTS, bots.iter().map(bot_cells)),
    ];
    for table in tables {
        let _ = writeln!(text, "\n{table}");
    }
    text
}

/// How one of two bots fared against the other, in the words of chess tools.
fn pair_in_words(pair: &PairReport) -> String {
    let PairReport {
        bots: [one, other],
        blocks,
        matches: [lost, drawn, won],
        score,
        elo,
        superiority,
    } = pair;
    let name = match blocks.len() {
        5 => "Ptnml(0-2)".to_owned(),
        scores => format!("Blocks by points (0-{})", (scores - 1) / 2),
    };
    format!(
        "{one} against {other}: {} matches, won {won}, drawn {drawn}, lost {lost}\n\
         {elo}, 95 % interval {} to {}\n\
         LOS: {:.2} %, score: {:.2} % ({:.2} to {:.2} %)\n\
         {name}: {}",
        won + drawn + lost,
        points(elo.low),
        points(elo.high),
        100.0 * superiority,
        100.0 * score.mean,
        100.0 * score.low,
        100.0 * score.high,
        counts_in_words(blocks)
    )
}

/// The same of each pair of many that met, for a line of a table.
fn pair_cells(pair: &PairReport) -> Vec<String> {
    let PairReport {
        bots: [one, other],
        blocks,
        matches: [lost, drawn, won],
        elo,
        superiority,
        ..
    } = pair;
    vec![
        one.clone(),
        other.clone(),
        (won + drawn + lost).to_string(),
        won.to_string(),
        drawn.to_string(),
        lost.to_string(),
        points(elo.elo),
        told_error(elo.error).map_or_else(|| "-".to_owned(), points),
        format!("{} to {}", points(elo.low), points(elo.high)),
        format!("{:.1}", 100.0 * superiority),
        counts_in_words(blocks),
    ]
}

/// An error, where one can be told: blocks that are all alike tell none, and the formula gives zero.
fn told_error(error: f64) -> Option<f64> {
    (error.is_finite() && error > 0.0).then_some(error)
}

fn counts_in_words(blocks: &[u64]) -> String {
    let counts: Vec<String> = blocks.iter().map(u64::to_string).collect();
    format!("[{}]", counts.join(", "))
}

/// A difference in Elo, which may be infinite.
fn points(elo: f64) -> String {
    format!("{:.2}", hundredths(elo))
}

/// Who is likely better than whom; columns are numbered by rank.
fn superior(bots: &[BotReport], cells: &[Vec<Option<f64>>]) -> String {
    let shown = bots.len().min(MOST_CROSSED);
    let numbers = (1..=shown).map(|rank| rank.to_string());
    let header: Vec<String> = std::iter::once(String::new()).chain(numbers).collect();
    let rows = bots[..shown]
        .iter()
        .zip(cells)
        .enumerate()
        .map(|(at, (bot, cells))| {
            let cells = cells.iter().take(shown).map(|cell| match cell {
                Some(part) => format!("{:.1}", 100.0 * part),
                None => "-".to_owned(),
            });
            std::iter::once(format!("{} {}", at + 1, bot.bot))
                .chain(cells)
                .collect::<Vec<_>>()
        });
    crate::output::grid(&header, rows)
}

fn bot_cells(bot: &BotReport) -> Vec<String> {
    let ms = bot.used_us / 1e3;
    vec![
        bot.bot.clone(),
        bot.matches.to_string(),
        bot.blocks.to_string(),
        format!("{:.1}", bot.plies),
        format!("{ms:.2}"),
        format!("{:.3}", ms / bot.plies.max(1.0)),
        bot.faults.to_string(),
    ]
}

fn seat_cells(seat: &SeatReport) -> Vec<String> {
    let (percent, interval) = match seat.score {
        Some(score) => (
            format!("{:.1}", 100.0 * score.mean),
            format!("{:.1} to {:.1}", 100.0 * score.low, 100.0 * score.high),
        ),
        None => Default::default(),
    };
    vec![
        format!("{}", seat.seat),
        seat.matches.to_string(),
        seat.won.to_string(),
        seat.shared.to_string(),
        percent,
        interval,
        seat.advantage
            .map_or_else(String::new, |part| format!("{:.1} %", 100.0 * part)),
    ]
}

fn end_cells(end: &EndReport, played: u64) -> Vec<String> {
    vec![
        crate::output::plain_line(&end.reason),
        end.matches.to_string(),
        format!("{:.1}", 100.0 * end.matches as f64 / played.max(1) as f64),
        end.drawn.to_string(),
    ]
}

/// All figures in one list: of which table, of whom, against whom, what, and how much.
fn as_csv(tournament: &Tournament, table: &FullTable) -> String {
    let mut out = String::from("table,of,against,figure,value\n");
    let mut line = |table: &str, of: &str, against: &str, figure: &str, value: Option<f64>| {
        let value = value.filter(|value| value.is_finite());
        let value = value.map_or_else(String::new, |value| value.to_string());
        csv_line(&mut out, [table, of, against, figure, &value]);
    };
    let Report {
        matches_of_block,
        blocks,
        broken,
        saved,
        bots,
        superiority,
        pair,
        pairs,
        pairs_left_out: _,
        seats,
        ends,
    } = &table.statistics;
    line(
        "blocks",
        "",
        "",
        "matches_of_block",
        Some((*matches_of_block).into()),
    );
    line("blocks", "", "", "blocks", Some(*blocks as f64));
    line("blocks", "", "", "broken", Some(*broken as f64));
    line("blocks", "", "", "saved", *saved);
    for (row, bot) in table.standings.rows.iter().zip(bots) {
        let figures = [
            ("rank", Some(row.rank as f64)),
            ("rating", Some(row.rating)),
            ("deviation", Some(row.deviation)),
            ("rating_low", Some(row.low)),
            ("rating_high", Some(row.high)),
            ("matches", Some(bot.matches as f64)),
            ("blocks", Some(bot.blocks as f64)),
            ("score", bot.score.map(|score| score.mean)),
            ("score_low", bot.score.map(|score| score.low)),
            ("score_high", bot.score.map(|score| score.high)),
            ("plies", Some(bot.plies)),
            ("used_us", Some(bot.used_us)),
            ("faults", Some(bot.faults as f64)),
            ("voids", Some(row.voids as f64)),
        ];
        for (figure, value) in figures {
            line("bot", &bot.bot, "", figure, value);
        }
    }
    for (bot, cells) in bots.iter().zip(superiority) {
        for (rival, cell) in bots.iter().zip(cells).filter(|(_, cell)| cell.is_some()) {
            line("superiority", &bot.bot, &rival.bot, "likelihood", *cell);
        }
    }
    for PairReport {
        bots: [one, other],
        blocks,
        elo,
        ..
    } in pair.iter().chain(pairs)
    {
        let mut of = |figure: &str, value| line("pair", one, other, figure, value);
        for (at, &count) in blocks.iter().enumerate() {
            of(
                &format!("blocks_of_{}", at as f64 / 2.0),
                Some(count as f64),
            );
        }
        of("elo", Some(elo.elo + 0.0));
        of("elo_error", told_error(elo.error));
        of("elo_low", Some(elo.low));
        of("elo_high", Some(elo.high));
        of("normalised_elo", Some(elo.normalised));
        of("normalised_elo_error", told_error(elo.normalised_error));
    }
    if let (Some(running), [one, other]) = (&table.standings.sprt, &tournament.entrants[..]) {
        let accepted = |which| f64::from(u8::from(running.decision == Some(which)));
        let figures = [
            ("blocks", running.blocks as f64),
            ("llr", running.llr),
            ("llr_lower", running.bounds.lower),
            ("llr_upper", running.bounds.upper),
            ("elo0_accepted", accepted(Decision::Elo0)),
            ("elo1_accepted", accepted(Decision::Elo1)),
        ];
        for (figure, value) in figures {
            line("sprt", &one.label(), &other.label(), figure, Some(value));
        }
    }
    for seat in seats {
        let figures = [
            ("matches", Some(seat.matches as f64)),
            ("won", Some(seat.won as f64)),
            ("shared", Some(seat.shared as f64)),
            ("score", seat.score.map(|score| score.mean)),
            ("score_low", seat.score.map(|score| score.low)),
            ("score_high", seat.score.map(|score| score.high)),
            ("advantage", seat.advantage),
        ];
        for (figure, value) in figures {
            line("seat", &seat.seat.to_string(), "", figure, value);
        }
    }
    for end in ends {
        line("end", &end.reason, "", "matches", Some(end.matches as f64));
        line("end", &end.reason, "", "drawn", Some(end.drawn as f64));
    }
    for encounter in &table.standings.encounters {
        let [stage, one, other, _, _, winner, decided_by] = encounter_cells(encounter);
        let mut figure =
            |name: &str, value: &str| csv_line(&mut out, ["encounter", &one, &other, name, value]);
        figure("round", &encounter.round.to_string());
        figure("stage", &stage);
        for (name, points) in ["points", "points_against"].iter().zip(&encounter.points) {
            figure(name, &points.to_string());
        }
        figure("blocks", &encounter.blocks.to_string());
        figure("winner", &winner);
        figure("decided_by", &decided_by);
    }
    if let Some(ranking) = &table.standings.ranking {
        for (row, ranked) in table.standings.rows.iter().zip(&ranking.rows) {
            for (figure, cell) in ranking.by.iter().zip(&ranked.cells) {
                csv_line(&mut out, ["ranking", &row.bot, "", figure, cell]);
            }
        }
    }
    out
}

/// Who scored how much against whom, of the first bots; columns are numbered by rank.
fn cross(table: &CrossTable) -> String {
    let shown = table.bots.len().min(MOST_CROSSED);
    let numbers: Vec<String> = (1..=shown).map(|rank| rank.to_string()).collect();
    // Headings of a table are static; a cross table has as many as it has bots.
    let header = std::iter::once(String::new())
        .chain(numbers.iter().cloned())
        .collect::<Vec<_>>();
    let rows = table.bots.iter().take(shown).enumerate().map(|(at, bot)| {
        let cells = table.cells[at]
            .iter()
            .take(shown)
            .enumerate()
            // Nobody meets itself, and some have not met.
            .map(|(other, cell)| match at == other || cell.games() == 0 {
                true => "-".to_owned(),
                false => format!("{:.1}/{}", cell.score(), cell.games()),
            });
        std::iter::once(format!("{} {bot}", at + 1))
            .chain(cells)
            .collect::<Vec<_>>()
    });
    let grid = crate::output::grid(&header, rows);
    match left_out(table, MOST_CROSSED) {
        Some(left_out) => format!("{grid}\n{left_out}; all: `flipside table NAME --cross --csv`"),
        None => grid,
    }
}
