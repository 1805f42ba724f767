//! A program that answers lines and costs as little as a program can: `flipside-bench` measures how processes are
//! started and asked with it, and not how long a program takes to load.
//!
//! The build script builds it without the standard library and without a C library. It is 3 kB, takes no arguments, and
//! makes one system call to read a line and one to answer it. It plays as a bot that draws random legal actions, and
//! relies on how the referee's lines are written:
//!
//! ```text
//! {"type":"hello",…                              byte 9 tells the type
//! {"type":"turn","id":17,"actions":["a1-a2",…]   the id begins at byte 20; no "]" in an action
//! {"type":"over",…
//! ```
//!
//! It answers a line of another kind with a fixed one, as long as an answer of the bot. Where something is not as it
//! relies on, it ends.

#![no_std]
#![no_main]
#![expect(
    unsafe_code,
    reason = "without the standard library, system calls and the first instructions are assembly"
)]

use core::panic::PanicInfo;

#[path = "../../freestanding/program/call.rs"]
mod call;
#[path = "../../freestanding/program/start.rs"]
mod start;

use call::raw;

/// What the bot says first.
const READY: &[u8] = b"{\"type\":\"ready\",\"name\":\"instant\",\"actions\":true,\"reuse\":true}\n";

/// What a line that is not the referee's gets.
const FIXED: &[u8] = b"{\"type\":\"act\",\"id\":100,\"action\":\"a1-b2\"}\n";

/// The longest line that is read.
const LONGEST_LINE: usize = 1 << 17;

/// The longest answer.
const LONGEST_ANSWER: usize = 1 << 10;

/// Where the id of a turn begins.
const ID: usize = 20;

/// Where lines are read to. Pages that no line reaches are never there.
static mut INPUT: [u8; LONGEST_LINE] = [0; LONGEST_LINE];

/// Reads lines and answers them, until there is none.
fn serve(input: &mut [u8]) -> Option<()> {
    let mut bot = EchoBot {
        random: 0x9e37_79b9,
        answer: [0; LONGEST_ANSWER],
        length: 0,
    };
    // Of `input`, this much has been read, and no line of it is complete.
    let mut filled = 0;
    loop {
        let read = read(input.get_mut(filled..).filter(|room| !room.is_empty())?)?;
        if read == 0 {
            return Some(());
        }
        filled += read;
        let mut begin = 0;
        while let Some(length) = position(input.get(begin..filled)?, b'\n') {
            bot.length = 0;
            bot.answer(input.get(begin..begin + length)?)?;
            write(bot.answer.get(..bot.length)?)?;
            begin += length + 1;
        }
        input.copy_within(begin..filled, 0);
        filled -= begin;
    }
}

struct EchoBot {
    random: u32,
    answer: [u8; LONGEST_ANSWER],
    length: usize,
}

impl EchoBot {
    fn answer(&mut self, line: &[u8]) -> Option<()> {
        if line.first() != Some(&b'{') {
            return self.say(FIXED);
        }
        match line.get(9)? {
            b'h' => self.say(READY),
            b't' => self.act(line),
            _ => Some(()),
        }
    }

    /// Finds a random action by its quotation marks: the first that begins behind a random place in the list.
    fn act(&mut self, line: &[u8]) -> Option<()> {
        let id = line.get(ID..)?;
        let id = id.get(..position(id, b',')?)?;
        let list = line.get(ID + id.len() + ",\"actions\":[".len()..)?;
        let list = list.get(..position(list, b']')?)?;
        self.random = self
            .random
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        let somewhere = ((u64::from(self.random) * list.len() as u64) >> 32) as usize;
        let next = position(list.get(somewhere..)?, b',');
        let action = list.get(next.map_or(0, |comma| somewhere + comma + 1) + 1..)?;
        let action = action.get(..position(action, b'"')?)?;
        self.say(b"{\"type\":\"act\",\"id\":")?;
        self.say(id)?;
        self.say(b",\"action\":\"")?;
        self.say(action)?;
        self.say(b"\"}\n")
    }

    fn say(&mut self, text: &[u8]) -> Option<()> {
        let to = self.answer.get_mut(self.length..)?.get_mut(..text.len())?;
        to.copy_from_slice(text);
        self.length += text.len();
        Some(())
    }
}

/// Where a byte is first. It looks at whole blocks, because the compiler does not make that of a loop that may end.
fn position(bytes: &[u8], byte: u8) -> Option<usize> {
    const BLOCK: usize = 32;
    let is_in = |block: &[u8; BLOCK]| block.iter().fold(false, |is, other| is | (*other == byte));
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let before = blocks.iter().position(is_in).unwrap_or(blocks.len()) * BLOCK;
    let mut rest = bytes.get(before..)?.iter();
    Some(before + rest.position(|other| *other == byte)?)
}

fn read(bytes: &mut [u8]) -> Option<usize> {
    let arguments = [0, bytes.as_mut_ptr() as usize, bytes.len(), 0, 0, 0];
    usize::try_from(unsafe { raw(number::READ, arguments) }).ok()
}

fn write(mut bytes: &[u8]) -> Option<()> {
    while !bytes.is_empty() {
        let arguments = [1, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0];
        let written = usize::try_from(unsafe { raw(number::WRITE, arguments) }).ok()?;
        bytes = bytes.get(written..)?;
    }
    Some(())
}

fn exit(code: usize) -> ! {
    loop {
        unsafe { raw(number::EXIT_GROUP, [code, 0, 0, 0, 0, 0]) };
    }
}

#[cfg(target_arch = "x86_64")]
mod number {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const EXIT_GROUP: usize = 231;
}

#[cfg(target_arch = "aarch64")]
mod number {
    pub const READ: usize = 63;
    pub const WRITE: usize = 64;
    pub const EXIT_GROUP: usize = 94;
}

/// Where the program begins.
unsafe extern "C" fn begin(_: *const usize) -> ! {
    // It is called once, and there is one thread.
    let input = unsafe { &mut *(&raw mut INPUT) };
    exit(usize::from(serve(input).is_none()))
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(101)
}
