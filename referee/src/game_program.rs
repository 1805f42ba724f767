//! Runs the programs of games in the sandbox, as bots are run, with limits of their own.
//!
//! A module runs on the thread of its match. A process has a thread of its own, which outlives the match: a process ends
//! with the thread that started it, and another match plays on with it.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use flipside_games::{GameHost, GameLink, GameProgramError, ProgramGame};
use flipside_protocol::ClockUnit;
use flipside_protocol::game::LONGEST_GAME_LINE;
use flipside_sandbox::{
    Allowance, AskError, Program, ProgramKind, Sandbox, SandboxBot, SandboxFault, Start,
};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How long a game program may take to start and to give its first answer.
pub const GAME_START_TIME: Duration = Duration::from_secs(20);

/// How long it may take for each answer after that.
pub const GAME_ANSWER_TIME: Duration = Duration::from_secs(10);

/// How long it may take to end when its input is closed.
const GAME_END_TIME: Duration = Duration::from_millis(500);

/// So many bytes of a line that nothing asked for are quoted.
const QUOTED: usize = 200;

/// What a game program is called in the log.
const LABEL: &str = "game";

/// Opens the program of a game, whose processes and modules start in this sandbox.
///
/// # Errors
/// Says why the program is no game.
pub fn open_game(program: &Program, sandbox: &Sandbox) -> Result<ProgramGame, GameProgramError> {
    ProgramGame::open(Box::new(game_host(program, sandbox)), program.sha256())
}

/// Returns what starts the program of a game in this sandbox.
pub fn game_host(program: &Program, sandbox: &Sandbox) -> impl GameHost + use<> {
    SandboxedGame {
        program: program.clone(),
        sandbox: sandbox.clone(),
    }
}

/// Starts the program of a game in a sandbox.
struct SandboxedGame {
    program: Program,
    sandbox: Sandbox,
}

impl GameHost for SandboxedGame {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        Ok(Box::new(match self.program.kind() {
            ProgramKind::Module => RunningGame::new(start(&self.program, &self.sandbox)?, None),
            ProgramKind::Process => start_process(&self.program, &self.sandbox)?,
        }))
    }
}

fn start(program: &Program, sandbox: &Sandbox) -> Result<SandboxBot, String> {
    let start = Start {
        seed: 0,
        unit: ClockUnit::Time,
        label: LABEL,
    };
    let mut bot = sandbox
        .start(program, &start)
        .map_err(|error| match error.hint() {
            Some(hint) => format!("{error}; hint: {hint}"),
            None => error.to_string(),
        })?;
    bot.allow_lines(LONGEST_GAME_LINE);
    Ok(bot)
}

/// A running program with the time that it has for its next answer.
struct RunningGame {
    /// Nothing once it is given up.
    bot: Option<SandboxBot>,
    /// Where a process lives.
    home: Option<ProcessHome>,
    time: Duration,
    /// The line that is written, and then the line that came.
    line: String,
}

/// The thread that a process lives on.
struct ProcessHome {
    runtime: Handle,
    /// Takes the process back to end it.
    end: oneshot::Sender<SandboxBot>,
}

impl RunningGame {
    fn new(bot: SandboxBot, home: Option<ProcessHome>) -> Self {
        RunningGame {
            bot: Some(bot),
            home,
            time: GAME_START_TIME,
            line: String::new(),
        }
    }
}

impl GameLink for RunningGame {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        self.line.clear();
        self.line.push_str(request);
        self.line.push('\n');
        let bot = self.bot.as_mut().expect("it runs until it is dropped");
        if let Some(stray) = bot.unread(Instant::now()) {
            let stray = String::from_utf8_lossy(&stray[..stray.len().min(QUOTED)]).into_owned();
            return Err(format!("it wrote a line that nothing asked for: {stray:?}"));
        }
        let time = std::mem::replace(&mut self.time, GAME_ANSWER_TIME);
        let allowance = Allowance {
            from: Instant::now(),
            time,
        };
        let runtime = self.home.as_ref().map(|home| &home.runtime);
        match bot.ask_blocking(self.line.as_bytes(), allowance, runtime) {
            Ok(answer) => {
                self.line.clear();
                self.line.push_str(answer.line);
                Ok(&self.line)
            }
            Err(error) => {
                let what = match &error {
                    AskError::Fault(SandboxFault::Late { waiting: true, .. }) => {
                        "it read on and gave no answer".into()
                    }
                    AskError::Fault(SandboxFault::Late { .. }) => {
                        format!("it gave no answer within {} s", time.as_secs())
                    }
                    AskError::Fault(SandboxFault::TooLong) => {
                        format!("it wrote a line of more than {LONGEST_GAME_LINE} bytes")
                    }
                    error => error.to_string(),
                };
                bot.fall();
                let stderr = bot.stderr_tail();
                let last = last_line(&stderr);
                Err(match last.is_empty() {
                    true => what,
                    false => format!("{what}; on stderr: {last}"),
                })
            }
        }
    }
}

impl Drop for RunningGame {
    fn drop(&mut self) {
        if let (Some(bot), Some(home)) = (self.bot.take(), self.home.take()) {
            // Where its thread has ended, so has the process.
            let _ = home.end.send(bot);
        }
    }
}

/// The last line that a program wrote to its error stream; after a traceback of Python, where it was as well.
fn last_line(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = lines.last().copied().unwrap_or_default();
    match lines.iter().rev().find(|line| line.starts_with("File \"")) {
        Some(place) if *place != last => format!("{place}: {last}"),
        _ => last.to_owned(),
    }
}

/// Starts a process on a thread of its own.
fn start_process(program: &Program, sandbox: &Sandbox) -> Result<RunningGame, String> {
    let (started, starts) = sync_channel(1);
    let (program, sandbox) = (program.clone(), sandbox.clone());
    let thread = std::thread::Builder::new().name(LABEL.into());
    let work = move || live(&program, &sandbox, &started);
    (thread.spawn(work)).map_err(|error| format!("cannot start a thread: {error}"))?;
    let gone = |_| Err("its thread has ended".into());
    let (bot, home) = starts.recv().unwrap_or_else(gone)?;
    Ok(RunningGame::new(bot, Some(home)))
}

/// Starts a process, lends it to whoever asks it, and ends it when it comes back.
fn live(
    program: &Program,
    sandbox: &Sandbox,
    started: &SyncSender<Result<(SandboxBot, ProcessHome), String>>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = started.send(Err(format!("there is no event queue: {error}")));
            return;
        }
    };
    runtime.block_on(async {
        let bot = match start(program, sandbox) {
            Ok(bot) => bot,
            Err(why) => {
                let _ = started.send(Err(why));
                return;
            }
        };
        let (end, ends) = oneshot::channel();
        let home = ProcessHome {
            runtime: Handle::current(),
            end,
        };
        // Whoever asked for it waits; and if not, it is dropped here.
        let _ = started.send(Ok((bot, home)));
        if let Ok(bot) = ends.await {
            bot.finish(GAME_END_TIME).await;
        }
    });
}
