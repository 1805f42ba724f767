//! A picture of every page, by light, by dark and on a phone, for people to look at.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::filled::Filled;
use crate::person::BrowserPerson;

/// The most of a page that is in a picture, in pixels from its top.
const MAX_HEIGHT: u64 = 1800;

/// The pictures of `docs/pictures/`: the file, the page and how it is shown. Copy them from `target/pictures/docs/`.
const DOCS: [(&str, &str, &str); 4] = [
    ("live", "/tournaments/cup/live", "light"),
    ("playing", "/play/", "dark"),
    ("check", "/uploads/2", "light"),
    ("cards", "/matches/cards-1", "dark"),
];

/// The height of a picture in the documentation, in pixels.
const DOCS_HEIGHT: u64 = 820;

#[test]
#[ignore = "by hand: scripts/pictures"]
fn pictures_of_all_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pictures");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("docs")).unwrap();
    let mut count = 0;
    let mut look = |person: &BrowserPerson, page: &str| {
        count += 1;
        let name = page.trim_matches('/').replace('/', "-");
        for (kind, scheme) in [("light", "light"), ("dark", "dark"), ("phone", "light")] {
            person.browser.scheme(scheme);
            if kind == "phone" {
                person.browser.phone_screen();
            }
            let file = folder.join(format!("{count:03}-{name}-{kind}.png"));
            fs::write(file, picture(person, MAX_HEIGHT)).unwrap();
            let is_it = |(_, path, shown): &&(_, &str, _)| {
                shown == &kind
                    && (*path == page
                        || *path != "/" && path.ends_with('/') && page.starts_with(path))
            };
            for (file, ..) in DOCS.iter().filter(is_it) {
                let file = folder.join(format!("docs/{file}.png"));
                fs::write(file, picture(person, DOCS_HEIGHT)).unwrap();
            }
        }
        person.browser.own_screen();
        person.browser.scheme("light");
    };
    let filled = Filled::new("Spring 2026", &mut look);
    filled.walk(&mut look);
    filled.place.end();
    for (file, page, _) in DOCS {
        let file = folder.join(format!("docs/{file}.png"));
        assert!(file.is_file(), "the walk has not seen {page}");
    }
}

/// The page as a PNG file, from its top, with at most so many pixels of its height.
fn picture(person: &BrowserPerson, most: u64) -> Vec<u8> {
    let size = "return [innerWidth, document.documentElement.scrollHeight]";
    let size = person.browser.run(size, &[]);
    let height = size[1].as_u64().unwrap().min(most);
    let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": height, "scale": 1 });
    let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
    let taken = person.browser.tell("Page.captureScreenshot", &wanted);
    from_base64(taken["data"].as_str().expect("a picture is text"))
}

/// The bytes that text in base 64 stands for.
fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in text.bytes().filter(|byte| *byte != b'=') {
        let value = DIGITS.iter().position(|known| *known == digit);
        bits = (bits << 6) | value.expect("it is base 64") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[test]
fn base_64_is_read() {
    assert_eq!(from_base64("ZmxpcHNpZGUh"), b"flipside!");
    assert_eq!(from_base64("Zmxp"), b"fli");
    assert_eq!(from_base64("Zg=="), b"f");
}
