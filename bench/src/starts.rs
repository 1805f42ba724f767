//! From the start of a small process until its first answer: baseline, by the sandbox, and in the jail.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use flipside_operations::{Failure, Result, jail_in_a_group};
use flipside_sandbox::{Isolation, Program, Sandbox, SandboxSettings, Start, StartError};
use tokio::runtime::{Builder, Runtime};

use crate::baseline::Pinned;
use crate::measuring::{Bench, step};
use crate::plan::{BenchEvent, BenchPart};
use crate::plies::micros;
use crate::report::{Figure, FigureTarget, Series};
use crate::turns::{TurnSide, in_turns, steps};

/// How many starts are measured for each repeat.
const STARTS: u32 = 10;

/// How long a process may take to start and answer, or to end.
const WAIT: Duration = Duration::from_secs(30);

const UNIT: &str = "ms";

/// What the process is asked.
const QUESTION: &[u8] = b"hello\n";

/// Starts processes as the referee does.
struct Starts {
    runtime: Runtime,
    program: Program,
    sandbox: Sandbox,
}

impl Starts {
    fn of(program: &Path, isolation: Isolation) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Starts {
            runtime: runtime.map_err(Failure::new)?,
            program: Program::open(program)?,
            sandbox: Sandbox::new(SandboxSettings {
                isolation,
                ..SandboxSettings::default()
            }),
        })
    }

    fn jailed(program: &Path) -> Result<Self> {
        Starts::of(program, Isolation::Jail(jail_in_a_group()))
    }

    fn start(&self) -> Result<f64, StartError> {
        self.runtime.block_on(async {
            let began = Instant::now();
            let start = Start {
                label: "bench",
                ..Start::default()
            };
            let mut bot = self.sandbox.start(&self.program, &start)?;
            let answer = bot.ask(QUESTION, began + WAIT).await;
            let took = began.elapsed();
            let failed = |error: String| StartError::Host(std::io::Error::other(error));
            answer.map_err(|error| failed(error.to_string()))?;
            bot.finish(WAIT).await;
            Ok(millis(took))
        })
    }
}

pub(crate) fn starts(bench: &mut Bench<'_>) -> Result<()> {
    let _pinned = Pinned::here().map_err(Failure::new)?;
    let echo = bench.files.echo();
    let plain = Starts::of(echo, Isolation::Trust)?;
    let jailed = Starts::jailed(echo)?;
    let missing = no_jail(echo)?;
    let repeats = bench.plan.repeats * STARTS;
    let mut sides: [TurnSide<'_>; 3] = [
        &mut || bare_start(echo),
        &mut || Ok(plain.start()?),
        &mut || Ok(jailed.start()?),
    ];
    let sides = match &missing {
        None => &mut sides[..],
        Some(_) => &mut sides[..2],
    };
    (bench.on)(BenchEvent::Begins {
        part: BenchPart::Start,
        step: "measurement",
        steps: steps(repeats, sides.len()),
    });
    let values = in_turns(repeats, sides, || step(bench.on, bench.stop))?;
    let mut values = values.into_iter();
    let [baseline, plain] = ["bare start", "plain start"]
        .map(|what| Series::new(what, values.next().expect("a side has values")));
    let jailed = values.next();
    bench.add(Figure::new(
        "start-plain",
        UNIT,
        FigureTarget::Low,
        baseline,
        plain.clone(),
    ))?;
    if let Some(why) = missing {
        bench
            .notes
            .push(format!("start-jailed is not measured: {why}"));
    }
    jailed.map_or(Ok(()), |jailed| {
        let jailed = Series::new("jailed start", jailed);
        bench.add(Figure::new(
            "start-jailed",
            UNIT,
            FigureTarget::Low,
            plain,
            jailed,
        ))
    })
}

/// Why this machine gives no jail for this program, if that is so.
pub(crate) fn no_jail(program: &Path) -> Result<Option<String>> {
    match Starts::jailed(program)?.start() {
        Err(StartError::Jail(missing)) => Ok(Some(missing.to_string())),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(None),
    }
}

/// The same as the standard library does it, with blocking calls and no checks.
fn bare_start(program: &Path) -> Result<f64> {
    let failed = |error: std::io::Error| Failure::new(format!("a bare start fails: {error}"));
    let began = Instant::now();
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let mut answer = String::new();
    let asked = stdin
        .write_all(QUESTION)
        .and_then(|()| stdout.read_line(&mut answer));
    let took = began.elapsed();
    // It ends when there is nothing more to read.
    drop(stdin);
    let ended = child.wait();
    asked.and(ended).map_err(failed)?;
    Ok(millis(took))
}

fn millis(time: Duration) -> f64 {
    micros(time) / 1000.0
}
