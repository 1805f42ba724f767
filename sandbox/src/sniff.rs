//! What a file is, by its first bytes: for messages to who has made it on another machine, or in another editor.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::bundle::is_packed;
use crate::program::is_module;

/// How much of a file is looked at.
const HEAD: u64 = 4096;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The interpreters that have a name of their own in a description.
const LANGUAGES: [(&str, &str); 8] = [
    ("python", "a Python script"),
    ("node", "a Node script"),
    ("bash", "a shell script"),
    ("sh", "a shell script"),
    ("perl", "a Perl script"),
    ("ruby", "a Ruby script"),
    ("lua", "a Lua script"),
    ("php", "a PHP script"),
];

/// What a file is, as a noun with its article: `a Python script`, `a module`. Nothing where it cannot be read.
pub fn describe(path: &Path) -> Option<String> {
    let head = head_of(path)?;
    if is_module(path, &head) {
        return Some("a module".into());
    }
    if is_packed(&head) {
        return Some("a bundle".into());
    }
    if let Some(interpreter) = script_interpreter(&head) {
        let known = LANGUAGES
            .iter()
            .find(|(name, _)| interpreter.starts_with(name));
        return Some(known.map_or_else(
            || format!("a script for {interpreter}"),
            |(_, what)| (*what).into(),
        ));
    }
    Some(executable(&head).unwrap_or_else(|| "a file of an unknown format".into()))
}

/// The first bytes of a file.
fn head_of(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)
        .ok()?
        .take(HEAD)
        .read_to_end(&mut head)
        .ok()?;
    Some(head)
}

/// The words of a script's first line; nothing of another file.
fn first_line(head: &[u8]) -> Option<Vec<&[u8]>> {
    let rest = head.strip_prefix(b"#!")?;
    let line = rest.split(|&byte| byte == b'\n').next()?;
    let words = line.split(|byte| matches!(byte, b' ' | b'\t'));
    Some(words.filter(|word| !word.is_empty()).collect())
}

/// The name of the program that runs a script.
fn script_interpreter(head: &[u8]) -> Option<String> {
    let words = first_line(head)?;
    let name = |word: &[u8]| {
        let word = String::from_utf8_lossy(word);
        word.trim_end()
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let first = name(words.first()?);
    if first != "env" {
        return Some(first);
    }
    words[1..]
        .iter()
        .find(|word| !word.starts_with(b"-"))
        .map(|word| name(word))
}

/// Whether a script's first line ends as lines of Windows do, so that its interpreter is not found.
pub(crate) fn has_windows_line(head: &[u8]) -> bool {
    let Some(words) = first_line(head) else {
        return false;
    };
    let through_env = words.first().is_some_and(|word| word.ends_with(b"/env"));
    let names_program = if through_env {
        words.last()
    } else {
        words.first()
    };
    names_program.is_some_and(|word| word.ends_with(b"\r"))
}

/// Why this machine does not execute a file, as far as its first bytes tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// It begins with a byte order mark, so that its first line is not seen.
    Bom,
    /// It is text without a first line that names an interpreter.
    NoFirstLine,
    /// It is a class file of Java.
    JavaClass,
    /// It is this, which is for something else.
    For(String),
}

/// See [`Foreign`].
pub(crate) fn foreign(path: &Path) -> Option<Foreign> {
    let head = head_of(path)?;
    if head.starts_with(BOM) {
        return Some(Foreign::Bom);
    }
    if is_java_class(&head) {
        return Some(Foreign::JavaClass);
    }
    if let Some(what) = executable(&head) {
        return Some(Foreign::For(what));
    }
    let is_text = !head.contains(&0) && !head.starts_with(b"#!");
    is_text.then_some(Foreign::NoFirstLine)
}

/// The platform of this machine, as [`describe`] names it.
pub(crate) fn this_platform() -> String {
    format!(
        "Linux on {}",
        std::env::consts::ARCH
            .replace("x86_64", "x86-64")
            .replace("aarch64", "AArch64")
    )
}

fn executable(head: &[u8]) -> Option<String> {
    if head.starts_with(b"\x7fELF") {
        return Some(format!(
            "a Linux or BSD program (ELF) for {}",
            elf_machine(head)
        ));
    }
    let mach = |magic: &[u8; 4]| {
        matches!(
            magic,
            b"\xcf\xfa\xed\xfe" | b"\xce\xfa\xed\xfe" | b"\xfe\xed\xfa\xce" | b"\xfe\xed\xfa\xcf"
        )
    };
    let magic: &[u8; 4] = head.first_chunk()?;
    if mach(magic) {
        return Some(format!(
            "a macOS program (Mach-O) for {}",
            mach_machine(head)
        ));
    }
    if is_java_class(head) {
        return Some("a Java class".into());
    }
    if magic == UNIVERSAL {
        return Some("a universal macOS program (Mach-O)".into());
    }
    if magic.starts_with(b"MZ") {
        return Some(format!("a Windows program (PE){}", pe_machine(head)));
    }
    if magic == b"PK\x03\x04" {
        return Some("a zip or jar archive".into());
    }
    None
}

/// Universal programs and classes of Java begin alike; the number of a program's architectures is small.
const UNIVERSAL: &[u8; 4] = b"\xca\xfe\xba\xbe";

fn is_java_class(head: &[u8]) -> bool {
    let number = head.strip_prefix(UNIVERSAL).map(|rest| {
        rest.first_chunk()
            .map_or(u32::MAX, |number| u32::from_be_bytes(*number))
    });
    number.is_some_and(|number| number >= 40)
}

/// The machine of an ELF file. The numbers are those of `elf.h`.
fn elf_machine(head: &[u8]) -> String {
    let is_big = head.get(5) == Some(&2);
    let Some(&[first, second]) = head.get(18..20).and_then(|bytes| bytes.first_chunk()) else {
        return "an unknown machine".into();
    };
    let number = if is_big {
        u16::from_be_bytes([first, second])
    } else {
        u16::from_le_bytes([first, second])
    };
    match number {
        3 => "32-bit x86".into(),
        8 => "MIPS".into(),
        20 | 21 => "PowerPC".into(),
        22 => "S/390".into(),
        40 => "32-bit ARM".into(),
        62 => "x86-64".into(),
        183 => "AArch64".into(),
        243 => "RISC-V".into(),
        258 => "LoongArch".into(),
        other => format!("machine {other}"),
    }
}

/// The machine of a Mach-O file of this byte order. The numbers are those of `mach/machine.h`.
fn mach_machine(head: &[u8]) -> &'static str {
    match head.get(4..8) {
        Some([7, 0, 0, 1] | [1, 0, 0, 7]) => "x86-64",
        Some([12, 0, 0, 1] | [1, 0, 0, 12]) => "AArch64 (Apple silicon)",
        _ => "another machine",
    }
}

/// The machine of a PE file, where its header is near.
fn pe_machine(head: &[u8]) -> &'static str {
    let at = head
        .get(0x3c..0x40)
        .and_then(|bytes| bytes.first_chunk())
        .map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let machine = at.and_then(|at| head.get(at + 4..at + 6));
    match machine {
        Some([0x64, 0x86]) => " for x86-64",
        Some([0x64, 0xaa]) => " for AArch64",
        Some([0x4c, 0x01]) => " for 32-bit x86",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(name: &str, bytes: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        describe(&path).unwrap()
    }

    #[test]
    fn a_file_is_described_by_its_first_bytes() {
        for (bytes, what) in [
            (&b"#!/usr/bin/env python3\nx"[..], "a Python script"),
            (b"#! /bin/sh -e\n", "a shell script"),
            (
                b"#!/usr/bin/env -S node --max-old-space-size=128\n",
                "a Node script",
            ),
            (b"#!/opt/awk\n", "a script for awk"),
            (b"\0asm\x01\0\0\0", "a module"),
            (b"(module)", "a module"),
            (&zstd::encode_all(&b"x"[..], 1).unwrap(), "a bundle"),
            (b"MZ", "a file of an unknown format"),
            (b"MZ\0\0", "a Windows program (PE)"),
            (
                b"\xcf\xfa\xed\xfe\x0c\0\0\x01",
                "a macOS program (Mach-O) for AArch64 (Apple silicon)",
            ),
            (
                b"\xca\xfe\xba\xbe\0\0\0\x02",
                "a universal macOS program (Mach-O)",
            ),
            (b"\xca\xfe\xba\xbe\0\0\0\x41", "a Java class"),
            (b"PK\x03\x04", "a zip or jar archive"),
            (
                b"\x7fELF",
                "a Linux or BSD program (ELF) for an unknown machine",
            ),
        ] {
            assert_eq!(described("bot", bytes), what);
        }
        let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
        elf.resize(20, 0);
        elf[18] = 183;
        assert_eq!(
            described("bot", &elf),
            "a Linux or BSD program (ELF) for AArch64"
        );
        let own = std::fs::read("/proc/self/exe").unwrap();
        assert!(described("bot", &own).starts_with("a Linux or BSD program (ELF) for "));
    }

    #[test]
    fn a_first_line_of_windows_is_known_where_it_names_the_program() {
        for bytes in [
            &b"#!/usr/bin/env python3\r\n"[..],
            b"#!/bin/sh\r\n",
            b"#!/usr/bin/env -S a b\r\n",
        ] {
            assert!(has_windows_line(bytes));
        }
        for bytes in [
            &b"#!/usr/bin/perl -w\r\n"[..],
            b"#!/bin/sh\n\r\n",
            b"x\r\n",
            b"#!\n",
            b"",
        ] {
            assert!(!has_windows_line(bytes));
        }
    }

    #[test]
    fn no_beginning_of_a_file_is_too_short() {
        let mut bytes = vec![b'M', b'Z'];
        bytes.resize(0x3c, 0);
        bytes.extend([0xff; 8]);
        for length in 0..bytes.len() {
            executable(&bytes[..length]);
            first_line(&bytes[..length]);
        }
    }
}
