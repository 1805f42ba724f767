//! The range of every field of a record that the rules of the game do not determine: names, hashes, limits,
//! times, lengths. The records of every released version are within these ranges.
//!
//! Each function takes its line apart without `..`, so that a new field cannot go without a range.

use std::time::Duration;

use flipside_protocol::{
    ClockUnit, FUEL_PER_US, LONGEST_NAME, LONGEST_NOTE, LONGEST_REASON, Limits, MAX_PAUSES,
};
use flipside_sandbox::{Isolation, MAX_STRETCH, MIN_STRETCH, ProgramKind, STDERR_TAIL};

use crate::answer::MIN_RUN_DELAY;
use crate::clock::micros;
use crate::fault::{FaultKind, LONGEST_EVIDENCE};
use crate::match_setup::PERSON;
use crate::pauses::Paused;
use crate::record::{
    ActLine, FaultLine, Header, LONGEST_RECORD_LINE, NOTES_QUOTA, NoteQuota, OverLine, ReadyLine,
    SeatLine,
};
use crate::signature::is_hex;

/// The longest id of a match, in bytes. The longest that a tournament gives has 85.
pub const LONGEST_ID: usize = 128;

/// The longest name of a bot or a person in a record, in bytes: a file's name has 255, and each byte that is no
/// text takes three.
pub const LONGEST_SEAT_NAME: usize = 1024;

/// The longest version of this program in a record, in bytes.
const LONGEST_VERSION: usize = 64;

/// The most characters of the name of a class of machines.
const LONGEST_MACHINE: usize = 32;

/// The shortest line that a bot may have been limited to, in bytes.
const SHORTEST_LINE_LIMIT: u64 = 1024;

/// The least and the most memory that a bot may have been limited to, in bytes: a page of a module, and 1 TiB.
const MEMORY_LIMIT: std::ops::RangeInclusive<u64> = 64 * 1024..=1 << 40;

/// The longest description of a fault, in bytes: a whole line of a bot with every character escaped.
pub const LONGEST_DETAIL: usize = 512 * 1024;

/// The most that a record holds of a bot's standard error, in bytes: where it is not text, each byte takes three,
/// and a mark says that the beginning is missing.
const LONGEST_STDERR: usize = 3 * STDERR_TAIL + "…".len();

/// How much longer than that a machine may stand still while a bot is asked and the match counts, which is when
/// the referee stands still with it.
const LONGEST_STANDSTILL: Duration = Duration::from_secs(60 * 60);

/// On how many processors a bot may have computed at once.
pub const MAX_PROCESSORS: u64 = 1024;

/// How exactly the kernel tells what processes have used.
const CPU_STEP: Duration = Duration::from_millis(20);

/// Who sat on a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeatKind {
    Bot(ProgramKind),
    Person,
}

/// When a bot was asked, and what it had then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskContext {
    pub(crate) kind: SeatKind,
    /// What its clock counts.
    pub(crate) unit: ClockUnit,
    /// Whether it was asked to be ready.
    pub(crate) starting: bool,
    pub(crate) allowance_us: u64,
    /// How long its clock might stand still; nothing where it might not.
    pub(crate) patience_us: Option<u64>,
}

type RangeCheck = Result<(), String>;

/// Says what is wrong where something does not hold.
pub(crate) fn ensure(holds: bool, what: impl FnOnce() -> String) -> RangeCheck {
    match holds {
        true => Ok(()),
        false => Err(what()),
    }
}

/// Who sat on each seat, if all of the header is within its range.
pub(crate) fn header(header: &Header) -> Result<Vec<SeatKind>, String> {
    // The game, its options, the clock, the opening, and the number of seats are looked at where they are used; the
    // patience has its range;
    // the commitment is that of the seed and the number.
    let Header {
        kind: _,
        format: _,
        flipside,
        id,
        game: _,
        game_sha256,
        options: _,
        clock,
        metering,
        machine,
        limits: Limits { line, memory },
        isolation,
        ponder: _,
        opening_plies: _,
        patience: _,
        seats,
        number: _,
        commitment,
    } = header;
    ensure(is_version(flipside), || {
        format!("{flipside:?} is not a version of flipside")
    })?;
    ensure(is_id(id), || format!("{id:?} is not the id of a match"))?;
    ensure(
        (SHORTEST_LINE_LIMIT..=LONGEST_RECORD_LINE as u64).contains(line),
        || format!("no bot is limited to lines of {line} bytes"),
    )?;
    ensure(*memory == 0 || MEMORY_LIMIT.contains(memory), || {
        format!("no bot is limited to {memory} bytes of memory")
    })?;
    ensure(
        [Isolation::Trust.name(), JAIL].contains(&isolation.as_str()),
        || format!("isolation is {JAIL:?} or \"trust\", not {isolation:?}"),
    )?;
    ensure(game_sha256.as_deref().is_none_or(is_hash), || {
        "the hash of the game's program is not 64 lower-case hexadecimal digits".into()
    })?;
    ensure(is_hash(commitment), || {
        "the commitment is not 64 lower-case hexadecimal digits".into()
    })?;
    let kind = |(number, seat): (usize, &SeatLine)| {
        let unit = seat.settings.clock.unwrap_or(*clock).unit;
        let kind = seat_memory(seat, *memory).and_then(|()| clocked_kind(seat, unit));
        kind.map_err(|what| format!("seat {number}: {what}"))
    };
    let kinds: Vec<_> = (seats.iter().enumerate().map(kind)).collect::<Result<_, String>>()?;
    let counts_fuel =
        |&(kind, unit): &(SeatKind, ClockUnit)| unit == ClockUnit::Fuel && kind != SeatKind::Person;
    let is_metered = kinds.iter().any(counts_fuel);
    let fits = metering.as_ref().map(|metering| is_metering(metering));
    ensure(fits == is_metered.then_some(true), || match metering {
        Some(metering) => format!("the metering {metering:?} does not fit the clocks"),
        None => "a clock counts fuel, and the metering is missing".into(),
    })?;
    let is_timed = !header.counts_only_fuel();
    let fits = |machine: &String| is_timed && is_machine(machine);
    ensure(machine.as_ref().is_none_or(fits), || {
        format!("the machine {machine:?} has no name, or no clock counts time")
    })?;
    Ok(kinds.into_iter().map(|(kind, _)| kind).collect())
}

/// How a record names what a jail is: [`Isolation::name`] of any.
const JAIL: &str = "jail";

/// Looks at the memory of a seat, where all bots might use so much.
fn seat_memory(seat: &SeatLine, of_all: u64) -> RangeCheck {
    let given = seat.given_memory(of_all);
    let asks_for_less = |memory| MEMORY_LIMIT.contains(&memory) && memory < given;
    ensure(seat.memory.is_none_or(asks_for_less), || {
        let memory = seat.memory.unwrap_or_default();
        format!("{memory} bytes of memory is not less than {given}, or no limit")
    })
}

/// Who sat on a seat whose clock counts this, with what it counts.
fn clocked_kind(seat: &SeatLine, unit: ClockUnit) -> Result<(SeatKind, ClockUnit), String> {
    match (seat_kind(seat)?, unit) {
        (SeatKind::Bot(ProgramKind::Process), ClockUnit::Fuel) => {
            Err("the clock of a process counts no fuel".into())
        }
        (kind, unit) => Ok((kind, unit)),
    }
}

fn seat_kind(seat: &SeatLine) -> Result<SeatKind, String> {
    let SeatLine {
        bot,
        kind,
        sha256,
        settings,
        memory: _,
    } = seat;
    settings.check().map_err(|error| error.to_string())?;
    let fits = (1..=LONGEST_SEAT_NAME).contains(&bot.len())
        && !bot.contains(steers)
        && !bot.trim().is_empty();
    ensure(fits, || format!("{bot:?} is not the name of a bot"))?;
    let found = match (kind.as_str(), kind.parse()) {
        (PERSON, _) => SeatKind::Person,
        (_, Ok(kind)) => SeatKind::Bot(kind),
        (_, Err(_)) => return Err(format!("there is no kind {kind:?}")),
    };
    let hash = match found {
        SeatKind::Bot(_) => is_hash(sha256),
        SeatKind::Person => sha256.is_empty(),
    };
    ensure(hash, || {
        format!("{sha256:?} is not the SHA-256 of a {kind}")
    })?;
    Ok(found)
}

/// A name as a record may have it, of a name that somebody typed or gave to a file.
pub(crate) fn seat_name(name: &str) -> String {
    let plain = |c: char| match steers(c) {
        true => '\u{fffd}',
        false => c,
    };
    let mut fitting: String = name.chars().map(plain).collect();
    fitting.truncate(fitting.floor_char_boundary(LONGEST_SEAT_NAME));
    match fitting.trim().is_empty() {
        true => "unnamed".into(),
        false => fitting,
    }
}

/// Whether a character could steer a terminal, turn its reading direction, break lines elsewhere, or be there without
/// being seen: controls, separators, what Unicode calls ignorable by default, and marks of annotations.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

pub(crate) fn ready(line: &ReadyLine, asked: &AskContext) -> RangeCheck {
    // The seat and the time are judged by the course of the match.
    let ReadyLine {
        seat,
        name,
        version,
        actions,
        events,
        us,
        fuel,
    } = line;
    if asked.kind == SeatKind::Person {
        let at_once = name.is_none() && version.is_none() && !actions && !events && *us == 0;
        let at_once = at_once && fuel.is_none();
        return ensure(at_once, || {
            format!("seat {seat} is a person's, who says and takes nothing to be ready")
        });
    }
    let fits = |text: &Option<String>| text.as_ref().is_none_or(|text| text.len() <= LONGEST_NAME);
    ensure(fits(name) && fits(version), || {
        format!("the name or the version of seat {seat} is over {LONGEST_NAME} bytes long")
    })?;
    fuel_is_time(asked, *us, *fuel)
}

/// Whether the time of an answer is that of its fuel, if the clock counts fuel.
fn fuel_is_time(asked: &AskContext, us: u64, fuel: Option<u64>) -> RangeCheck {
    match (asked.unit, fuel) {
        (ClockUnit::Time, None) => Ok(()),
        (ClockUnit::Time, Some(_)) => Err("its clock counts time, and its fuel is there".into()),
        (ClockUnit::Fuel, None) => Err("its clock counts fuel, which is missing".into()),
        (ClockUnit::Fuel, Some(fuel)) => ensure(fuel.div_ceil(FUEL_PER_US) == us, || {
            format!("{us} µs is not the time of {fuel} units of fuel")
        }),
    }
}

/// An action that the rules and the clock allow.
pub(crate) fn act(act: &ActLine, asked: &AskContext) -> RangeCheck {
    let ActLine {
        seat: _,
        action: _,
        us,
        wall_us,
        cpu_us,
        fuel,
        paused,
        note,
    } = act;
    let others = wall_us.is_some() || cpu_us.is_some() || fuel.is_some() || paused.is_some();
    let Some(us) = *us else {
        let by_bot = others || note.is_some();
        return ensure(!by_bot, || {
            "the referee acted, which takes no time and notes nothing".into()
        });
    };
    if asked.kind == SeatKind::Person {
        let plain = us == 0 && !others && note.is_none();
        return ensure(plain, || "a person has no clock and notes nothing".into());
    }
    let fits = note.as_ref().is_none_or(|note| note.len() <= LONGEST_NOTE);
    ensure(fits, || {
        format!("its note is over {LONGEST_NOTE} bytes long")
    })?;
    fuel_is_time(asked, us, *fuel)?;
    let paused_us = pauses(asked, paused.as_ref())?;
    times(asked, (us, paused_us), *wall_us, *cpu_us, true)
}

/// How long a clock stood still, in microseconds, if a bot can have paused so.
fn pauses(asked: &AskContext, paused: Option<&Paused>) -> Result<u64, String> {
    let Some(Paused { times, us, reason }) = paused else {
        return Ok(0);
    };
    let patience_us = asked.patience_us;
    let patience_us = patience_us.ok_or("it paused, and it might not".to_owned())?;
    ensure(*us <= patience_us, || {
        format!("its clock stood still for {us} µs of {patience_us} µs")
    })?;
    ensure((1..=MAX_PAUSES).contains(times), || {
        format!("nobody pauses {times} times before an answer")
    })?;
    let fits = reason
        .as_ref()
        .is_none_or(|reason| reason.len() <= LONGEST_REASON);
    ensure(fits, || {
        format!("the reason of its pause is over {LONGEST_REASON} bytes long")
    })?;
    Ok(*us)
}

/// The texts of an action, after those before it.
pub(crate) fn note(act: &ActLine, notes: &mut NoteQuota) -> RangeCheck {
    let reason = (act.paused.as_ref()).and_then(|paused| paused.reason.as_deref());
    let texts = (reason, act.note.as_deref());
    ensure(notes.kept(act.seat, texts) == texts, || {
        format!("its notes are over {NOTES_QUOTA} bytes long together")
    })
}

pub(crate) fn fault(fault: &FaultLine, asked: &AskContext) -> RangeCheck {
    let FaultLine {
        seat: _,
        fault: kind,
        detail,
        us,
        wall_us,
        cpu_us,
        fuel,
        paused,
        evidence,
        stderr,
    } = fault;
    ensure((1..=LONGEST_DETAIL).contains(&detail.len()), || {
        format!("its detail is not 1 to {LONGEST_DETAIL} bytes long")
    })?;
    ensure(stderr.len() <= LONGEST_STDERR, || {
        format!("the end of its standard error is over {LONGEST_STDERR} bytes long")
    })?;
    let evidence_length = evidence.as_ref().map_or(0, String::len);
    ensure(evidence_length <= LONGEST_EVIDENCE, || {
        format!("its evidence is over {LONGEST_EVIDENCE} bytes long")
    })?;
    let answered = match kind {
        FaultKind::Malformed | FaultKind::Illegal | FaultKind::Unasked => true,
        FaultKind::Late
        | FaultKind::Closed
        | FaultKind::Crashed
        | FaultKind::TooLong
        | FaultKind::NotText
        | FaultKind::Memory
        | FaultKind::Forfeit => false,
    };
    ensure(answered || evidence.is_none(), || {
        format!("no line of a bot shows that it was {kind}")
    })?;
    ensure(*kind != FaultKind::Illegal || !asked.starting, || {
        "nobody acts before the match begins".into()
    })?;
    // A bot that is used again may have written before it was greeted; then no time had begun.
    let early = !asked.starting || *us == 0;
    ensure(
        *kind != FaultKind::Unasked || evidence.is_some() || early,
        || "the line that was not asked for is not there".into(),
    )?;
    let by_hand = asked.kind == SeatKind::Person;
    ensure(!by_hand || answered || *kind == FaultKind::Closed, || {
        format!("a person cannot be {kind}")
    })?;
    if by_hand || *kind == FaultKind::Forfeit {
        let measured = *us > 0 || wall_us.is_some() || cpu_us.is_some() || fuel.is_some();
        let measured = measured || paused.is_some();
        return ensure(!measured && stderr.is_empty(), || {
            "no bot was asked, and its time or its standard error is there".into()
        });
    }
    let in_time = !answered || asked.starting || *us <= asked.allowance_us;
    ensure(in_time, || format!("{us} µs would be late, not {kind}"))?;
    fault_fuel(*kind, asked, *us, *fuel)?;
    // What counts as the time of a bot that is late, or starts, has other parts than its answer.
    let ordered = *kind != FaultKind::Late && !asked.starting;
    let paused_us = pauses(asked, paused.as_ref())?;
    times(asked, (*us, paused_us), *wall_us, *cpu_us, ordered)
}

/// Whether a bot with a fault can have used this fuel.
fn fault_fuel(kind: FaultKind, asked: &AskContext, us: u64, fuel: Option<u64>) -> RangeCheck {
    match (kind, fuel) {
        // It has used all, or waited without using all, which counts as the same time.
        (FaultKind::Late, Some(fuel)) => {
            let most = asked.allowance_us.saturating_mul(FUEL_PER_US);
            let fits = asked.unit == ClockUnit::Fuel && us == asked.allowance_us && fuel <= most;
            ensure(fits, || {
                format!("{us} µs and {fuel} units of fuel are not late")
            })
        }
        // It was not asked.
        (FaultKind::Unasked, None) if us == 0 => Ok(()),
        (_, fuel) => fuel_is_time(asked, us, fuel),
    }
}

/// Whether these can be the times of one answer, in microseconds, of which the second is that of its pauses; `ordered`:
/// the time by the clock on the wall is then more than what counts.
fn times(
    asked: &AskContext,
    (us, paused_us): (u64, u64),
    wall_us: Option<u64>,
    cpu_us: Option<u64>,
    ordered: bool,
) -> RangeCheck {
    let measures = wall_us.is_some() || cpu_us.is_some();
    ensure(asked.unit == ClockUnit::Time || !measures, || {
        "a clock that counts fuel measures no time".into()
    })?;
    let stretched = asked.allowance_us.saturating_mul(u64::from(MAX_STRETCH));
    let most = stretched
        .max(micros(MIN_STRETCH))
        .saturating_add(micros(LONGEST_STANDSTILL));
    ensure(us <= most, || format!("no answer takes {us} µs"))?;
    if let Some(wall_us) = wall_us {
        ensure(wall_us <= most, || {
            format!("no answer takes {wall_us} µs by the clock on the wall")
        })?;
        let least = micros(MIN_RUN_DELAY);
        ensure(!ordered || wall_us.saturating_sub(us) >= least, || {
            format!(
                "of {wall_us} µs by the clock on the wall, {us} µs count, and {least} µs or more are missing"
            )
        })?;
    }
    if let Some(cpu_us) = cpu_us {
        ensure(asked.kind == SeatKind::Bot(ProgramKind::Process), || {
            "a module's time on the processors is what counts, and is not told".into()
        })?;
        let wall_us = wall_us.unwrap_or(0).max(us) + micros(MIN_RUN_DELAY) + micros(CPU_STEP);
        let wall_us = wall_us.saturating_add(paused_us);
        let most = wall_us.saturating_mul(MAX_PROCESSORS);
        ensure(cpu_us <= most, || {
            format!("nobody uses {cpu_us} µs of processors in {wall_us} µs")
        })?;
    }
    Ok(())
}

pub(crate) fn over(over: &OverLine) -> RangeCheck {
    // All else follows from the rules.
    let OverLine {
        points: _,
        places: _,
        reason: _,
        plies: _,
        seed,
    } = over;
    ensure(is_hash(seed), || {
        "the seed is not 64 lower-case hexadecimal digits".into()
    })
}

/// Whether it is 32 bytes as this program writes them.
fn is_hash(text: &str) -> bool {
    is_hex(text, 32)
}

fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=LONGEST_ID).contains(&text.len())
        && text.bytes().all(fits)
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
}

/// Whether it could name what fuel is: the engine and the version of its prices.
fn is_metering(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    (1..=LONGEST_VERSION).contains(&text.len()) && text.bytes().all(fits)
}

/// Whether it could name a class of machines.
pub fn is_machine(text: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    (1..=LONGEST_MACHINE).contains(&text.len()) && text.bytes().all(fits)
}

/// Whether it is a version as Cargo has it.
fn is_version(text: &str) -> bool {
    text.len() <= LONGEST_VERSION && semver::Version::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot_settings::BotSettings;

    #[test]
    fn a_name_that_somebody_typed_fits_into_a_record() {
        let long = "ä".repeat(LONGEST_SEAT_NAME);
        for (typed, fits) in [
            ("greedy@2", "greedy@2".to_owned()),
            ("a\nb\x1b[2J", "a\u{fffd}b\u{fffd}[2J".to_owned()),
            ("\u{202e}a", "\u{fffd}a".to_owned()),
            ("", "unnamed".to_owned()),
            (" ", "unnamed".to_owned()),
            (&long, "ä".repeat(LONGEST_SEAT_NAME / 2)),
        ] {
            assert_eq!(seat_name(typed), fits);
            let seat = SeatLine {
                bot: seat_name(typed),
                kind: PERSON.into(),
                sha256: String::new(),
                settings: BotSettings::default(),
                memory: None,
            };
            assert_eq!(seat_kind(&seat), Ok(SeatKind::Person));
        }
    }

    #[test]
    fn a_seat_can_have_been_limited_to_less_memory_and_never_to_more() {
        let fits = |memory, own: Option<&str>, of_all| {
            let seat = SeatLine {
                bot: "greedy".into(),
                kind: PERSON.into(),
                sha256: String::new(),
                settings: BotSettings {
                    memory: own.map(|size| size.parse().unwrap()),
                    ..BotSettings::default()
                },
                memory,
            };
            seat_memory(&seat, of_all).is_ok()
        };
        assert!(fits(None, None, 0) && fits(None, Some("1G"), 1 << 28));
        assert!(fits(Some(1 << 27), None, 1 << 28) && !fits(Some(1 << 28), None, 1 << 28));
        assert!(
            fits(Some(1 << 28), Some("1G"), 1 << 28) && !fits(Some(1 << 27), Some("1M"), 1 << 28)
        );
        assert!(!fits(Some(1), None, 1 << 28));
    }

    #[test]
    fn the_notes_of_a_seat_have_a_quota() {
        let mut notes = NoteQuota::default();
        let act = |seat, note: &str| ActLine {
            seat,
            action: "a1".into(),
            us: Some(1),
            wall_us: None,
            cpu_us: None,
            fuel: None,
            paused: None,
            note: Some(note.into()),
        };
        // JSON writes each of these characters in six bytes.
        let long = act(0, &"\u{1}".repeat(LONGEST_NOTE));
        let fit = NOTES_QUOTA / crate::record::note_length(long.note.as_deref().unwrap());
        assert!((700..800).contains(&fit));
        for _ in 0..fit {
            assert_eq!(super::note(&long, &mut notes), Ok(()));
        }
        let refused = super::note(&long, &mut notes).unwrap_err();
        assert!(refused.contains("notes"), "{refused}");
        assert_eq!(super::note(&act(1, "hm"), &mut notes), Ok(()));
    }

    #[test]
    fn a_version_is_one_of_cargos() {
        for text in ["0.1.0", "12.0.3", "1.0.0-rc.1", "1.0.0+linux"] {
            assert!(is_version(text), "{text}");
        }
        for text in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "1..0",
            "v1.0.0",
            "1.0.0 ",
            "1.0.x",
            "00.01.000",
            "1.0.0+",
            &"1".repeat(99),
        ] {
            assert!(!is_version(text), "{text}");
        }
    }
}
