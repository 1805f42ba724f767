//! What a file is, by its first bytes: for messages to who has made it on another machine, or in another editor.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::StartError;

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

/// Whether a file is meant as a WebAssembly module: by its ending, or by how it begins.
pub fn is_module(path: &Path, head: &[u8]) -> bool {
    let ending = path.extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("wasm") || ending.eq_ignore_ascii_case("wat")
    });
    ending || head.starts_with(b"\0asm") || is_module_text(head)
}

/// Whether a text begins with `(module` (or `(component`, which is refused later and by name)
/// after spaces and `;;` comments.
pub(crate) fn is_module_text(head: &[u8]) -> bool {
    first_form(head).is_some_and(|word| word.starts_with(b"module")) || is_component_text(head)
}

/// Whether a text begins with `(component` after spaces and `;;` comments.
pub(crate) fn is_component_text(head: &[u8]) -> bool {
    first_form(head).is_some_and(|word| word.starts_with(b"component"))
}

/// What follows the first parenthesis of a text, where only spaces and `;;` comments stand before it.
fn first_form(mut head: &[u8]) -> Option<&[u8]> {
    loop {
        head = head.trim_ascii_start();
        let Some(comment) = head.strip_prefix(b";;") else {
            break;
        };
        let end = memchr::memchr(b'\n', comment)?;
        head = &comment[end..];
    }
    Some(head.strip_prefix(b"(")?.trim_ascii_start())
}

/// Whether a file begins as a packed bundle does, which no program and no module does.
pub fn is_packed(head: &[u8]) -> bool {
    const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    head.starts_with(&ZSTD)
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

/// The interpreter of a script's first line, or the loader that an executable names.
pub(crate) fn interpreter(path: &Path) -> Option<PathBuf> {
    let head = head_of(path)?;
    let name = match first_line(&head) {
        Some(words) => words.first().copied()?,
        // The loader's path lies near the beginning of an ELF file, as a C string.
        None => {
            let at = memchr::memmem::find(&head, b"/lib")?;
            head[at..].split(|&byte| byte == 0).next()?
        }
    };
    Some(OsStr::from_bytes(name).into())
}

/// Why this machine does not execute a file, as far as its first bytes tell.
pub(crate) fn not_executed(path: PathBuf) -> StartError {
    let Some(head) = head_of(&path) else {
        return StartError::Format(path);
    };
    if head.starts_with(BOM) {
        // Its first line is not seen.
        return StartError::Bom(path);
    }
    if is_java_class(&head) {
        return StartError::JavaClass(path);
    }
    if let Some(what) = executable(&head) {
        let here = this_platform();
        return StartError::Foreign { path, what, here };
    }
    if head.contains(&0) || head.starts_with(b"#!") {
        StartError::Format(path)
    } else {
        StartError::NoFirstLine(path)
    }
}

/// The platform of this machine, as [`describe`] names it.
fn this_platform() -> String {
    format!(
        "Linux on {}",
        std::env::consts::ARCH
            .replace("x86_64", "x86-64")
            .replace("aarch64", "AArch64")
    )
}

fn executable(head: &[u8]) -> Option<String> {
    let magic: &[u8; 4] = head.first_chunk()?;
    Some(match magic {
        b"\x7fELF" => format!("a Linux or BSD program (ELF) for {}", elf_machine(head)),
        b"\xcf\xfa\xed\xfe" | b"\xce\xfa\xed\xfe" | b"\xfe\xed\xfa\xce" | b"\xfe\xed\xfa\xcf" => {
            format!("a macOS program (Mach-O) for {}", mach_machine(head))
        }
        _ if is_java_class(head) => "a Java class".into(),
        UNIVERSAL => "a universal macOS program (Mach-O)".into(),
        [b'M', b'Z', ..] => format!("a Windows program (PE){}", pe_machine(head)),
        b"PK\x03\x04" => "a zip or jar archive".into(),
        _ => return None,
    })
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
    fn module_text_is_known_by_its_first_word() {
        for text in ["(module)", " \n;; a (comment\n\t( module $x", "(component)"] {
            assert!(is_module_text(text.as_bytes()), "{text}");
        }
        for text in ["", "#!/bin/sh", ";; (module)", "module", "(list)"] {
            assert!(!is_module_text(text.as_bytes()), "{text}");
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
