//! Runs the programs of games in the sandbox, as bots are run, with limits of their own.
//!
//! A module runs on the thread of its match. A process has a thread of its own, which outlives the match: a process ends
//! with the thread that started it, and another match plays on with it.

use std::pin::pin;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use flipside_games::{GameHost, GameLink, GameProgramError, ProgramGame};
use flipside_protocol::ClockUnit;
use flipside_protocol::game::LONGEST_GAME_LINE;
use flipside_sandbox::{
    Allowance, AskError, Program, ProgramKind, Sandbox, SandboxBot, SandboxFault, Start,
};

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
        match self.program.kind() {
            ProgramKind::Module => {
                let bot = start(&self.program, &self.sandbox)?;
                Ok(Box::new(ModuleLink {
                    program: RunningGame::new(bot),
                }))
            }
            ProgramKind::Process => ProcessLink::start(&self.program, &self.sandbox),
        }
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
    bot: SandboxBot,
    time: Duration,
    /// The line that is written, and then the line that came.
    line: String,
}

impl RunningGame {
    fn new(bot: SandboxBot) -> Self {
        RunningGame {
            bot,
            time: GAME_START_TIME,
            line: String::new(),
        }
    }

    /// Writes a line and waits for the answer, which is in `line` then.
    async fn exchange(&mut self, request: &str) -> Result<(), String> {
        self.line.clear();
        self.line.push_str(request);
        self.line.push('\n');
        if let Some(stray) = self.bot.unread(Instant::now()) {
            let stray = String::from_utf8_lossy(&stray[..stray.len().min(QUOTED)]).into_owned();
            return Err(format!("it wrote a line that nothing asked for: {stray:?}"));
        }
        let time = std::mem::replace(&mut self.time, GAME_ANSWER_TIME);
        let allowance = Allowance {
            from: Instant::now(),
            time,
        };
        match self.bot.ask_alone(self.line.as_bytes(), allowance).await {
            Ok(answer) => {
                let answer = answer.line.to_owned();
                self.line = answer;
                Ok(())
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
                self.bot.fall();
                let stderr = self.bot.stderr_tail();
                let last = last_line(&stderr);
                Err(match last.is_empty() {
                    true => what,
                    false => format!("{what}; on stderr: {last}"),
                })
            }
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

/// A module, which runs on the thread that asks it.
struct ModuleLink {
    program: RunningGame,
}

impl GameLink for ModuleLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        at_once(self.program.exchange(request))?;
        Ok(&self.program.line)
    }
}

/// Runs what waits for nothing but itself: a module, whose every pause is a chance for others.
fn at_once<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
            return done;
        }
    }
}

/// A process, and the thread that it lives on.
struct ProcessLink {
    requests: Sender<String>,
    answers: Receiver<Result<String, String>>,
    answer: String,
}

impl ProcessLink {
    fn start(program: &Program, sandbox: &Sandbox) -> Result<Box<dyn GameLink>, String> {
        let (requests, incoming) = channel();
        let (outgoing, answers) = sync_channel(1);
        let (program, sandbox) = (program.clone(), sandbox.clone());
        let thread = std::thread::Builder::new().name(LABEL.into());
        let work = move || live(&program, &sandbox, &incoming, &outgoing);
        (thread.spawn(work)).map_err(|error| format!("cannot start a thread: {error}"))?;
        let mut link = ProcessLink {
            requests,
            answers,
            answer: String::new(),
        };
        // The first answer says that it has started.
        link.wait()?;
        Ok(Box::new(link))
    }

    fn wait(&mut self) -> Result<(), String> {
        let gone = |_| Err("its thread has ended".into());
        self.answer = self.answers.recv().unwrap_or_else(gone)?;
        Ok(())
    }
}

impl GameLink for ProcessLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        // Where its thread has ended, there is no answer either.
        let _ = self.requests.send(request.to_owned());
        self.wait()?;
        Ok(&self.answer)
    }
}

/// Starts a process and passes requests and answers on, until nobody asks any more.
fn live(
    program: &Program,
    sandbox: &Sandbox,
    requests: &Receiver<String>,
    answers: &SyncSender<Result<String, String>>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = answers.send(Err(format!("there is no event queue: {error}")));
            return;
        }
    };
    runtime.block_on(async {
        let mut program = match start(program, sandbox) {
            Ok(bot) => RunningGame::new(bot),
            Err(why) => {
                let _ = answers.send(Err(why));
                return;
            }
        };
        let mut answer = Ok(String::new());
        // Whoever asked may be gone.
        while answers.send(answer).is_ok() {
            let Ok(request) = requests.recv() else {
                break;
            };
            let exchanged = program.exchange(&request).await;
            let failed = exchanged.is_err();
            answer = exchanged.map(|()| std::mem::take(&mut program.line));
            if failed {
                let _ = answers.send(answer);
                break;
            }
        }
        program.bot.finish(GAME_END_TIME).await;
    });
}
