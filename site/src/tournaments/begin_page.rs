//! Beginning a tournament: bots that play the game, the options of the format, what it would play, and then its start.
//! The page works in steps that need no script: game and format, bots and options, the estimate.

use std::time::Duration;

use askama::Template;
use axum::extract::Query;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flipside_games::{Info, current_games};
use flipside_operations::Plan;
use flipside_report::words::{about, in_words};
use flipside_tournament::spec::SpecKey;
use flipside_tournament::{FORMATS, Format, Name, Rounds, TournamentSpec};
use serde::Deserialize;

use super::actions::{begin_tournament, foresee};
use super::hosted_page::watched;
use crate::accounts::posted::{SignedInForm, names};
use crate::accounts::secret::WORD_FIELD;
use crate::accounts::signed_in::Organiser;
use crate::accounts::visitor::{AccountVisitor, refuse_authors};
use crate::bots::players::{OfferedBot, offered, refuse_strangers};
use crate::shared::actions::done;
use crate::shared::known_games::known;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

/// Where the page is.
const PAGE: &str = "/organiser/begin";

/// The keys of all formats that the form has, in its order.
const GENERAL: [&str; 6] = [
    "rounds",
    "clock",
    "opening-plies",
    "seats",
    "pause-after",
    "unrated",
];

/// Those that most tournaments need; others are behind a line that opens.
const USUAL: [&str; 2] = ["rounds", "clock"];

/// What the form asks for when another game or format was chosen: its bots and options.
const CHOOSE: &str = "choose";

/// What it asks for before it begins anything.
const ESTIMATE: &str = "estimate";

#[derive(Template)]
#[template(path = "begin.html")]
struct BeginPage {
    word: String,
    games: Vec<&'static Info>,
    formats: &'static [&'static str],
    game: &'static Info,
    format: &'static str,
    bots: Vec<OfferedBot>,
    usual: Vec<FormOption>,
    others: Vec<FormOption>,
    /// What it would be as the form was sent.
    estimate: Option<Estimate>,
}

/// An option of the form.
#[derive(Template)]
#[template(path = "begin_option.html")]
struct FormOption {
    key: &'static str,
    label: String,
    note: String,
    default: String,
    choices: &'static [&'static str],
    is_flag: bool,
}

/// What a tournament would be, before it begins.
#[derive(Template)]
#[template(path = "begin_estimate.html")]
struct Estimate {
    name: String,
    /// The game, the format and the options, in a line.
    settings: String,
    bots: Vec<String>,
    matches: String,
    /// How long it takes.
    time: String,
    word: String,
    /// All that was sent, to be sent again.
    sent: Vec<(String, String)>,
}

impl PageView for BeginPage {
    fn head(&self) -> PageHead {
        PageHead::new("Begin a tournament", Section::Account)
    }
}

impl BeginPage {
    fn is_chosen(&self, format: &str) -> bool {
        self.format == format
    }
}

impl FormOption {
    /// The choices beside the default.
    fn others(&self) -> impl Iterator<Item = &&'static str> {
        self.choices
            .iter()
            .filter(|choice| **choice != self.default)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route(PAGE, get(form).post(begin))
}

/// What the first step asks.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Kind {
    game: String,
    format: String,
}

async fn form(Organiser(visit, visitor): Organiser, Query(kind): Query<Kind>) -> Result<Response> {
    let page = page(&visit, &visitor, kind).await?;
    visit.private(&page)
}

async fn page(visit: &Visit, visitor: &AccountVisitor, kind: Kind) -> Result<BeginPage> {
    let games: Vec<&'static Info> = current_games().iter().map(|game| game.info()).collect();
    let game = match &*kind.game {
        "" => games[0],
        id => known(id).map_err(|problem| problem.at("game"))?.info(),
    };
    let format = FORMATS.iter().find(|format| **format == kind.format);
    let format = *format.unwrap_or(&FORMATS[0]);
    let read = move |reading: &ReadContext<'_>| offered(reading, game.id);
    let bots = visit.site.read(read).await?;
    let (usual, others) = options(format, game).into_iter().partition(|option| {
        let is_of_format = !GENERAL.contains(&option.key);
        USUAL.contains(&option.key) || is_of_format && !is_detail(option.key)
    });
    Ok(BeginPage {
        word: visitor.form_word(),
        games,
        formats: FORMATS,
        game,
        format,
        bots,
        usual,
        others,
        estimate: None,
    })
}

fn is_detail(key: &str) -> bool {
    TournamentSpec::key(key).is_some_and(|key| key.detail)
}

/// The options that a tournament of this format has.
fn keys(format: &str, game: &Info) -> Vec<&'static SpecKey> {
    let asks_rounds = format
        .parse::<Format>()
        .is_ok_and(|format| !matches!(format.rounds(), Rounds::Own));
    let has_seats = game.seats.len() > 1;
    let general = GENERAL.iter().filter_map(|name| TournamentSpec::key(name));
    let general = general.filter(|key| match &*key.name {
        "rounds" => asks_rounds,
        "seats" => has_seats,
        _ => true,
    });
    let all = TournamentSpec::keys().iter();
    let own = all.filter(|key| key.formats.iter().any(|(name, _)| *name == format));
    general.chain(own).collect()
}

fn options(format: &str, game: &Info) -> Vec<FormOption> {
    let option = |key: &'static SpecKey| {
        let of_format = key.formats.iter().find(|(name, _)| *name == format);
        let default = of_format.and_then(|(_, default)| default.clone());
        let words = key.name.replace('-', " ");
        FormOption {
            key: &key.name,
            label: words[..1].to_uppercase() + &words[1..],
            note: format!("{}.", key.help),
            default: default.or_else(|| key.default.clone()).unwrap_or_default(),
            choices: key.choices,
            is_flag: key.is_flag(),
        }
    };
    keys(format, game).into_iter().map(option).collect()
}

/// The form: fields that depend on the format, and bots each by a field of its own.
struct BeginForm(Vec<(String, String)>);

impl BeginForm {
    fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value.trim())
    }

    /// The bots that were ticked, and those that were typed.
    fn bots(&self) -> Vec<String> {
        [self.bots_of("bots"), self.bots_of("more")].concat()
    }

    fn bots_of(&self, field: &str) -> Vec<String> {
        let fields = self.0.iter().filter(|(name, _)| name == field);
        fields.flat_map(|(_, value)| names(value)).collect()
    }

    fn kind(&self) -> Kind {
        Kind {
            game: self.get("game").to_owned(),
            format: self.get("format").to_owned(),
        }
    }

    fn spec(&self) -> Result<TournamentSpec> {
        let mut spec = TournamentSpec::default();
        let name: Name = self
            .get("name")
            .parse()
            .map_err(|error| Problem::unfit(format!("{error}")).at("name"))?;
        spec.put("name", name.as_str());
        let game = known(self.get("game")).map_err(|problem| problem.at("game"))?;
        spec.put("game", game.info().id);
        let format = FORMATS.iter().find(|format| **format == self.get("format"));
        let format = format.copied().ok_or_else(|| {
            let what = format!("{:?} is no format", self.get("format"));
            Problem::unfit(what).at("format")
        })?;
        spec.put("format", format);
        spec.put("bots", self.bots());
        let title = TournamentSpec::key("title").into_iter();
        for key in title.chain(keys(format, game.info())) {
            let typed = self.get(&key.name);
            if typed.is_empty() {
                continue;
            }
            let value = key.read(typed);
            let value = value.map_err(|why| Problem::unfit(why).at(&key.name))?;
            spec.set(key, value);
        }
        Ok(spec)
    }
}

async fn begin(
    visit: Visit,
    SignedInForm(site, visitor, sent): SignedInForm<Vec<(String, String)>>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let form = BeginForm(sent);
    if form.get("step") == CHOOSE {
        let page = page(&visit, &visitor, form.kind()).await?;
        return visit.private_filled(&page, PAGE, &form.0);
    }
    let spec = form.spec()?;
    let bots = form.bots();
    if bots.len() < 2 {
        let problem = Problem::unfit("a tournament is between two bots at least");
        return Err(problem.hint("choose two or more").at("bots"));
    }
    let name: Name = form
        .get("name")
        .parse()
        .map_err(|error| Problem::internal(&error))?;
    let (game, taken) = (form.get("game").to_owned(), name.clone());
    let (ticked, typed) = (form.bots_of("bots"), form.bots_of("more"));
    let check = move |reading: &ReadContext<'_>| {
        if reading.journal.tournament(taken.as_str()).is_ok() {
            let problem = Problem::unfit(format!("there is a tournament {taken} already"));
            return Err(problem.hint("choose another name").at("name"));
        }
        refuse_strangers(reading, &ticked, &game)?;
        let more = refuse_strangers(reading, &typed, &game);
        more.map_err(|problem| problem.at("more"))
    };
    site.read(check).await?;
    if form.get("step") != ESTIMATE {
        begin_tournament(&site, &visitor, spec).await?;
        let what = format!("The tournament {name} has begun.");
        let live = watched(&name);
        return Ok(done(&site, &visitor, what, &live).into_response());
    }
    let plan = foresee(&site, spec).await?;
    let mut page = page(&visit, &visitor, form.kind()).await?;
    page.estimate = Some(Estimate {
        word: visitor.form_word(),
        name: name.to_string(),
        settings: about(&plan.settings, plan.bots.len()),
        matches: match plan.total.most() {
            1 => "1 match".into(),
            _ => format!("{} matches", plan.total),
        },
        time: time_in_words(&plan),
        bots: plan.bots,
        sent: (form.0.iter())
            .filter(|(name, _)| ![WORD_FIELD, "step"].contains(&&**name))
            .cloned()
            .collect(),
    });
    visit.private_filled(&page, PAGE, &form.0)
}

/// How long a tournament takes, as far as that is known.
fn time_in_words(plan: &Plan) -> String {
    let words =
        |seconds: f64| in_words(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let most = words(plan.estimate.by_clock_s);
    match plan.estimate.by_journal_s {
        Some(seconds) => format!(
            "about {}, as {} earlier matches of this kind took; {most} if every bot uses all of its time",
            words(seconds),
            plan.estimate.journaled
        ),
        None => format!(
            "from {} if every bot answers at once to {most} if every bot uses all of its time",
            words(plan.estimate.instant_s)
        ),
    }
}
