//! What the steps share: the game, and random matches of it.

use flipside_games::{AnyGame, GameFailure, ProgramGame, Seat, SeatTurn, Setup, Table, Viewer};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use super::watched::WatchedHost;
use crate::check::outcome::CheckOutcome;

/// A match of more events does not end, as far as this check is concerned.
pub(super) const MAX_EVENTS: usize = 20_000;

/// At so many positions of a match a step looks closely.
const LOOKS: usize = 10;

pub(super) struct GameCheckContext {
    pub(super) game: ProgramGame,
    pub(super) host: WatchedHost,
    /// Options by name, and the number of seats: the ways to play it.
    pub(super) cases: Vec<GameCase>,
    matches: u32,
    seed: u64,
}

/// A way to play a game.
#[derive(Clone, Debug)]
pub(super) struct GameCase {
    pub(super) preset: &'static str,
    pub(super) options: String,
    pub(super) seats: u8,
}

/// A random match.
pub(super) struct RandomMatch {
    pub(super) case: GameCase,
    pub(super) seed: u64,
    pub(super) events: Vec<CheckEvent>,
}

/// Something that happened in a random match.
#[derive(Clone, Debug)]
pub(super) enum CheckEvent {
    Acts(Vec<(Seat, String)>),
    Chance(String),
}

/// What a step finds: nothing, or what is wrong.
pub(super) type Law = Result<(), CheckOutcome>;

/// Ends a step with what is wrong.
pub(super) fn failed(found: impl Into<String>) -> CheckOutcome {
    CheckOutcome::failed(found)
}

impl GameCheckContext {
    pub(super) fn new(game: ProgramGame, host: WatchedHost, matches: u32, seed: u64) -> Self {
        let mut presets = vec![("brief", game.brief())];
        presets.extend(game.presets());
        presets.dedup_by(|next, one| next.1 == one.1);
        let mut cases = Vec::new();
        let all = game.info().seats;
        for (at, (preset, options)) in presets.into_iter().enumerate() {
            // Matches with all options can be long: at each number of seats there is a brief one.
            let ends = [all[0], all[all.len() - 1]];
            let seats = all.iter().filter(|seats| at == 0 || ends.contains(seats));
            for &seats in seats {
                cases.push(GameCase {
                    preset,
                    options: options.clone(),
                    seats,
                });
            }
        }
        GameCheckContext {
            game,
            host,
            cases,
            matches: matches.max(1),
            seed,
        }
    }

    /// A table at the start of a match.
    pub(super) fn table(&self, case: &GameCase) -> Result<Setup, CheckOutcome> {
        let setup = self.game.set_up(&case.options, case.seats);
        let setup = setup.map_err(|error| {
            let GameCase { preset, seats, .. } = case;
            failed(format!(
                "with the {preset} options at {seats} seats: {error}"
            ))
        })?;
        not_failed(&*setup.table)?;
        Ok(setup)
    }

    /// Whether a way to play it is one: options that do not fit a number of seats are none.
    fn fits(&self, case: &GameCase) -> bool {
        self.game.set_up(&case.options, case.seats).is_ok()
    }

    /// Plays random matches in all ways, and looks at each.
    pub(super) fn for_each_match(
        &self,
        mut look: impl FnMut(&Self, &RandomMatch) -> Law,
    ) -> Result<usize, CheckOutcome> {
        let mut played = 0;
        for case in self.cases.iter().filter(|case| self.fits(case)) {
            for number in 0..self.matches {
                let seed = self.seed.wrapping_add(number.into());
                let random = self.random_match(case, seed)?;
                look(self, &random).map_err(|outcome| outcome.about(&random.name()))?;
                played += 1;
            }
        }
        match played {
            0 => Err(failed("no options fit any number of seats")),
            played => Ok(played),
        }
    }

    /// Plays random matches in all ways, and looks at some positions of each, with the event that comes next.
    pub(super) fn for_each_position(
        &self,
        mut look: impl FnMut(&mut dyn Table, Option<&CheckEvent>, &mut ChaCha8Rng) -> Law,
    ) -> Result<usize, CheckOutcome> {
        let mut positions = 0;
        self.for_each_match(|context, random| {
            let mut table = context.table(&random.case)?.table;
            let mut rng = ChaCha8Rng::seed_from_u64(random.seed ^ 0x5eed);
            let every = random.events.len().div_ceil(LOOKS).max(1);
            for at in 0..=random.events.len() {
                let next = random.events.get(at);
                // At random, for a game may do the same at every other event.
                let is_looked_at = (rng.next_u32() as usize).is_multiple_of(every);
                if at == 0 || is_looked_at || next.is_none() {
                    let looked = look(&mut *table, next, &mut rng);
                    looked
                        .and_then(|()| not_failed(&*table))
                        .map_err(|outcome| outcome.about(&format!("after {at} events")))?;
                    positions += 1;
                }
                if let Some(event) = next {
                    event.play(&mut *table)?;
                }
            }
            Ok(())
        })?;
        Ok(positions)
    }

    /// Plays a match at random.
    pub(super) fn random_match(
        &self,
        case: &GameCase,
        seed: u64,
    ) -> Result<RandomMatch, CheckOutcome> {
        let mut random = RandomMatch {
            case: case.clone(),
            seed,
            events: Vec::new(),
        };
        let mut table = self.table(case)?.table;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let played = (|| {
            while let Some(event) = next_event(&mut *table, &mut rng)? {
                if random.events.len() == MAX_EVENTS {
                    return Err(failed(format!("it is not over after {MAX_EVENTS} events"))
                        .advise("end every match, for example by a limit of plies"));
                }
                event.play(&mut *table)?;
                random.events.push(event);
            }
            Ok(())
        })();
        played.map_err(|outcome: CheckOutcome| outcome.about(&random.name()))?;
        Ok(random)
    }
}

/// Draws the next event of a match; nothing if it is over.
pub(super) fn next_event(
    table: &mut dyn Table,
    rng: &mut dyn Rng,
) -> Result<Option<CheckEvent>, CheckOutcome> {
    let event = match table.turn() {
        SeatTurn::Over(_) => None,
        SeatTurn::Chance => {
            let mut outcome = Vec::new();
            table.sample(rng, &mut outcome);
            Some(CheckEvent::Chance(
                String::from_utf8_lossy(&outcome).into_owned(),
            ))
        }
        SeatTurn::Seats(asked) => {
            let acts = asked.map(|seat| {
                let mut action = String::new();
                table.random_action(seat, rng, &mut action);
                (seat, action)
            });
            Some(CheckEvent::Acts(acts.collect()))
        }
    };
    not_failed(table)?;
    Ok(event)
}

impl CheckEvent {
    /// Plays it.
    pub(super) fn play(&self, table: &mut dyn Table) -> Law {
        let played = match self {
            CheckEvent::Chance(outcome) => table.chance(outcome),
            CheckEvent::Acts(acts) => {
                let acts: Vec<_> = acts
                    .iter()
                    .map(|(seat, action)| (*seat, &**action))
                    .collect();
                table.act(&acts)
            }
        };
        played.map_err(|refusal| match refusal {
            flipside_games::Refusal::Failed(failure) => failed(failure.what),
            refusal => failed(format!("{self} is refused, and is its own: {refusal}")),
        })
    }
}

impl std::fmt::Display for CheckEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckEvent::Chance(outcome) => write!(f, "the outcome {outcome}"),
            CheckEvent::Acts(acts) => {
                let act = |(seat, action): &(Seat, String)| format!("seat {seat}'s {action}");
                f.write_str(&acts.iter().map(act).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl RandomMatch {
    /// How to see it again.
    pub(super) fn name(&self) -> String {
        let GameCase { preset, seats, .. } = &self.case;
        let last = self
            .events
            .iter()
            .rev()
            .take(3)
            .rev()
            .map(CheckEvent::to_string);
        let last = last.collect::<Vec<_>>().join("; ");
        let events = self.events.len();
        format!(
            "seed {}, {preset} options, {seats} seats, {events} events (last: {last})",
            self.seed
        )
    }
}

/// Fails where the program has failed.
pub(super) fn not_failed(table: &dyn Table) -> Law {
    match table.failure() {
        None => Ok(()),
        Some(failure) => Err(failed_by(&failure)),
    }
}

/// The program failed.
pub(super) fn failed_by(failure: &GameFailure) -> CheckOutcome {
    failed(format!("at {:?}: {}", failure.step, failure.what))
}

/// Everybody who may look at a match.
pub(super) fn viewers(seats: u8) -> impl Iterator<Item = Viewer> {
    (0..seats)
        .map(Viewer::Seat)
        .chain([Viewer::Public, Viewer::Open])
}

/// Everything that a position shows to anybody.
#[derive(PartialEq)]
pub(super) struct Shown {
    turn: SeatTurn,
    views: Vec<(Viewer, String)>,
    actions: Vec<Vec<String>>,
}

impl Shown {
    pub(super) fn of(table: &dyn Table) -> Result<Self, CheckOutcome> {
        let seats = table.seats();
        let shown = Shown {
            turn: table.turn(),
            views: viewers(seats)
                .map(|viewer| (viewer, view(table, viewer)))
                .collect(),
            actions: (0..seats).map(|seat| table.actions(seat)).collect(),
        };
        not_failed(table)?;
        Ok(shown)
    }

    /// In what another position differs.
    pub(super) fn unlike(&self, other: &Shown) -> Option<String> {
        if self.turn != other.turn {
            return Some(format!(
                "the match waited for {} and waits for {}",
                turn_in_words(self.turn),
                turn_in_words(other.turn)
            ));
        }
        let mut views = self.views.iter().zip(&other.views);
        if let Some(((viewer, one), (_, next))) = views.find(|(one, next)| one != next) {
            return Some(format!(
                "the view of {} was {} and is {}",
                in_words(*viewer),
                cut(one),
                cut(next)
            ));
        }
        let mut actions = (0..).zip(self.actions.iter().zip(&other.actions));
        let (seat, (one, next)): (Seat, _) = actions.find(|(_, (one, next))| one != next)?;
        Some(format!(
            "the actions of seat {seat} were {one:?} and are {next:?}"
        ))
    }
}

/// Who looks, as the protocol names viewers.
pub(super) fn in_words(viewer: Viewer) -> String {
    match viewer {
        Viewer::Seat(seat) => format!("seat {seat}"),
        Viewer::Public => "the viewer \"public\"".into(),
        Viewer::Open => "the viewer \"open\"".into(),
    }
}

/// What a match waits for.
pub(super) fn turn_in_words(turn: SeatTurn) -> String {
    match turn {
        SeatTurn::Seats(seats) => {
            let seats: Vec<_> = seats.map(|seat| format!("seat {seat}")).collect();
            seats.join(" and ")
        }
        SeatTurn::Chance => "chance".into(),
        SeatTurn::Over(outcome) => {
            let points: Vec<_> = outcome.points.iter().map(ToString::to_string).collect();
            let (reason, points) = (outcome.reason, points.join(", "));
            format!("nothing (its end is {reason}, with the points {points})")
        }
    }
}

/// A view as text.
pub(super) fn view(table: &dyn Table, viewer: Viewer) -> String {
    let mut text = Vec::new();
    table.write_view(viewer, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The beginning of a text.
pub(super) fn cut(text: &str) -> String {
    const SHOWN: usize = 160;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
