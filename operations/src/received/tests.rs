use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::admission::RECEIVED_HEAD;
use crate::zip_writer::ZipWriter;

type Files<'a> = [(&'a str, &'a [u8])];

/// A bot of two files.
const BOT: &Files<'_> = &[
    ("bot.py", b"import helper\n"),
    ("lib/helper.py", b"x = 1\n"),
    ("bot.toml", b"language = \"python\"\n"),
];

fn zip_of(folder: &str, files: &Files<'_>) -> Vec<u8> {
    let mut zip = ZipWriter::default();
    for (path, content) in files {
        zip.add(&format!("{folder}{path}"), content, false);
    }
    zip.finish()
}

fn tar_of(folder: &str, files: &Files<'_>) -> Vec<u8> {
    let mut tar = ::tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, format!("{folder}{path}"), *content)
            .unwrap();
    }
    tar.into_inner().unwrap()
}

fn gz_of(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

/// A packed bundle, where something is packed.
struct Packed {
    _room: TempDir,
    path: PathBuf,
}

impl Packed {
    fn of(bytes: &[u8], name: &str) -> Result<Self> {
        let room = tempfile::tempdir().unwrap();
        let received = room.path().join("received");
        fs::write(&received, bytes).unwrap();
        let head = &bytes[..bytes.len().min(RECEIVED_HEAD)];
        let ReceivedKind::Repacked(form) = ReceivedKind::of(head, name)? else {
            panic!("it is a program already")
        };
        let path = room.path().join("packed.tar.zst");
        let mut into = File::create(&path).unwrap();
        let received = File::open(received).unwrap();
        let done = repack(form, (&received, name), false, room.path(), &mut into);
        // Whatever happened, nothing is left of what was unpacked.
        let left = fs::read_dir(room.path()).unwrap().count();
        assert_eq!(left, 2, "the file that came, and the bundle");
        done?;
        Ok(Packed { _room: room, path })
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    /// The files that are in the bundle, and its manifest.
    fn files(&self) -> Vec<(String, String)> {
        let archive = zstd::decode_all(File::open(&self.path).unwrap()).unwrap();
        let mut archive = ::tar::Archive::new(&*archive);
        let mut files = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            let path = entry.path().unwrap().to_str().unwrap().to_owned();
            files.push((path, text));
        }
        files
    }

    fn file(&self, path: &str) -> String {
        let files = self.files();
        let found = files.iter().find(|(name, _)| name == path);
        found
            .unwrap_or_else(|| panic!("{path}: {files:?}"))
            .1
            .clone()
    }
}

/// Why a file is refused, with the hints.
fn refusal(bytes: &[u8], name: &str) -> String {
    let Err(failure) = Packed::of(bytes, name) else {
        panic!("it is taken")
    };
    let hints = failure.hints().join("; ");
    for command in ["flipside", "--", "chmod"] {
        assert!(!hints.contains(command), "for a browser: {hints}");
    }
    assert!(!hints.is_empty(), "{}", failure.message());
    failure.message().to_owned()
}

/// An entry of a zip that is written field by field.
struct RawEntry<'a> {
    name: &'a [u8],
    mode: u32,
    flags: u16,
    method: u16,
    content: &'a [u8],
    size: u32,
    crc: u32,
}

impl<'a> RawEntry<'a> {
    fn new(name: &'a str, content: &'a [u8]) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        RawEntry {
            name: name.as_bytes(),
            mode: 0o100_644,
            flags: 0,
            method: 0,
            content,
            size: content.len() as u32,
            crc: crc.sum(),
        }
    }
}

fn raw_zip(entries: &[RawEntry<'_>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let mut shared = Vec::new();
        for field in [20, entry.flags, entry.method, 0, 33] {
            shared.extend(field.to_le_bytes());
        }
        for field in [entry.crc, entry.content.len() as u32, entry.size] {
            shared.extend(field.to_le_bytes());
        }
        shared.extend((entry.name.len() as u32).to_le_bytes());
        let start = bytes.len() as u32;
        bytes.extend([b"PK\x03\x04", &*shared, entry.name, entry.content].concat());
        directory.extend([&b"PK\x01\x02\x14\x03"[..], &shared, &[0; 6]].concat());
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(start.to_le_bytes());
        directory.extend(entry.name);
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([(entries.len() as u16).to_le_bytes(); 2].as_flattened());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn a_folder_is_the_same_bundle_in_every_form() {
    let wanted = Packed::of(&zip_of("", BOT), "").unwrap();
    let mut paths: Vec<String> = wanted.files().into_iter().map(|(path, _)| path).collect();
    paths.sort();
    assert_eq!(paths, ["bot.py", "bot.toml", "lib/", "lib/helper.py"]);
    for folder in ["", "mybot/", "./", "./a/b/mybot/"] {
        let tar = tar_of(folder.trim_start_matches("./"), BOT);
        for bytes in [zip_of(folder, BOT), gz_of(&tar), tar] {
            assert_eq!(
                Packed::of(&bytes, "").unwrap().bytes(),
                wanted.bytes(),
                "{folder}"
            );
        }
    }
    // The order of the entries does not matter, nor what macOS adds.
    let mut files = BOT.to_vec();
    files.reverse();
    files.push(("__MACOSX/mybot/._bot.py", b"x"));
    files.push((".DS_Store", b"x"));
    let other = Packed::of(&zip_of("", &files), "").unwrap();
    assert_eq!(other.bytes(), wanted.bytes());
}

#[test]
fn every_kit_as_it_is_downloaded_is_what_flipside_new_makes() {
    let place = tempfile::tempdir().unwrap();
    for language in crate::LANGUAGES {
        let folder = place.path().join(language.id);
        crate::make_bot(crate::NewBot {
            language: language.id,
            folder: &folder,
            name: Some("yon"),
            checkout: None,
        })
        .unwrap();
        let zip = crate::kit_zip(language.id, "yon").unwrap();
        assert_eq!(zip, crate::kit_zip(language.id, "yon").unwrap());
        let file = place.path().join(format!("{}.zip", language.id));
        fs::write(&file, zip).unwrap();
        let unpacked = tempfile::tempdir().unwrap();
        let mut bounded = Unpacked::new(unpacked.path(), 1 << 20);
        super::zip::unpack(&File::open(file).unwrap(), &mut bounded).unwrap();
        let root = folder::enter(unpacked.path()).unwrap();
        assert_eq!(root, unpacked.path().join("yon"));
        let difference = std::process::Command::new("diff")
            .arg("-r")
            .args([&folder, &root])
            .output()
            .unwrap();
        assert!(
            difference.status.success(),
            "{}: {difference:?}",
            language.id
        );
    }
    assert!(crate::kit_zip("python", "My Bot").is_err());
}

#[test]
fn what_has_no_manifest_gets_one() {
    for (files, manifest) in [
        (
            &[("bot.py", &b"x = 1\n"[..])][..],
            "language = \"python\"\nmain = \"bot.py\"\n",
        ),
        (
            &[("yon.js", b""), ("README.md", b"x")],
            "language = \"javascript\"\nmain = \"yon.js\"\n",
        ),
        (
            &[
                ("main.py", b""),
                ("helper.py", b""),
                ("fast.so", b"\x7fELF"),
            ],
            "language = \"python\"\nmain = \"main.py\"\n",
        ),
        // What was built counts, and not what it was built from and with.
        (
            &[
                ("bot.c", b"int x;"),
                ("build.sh", b"#!/bin/sh\n"),
                ("mybot", b"\x7fELF"),
            ],
            "command = [\"./mybot\"]\n",
        ),
        (
            &[("bot.wasm", b"\0asm\x01\0\0\0")],
            "command = [\"./bot.wasm\"]\n",
        ),
        (
            &[("play", b"#!/bin/sh\n"), ("book", b"x")],
            "command = [\"./play\"]\n",
        ),
    ] {
        let packed = Packed::of(&zip_of("it/", files), "it.zip").unwrap();
        assert_eq!(packed.file("bot.toml"), manifest);
        for (path, _) in files {
            assert!(
                packed.files().iter().any(|(name, _)| name == path),
                "{path}"
            );
        }
    }
}

#[test]
fn one_source_file_is_packed_with_the_kit_that_it_uses() {
    let packed = Packed::of(b"from flipside import run\n", "C:\\bots\\yon.py").unwrap();
    assert_eq!(
        packed.file("bot.toml"),
        "language = \"python\"\nmain = \"yon.py\"\n"
    );
    assert!(packed.file("flipside.py").contains("def run"));
    // A name that would hide the kit, or that is no plain one, is not kept.
    for name in ["flipside.py", "my bot.py", ".py"] {
        let packed = Packed::of(b"#!/usr/bin/env python3\nimport flipside\n", name).unwrap();
        assert!(packed.file("bot.py").contains("import flipside"), "{name}");
    }
    let alone = Packed::of(b"print(1)\n", "yon.py").unwrap();
    assert_eq!(alone.files().len(), 2);
    let packed = Packed::of(b"const { run } = require('./flipside.js')\n", "x.js").unwrap();
    assert!(!packed.file("flipside.js").is_empty());
    let of = |head: &[u8], name| ReceivedKind::of(head, name).unwrap();
    let script = of(b"#!/usr/bin/env python3\nprint(1)\n", "yon.py");
    assert_eq!(script, ReceivedKind::Program(""), "it runs as it is");
}

#[test]
fn what_is_no_bot_is_refused_in_words() {
    let empty = zip_of("", &[]);
    for (bytes, name, why) in [
        (
            &b"int main() {}\n"[..],
            "bot.c",
            "this is source code in C, and the arena builds nothing",
        ),
        (b"Rar!\x1a\x07", "bot.rar", "this is a rar archive"),
        (
            b"MZ\x90\0",
            "bot.exe",
            "this is a Windows program, and bots run on Linux",
        ),
        (
            b"hello\n",
            "hello.txt",
            "this file is no program that can run here",
        ),
        (
            &gz_of(b"hello"),
            "hello.gz",
            "this file holds no tar archive",
        ),
        (&empty, "bot.zip", "the archive is empty"),
        (
            &zip_of("", &[("bot.c", b"x"), ("flipside.h", b"x")]),
            "",
            "this is source code in C, and the arena builds nothing",
        ),
        (
            &zip_of("", &[("README.md", b"x")]),
            "",
            "the archive has no program in its first folder",
        ),
        (
            &zip_of("", &[("a", b"#!/bin/sh\n"), ("b", b"#!/bin/sh\n")]),
            "",
            "the archive has several programs: a, b",
        ),
        (
            &zip_of("", &[("a.py", b""), ("b.py", b"")]),
            "",
            "the archive has several programs: a.py, b.py",
        ),
    ] {
        assert_eq!(refusal(bytes, name), why);
    }
}

#[test]
fn what_leads_out_or_is_no_file_is_refused() {
    for (path, why) in [
        (
            "../x",
            "the archive has the path ../x, which leads out of it",
        ),
        (
            "a/../../x",
            "the archive has the path a/../../x, which leads out of it",
        ),
        (
            "/etc/x",
            "the archive has the path /etc/x, which leads out of it",
        ),
        (
            "C:/x",
            "the archive has the path C:/x, which leads out of it",
        ),
        (
            "..\\x",
            "the archive has the path ../x, which leads out of it",
        ),
        (
            "a\u{1}b",
            "a\u{fffd}b in the archive has a control character in its name",
        ),
    ] {
        assert_eq!(refusal(&zip_of("", &[(path, b"x")]), ""), why);
    }
    let deep = "a/".repeat(40) + "x";
    assert!(refusal(&zip_of("", &[(&deep, b"x")]), "").ends_with("lies too deep in folders"));
    let long = "a".repeat(300);
    assert!(refusal(&zip_of("", &[(&long, b"x")]), "").ends_with("has too long a name"));

    let entry = |change: fn(&mut RawEntry<'_>)| {
        let mut entry = RawEntry::new("x", b"content");
        change(&mut entry);
        refusal(&raw_zip(&[RawEntry::new("bot.py", b""), entry]), "")
    };
    assert_eq!(
        entry(|it| it.mode = 0o120_777),
        "x in the archive is a link"
    );
    assert_eq!(
        entry(|it| it.mode = 0o010_644),
        "x in the archive is no ordinary file"
    );
    assert_eq!(entry(|it| it.flags = 1), "this zip is encrypted");
    assert_eq!(entry(|it| it.method = 99), "this zip is encrypted");
    assert_eq!(
        entry(|it| it.method = 12),
        "x is compressed in a way that is not understood here"
    );
    assert_eq!(
        entry(|it| it.name = b"\xff"),
        "a name in the archive is not UTF-8"
    );
    assert_eq!(entry(|it| it.crc = 1), "the archive is cut off or damaged");
    assert_eq!(entry(|it| it.size = 3), "the archive is cut off or damaged");
    assert_eq!(
        entry(|it| it.size = 30),
        "the archive is cut off or damaged"
    );
    let twice = [("x", &b"1"[..]), ("./x", b"2")];
    assert_eq!(
        refusal(&zip_of("", &twice), ""),
        "x is in the archive twice"
    );
    let around = [("x", &b"1"[..]), ("x/y", b"2")];
    assert_eq!(
        refusal(&zip_of("", &around), ""),
        "x is in the archive twice"
    );
    let around = [("x/y", &b"1"[..]), ("x", b"2")];
    assert_eq!(
        refusal(&zip_of("", &around), ""),
        "x is in the archive twice"
    );

    for (kind, what) in [
        (::tar::EntryType::Symlink, "a link"),
        (::tar::EntryType::Link, "a hard link"),
        (::tar::EntryType::Char, "a device"),
        (::tar::EntryType::Fifo, "a pipe"),
        (::tar::EntryType::GNUSparse, "no ordinary file"),
    ] {
        let mut tar = ::tar::Builder::new(Vec::new());
        let mut header = ::tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_link_name("/etc/passwd").unwrap();
        tar.append_data(&mut header, "x", &b""[..]).unwrap();
        let why = refusal(&tar.into_inner().unwrap(), "");
        assert_eq!(why, format!("x in the archive is {what}"));
    }
}

#[test]
fn what_unpacks_to_too_much_is_refused_before_it_fills_the_disk() {
    let zeros = vec![0; FREE_UNPACKED as usize + (1 << 20)];
    let why = "the archive has more than 100 times its size unpacked";
    assert_eq!(refusal(&zip_of("", &[("zeros", &zeros)]), ""), why);
    assert_eq!(refusal(&gz_of(&tar_of("", &[("zeros", &zeros)])), ""), why);
    // What says that it is small, and is not.
    let mut zip = zip_of("", &[("zeros", &zeros)]);
    let size = (zeros.len() as u32).to_le_bytes();
    while let Some(at) = zip.windows(4).position(|four| four == size) {
        zip[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
    }
    assert_eq!(refusal(&zip, ""), "the archive is cut off or damaged");

    let names: Vec<String> = (0..=MAX_UNPACKED_FILES).map(|at| at.to_string()).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b""[..])).collect();
    let why = "the archive has more than 10000 files and folders";
    assert_eq!(refusal(&zip_of("", &many), ""), why);
    assert_eq!(refusal(&tar_of("", &many), ""), why);
}

#[test]
fn an_archive_that_is_cut_off_is_refused_wherever_that_is() {
    let forms = [zip_of("", BOT), tar_of("", BOT), gz_of(&tar_of("", BOT))];
    for bytes in &forms {
        for length in (0..bytes.len()).step_by(7) {
            // A tar needs no end: what is whole of it may be a bot.
            let cut = &bytes[..length];
            let _ = ReceivedKind::of(cut, "").map(|_| Packed::of(cut, ""));
        }
    }
    let [zip, tar, gz] = &forms;
    // That of the tar ends in a file.
    for half in [&zip[..zip.len() / 2], &tar[..5 * 512 + 10]] {
        assert_eq!(refusal(half, ""), "the archive is cut off or damaged");
    }
    assert!(Packed::of(&gz[..gz.len() / 2], "").is_err());
}

#[test]
fn a_folder_with_content_is_refused_before_that_is_read() {
    let mut tar = ::tar::Builder::new(Vec::new());
    let mut header = ::tar::Header::new_gnu();
    header.set_entry_type(::tar::EntryType::Directory);
    header.set_size(1 << 20);
    tar.append_data(&mut header, "bot/", &[0; 1 << 20][..])
        .unwrap();
    let large = gz_of(&tar.into_inner().unwrap());
    assert_eq!(refusal(&large, ""), "the archive is cut off or damaged");
}

#[test]
fn long_names_of_both_forms_of_tar_are_read() {
    let long = format!("{}/bot.py", "long".repeat(40));
    let files = [
        (&*long, &b"x = 1\n"[..]),
        ("bot.toml", b"command = [\"./x\"]\n"),
        ("x", b"#!/bin/sh\n"),
    ];
    let packed = Packed::of(&tar_of("", &files), "").unwrap();
    assert_eq!(packed.file(&long), "x = 1\n");
    let mut tar = ::tar::Builder::new(Vec::new());
    let paths = [("path", long.as_bytes())];
    tar.append_pax_extensions(paths).unwrap();
    for (path, content) in [("short", files[0].1), files[1], files[2]] {
        let mut header = ::tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, path, content).unwrap();
    }
    let packed = Packed::of(&tar.into_inner().unwrap(), "").unwrap();
    assert_eq!(packed.file(&long), "x = 1\n");
}

proptest! {
    /// Whatever somebody sends, it is taken or refused, and nothing is written beside.
    #[test]
    fn a_changed_archive_is_taken_or_refused(
        form in 0..3_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = [zip_of("it/", BOT), tar_of("it/", BOT), gz_of(&tar_of("", BOT))][form].clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        // Both outcomes are right; `Packed` looks at what is left.
        let head = &bytes[..bytes.len().min(RECEIVED_HEAD)];
        if matches!(ReceivedKind::of(head, ""), Ok(ReceivedKind::Repacked(_))) {
            let _ = Packed::of(&bytes, "");
        }
    }
}
