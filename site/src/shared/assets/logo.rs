//! The organiser's logo, in place of our mark.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::shared::answer_headers::tag;

/// The most bytes of a logo: every page loads it.
const MAX_LOGO_BYTES: u64 = 200_000;

/// Where it is.
pub(super) const ADDRESS: &str = "/logo";

/// A picture that stands beside the name of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteLogo {
    bytes: Vec<u8>,
    content_type: &'static str,
}

/// Why a file is no logo.
#[derive(Debug, thiserror::Error)]
pub enum BadLogo {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It has more than 200 kB.
    #[error("the logo has more than {} kB", MAX_LOGO_BYTES / 1000)]
    Large,
    /// It is another kind of file.
    #[error("the logo is neither an SVG drawing nor a PNG picture")]
    Kind,
}

impl SiteLogo {
    /// Reads it from a file.
    ///
    /// # Errors
    /// When it cannot be read, is too large, or of another kind.
    pub fn read(file: &Path) -> Result<Self, BadLogo> {
        let mut bytes = Vec::new();
        let file = File::open(file)?;
        file.take(MAX_LOGO_BYTES + 1).read_to_end(&mut bytes)?;
        SiteLogo::of(bytes)
    }

    fn of(bytes: Vec<u8>) -> Result<Self, BadLogo> {
        if bytes.len() as u64 > MAX_LOGO_BYTES {
            return Err(BadLogo::Large);
        }
        let is_png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
        let is_svg = str::from_utf8(&bytes).is_ok_and(|text| {
            let begin = text.trim_start_matches('\u{feff}').trim_start();
            begin.starts_with("<svg") || (begin.starts_with("<?xml") && begin.contains("<svg"))
        });
        let content_type = match (is_png, is_svg) {
            (true, _) => "image/png",
            (_, true) => "image/svg+xml",
            _ => return Err(BadLogo::Kind),
        };
        Ok(SiteLogo {
            bytes,
            content_type,
        })
    }

    /// What is in it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What kind of file it is.
    pub(crate) fn content_type(&self) -> &'static str {
        self.content_type
    }

    /// Where pages load it from.
    pub(crate) fn address(&self) -> String {
        format!("{ADDRESS}?v={}", hex::encode(&tag(&[&self.bytes])[..6]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_a_small_picture() {
        let kind = |bytes: &[u8]| SiteLogo::of(bytes.to_vec()).map(|logo| logo.content_type);
        assert_eq!(kind(b"\x89PNG\r\n\x1a\n...").unwrap(), "image/png");
        assert_eq!(kind(b"  <svg/>").unwrap(), "image/svg+xml");
        assert_eq!(
            kind(b"<?xml version='1.0'?>\n<svg/>").unwrap(),
            "image/svg+xml"
        );
        for other in [
            &b"<html><svg/></html>"[..],
            b"GIF89a",
            b"",
            b"<?xml?><p/>",
            b"\xff<svg/>",
        ] {
            assert!(matches!(kind(other), Err(BadLogo::Kind)), "{other:?}");
        }
        let mut large = b"<svg>".to_vec();
        large.resize(MAX_LOGO_BYTES as usize + 1, b' ');
        assert!(matches!(SiteLogo::of(large), Err(BadLogo::Large)));
    }
}
