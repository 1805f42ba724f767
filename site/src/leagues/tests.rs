//! What is promised of seasons: who plays, when they begin and end, and that a restart changes nothing.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flipside_operations::{Processes, Submission, delete, rename, submit};
use flipside_store::{Arena, table, unix_ms};
use flipside_tournament::league::League;
use flipside_tournament::{BotRef, Name};
use tempfile::TempDir;

use super::clock::Leagues;
use super::progress::{DivisionTable, tables};
use super::season::{LeagueEntrant, Season, SeasonState, SeasonTimes};
use crate::accounts::people::{AccountRow, Invite, Role};
use crate::limits::SiteLimits;
use crate::shared::store::AccountStore;
use crate::tournaments::host::state::Host;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// A bot in shell.
const BOT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../sample-bots/shell/random.sh"
);

const SPRING: &str = "name = \"spring\"\ngames = [\"flipflop-3x3\", \"flipflop-5x5\"]\ndivisions = 2\nplaces = 2\n\
                      moves = 1\nrounds = 1\nclock = \"move=5m,start=5m\"";

/// An hour, in milliseconds.
const HOUR: u64 = 3_600_000;

/// A server, and its folder.
struct LeagueServer {
    arena: Arena,
    store: Arc<AccountStore>,
    host: Arc<Host>,
    leagues: Leagues,
}

fn open(arena: &Arena) -> LeagueServer {
    let store = Arc::new(AccountStore::open(arena.path()).unwrap());
    let host = Host::open(
        arena.clone(),
        Arc::clone(&store),
        &SiteLimits::default(),
        None,
    )
    .unwrap();
    let host = Arc::new(host);
    let leagues = Leagues::new(arena.clone(), Arc::clone(&store), Arc::clone(&host));
    host.start().unwrap();
    LeagueServer {
        arena: arena.clone(),
        store,
        host,
        leagues,
    }
}

/// An arena with the bots `a`, `b`, `c` and `d`, which play both games.
fn arena() -> (TempDir, Arena) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena");
    for name in ["a", "b", "c", "d"] {
        enter(&path, name, name, &["flipflop-3x3", "flipflop-5x5"]);
    }
    let arena = Arena::open(&path).unwrap();
    (folder, arena)
}

/// Submits a bot; another remark makes another version.
fn enter(arena: &Path, bot: &str, remark: &str, games: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(bot);
    // By a process of its own: what another test starts meanwhile would have the file open for writing for a moment,
    // and then it cannot be executed.
    let script = "{ cat \"$1\"; echo \"# $2\"; } > \"$3\" && chmod +x \"$3\"";
    let made = Command::new("sh")
        .args(["-c", script, "sh", BOT, remark])
        .arg(&file)
        .status();
    assert!(made.unwrap().success());
    let games: Vec<String> = games.iter().map(|game| (*game).to_owned()).collect();
    let submission = Submission {
        file: &file,
        name: None,
        games: &games,
        clock: "move=5m,start=5m".parse().unwrap(),
        processes: Processes::default(),
    };
    submit(arena, &submission, |_| Ok(())).unwrap();
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

impl LeagueServer {
    fn organiser(&self) -> AccountRow {
        let known = self.store.accounts().unwrap().into_iter();
        if let Some(known) = { known }.find(|one| one.role == Role::Organiser) {
            return known;
        }
        let invite = Invite {
            organiser: true,
            uses: 1,
            days: 1,
        };
        let path = crate::accounts::people::invite_by(&self.store, invite, None).unwrap();
        let secret = path.rsplit('/').next().unwrap();
        let signed = self.store.sign_up(&name("org"), Some(secret), unix_ms());
        signed.unwrap().0
    }

    /// Makes the league `spring` with these bots.
    fn make(&self, text: &str, bots: &[&str]) {
        let league = League::from_toml(text).unwrap();
        self.store.add_league(&league, text, "org", 1).unwrap();
        let by = self.organiser();
        for bot in bots {
            self.store
                .enter_league(&name("spring"), &name(bot), &by, unix_ms())
                .unwrap();
        }
    }

    /// Announces a season whose entries end in an hour, and gives its times.
    fn announce(&self) -> SeasonTimes {
        self.announce_from(unix_ms() + HOUR)
    }

    fn announce_from(&self, deadline: u64) -> SeasonTimes {
        let times = SeasonTimes {
            deadline,
            starts_at: deadline + HOUR,
            ends_at: deadline + 2 * HOUR,
        };
        let league = name("spring");
        self.store
            .announce_season(&league, times, "org", 1)
            .unwrap();
        times
    }

    fn last(&self) -> Season {
        self.store.seasons(&name("spring")).unwrap().pop().unwrap()
    }

    fn divisions(&self) -> Vec<Vec<String>> {
        let one =
            |division: &Vec<LeagueEntrant>| division.iter().map(|bot| bot.bot.clone()).collect();
        self.last().divisions.iter().map(one).collect()
    }

    fn tables(&self) -> Vec<DivisionTable> {
        let journal = self.arena.read_journal().unwrap();
        let league = self.store.league(&name("spring")).unwrap().unwrap();
        tables(&self.arena, &journal, &league, &self.last()).unwrap()
    }

    /// Waits until the server has nothing to play.
    fn wait(&self) {
        let begun = Instant::now();
        while !self.host.hosted().is_empty() {
            assert!(begun.elapsed() < PATIENCE, "{:?}", self.host.hosted());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Plays a season that was announced.
    fn play(&self, times: SeasonTimes) {
        self.leagues.act(times.deadline);
        self.leagues.act(times.starts_at);
        assert_eq!(self.last().state, SeasonState::Playing, "{:?}", self.last());
        self.wait();
        self.leagues.act(times.starts_at + 1);
        assert_eq!(self.last().state, SeasonState::Over, "{:?}", self.last());
    }
}

#[test]
fn a_season_goes_by_the_clock_and_the_next_one_moves_bots() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["a", "b", "c", "d"]);
    let times = server.announce();
    server.leagues.act(times.deadline - 1);
    assert_eq!(server.last().state, SeasonState::Open);
    server.leagues.act(times.deadline);
    assert_eq!(server.last().state, SeasonState::Fixed);
    assert_eq!(server.divisions(), [["a@1", "b@1"], ["c@1", "d@1"]]);
    server.leagues.act(times.starts_at - 1);
    assert!(
        arena
            .read_journal()
            .unwrap()
            .tournaments()
            .unwrap()
            .is_empty()
    );
    server.play(times);

    let tables = server.tables();
    assert_eq!(tables.len(), 2);
    for division in &tables {
        assert_eq!(division.games.len(), 2);
        for row in &division.rows {
            assert_eq!(row.matches, 4, "{row:?}");
            let sum: f64 = row.shares.iter().flatten().sum();
            assert_eq!(row.points, sum);
        }
        let points: f64 = division.rows.iter().map(|row| row.points).sum();
        // Two bots share a hundred points at each game.
        assert!((points - 200.0).abs() < 0.1, "{points}");
    }
    assert_eq!(
        tables[1].games[0].tournament.as_str(),
        "spring-s1-d2-flipflop-3x3"
    );

    let stays = tables[0].rows[0].bot.clone();
    let goes_up = tables[1].rows[0].bot.clone();
    let times = server.announce();
    server.leagues.act(times.deadline);
    assert_eq!(server.last().number, 2);
    assert_eq!(server.divisions()[0], [stays, goes_up]);
}

#[test]
fn a_bot_with_a_new_name_keeps_its_points_and_one_without_a_file_does_not_play() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["a", "b", "c", "d"]);
    let times = server.announce();
    server.leagues.act(times.deadline);
    let bot = |text: &str| text.parse::<BotRef>().unwrap();
    delete(arena.path(), &bot("d")).unwrap();
    rename(arena.path(), &name("a"), &name("alpha")).unwrap();
    server.play(times);
    rename(arena.path(), &name("alpha"), &name("omega")).unwrap();
    let tables = server.tables();
    let rows = |division: usize| {
        let rows = tables[division].rows.iter();
        let mut rows: Vec<(String, u64)> = rows.map(|row| (row.bot.clone(), row.matches)).collect();
        rows.sort();
        rows
    };
    let row = |bot: &str, matches| (bot.to_owned(), matches);
    assert_eq!(rows(0), [row("b@1", 4), row("omega@1", 4)]);
    assert_eq!(rows(1), [row("c@1", 0), row("d@1", 0)]);
    // It is entered under its old name, and keeps its place.
    let times = server.announce();
    server.leagues.act(times.deadline);
    let mut all = server.divisions().concat();
    all.sort();
    assert_eq!(all, ["b@1", "c@1", "omega@1"]);
}

#[test]
fn what_cannot_begin_is_told_and_does_not_hold_up_the_others_or_the_end() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["a", "b", "c", "d"]);
    let deadline = unix_ms() + HOUR;
    let times = SeasonTimes {
        deadline,
        starts_at: deadline,
        ends_at: deadline + HOUR,
    };
    let spring = name("spring");
    server
        .store
        .announce_season(&spring, times, "org", 1)
        .unwrap();
    // The files of the bots are away for a while.
    let files = arena.path().join("bots");
    let away = arena.path().join("away");
    std::fs::rename(&files, &away).unwrap();
    server.leagues.act(deadline);
    let season = server.last();
    assert_eq!(season.state, SeasonState::Playing);
    assert_eq!(season.divisions.len(), 2);
    assert!(season.why.unwrap().starts_with("spring-s1-d2-"));
    std::fs::rename(&away, &files).unwrap();
    // It is not tried again at once, and the season goes on until its end.
    server.leagues.act(deadline + 1);
    assert_eq!(server.last().state, SeasonState::Playing);
    server.leagues.act(times.ends_at);
    assert_eq!(server.last().state, SeasonState::Over);
}

#[test]
fn only_what_was_received_in_time_plays_and_only_bots_that_can() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["a", "b", "gone"]);
    // Plays one of the games only, and is the only one in the last division.
    enter(arena.path(), "one", "one", &["flipflop-5x5"]);
    let by = server.organiser();
    let spring = name("spring");
    server
        .store
        .enter_league(&spring, &name("one"), &by, unix_ms())
        .unwrap();
    let deadline = unix_ms() + 1;
    let times = server.announce_from(deadline);
    std::thread::sleep(Duration::from_millis(10));
    enter(
        arena.path(),
        "a",
        "again",
        &["flipflop-3x3", "flipflop-5x5"],
    );
    server
        .store
        .enter_league(&spring, &name("c"), &by, unix_ms())
        .unwrap();
    server.leagues.act(deadline);
    // A division of one is none.
    assert_eq!(server.divisions(), [["a@1", "b@1", "one@1"]]);
    server.play(times);
    let tables = server.tables();
    let row = |bot: &str| {
        let found = tables[0].rows.iter().find(|row| row.bot == bot);
        found.unwrap().clone()
    };
    assert_eq!(row("one@1").shares[0], None);
    assert_eq!(row("a@1").matches, 2 + 4);
}

#[test]
fn a_restart_at_any_step_changes_nothing() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["a", "b", "c", "d"]);
    let times = server.announce();
    drop(server);
    let server = open(&arena);
    server.leagues.act(times.deadline);
    drop(server);
    let server = open(&arena);
    server.leagues.act(times.starts_at);
    drop(server);
    let server = open(&arena);
    server.wait();
    server.leagues.act(times.starts_at);
    assert_eq!(server.last().state, SeasonState::Over);
    let journal = arena.read_journal().unwrap();
    let tournaments = journal.tournaments().unwrap();
    assert_eq!(tournaments.len(), 4);
    for tournament in tournaments {
        let table = table(&journal, &tournament).unwrap();
        assert_eq!((table.played, table.over), (2, true), "{}", tournament.name);
    }
    // Nothing happens any more.
    server.leagues.act(times.ends_at + HOUR);
    assert_eq!(server.last().state, SeasonState::Over);
}

#[test]
fn at_the_end_what_is_left_is_cancelled() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(
        &SPRING.replace("rounds = 1", "rounds = 500000"),
        &["a", "b"],
    );
    let times = server.announce();
    server.leagues.act(times.deadline);
    server.leagues.act(times.starts_at);
    assert_eq!(
        server.last().state,
        SeasonState::Playing,
        "{:?}",
        server.last()
    );
    let tournament = || {
        let journal = arena.read_journal().unwrap();
        let tournament = journal.tournament("spring-s1-d1-flipflop-3x3").unwrap();
        let table = table(&journal, &tournament).unwrap();
        (table.played, table.over)
    };
    let begun = Instant::now();
    while tournament().0 == 0 {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(2));
    }
    server.leagues.act(times.ends_at);
    server.wait();
    server.leagues.act(times.ends_at);
    assert_eq!(server.last().state, SeasonState::Over);
    let (played, is_over) = tournament();
    assert!(is_over && played < 1_000_000, "{played}");
}

#[test]
fn a_season_that_nobody_can_play_or_that_is_cancelled_counts_for_nothing() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["a"]);
    let spring = name("spring");
    let times = server.announce();
    // One season at a time.
    let again = server.store.announce_season(&spring, times, "org", 1);
    assert!(
        again
            .unwrap_err()
            .to_string()
            .contains("season 1 is not over")
    );
    server.leagues.act(times.deadline);
    let season = server.last();
    assert_eq!(season.state, SeasonState::Cancelled);
    assert!(season.why.unwrap().contains("fewer than two bots"));

    let by = server.organiser();
    for bot in ["b", "c", "d"] {
        server
            .store
            .enter_league(&spring, &name(bot), &by, unix_ms())
            .unwrap();
    }
    let times = server.announce();
    server.leagues.act(times.deadline);
    server.leagues.act(times.starts_at);
    server.leagues.cancel(&spring, 2, "too hot").unwrap();
    server.wait();
    let season = server.last();
    assert_eq!((season.number, season.state), (2, SeasonState::Cancelled));
    assert_eq!(season.why.as_deref(), Some("too hot"));
    let twice = server.leagues.cancel(&spring, 2, "again").unwrap_err();
    assert!(twice.to_string().contains("is cancelled"), "{twice}");
    assert!(server.leagues.cancel(&spring, 7, "x").is_err());
    // The order of entry counts again.
    let times = server.announce();
    server.leagues.act(times.deadline);
    assert_eq!(server.divisions(), [["a@1", "b@1"], ["c@1", "d@1"]]);
}

#[test]
fn an_author_enters_own_bots_only_and_a_disabled_account_does_not_play() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["b", "c"]);
    let spring = name("spring");
    let (author, _) = server.store.sign_up(&name("ada"), None, 1).unwrap();
    let enters = |bot: &str| {
        server
            .store
            .enter_league(&spring, &name(bot), &author, unix_ms())
    };
    assert!(
        enters("a")
            .unwrap_err()
            .to_string()
            .contains("belongs to the organisers")
    );
    let own = |bot: &str, account: i64| {
        let sql = "INSERT INTO owners (folded, account) VALUES (?, ?)";
        server
            .store
            .change(|store| Ok(store.execute(sql, rusqlite::params![bot, account])?))
            .unwrap();
    };
    own("a", author.id.0);
    enters("a").unwrap();
    enters("a").unwrap();
    let entries = server.store.league_entries(&spring).unwrap();
    assert_eq!(entries, ["b", "c", "a"]);
    let (other, _) = server.store.sign_up(&name("eve"), None, 1).unwrap();
    let left = server.store.leave_league(&spring, &name("a"), &other, 1);
    assert!(left.unwrap_err().to_string().contains("somebody else"));
    let org = server.organiser();
    server.store.disable("ada", true, &org, 1).unwrap();
    let times = server.announce();
    server.leagues.act(times.deadline);
    assert_eq!(server.divisions(), [["b@1", "c@1"]]);
}

#[test]
fn who_takes_the_former_name_of_an_entrant_later_takes_neither_its_place_nor_its_points() {
    let (_folder, arena) = arena();
    let server = open(&arena);
    server.make(SPRING, &["a", "b"]);
    let games = ["flipflop-3x3", "flipflop-5x5"];
    let times = server.announce();
    server.leagues.act(times.deadline);
    rename(arena.path(), &name("a"), &name("alpha")).unwrap();
    enter(arena.path(), "a", "another", &games);
    server.play(times);
    let journal = arena.read_journal().unwrap();
    for tournament in journal.tournaments().unwrap() {
        let mut labels: Vec<String> = tournament.entrants.iter().map(|bot| bot.label()).collect();
        labels.sort();
        assert_eq!(labels, ["alpha@1", "b@1"]);
    }
    // The same after the season.
    rename(arena.path(), &name("b"), &name("beta")).unwrap();
    enter(arena.path(), "b", "yet another", &games);
    let rows = server.tables().remove(0).rows;
    let mut points: Vec<(String, u64)> =
        rows.into_iter().map(|row| (row.bot, row.matches)).collect();
    points.sort();
    assert_eq!(
        points,
        [("alpha@1".to_owned(), 4), ("beta@1".to_owned(), 4)]
    );
}
