//! The store against a model of it, and its file.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use axum::http::StatusCode;
use flipside_tournament::Name;
use proptest::prelude::*;

use super::*;
use crate::accounts::people::{AccountRow, InvitationRow, Role, SESSION};
use crate::shared::problem::Problem;

/// What somebody does. Numbers pick one of what there is.
#[derive(Clone, Copy, Debug)]
enum StoreStep {
    SignUp(&'static str),
    Invite(u32, u64),
    Join(usize, &'static str),
    SignIn(usize),
    SignOut(usize),
    NewToken(usize, usize),
    Disable(&'static str, bool),
    Wait(u64),
}

#[derive(Clone, Debug)]
struct StorePerson {
    account: AccountRow,
    token: usize,
    is_disabled: bool,
}

/// What must be true. Secrets are kept here, and never get lost.
#[derive(Default)]
struct StoreModel {
    now: u64,
    people: BTreeMap<String, StorePerson>,
    tokens: Vec<String>,
    /// Secret, name in lower case, end; nothing once it was ended.
    sessions: Vec<(String, Option<(String, u64)>)>,
    /// Secret, uses, end.
    invitations: Vec<(String, u32, u64)>,
}

const NAMES: [&str; 4] = ["ada", "Ada", "bob", "BOB"];

fn step() -> impl Strategy<Value = StoreStep> {
    let name = || prop::sample::select(&NAMES[..]);
    let at = 0_usize..6;
    prop_oneof![
        name().prop_map(StoreStep::SignUp),
        (1_u32..3, 1_u64..2_000).prop_map(|(uses, time)| StoreStep::Invite(uses, time)),
        (at.clone(), name()).prop_map(|(at, name)| StoreStep::Join(at, name)),
        at.clone().prop_map(StoreStep::SignIn),
        at.clone().prop_map(StoreStep::SignOut),
        (at.clone(), at).prop_map(|(who, kept)| StoreStep::NewToken(who, kept)),
        (name(), any::<bool>()).prop_map(|(name, is)| StoreStep::Disable(name, is)),
        prop_oneof![1_u64..1_500, Just(SESSION.as_millis() as u64)].prop_map(StoreStep::Wait),
    ]
}

impl StoreModel {
    fn add(&mut self, made: Result<(AccountRow, crate::accounts::secret::Secret), Error>) {
        let (account, token) = made.unwrap();
        self.tokens.push(token.as_str().to_owned());
        let person = StorePerson {
            token: self.tokens.len() - 1,
            is_disabled: false,
            account: account.clone(),
        };
        self.people
            .insert(account.name.to_ascii_lowercase(), person);
    }

    fn take(&mut self, step: StoreStep, store: &AccountStore) {
        let now = self.now;
        match step {
            StoreStep::SignUp(name) => {
                let made = store.sign_up(&name.parse::<Name>().unwrap(), None, now);
                match self.people.contains_key(&name.to_ascii_lowercase()) {
                    true => assert!(matches!(made, Err(Error::NameTaken(_)))),
                    false => self.add(made),
                }
            }
            StoreStep::Invite(uses, time) => {
                let role = Role::Organiser;
                let until = now + time;
                let secret = store.invite(&InvitationRow { role, uses, until }, None, now);
                let secret = secret.unwrap().as_str().to_owned();
                self.invitations.push((secret, uses, until));
            }
            StoreStep::Join(at, name) => {
                let Some((secret, uses, until)) = self.invitations.get_mut(at) else {
                    return;
                };
                let is_valid = *uses > 0 && now < *until;
                let made = store.sign_up(&name.parse::<Name>().unwrap(), Some(secret), now);
                if !is_valid {
                    assert!(matches!(made, Err(Error::NotInvited)));
                } else if self.people.contains_key(&name.to_ascii_lowercase()) {
                    assert!(matches!(made, Err(Error::NameTaken(_))));
                } else {
                    *uses -= 1;
                    assert_eq!(made.as_ref().unwrap().0.role, Role::Organiser);
                    self.add(made);
                }
            }
            StoreStep::SignIn(at) => {
                let Some(token) = self.tokens.get(at) else {
                    return;
                };
                if let Some(account) = store.by_token(token).unwrap() {
                    let secret = store.begin_session(&account, now).unwrap();
                    let until = now + SESSION.as_millis() as u64;
                    let session = Some((account.name.to_ascii_lowercase(), until));
                    self.sessions.push((secret.as_str().to_owned(), session));
                }
            }
            StoreStep::SignOut(at) => {
                if let Some((secret, session)) = self.sessions.get_mut(at) {
                    store.end_session(secret).unwrap();
                    *session = None;
                }
            }
            StoreStep::NewToken(who, kept) => self.new_token(who, kept, store),
            StoreStep::Disable(name, is_disabled) => self.disable(name, is_disabled, store),
            StoreStep::Wait(time) => self.now += time,
        }
    }

    fn new_token(&mut self, who: usize, kept: usize, store: &AccountStore) {
        let now = self.now;
        let Some((name, person)) = self.people.iter_mut().nth(who) else {
            return;
        };
        let kept = self.sessions.get(kept).map(|(secret, _)| secret.clone());
        let token = store
            .new_token(&person.account, kept.as_deref(), now)
            .unwrap();
        self.tokens.push(token.as_str().to_owned());
        person.token = self.tokens.len() - 1;
        for (secret, session) in &mut self.sessions {
            let is_theirs = session.as_ref().is_some_and(|(of, _)| of == name);
            if is_theirs && Some(&*secret) != kept.as_ref() {
                *session = None;
            }
        }
    }

    fn disable(&mut self, name: &str, is_disabled: bool, store: &AccountStore) {
        let name = name.to_ascii_lowercase();
        let Some(by) = self
            .people
            .values()
            .next()
            .map(|person| person.account.clone())
        else {
            return;
        };
        let done = store.disable(&name, is_disabled, &by, self.now);
        let Some(person) = self.people.get_mut(&name) else {
            assert!(matches!(done, Err(Error::NoAccount)));
            return;
        };
        done.unwrap();
        person.is_disabled = is_disabled;
        for (_, session) in &mut self.sessions {
            if session.as_ref().is_some_and(|(of, _)| *of == name) {
                *session = None;
            }
        }
    }

    /// Each secret opens what it must, and nothing else.
    fn check(&self, store: &AccountStore) {
        for (at, token) in self.tokens.iter().enumerate() {
            let mut people = self.people.values();
            let whose = people.find(|person| person.token == at && !person.is_disabled);
            let found = store.by_token(token).unwrap();
            assert_eq!(
                found.map(|found| found.id),
                whose.map(|whose| whose.account.id)
            );
        }
        for (secret, session) in &self.sessions {
            let alive = session.as_ref().filter(|(_, until)| self.now < *until);
            let found = store.by_session(secret, self.now).unwrap();
            let name = found.map(|found| found.name.to_ascii_lowercase());
            assert_eq!(name.as_ref(), alive.map(|(name, _)| name));
            // A secret of one kind is none of another.
            assert_eq!(store.by_token(secret).unwrap(), None);
        }
        for (secret, uses, until) in &self.invitations {
            let is_valid = *uses > 0 && self.now < *until;
            let found = store.invitation(secret, self.now).unwrap();
            assert_eq!(found.is_some(), is_valid);
        }
        assert_eq!(store.accounts().unwrap().len(), self.people.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_what_the_model_does(steps in prop::collection::vec(step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = AccountStore::open(folder.path()).unwrap();
        // Each commit would wait for the disk.
        let connection = store.connection.get_mut().unwrap().as_ref().unwrap();
        connection.pragma_update(None, "synchronous", "OFF").unwrap();
        let mut model = StoreModel::default();
        for step in steps {
            model.take(step, &store);
            model.check(&store);
        }
        store.close();
        drop(store);
        // All of it outlives the process.
        model.check(&AccountStore::open(folder.path()).unwrap());
    }
}

#[test]
fn sessions_of_an_account_are_bounded_and_the_oldest_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = AccountStore::open(folder.path()).unwrap();
    let (ada, _) = store.sign_up(&"ada".parse().unwrap(), None, 1).unwrap();
    let begin = |now| store.begin_session(&ada, now).unwrap().as_str().to_owned();
    let sessions: Vec<String> = (10..35).map(begin).collect();
    let is_alive = |secret: &String| store.by_session(secret, 40).unwrap().is_some();
    let alive: Vec<bool> = sessions.iter().map(is_alive).collect();
    assert_eq!(alive, [[false; 5].as_slice(), &[true; 20]].concat());
    assert_eq!(store.sessions(ada.id, 40).unwrap(), 20);
}

#[test]
fn a_file_of_something_else_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    fs::write(&path, "no database").unwrap();
    assert!(matches!(
        AccountStore::open(folder.path()),
        Err(Error::Foreign { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), b"no database");
    fs::remove_file(&path).unwrap();
    symlink("/dev/null", &path).unwrap();
    assert!(matches!(
        AccountStore::open(folder.path()),
        Err(Error::File { .. })
    ));
}

#[test]
fn a_file_of_another_version_is_refused_with_both_numbers_and_left_as_it_is() {
    for found in [0, 2, 6] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        AccountStore::open(folder.path()).unwrap().close();
        let other = Connection::open(&path).unwrap();
        other.pragma_update(None, "user_version", found).unwrap();
        // As a process that is killed leaves it: with the version in the log.
        let killed = tempfile::tempdir().unwrap();
        for ending in ["", "-wal"] {
            let file = format!("{FILE}{ending}");
            fs::copy(folder.path().join(&file), killed.path().join(file)).unwrap();
        }
        drop(other);
        for folder in [folder.path(), killed.path()] {
            let path = folder.join(FILE);
            let before = fs::read(&path).unwrap();
            let Err(refused) = AccountStore::open(folder) else {
                panic!("version {found} is read");
            };
            assert_eq!(
                refused.to_string(),
                format!(
                    "{} has version {found}, and this flipside reads version 1",
                    path.display()
                )
            );
            assert!(refused.hint().is_some());
            assert!(fs::read(path).unwrap() == before);
        }
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing is left beside it: {left:?}");
        assert!(
            fs::metadata(killed.path().join("site.db-wal"))
                .unwrap()
                .len()
                > 0
        );
    }
}

#[test]
fn accounts_of_something_else_are_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    AccountStore::open(folder.path()).unwrap().close();
    let other = Connection::open(&path).unwrap();
    (other.pragma_update(None, "application_id", 0x666c_7073)).unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    let Err(refused) = AccountStore::open(folder.path()) else {
        panic!("it is read");
    };
    assert!(matches!(refused, Error::Foreign { .. }), "{refused}");
    assert!(refused.hint().is_some());
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn a_file_that_others_could_read_is_closed_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    AccountStore::open(folder.path()).unwrap();
    assert_eq!(
        fs::metadata(path).unwrap().permissions().mode() & 0o777,
        MODE
    );
}

#[test]
fn after_the_end_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let store = AccountStore::open(folder.path()).unwrap();
    store.close();
    let made = store.sign_up(&"ada".parse().unwrap(), None, 1);
    assert!(matches!(made, Err(Error::Stopping)));
    assert!(matches!(store.by_token("x"), Err(Error::Stopping)));
}

#[test]
fn on_a_full_disk_people_are_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = AccountStore::open(folder.path()).unwrap();
    let limit = |pages: i64| {
        let set = |store: &Connection| Ok(store.pragma_update(None, "max_page_count", pages)?);
        store.change(set).unwrap();
    };
    let sign_up =
        |number: u32| store.sign_up(&format!("somebody{number}").parse().unwrap(), None, 0);
    limit(1);
    let refused = (0..10_000).find_map(|number| sign_up(number).err());
    let refused = refused.expect("its file may not grow");
    assert!(matches!(refused, Error::DiskFull), "{refused}");
    let problem = Problem::from(refused);
    assert_eq!(problem.status, StatusCode::INSUFFICIENT_STORAGE);
    assert!(problem.message.contains("no room left"), "{problem:?}");
    limit(1_000_000);
    sign_up(10_000).unwrap();
}
