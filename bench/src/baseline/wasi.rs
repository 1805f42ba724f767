//! The yardstick that most hosts of WASI modules would build.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wasmtime::{Engine, Linker, Module, Store};
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::cli::{AsyncStdinStream, AsyncStdoutStream};
use wasmtime_wasi::p1::{self, WasiP1Ctx};

use super::echo::{echo_binary, line};

/// The time of one round trip of a line through the echoing module, the way the documentation of
/// wasmtime-wasi leads one to: the default engine, standard streams over two tokio pipes, the
/// module as a task beside the one that asks. No interruption, no deadline, no limits.
pub(super) fn wasi_round_trip(rounds: u32, line_len: usize) -> wasmtime::Result<Duration> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let engine = Engine::default();
        let mut linker: Linker<WasiP1Ctx> = Linker::new(&engine);
        p1::add_to_linker_async(&mut linker, |ctx| ctx)?;
        let ready = linker.instantiate_pre(&Module::new(&engine, echo_binary())?)?;

        let (mut stdin, theirs) = tokio::io::duplex(64 * 1024);
        let input = AsyncStdinStream::new(theirs);
        let (mut stdout, theirs) = tokio::io::duplex(64 * 1024);
        let output = AsyncStdoutStream::new(4096, theirs);
        let wasi = WasiCtxBuilder::new().stdin(input).stdout(output).build_p1();
        let mut store = Store::new(&engine, wasi);
        let instance = ready.instantiate_async(&mut store).await?;
        let start = instance.get_typed_func::<(), ()>(&mut store, "_start")?;
        let guest = tokio::spawn(async move { start.call_async(&mut store, ()).await });

        let line = line(line_len);
        let mut answer = [0; 128];
        let mut begun = Instant::now();
        for round in 0..=rounds {
            if round == 1 {
                begun = Instant::now();
            }
            stdin.write_all(&line).await?;
            let mut last = 0;
            while last != b'\n' {
                match stdout.read(&mut answer).await? {
                    0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                    length => last = answer[length - 1],
                }
            }
        }
        let time = begun.elapsed() / rounds.max(1);
        drop(stdin);
        guest.await??;
        Ok(time)
    })
}
