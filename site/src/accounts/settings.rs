//! How a site takes accounts, and where it is.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;
use flipside_runner::RemoteRunner;
use schemars::JsonSchema;
use serde::Serialize;

use crate::shared::assets::logo::SiteLogo;

/// Who can make an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "SignUps")]
#[serde(rename_all = "lowercase")]
pub enum SignUp {
    /// Nobody: there are no accounts.
    #[default]
    Off,
    /// Who has a link from an organiser.
    Invited,
    /// Everybody.
    Open,
}

/// How a site is set up, beside its limits.
#[derive(Clone, Debug, Default)]
pub struct AccountSettings {
    /// Who may make an account.
    pub sign_up: SignUp,
    /// What the site is called; nothing: Flipside.
    pub title: Option<String>,
    /// A line about it on its home page; nothing: one that fits every arena.
    pub about: Option<String>,
    /// A picture beside its name; nothing: our mark.
    pub logo: Option<SiteLogo>,
    /// Whether visitors without an account are kept from playing against built-in bots.
    pub no_guests: bool,
    /// The address under which browsers find the site; nothing: whatever they call it.
    pub url: Option<SiteUrl>,
    /// Whether a proxy stands before the site, and says in `X-Forwarded-For` who asks.
    pub behind_proxy: bool,
    /// Who plays the tournaments of the site elsewhere, if somebody does.
    pub remote: Option<RemoteRunner>,
}

impl AccountSettings {
    /// What the site is called.
    pub(crate) fn site_title(&self) -> &str {
        self.title.as_deref().unwrap_or("Flipside")
    }

    /// The line about it.
    pub(crate) fn site_about(&self) -> &str {
        const ABOUT: &str = "Programs play board, dice and card games against each other here. Anyone may watch, \
                             play against them, or write a better one.";
        self.about.as_deref().unwrap_or(ABOUT)
    }
}

/// The address of a site: a scheme, a host and perhaps a port, and no path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteUrl {
    origin: String,
    is_secure: bool,
}

/// Why a text is not a site's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address such as https://arena.example, without a path")]
pub struct BadUrl;

impl SiteUrl {
    /// The origin as browsers write it: in lower case, without a final slash.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether it is reached by https.
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

impl FromStr for SiteUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        let uri: Uri = text.trim().parse().map_err(|_| BadUrl)?;
        let is_secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(BadUrl),
        };
        let authority = uri.authority().ok_or(BadUrl)?.as_str();
        let has_more = !matches!(uri.path(), "" | "/") || uri.query().is_some();
        if has_more || authority.contains('@') {
            return Err(BadUrl);
        }
        // Browsers leave the usual port out.
        let usual = if is_secure { ":443" } else { ":80" };
        let host = authority.strip_suffix(usual).unwrap_or(authority);
        let scheme = if is_secure { "https" } else { "http" };
        Ok(SiteUrl {
            origin: format!("{scheme}://{}", host.to_ascii_lowercase()),
            is_secure,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_an_origin() {
        for (text, origin) in [
            ("https://Arena.example/", "https://arena.example"),
            ("https://arena.example:443", "https://arena.example"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://localhost:80", "http://localhost"),
        ] {
            let url: SiteUrl = text.parse().unwrap();
            assert_eq!(url.origin(), origin);
            assert_eq!(url.is_secure(), text.starts_with("https"));
        }
        for text in [
            "",
            "arena.example",
            "ftp://arena.example",
            "https://arena.example/path",
            "https://arena.example/?a",
            "https://a@arena.example",
            "https://",
        ] {
            assert_eq!(text.parse::<SiteUrl>(), Err(BadUrl), "{text}");
        }
    }
}
