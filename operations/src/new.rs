//! New bots: folders made from the templates in `kits/`, which are built into this crate.
//!
//! A template is a bot that works, called `mybot`. A new bot is the same files with its own name.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::rulebook;
use crate::zip_writer::ZipWriter;

/// The name of the bot in every template.
const TEMPLATE_NAME: &str = "mybot";

/// The notes for coding agents, with `{…}` for what differs from kit to kit.
const AGENTS: &str = include_str!("../../kits/AGENTS.md");

/// The language whose bots read the rules of the games.
const WITH_RULES: &str = "llm";

/// The longest name of a new bot, in bytes. It is also a file's and a package's name.
pub const MAX_BOT_NAME: usize = 40;

/// Names that a build needs for folders of its own: Cargo refuses four of them.
const TAKEN: [&str; 5] = ["build", "deps", "examples", "incremental", "src"];

/// A language in which [`make_bot`] writes bots.
#[derive(Debug)]
pub struct Language {
    /// What people type.
    pub id: &'static str,
    /// What people read.
    pub title: &'static str,
    /// What its bots need, for a list of kits.
    pub tools: &'static str,
    /// Whether its bots are built before they can be submitted.
    pub is_built: bool,
    files: &'static [TemplateFile],
    /// The crate of Flipside that its files need from a clone, because it is on no registry.
    needs: Option<TemplateCrate>,
}

/// A crate that a template needs. Templates name its folder relative to their own.
#[derive(Clone, Copy, Debug)]
struct TemplateCrate {
    name: &'static str,
    folder: &'static str,
}

/// A file of a template: its path in the new folder, and its text.
#[derive(Debug)]
struct TemplateFile {
    path: &'static str,
    text: &'static str,
    /// Whether it is the bot's own, with its name in it. The kit is the same for all.
    is_named: bool,
}

/// The files of a kit that are the same in every bot: their paths and texts.
pub(crate) fn kit_files(id: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let language = LANGUAGES.iter().find(|language| language.id == id);
    let files = language.into_iter().flat_map(|language| language.files);
    let kit = files.filter(|file| !file.is_named);
    kit.map(|file| (file.path, file.text))
}

/// Lists files of a folder of `kits/`: the bot's own, those of the kit, and those of the kit in another folder.
macro_rules! files {
    (
        $folder:literal,
        [$($named:literal),*],
        [$($kit:literal),*]
        $(, $other:literal: [$($of_other:literal),*])?
    ) => {
        &[
            files!(@file $folder, "gitignore", ".gitignore", true),
            files!(@file $folder, "README.md", "README.md", true),
            $(files!(@file $folder, $named, $named, true),)*
            $(files!(@file $folder, $kit, $kit, false),)*
            $($(files!(@file $other, $of_other, $of_other, false),)*)?
        ]
    };
    (@file $folder:literal, $from:literal, $to:literal, $is_named:literal) => {
        TemplateFile {
            path: $to,
            text: include_str!(concat!("../../kits/", $folder, "/", $from)),
            is_named: $is_named,
        }
    };
}

/// The languages of new bots.
pub static LANGUAGES: &[Language] = &[
    Language {
        id: "python",
        title: "Python",
        tools: "Python 3.9 or newer",
        is_built: false,
        files: files!("python", ["bot.py", "bot.toml"], ["flipside.py"]),
        needs: None,
    },
    Language {
        id: "javascript",
        title: "JavaScript",
        tools: "Node.js 14 or newer",
        is_built: false,
        files: files!("javascript", ["bot.js", "bot.toml"], ["flipside.js"]),
        needs: None,
    },
    Language {
        id: "java",
        title: "Java",
        tools: "JDK 11 or newer",
        is_built: true,
        files: files!(
            "java",
            ["Bot.java", "build.sh", "bot.toml"],
            ["Flipside.java"]
        ),
        needs: None,
    },
    Language {
        id: "c",
        title: "C",
        tools: "a C compiler on Linux",
        is_built: true,
        files: files!("c", ["bot.c"], ["flipside.h"]),
        needs: None,
    },
    Language {
        id: "go",
        title: "Go",
        tools: "Go 1.18 or newer",
        is_built: true,
        files: files!("go", ["main.go", "go.mod"], ["flipside.go"]),
        needs: None,
    },
    Language {
        id: "rust",
        title: "Rust",
        tools: "Rust",
        is_built: true,
        files: files!("rust", ["src/main.rs", "Cargo.toml"], ["src/flipside.rs"]),
        needs: None,
    },
    Language {
        id: "uci",
        title: "Python with a UCI chess engine",
        tools: "Python 3.9 or newer, and an engine for Linux",
        is_built: false,
        files: files!(
            "uci",
            ["bot.py", "bot.toml"],
            ["uci.py"],
            "python": ["flipside.py"]
        ),
        needs: None,
    },
    Language {
        id: WITH_RULES,
        title: "Python with a language model",
        tools: "Python 3.9 or newer, and a service in OpenAI's form",
        is_built: false,
        files: files!(
            "llm",
            ["bot.py", "bot.toml"],
            ["llm.py"],
            "python": ["flipside.py"]
        ),
        needs: None,
    },
];

/// Rust with the crate `flipside-bot`.
static WITH_CRATE: Language = Language {
    id: "rust",
    title: "Rust",
    tools: "Rust, and a clone of Flipside",
    is_built: true,
    files: files!(
        "rust-crate",
        ["src/main.rs", "Cargo.toml", "Cargo.lock"],
        []
    ),
    needs: Some(TemplateCrate {
        name: "flipside-bot",
        folder: "bot",
    }),
};

/// The languages of new games.
pub static GAME_LANGUAGES: &[Language] = &[
    Language {
        id: "python",
        title: "Python",
        tools: "Python 3.9 or newer",
        is_built: false,
        files: files!(
            "python-game",
            ["game.py", "game.toml", "rules.md"],
            ["flipside_game.py"]
        ),
        needs: None,
    },
    Language {
        id: "rust",
        title: "Rust",
        tools: "Rust, and a clone of Flipside",
        is_built: true,
        files: files!(
            "rust-game",
            [
                "src/main.rs",
                "game.toml",
                "rules.md",
                "Cargo.toml",
                "Cargo.lock"
            ],
            []
        ),
        needs: Some(TemplateCrate {
            name: "flipside-games",
            folder: "games",
        }),
    },
];

/// The name of the game in every template.
const GAME_TEMPLATE_NAME: &str = "mygame";

/// A game to make.
#[derive(Clone, Copy, Debug)]
pub struct NewGame<'a> {
    /// The id of one of [`GAME_LANGUAGES`].
    pub language: &'a str,
    /// The folder to make. It may exist if it is empty.
    pub folder: &'a Path,
    /// The game's name; otherwise it has the folder's.
    pub name: Option<&'a str>,
    /// A clone of Flipside whose crate `flipside-games` a Rust game uses.
    pub checkout: Option<&'a Path>,
}

/// Makes the folder of a new game. On a failure, nothing is left behind.
///
/// # Errors
/// When the language or the name does not fit, the folder is not empty, a Rust game has no clone with the crate
/// `flipside-games`, or something cannot be written.
pub fn make_game(new: NewGame<'_>) -> Result<MadeBot> {
    let language = language(GAME_LANGUAGES, new.language)?;
    let name = name_of("game", new.folder, new.name)?;
    // It becomes the id of the game.
    if name.contains('_') || name.split('-').any(str::is_empty) {
        let what = format!(
            "{name:?} cannot be the name of a new game: words of a to z and 0 to 9, with - between them"
        );
        return Err(Failure::usage(what).hint("--name mygame"));
    }
    let hint = "flipside game new rust DIR --checkout DIR";
    let crate_path = match (language.needs, new.checkout) {
        (None, None) => None,
        (Some(needed), Some(checkout)) => Some((needed, crate_in(checkout, needed)?)),
        (None, Some(_)) => {
            return Err(Failure::usage("--checkout is for Rust games").hint(hint));
        }
        (Some(TemplateCrate { name, .. }), None) => {
            let what = format!("a game in Rust needs the crate {name} of a clone of Flipside");
            return Err(Failure::usage(what).hint(hint));
        }
    };
    let files = template_files(language, [GAME_TEMPLATE_NAME, &name], crate_path.as_ref());
    let files: Vec<_> = files.collect();
    fill(language, new.folder, name, &files)
}

/// A bot to make.
#[derive(Clone, Copy, Debug)]
pub struct NewBot<'a> {
    /// The id of one of [`LANGUAGES`].
    pub language: &'a str,
    /// The folder to make. It may exist if it is empty.
    pub folder: &'a Path,
    /// The bot's name; otherwise it has the folder's.
    pub name: Option<&'a str>,
    /// A clone of Flipside whose crate `flipside-bot` a Rust bot uses; otherwise it has no
    /// dependencies.
    pub checkout: Option<&'a Path>,
}

/// A bot that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeBot {
    /// Its name.
    pub name: String,
    /// The language, as people read it.
    pub language: &'static str,
    /// The files, relative to the folder.
    pub files: Vec<&'static str>,
    /// The commands of its README: build where it must be built, check, match.
    pub commands: Vec<String>,
}

/// Makes the folder of a new bot. On a failure, nothing is left behind.
///
/// # Errors
/// When the language or the name does not fit, the folder is not empty, the clone has no crate
/// `flipside-bot`, or something cannot be written.
pub fn make_bot(new: NewBot<'_>) -> Result<MadeBot> {
    let language = language(LANGUAGES, new.language)?;
    let name = name_of("bot", new.folder, new.name)?;
    let language = match new.checkout {
        None => language,
        Some(_) if language.id == WITH_CRATE.id => &WITH_CRATE,
        Some(_) => {
            return Err(Failure::usage("--checkout is for Rust bots")
                .hint("flipside new rust DIR --checkout DIR"));
        }
    };
    let crate_path = match (language.needs, new.checkout) {
        (Some(needed), Some(checkout)) => Some((needed, crate_in(checkout, needed)?)),
        _ => None,
    };
    let files = bot_files(language, &name, crate_path.as_ref());
    fill(language, new.folder, name, &files)
}

/// The paths and texts of a new bot of this name: those of its template, the notes for coding agents, and the rules of
/// the games if it reads them.
fn bot_files(
    language: &Language,
    name: &str,
    crate_path: Option<&(TemplateCrate, String)>,
) -> Vec<(&'static str, String)> {
    let files = template_files(language, [TEMPLATE_NAME, name], crate_path);
    let mut files: Vec<_> = files.collect();
    files.insert(2, ("AGENTS.md", agents(language, name, &files)));
    if language.id == WITH_RULES {
        let pages = rulebook::pages();
        files.extend(pages.map(|page| (rulebook::file_of(page), page.text.to_owned())));
    }
    files
}

/// The files of a template with another name.
fn template_files<'a>(
    language: &'a Language,
    names: [&'a str; 2],
    crate_path: Option<&'a (TemplateCrate, String)>,
) -> impl Iterator<Item = (&'static str, String)> {
    language.files.iter().map(move |file| {
        let text = match file.is_named {
            true => named(file.text, names, crate_path),
            false => file.text.to_owned(),
        };
        (file.path, text)
    })
}

/// The notes for coding agents who work on a bot with these files, of which the README comes second and the strategy
/// third. Their commands are those of the README, with more flags.
fn agents(language: &Language, name: &str, files: &[(&'static str, String)]) -> String {
    let commands = commands_of(&files[1].1);
    let [build @ .., check, play] = &commands[..] else {
        panic!("a README has the commands to check and to play")
    };
    let word = |command: &str, number| {
        command
            .split(' ')
            .nth(number)
            .unwrap_or_default()
            .to_owned()
    };
    let (bot, game, opponent) = (word(check, 2), word(play, 2), word(play, 4));
    let commands = [
        format!("{check} --quick --json"),
        "rm -f match.jsonl".to_owned(),
        format!("{play} --strict --json --record match.jsonl"),
        format!("flipside debug match.jsonl --seat 0 --against {bot}"),
        format!("flipside submit {bot} --json"),
        format!("flipside tournament {game} {name} {opponent} --rounds 20 --json"),
    ];
    let kit = language.files.iter().filter(|file| !file.is_named);
    let kit = kit.map(|file| format!("`{}`", file.path));
    let of_crate = language
        .needs
        .map(|needs| format!("the crate `{}`", needs.name));
    let kit: Vec<String> = kit.chain(of_crate).collect();
    [
        (TEMPLATE_NAME, name),
        ("{TITLE}", language.title),
        ("{TOOLS}", language.tools),
        ("{STRATEGY}", files[2].0),
        ("{LOOP}", &[build, &commands].concat().join("\n")),
        ("{GAME}", &game),
        ("{KIT}", &kit.join(", ")),
    ]
    .iter()
    .fold(AGENTS.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A text of a template with another name, and with the path of the crate that it needs.
fn named(
    text: &str,
    [from, to]: [&str; 2],
    crate_path: Option<&(TemplateCrate, String)>,
) -> String {
    let text = text.replace(from, to);
    match crate_path {
        Some((needed, path)) => {
            let in_template = format!("../../{}", needed.folder);
            text.replace(&format!("{in_template:?}"), &format!("{path:?}"))
        }
        None => text,
    }
}

/// The kit of a language as a zip: a folder that is called as the bot is, with the files of a new bot of this name. The
/// same kit and name always have the same bytes.
///
/// # Errors
/// When the language or the name does not fit.
pub fn kit_zip(id: &str, name: &str) -> Result<Vec<u8>> {
    let language = language(LANGUAGES, id)?;
    let name = checked_name("bot", name)?;
    let mut zip = ZipWriter::default();
    for (path, text) in bot_files(language, &name, None) {
        let in_zip = format!("{name}/{path}");
        zip.add(&in_zip, text.as_bytes(), is_program(Path::new(path)));
    }
    Ok(zip.finish())
}

/// Whether a file of a template is started.
fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "sh")
}

/// Writes files into a new folder.
fn fill(
    language: &Language,
    folder: &Path,
    name: String,
    files: &[(&'static str, String)],
) -> Result<MadeBot> {
    let mut undo = Undo::default();
    undo.make_empty(folder)?;
    let mut commands = Vec::new();
    for (path, text) in files {
        if *path == "README.md" {
            commands = commands_of(text);
        }
        undo.write(&folder.join(path), text)?;
    }
    undo.keep();
    Ok(MadeBot {
        name,
        language: language.title,
        files: files.iter().map(|(path, _)| *path).collect(),
        commands,
    })
}

fn language(all: &'static [Language], id: &str) -> Result<&'static Language> {
    let found = all.iter().find(|language| language.id == id);
    found.ok_or_else(|| {
        let ids: Vec<_> = all.iter().map(|language| language.id).collect();
        Failure::usage(format!("there is no template in {id:?}"))
            .hint(format!("the languages are {}", ids.join(", ")))
    })
}

/// The name that was asked for, or the folder's.
fn name_of(what: &str, folder: &Path, name: Option<&str>) -> Result<String> {
    let absolute = std::path::absolute(folder);
    let folder = absolute.as_deref().unwrap_or(folder);
    let of_folder = folder.components().next_back();
    let of_folder = of_folder.and_then(|last| last.as_os_str().to_str());
    checked_name(what, name.or(of_folder).unwrap_or_default())
}

/// The name of something new, if it fits.
fn checked_name(what: &str, name: &str) -> Result<String> {
    let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
    let fits =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let why = if !begins || name.len() > MAX_BOT_NAME || !name.bytes().all(fits) {
        format!(
            "{name:?} cannot be the name of a new {what}: at most {MAX_BOT_NAME} of a to z, 0 to 9, - and _, a letter first"
        )
    } else if TAKEN.contains(&name) {
        format!("a new {what} cannot be called {name:?}: its build uses this name")
    } else {
        return Ok(name.to_owned());
    };
    Err(Failure::usage(why).hint(format!("--name my{what}")))
}

/// The absolute path of the crate in a clone of Flipside.
fn crate_in(checkout: &Path, needed: TemplateCrate) -> Result<String> {
    let path = checkout.join(needed.folder);
    let found = fs::canonicalize(&path).ok();
    let Some(found) = found.filter(|path| path.join("Cargo.toml").is_file()) else {
        let what = format!("there is no crate {} in {}", needed.name, path.display());
        return Err(Failure::usage(what).hint("name a clone of Flipside's repository"));
    };
    let text = found.into_os_string().into_string();
    text.map_err(|path| Failure::usage(format!("the path {} is not UTF-8", path.display())))
}

/// The commands in the first block of code of a README, without its comments.
fn commands_of(readme: &str) -> Vec<String> {
    let block = readme.split("```sh\n").nth(1).unwrap_or_default();
    let lines = block.lines().take_while(|line| !line.starts_with("```"));
    let commands = lines.filter(|line| !line.starts_with('#'));
    commands.map(str::to_owned).collect()
}

/// What was made so far. Unless it is kept, it is removed again.
#[derive(Default)]
struct Undo(Vec<PathBuf>);

impl Undo {
    /// Makes a folder, or makes sure that it is empty.
    fn make_empty(&mut self, folder: &Path) -> Result<()> {
        match fs::read_dir(folder).map(|entries| entries.count()) {
            Ok(0) => Ok(()),
            Ok(_) => Err(
                Failure::usage(format!("the folder {} is not empty", folder.display()))
                    .hint("name a folder that does not exist"),
            ),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self
                .make(folder)
                .map_err(|error| cannot_make(folder, &error)),
            Err(error) => Err(cannot_make(folder, &error)),
        }
    }

    /// Makes a folder and those that it is in.
    fn make(&mut self, folder: &Path) -> std::io::Result<()> {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.make(parent)?;
        }
        fs::create_dir(folder)?;
        self.0.push(folder.to_owned());
        Ok(())
    }

    /// Writes a file that is not there yet, in a folder that is made if necessary.
    fn write(&mut self, path: &Path, text: &str) -> Result<()> {
        let failed = |error: std::io::Error| cannot_make(path, &error);
        self.make(path.parent().unwrap_or(path)).map_err(failed)?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        if is_program(path) {
            options.mode(0o777); // less what the user's mask forbids
        }
        let mut file = options.open(path).map_err(failed)?;
        self.0.push(path.to_owned());
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)
    }

    /// Everything stays.
    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        // What cannot be removed cannot be helped: the failure that led here is being told.
        for path in self.0.iter().rev() {
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
        }
    }
}

fn cannot_make(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot make {}: {error}", path.display()))
        .hint("its folder must be writable")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot<'a>(language: &'a str, folder: &'a Path) -> NewBot<'a> {
        NewBot {
            language,
            folder,
            name: None,
            checkout: None,
        }
    }

    #[test]
    fn a_new_bot_has_its_name_wherever_the_template_has_one() {
        let place = tempfile::tempdir().unwrap();
        for language in LANGUAGES {
            let folder = place
                .path()
                .join("a/b")
                .join(format!("yon-{}", language.id));
            let made = make_bot(bot(language.id, &folder)).unwrap();
            // Whatever must be built is built first.
            let [.., check, play] = &made.commands[..] else {
                panic!("{:?}", made.commands)
            };
            assert!(check.starts_with("flipside check "), "{check}");
            assert!(play.starts_with("flipside match "), "{play}");
            let mut named = 0;
            for file in language.files {
                let text = fs::read_to_string(folder.join(file.path)).unwrap();
                if file.is_named {
                    assert!(!text.contains(TEMPLATE_NAME), "{}", file.path);
                    named += usize::from(text.contains(&made.name));
                } else {
                    assert_eq!(text, file.text);
                }
            }
            assert!(named >= 2, "{}", language.id);
        }
    }

    #[test]
    fn a_new_game_has_its_name_wherever_the_template_has_one() {
        let place = tempfile::tempdir().unwrap();
        let clone = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for language in GAME_LANGUAGES {
            let folder = place.path().join(format!("yon-{}", language.id));
            let made = make_game(NewGame {
                language: language.id,
                folder: &folder,
                name: None,
                checkout: language.needs.map(|_| clone),
            });
            let made = made.unwrap();
            let [.., check, play] = &made.commands[..] else {
                panic!("{:?}", made.commands)
            };
            assert!(check.starts_with("flipside game check "), "{check}");
            assert!(play.starts_with("flipside match "), "{play}");
            for file in language.files.iter().filter(|file| file.is_named) {
                let text = fs::read_to_string(folder.join(file.path)).unwrap();
                assert!(!text.contains(GAME_TEMPLATE_NAME), "{}", file.path);
                assert!(!text.contains("\"../../"), "{}", file.path);
            }
        }
        let manifest = fs::read_to_string(place.path().join("yon-rust/Cargo.toml")).unwrap();
        let games = fs::canonicalize(clone.join("games")).unwrap();
        assert_eq!(manifest.matches(&format!("{games:?}")).count(), 2);
    }

    #[test]
    fn a_game_has_a_name_that_can_be_its_id() {
        let place = tempfile::tempdir().unwrap();
        let game = |name| {
            make_game(NewGame {
                language: "python",
                folder: &place.path().join("yon"),
                name: Some(name),
                checkout: None,
            })
        };
        for name in ["my_game", "my-", "my--game", "My"] {
            assert_eq!(game(name).unwrap_err().hints(), ["--name mygame"], "{name}");
        }
        assert_eq!(game("my-game-2").unwrap().name, "my-game-2");
    }

    #[test]
    fn a_game_in_rust_needs_a_clone_and_others_need_none() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("yon");
        for (language, checkout, why) in [
            ("rust", None, "needs the crate flipside-games"),
            ("rust", Some("/nowhere"), "there is no crate flipside-games"),
            ("python", Some("."), "--checkout is for Rust games"),
        ] {
            let refused = make_game(NewGame {
                language,
                folder: &folder,
                name: None,
                checkout: checkout.map(Path::new),
            });
            let refused = refused.unwrap_err();
            assert!(refused.message().contains(why), "{}", refused.message());
        }
        assert!(!folder.exists());
    }

    #[test]
    fn a_folder_that_is_not_empty_is_refused_and_stays_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("mine"), "text").unwrap();
        let refused = make_bot(NewBot {
            name: Some("yon"),
            ..bot("c", place.path())
        });
        assert!(refused.unwrap_err().message().contains("is not empty"));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
        let refused = make_bot(bot("c", &place.path().join("mine")));
        assert!(refused.unwrap_err().message().contains("mine"));
    }

    #[test]
    fn nothing_is_left_of_a_bot_that_could_not_be_made() {
        let place = tempfile::tempdir().unwrap();
        let mut undo = Undo::default();
        let folder = place.path().join("a/b");
        undo.make_empty(&folder).unwrap();
        undo.write(&folder.join("src/main.rs"), "text").unwrap();
        undo.write(&folder.join("src/main.rs"), "again")
            .unwrap_err();
        drop(undo);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_empty_folder_may_be_there() {
        let place = tempfile::tempdir().unwrap();
        let made = make_bot(NewBot {
            name: Some("yon"),
            ..bot("go", place.path())
        });
        assert_eq!(made.unwrap().name, "yon");
    }

    #[test]
    fn names_and_languages_that_do_not_fit_are_refused_with_a_hint() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("x");
        let long = "a".repeat(MAX_BOT_NAME + 1);
        for name in [
            "", "My Bot", "9", "-a", "a.b", "ä", "a/b", "..", "src", "build", &long,
        ] {
            let refused = make_bot(NewBot {
                name: Some(name),
                ..bot("rust", &folder)
            });
            let refused = refused.unwrap_err();
            assert!(
                refused.hints().iter().any(|hint| hint.contains("--name")),
                "{name}"
            );
        }
        let refused = make_bot(bot("cobol", &folder)).unwrap_err();
        assert!(refused.hints()[0].contains("javascript"));
        for (language, checkout) in [("c", "."), ("rust", "/nowhere")] {
            let refused = make_bot(NewBot {
                checkout: Some(Path::new(checkout)),
                ..bot(language, &folder)
            });
            refused.unwrap_err();
        }
        assert!(!folder.exists());
    }
}
