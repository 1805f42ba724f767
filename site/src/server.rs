//! Connections: accepting them, bounding them, and ending them so that no running request is lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use flipside_games::all_games;
use flipside_operations::{Failure, Result};
use flipside_store::Arena;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::time::timeout_at;
use tower::ServiceExt;

use crate::accounts::settings::AccountSettings;
use crate::limits::SiteLimits;
use crate::router::router;
use crate::shared::peer::Peer;
use crate::site::Site;

/// Where a server that is told nothing listens.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";

/// How long to wait when no connection can be accepted, for instance for want of file descriptors.
const ACCEPT_PAUSE: std::time::Duration = std::time::Duration::from_millis(100);

/// Serves an arena, and plays its tournaments that were begun here, until SIGTERM or SIGINT. Then it finishes the
/// running requests and matches. What takes longer than the limit, or runs at a second signal, is broken off; such
/// matches are played again after the next start. `ready` hears the address.
///
/// # Errors
/// When the arena cannot be read, the accounts cannot be written, or the address cannot be had.
pub fn serve(
    arena: Arena,
    listen: SocketAddr,
    limits: SiteLimits,
    settings: AccountSettings,
    ready: &mut dyn FnMut(SocketAddr) -> Result<()>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start threads: {error}")))?;
    let listener = runtime.block_on(TcpListener::bind(listen));
    let listener = listener.map_err(|error| {
        Failure::new(format!("cannot listen on {listen}: {error}"))
            .hint("--listen 127.0.0.1:0 takes a free port")
    })?;
    let site = Site::with(arena, limits, settings)?;
    let served = runtime.block_on(async {
        let mut signals = ServerSignals::new()?;
        let address = listener.local_addr();
        let address = address.map_err(|error| Failure::new(format!("no address: {error}")))?;
        // Whoever connects meanwhile is answered as soon as pages are.
        let mut warming = tokio::spawn(warm(Arc::clone(&site)));
        let warmed = tokio::select! {
            warmed = tokio::time::timeout(site.limits.warm_time, &mut warming) => warmed.is_ok(),
            () = signals.next() => {
                warming.abort();
                return Ok(());
            }
        };
        if !warmed {
            tracing::warn!(
                "it takes long to prepare the pages; the first visitors may wait for them"
            );
        }
        ready(address)?;
        site.start()?;
        let watching = tokio::spawn(watch(Arc::clone(&site)));
        let telling = tokio::spawn(Arc::clone(&site).tell_webhooks());
        let end = accept(&site, &listener, &mut signals).await;
        // Its end is near: it has heard of the stop, and an abort loses nothing.
        watching.abort();
        warming.abort();
        // What changes the accounts is waited for, also for visitors who have gone. Other work only reads.
        let closing = Arc::clone(&site);
        let now = tokio::runtime::Handle::current();
        let mut closing = tokio::task::spawn_blocking(move || {
            // What came of messages that are on their way is noted.
            let _ = now.block_on(async { timeout_at(end.into(), telling).await });
            closing.close(end);
        });
        let closed = tokio::select! {
            closed = &mut closing => closed,
            () = signals.next() => {
                tracing::warn!("told to stop again: running matches are broken off");
                site.break_off();
                closing.await
            }
        };
        closed.map_err(|error| Failure::new(format!("the site did not end well: {error}")))
    });
    // What was not closed yet is closed now.
    site.close(Instant::now());
    runtime.shutdown_background();
    served
}

/// What tells the server to stop.
struct ServerSignals {
    terminated: Signal,
    interrupted: Signal,
}

impl ServerSignals {
    fn new() -> Result<Self> {
        let failed = |error| Failure::new(format!("cannot wait for signals: {error}"));
        Ok(ServerSignals {
            terminated: signal(SignalKind::terminate()).map_err(failed)?,
            interrupted: signal(SignalKind::interrupt()).map_err(failed)?,
        })
    }

    /// Waits for the next.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminated.recv() => {}
            _ = self.interrupted.recv() => {}
        }
    }
}

/// Computes what takes longest, so that the first visitors do not wait for it: the ratings.
async fn warm(site: Arc<Site>) {
    // One after the other, so that visitors are served meanwhile.
    let mut failed = None;
    for game in all_games() {
        let rated = site.read(|reading| Ok(reading.ratings(game.info().id)?.0.rows.len()));
        failed = failed.or(rated.await.err());
    }
    if let Some(problem) = failed {
        tracing::warn!(problem = problem.message, "cannot prepare the pages");
    }
}

/// Accepts connections until a signal, and then waits for their requests. Returns until when what else runs may go on.
async fn accept(site: &Arc<Site>, listener: &TcpListener, signals: &mut ServerSignals) -> Instant {
    let app = router(site);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(site.limits.connections));
    loop {
        let connected = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            connected = connected => connected,
            () = signals.next() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let connection = connection(site, &app, stream, peer);
                let connection = graceful.watch(connection);
                let site = Arc::clone(site);
                tokio::spawn(async move {
                    site.metrics.connections.inc();
                    if let Err(error) = connection.await {
                        tracing::debug!(%error, "a connection broke");
                    }
                    site.metrics.connections.dec();
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    tracing::info!("stopping: running requests and matches are finished");
    let end = Instant::now() + site.limits.stop_time;
    site.stop();
    tokio::select! {
        ended = tokio::time::timeout_at(end.into(), graceful.shutdown()) => {
            if ended.is_err() {
                tracing::warn!("some requests did not end in time");
            }
            end
        }
        () = signals.next() => Instant::now(),
    }
}

fn connection(
    site: &Site,
    app: &Router,
    stream: TcpStream,
    peer: SocketAddr,
) -> http1::Connection<
    TokioIo<TcpStream>,
    impl hyper::service::Service<
        Request<Incoming>,
        Response = axum::response::Response,
        Error = std::convert::Infallible,
        Future: Send,
    > + use<>,
> {
    // A page is one write; to wait for more would only delay it.
    let _ = stream.set_nodelay(true);
    let service = app
        .clone()
        .map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            request.map(Body::new)
        });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(site.limits.header_time)
        .max_buf_size(site.limits.header_bytes)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
}

/// Looks again and again, until the site stops.
pub(crate) async fn watch(site: Arc<Site>) {
    let mut ticks = site.ticks(site.limits.poll);
    while ticks.next().await {
        if let Err(failure) = site.look().await {
            tracing::warn!(failure = failure.message(), "cannot look at the arena");
        }
    }
}
