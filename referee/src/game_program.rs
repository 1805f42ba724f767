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
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// How long a game program may take to start and to give its first answer.
const GAME_START_TIME: Duration = Duration::from_secs(20);

/// How long it may take for each answer after that.
const GAME_ANSWER_TIME: Duration = Duration::from_secs(10);

/// How long a process waits for another match before its input is closed.
const GAME_IDLE_TIME: Duration = Duration::from_secs(60);

/// How long it may take to end when its input is closed.
const GAME_END_TIME: Duration = Duration::from_millis(500);

/// So many bytes of a line that nothing asked for are quoted.
const QUOTED: usize = 200;

/// What a game program is called in the log.
const LABEL: &str = "game";

/// How long the program of a game may take.
#[derive(Clone, Copy, Debug)]
pub struct GameTimes {
    /// To start and to give its first answer.
    pub start: Duration,
    /// To give each later answer.
    pub answer: Duration,
    /// To wait for another match, as a process.
    pub idle: Duration,
}

impl Default for GameTimes {
    fn default() -> Self {
        GameTimes {
            start: GAME_START_TIME,
            answer: GAME_ANSWER_TIME,
            idle: GAME_IDLE_TIME,
        }
    }
}

/// Opens the program of a game, whose processes and modules start in this sandbox.
///
/// # Errors
/// Says why the program is no game.
pub fn open_game(program: &Program, sandbox: &Sandbox) -> Result<ProgramGame, GameProgramError> {
    ProgramGame::open(Box::new(game_host(program, sandbox)), program.sha256())
}

/// Returns what starts the program of a game in this sandbox.
pub fn game_host(program: &Program, sandbox: &Sandbox) -> impl GameHost + use<> {
    game_host_with(program, sandbox, GameTimes::default())
}

/// The same with other times, which tests need.
pub fn game_host_with(
    program: &Program,
    sandbox: &Sandbox,
    times: GameTimes,
) -> impl GameHost + use<> {
    SandboxedGame {
        program: program.clone(),
        sandbox: sandbox.clone(),
        times,
    }
}

/// Starts the program of a game in a sandbox.
#[derive(Clone)]
struct SandboxedGame {
    program: Program,
    sandbox: Sandbox,
    times: GameTimes,
}

impl GameHost for SandboxedGame {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        Ok(Box::new(match self.program.kind() {
            ProgramKind::Module => self.running(self.run()?, None),
            ProgramKind::Process => self.start_process()?,
        }))
    }
}

impl SandboxedGame {
    fn run(&self) -> Result<SandboxBot, String> {
        let start = Start {
            seed: 0,
            unit: ClockUnit::Time,
            label: LABEL,
        };
        let started = self.sandbox.start(&self.program, &start);
        let mut bot = started.map_err(|error| match error.hint() {
            Some(hint) => format!("{error}; hint: {hint}"),
            None => error.to_string(),
        })?;
        bot.allow_lines(LONGEST_GAME_LINE);
        Ok(bot)
    }

    fn running(&self, bot: SandboxBot, home: Option<ProcessHome>) -> RunningGame {
        RunningGame {
            bot: Some(bot),
            home,
            time: self.times.start,
            later: self.times.answer,
            line: String::new(),
        }
    }

    /// Starts a process on a thread of its own.
    fn start_process(&self) -> Result<RunningGame, String> {
        let (started, starts) = sync_channel(1);
        let game = self.clone();
        let thread = std::thread::Builder::new().name(LABEL.into());
        let work = move || live(&game, &started);
        (thread.spawn(work)).map_err(|error| format!("cannot start a thread: {error}"))?;
        let gone = |_| Err("its thread has ended".into());
        let (bot, home) = starts.recv().unwrap_or_else(gone)?;
        Ok(self.running(bot, Some(home)))
    }
}

/// A running program with the time that it has for its next answer.
struct RunningGame {
    /// Nothing while it rests or is given up.
    bot: Option<SandboxBot>,
    /// Where a process lives.
    home: Option<ProcessHome>,
    time: Duration,
    /// The time for each answer after that.
    later: Duration,
    /// The line that is written, and then the line that came.
    line: String,
}

/// The thread that a process lives on.
struct ProcessHome {
    runtime: Handle,
    tasks: UnboundedSender<HomeTask>,
}

/// What the thread of a process is told.
enum HomeTask {
    /// To keep the process, which no match needs, and to end it where none needs it for long or nobody can ask any more.
    Keep(SandboxBot),
    /// To give it back.
    GiveBack(SyncSender<SandboxBot>),
}

impl RunningGame {
    /// Gives a process back to the thread that it lives on.
    fn go_home(&mut self) {
        if let Some(home) = &self.home
            && let Some(bot) = self.bot.take()
        {
            // Where its thread has ended, so has the process.
            let _ = home.tasks.send(HomeTask::Keep(bot));
        }
    }
}

impl GameLink for RunningGame {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        self.line.clear();
        self.line.push_str(request);
        self.line.push('\n');
        let bot = self.bot.as_mut().expect("it is not asked while it rests");
        if let Some(stray) = bot.unread(Instant::now()) {
            let stray = String::from_utf8_lossy(&stray[..stray.len().min(QUOTED)]).into_owned();
            return Err(format!("it wrote a line that nothing asked for: {stray:?}"));
        }
        let time = std::mem::replace(&mut self.time, self.later);
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
                        format!("it gave no answer within {}", in_words(time))
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

    fn rest(&mut self) {
        self.go_home();
    }

    fn wake(&mut self) -> bool {
        if let Some(home) = &self.home {
            let (giver, given) = sync_channel(1);
            let asked = home.tasks.send(HomeTask::GiveBack(giver));
            self.bot = asked.ok().and_then(|()| given.recv().ok());
        }
        self.bot.is_some()
    }
}

impl Drop for RunningGame {
    fn drop(&mut self) {
        self.go_home();
    }
}

fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds => format!("{seconds} s"),
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

/// Starts a process, lends it to whoever asks it, and ends it at last.
fn live(game: &SandboxedGame, started: &SyncSender<Result<(SandboxBot, ProcessHome), String>>) {
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
        let bot = match game.run() {
            Ok(bot) => bot,
            Err(why) => {
                let _ = started.send(Err(why));
                return;
            }
        };
        let (tasks, coming) = unbounded_channel();
        let home = ProcessHome {
            runtime: Handle::current(),
            tasks,
        };
        // Whoever asked for it waits; and if not, it is dropped here.
        let _ = started.send(Ok((bot, home)));
        if let Some(bot) = keep(coming, game.times.idle).await {
            bot.finish(GAME_END_TIME).await;
        }
    });
}

/// Keeps a process while no match needs it, until nobody can ask for it any more or so much time is over.
async fn keep(mut tasks: UnboundedReceiver<HomeTask>, idle: Duration) -> Option<SandboxBot> {
    let mut kept = None;
    loop {
        let task = match &kept {
            Some(_) => timeout(idle, tasks.recv()).await.ok().flatten(),
            None => tasks.recv().await,
        };
        if task.is_none() {
            // Whoever asks at this very moment is told at once that it is gone.
            tasks.close();
            while tasks.recv().await.is_some() {}
        }
        match task {
            Some(HomeTask::Keep(bot)) => kept = Some(bot),
            // Whoever asks waits for it.
            Some(HomeTask::GiveBack(to)) => {
                if let Some(bot) = kept.take() {
                    let _ = to.send(bot);
                }
            }
            None => return kept,
        }
    }
}
