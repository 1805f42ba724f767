//! The functions of WASI that a module calls, with any arguments and any memory.
//!
//! Each line is a step: `feed TEXT` gives a line of input and `end` ends the input; `put AT NUMBER`
//! and `fill AT TEXT` change the memory; everything else is a call, `fd_write 1 0 1 16`. Numbers are
//! decimal. A guest has files if the first line is `files`. What a call does is held against plain rules for what it
//! may do.

mod files;

use std::collections::BTreeMap;

use flipside_sandbox::{DirectAnswer, DirectCalls, DirectFile};

use files::{FILES, at, names, place, size_of, told_place, type_of};

/// The size of the memory: a page and a little, so that its end is not at a round number.
const SIZE: usize = 65_536 + 40;

/// The most lines that are taken.
const MAX_LINES: usize = 200;

/// The most that a call hands over.
const MAX_IN_A_CALL: u64 = 4 * 1024 * 1024;

/// The error numbers that a call may return, and those besides where there are files.
const ERRNOS: &[i32] = &[0, 8, 21, 25, 27, 28, 48, 54, 58, 61, 70];
const FILE_ERRNOS: &[i32] = &[32, 33, 37, 44, 63];

/// The most descriptors that are open at once.
const MAX_OPEN: usize = 256;

/// The flag of a lookup that follows a link; that of an opening that wants a folder.
const FOLLOW: u64 = 1;
const DIRECTORY: u64 = 1 << 1;

/// The right to write.
const RIGHT_TO_WRITE: u64 = 1 << 6;

/// The functions that would change something if there were anything to change.
const NEVER_SUCCEED: &[&str] = &[
    "fd_allocate",
    "fd_fdstat_set_rights",
    "fd_filestat_set_size",
    "fd_filestat_set_times",
    "fd_pwrite",
    "path_create_directory",
    "path_filestat_set_times",
    "path_link",
    "path_remove_directory",
    "path_rename",
    "path_symlink",
    "path_unlink_file",
];

const SUCCESS: DirectAnswer = DirectAnswer::Errno(0);
const BADF: DirectAnswer = DirectAnswer::Errno(8);
const INTR: DirectAnswer = DirectAnswer::Errno(27);
const INVAL: DirectAnswer = DirectAnswer::Errno(28);
const MFILE: DirectAnswer = DirectAnswer::Errno(33);
const NOMEM: DirectAnswer = DirectAnswer::Errno(48);

pub(crate) fn run(bytes: &[u8]) {
    let once = play(bytes);
    assert!(once == play(bytes), "the same calls give the same answers");
}

/// Takes the steps, and says what came of them: the answers, and the memory at the end.
fn play(bytes: &[u8]) -> (Vec<DirectAnswer>, Vec<u8>) {
    let (memory, seed) = (vec![0; SIZE], bytes.len() as u64);
    let has_files = bytes.starts_with(b"files\n");
    let mut calls = match has_files {
        true => DirectCalls::with_files(memory, seed, FILES),
        false => DirectCalls::new(memory, seed),
    };
    let mut rules = Rules::new(has_files);
    let mut answers = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n').take(MAX_LINES) {
        let (word, rest) = split(line);
        match word {
            b"feed" => {
                let text = [rest, b"\n"].concat();
                calls.feed(&text);
                rules.input.extend_from_slice(&text);
            }
            b"end" => {
                calls.end_input();
                rules.ended = true;
            }
            b"put" => {
                let numbers = numbers(rest);
                let (Some(&at), Some(&number)) = (numbers.first(), numbers.get(1)) else {
                    continue;
                };
                put(calls.memory(), at, &(number as u32).to_le_bytes());
            }
            b"fill" => {
                let (at, text) = split(rest);
                let Some(&at) = numbers(at).first() else {
                    continue;
                };
                put(calls.memory(), at, text);
            }
            name => {
                let Ok(name) = std::str::from_utf8(name) else {
                    continue;
                };
                let args = numbers(rest);
                let before = calls.memory().to_vec();
                let Some(answer) = calls.call(name, &args) else {
                    continue;
                };
                rules.check(name, &args, &answer, &before, &mut calls);
                let ends = matches!(answer, DirectAnswer::Trap(_) | DirectAnswer::Exit(_));
                answers.push(answer);
                if ends {
                    break;
                }
            }
        }
    }
    (answers, calls.memory().to_vec())
}

fn split(line: &[u8]) -> (&[u8], &[u8]) {
    match line.iter().position(|&byte| byte == b' ') {
        Some(at) => (&line[..at], &line[at + 1..]),
        None => (line, b""),
    }
}

fn numbers(text: &[u8]) -> Vec<u64> {
    let text = String::from_utf8_lossy(text);
    text.split(' ')
        .filter_map(|word| word.parse().ok())
        .collect()
}

fn put(memory: &mut [u8], at: u64, bytes: &[u8]) {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    if let Some(place) = memory.get_mut(at..at.saturating_add(bytes.len())) {
        place.copy_from_slice(bytes);
    }
}

/// What a descriptor stands for.
#[derive(Clone, Debug)]
enum Open {
    /// Standard input, output or the error stream.
    Stream(u8),
    /// A folder at a place.
    Folder { place: String, preopened: bool },
    /// A file at a place.
    File {
        place: String,
        bytes: &'static [u8],
        position: u64,
    },
}

/// What is known of a guest by plain rules.
struct Rules {
    open: BTreeMap<u32, Open>,
    has_files: bool,
    input: Vec<u8>,
    ended: bool,
}

/// A buffer of a list: its address and its length.
type Buffer = (u64, u64);

impl Rules {
    fn new(has_files: bool) -> Self {
        let streams = (0..3u8).map(|stream| (stream.into(), Open::Stream(stream)));
        let folder = has_files.then(|| {
            let place = String::new();
            let preopened = true;
            (3, Open::Folder { place, preopened })
        });
        Rules {
            open: streams.chain(folder).collect(),
            has_files,
            input: Vec::new(),
            ended: false,
        }
    }

    fn check(
        &mut self,
        name: &str,
        args: &[u64],
        answer: &DirectAnswer,
        before: &[u8],
        calls: &mut DirectCalls,
    ) {
        let said = format!("{name} {args:?}: {answer:?}");
        self.check_answer(name, answer, &said);
        let arg = |at: usize| argument(args)(at) as u32;
        let output = calls.take_output();
        match name {
            "fd_read" => self.check_read(args, answer, before, calls),
            "fd_write" => {
                let expected = self.expect_write(args, before);
                let stream = self.stream(arg(0));
                match (&expected, answer) {
                    (Ok(text), DirectAnswer::Errno(0)) if stream == Some(1) => {
                        assert_eq!(&output, text, "{said}");
                    }
                    (Ok(_), DirectAnswer::Errno(0)) => assert_eq!(stream, Some(2), "{said}"),
                    // The place for the count is wrong.
                    (Ok(_), DirectAnswer::Trap(_)) => {}
                    (Ok(_), _) => panic!("{said}"),
                    (Err(expected), _) => {
                        assert!(same(expected, answer), "{said}, not {expected:?}");
                    }
                }
            }
            "fd_close" => {
                let open = self.open.remove(&arg(0)).is_some();
                assert_eq!(*answer, if open { SUCCESS } else { BADF }, "{said}");
            }
            "fd_renumber" => {
                let open = self.open.contains_key(&arg(0)) && self.open.contains_key(&arg(1));
                assert_eq!(*answer, if open { SUCCESS } else { BADF }, "{said}");
                if open {
                    let from = self.open.remove(&arg(0)).expect("it is open");
                    self.open.insert(arg(1), from);
                }
            }
            "path_open" => self.check_open(args, answer, before, calls),
            "fd_seek" | "fd_tell" => self.check_position(name, args, answer, calls),
            _ if *answer == SUCCESS => self.check_told(name, args, before, calls.memory(), &said),
            _ => {}
        }
        if name != "fd_write" {
            assert!(output.is_empty(), "{said} wrote");
        }
        // A call that fails changes nothing; but waiting may have told of some events.
        let changes = match answer {
            DirectAnswer::Errno(0) | DirectAnswer::Trap(_) => true,
            _ => name == "poll_oneoff",
        };
        if !changes {
            assert!(calls.memory() == before, "{said} changed the memory");
        }
        let fails = NEVER_SUCCEED.contains(&name)
            || name.starts_with("sock_")
            || name.starts_with("path_") && !self.has_files;
        if fails {
            assert!(calls.memory() == before, "{said} changed the memory");
            assert!(*answer != SUCCESS, "{said}");
        }
    }

    /// Whether a call may answer this at all.
    fn check_answer(&self, name: &str, answer: &DirectAnswer, said: &str) {
        if let DirectAnswer::Errno(errno) = answer {
            let of_files = self.has_files && FILE_ERRNOS.contains(errno);
            assert!(ERRNOS.contains(errno) || of_files, "{said}");
        }
        if let DirectAnswer::Exit(code) = answer {
            assert!(name == "proc_exit" && (0..126).contains(code), "{said}");
        }
        if *answer == DirectAnswer::Waits {
            let waits = self.input.is_empty() && !self.ended;
            assert!(waits && matches!(name, "fd_read" | "poll_oneoff"), "{said}");
        }
    }

    fn stream(&self, fd: u32) -> Option<u8> {
        match self.open.get(&fd) {
            Some(Open::Stream(stream)) => Some(*stream),
            _ => None,
        }
    }

    /// The place of an open folder.
    fn folder(&self, fd: u32) -> Option<&str> {
        match self.open.get(&fd) {
            Some(Open::Folder { place, .. }) => Some(place),
            _ => None,
        }
    }

    fn check_read(
        &mut self,
        args: &[u64],
        answer: &DirectAnswer,
        before: &[u8],
        calls: &mut DirectCalls,
    ) {
        let arg = |at: usize| u64::from(argument(args)(at) as u32);
        let buffer = first_buffer(before, arg(1), arg(2));
        let expected = buffer.and_then(|buffer| match self.open.get(&(arg(0) as u32)) {
            Some(Open::File {
                bytes, position, ..
            }) => {
                let fits = buffer.0 + buffer.1 <= before.len() as u64;
                let file = fits.then(|| piece(bytes, *position, buffer.1));
                let file = file.ok_or_else(|| DirectAnswer::Trap(String::new()))?;
                Ok((buffer.0, file?.to_vec()))
            }
            Some(Open::Stream(0)) => match buffer.1 {
                0 if self.ended && self.input.is_empty() => Ok((buffer.0, Vec::new())),
                0 => Err(INTR),
                _ if self.input.is_empty() && !self.ended => Err(DirectAnswer::Waits),
                len => {
                    let len = self.input.len().min(len as usize);
                    Ok((buffer.0, self.input[..len].to_vec()))
                }
            },
            _ => Err(BADF),
        });
        let said = format!("fd_read {args:?}: {answer:?}, not {expected:?}");
        let (start, text) = match &expected {
            Ok((start, text)) => (*start as usize, text),
            Err(expected) => return assert!(same(expected, answer), "{said}"),
        };
        let out = arg(3) as usize;
        let memory = with(before, start, text)
            .and_then(|memory| with_number(&memory, out, text.len() as u32));
        let Some(memory) = memory else {
            return assert!(matches!(answer, DirectAnswer::Trap(_)), "{said}");
        };
        assert_eq!(*answer, SUCCESS, "{said}");
        match self.open.get_mut(&(arg(0) as u32)) {
            Some(Open::File { position, .. }) => *position += text.len() as u64,
            _ => drop(self.input.drain(..text.len())),
        }
        assert!(calls.memory() == memory, "{said}: memory");
    }

    /// What a write hands over.
    fn expect_write(&self, args: &[u64], memory: &[u8]) -> Result<Vec<u8>, DirectAnswer> {
        let arg = |at: usize| u64::from(argument(args)(at) as u32);
        let (start, len) = first_buffer(memory, arg(1), arg(2))?;
        let text = memory.get(start as usize..(start + len) as usize);
        let text = text.ok_or_else(|| DirectAnswer::Trap(String::new()));
        match self.open.get(&(arg(0) as u32)) {
            Some(Open::Stream(1 | 2)) => text.map(<[u8]>::to_vec),
            // Files are read-only.
            Some(Open::File { position, .. }) => Err(match text {
                Err(trap) => trap,
                Ok(_) if i64::try_from(*position).is_err() => INVAL,
                Ok(_) => BADF,
            }),
            _ => Err(BADF),
        }
    }

    /// A path that is opened is a file or a folder of the bundle; and it is opened if nothing speaks against it.
    fn check_open(
        &mut self,
        args: &[u64],
        answer: &DirectAnswer,
        before: &[u8],
        calls: &mut DirectCalls,
    ) {
        let arg = argument(args);
        let wide = |at: usize| arg(at) as u32;
        let said = format!("path_open {args:?}: {answer:?}");
        let found = self.folder(wide(0)).and_then(|folder| {
            let path = text(before, wide(2), wide(3))?;
            place(folder, path, u64::from(wide(1)) & FOLLOW != 0)
        });
        let opened = found.and_then(|place| match at(&place)? {
            DirectFile::Link(_) => None,
            DirectFile::Folder => Some(Open::Folder {
                place,
                preopened: false,
            }),
            DirectFile::File(_) if u64::from(wide(4)) & DIRECTORY != 0 => None,
            DirectFile::File(bytes) => Some(Open::File {
                place,
                bytes,
                position: 0,
            }),
        });
        if *answer != SUCCESS {
            let is_plain = wide(1) <= 1
                && [0, DIRECTORY].contains(&u64::from(wide(4)))
                && arg(5) < 1 << 30
                && arg(5) & RIGHT_TO_WRITE == 0
                && arg(6) < 1 << 30
                && wide(7) == 0;
            let is_full = *answer == MFILE && self.open.len() == MAX_OPEN;
            let traps = matches!(answer, DirectAnswer::Trap(_));
            let fails = opened.is_none() || !is_plain || is_full || traps;
            return assert!(fails, "{said}, not {opened:?}");
        }
        let opened = opened.unwrap_or_else(|| panic!("{said} leads nowhere"));
        let out = wide(8) as usize;
        let fd = number(calls.memory(), out, 4) as u32;
        let memory = with_number(before, out, fd);
        assert!(
            memory.as_deref() == Some(&*calls.memory()),
            "{said}: memory"
        );
        let other = self.open.insert(fd, opened);
        assert!(other.is_none() && self.open.len() <= MAX_OPEN, "{said}");
    }

    fn check_position(
        &mut self,
        name: &str,
        args: &[u64],
        answer: &DirectAnswer,
        calls: &mut DirectCalls,
    ) {
        let arg = argument(args);
        let (by, whence) = (arg(1).cast_signed(), arg(2) as u32);
        let said = format!("{name} {args:?}: {answer:?}");
        let is_seek = name == "fd_seek";
        let out = if is_seek { arg(3) } else { arg(1) } as u32;
        let Some(Open::File {
            bytes, position, ..
        }) = self.open.get_mut(&(arg(0) as u32))
        else {
            return assert!(*answer != SUCCESS, "{said}");
        };
        let from = match whence {
            _ if !is_seek => Some(i128::from(*position)),
            0 => Some(0),
            1 => Some(i128::from(*position)),
            2 => Some(bytes.len() as i128),
            _ => None,
        };
        let by = if is_seek { i128::from(by) } else { 0 };
        let due = from.and_then(|from| u64::try_from(from + by).ok());
        match answer {
            DirectAnswer::Errno(0) => {
                assert_eq!(due, Some(number(calls.memory(), out as usize, 8)), "{said}");
                *position = due.unwrap_or_default();
            }
            DirectAnswer::Trap(_) => {}
            _ => assert_eq!(due, None, "{said}"),
        }
    }

    /// What a call that succeeded told of files.
    fn check_told(&self, name: &str, args: &[u64], before: &[u8], memory: &[u8], said: &str) {
        let arg = argument(args);
        let wide = |at: usize| arg(at) as u32;
        let out = |at: usize| wide(at) as usize;
        match name {
            "fd_pread" => self.check_pread(args, before, memory, said),
            "fd_filestat_get" => match self.open.get(&wide(0)) {
                Some(Open::Folder { place, .. } | Open::File { place, .. }) => {
                    check_stat(place, memory, out(1), said);
                }
                open => assert!(open.is_some(), "{said}"),
            },
            "path_filestat_get" => {
                let found = self.folder(wide(0)).and_then(|folder| {
                    let path = text(before, wide(2), wide(3))?;
                    told_place(folder, path, u64::from(wide(1)) & FOLLOW != 0)
                });
                let found = found.unwrap_or_else(|| panic!("{said} leads nowhere"));
                check_stat(&found, memory, out(4), said);
            }
            "path_readlink" => {
                let due = FILES.iter().any(|(_, file)| {
                    let DirectFile::Link(to) = file else {
                        return false;
                    };
                    let to = &to.as_bytes()[..to.len().min(out(4))];
                    let due = with(before, out(3), to);
                    let due = due.and_then(|due| with_number(&due, out(5), to.len() as u32));
                    due.as_deref() == Some(memory)
                });
                assert!(due && self.folder(wide(0)).is_some(), "{said}");
            }
            "fd_readdir" => self.check_listing(args, memory, said),
            "fd_prestat_get" | "fd_prestat_dir_name" => {
                let open = self.open.get(&wide(0));
                let is_first = matches!(
                    open,
                    Some(Open::Folder {
                        preopened: true,
                        ..
                    })
                );
                assert!(is_first, "{said}");
            }
            "fd_fdstat_get" => {
                let due = match self.open.get(&wide(0)) {
                    Some(Open::Stream(_)) => 0,
                    Some(Open::Folder { .. }) => type_of(DirectFile::Folder),
                    Some(Open::File { .. }) => type_of(DirectFile::File(b"")),
                    None => panic!("{said}"),
                };
                assert_eq!(memory[out(1)], due, "{said}");
            }
            "fd_advise" | "fd_datasync" | "fd_sync" | "fd_fdstat_set_flags" => {
                let is_file = matches!(self.open.get(&wide(0)), Some(Open::File { .. }));
                assert!(is_file, "{said}");
            }
            _ => {}
        }
    }

    /// The piece of the file that was asked for is in the first buffer, and its length where that was to be.
    fn check_pread(&self, args: &[u64], before: &[u8], memory: &[u8], said: &str) {
        let arg = argument(args);
        let wide = |at: usize| arg(at) as u32;
        let Some(Open::File { bytes, .. }) = self.open.get(&wide(0)) else {
            panic!("{said}");
        };
        let buffer = first_buffer(before, wide(1).into(), wide(2).into());
        let due = buffer.and_then(|(start, len)| {
            let text = piece(bytes, arg(3), len)?;
            let memory = with(before, start as usize, text).ok_or(BADF)?;
            with_number(&memory, wide(4) as usize, text.len() as u32).ok_or(BADF)
        });
        assert!(due.as_deref() == Ok(memory), "{said}: memory");
    }

    /// A listing has the names of its folder in order, from the one that was asked for, as far as there is room.
    fn check_listing(&self, args: &[u64], memory: &[u8], said: &str) {
        let arg = |at: usize| argument(args)(at) as u32;
        let folder = self.folder(arg(0)).unwrap_or_else(|| panic!("{said}"));
        let mut due = Vec::new();
        let cookie = usize::try_from(args.get(3).copied().unwrap_or_default());
        let names = names(folder);
        for (at, (name, kind)) in names.iter().enumerate().skip(cookie.unwrap_or(usize::MAX)) {
            due.extend((at as u64 + 1).to_le_bytes());
            // The number of the file, which says nothing.
            due.extend([0; 8]);
            due.extend((name.len() as u32).to_le_bytes());
            due.extend([*kind, 0, 0, 0]);
            due.extend(name.as_bytes());
        }
        due.truncate(arg(2) as usize);
        let (list, count) = (u64::from(arg(1)), u64::from(arg(4)));
        if count < list + due.len() as u64 && list < count + 4 {
            // The count was written over the list.
            return;
        }
        assert_eq!(
            number(memory, arg(4) as usize, 4),
            due.len() as u64,
            "{said}"
        );
        let told = memory.get(arg(1) as usize..).unwrap_or_default();
        let mut told = told[..due.len()].to_vec();
        let mut head = 0;
        for (name, _) in names.iter().skip(cookie.unwrap_or(usize::MAX)) {
            for byte in head + 8..head + 16 {
                if let Some(byte) = told.get_mut(byte) {
                    *byte = 0;
                }
            }
            head += 24 + name.len();
        }
        assert!(told == due, "{said}: {told:?}, not {due:?}");
    }
}

/// What is told of a file at a place: its type and its size, one link, and no times.
fn check_stat(place: &str, memory: &[u8], out: usize, said: &str) {
    let file = at(place).unwrap_or_else(|| panic!("{said}: nothing is at {place:?}"));
    assert_eq!(memory[out + 16], type_of(file), "{said}");
    let told = [24, 32, 40, 48, 56].map(|field| number(memory, out + field, 8));
    assert_eq!(told, [1, size_of(file), 0, 0, 0], "{said}");
}

/// A piece of a file from a position on.
fn piece(bytes: &'static [u8], position: u64, len: u64) -> Result<&'static [u8], DirectAnswer> {
    let end = position
        .checked_add(len)
        .and_then(|end| i64::try_from(end).ok());
    let rest = bytes.get(usize::try_from(position).unwrap_or(usize::MAX)..);
    let rest = rest.unwrap_or_default();
    match end {
        Some(_) => Ok(&rest[..rest.len().min(len as usize)]),
        None => Err(INVAL),
    }
}

/// A text in memory.
fn text(memory: &[u8], start: u32, len: u32) -> Option<&str> {
    let bytes = memory.get(start as usize..)?.get(..len as usize)?;
    std::str::from_utf8(bytes).ok()
}

/// A number of so many bytes in memory, where a call has written it.
fn number(memory: &[u8], at: usize, bytes: usize) -> u64 {
    let mut number = [0; 8];
    number[..bytes].copy_from_slice(&memory[at..at + bytes]);
    u64::from_le_bytes(number)
}

/// Memory with these bytes at a place; nothing where that is out of bounds. No bytes fit anywhere.
fn with(memory: &[u8], at: usize, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut memory = memory.to_vec();
    if !bytes.is_empty() {
        let place = memory.get_mut(at..at + bytes.len())?;
        place.copy_from_slice(bytes);
    }
    Some(memory)
}

/// The same with a number, whose place must be aligned.
fn with_number(memory: &[u8], at: usize, number: u32) -> Option<Vec<u8>> {
    let bytes = number.to_le_bytes();
    at.is_multiple_of(4)
        .then(|| with(memory, at, &bytes))
        .flatten()
}

/// The arguments of a call by their place; those that are missing are 0.
fn argument(args: &[u64]) -> impl Fn(usize) -> u64 {
    |at| args.get(at).copied().unwrap_or_default()
}

/// The first buffer of a list that is not empty.
fn first_buffer(memory: &[u8], list: u64, count: u64) -> Result<Buffer, DirectAnswer> {
    let mut total = count * 8;
    if total > MAX_IN_A_CALL {
        return Err(NOMEM);
    }
    let trap = || DirectAnswer::Trap(String::new());
    for index in 0..count {
        let at = (list + index * 8) as usize;
        let entry = memory.get(at..at + 8).filter(|_| at.is_multiple_of(4));
        let entry = entry.ok_or_else(trap)?;
        let word = |at: usize| {
            let word: [u8; 4] = entry[at..at + 4].try_into().expect("four bytes");
            u64::from(u32::from_le_bytes(word))
        };
        if word(4) > 0 {
            total += word(4);
            return if total > MAX_IN_A_CALL {
                Err(NOMEM)
            } else {
                Ok((word(0), word(4)))
            };
        }
    }
    Ok((0, 0))
}

/// Whether an answer is what was expected; for whatever reason it traps.
fn same(expected: &DirectAnswer, answer: &DirectAnswer) -> bool {
    let traps = |it: &DirectAnswer| matches!(it, DirectAnswer::Trap(_));
    expected == answer || traps(expected) && traps(answer)
}
