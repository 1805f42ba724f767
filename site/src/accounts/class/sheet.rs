//! The sheet of a class: a strip for each of its people, to be cut apart and handed out.

use askama::Template;
use flipside_operations::{Failure, Result as Outcome};
use flipside_store::{Arena, unix_ms};
use flipside_tournament::Name;

use super::names::{ClassMember, read_class};
use crate::accounts::people::DAY;
use crate::accounts::secret::Secret;
use crate::accounts::settings::SiteUrl;
use crate::shared::store::AccountStore;
use crate::shared::store::error::{Error, RefusedLine};
use crate::shared::times::When;

/// Invitations for the people of a class, a link for each.
pub struct ClassInvitations {
    pub(super) strips: Vec<ClassStrip>,
    pub(super) refused: Vec<RefusedLine>,
    /// When they end, in milliseconds since 1970.
    pub(super) until: u64,
}

/// The invitation of one of them.
pub(super) struct ClassStrip {
    /// The line of the list, from 1.
    pub(super) line: usize,
    /// The name of the account.
    pub(super) name: Name,
    person: String,
    pub(super) secret: Secret,
}

/// A strip of the sheet.
pub(super) struct StripView {
    pub(super) name: String,
    pub(super) person: String,
    pub(super) address: String,
}

/// The sheet as a page that needs nothing else.
#[derive(Template)]
#[template(path = "class_page.html")]
struct ClassPage<'a> {
    origin: &'a str,
    strips: Vec<StripView>,
    until: When,
    style: &'static str,
}

impl ClassInvitations {
    /// Makes a link for each name of a list, for so many days. They can be used once they are entered.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn read(csv: &str, days: u32) -> Outcome<Self> {
        Ok(ClassInvitations::made(csv, days)?)
    }

    pub(super) fn made(csv: &str, days: u32) -> Result<Self, Error> {
        let (members, refused) = read_class(csv);
        let strip = |member: ClassMember| {
            Ok(ClassStrip {
                line: member.line,
                name: member.name,
                person: member.person,
                secret: Secret::to_type()?,
            })
        };
        let strips = members.into_iter().map(strip);
        Ok(ClassInvitations {
            strips: strips.collect::<Result<_, Error>>()?,
            refused,
            until: unix_ms() + u64::from(days) * DAY,
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.strips.len()
    }

    /// The sheet to print, as a page in HTML. Whoever reads it can use the links.
    ///
    /// # Errors
    /// When its template fails.
    pub fn sheet(&self, url: &SiteUrl) -> Outcome<String> {
        let page = ClassPage {
            origin: url.origin(),
            strips: self.views(url.origin()),
            until: self.ends(),
            style: include_str!("../../../assets/class.css"),
        };
        page.render().map_err(Failure::new)
    }

    /// Enters all invitations into the accounts of an arena.
    ///
    /// # Errors
    /// When a name is refused, and none is entered then; when the accounts cannot be written.
    pub fn enter(&self, arena: &Arena) -> Outcome<()> {
        let store = AccountStore::open(arena.path())?;
        Ok(store.invite_class(self, None, unix_ms())?)
    }

    /// The strips, with links to a site at this address.
    pub(super) fn views(&self, origin: &str) -> Vec<StripView> {
        let strips = self.strips.iter().map(|strip| StripView {
            name: strip.name.to_string(),
            person: strip.person.clone(),
            address: format!("{origin}/join/{}", strip.secret.as_str()),
        });
        strips.collect()
    }

    /// When they end.
    pub(super) fn ends(&self) -> When {
        When::at(self.until)
    }
}
