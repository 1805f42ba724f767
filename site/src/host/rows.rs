//! Where it is stored what the server plays.

use flipside_tournament::Name;
use rusqlite::params;

use super::{Hosted, Rank, Wanted};
use crate::accounts::{Error, Store};

impl Store {
    /// What the server plays or is to play, in no order.
    pub(super) fn hosted(&self) -> Result<Vec<Hosted>, Error> {
        self.read(|store| {
            let sql = "SELECT tournament, rank, since, wanted, why FROM hosted";
            let mut query = store.prepare(sql)?;
            let mut rows = query.query([])?;
            let mut hosted = Vec::new();
            while let Some(row) = rows.next()? {
                let (name, wanted): (String, String) = (row.get(0)?, row.get(3)?);
                let name = name.parse::<Name>();
                hosted.push(Hosted {
                    tournament: name.map_err(|error| Error::Value(error.to_string()))?,
                    rank: match row.get(1)? {
                        0 => Rank::Request,
                        1 => Rank::Tournament,
                        _ => Rank::Ladder,
                    },
                    since: row.get(2)?,
                    wanted: match &*wanted {
                        "play" => Wanted::Play,
                        "pause" => Wanted::Pause,
                        _ => Wanted::Failed(row.get::<_, Option<String>>(4)?.unwrap_or_default()),
                    },
                });
            }
            Ok(hosted)
        })
    }

    /// Stores what is to become of a tournament.
    pub(super) fn put_hosted(&self, hosted: &Hosted) -> Result<(), Error> {
        let (wanted, why) = match &hosted.wanted {
            Wanted::Play => ("play", None),
            Wanted::Pause => ("pause", None),
            Wanted::Failed(why) => ("failed", Some(why)),
        };
        self.change(|store| {
            let sql =
                "REPLACE INTO hosted (tournament, rank, since, wanted, why) VALUES (?, ?, ?, ?, ?)";
            let name = hosted.tournament.as_str();
            store.execute(
                sql,
                params![name, hosted.rank as u8, hosted.since, wanted, why],
            )?;
            Ok(())
        })
    }

    /// The server has no more to do with a tournament.
    pub(super) fn remove_hosted(&self, name: &Name) -> Result<(), Error> {
        self.change(|store| {
            store.execute("DELETE FROM hosted WHERE tournament = ?", [name.as_str()])?;
            Ok(())
        })
    }
}
