//! Sample bots that find the fields of messages without a reader of JSON.

use super::conversation::Conversation;
use super::{root, run_script};

/// The answers to some turns of a match. `options` is a field of `hello`, with its comma.
fn answers(conversation: &mut Conversation, options: &str, seed: u64) -> Vec<String> {
    conversation.say(&format!(
        r#"{{"type":"hello","protocol":1,"match":"m","game":"flipfour","options":{{}},"seat":0,"seats":2,"clock":"move=1s",{options}"limits":{{"line":65536,"memory":0}},"commitment":"00","seed":{seed}}}"#
    ));
    assert!(conversation.hear().starts_with("{\"type\":\"ready\","));
    let turn = |id| {
        format!(
            r#"{{"type":"turn","id":{id},"actions":["a","b","c","d","e"],"clocks":[1,1],"view":{{"id":0,"seed":0}}}}"#
        )
    };
    let answers = (1..=20).map(|id| {
        conversation.say(&turn(id));
        conversation.hear()
    });
    answers.collect()
}

/// Builds a sample bot in `$out`, and plays with options that have the names of other fields.
fn takes_the_seed_of_hello(build: &str, start: &str) {
    let out = tempfile::tempdir().unwrap();
    let samples = root().join("sample-bots");
    run_script(
        &samples,
        &format!("out='{}'\n{build}", out.path().display()),
    );
    let mut conversation = Conversation::with(out.path(), start);
    let plain = answers(&mut conversation, "", 7);
    for option in [r#"{"seed":1}"#, r#"{"id":"x","seed":"x"}"#] {
        let options = format!("\"bot_options\":{option},");
        assert_eq!(answers(&mut conversation, &options, 7), plain, "{option}");
        assert_ne!(answers(&mut conversation, &options, 8), plain, "{option}");
    }
    assert!(plain[19].starts_with(r#"{"type":"act","id":20,"action":""#));
    let (code, rest, stderr) = conversation.end();
    assert_eq!((code, &*rest), (Some(0), ""), "{stderr}");
}

#[test]
fn random_in_java_takes_the_seed_of_hello() {
    takes_the_seed_of_hello("javac -d $out java/RandomBot.java", "java RandomBot");
}

#[test]
fn random_in_c_sharp_takes_the_seed_of_hello() {
    takes_the_seed_of_hello("mcs -out:$out/bot.exe csharp/RandomBot.cs", "mono bot.exe");
}

#[test]
fn random_in_shell_takes_the_seed_of_hello() {
    takes_the_seed_of_hello("cp shell/random.sh $out", "sh random.sh");
}

#[test]
fn random_in_c_takes_the_seed_of_hello() {
    takes_the_seed_of_hello("cc -o $out/bot c/random.c", "./bot");
}
