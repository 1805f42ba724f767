//! Prints the cost of a round trip through the sandbox beside the same round trip with nothing
//! around it, all on one processor. Each figure is the best of several batches.

use std::error::Error;
use std::io::{self, Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use flipside_sandbox::bare::{self, Pinned};
use flipside_sandbox::{Program, Sandbox, Settings, Start};

const BATCHES: u32 = 15;
const ROUNDS: u32 = 20_000;
const LINE: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some("echo") {
        return Ok(echo()?);
    }
    let itself = std::env::current_exe()?;
    let mut line = vec![b'x'; LINE];
    line[LINE - 1] = b'\n';
    let _pinned = Pinned::here()?;
    let mut best = [Duration::MAX; 4];
    let sandbox = Sandbox::new(Settings::default());
    let process = Program::command(&itself, ["echo"])?;
    let file = std::env::temp_dir().join(format!("flipside-echo-{}.wat", std::process::id()));
    std::fs::write(&file, bare::ECHO_MODULE)?;
    let module = Program::open(&file);
    std::fs::remove_file(&file)?;
    let module = module?;
    sandbox.prepare(&module)?;
    for _ in 0..BATCHES {
        let bare = bare::pipe_round_trip(Command::new(&itself).arg("echo"), ROUNDS, LINE, true)?;
        let ours = ask(&sandbox, &process, &line, ROUNDS)?;
        let bare_wasi = bare::wasi_round_trip(ROUNDS, LINE)?;
        let ours_wasi = ask(&sandbox, &module, &line, ROUNDS)?;
        for (best, time) in best.iter_mut().zip([bare, ours, bare_wasi, ours_wasi]) {
            *best = time.min(*best);
        }
    }
    let [bare, ours, bare_wasi, ours_wasi] = best;
    println!(
        "process: {ours:?}, bare {bare:?}: {:.2} times",
        ratio(ours, bare)
    );
    println!(
        "module: {ours_wasi:?}, bare {bare_wasi:?}: {:.2} times",
        ratio(ours_wasi, bare_wasi)
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    for (name, program, count) in [("process", &process, 200), ("module", &module, 2000)] {
        let mut times = [Duration::ZERO; 3];
        for _ in 0..count {
            runtime.block_on(async {
                let begun = Instant::now();
                let mut bot = sandbox.start(
                    program,
                    &Start {
                        seed: 1,
                        label: "bench",
                    },
                )?;
                let started = Instant::now();
                bot.ask(&line, Instant::now() + Duration::from_secs(10))
                    .await?;
                let answered = Instant::now();
                drop(bot);
                times[0] += started - begun;
                times[1] += answered - started;
                times[2] += answered.elapsed();
                Ok::<(), Box<dyn Error>>(())
            })?;
        }
        let [start, first, end] = times.map(|time| time / count);
        println!("{name}: start {start:?}, first answer {first:?}, end {end:?}");
    }
    Ok(())
}

fn ratio(ours: Duration, bare: Duration) -> f64 {
    ours.as_secs_f64() / bare.as_secs_f64()
}

fn ask(
    sandbox: &Sandbox,
    program: &Program,
    line: &[u8],
    rounds: u32,
) -> Result<Duration, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut bot = sandbox.start(
            program,
            &Start {
                seed: 1,
                label: "bench",
            },
        )?;
        bot.ask(line, Instant::now() + Duration::from_secs(10))
            .await?;
        let begun = Instant::now();
        for _ in 0..rounds {
            bot.ask(line, Instant::now() + Duration::from_secs(10))
                .await?;
        }
        Ok(begun.elapsed() / rounds)
    })
}

/// Sends back what comes.
fn echo() -> io::Result<()> {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let mut bytes = vec![0; 64 * 1024];
    loop {
        match stdin.read(&mut bytes)? {
            0 => return Ok(()),
            length => {
                stdout.write_all(&bytes[..length])?;
                stdout.flush()?;
            }
        }
    }
}
