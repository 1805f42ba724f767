//! Submitting a bot to the site of somebody else's arena, and following its check there.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use flipside_report::plain_line;
use flipside_sandbox::{Program, open_regular};
use flipside_tournament::Name;
use serde::{Deserialize, Serialize};
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Agent, Body};

use crate::entry::name_of;
use crate::failure::{Failure, Result};
use crate::files::{cannot_read, private_folder};
use crate::pack::pack_opened;

/// How long to wait for a connection, and for an answer.
const CONNECT_TIME: Duration = Duration::from_secs(10);
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// How long a file may take to be sent.
const SEND_TIME: Duration = Duration::from_secs(15 * 60);

/// How often to ask how far a check is.
const EVERY: Duration = Duration::from_millis(500);

/// How long to wait after the server did not answer, and how often in a row that may be: it may start again meanwhile.
const PAUSE: Duration = Duration::from_secs(2);
const MAX_MISSED: u32 = 30;

/// The longest answer that is read, in bytes: a report has at most 1 MiB.
const LONGEST_ANSWER: u64 = 4 << 20;

/// The longest token, in bytes.
pub const LONGEST_TOKEN: usize = 256;

/// A site, and the token of an account there.
#[derive(Clone)]
pub struct RemoteSite {
    origin: String,
    token: String,
    is_encrypted: bool,
}

/// The token is a secret.
impl fmt::Debug for RemoteSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSite")
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// What happens meanwhile.
#[derive(Clone, Copy, Debug)]
pub enum RemoteNews<'a> {
    /// The token is sent without encryption.
    Unencrypted,
    /// The file has been received. The page of the upload is at this address.
    Received(&'a str),
    /// So many uploads are checked before it.
    Waiting(u64),
    /// A step of its check is done.
    Step(&'a RemoteStep),
}

/// A step of a check.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RemoteStep {
    /// What it is a part of.
    pub group: String,
    /// Its name.
    pub name: String,
    /// `ok`, `skipped`, `warning` or `failed`.
    pub status: String,
    /// What was found.
    pub found: String,
    /// What the author can do.
    #[serde(default)]
    pub advice: Option<String>,
}

/// A bot that is in the arena of a site.
#[derive(Clone, Debug, Serialize)]
pub struct RemoteBot {
    /// The bot with its version: `mybot@2`.
    pub bot: String,
    /// The page of the upload.
    pub page: String,
    /// What its author should know, in lines.
    pub warnings: Vec<String>,
}

/// An upload as the site tells of it.
#[derive(Deserialize)]
struct RemoteUpload {
    upload: i64,
    state: String,
    said: String,
    bot: Option<String>,
    before: u64,
    page: String,
    progress: Option<RemoteSteps>,
    report: Option<RemoteSteps>,
}

#[derive(Default, Deserialize)]
struct RemoteSteps {
    steps: Vec<RemoteStep>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// A problem document.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RemoteProblem {
    detail: String,
    hints: Vec<String>,
}

impl RemoteSite {
    /// The site at an address such as `https://arena.example`.
    ///
    /// # Errors
    /// When this is no such address, or the token is none.
    pub fn new(url: &str, token: &str) -> Result<Self> {
        let wrong = || {
            let what = format!("{} is not the address of a site", plain_line(url));
            Failure::usage(what).hint("--server https://arena.example")
        };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.authority()) else {
            return Err(wrong());
        };
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        if !matches!(scheme, "http" | "https") || host.as_str().contains('@') || !is_bare {
            return Err(wrong());
        }
        let token = token.trim();
        let is_fit = token.bytes().all(|byte| byte.is_ascii_graphic());
        if token.is_empty() || token.len() > LONGEST_TOKEN || !is_fit {
            let what = "this is not a token";
            return Err(Failure::usage(what).hint("your account's page on the site makes one"));
        }
        let is_local = matches!(host.host(), "localhost" | "127.0.0.1" | "[::1]");
        Ok(RemoteSite {
            origin: format!("{scheme}://{host}"),
            token: token.to_owned(),
            is_encrypted: scheme == "https" || is_local,
        })
    }

    /// Sends a bot, and follows its check to the end. `told` hears what happens meanwhile.
    ///
    /// # Errors
    /// When the bot's file cannot be read, the site cannot be reached or refuses the bot, or `told` fails.
    pub fn submit(
        &self,
        file: &Path,
        name: Option<&Name>,
        games: &[String],
        mut told: impl FnMut(RemoteNews<'_>) -> Result<()>,
    ) -> Result<RemoteBot> {
        if !self.is_encrypted {
            told(RemoteNews::Unencrypted)?;
        }
        let program = Program::open(file)?;
        let name = name.cloned();
        let name = name.map_or_else(|| name_of(program.name()), Ok)?;
        let folder = private_folder()?;
        let packed = folder.path().join("bundle");
        let sent = match program.as_bundle() {
            Some(opened) if file.is_dir() => {
                pack_opened(opened, file, &packed)?;
                &packed
            }
            _ => file,
        };
        let upload = self.send(sent, &name, games)?;
        told(RemoteNews::Received(&self.page(&upload)))?;
        self.follow(upload, &mut told)
    }

    fn agent(&self) -> Agent {
        let config = Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT_TIME))
            .timeout_send_body(Some(SEND_TIME))
            .timeout_recv_response(Some(ANSWER_TIME))
            .timeout_recv_body(Some(ANSWER_TIME))
            .user_agent(concat!("flipside/", env!("CARGO_PKG_VERSION")));
        config.build().into()
    }

    fn send(&self, file: &Path, name: &Name, games: &[String]) -> Result<RemoteUpload> {
        let (opened, found) = open_regular(file).map_err(|error| cannot_read(file, error))?;
        let mut request = self
            .agent()
            .put(format!("{}/api/v1/bots/{name}", self.origin))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/octet-stream")
            .header("content-length", found.len().to_string());
        for game in games {
            request = request.query("game", game);
        }
        let answer = request.send(&opened);
        self.read(answer.map_err(|error| self.unreachable(&error))?)
    }

    /// Asks for an upload again and again until its check is over.
    fn follow(
        &self,
        mut upload: RemoteUpload,
        told: &mut impl FnMut(RemoteNews<'_>) -> Result<()>,
    ) -> Result<RemoteBot> {
        let (agent, mut steps_told, mut before) = (self.agent(), 0, None);
        loop {
            let taken = upload.report.as_ref().or(upload.progress.as_ref());
            let steps = taken.map_or(&[][..], |taken| &taken.steps);
            for step in steps.iter().skip(steps_told) {
                told(RemoteNews::Step(step))?;
            }
            steps_told = steps_told.max(steps.len());
            match &*upload.state {
                "waiting" if before != Some(upload.before) && upload.before > 0 => {
                    before = Some(upload.before);
                    told(RemoteNews::Waiting(upload.before))?;
                }
                "waiting" | "checking" => {}
                _ => return self.ended(upload),
            }
            sleep(EVERY);
            upload = self.ask(&agent, upload.upload)?;
        }
    }

    /// How an upload stands. A server that does not answer may be about to start again.
    fn ask(&self, agent: &Agent, upload: i64) -> Result<RemoteUpload> {
        let address = format!("{}/api/v1/uploads/{upload}", self.origin);
        let mut missed = 0;
        loop {
            let request = agent
                .get(&address)
                .header("authorization", format!("Bearer {}", self.token));
            let failure = match request.call() {
                Ok(answer) if !is_passing(answer.status()) => return self.read(answer),
                Ok(answer) => self.refused(answer),
                Err(error) => self.unreachable(&error),
            };
            missed += 1;
            if missed > MAX_MISSED {
                return Err(failure);
            }
            sleep(PAUSE);
        }
    }

    /// The page of an upload, as a terminal may show what a server says.
    fn page(&self, upload: &RemoteUpload) -> String {
        format!("{}{}", self.origin, plain_line(&upload.page))
    }

    fn ended(&self, upload: RemoteUpload) -> Result<RemoteBot> {
        let page = self.page(&upload);
        match upload.bot {
            Some(bot) => Ok(RemoteBot {
                bot,
                page,
                warnings: upload.report.unwrap_or_default().warnings,
            }),
            None => {
                Err(Failure::new(plain_line(&upload.said)).hint(format!("{page} has the report")))
            }
        }
    }

    fn read(&self, answer: Response<Body>) -> Result<RemoteUpload> {
        if !answer.status().is_success() {
            return Err(self.refused(answer));
        }
        let text = body(answer).map_err(|error| self.unreachable(&error))?;
        serde_json::from_str(&text).map_err(|error| {
            let what = format!(
                "{} does not answer as a site of Flipside: {error}",
                self.origin
            );
            Failure::new(what).hint("it may be of another version of Flipside")
        })
    }

    /// Why the site does not do something.
    fn refused(&self, answer: Response<Body>) -> Failure {
        let status = answer.status();
        let problem: RemoteProblem = body(answer)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let said = match &*problem.detail {
            "" => status.to_string(),
            detail => plain_line(detail),
        };
        let mut failure = Failure::new(format!("{}: {said}", self.origin));
        for hint in &problem.hints {
            failure = failure.and_hint(plain_line(hint));
        }
        match status.is_redirection() {
            true => failure.hint("give the address to which the site leads"),
            false => failure,
        }
    }

    fn unreachable(&self, error: &dyn fmt::Display) -> Failure {
        let what = format!("cannot reach {}: {error}", self.origin);
        Failure::new(plain_line(&what)).hint("does a browser show this address?")
    }
}

/// Whether a server that answers so may answer otherwise soon.
fn is_passing(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

fn body(answer: Response<Body>) -> std::io::Result<String> {
    let mut text = String::new();
    let mut body = answer.into_body().into_reader().take(LONGEST_ANSWER);
    body.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_site_is_its_origin() {
        let site = RemoteSite::new("https://arena.example/", " flipside_1\n").unwrap();
        assert_eq!(site.origin, "https://arena.example");
        assert_eq!(site.token, "flipside_1");
        assert!(!format!("{site:?}").contains("flipside_1"));
        for (url, is_encrypted) in [
            ("https://arena.example", true),
            ("http://arena.example", false),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080/", true),
        ] {
            let site = RemoteSite::new(url, "x").unwrap();
            assert_eq!(site.is_encrypted, is_encrypted, "{url}");
        }
        for url in [
            "",
            "arena.example",
            "ftp://x",
            "http://a:b@x",
            "http://x/path",
            "http://x?a",
        ] {
            assert!(RemoteSite::new(url, "x").is_err(), "{url}");
        }
        let long = "x".repeat(LONGEST_TOKEN + 1);
        for token in ["", " ", "a b", "a\r\nb", &long] {
            assert!(RemoteSite::new("http://x", token).is_err(), "{token:?}");
        }
    }
}
