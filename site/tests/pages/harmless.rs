//! What bots and people write harms nobody, and wrong addresses get a clear answer.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use regex_lite::Regex;

use crate::arena::{SCRIPT, Small};
use crate::client::Client;
use crate::whole::crawl;

#[tokio::test(flavor = "multi_thread")]
async fn what_others_write_is_text_on_every_page() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let script = Regex::new(r"<script[^>]*>").unwrap();
    let handler = Regex::new(r#"<[^>]*\s(style|on[a-z]+)\s*="#).unwrap();
    let mut told = 0;
    for (address, answer) in crawl(&client).await {
        if !answer.header("content-type").starts_with("text/html") {
            continue;
        }
        let text = answer.text();
        for tag in script.captures_iter(text) {
            assert!(
                tag[0].starts_with("<script src=\"/assets/site.js?v="),
                "{address}: {}",
                &tag[0]
            );
        }
        assert_eq!(text.matches("<script").count(), 1, "{address}");
        let found = handler.find(text);
        assert!(
            found.is_none(),
            "{address}: {:?}",
            found.map(|found| found.as_str())
        );
        assert!(!text.contains("<style"), "{address}");
        assert!(!text.contains("javascript:"), "{address}");
        told += text.matches("&#60;script&#62;alert(1)").count();
        assert!(
            !text.contains("secret on stderr"),
            "{address} shows what a bot wrote to stderr"
        );
    }
    // As a title, a note, an author, a version, and in the detail of a fault.
    assert!(told > 10, "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_text_of_others_is_shown() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let shown = SCRIPT.replace('<', "&#60;").replace('>', "&#62;");
    for (address, times) in [
        ("/tournaments/cup", 3),
        ("/bots/packed", 2),
        ("/bots/packed@1", 2),
    ] {
        let page = client.get(address).await;
        let found = page.text().matches(&shown).count();
        assert!(
            found >= times,
            "{address} has it {found} times: {}",
            page.text()
        );
    }
    let faults = client.get("/matches?bot=hostile&faults=true").await;
    let link = Regex::new(r#"href="(/matches/cup-[0-9]+)""#).unwrap();
    let links = link.captures_iter(faults.text());
    let links: Vec<&str> = links.map(|found| found.get(1).unwrap().as_str()).collect();
    // The latest were not played any more: the bot was paused.
    let mut played = 0;
    for address in links {
        let page = client.get(address).await;
        if page.text().contains("malformed") {
            // A fault quotes only the beginning of a line.
            assert!(
                page.text().contains("&#60;script&#62;alert(1)"),
                "{}",
                page.text()
            );
            assert!(page.text().contains("Hint: "), "{}", page.text());
            played += 1;
        } else {
            assert!(
                page.text().contains("This match was not played"),
                "{}",
                page.text()
            );
        }
    }
    assert!(played > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_addresses_get_a_page_that_says_so() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let long = "x".repeat(3_000);
    for (address, status) in [
        ("/nothing", StatusCode::NOT_FOUND),
        ("/matches/..%2F..%2Fetc%2Fpasswd", StatusCode::NOT_FOUND),
        ("/matches/../../etc/passwd", StatusCode::NOT_FOUND),
        ("/matches/cup-99999", StatusCode::NOT_FOUND),
        ("/matches/%FF", StatusCode::BAD_REQUEST),
        ("/tournaments/nobody", StatusCode::NOT_FOUND),
        ("/tournaments/..%2Fjournal", StatusCode::NOT_FOUND),
        ("/tournaments/cup/rounds?round=77", StatusCode::NOT_FOUND),
        ("/tournaments/cup/rounds?round=x", StatusCode::BAD_REQUEST),
        ("/bots/%3Cscript%3E", StatusCode::NOT_FOUND),
        ("/bots/ada@7", StatusCode::NOT_FOUND),
        ("/games/chess", StatusCode::NOT_FOUND),
        ("/ratings/chess", StatusCode::NOT_FOUND),
        ("/guides/authors/nothing", StatusCode::NOT_FOUND),
        ("/assets/..%2F..%2FCargo.toml", StatusCode::NOT_FOUND),
        ("/matches?before=nothing", StatusCode::NOT_FOUND),
        (&format!("/bots?filter={long}"), StatusCode::URI_TOO_LONG),
        (&format!("/{long}"), StatusCode::URI_TOO_LONG),
    ] {
        let answer = client.get(address).await;
        let short = &address[..address.len().min(60)];
        assert_eq!(answer.status, status, "{short}");
        assert!(
            answer.header("content-type").starts_with("text/html"),
            "{short}"
        );
        assert_eq!(answer.header("cache-control"), "no-store", "{short}");
        let text = answer.text();
        assert!(
            text.contains(&format!("Error {}. ", status.as_u16())),
            "{short}: {text}"
        );
        assert!(!text.contains("<script>"), "{short}");
        let number = answer.header("x-request-id");
        assert!(number.len() == 16 && text.contains(number), "{short}");
        assert!(
            answer.header("content-security-policy").contains("'none'"),
            "{short}"
        );
    }
    let near = client.get("/tournaments/cupp").await;
    assert!(near.text().contains("cupp"), "{}", near.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_changes_something_is_refused() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    for method in ["POST", "PUT", "DELETE"] {
        let request = Request::builder().method(method).uri("/tournaments/cup");
        let answer = client.send(request.body(Body::from("x")).unwrap()).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert!(
            answer.text().contains("<p class=\"quiet\">Error 405. "),
            "{method}"
        );
    }
    let large = Request::post("/tournaments/cup").header("content-length", "100000");
    let answer = client
        .send(large.body(Body::from(vec![0; 100_000])).unwrap())
        .await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(
        answer.text().contains("<p class=\"quiet\">Error 413. "),
        "{}",
        answer.text()
    );
    let request = Request::head("/tournaments/cup")
        .body(Body::empty())
        .unwrap();
    let answer = client.send(request).await;
    assert_eq!((answer.status, answer.body.len()), (StatusCode::OK, 0));
}
