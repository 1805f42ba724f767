//! Signing up, in and out; sessions, tokens, invitations; what other sites cannot make a browser do.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use flipside_site::{AccountSettings, Invite, SignUp, SiteLimits};
use regex_lite::Regex;
use rusqlite::params;

use crate::api::organiser;
use crate::browser::{HARMLESS, HOST, ONE, SCRIPT, TestSite, open, token};

fn invited() -> AccountSettings {
    AccountSettings {
        sign_up: SignUp::Invited,
        ..AccountSettings::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_is_invited_signs_up_signs_out_and_in_again() {
    let site = TestSite::with(SiteLimits::default(), invited());
    let path = site.invite(ONE);
    let mut ada = site.browser();
    let form = ada.get(&path).await;
    assert_eq!(form.status, StatusCode::OK, "{}", form.text());
    assert!(form.text().contains(&format!("action=\"{path}\"")));
    let welcome = ada.post(&path, &[("name", "Ada")]).await;
    let token = token(&welcome);
    let home = ada.get("/").await;
    assert!(
        home.text().contains("href=\"/account\">Ada</a>"),
        "{}",
        home.text()
    );
    // The token is shown once.
    let account = ada.get("/account").await;
    assert!(account.text().contains("<h1>Ada</h1>") && !account.text().contains(&token));
    let out = ada.submit("/sign-out", &[]).await;
    assert_eq!(out.status, StatusCode::SEE_OTHER);
    assert_eq!(ada.cookie, None);
    assert_eq!(ada.get("/account").await.header("location"), "/sign-in");
    let back = ada.post("/sign-in", &[("token", &token)]).await;
    assert_eq!(back.header("location"), "/account", "{}", back.text());
    assert!(ada.get("/account").await.text().contains("<h1>Ada</h1>"));
    let wrong = site
        .browser()
        .post("/sign-in", &[("token", "flipside_0")])
        .await;
    assert_eq!(wrong.status, StatusCode::FORBIDDEN);
    assert_eq!(wrong.header("set-cookie"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_ended_is_over_even_for_who_kept_its_cookie() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let kept = ada.cookie.clone();
    ada.submit("/sign-out", &[]).await;
    ada.cookie = kept;
    assert_eq!(ada.get("/account").await.header("location"), "/sign-in");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_hashes_of_secrets_are_stored() {
    let site = TestSite::open();
    let (ada, token) = site.person("ada").await;
    let path = site.invite(ONE);
    let cookie = ada.cookie.as_ref().unwrap();
    let secrets = [
        token.as_str(),
        path.strip_prefix("/join/").unwrap(),
        cookie.split_once('=').unwrap().1,
    ];
    let folder = site.folder.path().join("arena");
    for name in ["site.db", "site.db-wal"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for secret in secrets {
            assert!(!text.contains(secret), "{name}");
        }
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_is_used_as_often_as_it_says_and_not_after_its_time() {
    let site = TestSite::with(SiteLimits::default(), invited());
    let twice = site.invite(Invite { uses: 2, ..ONE });
    for (name, status) in [
        ("ada", StatusCode::OK),
        // A name that is taken takes no use.
        ("ADA", StatusCode::CONFLICT),
        ("bob", StatusCode::OK),
        ("cy", StatusCode::NOT_FOUND),
    ] {
        let answer = site.browser().post(&twice, &[("name", name)]).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.text());
    }
    assert_eq!(
        site.browser().get(&twice).await.status,
        StatusCode::NOT_FOUND
    );
    let late = site.invite(ONE);
    let passed = "UPDATE invitations SET expires_at = 1";
    site.store().execute(passed, []).unwrap();
    for status in [
        site.browser().get(&late).await.status,
        site.browser().post(&late, &[("name", "cy")]).await.status,
        site.browser()
            .post("/join/nothing", &[("name", "cy")])
            .await
            .status,
    ] {
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
    let uninvited = site.browser().post("/sign-up", &[("name", "cy")]).await;
    assert_eq!(uninvited.status, StatusCode::FORBIDDEN);
    assert!(
        site.browser()
            .get("/sign-in")
            .await
            .text()
            .contains("invitation")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_invitations_of_a_disabled_organiser_are_void() {
    let site = TestSite::with(SiteLimits::default(), invited());
    let (rogue, boss) = (
        organiser(&site, "rogue").await,
        organiser(&site, "boss").await,
    );
    let invite = async |token: &str| {
        let asked = r#"{"uses":3,"organiser":true}"#;
        let request = site.script(Method::POST, "/api/v1/invitations", token, asked);
        let made: serde_json::Value = serde_json::from_slice(request.await.bytes()).unwrap();
        made["address"].as_str().unwrap().to_owned()
    };
    let (of_rogue, of_boss) = (invite(&rogue).await, invite(&boss).await);
    let disable = "/api/v1/accounts/rogue/disable";
    let done = site.script(Method::POST, disable, &boss, "").await;
    assert_eq!(done.status, StatusCode::NO_CONTENT, "{}", done.text());
    for (path, status) in [
        (&of_rogue, StatusCode::NOT_FOUND),
        (&of_boss, StatusCode::OK),
    ] {
        let answer = site.browser().post(path, &[("name", "rogue2")]).await;
        assert_eq!(answer.status, status, "{}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_session_is_over() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    assert_eq!(ada.get("/account").await.status, StatusCode::OK);
    site.store()
        .execute("UPDATE sessions SET expires_at = 1", [])
        .unwrap();
    assert_eq!(ada.get("/account").await.header("location"), "/sign-in");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_token_ends_the_old_one_and_all_other_sessions() {
    let site = TestSite::open();
    let (mut ada, old) = site.person("ada").await;
    let mut other = site.browser();
    other.post("/sign-in", &[("token", &old)]).await;
    assert_eq!(other.get("/account").await.status, StatusCode::OK);
    let new = token(&ada.submit("/account/token", &[]).await);
    assert_eq!(ada.get("/account").await.status, StatusCode::OK);
    assert_eq!(other.get("/account").await.header("location"), "/sign-in");
    let get = Method::GET;
    assert_eq!(
        site.script(get.clone(), "/account", &old, "").await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        site.script(get, "/account", &new, "").await.status,
        StatusCode::OK
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_account_can_do_nothing_until_it_is_enabled() {
    let site = TestSite::open();
    let (mut ada, token) = site.person("ada").await;
    let mut boss = site.organiser("boss").await;
    let change = [("account", "ADA"), ("disabled", "true")];
    let done = boss.submit("/organiser/disable", &change).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text());
    assert_eq!(ada.get("/account").await.header("location"), "/sign-in");
    let again = ada.post("/sign-in", &[("token", &token)]).await;
    assert_eq!(again.status, StatusCode::FORBIDDEN);
    let script = site.script(Method::GET, "/account", &token, "").await;
    assert_eq!(script.status, StatusCode::UNAUTHORIZED);
    assert_eq!(script.header("www-authenticate"), "Bearer");
    let taken = site.browser().post("/sign-up", &[("name", "ada")]).await;
    assert_eq!(taken.status, StatusCode::CONFLICT);
    let page = boss.get("/organiser").await;
    assert!(
        page.text().contains("disabled the account ada"),
        "{}",
        page.text()
    );
    boss.submit(
        "/organiser/disable",
        &[("account", "ada"), ("disabled", "false")],
    )
    .await;
    let script = site.script(Method::GET, "/account", &token, "").await;
    assert_eq!(script.status, StatusCode::OK);
    let own = boss
        .submit(
            "/organiser/disable",
            &[("account", "boss"), ("disabled", "true")],
        )
        .await;
    assert_eq!(own.status, StatusCode::CONFLICT);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_organisers_do_is_refused_to_others() {
    let site = TestSite::open();
    let (mut ada, token) = site.person("ada").await;
    assert_eq!(ada.get("/organiser").await.status, StatusCode::FORBIDDEN);
    for (path, fields) in [
        (
            "/organiser/invite",
            vec![("uses", "1"), ("organiser", "true")],
        ),
        (
            "/organiser/disable",
            vec![("account", "boss"), ("disabled", "true")],
        ),
    ] {
        let answer = ada.submit(path, &fields).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        let answer = site
            .script(Method::POST, path, &token, "uses=1&account=x&disabled=true")
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        let answer = site.browser().post(path, &fields).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    let mut boss = site.organiser("boss").await;
    let page = boss.submit("/organiser/invite", &[("uses", "3")]).await;
    let path = page
        .text()
        .split("<code>")
        .nth(1)
        .unwrap()
        .split('<')
        .next()
        .unwrap();
    // As the organiser's browser has found the site.
    let path = path.strip_prefix(&format!("http://{HOST}")).unwrap();
    assert!(path.starts_with("/join/"), "{path}");
    let answer = site.browser().post(path, &[("name", "eve")]).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        site.browser().get("/organiser").await.header("location"),
        "/sign-in?next=%2Forganiser"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cookies_are_for_the_site_alone() {
    for (url, name, secure) in [
        (None, "flipside", false),
        (Some("https://arena.test"), "__Host-flipside", true),
    ] {
        let settings = AccountSettings {
            url: url.map(|url| url.parse().unwrap()),
            ..open()
        };
        let site = TestSite::with(SiteLimits::default(), settings);
        let mut ada = site.browser();
        ada.origin = url.unwrap_or("http://arena.test").to_owned();
        let answer = ada.post("/sign-up", &[("name", "ada")]).await;
        let cookie = answer.header("set-cookie");
        let (pair, rest) = cookie.split_once("; ").unwrap();
        assert_eq!(pair.split_once('=').unwrap().0, name);
        assert!(rest.starts_with("Path=/; Max-Age="), "{rest}");
        let flags: Vec<&str> = rest.split("; ").skip(2).collect();
        let expected = match secure {
            true => vec!["HttpOnly", "SameSite=Lax", "Secure"],
            false => vec!["HttpOnly", "SameSite=Lax"],
        };
        assert_eq!(flags, expected);
        let word = ada.word().await;
        let out = ada.post("/sign-out", &[("word", &word)]).await;
        assert!(
            out.header("set-cookie")
                .starts_with(&format!("{name}=; Path=/; Max-Age=0"))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_needs_the_word_of_its_own_session() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let (mut eve, _) = site.person("eve").await;
    let of_eve = eve.word().await;
    for fields in [
        vec![],
        vec![("word", "")],
        vec![("word", of_eve.as_str())],
        vec![("word", "0")],
    ] {
        for path in ["/account/token", "/sign-out"] {
            let answer = ada.post(path, &fields).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {fields:?}");
        }
    }
    assert_eq!(ada.get("/account").await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_of_other_sites_are_refused() {
    let site = TestSite::open();
    let (mut ada, token) = site.person("ada").await;
    let word = ada.word().await;
    let body = || Body::from(format!("word={word}&name=mallory&token={token}"));
    let cookie = ada.cookie.clone().unwrap();
    let cases: &[(&[(&str, &str)], bool)] = &[
        (&[("origin", "http://arena.test")], true),
        (&[("origin", "https://arena.test")], true),
        (&[("sec-fetch-site", "same-origin")], true),
        (&[], false),
        (&[("origin", "null")], false),
        (&[("origin", "http://evil.test")], false),
        (&[("origin", "http://arena.test.evil.test")], false),
        (&[("origin", "http://arena.test:8080")], false),
        (
            &[
                ("origin", "http://evil.test"),
                ("sec-fetch-site", "same-origin"),
            ],
            false,
        ),
        (&[("sec-fetch-site", "same-site")], false),
        (&[("sec-fetch-site", "cross-site")], false),
        (&[("sec-fetch-site", "none")], false),
    ];
    for path in ["/account/token", "/sign-in", "/sign-up", "/upload"] {
        for (headers, is_ours) in cases {
            let mut request = axum::http::Request::post(path)
                .header("host", HOST)
                .header("cookie", &cookie)
                .header("content-type", "application/x-www-form-urlencoded");
            for (name, value) in *headers {
                request = request.header(*name, *value);
            }
            let answer = site.send(request.body(body()).unwrap()).await;
            let is_refused = answer
                .text()
                .contains("does not come from a page of this site");
            assert_eq!(
                is_refused,
                !is_ours,
                "{path} {headers:?}: {}",
                answer.text()
            );
            // The old token of `/sign-in` is not valid any more.
            if is_refused {
                assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {headers:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_an_address_of_its_own_a_site_takes_forms_from_there_only() {
    let settings = AccountSettings {
        url: Some("https://arena.example".parse().unwrap()),
        ..open()
    };
    let site = TestSite::with(SiteLimits::default(), settings);
    for (origin, status) in [
        ("https://arena.example", StatusCode::OK),
        ("https://ARENA.example", StatusCode::CONFLICT),
        ("http://arena.example", StatusCode::FORBIDDEN),
        ("https://arena.test", StatusCode::FORBIDDEN),
    ] {
        let mut browser = site.browser();
        browser.origin = origin.to_owned();
        let answer = browser.post("/sign-up", &[("name", "ada")]).await;
        assert_eq!(answer.status, status, "{origin}: {}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_in_a_header_needs_no_form_and_is_no_cookie() {
    let site = TestSite::open();
    let (_, token) = site.person("ada").await;
    let new = site
        .script(Method::POST, "/account/token", &token, "")
        .await;
    assert_eq!(new.status, StatusCode::OK);
    assert_eq!(new.header("set-cookie"), "");
    for shown in ["Bearer nothing", "bearer flipside_1", "Bearer "] {
        let request = axum::http::Request::get("/").header("authorization", shown);
        let answer = site.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{shown}");
        // Scripts are told in plain text.
        assert!(
            answer.text().starts_with("error: this "),
            "{}",
            answer.text()
        );
        assert!(answer.header("content-type").starts_with("text/plain"));
    }
    // A proxy may ask for a password in the same header. That is nobody's token, and forms stay protected.
    let basic = |request: axum::http::request::Builder| {
        let request = request.header("authorization", "Basic YTpi");
        site.send(request.body(Body::empty()).unwrap())
    };
    let page = basic(axum::http::Request::get("/")).await;
    assert_eq!(page.status, StatusCode::OK);
    let form = basic(axum::http::Request::post("/account/token")).await;
    assert_eq!(form.status, StatusCode::FORBIDDEN);
    assert!(
        form.text()
            .contains("does not come from a page of this site")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_with_secrets_are_kept_by_nobody_and_not_compressed() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    for path in ["/account", "/submit", "/sign-in", "/sign-up"] {
        let request = ada
            .request(Method::GET, path)
            .header("accept-encoding", "gzip");
        let answer = ada.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.header("content-encoding"), "", "{path}");
        if answer.status == StatusCode::OK {
            assert_eq!(
                answer.header("cache-control"),
                "private, no-store",
                "{path}"
            );
        }
    }
    // Other pages are compressed, and hold nothing but the name.
    let word = ada.word().await;
    let request = ada
        .request(Method::GET, "/")
        .header("accept-encoding", "gzip");
    let answer = ada.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.header("vary"), "cookie");
    for path in ["/", "/bots", "/nothing"] {
        assert!(!ada.get(path).await.text().contains(&word), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_are_kept_hold_nothing_of_a_visitor() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let of_ada = ada.get("/games").await;
    let of_nobody = site.browser().get("/games").await;
    assert!(of_ada.text().contains("href=\"/account\">ada</a>"));
    assert!(!of_nobody.text().contains(">ada</a>"));
    assert!(of_nobody.text().contains("href=\"/sign-in\">Sign in</a>"));
    assert_ne!(of_ada.header("etag"), of_nobody.header("etag"));
    // After the sign-out, the page of before is not taken for the same.
    let tag = of_ada.header("etag").to_owned();
    let request = site
        .browser()
        .request(Method::GET, "/games")
        .header("if-none-match", tag);
    let answer = site.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_write_is_text_on_every_page() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let mut boss = site.organiser("boss").await;
    let refused = site.browser().post("/sign-up", &[("name", SCRIPT)]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text().contains(HARMLESS), "{}", refused.text());
    for path in [
        format!("/uploads/{SCRIPT}"),
        format!("/account/bots/{SCRIPT}/file"),
    ] {
        let path = path.replace('<', "%3C").replace('>', "%3E");
        let answer = ada.get(&path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(!answer.text().contains(SCRIPT));
    }
    // No form takes such a name, but the store might come from elsewhere.
    site.store()
        .execute(
            "UPDATE accounts SET name = ? WHERE folded = 'ada'",
            [SCRIPT],
        )
        .unwrap();
    site.store()
        .execute(
            "INSERT INTO uploads (id, account, name, games, file, size, sha256, state, created_at, said)
             VALUES (7, 1, ?1, ?1, '', 1, ?2, 'refused', 1, ?1)",
            params![SCRIPT, "0".repeat(64)],
        )
        .unwrap();
    for (is_boss, path, times) in [
        (false, "/", 1),
        (false, "/account", 4),
        (false, "/uploads/7", 6),
        (false, "/nothing", 1),
        (true, "/organiser", 4),
    ] {
        let browser = if is_boss { &mut boss } else { &mut ada };
        let page = browser.get(path).await;
        assert!(!page.text().contains(SCRIPT), "{path}");
        let found = page.text().matches(HARMLESS).count();
        assert!(found >= times, "{path}: {found} in {}", page.text());
        assert_eq!(page.text().matches("<script").count(), 1, "{path}");
        assert!(
            page.header("content-security-policy")
                .contains("script-src 'self'")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_without_accounts_has_no_forms() {
    let site = TestSite::with(SiteLimits::default(), AccountSettings::default());
    for path in ["/sign-in", "/sign-up", "/join/x"] {
        assert_eq!(
            site.browser().get(path).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    assert!(!site.browser().get("/").await.text().contains("/submit"));
    let answer = site.browser().post("/sign-up", &[("name", "ada")]).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(!site.folder.path().join("arena/site.db").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_accounts_are_whole_and_their_fields_have_names() {
    let site = TestSite::open();
    let mut boss = site.organiser("boss").await;
    let mut nobody = site.browser();
    let welcome = nobody.post("/sign-up", &[("name", "ada")]).await;
    let invitation = boss.submit("/organiser/invite", &[("uses", "2")]).await;
    let mut pages = vec![welcome, invitation];
    for path in ["/account", "/submit", "/organiser"] {
        pages.push(boss.get(path).await);
    }
    nobody.cookie = None;
    for path in ["/sign-in", "/sign-up"] {
        pages.push(nobody.get(path).await);
    }
    let id = Regex::new(r#" id="([^"]*)""#).unwrap();
    let field = Regex::new(r#"<input id="([^"]*)"[^>]*>"#).unwrap();
    let mut fields = 0;
    for page in pages {
        let text = page.text();
        assert_eq!(page.status, StatusCode::OK, "{text}");
        assert_eq!(text.matches("<h1").count(), 1, "{text}");
        let mut ids: Vec<&str> = id
            .captures_iter(text)
            .map(|id| id.get(1).unwrap().as_str())
            .collect();
        let number = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), number, "{text}");
        for found in field.captures_iter(text) {
            assert!(
                text.contains(&format!("<label for=\"{}\"", &found[1])),
                "{text}"
            );
            fields += 1;
        }
        let described = Regex::new(r#"aria-describedby="([^"]*)""#).unwrap();
        for found in described.captures_iter(text) {
            assert!(ids.contains(&&found[1]), "{text}");
        }
        assert!(
            !text.contains("style=") && !text.contains("onclick"),
            "{text}"
        );
    }
    assert_eq!(fields, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_are_listed_and_a_revoked_one_is_void() {
    let site = TestSite::with(SiteLimits::default(), invited());
    let mut boss = site.organiser("boss").await;
    let link = site.invite(Invite { uses: 2, ..ONE });
    let page = boss.get("/organiser").await;
    let number = Regex::new("name=\"invitation\" value=\"([0-9A-F]{12})\"").unwrap();
    let found: Vec<String> = number
        .captures_iter(page.text())
        .map(|found| found[1].to_owned())
        .collect();
    // The one with which the organiser came is used up.
    assert_eq!(found.len(), 1, "{}", page.text());
    let revoke = [("invitation", found[0].as_str())];
    let (mut eve, _) = site.person("eve").await;
    let refused = eve.submit("/organiser/revoke", &revoke).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(site.browser().get(&link).await.status, StatusCode::OK);
    let revoked = boss.submit("/organiser/revoke", &revoke).await;
    assert_eq!(revoked.status, StatusCode::SEE_OTHER);
    assert_eq!(
        site.browser().get(&link).await.status,
        StatusCode::NOT_FOUND
    );
    let again = boss.submit("/organiser/revoke", &revoke).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    let log = boss.get("/organiser").await;
    assert!(log.text().contains("revoked the invitation"));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_in_returns_to_where_they_were_going() {
    let site = TestSite::open();
    let (_, token) = site.person("ada").await;
    let mut browser = site.browser();
    let to = browser.get("/request?bot=ada").await;
    let form = to.header("location").to_owned();
    assert_eq!(form, "/sign-in?next=%2Frequest%3Fbot%3Dada");
    let page = browser.get(&form).await;
    let action = format!("action=\"{form}\"");
    assert!(page.text().contains(&action), "{}", page.text());
    // A wrong token does not lose the way.
    let wrong = browser.post(&form, &[("token", "x")]).await;
    assert_eq!(wrong.status, StatusCode::FORBIDDEN);
    assert!(wrong.text().contains(&action), "{}", wrong.text());
    let signed = browser.post(&form, &[("token", &token)]).await;
    assert_eq!(signed.header("location"), "/request?bot=ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organiser_gives_a_bot_of_the_command_to_an_account() {
    let site = TestSite::open();
    crate::bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let mut boss = site.organiser("boss").await;
    let own = "/account/bots/ada";
    assert_eq!(ada.get(own).await.status, StatusCode::NOT_FOUND);
    let to = [("bot", "ada"), ("account", "Ada")];
    let refused = ada.submit("/organiser/give", &to).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let given = boss.submit("/organiser/give", &to).await;
    assert_eq!(given.status, StatusCode::SEE_OTHER, "{}", given.text());
    assert_eq!(ada.get(own).await.status, StatusCode::OK);
    // And on to somebody else.
    site.person("eve").await;
    let to = [("bot", "ada"), ("account", "eve")];
    assert_eq!(
        boss.submit("/organiser/give", &to).await.status,
        StatusCode::SEE_OTHER
    );
    assert_eq!(ada.get(own).await.status, StatusCode::NOT_FOUND);
}
