//! Who asks: somebody with a session or a token, or anybody.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use subtle::ConstantTimeEq;

use super::people::{AccountRow, Role, SESSION};
use super::secret::form_word;
use super::settings::SiteUrl;
use crate::shared::problem::{self, Problem};

/// The name of the cookie with a session's secret. With the prefix `__Host-`, browsers take it only over https and from
/// this very host.
const COOKIE_NAME: &str = "flipside";
const SECURE_COOKIE_NAME: &str = "__Host-flipside";

/// The same of the cookie with the secret of a guest who plays, and for how long a browser keeps it, in seconds.
const GUEST_COOKIE_NAME: &str = "flipside-guest";
const SECURE_GUEST_COOKIE_NAME: &str = "__Host-flipside-guest";
const GUEST_TIME: u64 = 86_400;

/// Somebody who has shown who it is.
#[derive(Clone, Debug)]
pub(crate) struct AccountVisitor {
    pub(crate) account: AccountRow,
    /// The secret of the session; nothing: the request came with a token.
    session: Option<String>,
}

impl AccountVisitor {
    pub(super) fn with_session(account: AccountRow, secret: &str) -> Self {
        AccountVisitor {
            account,
            session: Some(secret.to_owned()),
        }
    }

    pub(super) fn with_token(account: AccountRow) -> Self {
        AccountVisitor {
            account,
            session: None,
        }
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    pub(crate) fn is_organiser(&self) -> bool {
        self.account.role == Role::Organiser
    }

    /// What its forms hold.
    pub(crate) fn form_word(&self) -> String {
        self.session.as_deref().map(form_word).unwrap_or_default()
    }

    /// Makes sure that a form came from one of our pages. A request with a token needs no such proof: no browser adds
    /// that by itself.
    pub(crate) fn check_form(&self, word: &str) -> Result<(), Problem> {
        match &self.session {
            Some(secret) => check_word(secret, word),
            None => Ok(()),
        }
    }
}

/// What forms hold for who has a secret.
pub(crate) fn word_of(secret: &str) -> String {
    form_word(secret)
}

/// Makes sure that a form came from a page for who has this secret.
pub(crate) fn check_word(secret: &str, word: &str) -> Result<(), Problem> {
    let is_same: bool = form_word(secret).as_bytes().ct_eq(word.as_bytes()).into();
    match is_same {
        true => Ok(()),
        false => Err(Problem::forbidden("this form is not from your session")
            .hint("go back, load the page again, and send the form once more")),
    }
}

/// The cookie that lets a browser play as a guest.
pub(crate) fn guest_cookie(url: Option<&SiteUrl>, secret: &str) -> HeaderValue {
    let name = guest_cookie_name(url);
    set_cookie(url, name, secret, GUEST_TIME)
}

/// The guest's secret that a request shows, if it does.
pub(crate) fn shown_guest<'a>(headers: &'a HeaderMap, url: Option<&SiteUrl>) -> Option<&'a str> {
    shown_cookie(headers, guest_cookie_name(url))
}

fn guest_cookie_name(url: Option<&SiteUrl>) -> &'static str {
    match is_secure(url) {
        true => SECURE_GUEST_COOKIE_NAME,
        false => GUEST_COOKIE_NAME,
    }
}

/// The cookie that begins a session.
pub(crate) fn cookie(url: Option<&SiteUrl>, secret: &str) -> HeaderValue {
    set_cookie(url, cookie_name(url), secret, SESSION.as_secs())
}

/// The cookie that ends it.
pub(super) fn no_cookie(url: Option<&SiteUrl>) -> HeaderValue {
    set_cookie(url, cookie_name(url), "", 0)
}

fn set_cookie(url: Option<&SiteUrl>, name: &str, value: &str, seconds: u64) -> HeaderValue {
    let secure = match is_secure(url) {
        true => "; Secure",
        false => "",
    };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).expect("hexadecimal digits are a header")
}

fn is_secure(url: Option<&SiteUrl>) -> bool {
    url.is_some_and(SiteUrl::is_secure)
}

fn cookie_name(url: Option<&SiteUrl>) -> &'static str {
    match is_secure(url) {
        true => SECURE_COOKIE_NAME,
        false => COOKIE_NAME,
    }
}

/// The session's secret that a request shows, if it does.
pub(super) fn shown_session<'a>(headers: &'a HeaderMap, url: Option<&SiteUrl>) -> Option<&'a str> {
    shown_cookie(headers, cookie_name(url))
}

fn shown_cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let texts = headers.get_all(COOKIE).into_iter();
    let mut pairs = texts
        .filter_map(|text| text.to_str().ok())
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let (_, secret) = pairs.find(|(key, value)| *key == name && !value.is_empty())?;
    Some(secret)
}

/// Makes sure that somebody is an organiser.
pub(crate) fn refuse_authors(visitor: &AccountVisitor) -> problem::Result<()> {
    match visitor.is_organiser() {
        true => Ok(()),
        false => Err(Problem::forbidden("this is for organisers")),
    }
}

pub(crate) fn not_signed_in() -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "you are not signed in")
        .hint("sign in at /sign-in, or send your token: Authorization: Bearer TOKEN")
}
