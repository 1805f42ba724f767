//! Where it is stored what the server plays.

use flipside_tournament::Name;
use rusqlite::{Row, params};

use super::state::{DesiredState, Priority, QueuedTournament};
use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, rows};

fn hosted(row: &Row<'_>) -> Result<QueuedTournament, Error> {
    let (name, wanted): (String, String) = (row.get(0)?, row.get(3)?);
    let name = name.parse::<Name>();
    Ok(QueuedTournament {
        tournament: name.map_err(|error| Error::Value(error.to_string()))?,
        rank: match row.get(1)? {
            0 => Priority::Request,
            1 => Priority::Tournament,
            _ => Priority::Ladder,
        },
        since: row.get(2)?,
        wanted: match &*wanted {
            "play" => DesiredState::Play,
            "pause" => DesiredState::Pause,
            _ => DesiredState::Failed(row.get::<_, Option<String>>(4)?.unwrap_or_default()),
        },
    })
}

impl AccountStore {
    /// What the server plays or is to play, in no order.
    pub(super) fn hosted(&self) -> Result<Vec<QueuedTournament>, Error> {
        let query = "SELECT tournament, rank, since, wanted, why FROM hosted";
        self.read(|store| rows(store, query, [], hosted))
    }

    /// Stores what is to become of a tournament.
    pub(super) fn put_hosted(&self, hosted: &QueuedTournament) -> Result<(), Error> {
        let (wanted, why) = match &hosted.wanted {
            DesiredState::Play => ("play", None),
            DesiredState::Pause => ("pause", None),
            DesiredState::Failed(why) => ("failed", Some(why)),
        };
        let sql =
            "REPLACE INTO hosted (tournament, rank, since, wanted, why) VALUES (?, ?, ?, ?, ?)";
        let (name, rank) = (hosted.tournament.as_str(), hosted.rank as u8);
        self.execute(sql, params![name, rank, hosted.since, wanted, why])?;
        Ok(())
    }

    /// The server has no more to do with a tournament.
    pub(super) fn remove_hosted(&self, name: &Name) -> Result<(), Error> {
        self.execute("DELETE FROM hosted WHERE tournament = ?", [name.as_str()])?;
        Ok(())
    }
}
