//! A class is invited with the command.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::accounts::LISTEN;
use crate::common::run;
use crate::server::TestServer;

#[test]
fn a_class_is_invited_by_a_file_and_gets_a_sheet_to_print() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let url = ["--url", "http://arena.example"];
    fs::write(
        folder.join("class.csv"),
        "name,person\nada,Ada\nJörg,\nada\n",
    )
    .unwrap();
    let invite = |sheet: &str| {
        let class = ["invite", "--new", "--names", "class.csv", "--sheet", sheet];
        run(folder, &[&class[..], &url].concat())
    };
    assert_snapshot!(invite("sheet.html").refused(2), @r#"
    error: line 3: "Jörg" is not a name; a name is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or a digit; line 4: ada stands in line 2 already
    hint: nobody was invited; change these lines, and send the list again
    "#);
    assert!(!folder.join("sheet.html").exists());
    fs::write(folder.join("class.csv"), "name,person\nada,Ada <3\nbob,\n").unwrap();
    let made = invite("sheet.html");
    assert_eq!(
        made.stderr,
        "sheet.html: 2 invitations; print it, and delete the file\n"
    );
    assert_eq!(made.code, Some(0));
    // Who reads it can use the links, so another is not written over.
    let sheet = folder.join("sheet.html");
    assert_eq!(
        fs::metadata(&sheet).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let page = fs::read_to_string(&sheet).unwrap();
    assert!(page.contains("Ada &#60;3") && !page.contains("http-equiv"));
    invite("sheet.html").refused(2);
    let server = TestServer::start(folder, &LISTEN);
    let links = page
        .split("http://arena.example")
        .filter(|rest| rest.starts_with("/join/"));
    let joins = links.map(|rest| &rest[..rest.find('<').unwrap()]);
    let joins: Vec<&str> = joins.collect();
    assert_eq!(joins.len(), 2, "{page}");
    for (path, name) in joins.into_iter().zip(["ada", "bob"]) {
        let (status, form) = server.get(path);
        assert_eq!(status, "HTTP/1.1 200 OK");
        assert!(
            form.contains(&format!("value=\"{name}\" readonly")),
            "{form}"
        );
    }
    // One link has the address, too.
    let link = run(folder, &[&["invite"][..], &url].concat()).ok();
    assert!(link.starts_with("http://arena.example/join/"), "{link}");
    for wrong in [
        &["invite", "--names", "class.csv"][..],
        &["invite", "--sheet", "other.html"],
        &[
            "invite", "--names", "none.csv", "--sheet", "x", "--url", "http://a",
        ],
        &[
            "invite",
            "--names",
            "class.csv",
            "--sheet",
            "x",
            "--url",
            "http://a",
            "--organiser",
        ],
    ] {
        run(folder, wrong).refused(2);
    }
}
