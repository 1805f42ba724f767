//! Figures for Prometheus: what is asked for, how long it takes, how many listen.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

/// The bounds of the times of requests, in seconds.
const TIMES: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// The content type of the figures.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    /// The route and not the path, so that there are few.
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    route: String,
}

/// The figures of one site.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    times: Family<Route, Histogram, fn() -> Histogram>,
    /// Open connections.
    pub(crate) connections: Gauge,
    /// Listeners to live news.
    pub(crate) listeners: Gauge,
    /// Pages that were made, and those that were there already.
    pub(crate) made: Counter,
    pub(crate) reused: Counter,
    /// Values that were made, of which pages are made: tables, ratings, lines of lists, and the pages themselves.
    pub(crate) values_made: Counter,
    /// Values that are kept.
    values: Gauge<u64, AtomicU64>,
    changes: Gauge<u64, AtomicU64>,
    running: Gauge<u64, AtomicU64>,
}

/// A figure that is told under this name.
fn added<M: Metric + Clone>(to: &mut Registry, name: &str, help: &str, figure: M) -> M {
    to.register(name, help, figure.clone());
    figure
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("flipside");
        let of = &mut registry;
        let times: fn() -> Histogram = || Histogram::new(TIMES);
        let times = Family::new_with_constructor(times);
        Metrics {
            requests: added(of, "http_requests", "Answered requests", Family::default()),
            times: added(
                of,
                "http_request_seconds",
                "Time until an answer began",
                times,
            ),
            connections: added(of, "connections", "Open connections", Gauge::default()),
            listeners: added(of, "listeners", "Listeners to live news", Gauge::default()),
            made: added(of, "pages_made", "Pages that were made", Counter::default()),
            reused: added(
                of,
                "pages_reused",
                "Pages that were there already",
                Counter::default(),
            ),
            values_made: added(
                of,
                "values_made",
                "Values that were made for pages, with the pages",
                Counter::default(),
            ),
            values: added(of, "values", "Values that are kept", Gauge::default()),
            changes: added(of, "changes", "Changes of the arena", Gauge::default()),
            running: added(
                of,
                "running",
                "Tournaments that are played",
                Gauge::default(),
            ),
            registry,
        }
    }
}

impl Metrics {
    /// Counts an answer.
    pub(crate) fn answered(&self, route: &str, status: u16, time: Duration) {
        let route = route.to_owned();
        let asked = RequestLabels {
            route: route.clone(),
            status,
        };
        self.requests.get_or_create(&asked).inc();
        let times = self.times.get_or_create(&Route { route });
        times.observe(time.as_secs_f64());
    }

    /// The figures as text.
    pub(crate) fn text(&self, changes: u64, running: usize, values: usize) -> String {
        self.values.set(values as u64);
        self.changes.set(changes);
        self.running.set(running as u64);
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a string takes it");
        text
    }
}
