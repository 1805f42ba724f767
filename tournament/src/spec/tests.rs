//! What is asked for by key: read, merged and refused.

use insta::assert_snapshot;

use super::*;
use crate::testing::SALT;

fn spec(text: &str) -> TournamentSpec {
    TournamentSpec::from_toml(text).expect("it describes a tournament")
}

/// The settings of three bots at a game.
fn settings(text: &str) -> Result<Settings, SettingsError> {
    let game = Settings {
        game: "flipfour".into(),
        ..Settings::default()
    };
    spec(text).settings(game, 3)
}

fn refusal(text: &str) -> String {
    let error = TournamentSpec::from_toml(text).expect_err("nobody can play this");
    match &error.hint {
        None => error.to_string(),
        Some(hint) => format!("{error}\n  hint: {hint}"),
    }
}

fn refusals(texts: &[&str]) -> String {
    let all = texts
        .iter()
        .map(|text| format!("{text:?}\n  {}", refusal(text)));
    all.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_key_has_an_example_that_is_read_back_as_it_is_typed() {
    for key in TournamentSpec::keys() {
        let example = key.example();
        let (name, written) = example.split_once(" = ").expect("it is a line");
        assert_eq!(name, key.name);
        // The command line has tables as JSON.
        let value = spec(&example).get(name).expect("it is there").clone();
        if key.positional || ["options", "bot"].contains(&name) {
            continue;
        }
        assert_eq!(key.read(written.trim_matches('"')), Ok(value), "{example}");
    }
}

#[test]
fn keys_that_formats_share_are_the_same_but_for_the_default() {
    for key in TournamentSpec::keys() {
        for (format, of_format) in Format::keys() {
            for own in of_format.iter().filter(|own| own.name == key.name) {
                assert_eq!((&own.help, &own.more), (&key.help, &key.more), "{format}");
                assert_eq!(format!("{:?}", own.takes()), format!("{:?}", key.takes()));
            }
        }
    }
}

#[test]
fn every_key_changes_what_it_stands_for() {
    let plain = settings("").unwrap();
    for key in TournamentSpec::keys() {
        let example = key.example();
        let format = match key.formats.first() {
            Some((format, _)) => format!("format = {format:?}\n"),
            None => String::new(),
        };
        let spec = spec(&format!("{format}{example}"));
        let asked = spec.clone().run().unwrap();
        let changed = asked != RunOptions::default() || {
            let settings = spec.settings(
                Settings::default(),
                if format.contains("sprt") { 2 } else { 3 },
            );
            let settings = spec.resumed(settings.unwrap(), &plain).unwrap();
            let with_format = TournamentSpec::from_toml(&format).unwrap();
            let bare = with_format.settings(
                Settings::default(),
                if format.contains("sprt") { 2 } else { 3 },
            );
            settings != bare.unwrap() || key.default.is_some() || !key.formats.is_empty()
        };
        // The game, with its seats and its options, is the caller's.
        assert!(
            changed || ["seats", "options"].contains(&&*key.name),
            "{example}"
        );
    }
}

#[test]
fn flags_go_before_a_file_and_what_differs_is_told() {
    let file =
        spec("format = \"knockout\"\nbest-of = 3\nseeding = \"entry\"\nclock = \"10s+100ms\"");
    let flags = spec("best-of = 7\nopening-plies = 4\nclock = \"10s+100ms\"");
    let differ: Vec<&str> = flags.conflicts(&file).map(|key| &*key.name).collect();
    assert_eq!(differ, ["best-of"]);
    let game = Settings {
        game: "flipfour".into(),
        ..Settings::default()
    };
    let settings = flags.or(file).settings(game, 3).unwrap();
    assert_snapshot!(
        format!("{}, clock {}, {} plies", settings.format, settings.clock, settings.opening_plies),
        @"knockout, best of 7 with 3 tie-breaks, seeded by entry, clock 10s+100ms, 4 plies"
    );
}

#[test]
fn what_is_left_open_is_as_it_was_when_the_tournament_began() {
    let begun = Settings {
        seed: 5,
        salt: SALT.parse().unwrap(),
        pause_after: 3,
        clock: "10s+100ms".parse().unwrap(),
        ..Settings::default()
    };
    let resumed = |text: &str| {
        let settings = spec(text).resumed(settings(text).unwrap(), &begun).unwrap();
        let Settings {
            seed,
            salt,
            pause_after,
            clock,
            ..
        } = settings;
        format!("{seed} {} {pause_after} {clock}", salt == begun.salt)
    };
    assert_snapshot!(resumed(""), @"5 true 3 move=1s");
    assert_snapshot!(resumed("seed = 6\npause-after = 4"), @"6 true 4 move=1s");
    let same = format!("seed = \"5-{SALT}\"");
    assert_snapshot!(resumed(&same), @"5 true 3 move=1s");
    assert_snapshot!(resumed(&same.replace("0011", "1100")), @"5 false 3 move=1s");
}

#[test]
fn numbers_have_the_range_of_their_key() {
    assert_snapshot!(refusals(&[
        "game = \"a\"\nrounds = -1\n",
        "rounds = 99999999999",
        "rounds = 0x1_0000_0000_0000_0000_0000_0000_0000_0000",
        "seed = -1",
        "opening-plies = 61",
        "concurrency = 0",
        "rounds = \"two\"",
        "seats = 300",
        "elo0 = inf",
        "rounds = 1.5",
    ]), @r#"
        "game = \"a\"\nrounds = -1\n"
          line 2, column 10: rounds: a whole number from 1 to 1000000, not -1
          hint: for example rounds = 10
        "rounds = 99999999999"
          line 1, column 10: rounds: a whole number from 1 to 1000000, not 99999999999
          hint: for example rounds = 10
        "rounds = 0x1_0000_0000_0000_0000_0000_0000_0000_0000"
          line 1, column 10: rounds: a whole number from 1 to 1000000, not 0x1_0000_0000_0000_0000_0000_0000_0000_0…
          hint: for example rounds = 10
        "seed = -1"
          line 1, column 8: seed: a whole number from 0 to 18446744073709551615, or a whole seed: a number, a dash and 64 lower-case hexadecimal digits, not all 0, not -1
          hint: for example seed = 7
        "opening-plies = 61"
          line 1, column 17: opening-plies: a whole number from 0 to 60, not 61
          hint: for example opening-plies = 4
        "concurrency = 0"
          line 1, column 15: concurrency: a whole number from 1 to 256, not 0
          hint: for example concurrency = 2
        "rounds = \"two\""
          line 1, column 10: rounds: a whole number from 1 to 1000000, not "two"
          hint: for example rounds = 10
        "seats = 300"
          line 1, column 9: seats: a whole number from 2 to 6, not 300
          hint: for example seats = 2
        "elo0 = inf"
          line 1, column 8: elo0: a number, not inf
          hint: for example elo0 = 0.0
        "rounds = 1.5"
          line 1, column 10: rounds: a whole number from 1 to 1000000, not 1.5
          hint: for example rounds = 10
        "#);
}

#[test]
fn a_value_of_the_wrong_type_is_told_with_an_example() {
    assert_snapshot!(refusals(&[
        "game = \"flipfour\"\nbots = \"./x.py\"",
        "bots = [\"./a\", 3]",
        "third-place = \"yes\"",
        "ponder = true",
        "ponder = \"maybe\"",
        "options = 5",
        "clock = 1979-05-27",
        "clock = \"fast\"",
        "name = \"a/b\"",
        "format = \"swizz\"",
        "seeding = \"luck\"",
        "model = \"gauss\"",
        "seed = \"7-00\"",
    ]), @r#"
        "game = \"flipfour\"\nbots = \"./x.py\""
          line 2, column 8: bots: a list, not "./x.py"
          hint: for example bots = ["./mine", "sample:random"]
        "bots = [\"./a\", 3]"
          line 1, column 8: bots: each is a text in quotes, not 3
          hint: for example bots = ["./mine", "sample:random"]
        "third-place = \"yes\""
          line 1, column 15: third-place: true or false, not "yes"
          hint: for example third-place = true
        "ponder = true"
          line 1, column 10: ponder: on or off, not true
          hint: for example ponder = "off"
        "ponder = \"maybe\""
          line 1, column 10: ponder: on or off, not maybe
          hint: for example ponder = "off"
        "options = 5"
          line 1, column 11: options: a table, not 5
          hint: for example options = { max_plies = 100 }
        "clock = 1979-05-27"
          line 1, column 9: clock: a text in quotes, not 1979-05-27
          hint: for example clock = "move=1s"
        "clock = \"fast\""
          line 1, column 9: clock: "fast" is not a clock; write move=1s (for each move), 10s+100ms (bank and increment), or for modules fuel=10G or fuel=100G+1G; ,start=5s or ,start=50G behind it is for the start; times are 1ms to 24h in h, m, s or ms, fuel is 1M to 864000G in G or M
          hint: for example clock = "move=1s"
        "name = \"a/b\""
          line 1, column 8: name: "a/b" is not a name; a name is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or a digit
          hint: for example name = "summer"
        "format = \"swizz\""
          line 1, column 10: format: "swizz" is not a format; there are round-robin, gauntlet, swiss, knockout, double-elimination, ladder, sprt
          hint: for example format = "swiss"
        "seeding = \"luck\""
          line 1, column 11: seeding: entry or ratings, not "luck"
          hint: for example seeding = "entry"
        "model = \"gauss\""
          line 1, column 9: model: "gauss" is not a model; there are logistic and normalized
          hint: for example model = "logistic"
        "seed = \"7-00\""
          line 1, column 8: seed: a whole number from 0 to 18446744073709551615, or a whole seed: a number, a dash and 64 lower-case hexadecimal digits, not all 0, not 7-00
          hint: for example seed = 7
        "#);
}

#[test]
fn a_key_that_there_is_not_is_told_with_the_nearest() {
    assert_snapshot!(refusals(&[
        "game = \"flipfour\"\n\nbest_off = 3",
        "game = \"flipfour\"\n[weather]\nsun = 1",
        "arena = \"x\"",
    ]), @r#"
        "game = \"flipfour\"\n\nbest_off = 3"
          line 3, column 1: there is no key "best_off"
          hint: did you mean best-of?
        "game = \"flipfour\"\n[weather]\nsun = 1"
          line 2, column 2: there is no key "weather"
          hint: the keys are format, seats, copies, rounds, challengers, seeding, best-of, tie-breaks, third-place, matches, elo0, elo1, alpha, beta, model, game, bots, options, clock, bot, provider-patience, opening-plies, seed, ponder, pause-after, deterministic, trust, unrated, title, note, name, concurrency, force-concurrency, use-affinity, no-affinity
        "arena = \"x\""
          line 1, column 1: there is no key "arena"
          hint: name the arena by --arena DIR or FLIPSIDE_ARENA
        "#);
}

#[test]
fn what_is_not_toml_is_told_with_its_place_and_the_way_out() {
    assert_snapshot!(refusals(&[
        "game = \"flipfour\"\nformat = swiss\n",
        "clock = 10s+100ms # fast",
        "bots = [mine, \"sample:greedy\", ./other]",
        "game = \n",
        "nonsense = \n",
        "game = \"flipfour",
        "bots = [\"a\"",
        "rounds = 3\nrounds = 4",
        "rounds: 3",
        "[options",
        "[options]\nsize = big",
        "rounds = 3 4",
        "rounds = 3\n\u{1}",
    ]), @r#"
        "game = \"flipfour\"\nformat = swiss\n"
          line 2, column 10: format: a text needs quotes
          hint: format = "swiss"
        "clock = 10s+100ms # fast"
          line 1, column 9: clock: a text needs quotes
          hint: clock = "10s+100ms"
        "bots = [mine, \"sample:greedy\", ./other]"
          line 1, column 9: bots: a text needs quotes
          hint: bots = ["mine", "sample:greedy", "./other"]
        "game = \n"
          line 1, column 8: game: a value is missing
          hint: for example game = "flipfour"
        "nonsense = \n"
          line 1, column 12: nonsense: a value is missing
        "game = \"flipfour"
          line 1, column 17: game: a quote is not closed
          hint: write a text as "text"
        "bots = [\"a\""
          line 1, column 12: bots: a list is not closed
          hint: write a list as ["one", "two"]
        "rounds = 3\nrounds = 4"
          line 2, column 1: rounds is there twice
          hint: keep one line with rounds
        "rounds: 3"
          line 1, column 9: "rounds: 3" is neither KEY = VALUE nor [options]
        "[options"
          line 1, column 9: a heading is not closed
          hint: [options]
        "[options]\nsize = big"
          line 2, column 8: size: a text needs quotes
          hint: size = "big"
        "rounds = 3 4"
          line 1, column 10: this is not TOML: string values must be quoted, expected literal string
        "rounds = 3\n\u{1}"
          line 2, column 2: "\u{1}" is neither KEY = VALUE nor [options]
        "#);
}

#[test]
fn any_text_is_read_or_refused_without_a_panic() {
    for text in [
        "",
        "\u{feff}",
        "é = ü",
        "é\n= \"",
        "[",
        "[[options]]",
        "a.b = 1",
        "=",
        "\"\" = 1",
        "options.size = 3",
    ] {
        let _ = TournamentSpec::from_toml(text);
    }
    let whole = "game = \"é\"\nbots = [\"ü\", 'b']\n[options]\nsize = 3\n";
    for at in 0..=whole.len() {
        if let Some(cut) = whole.get(..at) {
            let _ = TournamentSpec::from_toml(cut);
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let told = |text: &str| {
        let error = settings(text).expect_err(text);
        format!(
            "{text}\n  {error}\n  hint: {}",
            error.hint.as_deref().unwrap_or("none")
        )
    };
    let all = [
        "best-of = 3",
        "format = \"swiss\"\nchallengers = 2",
        "format = \"gauntlet\"\nseeding = \"entry\"",
        "format = \"knockout\"\nmatches = 5",
        "format = \"knockout\"\nrounds = 5",
        "format = \"swiss\"\nrounds = 4",
        "format = \"sprt\"",
        "format = \"sprt\"\nelo0 = 5.0\nelo1 = 0.0",
        "format = \"sprt\"\nalpha = 0.7",
        "elo1 = 5.0",
    ];
    assert_snapshot!(all.map(told).join("\n"), @r#"
        best-of = 3
          best-of is for knockout or double-elimination, and this is a round robin
          hint: leave best-of out, or ask for --format knockout
        format = "swiss"
        challengers = 2
          challengers is for gauntlet, and this is a swiss
          hint: leave challengers out, or ask for --format gauntlet
        format = "gauntlet"
        seeding = "entry"
          seeding is for swiss or knockout or double-elimination, and this is a gauntlet
          hint: leave seeding out, or ask for --format swiss
        format = "knockout"
        matches = 5
          matches is for ladder, and this is a knockout
          hint: leave matches out, or ask for --format ladder
        format = "knockout"
        rounds = 5
          a knockout takes no number of rounds
          hint: leave the rounds out; it plays as many as it needs
        format = "swiss"
        rounds = 4
          rounds of a swiss of so many bots: 1 to 3, not 4
          hint: ask for a number in this range
        format = "sprt"
          a sequential test is of the first bot against the second, and 3 are entered
          hint: name the new bot first, and the old one behind it
        format = "sprt"
        elo0 = 5.0
        elo1 = 0.0
          elo0 must be less than elo1, and 5 is not less than 0
          hint: elo0 is what is not worth it and elo1 what is: --elo0 0 --elo1 10 --alpha 0.05 --beta 0.05
        format = "sprt"
        alpha = 0.7
          alpha must be between 0 and 0.5, not 0.7; 0.05 is usual
          hint: elo0 is what is not worth it and elo1 what is: --elo0 0 --elo1 10 --alpha 0.05 --beta 0.05
        elo1 = 5.0
          elo1 is for sprt, and this is a round robin
          hint: leave elo1 out, or ask for --format sprt
        "#);
}

#[test]
fn a_tournament_has_two_bots_at_least() {
    for bots in [0, 1, MAX_ENTRANTS + 1] {
        assert!(
            TournamentSpec::default()
                .settings(Settings::default(), bots)
                .is_err()
        );
    }
}

#[test]
fn a_swiss_has_as_many_rounds_as_single_out_a_winner_while_nobody_rests_twice() {
    let rounds = |game: &str, seats: u8, bots: usize, more: &str| {
        let game = Settings {
            game: game.into(),
            seats,
            ..Settings::default()
        };
        let spec = spec(&format!("format = \"swiss\"\n{more}"));
        spec.settings(game, bots).map(|settings| settings.rounds)
    };
    for (game, seats, bots, expected) in [
        ("flipfour", 2, 33, 6),
        ("flip4", 3, 5, 2),
        ("flip4", 3, 27, 3),
        ("phase10-flip", 6, 11, 2),
        ("phase10-flip", 4, 7, 2),
    ] {
        assert_eq!(
            rounds(game, seats, bots, ""),
            Ok(expected),
            "{bots} bots, {game}"
        );
    }
    let error = rounds("phase10-flip", 6, 11, "rounds = 3").unwrap_err();
    assert_snapshot!(
        format!("{error}\n{}", error.hint.as_deref().unwrap_or_default()),
        @"
    a swiss of 11 bots, 6 in a match, has at most 2 rounds, not 3: 5 rest in each, and nobody rests twice
    ask for fewer rounds, or name as many bots as fill all matches
    "
    );
}

#[test]
fn typed_numbers_are_read_with_their_sign_and_range() {
    let read = |name: &str, typed: &str| TournamentSpec::key(name).unwrap().read(typed);
    assert_eq!(read("elo0", "-5"), Ok((-5.0).into()));
    assert_eq!(read("seed", "18446744073709551615"), Ok(u64::MAX.into()));
    let whole = format!("7-{SALT}");
    assert_eq!(read("seed", &whole), Ok(whole.into()));
    for typed in ["x", "", "inf", "NaN", "1e999"] {
        assert_eq!(read("elo0", typed), Err(format!("a number, not {typed}")));
    }
    for typed in [
        "0",
        "-1",
        "+1",
        " 1",
        "1.5",
        "1e2",
        "0x1",
        "1000001",
        "99999999999999999999999",
    ] {
        let told = format!("a whole number from 1 to 1000000, not {typed}");
        assert_eq!(read("rounds", typed), Err(told));
    }
}
