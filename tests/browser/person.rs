//! An arena with a server, and people with a browser before it.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::browser::TestBrowser;
use crate::common::{run, sample};
use crate::server::TestServer;

/// What a hostile person, author or bot would write.
pub(crate) const SCRIPT: &str = "<script>alert(1)</script>";

/// A day in seconds.
pub(crate) const DAY: u64 = 86_400;

/// A bot that writes it where a move belongs, and to standard error.
pub(crate) const HOSTILE: &str = r#"#!/bin/sh
while IFS= read -r line; do
  case $line in
  '{"type":"hello"'*) echo '{"type":"ready","name":"x","version":"1"}' ;;
  *) echo 'error: <script>alert(1)</script>' >&2; echo '<script>alert(1)</script>' ;;
  esac
done
"#;

/// An arena, its server, and files to submit.
pub(crate) struct PlayedBoard {
    pub(crate) server: TestServer,
    pub(crate) folder: TempDir,
}

/// Somebody with a browser.
pub(crate) struct BrowserPerson {
    pub(crate) browser: TestBrowser,
    origin: String,
}

impl PlayedBoard {
    /// An arena with nothing in it.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        flipside_store::Arena::create(folder.path().join("arena")).unwrap();
        PlayedBoard::over(folder)
    }

    /// The arena in a folder.
    pub(crate) fn over(folder: TempDir) -> Self {
        let server = TestServer::start(folder.path(), &["--listen", "127.0.0.1:0"]);
        PlayedBoard { server, folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Stops the server, which had nothing to complain of.
    pub(crate) fn end(self) {
        self.server.signal("TERM");
        assert_eq!(self.server.end(), (Some(0), String::new()));
    }

    /// Somebody who has the site open.
    pub(crate) fn person(&self, browser: TestBrowser) -> BrowserPerson {
        let person = BrowserPerson {
            browser,
            origin: format!("http://{}", self.server.host()),
        };
        person.go("/");
        person
    }

    /// The path of an organiser's invitation.
    pub(crate) fn organisers_link(&self) -> String {
        let path = run(self.path(), &["invite", "--organiser"]).ok();
        path.trim().to_owned()
    }

    /// A packed bundle of a module, with these words as its author and version.
    pub(crate) fn bundle(&self, words: &str) -> PathBuf {
        let folder = self.path().join("packed");
        fs::create_dir(&folder).unwrap();
        let manifest = format!("language = \"wasm\"\nauthor = {words:?}\nversion = {words:?}\n");
        fs::write(folder.join("bot.toml"), manifest).unwrap();
        fs::copy(sample("wat/instant.wat"), folder.join("bot.wat")).unwrap();
        run(self.path(), &["pack", "packed", "packed.tar.zst"]).ok();
        self.path().join("packed.tar.zst")
    }

    /// A bot that thinks a while at each turn, so that there is something to watch.
    pub(crate) fn slow(&self) -> PathBuf {
        self.bot_that_waits("slow.sh", "", "sleep 0.2")
    }

    /// A bot that, with an hour a move, moves once, so that there is a board, and then sleeps until it is woken. Else
    /// it answers at once, so that its check is not late.
    pub(crate) fn sleepy(&self) -> PathBuf {
        let sleep = self.long_sleep();
        let hello = "turns=9; case $line in *move=1h*) turns=0 ;; esac";
        let turn = format!("turns=$((turns + 1)); [ $turns -ne 2 ] || sleep {sleep}");
        self.bot_that_waits("sleepy.sh", hello, &turn)
    }

    /// The random bot that does something more when it has read a message.
    fn bot_that_waits(&self, name: &str, at_hello: &str, at_turn: &str) -> PathBuf {
        let file = self.path().join(name);
        let mut bot = fs::read_to_string(sample("shell/random.sh")).unwrap();
        for (message, more) in [("hello", at_hello), ("turn", at_turn)] {
            let case = format!("'{{\"type\":\"{message}\"'*)");
            assert!(bot.contains(&case));
            bot = bot.replace(&case, &format!("{case} {more}\n"));
        }
        fs::write(&file, bot).unwrap();
        file
    }

    /// How long the sleepy bot sleeps: no other program sleeps as long.
    fn long_sleep(&self) -> String {
        format!("3000.{}", self.server.child.id())
    }

    /// Ends the sleep of all sleepy bots.
    pub(crate) fn wake_the_sleepy(&self) {
        let line = format!("sleep\0{}\0", self.long_sleep());
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let is_one =
                fs::read(entry.path().join("cmdline")).is_ok_and(|it| it == line.as_bytes());
            let pid = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok());
            if let Some(pid) = pid.and_then(Pid::from_raw).filter(|_| is_one) {
                // It may have ended meanwhile.
                let _ = kill_process(pid, Signal::TERM);
            }
        }
    }

    /// A bot that does not pass.
    pub(crate) fn hostile(&self) -> PathBuf {
        let file = self.path().join("hostile.sh");
        fs::write(&file, HOSTILE).unwrap();
        file
    }
}

impl BrowserPerson {
    pub(crate) fn go(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.origin));
    }

    /// The path of the page.
    pub(crate) fn path(&self) -> String {
        let address = self.browser.address();
        let path = address.strip_prefix(&self.origin);
        path.unwrap_or_else(|| panic!("{address}")).to_owned()
    }

    /// Makes an account with an invitation.
    pub(crate) fn sign_up(&self, link: &str, name: &str) {
        self.go(link);
        self.browser.fill("#name", name);
        self.browser.click("main button");
        self.browser.wait_for_text("This is your token.");
    }

    /// Makes an invitation as an organiser; its path.
    pub(crate) fn invite(&self) -> String {
        self.go("/organiser");
        self.browser
            .click("form[action='/organiser/invite'] button");
        self.browser.wait_for_text("/join/");
        let text = self.browser.text();
        let from = text.find("/join/").unwrap();
        // The button that copies it follows.
        let path = text[from..].split_whitespace().next().unwrap();
        path.trim_end_matches("Copy").to_owned()
    }

    /// Begins a tournament as an organiser.
    pub(crate) fn begin(&self, name: &str, title: &str, game: &str, bots: &str, rounds: &str) {
        self.fill_tournament(name, title, game, bots, rounds, "move=5m,start=5m");
        self.browser.wait_for_text(&format!("{name} live"));
    }

    /// Begins a tournament by the form and what it says before the start.
    pub(crate) fn fill_tournament(
        &self,
        name: &str,
        title: &str,
        game: &str,
        bots: &str,
        rounds: &str,
        clock: &str,
    ) {
        self.go(&format!("/organiser/begin?game={game}"));
        self.browser.fill("#t-name", name);
        self.browser.fill("#t-title", title);
        self.browser.fill("#t-more", bots);
        self.browser.fill("#o-rounds", rounds);
        self.browser.fill("#o-clock", clock);
        self.browser.click("button.main[value=estimate]");
        self.browser.wait_for_text(&format!("Begin {name}?"));
        self.browser.click(".estimate button");
    }

    /// Makes a league as an organiser, from its description.
    pub(crate) fn make_league(&self, toml: &str) {
        self.go("/organiser/leagues");
        self.browser.fill("#l-toml", toml);
        self.browser
            .click("form[action='/organiser/leagues'] button");
        self.browser.wait_for_text("Announce the next season");
    }

    /// Enters a bot for the seasons of a league.
    pub(crate) fn enter(&self, league: &str, bot: &str) {
        self.go(&format!("/leagues/{league}/enter"));
        self.choose("#l-bot", bot);
        self.browser.click("main button.main");
        let is_entered = "return Array.from(document.querySelectorAll('.names li'))
            .some((line) => line.innerText.startsWith(arguments[0]))";
        self.browser
            .wait("it is entered", is_entered, &[bot.into()]);
    }

    /// Announces the next season of a league as an organiser: the deadline, the start and the end, in seconds from now.
    pub(crate) fn announce(&self, league: &str, times: [u64; 3]) {
        self.go("/organiser/leagues");
        let form = format!("form[action='/organiser/leagues/{league}/season']");
        let fill = "const form = document.querySelector(arguments[0]);
            form.elements.zone.value = '+00:00';
            ['deadline', 'starts_at', 'ends_at'].forEach((name, at) => {
                const field = form.elements[name];
                // People give whole minutes, for which nobody waits here.
                field.step = 1;
                field.value = new Date(Date.now() + arguments[1][at] * 1000).toISOString().slice(0, 19);
            });
            return true";
        let args = [form.as_str().into(), times.to_vec().into()];
        self.browser.run(fill, &args);
        self.browser.run("window.isBefore = true", &[]);
        self.browser.click(&format!("{form} button"));
        // A short season may be over before the page is looked at.
        let is_told = "return !window.isBefore && document.querySelector('h1')?.innerText === 'Leagues of this server'
            && /season \\d+: /.test(document.body.innerText)";
        self.browser.wait("the season is announced", is_told, &[]);
    }

    /// Submits a file by the form, and waits for the end of its check.
    pub(crate) fn submit(&self, name: &str, file: &Path, ends: &str) {
        self.go("/submit");
        self.browser.fill("#name", name);
        self.browser.click("input[value=flipflop-3x3]");
        self.browser.fill("#file", file.to_str().unwrap());
        self.browser.click("main button.main");
        let has_ended = "const state = document.querySelector('h1 .badge'); \
             return !!state && !['waiting', 'checking'].includes(state.textContent)";
        self.browser.wait("the check ends", has_ended, &[]);
        let state = self.shown("h1 .badge");
        assert_eq!(state, ends, "{name}: {}", self.browser.text());
    }

    /// The text of what a CSS selector finds; empty without it.
    pub(crate) fn shown(&self, selector: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.innerText ?? ''";
        let text = self.browser.run(script, &[selector.into()]);
        text.as_str().unwrap().to_owned()
    }

    /// Waits until what a CSS selector finds has another text, on the same page.
    pub(crate) fn wait_for_change(&self, selector: &str) {
        let now = self.shown(selector);
        self.browser.run("window.isSamePage = true", &[]);
        let script = "if (!window.isSamePage) throw new Error('another page'); \
             return document.querySelector(arguments[0])?.innerText !== arguments[1]";
        let args = [selector.into(), now.into()];
        self.browser
            .wait(&format!("{selector} changes"), script, &args);
    }

    /// Chooses in a list.
    pub(crate) fn choose(&self, list: &str, value: &str) {
        let script = "const list = document.querySelector(arguments[0]); \
             list.value = arguments[1]; return list.value === arguments[1]";
        let args: [Value; 2] = [list.into(), value.into()];
        self.browser
            .wait(&format!("{list}: {value}"), script, &args);
    }

    /// What is true of every page: scripts are the site's own, nothing is wider than the window, and the browser has
    /// nothing to complain of.
    pub(crate) fn assert_sound(&self) {
        let address = self.path();
        let scripts = self.browser.run(
            "return Array.from(document.scripts, (it) => it.getAttribute('src') ?? it.type ?? 'inline')",
            &[],
        );
        for script in scripts.as_array().unwrap() {
            let script = script.as_str().unwrap();
            let is_own = script.starts_with("/assets/") || script == "application/json";
            assert!(is_own, "{address}: {script}");
        }
        let widths =
            "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]";
        let widths = self.browser.run(widths, &[]);
        assert!(
            widths[0].as_u64().unwrap() <= widths[1].as_u64().unwrap(),
            "{address} is too wide: {widths}"
        );
        assert_eq!(
            self.browser.complaints(),
            serde_json::json!([]),
            "{address}"
        );
    }
}
