//! Numbers: sets and their orders, which schedules count with, and the rounding of tables.

/// How many sets of `of` there are among `all`; `u64::MAX` if they are more.
pub fn choose(all: u64, of: u64) -> u64 {
    let sets = (0..of).fold(1u128, |sets, at| {
        sets * u128::from(all - at) / u128::from(at + 1)
    });
    u64::try_from(sets).unwrap_or(u64::MAX)
}

/// The greatest common divisor.
pub fn gcd(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        other => gcd(other, one % other),
    }
}

/// The set with a number in lexicographic order, ascending.
pub fn combination(all: u64, of: u64, mut number: u64) -> Vec<u64> {
    let mut set = Vec::with_capacity(of as usize);
    let mut next = 0;
    while (set.len() as u64) < of {
        let left = of - set.len() as u64 - 1;
        let with_next = choose(all - next - 1, left);
        if number < with_next {
            set.push(next);
        } else {
            number -= with_next;
        }
        next += 1;
    }
    set
}

/// Another number in place of each, with no meaning: neighbours have nothing in common in the upper half of their bits
/// (two steps of SplitMix64).
pub fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Rounds to hundredths; no minus stands before a zero. What is infinite or no number stays so.
#[must_use]
pub fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0 + 0.0
}
