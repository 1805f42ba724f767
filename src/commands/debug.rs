use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use flipside_games::words::counted;
use flipside_games::{MAX_SEATS, Seat};
use flipside_operations::{
    Attach, ComparedAnswer, DEBUG_PATIENCE, DebugOutcome, DebugReplay, Failure, GivenSeed, NewFile,
    Processes, ReplayEvent, Result, TypedMatch, feed, find_debugged, read_record,
};
use flipside_protocol::{Clock, Patience};
use flipside_referee::{
    MAX_OPENING_PLIES, Match, MatchResult, Observer, ObserverEvent, PlayedMatch, Record,
    RecordedAnswer, SentLine, Transcript,
};
use flipside_report::{Column, ReportTable, plain_line, words};
use flipside_sandbox::shell::quoted;
use flipside_tournament::single_match_points;

use crate::args::{ArenaArg, BotsArg, ProcessArgs};
use crate::number;
use crate::output::{OutputFormat, finish_transcript, new_transcript, note, print, say_line};
use crate::terminal::Style;

/// The clock of a match that is debugged, where none is typed.
const CLOCK: &str = "move=10m,start=10m";

/// How often it is looked whether a debugger has attached.
const LOOK: Duration = Duration::from_millis(100);

/// Show every message of a match, or send a bot again what it was sent in a recorded match
///
/// `debug GAME BOT BOT...` plays one match. It shows each message both ways, with its time and what the bots write to
/// stderr.
///
/// `debug MATCH --seat N --ply P` starts the bot of that seat again, sends it exactly what it was sent until ply P of
/// the recorded match, and compares its answers with the recorded ones. MATCH is a match id or a record file. The bot
/// has ten minutes for each answer.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game, match id or record file
    #[arg(value_name = "GAME|MATCH")]
    what: String,
    /// Bots in the order of seats, for a game
    bots: Vec<String>,
    /// Seat of the recorded match
    #[arg(long, conflicts_with = "own", value_parser = number::near::<Seat>(0, MAX_SEATS - 1))]
    seat: Option<Seat>,
    /// Stop after the question at this ply, the number of plies played before it
    #[arg(long, requires = "seat", value_parser = number::whole(0, u64::MAX))]
    ply: Option<u64>,
    /// Send the lines to this bot instead of the recorded one
    #[arg(long, requires = "seat", value_name = "BOT")]
    against: Option<String>,
    /// Print the process id, and wait for a debugger or Enter
    #[arg(long, requires = "seat")]
    attach: bool,
    /// Show every message, not just the last question and answers that differ
    #[arg(long, requires = "seat")]
    full: bool,
    /// Clock of the match
    #[arg(long, default_value = CLOCK, conflicts_with = "seat")]
    clock: Clock,
    /// Seed of the dice: a number, or the 64 digits of a match or record
    #[arg(long, value_name = "N|DIGITS", conflicts_with = "seat")]
    seed: Option<GivenSeed>,
    /// Options of the game, as JSON
    #[arg(long, default_value = "{}", conflicts_with = "seat")]
    options: String,
    /// Begin with N random plies from the seed (board games only)
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "seat", value_parser = number::near::<u32>(0, MAX_OPENING_PLIES))]
    opening_plies: u32,
    /// Let a bot that asks a language model pause its clock for so long in a match, such as 5m
    #[arg(long, value_name = "TIME", conflicts_with = "seat")]
    provider_patience: Option<Patience>,
    #[command(flatten)]
    own: BotsArg,
    /// Write the record to this new file
    #[arg(long, conflicts_with = "seat")]
    record: Option<PathBuf>,
    /// Write every message with its time to this new file, as JSON lines
    #[arg(long, value_name = "FILE", conflicts_with = "seat")]
    transcript: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match args.seat {
        Some(seat) => send_again(args, seat),
        None if flipside_games::find(&args.what).is_none() && args.bots.is_empty() => {
            // A misspelt game has bots after it.
            read_record(args.arena.path(), &args.what)?;
            Err(Failure::usage("whose messages? A match has several seats")
                .hint(format!("flipside debug {} --seat 0", quoted(&args.what))))
        }
        None => play(args),
    }
}

/// Plays a match in which everything is shown.
fn play(args: &Args) -> Result<()> {
    let typed = TypedMatch {
        game: &args.what,
        bots: &args.bots,
        options: &args.options,
        clock: args.clock,
        seed: args.seed,
        opening_plies: args.opening_plies,
        patience: args.provider_patience,
        own: &args.own.settings,
    };
    let processes = Processes::from(args.process);
    let (the_match, referee) = typed.prepare(args.arena.path(), processes, &mut say_line)?;
    let file = args.record.as_deref().map(NewFile::make).transpose()?;
    let path = args.transcript.as_deref();
    let transcript = path.map(new_transcript).transpose()?;
    let shower = TrafficPrinter {
        style: Style::of_stdout(),
        shown: args.format.for_people(),
        transcript: transcript.clone(),
    };
    let played = referee.observed_by(shower).play(&the_match);
    // It is there also of a match that the host failed to play.
    if let Some((transcript, path)) = transcript.zip(path) {
        finish_transcript(&transcript, path)?;
    }
    let played = played?;
    if let Some(file) = file {
        file.write(played.record.as_bytes())?;
    }
    let value = serde_json::json!({
        "game": the_match.game.info().id,
        "seed": the_match.seed.to_string(),
        "reason": played.result.reason,
        "plies": played.result.plies,
        "points": played.result.points(),
        "places": played.result.places(),
    });
    let csv = || ending(&played, &the_match);
    args.format.print_value(&value, || Ok(csv()), csv)
}

fn ending(played: &PlayedMatch, the_match: &Match) -> String {
    let MatchResult { reason, plies, .. } = &played.result;
    let plies = counted(*plies, "ply");
    let mut text = format!("\n{reason}, {plies}, seed {}\n", the_match.seed);
    let points = single_match_points(&played.result, &the_match.sides());
    let seats = (played.result.seats.iter().zip(points)).zip(&the_match.players);
    for (number, ((seat, points), player)) in seats.enumerate() {
        let name = plain_line(&player.name);
        let _ = writeln!(
            text,
            "place {}: {name} (seat {number}), points {}",
            seat.place,
            words::points(points)
        );
    }
    text
}

/// Shows everything that is said while a match runs.
struct TrafficPrinter {
    style: Style,
    shown: bool,
    transcript: Option<Transcript<BufWriter<File>>>,
}

impl Observer for TrafficPrinter {
    fn begins(&mut self, the_match: &Match) {
        if let Some(transcript) = &mut self.transcript {
            transcript.begins(the_match);
        }
    }

    fn hear(&mut self, seat: Seat, at: Duration, said: &ObserverEvent<'_>) {
        if let Some(transcript) = &mut self.transcript {
            transcript.hear(seat, at, said);
        }
        if self.shown {
            // Nobody may read it, which is no reason to stop the match.
            let _ = print(&self.told(seat, at, said));
        }
    }

    fn over(&mut self, at: Duration, result: &MatchResult) {
        if let Some(transcript) = &mut self.transcript {
            transcript.over(at, result);
        }
    }
}

impl TrafficPrinter {
    fn told(&self, seat: Seat, at: Duration, said: &ObserverEvent<'_>) -> String {
        let place = format!("{:>9.3} s  seat {seat} ", at.as_secs_f64());
        let (style, place) = (self.style, place.as_str());
        match *said {
            ObserverEvent::Sent(line) => format!("{place}> {}\n", style.dim(&plain_line(line))),
            ObserverEvent::Received { line, us, .. } => {
                let ms = us as f64 / 1000.0;
                format!("{place}< {}  ({ms:.3} ms)\n", style.bold(&plain_line(line)))
            }
            ObserverEvent::Stray(text) => {
                format!("{place}? {}  (unasked)\n", style.bold(&plain_line(text)))
            }
            ObserverEvent::Stderr(text) => lines_of(text, |line| format!("{place}| {line}\n")),
            ObserverEvent::Fault(fault) => {
                format!("{place}! {}\n", style.bold(&plain_line(&fault.to_string())))
            }
            ObserverEvent::Ended(ended) => format!("{place}. {}\n", plain_line(&ended.to_string())),
        }
    }
}

fn lines_of(text: &str, told: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| told(&plain_line(line))).collect()
}

/// Sends a bot what a seat was sent.
fn send_again(args: &Args, seat: Seat) -> Result<()> {
    if !args.bots.is_empty() {
        return Err(
            Failure::usage("--seat is for a recorded match, whose bots are known")
                .hint("name another bot for the seat with --against BOT"),
        );
    }
    let arena = args.arena.path();
    let text = read_record(arena, &args.what)?;
    let record = Record::read(&text).map_err(|error| {
        let hint = error.hint();
        Failure::new(error).maybe_hint(hint).about(&args.what)
    })?;
    let player = find_debugged(arena, &record, seat, args.against.as_deref(), &mut say_line)?;
    let program = player.program().expect("it is a bot's player");
    let sandbox = Processes::from(args.process).sandbox(arena, 1);
    let mut teller = DebugReporter {
        style: Style::of_stdout(),
        full: args.full,
        shown: args.format.for_people(),
        until: args.ply,
        last: String::new(),
        stderr: String::new(),
    };
    if teller.shown {
        let name = plain_line(&player.name);
        let id = plain_line(&record.header.id);
        print(&format!("{id} seat {seat}: {name}\n"))?;
    }
    let mut attach: Attach<'_> = &mut wait_for_debugger;
    let asked = DebugReplay {
        record: &record,
        seat,
        ply: args.ply,
        program,
        sandbox: &sandbox,
        attach: args.attach.then_some(&mut attach),
    };
    let all = feed(asked, &mut |fed| teller.hear(fed))?;
    let csv = || ReportTable::of("", COLUMNS, &all.answers).csv();
    args.format.print_value(&all, || Ok(verdict(&all)), csv)?;
    match all.failed {
        None => Ok(()),
        Some(why) => Err(Failure::new(format!("the bot gave no answer: {why}"))),
    }
}

/// Waits until a debugger is attached to a process, or somebody presses Enter.
fn wait_for_debugger(pid: u32) -> Result<()> {
    note!(
        "the bot is process {pid}; it waits for a debugger, such as `gdb -p {pid}`, or for Enter"
    );
    let (sender, enter) = channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        // At the end of the input there is nobody who could press it.
        let read = std::io::stdin().read_line(&mut line);
        if read.is_ok_and(|read| read > 0) {
            let _ = sender.send(());
        }
    });
    let status = format!("/proc/{pid}/status");
    loop {
        match enter.recv_timeout(LOOK) {
            Ok(()) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        // Of a process that has ended and is not reaped there is a state, too.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().into())
        };
        if field("State:").is_none_or(|state: &str| state.starts_with(['Z', 'X'])) {
            return Err(Failure::new(
                "the bot has ended before a debugger was attached",
            ));
        }
        if field("TracerPid:").is_some_and(|tracer| tracer != "0") {
            return Ok(());
        }
    }
}

/// Tells what is sent and answered.
struct DebugReporter {
    style: Style,
    full: bool,
    shown: bool,
    until: Option<u64>,
    /// The last question, which may still be shown, and what came on the error stream since.
    last: String,
    stderr: String,
}

impl DebugReporter {
    fn hear(&mut self, fed: ReplayEvent<'_>) -> Result<()> {
        if !self.shown {
            return Ok(());
        }
        match fed {
            ReplayEvent::Sent(sent) => self.sent(sent),
            ReplayEvent::Answer(line, took) if self.full => {
                let (line, ms) = (plain_line(line), took.as_secs_f64() * 1000.0);
                print(&format!("  < {}  ({ms:.3} ms)\n", self.style.bold(&line)))
            }
            ReplayEvent::Answer(line, _) => {
                self.last += &format!("  < {}\n", self.style.bold(&plain_line(line)));
                Ok(())
            }
            ReplayEvent::Failed(why) => {
                let last = std::mem::take(&mut self.last);
                print(&format!("{last}  ! {}\n", plain_line(why)))
            }
            ReplayEvent::Stderr(text) => {
                let lines = lines_of(text, |line| format!("  | {line}\n"));
                if self.last.is_empty() {
                    return print(&lines);
                }
                self.stderr += &lines;
                Ok(())
            }
            ReplayEvent::Compared(compared) => self.compared(compared),
        }
    }

    fn sent(&mut self, sent: &SentLine<'_>) -> Result<()> {
        let heading = match sent.answer {
            RecordedAnswer::Ready(_) => "hello".into(),
            _ if sent.allowance_us.is_none() => "over".into(),
            _ => format!("ply {}", sent.plies),
        };
        let line = self.style.dim(&plain_line(&sent.line));
        self.last = format!("{heading}\n  > {line}\n");
        if self.full {
            print(&std::mem::take(&mut self.last))?;
        }
        Ok(())
    }

    /// Shows an answer beside the recorded one, if it differs or was asked for.
    fn compared(&mut self, compared: &ComparedAnswer) -> Result<()> {
        let question = std::mem::take(&mut self.last);
        let stderr = std::mem::take(&mut self.stderr);
        let is_wanted = self.until.is_some_and(|ply| ply == compared.ply);
        if !self.full && !is_wanted && compared.same {
            return print(&stderr);
        }
        print(&(question + &stderr + &told(compared)))
    }
}

fn told(compared: &ComparedAnswer) -> String {
    let ms = |us: u64| us as f64 / 1000.0;
    let now = match (&compared.action, &compared.refused) {
        (Some(action), None) => plain_line(action),
        (Some(action), Some(why)) => plain_line(&format!("{action}, which is refused: {why}")),
        (None, why) => plain_line(why.as_deref().unwrap_or("nothing")),
    };
    let then = match (&compared.recorded, &compared.fault) {
        (Some(action), _) => plain_line(action),
        (None, Some(fault)) => format!("a fault, {}", plain_line(fault)),
        (None, None) => "nothing".into(),
    };
    let then_ms = (compared.recorded_us).map(|us| format!("  ({:.3} ms)", ms(us)));
    let then_ms = then_ms.unwrap_or_default();
    let same = match (compared.same, &compared.fault) {
        (true, None) => "the same",
        (true, Some(_)) => "the same fault",
        (false, _) => "another answer",
    };
    format!(
        "  now:    {now}  ({:.3} ms)\n  record: {then}{then_ms}\n  {same}\n",
        ms(compared.us)
    )
}

fn verdict(all: &DebugOutcome) -> String {
    let questions = counted(all.answers.len() as u64, "question");
    match all.others().count() {
        0 => format!("{questions}: every answer is the recorded one\n"),
        1 => format!("{questions}: 1 answer is not the recorded one\n"),
        others => format!("{questions}: {others} answers are not the recorded ones\n"),
    }
}

const COLUMNS: &[Column<ComparedAnswer>] = &[
    Column::data("question", |answer: &ComparedAnswer| answer.question.into()),
    Column::data("ply", |answer: &ComparedAnswer| answer.ply.into()),
    Column::data("action", |answer: &ComparedAnswer| {
        answer.action.as_deref().unwrap_or_default().into()
    }),
    Column::data("recorded", |answer: &ComparedAnswer| {
        answer.recorded.as_deref().unwrap_or_default().into()
    }),
    Column::data("refused", |answer: &ComparedAnswer| {
        answer.refused.as_deref().unwrap_or_default().into()
    }),
    Column::data("fault", |answer: &ComparedAnswer| {
        answer.fault.as_deref().unwrap_or_default().into()
    }),
    Column::data("same", |answer: &ComparedAnswer| {
        answer.same.to_string().into()
    }),
    Column::data("us", |answer: &ComparedAnswer| answer.us.into()),
    Column::data("recorded_us", |answer: &ComparedAnswer| {
        answer.recorded_us.into()
    }),
];

// The help names it.
const _: () = assert!(DEBUG_PATIENCE.as_secs() == 600);
