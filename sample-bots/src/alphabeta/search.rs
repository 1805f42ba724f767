//! Alpha-beta search: iterative deepening, principal variation search with reductions of late moves,
//! a table of positions, killer moves and a history of good ones.
//!
//! **Repetition.** A position that occurs again within the line that is searched counts as a draw at
//! once, although the rules ask for a third time: whoever could repeat once can do so twice. Of the
//! positions before the root, one must have occurred twice. A score that depends on a repetition of
//! a position above its own is not stored, because another way to the same position may not repeat
//! it. Only its best move is.
//!
//! **The limit of plies.** At the limit the match is a draw. A stored score whose search could have
//! seen the limit holds for this number of plies left only, and the number is part of its key. Any
//! other score is used only where it cannot reach the limit.

use std::time::Instant;

use super::limits::SearchLimits;
use super::position::{GameEnd, Move, PositionKey, SearchPosition};
use super::table::{Bound, TranspositionTable};

/// The score of a match that is won now. One that is won `n` plies later scores `n` less.
const WON: i32 = 30_000;

/// No evaluation is higher, and no proven win scores less.
const PROVEN: i32 = 29_000;

/// The maximum depth of an iteration.
const MAX_DEPTH: i32 = 100;

/// The most plies that urgent positions add to the depth: captures at FlipFlop.
const MAX_EXTENSION: i32 = 10;

/// The most plies from the root.
const MAX_LINE: usize = (MAX_DEPTH + MAX_EXTENSION) as usize + 1;

/// Nodes between two looks at the clock.
const NODES_PER_LOOK: u64 = 1024;

/// Says of a score that it does not depend on anything above.
const NOTHING: usize = usize::MAX;

/// What a search has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchResult {
    pub(super) best: Move,
    pub(super) score: i32,
    pub(super) nodes: u64,
    pub(super) depth: i32,
}

/// A position that has occurred, and how it was reached.
#[derive(Clone, Copy, Debug)]
struct Past {
    key: PositionKey,
    /// The first of the positions that can still recur.
    since: usize,
}

pub(super) struct Search<P> {
    table: TranspositionTable,
    limits: SearchLimits,
    deadline: Option<Instant>,
    nodes: u64,
    /// The number of nodes after which the clock is looked at again.
    next_look: u64,
    stopped: bool,
    /// The positions of the match and, after them, of the line that is searched.
    past: Vec<Past>,
    /// The number of positions of the match.
    root: usize,
    /// The plies left in the match at the root.
    left: u32,
    /// The place in `past` of the earliest position on whose recurrence the last score depends.
    relied: usize,
    killers: Vec<[Move; 2]>,
    history: [Vec<i32>; 2],
    /// The moves of all positions of the line, one after the other.
    moves: Vec<(i32, Move)>,
    positions: std::marker::PhantomData<P>,
}

impl<P: SearchPosition> Search<P> {
    pub(super) fn new(limits: SearchLimits) -> Self {
        Search {
            table: TranspositionTable::new(limits.table_bits()),
            limits,
            deadline: None,
            nodes: 0,
            next_look: 0,
            stopped: false,
            past: Vec::new(),
            root: 0,
            left: 0,
            relied: NOTHING,
            killers: vec![[Move::NONE; 2]; MAX_LINE + 1],
            history: [vec![0; Move::COUNT], vec![0; Move::COUNT]],
            moves: Vec::new(),
            positions: std::marker::PhantomData,
        }
    }

    /// Adds a position of the match. After an irreversible move none of the earlier ones can recur.
    pub(super) fn occurred(&mut self, position: &P, irreversible: bool) {
        let since = match self.past.last() {
            Some(last) if !irreversible => last.since,
            _ => self.past.len(),
        };
        let key = position.key();
        self.past.push(Past { key, since });
    }

    /// Forgets all positions of the match.
    pub(super) fn restart(&mut self) {
        self.past.clear();
    }

    /// Chooses one of the legal moves in the last position of the match, with so many plies left. The
    /// order of the moves decides between equals.
    pub(super) fn best(&mut self, position: &P, moves: &[Move], left: u32) -> SearchResult {
        self.deadline = self.limits.deadline();
        (self.nodes, self.next_look, self.stopped) = (0, 0, false);
        self.root = self.past.len();
        self.left = left;
        self.forget();
        let mut order = moves.to_vec();
        let mut found = SearchResult {
            best: order[0],
            score: 0,
            nodes: 0,
            depth: 0,
        };
        if moves.len() > 1 {
            for depth in 1..=self.limits.depth().min(MAX_DEPTH) {
                let Some((score, best)) = self.root(position, &mut order, depth) else {
                    break;
                };
                (found.score, found.best) = (score, best);
                if self.stopped {
                    break;
                }
                found.depth = depth;
                if score.abs() >= PROVEN || depth as u32 >= left {
                    break;
                }
            }
        }
        found.nodes = self.nodes;
        found
    }

    /// Lets go of what an earlier search has learned, as far as it misleads.
    fn forget(&mut self) {
        self.table.grow_older();
        let last = self.past.last().expect("the root has occurred");
        let recent = &self.past[last.since..];
        let recurs = |(at, past): (usize, &Past)| recent[..at].iter().any(|it| it.key == past.key);
        if recent.iter().enumerate().any(recurs) {
            // The next time is a draw, which stored scores know nothing of.
            self.table.clear();
        }
        self.killers.fill([Move::NONE; 2]);
        for history in &mut self.history {
            history.iter_mut().for_each(|worth| *worth /= 4);
        }
    }

    /// Searches the root. Returns nothing if not even the first move was finished. The best move
    /// comes first afterwards.
    fn root(&mut self, position: &P, order: &mut [Move], depth: i32) -> Option<(i32, Move)> {
        let mut best = None;
        let mut alpha = -WON;
        for at in 0..order.len() {
            let action = order[at];
            let (next, end) = position.play(action);
            let score = match best {
                None => self.after(position, action, (&next, end), (-WON, WON), depth - 1, 0),
                Some(_) => {
                    let window = (alpha, alpha + 1);
                    let score = self.after(position, action, (&next, end), window, depth - 1, 0);
                    if score > alpha && !self.stopped {
                        self.after(position, action, (&next, end), (alpha, WON), depth - 1, 0)
                    } else {
                        score
                    }
                }
            };
            if self.stopped {
                break;
            }
            if best.is_none() || score > alpha {
                alpha = score;
                best = Some((score, action));
                order[..=at].rotate_right(1);
            }
        }
        best
    }

    /// Returns the score of a move from `here`, `line` plies from the root.
    fn after(
        &mut self,
        here: &P,
        action: Move,
        (next, end): (&P, GameEnd),
        (alpha, beta): (i32, i32),
        depth: i32,
        line: usize,
    ) -> i32 {
        self.nodes += 1;
        self.relied = NOTHING;
        match end {
            GameEnd::Won => return WON - (line as i32 + 1),
            GameEnd::Lost => return -(WON - (line as i32 + 1)),
            GameEnd::Open => {}
        }
        self.occurred(next, here.is_irreversible(action));
        let score = -self.score(next, (-beta, -alpha), depth, line + 1);
        self.past.pop();
        score
    }

    /// Returns the place of the earlier position that makes the last one a draw.
    fn repeated(&self) -> Option<usize> {
        let now = self.past.len() - 1;
        let Past { key, since } = self.past[now];
        // The same seat moves every other ply, and no position recurs after two.
        let (mut at, mut back, mut seen) = (now, 4, 0);
        while at >= since + back {
            at -= back;
            back = 2;
            if self.past[at].key == key {
                seen += 1;
                if at + 1 >= self.root || seen == 2 {
                    return Some(at);
                }
            }
        }
        None
    }

    /// Returns the score of a position for the seat to move.
    fn score(&mut self, position: &P, window: (i32, i32), depth: i32, line: usize) -> i32 {
        if let Some(at) = self.repeated() {
            self.relied = at;
            return 0;
        }
        let left = self.left.saturating_sub(line as u32);
        if left == 0 {
            return 0;
        }
        let depth = match depth {
            0 if position.is_urgent() && line < MAX_LINE => 1,
            0 if position.wins_at_once() => return WON - (line as i32 + 1),
            0 => return position.evaluate(),
            depth => depth,
        };
        self.look_at_the_limits();
        if self.stopped {
            return 0;
        }
        self.search(position, window, depth, line, left)
    }

    fn look_at_the_limits(&mut self) {
        self.stopped |= self.nodes >= self.limits.nodes();
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + NODES_PER_LOOK;
            self.stopped |= self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline);
        }
    }

    /// Returns the move and the score that the table has for a position, if the score is of use.
    fn known(
        &self,
        key: (PositionKey, u8),
        (alpha, beta): (i32, i32),
        depth: i32,
        line: usize,
        left: u32,
    ) -> (Move, Option<i32>) {
        let Some(entry) = self.table.get(key.0, key.1) else {
            return (Move::NONE, None);
        };
        let searched = i32::from(entry.depth);
        let fits_the_limit = key.1 > 0 || limit_in_key(searched, left) == 0;
        let score = from_here(i32::from(entry.score), line);
        let holds = match entry.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        let is_known = searched >= depth && fits_the_limit && holds;
        (entry.best, is_known.then_some(score))
    }

    fn search(
        &mut self,
        position: &P,
        (mut alpha, beta): (i32, i32),
        depth: i32,
        line: usize,
        left: u32,
    ) -> i32 {
        let here = self.past.len() - 1;
        let key = (position.key(), limit_in_key(depth, left));
        let (hashed, known) = self.known(key, (alpha, beta), depth, line, left);
        if let Some(score) = known {
            self.relied = NOTHING;
            return score;
        }
        if position.wins_at_once() {
            self.relied = NOTHING;
            return WON - (line as i32 + 1);
        }
        let first = self.list(position, hashed, line);
        let low = alpha;
        let (mut best, mut best_move) = (-WON, Move::NONE);
        let mut relied = NOTHING;
        let mut tried = 0;
        while let Some(action) = self.pick(first + tried) {
            let (next, end) = position.play(action);
            let score = self.try_move(
                position,
                action,
                (&next, end),
                (alpha, beta),
                depth,
                (line, tried),
            );
            relied = relied.min(self.relied);
            if self.stopped {
                self.moves.truncate(first);
                return 0;
            }
            tried += 1;
            if score > best {
                (best, best_move) = (score, action);
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                self.praise(action, depth, line, here);
                break;
            }
        }
        self.moves.truncate(first);
        let bound = match best {
            _ if relied < here => Bound::None,
            best if best >= beta => Bound::Lower,
            best if best > low => Bound::Exact,
            _ => Bound::Upper,
        };
        self.relied = if relied < here { relied } else { NOTHING };
        self.table
            .put(key, depth, (bound, from_root(best, line)), best_move);
        best
    }

    /// Returns the score of one of the moves, searched as deep as its place in the order deserves.
    fn try_move(
        &mut self,
        position: &P,
        action: Move,
        next: (&P, GameEnd),
        (alpha, beta): (i32, i32),
        depth: i32,
        (line, tried): (usize, usize),
    ) -> i32 {
        if tried == 0 {
            return self.after(position, action, next, (alpha, beta), depth - 1, line);
        }
        let narrow = (alpha, alpha + 1);
        let less = reduction(depth, tried);
        let mut score = self.after(position, action, next, narrow, depth - 1 - less, line);
        let mut relied = self.relied;
        if score > alpha && less > 0 && !self.stopped {
            score = self.after(position, action, next, narrow, depth - 1, line);
            relied = relied.min(self.relied);
        }
        if score > alpha && score < beta && !self.stopped {
            score = self.after(position, action, next, (alpha, beta), depth - 1, line);
        }
        self.relied = relied.min(self.relied);
        score
    }

    /// Lists the moves of a position, with how soon each is tried. Returns where they begin.
    fn list(&mut self, position: &P, hashed: Move, line: usize) -> usize {
        const HASHED: i32 = 1 << 30;
        const KILLER: i32 = 1 << 28;
        const PROMISE: i32 = 1 << 10;
        let first = self.moves.len();
        let killers = self.killers[line];
        let history = &self.history[self.past.len() % 2];
        let moves = &mut self.moves;
        position.moves(|action, promise| {
            let order = if action == hashed {
                HASHED
            } else if action == killers[0] {
                KILLER + 1
            } else if action == killers[1] {
                KILLER
            } else {
                promise * PROMISE + history[action.index()]
            };
            moves.push((order, action));
        });
        first
    }

    /// Moves the best of the moves from a place on to this place, and returns it.
    fn pick(&mut self, place: usize) -> Option<Move> {
        let mut best = place;
        for at in place + 1..self.moves.len() {
            if self.moves[at].0 > self.moves[best].0 {
                best = at;
            }
        }
        if best >= self.moves.len() {
            return None;
        }
        self.moves.swap(place, best);
        Some(self.moves[place].1)
    }

    /// Remembers a move that was too good for the opponent to allow.
    fn praise(&mut self, action: Move, depth: i32, line: usize, here: usize) {
        const HIGHEST: i32 = 1 << 20;
        let killers = &mut self.killers[line];
        if killers[0] != action {
            *killers = [action, killers[0]];
        }
        let history = &mut self.history[(here + 1) % 2];
        history[action.index()] += depth * depth;
        if history[action.index()] > HIGHEST {
            history.iter_mut().for_each(|worth| *worth /= 2);
        }
    }
}

/// Returns what a table's key says about the limit of plies: how many are left if a search so deep could
/// see it, and otherwise 0.
fn limit_in_key(depth: i32, left: u32) -> u8 {
    let seen = (depth + MAX_EXTENSION) as u32;
    if seen >= left { left as u8 } else { 0 }
}

/// Returns by how much less deep a late move is searched at first.
fn reduction(depth: i32, tried: usize) -> i32 {
    if depth < 3 || tried < 4 {
        0
    } else if tried < 12 || depth < 5 {
        1
    } else {
        2
    }
}

/// A proven score counts the plies from the root; in the table it counts them from its position.
fn from_root(score: i32, line: usize) -> i32 {
    match score {
        score if score >= PROVEN => score + line as i32,
        score if score <= -PROVEN => score - line as i32,
        score => score,
    }
}

/// The reverse of [`from_root`].
fn from_here(score: i32, line: usize) -> i32 {
    match score {
        score if score >= PROVEN => score - line as i32,
        score if score <= -PROVEN => score + line as i32,
        score => score,
    }
}

#[cfg(test)]
mod tests {
    use flipside_games::chance::below;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::perfect::solution::{Position3, PositionValue, Solution};

    fn moves(position: &Position3) -> Vec<Move> {
        let mut moves = Vec::new();
        position.moves(|action, _| moves.push(action));
        moves
    }

    /// Plays at random from the start, and returns the positions of the match.
    fn random_match(rng: &mut ChaCha8Rng) -> Vec<Position3> {
        let rows = ["rrr", "...", "RRR"].map(String::from);
        let mut positions = vec![Position3::read(&rows, [0; 2], 0).expect("a board")];
        loop {
            let position = positions[positions.len() - 1];
            let moves = moves(&position);
            let action = moves[below(rng, moves.len() as u32) as usize];
            match position.play(action) {
                (next, GameEnd::Open) => positions.push(next),
                _ => return positions,
            }
        }
    }

    fn to(depth: u32) -> SearchLimits {
        SearchLimits {
            depth: Some(depth),
            ..SearchLimits::default()
        }
    }

    /// One search looks at all positions of many matches, with many numbers of plies left, so that what
    /// it remembers of one could harm another.
    #[test]
    fn what_is_proven_is_true_with_any_number_of_plies_left() {
        let solution = Solution::of_the_game();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut search = Search::new(to(8));
        let (mut won, mut lost, mut draws) = (0, 0, 0);
        for _ in 0..200 {
            for position in random_match(&mut rng) {
                let left = 1 + below(&mut rng, 12);
                search.restart();
                search.occurred(&position, true);
                let score = search.best(&position, &moves(&position), left).score;
                let plies = (WON - score.abs()) as u32;
                match solution.value(&position).expect("reachable") {
                    PositionValue::Won(fewest) if score >= PROVEN => {
                        assert!(u32::from(fewest) <= plies && plies <= left, "{score}");
                        won += 1;
                    }
                    // The winner's way may be longer than the shortest, because late moves are searched
                    // less deep.
                    PositionValue::Lost(most) if score <= -PROVEN => {
                        assert!(u32::from(most) <= plies && plies <= left, "{score}");
                        lost += 1;
                    }
                    // The limit comes first, and the search is deep enough to see it.
                    PositionValue::Won(plies) | PositionValue::Lost(plies)
                        if u32::from(plies) > left =>
                    {
                        assert!(score.abs() < PROVEN, "{score} with {left} left");
                        draws += i32::from(left <= 8 && score == 0);
                    }
                    _ => assert!(score.abs() < PROVEN, "{score}"),
                }
            }
        }
        assert!(won > 200 && lost > 50 && draws > 50, "{won} {lost} {draws}");
    }

    /// A side that loses by force returns to a position that has occurred twice.
    #[test]
    fn the_third_time_is_a_draw() {
        let solution = Solution::of_the_game();
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut saved = 0;
        for _ in 0..50 {
            let positions = random_match(&mut rng);
            let others = [(); 10].map(|()| random_match(&mut rng)).concat();
            let Some(position) = positions
                .iter()
                .find(|it| matches!(solution.value(it), Some(PositionValue::Lost(2..=6))))
            else {
                continue;
            };
            let moves = moves(position);
            let returns = |action: &&Move| {
                !position.is_irreversible(**action) && position.play(**action).1 == GameEnd::Open
            };
            let Some(&back) = moves.iter().find(returns) else {
                continue;
            };
            let (before, _) = position.play(back);
            // What else has occurred has occurred once.
            let mut seen = std::collections::HashSet::from([before.key(), position.key()]);
            let mut fillers = others.iter().filter(|it| seen.insert(it.key()));
            let [once, twice] = [false, true].map(|twice| {
                let mut search = Search::new(to(8));
                for place in 0..8 {
                    let occurs = place == 1 || (place == 5 && twice);
                    let other = fillers.next().expect("ten matches are long enough");
                    search.occurred(if occurs { &before } else { other }, false);
                }
                search.occurred(position, false);
                let found = search.best(position, &moves, 100);
                (found.score, found.best == back)
            });
            // Reductions may hide the loss at this depth.
            if once.0 <= -PROVEN {
                assert_eq!(twice, (0, true));
                saved += 1;
            }
        }
        assert!(saved > 10, "{saved}");
    }

    #[test]
    fn nodes_are_a_limit() {
        let rows = ["rrr", "...", "RRR"].map(String::from);
        let start = Position3::read(&rows, [0; 2], 0).expect("a board");
        for nodes in [1, 10, 1000] {
            let mut search = Search::new(SearchLimits {
                nodes: Some(nodes),
                ..SearchLimits::default()
            });
            search.occurred(&start, true);
            let found = search.best(&start, &moves(&start), 200);
            // The moves of one position are tried before the limit is looked at again.
            assert!(found.nodes <= u64::from(nodes) + 20, "{found:?}");
        }
    }
}
