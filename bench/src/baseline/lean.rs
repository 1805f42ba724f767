//! The yardstick of what wasmtime allows: the smallest host that moves lines in and out.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use flipside_sandbox::lock::lock;
use wasmtime::{Caller, Engine, Extern, Linker, Memory, Module, Result, Store, error::format_err};

use super::echo::{echo_binary, line};

/// Where the functions are that the module imports.
const WASI: &str = "wasi_snapshot_preview1";

/// What the module reads next, and what it wrote.
#[derive(Default)]
struct LeanLines {
    input: Vec<u8>,
    read: usize,
    end: bool,
    output: Vec<u8>,
}

struct LeanHost {
    lines: Arc<Mutex<LeanLines>>,
    memory: Option<Memory>,
}

/// The time of one round trip of a line through the echoing module in the smallest host: one store,
/// two functions that copy bytes between the module and two buffers, and nothing checked but the bounds of its memory.
/// The module stops where there is no line to read, and the host goes on.
pub(crate) fn lean_round_trip(rounds: u32, line_len: usize) -> Result<Duration> {
    let engine = Engine::default();
    let mut linker: Linker<LeanHost> = Linker::new(&engine);
    linker.func_wrap_async(
        WASI,
        "fd_read",
        |mut caller, (_, list, _, out): (i32, u32, i32, u32)| {
            Box::new(async move { std::future::poll_fn(|_| read(&mut caller, list, out)).await })
        },
    )?;
    linker.func_wrap(
        WASI,
        "fd_write",
        |caller: Caller<'_, LeanHost>, _: i32, list: u32, _: i32, out: u32| {
            write(caller, list, out)
        },
    )?;
    let lines = Arc::new(Mutex::new(LeanLines::default()));
    let host = LeanHost {
        lines: Arc::clone(&lines),
        memory: None,
    };
    let mut store = Store::new(&engine, host);
    let module = Module::new(&engine, echo_binary())?;
    let mut guest = pin!(async move {
        let instance = linker.instantiate_async(&mut store, &module).await?;
        let start = instance.get_typed_func::<(), ()>(&mut store, "_start")?;
        start.call_async(&mut store, ()).await
    });
    let line = line(line_len);
    let mut begun = Instant::now();
    for round in 0..=rounds {
        if round == 1 {
            begun = Instant::now();
        }
        {
            let mut lines = lock(&lines);
            lines.output.clear();
            lines.input.clear();
            lines.read = 0;
            lines.input.extend_from_slice(&line);
        }
        if let Poll::Ready(ended) = poll(guest.as_mut()) {
            return Err(ended
                .err()
                .unwrap_or_else(|| format_err!("the module has ended")));
        }
        if lock(&lines).output.last() != Some(&b'\n') {
            return Err(format_err!("the module did not answer"));
        }
    }
    let time = begun.elapsed() / rounds.max(1);
    lock(&lines).end = true;
    match poll(guest.as_mut()) {
        Poll::Ready(ended) => ended.map(|()| time),
        Poll::Pending => Err(format_err!("the module did not end")),
    }
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// The bytes of the module, and the lines.
fn parts<'a>(caller: &'a mut Caller<'_, LeanHost>) -> Result<(&'a mut [u8], &'a Mutex<LeanLines>)> {
    let memory = match caller.data().memory {
        Some(memory) => memory,
        None => {
            let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
                return Err(format_err!("the module has no memory"));
            };
            caller.data_mut().memory = Some(memory);
            memory
        }
    };
    let (bytes, host) = memory.data_and_store_mut(caller);
    Ok((bytes, &host.lines))
}

/// A piece of the module's memory.
fn piece(bytes: &mut [u8], start: u32, len: u32) -> Result<&mut [u8]> {
    let (start, len) = (start as usize, len as usize);
    bytes
        .get_mut(start..start + len)
        .ok_or_else(|| format_err!("out of bounds"))
}

/// The first buffer of a list.
fn buffer(bytes: &mut [u8], list: u32) -> Result<(u32, u32)> {
    let entry = piece(bytes, list, 8)?;
    let word = |at: usize| u32::from_le_bytes(entry[at..at + 4].try_into().expect("four bytes"));
    Ok((word(0), word(4)))
}

fn read(caller: &mut Caller<'_, LeanHost>, list: u32, out: u32) -> Poll<Result<i32>> {
    let copied = (|| {
        let (bytes, lines) = parts(caller)?;
        let mut lines = lock(lines);
        let left = lines.input.len() - lines.read;
        if left == 0 && !lines.end {
            return Ok(None);
        }
        let (start, len) = buffer(bytes, list)?;
        let length = left.min(len as usize);
        let to = piece(bytes, start, length as u32)?;
        to.copy_from_slice(&lines.input[lines.read..lines.read + length]);
        lines.read += length;
        piece(bytes, out, 4)?.copy_from_slice(&(length as u32).to_le_bytes());
        Ok(Some(0))
    })();
    match copied.transpose() {
        Some(done) => Poll::Ready(done),
        None => Poll::Pending,
    }
}

fn write(mut caller: Caller<'_, LeanHost>, list: u32, out: u32) -> Result<i32> {
    let (bytes, lines) = parts(&mut caller)?;
    let (start, len) = buffer(bytes, list)?;
    lock(lines)
        .output
        .extend_from_slice(piece(bytes, start, len)?);
    piece(bytes, out, 4)?.copy_from_slice(&len.to_le_bytes());
    Ok(0)
}
