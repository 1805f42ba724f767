//! What each seat has learnt since it was asked last: the events of a turn.

use std::collections::VecDeque;
use std::io::Write;

use flipside_games::{Seat, Seats, Table, Viewer};
use flipside_protocol::LONGEST_EVENTS;

use crate::event::{Listener, MatchEvent};
use crate::fault::FaultKind;

/// The events are kept within this; the rest is room for the number of those that were left out.
const ROOM: usize = LONGEST_EVENTS - 64;

/// What the seats of a match have learnt since each was asked last.
pub struct EventLog(Vec<SeatEvents>);

/// What one seat has learnt since it was asked last.
#[derive(Default)]
struct SeatEvents {
    /// Whether its bot wants to know; nothing before it is ready.
    wanted: Option<bool>,
    /// The events as JSON, one behind the other.
    json: VecDeque<u8>,
    /// The length of each.
    lengths: VecDeque<usize>,
    /// How many older ones were left out.
    missed: u64,
}

impl SeatEvents {
    fn learn(&mut self, event: &[u8]) {
        self.json.extend(event);
        self.lengths.push_back(event.len());
        // Commas and brackets count, too.
        while self.json.len() + self.lengths.len() + 1 > ROOM {
            let Some(oldest) = self.lengths.pop_front() else {
                return;
            };
            self.json.drain(..oldest);
            self.missed += 1;
        }
    }

    /// Writes the list, and begins a new one.
    fn write(&mut self, out: &mut Vec<u8>) {
        let mut separator = b'[';
        if self.missed > 0 {
            write!(out, "[{{\"missed\":{}}}", self.missed).expect("a vector takes everything");
            separator = b',';
        }
        let mut json = self.json.drain(..);
        for length in self.lengths.drain(..) {
            out.push(separator);
            separator = b',';
            out.extend(json.by_ref().take(length));
        }
        if separator == b'[' {
            out.push(b'[');
        }
        out.push(b']');
        self.missed = 0;
    }
}

impl EventLog {
    /// Nobody has learnt anything, of so many seats.
    pub fn new(seats: usize) -> Self {
        EventLog((0..seats).map(|_| SeatEvents::default()).collect())
    }

    /// A bot is ready, and wants to learn events or not.
    pub fn wants(&mut self, seat: Seat, events: bool) {
        if let Some(of_seat) = self.0.get_mut(usize::from(seat)) {
            of_seat.wanted = Some(events);
            if !events {
                of_seat.json.clear();
                of_seat.lengths.clear();
            }
        }
    }

    fn is_wanted(&self) -> bool {
        self.0.iter().any(|of_seat| of_seat.wanted != Some(false))
    }

    /// Lets each seat that wants it learn an event, which `write` writes as far as `sees` says that the seat sees it.
    /// Seats in a row that see the same learn what was written once.
    fn tell<S: PartialEq>(&mut self, sees: impl Fn(Seat) -> S, write: impl Fn(&S, &mut Vec<u8>)) {
        let mut json = Vec::new();
        let mut written = None;
        for (seat, of_seat) in (0..).zip(&mut self.0) {
            if of_seat.wanted != Some(false) {
                let seen = sees(seat);
                if written.as_ref() != Some(&seen) {
                    json.clear();
                    write(&seen, &mut json);
                    written = Some(seen);
                }
                of_seat.learn(&json);
            }
        }
    }

    /// Chance did this, at the table as it is afterwards.
    pub fn chance(&mut self, event: &str, table: &dyn Table) {
        let sees = |seat| table.sees_chance(Viewer::Seat(seat), event);
        self.tell(sees, |&seen, out| {
            let event = if seen { event } else { "null" };
            write!(out, "{{\"chance\":{event}}}").expect("a vector takes everything");
        });
    }

    /// These seats acted, together, at the table as it is afterwards.
    pub fn acts(&mut self, acts: &[(Seat, &str)], table: &dyn Table) {
        let sees = |viewer| -> Seats {
            let seen = acts
                .iter()
                .filter(|&&(seat, action)| table.sees_action(Viewer::Seat(viewer), seat, action));
            seen.map(|&(seat, _)| seat).collect()
        };
        self.tell(sees, |seen, out| {
            out.extend_from_slice(b"{\"acts\":");
            let mut separator = '[';
            for &(seat, action) in acts {
                write!(out, "{separator}{{\"seat\":{seat}").expect("a vector takes everything");
                separator = ',';
                if seen.contains(seat) {
                    out.extend_from_slice(b",\"action\":");
                    serde_json::to_writer(&mut *out, action).expect("a text is JSON");
                }
                out.push(b'}');
            }
            out.extend_from_slice(b"]}");
        });
    }

    /// A bot is disqualified.
    pub(crate) fn fault(&mut self, seat: Seat, kind: FaultKind) {
        self.tell(
            |_| (),
            |(), out| {
                let name = kind.name();
                write!(
                    out,
                    "{{\"fault\":{{\"seat\":{seat},\"fault\":\"{name}\"}}}}"
                )
                .expect("a vector takes everything");
            },
        );
    }

    /// Appends what a seat has learnt since this was asked last, as a JSON array. Says whether its bot wants it; if
    /// not, nothing is appended.
    pub fn write(&mut self, seat: Seat, out: &mut Vec<u8>) -> bool {
        match self.0.get_mut(usize::from(seat)) {
            Some(of_seat) if of_seat.wanted == Some(true) => {
                of_seat.write(out);
                true
            }
            _ => false,
        }
    }
}

impl Listener for EventLog {
    fn hear(&mut self, event: &MatchEvent<'_>, table: &dyn Table) {
        match *event {
            MatchEvent::Ready(ready) => self.wants(ready.seat, ready.events),
            _ if !self.is_wanted() => {}
            MatchEvent::Opening(acts) => {
                for (seat, action) in acts {
                    self.acts(&[(*seat, action)], table);
                }
            }
            MatchEvent::Chance(event) => self.chance(event, table),
            MatchEvent::Acts(acts) => {
                let acts = acts.iter().map(|(seat, choice)| (*seat, &*choice.action));
                self.acts(&acts.collect::<Vec<_>>(), table);
            }
            MatchEvent::Fault { seat, fault } => self.fault(seat, fault.kind),
            MatchEvent::Asked(_) | MatchEvent::Over { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use flipside_protocol::TurnEvent;

    use super::*;

    fn table() -> Box<dyn Table> {
        let game = flipside_games::find("flipfour").unwrap();
        game.set_up("{}", 2).unwrap().table
    }

    fn written(event_log: &mut EventLog, seat: Seat) -> Option<String> {
        let mut out = Vec::new();
        let wanted = event_log.write(seat, &mut out);
        wanted.then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn each_seat_learns_what_was_since_it_was_asked() {
        let table = table();
        let mut event_log = EventLog::new(2);
        // Before a bot is ready, nobody knows what it wants.
        event_log.fault(1, FaultKind::Late);
        event_log.wants(0, true);
        event_log.wants(1, false);
        event_log.acts(&[(0, "+a1"), (1, "+a2")], &*table);
        event_log.chance("{\"x\":1}", &*table);
        let all = concat!(
            r#"[{"fault":{"seat":1,"fault":"late"}},"#,
            r#"{"acts":[{"seat":0,"action":"+a1"},{"seat":1,"action":"+a2"}]},{"chance":{"x":1}}]"#
        );
        assert_eq!(written(&mut event_log, 0).as_deref(), Some(all));
        assert_eq!(written(&mut event_log, 1), None);
        assert_eq!(written(&mut event_log, 0).as_deref(), Some("[]"));
    }

    #[test]
    fn what_seats_see_alike_is_written_once() {
        let mut event_log = EventLog::new(5);
        event_log.wants(1, false);
        let writes = Cell::new(0);
        let write = |seen: &bool, out: &mut Vec<u8>| {
            writes.set(writes.get() + 1);
            out.extend(if *seen { b"1" } else { b"0" });
        };
        event_log.tell(|_| true, write);
        assert_eq!(writes.get(), 1);
        event_log.tell(|seat| seat >= 3, write);
        assert_eq!(writes.get(), 3);
        for seat in [0, 2, 3, 4] {
            event_log.wants(seat, true);
        }
        let all = [0, 1, 2, 3, 4].map(|seat| written(&mut event_log, seat));
        let due = [
            Some("[1,0]"),
            None,
            Some("[1,0]"),
            Some("[1,1]"),
            Some("[1,1]"),
        ];
        assert_eq!(all, due.map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn too_long_a_list_loses_its_oldest_events() {
        let table = table();
        let mut event_log = EventLog::new(1);
        event_log.wants(0, true);
        for number in 0..10_000 {
            event_log.acts(&[(0, &format!("{number}"))], &*table);
        }
        let text = written(&mut event_log, 0).unwrap();
        assert!(
            (LONGEST_EVENTS - 200..=LONGEST_EVENTS).contains(&text.len()),
            "{}",
            text.len()
        );
        let events: Vec<TurnEvent> = serde_json::from_str(&text).unwrap();
        let TurnEvent::Missed(missed) = events[0] else {
            panic!("{text}");
        };
        assert_eq!(missed as usize + events.len() - 1, 10_000);
        assert!(text.ends_with(r#"{"acts":[{"seat":0,"action":"9999"}]}]"#));
        event_log.acts(&[(0, "a")], &*table);
        let one = r#"[{"acts":[{"seat":0,"action":"a"}]}]"#;
        assert_eq!(written(&mut event_log, 0).as_deref(), Some(one));
        // One that is too long by itself is missed, too.
        event_log.acts(&[(0, &"x".repeat(LONGEST_EVENTS))], &*table);
        assert_eq!(
            written(&mut event_log, 0).as_deref(),
            Some(r#"[{"missed":1}]"#)
        );
    }
}
