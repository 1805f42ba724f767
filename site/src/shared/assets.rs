//! The files that pages load: styles and a script of our own, built in, and the organiser's logo. Their addresses hold a hash of what is in
//! them, so that a browser keeps them for good.

pub(crate) mod logo;
pub(crate) mod serve;

use std::sync::LazyLock;

use super::answer_headers::tag;

/// A file that is built in.
pub(crate) struct Asset {
    name: &'static str,
    content_type: &'static str,
    text: &'static str,
    hash: String,
}

const CSS: &str = "text/css; charset=utf-8";

static ASSETS: LazyLock<[Asset; 5]> = LazyLock::new(|| {
    let asset = |name, content_type, text: &'static str| Asset {
        name,
        content_type,
        text,
        hash: hex::encode(&tag(&[text.as_bytes()])[..6]),
    };
    [
        asset("theme.css", CSS, crate::THEME),
        asset("drawings.css", CSS, flipside_report::DRAWING_STYLE),
        asset(
            "site.css",
            CSS,
            concat!(
                include_str!("../../assets/pages.css"),
                include_str!("../../assets/site.css"),
                include_str!("../../assets/people.css"),
                include_str!("../../assets/class.css"),
                include_str!("../../assets/replay.css")
            ),
        ),
        asset(
            "site.js",
            "text/javascript; charset=utf-8",
            concat!(
                include_str!("../../assets/site.js"),
                include_str!("../../assets/board.js"),
                include_str!("../../assets/replay.js"),
                include_str!("../../assets/play.js")
            ),
        ),
        asset("mark.svg", "image/svg+xml", MARK),
    ]
});

/// Tells builds apart that frame pages in different ways.
static BUILD: LazyLock<String> = LazyLock::new(|| {
    let assets: Vec<&str> = ASSETS.iter().map(|asset| &*asset.hash).collect();
    format!("{} {}", env!("CARGO_PKG_VERSION"), assets.join(" "))
});

pub(crate) fn build() -> &'static str {
    &BUILD
}

/// The styles of every page, in their order.
pub(crate) fn styles() -> [&'static Asset; 3] {
    let [theme, drawings, site, ..] = &*ASSETS;
    [theme, drawings, site]
}

/// The script of every page.
pub(crate) fn script() -> &'static Asset {
    &ASSETS[3]
}

/// The drawing of the mark.
pub(crate) const MARK: &str = include_str!("../../assets/mark.svg");

/// The mark of the site, which browsers show beside its name.
pub(crate) fn mark() -> &'static Asset {
    &ASSETS[4]
}

impl Asset {
    /// Where it is.
    pub(crate) fn address(&self) -> String {
        format!("/assets/{}?v={}", self.name, self.hash)
    }
}
