//! Games whose rules are a program of somebody else's: a [`ProgramGame`] asks it over a [`GameLink`], line by line, and
//! is a game like a built-in one. [`serve`] is the other side: it makes such a program of any game.
//!
//! Nothing that the program writes is believed: it is in form, within the limits and agrees with what it wrote before,
//! or the table has a [`GameFailure`], and nobody at it is at fault.

mod description;
pub(crate) mod drawing;
mod limits;
mod link;
mod options;
pub(crate) mod paths;
mod position;
mod processes;
mod serve;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use flipside_protocol::game::{
    Describe, DrawingForm, GAME_VERSION, GameReply, GameRequest, GameSetup,
};
use serde_json::value::RawValue;

use crate::failure::{GameFailure, ProgramFacts};
use crate::game::{Info, ParseError};
use crate::options::OptionsError;
#[cfg(feature = "schema")]
use crate::table::Schemas;
use crate::table::{AnyGame, Setup, Table};
use description::Description;
use processes::{GameProcesses, written};
use table::ProgramTable;

pub use description::GameProgramError;
pub use drawing::not_svg;
pub use link::{GameHost, GameLink};
pub use paths::not_paths;
pub use serve::{GameServer, serve};

/// A game whose rules are a program.
pub struct ProgramGame(Arc<GameProcesses>);

impl ProgramGame {
    /// Starts the program and asks it what game it is. What it says of its game is kept for as long as the process runs.
    ///
    /// # Errors
    /// Says why it is no game.
    pub fn open(host: Box<dyn GameHost>, sha256: &str) -> Result<Self, GameProgramError> {
        let mut link = host.start().map_err(GameProgramError::Mute)?;
        let protocol = GAME_VERSION;
        let request = written(&GameRequest::Describe(Describe { protocol }));
        let answer = link.exchange(&request).map_err(GameProgramError::Mute)?;
        let answer = answer.to_owned();
        let game = ProgramGame::described(&answer, None, host, sha256)?;
        game.0.take_back(link);
        Ok(game)
    }

    /// The game of a program that has described itself with this line: nothing is started. In its arena it has a
    /// version.
    ///
    /// # Errors
    /// Says why it is no game.
    pub fn described(
        answer: &str,
        version: Option<u32>,
        host: Box<dyn GameHost>,
        sha256: &str,
    ) -> Result<Self, GameProgramError> {
        let description = match GameReply::read(answer) {
            Ok(GameReply::Game(described)) => Description::check(*described, version)?,
            Ok(other) => {
                let what = format!("it answered {:?} instead of \"game\"", other.name());
                return Err(GameProgramError::Mute(what));
            }
            Err(error) => return Err(GameProgramError::Mute(limits::about(&error, answer))),
        };
        let facts = ProgramFacts {
            sha256: sha256.to_owned(),
            rules: description.rules.clone(),
            description: answer.to_owned(),
        };
        let processes = GameProcesses::new(description, facts, host);
        Ok(ProgramGame(Arc::new(processes)))
    }

    /// Draws a view, given as JSON, as text or as SVG; nothing where the program does not draw in this form.
    ///
    /// # Errors
    /// The program fails.
    pub fn drawing(&self, view: &str, as_svg: bool) -> Result<Option<String>, GameFailure> {
        let form = if as_svg {
            DrawingForm::Svg
        } else {
            DrawingForm::Text
        };
        let view = RawValue::from_string(view.to_owned());
        let view = view.map_err(|_| self.0.failure("draw", "the view is not JSON"))?;
        let table = ProgramTable::new(Arc::clone(&self.0), self.info().least_seats());
        let drawn = table.draw_view(view, form);
        table.failure().map_or(Ok(drawn), Err)
    }

    /// Lets the program be started by another host from now on.
    pub(crate) fn start_with(&self, other: Self) {
        if let Some(other) = Arc::into_inner(other.0) {
            self.0.start_with(other);
        }
    }
}

impl AnyGame for ProgramGame {
    fn info(&self) -> &'static Info {
        self.0.description.info
    }

    fn notation(&self) -> &'static str {
        self.0.description.notation
    }

    fn program(&self) -> Option<&ProgramFacts> {
        Some(&self.0.facts)
    }

    fn set_up(&self, options: &str, seats: u8) -> Result<Setup, OptionsError> {
        let info = self.info();
        info.refuse_seats(seats)?;
        let options = self.0.description.options.complete(options)?;
        let mut table = ProgramTable::new(Arc::clone(&self.0), seats);
        let given = RawValue::from_string(options.clone()).expect("options are JSON");
        let canonical = table.begin(GameSetup {
            options: given,
            seats,
        })?;
        Ok(Setup {
            options: canonical.unwrap_or(options),
            table: Box::new(table),
        })
    }

    fn draw(&self, view: &str, as_svg: bool) -> Result<String, ParseError> {
        let drawn = self.drawing(view, as_svg);
        let drawn = drawn.map_err(|failure| ParseError(failure.to_string()))?;
        drawn.ok_or_else(|| ParseError("its program does not draw in this form".into()))
    }

    fn presets(&self) -> Vec<(&'static str, String)> {
        self.0.description.presets.clone()
    }

    fn brief(&self) -> String {
        self.0.description.brief.clone()
    }

    #[cfg(feature = "schema")]
    fn schemas(&self) -> Schemas {
        self.0.description.schemas()
    }
}
