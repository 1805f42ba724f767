//! Our functions beside those of wasmtime-wasi: the same calls, with arguments that make sense and
//! with others, must give the same error numbers, traps, memory, output and stops.

mod reference;

use std::fmt::Write;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use proptest::prelude::*;
use proptest::sample::select;
use wasmtime::{Engine, Instance, InstancePre, Linker, Memory, Module, Store, Val};
use wasmtime_wasi::I32Exit;
use wasmtime_wasi::p1::{self, WasiP1Ctx};

use super::functions::NEVER_STOP;
use super::memory::MAX_IN_A_CALL;
use super::{Exit, Limits, Pipes, State, Stop, provide};
use crate::lines::Lines;
use crate::module::config::config;

/// The size of the guest's memory, in bytes.
const SIZE: u32 = 64 * 1024;

/// The other functions, and the types of their parameters.
const OTHERS: &[(&str, &[&str])] = &[
    ("fd_read", &["u32", "u32", "u32", "u32"]),
    ("fd_write", &["u32", "u32", "u32", "u32"]),
    ("poll_oneoff", &["u32", "u32", "u32", "u32"]),
    ("proc_exit", &["u32"]),
];

fn functions() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    NEVER_STOP.iter().chain(OTHERS)
}

/// The match's side of a guest's streams.
trait Side: Clone {
    fn feed(&self, line: &[u8]);
    fn end_input(&self);
    fn take(&self) -> (Stop, Vec<u8>);
    fn stderr(&self) -> String;
}

impl Side for Pipes {
    fn feed(&self, line: &[u8]) {
        Pipes::feed(self, line);
    }

    fn end_input(&self) {
        Pipes::end_input(self);
    }

    fn take(&self) -> (Stop, Vec<u8>) {
        let mut lines = Lines::default();
        let stop = self.take_output(&mut lines);
        (stop, lines.room().clone())
    }

    fn stderr(&self) -> String {
        self.stderr_tail()
    }
}

/// A module that makes any call of WASI when it is asked for it.
fn caller_text() -> String {
    let wasm = |ty: &&str| if ty.ends_with("64") { "i64" } else { "i32" };
    let mut text = String::from("(module\n");
    for (name, types) in functions() {
        let types: Vec<_> = types.iter().map(wasm).collect();
        let types = types.join(" ");
        let result = if *name == "proc_exit" {
            ""
        } else {
            "(result i32)"
        };
        writeln!(
            text,
            "(import \"wasi_snapshot_preview1\" \"{name}\" (func ${name} (param {types}) {result}))"
        )
        .unwrap();
    }
    text += "(memory (export \"memory\") 1 1)\n";
    for (name, types) in functions() {
        let params: Vec<_> = types.iter().map(wasm).collect();
        let gets: String = (0..types.len())
            .map(|at| format!("(local.get {at})"))
            .collect();
        let end = if *name == "proc_exit" {
            "unreachable"
        } else {
            ""
        };
        let params = params.join(" ");
        writeln!(
            text,
            "(func (export \"{name}\") (param {params}) (result i32) (call ${name} {gets}) {end})"
        )
        .unwrap();
    }
    text + ")"
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(&config()).unwrap());
static CALLER: LazyLock<Module> = LazyLock::new(|| Module::new(&ENGINE, caller_text()).unwrap());
static OURS: LazyLock<InstancePre<State>> = LazyLock::new(|| {
    let mut linker = Linker::new(&ENGINE);
    provide(&mut linker).unwrap();
    linker.instantiate_pre(&CALLER).unwrap()
});
static THEIRS: LazyLock<InstancePre<WasiP1Ctx>> = LazyLock::new(|| {
    let mut linker = Linker::new(&ENGINE);
    p1::add_to_linker_async(&mut linker, |ctx: &mut WasiP1Ctx| ctx).unwrap();
    linker.instantiate_pre(&CALLER).unwrap()
});

/// What a match sees of a call.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Stopped(Stop, Vec<u8>),
    Returned(i32),
    Exited(i32),
    Trapped(String),
}

struct Guest<T: 'static, P> {
    store: Store<T>,
    instance: Instance,
    memory: Memory,
    pipes: P,
}

/// Runs a future that needs nobody to wake it.
fn run<F: Future>(future: F, mut pending: impl FnMut()) -> F::Output {
    let mut future = pin!(future);
    loop {
        match future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(output) => return output,
            Poll::Pending => pending(),
        }
    }
}

impl<T: Send + 'static, P: Side> Guest<T, P> {
    fn new(ready: &InstancePre<T>, data: T, pipes: P) -> Self {
        let mut store = Store::new(&ENGINE, data);
        store.set_hostcall_fuel(MAX_IN_A_CALL);
        store.set_epoch_deadline(1 << 40);
        let instance = run(ready.instantiate_async(&mut store), || {
            panic!("it has nothing to wait for")
        });
        let instance = instance.unwrap();
        let memory = instance.get_memory(&mut store, "memory").unwrap();
        Guest {
            store,
            instance,
            memory,
            pipes,
        }
    }

    fn call(&mut self, name: &str, args: &[u64]) -> Vec<Seen> {
        let (_, types) = functions().find(|it| it.0 == name).unwrap();
        let args: Vec<Val> = types
            .iter()
            .zip(args)
            .map(|(ty, &arg)| match ty.ends_with("64") {
                true => Val::I64(arg.cast_signed()),
                false => Val::I32((arg as u32).cast_signed()),
            })
            .collect();
        let function = self.instance.get_func(&mut self.store, name).unwrap();
        let mut result = [Val::I32(-1)];
        let mut seen = Vec::new();
        let called = run(
            function.call_async(&mut self.store, &args, &mut result),
            || {
                let (stop, output) = self.pipes.take();
                if stop == Stop::Input {
                    // The second time there is no more.
                    match seen.is_empty() {
                        true => self.pipes.feed(b"more\n"),
                        false => self.pipes.end_input(),
                    }
                }
                seen.push(Seen::Stopped(stop, output));
                assert!(seen.len() < 2000, "{name} does not go on");
            },
        );
        seen.push(match called {
            Ok(()) => Seen::Returned(result[0].unwrap_i32()),
            Err(error) => {
                let ours = error.downcast_ref::<Exit>().map(|it| it.0);
                let theirs = error.downcast_ref::<I32Exit>().map(|it| it.0);
                match ours.or(theirs) {
                    Some(code) => Seen::Exited(code),
                    None => Seen::Trapped(error.root_cause().to_string()),
                }
            }
        });
        seen
    }

    fn bytes(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }
}

fn ours(seed: u64) -> Guest<State, Pipes> {
    let pipes = Pipes::default();
    let limits = Limits {
        memory: SIZE as usize,
        refused: false,
    };
    Guest::new(&OURS, State::new(pipes.clone(), seed, limits), pipes)
}

fn theirs(seed: u64) -> Guest<WasiP1Ctx, reference::Pipes> {
    let pipes = reference::Pipes::new();
    Guest::new(&THEIRS, reference::context(&pipes, seed), pipes)
}

#[derive(Clone, Debug)]
enum Step {
    Call(&'static str, Vec<u64>),
    /// Puts a number into memory.
    Put(u32, u32),
    /// Fills memory with a text.
    Fill(u32, Vec<u8>),
    Feed(Vec<u8>),
    End,
}

/// Addresses, lengths, numbers of descriptors and of flags: those that are likely to matter.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        6 => 0..5u32,
        6 => (0..16u32).prop_map(|at| at * 8),
        3 => (0..SIZE / 8).prop_map(|at| at * 8),
        2 => 0..SIZE,
        2 => (0..80u32).prop_map(|less| SIZE + 8 - less),
        1 => select(vec![
            u32::MAX, u32::MAX - 7, 1 << 31, MAX_IN_A_CALL as u32, MAX_IN_A_CALL as u32 - 8,
            MAX_IN_A_CALL as u32 / 8, MAX_IN_A_CALL as u32 / 8 + 1, 64 * 1024, 64 * 1024 + 1,
        ]),
        1 => any::<u32>(),
    ]
}

fn argument(ty: &'static str) -> BoxedStrategy<u64> {
    match ty {
        "u32" => number().prop_map(u64::from).boxed(),
        "i32" => prop_oneof![
            8 => 0..40u64,
            1 => select(vec![255, 256, 65_535, 65_536, u64::from(u32::MAX), 1 << 31]),
            1 => any::<u32>().prop_map(u64::from),
        ]
        .boxed(),
        _ => prop_oneof![
            4 => 0..1u64 << 30,
            1 => select(vec![1 << 30, 1 << 63, u64::MAX]),
            1 => any::<u64>(),
        ]
        .boxed(),
    }
}

/// A call of one of these functions.
fn call(names: Vec<&'static str>) -> impl Strategy<Value = Step> {
    select(names).prop_flat_map(|name| {
        let (_, types) = functions().find(|it| it.0 == name).unwrap();
        let args: Vec<_> = types.iter().map(|ty| argument(ty)).collect();
        args.prop_map(move |args| Step::Call(name, args))
    })
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![8 => any::<u8>(), 1 => Just(b'\n')];
    prop_oneof![
        4 => prop::collection::vec(byte, 0..60),
        1 => (1..9000usize, 0..9000usize).prop_map(|(length, newline)| {
            let mut text = vec![b'x'; length];
            if let Some(byte) = text.get_mut(newline) {
                *byte = b'\n';
            }
            text
        }),
    ]
}

/// Steps of which many are transfers whose lists of buffers make sense.
fn step() -> impl Strategy<Value = Step> {
    // Sockets and waiting are our own: they are not what wasmtime-wasi makes of them.
    let all = functions().map(|it| it.0).filter(|name| {
        !name.starts_with("sock_") && !["poll_oneoff", "proc_exit", "proc_raise"].contains(name)
    });
    let transfers = vec!["fd_read", "fd_write", "fd_pread", "fd_pwrite"];
    let list = (0..3u64, 0..4u64, 0..5u64, number());
    prop_oneof![
        6 => call(all.collect()),
        2 => call(transfers.clone()),
        6 => (select(transfers), list).prop_map(|(name, (fd, list, count, out))| {
            let out = u64::from(out);
            let args = match name {
                "fd_read" | "fd_write" => vec![fd, list * 8, count, out],
                _ => vec![fd, list * 8, count, 0, out],
            };
            Step::Call(name, args)
        }),
        1 => call(vec!["proc_exit", "proc_raise"]),
        6 => (0..16u32, number()).prop_map(|(at, value)| Step::Put(at * 4, value)),
        2 => (number(), text()).prop_map(|(at, text)| Step::Fill(at, text)),
        3 => text().prop_map(Step::Feed),
        1 => Just(Step::End),
    ]
}

/// Takes the steps on both sides, until a guest ends.
fn compare(seed: u64, steps: &[Step]) -> Result<(), TestCaseError> {
    let (mut ours, mut theirs) = (ours(seed), theirs(seed));
    for step in steps {
        match step {
            Step::Call(name, args) => {
                let (seen, expected) = (ours.call(name, args), theirs.call(name, args));
                prop_assert_eq!(&seen, &expected, "{} {:?}", name, args);
                prop_assert_eq!(ours.pipes.take(), theirs.pipes.take());
                prop_assert_eq!(ours.pipes.stderr(), theirs.pipes.stderr());
                if matches!(seen.last(), Some(Seen::Exited(_) | Seen::Trapped(_))) {
                    return Ok(());
                }
                prop_assert!(ours.bytes() == theirs.bytes(), "{name} {args:?}: memory");
            }
            Step::Put(at, value) => {
                for memory in [ours.bytes(), theirs.bytes()] {
                    memory[*at as usize..][..4].copy_from_slice(&value.to_le_bytes());
                }
            }
            Step::Fill(at, text) => {
                for memory in [ours.bytes(), theirs.bytes()] {
                    let place = memory.get_mut(*at as usize..).unwrap_or_default();
                    let length = place.len().min(text.len());
                    place[..length].copy_from_slice(&text[..length]);
                }
            }
            Step::Feed(text) => {
                ours.pipes.feed(text);
                theirs.pipes.feed(text);
            }
            Step::End => {
                ours.pipes.end_input();
                theirs.pipes.end_input();
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn every_call_does_what_wasmtime_wasi_does(
        seed in any::<u64>(),
        steps in prop::collection::vec(step(), 1..25),
    ) {
        compare(seed, &steps)?;
    }
}

proptest! {
    #[test]
    fn random_bytes_are_those_of_wasmtime_wasi(
        seed in any::<u64>(),
        calls in prop::collection::vec((0..1000u64, 0..5000u64), 1..5),
    ) {
        let calls = calls.iter().map(|&(at, length)| Step::Call("random_get", vec![at, length]));
        compare(seed, &calls.collect::<Vec<_>>())?;
    }
}

/// Each function, with each of its parameters at the ends of its range.
#[test]
fn the_ends_of_all_ranges_are_those_of_wasmtime_wasi() {
    let ends = |ty: &str| match ty {
        "u32" => vec![0, 3, 7, 65_528, 65_533, 65_536, u64::from(u32::MAX)],
        "i32" => vec![
            0,
            1,
            2,
            3,
            4,
            5,
            6,
            15,
            16,
            30,
            31,
            32,
            255,
            256,
            65_536,
            1 << 31,
        ],
        _ => vec![0, (1 << 30) - 1, 1 << 30, u64::MAX],
    };
    for (name, types) in functions() {
        if name.starts_with("sock_") || *name == "poll_oneoff" {
            continue;
        }
        for (place, ty) in types.iter().enumerate() {
            for end in ends(ty) {
                for fd in 0..4 {
                    // Everything else has a place of its own, and is aligned.
                    let mut args: Vec<u64> = (1..=types.len() as u64).map(|at| at * 64).collect();
                    for (at, ty) in types.iter().enumerate() {
                        if *ty == "i32" {
                            args[at] = 0;
                        }
                    }
                    if name.starts_with("fd_") || name.starts_with("path_") {
                        args[0] = fd;
                    }
                    args[place] = end;
                    compare(1, &[Step::Call(name, args)]).unwrap();
                }
            }
        }
    }
}

#[test]
fn all_46_functions_are_there() {
    assert_eq!(functions().count(), 46);
}
