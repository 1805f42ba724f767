//! Writes the record while the match runs, into one growing text.

use flipside_games::{Seat, Table};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::answer::Choice;
use crate::event::{Listener, MatchEvent};
use crate::fault::Fault;
use crate::pauses::Paused;
use crate::record::{FaultLine, Header, LONGEST_RECORD, LONGEST_RECORD_LINE, NoteQuota, OverLine};

/// What a record needs at most for its end: the faults of all seats, and the last lines.
const FOR_THE_END: usize = 2 * LONGEST_RECORD_LINE;

/// A record that is being written.
pub(crate) struct Recorder {
    text: Vec<u8>,
    notes: NoteQuota,
}

/// A choice, as [`ActLine`](crate::record::ActLine) reads it.
#[derive(Serialize)]
struct RecordedAct<'a> {
    seat: Seat,
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<Paused>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl Recorder {
    pub(crate) fn begin(header: &Header) -> Self {
        let mut recorder = Recorder {
            text: Vec::with_capacity(8 * 1024),
            notes: NoteQuota::default(),
        };
        recorder.json(header);
        recorder.text.push(b'\n');
        recorder
    }

    /// Whether only the end may follow: nobody would read a longer record.
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() > LONGEST_RECORD - FOR_THE_END
    }

    /// Closes the record, after the event that the match is over, and returns its text.
    pub(crate) fn end(mut self) -> String {
        let sha256 = hex::encode(Sha256::digest(&self.text));
        self.line("end", &serde_json::json!({ "sha256": sha256 }));
        String::from_utf8(self.text).expect("JSON is text")
    }

    fn fault(&mut self, seat: Seat, fault: &Fault) {
        let line = FaultLine {
            seat,
            fault: fault.kind,
            detail: fault.detail.clone(),
            us: fault.us,
            wall_us: fault.measured.wall_us,
            cpu_us: fault.measured.cpu_us,
            fuel: fault.measured.fuel,
            paused: fault.paused.clone(),
            evidence: fault.evidence.clone(),
            stderr: fault.stderr.clone(),
        };
        self.line("fault", &line);
    }

    fn opening(&mut self, acts: &[(Seat, String)]) {
        let drawn = |(seat, action): &(Seat, String)| (*seat, Choice::stand_in(action.clone()));
        let acts: Vec<_> = acts.iter().map(drawn).collect();
        let acts: Vec<_> = acts.iter().map(|(seat, choice)| (*seat, choice)).collect();
        self.acts("opening", &acts);
    }

    fn acts(&mut self, kind: &'static str, acts: &[(Seat, &Choice)]) {
        // Written by hand but for its parts: it is the line of every ply.
        self.text.extend_from_slice(b"{\"type\":\"");
        self.text.extend_from_slice(kind.as_bytes());
        self.text.extend_from_slice(b"\",\"acts\":");
        for (at, &(seat, choice)) in acts.iter().enumerate() {
            let (reason, note) = self.notes.kept(seat, choice.texts());
            let paused = choice.paused.as_ref().map(|paused| Paused {
                reason: reason.map(str::to_owned),
                ..*paused
            });
            let act = RecordedAct {
                seat,
                action: &choice.action,
                us: choice.us,
                wall_us: choice.measured.wall_us,
                cpu_us: choice.measured.cpu_us,
                fuel: choice.measured.fuel,
                paused,
                note,
            };
            self.text.push(if at == 0 { b'[' } else { b',' });
            self.json(&act);
        }
        let end: &[u8] = if acts.is_empty() { b"[]}\n" } else { b"]}\n" };
        self.text.extend_from_slice(end);
    }

    fn line(&mut self, kind: &'static str, fields: &impl Serialize) {
        #[derive(Serialize)]
        struct Tagged<'a, T> {
            #[serde(rename = "type")]
            kind: &'static str,
            #[serde(flatten)]
            fields: &'a T,
        }
        self.json(&Tagged { kind, fields });
        self.text.push(b'\n');
    }

    fn json(&mut self, value: &impl Serialize) {
        serde_json::to_writer(&mut self.text, value).expect("writing to memory succeeds");
    }
}

impl Listener for Recorder {
    fn hear(&mut self, event: &MatchEvent<'_>, _: &dyn Table) {
        match *event {
            MatchEvent::Ready(line) => self.line("ready", line),
            MatchEvent::Opening(acts) => self.opening(acts),
            MatchEvent::Chance(event) => {
                self.text
                    .extend_from_slice(b"{\"type\":\"chance\",\"event\":");
                self.text.extend_from_slice(event.as_bytes());
                self.text.extend_from_slice(b"}\n");
            }
            MatchEvent::Acts(acts) => self.acts("acts", acts),
            MatchEvent::Fault { seat, fault } => self.fault(seat, fault),
            MatchEvent::Over { result, seed } => self.line("over", &OverLine::of(result, seed)),
            MatchEvent::Asked(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::MeasuredTime;
    use crate::record::{Line, NOTES_QUOTA, read_line};
    use crate::tally::RefereeTally;

    fn recorder() -> Recorder {
        Recorder {
            text: Vec::new(),
            notes: NoteQuota::default(),
        }
    }

    #[test]
    fn a_bot_cannot_fill_the_record_with_its_notes() {
        let mut recorder = recorder();
        let talker = Choice {
            action: "a1".into(),
            note: Some("blah".repeat(10_000)),
            us: Some(1),
            measured: MeasuredTime::default(),
            paused: None,
        };
        let quiet = Choice {
            note: Some("short".into()),
            ..talker.clone()
        };
        for _ in 0..1_000 {
            recorder.acts("acts", &[(0, &talker), (1, &quiet)]);
        }
        let text = String::from_utf8(recorder.text).unwrap();
        assert!(text.len() < NOTES_QUOTA + 1_000 * 200, "{}", text.len());
        let kept = |seat: Seat| -> Vec<String> {
            let acts = text.lines().map(|line| match read_line(1, line) {
                Ok(Line::Acts { acts }) => acts,
                other => panic!("{other:?}"),
            });
            let of_seat = acts.flatten().filter(|act| act.seat == seat);
            of_seat.filter_map(|act| act.note).collect()
        };
        // Of who says little, all; of who says too much, the first.
        assert_eq!(kept(1), vec!["short"; 1_000]);
        let notes = kept(0);
        assert!(notes.len() * 40_000 > NOTES_QUOTA - 50_000 && notes.len() < 30);
    }

    #[test]
    fn notes_that_the_record_leaves_out_do_not_count_as_moves_of_a_model() {
        let (mut recorder, mut tally) = (recorder(), RefereeTally::of(2));
        let table = flipside_games::find("flipfour").unwrap();
        let table = table.set_up("{}", 2).unwrap().table;
        let asks = |remark: usize| Choice {
            action: "a1".into(),
            note: Some(format!("tries=2 in=5 out=1; {}", "x".repeat(remark))),
            us: Some(1),
            ..Choice::default()
        };
        let (talker, brief, stand_in) = (asks(10_000), asks(0), Choice::stand_in("a1".into()));
        for _ in 0..200 {
            for acts in [
                [(0, &talker), (1, &brief)],
                [(0, &stand_in), (1, &stand_in)],
            ] {
                let event = MatchEvent::Acts(&acts);
                recorder.hear(&event, &*table);
                tally.hear(&event, &*table);
            }
        }
        let text = String::from_utf8(recorder.text).unwrap();
        let mut kept = [0; 2];
        for line in text.lines() {
            let Ok(Line::Acts { acts }) = read_line(1, line) else {
                panic!("{line}");
            };
            for act in acts.iter().filter(|act| act.note.is_some()) {
                kept[usize::from(act.seat)] += 1;
            }
        }
        assert!((50..150).contains(&kept[0]) && kept[1] == 200, "{kept:?}");
        for (seat, kept) in tally.seats.iter().zip(kept) {
            let model = seat.model.unwrap();
            assert_eq!(
                (seat.plies, model.moves, model.tries),
                (200, kept, 2 * kept)
            );
        }
    }

    #[test]
    fn a_record_is_full_before_it_is_too_long_to_be_read() {
        let mut recorder = recorder();
        let table = flipside_games::find("flipfour").unwrap();
        let table = table.set_up("{}", 2).unwrap().table;
        let event = " ".repeat(LONGEST_RECORD_LINE - 100) + "1";
        while !recorder.is_full() {
            recorder.hear(&MatchEvent::Chance(&event), &*table);
        }
        assert!(
            recorder.text.len() + 2 * LONGEST_RECORD_LINE <= LONGEST_RECORD + event.len() + 100
        );
        assert!(recorder.text.len() > LONGEST_RECORD / 2);
    }
}
