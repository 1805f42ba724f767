//! A small arena with everything in it that pages show, the same for all tests that run at the same time.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use flipside_operations::{MOST_DISK, PreparedTournament, Request, Runner};
use flipside_runner::{RunEvent, StopSignal};
use flipside_store::Arena;
use flipside_tournament::{Name, TournamentSpec};
use tempfile::TempDir;

/// What a hostile organiser, author or bot would write.
pub(crate) const SCRIPT: &str = "<script>alert(1)</script>";

/// A bot that answers with something that is no message.
const HOSTILE: &str = r#"#!/bin/sh
while IFS= read -r line; do
  case $line in
  '{"type":"hello"'*) echo '{"type":"ready","name":"x","version":"1"}' ;;
  *) echo '<script>alert(1)</script> secret on stderr' >&2; echo '<script>alert(1)</script>' ;;
  esac
done
"#;

/// A bot that fails and says on stderr what only its author may read.
const LEAKY: &str = r#"#!/bin/sh
echo 'error: SECRETTOKEN' >&2
exit 1
"#;

/// The arena; its folder goes when the last test has done.
pub(crate) struct Small {
    pub(crate) folder: TempDir,
}

impl Small {
    /// The arena of all tests that run now.
    pub(crate) fn shared() -> Arc<Small> {
        static SHARED: Mutex<Weak<Small>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(small) = shared.upgrade() {
            return small;
        }
        let small = Arc::new(Small::new());
        *shared = Arc::downgrade(&small);
        small
    }

    /// The bots, and an arena in which nothing has been played.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bots = folder.path().join("bots");
        fs::create_dir(&bots).unwrap();
        let random = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../sample-bots/shell/random.sh"
        );
        let random = fs::read_to_string(random).unwrap();
        for name in ["ada", "bob", "cy"] {
            write(&bots.join(name), &format!("{random}# {name}\n"));
        }
        write(&bots.join("hostile"), HOSTILE);
        write(&bots.join("leaky"), LEAKY);
        let bundle = bots.join("packed");
        fs::create_dir(&bundle).unwrap();
        let manifest =
            format!("author = {SCRIPT:?}\nversion = {SCRIPT:?}\ncommand = [\"sh\", \"bot.sh\"]\n");
        fs::write(bundle.join("bot.toml"), manifest).unwrap();
        write(&bundle.join("bot.sh"), &random);

        Small { folder }
    }

    fn new() -> Self {
        let small = Small::empty();
        let titled = format!("title = {SCRIPT:?}\nnote = {SCRIPT:?}\nrounds = 2");
        let all = ["ada", "bob", "hostile", "packed"];
        small.play("cup", "flipfour", &titled, &all);
        small.play("league", "flipfour", "rounds = 2", &["ada", "bob", "cy"]);
        small.play(
            "knock",
            "yonmoque",
            "format = \"knockout\"\n",
            &["ada", "bob", "cy"],
        );
        small.play(
            "trial",
            "flipfour",
            "format = \"sprt\"\nrounds = 3",
            &["ada", "bob"],
        );
        small.play(
            "cards",
            "phase10-flip",
            "rounds = 1\noptions = { variant = \"short\", phases = 1 }",
            &["ada", "bob"],
        );
        small
    }

    /// The arena's folder.
    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("arena")
    }

    /// The arena.
    pub(crate) fn arena(&self) -> Arena {
        Arena::open(self.path()).unwrap()
    }

    /// Plays a tournament to its end.
    pub(crate) fn play(&self, name: &str, game: &str, settings: &str, bots: &[&str]) {
        self.play_until(name, game, settings, bots, false);
    }

    /// Plays a tournament, and stops when the first match has landed if it is to be left unfinished.
    pub(crate) fn play_until(
        &self,
        name: &str,
        game: &str,
        settings: &str,
        bots: &[&str],
        is_left: bool,
    ) {
        let bots = bots.iter().map(|bot| {
            let path = self.folder.path().join("bots").join(bot);
            path.to_str().unwrap().to_owned()
        });
        let bots: Vec<String> = bots.collect();
        // What plays waits in its own way, which a test that answers requests meanwhile may not.
        let play = || play(&self.path(), name, game, settings, &bots, is_left);
        std::thread::scope(|scope| scope.spawn(play).join().unwrap());
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn play(arena: &Path, name: &str, game: &str, settings: &str, bots: &[String], is_left: bool) {
    let spec = format!("trust = true\nname = {name:?}\nclock = \"move=60s,start=60s\"\n{settings}");
    let spec = TournamentSpec::from_toml(&spec).unwrap();
    let request = Request::of(arena, &spec, game, bots, &mut |_| ()).unwrap();
    let again = |name: &Name| name.to_string();
    let prepared = PreparedTournament::new(arena, &request, &again, &mut |_| ()).unwrap();
    let mut started = prepared.start(false, &mut |_| ()).unwrap();
    let (arena, tournament) = (&started.arena, &started.tournament);
    let runner = Runner::new(arena, tournament, &started.sandbox, MOST_DISK).unwrap();
    let stop = StopSignal::default();
    runner
        .run(&mut started.journal, started.threads, &stop, |event| {
            if is_left && matches!(event, RunEvent::Landed(_)) {
                stop.soon();
            }
        })
        .unwrap();
}
