//! The matches of people: beginning them, playing them, and which are kept.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::http::StatusCode;
use flipside_games::Seat;
use flipside_games::words::counted;
use flipside_operations::{
    Failure, GivenSeed, Processes, Result, drawn_id, find_arena_player, find_game, prepare,
    seed_of_match, set_up,
};
use flipside_protocol::Clock;
use flipside_referee::{Match, MatchSeed, Player, Referee};
use flipside_store::Arena;

use super::session::{MatchOwner, PlaySession};
use crate::shared::problem::Problem;
use crate::shared::rates::RateAddress;
use crate::shared::threads::locked;

/// The clock of the bots that play against a person.
const CLOCK: Duration = Duration::from_secs(1);

/// How many matches an account or a guest plays at once.
const MOST_OF_ONE: usize = 2;

/// What the names of built-in bots begin with.
const BUILT_IN: &str = "sample:";

/// How many matches of guests are kept, and how many of accounts, with those that are over. With more of them, all of
/// these that are over are forgotten.
const MOST_KEPT: usize = 64;

/// What a person is called in the record.
const NAME: &str = "person";

/// The matches of people.
pub(crate) struct PlaySessions {
    arena: Arena,
    /// How many are played at once.
    most: usize,
    /// How long a person may think, and how long a match that is over is kept.
    patience: Duration,
    all: Mutex<HashMap<String, Arc<PlaySession>>>,
}

/// A match that a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayRequest {
    /// The game's id.
    pub(crate) game: String,
    /// Bots of the arena or built-in ones, for the other seats in turn: with copies if there are too few.
    pub(crate) bots: Vec<String>,
    /// How many seats there are; none: the person and one for each bot.
    pub(crate) seats: Option<u8>,
    /// The person's seat.
    pub(crate) seat: Seat,
    /// The options of the game, as JSON.
    pub(crate) options: String,
    /// All that chance does, as in an earlier match; none: it is drawn. Whoever gives it may know what comes.
    pub(crate) seed: Option<MatchSeed>,
}

impl PlaySessions {
    pub(crate) fn new(arena: Arena, most: usize, patience: Duration) -> Self {
        PlaySessions {
            arena,
            most,
            patience,
            all: Mutex::default(),
        }
    }

    /// Begins a match for somebody, and returns its id. Guests take half of the places at most, those from one address
    /// half of these, and play against built-in bots. `from` is where a guest is, if that is told apart.
    ///
    /// # Errors
    /// When the wish does not fit the game, a bot is not there, or too many matches are played.
    pub(crate) fn begin(
        &self,
        owner: MatchOwner,
        from: Option<RateAddress>,
        wish: &PlayRequest,
    ) -> Result<String, Problem> {
        let who = (owner, from);
        refuse_to_guests(owner, wish)?;
        // What is set up for nothing takes time: a game may be a program.
        self.refuse_without_room(&mut self.all(), who)?;
        let the_match = self.match_of(wish)?;
        let id = hex::encode(rand::random::<[u8; 16]>());
        let session = {
            let mut all = self.all();
            self.refuse_without_room(&mut all, who)?;
            let session = Arc::new(PlaySession::new(
                who,
                &the_match,
                wish.seat,
                wish.seed.is_some(),
                self.patience,
            ));
            all.insert(id.clone(), Arc::clone(&session));
            session
        };
        let arena = self.arena.clone();
        let play = {
            let session = Arc::clone(&session);
            move || {
                let play = AssertUnwindSafe(|| play(&arena, &the_match, &session));
                let played = catch_unwind(play);
                session.end(played.unwrap_or_else(|_| Err(Failure::new("the match has panicked"))));
            }
        };
        let thread = std::thread::Builder::new().name("session".into());
        if let Err(error) = thread.spawn(play) {
            self.all().remove(&id);
            return Err(Problem::internal(&error));
        }
        Ok(id)
    }

    /// Forgets matches that are over for long, and refuses somebody for whom there is no place.
    fn refuse_without_room(
        &self,
        all: &mut HashMap<String, Arc<PlaySession>>,
        (owner, from): (MatchOwner, Option<RateAddress>),
    ) -> Result<(), Problem> {
        all.retain(|_, session| !session.is_stale(self.patience));
        // Guests, who are many, push out nothing of accounts.
        let is_alike = |session: &PlaySession| session.owner.is_guest() == owner.is_guest();
        if all.values().filter(|session| is_alike(session)).count() >= MOST_KEPT {
            all.retain(|_, session| session.is_played() || !is_alike(session));
        }
        let played = all.values().filter(|session| session.is_played());
        let own = |session: &&Arc<PlaySession>| session.owner == owner;
        if played.clone().filter(own).count() >= MOST_OF_ONE {
            let what = format!("you play {MOST_OF_ONE} matches already");
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, what);
            return Err(problem.hint("play one of them to its end, or give it up"));
        }
        let guests = played.clone().filter(|session| session.owner.is_guest());
        let places = self.most.div_ceil(2);
        let has_room = !owner.is_guest() || guests.clone().count() < places;
        // Whoever drops the cookie is somebody else, and still has the address.
        let beside = guests.filter(|session| from.is_some() && session.from == from);
        if has_room && owner.is_guest() && beside.count() >= places.div_ceil(2) {
            let what = "guests from your network play as many matches as they may";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, what);
            return Err(problem.hint("wait until one of them is over, or sign in"));
        }
        let played = played.count();
        if played >= self.most || !has_room {
            let what = "all places are taken";
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, what);
            return Err(problem.hint("try again in some minutes"));
        }
        Ok(())
    }

    /// The match of this id, if it is still known.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<PlaySession>> {
        self.all().get(id).cloned()
    }

    /// The matches that somebody plays now, by their ids.
    pub(crate) fn of(&self, owners: &[MatchOwner]) -> Vec<(String, Arc<PlaySession>)> {
        let all = self.all();
        let own = (all.iter()).filter(|(_, session)| owners.contains(&session.owner));
        let played = own.filter(|(_, session)| session.is_played());
        let mut of: Vec<_> = played
            .map(|(id, session)| (id.clone(), Arc::clone(session)))
            .collect();
        of.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        of
    }

    /// Breaks all matches off.
    pub(crate) fn stop(&self) {
        for session in self.all().values() {
            session.break_off();
        }
    }

    /// Breaks all matches off, and waits until their bots have ended.
    pub(crate) fn close(&self) {
        self.stop();
        let all: Vec<_> = self.all().values().cloned().collect();
        for session in all {
            session.wait_for_end();
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<PlaySession>>> {
        locked(&self.all)
    }

    fn match_of(&self, wish: &PlayRequest) -> Result<Match, Problem> {
        let at = |field| move |failure: Failure| Problem::from(failure).at(field);
        let game = find_game(&wish.game).map_err(at("game"))?;
        let info = game.info();
        let needed = u8::try_from(wish.bots.len() + 1).unwrap_or(u8::MAX);
        let seats = wish.seats.unwrap_or(needed);
        if wish.bots.is_empty() || needed > seats || !info.seats.contains(&seats) {
            let what = format!(
                "you and {} do not fit {} seats of {}",
                counted(wish.bots.len() as u64, "bot"),
                seats,
                info.title
            );
            let hint = format!("{} is for {} seats", info.title, info.seats_in_words());
            let field = if wish.seats.is_some() {
                "seats"
            } else {
                "bots"
            };
            return Err(Problem::unfit(what).hint(hint).at(field));
        }
        if wish.seat >= seats {
            let what = format!("there is no seat {}", wish.seat);
            let hint = format!("the seats are 0 to {}", seats - 1);
            return Err(Problem::unfit(what).hint(hint).at("seat"));
        }
        let bots = wish.bots.iter();
        let bots = bots.map(|bot| find_arena_player(&self.arena, bot));
        let bots = bots.collect::<Result<Vec<Player>>>().map_err(at("bots"))?;
        let mut bots = bots.iter().cycle().cloned();
        let players = (0..seats).map(|seat| match seat == wish.seat {
            true => Player::person(NAME),
            false => bots.next().expect("there is one for each seat"),
        });
        Ok(Match {
            id: drawn_id(info.id),
            game,
            options: set_up(game, &wish.options, seats)
                .map_err(at("options"))?
                .options,
            clock: Clock::per_move(CLOCK),
            seed: seed_of_match(wish.seed.map(GivenSeed::Whole), &mut |_| ())?,
            players: players.collect(),
            opening_plies: 0,
            patience: None,
        })
    }
}

/// The seed that somebody gives.
pub(super) fn given_seed(text: &str) -> Result<MatchSeed, Problem> {
    text.parse().map_err(|_| {
        let problem = Problem::unfit("a seed has 64 hexadecimal digits");
        problem
            .hint("the seed of a match is in the line \"over\" of its record")
            .at("seed")
    })
}

/// Refuses the bots of others to guests.
pub(super) fn refuse_to_guests(owner: MatchOwner, wish: &PlayRequest) -> Result<(), Problem> {
    let is_built_in = |bot: &String| bot.starts_with(BUILT_IN);
    match owner.is_guest() && !wish.bots.iter().all(is_built_in) {
        false => Ok(()),
        true => {
            let what = "without an account, people play against built-in bots";
            let hint = "choose one of sample:random, sample:greedy and the others, or sign in";
            Err(Problem::forbidden(what).hint(hint).at("bots"))
        }
    }
}

/// Plays a match to its end, and returns its record.
fn play(arena: &Arena, the_match: &Match, session: &Arc<PlaySession>) -> Result<String> {
    let sandbox = Processes::default().sandbox(arena.path(), 1);
    prepare(&sandbox, &the_match.players, the_match.clock)?;
    let mut person = session.person();
    let played = Referee::new(sandbox)?.play_with(the_match, &mut person)?;
    session.see_result(&played);
    Ok(played.record)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tempfile::TempDir;

    use super::*;
    use crate::accounts::people::AccountId;

    const PATIENCE: Duration = Duration::from_secs(3_600);

    fn sessions(most: usize) -> (TempDir, PlaySessions) {
        let folder = tempfile::tempdir().unwrap();
        let arena = Arena::create(folder.path()).unwrap();
        (folder, PlaySessions::new(arena, most, PATIENCE))
    }

    fn guest(number: u8) -> MatchOwner {
        MatchOwner::Guest([number; 32])
    }

    fn address(last: u8) -> Option<RateAddress> {
        Some(RateAddress::V4(Ipv4Addr::new(203, 0, 113, last)))
    }

    fn wish() -> PlayRequest {
        PlayRequest {
            game: "flipfour".into(),
            bots: vec!["sample:random".into()],
            seats: None,
            seat: 0,
            options: "{}".into(),
            seed: None,
        }
    }

    /// Takes a place for a match that goes on.
    fn seat(
        sessions: &PlaySessions,
        owner: MatchOwner,
        from: Option<RateAddress>,
    ) -> Result<Arc<PlaySession>, StatusCode> {
        let wish = wish();
        let the_match = sessions.match_of(&wish).unwrap();
        let mut all = sessions.all();
        let room = sessions.refuse_without_room(&mut all, (owner, from));
        room.map_err(|problem| problem.status)?;
        let session = PlaySession::new((owner, from), &the_match, 0, false, PATIENCE);
        let session = Arc::new(session);
        let id = format!("{owner:?} {}", all.len());
        all.insert(id, Arc::clone(&session));
        Ok(session)
    }

    #[test]
    fn a_seed_is_that_of_a_record() {
        let digits = "0aF9".repeat(16);
        let seed = given_seed(&digits).unwrap();
        assert_eq!(seed.to_string(), digits.to_lowercase());
        for wrong in ["", "7", "g", &digits[1..], &format!("{digits}00")] {
            assert_eq!(given_seed(wrong).unwrap_err().field, Some("seed"));
        }
        let (_folder, sessions) = sessions(1);
        for given in [None, Some(seed)] {
            let wish = PlayRequest {
                seed: given,
                ..wish()
            };
            let the_match = sessions.match_of(&wish).unwrap();
            assert_eq!(the_match.seed == seed, given.is_some());
        }
    }

    #[test]
    fn guests_of_one_address_leave_places_to_those_elsewhere_and_all_guests_to_accounts() {
        let (_folder, sessions) = sessions(6);
        let seat = |owner, from| seat(&sessions, owner, from).map(drop);
        // Each has another cookie. Of three places, they have two.
        assert_eq!(seat(guest(1), address(7)), Ok(()));
        assert_eq!(seat(guest(2), address(7)), Ok(()));
        let refused = Err(StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(seat(guest(3), address(7)), refused);
        assert_eq!(seat(guest(3), address(8)), Ok(()));
        let full = Err(StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(seat(guest(4), address(9)), full);
        for account in 1..=3 {
            let owner = MatchOwner::Account(AccountId(account));
            assert_eq!(seat(owner, address(7)), Ok(()));
        }
        let late = MatchOwner::Account(AccountId(4));
        assert_eq!(seat(late, None), full);
    }

    #[test]
    fn where_addresses_are_not_told_apart_only_places_are_counted() {
        let (_folder, sessions) = sessions(6);
        for number in 1..=3 {
            assert!(seat(&sessions, guest(number), None).is_ok());
        }
        let full = seat(&sessions, guest(4), None).map(drop);
        assert_eq!(full, Err(StatusCode::SERVICE_UNAVAILABLE));
    }

    #[test]
    fn the_matches_of_guests_push_out_none_of_an_account() {
        let (_folder, sessions) = sessions(8);
        let over = |owner| {
            let session = seat(&sessions, owner, address(7)).unwrap();
            session.end(Err(Failure::usage("a test")));
        };
        let ada = MatchOwner::Account(AccountId(1));
        over(ada);
        for number in 0..MOST_KEPT {
            over(guest(u8::try_from(number).unwrap()));
        }
        let kept = |owner: MatchOwner| {
            let all = sessions.all();
            all.values().filter(|one| one.owner == owner).count()
        };
        assert_eq!((kept(ada), kept(guest(0))), (1, 1));
        over(guest(200));
        assert_eq!((kept(ada), kept(guest(0)), kept(guest(200))), (1, 0, 1));
    }
}
