use std::path::PathBuf;
use std::time::Duration;

use flipside_games::words::counted;
use flipside_operations::{
    CHECKS, Check, CheckNews, CheckRequest, CheckStatus, CheckedStep, NewFile, Result, check,
    find_program, junit,
};
use flipside_protocol::{Clock, Pace};
use flipside_report::ReportTable;
use flipside_runner::StopSignal;
use flipside_sandbox::shell::quoted;

use crate::args::{ArenaArg, ProcessArgs};
use crate::output::{OutputFormat, on_terminal, print};
use crate::progress::{Progress, Steps};
use crate::step_lines::{COLUMNS, ListedStep, does_not_pass, summary, tell};
use crate::terminal::Style;

/// Check a bot in named steps
///
/// Each step says what it found and what to do. Exits with 1 if the bot breaks a rule of the protocol. Takes at most
/// about 3 minutes, or about 30 seconds with --quick, and skips steps that do not begin in that time; --time gives it
/// another time. The file of --junit must not exist.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Bot
    #[arg(required_unless_present = "list")]
    bot: Option<String>,
    /// Games that the bot must play [default: those that it is ready for]
    games: Vec<String>,
    /// Another build of the bot, which must choose the same actions
    #[arg(long, value_name = "BOT")]
    also: Option<String>,
    /// Clock of the matches
    #[arg(long, default_value = "move=1s")]
    clock: Clock,
    /// Run only this step; repeatable
    #[arg(long = "step", value_name = "NAME")]
    steps: Vec<String>,
    /// Try two games in most steps, and stop after about 30 seconds
    #[arg(long)]
    quick: bool,
    /// Time for all steps, of which each step and each match has its share [default: 3m, or 30s with --quick]
    #[arg(long, value_parser = time)]
    time: Option<Duration>,
    /// Show every step with what was sent and what came back
    #[arg(long)]
    full: bool,
    /// List the steps
    #[arg(long, conflicts_with_all = ["bot", "games", "also", "junit"])]
    list: bool,
    /// Write the result as JUnit XML to this new file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let format = args.format;
    let Some(bot) = &args.bot else {
        let listed = |check: &Check| ListedStep {
            group: check.group,
            name: check.name,
            purpose: check.purpose,
        };
        return format.print(&CHECKS.iter().map(listed).collect::<Vec<_>>());
    };
    // The file is made before the check: afterwards it would be too late to learn that it cannot be.
    let file = args.junit.as_deref().map(NewFile::make).transpose()?;
    let find = |typed: &str| find_program(args.arena.path(), typed);
    let program = find(bot)?;
    let also = args.also.as_deref().map(find).transpose()?;
    let request = CheckRequest {
        bot,
        program: &program,
        games: &args.games,
        also: also.as_ref(),
        clock: args.clock,
        quick: args.quick,
        time: args.time,
        steps: &args.steps,
        processes: args.process.into(),
        // Ctrl-C ends this program, and its bots with it.
        stop: &StopSignal::default(),
    };
    let mut teller = CheckReporter {
        progress: on_terminal().then(|| Progress::new(Steps("step", ""), 0, CHECKS.len() as u64)),
        group: Vec::new(),
        full: args.full,
        for_people: format.for_people(),
        style: Style::of_stdout(),
    };
    let checked = check(args.arena.path(), &request, &mut |news| teller.hear(news))?;
    teller.tell_group()?;
    drop(teller);
    if let Some(file) = file {
        file.write(junit(&checked).as_bytes())?;
    }
    let csv = || ReportTable::of("", COLUMNS, &checked.steps).csv();
    format.print_value(&checked, || Ok(summary(&checked.steps, checked.ms)), csv)?;
    if checked.passed() {
        return Ok(());
    }
    let failure = does_not_pass(bot, &checked.steps);
    Err(match args.full {
        true => failure,
        false => failure.hint(format!(
            "flipside check {} --full shows what was said",
            quoted(bot)
        )),
    })
}

/// Reads a time as a clock has it for a move, so that people write both alike.
fn time(typed: &str) -> std::result::Result<Duration, String> {
    let is_one = typed
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    match format!("move={typed}").parse::<Clock>() {
        Ok(Clock {
            pace: Pace::Move(time),
            ..
        }) if is_one => Ok(time),
        _ => Err(format!(
            "a time from 1ms to 24h, such as 10m or 2h, not {typed}"
        )),
    }
}

/// Tells of the steps, one group after the other.
struct CheckReporter {
    progress: Option<Progress>,
    group: Vec<CheckedStep>,
    full: bool,
    for_people: bool,
    style: Style,
}

impl CheckReporter {
    fn hear(&mut self, news: CheckNews<'_>) -> Result<()> {
        let CheckNews::Done(step) = news else {
            return Ok(());
        };
        self.progress.iter_mut().for_each(Progress::step);
        let first = self.group.first();
        if first.is_some_and(|first| first.group != step.group) {
            self.tell_group()?;
        }
        self.group.push(step.clone());
        Ok(())
    }

    /// Prints the steps of a group when the last of them is done.
    fn tell_group(&mut self) -> Result<()> {
        let steps = std::mem::take(&mut self.group);
        let Some(first) = steps.first().filter(|_| self.for_people) else {
            return Ok(());
        };
        let good = |step: &&CheckedStep| step.outcome.status == CheckStatus::Ok;
        let number = steps.iter().filter(good).count();
        let of = counted(steps.len() as u64, "step");
        let heading = format!("{}: {number} of {of} ok", first.group);
        let is_skipped = |step: &&CheckedStep| step.outcome.status == CheckStatus::Skipped;
        let heading = match steps.iter().filter(is_skipped).count() {
            0 => heading,
            skipped => format!("{heading}, {skipped} skipped"),
        };
        let mut text = self.style.bold(&heading) + "\n";
        for step in &steps {
            if self.full || step.outcome.status > CheckStatus::Skipped {
                tell(&mut text, step, self.full);
            }
        }
        print(&text)
    }
}
