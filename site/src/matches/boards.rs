//! Running matches as they move, for all who watch: what everybody is sent is made once, and only while somebody
//! watches. It is what the public may see, so nothing hidden is in it.

pub(crate) mod picture;

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use flipside_games::{Info, find};
use flipside_runner::LiveMatch;
use flipside_tournament::Name;
use tokio::sync::watch;

use self::picture::{BoardPicture, Pictures};
use crate::shared::page::{Page, PageHead, PageView, Routes, Section, Visit};
use crate::shared::pieces::{self, piece};
use crate::shared::problem::Result;
use crate::shared::seat_sign::SeatSign;
use crate::shared::table::bot_address;
use crate::site::{ReadContext, Site};
use crate::tournaments::host::state::{DesiredState, QueuedTournament};

/// The least time between two pictures of the running matches.
const EVERY: Duration = Duration::from_millis(250);

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/tournaments/{name}/live", get(page))
        .route("/tournaments/{name}/boards", get(watch_boards))
}

/// The running matches of a tournament.
#[derive(Template)]
#[template(path = "boards.html")]
struct Boards {
    /// The tournament.
    name: String,
    /// Whether this server plays it at the moment.
    is_on: bool,
    /// Whether it is in the queue, and its turn comes.
    is_next: bool,
    matches: Vec<DrawnBoard>,
}

struct DrawnBoard {
    id: String,
    plies: u64,
    seconds: u64,
    is_over: bool,
    seats: Vec<BoardSeat>,
    svg: String,
}

struct BoardSeat {
    sign: SeatSign,
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
    /// The game, where it is known.
    info: Option<&'static Info>,
    boards: Boards,
}

impl PageView for LivePage {
    fn head(&self) -> PageHead {
        PageHead::new(format!("{} live", self.name), Section::Tournaments)
    }
}

impl Boards {
    /// What is shown of a tournament that is not played at the moment. `hosted` is what the server knows of it.
    fn none(name: &str, hosted: Option<&QueuedTournament>) -> Self {
        Boards {
            name: name.to_owned(),
            is_on: false,
            is_next: hosted.is_some_and(|one| one.wanted == DesiredState::Play),
            matches: Vec::new(),
        }
    }

    /// What is played now.
    fn now(site: &Site) -> Option<(Name, Self)> {
        let (name, live) = site.host()?.now()?;
        let matches = live.matches().into_iter().map(DrawnBoard::from);
        let boards = Boards {
            name: name.to_string(),
            is_on: true,
            is_next: false,
            matches: matches.collect(),
        };
        Some((name, boards))
    }
}

impl From<LiveMatch> for DrawnBoard {
    fn from(seen: LiveMatch) -> Self {
        let seats = seen.seats.into_iter();
        DrawnBoard {
            id: seen.id,
            plies: seen.plies,
            seconds: seen.began.elapsed().as_secs(),
            is_over: seen.is_over,
            seats: (0..)
                .zip(seats)
                .map(|(seat, sits)| BoardSeat {
                    sign: SeatSign::new(seat, sits.look),
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

/// What the server is to play of a tournament, if it is.
fn hosted(site: &Site, name: &str) -> Option<QueuedTournament> {
    let mut hosted = site.host()?.hosted().into_iter();
    hosted.find(|one| one.tournament.as_str() == name)
}

async fn page(Path(name): Path<String>, visit: Visit) -> Result<Response> {
    let known = {
        let name = name.clone();
        move |reading: &ReadContext<'_>| Ok(reading.journal.tournament(&name)?.settings.game)
    };
    let game = visit.site.read(known).await?;
    let info = find(&game).map(|game| game.info());
    let hosted = hosted(&visit.site, &name);
    let boards = match (Boards::now(&visit.site), hosted) {
        (Some((playing, boards)), _) if playing.as_str() == name => boards,
        (_, Some(hosted)) => Boards::none(&name, Some(&hosted)),
        // A short one is over before anybody comes to watch it.
        (_, None) => {
            return Ok(Redirect::to(&format!("/tournaments/{name}")).into_response());
        }
    };
    // It is another one at every moment, so it is not kept.
    visit.framed(&Page::of(&LivePage { name, info, boards })?, None)
}

/// Sends the boards of a tournament whenever they have changed.
async fn watch_boards(State(site): State<Arc<Site>>, Path(name): Path<String>) -> Response {
    let none_of = (Arc::clone(&site), name.clone());
    pieces::send(
        &site,
        site.pictures(),
        move |picture: &Option<BoardPicture>| {
            let BoardPicture { tournament, event } = picture.as_ref()?;
            let is_this = tournament
                .as_ref()
                .is_some_and(|played| played.as_str() == name);
            Some(match is_this {
                true => event.clone(),
                false => {
                    let (site, name) = &none_of;
                    piece(&Boards::none(name, hosted(site, name).as_ref()))
                }
            })
        },
    )
}

impl Site {
    /// Sees the running matches. They are drawn from the first call on, by a task of the runtime that makes it.
    pub(crate) fn pictures(self: &Arc<Self>) -> watch::Receiver<Option<BoardPicture>> {
        let pictures = self.pictures.get_or_init(|| {
            let pictures = Pictures::new(None);
            tokio::spawn(draw(Arc::clone(self), pictures.clone()));
            pictures
        });
        pictures.subscribe()
    }
}

/// Draws what is played again and again while somebody watches, until the site stops.
async fn draw(site: Arc<Site>, pictures: Pictures) {
    let mut ticks = site.ticks(EVERY);
    while ticks.next().await {
        let is_watched = pictures.receiver_count() > 0;
        let picture = is_watched.then(|| match Boards::now(&site) {
            Some((name, boards)) => BoardPicture {
                event: piece(&boards),
                tournament: Some(name),
            },
            None => BoardPicture::default(),
        });
        pictures.send_if_modified(|before| {
            let is_new = *before != picture;
            *before = picture;
            is_new
        });
    }
}
