//! Playing a tournament from the terminal: Ctrl-C stops it, and it tells how it goes.

use std::collections::BTreeSet;

use flipside_operations::{Failure, FailureKind, Result, Runner, Started, pondered};
use flipside_protocol::Size;
use flipside_report::{plain_line, words};
use flipside_runner::{MatchThreads, RunEvent, RunSummary};
use flipside_store::FinishedMatch;
use flipside_tournament::{Bot, ChangeRow, Total, Tournament};

use crate::output::note;
use crate::progress::{Progress, Steps};
use crate::stopping::Stopping;
use crate::watch::Watch;

/// Plays what remains of a tournament, with progress on standard error, or watched.
pub(crate) fn play(started: &mut Started, most_disk: Size, watched: bool) -> Result<RunSummary> {
    let ran = play_to_the_end(started, most_disk, watched);
    started.refresh()?;
    ran
}

fn play_to_the_end(started: &mut Started, most_disk: Size, watched: bool) -> Result<RunSummary> {
    let tournament = &started.tournament;
    let runner = Runner::new(&started.arena, tournament, &started.sandbox, most_disk)?;
    let stopping = Stopping::begin()?;
    let watch = || Watch::begin(started.arena.path(), tournament, stopping.stop());
    let watch = watched.then(watch).transpose()?;
    let threads = MatchThreads {
        live: watch.as_ref().map(Watch::live),
        ..started.threads.clone()
    };
    let mut teller = RunReporter {
        tournament,
        labels: labels(tournament),
        watch,
        progress: None,
        ponderers: BTreeSet::new(),
    };
    let hear = |event: &RunEvent| teller.hear(event);
    let ran = runner.run(&mut started.journal, threads, stopping.stop(), hear);
    // How many of them count is told by whoever asked for it.
    drop(teller);
    let stopped = match &ran {
        Ok(ran) => ran.stopped,
        Err(failure) => failure.kind() == FailureKind::Full,
    };
    match stopping.signal() {
        Some(signal) if stopped => Err(Failure::stopped(signal, "what has been played is kept")
            .hint("the same command again goes on")),
        _ => ran,
    }
}

/// Tells of a run while it goes on: on the screen that watches it, or in lines above a bar.
struct RunReporter<'a> {
    tournament: &'a Tournament,
    /// The bots, by number of entrant.
    labels: Vec<String>,
    watch: Option<Watch>,
    progress: Option<Progress>,
    /// The bots of which it was told that they compute on the turns of others, by number of entrant.
    ponderers: BTreeSet<usize>,
}

impl RunReporter<'_> {
    fn hear(&mut self, event: &RunEvent) {
        if let Some(watch) = &self.watch {
            watch.hear(event);
        }
        match event {
            RunEvent::Begins { landed, total } if self.watch.is_none() => {
                let open = total.most().saturating_sub(*landed);
                // A result may end it before.
                let most = match total {
                    Total::AtMost(_) => "at most ",
                    Total::Exactly(_) => "",
                };
                let total = total.most();
                note!(
                    "{}: {most}{open} of {total} matches to play",
                    self.tournament.name
                );
                self.progress = Some(Progress::new(Steps("match", ""), *landed, landed + open));
            }
            RunEvent::Changed {
                tournament,
                changes,
                ..
            } => {
                // Bots may have joined.
                self.labels = labels(tournament);
                for changed in changes {
                    let change = ChangeRow::of_settled(tournament, changed);
                    self.say(&words::changed(&change));
                }
            }
            RunEvent::Banned {
                worker,
                reason,
                withdrawn,
                ..
            } => self.say(&words::banned(worker, reason, *withdrawn)),
            RunEvent::Begins { .. } | RunEvent::Stored => {}
            RunEvent::Landed(finished) => {
                tell_faults(finished);
                self.tell_ponderers(finished);
                self.progress.iter_mut().for_each(Progress::step);
            }
            RunEvent::LeftOut => self.progress.iter_mut().for_each(Progress::step),
            RunEvent::Paused(pause) => self.say(&words::paused(pause)),
            RunEvent::Void { id, reason, again } => {
                let next = if *again {
                    "it is played again"
                } else {
                    "it stays open"
                };
                self.say(&format!("{id} is void: {reason}; {next}"));
            }
        }
        if let RunEvent::Changed { landed, total, .. } | RunEvent::Banned { landed, total, .. } =
            event
            && let Some(progress) = &mut self.progress
        {
            progress.aim(*landed, total.most().max(*landed));
        }
    }

    /// Tells once of each bot that it computes on the turns of others.
    fn tell_ponderers(&mut self, finished: &FinishedMatch) {
        for notes in &finished.notes {
            let entrant = finished.scored.seats().nth(usize::from(notes.seat));
            let (Some((entrant, _)), Some(cpu)) = (entrant, notes.pondered) else {
                continue;
            };
            if self.ponderers.insert(entrant) {
                let bot = self.labels.get(entrant).cloned().unwrap_or_default();
                self.say(&format!(
                    "warning: {bot} in {}: {}",
                    finished.id,
                    pondered(cpu)
                ));
            }
        }
    }

    fn say(&self, line: &str) {
        match &self.progress {
            Some(progress) => progress.say(&plain_line(line)),
            None => note!("{}", plain_line(line)),
        }
    }
}

fn labels(tournament: &Tournament) -> Vec<String> {
    tournament.entrants.iter().map(Bot::label).collect()
}

fn tell_faults(finished: &FinishedMatch) {
    for (seat, fault) in (finished.scored.result.seats.iter().enumerate())
        .filter_map(|(at, seat)| Some((at, seat.fault.as_ref()?)))
    {
        let (id, fault, detail) = (&finished.id, &fault.name, &fault.detail);
        tracing::warn!(id, seat, fault, detail, "fault");
    }
}
