//! Moments and times, as people and programs read them. Inside, a moment is in milliseconds since 1970, and a time in
//! microseconds; outside, a moment is in RFC 3339, and a time in milliseconds, in a field whose name ends in `_ms`.

use serde::Serializer;

/// A moment in UTC, from milliseconds since 1970: `2026-11-22T14:05:09Z`. Days become a date as by Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms" (2021), for years that begin in March.
pub fn utc(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        era * 400 + year + next,
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// Writes a moment, for serde.
///
/// # Errors
/// What the serializer fails with.
pub fn serialize_utc<S: Serializer>(unix_ms: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&utc(*unix_ms))
}

/// Writes a moment that may be missing, for serde.
///
/// # Errors
/// What the serializer fails with.
pub fn serialize_utc_option<S: Serializer>(
    unix_ms: &Option<u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match unix_ms {
        Some(unix_ms) => serializer.serialize_some(&utc(*unix_ms)),
        None => serializer.serialize_none(),
    }
}

/// A time in milliseconds, from microseconds.
pub fn milliseconds(us: u64) -> f64 {
    us as f64 / 1e3
}

/// Writes a time in milliseconds, for serde, from microseconds.
///
/// # Errors
/// What the serializer fails with.
pub fn serialize_ms<S: Serializer>(us: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(milliseconds(*us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_and_a_time() {
        for (seconds, told) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_000_000_000, "2001-09-09T01:46:40Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(1000 * seconds + 999), told);
        }
        utc(u64::MAX);
    }
}
