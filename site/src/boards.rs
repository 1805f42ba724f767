//! Running matches as they move, for all who watch: what everybody is sent is made once, and only while somebody
//! watches. It is what the public may see, so nothing hidden is in it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use flipside_tournament::{LiveMatch, Name};
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::Site;
use crate::live::{KEEP_ALIVE, Listening, too_many};
use crate::page::{Head, Page, Section, View, Visit, framed};
use crate::table::bot_address;

/// The least time between two pictures of the running matches.
const EVERY: Duration = Duration::from_millis(250);

/// Proxies that collect an answer before they send it are told not to.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What watchers are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The tournament that is played; none where nothing is.
    tournament: Option<Name>,
    /// Its boards, as an event that is ready to be written.
    event: Bytes,
}

/// The newest picture, once there is one.
pub(crate) type Pictures = watch::Sender<Option<Picture>>;

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/tournaments/{name}/live", get(page))
        .route("/tournaments/{name}/boards", get(watch_boards))
}

/// The running matches of a tournament.
#[derive(Template)]
#[template(path = "boards.html")]
struct Boards {
    /// Whether this server plays the tournament at the moment.
    is_on: bool,
    matches: Vec<Board>,
}

struct Board {
    id: String,
    plies: u64,
    seconds: u64,
    is_over: bool,
    seats: Vec<BoardSeat>,
    svg: String,
}

struct BoardSeat {
    bot: String,
    href: Option<String>,
    used: String,
    is_asked: bool,
    is_out: bool,
}

#[derive(Template)]
#[template(path = "live.html")]
struct LivePage {
    name: String,
    boards: Boards,
}

impl View for LivePage {
    fn head(&self) -> Head {
        Head {
            title: format!("{} live", self.name),
            section: Section::Tournaments,
            live: None,
        }
    }
}

/// What is shown of a tournament that is not played.
const NONE: Boards = Boards {
    is_on: false,
    matches: Vec::new(),
};

impl Boards {
    /// What is played now.
    fn now(site: &Site) -> Option<(Name, Self)> {
        let (name, live) = site.host.now()?;
        let matches = live.matches().into_iter().map(Board::from);
        let boards = Boards {
            is_on: true,
            matches: matches.collect(),
        };
        Some((name, boards))
    }
}

impl From<LiveMatch> for Board {
    fn from(seen: LiveMatch) -> Self {
        let seats = seen.seats.into_iter();
        Board {
            id: seen.id,
            plies: seen.plies,
            seconds: seen.began.elapsed().as_secs(),
            is_over: seen.is_over,
            seats: seats
                .map(|sits| BoardSeat {
                    href: bot_address(&sits.name),
                    bot: sits.name,
                    used: format!("{:.1} s", sits.used.as_secs_f64()),
                    is_asked: sits.is_asked,
                    is_out: sits.is_disqualified,
                })
                .collect(),
            svg: seen.board,
        }
    }
}

async fn page(State(site): State<Arc<Site>>, Path(name): Path<String>, visit: Visit) -> Response {
    let known = {
        let name = name.clone();
        move |reading: &crate::site::Reading<'_>| Ok(reading.journal.tournament(&name)?)
    };
    if let Err(problem) = site.read(known).await {
        return problem.into_response();
    }
    let boards = match Boards::now(&site) {
        Some((playing, boards)) if playing.as_str() == name => boards,
        _ => NONE,
    };
    // It is another one at every moment, so it is not kept.
    match Page::of(&LivePage { name, boards }) {
        Ok(page) => framed(&visit, &page),
        Err(problem) => problem.into_response(),
    }
}

/// Sends the boards of a tournament whenever they have changed.
async fn watch_boards(State(site): State<Arc<Site>>, Path(name): Path<String>) -> Response {
    let Some(listening) = Listening::new(&site) else {
        return too_many();
    };
    let mut pictures = site.pictures();
    pictures.mark_changed();
    let watching = Watching {
        tournament: name,
        pictures,
        stopping: site.stopping(),
        sent: Bytes::new(),
        none: event(&NONE),
        _listening: listening,
    };
    let events = stream::unfold(watching, |mut watching| async {
        let next = watching.next().await?;
        Some((Ok::<_, Infallible>(next), watching))
    });
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (UNBUFFERED, HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(events)).into_response()
}

/// Somebody who watches a tournament.
struct Watching {
    tournament: String,
    pictures: watch::Receiver<Option<Picture>>,
    stopping: watch::Receiver<bool>,
    /// What was sent last.
    sent: Bytes,
    /// What is sent while the tournament is not played.
    none: Bytes,
    _listening: Listening,
}

impl Watching {
    /// What is sent next; nothing where the site stops.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let changed = tokio::select! {
                changed = timeout(KEEP_ALIVE, self.pictures.changed()) => changed,
                _ = self.stopping.wait_for(|stop| *stop) => return None,
            };
            match changed {
                Ok(changed) => changed.ok()?,
                Err(_) => return Some(Bytes::from_static(b":\n\n")),
            }
            let next = match &*self.pictures.borrow_and_update() {
                None => continue,
                Some(Picture {
                    tournament: Some(name),
                    event,
                }) if name.as_str() == self.tournament => event.clone(),
                Some(_) => self.none.clone(),
            };
            if next != self.sent {
                self.sent = next.clone();
                return Some(next);
            }
        }
    }
}

/// Draws what is played again and again while somebody watches, until the site stops.
pub(crate) async fn draw(site: Arc<Site>, pictures: Pictures) {
    let mut stopping = site.stopping();
    let mut times = interval(EVERY);
    times.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = times.tick() => {}
            _ = stopping.wait_for(|stop| *stop) => return,
        }
        let is_watched = pictures.receiver_count() > 0;
        let picture = is_watched.then(|| match Boards::now(&site) {
            Some((name, boards)) => Picture {
                event: event(&boards),
                tournament: Some(name),
            },
            None => Picture::default(),
        });
        pictures.send_if_modified(|before| {
            let is_new = *before != picture;
            *before = picture;
            is_new
        });
    }
}

/// Boards as an event whose data are a piece of a page.
fn event(boards: &Boards) -> Bytes {
    let html = boards.render().unwrap_or_else(|error| {
        tracing::error!(%error, "boards cannot be drawn");
        String::new()
    });
    let mut event = String::with_capacity(html.len() + 64);
    event.push_str("event: boards\n");
    for line in html.lines() {
        event.push_str("data: ");
        event.push_str(line);
        event.push('\n');
    }
    event.push('\n');
    event.into()
}
