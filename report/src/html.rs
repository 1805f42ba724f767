//! What pages and drawings share.

use crate::plain::plain_line;

/// A text inside of HTML or SVG.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The colours of all drawings, by day and by night, as CSS: a page that shows them needs it, and a picture of its own
/// has it inside.
pub const DRAWING_STYLE: &str = "\
.paper{fill:#fff}.ink{fill:#222}.faint{fill:#666}.line{fill:none;stroke:#999}.box{fill:#f6f6f6;stroke:#bbb}\
.self{fill:#d9d9d9}.unmet{fill:#fff;stroke:#d9d9d9}
@media screen and (prefers-color-scheme:dark){\
.paper{fill:#1c1c1e}.ink{fill:#eee}.faint{fill:#aaa}.line{stroke:#777}.box{fill:#2a2a2c;stroke:#555}\
.self{fill:#3a3a3c}.unmet{fill:#1c1c1e;stroke:#555}}
";

/// Begins a drawing of this size in pixels, with its paper; `</svg>` ends it. Its colours are in [`DRAWING_STYLE`].
pub(super) fn opening(width: usize, height: usize, font_size: usize, label: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"{font_size}\" role=\"img\" \
         aria-label=\"{label}\">\n\
         <rect width=\"{width}\" height=\"{height}\" class=\"paper\"/>\n"
    )
}
