//! Bots of more than one file, as their authors make them: in Python with numpy, in JavaScript, in Java, in Rust, and
//! as a module. Each plays in the jail; one of each kind goes the whole way through an arena.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use crate::common::{self, TestRun, built, run};
use tempfile::TempDir;

/// Runs a program, which must succeed; what it printed.
fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output();
    let output = output
        .unwrap_or_else(|error| panic!("{program}: {error}: run `scripts/test --set-up` first"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let at = folder.path().join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    }
    folder
}

/// Copies the folder of a package, without its tests and what Python has compiled, or a file.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if name != "tests" && name != "__pycache__" {
            copy(&entry.path(), &to.join(name));
        }
    }
}

/// Brings numpy into a folder of packages, as pip would.
fn bring_numpy(packages: &Path) {
    let file = output("python3", &["-c", "import numpy; print(numpy.__file__)"]);
    let installed = Path::new(file.trim()).parent().unwrap();
    copy(installed, &packages.join("numpy"));
    // The libraries of a wheel lie beside it.
    let libraries = installed.with_file_name("numpy.libs");
    if libraries.is_dir() {
        copy(&libraries, &packages.join("numpy.libs"));
    }
}

/// A bot in Python that plays by a network in numpy: the weights are a file of the bundle.
const NETWORK: &str = r#"
import json, os, sys
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy

weights = [numpy.load(os.path.join("weights", name)) for name in ("first.npy", "second.npy")]

def value(action):
    text = action.encode()[:16].ljust(16)
    inputs = numpy.frombuffer(text, numpy.uint8) / 255
    hidden = numpy.maximum(weights[0] @ inputs, 0)
    return float(weights[1] @ hidden)

print("numpy from", numpy.__file__, file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "net", "version": "1", "actions": True}), flush=True)
    elif message["type"] == "turn":
        best = max(message["actions"], key=value)
        print(json.dumps({"type": "act", "id": message["id"], "action": best}), flush=True)
"#;

/// Makes the weights.
const TRAINING: &str = "import numpy, sys; r = numpy.random.default_rng(1); \
     numpy.save(sys.argv[1] + '/first.npy', r.normal(size=(8, 16))); numpy.save(sys.argv[1] + '/second.npy', r.normal(size=8))";

fn network(manifest: &str) -> TempDir {
    let bot = folder(&[("bot.toml", manifest), ("bot.py", NETWORK)]);
    let weights = bot.path().join("weights");
    fs::create_dir(&weights).unwrap();
    output("python3", &["-c", TRAINING, weights.to_str().unwrap()]);
    bot
}

/// A bot in Rust without any crate: it plays the first action that its book has, otherwise the first of all.
const BOOKISH: &str = r##"
use std::io::{BufRead, Write};

fn main() {
    let book = std::fs::read_to_string("book.txt").expect("the book is in the bundle");
    let stdin = std::io::stdin();
    for line in stdin.lock().lines() {
        let line = line.unwrap();
        if line.contains("\"type\":\"hello\"") {
            println!("{{\"type\":\"ready\",\"name\":\"bookish\",\"version\":\"1\",\"actions\":true}}");
        } else if line.contains("\"type\":\"turn\"") {
            let after = |key: &str| line.split(key).nth(1).expect("it is there");
            let id: String = after("\"id\":").chars().take_while(char::is_ascii_digit).collect();
            let actions = after("\"actions\":[").split(']').next().unwrap();
            let actions: Vec<&str> = actions.split(',').map(|word| word.trim_matches('"')).collect();
            let known = book.lines().find(|line| actions.contains(line));
            let action = known.unwrap_or(actions[0]);
            println!("{{\"type\":\"act\",\"id\":{id},\"action\":\"{action}\"}}");
        }
        std::io::stdout().flush().unwrap();
    }
}
"##;

/// The book of flipfour's columns, the middle first.
const BOOK: &str = "4\n3\n5\n2\n6\nd\nc\ne\n";

/// Compiles the bot in Rust for a target.
fn bookish(to: &Path, more: &[&str]) {
    let source = to.with_extension("rs");
    fs::write(&source, BOOKISH).unwrap();
    let files = [
        "--edition=2024",
        "-O",
        "-o",
        to.to_str().unwrap(),
        source.to_str().unwrap(),
    ];
    output("rustc", &[more, &files].concat());
    fs::remove_file(source).unwrap();
}

/// The clock of the matches here: every runtime starts in time.
const CLOCK: &str = "move=5m,start=5m";

/// A match against a sample bot.
fn play(place: &Path, bot: &str, more: &[&str]) -> TestRun {
    let args = ["match", "flipfour", bot, "sample:random", "--clock", CLOCK];
    run(place, &[&args[..], more].concat())
}

/// A match against a sample bot, without a fault.
fn plays(bot: &Path, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let bot = bot.to_str().unwrap();
    let told = play(
        folder.path(),
        bot,
        &[&["--json", "--seed", "1"], more].concat(),
    )
    .ok();
    let result: serde_json::Value = serde_json::from_str(&told).unwrap();
    for seat in result["seats"].as_array().unwrap() {
        assert!(seat["fault"].is_null(), "{bot}: {told}");
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left behind"
    );
}

#[test]
fn a_python_with_numpy_from_its_own_environment() {
    let bot = network("name = \"net\"\nlanguage = \"python\"\n");
    let environment = bot.path().join("venv");
    output(
        "python3",
        &["-m", "venv", "--without-pip", environment.to_str().unwrap()],
    );
    let version = "import sys; print('python%d.%d' % sys.version_info[:2])";
    let version = output(
        environment.join("bin/python3").to_str().unwrap(),
        &["-c", version],
    );
    let packages = environment.join(format!("lib/{}/site-packages", version.trim()));
    bring_numpy(&packages);
    // That it is not the numpy of the machine shows when it says where it is from and stops.
    let text = NETWORK.replace(
        "for line in sys.stdin",
        "sys.exit(3)\nfor line in sys.stdin",
    );
    plays(bot.path(), &[]);
    plays(bot.path(), &["--trust"]);
    fs::write(bot.path().join("bot.py"), text).unwrap();
    let here = tempfile::tempdir().unwrap();
    let bot = bot.path().to_str().unwrap();
    play(here.path(), bot, &["--record", "told.jsonl"]);
    let told = fs::read_to_string(here.path().join("told.jsonl")).unwrap();
    let place = format!(
        "numpy from /bot/venv/lib/{}/site-packages/numpy/__init__.py",
        version.trim()
    );
    assert!(told.contains(&place), "{told}");
}

#[test]
fn a_network_with_weights_and_packages_in_a_folder() {
    let bot = network("language = \"python\"\nfiles = [\"bot.py\", \"weights\", \"vendor\"]\n");
    bring_numpy(&bot.path().join("vendor"));
    fs::write(bot.path().join("training-data"), vec![0; 1 << 20]).unwrap();
    plays(bot.path(), &[]);
}

#[test]
fn a_zipapp() {
    let source = folder(&[
        ("moves.py", "def pick(actions):\n    return actions[-1]\n"),
        (
            "__main__.py",
            "import json, sys, moves\nfor line in sys.stdin:\n    m = json.loads(line)\n    if m['type'] == 'hello':\n        \
             print(json.dumps({'type': 'ready', 'name': 'zip', 'version': '1', 'actions': True}), flush=True)\n    \
             elif m['type'] == 'turn':\n        \
             print(json.dumps({'type': 'act', 'id': m['id'], 'action': moves.pick(m['actions'])}), flush=True)\n",
        ),
    ]);
    let bot = folder(&[("bot.toml", "language = \"python\"\n")]);
    let to = bot.path().join("bot.pyz");
    output(
        "python3",
        &[
            "-m",
            "zipapp",
            source.path().to_str().unwrap(),
            "-o",
            to.to_str().unwrap(),
        ],
    );
    plays(bot.path(), &[]);
}

/// A bot in JavaScript, which uses a package.
const NODE: &str = "const pick = require('pick');\n\
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {\n\
      const message = JSON.parse(line);\n\
      const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');\n\
      if (message.type === 'hello') say({ type: 'ready', name: 'node', version: '1', actions: true });\n\
      else if (message.type === 'turn') say({ type: 'act', id: message.id, action: pick(message.actions) });\n\
    });\n";

fn node() -> TempDir {
    folder(&[
        (
            "bot.toml",
            "name = \"noder\"\nversion = \"1.2\"\nauthor = \"Ada, of Node\"\nlanguage = \"javascript\"\ngames = [\"flipfour\"]\n",
        ),
        ("bot.js", NODE),
        (
            "node_modules/pick/package.json",
            "{\"name\": \"pick\", \"main\": \"lib/index.js\"}\n",
        ),
        (
            "node_modules/pick/lib/index.js",
            "module.exports = (list) => list[Math.floor(list.length / 2)];\n",
        ),
    ])
}

#[test]
fn node_with_node_modules() {
    plays(node().path(), &[]);
}

#[test]
fn java_from_a_jar() {
    let bot = folder(&[("bot.toml", "language = \"java\"\n")]);
    // The bot of one file is a script with a jar behind its second line.
    let bytes = fs::read(built("random-java")).unwrap();
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').take(2);
    let start = lines.map(<[u8]>::len).sum::<usize>();
    fs::write(bot.path().join("bot.jar"), &bytes[start..]).unwrap();
    plays(bot.path(), &[]);
}

/// Tells how it was started, and is a sample bot then.
const TELLER: &str = "public class Teller {\n\
    public static void main(String[] arguments) throws Exception {\n\
        var machine = java.lang.management.ManagementFactory.getRuntimeMXBean();\n\
        System.err.println(\"started with \" + machine.getInputArguments());\n\
        RandomBot.main(arguments);\n\
    }\n\
}\n";

#[test]
fn a_bot_is_told_the_memory_that_it_gets_and_java_takes_half_of_it() {
    let place = BundlePlace(tempfile::tempdir().unwrap());
    let bot = folder(&[
        ("bot.toml", "language = \"java\"\nmemory = \"128 MiB\"\n"),
        ("Teller.java", TELLER),
    ]);
    let at = |name: &str| bot.path().join(name).to_str().unwrap().to_owned();
    let sources = [at("Teller.java"), common::sample("java/RandomBot.java")];
    let classes = at("classes");
    output("javac", &["-d", &classes, &sources[0], &sources[1]]);
    let start = ["--create", "--main-class", "Teller", "--file"];
    output(
        "jar",
        &[&start[..], &[&at("bot.jar"), "-C", &classes, "."]].concat(),
    );
    place.bring(&bot, "teller");

    let files = ["--record", "record.jsonl", "--transcript", "all.jsonl"];
    for trust in [&[][..], &["--trust"]] {
        let more = [&["--show-stderr"], &files[..], trust].concat();
        let played = place.play("./teller", &more);
        let told = played.stdout.clone() + &played.stderr;
        played.ok();
        assert!(told.contains("started with [-Xmx64m]"), "{told}");
        let all = place.read("all.jsonl");
        let hello = all
            .lines()
            .find(|line| line.contains(r#"\"type\":\"hello\""#));
        let hello = hello.expect("it is greeted");
        assert!(hello.contains(r#"\"memory\":134217728"#), "{hello}");
        place.ok(&["verify", "record.jsonl"]);
        // A bot that is sent the same again is told the same.
        let args = [
            "debug",
            "record.jsonl",
            "--seat",
            "0",
            "--full",
            "--against",
            "./teller",
        ];
        let told = place.ok(&[&args[..], trust].concat());
        assert!(told.contains(r#""memory":134217728"#), "{told}");
        for file in ["record.jsonl", "all.jsonl"] {
            fs::remove_file(place.0.path().join(file)).unwrap();
        }
    }

    // In a tournament that gives it memory of its own, it still has no more than it asks for; without a wish, it has
    // all.
    let own = r#"{"teller":{"memory":"1G"}}"#;
    let names = [
        "tournament",
        "flipfour",
        "./teller",
        "sample:random",
        "--rounds",
        "1",
    ];
    for (name, manifest, heap) in [
        (
            "wish",
            "language = \"java\"\nmemory = \"160 MiB\"\n",
            "[-Xmx80m]",
        ),
        ("none", "language = \"java\"\n", "[-Xmx512m]"),
    ] {
        fs::write(place.0.path().join("teller/bot.toml"), manifest).unwrap();
        let settings = [
            "--name", name, "--bot", own, "--clock", CLOCK, "--arena", "arena",
        ];
        place.ok(&[&names[..], &settings].concat());
        let id = format!("{name}-0");
        let told = place.ok(&["matches", "--show", &id, "--arena", "arena"]);
        assert!(told.contains(heap), "{told}");
        place.ok(&["verify", "--all", "--arena", "arena"]);
    }
}

#[test]
fn a_static_binary_in_rust_with_an_opening_book() {
    let bot = folder(&[
        ("bot.toml", "language = \"rust\"\nmemory = \"64 MiB\"\n"),
        ("book.txt", BOOK),
    ]);
    bookish(
        &bot.path().join("bot"),
        &["-C", "target-feature=+crt-static"],
    );
    plays(bot.path(), &[]);
    plays(bot.path(), &["--trust"]);
}

/// The same source as a module.
fn module() -> TempDir {
    let bot = folder(&[
        ("bot.toml", "name = \"bookish\"\nlanguage = \"wasm\"\n"),
        ("book.txt", BOOK),
    ]);
    bookish(&bot.path().join("bot.wasm"), &["--target", "wasm32-wasip1"]);
    bot
}

#[test]
fn a_module_with_a_file_of_its_own() {
    let bot = module();
    plays(bot.path(), &[]);
    fs::remove_file(bot.path().join("book.txt")).unwrap();
    let here = tempfile::tempdir().unwrap();
    let bot = bot.path().to_str().unwrap();
    let told = play(here.path(), bot, &[]).ok();
    assert!(told.contains("the book is in the bundle"), "{told}");
}

/// The folder of a test that stands for a person's.
struct BundlePlace(TempDir);

impl BundlePlace {
    fn run(&self, args: &[&str]) -> TestRun {
        run(self.0.path(), args)
    }

    fn ok(&self, args: &[&str]) -> String {
        self.run(args).ok()
    }

    fn play(&self, bot: &str, more: &[&str]) -> TestRun {
        play(self.0.path(), bot, more)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.path().join(file)).unwrap()
    }

    fn bring(&self, bot: &TempDir, name: &str) -> PathBuf {
        let to = self.0.path().join(name);
        copy(bot.path(), &to);
        to
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.path().join(folder)).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn bundles_go_through_an_arena_as_any_bot_does() {
    let place = BundlePlace(tempfile::tempdir().unwrap());
    let folder = place.bring(&node(), "node-bot");
    place.bring(&module(), "book-bot");
    let told = place.ok(&["submit", "node-bot", "--arena", "arena"]);
    assert!(
        told.contains("flipfour: plays\n") && !told.contains("yonmoque"),
        "{told}"
    );
    assert!(told.contains("noder@1 is in the arena"), "{told}");
    let told = place.ok(&[
        "submit",
        "./book-bot",
        "--arena",
        "arena",
        "--game",
        "flipfour",
    ]);
    assert!(told.contains("bookish@1 is in the arena"), "{told}");
    // The same again is the same, whatever its times and modes.
    fs::set_permissions(folder.join("bot.js"), fs::Permissions::from_mode(0o600)).unwrap();
    let told = place.ok(&["submit", "node-bot", "--arena", "arena"]);
    assert!(told.contains("noder@1 is in the arena already"), "{told}");
    let bots: serde_json::Value =
        serde_json::from_str(&place.ok(&["bots", "--arena", "arena", "--json"])).unwrap();
    let kinds: Vec<_> = bots
        .as_array()
        .unwrap()
        .iter()
        .map(|bot| bot["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["module", "process"]);
    // What its author says of it is for programs.
    let said = |key: &str| -> Vec<_> {
        let bots = bots.as_array().unwrap();
        bots.iter().map(|bot| bot[key].as_str()).collect()
    };
    assert_eq!(said("author"), [None, Some("Ada, of Node")]);
    assert_eq!(said("own_version"), [None, Some("1.2")]);
    let csv = place.ok(&["bots", "--arena", "arena", "--csv"]);
    assert!(csv.contains("\"Ada, of Node\",1.2\n"), "{csv}");
    let files = place.names("arena/bots");
    assert!(
        files.len() == 2 && files.iter().all(|name| name.ends_with(".tar.zst")),
        "{files:?}"
    );

    plays_and_moves(&place);
    heals(&place);
}

/// A tournament of the bundles, and its archive in another arena.
fn plays_and_moves(place: &BundlePlace) {
    let tournament = [
        "tournament",
        "flipfour",
        "noder",
        "bookish",
        "sample:random",
        "--arena",
        "arena",
    ];
    let settings = [
        "--name", "cup", "--rounds", "2", "--seed", "1", "--clock", CLOCK,
    ];
    let told = place.ok(&[&tournament[..], &settings].concat());
    assert!(
        told.contains("noder@1") && told.contains("bookish@1"),
        "{told}"
    );
    // Again it resumes, and finds nothing to play; what was unpacked is still there.
    place.ok(&[&tournament[..], &settings].concat());
    assert_eq!(place.names("arena/cache/bundles").len(), 2);
    place.ok(&["verify", "--all", "--arena", "arena"]);
    place.ok(&["export", "cup", "cup.tar.zst", "--arena", "arena"]);
    place.ok(&["import", "cup.tar.zst", "--arena", "other"]);
    let bots = place.ok(&["bots", "--arena", "other"]);
    assert!(bots.contains("noder@1"), "{bots}");
    let missing = place.play("noder", &["--arena", "other"]).refused(1);
    assert!(
        missing.contains("only results of noder@1 are here"),
        "{missing}"
    );
    // The same bundle brings the bot of the archive to life.
    let told = place.ok(&["submit", "node-bot", "--arena", "other"]);
    assert!(told.contains("noder@1"), "{told}");
    place.ok(&["match", "flipfour", "noder", "bookish", "--arena", "arena"]);
}

/// What is unpacked heals; what is packed and damaged is refused.
fn heals(place: &BundlePlace) {
    let unpacked = place.names("arena/cache/bundles");
    let unpacked = unpacked.iter().find(|name| name.len() == 64).unwrap();
    let weights = place
        .0
        .path()
        .join("arena/cache/bundles")
        .join(unpacked)
        .join("bot.js");
    fs::set_permissions(&weights, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&weights, "process.exit(3)").unwrap();
    let told = place.play("noder", &["--arena", "arena"]).ok();
    assert!(!told.contains("closed"), "{told}");
    let packed = place
        .0
        .path()
        .join("arena/bots")
        .join(format!("{unpacked}.tar.zst"));
    let bytes = fs::read(&packed).unwrap();
    fs::write(&packed, &bytes[..bytes.len() / 2]).unwrap();
    let said = place.play("noder", &["--arena", "arena"]).refused(2);
    assert!(said.contains("it is cut off or damaged"), "{said}");
}

/// A bundle that takes a while to unpack, started with `sh`; its bot plays no match.
fn heavy() -> TempDir {
    let bot = folder(&[("bot.toml", "command = [\"sh\", \"-c\", \"exit 3\"]\n")]);
    for number in 0..2000 {
        let at = bot.path().join(format!("{}/{number}", number % 50));
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, vec![number as u8; 20_000]).unwrap();
    }
    bot
}

/// A match of the heavy bundle, which begins. Unpacked bundles that are in no arena go to `temp`.
fn begin(place: &BundlePlace, temp: &Path) -> Child {
    common::flipside(place.0.path())
        .args([
            "match",
            "flipfour",
            "./heavy",
            "sample:random",
            "--arena",
            "arena",
        ])
        .env("TMPDIR", temp)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn processes_share_what_is_unpacked_and_those_that_are_killed_leave_nothing() {
    let place = BundlePlace(tempfile::tempdir().unwrap());
    place.bring(&heavy(), "heavy");
    let temp = place.0.path().join("temp");
    fs::create_dir(&temp).unwrap();
    // Once without an arena, where each has a folder of its own, and once with one.
    for folder in ["temp", "arena/cache/bundles"] {
        if folder != "temp" {
            let bot = common::sample("python/random.py");
            place.ok(&["submit", &bot, "--arena", "arena", "--game", "flipfour"]);
        }
        for delay in [1, 20, 50, 100, 200, 400] {
            let mut child = begin(&place, &temp);
            thread::sleep(Duration::from_millis(delay));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let mut children: Vec<_> = (0..4).map(|_| begin(&place, &temp)).collect();
        for child in &mut children {
            assert!(child.wait().unwrap().success());
        }
        assert!(begin(&place, &temp).wait().unwrap().success());
        let left = place.names(folder);
        match folder {
            "temp" => assert!(left.is_empty(), "{left:?}"),
            _ => assert!(
                left.len() == 2 && left.contains(&"change".into()),
                "{left:?}"
            ),
        }
    }
}

#[test]
fn a_folder_that_is_no_bundle_is_refused_with_a_way_out() {
    let place = BundlePlace(folder(&[
        ("bot/bot.py", ""),
        ("odd/bot.toml", "lang = \"python\"\n"),
        ("odd/bot.py", ""),
    ]));
    let said = place.run(&["submit", "bot"]).refused(2);
    assert!(
        said.contains("bot is a folder without a bot.toml"),
        "{said}"
    );
    let said = place.play("./odd", &[]).refused(2);
    assert!(
        said.contains("odd: bot.toml: line 1: there is no key \"lang\""),
        "{said}"
    );
    let said = place.run(&["submit", "odd"]).refused(2);
    assert!(said.contains("hint: the keys are name, version"), "{said}");
    assert!(!place.0.path().join("arena").exists());
}

/// The blocks of the guide in this language, each with the line before it.
fn blocks<'a>(guide: &'a str, language: &str) -> Vec<(&'a str, &'a str)> {
    let mut blocks = Vec::new();
    let mut rest = guide;
    while let Some((before, after)) = rest.split_once("\n```") {
        let (block, behind) = after.split_once("\n```").expect("a block ends");
        let (found, text) = block.split_once('\n').unwrap_or((block, ""));
        if found == language {
            blocks.push((before.trim_end().lines().last().unwrap_or_default(), text));
        }
        rest = behind;
    }
    blocks
}

#[test]
fn the_guide_is_true() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/authors/bundles.md");
    let guide = fs::read_to_string(guide).unwrap();
    let place = BundlePlace(tempfile::tempdir().unwrap());
    // All settings are read.
    for (_, text) in blocks(&guide, "toml") {
        let bot = folder(&[("bot.toml", text)]);
        // What it names is not there, but it is understood.
        let said = play(bot.path(), ".", &[]).stderr;
        assert!(
            said.contains("not in the folder") || said.contains("not there"),
            "{text}: {said}"
        );
    }
    let commands = blocks(&guide, "sh")
        .into_iter()
        .flat_map(|(_, text)| text.lines());
    let mut tried = 0;
    for command in commands.filter(|line| line.starts_with("flipside ")) {
        let command = command.split(" #").next().unwrap();
        let words: Vec<_> = command.split_whitespace().skip(1).collect();
        place.ok(&words);
        tried += 1;
    }
    assert_eq!(tried, 6);
}
