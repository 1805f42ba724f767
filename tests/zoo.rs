//! The hostile processes of `tests/zoo/processes/`, each against an honest bot, two matches at a time,
//! through the command; as root and as an ordinary user. What each must get stands in its file.

mod common;
#[path = "zoo/hostile.rs"]
mod hostile;
#[path = "zoo/keeper.rs"]
mod keeper;
#[path = "zoo/left.rs"]
mod left;

use std::fmt::Write as _;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flipside_referee::{Line, Record};

use hostile::{Hostile, Trusted};
use keeper::{FetchedBots, Keeper, SeenFile, fault_of};

/// The clock of all matches; what a bot may take is said in its file.
const CLOCK: &str = "move=300ms,start=1500ms";
const MOVE: Duration = Duration::from_millis(300);
const START: Duration = Duration::from_millis(1500);

/// What may lie between a deadline and the moment at which it is seen.
const GRACE: Duration = Duration::from_millis(50);

/// How many tournaments are played at a time, of two matches at a time each. Many of the bots wait; those that take
/// much of the machine are played alone.
const AT_ONCE: usize = 4;

/// Descriptors that matches may need more than those between honest bots: what two starts at once have
/// open for a moment.
const MORE_DESCRIPTORS: usize = 32;

/// One after the other, for the tests compare times.
static ALONE: Mutex<()> = Mutex::new(());

/// One of each kind: late, silent, loud, wrong in its answers, taking memory, processes or files, reaching out of its
/// place, leaving something behind.
const ONE_OF_EACH_KIND: [&str; 14] = [
    "never-answers",
    "never-reads",
    "floods-its-stderr",
    "prints-answers-every-50-ms",
    "answers-twice",
    "is-ready-twice",
    "exits-at-its-first-question",
    "allocates-without-end",
    "forks-a-bomb",
    "makes-files-without-end",
    "reads-a-file-of-yours",
    "connects-to-the-machine",
    "becomes-root",
    "leaves-a-grandchild-in-a-new-session",
];

#[test]
fn one_hostile_process_of_each_kind_gets_what_it_should() {
    let mut zoo = hostile::all();
    zoo.retain(|bot| ONE_OF_EACH_KIND.contains(&&*bot.file));
    assert!(zoo.len() >= ONE_OF_EACH_KIND.len());
    let ordinary = Keeper::of_ordinary_user();
    for keeper in [Some(Keeper::here()), ordinary].iter().flatten() {
        all_get_what_they_should(keeper, &zoo);
    }
}

#[test]
#[ignore = "long: a hundred attacks"]
fn every_hostile_process_gets_what_it_should() {
    all_get_what_they_should(&Keeper::here(), &hostile::all());
}

#[test]
#[ignore = "long: a hundred attacks"]
fn every_hostile_process_gets_what_it_should_from_an_ordinary_user() {
    // Where no root runs the tests, the test above is this one.
    if let Some(keeper) = Keeper::of_ordinary_user() {
        all_get_what_they_should(&keeper, &hostile::all());
    }
}

/// What these files tell would be no proof of a jail if the attacks never worked.
const WORK_WITHOUT_A_JAIL: [&str; 2] = ["reads-a-file-of-yours", "connects-to-the-machine"];

#[test]
fn without_a_jail_two_attacks_work_and_are_seen() {
    let mut zoo = hostile::all();
    zoo.retain(|bot| WORK_WITHOUT_A_JAIL.contains(&&*bot.file));
    assert_eq!(zoo.len(), WORK_WITHOUT_A_JAIL.len());
    work_and_are_seen(&Keeper::here(), &zoo);
}

#[test]
#[ignore = "long: every attack that works without a jail"]
fn without_a_jail_attacks_work_and_are_seen() {
    let keeper = Keeper::here();
    let zoo = hostile::all().into_iter().filter(|bot| match bot.trusted {
        Trusted::Untried => false,
        Trusted::Works => true,
        Trusted::WorksForRoot => keeper.is_root(),
    });
    let zoo: Vec<Hostile> = zoo.collect();
    assert!(zoo.len() >= 10);
    work_and_are_seen(&keeper, &zoo);
}

fn work_and_are_seen(keeper: &Keeper, zoo: &[Hostile]) {
    let _alone = ALONE.lock();
    let usual = Usual::of(keeper);
    let unseen = of_all(zoo, |bot| {
        match usual.complaints(bot, &["--trust"]).is_empty() {
            true => ZooFound::Wrong("its attack works without a jail, and this is not seen".into()),
            false => ZooFound::Right,
        }
    });
    assert!(unseen.is_empty(), "{unseen}");
}

fn all_get_what_they_should(keeper: &Keeper, zoo: &[Hostile]) {
    let _alone = ALONE.lock();
    let usual = Usual::of(keeper);
    let wrong = of_all(zoo, |bot| {
        let complaints = usual.complaints(bot, &[]);
        if complaints.is_empty() {
            return ZooFound::Right;
        }
        let mut said = String::new();
        for Complaint { what, .. } in &complaints {
            write!(said, "\n  {what}").unwrap();
        }
        match complaints.iter().all(|complaint| complaint.of_time) {
            true => ZooFound::Late(said),
            false => ZooFound::Wrong(said),
        }
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is found of a bot.
enum ZooFound {
    Right,
    Wrong(String),
    /// Wrong, but a busy machine may be to blame.
    Late(String),
}

/// What is wrong with each bot. A few are tried at a time; what is late then is measured with nothing beside it.
fn of_all(zoo: &[Hostile], find: impl Fn(&Hostile) -> ZooFound + Sync) -> String {
    let (alone, others): (Vec<&Hostile>, _) = zoo.iter().partition(|bot| bot.alone);
    let left = Mutex::new(others.into_iter());
    let wrong = Mutex::new(String::new());
    let late = Mutex::new(Vec::new());
    let look = |bot| match find(bot) {
        ZooFound::Right => {}
        ZooFound::Wrong(what) => writeln!(wrong.lock().unwrap(), "{}: {what}", bot.name).unwrap(),
        ZooFound::Late(what) => {
            late.lock().unwrap().push((bot, what));
        }
    };
    let next = || left.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(bot) = next() {
                    look(bot);
                }
            });
        }
    });
    alone.into_iter().for_each(look);
    for (bot, _) in late.into_inner().unwrap() {
        match find_in_peace(|| find(bot)) {
            Some(ZooFound::Right) => {}
            Some(ZooFound::Wrong(what) | ZooFound::Late(what)) => {
                writeln!(wrong.lock().unwrap(), "{}: {what}", bot.name).unwrap();
            }
            None => eprintln!(
                "NOT TESTED, for other programs took the processors: that {} is late in time",
                bot.name
            ),
        }
    }
    wrong.into_inner().unwrap()
}

/// What is found, once nothing else wants the processors if it is late; nothing if they are wanted all the time.
fn find_in_peace(find: impl Fn() -> ZooFound) -> Option<ZooFound> {
    (0..TRIES_IN_PEACE).find_map(|_| {
        let was_busy = is_busy();
        let found = find();
        let blames_others = matches!(found, ZooFound::Late(_)) && (was_busy || is_busy());
        (!blames_others).then_some(found)
    })
}

/// How often a bot is tried again while other programs want the processors.
const TRIES_IN_PEACE: usize = 8;

/// For how long a look at the machine computes, and how long it may have to wait for its turn meanwhile.
const LOOK: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_millis(5);

/// Whether other programs want the processors: a thread that computes on each of them has to wait for its turn.
fn is_busy() -> bool {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let looks: Vec<_> = (0..cores).map(|_| scope.spawn(waited)).collect();
        let waited = looks.into_iter().map(|look| look.join().unwrap());
        waited.max() > Some(LONGEST_WAIT)
    })
}

/// Computes for a while, and returns for how long this thread could have and did not.
fn waited() -> Duration {
    let begun = Instant::now();
    while begun.elapsed() < LOOK {
        std::hint::spin_loop();
    }
    // Nanoseconds on a processor, nanoseconds in wait of one, and turns.
    let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let waited = told.split(' ').nth(1).unwrap();
    Duration::from_nanos(waited.parse().unwrap())
}

#[test]
fn a_machine_whose_processors_others_want_is_busy() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 * cores {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let busy = is_busy();
        done.store(true, Ordering::Relaxed);
        assert!(busy);
    });
}

/// What a tournament between honest bots needs.
struct Usual<'a> {
    keeper: &'a Keeper,
    peak_kb: u64,
    descriptors: usize,
}

/// What is wrong with how a bot was treated.
struct Complaint {
    what: String,
    /// Whether a busy machine may be to blame.
    of_time: bool,
}

impl<'a> Usual<'a> {
    fn of(keeper: &'a Keeper) -> Self {
        // Long enough to be seen whole.
        let seen = play(keeper, &keeper.honest(), &["--rounds", "30"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!(seen.left, Vec::<String>::new());
        Usual {
            keeper,
            peak_kb: seen.peak_kb,
            descriptors: seen.most_descriptors,
        }
    }

    /// Plays both seatings at once, and looks for what is wrong.
    fn complaints(&self, bot: &Hostile, args: &[&str]) -> Vec<Complaint> {
        let seen = play(self.keeper, &self.keeper.bring(bot), args);
        let mut complaints = Vec::new();
        // Matches that were void too often are not played.
        let of_time = seen.stderr.contains("it stays open");
        let mut wrong = |what: String| complaints.push(Complaint { what, of_time });
        if seen.code != Some(0) {
            wrong(format!(
                "the tournament ended with {:?}: {}",
                seen.code, seen.stderr
            ));
        }
        if seen.matches.len() != 2 {
            wrong(format!("there are {} matches", seen.matches.len()));
        }
        if seen.peak_kb > self.peak_kb + bot.memory_kb {
            wrong(format!(
                "the referee had {} kB, and {} kB without it",
                seen.peak_kb, self.peak_kb
            ));
        }
        if seen.most_descriptors > self.descriptors + MORE_DESCRIPTORS {
            let (now, before) = (seen.most_descriptors, self.descriptors);
            wrong(format!(
                "the referee had {now} descriptors, and {before} without it"
            ));
        }
        let told = [&seen.stdout, &seen.stderr];
        if told
            .iter()
            .any(|text| text.chars().any(|c| c.is_control() && c != '\n'))
        {
            wrong("the terminal got control characters".into());
        }
        seen.left
            .iter()
            .for_each(|left| wrong(format!("left behind: {left}")));
        for (row, record) in &seen.matches {
            let is_it = |name: &str| name.split('@').next() == Some(&bot.name);
            let Some(seat) = row.seats.iter().position(|seat| is_it(&seat.bot)) else {
                continue;
            };
            complaints.extend(of_match(bot, record, seat));
        }
        complaints
    }
}

/// Both seatings of a bot and an honest one, at once.
fn play(keeper: &Keeper, bot: &FetchedBots, args: &[&str]) -> SeenFile {
    let all = [
        "--clock",
        CLOCK,
        "--concurrency",
        "2",
        "--force-concurrency",
    ];
    let args = [&all[..], &["--seed", "1"], args].concat();
    keeper.play(&[bot, &keeper.honest()], &args)
}

/// What is wrong with a match.
fn of_match(bot: &Hostile, record: &Record, seat: usize) -> Vec<Complaint> {
    let other = 1 - seat;
    let mut complaints = Vec::new();
    let mut wrong = |of_time: bool, what: String| {
        complaints.push(Complaint {
            what: format!("in seat {seat}: {what}"),
            of_time,
        });
    };
    if let Some((fault, detail, _)) = fault_of(record, other) {
        wrong(
            fault == "late",
            format!("the honest bot got {fault}: {detail}"),
        );
    } else if record.over.places[other] != 1 || record.over.places[seat] != 2 {
        wrong(
            false,
            format!("the honest bot did not win: {:?}", record.over.places),
        );
    }
    let Some((fault, detail, us)) = fault_of(record, seat) else {
        wrong(false, "it got no fault".into());
        return complaints;
    };
    if !bot.gets.iter().any(|due| due.is(fault, detail)) {
        // How a bot ended is not known in time either, where nobody could look.
        let unknown = fault == "closed" && !detail.contains("exited");
        wrong(
            fault == "late" || unknown,
            format!("it got {fault}: {detail}"),
        );
    }
    let took = Duration::from_micros(us);
    let most = bot.within.min(deadline(record, seat)) + GRACE;
    if took > most {
        wrong(true, format!("it took {took:?}, and {most:?} is the most"));
    }
    complaints
}

/// How long a bot had when it was at fault.
fn deadline(record: &Record, seat: usize) -> Duration {
    let mut had = START;
    for (_, line) in &record.lines {
        match line {
            Line::Ready(ready) if usize::from(ready.seat) == seat => {
                had = START.saturating_sub(Duration::from_micros(ready.us)) + MOVE;
            }
            Line::Acts { acts } if acts.iter().any(|act| usize::from(act.seat) == seat) => {
                had = MOVE;
            }
            _ => {}
        }
    }
    had
}
