//! An arena with something on every page, and a visitor, an author and an organiser before it.

use std::fs;
use std::path::Path;

use crate::browser::Browser;
use crate::common::{run, sample, script};
use crate::person::{HOSTILE, Person, Place, SCRIPT};

/// What was played before the server started: the arguments of `flipside tournament`.
const PLAYED: [&[&str]; 7] = [
    &[
        "flipflop-3x3",
        "first.wat",
        "instant.wat",
        "./hostile",
        "sample:random",
        "--rounds",
        "2",
        "--name",
        "league",
        "--trust",
        "--title",
        SCRIPT,
        "--note",
        SCRIPT,
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

/// What a page is looked at for, by whom and under which name.
pub(crate) type Look<'a> = &'a mut dyn FnMut(&Person, &str);

/// A filled arena, with those who look at it.
pub(crate) struct Filled {
    pub(crate) place: Place,
    pub(crate) visitor: Person,
    pub(crate) author: Person,
    pub(crate) organiser: Person,
    /// The path of the match that the author plays.
    pub(crate) playing: String,
}

impl Filled {
    /// Fills an arena. The pages that are shown only once are looked at meanwhile.
    pub(crate) fn new(look: Look<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        play(folder.path());
        let place = Place::over(folder);
        let person = || place.person(Browser::desk(&[]));
        let mut filled = Filled {
            visitor: person(),
            author: person(),
            organiser: person(),
            playing: String::new(),
            place,
        };
        filled.sign_up(look);
        filled.submit();
        filled.begin();
        filled
    }

    fn sign_up(&self, look: Look<'_>) {
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

    fn submit(&self) {
        let author = &self.author;
        author.submit("packed", &self.place.bundle(), "accepted");
        let hostile = self.place.path().join("hostile");
        author.submit("hostile-one", &hostile, "refused");
    }

    /// What the server plays, and people with it.
    fn begin(&mut self) {
        let (author, organiser) = (&self.author, &self.organiser);
        author.go("/play");
        author.choose("#play-game", "flipflop-5x5");
        author.browser.click("main button");
        author.browser.wait_for_text("It is your turn.");
        self.playing = author.path();
        organiser.begin(
            "cup",
            "flipflop-3x3",
            "first, packed, sample:mcts, sample:alphabeta",
            "20000",
        );
        organiser.begin("later", "yonmoque", "first, packed", "10");
        organiser.go("/organiser/tournaments/cup");
        organiser.choose("#c-bot", "packed@1");
        organiser.browser.fill("#c-why", SCRIPT);
        let leave = "form[action='/organiser/tournaments/cup/withdraw'] button";
        organiser.browser.click(leave);
        organiser.browser.wait_for_text("packed@1 is withdrawn");
        organiser.go("/tournaments/cup");
        organiser.wait_for_change("#tables");
    }
}

fn play(folder: &Path) {
    for bot in ["first.wat", "instant.wat"] {
        fs::copy(sample(&format!("wat/{bot}")), folder.join(bot)).unwrap();
    }
    script(folder, "hostile", HOSTILE);
    for settings in PLAYED {
        let usual = ["--clock", "move=60s"];
        let args = [&["tournament"], settings, &usual].concat();
        run(folder, &args).ok();
    }
}
