//! The programs that are measured, in a temporary folder of their own.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flipside_operations::{Failure, Result};
use tempfile::TempDir;

/// The small program that answers lines at once, and plays as a bot. See `echo/` in this crate.
const ECHO: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/echo"));

/// A bot that plays a random legal action at once, as a module.
const INSTANT: &str = include_str!("../../sample-bots/wat/instant.wat");

/// The folder, and the programs in it.
pub(crate) struct Files {
    folder: TempDir,
    /// Two processes, as two bots have to differ at least in their name.
    pub(crate) processes: [PathBuf; 2],
    /// Two modules.
    pub(crate) modules: [PathBuf; 2],
}

impl Files {
    pub(crate) fn make() -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("flipside-bench-")
            .tempdir()
            .map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
        let at = |name: &str| folder.path().join(name);
        let made = Files {
            processes: [at("one"), at("other")],
            modules: [at("one.wat"), at("other.wat")],
            folder,
        };
        made.write().map_err(|error| {
            let path = made.folder.path().display();
            Failure::new(format!("cannot write to {path}: {error}"))
                .hint("TMPDIR=DIR names another folder for temporary files")
        })?;
        Ok(made)
    }

    fn write(&self) -> io::Result<()> {
        for path in &self.processes {
            fs::write(path, ECHO)?;
            fs::set_permissions(path, Permissions::from_mode(0o755))?;
        }
        for path in &self.modules {
            fs::write(path, INSTANT)?;
        }
        Ok(())
    }

    /// Makes a program of this text, with this name.
    pub(crate) fn script(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        Ok(path)
    }

    /// The folder of a new arena.
    pub(crate) fn arena(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program for measurements of one.
    pub(crate) fn echo(&self) -> &Path {
        &self.processes[0]
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    use super::*;

    /// The lines that the program answers to a whole input, and whether it ends well.
    fn answers(input: &[u8]) -> (Vec<String>, bool) {
        let files = Files::make().unwrap();
        // Another test that starts a process meanwhile has the file open for writing for a moment.
        let mut child = loop {
            let mut command = Command::new(files.echo());
            match command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {}
                child => break child.unwrap(),
            }
        };
        let mut stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let lines = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            stdout.lines().map(Result::unwrap).collect()
        });
        (lines, child.wait().unwrap().success())
    }

    #[test]
    fn the_small_program_answers_each_line_and_plays_what_is_listed() {
        let input = b"hello\n{\"type\":\"hello\",\"seed\":1}\n{\"type\":\"over\"}\nx\n";
        let fixed = "{\"type\":\"act\",\"id\":100,\"action\":\"a1-b2\"}";
        let ready = "{\"type\":\"ready\",\"name\":\"instant\",\"actions\":true,\"reuse\":true}";
        let lines = [fixed, ready, fixed].map(String::from).to_vec();
        assert_eq!(answers(input), (lines, true));
        let actions = ["a1", "b2-c3", "pass"];
        let list = "{\"type\":\"turn\",\"id\":17,\"actions\":[\"a1\",\"b2-c3\",\"pass\"],\"view\":[\"z9\"]}\n";
        let (lines, well) = answers(list.repeat(500).as_bytes());
        assert!(well && lines.len() == 500);
        for action in actions {
            let act = format!("{{\"type\":\"act\",\"id\":17,\"action\":{action:?}}}");
            let times = lines.iter().filter(|line| **line == act).count();
            assert!(times > 50, "{action}: {times}");
        }
        let listed = |line: &&String| actions.iter().any(|it| line.contains(&format!("{it:?}")));
        assert_eq!(lines.iter().filter(listed).count(), 500);
    }

    #[test]
    fn the_small_program_takes_a_line_in_pieces_and_ends_at_one_that_is_too_long() {
        let long = [vec![b'x'; 100_000], b"\nx\n".to_vec()].concat();
        assert_eq!(answers(&long).0.len(), 2);
        assert_eq!(answers(&[b'x'; 200_000]), (Vec::new(), false));
        for broken in [
            "{",
            "{\"type\":\"turn\"}",
            "{\"type\":\"turn\",\"id\":1,\"actions\":[]}",
        ] {
            let (lines, well) = answers(format!("{broken}\n").as_bytes());
            assert!(lines.is_empty() && !well, "{broken}");
        }
    }
}
