//! A program that is listened to while it is asked: the last lines both ways stand with what a step finds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

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
}

struct WatchedLink {
    link: Box<dyn GameLink>,
    said: Arc<Mutex<VecDeque<TrafficLine>>>,
}

impl WatchedHost {
    pub(super) fn new(host: impl GameHost + 'static) -> Self {
        WatchedHost {
            host: Arc::new(host),
            said: Arc::default(),
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
        Ok(Box::new(WatchedLink { link, said }))
    }
}

impl GameLink for WatchedLink {
    fn exchange(&mut self, request: &str) -> Result<&str, String> {
        keep(&self.said, request, false);
        let answer = self.link.exchange(request)?;
        keep(&self.said, answer, true);
        Ok(answer)
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
