//! What threads played at once, with a stop in between, counts in another arena as it did in its own.

use std::num::NonZeroUsize;
use std::path::Path;

use flipside_ratings::{Model, Sprt};
use flipside_referee::Player;
use flipside_runner::{RunEvent, StopSignal, run as run_tournament};
use flipside_sandbox::{Program, Sandbox, SandboxSettings};
use flipside_store::archive::{Names, check, import, write};
use flipside_store::{Arena, MatchFilter, MatchRow, table};
use flipside_tournament::formats::{
    DoubleElimination, Gauntlet, Knockout, Ladder, MIN_BATCH, Swiss,
};
use flipside_tournament::{Bot, BotId, Format, Seeding, Settings, Tournament};
use sha2::{Digest, Sha256};

use crate::SALT;

const THREADS: NonZeroUsize = NonZeroUsize::new(3).unwrap();

/// After so many matches, the tournament is stopped, and then resumed.
const STOP_AFTER: u64 = 3;

fn formats() -> Vec<(Format, u32)> {
    let seeding = Seeding::Entry;
    let matches = 4 * MIN_BATCH as u64;
    let (best_of, tie_breaks, third_place) = (1, 1, true);
    let knockout = Knockout {
        best_of,
        tie_breaks,
        third_place,
        seeding,
    };
    let double = DoubleElimination {
        best_of,
        tie_breaks,
        seeding,
    };
    let sprt = Sprt::new(0.0, 200.0, 0.05, 0.05, Model::Logistic).unwrap();
    vec![
        (Format::RoundRobin, 2),
        (Format::Gauntlet(Gauntlet { challengers: 1 }), 2),
        (Format::Swiss(Swiss { seeding }), 3),
        (Format::Knockout(knockout), 1),
        (Format::DoubleElimination(double), 1),
        (Format::Ladder(Ladder { matches }), 1),
        (Format::Sprt(sprt), 5),
    ]
}

/// Begins a tournament of bots that choose differently, and one that traps and is paused after two matches.
fn begin(arena: &Arena, format: Format, rounds: u32) -> Tournament {
    let first = include_str!("../../../sample-bots/wat/first.wat");
    let instant = include_str!("../../../sample-bots/wat/instant.wat");
    let again = format!("{instant}\n;; another one\n");
    let traps = "(module (memory (export \"memory\") 1) (func (export \"_start\") unreachable))";
    let all = [
        ("first", first),
        ("instant", instant),
        ("again", &again),
        ("traps", traps),
    ];
    let number = if matches!(format, Format::Sprt(_)) {
        2
    } else {
        all.len()
    };
    let mut journal = arena.journal().unwrap();
    let enter = |&(name, text): &(&str, &str)| -> BotId {
        let file = arena.path().with_file_name(format!("{name}.wat"));
        std::fs::write(&file, text).unwrap();
        let kept = arena.keep(&file).unwrap();
        let added = journal.add_bot(&name.parse().unwrap(), &kept, 1).unwrap();
        added.bot.id
    };
    let bots: Vec<BotId> = all[..number].iter().map(enter).collect();
    let game = flipside_games::find("flipflop-3x3").unwrap();
    let settings = Settings {
        game: "flipflop-3x3".into(),
        options: game.set_up("{}", 2).unwrap().options,
        format,
        rounds,
        seed: 1,
        salt: SALT.parse().unwrap(),
        pause_after: 2,
        trust: true,
        ..Settings::default()
    };
    let name = "evening".parse().unwrap();
    let begun = journal.begin(&name, &settings, &bots, 2).unwrap();
    begun.tournament
}

/// Plays what remains, until a stop after so many matches.
fn play(arena: &Arena, tournament: &Tournament, most: u64) {
    let player = |bot: &Bot| {
        let program = Program::open(arena.bot_path(bot).unwrap()).unwrap();
        Ok(Player::named(bot.label(), program))
    };
    let sandbox = Sandbox::new(SandboxSettings::default());
    let (stop, mut landed) = (StopSignal::default(), 0);
    let on = |event: RunEvent| {
        landed += u64::from(matches!(event, RunEvent::Landed(_)));
        if landed >= most {
            stop.soon();
        }
    };
    let journal = &mut arena.journal().unwrap();
    run_tournament(journal, tournament, player, &sandbox, THREADS, &stop, on).unwrap();
}

/// All matches and the table, without what only one arena has.
fn content(arena: &Arena) -> (Vec<MatchRow>, String) {
    let journal = arena.journal().unwrap();
    let filter = MatchFilter {
        limit: 1_000_000,
        ..MatchFilter::default()
    };
    let mut rows = journal.matches(&filter).unwrap();
    for row in &mut rows {
        row.elsewhere = false;
    }
    let evening = journal.tournament("evening").unwrap();
    let mut standings = table(&journal, &evening).unwrap();
    standings.imports.clear();
    standings.runs = Default::default();
    (rows, serde_json::to_string(&standings).unwrap())
}

#[test]
fn what_threads_played_counts_in_another_arena_whatever_the_format() {
    for (format, rounds) in formats() {
        let folder = tempfile::tempdir().unwrap();
        let there = Arena::create(folder.path().join("there")).unwrap();
        let tournament = begin(&there, format, rounds);
        play(&there, &tournament, STOP_AFTER);
        play(&there, &tournament, u64::MAX);
        let mut archive = Vec::new();
        let journal = there.journal().unwrap();
        write(
            (&journal, Path::new("")),
            &tournament,
            None,
            THREADS,
            &mut archive,
            |_, _| {},
        )
        .unwrap();
        let checked = check(&archive[..], THREADS, |_, _| {}).unwrap();
        let here = Arena::create(folder.path().join("here")).unwrap();
        let hash = Sha256::digest(&archive).into();
        import(
            &mut here.journal().unwrap(),
            (&archive[..], hash),
            &checked,
            &Names::default(),
            THREADS,
            || true,
            |_, _| {},
        )
        .unwrap();
        let (own, other) = (content(&there), content(&here));
        let format = tournament.settings.format;
        assert!(
            own.0.len() as u64 > STOP_AFTER,
            "{format:?}: {}",
            own.0.len()
        );
        assert_eq!(own, other, "{format:?}");
    }
}
