//! What a bot could gain by computing on its opponent's turns, or by having a match void that it loses: programs of
//! `tests/zoo/` try it in many ways, as root and as an ordinary user, against a bot that thinks honestly.
//! `docs/developers/testing.md` tells how to try them for longer, and where the kernel does not share by sessions.

mod common;
#[path = "zoo/hostile.rs"]
mod hostile;
#[path = "zoo/keeper.rs"]
mod keeper;
#[path = "zoo/left.rs"]
mod left;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use flipside_referee::{Line, Record};
use flipside_store::MatchRow;

use keeper::{FetchedBots, Keeper, SeenFile, fault_of};

const PONDER: &str = include_str!("zoo/ponder.c");
const STARVE: &str = include_str!("zoo/starve.c");
const PATIENT: &str = include_str!("zoo/patient.c");

/// How long the honest bot computes at each of its turns, and its time for that.
const THINKS_US: u64 = 80_000;
const CLOCK: &str = "move=1s,start=10s";

/// How many turns each bot has in a match.
const TURNS: u64 = 8;

/// What a bot may gain at a turn of its opponent: on average, and at all but the turns in which it is seen first or a
/// busy machine wakes the referee late.
const MAX_A_TURN_US: u64 = 20_000;
/// Of its opponent's turns, the part in which it may gain more.
const MORE_IN: usize = 4;

/// Ways of computing on another's turn.
const PONDERERS: &[&str] = &[
    "spins",
    "child",
    "children",
    "lost-children",
    "vforks",
    "chain",
    "silent",
    "siblings",
    "grandchildren",
    "bursts",
    "faults",
    "pipes",
    "floods",
    "storms",
    "threads",
    "leaderless",
    "nices",
    "timers",
    "sleeps",
    "credit",
    "lost-credit",
    "execs",
];

/// One that goes on though it is stopped; it is ended, which is a fault.
const DEFIANT: &str = "defies";

/// Ways of failing while another bot, and the referee, are kept from running.
const STARVERS: &[&str] = &[
    "threads",
    "processes",
    "lost-processes",
    "noise",
    "maps",
    "bomb",
    "malformed",
    "too-long",
    "closes",
    "leaves",
    "late-answer",
    "stops",
    "watches",
    "memory",
    "hello",
    "ready-and-busy",
];

/// Games at once and in turn.
const GAMES: [&str; 2] = ["puissance4-basic", "flipfour"];

/// How long the thread sleeps at a time that measures how late this machine wakes threads.
const NAP: Duration = Duration::from_millis(5);

/// One after the other: starving bots of one test would keep the referee of another from looking.
static ALONE: Mutex<()> = Mutex::new(());

/// One that computes in the process itself, one in a child that is left behind; one that keeps the machine busy, and
/// one that fails by what it says.
#[test]
fn one_attack_of_each_kind_gains_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for keeper in keepers() {
        nobody_gains(&keeper, &["spins", "lost-children"], 1);
        nobody_is_void(&keeper, &["threads", "malformed"], 1);
    }
    // Nor one where the kernel does not share by sessions.
    if let Some(together) = Together::make() {
        nobody_is_void(&Keeper::here().inside(&together.0), &["threads"], 1);
    }
}

#[test]
#[ignore = "long: every attack"]
fn no_bot_gains_more_than_a_moment_on_its_opponents_turns() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for keeper in keepers() {
        nobody_gains(&keeper, PONDERERS, 1);
    }
}

#[test]
#[ignore = "long: every attack"]
fn no_bot_at_fault_gains_a_void() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for keeper in keepers() {
        nobody_is_void(&keeper, STARVERS, 1);
    }
}

#[test]
#[ignore = "long: an hour, each attack more often, where the kernel shares by sessions and where it does not"]
fn nobody_gains_by_any_attack_however_the_kernel_shares() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for keeper in keepers() {
        nobody_gains(&keeper, PONDERERS, 4);
        nobody_is_void(&keeper, STARVERS, 4);
    }
    if let Some(together) = Together::make() {
        let keeper = Keeper::here().inside(&together.0);
        nobody_gains(&keeper, PONDERERS, 4);
        nobody_is_void(&keeper, STARVERS, 4);
    }
}

#[test]
#[ignore = "long: attacks of each kind once more"]
fn where_the_kernel_does_not_share_by_sessions_no_bot_gains_a_void_either() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Where no such group can be made, the tests above are all that can be tried.
    if let Some(together) = Together::make() {
        let keeper = Keeper::here().inside(&together.0);
        nobody_is_void(
            &keeper,
            &["threads", "processes", "malformed", "ready-and-busy"],
            1,
        );
        nobody_gains(&keeper, &["spins", "lost-credit"], 1);
    }
}

/// As whoever runs the tests, and where that is root, as an ordinary user.
fn keepers() -> Vec<Keeper> {
    let ordinary = Keeper::of_ordinary_user();
    [Some(Keeper::here()), ordinary]
        .into_iter()
        .flatten()
        .collect()
}

/// A control group in which all processes share the processors alike, whatever their sessions.
struct Together(PathBuf);

impl Together {
    fn make() -> Option<Self> {
        let group =
            Path::new("/sys/fs/cgroup/cpu").join(format!("flipside-test-{}", std::process::id()));
        fs::create_dir(&group).ok()?;
        Some(Together(group))
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        // All that was in it has ended.
        fs::remove_dir(&self.0).unwrap();
    }
}

fn honest(keeper: &Keeper, name: &str) -> FetchedBots {
    keeper.build(name, &PATIENT.replace("@HALF@", &THINKS_US.to_string()))
}

/// How late this machine wakes a thread while honest bots play, on average and at worst, in microseconds. So much later
/// the referee may see an attack.
struct Noise {
    mean_us: u64,
    worst_us: u64,
}

impl Noise {
    fn measure(keeper: &Keeper) -> Self {
        let [one, other] = ["control", "control-2"].map(|name| honest(keeper, name));
        let is_over = AtomicBool::new(false);
        let nap = || {
            let begun = Instant::now();
            thread::sleep(NAP);
            begun.elapsed().saturating_sub(NAP).as_micros() as u64
        };
        let late: Vec<u64> = thread::scope(|scope| {
            let naps = scope.spawn(|| {
                let naps = std::iter::repeat_with(nap);
                naps.take_while(|_| !is_over.load(Ordering::Relaxed))
                    .collect()
            });
            let options = format!(r#"{{"max_plies":{}}}"#, 2 * TURNS);
            let args = ["--clock", CLOCK, "--options", &options];
            keeper.play_at("flipfour", &[&one, &other], &args);
            is_over.store(true, Ordering::Relaxed);
            naps.join().unwrap()
        });
        let noise = Noise {
            mean_us: late.iter().sum::<u64>() / late.len().max(1) as u64,
            worst_us: late.into_iter().max().unwrap_or_default(),
        };
        println!(
            "this machine wakes a thread {} us late, at worst {} us",
            noise.mean_us, noise.worst_us
        );
        noise
    }
}

/// Each of these ways, for so many matches in each seat.
fn nobody_gains(keeper: &Keeper, attacks: &[&str], rounds: u64) {
    let mut wrong = String::new();
    let noise = Noise::measure(keeper);
    let all = attacks.iter().chain([&DEFIANT]);
    for (number, attack) in all.enumerate() {
        let opponent = honest(keeper, &format!("honest-{number}"));
        let name = format!("ponder-{attack}");
        let bot = keeper.build(&name, &PONDER.replace("@ATTACK@", attack));
        let rounds = rounds.to_string();
        let options = format!(r#"{{"max_plies":{}}}"#, 2 * TURNS);
        let args = ["--clock", CLOCK, "--rounds", &rounds, "--options", &options];
        let seen = keeper.play_at("flipfour", &[&bot, &opponent], &args);
        let gains = gains(&seen, &name);
        let mean = gains.iter().sum::<u64>() / gains.len().max(1) as u64;
        println!(
            "{attack}: {} us a turn in {} turns, at most {} us; {}",
            mean,
            gains.len(),
            gains.iter().max().unwrap_or(&0),
            ends(&seen),
        );
        let most = MAX_A_TURN_US + noise.worst_us;
        let more = gains.iter().filter(|&&gain| gain > most).count();
        let is_bounded = mean <= MAX_A_TURN_US + noise.mean_us && more <= gains.len() / MORE_IN;
        if *attack != DEFIANT && (!is_bounded || gains.is_empty()) {
            let turns = gains.len();
            writeln!(
                wrong,
                "{attack}: {mean} us a turn, more than {most} us in {more} of {turns}"
            )
            .unwrap();
        }
        complain(&mut wrong, attack, &seen, "honest-");
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Each of these ways, at one of the games or, in several rounds, at each; all must lose.
fn nobody_is_void(keeper: &Keeper, attacks: &[&str], rounds: u64) {
    let mut wrong = String::new();
    for (number, attack) in attacks.iter().enumerate() {
        let one = &GAMES[number % GAMES.len()..][..1];
        for game in if rounds > 1 { &GAMES[..] } else { one } {
            let opponent = honest(keeper, &format!("calm-{number}-{game}"));
            let name = format!("starve-{attack}-{game}");
            let bot = keeper.build(&name, &STARVE.replace("@ATTACK@", attack));
            let rounds = rounds.to_string();
            let args = ["--clock", "move=300ms,start=1500ms", "--rounds", &rounds];
            let seen = keeper.play_at(game, &[&bot, &opponent], &args);
            println!("{attack} at {game}: {}", ends(&seen));
            for (row, record) in &seen.matches {
                if of(row, &name)
                    .and_then(|seat| fault_of(record, seat))
                    .is_none()
                {
                    writeln!(wrong, "{attack} at {game}: {} is no loss", row.id).unwrap();
                }
            }
            complain(&mut wrong, attack, &seen, "calm-");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is wrong with a tournament in any case: matches that are void or missing, faults of the honest, remains.
fn complain(wrong: &mut String, attack: &str, seen: &SeenFile, honest: &str) {
    let mut say = |what: &str| writeln!(wrong, "{attack}: {what}").unwrap();
    if seen.code != Some(0) || seen.matches.is_empty() {
        say(&seen.stderr);
    }
    for line in seen.stderr.lines().filter(|line| line.contains(" is void")) {
        say(line);
    }
    for (row, record) in &seen.matches {
        let seat = row
            .seats
            .iter()
            .position(|seat| seat.bot.starts_with(honest));
        if let Some((fault, detail, us)) = seat.and_then(|seat| fault_of(record, seat)) {
            say(&format!(
                "the honest bot got {fault} after {us} us: {detail}"
            ));
        }
    }
    seen.left.iter().for_each(|left| say(left));
}

/// Which seat a bot has.
fn of(row: &MatchRow, name: &str) -> Option<usize> {
    let is_it = |bot: &str| bot.split('@').next() == Some(name);
    row.seats.iter().position(|seat| is_it(&seat.bot))
}

/// What this bot has told of what it computed on each turn of its opponent.
fn gains(seen: &SeenFile, name: &str) -> Vec<u64> {
    let of_match = |(row, record): &(MatchRow, Record)| {
        let seat = of(row, name).and_then(|seat| u8::try_from(seat).ok());
        let acts = record.lines.iter().filter_map(|(_, line)| match line {
            Line::Acts { acts } => Some(acts.clone()),
            _ => None,
        });
        let own = acts.flatten().filter(|act| Some(act.seat) == seat);
        let told: Vec<u64> = own.filter_map(|act| act.note?.parse().ok()).collect();
        told
    };
    seen.matches.iter().flat_map(of_match).collect()
}

/// How the matches ended, in words.
fn ends(seen: &SeenFile) -> String {
    let mut ends: Vec<String> = Vec::new();
    for (row, record) in &seen.matches {
        let faults = (0..row.seats.len()).filter_map(|seat| {
            let (fault, _, us) = fault_of(record, seat)?;
            Some(format!(
                "{} {fault} ({} ms)",
                row.seats[seat].bot,
                us / 1000
            ))
        });
        ends.extend(faults);
    }
    format!("{} matches; {}", seen.matches.len(), ends.join(", "))
}
