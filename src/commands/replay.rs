use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use flipside_games::{MAX_SEATS, Seat, Turn, Viewer};
use flipside_operations::{Failure, NewFile, Result, read_record, svg_after};
use flipside_referee::{Line, OverLine, Record, Replay, VerifyError};
use flipside_tournament::report::words::{TRUSTED, counted};

use crate::args::ArenaArg;
use crate::number;
use crate::output::{self, plain_line};

/// Show a match again from its record
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Record file or match id
    record: String,
    /// Show only what this seat saw
    #[arg(long, value_parser = number::near::<Seat>(0, MAX_SEATS - 1))]
    seat: Option<Seat>,
    /// Show only the board after this ply
    #[arg(long, value_parser = number::whole(0, u64::MAX))]
    ply: Option<u64>,
    /// Write the board as SVG to this new file (after --ply, or at the end)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Milliseconds between steps
    #[arg(long, default_value_t = 0, value_parser = number::whole(0u64, 60_000))]
    delay: u64,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let text = read_record(args.arena.path(), &args.record)?;
    let failed = |error: VerifyError| {
        Failure::new(&error)
            .maybe_hint(error.hint())
            .about(&args.record)
    };
    let record = Record::read(&text).map_err(|error| failed(error.into()))?;
    let mut replay = Replay::new(&record).map_err(failed)?;
    let seats = replay.table().seats();
    let viewer = match args.seat {
        Some(seat) if seat < seats => Viewer::Seat(seat),
        Some(seat) => {
            return Err(
                Failure::usage(format!("there is no seat {seat} in this match"))
                    .hint(format!("its seats are 0 to {}", seats - 1)),
            );
        }
        None => Viewer::Open,
    };
    if args.ply.is_some_and(|ply| ply > record.over.plies) {
        return Err(Failure::usage(format!(
            "this match has only {}",
            counted(record.over.plies, "ply")
        )));
    }
    let wanted = |ply: u64| args.ply.is_none_or(|wanted| wanted == ply);
    if let Some(path) = &args.svg {
        let plies = args.ply.unwrap_or(record.over.plies);
        let svg = svg_after(&record, plies, viewer).map_err(failed)?;
        return NewFile::make(path)?.write(svg.as_bytes());
    }
    output::print(&heading(&record))?;
    let secrets = replay.table().info().secrets;
    let mut ply = 0;
    if wanted(ply) {
        output::print(&format!("\n{}", replay.table().text(viewer)))?;
    }
    while let Some(step) = replay.step().map_err(failed)? {
        let taken = step.line.plies();
        ply += taken;
        if !wanted(ply) || (args.ply.is_some() && taken == 0) {
            continue;
        }
        let viewer = if matches!(step.table.turn(), Turn::Over(_)) {
            Viewer::Open
        } else {
            viewer
        };
        let told = told(step.line, ply, if secrets { args.seat } else { None });
        let moved = matches!(
            step.line,
            Line::Opening { .. } | Line::Acts { .. } | Line::Chance { .. }
        );
        let board = if moved {
            step.table.text(viewer)
        } else {
            String::new()
        };
        output::print(&format!("\n{told}{board}"))?;
        std::thread::sleep(Duration::from_millis(args.delay));
    }
    output::print(&format!("\n{}", ending(&record)))
}

fn heading(record: &Record) -> String {
    let header = &record.header;
    let mut text = format!(
        "{}\n",
        plain_line(&format!(
            "{} {}, clock {}",
            header.game, header.id, header.clock
        ))
    );
    for (seat, line) in header.seats.iter().enumerate() {
        let _ = writeln!(
            text,
            "seat {seat}: {}",
            plain_line(&format!("{} ({})", line.bot, line.kind))
        );
    }
    if header.walls.as_deref() == Some("trust") {
        let _ = writeln!(text, "{TRUSTED}");
    }
    text
}

/// A line of the record, in words. With `only`, it keeps from telling what that seat may not have
/// known: draws, and what the others did; the table shows what it saw of it.
fn told(line: &Line, ply: u64, only: Option<Seat>) -> String {
    match line {
        Line::Ready(ready) => {
            let name = ready.name.as_deref().unwrap_or("a bot without a name");
            format!(
                "seat {} is ready: {} {}\n",
                ready.seat,
                plain_line(name),
                plain_line(ready.version.as_deref().unwrap_or(""))
            )
        }
        Line::Opening { acts } => {
            let mut text = format!("opening, drawn from the seed: {}\n", counted(ply, "ply"));
            for act in acts {
                let _ = writeln!(text, "seat {}: {}", act.seat, plain_line(&act.action));
            }
            text
        }
        Line::Chance { .. } if only.is_some() => "chance\n".into(),
        Line::Chance { event } => format!("chance: {}\n", plain_line(event.get())),
        Line::Acts { acts } => {
            let mut text = format!("ply {ply}\n");
            for act in acts
                .iter()
                .filter(|act| only.is_none_or(|seat| seat == act.seat))
            {
                let _ = write!(text, "seat {}: {}", act.seat, plain_line(&act.action));
                let _ = match act.us {
                    Some(us) => write!(text, "  ({:.3} ms)", us as f64 / 1000.0),
                    None => write!(text, "  (the referee, for a disqualified bot)"),
                };
                if let Some(note) = &act.note {
                    let _ = write!(text, "  \"{}\"", plain_line(note));
                }
                text.push('\n');
            }
            text
        }
        Line::Fault(fault) => format!(
            "seat {} falls: {}: {}\n",
            fault.seat,
            fault.fault,
            plain_line(&fault.detail)
        ),
        Line::Over(_) | Line::End { .. } => String::new(),
    }
}

fn ending(record: &Record) -> String {
    let OverLine {
        points,
        places,
        reason,
        plies,
        ..
    } = &record.over;
    let mut text = format!(
        "over after {}: {}\n",
        counted(*plies, "ply"),
        plain_line(reason)
    );
    for (seat, line) in record.header.seats.iter().enumerate() {
        let (place, points) = (
            places.get(seat).copied().unwrap_or(0),
            points.get(seat).copied().unwrap_or(0),
        );
        let _ = writeln!(
            text,
            "place {place}: seat {seat}, {}, points {points}",
            plain_line(&line.bot)
        );
    }
    text
}
