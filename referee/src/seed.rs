//! The seed of a match, and every stream of random numbers that comes from it.
//!
//! The seed is committed to before the match (its hash stands in the record's first line) and
//! revealed after it, so nobody can choose the dice to fit the bots. Each use has a stream of its
//! own, by a name that is hashed together with the seed: a bot that knows its own seed learns
//! nothing of the dice.

use std::fmt;
use std::str::FromStr;

use flipside_protocol::SEED_RANGE;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// The seed of a match: 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MatchSeed(pub [u8; 32]);

impl MatchSeed {
    /// The seed of a single match that a person gave a number for.
    pub fn from_number(number: u64) -> Self {
        MatchSeed(hash(b"flipside match seed", &number.to_le_bytes()))
    }

    /// The hash that commits to this seed without telling it, as 64 hexadecimal digits.
    pub fn commitment(&self) -> String {
        hex::encode(hash(b"flipside commitment", &self.0))
    }

    /// The stream that chance draws from.
    pub(crate) fn chance(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(hash(b"flipside chance", &self.0))
    }

    /// The stream that the opening plies are drawn from.
    pub(crate) fn opening(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(hash(b"flipside opening", &self.0))
    }

    /// The stream that stands in for a seat whose bot has fallen.
    pub(crate) fn stand_in(&self, seat: u8) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.of_seat(b"flipside stand-in", seat))
    }

    /// The number that a bot is told in `hello`.
    pub(crate) fn of_bot(&self, seat: u8) -> u64 {
        let bytes = self.of_seat(b"flipside bot", seat);
        u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) % SEED_RANGE
    }

    fn of_seat(&self, name: &[u8], seat: u8) -> [u8; 32] {
        let mut bytes = self.0.to_vec();
        bytes.push(seat);
        hash(name, &bytes)
    }
}

/// SHA-256 over a name and the bytes; names are never the beginning of one another.
fn hash(name: &[u8], bytes: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(name)
        .chain_update([0])
        .chain_update(bytes)
        .finalize()
        .into()
}

impl fmt::Display for MatchSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for MatchSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The seed stays secret while the match runs, in logs too.
        write!(f, "MatchSeed(commitment {})", self.commitment())
    }
}

impl FromStr for MatchSeed {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(MatchSeed(bytes))
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn every_use_of_a_seed_has_a_stream_of_its_own() {
        let seed = MatchSeed::from_number(7);
        let mut streams = vec![seed.chance().next_u64(), seed.opening().next_u64()];
        for seat in 0..6 {
            streams.extend([seed.stand_in(seat).next_u64(), seed.of_bot(seat)]);
            assert!(seed.of_bot(seat) < SEED_RANGE);
        }
        let count = streams.len();
        streams.sort_unstable();
        streams.dedup();
        assert_eq!(streams.len(), count);
        assert_eq!(seed.to_string().parse(), Ok(seed));
        assert!(!format!("{seed:?}").contains(&seed.to_string()));
    }

    #[test]
    fn the_streams_of_a_seed_never_change() {
        // Old records are verified against these streams for ever. The numbers were computed by a
        // few lines of Python (hashlib).
        let seed = MatchSeed::from_number(1);
        assert_eq!(seed.to_string(), PINNED_SEED);
        assert_eq!(seed.commitment(), PINNED_COMMITMENT);
        assert_eq!(seed.of_bot(0), PINNED_BOT);
    }
    const PINNED_SEED: &str = "068767987a096c0def2a04f17e5f3f1af6dc6f7b8fb04eeafb6d1f39ff2fe38a";
    const PINNED_COMMITMENT: &str =
        "7fc974fbb7b2695ee38f1935d9e20bc798c3a56537a46b6cc4525bb3652ecf65";
    const PINNED_BOT: u64 = 7702768714273079;
}
