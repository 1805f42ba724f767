//! Our functions beside those of wasmtime-wasi: the same calls, with arguments that make sense and
//! with others, must give the same error numbers, traps, memory, output and stops.

mod reference;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};

use flipside_protocol::ClockUnit;
use proptest::prelude::*;
use proptest::sample::select;
use wasmtime::{Engine, Instance, InstancePre, Linker, Memory, Module, Store, Val};
use wasmtime_wasi::I32Exit;
use wasmtime_wasi::p1::{self, WasiP1Ctx};

use super::errno::Exit;
use super::functions::NEVER_STOP;
use super::memory::MAX_IN_A_CALL;
use super::provide;
use super::state::{WasiLimits, WasiState};
use super::streams::{StreamPipes, StreamStop};
use crate::bundle::Bundle;
use crate::bundle::content::Content;
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
trait WasiSide: Clone {
    fn feed(&self, line: &[u8]);
    fn end_input(&self);
    fn take(&self) -> (StreamStop, Vec<u8>);
    fn stderr(&self) -> String;
}

impl WasiSide for StreamPipes {
    fn feed(&self, line: &[u8]) {
        StreamPipes::feed(self, line);
    }

    fn end_input(&self) {
        StreamPipes::end_input(self);
    }

    fn take(&self) -> (StreamStop, Vec<u8>) {
        let mut lines = Lines::default();
        let stop = self.take_output(&mut lines);
        (stop, lines.room().clone())
    }

    fn stderr(&self) -> String {
        self.stderr_since(&mut 0)
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

static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(&config(ClockUnit::Time).unwrap()).unwrap());
static CALLER: LazyLock<Module> =
    LazyLock::new(|| Module::new(&ENGINE, wat::parse_str(caller_text()).unwrap()).unwrap());
static OURS: LazyLock<InstancePre<WasiState>> = LazyLock::new(|| {
    let mut linker = Linker::new(&ENGINE);
    provide(&mut linker).unwrap();
    linker.instantiate_pre(&CALLER).unwrap()
});
static THEIRS: LazyLock<InstancePre<WasiP1Ctx>> = LazyLock::new(|| {
    let mut linker = Linker::new(&ENGINE);
    p1::add_to_linker_async(&mut linker, |ctx: &mut WasiP1Ctx| ctx).unwrap();
    linker.instantiate_pre(&CALLER).unwrap()
});

/// The files of a bundle, in memory and on the disk.
struct WasiFiles {
    folder: tempfile::TempDir,
    content: Arc<Content>,
}

/// Files of every kind, until they are dropped.
fn files() -> WasiFiles {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("d/deep/empty")).unwrap();
    fs::create_dir(at("one")).unwrap();
    let numbers: Vec<u8> = (0..300u16).map(|number| number as u8).collect();
    for (name, text) in [
        ("a", &numbers[..]),
        ("bot.toml", b"command = ['sh']"),
        ("d/e", b"text of e"),
        ("one/alone", b""),
        ("\u{e9}", b""),
    ] {
        fs::write(at(name), text).unwrap();
    }
    for (name, to) in [
        ("link", "a"),
        ("to-d", "d"),
        ("d/back", "../a"),
        ("d/deep/top", "../.."),
        ("ring", "gnir"),
        ("gnir", "ring"),
        ("broken", "nothing"),
        ("slash", "a/"),
        ("dot", "./d/./e"),
    ] {
        std::os::unix::fs::symlink(to, at(name)).unwrap();
    }
    let bundle = Bundle::open_folder(folder.path()).unwrap();
    let content = Arc::new(Content::of(&bundle).unwrap());
    WasiFiles { folder, content }
}

/// Where a path is put.
const PATH: u32 = 4096;

/// Blanks what a file system tells of its machine: the numbers and the sizes of folders, and all times.
fn hide_the_machine(name: &str, args: &[u64], memory: &mut [u8]) {
    let out = match name {
        "fd_filestat_get" => args[1],
        "path_filestat_get" => args[4],
        _ => return,
    } as usize;
    let is_folder = memory[out + 16] == 3;
    for field in [8, 24, 40, 48, 56] {
        memory[out + field..][..8].fill(0);
    }
    if is_folder {
        memory[out + 32..][..8].fill(0);
    }
}

/// What a match sees of a call.
#[derive(Debug, PartialEq, Eq)]
enum SeenCall {
    Stopped(StreamStop, Vec<u8>),
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

impl<T: Send + 'static, P: WasiSide> Guest<T, P> {
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

    fn call(&mut self, name: &str, args: &[u64]) -> Vec<SeenCall> {
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
                if stop == StreamStop::Input {
                    // The second time there is no more.
                    match seen.is_empty() {
                        true => self.pipes.feed(b"more\n"),
                        false => self.pipes.end_input(),
                    }
                }
                seen.push(SeenCall::Stopped(stop, output));
                assert!(seen.len() < 2000, "{name} does not go on");
            },
        );
        seen.push(match called {
            Ok(()) => SeenCall::Returned(result[0].unwrap_i32()),
            Err(error) => {
                let ours = error.downcast_ref::<Exit>().map(|it| it.0);
                let theirs = error.downcast_ref::<I32Exit>().map(|it| it.0);
                match ours.or(theirs) {
                    Some(code) => SeenCall::Exited(code),
                    None => SeenCall::Trapped(error.root_cause().to_string()),
                }
            }
        });
        seen
    }

    fn bytes(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }
}

fn ours(seed: u64, content: Option<Arc<Content>>) -> Guest<WasiState, StreamPipes> {
    let pipes = StreamPipes::default();
    let limits = WasiLimits {
        memory: SIZE as usize,
        refused: false,
        failed: false,
    };
    Guest::new(
        &OURS,
        WasiState::new(pipes.clone(), seed, limits, content, ClockUnit::Time),
        pipes,
    )
}

fn theirs(seed: u64, folder: Option<&Path>) -> Guest<WasiP1Ctx, reference::ReferencePipes> {
    let pipes = reference::ReferencePipes::new();
    Guest::new(&THEIRS, reference::context(&pipes, seed, folder), pipes)
}

#[derive(Clone, Debug)]
enum WasiStep {
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
fn call(names: Vec<&'static str>) -> impl Strategy<Value = WasiStep> {
    select(names).prop_flat_map(|name| {
        let (_, types) = functions().find(|it| it.0 == name).unwrap();
        let args: Vec<_> = types.iter().map(|ty| argument(ty)).collect();
        args.prop_map(move |args| WasiStep::Call(name, args))
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
fn step() -> impl Strategy<Value = WasiStep> {
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
            WasiStep::Call(name, args)
        }),
        1 => call(vec!["proc_exit", "proc_raise"]),
        6 => (0..16u32, number()).prop_map(|(at, value)| WasiStep::Put(at * 4, value)),
        2 => (number(), text()).prop_map(|(at, text)| WasiStep::Fill(at, text)),
        3 => text().prop_map(WasiStep::Feed),
        1 => Just(WasiStep::End),
    ]
}

/// A guest of each side, without a bundle.
fn compare(seed: u64, steps: &[WasiStep]) -> Result<(), TestCaseError> {
    compare_guests(ours(seed, None), theirs(seed, None), steps)
}

/// A guest of each side, with the same files.
fn compare_with_files(seed: u64, steps: &[WasiStep]) -> Result<(), TestCaseError> {
    let files = files();
    let ours = ours(seed, Some(Arc::clone(&files.content)));
    let theirs = theirs(seed, Some(files.folder.path()));
    compare_guests(ours, theirs, steps)
}

/// Takes the steps on both sides, until a guest ends.
fn compare_guests(
    mut ours: Guest<WasiState, StreamPipes>,
    mut theirs: Guest<WasiP1Ctx, reference::ReferencePipes>,
    steps: &[WasiStep],
) -> Result<(), TestCaseError> {
    for step in steps {
        match step {
            // wasmtime-wasi 48 counts no bytes of this path, and of all others.
            WasiStep::Call("path_unlink_file", args) if args[2] > MAX_IN_A_CALL as u64 => {}
            WasiStep::Call(name, args) => {
                let (seen, expected) = (ours.call(name, args), theirs.call(name, args));
                prop_assert_eq!(&seen, &expected, "{} {:?}", name, args);
                prop_assert_eq!(ours.pipes.take(), theirs.pipes.take());
                prop_assert_eq!(ours.pipes.stderr(), theirs.pipes.stderr());
                if matches!(
                    seen.last(),
                    Some(SeenCall::Exited(_) | SeenCall::Trapped(_))
                ) {
                    return Ok(());
                }
                if seen.last() == Some(&SeenCall::Returned(0)) {
                    hide_the_machine(name, args, ours.bytes());
                    hide_the_machine(name, args, theirs.bytes());
                }
                prop_assert!(ours.bytes() == theirs.bytes(), "{name} {args:?}: memory");
            }
            WasiStep::Put(at, value) => {
                for memory in [ours.bytes(), theirs.bytes()] {
                    memory[*at as usize..][..4].copy_from_slice(&value.to_le_bytes());
                }
            }
            WasiStep::Fill(at, text) => {
                for memory in [ours.bytes(), theirs.bytes()] {
                    let place = memory.get_mut(*at as usize..).unwrap_or_default();
                    let length = place.len().min(text.len());
                    place[..length].copy_from_slice(&text[..length]);
                }
            }
            WasiStep::Feed(text) => {
                ours.pipes.feed(text);
                theirs.pipes.feed(text);
            }
            WasiStep::End => {
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

/// Paths, of which many lead somewhere.
fn a_path() -> impl Strategy<Value = String> {
    let name = select(vec![
        "a", "d", "e", "deep", "empty", "top", "link", "to-d", "back", "ring", "broken", "slash",
        "dot", "..", ".", "", "\u{e9}", "none", "\0",
    ]);
    let long = Just("x".repeat(256));
    let whole = select(vec![
        "",
        "/",
        "/a",
        "d/",
        "a/",
        "link/",
        "d/.",
        "d/..",
        "..",
        "d/deep/top/a",
    ]);
    prop_oneof![
        8 => prop::collection::vec(name, 1..6).prop_map(|names| names.join("/")),
        3 => whole.prop_map(str::to_owned),
        1 => long,
        1 => Just("d/../".repeat(900)),
    ]
}

/// Descriptors, of which many are open.
fn fd() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 3..8u64, 1 => 0..12u64]
}

/// A call on a path.
fn path_step() -> impl Strategy<Value = Vec<WasiStep>> {
    let path = PATH;
    let with_path = move |steps: Vec<WasiStep>, text: String| {
        let mut all = vec![WasiStep::Fill(path, text.into_bytes())];
        all.extend(steps);
        all
    };
    let opened = (
        fd(),
        0..2u64,
        a_path(),
        prop_oneof![6 => Just(0u64), 1 => 0..16u64],
        prop_oneof![6 => Just(2u64), 1 => 0..1u64 << 30],
        prop_oneof![8 => Just(0u64), 1 => 0..32u64],
    )
        .prop_map(move |(fd, lookup, text, open, rights, flags)| {
            let args = vec![
                fd,
                lookup,
                path.into(),
                text.len() as u64,
                open,
                rights,
                0,
                flags,
                64,
            ];
            with_path(vec![WasiStep::Call("path_open", args)], text)
        });
    let told = (fd(), 0..2u64, a_path()).prop_map(move |(fd, lookup, text)| {
        let args = vec![fd, lookup, path.into(), text.len() as u64, 64];
        with_path(vec![WasiStep::Call("path_filestat_get", args)], text)
    });
    let linked = (fd(), a_path(), 0..20u64).prop_map(move |(fd, text, room)| {
        let args = vec![fd, path.into(), text.len() as u64, 128, room, 64];
        with_path(vec![WasiStep::Call("path_readlink", args)], text)
    });
    let changed = (
        fd(),
        a_path(),
        select(vec![
            "path_create_directory",
            "path_remove_directory",
            "path_unlink_file",
        ]),
    )
        .prop_map(move |(fd, text, name)| {
            let args = vec![fd, path.into(), text.len() as u64];
            with_path(vec![WasiStep::Call(name, args)], text)
        });
    let two = (fd(), fd(), a_path()).prop_map(move |(one, other, text)| {
        let len = text.len() as u64;
        let rename = vec![one, path.into(), len, other, path.into(), len];
        let link = vec![one, 0, path.into(), len, other, path.into(), len];
        let symlink = vec![path.into(), len, one, path.into(), len];
        let calls = [
            ("path_rename", rename),
            ("path_link", link),
            ("path_symlink", symlink),
        ];
        with_path(
            calls.map(|(name, args)| WasiStep::Call(name, args)).into(),
            text,
        )
    });
    prop_oneof![8 => opened, 3 => told, 2 => linked, 1 => changed, 1 => two]
}

/// A call on what was opened.
fn descriptor_step() -> impl Strategy<Value = Vec<WasiStep>> {
    let read = (
        fd(),
        0..400u32,
        prop_oneof![4 => 0..400u64, 1 => any::<u64>()],
    )
        .prop_map(|(fd, len, at)| {
            vec![
                WasiStep::Put(0, 1024),
                WasiStep::Put(4, len),
                WasiStep::Call("fd_read", vec![fd, 0, 1, 64]),
                WasiStep::Call("fd_pread", vec![fd, 0, 1, at, 64]),
                WasiStep::Call("fd_write", vec![fd, 0, 1, 64]),
                WasiStep::Call("fd_pwrite", vec![fd, 0, 1, at, 64]),
            ]
        });
    let by = prop_oneof![6 => -400..400i64, 1 => any::<i64>()];
    let sought = (fd(), by, 0..4u64).prop_map(|(fd, by, whence)| {
        vec![
            WasiStep::Call("fd_seek", vec![fd, by.cast_unsigned(), whence, 64]),
            WasiStep::Call("fd_tell", vec![fd, 64]),
        ]
    });
    let described = (fd(), fd(), 0..40u64).prop_map(|(fd, other, flags)| {
        vec![
            WasiStep::Call("fd_fdstat_get", vec![fd, 64]),
            WasiStep::Call("fd_filestat_get", vec![fd, 64]),
            WasiStep::Call("fd_prestat_get", vec![fd, 64]),
            WasiStep::Call("fd_prestat_dir_name", vec![fd, 64, flags]),
            WasiStep::Call("fd_fdstat_set_flags", vec![fd, flags]),
            WasiStep::Call("fd_renumber", vec![fd, other]),
        ]
    });
    let closed = fd().prop_map(|fd| vec![WasiStep::Call("fd_close", vec![fd])]);
    prop_oneof![4 => read, 3 => sought, 2 => described, 1 => closed]
}

/// A call on a path, on what was opened, or another one.
fn file_step() -> impl Strategy<Value = Vec<WasiStep>> {
    prop_oneof![
        15 => path_step(),
        10 => descriptor_step(),
        3 => step()
            .prop_filter("it lists in another order", |step| !lists(step))
            .prop_map(|step| vec![step]),
    ]
}

/// Whether a step lists a folder, whose order is the file system's there.
fn lists(step: &WasiStep) -> bool {
    matches!(step, WasiStep::Call("fd_readdir", _))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn files_are_those_of_wasmtime_wasi(
        seed in any::<u64>(),
        steps in prop::collection::vec(file_step(), 1..15),
    ) {
        compare_with_files(seed, &steps.concat())?;
    }
}

/// The entries of a listing: the cookie after each, its type and its name.
fn listing(bytes: &[u8]) -> Vec<(u64, u8, String)> {
    let mut rest = bytes;
    let mut entries = Vec::new();
    while let Some((head, more)) = rest.split_at_checked(24) {
        let cookie = u64::from_le_bytes(head[..8].try_into().unwrap());
        let len = u32::from_le_bytes(head[16..20].try_into().unwrap()) as usize;
        let (name, more) = more.split_at(len.min(more.len()));
        entries.push((cookie, head[20], String::from_utf8_lossy(name).into_owned()));
        rest = more;
    }
    entries
}

/// Opens `one` as descriptor 4, and `d/e` as 5.
fn open_two<T: Send + 'static, P: WasiSide>(guest: &mut Guest<T, P>) {
    for path in ["one", "d/e"] {
        guest.bytes()[PATH as usize..][..path.len()].copy_from_slice(path.as_bytes());
        let args = [3, 1, PATH.into(), path.len() as u64, 0, 2, 0, 0, 64];
        assert_eq!(guest.call("path_open", &args), [SeenCall::Returned(0)]);
    }
}

fn list<T: Send + 'static, P: WasiSide>(
    guest: &mut Guest<T, P>,
    fd: u64,
    room: u64,
    cookie: u64,
) -> (Vec<SeenCall>, Vec<u8>) {
    let seen = guest.call("fd_readdir", &[fd, 1024, room, cookie, 64]);
    let used = u32::from_le_bytes(guest.bytes()[64..68].try_into().unwrap()) as usize;
    let mut bytes = guest.bytes()[1024..][..used.min(room as usize)].to_vec();
    // The numbers of files are the machine's.
    let mut at = 0;
    while at + 8 < bytes.len() {
        let end = bytes.len().min(at + 16);
        bytes[at + 8..end].fill(0);
        let Some(len) = bytes.get(at + 16..at + 20) else {
            break;
        };
        at += 24 + u32::from_le_bytes(len.try_into().unwrap()) as usize;
    }
    (seen, bytes)
}

#[test]
fn folders_are_listed_as_by_wasmtime_wasi_but_in_order() {
    let files = files();
    let mut ours = ours(1, Some(Arc::clone(&files.content)));
    let mut theirs = theirs(1, Some(files.folder.path()));
    open_two(&mut ours);
    open_two(&mut theirs);
    let mut whole = listing(&list(&mut theirs, 3, 4096, 0).1);
    let own = listing(&list(&mut ours, 3, 4096, 0).1);
    assert_eq!(own.len(), whole.len());
    let names: Vec<_> = own[2..].iter().map(|entry| entry.2.clone()).collect();
    assert!(names.is_sorted(), "{names:?}");
    whole[2..].sort_by(|one, other| one.2.cmp(&other.2));
    for (own, whole) in own.iter().zip(&whole) {
        assert_eq!((own.1, &own.2), (whole.1, &whole.2));
    }
    // Where there is one order, all bytes are the same, wherever the room ends.
    for cookie in [0, 1, 2, 3, 4, 1 << 40, u64::MAX] {
        for room in 0..140 {
            let one = list(&mut ours, 4, room, cookie);
            let other = list(&mut theirs, 4, room, cookie);
            assert_eq!(one, other, "{cookie} {room}");
        }
    }
    for fd in [0, 1, 5, 6] {
        let (one, other) = (
            list(&mut ours, fd, 100, 0).0,
            list(&mut theirs, fd, 100, 0).0,
        );
        assert_eq!(one, other);
    }
}

/// The numbers of errors.
const OPENS: i32 = 0;
const LOOP: i32 = 32;
const NOENT: i32 = 44;
const NOTDIR: i32 = 54;
const PERM: i32 = 63;

/// The flag that only a folder is opened.
const DIRECTORY: u64 = 1 << 1;

/// Versions of wasmtime-wasi let a module out of its folder by slashes at the end of a path or of the target of a link
/// (RUSTSEC-2026-0269).
#[test]
fn a_slash_at_the_end_asks_for_a_folder_and_leads_nowhere_else() {
    let files = files();
    let mut ours = ours(1, Some(Arc::clone(&files.content)));
    let mut theirs = theirs(1, Some(files.folder.path()));
    let mut open = |fd: u64, path: &str, lookup: u64, flags: u64| {
        let args = [
            fd,
            lookup,
            PATH.into(),
            path.len() as u64,
            flags,
            2,
            0,
            0,
            64,
        ];
        let text = path.as_bytes();
        ours.bytes()[PATH as usize..][..text.len()].copy_from_slice(text);
        theirs.bytes()[PATH as usize..][..text.len()].copy_from_slice(text);
        let seen = ours.call("path_open", &args);
        assert_eq!(
            seen,
            theirs.call("path_open", &args),
            "{path} {lookup} {flags}"
        );
        if seen == [SeenCall::Returned(OPENS)] {
            let opened = ours.bytes()[64..68].try_into().unwrap();
            let fd = u32::from_le_bytes(opened).into();
            if path != "d/deep" {
                assert_eq!(ours.call("fd_close", &[fd]), [SeenCall::Returned(OPENS)]);
                assert_eq!(theirs.call("fd_close", &[fd]), [SeenCall::Returned(OPENS)]);
            }
        }
        seen
    };
    // In a folder below, `..` is outside.
    assert_eq!(open(3, "d/deep", 1, 0), [SeenCall::Returned(OPENS)]);
    for (fd, path, due) in [
        (3, "d/", OPENS),
        (3, "d//", OPENS),
        (3, "to-d/", OPENS),
        (3, "to-d/../", OPENS),
        (3, "a/", NOTDIR),
        (3, "a//", NOTDIR),
        (3, "a/.", NOTDIR),
        (3, "a/../", NOTDIR),
        (3, "link/", NOTDIR),
        (3, "d/back/", NOTDIR),
        (3, "slash/", NOTDIR),
        (3, "slash/.", NOTDIR),
        (3, "none/", NOENT),
        (3, "broken/", NOENT),
        (3, "ring/", LOOP),
        (3, "/", PERM),
        (3, "../", PERM),
        (3, "d/../../", PERM),
        (3, "to-d/../../", PERM),
        (4, "empty/", OPENS),
        (4, "../", PERM),
        (4, "top/", PERM),
        (4, "top/a/", PERM),
        (4, "top/slash/", PERM),
    ] {
        for lookup in [0, 1] {
            for flags in [0, DIRECTORY] {
                let seen = open(fd, path, lookup, flags);
                assert_eq!(seen, [SeenCall::Returned(due)], "{path} {lookup} {flags}");
            }
        }
    }
    // The slash of a target counts when the link is followed.
    assert_eq!(open(3, "slash", 1, 0), [SeenCall::Returned(NOTDIR)]);
    assert_eq!(open(3, "slash", 0, 0), [SeenCall::Returned(LOOP)]);
}

#[test]
fn a_guest_opens_no_more_than_it_may() {
    let files = files();
    let mut guest = ours(1, Some(Arc::clone(&files.content)));
    guest.bytes()[PATH as usize] = b'a';
    let mut open = || guest.call("path_open", &[3, 0, PATH.into(), 1, 0, 2, 0, 0, 64]);
    for _ in 4..256 {
        assert_eq!(open(), [SeenCall::Returned(0)]);
    }
    assert_eq!(open(), [SeenCall::Returned(33)]);
    assert_eq!(guest.call("fd_close", &[17]), [SeenCall::Returned(0)]);
    assert_eq!(
        guest.call("path_open", &[3, 0, PATH.into(), 1, 0, 2, 0, 0, 64]),
        [SeenCall::Returned(0)]
    );
}

proptest! {
    #[test]
    fn random_bytes_are_those_of_wasmtime_wasi(
        seed in any::<u64>(),
        calls in prop::collection::vec((0..1000u64, 0..5000u64), 1..5),
    ) {
        let calls = calls.iter().map(|&(at, length)| WasiStep::Call("random_get", vec![at, length]));
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
                    compare(1, &[WasiStep::Call(name, args)]).unwrap();
                }
            }
        }
    }
}

#[test]
fn all_46_functions_are_there() {
    assert_eq!(functions().count(), 46);
}
