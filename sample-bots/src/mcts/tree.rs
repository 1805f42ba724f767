//! A tree of what playouts have taught: UCT (Kocsis and Szepesvári, 2006) for any number of seats,
//! each choosing for itself (max^n); seats that choose at once choose apart from each other
//! (decoupled UCT). What the seat does not see is dealt anew for every playout, over one tree
//! (information set MCTS, Cowling, Powley and Whitehouse, 2012). Where nothing is left to chance,
//! positions whose result is proven are settled (MCTS-Solver, Winands, Björnsson and Saito, 2008).

use std::collections::BTreeMap;

use flipside_bot::evaluation::{
    Evaluator, ExpectedScores, Mobility, expected, judged, look, settled,
};
use flipside_games::chance::{below, one_of};
use flipside_games::{Event, Game, MAX_SEATS, Seat, SeatTurn, Viewer};
use rand::rngs::ChaCha8Rng;

/// How many steps a playout goes beyond the tree before the table is judged as it is.
pub const PLAYOUT_STEPS: u32 = 30;

/// As [`PLAYOUT_STEPS`], for games whose board can be judged: there random steps only blur the
/// picture. Against `greedy` at FlipFour 2 steps won 9 matches of 10, and 10 steps 2 of 10.
pub const APPRAISED_STEPS: u32 = 2;

/// How much the search prefers what it knows little of; found by trying, at FlipFour and FlipFlop.
const EXPLORATION: f64 = 0.25;

/// The most steps of a playout within the tree.
const DEEPEST: usize = 200;

/// Chooses one of a seat's actions by so many playouts.
pub(super) fn choose<G: Game>(
    state: &G,
    seat: Seat,
    actions: &[G::Action],
    playouts: u32,
    rng: &mut ChaCha8Rng,
) -> G::Action {
    let mut tree = SearchTree::new(state);
    if let Some((win, _)) = tree.wins.at_hand(state) {
        return win;
    }
    let mut deal = state.clone();
    for _ in 0..playouts {
        if G::INFO.secrets {
            deal = state.redeal(Viewer::Seat(seat), rng);
        } else {
            deal.clone_from(state);
        }
        tree.grow(&mut deal, rng);
        if tree.nodes[ROOT].settled.is_some() {
            break;
        }
    }
    tree.best(seat).unwrap_or(actions[0])
}

/// The place of a node in its tree.
type At = usize;

const ROOT: At = 0;

/// What has been learned by playouts from one state.
struct SearchTree<G: Game> {
    nodes: Vec<TreeNode<G::Action>>,
    /// The choices of the present playout within the tree.
    path: Vec<(At, Seat, usize)>,
    actions: Vec<G::Action>,
    acts: Vec<(Seat, G::Action)>,
    wins: Wins<G>,
}

/// A point that matches pass through: the same steps of the seats have led to it, and the same
/// draws as far as they are told apart.
struct TreeNode<A> {
    /// By seat, in the order of the actions.
    arms: [Vec<Arm<A>>; MAX_SEATS],
    next: BTreeMap<TreeStep, At>,
    /// What all may expect here for certain.
    settled: Option<ExpectedScores>,
}

/// What leads from a node to the next: the numbers of the arms by seat, or the hash of a draw.
type TreeStep = u128;

/// An action at a node.
struct Arm<A> {
    action: A,
    /// Its number within the node and seat, by order of arrival.
    number: u16,
    visits: u32,
    /// How often it could have been taken.
    chances: u32,
    /// The sum of what the seat could expect after it.
    payoff: f64,
    /// What the seat may expect after it for certain.
    settled: Option<f64>,
}

impl<A> Arm<A> {
    /// What the seat may expect after it, as far as one can tell.
    fn mean(&self) -> f64 {
        self.settled
            .unwrap_or(self.payoff / f64::from(self.visits.max(1)))
    }

    /// How much the arm may be worth at most, with the polynomial bound of Shah, Xie and Xu
    /// ("Non-asymptotic analysis of Monte Carlo tree search", 2020); endless if it has never been
    /// tried, and less than any other if there is nothing left to learn.
    fn bound(&self) -> f64 {
        if self.settled.is_some() {
            return -1.0;
        }
        if self.visits == 0 {
            return f64::INFINITY;
        }
        let visits = f64::from(self.visits);
        self.payoff / visits + EXPLORATION * (f64::from(self.chances).sqrt() / visits).sqrt()
    }
}

impl<A> TreeNode<A> {
    fn new() -> Self {
        TreeNode {
            arms: Default::default(),
            next: BTreeMap::new(),
            settled: None,
        }
    }
}

impl<G: Game> SearchTree<G> {
    /// Whether the same steps always lead to the same state, so that results can be proven.
    const CERTAIN: bool = !(G::INFO.secrets || G::INFO.chance || G::INFO.simultaneous);

    fn new(state: &G) -> Self {
        SearchTree {
            nodes: vec![TreeNode::new()],
            path: Vec::new(),
            actions: Vec::new(),
            acts: Vec::new(),
            wins: Wins {
                after: state.clone(),
                actions: Vec::new(),
            },
        }
    }

    /// Makes one playout from a state at the root, and adds a node to the tree.
    fn grow(&mut self, state: &mut G, rng: &mut ChaCha8Rng) {
        self.path.clear();
        let mut mobility = Mobility::default();
        let mut at = ROOT;
        let mut new = false;
        let prospects = loop {
            match state.turn() {
                SeatTurn::Over(outcome) => {
                    let prospects = settled(state, &outcome.points);
                    if Self::CERTAIN {
                        self.nodes[at].settled = Some(prospects);
                    }
                    break prospects;
                }
                _ if new => {
                    if let Some((_, prospects)) = self.wins.at_hand(state) {
                        if Self::CERTAIN {
                            self.nodes[at].settled = Some(prospects);
                        }
                        break prospects;
                    }
                    break self.play_out(state, mobility, rng);
                }
                _ if self.path.len() >= DEEPEST => break judged(state, &mobility),
                SeatTurn::Chance => {
                    let draw = state.sample(rng);
                    // Draws that all can see lead to places of their own. Where there are secrets
                    // a draw may be one: then what follows is averaged over the draws.
                    if !G::INFO.secrets {
                        at = self.next(at, step_of_chance(state, &draw)).0;
                    }
                    state.apply(Event::Chance(&draw));
                }
                SeatTurn::Seats(seats) => {
                    self.acts.clear();
                    let mut step = 0;
                    for seat in seats {
                        let chosen = self.choose(at, state, seat, &mut mobility, rng);
                        let arm = &self.nodes[at].arms[usize::from(seat)][chosen];
                        self.acts.push((seat, arm.action));
                        self.path.push((at, seat, chosen));
                        step = step << 20 | step_of(seat, arm.number);
                    }
                    state.apply(Event::Acts(&self.acts));
                    (at, new) = self.next(at, step);
                }
            }
        };
        self.learn(at, &prospects);
    }

    /// The node that a step leads to, and whether it is new.
    fn next(&mut self, at: At, step: TreeStep) -> (At, bool) {
        let count = self.nodes.len();
        let next = *self.nodes[at].next.entry(step).or_insert(count);
        if next == count {
            self.nodes.push(TreeNode::new());
        }
        (next, next == count)
    }

    /// Chooses an arm for a seat: one that has never been tried, or else the one with the highest
    /// upper bound on what it may be worth.
    fn choose(
        &mut self,
        at: At,
        state: &G,
        seat: Seat,
        mobility: &mut Mobility,
        rng: &mut ChaCha8Rng,
    ) -> usize {
        let arms = &mut self.nodes[at].arms[usize::from(seat)];
        // Without secrets a node always offers the same actions.
        let known = !G::INFO.secrets && !arms.is_empty();
        if !known {
            state.actions(seat, &mut self.actions);
            add_missing(arms, &self.actions);
        }
        let mut offered = self.actions.iter().peekable();
        let mut best = (f64::MIN, 0);
        let mut ties = 0;
        let mut count = 0;
        for (place, arm) in arms.iter_mut().enumerate() {
            if !known && offered.next_if(|&&action| action == arm.action).is_none() {
                continue;
            }
            count += 1;
            arm.chances += 1;
            let bound = arm.bound();
            if bound > best.0 {
                best = (bound, place);
                ties = 1;
            } else if bound == best.0 {
                ties += 1;
                if below(rng, ties) == 0 {
                    best.1 = place;
                }
            }
        }
        mobility.note(seat, count);
        best.1
    }

    /// Plays on at random, and tells what may be expected at the end or when the steps are used up.
    fn play_out(
        &mut self,
        state: &mut G,
        mut mobility: Mobility,
        rng: &mut ChaCha8Rng,
    ) -> ExpectedScores {
        let steps = match look::<G>() {
            Evaluator::Board | Evaluator::Scores { .. } => APPRAISED_STEPS,
            Evaluator::Mobility => PLAYOUT_STEPS,
        };
        for _ in 0..steps {
            match state.turn() {
                SeatTurn::Over(outcome) => return settled(state, &outcome.points),
                SeatTurn::Chance => {
                    let draw = state.sample(rng);
                    state.apply(Event::Chance(&draw));
                }
                SeatTurn::Seats(seats) => {
                    self.acts.clear();
                    for seat in seats {
                        state.actions(seat, &mut self.actions);
                        mobility.note(seat, self.actions.len());
                        self.acts.push((seat, *one_of(rng, &self.actions)));
                    }
                    state.apply(Event::Acts(&self.acts));
                }
            }
        }
        expected(state, &mobility)
    }

    /// Takes what came of a playout back along its path, which has led to the node `end`.
    fn learn(&mut self, end: At, prospects: &ExpectedScores) {
        let mut after = end;
        for step in (0..self.path.len()).rev() {
            let (at, seat, chosen) = self.path[step];
            let proven = self.nodes[after].settled;
            let arm = &mut self.nodes[at].arms[usize::from(seat)][chosen];
            arm.visits += 1;
            arm.payoff += prospects[usize::from(seat)];
            if let Some(proven) = proven {
                arm.settled = Some(proven[usize::from(seat)]);
                self.settle(at, seat);
            }
            after = at;
        }
    }

    /// Settles a node, where one seat chooses, if one of its arms is known to win or all of them
    /// are known.
    fn settle(&mut self, at: At, seat: Seat) {
        let TreeNode { arms, next, .. } = &self.nodes[at];
        let arms = &arms[usize::from(seat)];
        let known = arms.iter().filter(|arm| arm.settled.is_some());
        let Some(best) = known
            .clone()
            .max_by(|arm, other| arm.mean().total_cmp(&other.mean()))
        else {
            return;
        };
        if best.mean() >= 1.0 || known.count() == arms.len() {
            let after = next[&step_of(seat, best.number)];
            self.nodes[at].settled = self.nodes[after].settled;
        }
    }

    /// The action that a seat should take at the root: the one that has been tried most often, if
    /// nothing that is proven is better.
    fn best(&self, seat: Seat) -> Option<G::Action> {
        let arms = &self.nodes[ROOT].arms[usize::from(seat)];
        let by_mean =
            |arm: &&Arm<G::Action>, other: &&Arm<G::Action>| arm.mean().total_cmp(&other.mean());
        let proven = arms
            .iter()
            .filter(|arm| arm.settled.is_some())
            .max_by(by_mean);
        let open = arms
            .iter()
            .filter(|arm| arm.settled.is_none() && arm.visits > 0)
            .max_by(|arm, other| arm.visits.cmp(&other.visits).then(by_mean(arm, other)));
        let best = match (proven, open) {
            (Some(proven), Some(open)) if proven.mean() > open.mean() => Some(proven),
            (proven, open) => open.or(proven),
        };
        best.map(|arm| arm.action)
    }
}

/// Tries actions without following them up.
struct Wins<G: Game> {
    after: G,
    actions: Vec<G::Action>,
}

impl<G: Game> Wins<G> {
    /// An action of the only seat that is asked with which it wins for certain, and what it
    /// leaves to all.
    fn at_hand(&mut self, state: &G) -> Option<(G::Action, ExpectedScores)> {
        let seat = match state.turn() {
            SeatTurn::Seats(seats) if seats.len() == 1 && !G::INFO.secrets => seats.lowest()?,
            _ => return None,
        };
        state.actions(seat, &mut self.actions);
        self.actions.iter().find_map(|&action| {
            self.after.clone_from(state);
            self.after.apply(Event::Acts(&[(seat, action)]));
            let SeatTurn::Over(outcome) = self.after.turn() else {
                return None;
            };
            let prospects = settled(&self.after, &outcome.points);
            (prospects[usize::from(seat)] >= 1.0).then_some((action, prospects))
        })
    }
}

/// A seat's part of a step.
fn step_of(seat: Seat, number: u16) -> TreeStep {
    TreeStep::from(seat) << 16 | TreeStep::from(number)
}

/// The step of a draw: a hash of its JSON (FNV-1a), apart from all steps of seats.
fn step_of_chance<G: Game>(state: &G, draw: &G::Chance) -> TreeStep {
    let mut json = Vec::new();
    state.write_chance(draw, &mut json);
    let hash = json.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    1 << 127 | TreeStep::from(hash)
}

/// Puts the actions among the arms that are not there yet; both are in order.
fn add_missing<A: Copy + Ord>(arms: &mut Vec<Arm<A>>, actions: &[A]) {
    let mut place = 0;
    for &action in actions {
        while arms.get(place).is_some_and(|arm| arm.action < action) {
            place += 1;
        }
        if arms.get(place).is_none_or(|arm| arm.action != action) {
            let number = arms.len() as u16;
            arms.insert(
                place,
                Arm {
                    action,
                    number,
                    visits: 0,
                    chances: 0,
                    payoff: 0.0,
                    settled: None,
                },
            );
        }
    }
}
