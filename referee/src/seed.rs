//! The seed of a match, and every stream of random numbers that comes from it.
//!
//! The seed is committed to before the match (a hash stands in the record's first line) and
//! revealed after it, so nobody can choose the dice to fit the bots, unless the whole seed was given.
//! Each use has a stream of its own, by a name that is hashed together with the seed: a bot that
//! knows its own seed learns nothing of the dice. A number that a person types is small enough to be
//! found by trying, so it is mixed with a salt.

use std::fmt;
use std::str::FromStr;

use flipside_protocol::SEED_RANGE;
use rand::rngs::{ChaCha8Rng, SysError, SysRng};
use rand::{SeedableRng, TryRng};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The seed of a match: 32 bytes, which all matches of a block share, and the number that tells these
/// matches apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MatchSeed {
    bytes: [u8; 32],
    number: u64,
}

/// 32 bytes from the operating system that make seeds unguessable. They are secret until the matches are
/// over. The default, zeros, hides nothing: it stands where none was drawn yet, and no tournament begins with it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl MatchSeed {
    /// The seed of a number alone, which can be found by trying: for matches between bots that nobody
    /// mistrusts.
    pub fn from_number(number: u64) -> Self {
        MatchSeed::of(hash(b"flipside match seed", &[&number.to_le_bytes()]))
    }

    /// The seed of a single match that a person gave a number for.
    pub fn salted(number: u64, salt: &Salt) -> Self {
        let bytes = [&salt.0[..], &number.to_le_bytes()];
        MatchSeed::of(hash(b"flipside salted match seed", &bytes))
    }

    /// The seed of a block of a tournament, of the tournament's own seed. It says nothing of that or of other
    /// blocks.
    pub fn of_block(number: u64, salt: &Salt, block: u64) -> Self {
        let bytes = [&salt.0[..], &number.to_le_bytes(), &block.to_le_bytes()];
        MatchSeed::of(hash(b"flipside salted block", &bytes))
    }

    /// The seed with these bytes, of the match number 0.
    pub fn of(bytes: [u8; 32]) -> Self {
        MatchSeed { bytes, number: 0 }
    }

    /// A seed from the operating system.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn draw() -> Result<Self, SysError> {
        random_bytes().map(MatchSeed::of)
    }

    /// The same chance in the match of this number: its commitment and the bots' own seeds have nothing in
    /// common with those of other numbers.
    pub fn numbered(self, number: u64) -> Self {
        MatchSeed { number, ..self }
    }

    /// The number that tells the matches of a block apart.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The hash that commits to this seed without telling it, as 64 hexadecimal digits.
    pub fn commitment(&self) -> String {
        let bytes = [&self.bytes[..], &self.number.to_le_bytes()];
        hex::encode(hash(b"flipside match commitment", &bytes))
    }

    /// Whether both are of one block: all that chance does is the same.
    pub(crate) fn is_of_block(&self, other: &MatchSeed) -> bool {
        self.bytes == other.bytes
    }

    /// The stream that chance draws from.
    pub(crate) fn chance(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(hash(b"flipside chance", &[&self.bytes]))
    }

    /// The stream that the opening plies are drawn from.
    pub(crate) fn opening(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(hash(b"flipside opening", &[&self.bytes]))
    }

    /// The stream that stands in for a disqualified seat.
    pub(crate) fn stand_in(&self, seat: u8) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(hash(b"flipside stand-in", &[&self.bytes, &[seat]]))
    }

    /// The number that a bot is told in `hello`.
    pub(crate) fn of_bot(&self, seat: u8) -> u64 {
        let bytes = [&self.bytes[..], &self.number.to_le_bytes(), &[seat]];
        let bytes = hash(b"flipside match bot", &bytes);
        u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) % SEED_RANGE
    }
}

impl Salt {
    /// A salt from the operating system.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn draw() -> Result<Self, SysError> {
        random_bytes().map(Salt)
    }

    /// Whether it was drawn, or given.
    pub fn is_set(&self) -> bool {
        *self != Salt::default()
    }
}

/// 32 bytes from the operating system.
pub(crate) fn random_bytes() -> Result<[u8; 32], SysError> {
    let mut bytes = [0; 32];
    SysRng.try_fill_bytes(&mut bytes)?;
    Ok(bytes)
}

/// SHA-256 over a name and the bytes; names are never the beginning of one another.
fn hash(name: &[u8], bytes: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new().chain_update(name).chain_update([0]);
    for bytes in bytes {
        hash.update(bytes);
    }
    hash.finalize().into()
}

impl fmt::Display for MatchSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.bytes))
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
        from_hex(text).map(MatchSeed::of)
    }
}

impl fmt::Display for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It stays secret while its matches run, in logs too.
        f.write_str("Salt")
    }
}

/// A text that is no salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a salt is 64 hexadecimal digits")]
pub struct SaltError;

impl FromStr for Salt {
    type Err = SaltError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        from_hex(text).map(Salt).map_err(|_| SaltError)
    }
}

impl Serialize for Salt {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Salt {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

fn from_hex(text: &str) -> Result<[u8; 32], hex::FromHexError> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes)?;
    Ok(bytes)
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
        // Records are verified against these streams for ever. The numbers were computed by a few
        // lines of Python (hashlib).
        let seed = MatchSeed::from_number(1);
        assert_eq!(seed.to_string(), PINNED_SEED);
        assert_eq!(seed.commitment(), PINNED_COMMITMENT);
        assert_eq!(seed.of_bot(0), PINNED_BOT);
    }

    #[test]
    fn what_a_salt_gives_never_changes() {
        // The numbers were computed by a few lines of Python (hashlib).
        let salt: Salt = SALT.parse().unwrap();
        assert_eq!(MatchSeed::salted(1, &salt).to_string(), SALTED_SEED);
        let seed = MatchSeed::of_block(7, &salt, 12345).numbered(24691);
        assert_eq!(seed.to_string(), SALTED_BLOCK);
        assert_eq!(seed.commitment(), NUMBERED_COMMITMENT);
        assert_eq!(seed.of_bot(1), NUMBERED_BOT);
    }

    #[test]
    fn the_matches_of_a_block_have_the_chance_in_common_and_nothing_that_bots_are_told() {
        let salt = Salt::draw().unwrap();
        let block = MatchSeed::of_block(2026, &salt, 3);
        let [one, other] = [6, 7].map(|number| block.numbered(number));
        assert_eq!(one.chance().next_u64(), other.chance().next_u64());
        assert_eq!(one.opening().next_u64(), other.opening().next_u64());
        assert_eq!(one.stand_in(1).next_u64(), other.stand_in(1).next_u64());
        assert!(one.is_of_block(&other) && one != other);
        assert_ne!(one.commitment(), other.commitment());
        let bots = |seed: MatchSeed| (0..6).map(move |seat| seed.of_bot(seat));
        assert!(bots(one).all(|seed| bots(other).all(|theirs| seed != theirs)));
        // With another salt, nothing is the same.
        let elsewhere = MatchSeed::of_block(2026, &Salt::draw().unwrap(), 3).numbered(6);
        assert!(!one.is_of_block(&elsewhere));
        assert_ne!(one.commitment(), elsewhere.commitment());
    }

    #[test]
    fn nothing_that_bots_are_told_of_a_salted_number_is_found_by_trying_numbers() {
        let told = |seed: &MatchSeed| {
            let bots = (0..6).map(|seat| seed.of_bot(seat).to_string());
            bots.chain([seed.commitment()]).collect::<Vec<_>>()
        };
        let (typed, salt) = (2026, Salt::draw().unwrap());
        let salted = [
            MatchSeed::salted(typed, &salt).numbered(0),
            MatchSeed::of_block(typed, &salt, 0).numbered(0),
            MatchSeed::of_block(typed, &salt, 0).numbered(1),
        ];
        let salted: Vec<String> = salted.iter().flat_map(told).collect();
        let mut found_without_a_salt = false;
        let no_salt = Salt([0; 32]);
        for number in 0..=typed {
            let plain = MatchSeed::from_number(number);
            found_without_a_salt |= told(&plain) == told(&MatchSeed::from_number(typed));
            let tried = [
                plain,
                MatchSeed::salted(number, &no_salt).numbered(0),
                MatchSeed::of_block(number, &no_salt, 0).numbered(0),
                MatchSeed::of_block(number, &no_salt, 0).numbered(1),
            ];
            let mut tried = tried.iter().flat_map(told);
            assert!(!tried.any(|told| salted.contains(&told)), "{number}");
        }
        assert!(found_without_a_salt);
    }

    const PINNED_SEED: &str = "068767987a096c0def2a04f17e5f3f1af6dc6f7b8fb04eeafb6d1f39ff2fe38a";
    const PINNED_COMMITMENT: &str =
        "e47b228d366e8c16bd336fbdf2fa461f59450bba0e642457e45e9de0531478f1";
    const PINNED_BOT: u64 = 5881120286305499;
    const SALT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const SALTED_SEED: &str = "e99710df75a452b52e0bce7a40f932f7ef54121258f03d61afc30ea0d46c08e0";
    const SALTED_BLOCK: &str = "9e4864db960edd6f6bdc516fbb79bdd182476d9138a8f8a39b5464a86823b2b0";
    const NUMBERED_COMMITMENT: &str =
        "ba816680fec8f960a51bd844b746b665733fb56095543be280b8861b4464e0b5";
    const NUMBERED_BOT: u64 = 6364903461427616;
}
