//! How far long work is: a moving bar on a terminal, a plain line now and then elsewhere. Always on
//! standard error.

use std::time::{Duration, Instant};

use flipside_games::words::{counted, plural};
use flipside_operations::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::output::{note, on_terminal, print};

/// The time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// How often the bar is drawn anew while nothing happens.
const TICK: Duration = Duration::from_millis(500);

/// The progress of so many steps.
pub(crate) struct Progress {
    what: Steps,
    total: u64,
    done: u64,
    /// How many were done before this run: they do not count for the rate.
    before: u64,
    began: Instant,
    told: Instant,
    bar: Option<ProgressBar>,
}

/// What steps are, and what is done with each: `match`, `written`; nothing is said of what is plain.
#[derive(Clone, Copy)]
pub(crate) struct Steps(pub(crate) &'static str, pub(crate) &'static str);

impl Steps {
    fn all(self) -> String {
        format!("{} {}", plural(self.0), self.1)
            .trim_end()
            .to_owned()
    }

    fn counted(self, number: u64) -> String {
        format!("{} {}", counted(number, self.0), self.1)
            .trim_end()
            .to_owned()
    }
}

impl Progress {
    /// `before` of the steps are done already.
    pub(crate) fn new(what: Steps, before: u64, total: u64) -> Self {
        let now = Instant::now();
        // With a log on the same screen, lines are better than a bar that every entry tears.
        let log = tracing::enabled!(tracing::Level::ERROR);
        let bar = (on_terminal() && !log).then(|| {
            let style =
                ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}  {rate}  {left} left")
                    .expect("the template is right")
                    .with_key(
                        "rate",
                        move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                            let _ =
                                write!(out, "{:.1}/s", rate(state.pos(), before, now.elapsed()));
                        },
                    )
                    .with_key(
                        "left",
                        move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                            let total = state.len().unwrap_or(0);
                            let _ =
                                write!(out, "{}", left(state.pos(), before, total, now.elapsed()));
                        },
                    );
            let bar =
                ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
            bar.set_style(style);
            bar.set_message(what.all());
            bar.set_position(before);
            bar.enable_steady_tick(TICK);
            bar
        });
        if bar.is_none() && before > 0 {
            note!("{before} of {total} {} are there already", what.all());
        }
        Progress {
            what,
            total,
            done: before,
            before,
            began: now,
            told: now,
            bar,
        }
    }

    /// One step more is done.
    pub(crate) fn step(&mut self) {
        self.reach(self.done + 1);
    }

    /// There are so many steps now, and so many of them are done.
    pub(crate) fn aim(&mut self, done: u64, total: u64) {
        self.total = total;
        if let Some(bar) = &self.bar {
            bar.set_length(total);
        }
        self.reach(done);
    }

    /// So many steps are done.
    pub(crate) fn reach(&mut self, done: u64) {
        self.done = done;
        match &self.bar {
            Some(bar) => bar.set_position(done),
            None if self.told.elapsed() >= LINE_EVERY => {
                self.told = Instant::now();
                note!(
                    "{} of {} {}, {:.1} a second, {} left",
                    self.done,
                    self.total,
                    self.what.all(),
                    rate(self.done, self.before, self.began.elapsed()),
                    left(self.done, self.before, self.total, self.began.elapsed()),
                );
            }
            None => {}
        }
    }

    /// Says a line without tearing the bar.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note!("{line}")),
            None => note!("{line}"),
        }
    }

    /// The work has ended: says how much there was of it.
    pub(crate) fn end(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let played = self.done - self.before;
        if played > 0 {
            let seconds = self.began.elapsed().as_secs_f64();
            note!("{} in {seconds:.1} s", self.what.counted(played));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Prints a line to standard output without tearing the bar, if there is one already.
pub(crate) fn print_above(progress: Option<&Progress>, line: &str) -> Result<()> {
    match progress.and_then(|progress| progress.bar.as_ref()) {
        Some(bar) => bar.suspend(|| print(line)),
        None => print(line),
    }
}

/// Work with a progress display, which begins when it is known how much there is to do.
pub(crate) fn in_steps<T>(what: Steps, work: impl FnOnce(&mut dyn FnMut(u64, u64)) -> T) -> T {
    let mut progress: Option<Progress> = None;
    let done = work(&mut |done, total| {
        let new = || Progress::new(what, 0, total);
        progress.get_or_insert_with(new).reach(done);
    });
    progress.into_iter().for_each(Progress::end);
    done
}

/// Steps a second since the beginning of this run.
pub(crate) fn rate(done: u64, before: u64, elapsed: Duration) -> f64 {
    done.saturating_sub(before) as f64 / elapsed.as_secs_f64().max(0.001)
}

/// The time left, in words, at the rate so far.
pub(crate) fn left(done: u64, before: u64, total: u64, elapsed: Duration) -> String {
    let rate = rate(done, before, elapsed);
    if rate <= 0.0 {
        return "?".into();
    }
    match (total.saturating_sub(done) as f64 / rate).ceil() as u64 {
        seconds if seconds < 90 => format!("{seconds} s"),
        seconds if seconds < 90 * 60 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}
