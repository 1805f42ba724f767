//! The lines of bots, and what else people and programs write in a word: clocks, names, seeds.

use flipside_protocol::{Clock, FromBot, FromReferee, LONGEST_NOTE};
use flipside_referee::MatchSeed;
use flipside_tournament::{BotRef, Name};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    for line in text.lines() {
        if let Ok(message) = FromBot::read(line) {
            let written = serde_json::to_string(&message).expect("a message is JSON");
            assert_eq!(FromBot::read(&written).as_ref(), Ok(&message), "{written}");
            if let FromBot::Act(act) = message {
                assert!(act.note.is_none_or(|note| note.len() <= LONGEST_NOTE));
            }
        }
        if let Ok(message) = FromReferee::read(line) {
            let written = serde_json::to_string(&message).expect("a message is JSON");
            assert!(FromReferee::read(&written).is_ok(), "{written}");
        }
        same::<Clock>(line);
        same::<Name>(line);
        same::<MatchSeed>(line);
        // A bot without a version is its latest: it may be written otherwise.
        let _ = line.parse::<BotRef>();
    }
}

/// What is read is written, and read as the same again.
fn same<T: std::str::FromStr + ToString>(text: &str) {
    if let Ok(read) = text.parse::<T>() {
        let written = read.to_string();
        let again = written.parse::<T>().ok().map(|again| again.to_string());
        assert_eq!(again.as_deref(), Some(written.as_str()), "{text:?}");
    }
}
