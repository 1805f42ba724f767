//! The OpenAPI document: paths from the handlers, schemas from the values' own JSON Schemas.

use std::sync::OnceLock;

use flipside_tournament::report::Rated;
use flipside_tournament::{
    CrossTable, DescribedBot, FullTable, HistoryRow, MatchRow, Standings, TournamentRow,
};
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

use super::accounts::{Invitation, InvitationAsked, Me, NewToken};
use super::answer::{JsonDocument, ListDocument};
use super::bots::BotShown;
use super::bounds::{self, WholeNumbers};
use super::games::{GameDocument, GameRow};
use super::ladders::{LadderAsked, LadderRow};
use super::leagues::{
    EntryAsked, LeagueAsked, LeagueMade, LeagueShort, LeagueShown, SeasonCancelAsked, SeasonMade,
    SeasonShown,
};
use super::matches::MatchShown;
use super::operations::Operations;
use super::organiser::{
    BegunTournament, CancelAsked, DisqualifyAsked, ExtendAsked, JoinAsked, OwnRequests, QueueRow,
    RequestAsked, RequestedMatches, WithdrawAsked,
};
use super::play::{ActAsked, LeaveAsked, PlayAsked, PlayBegun, PlayShown};
use super::server::{Playing, Server};
use super::tournaments::TournamentShown;
use super::uploads::UploadShown;
use super::webhooks::{NewWebhookShown, WebhookAsked};
use crate::accounts::people::{AccountRow, AuditRow};
use crate::hooks::rows::Webhook;
use crate::leagues::SeasonTimes;
use crate::problem::{Problem, ProblemDocument, Result};
use crate::uploads::rows::Upload;

/// What the API is, for people who meet the document first.
const ABOUT: &str = "Tournaments between game bots: results to read, bots to submit, tournaments to run. \
Errors are problem documents (RFC 9457). Lists come page by page: follow `next`.";

/// The document of what `documented` has, made once.
pub(super) fn document(documented: fn() -> Operations) -> Result<&'static JsonDocument> {
    static DOCUMENT: OnceLock<Result<JsonDocument>> = OnceLock::new();
    let made = DOCUMENT.get_or_init(|| JsonDocument::of(&value(documented)?));
    made.as_ref().map_err(Problem::clone)
}

fn value(documented: fn() -> Operations) -> Result<Value> {
    let paths = documented().into_openapi();
    let mut document = serde_json::to_value(paths)?;
    document["info"] = json!({
        "title": "Flipside",
        "description": ABOUT,
        "version": env!("CARGO_PKG_VERSION"),
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    });
    let schemas = schemas();
    let paths = document["paths"].as_object_mut();
    let operations = paths.into_iter().flat_map(|paths| paths.values_mut());
    for (method, operation) in operations.filter_map(Value::as_object_mut).flatten() {
        complete(method, operation);
        bounds::complete(operation, &schemas);
    }
    document["components"] = json!({
        "schemas": schemas,
        "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
    });
    Ok(document)
}

/// Adds what operations have in common.
fn complete(method: &str, operation: &mut Value) {
    let is_public = operation.get("security").is_none();
    if method != "get" {
        // What changes something takes a `Bearer`.
        operation["security"] = json!([{ "token": [] }]);
    } else if is_public {
        let description = "It is as the tag in `If-None-Match` says";
        operation["responses"]["304"] = json!({ "description": description });
    }
    operation["responses"]["default"] = json!({
        "description": "A problem",
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
}

/// The schemas of all values.
fn schemas() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    let told = settings.clone().for_serialize().with_transform(PlainText);
    let mut told = told.into_generator();
    told.subschema_for::<(
        ProblemDocument<'_>,
        Server,
        Playing,
        (ListDocument<GameRow>, GameDocument),
        (ListDocument<TournamentRow>, TournamentShown),
        (Standings, CrossTable, FullTable),
        (ListDocument<MatchRow>, MatchShown),
        (ListDocument<DescribedBot>, BotShown),
        (ListDocument<Rated>, ListDocument<HistoryRow>),
        (
            Me,
            NewToken,
            ListDocument<AccountRow>,
            ListDocument<AuditRow>,
            Invitation,
        ),
        (ListDocument<Upload>, UploadShown),
        (
            BegunTournament,
            RequestedMatches,
            OwnRequests,
            ListDocument<QueueRow>,
        ),
        (ListDocument<Webhook>, NewWebhookShown),
        (ListDocument<LeagueShort>, LeagueShown, SeasonShown),
        (LeagueMade, SeasonMade, ListDocument<LadderRow>),
        (PlayBegun, PlayShown),
    )>();
    let asked = settings.for_deserialize().with_transform(PlainText);
    let asked = asked.with_transform(WholeNumbers);
    let mut asked = asked.into_generator();
    asked.subschema_for::<(
        InvitationAsked,
        RequestAsked,
        (CancelAsked, ExtendAsked, JoinAsked),
        (WithdrawAsked, DisqualifyAsked),
        WebhookAsked,
        (LeagueAsked, SeasonTimes, SeasonCancelAsked, EntryAsked),
        LadderAsked,
        (PlayAsked, ActAsked, LeaveAsked),
    )>();
    let mut all = told.take_definitions(true);
    all.extend(asked.take_definitions(true));
    all
}

/// Takes the links of rustdoc out of descriptions.
#[derive(Clone)]
struct PlainText;

impl Transform for PlainText {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = without_links(text);
        }
    }
}

/// "[`Name`](target)" and "[`Name`]" become "`Name`".
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("[`")
        && let Some((name, tail)) = after.split_once("`]")
    {
        plain += &format!("{before}`{name}`");
        let target = tail.strip_prefix('(').and_then(|tail| tail.split_once(')'));
        rest = target.map_or(tail, |(_, tail)| tail);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::documented;

    #[test]
    fn descriptions_have_no_links_of_rustdoc() {
        for (text, plain) in [
            (
                "The batch rating ([`Batch`](crate::Batch)).",
                "The batch rating (`Batch`).",
            ),
            ("[`A`] and [`B`](b), [c](d) [`", "`A` and `B`, [c](d) [`"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(without_links(text), plain);
        }
        let all = value(documented).unwrap().to_string();
        assert!(!all.contains("[`"), "{all}");
    }
}
