//! A match as a page that moves: a fragment for the site, and a whole page for a file. Both have the same markup, style
//! and script. Without the script they show the board at the end and what happened.

mod data;
mod pieces;

use askama::Template;
use flipside_operations::{Failure, MatchReplay, ReplaySeat, ReplayStep, Result, StepKind};
use flipside_report::{plain, plain_line};
use sha2::{Digest, Sha256};

use self::data::{Data, Outline, PART_STEPS, Part};
use crate::shared::seat_sign::SeatSign;
use crate::shared::table::bot_address;

/// The style of a page that stands alone: that of the site.
const STYLES: [&str; 3] = [
    crate::THEME,
    include_str!("../../assets/site.css"),
    include_str!("../../assets/replay.css"),
];

/// The script without the lines that are comments, and without indentation.
fn condensed_script() -> String {
    let lines = SCRIPT.lines().map(str::trim);
    let code = lines
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/**"));
    code.collect::<Vec<_>>().join("\n") + "\n"
}

/// A style without its comments.
fn uncommented(style: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(style.len()), style);
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before.trim_end_matches(' '));
        rest = comment
            .split_once("*/")
            .map_or("", |(_, after)| after.trim_start());
    }
    plain + rest
}

/// The scripts, as they are.
const SCRIPT: &str = concat!(
    include_str!("../../assets/board.js"),
    include_str!("../../assets/replay.js")
);

/// The most bytes of the list of steps in a page of the site. The script lists all steps.
const MAX_LIST_BYTES: usize = 32_000;

/// The markup of a replay.
#[derive(Template)]
#[template(path = "replay.html")]
struct Fragment<'a> {
    /// Where the data are; none: in the page.
    address: Option<&'a str>,
    /// The board at the end, as SVG.
    board: String,
    /// Each with the page of its bot, on the site.
    seats: Vec<(SeatSign, Option<String>, &'a ReplaySeat)>,
    /// The steps of each part of the drawings but the last.
    part_steps: usize,
    /// The last step.
    last: usize,
    steps: Vec<StepRow>,
    /// The number of steps that are not listed.
    more: usize,
    has_views: bool,
    has_faults: bool,
    has_chance: bool,
}

/// A step in the list.
struct StepRow {
    class: &'static str,
    ply: u64,
    text: String,
}

/// A page that stands alone.
#[derive(Template)]
#[template(path = "replay_page.html")]
struct ReplayPage<'a> {
    replay: &'a MatchReplay,
    id: String,
    seats: String,
    result: String,
    warning: Option<&'static str>,
    fragment: String,
    data: String,
    styles: [String; 3],
    script: String,
    /// Names what may run: only what has it, and no bot knows it before the match is over.
    nonce: String,
}

/// Returns a match as one page that needs nothing else and loads nothing.
///
/// # Errors
/// When the rules refuse a line of the record.
pub fn replay_page(replay: &MatchReplay) -> Result<String> {
    let data = Data::of(replay)?.json();
    let seats: Vec<&str> = replay.header.seats.iter().map(|seat| &*seat.bot).collect();
    let page = ReplayPage {
        replay,
        id: plain_line(&replay.header.id),
        seats: plain_line(&seats.join(" – ")),
        result: plain_line(&capitalised(&replay.result())),
        warning: replay.warning(),
        fragment: fragment(replay, None, usize::MAX)?,
        styles: STYLES.map(uncommented),
        script: condensed_script(),
        nonce: hex::encode(&Sha256::digest(&data)[..16]),
        data,
    };
    page.render().map_err(Failure::new)
}

/// Returns a match as a part of a page of the site, whose script loads the data in parts from this address.
///
/// # Errors
/// When the rules refuse a line of the record.
pub(super) fn replay_fragment(replay: &MatchReplay, address: &str) -> Result<String> {
    fragment(replay, Some(address), MAX_LIST_BYTES)
}

/// Returns the data of a match as JSON, for the script.
///
/// # Errors
/// When the rules refuse a line of the record.
pub(super) fn replay_data(replay: &MatchReplay) -> Result<String> {
    Ok(Data::of(replay)?.json())
}

/// Returns the data of a match without its drawings, as JSON, for the script.
pub(super) fn replay_outline(replay: &MatchReplay) -> serde_json::Result<String> {
    serde_json::to_string(&Outline::of(replay))
}

/// Returns a part of the drawings of a view, both from 0, as JSON, for the script; nothing where there is none.
///
/// # Errors
/// When the rules refuse a line of the record.
pub(super) fn replay_part(
    replay: &MatchReplay,
    view: usize,
    part: usize,
) -> Result<Option<String>> {
    let part = Part::of(replay, view, part)?;
    let json = part.map(|part| serde_json::to_string(&part));
    json.transpose().map_err(Failure::new)
}

fn fragment(replay: &MatchReplay, address: Option<&str>, max_bytes: usize) -> Result<String> {
    let last = replay.steps.len() - 1;
    let mut frames = replay.frames().map_err(Failure::new)?;
    let mut bytes = 0;
    let steps: Vec<StepRow> = replay
        .steps
        .iter()
        .map(|step| StepRow::of(replay, step))
        .take_while(|listed| {
            // Markup, and characters that are written in a longer way.
            let escaped = listed.text.matches(['<', '>', '&', '"', '\'']).count();
            bytes += listed.text.len() + 4 * escaped + 60;
            bytes <= max_bytes
        })
        .collect();
    let has = |kind| replay.steps.iter().any(|step| step.kind == kind);
    let game = flipside_games::find(&replay.header.game);
    let sign = |seat| SeatSign::new(seat, game.and_then(|game| game.look(seat)));
    let seats = replay.header.seats.iter().map(|seat| {
        let page = address.and_then(|_| bot_address(&seat.bot));
        (sign(seat.seat), page, seat)
    });
    let fragment = Fragment {
        address,
        board: frames.svg(last, replay.seen_by())?,
        seats: seats.collect(),
        part_steps: PART_STEPS,
        last,
        more: replay.steps.len() - steps.len(),
        steps,
        has_views: replay.viewers().len() > 1,
        has_faults: has(StepKind::Fault),
        has_chance: has(StepKind::Chance),
    };
    let text = fragment.render().map_err(Failure::new)?;
    // Names in a record from elsewhere may hold anything.
    Ok(plain(&text))
}

impl StepRow {
    fn of(replay: &MatchReplay, step: &ReplayStep) -> Self {
        StepRow {
            class: match step.kind {
                StepKind::Fault => "is-fault",
                StepKind::Chance => "is-chance",
                StepKind::Acts | StepKind::Opening => "is-act",
                StepKind::Start | StepKind::Ready | StepKind::Over => "is-frame",
            },
            ply: step.ply,
            text: plain_line(&replay.sentence(step)),
        }
    }
}

fn capitalised(words: &str) -> String {
    // A name of a bot stays as it is.
    match words.strip_prefix("draw") {
        Some(rest) => format!("Draw{rest}"),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_comment_of_the_script_has_several_lines_or_stands_within_one() {
        // What condenses the script reads no JavaScript: it drops lines that are comments from their beginning.
        for line in SCRIPT.lines().map(str::trim) {
            if let Some(comment) = line.strip_prefix("/*") {
                let end = comment.find("*/");
                assert_eq!(end, comment.len().checked_sub(2), "{line}");
                assert!(comment.starts_with('*'), "{line}");
            } else if !line.starts_with("//") {
                assert!(!line.contains("/*") && !line.contains("*/"), "{line}");
            }
        }
        assert!(!condensed_script().contains("/**"));
    }
}
