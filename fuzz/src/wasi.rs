//! The functions of WASI that a module calls, with any arguments and any memory.
//!
//! Each line is a step: `feed TEXT` gives a line of input and `end` ends the input; `put AT NUMBER`
//! and `fill AT TEXT` change the memory; everything else is a call, `fd_write 1 0 1 16`. Numbers are
//! decimal. What a call does is held against plain rules for what it may do.

use flipside_sandbox::{DirectAnswer, DirectCalls};

/// The size of the memory: a page and a little, so that its end is not at a round number.
const SIZE: usize = 65_536 + 40;

/// The most lines that are taken.
const MAX_LINES: usize = 200;

/// The most that a call hands over.
const MAX_IN_A_CALL: u64 = 4 * 1024 * 1024;

/// The error numbers that a call may return.
const ERRNOS: &[i32] = &[0, 8, 21, 25, 27, 28, 48, 54, 58, 61, 70];

const SUCCESS: DirectAnswer = DirectAnswer::Errno(0);
const BADF: DirectAnswer = DirectAnswer::Errno(8);
const INTR: DirectAnswer = DirectAnswer::Errno(27);
const NOMEM: DirectAnswer = DirectAnswer::Errno(48);

pub(crate) fn run(bytes: &[u8]) {
    let once = play(bytes);
    assert!(once == play(bytes), "the same calls give the same answers");
}

/// Takes the steps, and says what came of them: the answers, and the memory at the end.
fn play(bytes: &[u8]) -> (Vec<DirectAnswer>, Vec<u8>) {
    let mut calls = DirectCalls::new(vec![0; SIZE], bytes.len() as u64);
    let mut rules = Rules::default();
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

/// What is known of a guest by plain rules.
struct Rules {
    /// Whether each of the descriptors is standard input, output or the error stream, and open.
    descriptors: [Option<u8>; 3],
    input: Vec<u8>,
    ended: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            descriptors: [Some(0), Some(1), Some(2)],
            input: Vec::new(),
            ended: false,
        }
    }
}

/// A buffer of a list: its address and its length.
type Buffer = (u64, u64);

impl Rules {
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
        let arg = |at: usize| args.get(at).copied().unwrap_or_default() as u32;
        let output = calls.take_output();
        match name {
            "fd_read" => self.check_read(args, answer, before, calls),
            "fd_write" => {
                let expected = self.expect_write(args, before);
                let stream = self.descriptor(arg(0));
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
                let open = self.descriptor(arg(0)).is_some();
                assert_eq!(*answer, if open { SUCCESS } else { BADF }, "{said}");
                if open {
                    self.descriptors[arg(0) as usize] = None;
                }
            }
            "fd_renumber" => {
                let (from, to) = (self.descriptor(arg(0)), self.descriptor(arg(1)));
                let open = from.is_some() && to.is_some();
                assert_eq!(*answer, if open { SUCCESS } else { BADF }, "{said}");
                if open {
                    self.descriptors[arg(0) as usize] = None;
                    self.descriptors[arg(1) as usize] = from;
                }
            }
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
        let only_reads = name.starts_with("path_") || name.starts_with("sock_");
        if only_reads {
            assert!(calls.memory() == before, "{said} changed the memory");
            assert!(*answer != SUCCESS, "{said}");
        }
    }

    /// Whether a call may answer this at all.
    fn check_answer(&self, name: &str, answer: &DirectAnswer, said: &str) {
        if let DirectAnswer::Errno(errno) = answer {
            assert!(ERRNOS.contains(errno), "{said}");
        }
        if let DirectAnswer::Exit(code) = answer {
            assert!(name == "proc_exit" && (0..126).contains(code), "{said}");
        }
        if *answer == DirectAnswer::Waits {
            let waits = self.input.is_empty() && !self.ended;
            assert!(waits && matches!(name, "fd_read" | "poll_oneoff"), "{said}");
        }
    }

    fn descriptor(&self, fd: u32) -> Option<u8> {
        self.descriptors.get(fd as usize).copied().flatten()
    }

    fn check_read(
        &mut self,
        args: &[u64],
        answer: &DirectAnswer,
        before: &[u8],
        calls: &mut DirectCalls,
    ) {
        let arg = |at: usize| u64::from(args.get(at).copied().unwrap_or_default() as u32);
        let expected = first_buffer(before, arg(1), arg(2)).and_then(|buffer| {
            if self.descriptor(arg(0) as u32) != Some(0) {
                return Err(BADF);
            }
            match buffer.1 {
                0 if self.ended && self.input.is_empty() => Ok(buffer),
                0 => Err(INTR),
                _ if self.input.is_empty() && !self.ended => Err(DirectAnswer::Waits),
                _ => Ok((buffer.0, buffer.1.min(self.input.len() as u64))),
            }
        });
        let said = format!("fd_read {args:?}: {answer:?}, not {expected:?}");
        let (start, len) = match &expected {
            Ok(buffer) => *buffer,
            Err(expected) => return assert!(same(expected, answer), "{said}"),
        };
        let (end, out) = ((start + len) as usize, arg(3) as usize);
        let fits =
            (len == 0 || end <= before.len()) && out + 4 <= before.len() && out.is_multiple_of(4);
        if !fits {
            return assert!(matches!(answer, DirectAnswer::Trap(_)), "{said}");
        }
        assert_eq!(*answer, SUCCESS, "{said}");
        let mut memory = before.to_vec();
        if len > 0 {
            let text = self.input.drain(..len as usize);
            for (place, byte) in memory[start as usize..end].iter_mut().zip(text) {
                *place = byte;
            }
        }
        memory[out..out + 4].copy_from_slice(&(len as u32).to_le_bytes());
        assert!(calls.memory() == memory, "{said}: memory");
    }

    /// What a write hands over.
    fn expect_write(&self, args: &[u64], memory: &[u8]) -> Result<Vec<u8>, DirectAnswer> {
        let arg = |at: usize| u64::from(args.get(at).copied().unwrap_or_default() as u32);
        let (start, len) = first_buffer(memory, arg(1), arg(2))?;
        if !matches!(self.descriptor(arg(0) as u32), Some(1 | 2)) {
            return Err(BADF);
        }
        match memory.get(start as usize..(start + len) as usize) {
            Some(text) => Ok(text.to_vec()),
            None => Err(DirectAnswer::Trap(String::new())),
        }
    }
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
