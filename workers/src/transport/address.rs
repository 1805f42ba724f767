//! Where the NATS server is.

use std::fmt;
use std::str::FromStr;

use async_nats::ServerAddr;

/// The address of a NATS server: `nats://HOST[:PORT]`, or `tls://HOST[:PORT]` to require TLS. The port defaults to
/// 4222.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(ServerAddr);

impl Address {
    pub(super) fn server(&self) -> ServerAddr {
        self.0.clone()
    }
}

/// Why a text is not the address of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It does not have the form of an address.
    #[error("{0:?} is not the address of a NATS server")]
    Malformed(String),
    /// It contains a user or a password, which other users of the machine could read in the command line.
    #[error("the address contains a user name or password")]
    Secret,
}

impl AddressError {
    /// Returns what to type instead.
    pub fn hint(&self) -> &'static str {
        match self {
            AddressError::Malformed(_) => "nats://HOST:PORT, or tls://HOST:PORT for TLS",
            AddressError::Secret => "--credentials FILE: a file keeps them out of the command line",
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let malformed = || AddressError::Malformed(text.into());
        let server: ServerAddr = text.parse().map_err(|_| malformed())?;
        let url = server.clone().into_inner();
        if server.has_user_pass() || url.password().is_some() {
            return Err(AddressError::Secret);
        }
        let is_bare = matches!(url.path(), "" | "/") && url.query().is_none();
        let is_known = matches!(server.scheme(), "nats" | "tls");
        if server.host().is_empty() || !is_bare || !is_known || url.fragment().is_some() {
            return Err(malformed());
        }
        Ok(Address(server))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (scheme, host, port) = (self.0.scheme(), self.0.host(), self.0.port());
        if host.contains(':') {
            return write!(f, "{scheme}://[{host}]:{port}");
        }
        write!(f, "{scheme}://{host}:{port}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_with_its_port() {
        let shown = |text: &str| Address::from_str(text).unwrap().to_string();
        assert_eq!(shown("nats://arena.example"), "nats://arena.example:4222");
        assert_eq!(shown("tls://arena.example:4"), "tls://arena.example:4");
        assert_eq!(shown("127.0.0.1:4223"), "nats://127.0.0.1:4223");
        assert_eq!(shown("nats://[::1]:4223"), "nats://[::1]:4223");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "nats://",
            "http://a",
            "ws://a",
            "nats://a/b",
            "nats://a?b",
            "nats://a:x",
        ] {
            let refused = Address::from_str(text);
            assert!(
                matches!(refused, Err(AddressError::Malformed(_))),
                "{text}: {refused:?}"
            );
        }
    }

    #[test]
    fn an_address_holds_no_secret() {
        for text in ["nats://me:secret@a", "nats://token@a", "nats://:secret@a"] {
            let refused = Address::from_str(text).unwrap_err();
            assert_eq!(refused, AddressError::Secret);
            assert!(!refused.to_string().contains("secret"));
        }
    }
}
