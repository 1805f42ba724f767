//! Playing a tournament from the terminal: Ctrl-C stops it, and it tells how it goes.

use flipside_arena::{Failure, Result, Runner};
use flipside_tournament::report::words;
use flipside_tournament::{Arena, Event, Finished, Journal, Ran, Tournament, Workers};

use crate::output::{note, plain_line};
use crate::progress::{Progress, Steps};
use crate::stopping::Stopping;
use crate::watch::Watch;

/// Plays what remains of a tournament, with progress on standard error, or watched.
pub(crate) fn play(
    runner: Runner<'_>,
    (arena, journal): (&Arena, &mut Journal),
    tournament: &Tournament,
    (workers, watched): (Workers, bool),
) -> Result<Ran> {
    let stopping = Stopping::begin()?;
    let watch = if watched {
        Some(Watch::begin(arena.path(), tournament, stopping.stop())?)
    } else {
        None
    };
    let live = watch.as_ref().map(Watch::live);
    let mut teller = Teller {
        tournament,
        watch,
        progress: None,
    };
    let workers = Workers { live, ..workers };
    let ran = runner.run(journal, workers, stopping.stop(), |event| {
        teller.hear(event);
    });
    // How many of them count is told by whoever asked for it.
    drop(teller);
    match (ran?, stopping.signal()) {
        (Ran { stopped: true, .. }, Some(signal)) => {
            Err(Failure::stopped(signal, "what has been played is kept")
                .hint("the same command again goes on"))
        }
        (ran, _) => Ok(ran),
    }
}

/// Tells of a run while it goes on: on the screen that watches it, or in lines above a bar.
struct Teller<'a> {
    tournament: &'a Tournament,
    watch: Option<Watch>,
    progress: Option<Progress>,
}

impl Teller<'_> {
    fn hear(&mut self, event: &Event<'_>) {
        if let Some(watch) = &self.watch {
            watch.hear(event);
        }
        match event {
            Event::Begins { landed, total } if self.watch.is_none() => {
                let open = total.most().saturating_sub(*landed);
                note!(
                    "{}: {open} of {total} matches to play",
                    self.tournament.name
                );
                self.progress = Some(Progress::new(Steps("match", ""), *landed, landed + open));
            }
            Event::Begins { .. } => {}
            Event::Landed(finished) => {
                tell_faults(finished);
                self.progress.iter_mut().for_each(Progress::step);
            }
            Event::LeftOut => self.progress.iter_mut().for_each(Progress::step),
            Event::Paused(pause) => self.say(&words::paused(self.tournament, pause)),
            Event::Void { id, reason, again } => {
                let next = if *again {
                    "it is played again"
                } else {
                    "it stays open"
                };
                self.say(&format!("{id} is void: {reason}; {next}"));
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

fn tell_faults(finished: &Finished) {
    for (seat, fault) in (finished.scored.result.seats.iter().enumerate())
        .filter_map(|(at, seat)| Some((at, seat.fault.as_ref()?)))
    {
        let (id, fault, detail) = (&finished.id, &fault.name, &fault.detail);
        tracing::warn!(id, seat, fault, detail, "fault");
    }
}
