//! What one visitor or all of them together may take, each with a name.

use std::time::Duration;

use flipside_operations::MOST_DISK;
use flipside_protocol::Size;

use crate::bots::uploads::limits::UploadLimits;
use crate::shared::rates::RateLimits;
use crate::tournaments::host::tries::Pauses;
use crate::webhooks::limits::WebhookLimits;

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct SiteLimits {
    /// Open connections; more wait until one is closed.
    pub connections: usize,
    /// Requests that read the journal at the same time; more wait.
    pub readers: usize,
    /// Files of tournaments that are made at the same time; more wait.
    pub writers: usize,
    /// Pictures that are drawn at the same time; more wait.
    pub painters: usize,
    /// Listeners to live news; more are told to come back later.
    pub listeners: usize,
    /// Bytes of a request's line and headers. At least 8,192, which is what the HTTP library needs.
    pub header_bytes: usize,
    /// Until all headers of a request are there.
    pub header_time: Duration,
    /// Bytes of an address: path and query.
    pub address_bytes: usize,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Until an answer begins.
    pub request_time: Duration,
    /// How long the site prepares its pages at most before it says that it is there.
    pub warm_time: Duration,
    /// How long a stop waits for running requests and matches.
    pub stop_time: Duration,
    /// Bytes of results and pages that are kept, about.
    pub cached_bytes: usize,
    /// People who play against bots at the same time; more are told to come back later.
    pub play_sessions: usize,
    /// How long such a person may think before the match is broken off, and how long it is kept after its end.
    pub play_session_time: Duration,
    /// How often an account may request matches in 24 hours.
    pub requests_a_day: u32,
    /// How much disk the arena may take while this server plays tournaments.
    pub most_disk: Size,
    /// Whether tournaments that organisers begin may let single bots use the network of this machine.
    pub bot_network: bool,
    /// How long a tournament waits that could not go on for want of disk, open files or the like.
    pub pauses: Pauses,
    /// How often the journal is looked at for news, once for all listeners.
    pub poll: Duration,
    /// A page that took longer than this is shown as it was while it is made anew.
    pub made_at_once: Duration,
    /// A page that is shown as it was this long ago says so.
    pub old_page: Duration,
    /// How often one address or account may ask.
    pub rates: RateLimits,
    /// What uploads may take.
    pub uploads: UploadLimits,
    /// What webhooks may take.
    pub webhooks: WebhookLimits,
}

impl Default for SiteLimits {
    fn default() -> Self {
        SiteLimits {
            connections: 2_048,
            readers: 4,
            writers: 2,
            painters: 1,
            listeners: 1_024,
            header_bytes: 16 << 10,
            header_time: Duration::from_secs(10),
            address_bytes: 2_048,
            body_bytes: 64 << 10,
            request_time: Duration::from_secs(30),
            warm_time: Duration::from_secs(20),
            stop_time: Duration::from_secs(30),
            cached_bytes: 128 << 20,
            play_sessions: 8,
            play_session_time: Duration::from_secs(600),
            requests_a_day: 50,
            most_disk: MOST_DISK,
            bot_network: false,
            pauses: Pauses::default(),
            poll: Duration::from_millis(250),
            made_at_once: Duration::from_millis(50),
            old_page: Duration::from_secs(60),
            rates: RateLimits::default(),
            uploads: UploadLimits::default(),
            webhooks: WebhookLimits::default(),
        }
    }
}
