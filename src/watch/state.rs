//! What a watched tournament has come to: moved by the events of the run, and read by those who draw it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use flipside_report::width::cut_name;
use flipside_report::{plain_line, words};
use flipside_runner::{LiveMatch, LiveSeat, RunEvent, StopSignal};
use flipside_tournament::{Bot, ChangeRow, Standings, Tournament};

/// How many of the last faults, pauses and voids are kept.
const MAX_NEWS: usize = 50;

/// How many faults wait at most to be told in plain lines.
const MAX_UNTOLD: usize = 5;

/// How much of a fault's detail is kept, in letters.
const LONGEST_DETAIL: usize = 200;
/// The widest name of a bot in the news, in columns: what has happened to it stands behind.
const LONGEST_NAME: usize = 28;

/// What there is to show.
pub(super) struct WatchState {
    /// The tournament's name.
    pub(super) name: String,
    /// The game, the format, the clock.
    pub(super) about: String,
    /// How many matches were done before this run, and are now.
    pub(super) before: u64,
    pub(super) done: u64,
    /// How many there will be, at most.
    pub(super) total: u64,
    /// How long it has run.
    pub(super) elapsed: Duration,
    /// Faults and voids of this run.
    pub(super) faults: u64,
    pub(super) voids: u64,
    pub(super) stopping: StopState,
    /// The last faults, pauses and voids, the latest at the end.
    pub(super) news: VecDeque<String>,
    /// The first faults that the plain lines have not told yet, and how many more there are.
    pub(super) untold: Vec<String>,
    pub(super) untold_more: u64,
    pub(super) standings: Option<Standings>,
    /// The running matches, with nothing in them that could steer a terminal.
    pub(super) matches: Vec<LiveMatch>,
    /// The names of the bots, as they are in the journal.
    labels: Vec<String>,
    began: Instant,
}

/// Whether the run has been asked to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StopState {
    #[default]
    No,
    Soon,
    Now,
}

impl StopState {
    pub(super) fn of(stop: &StopSignal) -> Self {
        match (stop.is_asked(), stop.is_now()) {
            (_, true) => StopState::Now,
            (true, false) => StopState::Soon,
            (false, false) => StopState::No,
        }
    }
}

/// A running match with nothing in it that could steer a terminal.
fn plain(seen: LiveMatch) -> LiveMatch {
    let lines = seen.board.lines().map(|line| plain_line(line) + "\n");
    let seats = seen.seats.into_iter().map(|seat| LiveSeat {
        name: plain_line(&seat.name),
        is_asked: seat.is_asked && !seen.is_over,
        ..seat
    });
    LiveMatch {
        id: plain_line(&seen.id),
        seats: seats.collect(),
        board: lines.collect(),
        ..seen
    }
}

impl WatchState {
    pub(super) fn of(tournament: &Tournament) -> Self {
        WatchState {
            labels: tournament.entrants.iter().map(Bot::label).collect(),
            ..WatchState::new(
                tournament.name.as_ref(),
                &words::about(&tournament.extended_settings(), tournament.entrants.len()),
            )
        }
    }

    fn new(name: &str, about: &str) -> Self {
        WatchState {
            name: plain_line(name),
            about: plain_line(about),
            before: 0,
            done: 0,
            total: 0,
            elapsed: Duration::ZERO,
            faults: 0,
            voids: 0,
            stopping: StopState::No,
            news: VecDeque::new(),
            untold: Vec::new(),
            untold_more: 0,
            standings: None,
            matches: Vec::new(),
            labels: Vec::new(),
            began: Instant::now(),
        }
    }

    /// Something has happened.
    pub(super) fn hear(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Begins { landed, total } => {
                self.before = *landed;
                self.done = *landed;
                self.total = total.most();
                self.began = Instant::now();
            }
            RunEvent::Landed(finished) => {
                self.done += 1;
                let seated = &finished.scored.pairing.seats;
                for (&bot, seat) in seated.iter().zip(&finished.scored.result.seats) {
                    if let Some(fault) = &seat.fault {
                        let bot = self.labels.get(bot).cloned().unwrap_or_default();
                        self.fault(&bot, &fault.name, &fault.detail, &finished.id);
                    }
                }
            }
            RunEvent::Changed {
                tournament,
                changes,
                ..
            } => {
                // Bots may have joined.
                self.labels = tournament.entrants.iter().map(Bot::label).collect();
                for changed in changes {
                    let change = ChangeRow::of_settled(tournament, changed);
                    self.tell(&words::changed(&change));
                }
            }
            RunEvent::Banned {
                worker,
                reason,
                withdrawn,
                ..
            } => self.tell(&words::banned(worker, reason, *withdrawn)),
            RunEvent::Stored => {}
            RunEvent::LeftOut => self.done += 1,
            RunEvent::Paused(pause) => {
                let bot = cut_name(&plain_line(&pause.bot), LONGEST_NAME);
                self.tell(&format!("{bot} {pause}"));
            }
            RunEvent::Void { id, reason, .. } => {
                self.voids += 1;
                self.tell(&format!("{id} is void: {reason}"));
            }
        }
        if let RunEvent::Changed { landed, total, .. } | RunEvent::Banned { landed, total, .. } =
            event
        {
            self.done = *landed;
            self.total = total.most();
        }
    }

    /// Looks at what is played now.
    pub(super) fn look(&mut self, matches: Vec<LiveMatch>, now: Instant) {
        self.matches = matches.into_iter().map(plain).collect();
        self.elapsed = now.saturating_duration_since(self.began);
    }

    fn fault(&mut self, bot: &str, fault: &str, detail: &str, id: &str) {
        self.faults += 1;
        let shown = |text: &str| text.chars().take(LONGEST_DETAIL).collect::<String>();
        // An escape is longer than what it stands for.
        let detail = shown(&plain_line(&shown(detail)));
        let bot = cut_name(&plain_line(bot), LONGEST_NAME);
        let news = plain_line(&format!("{bot} {fault}: {detail} ({id})"));
        if self.untold.len() < MAX_UNTOLD {
            self.untold.push(news.clone());
        } else {
            self.untold_more += 1;
        }
        self.tell(&news);
    }

    fn tell(&mut self, news: &str) {
        if self.news.len() == MAX_NEWS {
            self.news.pop_front();
        }
        self.news.push_back(plain_line(news));
    }

    /// The rank's row of a bot that is paused has a mark.
    pub(super) fn is_paused(&self, bot: &str) -> bool {
        let pauses = self.standings.as_ref().map(|standings| &standings.pauses);
        pauses.is_some_and(|pauses| pauses.iter().any(|pause| pause.bot == bot))
    }
}

/// What a tournament looks like on its way, with names that mean no good.
#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use flipside_tournament::{CrossTable, StandingsRow, Total};

    use super::*;

    pub(in crate::watch) const HOSTILE: &str = "\x1b[2J\u{202e}evil\n\r\t五子棋の王\u{7}";

    fn row(rank: usize, bot: &str) -> StandingsRow {
        StandingsRow {
            rank,
            bot: bot.into(),
            left: None,
            left_because: None,
            is_void: false,
            rating: 1700.0 - 50.0 * rank as f64,
            deviation: 40.0,
            low: 1621.6 - 50.0 * rank as f64,
            high: 1778.4 - 50.0 * rank as f64,
            is_told_apart: None,
            link: None,
            glicko: Some(1490.0),
            glicko_deviation: Some(23.0),
            games: 20,
            wins: 12,
            draws: 1,
            losses: 7,
            score: 12.5,
            percent: 62.5,
            percent_low: None,
            percent_high: None,
            by_play: 21 - rank as u64,
            faults: rank as u64 - 1,
            fault_names: BTreeMap::new(),
            voids: 0,
            often_void: false,
            model: None,
        }
    }

    pub(in crate::watch) fn table(bots: &[&str]) -> Standings {
        Standings {
            played: 20,
            total: Total::Exactly(90),
            voids: 1,
            pauses: Vec::new(),
            changes: Vec::new(),
            imports: Vec::new(),
            runs: flipside_tournament::Runs::default(),
            classes: Vec::new(),
            untrusted: 0,
            uncounted: 0,
            left_out: 0,
            over: false,
            rows: (1..).zip(bots).map(|(rank, bot)| row(rank, bot)).collect(),
            cross: CrossTable {
                bots: Vec::new(),
                cells: Vec::new(),
            },
            ranking: None,
            encounters: Vec::new(),
            sprt: None,
        }
    }

    pub(in crate::watch) fn running(id: &str, names: &[&str], board: &str) -> LiveMatch {
        let seats = names.iter().zip(0..).map(|(name, seat)| LiveSeat {
            look: None,
            name: (*name).to_owned(),
            used: Duration::from_millis(1234 * (seat + 1)),
            is_asked: seat == 0,
            is_disqualified: seat == 2,
        });
        LiveMatch {
            id: id.into(),
            seats: seats.collect(),
            plies: 12,
            began: Instant::now(),
            board: board.into(),
            is_over: false,
        }
    }

    pub(in crate::watch) fn state(bots: &[&str], matches: Vec<LiveMatch>) -> WatchState {
        let mut state = WatchState::new("cup", "flipfour, 3 bots, round-robin, clock move=1s");
        state.look(matches, Instant::now());
        state.standings = Some(table(bots));
        WatchState {
            before: 10,
            done: 20,
            total: 90,
            elapsed: Duration::from_secs(5),
            voids: 1,
            ..state
        }
    }

    #[test]
    fn what_is_kept_of_faults_is_bounded_and_cannot_steer_a_terminal() {
        let mut state = WatchState::new(HOSTILE, HOSTILE);
        for number in 0..200 {
            state.fault(
                HOSTILE,
                "late",
                &HOSTILE.repeat(1000),
                &format!("cup-{number}"),
            );
        }
        assert_eq!(state.faults, 200);
        assert_eq!(state.news.len(), MAX_NEWS);
        assert!(state.news.back().unwrap().ends_with("(cup-199)"));
        assert_eq!((state.untold.len(), state.untold_more), (MAX_UNTOLD, 195));
        let kept = state
            .news
            .iter()
            .chain(&state.untold)
            .chain([&state.name, &state.about]);
        for line in kept {
            assert!(!line.chars().any(char::is_control), "{line:?}");
            assert!(line.chars().count() < 2 * LONGEST_DETAIL);
        }
    }

    #[test]
    fn a_seat_of_a_match_that_is_over_is_not_waited_for() {
        let mut seen = running("cup-1", &["a@1", "b@1"], "x\n");
        assert!(plain(seen.clone()).seats[0].is_asked);
        seen.is_over = true;
        assert!(!plain(seen).seats[0].is_asked);
    }
}
