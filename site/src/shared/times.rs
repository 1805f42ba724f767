//! Moments as people read them. A page tells them in UTC; where scripts run, in the zone of the browser, and how long
//! ago those are that are not long past.

use std::fmt;

use askama::filters::HtmlSafe;
use flipside_tournament::utc;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// A moment in a page, as HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct When {
    /// RFC 3339, in UTC, to the second.
    rfc: String,
}

impl When {
    /// A moment in milliseconds since 1970.
    pub(crate) fn at(unix_ms: u64) -> Self {
        When { rfc: utc(unix_ms) }
    }

    /// A moment in the form that the journal and reports write; nothing of another text.
    pub(crate) fn of(rfc: &str) -> Option<Self> {
        let mut form = b"0000-00-00T00:00:00Z".iter();
        let is_so = rfc.bytes().all(|byte| match form.next() {
            Some(b'0') => byte.is_ascii_digit(),
            Some(other) => byte == *other,
            None => false,
        });
        let when = (is_so && form.next().is_none()).then(|| When {
            rfc: rfc.to_owned(),
        })?;
        when.month().is_some().then_some(when)
    }

    /// In RFC 3339.
    pub(crate) fn rfc(&self) -> &str {
        &self.rfc
    }

    fn month(&self) -> Option<&'static str> {
        let month: usize = self.rfc[5..7].parse().ok()?;
        MONTHS.get(month.checked_sub(1)?).copied()
    }
}

/// What people read of it without a script.
impl fmt::Display for When {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rfc = &self.rfc;
        let (year, day, time) = (&rfc[..4], rfc[8..10].trim_start_matches('0'), &rfc[11..16]);
        let month = self.month().unwrap_or_default();
        write!(
            out,
            "<time datetime=\"{rfc}\" title=\"{rfc}\">{day} {month} {year}, {time} UTC</time>"
        )
    }
}

/// It holds nothing but digits and signs of its own.
impl HtmlSafe for When {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_a_day_and_a_time() {
        let html = When::at(1_795_745_346_000).to_string();
        let expected = "<time datetime=\"2026-11-27T02:09:06Z\" title=\"2026-11-27T02:09:06Z\">\
                        27 Nov 2026, 02:09 UTC</time>";
        assert_eq!(html, expected);
        let first = When::at(0).to_string();
        assert!(first.contains(">1 Jan 1970, 00:00 UTC<"), "{first}");
    }

    #[test]
    fn nothing_but_a_moment_is_one() {
        assert_eq!(
            When::of("2026-11-27T02:09:06Z").unwrap().rfc(),
            "2026-11-27T02:09:06Z"
        );
        for text in [
            "",
            "-",
            "2026-11-27",
            "2026-13-27T02:09:06Z",
            "2026-00-27T02:09:06Z",
            "2026-11-27T02:09:06",
            "2026-11-27T02:09:06ZZ",
            "<b>6-11-27T02:09:06Z",
            "２026-11-27T02:09:06Z",
        ] {
            assert_eq!(When::of(text), None, "{text}");
        }
    }
}
