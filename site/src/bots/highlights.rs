//! The matches of a bot that say most: its win over the strongest opponent, its loss against the weakest.

use flipside_store::{MatchFilter, MatchRow};
use flipside_tournament::Bot;

use crate::matches::results::{LATEST_OF_BOT, has_won, told};
use crate::shared::problem::Result;
use crate::shared::table::{game_title, match_address};
use crate::site::ReadContext;

/// A match worth a look.
#[derive(Debug, PartialEq)]
pub(super) struct Highlight {
    /// Who won against whom.
    pub(super) told: String,
    /// The title of the game.
    pub(super) game: String,
    pub(super) href: Option<String>,
    /// How much stronger the opponent is rated, in points; less than zero if it is weaker.
    gap: f64,
}

impl Highlight {
    /// How the two are rated, in words.
    pub(super) fn gap(&self) -> String {
        match self.gap.round() {
            gap if gap > 0.0 => format!("rated {gap:.0} points higher"),
            gap if gap < 0.0 => format!("rated {:.0} points lower", -gap),
            _ => "rated the same".into(),
        }
    }
}

/// Its best win and its worst loss, among its latest matches of two rated bots without faults.
pub(super) fn highlights(reading: &ReadContext<'_>, bot: &Bot) -> Result<[Option<Highlight>; 2]> {
    let matches = reading.journal.matches(&MatchFilter {
        bot: Some(bot.id),
        limit: LATEST_OF_BOT,
        ..MatchFilter::default()
    })?;
    let label = bot.label();
    let (mut best, mut worst) = (None, None);
    for row in &matches {
        let Some((is_won, opponent)) = decided(row, &label) else {
            continue;
        };
        let ratings = reading.ratings(&row.game)?;
        let rating = |of: &str| ratings.0.rows.iter().find(|one| one.bot == of);
        let (Some(own), Some(other)) = (rating(&label), rating(opponent)) else {
            continue;
        };
        let gap = other.rating - own.rating;
        let (kept, is_more) = match is_won {
            true => (&mut best, gap > 0.0),
            false => (&mut worst, gap < 0.0),
        };
        let is_better = kept.as_ref().is_none_or(|known: &Highlight| match is_won {
            true => gap > known.gap,
            false => gap < known.gap,
        });
        if is_more && is_better {
            *kept = Some(Highlight {
                told: told(row),
                game: game_title(&row.game),
                href: match_address(&row.id),
                gap,
            });
        }
    }
    Ok([best, worst])
}

/// Whether a bot has won a match, and against whom; nothing where that says little of it: of more than two, drawn, by
/// a fault, or against itself.
fn decided<'a>(row: &'a MatchRow, label: &str) -> Option<(bool, &'a str)> {
    let [one, other] = &*row.seats else {
        return None;
    };
    let is_fair = [one, other].iter().all(|seat| seat.result.fault.is_none());
    let other = match (one.bot == label, other.bot == label) {
        (true, false) => other,
        (false, true) => one,
        _ => return None,
    };
    let is_won = has_won(row, label).filter(|_| is_fair)?;
    Some((is_won, &*other.bot))
}
