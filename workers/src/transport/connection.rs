//! A connection to the server: every request has a deadline, and every failure a name.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::response::Response;
use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, HeaderMap, Message, Request,
    RequestErrorKind, ServerError, rustls,
};
use bytes::Bytes;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::sync::{broadcast, watch};

use super::address::Address;
use super::credentials::{Credentials, CredentialsError};
use super::error::{Error, MIN_SERVER};
use super::names::WorkerName;

/// When unacknowledged work is delivered again. A block takes about a second.
pub const ACK_WAIT: Duration = Duration::from_secs(30);

/// The default of [`Options::connect_timeout`].
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The default of [`Options::call_timeout`].
pub const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a request is sent that may safely be repeated.
const MAX_TRIES: u32 = 3;

/// How often an idle connection is checked. It counts as lost after two checks without an answer.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// The first and the longest wait before the client connects again.
const RECONNECT_DELAY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// How many denials the server may report before the requests that caused them look.
const MAX_DENIALS: usize = 64;

/// Who connects, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of this director or worker. The server shows it, and its permissions name it.
    pub name: WorkerName,
    /// How to identify; none for a server without users.
    pub credentials: Option<Credentials>,
    /// A PEM file with the certificate authority of the server. Defaults to the authorities of the system.
    pub ca: Option<PathBuf>,
    /// When unacknowledged work is delivered again. Defaults to [`ACK_WAIT`].
    pub ack_wait: Duration,
    /// Until a server must have greeted and accepted the credentials. Defaults to [`CONNECT_TIMEOUT`].
    pub connect_timeout: Duration,
    /// Until the server must have answered a request. Defaults to [`CALL_TIMEOUT`].
    pub call_timeout: Duration,
}

impl Options {
    /// Returns the defaults for this name.
    pub fn new(name: WorkerName) -> Self {
        Options {
            name,
            credentials: None,
            ca: None,
            ack_wait: ACK_WAIT,
            connect_timeout: CONNECT_TIMEOUT,
            call_timeout: CALL_TIMEOUT,
        }
    }

    fn connect_options(&self) -> Result<ConnectOptions, Error> {
        let mut options = ConnectOptions::new()
            .name(&self.name)
            .custom_inbox_prefix(inbox_prefix(&self.name))
            .connection_timeout(self.connect_timeout)
            .request_timeout(Some(self.call_timeout))
            .ping_interval(PING_INTERVAL)
            .reconnect_delay_callback(reconnect_delay);
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone());
        }
        Ok(match &self.credentials {
            None => options,
            Some(Credentials::Seed(seed)) => options.nkey(seed.clone()),
            Some(Credentials::Token(token)) => options.token(token.clone()),
            Some(Credentials::Jwt(text)) => {
                options.credentials(text).map_err(CredentialsError::Jwt)?
            }
        })
    }
}

/// What is known about the link to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) is_up: bool,
    /// How often the connection was lost. Fetches that were open then get no answer any more.
    pub(super) losses: u64,
}

/// A connection to a server with JetStream. It reconnects by itself. Clones share it.
#[derive(Clone)]
pub struct Connection {
    pub(super) client: Client,
    address: Arc<Address>,
    pub(super) name: WorkerName,
    pub(super) ack_wait: Duration,
    pub(super) connect_timeout: Duration,
    call_timeout: Duration,
    link: watch::Receiver<Link>,
    denials: broadcast::Sender<String>,
}

impl Connection {
    /// Connects, and checks that the server has what is needed.
    pub async fn connect(address: &Address, options: &Options) -> Result<Self, Error> {
        let (link_sender, link) = watch::channel(Link {
            is_up: true,
            losses: 0,
        });
        let link_sender = Arc::new(link_sender);
        let (denials, _) = broadcast::channel(MAX_DENIALS);
        let denials_sender = denials.clone();
        let client = options
            .connect_options()?
            .event_callback(move |event| {
                note(&event, &link_sender, &denials_sender);
                std::future::ready(())
            })
            .connect(address.server())
            .await
            .map_err(|error| connect_error(address, options.connect_timeout, &error))?;
        let version = client.server_info().version;
        if !is_new_enough(&version) {
            return Err(Error::TooOld {
                address: address.clone(),
                version,
            });
        }
        let connection = Connection {
            client,
            address: Arc::new(address.clone()),
            name: options.name.clone(),
            ack_wait: options.ack_wait,
            connect_timeout: options.connect_timeout,
            call_timeout: options.call_timeout,
            link,
            denials,
        };
        connection.check_jetstream().await?;
        Ok(connection)
    }

    async fn check_jetstream(&self) -> Result<(), Error> {
        match self.command("INFO", &()).await {
            Err(Error::NotSetUp(_)) => Err(Error::NoJetStream((*self.address).clone())),
            answer => answer,
        }
    }

    /// Waits until there is a connection.
    pub(super) async fn link_up(&self, within: Duration) -> Result<Link, Error> {
        let mut link = self.link.clone();
        let up = tokio::time::timeout(within, link.wait_for(|link| link.is_up)).await;
        match up {
            Ok(Ok(link)) => Ok(*link),
            _ => Err(Error::NoAnswer {
                what: self.address.to_string(),
                waited: within,
            }),
        }
    }

    /// Waits until the connection that had this state is lost.
    pub(super) async fn link_lost(&self, was: Link) {
        let mut link = self.link.clone();
        let lost = link.wait_for(|link| link.losses > was.losses).await;
        // The client ended: then nothing else comes either, and the deadline of the caller applies.
        if lost.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Returns a listener for denials. Make it before the request that may be denied.
    pub(super) fn denials(&self) -> Denials {
        Denials {
            messages: self.denials.subscribe(),
            inbox: format!("\"{}.", inbox_prefix(&self.name)),
        }
    }

    /// Sends a request and waits for the answer.
    pub(super) async fn call(
        &self,
        subject: &str,
        headers: HeaderMap,
        payload: Bytes,
    ) -> Result<Message, Error> {
        let mut denials = self.denials();
        let request = Request::new().headers(headers).payload(payload);
        let answer = self.client.send_request(subject.to_owned(), request);
        let answer = tokio::select! {
            answer = answer => answer,
            // The server drops what it denies without an answer to the request.
            denial = denials.of(subject) => return Err(Error::Forbidden(denial)),
        };
        answer.map_err(|error| match error.kind() {
            RequestErrorKind::NoResponders => Error::NotSetUp(subject.into()),
            RequestErrorKind::TimedOut => Error::NoAnswer {
                what: subject.into(),
                waited: self.call_timeout,
            },
            RequestErrorKind::MaxPayloadExceeded
            | RequestErrorKind::InvalidSubject
            | RequestErrorKind::Other => Error::refusal(subject, error),
        })
    }

    /// Sends a request that may be repeated, until there is an answer.
    pub(super) async fn call_again(
        &self,
        subject: &str,
        headers: &HeaderMap,
        payload: &Bytes,
    ) -> Result<Message, Error> {
        let mut tries = 1;
        loop {
            match self.call(subject, headers.clone(), payload.clone()).await {
                Err(Error::NoAnswer { .. }) if tries < MAX_TRIES => tries += 1,
                answer => return answer,
            }
        }
    }

    /// Calls JetStream's API: `$JS.API.<what>`.
    pub(super) async fn api<T: DeserializeOwned>(
        &self,
        what: &str,
        request: &(impl Serialize + ?Sized),
    ) -> Result<T, Error> {
        let subject = format!("$JS.API.{what}");
        let body = serde_json::to_vec(request).map_err(|error| Error::refusal(&subject, error))?;
        let body = Bytes::from(body);
        let answer = self.call_again(&subject, &HeaderMap::new(), &body).await?;
        self.decode(&subject, &answer.payload)
    }

    /// The same where nothing of the answer is wanted.
    pub(super) async fn command(
        &self,
        what: &str,
        request: &(impl Serialize + ?Sized),
    ) -> Result<(), Error> {
        self.api::<IgnoredAny>(what, request).await.map(drop)
    }

    /// Reads an answer of JetStream.
    pub(super) fn decode<T: DeserializeOwned>(
        &self,
        subject: &str,
        answer: &[u8],
    ) -> Result<T, Error> {
        match serde_json::from_slice(answer) {
            Ok(Response::Ok(value)) => Ok(value),
            Ok(Response::Err { error }) => {
                let (code, message) = (error.error_code(), error.to_string());
                Err(Error::from_jetstream(subject, code, message, &self.address))
            }
            Err(error) => Err(Error::refusal(subject, error)),
        }
    }
}

/// Hears what the server denies to this user.
pub(super) struct Denials {
    messages: broadcast::Receiver<String>,
    /// How a denial names the inboxes of this user.
    inbox: String,
}

impl Denials {
    /// Waits for a denial that names the subject, or an inbox for the answer. Waits forever if there is none.
    pub(super) async fn of(&mut self, subject: &str) -> String {
        let subject = format!("\"{subject}\"");
        loop {
            match self.messages.recv().await {
                Ok(denial) if denial.contains(&subject) || denial.contains(&self.inbox) => {
                    return denial;
                }
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

/// The start of the subjects at which a user gets answers. Permissions on it keep workers from reading each other's
/// answers.
fn inbox_prefix(name: &WorkerName) -> String {
    format!("_INBOX.{name}")
}

/// Keeps what an event of the client says about the link and about permissions.
fn note(event: &Event, link: &watch::Sender<Link>, denials: &broadcast::Sender<String>) {
    match event {
        Event::Connected => link.send_modify(|link| link.is_up = true),
        Event::Disconnected => link.send_modify(|link| {
            link.is_up = false;
            link.losses += 1;
        }),
        // Nobody may wait for it: then it is only in the log.
        Event::ServerError(ServerError::Other(message)) => {
            tracing::debug!(message, "the server reports an error");
            drop(denials.send(message.clone()));
        }
        event => tracing::debug!(%event, "the NATS client reports an event"),
    }
}

/// Doubles the delay with each attempt, with some chance so that many workers do not come back at one moment.
fn reconnect_delay(attempts: usize) -> Duration {
    if attempts <= 1 {
        return Duration::ZERO;
    }
    let (first, longest) = RECONNECT_DELAY;
    let doublings = u32::try_from(attempts - 2).unwrap_or(u32::MAX);
    let factor = 2_u32.checked_pow(doublings).unwrap_or(u32::MAX);
    let delay = first.saturating_mul(factor).min(longest);
    delay.mul_f64(rand::random_range(0.5..=1.0))
}

/// Whether a version of the server is [`MIN_SERVER`] or newer. Unknown forms are not.
fn is_new_enough(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.');
    let mut part = || parts.next()?.parse::<u32>().ok();
    let (Some(major), Some(minor)) = (part(), part()) else {
        return false;
    };
    (major, minor) >= MIN_SERVER
}

/// Names the reason for which a connection failed.
fn connect_error(address: &Address, waited: Duration, error: &ConnectError) -> Error {
    let address = address.clone();
    match error.kind() {
        ConnectErrorKind::Dns | ConnectErrorKind::ServerParse => Error::UnknownHost(address),
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            Error::Unauthorised(address)
        }
        ConnectErrorKind::TimedOut => Error::NotNats {
            address,
            message: format!("no greeting within {} s", waited.as_secs()),
        },
        ConnectErrorKind::Tls => Error::Tls {
            address,
            message: error.to_string(),
        },
        ConnectErrorKind::Io | ConnectErrorKind::MaxReconnects => io_error(address, error),
    }
}

/// Tells apart what the client reports as an I/O error.
fn io_error(address: Address, error: &ConnectError) -> Error {
    let source = std::error::Error::source(error);
    let io = source.and_then(|source| source.downcast_ref::<io::Error>());
    let inner = io.and_then(io::Error::get_ref);
    if let Some(tls) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        let message = tls.to_string();
        return Error::Tls { address, message };
    }
    let is_cut_off = |kind| {
        matches!(
            kind,
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
        )
    };
    match io.map(|io| (io.kind(), io.raw_os_error())) {
        Some((io::ErrorKind::ConnectionRefused, _)) => Error::Refused(address),
        Some((kind, Some(code))) if !is_cut_off(kind) => Error::Unreachable {
            address,
            source: io::Error::from_raw_os_error(code),
        },
        _ => Error::NotNats {
            address,
            message: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_that_work_are_new_enough() {
        for version in ["2.10.0", "2.15.1", "3.0.0-beta", "v2.12.1"] {
            assert!(is_new_enough(version), "{version}");
        }
        for version in ["2.9.10", "1.4.1", "", "2", "x.y", "99999999999999.1"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }

    #[test]
    fn the_delay_grows_to_its_limit_and_never_overflows() {
        assert_eq!(reconnect_delay(1), Duration::ZERO);
        for attempts in [2, 3, 10, 1000, usize::MAX] {
            let delay = reconnect_delay(attempts);
            assert!(delay >= RECONNECT_DELAY.0 / 2 && delay <= RECONNECT_DELAY.1);
        }
    }
}
