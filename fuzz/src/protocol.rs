//! The lines of bots, and what else people and programs write in a word: clocks, names, seeds. After a
//! zero the bytes are not lines but the fields of messages, a zero between each and the next, for few
//! changes of a line leave it a message.

use flipside_protocol::{Act, Clock, FromBot, FromReferee, LONGEST_NAME, LONGEST_NOTE, Ready};
use flipside_referee::MatchSeed;
use flipside_tournament::{BotRef, Name};

pub(crate) fn run(bytes: &[u8]) {
    if let Some((0, fields)) = bytes.split_first() {
        return messages(fields);
    }
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
        if line.starts_with('{') {
            continue;
        }
        same::<Clock>(line);
        same::<Name>(line);
        same::<MatchSeed>(line);
        // A bot without a version is its latest: it may be written otherwise.
        let _ = line.parse::<BotRef>();
    }
}

/// Messages of these fields are read as what they say, but for what is cut because it is too long.
fn messages(fields: &[u8]) {
    let mut fields = fields.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    let mut field = || fields.next().map(|field| field.into_owned());
    let id = field().and_then(|id| id.parse().ok()).unwrap_or(u64::MAX);
    let (first, second) = (field(), field());
    let written = |message: &FromBot| serde_json::to_string(message).expect("a message is JSON");

    let act = Act {
        id,
        action: first.clone().unwrap_or_default(),
        note: second.clone(),
    };
    let line = written(&FromBot::Act(act.clone()));
    let Ok(FromBot::Act(read)) = FromBot::read(&line) else {
        panic!("{line} is an act");
    };
    assert_eq!((read.id, &read.action), (act.id, &act.action));
    let (kept, note) = (read.note.unwrap_or_default(), act.note.unwrap_or_default());
    assert!(
        note.starts_with(&kept) && kept.len() <= LONGEST_NOTE,
        "{line}"
    );
    assert!(
        note.len() <= kept.len() || kept.len() > LONGEST_NOTE - 4,
        "{line}"
    );

    let ready = Ready {
        name: first,
        version: second,
        actions: id % 2 == 0,
        reuse: id % 3 == 0,
        events: id % 5 == 0,
    };
    let line = written(&FromBot::Ready(ready.clone()));
    let Ok(FromBot::Ready(read)) = FromBot::read(&line) else {
        panic!("{line} is a ready")
    };
    // Long texts are cut, at a character.
    let cut = |text: Option<String>| {
        text.map(|mut text| {
            text.truncate(text.floor_char_boundary(LONGEST_NAME));
            text
        })
    };
    let due = Ready {
        name: cut(ready.name),
        version: cut(ready.version),
        ..ready
    };
    assert_eq!(read, due, "{line}");
}

/// What is read is written, and read as the same again.
fn same<T: std::str::FromStr + ToString>(text: &str) {
    if let Ok(read) = text.parse::<T>() {
        let written = read.to_string();
        let again = written.parse::<T>().ok().map(|again| again.to_string());
        assert_eq!(again.as_deref(), Some(written.as_str()), "{text:?}");
    }
}
