//! How often somebody may ask: a bucket of requests for each address and each account, which fills again with time.
//! A bucket is one point in time. Their number is bounded (`MAX_BUCKETS`), and the time is in the caller's hands, so
//! that no test has to wait.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::HeaderMap;

use super::peer::Peer;
use super::problem::{Problem, Result};
use super::threads::locked;
use crate::accounts::people::AccountId;

/// The most buckets of a kind. When there are more, all who come new share one.
const MAX_BUCKETS: usize = 50_000;

/// How often full buckets, which need no memory, are looked for when there are too many.
const SWEEP: Duration = Duration::from_secs(1);

/// How often something may be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// So often at once.
    pub burst: NonZeroU32,
    /// And once more after each time like this, which is not 0.
    pub each: Duration,
}

/// The rates of a server.
#[derive(Clone, Debug)]
pub struct RateLimits {
    /// All requests of an address. Addresses of this machine have no such limit, unless a proxy stands before the site.
    pub requests: Rate,
    /// All requests of an account.
    pub account_requests: Rate,
    /// Attempts to sign in from an address.
    pub sign_ins: Rate,
    /// Accounts that are made from an address.
    pub sign_ups: Rate,
    /// Matches that guests of an address begin.
    pub guest_matches: Rate,
    /// Uploads from an address.
    pub uploads: Rate,
    /// Uploads of an account.
    pub account_uploads: Rate,
    /// Matches or short series that an account asks for.
    pub account_matches: Rate,
}

impl Default for RateLimits {
    fn default() -> Self {
        RateLimits {
            requests: Rate::of(1_000, Duration::from_millis(10)),
            account_requests: Rate::of(1_000, Duration::from_millis(10)),
            sign_ins: Rate::of(20, Duration::from_secs(10)),
            sign_ups: Rate::of(30, Duration::from_secs(60)),
            guest_matches: Rate::of(60, Duration::from_secs(10)),
            uploads: Rate::of(30, Duration::from_secs(30)),
            account_uploads: Rate::of(10, Duration::from_secs(60)),
            account_matches: Rate::of(10, Duration::from_secs(60)),
        }
    }
}

impl Rate {
    /// So often at once, at least once, and once more after each time like this.
    pub const fn of(burst: u32, each: Duration) -> Self {
        let burst = match NonZeroU32::new(burst) {
            Some(burst) => burst,
            None => NonZeroU32::MIN,
        };
        Rate { burst, each }
    }

    /// Takes one from a bucket at this time; or says how long to wait for it.
    fn take(self, bucket: &mut Bucket, now: Instant) -> Result<(), Duration> {
        let full_at = bucket.map_or(now, |full_at| full_at.max(now)) + self.each;
        let empty = self.each.saturating_mul(self.burst.get());
        match (full_at - now).checked_sub(empty) {
            None | Some(Duration::ZERO) => {
                *bucket = Some(full_at);
                Ok(())
            }
            Some(wait) => Err(wait),
        }
    }
}

/// Where a request comes from, as far as it is told apart: an IPv4 address, or the network of an IPv6 address, of which
/// a household has a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RateAddress {
    /// This machine.
    Local,
    V4(Ipv4Addr),
    /// The first 64 bits.
    V6([u16; 4]),
}

impl RateAddress {
    fn of(ip: IpAddr) -> Self {
        match ip.to_canonical() {
            ip if ip.is_loopback() => RateAddress::Local,
            IpAddr::V4(ip) => RateAddress::V4(ip),
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments();
                RateAddress::V6([a, b, c, d])
            }
        }
    }

    /// The address of a request: of its connection, or what the proxy says of it.
    pub(crate) fn of_request(request: &Request, is_behind_proxy: bool) -> Self {
        let peer = request.extensions().get::<Peer>();
        // A request without a connection is one of a test.
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.ip());
        let told = is_behind_proxy
            .then(|| forwarded(request.headers()))
            .flatten();
        RateAddress::of(told.unwrap_or(peer))
    }
}

/// The last address of `X-Forwarded-For`: the one that the proxy added. Those before it came with the request.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok()
}

/// When a bucket is full again; none of one that nobody has taken from.
type Bucket = Option<Instant>;

/// Buckets by key.
struct Buckets<K> {
    rate: Rate,
    most: usize,
    taken: Mutex<RateBuckets<K>>,
}

/// What was taken from buckets.
struct RateBuckets<K> {
    own: HashMap<K, Bucket>,
    shared: Bucket,
    swept: Option<Instant>,
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    fn new(rate: Rate, most: usize) -> Self {
        let taken = RateBuckets {
            own: HashMap::new(),
            shared: None,
            swept: None,
        };
        Buckets {
            rate,
            most,
            taken: Mutex::new(taken),
        }
    }

    fn take(&self, key: &K) -> Result<(), Duration> {
        self.take_at(key, Instant::now())
    }

    /// Takes one; or says how long to wait for it.
    fn take_at(&self, key: &K, now: Instant) -> Result<(), Duration> {
        let mut taken = locked(&self.taken);
        if taken.own.len() >= self.most {
            taken.sweep(now);
        }
        let has_room = taken.own.len() < self.most || taken.own.contains_key(key);
        let bucket = match has_room {
            true => taken.own.entry(key.clone()).or_default(),
            false => &mut taken.shared,
        };
        self.rate.take(bucket, now)
    }
}

impl<K> RateBuckets<K> {
    /// Forgets full buckets. Other requests wait meanwhile, so it is bounded twice: it looks at `MAX_BUCKETS` at most,
    /// and, however many ask, once in `SWEEP`.
    fn sweep(&mut self, now: Instant) {
        let is_due = |last: Instant| now.saturating_duration_since(last) >= SWEEP;
        if self.swept.is_none_or(is_due) {
            self.own
                .retain(|_, bucket| bucket.is_some_and(|full_at| full_at > now));
            self.swept = Some(now);
        }
    }
}

/// The buckets of a server.
pub(crate) struct Rates {
    requests: Buckets<RateAddress>,
    account_requests: Buckets<AccountId>,
    sign_ins: Buckets<RateAddress>,
    sign_ups: Buckets<RateAddress>,
    guest_matches: Buckets<RateAddress>,
    uploads: Buckets<RateAddress>,
    account_uploads: Buckets<AccountId>,
    account_matches: Buckets<AccountId>,
    is_behind_proxy: bool,
}

impl Rates {
    pub(crate) fn new(limits: &RateLimits, is_behind_proxy: bool) -> Self {
        Rates {
            requests: Buckets::new(limits.requests, MAX_BUCKETS),
            account_requests: Buckets::new(limits.account_requests, MAX_BUCKETS),
            sign_ins: Buckets::new(limits.sign_ins, MAX_BUCKETS),
            sign_ups: Buckets::new(limits.sign_ups, MAX_BUCKETS),
            guest_matches: Buckets::new(limits.guest_matches, MAX_BUCKETS),
            uploads: Buckets::new(limits.uploads, MAX_BUCKETS),
            account_uploads: Buckets::new(limits.account_uploads, MAX_BUCKETS),
            account_matches: Buckets::new(limits.account_matches, MAX_BUCKETS),
            is_behind_proxy,
        }
    }

    /// An address that is that of one visitor or a few. The users of this machine are trusted; and where a proxy was not
    /// spoken of, all visitors come from here.
    pub(crate) fn told_apart(&self, address: RateAddress) -> Option<RateAddress> {
        let is_of_all = address == RateAddress::Local && !self.is_behind_proxy;
        (!is_of_all).then_some(address)
    }

    /// Any request.
    pub(crate) fn request(&self, address: RateAddress) -> Result<()> {
        match self.told_apart(address) {
            None => Ok(()),
            Some(address) => {
                (self.requests.take(&address)).map_err(|wait| too_often("requests", wait))
            }
        }
    }

    /// Any request of an account.
    pub(crate) fn request_of(&self, account: AccountId) -> Result<()> {
        (self.account_requests.take(&account)).map_err(|wait| too_often("requests", wait))
    }

    /// An attempt to sign in.
    pub(crate) fn sign_in(&self, address: RateAddress) -> Result<()> {
        (self.sign_ins.take(&address)).map_err(|wait| too_often("attempts to sign in", wait))
    }

    /// An account that is made.
    pub(crate) fn sign_up(&self, address: RateAddress) -> Result<()> {
        (self.sign_ups.take(&address)).map_err(|wait| too_often("attempts to sign up", wait))
    }

    /// A match that a guest begins.
    pub(crate) fn guest_match(&self, address: RateAddress) -> Result<()> {
        (self.guest_matches.take(&address)).map_err(|wait| {
            too_often("matches", wait).hint("with an account, you can begin more of them")
        })
    }

    /// An upload.
    pub(crate) fn upload(&self, address: RateAddress, account: AccountId) -> Result<()> {
        let taken =
            (self.uploads.take(&address)).and_then(|()| self.account_uploads.take(&account));
        taken.map_err(|wait| too_often("uploads", wait))
    }

    /// A match or a short series that an account asks for.
    pub(crate) fn request_matches(&self, account: AccountId) -> Result<()> {
        (self.account_matches.take(&account)).map_err(|wait| too_often("requests of matches", wait))
    }
}

fn too_often(what: &str, wait: Duration) -> Problem {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    Problem::too_many(format!("too many {what} in a short time"), seconds)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn request(peer: &str, forwarded: &[&str]) -> Request {
        let mut request = axum::http::Request::get("/");
        for text in forwarded {
            request = request.header("x-forwarded-for", *text);
        }
        let mut request = request.body(Body::empty()).unwrap();
        let peer = format!("{peer}:1").parse().unwrap();
        request.extensions_mut().insert(Peer(peer));
        request
    }

    #[test]
    fn an_address_of_ipv6_is_its_network() {
        let of = |text: &str| RateAddress::of(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.2"), of("192.0.2.1"));
        assert_eq!([of("::1"), of("127.0.0.9")], [RateAddress::Local; 2]);
    }

    #[test]
    fn what_a_visitor_says_of_its_address_counts_only_from_a_proxy_and_only_its_last_word() {
        let of = |request: &Request, proxy| RateAddress::of_request(request, proxy);
        let v4 = |text: &str| RateAddress::V4(text.parse().unwrap());
        let told = request("192.0.2.1", &["198.51.100.7, 203.0.113.5"]);
        assert_eq!(of(&told, false), v4("192.0.2.1"));
        assert_eq!(of(&told, true), v4("203.0.113.5"));
        let twice = request("192.0.2.1", &["198.51.100.7", "203.0.113.6"]);
        assert_eq!(of(&twice, true), v4("203.0.113.6"));
        for unknown in [&[][..], &["unknown"], &["198.51.100.7, "]] {
            let request = request("192.0.2.1", unknown);
            assert_eq!(of(&request, true), v4("192.0.2.1"));
        }
    }

    #[test]
    fn a_bucket_empties_and_fills_again_with_time() {
        let buckets = Buckets::new(Rate::of(2, HOUR), 10);
        let start = Instant::now();
        let at =
            |key, minutes: u32| buckets.take_at(&key, start + minutes * Duration::from_secs(60));
        assert_eq!([at(1, 0), at(1, 0)], [Ok(()); 2]);
        assert_eq!(at(1, 0), Err(HOUR));
        assert_eq!(at(2, 0), Ok(()));
        assert_eq!(at(1, 59), Err(HOUR / 60));
        assert_eq!(at(1, 60), Ok(()));
        assert_eq!(at(1, 60), Err(HOUR));
        // However long nobody asks, it holds no more than its burst.
        assert_eq!([at(1, 6_000), at(1, 6_000)], [Ok(()); 2]);
        assert_eq!(at(1, 6_000), Err(HOUR));
    }

    #[test]
    fn memory_is_bounded_however_many_addresses_ask() {
        let buckets = Buckets::new(Rate::of(3, HOUR), 10);
        let start = Instant::now();
        let took = |key: &i32, now| buckets.take_at(key, now).is_ok();
        let taken = (0..1_000).filter(|key| took(key, start)).count();
        assert_eq!(locked(&buckets.taken).own.len(), 10);
        // Ten buckets of their own, and the shared one.
        assert_eq!(taken, 10 + 3);
        // Who has a bucket keeps it.
        assert_eq!(
            [took(&0, start), took(&0, start), took(&0, start)],
            [true, true, false]
        );
        // Full buckets make room.
        let later = start + 4 * HOUR;
        assert_eq!([2_000, 2_001].map(|key| took(&key, later)), [true; 2]);
        assert_eq!(locked(&buckets.taken).own.len(), 2);
    }

    #[test]
    fn however_many_ask_full_buckets_are_looked_for_once_a_second() {
        let buckets = Buckets::new(Rate::of(1, Duration::from_millis(1)), 2);
        let start = Instant::now();
        let own_after = |key, milliseconds| {
            let _ = buckets.take_at(&key, start + Duration::from_millis(milliseconds));
            locked(&buckets.taken).own.len()
        };
        assert_eq!(
            [own_after(1, 0), own_after(2, 0), own_after(3, 0)],
            [1, 2, 2]
        );
        // Both are full, but it is too early to look.
        assert_eq!(own_after(4, 999), 2);
        assert_eq!(own_after(5, 1_000), 1);
    }

    #[test]
    fn this_machine_has_a_limit_only_behind_a_proxy() {
        let limits = RateLimits {
            requests: Rate::of(1, HOUR),
            ..RateLimits::default()
        };
        for (proxy, is_refused) in [(false, false), (true, true)] {
            let rates = Rates::new(&limits, proxy);
            assert!(rates.request(RateAddress::Local).is_ok());
            assert_eq!(rates.request(RateAddress::Local).is_err(), is_refused);
        }
    }
}
