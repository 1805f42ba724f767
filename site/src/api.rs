//! `/api/v1`: what pages show and do, for programs. Values are those of the commands' `--json`; a list is a page of
//! them with the address of the next page.
//!
//! Every route is registered together with its description, so the OpenAPI document has them all. The values that they
//! tell and ask for are listed here as well.

use axum::response::Response;
use flipside_report::Rated;
use flipside_store::{DescribedBot, HistoryRow, MatchRow, TournamentRow};
use flipside_tournament::{CrossTable, FullTable, Standings};
use schemars::SchemaGenerator;
use utoipa_axum::routes;

use crate::accounts::api::{Invitation, InvitationAsked, Me, NewToken};
use crate::accounts::people::AccountRow;
use crate::bots::api::BotShown;
use crate::bots::uploads;
use crate::bots::uploads::api::UploadShown;
use crate::bots::uploads::rows::Upload;
use crate::games::api::{GameDocument, GameRow};
use crate::games::upload::GameAdded;
use crate::home::api::{Playing, Server};
use crate::ladders::api::{LadderAsked, LadderRow};
use crate::leagues::api::{
    EntryAsked, LeagueAsked, LeagueMade, LeagueShort, LeagueShown, SeasonCancelAsked, SeasonMade,
    SeasonShown,
};
use crate::leagues::season::SeasonTimes;
use crate::matches::api::MatchShown;
use crate::play::api::{ActAsked, LeaveAsked, PlayAsked, PlayBegun, PlayShown};
use crate::requests::api::{OwnRequests, RequestAsked, RequestedMatches};
use crate::shared::api::answer::ListDocument;
use crate::shared::api::openapi::{self, Api};
use crate::shared::api::operations::Operations;
use crate::shared::page::{Routes, Visit};
use crate::shared::problem::{ProblemDocument, Result};
use crate::shared::store::audit_log::AuditRow;
use crate::tournaments::api::TournamentShown;
use crate::tournaments::organiser_api::{
    BegunTournament, CancelAsked, DisqualifyAsked, ExtendAsked, JoinAsked, QueueRow, WithdrawAsked,
};
use crate::webhooks::api::{NewWebhookShown, WebhookAsked};
use crate::webhooks::rows::Webhook;
use crate::{
    accounts, bots, games, home, ladders, leagues, matches, play, ratings, requests, tournaments,
    webhooks,
};

/// All of it that takes no files.
pub(crate) fn routes() -> Routes {
    small().into()
}

/// What takes files: these routes have limits of their own.
pub(crate) fn routes_of_files() -> Routes {
    operations_with_files().into()
}

/// All of it, as the OpenAPI document has it.
const DOCUMENTED: Api = Api {
    operations: || small().merge(operations_with_files()),
    told,
    asked,
};

fn operations_with_files() -> Operations {
    uploads::api::operations_with_files().merge(games::upload::operations_with_files())
}

fn small() -> Operations {
    Operations::default()
        .merge(home::api::operations())
        .routes(routes!(openapi_document))
        .merge(games::api::operations())
        .merge(tournaments::api::operations())
        .merge(matches::api::operations())
        .merge(bots::api::operations())
        .merge(ratings::api::operations())
        .merge(accounts::api::operations())
        .merge(uploads::api::operations())
        .merge(leagues::api::operations())
        .merge(play::api::operations())
        .merge(requests::api::operations())
        .merge(tournaments::organiser_api::operations())
        .merge(ladders::api::operations())
        .merge(webhooks::api::operations())
}

/// The values that are told.
fn told(schemas: &mut SchemaGenerator) {
    schemas.subschema_for::<(
        ProblemDocument<'_>,
        Server,
        Playing,
        (ListDocument<GameRow>, GameDocument, GameAdded),
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
}

/// The values that are asked for.
fn asked(schemas: &mut SchemaGenerator) {
    schemas.subschema_for::<(
        InvitationAsked,
        RequestAsked,
        (CancelAsked, ExtendAsked, JoinAsked),
        (WithdrawAsked, DisqualifyAsked),
        WebhookAsked,
        (LeagueAsked, SeasonTimes, SeasonCancelAsked, EntryAsked),
        LadderAsked,
        (PlayAsked, ActAsked, LeaveAsked),
    )>();
}

/// This description
///
/// The OpenAPI document of the API.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    tag = "server",
    responses((status = 200, description = "An OpenAPI 3.1 document", body = Object))
)]
async fn openapi_document(visit: Visit) -> Result<Response> {
    openapi::document(&DOCUMENTED).map(|document| document.answer(&visit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_no_links_of_rustdoc() {
        let all = openapi::value(&DOCUMENTED).unwrap().to_string();
        assert!(!all.contains("[`"), "{all}");
    }
}
