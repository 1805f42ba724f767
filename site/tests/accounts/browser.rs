//! A site with accounts over an empty arena, and browsers that keep a cookie.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::request::Builder;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use flipside_site::{
    AccountSettings, Invite, Peer, SignUp, Site, SiteLimits, UploadLimits, invite, router,
};
use flipside_store::Arena;
use http_body_util::BodyExt;
use regex_lite::Regex;
use rusqlite::Connection;
use tempfile::TempDir;
use tower::ServiceExt;

/// What a hostile person would write.
pub(crate) const SCRIPT: &str = "<script>alert(1)</script>";

/// The same as a page shows it.
pub(crate) const HARMLESS: &str = "&#60;script&#62;alert(1)&#60;/script&#62;";

/// The host that browsers ask for.
pub(crate) const HOST: &str = "arena.test";

/// A site; its arena goes with it.
pub(crate) struct TestSite {
    pub(crate) site: Arc<Site>,
    app: Router,
    pub(crate) folder: Arc<TempDir>,
}

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// Somebody with a browser.
pub(crate) struct Browser<'a> {
    site: &'a TestSite,
    pub(crate) cookie: Option<String>,
    pub(crate) origin: String,
    pub(crate) ip: IpAddr,
}

/// An answer, whole.
pub(crate) struct BrowserAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Vec<u8>,
}

pub(crate) fn open() -> AccountSettings {
    AccountSettings {
        sign_up: SignUp::Open,
        ..AccountSettings::default()
    }
}

/// An invitation for one author.
pub(crate) const ONE: Invite = Invite {
    organiser: false,
    uses: 1,
    days: 1,
};

impl TestSite {
    /// Everybody may sign up.
    pub(crate) fn open() -> Self {
        TestSite::with(SiteLimits::default(), open())
    }

    pub(crate) fn with(limits: SiteLimits, settings: AccountSettings) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Arena::create(folder.path().join("arena")).unwrap();
        TestSite::over(folder, limits, settings)
    }

    /// A site over an arena that was there before.
    pub(crate) fn over(
        folder: Arc<TempDir>,
        limits: SiteLimits,
        settings: AccountSettings,
    ) -> Self {
        // However busy the machine is, no answer is given up and no bot is late.
        let limits = SiteLimits {
            made_at_once: Duration::MAX,
            request_time: Duration::from_secs(3600),
            uploads: UploadLimits {
                clock: "move=30m,start=30m".parse().unwrap(),
                check: Duration::from_secs(10 * 3600),
                ..limits.uploads
            },
            ..limits
        };
        let arena = Arena::open(folder.path().join("arena")).unwrap();
        let begun = Instant::now();
        let open = move || Site::with(arena.clone(), limits.clone(), settings.clone());
        let site = loop {
            match open() {
                Ok(site) => break site,
                // The files of the site before are open until all that it did has ended, and in a program that it
                // starts at this moment.
                Err(failure) if failure.message().contains("another server takes uploads") => {
                    assert!(begun.elapsed() < PATIENCE, "{failure}");
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(failure) => panic!("{failure}"),
            }
        };
        TestSite {
            app: router(&site),
            site,
            folder,
        }
    }

    pub(crate) fn arena(&self) -> Arena {
        Arena::open(self.folder.path().join("arena")).unwrap()
    }

    /// The store, as somebody with another program would open it.
    pub(crate) fn store(&self) -> Connection {
        Connection::open(self.folder.path().join("arena/site.db")).unwrap()
    }

    /// The names of the files that wait for a check or are received.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path().join("arena/uploads")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
        names.sort();
        names
    }

    /// Waits until no file is kept: one goes a moment after its upload has ended.
    pub(crate) async fn keeps_no_file(&self) {
        crate::api::until("no file is kept", async || self.files().is_empty()).await;
    }

    pub(crate) fn invite(&self, asked: Invite) -> String {
        invite(&self.arena(), asked).unwrap()
    }

    /// An answer that may go on for ever.
    pub(crate) async fn stream(&self, request: Request<Body>) -> axum::response::Response {
        self.app.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> BrowserAnswer {
        let (parts, body) = self.stream(request).await.into_parts();
        BrowserAnswer {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes().to_vec(),
        }
    }

    pub(crate) fn browser(&self) -> Browser<'_> {
        Browser {
            site: self,
            cookie: None,
            origin: format!("http://{HOST}"),
            ip: "127.0.0.1".parse().unwrap(),
        }
    }

    /// A browser of somebody new, and the token.
    pub(crate) async fn person(&self, name: &str) -> (Browser<'_>, String) {
        self.join(&self.invite(Invite { ..ONE }), name).await
    }

    pub(crate) async fn organiser(&self, name: &str) -> Browser<'_> {
        let path = self.invite(Invite {
            organiser: true,
            ..ONE
        });
        self.join(&path, name).await.0
    }

    async fn join(&self, path: &str, name: &str) -> (Browser<'_>, String) {
        let mut browser = self.browser();
        let page = browser.post(path, &[("name", name)]).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text());
        (browser, token(&page))
    }

    /// A request of a script with a token.
    pub(crate) async fn script(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: impl Into<Body>,
    ) -> BrowserAnswer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", HOST)
            .header("authorization", format!("Bearer {token}"));
        self.send(request.body(body.into()).unwrap()).await
    }
}

/// The token on a page.
pub(crate) fn token(page: &BrowserAnswer) -> String {
    let token = Regex::new("flipside_[0-9a-f]{64}").unwrap();
    let found = token.find(page.text());
    found
        .unwrap_or_else(|| panic!("{}", page.text()))
        .as_str()
        .to_owned()
}

impl Browser<'_> {
    pub(crate) fn request(&self, method: Method, path: &str) -> Builder {
        let is_form = method != Method::GET;
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", HOST)
            .extension(Peer(SocketAddr::new(self.ip, 1)));
        if is_form {
            request = request.header("origin", &self.origin);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        request
    }

    pub(crate) async fn send(&mut self, request: Request<Body>) -> BrowserAnswer {
        let answer = self.site.send(request).await;
        if let Some(set) = answer.headers.get("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let is_gone = pair.ends_with('=');
            self.cookie = (!is_gone).then(|| pair.to_owned());
        }
        answer
    }

    pub(crate) async fn get(&mut self, path: &str) -> BrowserAnswer {
        let request = self.request(Method::GET, path).body(Body::empty());
        self.send(request.unwrap()).await
    }

    /// Sends a form as it is.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> BrowserAnswer {
        let body = serde_urlencoded::to_string(fields).unwrap();
        let request = self
            .request(Method::POST, path)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(body));
        self.send(request.unwrap()).await
    }

    /// Sends a form with the word of the session.
    pub(crate) async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> BrowserAnswer {
        let word = self.word().await;
        let mut fields = fields.to_vec();
        fields.push(("word", &word));
        self.post(path, &fields).await
    }

    /// The word that the forms of the session hold.
    pub(crate) async fn word(&mut self) -> String {
        let page = self.get("/account").await;
        let word = Regex::new("name=\"word\" value=\"([0-9a-f]{64})\"").unwrap();
        let found = word.captures(page.text());
        found.unwrap_or_else(|| panic!("{}", page.text()))[1].to_owned()
    }
}

impl BrowserAnswer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.body
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.get(name);
        found.map_or("", |value| value.to_str().unwrap())
    }
}
