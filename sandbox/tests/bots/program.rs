//! What is opened, what is refused, and the way out of it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::common::{block_on, guest, module_text, sandbox};
use flipside_protocol::ClockUnit;
use flipside_sandbox::{OpenError, Program, ProgramKind, Start, StartError};
use tempfile::TempDir;

fn file(folder: &TempDir, name: &str, content: impl AsRef<[u8]>, mode: u32) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn refused(path: &Path) -> OpenError {
    Program::open(path).unwrap_err()
}

/// Why a module that opens cannot be prepared.
fn unprepared(text: &str) -> OpenError {
    sandbox()
        .prepare(&module_text(text).unwrap(), ClockUnit::Time)
        .unwrap_err()
}

fn unstarted(path: &Path) -> StartError {
    let program = Program::open(path).unwrap();
    block_on(async {
        sandbox()
            .start(
                &program,
                &Start {
                    seed: 1,
                    unit: ClockUnit::Time,
                    label: "test",
                },
            )
            .unwrap_err()
    })
}

#[test]
fn a_file_is_a_module_by_its_content_or_its_name() {
    let folder = TempDir::new().unwrap();
    let binary = wat::parse_str("(module)").unwrap();
    for path in [
        file(&folder, "noname", &binary, 0o644),
        file(&folder, "binary.wasm", &binary, 0o644),
        file(&folder, "binary.wat", &binary, 0o644),
        file(&folder, "text.wat", "(module)", 0o644),
        file(&folder, "text.wasm", "(module)", 0o644),
        file(&folder, "text", "\n ;; a bot\n(module)", 0o644),
    ] {
        let program = Program::open(&path).unwrap();
        assert_eq!(program.kind(), ProgramKind::Module, "{}", path.display());
    }
    let script = file(&folder, "script.py", "#!/bin/sh\n", 0o755);
    let program = Program::open(script).unwrap();
    assert_eq!(
        (program.kind(), program.name(), program.size()),
        (ProgramKind::Process, "script", 10)
    );
}

#[test]
fn a_program_is_known_by_its_bytes_and_arguments() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a", "#!/bin/sh\n", 0o755);
    let plain = Program::open(&path).unwrap();
    assert_eq!(plain.sha256().len(), 64);
    assert_eq!(
        Program::command(&path, [""; 0]).unwrap().sha256(),
        plain.sha256()
    );
    let with = |args: &[&str]| Program::command(&path, args).unwrap().sha256().to_owned();
    assert_eq!(with(&["ab", "c"]), with(&["ab", "c"]));
    let all = [
        plain.sha256().to_owned(),
        with(&["ab", "c"]),
        with(&["a", "bc"]),
        with(&["abc"]),
    ];
    for (at, one) in all.iter().enumerate() {
        assert!(!all[..at].contains(one));
    }
    let text = file(&folder, "text.wat", "(module)", 0o644);
    let hash = Program::open(text).unwrap().sha256().to_owned();
    assert!(
        hash.starts_with("1885772b"),
        "the hash of the file's bytes, not of its binary: {hash}"
    );
}

#[test]
fn what_cannot_be_opened_is_told_with_the_way_out() {
    let folder = TempDir::new().unwrap();
    assert!(matches!(
        refused(&folder.path().join("none")),
        OpenError::NotFound(_)
    ));
    assert!(matches!(refused(folder.path()), OpenError::Folder(_)));
    assert!(matches!(
        refused(Path::new("/dev/null")),
        OpenError::NotAFile(_)
    ));
    assert!(matches!(
        refused(&file(&folder, "empty", "", 0o755)),
        OpenError::Empty(_)
    ));
    symlink("nowhere", folder.path().join("link")).unwrap();
    assert!(matches!(
        refused(&folder.path().join("link")),
        OpenError::NotFound(_)
    ));

    let plain = refused(&file(&folder, "plain", "#!/bin/sh\n", 0o644));
    assert!(matches!(plain, OpenError::NotExecutable(_)));
    assert!(plain.hint().unwrap().contains("chmod +x"));
    let script = refused(&file(&folder, "script.wasm", "#!/bin/sh\n", 0o755));
    assert!(matches!(script, OpenError::NotWasm(_)), "{script}");
    let large = fs::File::create(folder.path().join("large.wasm")).unwrap();
    large.set_len(flipside_sandbox::LARGEST_MODULE + 1).unwrap();
    assert!(matches!(
        refused(&folder.path().join("large.wasm")),
        OpenError::TooLarge { .. }
    ));
    for (name, bytes) in [
        ("component", &b"\0asm\x0d\0\x01\0"[..]),
        ("component.wat", b";; text\n(component)"),
    ] {
        let component = refused(&file(&folder, name, bytes, 0o644));
        assert!(matches!(component, OpenError::Component(_)), "{component}");
        assert!(component.hint().unwrap().contains("wasm32-wasip1"));
    }
}

#[test]
fn text_that_is_no_module_is_told_with_its_line() {
    let error = module_text("(module\n  (func $a)\n  (fun $b))").unwrap_err();
    assert!(matches!(error, OpenError::NotWat { .. }));
    assert!(error.to_string().contains("guest.wat:3:4"), "{error}");
}

#[test]
fn unknown_import_is_refused_by_name() {
    let error = unprepared(
        r#"(module (import "env" "steal" (func)) (memory (export "memory") 1) (func (export "_start")))"#,
    );
    assert!(error.to_string().contains("env::steal"), "{error}");
    assert!(error.hint().is_some());
    let error = unprepared(
        r#"(module (import "wasi_snapshot_preview1" "fork" (func)) (memory (export "memory") 1)
           (func (export "_start")))"#,
    );
    assert!(
        error.to_string().contains("wasi_snapshot_preview1::fork"),
        "{error}"
    );
    let error = unprepared(
        r#"(module (import "wasi_snapshot_preview1" "fd_read" (func)) (memory (export "memory") 1)
           (func (export "_start")))"#,
    );
    assert!(matches!(&error, OpenError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("fd_read"), "{error}");
}

#[test]
fn a_module_without_start_is_refused() {
    for text in [
        r#"(module (memory (export "memory") 1))"#,
        r#"(module (memory (export "memory") 1) (func (export "_start") (param i32)))"#,
    ] {
        let error = unprepared(text);
        assert!(error.hint().unwrap().contains("\"_start\""), "{error}");
    }
    let library =
        unprepared(r#"(module (memory (export "memory") 1) (func (export "_initialize")))"#);
    assert!(library.to_string().contains("library"), "{library}");
    assert!(
        library.hint().unwrap().contains("WASI command"),
        "{library}"
    );
}

#[test]
fn a_module_that_is_too_much_is_refused() {
    let start = r#"(func (export "_start"))"#;
    let error = unprepared(&format!(r#"(module {start})"#));
    assert!(matches!(error, OpenError::NoMemory(_)), "{error}");
    let error = unprepared(&format!(
        r#"(module (memory (export "memory") 4097) {start})"#
    ));
    assert!(matches!(
        error,
        OpenError::TooMuchMemory {
            limit: flipside_sandbox::MEMORY,
            ..
        }
    ));
    for text in [
        format!(r#"(module (memory (export "memory") 1) (memory 1) {start})"#),
        format!(r#"(module (memory (export "memory") 1) (table 1000000 funcref) {start})"#),
        format!(r#"(module (memory (export "memory") 1 1 shared) {start})"#),
        format!(r#"(module (memory i64 1) (export "memory" (memory 0)) {start})"#),
        format!(
            r#"(module (memory (export "memory") 1) (func (drop (ref.i31 (i32.const 1)))) {start})"#
        ),
        format!(
            r#"(module (memory (export "memory") 1) (func (drop (ref.test funcref (ref.null func)))) {start})"#
        ),
        format!(
            r#"(module (memory (export "memory") 1) (table 1 funcref) (table 1 funcref) (table 1 funcref) {start})"#
        ),
    ] {
        assert!(
            matches!(unprepared(&text), OpenError::Refused { .. }),
            "{text}"
        );
    }
    let folder = TempDir::new().unwrap();
    let broken = Program::open(file(&folder, "broken", b"\0asm\x01\0\0\0\xff", 0o644)).unwrap();
    assert!(matches!(
        sandbox().prepare(&broken, ClockUnit::Time),
        Err(OpenError::Refused { .. })
    ));
}

#[test]
fn what_cannot_be_executed_is_told_with_the_way_out() {
    let folder = TempDir::new().unwrap();
    let error = unstarted(&file(&folder, "a", "#! /usr/bin/perl7 -w\n", 0o755));
    assert!(error.to_string().contains("/usr/bin/perl7"), "{error}");
    let error = refused(&file(&folder, "b", "#!/bin/sh\r\necho\r\n", 0o755));
    assert!(error.to_string().contains("Windows"), "{error}");
    let error = unstarted(&file(&folder, "c", "echo hello\n", 0o755));
    assert!(matches!(error, StartError::NoFirstLine(_)), "{error}");
    assert!(error.hint().unwrap().contains("#!/bin/sh"));

    let error = unstarted(&file(&folder, "e", b"\x7fELF another machine's", 0o755));
    assert!(matches!(error, StartError::Foreign { .. }), "{error}");

    let path = file(&folder, "d", "#!/bin/sh\n", 0o755);
    let program = Program::open(&path).unwrap();
    fs::remove_file(path).unwrap();
    let start = Start {
        seed: 1,
        unit: ClockUnit::Time,
        label: "test",
    };
    let error = block_on(async { sandbox().start(&program, &start).unwrap_err() });
    assert!(matches!(error, StartError::Gone(_)), "{error}");
}

#[test]
fn a_relative_path_still_holds_in_the_bots_folder() {
    let folder = TempDir::new_in(".").unwrap();
    file(&folder, "bot", "#!/bin/sh\nread x; pwd\n", 0o755);
    let path = Path::new(folder.path().file_name().unwrap()).join("bot");
    block_on(async {
        let mut bot = crate::common::start(&Program::open(path).unwrap());
        let its_folder = PathBuf::from(crate::common::answer(&mut bot, "where\n").await);
        assert_eq!(its_folder, folder.path().canonicalize().unwrap());
    });
}

#[test]
fn a_damaged_cache_file_is_compiled_again() {
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("new").join("cache");
    let settings = flipside_sandbox::SandboxSettings {
        cache: Some(cache.clone()),
        instances: 2,
        ..Default::default()
    };
    let program = guest("(drop (call $read)) (call $ok)");
    let plays = || {
        let sandbox = flipside_sandbox::Sandbox::new(settings.clone());
        block_on(async {
            let mut bot = crate::common::start_in(&sandbox, &program, 1);
            assert_eq!(crate::common::answer(&mut bot, "x\n").await, "ok");
        });
        let files: Vec<_> = fs::read_dir(&cache)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        let [file] = &files[..] else {
            panic!("one file, not {files:?}")
        };
        assert!(
            file.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(program.sha256())
        );
        file.clone()
    };
    let path = plays();
    let whole = fs::read(&path).unwrap();
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    plays();
    assert_eq!(
        fs::metadata(&path).unwrap().modified().unwrap(),
        written,
        "it was used"
    );
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let (cut, short) = (&whole[..whole.len() / 2], &whole[..5]);
    for damaged in [&flipped, cut, short, b""] {
        fs::write(&path, damaged).unwrap();
        assert_eq!(plays(), path);
        assert_eq!(fs::read(&path).unwrap(), whole, "it is whole again");
    }
}

#[test]
fn a_module_that_needs_more_memory_than_its_bots_have_is_refused() {
    // Two mebibytes from the beginning.
    let text = r#"(module (memory (export "memory") 32) (func (export "_start")))"#;
    let program = module_text(text).unwrap();
    let sandbox = sandbox();
    let with = |bytes| sandbox.prepare(&program.clone().with_memory(bytes), ClockUnit::Time);
    // Whether it was made ready before makes no difference.
    for _ in 0..2 {
        assert!(matches!(
            with(Some((2 << 20) - 1)),
            Err(OpenError::TooMuchMemory { needs, limit, .. }) if needs == 2 << 20 && limit < needs
        ));
        with(None).unwrap();
        with(Some(2 << 20)).unwrap();
    }
    let large = module_text(r#"(module (memory (export "memory") 8192) (func (export "_start")))"#);
    let large = large.unwrap();
    sandbox.prepare(&large, ClockUnit::Time).unwrap_err();
    sandbox
        .prepare(&large.with_memory(Some(1 << 30)), ClockUnit::Time)
        .unwrap();
}
