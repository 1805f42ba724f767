//! The log: to standard error, quiet unless it is asked for.

use std::fmt;
use std::io::IsTerminal;

use flipside_operations::{Failure, Result};
use tracing::field::Field;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use crate::output::plain_line;

/// The environment variable that filters the log; it wins over `-v`.
const VARIABLE: &str = "FLIPSIDE_LOG";

/// Begins logging: nothing, `-v` what happens, `-vv` everything; or as `FLIPSIDE_LOG` says.
pub(crate) fn begin(verbose: u8) -> Result<()> {
    let filter = match std::env::var(VARIABLE) {
        Ok(text) if !text.is_empty() => EnvFilter::try_new(&text).map_err(|error| {
            Failure::usage(format!("{VARIABLE}={text:?} is not a filter: {error}")).hint(
                "write for example FLIPSIDE_LOG=debug or FLIPSIDE_LOG=flipside_referee=trace,warn",
            )
        })?,
        _ => EnvFilter::new(match verbose {
            0 => "off",
            1 => {
                "flipside=info,flipside_referee=info,flipside_sandbox=info,flipside_site=info,flipside_tournament=info"
            }
            _ => {
                "flipside=trace,flipside_referee=trace,flipside_sandbox=trace,flipside_site=trace,flipside_tournament=trace"
            }
        }),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .fmt_fields(debug_fn(field).delimited(" "))
        .init();
    Ok(())
}

/// Writes a field of an event or a span: what it says may be a bot's, and stays on its line.
fn field(out: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    let value = plain_line(&format!("{value:?}"));
    match field.name() {
        "message" => write!(out, "{value}"),
        // Where the event comes from, of a library that logs in another way; it stands before it already.
        name if name.starts_with("log.") => Ok(()),
        name => write!(out, "{name}={value}"),
    }
}
