//! The number of a request.

/// The number of a request: 64 random bits, hexadecimal.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(String);

impl RequestId {
    pub(crate) fn new() -> Self {
        RequestId(format!("{:016x}", rand::random::<u64>()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}
