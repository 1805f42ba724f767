//! Which tournament a command means: one that it began when it was typed before, or a new one.
//!
//! A bot's name without a version means its newest version at the time when the tournament begins. When a newer one
//! was submitted since, the command that began a tournament still means that one, as long as it is not over.

use std::ffi::OsString;

use flipside_sandbox::Program;
use flipside_tournament::{Arena, Bot, BotRef, Journal, Name, Tournament, table};

use crate::arena::Entry;
use crate::commands::tournament::{default_name, resumed};
use crate::failure::{Failure, Result};
use crate::output::{note, plain};
use crate::spec::Request;

/// A bot that was typed, and what it runs.
pub(crate) type Entries = Vec<(Entry, Program)>;

/// The name of the tournament that is meant, if that is known, and its bots: those that it began with where a
/// name has a newer version now. What is resumed or begun otherwise than one might think is said.
///
/// # Errors
/// When several tournaments can be meant: the commands that mean each of them are printed.
pub(crate) fn meant(
    arena: &Arena,
    request: &Request,
    entries: Entries,
) -> Result<(Option<Name>, Entries)> {
    Asked { arena, request }.meant(entries)
}

/// What was asked for, and where.
struct Asked<'a> {
    arena: &'a Arena,
    request: &'a Request,
}

impl Asked<'_> {
    fn meant(&self, entries: Entries) -> Result<(Option<Name>, Entries)> {
        let as_typed = self.request.run.name.clone();
        if !entries.iter().zip(&self.request.run.bots).any(is_open) {
            return Ok((as_typed, entries));
        }
        let journal = self.arena.read_journal()?;
        let there = entries.iter().map(|(entry, _)| entry.there(&journal));
        let Some(newest) = there.collect::<Result<Option<Vec<Bot>>>>()? else {
            // With a bot that is new it is another tournament.
            return Ok((as_typed, entries));
        };
        let all = journal.tournaments()?;
        let older = all.iter().filter(|known| {
            self.has_these_names(known, &entries, &newest) && known.entrants != newest
        });
        if let Some(name) = as_typed {
            return match older.into_iter().find(|known| known.name == name) {
                Some(known) => {
                    if self.fits(known) {
                        note!("{}", self.told_newer(known, &newest));
                        note!("hint: another --name begins a new tournament");
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
            match table(&journal, known)?.over {
                true => over = Some(known),
                false => begun.push(known),
            }
        }
        let name = default_name(&self.request.settings, &newest)?;
        let exact = all.iter().find(|known| known.name == name);
        match (&begun[..], exact) {
            ([], exact) => {
                if let (Some(over), None) = (over, exact) {
                    let newer = differing(&newest, over);
                    let was = &over.name;
                    note!("{was} is over; {name} begins with {newer}");
                    note!("hint: flipside table {was}");
                }
                Ok((None, entries))
            }
            ([known], None) => {
                note!("{}", self.told_newer(known, &newest));
                note!(
                    "hint: to begin a new tournament with it: {}",
                    plain(&command(&name))
                );
                Ok((Some(known.name.clone()), self.with_bots_of(known, entries)?))
            }
            (begun, exact) => Err(several(&journal, begun, exact, &name)?),
        }
    }

    /// Whether a tournament is between bots of these names, and of the versions that were typed.
    fn has_these_names(&self, known: &Tournament, entries: &Entries, newest: &[Bot]) -> bool {
        let bots = entries.iter().zip(&self.request.run.bots).zip(newest);
        let same = |((entry, bot), was): ((_, &Bot), &Bot)| match is_open(entry) {
            true => bot.name == was.name,
            false => bot.id == was.id,
        };
        known.entrants.len() == entries.len() && bots.zip(&known.entrants).all(same)
    }

    /// Whether this command, without a name, began a tournament.
    fn began(&self, known: &Tournament) -> Result<bool> {
        let name = default_name(&self.request.settings, &known.entrants)?;
        Ok(name == known.name && self.fits(known))
    }

    /// Whether a tournament can go on with the settings that were asked for.
    fn fits(&self, known: &Tournament) -> bool {
        let labels: Vec<String> = known.entrants.iter().map(Bot::label).collect();
        resumed(self.request, known)
            .is_ok_and(|settings| known.goes_on_with(&settings, &labels).is_ok())
    }

    fn told_newer(&self, known: &Tournament, newest: &[Bot]) -> String {
        let pinned = known.entrants.iter().zip(newest);
        let pinned = pinned.filter(|(was, bot)| was.id != bot.id);
        let pinned: Vec<String> = pinned.map(|(was, _)| was.label()).collect();
        format!(
            "resuming {} with {}; {} submitted since",
            known.name,
            pinned.join(", "),
            match pinned.len() {
                1 => format!("{} was", differing(newest, known)),
                _ => format!("{} were", differing(newest, known)),
            }
        )
    }

    /// The bots that a tournament began with.
    fn with_bots_of(&self, known: &Tournament, entries: Entries) -> Result<Entries> {
        let bots = entries
            .into_iter()
            .zip(&self.request.run.bots)
            .zip(&known.entrants);
        let of = |((entry, typed), bot): ((_, &String), &Bot)| {
            if !is_open((&entry, typed)) {
                return Ok(entry);
            }
            let entry = Entry::Known(bot.clone());
            let program = entry.program(Some(self.arena))?;
            Ok((entry, program))
        };
        bots.map(of).collect()
    }
}

/// Whether a bot was typed without a version, so that it means another bot when one is submitted.
fn is_open(((entry, _), typed): (&(Entry, Program), &String)) -> bool {
    let version = typed.parse().ok().and_then(|bot: BotRef| bot.version);
    matches!(entry, Entry::Known(_)) && version.is_none()
}

/// The bots that a tournament does not have, by their labels.
fn differing(bots: &[Bot], known: &Tournament) -> String {
    let new = bots.iter().filter(|bot| !known.entrants.contains(bot));
    new.map(Bot::label).collect::<Vec<_>>().join(", ")
}

/// Several tournaments can be meant.
fn several(
    journal: &Journal,
    begun: &[&Tournament],
    exact: Option<&Tournament>,
    name: &Name,
) -> Result<Failure> {
    let mut choices = Vec::new();
    for known in begun.iter().copied().chain(exact) {
        let labels: Vec<String> = known.entrants.iter().map(Bot::label).collect();
        let played = journal.played(known.id)?.len();
        choices.push(format!(
            "with {}, {played} matches played:\n    {}",
            labels.join(", "),
            command(&known.name)
        ));
    }
    if exact.is_none() {
        choices.push(format!("a new one:\n    {}", command(name)));
    }
    let what = "the bots have newer versions now, and this command can mean several tournaments";
    Ok(Failure::usage(what).hint(format!("choose one\n{}", choices.join("\n"))))
}

/// This command with a name for the tournament, as a shell reads it.
fn command(name: &Name) -> String {
    named(std::env::args_os(), name)
}

fn named(args: impl Iterator<Item = OsString>, name: &Name) -> String {
    let mut args: Vec<String> = args.map(|arg| quoted(&arg.to_string_lossy())).collect();
    // Behind the subcommand, for what follows `--` is no flag. An arena of this name may stand before it.
    let is_command = |&at: &usize| args[at] == "tournament" && args[at - 1] != "--arena";
    let at = (1..args.len()).find(is_command);
    let at = at.map_or(args.len(), |at| at + 1);
    args.splice(at..at, ["--name".to_owned(), name.to_string()]);
    args.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_printed_as_a_shell_reads_it() {
        let name: Name = "evening".parse().unwrap();
        let typed = [
            "flipside",
            "-v",
            "tournament",
            "flipfour",
            "--options",
            "{\"a\": 1}",
            "--",
            "it's",
            "",
        ];
        assert_eq!(
            named(typed.into_iter().map(OsString::from), &name),
            r#"flipside -v tournament --name evening flipfour --options '{"a": 1}' -- 'it'\''s' ''"#
        );
    }
}
