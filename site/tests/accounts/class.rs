//! A class is invited at once: all of it, or nobody.

use axum::http::StatusCode;
use flipside_site::{AccountSettings, SignUp, SiteLimits};
use regex_lite::Regex;

use crate::browser::{HARMLESS, SCRIPT, TestSite};

fn site() -> TestSite {
    let settings = AccountSettings {
        sign_up: SignUp::Open,
        url: Some("http://arena.test".parse().unwrap()),
        ..AccountSettings::default()
    };
    TestSite::with(SiteLimits::default(), settings)
}

/// The links on a sheet, without the address of the site.
fn links(sheet: &str) -> Vec<String> {
    let link = Regex::new("http://arena.test(/join/[0-9a-z]{4}(?:-[0-9a-z]{4}){3})<").unwrap();
    link.captures_iter(sheet)
        .map(|found| found[1].to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_class_is_invited_by_a_list_and_each_link_makes_the_account_of_its_name() {
    let site = site();
    let mut boss = site.organiser("boss").await;
    let (mut eve, _) = site.person("eve").await;
    let list = format!("name;person\nada;{SCRIPT}\nbob;\n");
    let fields = [("names", list.as_str()), ("days", "10")];
    let refused = eve.submit("/organiser/class", &fields).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let form = boss.get("/organiser/class").await;
    assert!(form.text().contains("name=\"names\""), "{}", form.text());
    let sheet = boss.submit("/organiser/class", &fields).await;
    assert_eq!(sheet.status, StatusCode::OK, "{}", sheet.text());
    assert_eq!(sheet.header("cache-control"), "private, no-store");
    assert!(sheet.text().contains(HARMLESS) && !sheet.text().contains(SCRIPT));
    let of_class = links(sheet.text());
    assert_eq!(of_class.len(), 2, "{}", sheet.text());

    // Nobody else takes a name of the class, and each link is for its own.
    let taken = eve_signs_up(&site, "/sign-up", "ADA").await;
    assert_eq!(taken, StatusCode::CONFLICT);
    assert_eq!(
        eve_signs_up(&site, &of_class[1], "ada").await,
        StatusCode::CONFLICT
    );
    let typed = of_class[0].to_uppercase().replace("/JOIN/", "/join/");
    let mut ada = site.browser();
    let form = ada.get(&typed).await;
    assert!(
        form.text().contains("value=\"ada\" readonly"),
        "{}",
        form.text()
    );
    let joined = ada.post(&typed, &[("name", "ada")]).await;
    assert_eq!(joined.status, StatusCode::OK, "{}", joined.text());
    assert_eq!(
        eve_signs_up(&site, &of_class[0], "ada").await,
        StatusCode::NOT_FOUND
    );
    let page = boss.get("/organiser").await;
    assert!(page.text().contains("<td>boss</td><td>bob</td>"));
    assert!(page.text().contains("invited a class of 2"));

    // Who has lost the strip gets another one, and the first no longer works.
    let again = boss.submit("/organiser/class", &[("names", "bob")]).await;
    let new = links(again.text());
    assert_eq!(ada.get(&of_class[1]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(eve_signs_up(&site, &new[0], "bob").await, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_is_sent_twice_leaves_the_links_of_its_sheet_as_they_are() {
    let site = site();
    let mut boss = site.organiser("boss").await;
    let form = boss.get("/organiser/class").await;
    let once = Regex::new("name=\"once\" value=\"([0-9a-f]{32})\"").unwrap();
    let once = once.captures(form.text()).unwrap()[1].to_owned();
    let mut send = async |names: &str| {
        let fields = [("names", names), ("once", &*once)];
        boss.submit("/organiser/class", &fields).await
    };
    // What was refused can be corrected.
    let refused = send("a b").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let sheet = send("ada").await;
    assert_eq!(sheet.status, StatusCode::OK, "{}", sheet.text());
    let again = send("ada").await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    assert!(again.text().contains("sent already"), "{}", again.text());
    assert!(
        again.text().contains("pen the form anew"),
        "{}",
        again.text()
    );
    let join = &links(sheet.text())[0];
    assert_eq!(eve_signs_up(&site, join, "ada").await, StatusCode::OK);
}

async fn eve_signs_up(site: &TestSite, path: &str, name: &str) -> StatusCode {
    let mut browser = site.browser();
    browser.post(path, &[("name", name)]).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_refused_are_told_by_line_and_nobody_is_invited() {
    let site = TestSite::open();
    let mut boss = site.organiser("boss").await;
    site.person("ada").await;
    let list = "bob\nAda\nJörg Müller\nBOB\n";
    let refused = boss.submit("/organiser/class", &[("names", list)]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let text = refused.text();
    for told in [
        "Line 2: somebody has the name Ada already; line 3: ",
        "is not a name",
        "line 4: BOB stands in line 1 already",
        // What was typed is still there.
        "bob\nAda\nJörg Müller",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let open: u32 = site
        .store()
        .query_row(
            "SELECT count(*) FROM invitations WHERE uses_left > 0",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(open, 0);
    for (fields, told) in [
        (
            &[("names", "name\n\n")][..],
            "There is no name in this list",
        ),
        (&[("names", "cy"), ("days", "366")], "1 to 365 days"),
        (&[("names", "cy"), ("days", "x")], "not a whole number"),
    ] {
        let refused = boss.submit("/organiser/class", fields).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.text().contains(told), "{}", refused.text());
    }
}
