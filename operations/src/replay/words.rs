//! A replay in words, for a terminal and for pages.

use std::fmt::Write as _;

use flipside_games::words::counted;
use flipside_games::{Seat, Viewer};
use flipside_report::plain_line;
use flipside_report::words::{TRUSTED, points};

use super::parts::{MatchReplay, ReplayAct, ReplayFault, ReplayReady, ReplayStep, StepKind};

/// A time as milliseconds, with a precision that helps: `0.123 ms`.
pub fn in_ms(us: u64) -> String {
    format!("{:.3} ms", us as f64 / 1000.0)
}

impl MatchReplay {
    /// The game, the clock and the seats, in lines.
    pub fn heading(&self) -> String {
        let header = &self.header;
        let mut text = format!(
            "{}\n",
            plain_line(&format!(
                "{} {}, clock {}",
                header.game, header.id, header.clock
            ))
        );
        for seat in &header.seats {
            let _ = writeln!(
                text,
                "seat {}: {}",
                seat.seat,
                plain_line(&format!("{} ({})", seat.bot, seat.kind))
            );
        }
        if let Some(warning) = self.warning() {
            let _ = writeln!(text, "{warning}");
        }
        text
    }

    /// What people should know about how the match was played.
    pub fn warning(&self) -> Option<&'static str> {
        (self.header.isolation == "trust").then_some(TRUSTED)
    }

    /// What happened in a step, in lines; nothing for the start and the end.
    pub fn told(&self, step: &ReplayStep) -> String {
        let ply = step.ply;
        match step.kind {
            StepKind::Start | StepKind::Over => String::new(),
            StepKind::Ready => step.ready.as_ref().map(ready_line).unwrap_or_default(),
            StepKind::Opening => {
                let heading = format!("opening, drawn from the seed: {}\n", counted(ply, "ply"));
                let acts = step.acts.iter().map(|act| act_line(act, false));
                heading + &acts.collect::<String>()
            }
            StepKind::Chance => match step.chance.as_ref().and_then(|it| it.event.as_ref()) {
                Some(event) => format!("chance: {}\n", plain_line(event.get())),
                None => "chance\n".into(),
            },
            StepKind::Acts => {
                let acts = step.acts.iter().map(|act| act_line(act, true));
                format!("ply {ply}\n{}", acts.collect::<String>())
            }
            StepKind::Fault => step.fault.as_ref().map(fault_line).unwrap_or_default(),
        }
    }

    /// Why the match ended, and the places, in lines.
    pub fn ending(&self) -> String {
        let header = &self.header;
        let mut text = format!(
            "over after {}: {}\n",
            counted(header.plies, "ply"),
            plain_line(&header.reason)
        );
        for seat in &header.seats {
            let _ = writeln!(
                text,
                "place {}: seat {}, {}, points {}",
                seat.place,
                seat.seat,
                plain_line(&seat.bot),
                points(seat.points)
            );
        }
        text
    }

    /// The name of a seat's bot, with the seat if another has the same; the number of a seat that is not there.
    pub fn bot(&self, seat: Seat) -> String {
        let seats = &self.header.seats;
        let Some(found) = seats.get(usize::from(seat)) else {
            return format!("seat {seat}");
        };
        match seats.iter().filter(|one| one.bot == found.bot).count() {
            1 => found.bot.clone(),
            _ => format!("{} (seat {seat})", found.bot),
        }
    }

    /// What happened in a step, in one sentence. It holds texts of bots as they are.
    pub fn sentence(&self, step: &ReplayStep) -> String {
        match step.kind {
            StepKind::Start => "The match begins".into(),
            StepKind::Ready => match &step.ready {
                Some(ready) => format!("{} is ready", self.bot(ready.seat)),
                None => String::new(),
            },
            StepKind::Opening => format!("{} drawn as the opening", counted(step.ply, "ply")),
            StepKind::Chance => match step.chance.as_ref().and_then(|it| it.words.as_ref()) {
                Some(words) => format!("Chance: {words}"),
                None => "Chance, hidden".into(),
            },
            StepKind::Acts => {
                let acts = step.acts.iter().map(|act| {
                    let words = act.words.as_deref().unwrap_or("acts, hidden");
                    let by = if act.stand_in { " (stand-in)" } else { "" };
                    format!("{}{by} {words}", self.bot(act.seat))
                });
                acts.collect::<Vec<_>>().join("; ")
            }
            StepKind::Fault => match &step.fault {
                Some(fault) => format!("Fault of {}: {}", self.bot(fault.seat), fault_words(fault)),
                None => String::new(),
            },
            StepKind::Over => format!("Over: {}", self.result()),
        }
    }

    /// Who won and why, in words: `greedy@1 wins: line`.
    pub fn result(&self) -> String {
        let header = &self.header;
        let first = header.seats.iter().filter(|seat| seat.place == 1);
        let first: Vec<String> = first.map(|seat| self.bot(seat.seat)).collect();
        match &first[..] {
            [one] => format!("{one} wins: {}", header.reason),
            _ if first.len() == header.seats.len() => format!("draw: {}", header.reason),
            _ => format!("{} win: {}", first.join(" and "), header.reason),
        }
    }

    /// Names a viewer: `everything`, `the public`, `seat 0, greedy@1`.
    pub fn viewer_in_words(&self, viewer: Viewer) -> String {
        match viewer {
            Viewer::Open => "everything".into(),
            Viewer::Public => "the public".into(),
            Viewer::Seat(seat) => match self.header.seats.get(usize::from(seat)) {
                Some(found) => format!("seat {seat}, {}", found.bot),
                None => format!("seat {seat}"),
            },
        }
    }
}

fn ready_line(ready: &ReplayReady) -> String {
    format!(
        "seat {} is ready: {} {}\n",
        ready.seat,
        plain_line(ready.name.as_deref().unwrap_or("a bot without a name")),
        plain_line(ready.version.as_deref().unwrap_or(""))
    )
}

fn act_line(act: &ReplayAct, is_timed: bool) -> String {
    let action = act.action.as_deref().unwrap_or("(hidden)");
    let mut text = format!("seat {}: {}", act.seat, plain_line(action));
    if is_timed {
        let _ = match act.us {
            Some(us) => write!(text, "  ({})", in_ms(us)),
            None => write!(text, "  (the referee, for a disqualified bot)"),
        };
    }
    if let Some(paused) = act.paused.as_ref().filter(|_| is_timed) {
        let _ = write!(text, "  ({})", plain_line(&paused.to_string()));
    }
    if let Some(note) = &act.note {
        let _ = write!(text, "  \"{}\"", plain_line(note));
    }
    text.push('\n');
    text
}

fn fault_line(fault: &ReplayFault) -> String {
    format!(
        "seat {} falls: {}\n",
        fault.seat,
        plain_line(&fault_words(fault))
    )
}

fn fault_words(fault: &ReplayFault) -> String {
    match &fault.detail {
        Some(detail) => format!("{}: {detail}", fault.fault),
        None => fault.fault.clone(),
    }
}
