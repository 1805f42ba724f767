//! The same files give the same bundle, and no archive does harm.

use std::fs::{self, File, Permissions};
use std::io::{Cursor, Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use proptest::sample::select;
use tempfile::TempDir;

use super::entry::{BLOCK, BundleEntry, EntryKind};
use super::reader::{BundleReader, Sink};
use super::store::Store;
use super::unpack::{Unpacker, remove_folder};
use super::*;

const MANIFEST_TEXT: &str = "language = \"python\"\n";

/// Writes files: a name that ends with a slash is a folder, a text that begins with `->` a link.
pub(super) fn write_all(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let at = folder.join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        match text.strip_prefix("->") {
            _ if name.ends_with('/') => fs::create_dir_all(at).unwrap(),
            Some(to) => symlink(to, at).unwrap(),
            None => fs::write(at, text).unwrap(),
        }
    }
}

pub(super) fn bundle_of(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_all(
        folder.path(),
        &[("bot.toml", MANIFEST_TEXT), ("bot.py", "")],
    );
    write_all(folder.path(), files);
    folder
}

pub(super) fn open(folder: &Path) -> Result<Bundle, BundleError> {
    Bundle::open_folder(folder)
}

/// Packs a bundle beside its folder.
fn packed(folder: &TempDir) -> (PathBuf, TempDir) {
    let other = tempfile::tempdir().unwrap();
    let at = other.path().join("packed.tar.zst");
    pack(
        &open(folder.path()).unwrap(),
        &mut File::create(&at).unwrap(),
    )
    .unwrap();
    (at, other)
}

fn paths(bundle: &Bundle) -> Vec<String> {
    struct Paths(Vec<String>);
    impl Sink for Paths {
        fn take(&mut self, entry: &BundleEntry, _: &mut dyn Read) -> Result<(), BundleError> {
            self.0.push(entry.path.clone());
            Ok(())
        }
    }
    let mut paths = Paths(Vec::new());
    bundle.read_again(&mut paths).unwrap();
    paths.0
}

pub(super) const MANY: [(&str, &str); 8] = [
    ("weights/a.bin", "17"),
    ("weights/b-c/d", ""),
    ("weights-2/e", "x"),
    ("weights.txt", "1"),
    ("empty/", ""),
    ("lib/link", "->../weights/a.bin"),
    ("lib/deep/er/link", "->../../../weights/b-c/d"),
    ("\u{e9}/\u{4e00}", "names are text"),
];

#[test]
fn the_same_files_give_the_same_sha256_whatever_times_order_modes_and_attributes() {
    let one = bundle_of(&MANY);
    let other = tempfile::tempdir().unwrap();
    let mut backwards = MANY.to_vec();
    backwards.reverse();
    write_all(other.path(), &backwards);
    write_all(other.path(), &[("bot.py", ""), ("bot.toml", MANIFEST_TEXT)]);
    let weights = other.path().join("weights/a.bin");
    let file = File::options().write(true).open(&weights).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(17))
        .unwrap();
    fs::set_permissions(&weights, Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(other.path().join("weights"), Permissions::from_mode(0o700)).unwrap();
    // Not every file system has them.
    let _ = rustix::fs::setxattr(&weights, "user.note", b"x", rustix::fs::XattrFlags::empty());
    fs::hard_link(&weights, other.path().join("weights/other")).unwrap();
    fs::remove_file(other.path().join("weights/other")).unwrap();
    let (one, other) = (open(one.path()).unwrap(), open(other.path()).unwrap());
    assert_eq!(one.sum, other.sum);
    // It must not change with a later version either.
    let due = "dbeeb222fd8dfea9a879a9a4c544fbbb96515ca7fc6321aca97d796b354badfc";
    assert_eq!(one.sum.sha256, due);
}

#[test]
fn a_packed_bundle_with_bytes_that_decompression_skips_is_refused() {
    let (at, _other) = packed(&bundle_of(&MANY));
    Bundle::open_packed(&at).unwrap();
    // A frame that a decoder skips (RFC 8878, 3.1.2).
    let mut padded = 0x184D_2A50_u32.to_le_bytes().to_vec();
    padded.extend((1u32 << 20).to_le_bytes());
    padded.resize(8 + (1 << 20), 0);
    let mut file = File::options().append(true).open(&at).unwrap();
    file.write_all(&padded).unwrap();
    let error = Bundle::open_packed(&at).unwrap_err();
    assert!(error.to_string().contains("of no file"), "{error}");
}

#[test]
fn a_packed_bundle_is_the_folder_and_so_is_what_is_unpacked() {
    let folder = bundle_of(&MANY);
    let program = folder.path().join("run");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o710)).unwrap();
    let bundle = open(folder.path()).unwrap();
    let (at, _other) = packed(&folder);
    let again = Bundle::open_packed(&at).unwrap();
    assert_eq!((&again.sum, &again.run), (&bundle.sum, &bundle.run));
    assert_eq!(paths(&again), paths(&bundle));
    let cache = tempfile::tempdir().unwrap();
    for bundle in [&bundle, &again] {
        let store = Arc::new(Store::open(Some(cache.path())).unwrap());
        let held = store.hold(&[bundle], &mut || ()).unwrap();
        let unpacked = held[0].folder();
        let mode = |name: &str| {
            let found = fs::symlink_metadata(unpacked.join(name)).unwrap();
            found.permissions().mode() & 0o777
        };
        assert_eq!(
            [mode("run"), mode("bot.py"), mode("weights")],
            [0o555, 0o444, 0o555]
        );
        assert_eq!(
            fs::read_link(unpacked.join("lib/link")).unwrap(),
            Path::new("../weights/a.bin")
        );
        assert_eq!(fs::read(unpacked.join("lib/deep/er/link")).unwrap(), b"");
        assert_eq!(open(unpacked).unwrap().sum, bundle.sum);
    }
}

#[test]
fn other_programs_read_what_is_packed() {
    let long = format!("{}/{}", "d".repeat(99), "f".repeat(120));
    let target = format!("{}/x", "t".repeat(150));
    let (long, target) = (long.as_str(), format!("->{target}"));
    let folder = bundle_of(&[MANY[0], MANY[5], (long, "long"), ("link", &target)]);
    let (at, _other) = packed(&folder);
    let bundle = Bundle::open_packed(&at).unwrap();
    let decoder = zstd::Decoder::new(File::open(&at).unwrap()).unwrap();
    let mut archive = tar::Archive::new(decoder);
    let mut found = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        let header = entry.header();
        assert_eq!(
            (
                header.uid().unwrap(),
                header.gid().unwrap(),
                header.mtime().unwrap()
            ),
            (0, 0, 0)
        );
        let path = entry.path().unwrap().display().to_string();
        if path == long {
            assert_eq!(text, "long");
        }
        if path == "link" {
            let to = entry.link_name().unwrap().unwrap();
            assert_eq!(format!("->{}", to.display()), target);
        }
        found.push(path.trim_end_matches('/').to_owned());
    }
    assert_eq!(found, paths(&bundle));
    // The identity is the hash of what `zstd -dc` gives.
    let archive = zstd::decode_all(File::open(&at).unwrap()).unwrap();
    let hash = <sha2::Sha256 as sha2::Digest>::digest(&archive);
    assert_eq!(hex::encode(hash), bundle.sum.sha256);
}

#[test]
fn what_is_no_part_of_a_bot_is_left_out() {
    let compiled = |flag: u8| String::from_utf8(vec![b'a', 13, 13, 10, flag, 0, 0, 0, 1]).unwrap();
    let (by_hash, by_time) = (compiled(3), compiled(0));
    let folder = bundle_of(&[
        (".git/config", ""),
        ("sub/.git/config", ""),
        (".hidden", ""),
        ("__pycache__/bot.cpython-311.pyc", &by_time),
        ("sub/__pycache__/x.cpython-311.pyc", &by_hash),
        ("sub/__pycache__/y.cpython-311.pyc", &by_time),
        ("venv/pyvenv.cfg", ""),
        ("venv/bin/python3.11", "->/usr/bin/python3.11"),
        ("venv/bin/python3", "->python3.11"),
        ("venv/bin/pip", ""),
        ("venv/lib/python3.11/site-packages/numpy.py", ""),
        ("bin/python3", "of the bot"),
    ]);
    let bundle = open(folder.path()).unwrap();
    let due = [
        ".hidden",
        "bin",
        "bin/python3",
        "bot.py",
        "bot.toml",
        "sub",
        "sub/__pycache__",
        "sub/__pycache__/x.cpython-311.pyc",
        "venv",
        "venv/bin",
        "venv/bin/pip",
        "venv/lib",
        "venv/lib/python3.11",
        "venv/lib/python3.11/site-packages",
        "venv/lib/python3.11/site-packages/numpy.py",
        "venv/pyvenv.cfg",
    ];
    assert_eq!(paths(&bundle), due);
    let packages = Some("venv/lib/python3.11/site-packages".to_owned());
    let run = ManifestRun::Program {
        name: "python3.11".into(),
        args: vec!["bot.py".into()],
        packages,
        has_heap: false,
    };
    assert_eq!(bundle.run, run);
    // The same by a command that names the environment's own.
    write_all(
        folder.path(),
        &[("bot.toml", "command = ['venv/bin/python3', 'bot.py']\n")],
    );
    assert_eq!(open(folder.path()).unwrap().run, run);
    write_all(
        folder.path(),
        &[(
            "bot.toml",
            "language = 'python'\nfiles = ['bot.py', 'venv/lib/']\n",
        )],
    );
    let bundle = open(folder.path()).unwrap();
    assert_eq!(paths(&bundle).len(), 7);
    write_all(
        folder.path(),
        &[(
            "bot.toml",
            "language = 'python'\nfiles = ['bot.py', 'wieghts']\n",
        )],
    );
    let error = open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("wieghts"), "{error}");
}

#[test]
fn a_listed_file_is_named_where_it_is() {
    let folder = bundle_of(&[
        ("real/x", "17"),
        ("deep/link", "->../real"),
        ("out", "->/usr"),
    ]);
    let with = |files: &str| {
        let text = format!("{MANIFEST_TEXT}files = {files}\n");
        write_all(folder.path(), &[("bot.toml", &text)]);
        open(folder.path())
    };
    for (files, what, hint) in [
        (
            "['bot.py', 'deep/link/x']",
            "files names deep/link/x, but deep/link is a link",
            "name real/x, and deep/link as well if the program uses it",
        ),
        (
            "['bot.py', 'out/bin']",
            "files names out/bin, but out is a link",
            "copy it into the folder",
        ),
    ] {
        let error = with(files).unwrap_err();
        assert_eq!(error.to_string(), format!("bot.toml: {what}"));
        assert_eq!(error.hint().as_deref(), Some(hint));
    }
    let bundle = with("['bot.py', 'real/x', 'deep/link']").unwrap();
    let due = ["bot.py", "bot.toml", "deep", "deep/link", "real", "real/x"];
    assert_eq!(paths(&bundle), due);
}

#[test]
fn an_arena_in_the_folder_is_left_out() {
    let files = [
        ("arena/journal.sqlite", "results"),
        ("arena/bots/0123", "somebody's bot"),
        ("sub/other/journal.sqlite", "results"),
        ("sub/other/bots/", ""),
        // A folder that only looks like one.
        ("half/bots/x", ""),
        ("file/journal.sqlite", ""),
        ("file/bots", ""),
    ];
    let folder = bundle_of(&files);
    let bundle = open(folder.path()).unwrap();
    let due = [
        "bot.py",
        "bot.toml",
        "file",
        "file/bots",
        "file/journal.sqlite",
        "half",
        "half/bots",
        "half/bots/x",
        "sub",
    ];
    assert_eq!(paths(&bundle), due);
    // By name, it is packed no more than otherwise; and nobody is to believe that it was.
    for named in ["arena", "arena/bots"] {
        let text = format!("{MANIFEST_TEXT}files = ['bot.py', '{named}']\n");
        write_all(folder.path(), &[("bot.toml", &text)]);
        let refused = open(folder.path()).unwrap_err();
        let why = format!("files names {named}, but arena is never packed");
        assert!(refused.to_string().contains(&why), "{refused}");
        assert!(refused.hint().unwrap().contains("off the list"));
    }
}

#[test]
fn what_a_bundle_may_not_hold_is_refused_by_name() {
    let refused = |files: &[(&str, &str)], prepare: &dyn Fn(&Path)| {
        let folder = bundle_of(files);
        prepare(folder.path());
        let error = open(folder.path()).unwrap_err();
        (error.to_string(), error.hint().unwrap_or_default())
    };
    let none = |_: &Path| ();
    let (said, hint) = refused(&[("etc", "->/etc/passwd")], &none);
    assert_eq!(said, "the link etc leads out of the bundle, to /etc/passwd");
    assert!(hint.contains("files = [...]"), "{hint}");
    for (path, to) in [("up", ".."), ("a/up", "../.."), ("a/b/up", "../../../x")] {
        let (said, _) = refused(&[(path, &format!("->{to}"))], &none);
        assert_eq!(
            said,
            format!("the link {path} leads out of the bundle, to {to}")
        );
    }
    let (said, _) = refused(&[("a/x", "->b/../../../y")], &none);
    assert!(said.starts_with("the link a/x has a target"), "{said}");
    let pipe = |folder: &Path| {
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, folder.join("pipe"), mode).unwrap();
    };
    let (said, hint) = refused(&[], &pipe);
    assert_eq!(said, "pipe is a pipe");
    assert!(hint.contains("remove it"), "{hint}");
    let socket = |folder: &Path| drop(UnixListener::bind(folder.join("s")).unwrap());
    assert_eq!(refused(&[], &socket).0, "s is a socket");
    let huge = |folder: &Path| {
        let file = File::create(folder.join("huge")).unwrap();
        file.set_len(LARGEST_BUNDLE + 1).unwrap();
    };
    assert_eq!(
        refused(&[], &huge).0,
        "its files have more than 1024 MiB together"
    );
    let deep = vec!["d"; MAX_DEPTH + 1].join("/");
    assert!(
        refused(&[(&deep, "")], &none)
            .0
            .ends_with("lies more than 32 folders deep")
    );
    let long = ["d".repeat(200), "e".repeat(200), "f".repeat(200)].join("/");
    assert!(
        refused(&[(&long, "")], &none)
            .0
            .starts_with("a path has more than 512 bytes: dddd")
    );
    let (said, _) = refused(&[("a\u{1b}[31m", "")], &none);
    assert_eq!(
        said,
        "\"a\u{fffd}[31m\" is not a path that a bundle may have"
    );
    let not_text = |folder: &Path| {
        let name = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff");
        fs::write(
            folder.join(<std::ffi::OsStr>::new::<std::ffi::OsStr>(name)),
            "",
        )
        .unwrap();
    };
    assert!(refused(&[], &not_text).0.ends_with("is not UTF-8"));
}

/// As much as a bundle may be.
fn anything() -> BundleSum {
    BundleSum {
        sha256: String::new(),
        entries: MAX_ENTRIES,
        bytes: LARGEST_BUNDLE,
    }
}

/// Reads an archive as it would be unpacked; what was said of it.
fn unpack(archive: &[u8], folder: &Path) -> Result<BundleSum, BundleError> {
    let mut unpacker = Unpacker::new(folder, &anything());
    let mut reader = BundleReader::new(&mut unpacker, true);
    archive::read_tar(&mut Cursor::new(archive), &mut reader)?;
    let sum = reader.finish()?;
    unpacker.finish()?;
    Ok(sum)
}

/// An archive of these entries as they are, whatever they are; contents are blanks.
fn archive_of(entries: &[BundleEntry]) -> Vec<u8> {
    let mut archive = Vec::new();
    for entry in entries {
        archive.extend(entry.headers());
        let size = entry.size() as usize;
        archive.resize(archive.len() + size, b' ');
        archive.resize(archive.len() + entry::padding(size as u64), 0);
    }
    archive.resize(archive.len() + 2 * BLOCK, 0);
    archive
}

fn file(path: &str) -> BundleEntry {
    let kind = EntryKind::File {
        size: 1,
        executable: false,
    };
    let path = path.into();
    BundleEntry { path, kind }
}

fn folder(path: &str) -> BundleEntry {
    let (path, kind) = (path.into(), EntryKind::Folder);
    BundleEntry { path, kind }
}

fn link(path: &str, to: &str) -> BundleEntry {
    let kind = EntryKind::Link { to: to.into() };
    let path = path.into();
    BundleEntry { path, kind }
}

/// What lies around the folder that is unpacked into.
fn around(folder: &TempDir) -> usize {
    fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn tricks_with_paths_are_refused_with_a_clear_word() {
    for (entries, due) in [
        (vec![file("../x")], "the path ../x leads out of the bundle"),
        (
            vec![folder("a"), file("a/../../x")],
            "the path a/../../x leads out of the bundle",
        ),
        (
            vec![file("/tmp/x")],
            "the path /tmp/x leads out of the bundle",
        ),
        (
            vec![file("a/./x")],
            "\"a/./x\" is not a path that a bundle may have",
        ),
        (
            vec![file("a//x")],
            "\"a//x\" is not a path that a bundle may have",
        ),
        (vec![file("")], "\"\" is not a path that a bundle may have"),
        (vec![file("a/x")], "a/x lies in no folder of the bundle"),
        (
            vec![file("a"), file("a/x")],
            "a/x lies in no folder of the bundle",
        ),
        (
            vec![link("a", "b"), file("a/x")],
            "a/x lies in no folder of the bundle",
        ),
        (
            vec![link("a", "/tmp"), file("a/x")],
            "the link a leads out of the bundle, to /tmp",
        ),
        (
            vec![link("a", "..")],
            "the link a leads out of the bundle, to ..",
        ),
        (vec![file("x"), file("x")], "x is there twice"),
        (vec![folder("x"), link("x", "y")], "x is there twice"),
        (
            vec![file("b"), file("a")],
            "it was not packed by flipside: a comes too late in it",
        ),
    ] {
        let around_it = tempfile::tempdir().unwrap();
        let into = around_it.path().join("into");
        fs::create_dir(&into).unwrap();
        let error = unpack(&archive_of(&entries), &into).unwrap_err();
        assert_eq!(error.to_string(), due);
        assert_eq!(around(&around_it), 1, "{due}");
    }
}

#[test]
fn other_kinds_of_entries_are_refused_by_name() {
    for (kind, due) in [
        (b'1', "x is a hard link"),
        (b'3', "x is a device"),
        (b'4', "x is a device"),
        (b'6', "x is a pipe"),
        (
            b'x',
            "it was not packed by flipside: it has extended headers",
        ),
        (
            b'S',
            "it was not packed by flipside: it does not begin as a tar archive, or has other headers",
        ),
    ] {
        let mut archive = archive_of(&[file("x")]);
        archive[156] = kind;
        let into = tempfile::tempdir().unwrap();
        let error = unpack(&archive, into.path()).unwrap_err();
        assert_eq!(error.to_string(), due);
    }
    // As another program writes it.
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    header.set_mode(0o644);
    header.set_mtime(17);
    header.set_entry_type(tar::EntryType::Regular);
    builder
        .append_data(&mut header, "bot.toml", &b"x"[..])
        .unwrap();
    let into = tempfile::tempdir().unwrap();
    let error = unpack(&builder.into_inner().unwrap(), into.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "it was not packed by flipside: bot.toml has times, owners or modes"
    );
    assert!(error.hint().unwrap().contains("name the folder"));
}

/// Compresses an archive into a file.
fn compressed(write: impl FnOnce(&mut dyn Write)) -> (PathBuf, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.tar.zst");
    let mut encoder = zstd::Encoder::new(File::create(&path).unwrap(), 1).unwrap();
    write(&mut encoder);
    encoder.finish().unwrap();
    (path, folder)
}

#[test]
fn bombs_are_refused_before_they_go_off() {
    // A million files.
    let (path, _folder) = compressed(|out| {
        for number in 0..1_000_000 {
            let mut entry = file(&format!("{number:07}"));
            entry.kind = EntryKind::File {
                size: 0,
                executable: false,
            };
            out.write_all(&entry.headers()).unwrap();
        }
    });
    let error = Bundle::open_packed(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        "it has more than 50000 files, folders and links"
    );
    // Zeros without end that say so, and some that do not.
    for (size, due) in [
        (1 << 32, "its files have more than 1024 MiB together"),
        (
            1,
            "it was not packed by flipside: something follows its end",
        ),
    ] {
        let (path, _folder) = compressed(|out| {
            let mut entry = file("bomb");
            entry.kind = EntryKind::File {
                size,
                executable: false,
            };
            out.write_all(&entry.headers()).unwrap();
            let zeros = vec![0; 1 << 20];
            for _ in 0..64 {
                out.write_all(&zeros).unwrap();
            }
        });
        assert!(fs::metadata(&path).unwrap().len() < 100_000);
        assert_eq!(Bundle::open_packed(&path).unwrap_err().to_string(), due);
    }
    // A path without end.
    let (path, _folder) = compressed(|out| {
        let mut header = file("x").headers();
        header[156] = entry::LONG_PATH;
        header[124..135].copy_from_slice(b"77777777777");
        out.write_all(&header).unwrap();
    });
    let error = Bundle::open_packed(&path).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("a path or the target of a link is too long")
    );
}

fn manifest(text: &str) -> Result<Manifest, (String, String)> {
    let said = |error: BundleError| (error.to_string(), error.hint().unwrap_or_default());
    Manifest::parse(text.as_bytes(), MANIFEST).map_err(said)
}

#[test]
fn a_manifest_says_what_a_bot_is() {
    let text = "name = 'net'\nversion = '1.2'\nauthor = 'Ada'\nlanguage = 'python'\nmain = './bot.py'\n\
                files = ['bot.py', 'weights/']\ngames = ['flipfour']\nmemory = '128 MiB'\n";
    let manifest = manifest(text).unwrap();
    assert_eq!(manifest.memory, Some(128 << 20));
    assert_eq!(manifest.main.as_deref(), Some("bot.py"));
    assert_eq!(manifest.files.unwrap(), ["bot.py", "weights"]);
}

#[test]
fn a_wrong_manifest_names_the_line_and_the_way_out() {
    for (text, what, hint) in [
        (
            "nmae = 'x'",
            "bot.toml: line 1: there is no key \"nmae\"",
            "did you mean name?",
        ),
        (
            "\nx = 1",
            "bot.toml: line 2: there is no key \"x\"",
            "the keys are name, version,",
        ),
        (
            "name = 1",
            "bot.toml: line 1: name is a text",
            "for example name = \"greedy\"",
        ),
        (
            "name = ''",
            "bot.toml: line 1: name is a line of 1 to 100 characters",
            "",
        ),
        (
            "command = 'x'",
            "bot.toml: line 1: command is a list of texts",
            "for example command =",
        ),
        ("name = ", "bot.toml: line 1 is not TOML", ""),
        ("memory = '1 GB", "bot.toml: line 1 is not TOML", ""),
        (
            "memory = '1'",
            "bot.toml: line 1: memory is a number with a unit",
            "\"128 MiB\"",
        ),
        (
            "memory = '1 KiB'",
            "bot.toml: line 1: memory is at least 4 MiB",
            "\"128 MiB\"",
        ),
        (
            "files = ['../x']",
            "bot.toml: line 1: files: the path ../x leads out",
            "",
        ),
        (
            "name = 'x'",
            "bot.toml: it says neither a language nor a command",
            "language = ",
        ),
        (
            "command = []",
            "bot.toml: command is empty",
            "for example command",
        ),
        (
            "command = ['']",
            "bot.toml: command begins with \"\", which names no program",
            "for example command",
        ),
        (
            "command = ['--help', 'x']",
            "bot.toml: command begins with \"--help\", which names no program",
            "for example command",
        ),
        (
            "command = ['x']\nmain = 'y'",
            "bot.toml: there is a command, and main as well",
            "leave one",
        ),
    ] {
        let (said, way) = manifest(text).unwrap_err();
        assert!(said.starts_with(what), "{text}: {said}");
        assert!(way.contains(hint), "{text}: {way}");
    }
}

#[test]
fn what_is_started_must_be_there() {
    let refused = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        write_all(
            folder.path(),
            &[
                ("bot.toml", text),
                ("plain", ""),
                ("a.wasm", ""),
                ("f/", ""),
            ],
        );
        let error = open(folder.path()).unwrap_err();
        (error.to_string(), error.hint().unwrap_or_default())
    };
    for (text, what, hint) in [
        (
            "language = 'pyhton'",
            "\"pyhton\" is started is not known",
            "did you mean python?",
        ),
        (
            "language = 'cobol'",
            "\"cobol\" is started is not known",
            "for others write a command",
        ),
        (
            "language = 'python'",
            "none of the files bot.py, __main__.py, bot.pyz",
            "main = ",
        ),
        (
            "language = 'python'\nmain = 'x.py'",
            "main names x.py, which is not in",
            "is it in the folder",
        ),
        (
            "command = ['./x']",
            "command names x, which is not in the bundle",
            "is it in the folder",
        ),
        (
            "command = ['plain']",
            "plain is not executable",
            "chmod +x plain",
        ),
        (
            "command = ['./f']",
            "f is a folder and cannot be started",
            "",
        ),
        (
            "command = ['a.wasm', 'x']",
            "a.wasm is a module, which is a file and takes no",
            "",
        ),
        (
            "command = ['/usr/bin/python3']",
            "depends on the machine",
            "name the program alone: \"python3\"",
        ),
    ] {
        let (said, way) = refused(text);
        assert!(said.contains(what), "{text}: {said}");
        assert!(way.contains(hint), "{text}: {way}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(open(folder.path()), Err(BundleError::NoManifest)));
}

/// Entries that may be anything.
fn any_entry() -> impl Strategy<Value = BundleEntry> {
    let name = select(vec![
        "a", "b", "..", ".", "", "c\u{7}", "bot.toml", "\u{e9}",
    ]);
    let path = prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"));
    let kind = prop_oneof![
        (0..2000u64, any::<bool>())
            .prop_map(|(size, executable)| EntryKind::File { size, executable }),
        Just(EntryKind::Folder),
        path.clone().prop_map(|to| EntryKind::Link { to }),
    ];
    (path, kind).prop_map(|(path, kind)| BundleEntry { path, kind })
}

/// All that is in a folder, and where links lead.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            walk(&path, found);
        }
        found.push(path);
    }
}

proptest! {
    #[test]
    fn whatever_an_archive_holds_nothing_is_touched_outside(
        entries in prop::collection::vec(any_entry(), 0..8),
        sorted in any::<bool>(),
        damage in prop::option::of((any::<usize>(), any::<u8>())),
    ) {
        let mut entries = entries;
        if sorted {
            entries.sort_by(|one, other| reader::in_order(&one.path, &other.path));
            entries.dedup_by(|one, other| one.path == other.path);
        }
        let mut archive = archive_of(&entries);
        if let Some((at, byte)) = damage {
            let at = at % archive.len();
            archive[at] = byte;
        }
        let around_it = tempfile::tempdir().unwrap();
        fs::write(around_it.path().join("outside"), "17").unwrap();
        let into = around_it.path().join("into");
        fs::create_dir(&into).unwrap();
        let unpacked = unpack(&archive, &into);
        prop_assert_eq!(fs::read(around_it.path().join("outside")).unwrap(), b"17");
        prop_assert_eq!(around(&around_it), 2);
        let mut found = Vec::new();
        walk(&into, &mut found);
        for path in &found {
            if let Ok(real) = path.canonicalize() {
                prop_assert!(real.starts_with(into.canonicalize().unwrap()), "{}", path.display());
            }
        }
        if let Ok(sum) = unpacked {
            prop_assert_eq!(sum.entries, found.len() as u64);
            // What was taken is packed in the same way again.
            prop_assert_eq!(store::sum_of(&into).unwrap(), sum);
        }
        remove_folder(&into).unwrap();
    }
}
