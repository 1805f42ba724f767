//! The zoo at length: many matches in a row in one tournament, and honest bots on a busy machine.
//! `docs/developers/testing.md` tells how to run what is left out of the ordinary tests.

mod common;
#[path = "zoo/hostile.rs"]
mod hostile;
#[path = "zoo/keeper.rs"]
mod keeper;
#[path = "zoo/left.rs"]
mod left;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

use flipside_referee::Line;

use keeper::{FetchedBots, Keeper, ProcessView, SeenFile, fault_of};

/// How often the matches in the journal are counted.
const COUNT: Duration = Duration::from_millis(500);

/// The most that the referee's memory may grow by between its first hundred matches and its last.
const MAX_GROWTH_KB: u64 = 10 * 1024;

/// How many matches are played at a time.
const AT_ONCE: u64 = 2;

/// What a module may have of memory, which is the referee's, in kilobytes.
const MODULE_MEMORY_KB: u64 = flipside_sandbox::MEMORY / 1024;

/// The most more descriptors at the end: a few bots that wait for their next match may not have been
/// met in the first ones. What is lost with every match would be many more.
const MAX_MORE_DESCRIPTORS: usize = 24;

#[test]
#[ignore = "long: a quarter of an hour"]
fn a_thousand_matches_against_the_zoo_leave_the_referee_as_it_was() {
    // 33 bots, each against each in both seatings: 1,056 matches.
    against_the_zoo(20, 9, 100);
}

#[test]
fn a_hundred_matches_against_the_zoo_leave_the_referee_as_it_was() {
    against_the_zoo(5, 2, 20);
}

/// One tournament of two honest processes, two honest modules, and so many hostile processes and
/// modules, drawn. What the referee has after the first matches and at the end is compared.
fn against_the_zoo(processes: usize, modules: usize, first: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(common::test_seed());
    let keeper = Keeper::here();
    let mut zoo = hostile::all();
    zoo.shuffle(&mut rng);
    // Of a file that stands for many, one; and none that makes bots of a match beside its own late.
    let mut files = HashSet::new();
    zoo.retain(|bot| !bot.alone && files.insert(bot.file.clone()));
    let mut bots = honest(&keeper);
    let honest = names(&bots);
    bots.extend(zoo.iter().take(processes).map(|bot| keeper.bring(bot)));
    let drawn: Vec<PathBuf> = hostile_modules()
        .sample(&mut rng, modules)
        .cloned()
        .collect();
    bots.extend(drawn.iter().map(|file| FetchedBots::of(file)));
    println!("{}", names(&bots).join(" "));
    let total = (bots.len() * (bots.len() - 1)) as u64;
    let tournament_seed = rng.next_u64().to_string();
    let args = [
        "--clock",
        "move=300ms,start=1500ms",
        "--concurrency",
        &AT_ONCE.to_string(),
        "--force-concurrency",
        "--seed",
        &tournament_seed,
    ];
    let all: Vec<&FetchedBots> = bots.iter().collect();
    let begun = Instant::now();
    let seen = keeper.play_and_count(&all, &args, Some(COUNT));
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(seen.matches.len() as u64, total);
    let (early, late) = (of_first(&seen, first), of_last(&seen, first));
    println!(
        "{total} matches in {:.0} s, {} void; descriptors at most {} in the first {first} and {} in the last; \
         memory {} kB and {} kB, its peak {} kB and {} kB",
        begun.elapsed().as_secs_f64(),
        voids(&seen),
        early.descriptors,
        late.descriptors,
        early.memory_kb,
        late.memory_kb,
        early.peak_kb,
        late.peak_kb,
    );
    assert_eq!(faults_of(&seen, &honest), Vec::<String>::new());
    assert!(late.descriptors <= early.descriptors + MAX_MORE_DESCRIPTORS);
    let growth_kb = MAX_GROWTH_KB + held_by_matches(&drawn);
    assert!(late.memory_kb <= early.memory_kb + growth_kb);
    assert!(late.peak_kb <= early.peak_kb + growth_kb);
    // Who counted the matches may have held the journal's two helping files open at the end.
    let helping = |left: &&String| !left.contains("journal.sqlite-");
    let left: Vec<&String> = seen.left.iter().filter(helping).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// What modules that take more memory can hold while they play, in kilobytes. In the first matches, fewer of them may
/// play at a time than in the last. What is lost with every match would be many times as much.
fn held_by_matches(modules: &[PathBuf]) -> u64 {
    let takes_more = |file: &PathBuf| fs::read_to_string(file).unwrap().contains("memory.grow");
    match modules.iter().any(takes_more) {
        true => AT_ONCE * MODULE_MEMORY_KB,
        false => 0,
    }
}

/// Two processes and two modules.
fn honest(keeper: &Keeper) -> Vec<FetchedBots> {
    let wat = |name: &str| FetchedBots::of(Path::new(&common::sample(&format!("wat/{name}.wat"))));
    vec![
        keeper.honest(),
        keeper.honest(),
        wat("first"),
        wat("instant"),
    ]
}

/// The modules of the zoo that can be played.
fn hostile_modules() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zoo/modules");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.retain(|file| {
        file.extension().is_some_and(|ending| ending == "wat")
            && fs::read_to_string(file).unwrap().contains("\n;; gets: ")
    });
    files.sort();
    files
}

fn names(bots: &[FetchedBots]) -> Vec<String> {
    let name = |bot: &FetchedBots| bot.file.file_stem().unwrap().to_str().unwrap().to_owned();
    bots.iter().map(name).collect()
}

/// The most of each figure while the first matches were played.
fn of_first(seen: &SeenFile, first: u64) -> ProcessView {
    most(seen.looks.iter().filter(|look| look.matches <= first))
}

/// The same of the last; the peak is that of all.
fn of_last(seen: &SeenFile, last: u64) -> ProcessView {
    let total = seen.matches.len() as u64;
    most(
        seen.looks
            .iter()
            .filter(|look| look.matches + last >= total),
    )
}

fn most<'a>(looks: impl Iterator<Item = &'a ProcessView>) -> ProcessView {
    looks.fold(ProcessView::default(), |most, look| ProcessView {
        matches: most.matches.max(look.matches),
        descriptors: most.descriptors.max(look.descriptors),
        memory_kb: most.memory_kb.max(look.memory_kb),
        peak_kb: most.peak_kb.max(look.peak_kb),
    })
}

/// How often a match was void.
fn voids(seen: &SeenFile) -> usize {
    seen.stderr
        .lines()
        .filter(|line| line.contains(" is void: "))
        .count()
}

/// What these bots did wrong.
fn faults_of(seen: &SeenFile, names: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for (row, record) in &seen.matches {
        for (seat, line) in row.seats.iter().enumerate() {
            let name = line.bot.split('@').next().unwrap_or_default();
            if let (true, Some((fault, detail, us))) =
                (names.iter().any(|one| one == name), fault_of(record, seat))
            {
                let last = record.lines.iter().rev().take(3);
                let last: String = last.map(|(_, line)| format!("\n  {line:?}")).collect();
                faults.push(format!(
                    "{}: {name} got {fault} after {us} us: {detail}; its end, backwards:{last}",
                    row.id
                ));
            }
        }
    }
    faults
}

/// How long a bot's answers took, as far as it was charged with it, in microseconds, the shortest first.
fn times_of(seen: &SeenFile, name: &str) -> Vec<u64> {
    let mut times = Vec::new();
    for (row, record) in &seen.matches {
        let is_it = |bot: &str| bot.split('@').next() == Some(name);
        let seat = row.seats.iter().position(|line| is_it(&line.bot));
        for (_, line) in &record.lines {
            if let Line::Acts { acts } = line {
                let own = acts.iter();
                let own = own.filter(|act| Some(usize::from(act.seat)) == seat);
                times.extend(own.filter_map(|act| act.us));
            }
        }
    }
    times.sort_unstable();
    times
}

fn in_words(times: &[u64]) -> String {
    let at =
        |of_1000: usize| times[(times.len() * of_1000 / 1000).min(times.len() - 1)] as f64 / 1e3;
    format!(
        "{} answers, half within {:.1} ms, 999 in 1000 within {:.1} ms, the longest {:.1} ms",
        times.len(),
        at(500),
        at(999),
        at(1000),
    )
}

/// The time of a move on the busy machine, and how many matches are played there.
const MOVE_MS: u64 = 100;
/// Half of the answers take a bot at least so long; a process always half of its time.
const MIN_THOUGHT: Duration = Duration::from_millis(MOVE_MS / 5);
const BUSY_CLOCK: &str = "move=100ms,start=5s";
const BUSY_ROUNDS: &str = "167";

#[test]
#[ignore = "long: half an hour, and all processors"]
fn honest_bots_on_a_busy_machine_lose_no_match_on_time() {
    let keeper = Keeper::here();
    let half_us = MOVE_MS * 1000 / 2;
    let process = |name: &str| keeper.build(name, &PATIENT.replace("@HALF@", &half_us.to_string()));
    // On the busy machine: neighbours on a core make the same work take more of its time.
    let busy = Spinners::all_processors();
    let rounds = rounds_for(&keeper, half_us);
    let module = |name: &str| patient_module(&keeper, name, rounds);
    let bots = [
        process("process"),
        process("process2"),
        module("module"),
        module("module2"),
    ];
    let mut lost = Vec::new();
    for concurrency in ["2", "1"] {
        let args = [
            "--clock",
            BUSY_CLOCK,
            "--concurrency",
            concurrency,
            "--force-concurrency",
            "--rounds",
            BUSY_ROUNDS,
            "--options",
            r#"{"max_plies":4}"#,
            "--seed",
            "1",
        ];
        let all: Vec<&FetchedBots> = bots.iter().collect();
        let begun = Instant::now();
        let seen = keeper.play_and_count(&all, &args, None);
        let faults = faults_of(&seen, &names(&bots));
        println!(
            "concurrency {concurrency}: {} matches in {:.0} s, {} void, {} lost on time",
            seen.matches.len(),
            begun.elapsed().as_secs_f64(),
            voids(&seen),
            faults.len(),
        );
        for bot in names(&bots) {
            let times = times_of(&seen, &bot);
            println!("  {bot}: {}", in_words(&times));
            let half = Duration::from_micros(times[times.len() / 2]);
            assert!(half >= MIN_THOUGHT, "{bot} has hardly computed: {half:?}");
        }
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        lost.extend(faults);
    }
    drop(busy);
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

const PATIENT: &str = include_str!("zoo/patient.c");

/// The sample that plays the first legal action, and counts so far before.
fn patient_module(keeper: &Keeper, name: &str, rounds: u64) -> FetchedBots {
    let first = fs::read_to_string(common::sample("wat/first.wat")).unwrap();
    let act = "(func $act (local $from i32) (local $to i32)";
    assert!(first.contains(act));
    let count = format!(
        "{act} (local $count i64)
    (local.set $count (i64.const {rounds}))
    (loop $on
      (local.set $count (i64.sub (local.get $count) (i64.const 1)))
      (i64.store (i32.const 128) (local.get $count))
      (br_if $on (i64.ne (local.get $count) (i64.const 0))))"
    );
    keeper.write(&format!("{name}.wat"), &first.replace(act, &count))
}

/// How far a module counts in so many microseconds, when this machine is at its slowest: a module cannot
/// see how long it takes, and where a processor is half of a core, the other half's work can make it take
/// twice the time, which is its own time by all that the kernel tells.
fn rounds_for(keeper: &Keeper, us: u64) -> u64 {
    const TRIED: u64 = 10_000_000;
    let bots = [
        patient_module(keeper, "tried", TRIED),
        patient_module(keeper, "tried2", TRIED + 1),
    ];
    let args = [
        "--clock",
        "move=30s",
        "--options",
        r#"{"max_plies":10}"#,
        "--rounds",
        "50",
    ];
    let seen = keeper.play(&[&bots[0], &bots[1]], &args);
    let acts = seen.matches.iter().flat_map(|(_, record)| &record.lines);
    let times = acts.filter_map(|(_, line)| match line {
        Line::Acts { acts } => acts[0].us,
        _ => None,
    });
    let mut times: Vec<u64> = times.collect();
    times.sort_unstable();
    // Not the very longest: one that was held up by something else would make modules lazy.
    TRIED * us / times[times.len() * 99 / 100]
}

/// Processes that compute, as many as there are processors, until this is dropped.
struct Spinners(Vec<Child>);

impl Spinners {
    fn all_processors() -> Self {
        let count = std::thread::available_parallelism().unwrap().get();
        let spin = || {
            Command::new("sh")
                .args(["-c", "while :; do :; done"])
                .stdin(Stdio::null())
                .spawn()
                .expect("there is a shell")
        };
        Spinners((0..count).map(|_| spin()).collect())
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It fails where the child has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
