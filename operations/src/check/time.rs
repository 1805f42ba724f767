//! How long a bot takes, and what else it uses.

use std::fs;
use std::time::{Duration, Instant};

use flipside_games::words::counted;
use flipside_protocol::Pace;
use flipside_sandbox::{IDLE_ALLOWANCE, ProgramKind};

use crate::check::context::CheckContext;
use crate::check::conversation::{PATIENCE, StepResult};
use crate::check::outcome::CheckOutcome;
use crate::check::playout::play_turns;

/// The clocks that the times of moves are compared with, in milliseconds for each move.
const LADDER: [u64; 5] = [2_000, 1_000, 500, 100, 20];

/// A short and a long clock, in milliseconds.
const SHORT: u64 = 40;
const LONG: u64 = 5_000;

/// How many turns are measured.
const TURNS: usize = 12;

/// How long a bot is watched on the turns of others, after it had time to come to rest.
const SETTLE: Duration = Duration::from_millis(150);
const WATCHED: Duration = Duration::from_millis(400);

/// The system counts processor time in steps of 10 ms: what is less than two of them shows nothing.
const CPU_STEPS: Duration = Duration::from_millis(20);

pub(super) fn move_times(context: &mut CheckContext) -> StepResult {
    let us = context
        .times
        .iter()
        .flat_map(|times| times.us.iter().copied());
    let slowest = context
        .times
        .iter()
        .max_by_key(|times| times.us.iter().max());
    let game = slowest.map_or("", |times| times.game);
    Ok(judge_times(us.collect(), game, context.clock.pace))
}

/// What is said of these times of moves, of which the longest was at this game.
fn judge_times(mut us: Vec<u64>, game: &str, pace: Pace) -> CheckOutcome {
    us.sort_unstable();
    let Some(&worst) = us.last() else {
        return CheckOutcome::skipped("no match was over in its time");
    };
    let found = format!(
        "median {:.1} ms, worst {:.1} ms (at {game}) of {}",
        ms(us[us.len() / 2]),
        ms(worst),
        counted(us.len() as u64, "move")
    );
    let Pace::Move(each) = pace else {
        return CheckOutcome::ok(found);
    };
    let allowed = u64::try_from(each.as_micros()).unwrap_or(u64::MAX);
    match worst > allowed / 2 {
        true => CheckOutcome::warning(found)
            .advise("leave some of the time: a busy machine is slower than this one"),
        false => CheckOutcome::ok(found),
    }
}

pub(super) fn several_clocks(context: &mut CheckContext) -> StepResult {
    let worst = context.times.iter().flat_map(|times| &times.us).max();
    Ok(match worst {
        None => CheckOutcome::skipped("no match was over in its time"),
        Some(&worst) => judge_slowest(worst),
    })
}

/// What is said of the slowest move.
fn judge_slowest(worst: u64) -> CheckOutcome {
    let in_time = LADDER.iter().filter(|&&clock| worst <= clock * 1000);
    let in_time: Vec<String> = in_time.map(|clock| format!("move={clock}ms")).collect();
    if in_time.is_empty() {
        let found = format!(
            "its slowest move took {:.0} ms, too long for any usual clock",
            ms(worst)
        );
        return CheckOutcome::warning(found)
            .advise("read `clocks` in each turn: it says how many milliseconds each seat has");
    }
    CheckOutcome::ok(format!(
        "its slowest move is in time at {}",
        in_time.join(", ")
    ))
}

pub(super) fn reads_clocks(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        context.in_a_walk(game, 3, |conversation, playout, seat| {
            let mut took = |clock: u64| -> StepResult<Duration> {
                let line = conversation.turn_line(&mut *playout.table, seat, clock);
                conversation.turn_as(&line, &*playout.table, seat)?;
                Ok(conversation.took)
            };
            took(LONG)?;
            let (long, short) = (took(LONG)?, took(SHORT)?);
            let found = format!(
                "{:.1} ms with {LONG} ms on its clock, {:.1} ms with {SHORT} ms",
                ms_of(long),
                ms_of(short)
            );
            Ok(match short > Duration::from_millis(SHORT) {
                true => conversation
                    .warning(format!("late at a short clock: {found}"))
                    .advise("read `clocks` in each turn: the number at the index of your seat is your time in milliseconds"),
                false => conversation.ok(found),
            })
        })
    })
}

pub(super) fn processor(context: &mut CheckContext) -> StepResult {
    let (mut conversation, mut playout, seat) = context.first_turn()?;
    let before = conversation.bot().cpu();
    let begun = Instant::now();
    let turns = play_turns(&mut conversation, &mut playout, seat, TURNS)?
        .len()
        .max(1);
    let wall = begun.elapsed();
    let (Some(before), Some(after)) = (before, conversation.bot().cpu()) else {
        return Ok(CheckOutcome::skipped("this system does not tell"));
    };
    let cpu = after.saturating_sub(before);
    let found = format!("{:.1} ms of CPU time a move", ms_of(cpu) / turns as f64);
    Ok(match is_parallel(cpu, wall) {
        true => conversation
            .warning(format!("{found}, on several cores"))
            .advise("set the number of threads to one: matches that run at once share the cores"),
        false => conversation.ok(found),
    })
}

pub(super) fn memory(context: &mut CheckContext) -> StepResult {
    if context.program.kind() == ProgramKind::Module {
        return Ok(CheckOutcome::skipped(
            "a module cannot exceed its limit: to grow its memory fails",
        ));
    }
    let limit = context.sandbox.memory_of(&context.program);
    context.each_game(|context, game| {
        context.in_a_walk(game, 4, |conversation, playout, seat| {
            play_turns(conversation, playout, seat, TURNS)?;
            // In a process that has played before, the most that any of its matches took.
            let Some(peak) = conversation.bot().pid().and_then(peak_memory) else {
                return Ok(CheckOutcome::skipped("this system does not tell"));
            };
            let found = format!("{} MiB of {} MiB", peak >> 20, limit >> 20);
            Ok(match (peak > limit, peak > limit / 2) {
                (true, _) => conversation
                    .failed(format!("memory: {found}"))
                    .advise("`limits` in hello says how much there is; java -Xmx128m, node --max-old-space-size=128"),
                (_, true) => conversation
                    .warning(found)
                    .advise("`limits` in hello says how much there is; a bot that needs more is ended"),
                _ => conversation.ok(found),
            })
        })
    })
}

/// The most memory that a process had, in bytes, without its children.
fn peak_memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

pub(super) fn idle(context: &mut CheckContext) -> StepResult {
    if context.program.kind() == ProgramKind::Module {
        return Ok(CheckOutcome::skipped(
            "a module does not run on the turns of others",
        ));
    }
    let (mut conversation, mut playout, seat) = context.first_turn()?;
    conversation.turn(&mut *playout.table, seat)?;
    is_idle(&conversation, "on the turns of others")
}

pub(super) fn idle_between_matches(context: &mut CheckContext) -> StepResult {
    if context.program.kind() == ProgramKind::Module {
        return Ok(CheckOutcome::skipped(
            "a module is started anew for each match",
        ));
    }
    let (mut conversation, playout, _) = context.first_turn()?;
    if !conversation.ready.reuse {
        return Ok(CheckOutcome::skipped("it plays one match only"));
    }
    conversation.tell(&super::conversation::over_line(&*playout.table), PATIENCE);
    is_idle(&conversation, "between matches")
}

fn is_idle(conversation: &crate::check::conversation::Conversation, when: &str) -> StepResult {
    conversation.pause(SETTLE);
    let before = conversation.bot().cpu();
    conversation.pause(WATCHED);
    let (Some(before), Some(after)) = (before, conversation.bot().cpu()) else {
        return Ok(CheckOutcome::skipped("this system does not tell"));
    };
    let cpu = after.saturating_sub(before);
    let found = format!(
        "{} ms of CPU time in {} ms {when}",
        cpu.as_millis(),
        WATCHED.as_millis()
    );
    Ok(match cpu > CPU_STEPS.max(IDLE_ALLOWANCE) {
        true => conversation.failed(format!("it computes {when}: {found}")).advise(
            "block on reading the next line; stop background threads after each answer (--ponder on allows them)",
        ),
        false => conversation.ok(found),
    })
}

/// Whether so much processor time in so much time shows that several cores were used.
fn is_parallel(cpu: Duration, wall: Duration) -> bool {
    cpu > wall * 3 / 2 + CPU_STEPS
}

fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

fn ms_of(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use flipside_protocol::Clock;

    use super::*;
    use crate::check::outcome::CheckStatus::{Ok, Skipped, Warning};

    #[test]
    fn a_slow_move_is_told_with_the_clocks_that_it_fits() {
        let clock: Clock = "move=1s".parse().unwrap();
        let judged = |us: &[u64]| judge_times(us.to_vec(), "flip4", clock.pace);
        assert_eq!(judged(&[]).status, Skipped);
        assert_eq!(judged(&[500_000, 3, 2]).status, Ok);
        let slow = judged(&[500_001, 3_000, 2]);
        assert_eq!(slow.status, Warning);
        assert_eq!(
            slow.found,
            "median 3.0 ms, worst 500.0 ms (at flip4) of 3 moves"
        );
        let bank: Clock = "1s+1s".parse().unwrap();
        assert_eq!(judge_times(vec![900_000], "flip4", bank.pace).status, Ok);
        let fits = judge_slowest(500_001);
        assert_eq!(
            fits.found,
            "its slowest move is in time at move=2000ms, move=1000ms"
        );
        assert_eq!(judge_slowest(2_000_001).status, Warning);
    }

    #[test]
    fn only_more_processor_time_than_one_core_has_is_parallel() {
        let ms = Duration::from_millis;
        assert!(!is_parallel(ms(100), ms(100)));
        assert!(!is_parallel(ms(20), ms(1)));
        assert!(is_parallel(ms(200), ms(100)));
    }
}
