//! An arena with something on every page, and a visitor, an author and an organiser before it.

use std::fs;
use std::path::Path;

use crate::browser::TestBrowser;
use crate::common::{run, sample, script};
use crate::person::{BrowserPerson, DAY, HOSTILE, PlayedBoard, SCRIPT};

/// Stands below for what somebody writes in their own words.
const WORDS: &str = "WORDS";

/// What was played before the server started: the arguments of `flipside tournament`.
const PLAYED: [&[&str]; 7] = [
    &[
        "flipflop-3x3",
        "first.wat",
        "instant.wat",
        "./mistaken",
        "sample:random",
        "--rounds",
        "2",
        "--name",
        "league",
        "--trust",
        "--title",
        WORDS,
        "--note",
        WORDS,
    ],
    &[
        "flipflop-5x5",
        "first",
        "instant",
        "sample:random",
        "sample:greedy",
        "--format",
        "knockout",
        "--name",
        "knock",
    ],
    &[
        "flipfour", "instant", "first", "--format", "sprt", "--rounds", "20", "--name", "trial",
    ],
    &[
        "phase10-flip",
        "instant",
        "sample:greedy",
        "--rounds",
        "1",
        "--name",
        "cards",
        "--options",
        "{\"variant\":\"short\",\"phases\":1}",
    ],
    &[
        "flip4",
        "instant",
        "first",
        "sample:greedy",
        "sample:random",
        "--seats",
        "4",
        "--rounds",
        "1",
        "--name",
        "dice",
    ],
    &[
        "puissance4-basic",
        "instant",
        "sample:greedy",
        "--rounds",
        "1",
        "--name",
        "tokens",
    ],
    &[
        "yonmoque",
        "instant",
        "sample:greedy",
        "--rounds",
        "2",
        "--name",
        "yon",
    ],
];

/// A league, as an organiser describes it.
const LEAGUE: &str = "name = \"spring\"\ntitle = \"Spring league\"\n\
    games = [\"flipflop-3x3\", \"flipfour\"]\nrounds = 2\nclock = \"move=1s\"\n";

/// A league whose seasons are short.
const SHORT_LEAGUE: &str = "name = \"autumn\"\ntitle = \"Autumn league\"\n\
    games = [\"flipflop-3x3\"]\nrounds = 2\nclock = \"move=5m,start=5m\"\n";

/// What a page is looked at for, by whom and under which name.
pub(crate) type PageLook<'a> = &'a mut dyn FnMut(&BrowserPerson, &str);

/// A filled arena, with those who look at it.
pub(crate) struct Filled {
    pub(crate) place: PlayedBoard,
    pub(crate) visitor: BrowserPerson,
    pub(crate) author: BrowserPerson,
    pub(crate) organiser: BrowserPerson,
    /// The path of the match that the author plays.
    pub(crate) playing: String,
}

impl Filled {
    /// Fills an arena, with these words as titles, notes and authors. The pages that are shown only once are looked at
    /// meanwhile.
    pub(crate) fn new(words: &str, look: PageLook<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        play(folder.path(), words);
        let place = PlayedBoard::over(folder);
        let person = || place.person(TestBrowser::desk(&[]));
        let mut filled = Filled {
            visitor: person(),
            author: person(),
            organiser: person(),
            playing: String::new(),
            place,
        };
        filled.sign_up(look);
        filled.submit(words);
        filled.end_a_season();
        filled.begin(words);
        filled.keep();
        filled
    }

    fn sign_up(&self, look: PageLook<'_>) {
        let organiser = &self.organiser;
        let link = self.place.organisers_link();
        organiser.go(&link);
        look(organiser, "sign-up");
        organiser.sign_up(&link, "cy");
        look(organiser, "token");
        let link = organiser.invite();
        look(organiser, "invitation");
        self.author.sign_up(&link, "ada");
    }

    fn submit(&self, words: &str) {
        let author = &self.author;
        author.submit("packed", &self.place.bundle(words), "accepted");
        author.submit("second", sample("wat/first.wat").as_ref(), "accepted");
        let mistaken = self.place.path().join("mistaken");
        author.submit("mistaken-one", &mistaken, "refused");
    }

    /// What the server plays, and people with it.
    fn begin(&mut self, words: &str) {
        let (author, organiser) = (&self.author, &self.organiser);
        author.go("/play");
        author.choose("#play-game", "flipflop-5x5");
        author.browser.click("#play-form button");
        author.browser.wait_for_text("It is your turn.");
        self.playing = author.path();
        organiser.begin(
            "cup",
            words,
            "flipflop-3x3",
            "first, packed, sample:mcts, sample:alphabeta",
            "20000",
        );
        organiser.begin("later", words, "yonmoque", "first, packed", "10");
        organiser.go("/tournaments/cup");
        organiser.wait_for_change("#tables");
    }

    /// A ladder without an end, and a league whose first season takes entries.
    fn keep(&self) {
        let organiser = &self.organiser;
        let browser = &organiser.browser;
        organiser.go("/organiser/ladders");
        organiser.choose("#l-game", "flipfour");
        browser.fill("#l-bots", "sample:random, sample:greedy");
        browser.click("form[action='/organiser/ladders'] button");
        browser.wait_for_text("goes on");
        organiser.go("/organiser/webhooks");
        browser.fill("#w-url", "http://127.0.0.1:9/results");
        browser.click("form[action='/organiser/webhooks'] button");
        browser.wait_for_text("It is shown only now");
        organiser.make_league(LEAGUE);
        organiser.announce("spring", [DAY, 2 * DAY, 9 * DAY]);
    }

    /// A league whose season is over.
    fn end_a_season(&self) {
        let (author, organiser) = (&self.author, &self.organiser);
        organiser.make_league(SHORT_LEAGUE);
        for bot in ["packed", "second"] {
            author.enter("autumn", bot);
        }
        organiser.announce("autumn", [2, 2, DAY]);
        author.go("/leagues/autumn");
        let is_over =
            "return document.querySelector('#live-season dd')?.innerText.startsWith('over')";
        author.browser.wait("the season is over", is_over, &[]);
    }

    /// An organiser withdraws a bot, and these words say why.
    pub(crate) fn withdraw(&self, words: &str) {
        let organiser = &self.organiser;
        organiser.go("/organiser/tournaments/cup");
        organiser.choose("#c-bot", "packed@1");
        organiser.browser.fill("#c-why", words);
        let leave = "form[action='/organiser/tournaments/cup/withdraw'] button";
        organiser.browser.click(leave);
        organiser.browser.wait_for_text("packed@1 is withdrawn");
    }
}

fn play(folder: &Path, words: &str) {
    for bot in ["first.wat", "instant.wat"] {
        fs::copy(sample(&format!("wat/{bot}")), folder.join(bot)).unwrap();
    }
    script(folder, "mistaken", &HOSTILE.replace(SCRIPT, words));
    for settings in PLAYED {
        let usual = ["--clock", "move=60s"];
        let mut args = [&["tournament"], settings, &usual].concat();
        for arg in args.iter_mut().filter(|arg| **arg == WORDS) {
            *arg = words;
        }
        run(folder, &args).ok();
    }
}
