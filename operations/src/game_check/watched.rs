//! A program that is listened to while it is asked: the last lines both ways stand with what a step finds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flipside_games::{GameHost, GameLink};
use flipside_referee::{TRAFFIC_LINE, TrafficLine};
use flipside_sandbox::lock::lock;

/// So many lines are kept.
const KEPT: usize = 8;

/// Starts programs that are listened to.
#[derive(Clone)]
pub(super) struct WatchedHost {
    host: Arc<dyn GameHost>,
    said: Arc<Mutex<VecDeque<TrafficLine>>>,
    /// How long all may take, and until when that is.
    most: Option<(Duration, Instant)>,
}

struct WatchedLink {
    link: Box<dyn GameLink>,
    said: Arc<Mutex<VecDeque<TrafficLine>>>,
    most: Option<(Duration, Instant)>,
}

impl WatchedHost {
    pub(super) fn new(host: impl GameHost + 'static, most: Option<Duration>) -> Self {
        WatchedHost {
            host: Arc::new(host),
            said: Arc::default(),
            most: most.map(|most| (most, Instant::now() + most)),
        }
    }

    /// The last lines, the oldest first.
    pub(super) fn said(&self) -> Vec<TrafficLine> {
        lock(&self.said).iter().cloned().collect()
    }

    pub(super) fn forget(&self) {
        lock(&self.said).clear();
    }
}

impl GameHost for WatchedHost {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        let said = Arc::clone(&self.said);
        let link = self.host.start()?;
        let most = self.most;
        Ok(Box::new(WatchedLink { link, said, most }))
    }
}

impl GameLink for WatchedLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        if let Some((most, until)) = self.most
            && Instant::now() > until
        {
            return Err(format!("all together takes over {} s", most.as_secs()));
        }
        keep(&self.said, request, false);
        let answer = self.link.exchange(request)?;
        keep(&self.said, answer, true);
        Ok(answer)
    }

    fn rest(&mut self) {
        self.link.rest();
    }

    fn wake(&mut self) -> bool {
        self.link.wake()
    }
}

fn keep(said: &Mutex<VecDeque<TrafficLine>>, line: &str, from_bot: bool) {
    let mut said = lock(said);
    if said.len() == KEPT {
        said.pop_front();
    }
    said.push_back(TrafficLine {
        from_bot,
        line: line[..line.floor_char_boundary(TRAFFIC_LINE)].to_owned(),
        bytes: line.len() as u64,
    });
}
