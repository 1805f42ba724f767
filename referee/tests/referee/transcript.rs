//! A transcript has every message of a match, as the bots have seen it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use flipside_referee::{FaultKind, PlayedMatch, Referee, Transcript, TranscriptLine};
use flipside_sandbox::{Sandbox, SandboxSettings};

use crate::common::{Hall, shell_bot};

/// A place to write that others can read.
#[derive(Clone, Default)]
struct TranscriptShared(Arc<Mutex<Vec<u8>>>);

impl Write for TranscriptShared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A match at this game between bots that do this before each answer, and its transcript.
fn transcribed(game: &str, misbehave: [&str; 2]) -> (PlayedMatch, Vec<TranscriptLine>) {
    let mut hall = Hall::new();
    let written = TranscriptShared::default();
    let transcript = Transcript::new(written.clone());
    hall.referee = Referee::new(Sandbox::new(SandboxSettings::default()))
        .unwrap()
        .observed_by(transcript.clone());
    let bots = ["one", "other"].iter().zip(misbehave);
    let bots = bots.map(|(name, misbehave)| hall.shell(name, &shell_bot(misbehave)));
    let bots = bots.collect();
    let played = hall.play(flipside_games::find(game).unwrap(), "move=10m", bots);
    transcript.finish().unwrap();
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let read = |line| serde_json::from_str(line).unwrap();
    (played, text.lines().map(read).collect())
}

#[test]
fn a_transcript_has_what_the_bots_have_read_and_written() {
    // What they have read, they tell on standard error.
    let tell = "printf '%s\\n' \"$line\" >&2";
    let (played, lines) = transcribed("flipflop-3x3", [tell, tell]);
    let TranscriptLine::Transcript { format, bots, .. } = &lines[0] else {
        panic!("{:?}", lines[0])
    };
    assert_eq!((*format, bots.join(" ")), (1, "one other".into()));
    let Some(TranscriptLine::Over { points, .. }) = lines.last() else {
        panic!("{lines:?}")
    };
    assert_eq!(*points, played.result.points());
    for seat in 0..2 {
        let (mut turns, mut told, mut acts) = (String::new(), String::new(), 0);
        let mut last = 0;
        for line in &lines {
            match line {
                TranscriptLine::Sent { at, seat: to, line } if *to == seat => {
                    assert!(*at >= last, "{lines:?}");
                    last = *at;
                    if line.starts_with("{\"type\":\"turn\"") {
                        turns += &format!("{line}\n");
                    }
                }
                TranscriptLine::Received { seat: by, line, .. } if *by == seat => {
                    acts += u64::from(line.starts_with("{\"type\":\"act\""));
                }
                TranscriptLine::Stderr { seat: by, text, .. } if *by == seat => told += text,
                TranscriptLine::Fault { .. } | TranscriptLine::Stray { .. } => panic!("{line:?}"),
                _ => {}
            }
        }
        let at = usize::from(seat);
        assert_eq!(told, turns);
        assert_eq!(acts, played.result.seats[at].plies);
        assert_eq!(played.seats[at].stderr, told);
        let ended = |line: &TranscriptLine| matches!(line, TranscriptLine::Ended { seat: by, how, .. } if *by == seat && how == "exited with code 0");
        assert_eq!(lines.iter().filter(|line| ended(line)).count(), 1);
    }
}

#[test]
fn a_transcript_has_faults_and_what_was_not_asked_for() {
    // Both lines are written at once, so that the second one is there before the next question.
    let twice = "act=\"{\\\"type\\\":\\\"act\\\",\\\"id\\\":$id,\\\"action\\\":\\\"$action\\\"}\"; echo \"$act\n$act\"; continue";
    let (played, lines) = transcribed("flipfour", ["", twice]);
    let fault = played.seats[1].fault.as_ref().unwrap();
    assert_eq!(fault.kind, FaultKind::Unasked);
    let strays = lines.iter().filter_map(|line| match line {
        TranscriptLine::Stray { seat, text, .. } => Some((*seat, text.clone())),
        _ => None,
    });
    let strays: Vec<_> = strays.collect();
    let [(1, stray)] = &strays[..] else {
        panic!("{strays:?}")
    };
    assert!(stray.contains("\"id\":1,"), "{stray}");
    let told = |line: &TranscriptLine| matches!(line, TranscriptLine::Fault { seat: 1, fault: name, detail, .. } if name == "unasked" && *detail == fault.detail);
    assert!(lines.iter().any(told), "{lines:?}");
}
