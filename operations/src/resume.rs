//! Which tournament a request means: one that the same request began before, or a new one.
//!
//! A bot's name without a version means its newest version at the time when the tournament begins. When a newer one
//! was submitted since, the request that began a tournament still means that one, as long as it is not over.

use flipside_report::plain;
use flipside_store::{Arena, Journal, check_settings, table};
use flipside_tournament::{Bot, BotRef, Name, Tournament};

use crate::entry::{BotSource, Entry};
use crate::failure::{Failure, Result};
use crate::request::{Request, default_name};
use crate::{NoteSink, ResumeHint};

/// What was asked for, and where.
pub(crate) struct ResumeContext<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) request: &'a Request,
    pub(crate) again: ResumeHint<'a>,
}

impl ResumeContext<'_> {
    /// The name of the tournament that is meant, if that is known, and its bots: those that it began with where a
    /// name has a newer version now. A note says what is resumed or begun otherwise than one might think.
    ///
    /// # Errors
    /// When several tournaments can be meant: the hint says how to ask for each of them.
    pub(crate) fn meant(
        &self,
        entries: Vec<Entry>,
        note: NoteSink<'_>,
    ) -> Result<(Option<Name>, Vec<Entry>)> {
        let as_typed = self.request.run.name.clone();
        if !entries.iter().zip(&self.request.run.bots).any(is_open) {
            return Ok((as_typed, entries));
        }
        let journal = self.arena.read_journal()?;
        let there = entries.iter().map(|entry| entry.there(&journal));
        let Some(newest) = there.collect::<Result<Option<Vec<Bot>>>>()? else {
            // With a bot that is new it is another tournament.
            return Ok((as_typed, entries));
        };
        // With a name, only that one can be meant.
        let all = match &as_typed {
            Some(name) => Vec::from_iter(journal.find_tournament(name.as_str())?),
            None => journal.tournaments()?,
        };
        let older = all.iter().filter(|known| {
            self.has_these_names(known, &entries, &newest) && known.founders() != newest
        });
        if let Some(name) = as_typed {
            return match older.into_iter().find(|known| known.name == name) {
                Some(known) => {
                    if self.fits(known) {
                        note(&self.told_newer(known, &newest));
                        note("hint: another --name begins a new tournament");
                    }
                    Ok((Some(name), self.with_bots_of(known, entries)?))
                }
                None => Ok((Some(name), entries)),
            };
        }
        let (mut begun, mut over) = (Vec::new(), None);
        for known in older {
            if !self.began(known)? {
                continue;
            }
            if table(&journal, known)?.over {
                over = Some(known);
            } else {
                begun.push(known);
            }
        }
        let name = default_name(&self.request.settings, &newest)?;
        let exact = all.iter().find(|known| known.name == name);
        match (&begun[..], exact) {
            ([], exact) => {
                if let (Some(over), None) = (over, exact) {
                    let newer = differing(&newest, over);
                    let was = &over.name;
                    note(&format!("{was} is over; {name} begins with {newer}"));
                    note(&format!("hint: flipside table {was}"));
                }
                Ok((None, entries))
            }
            ([known], None) => {
                note(&self.told_newer(known, &newest));
                let again = plain(&(self.again)(&name));
                note(&format!("hint: to begin a new tournament with it: {again}"));
                Ok((Some(known.name.clone()), self.with_bots_of(known, entries)?))
            }
            (begun, exact) => Err(self.several(&journal, begun, exact, &name)?),
        }
    }

    /// Whether a tournament is between bots of these names, and of the versions that were typed.
    fn has_these_names(&self, known: &Tournament, entries: &[Entry], newest: &[Bot]) -> bool {
        let bots = entries.iter().zip(&self.request.run.bots).zip(newest);
        let same = |((entry, bot), was): ((_, &Bot), &Bot)| {
            bot.id == was.id || (is_open(entry) && bot.name == was.name)
        };
        known.founders().len() == entries.len() && bots.zip(known.founders()).all(same)
    }

    /// Whether this command, without a name, began a tournament.
    fn began(&self, known: &Tournament) -> Result<bool> {
        let name = default_name(&self.request.settings, known.founders())?;
        Ok(name == known.name && self.fits(known))
    }

    /// Whether a tournament can go on with the settings that were asked for.
    fn fits(&self, known: &Tournament) -> bool {
        let settings = self.request.resumed(known);
        settings.is_ok_and(|settings| check_settings(known, &settings, &labels(known)).is_ok())
    }

    fn told_newer(&self, known: &Tournament, newest: &[Bot]) -> String {
        let pinned = known.founders().iter().zip(newest);
        let pinned = pinned.filter(|(was, bot)| was.id != bot.id);
        let pinned: Vec<String> = pinned.map(|(was, _)| was.label()).collect();
        let were = if pinned.len() == 1 { "was" } else { "were" };
        let (name, newer) = (&known.name, differing(newest, known));
        let pinned = pinned.join(", ");
        format!("resuming {name} with {pinned}; {newer} {were} submitted since")
    }

    /// The bots that a tournament began with.
    fn with_bots_of(&self, known: &Tournament, entries: Vec<Entry>) -> Result<Vec<Entry>> {
        let bots = entries.into_iter().zip(&self.request.run.bots);
        let of = |((entry, typed), bot): ((Entry, &String), &Bot)| {
            if is_open((&entry, typed)) {
                Entry::known(self.arena, bot.clone())
            } else {
                Ok(entry)
            }
        };
        bots.zip(known.founders()).map(of).collect()
    }

    /// Several tournaments can be meant.
    fn several(
        &self,
        journal: &Journal,
        begun: &[&Tournament],
        exact: Option<&Tournament>,
        name: &Name,
    ) -> Result<Failure> {
        let again = self.again;
        let mut choices = Vec::new();
        for known in begun.iter().copied().chain(exact) {
            let played = journal.played(known.id)?.len();
            choices.push(format!(
                "with {}, {played} matches played:\n    {}",
                labels(known).join(", "),
                again(&known.name)
            ));
        }
        if exact.is_none() {
            choices.push(format!("a new one:\n    {}", again(name)));
        }
        let what =
            "the bots have newer versions now, and this command can mean several tournaments";
        Ok(Failure::usage(what).hint(format!("choose one\n{}", choices.join("\n"))))
    }
}

/// The bots that a tournament began with, by their labels.
fn labels(known: &Tournament) -> Vec<String> {
    known.founders().iter().map(Bot::label).collect()
}

/// Whether a bot was typed without a version, so that it means another bot when one is submitted.
fn is_open((entry, typed): (&Entry, &String)) -> bool {
    let version = typed.parse().ok().and_then(|bot: BotRef| bot.version);
    matches!(entry.source, BotSource::Arena(_)) && version.is_none()
}

/// The bots that a tournament does not have, by their labels.
fn differing(bots: &[Bot], known: &Tournament) -> String {
    let new = bots.iter().filter(|bot| !known.entrants.contains(bot));
    new.map(Bot::label).collect::<Vec<_>>().join(", ")
}
