//! Signatures of messages: HMAC-SHA256 over id, time and body, as Standard Webhooks says.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use sha2::Sha256;

use crate::shared::store::error::Error;

/// The bytes of a key.
const BYTES: usize = 32;

/// The key of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SigningKey(Vec<u8>);

impl SigningKey {
    /// # Errors
    /// When the system gives no random bytes.
    pub(crate) fn draw() -> Result<Self, Error> {
        let mut bytes = vec![0; BYTES];
        let drawn = rand::rngs::SysRng.try_fill_bytes(&mut bytes);
        drawn.map_err(|error| Error::NoRandom(error.to_string()))?;
        Ok(SigningKey(bytes))
    }

    pub(super) fn of(bytes: Vec<u8>) -> Self {
        SigningKey(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// As its receiver gets it.
    pub(crate) fn text(&self) -> String {
        format!("whsec_{}", STANDARD.encode(&self.0))
    }

    /// The header `webhook-signature` of a message that is sent at this time, in seconds since 1970.
    pub(super) fn signature(&self, id: &str, seconds: u64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key has any length");
        mac.update(format!("{id}.{seconds}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's reference libraries.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let key = SigningKey::of(STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let signature = key.signature(id, 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(key.text(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    }
}
