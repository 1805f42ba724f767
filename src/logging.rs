//! The log: to standard error, quiet unless it is asked for.

use std::fmt;
use std::io::IsTerminal;

use flipside_operations::{Failure, Result};
use flipside_report::plain_line;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::{MakeExt as _, RecordFields};
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// The environment variable that filters the log; it wins over `-v`.
const VARIABLE: &str = "FLIPSIDE_LOG";

/// How lines of the log are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    #[default]
    Text,
    /// An object in JSON per line; of a request, `span.id` is its number
    Json,
}

/// Begins logging: nothing, `-v` what happens, `-vv` everything; or as `FLIPSIDE_LOG` says. JSON is wanted by programs
/// that collect logs, so it says what happens without `-v`.
pub(crate) fn begin(verbose: u8, format: LogFormat) -> Result<()> {
    let verbose = match format {
        LogFormat::Text => verbose,
        LogFormat::Json => verbose.max(1),
    };
    let filter = match std::env::var(VARIABLE) {
        Ok(text) if !text.is_empty() => EnvFilter::try_new(&text).map_err(|error| {
            Failure::usage(format!("{VARIABLE}={text:?} is not a filter: {error}")).hint(
                "write for example FLIPSIDE_LOG=debug or FLIPSIDE_LOG=flipside_referee=trace,warn",
            )
        })?,
        _ => EnvFilter::new(match verbose {
            0 => "off",
            // Names of all crates begin so.
            1 => "flipside=info",
            _ => "flipside=trace",
        }),
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log
            .with_ansi(std::io::stderr().is_terminal())
            .fmt_fields(debug_fn(field).delimited(" "))
            .init(),
        LogFormat::Json => log.fmt_fields(JsonLog).event_format(JsonLog).init(),
    }
    Ok(())
}

/// A line as an object in JSON: time, level, target, the fields of the event, and those of the span around it.
struct JsonLog;

/// Fields of an event or a span.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        if !field.name().starts_with("log.") {
            self.0.insert(field.name().to_owned(), value.into());
        }
    }
}

impl FormatFields<'_> for JsonLog {
    fn format_fields<R: RecordFields>(&self, mut out: Writer<'_>, fields: R) -> fmt::Result {
        let mut all = Fields::default();
        fields.record(&mut all);
        write!(out, "{}", Value::Object(all.0))
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> FormatEvent<S, JsonLog> for JsonLog {
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonLog>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let mut line = Fields::default();
        event.record(&mut line);
        let metadata = event.metadata();
        for (key, value) in [
            ("time", time),
            ("level", metadata.level().to_string()),
            ("target", metadata.target().to_owned()),
        ] {
            line.0.insert(key.to_owned(), value.into());
        }
        if let Some(span) = context.lookup_current() {
            let extensions = span.extensions();
            let fields = extensions.get::<FormattedFields<JsonLog>>();
            let fields = fields.and_then(|fields| serde_json::from_str(&fields.fields).ok());
            let mut fields: Map<String, Value> = fields.unwrap_or_default();
            fields.insert("name".to_owned(), span.name().into());
            line.0.insert("span".to_owned(), fields.into());
        }
        writeln!(out, "{}", Value::Object(line.0))
    }
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
