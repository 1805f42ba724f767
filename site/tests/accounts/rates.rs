//! Nobody asks too often. The rates of these tests do not fill again while a test runs.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use flipside_site::{AccountSettings, Rate, RateLimits, SiteLimits};

use crate::browser::{BrowserAnswer, TestSite, open};

const HOUR: Duration = Duration::from_secs(3600);
const TWO: Rate = Rate::of(2, HOUR);

fn limited(rates: RateLimits) -> SiteLimits {
    SiteLimits {
        rates,
        ..SiteLimits::default()
    }
}

fn assert_limited(answer: &BrowserAnswer) {
    assert_eq!(
        answer.status,
        StatusCode::TOO_MANY_REQUESTS,
        "{}",
        answer.text()
    );
    let seconds: u64 = answer.header("retry-after").parse().unwrap();
    assert!(seconds > 1_000 && seconds <= 3_600, "{seconds}");
    let text = answer.text().to_ascii_lowercase();
    assert!(text.contains("try again in"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_to_sign_in_are_limited_by_address_in_the_form_and_in_the_header() {
    let rates = RateLimits {
        sign_ins: TWO,
        ..RateLimits::default()
    };
    let site = TestSite::with(limited(rates), open());
    let (_, token) = site.person("ada").await;
    let mut eve = site.browser();
    eve.ip = "192.0.2.1".parse().unwrap();
    let wrong = [("token", "flipside_0")];
    assert_eq!(
        eve.post("/sign-in", &wrong).await.status,
        StatusCode::FORBIDDEN
    );
    let request = eve
        .request(Method::GET, "/")
        .header("authorization", "Bearer x");
    let answer = site.send(request.body("".into()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert_limited(&eve.post("/sign-in", &wrong).await);
    // The right token does not help any more, but somebody else may.
    assert_limited(&eve.post("/sign-in", &[("token", &token)]).await);
    let request = eve
        .request(Method::GET, "/")
        .header("authorization", "Bearer x");
    assert_limited(&site.send(request.body("".into()).unwrap()).await);
    eve.ip = "192.0.2.2".parse().unwrap();
    assert_eq!(
        eve.post("/sign-in", &wrong).await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ups_are_limited_by_address() {
    let rates = RateLimits {
        sign_ups: TWO,
        ..RateLimits::default()
    };
    let site = TestSite::with(limited(rates), open());
    let mut eve = site.browser();
    eve.ip = "2001:db8::1".parse().unwrap();
    for name in ["a", "b"] {
        assert_eq!(
            eve.post("/sign-up", &[("name", name)]).await.status,
            StatusCode::OK
        );
    }
    eve.ip = "2001:db8::ffff".parse().unwrap();
    assert_limited(&eve.post("/sign-up", &[("name", "c")]).await);
    eve.ip = "2001:db8:0:1::1".parse().unwrap();
    assert_eq!(
        eve.post("/sign-up", &[("name", "c")]).await.status,
        StatusCode::OK
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn all_requests_are_limited_by_address_and_by_account() {
    let rates = RateLimits {
        requests: TWO,
        ..RateLimits::default()
    };
    let site = TestSite::with(limited(rates), AccountSettings::default());
    let mut eve = site.browser();
    eve.ip = "192.0.2.1".parse().unwrap();
    for _ in 0..2 {
        assert_eq!(eve.get("/games").await.status, StatusCode::OK);
    }
    assert_limited(&eve.get("/games").await);
    assert_limited(&eve.get("/assets/site.css").await);

    let rates = RateLimits {
        account_requests: TWO,
        ..RateLimits::default()
    };
    let site = TestSite::with(limited(rates), open());
    let (mut ada, token) = site.person("ada").await;
    ada.ip = "192.0.2.1".parse().unwrap();
    assert_eq!(ada.get("/games").await.status, StatusCode::OK);
    assert_eq!(
        site.script(Method::GET, "/games", &token, "").await.status,
        StatusCode::OK
    );
    assert_limited(&ada.get("/games").await);
    assert_eq!(site.browser().get("/games").await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forwarded_address_counts_only_behind_a_proxy() {
    for behind_proxy in [false, true] {
        let rates = RateLimits {
            requests: Rate::of(1, HOUR),
            ..RateLimits::default()
        };
        let settings = AccountSettings {
            behind_proxy,
            ..AccountSettings::default()
        };
        let site = TestSite::with(limited(rates), settings);
        let mut eve = site.browser();
        eve.ip = "192.0.2.1".parse().unwrap();
        let mut statuses = Vec::new();
        for told in ["198.51.100.1", "198.51.100.2", "198.51.100.2"] {
            let request = eve
                .request(Method::GET, "/games")
                .header("x-forwarded-for", told);
            statuses.push(site.send(request.body("".into()).unwrap()).await.status);
        }
        let (ok, limited) = (StatusCode::OK, StatusCode::TOO_MANY_REQUESTS);
        let expected = match behind_proxy {
            true => [ok, ok, limited],
            false => [ok, limited, limited],
        };
        assert_eq!(statuses, expected, "{behind_proxy}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_are_limited_by_address_and_by_account() {
    for by_account in [false, true] {
        let rates = match by_account {
            true => RateLimits {
                account_uploads: TWO,
                ..RateLimits::default()
            },
            false => RateLimits {
                uploads: TWO,
                ..RateLimits::default()
            },
        };
        let site = TestSite::with(limited(rates), open());
        let (_, ada) = site.person("ada").await;
        let (_, bob) = site.person("bob").await;
        for _ in 0..2 {
            let answer = site
                .script(Method::PUT, "/api/v1/bots/x", &ada, "no bot")
                .await;
            assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        assert_limited(
            &site
                .script(Method::PUT, "/api/v1/bots/x", &ada, "no bot")
                .await,
        );
        // Both come from one address.
        let other = site
            .script(Method::PUT, "/api/v1/bots/y", &bob, "no bot")
            .await;
        match by_account {
            true => assert_eq!(other.status, StatusCode::UNSUPPORTED_MEDIA_TYPE),
            false => assert_limited(&other),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_matches_are_limited_by_account() {
    let rates = RateLimits {
        account_matches: TWO,
        ..RateLimits::default()
    };
    let site = TestSite::with(limited(rates), open());
    crate::bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let (mut bob, _) = site.person("bob").await;
    let asked = [
        ("game", "flipflop-3x3"),
        ("bots", "ada, bob"),
        ("rounds", "1"),
    ];
    for _ in 0..2 {
        let answer = ada.submit("/request", &asked).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    }
    assert_limited(&ada.submit("/request", &asked).await);
    let answer = bob.submit("/request", &asked).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
}
