//! An upload and the report of its check, for its owner and for organisers.

use std::sync::Arc;

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use flipside_report::{plain, plain_line};
use flipside_tournament::{Bot, BotRef};

use super::queue::Progress;
use super::report::{Step, UploadReport};
use super::rows::{Upload, UploadId, UploadState};
use crate::accounts::signed_in::SignedIn;
use crate::accounts::visitor::AccountVisitor;
use crate::ladders::place::{LadderPlace, ladder_place};
use crate::leagues::deadlines::{Deadline, deadlines};
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};
use crate::shared::store::AccountStore;
use crate::shared::table::bot_address;
use crate::shared::times::When;
use crate::site::{ReadContext, Site};

/// How much of a line is shown, in characters; the report as JSON has more.
const SHOWN: usize = 300;

/// How many of the last lines of a step are shown.
const SHOWN_LINES: usize = 4;

/// How much of what a bot wrote to standard error is shown of a step, in characters.
const SHOWN_STDERR: usize = 2_000;

#[derive(Template)]
#[template(path = "upload.html")]
struct UploadPage {
    upload: Upload,
    created: When,
    ended: Option<When>,
    /// The page of the bot that it has become.
    bot: Option<(String, String)>,
    /// How many wait before it.
    before: u64,
    /// What is checked now, and of how many steps.
    now: Option<(String, usize)>,
    groups: Vec<StepGroup>,
    /// How many steps ended so.
    ok: usize,
    skipped: usize,
    warnings: usize,
    failed: usize,
    notes: Vec<String>,
    has_report: bool,
    /// What comes next for a bot in the arena: its ladders, and the seasons that take it.
    ladders: Vec<LadderPlace>,
    deadlines: Vec<Deadline>,
    seconds: Option<String>,
}

struct StepGroup {
    name: String,
    steps: Vec<Step>,
}

impl StepGroup {
    /// Whether its author has something to do.
    fn is_notable(&self) -> bool {
        self.steps.iter().any(Step::is_notable)
    }

    /// How many of its steps ended in each way.
    fn counts(&self) -> String {
        let told = ["ok", "warning", "failed", "skipped"].map(|status| {
            let steps = self.steps.iter().filter(|step| step.status == status);
            match steps.count() {
                0 => None,
                count => Some(format!("{count} {status}")),
            }
        });
        told.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl PageView for UploadPage {
    fn head(&self) -> PageHead {
        PageHead::new(
            format!("{}: {}", self.upload.name, self.upload.state),
            Section::Account,
        )
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/uploads/{id}", get(upload))
}

/// The upload of an address, if the visitor may see it. For others it is not there.
pub(crate) async fn known(
    site: &Arc<Site>,
    visitor: &AccountVisitor,
    typed: &str,
) -> Result<Upload> {
    let absent = || Problem::not_found(format!("you have no upload {typed:?}"));
    let id = UploadId(typed.parse().map_err(|_| absent())?);
    let found = site.stored(move |store| store.upload(id)).await?;
    let may_see = |upload: &Upload| upload.account == visitor.account.id || visitor.is_organiser();
    found.filter(may_see).ok_or_else(absent)
}

async fn upload(SignedIn(visit, visitor): SignedIn, Path(typed): Path<String>) -> Result<Response> {
    let upload = known(&visit.site, &visitor, &typed).await?;
    let details = details(&visit.site, upload.id).await?;
    let mut page = page(upload, details);
    if let Some((_, label)) = page.bot.clone() {
        page.deadlines = deadlines(&visit.site).await?;
        let read = move |reading: &ReadContext<'_>| ladders(reading, &label);
        page.ladders = visit.site.read(read).await?;
    }
    visit.private(&page)
}

/// The ladders in which a bot plays, or will in a moment. One that was deleted meanwhile plays in none.
fn ladders(reading: &ReadContext<'_>, label: &str) -> Result<Vec<LadderPlace>> {
    let wanted: Option<BotRef> = label.parse().ok();
    let bots = reading.journal.bots()?;
    let is_it = |bot: &&Bot| {
        let is_named =
            |wanted: &BotRef| bot.name == wanted.name && Some(bot.version) == wanted.version;
        wanted.as_ref().is_some_and(is_named)
    };
    let Some(bot) = bots.iter().find(is_it) else {
        return Ok(Vec::new());
    };
    let places = bot.games.iter();
    let places = places.map(|game| ladder_place(reading, game, bot));
    let places: Vec<Option<LadderPlace>> = places.collect::<Result<_>>()?;
    Ok(places.into_iter().flatten().collect())
}

/// What more there is of an upload: how far its check is, the report, and how many uploads are checked before it.
pub(crate) type Details = (Option<Progress>, Option<UploadReport>, u64);

pub(super) async fn details(site: &Arc<Site>, id: UploadId) -> Result<Details> {
    let progress = site.accounts()?.uploads.queue.progress(id);
    let stored = move |store: &AccountStore| Ok((store.report(id)?, store.before(id)?));
    let (report, before) = site.stored(stored).await?;
    let report = report.map(|text| serde_json::from_str(&text)).transpose()?;
    Ok((progress, report, before))
}

fn page(mut upload: Upload, (progress, report, before): Details) -> UploadPage {
    upload.said = plain(&upload.said);
    let progress = progress.filter(|_| upload.state == UploadState::Checking);
    let has_report = report.is_some();
    let now = progress.as_ref().map(|now| (now.now.clone(), now.of));
    let seconds = report.as_ref().map(|report| report.ms as f64 / 1e3);
    let (steps, notes) = match (report, progress) {
        (Some(report), _) => (report.steps, report.warnings),
        (None, Some(progress)) => (progress.steps, Vec::new()),
        (None, None) => (Vec::new(), Vec::new()),
    };
    let count = |status: &str| steps.iter().filter(|step| step.status == status).count();
    let label = upload.bot.clone();
    UploadPage {
        created: When::at(upload.created_at),
        ended: upload.ended_at.map(When::at),
        bot: label.and_then(|label| Some((bot_address(&label)?, label))),
        before,
        now,
        ok: count("ok"),
        skipped: count("skipped"),
        warnings: count("warning"),
        failed: count("failed"),
        groups: grouped(steps),
        notes: notes.iter().map(|note| plain(note)).collect(),
        has_report,
        ladders: Vec::new(),
        deadlines: Vec::new(),
        seconds: seconds.map(|seconds| format!("{seconds:.1}")),
        upload,
    }
}

/// The steps by group, with as much of what was said as a page has room for.
fn grouped(steps: Vec<Step>) -> Vec<StepGroup> {
    let mut groups: Vec<StepGroup> = Vec::new();
    for mut step in steps {
        shorten(&mut step);
        match groups.last_mut() {
            Some(group) if group.name == step.group => group.steps.push(step),
            _ => groups.push(StepGroup {
                name: step.group.clone(),
                steps: vec![step],
            }),
        }
    }
    groups
}

fn shorten(step: &mut Step) {
    // What a bot said is in each of these, also in those of steps that went well.
    step.found = beginning(&plain(&step.found), SHOWN_STDERR);
    step.advice = step.advice.as_deref().map(plain);
    if !step.is_notable() {
        step.said.clear();
        step.stderr.clear();
        return;
    }
    let older = step.said.len().saturating_sub(SHOWN_LINES);
    step.said.drain(..older);
    for said in &mut step.said {
        said.line = beginning(&plain_line(&said.line), SHOWN);
    }
    step.stderr = beginning(&plain(&step.stderr), SHOWN_STDERR);
}

fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
