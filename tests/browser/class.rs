//! A class from an empty folder to its grades, as `docs/organisers/class.md` tells it: the test runs the commands of the
//! page, sends its descriptions, and opens its pages. Ten students, of whom two do everything wrong.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::browser::TestBrowser;
use crate::common::{run, sample};
use crate::person::{BrowserPerson, DAY, PlayedBoard};
use crate::server::TestServer;

const GAME: &str = "flipflop-3x3";

/// What the page calls the site.
const URL: &str = "https://arena.example";

/// However busy the machine is, no bot is late.
const PATIENT: &str = "\nclock = \"move=5m,start=5m\"\n";

/// The page, in its parts.
struct ClassGuide {
    /// The commands without `flipside`, in words.
    commands: Vec<Vec<String>>,
    /// The list of the class, a league, and a tournament.
    csv: String,
    league: String,
    last: String,
    /// The pages that it names.
    pages: Vec<String>,
}

impl ClassGuide {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/organisers/class.md");
        let text = fs::read_to_string(path).unwrap();
        let (text, _) = text.split_once("\n## Leagues\n").unwrap();
        let blocks = |language: &str| -> Vec<String> {
            let begin = format!("\n```{language}\n");
            let rest = text.split(&begin).skip(1);
            rest.map(|rest| rest.split("\n```\n").next().unwrap().to_owned())
                .collect()
        };
        let command = |line: &String| {
            let line = line.strip_prefix("$ flipside ").expect("a command");
            words(line)
        };
        let named = text.split('`').skip(1).step_by(2);
        let pages = named.filter(|word| word.starts_with('/'));
        let [league, last] = &blocks("toml")[..] else {
            panic!("a league and a final");
        };
        ClassGuide {
            commands: blocks("console").iter().map(command).collect(),
            csv: blocks("csv").concat(),
            league: league.clone(),
            last: last.clone(),
            pages: pages.map(str::to_owned).collect(),
        }
    }

    /// The words of a command of the page, for this server.
    fn command(&self, begins: &[&str], server: Option<&TestServer>) -> Vec<String> {
        let mut found = self.commands.iter().filter(|words| {
            let begin = words.iter().take(begins.len());
            begin.eq(begins.iter())
        });
        let words = found.next().unwrap_or_else(|| panic!("{begins:?}")).clone();
        assert!(found.next().is_none(), "{begins:?}");
        let ours = server.map(|server| format!("http://{}", server.host()));
        let word = |word: String| match (word == URL, &ours) {
            (true, Some(ours)) => ours.clone(),
            _ => word,
        };
        words.into_iter().map(word).collect()
    }
}

/// The words of a line, of which some are in quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn flipside(folder: &Path, words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    run(folder, &words).ok()
}

/// An arena that the server makes, with the server of the page.
fn begin(guide: &ClassGuide) -> PlayedBoard {
    let folder = TempDir::new().unwrap();
    let mut serve = guide.command(&["serve"], None);
    // Its address is not known before it has started.
    let url = serve.iter().position(|word| word == "--url").unwrap();
    serve.drain(url..=url + 1);
    let mut args: Vec<&str> = serve[1..].iter().map(String::as_str).collect();
    args.extend(["--listen", "127.0.0.1:0"]);
    let server = TestServer::start(folder.path(), &args);
    PlayedBoard { server, folder }
}

#[test]
fn a_class_goes_from_an_empty_folder_to_its_grades_as_the_page_says() {
    let guide = ClassGuide::read();
    let place = begin(&guide);
    let teacher = place.person(TestBrowser::desk(&["--window-size=1200,900"]));
    let invite = guide.command(&["invite", "--organiser"], Some(&place.server));
    let link = flipside(place.path(), &invite);
    let origin = format!("http://{}", place.server.host());
    teacher.sign_up(link.trim().strip_prefix(&origin).unwrap(), "teacher");
    teacher.assert_sound();
    teacher.browser.wait_for_text("Class 10b");

    // The sheet has a link for each.
    fs::write(place.path().join("class.csv"), &guide.csv).unwrap();
    let class = guide.command(&["invite", "--names"], Some(&place.server));
    flipside(place.path(), &class);
    let sheet = fs::read_to_string(place.path().join("sheet.html")).unwrap();
    let join = format!("{origin}/join/");
    let links = sheet.split(&join).skip(1);
    let links = links.map(|rest| format!("/join/{}", rest.split('<').next().unwrap()));
    let names = guide.csv.lines().skip(1);
    let names: Vec<&str> = names.map(|line| line.split(',').next().unwrap()).collect();
    let class: Vec<(&str, String)> = names.iter().copied().zip(links).collect();
    assert_eq!(class.len(), 10);

    keeps_a_ladder(&teacher);
    teacher.make_league(&format!("{}{PATIENT}", guide.league));
    teacher.announce("spring", [DAY, DAY, 2 * DAY]);

    // At one desk after the other: whoever goes signs out.
    let desk = place.person(TestBrowser::desk(&["--window-size=1200,900"]));
    let (good, wrong) = class.split_at(8);
    for (name, link) in good {
        joins(&desk, link, name);
        submits(&desk, &place, name);
        sees_the_ladder(&desk, name);
        desk.enter("spring", name);
        signs_out(&desk);
    }
    does_everything_wrong(&desk, &place, &wrong[0]);
    loses_everything(&desk, &place, &wrong[1], &teacher);

    // The deadline is now: the season that was announced is replaced by one.
    let cancel = "form[action='/organiser/leagues/spring/cancel']";
    teacher.go("/organiser/leagues");
    teacher.browser.fill("#r-spring", "the deadline is today");
    teacher.browser.click(&format!("{cancel} button"));
    teacher.browser.wait_for_text("Announce the next season");
    teacher.announce("spring", [2, 2, DAY]);
    let over = "const state = document.querySelector('#live-season dd')?.innerText ?? '';
        if (state.startsWith('over')) return true; location.reload(); return false";
    teacher.go("/leagues/spring/seasons/2");
    teacher.browser.wait("the season is over", over, &[]);
    teacher.assert_sound();
    let grades = csv(&teacher, "/organiser/leagues", "seasons/2/grades.csv");
    graded(&grades, &names);
    plays_the_final(&guide, &teacher, &grades);

    for page in &guide.pages {
        teacher.go(page);
        teacher.assert_sound();
    }
    place.end();
}

fn keeps_a_ladder(teacher: &BrowserPerson) {
    teacher.go("/organiser/ladders");
    teacher.choose("#l-game", GAME);
    teacher.browser.fill("#l-clock", "move=5m,start=5m");
    teacher
        .browser
        .fill("#l-bots", "sample:random, sample:greedy");
    teacher
        .browser
        .click("form[action='/organiser/ladders'] button");
    teacher
        .browser
        .wait_for_text("plays up to 5000 matches a day");
    teacher.assert_sound();
}

/// Opens the link on the strip, where the name stands already.
fn joins(student: &BrowserPerson, link: &str, name: &str) {
    student.go(link);
    let typed = "return document.querySelector('#name').value";
    assert_eq!(student.browser.run(typed, &[]), name);
    student.browser.click("main button");
    student.browser.wait_for_text("This is your token.");
    student.assert_sound();
}

/// A bot that plays at once, and differs from those of others.
fn bot(place: &PlayedBoard, name: &str) -> std::path::PathBuf {
    let text = fs::read_to_string(sample("wat/instant.wat")).unwrap();
    file(
        place,
        &format!("{name}.wat"),
        &format!("{text}\n;; {name}\n"),
    )
}

fn file(place: &PlayedBoard, name: &str, text: &str) -> std::path::PathBuf {
    let file = place.path().join(name);
    fs::write(&file, text).unwrap();
    file
}

fn submits(student: &BrowserPerson, place: &PlayedBoard, name: &str) {
    student.go("/submit");
    student.browser.wait_for_text("Season 1 of Spring league");
    student.submit(name, &bot(place, name), "accepted");
    student.assert_sound();
}

/// A finished upload leads to its first results, which come by themselves.
fn sees_the_ladder(student: &BrowserPerson, name: &str) {
    student
        .browser
        .click(&format!("main a[href='/ladders/{GAME}/{name}@1']"));
    student.browser.wait_for_text(&format!("{name}@1"));
    let placed = "return /\\d+(st|nd|rd|th) of \\d+/.test(document.querySelector('h1').innerText)
        && document.querySelector(\".placed a[href^='/matches/']\") !== null";
    student.browser.wait("a place and a replay", placed, &[]);
    student.assert_sound();
}

fn signs_out(student: &BrowserPerson) {
    student.go("/account");
    student.browser.click("form[action='/sign-out'] button");
    student.browser.wait_for_text("Sign in");
}

/// Somebody who takes the name of another's bot, and sends files of all wrong kinds before one that plays.
fn does_everything_wrong(desk: &BrowserPerson, place: &PlayedBoard, (name, link): &(&str, String)) {
    joins(desk, link, name);
    // A link works once.
    desk.go(link);
    desk.browser.wait_for_text("This invitation is not valid");
    let send = |bot: &str, file: &Path| {
        desk.go("/submit");
        desk.browser.fill("#name", bot);
        desk.browser.click(&format!("input[value={GAME}]"));
        desk.browser.fill("#file", file.to_str().unwrap());
        desk.browser.click("main button.main");
    };
    let own = bot(place, name);
    send("ada", &own);
    desk.browser
        .wait_for_text("The bot's name ada belongs to somebody else");
    // The form is still there, with what was chosen.
    let is_kept = "return document.querySelector('#name').value === 'ada'
        && document.querySelector(`input[value=${arguments[0]}]`).checked";
    assert_eq!(desk.browser.run(is_kept, &[GAME.into()]), true);
    send(
        name,
        &file(place, "homework.txt", "My bot always goes left.\n"),
    );
    desk.browser
        .wait_for_text("This file is no program that can run here");
    // What the browser complains of are the refusals.
    let refused = desk.browser.complaints().to_string();
    assert!(
        refused.contains("404") && refused.contains("403"),
        "{refused}"
    );
    let refused = [
        ("#!/usr/bin/env cobol\nDISPLAY 'left'.\n", "cobol"),
        ("#!/bin/sh\nexec sleep 3000\n", "no answer in 10 s"),
        (
            "#!/bin/sh\nread hello\necho '{\"type\":\"ready\"}'\nread turn\nexit 3\n",
            "exited with code 3",
        ),
        (
            "#!/bin/sh\nwhile read line; do echo 'I go left'; done\n",
            "the line begins with \"i go left\"",
        ),
    ];
    for (at, (text, told)) in refused.into_iter().enumerate() {
        let wrong = file(place, &format!("wrong-{at}"), text);
        desk.submit(name, &wrong, "refused");
        let report = desk.browser.text().to_lowercase();
        assert!(report.contains(told), "{told}: {report}");
        desk.browser.wait_for_text("submit it again");
        desk.assert_sound();
    }
    submits(desk, place, name);
    desk.enter("spring", name);
    signs_out(desk);
}

/// Somebody who closes the browser before the token is kept, guesses one, and forgets to enter the bot.
fn loses_everything(
    desk: &BrowserPerson,
    place: &PlayedBoard,
    (name, link): &(&str, String),
    teacher: &BrowserPerson,
) {
    joins(desk, link, name);
    desk.browser.tell("Network.clearBrowserCookies", &json!({}));
    desk.go("/submit");
    desk.browser.fill("#token", "flipside_1234");
    desk.browser.click("main button");
    desk.browser.wait_for_text("This token is not valid");
    let refused = desk.browser.complaints().to_string();
    assert!(refused.contains("403"), "{refused}");
    teacher.go("/organiser");
    let of_student = format!("form[action='/organiser/token']:has(input[value='{name}']) button");
    teacher.browser.click(&of_student);
    teacher.browser.wait_for_text("New token");
    teacher.browser.click("main form[method=post] button");
    teacher
        .browser
        .wait_for_text(&format!("The new token of {name}"));
    teacher.assert_sound();
    let token = teacher.shown(".secret code");
    desk.browser.fill("#token", &token);
    desk.browser.click("main button");
    // And is where they were going.
    desk.browser.wait_for_text("Name of the bot");
    submits(desk, place, name);
    signs_out(desk);
}

/// The file that a link of a page leads to.
fn csv(teacher: &BrowserPerson, page: &str, link: &str) -> String {
    teacher.go(page);
    let script = "const link = document.querySelector(`main a[href$='${arguments[0]}']`);
        const asked = new XMLHttpRequest();
        asked.open('GET', link.href, false);
        asked.send();
        return asked.responseText";
    let text = teacher.browser.run(script, &[link.into()]);
    text.as_str().unwrap().to_owned()
}

/// A row for each of the class: those who entered a bot have played, and whoever did not has an empty one.
fn graded(grades: &str, names: &[&str]) {
    let mut lines = grades.lines();
    let heading = "account,bot,division,rank,rating,points,matches,faults,left";
    assert_eq!(lines.next(), Some(heading));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let accounts: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(accounts, names);
    for row in &rows[..9] {
        assert_eq!(row[1].split('@').next(), Some(row[0]), "{grades}");
        let rank: usize = row[3].parse().unwrap();
        assert!((1..=9).contains(&rank), "{grades}");
        assert!(
            row[5].parse::<f64>().is_ok_and(|points| points <= 100.0),
            "{grades}"
        );
        assert!(
            row[6].parse::<u64>().is_ok_and(|matches| matches > 0),
            "{grades}"
        );
        assert_eq!(row[7], "0", "{grades}");
    }
    assert_eq!(rows[9].join(","), "jo,,,,,,,,");
}

fn plays_the_final(guide: &ClassGuide, teacher: &BrowserPerson, grades: &str) {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Some((fields[3].parse::<usize>().ok()?, fields[0].to_owned()))
    };
    let mut ranked: Vec<(usize, String)> = grades.lines().skip(1).filter_map(row).collect();
    ranked.sort();
    let best: Vec<&str> = ranked.iter().take(4).map(|(_, bot)| bot.as_str()).collect();
    let bots = format!("bots = {best:?}");
    let lines = guide.last.lines();
    let described: Vec<&str> = lines
        .map(|line| match line.starts_with("bots = ") {
            true => &bots,
            false => line,
        })
        .collect();
    teacher.go("/organiser/begin");
    teacher
        .browser
        .fill("#t-toml", &(described.join("\n") + PATIENT));
    teacher
        .browser
        .click("form[action='/organiser/queue/file'] button");
    teacher.browser.wait(
        "the final has begun",
        "return location.pathname.startsWith('/tournaments/final')",
        &[],
    );
    teacher.go("/organiser/tournaments/final");
    teacher.browser.wait_for_text("The tournament: over");
    teacher.assert_sound();
    let grades = csv(teacher, "/organiser/tournaments/final", "final/grades.csv");
    let ranked = grades
        .lines()
        .skip(1)
        .filter(|line| !line.ends_with(",,,,,,,,"));
    assert_eq!(ranked.count(), 4, "{grades}");
}
