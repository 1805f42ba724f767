//! Who sends a request.

use std::net::SocketAddr;

/// The address of the other end of a connection, in a request's extensions.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);
