//! Expectimax for Puissance 4 Flip: the sides launch in turn, each where it is best for it, and a
//! token lands as the launch model says.
//!
//! Many aims lead to the same cell. So a position looks at each landing cell once, and an aim is the
//! average over its landings. Ticks are left out: in the simultaneous games too, the search lets the
//! sides launch in turn, after the tokens in the air have landed. It takes a token of the other side,
//! whose aim is hidden, to be aimed where that side would aim that looks one turn ahead. Only the
//! bot's own launches have powers.

mod board;

use flipside_bot::{Error, MatchContext, SessionPlayer, view};
use flipside_games::chance::shuffle;
use flipside_games::puissance4::{Aim, Does, Launches, TrayKind};
use flipside_games::{Event, Game};
use flipside_protocol::{Hello, Turn as Question};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use self::board::{Board, BoardLines, Cleared, PLACES, place, touch};

/// How many landings of each aim are sampled.
const SAMPLES: u32 = 1000;

/// The seed of these samples: the odds are the same in every match.
const SAMPLES_SEED: u64 = 1;

/// How many tokens in the air the search lets land before the bot's own: each multiplies the time.
/// With the default model there is rarely a second one.
const MAX_IN_THE_AIR: usize = 1;

/// Where a token lands that is aimed at a cell: the cells and how likely each is.
type Odds = Vec<(usize, f64)>;

/// Begins a match.
pub(super) fn begin<G: Launches>(
    turns: u32,
    hello: &Hello,
) -> Result<Box<dyn SessionPlayer>, Error> {
    let bot = MatchContext::<G>::of(hello)?;
    let table = bot.start()?;
    Ok(Box::new(Puissance4Player {
        bot,
        lines: BoardLines::of(table.size().into()),
        cells: cells(table.size().into()).map(place).collect(),
        odds: [0, 1].map(|side| odds(&table, side)),
        turns,
    }))
}

/// Returns the cells of both trays.
fn cells(size: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..2).flat_map(move |tray| {
        (0..size).flat_map(move |file| (0..size).map(move |rank| [tray, file, rank]))
    })
}

/// Samples where the tokens of a side land, by aim.
fn odds<G: Launches>(table: &G, side: u8) -> Vec<Odds> {
    let mut rng = ChaCha8Rng::seed_from_u64(SAMPLES_SEED);
    let mut all = vec![Odds::new(); PLACES];
    for aim in cells(table.size().into()) {
        let mut counts = [0_u32; PLACES];
        for _ in 0..SAMPLES {
            if let Some(cell) = table.sample_landing(side, aim, &mut rng) {
                counts[place(cell)] += 1;
            }
        }
        let landings = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        all[place(aim)] = landings
            .map(|(at, &count)| (at, f64::from(count) / f64::from(SAMPLES)))
            .collect();
    }
    all
}

/// The bot in a match.
struct Puissance4Player<G: Game> {
    bot: MatchContext<G>,
    turns: u32,
    lines: BoardLines,
    /// The cells of both trays.
    cells: Vec<usize>,
    /// By side and aim.
    odds: [Vec<Odds>; 2],
}

impl<G: Launches> SessionPlayer for Puissance4Player<G> {
    fn choose(&mut self, turn: &Question, action: &mut String) -> Result<(), Error> {
        let state = self.bot.state(&view::<G>(turn)?)?;
        let mut actions = self.bot.actions(&state)?;
        let chosen = self.best(&state, &mut actions);
        state.write_action(chosen, action);
        Ok(())
    }
}

impl<G: Launches> Puissance4Player<G> {
    fn best(&mut self, state: &G, actions: &mut [G::Action]) -> G::Action {
        shuffle(&mut self.bot.rng, actions);
        let seat = self.bot.seat;
        let side = usize::from(state.side(seat));
        let sign = [1.0, -1.0][side];
        let board = Board::new(&self.lines, &state.control(), G::TOPMOST, gains::<G>(state));
        let mut best = (f64::MIN, actions[0]);
        let search = Puissance4Search {
            odds: &self.odds,
            cells: &self.cells,
        };
        // What the basic launches lead to, by landing cell; last a miss.
        let air = state.aims().take(MAX_IN_THE_AIR).collect();
        let basic = search.after_landings(&board, side, air, self.turns - 1);
        let mut powers: [Option<Vec<f64>>; 5] = Default::default();
        for &action in actions.iter() {
            let value = match G::does(action) {
                Does::Launch(spot, kind) => {
                    let after = match kind {
                        TrayKind::Basic => &basic,
                        _ => powers[kind as usize].get_or_insert_with(|| {
                            search.after_powers(&board, side, kind, self.turns - 1, basic[PLACES])
                        }),
                    };
                    search.expected(&self.odds[side][place(spot.place())], after)
                }
                Does::Nothing => basic[PLACES],
                Does::Clears => {
                    let mut next = state.clone();
                    next.apply(Event::Acts(&[(seat, action)]));
                    let mut board =
                        Board::new(&self.lines, &next.control(), G::TOPMOST, gains::<G>(state));
                    search.value(&mut board, 1 - side, self.turns - 1)
                }
            };
            if sign * value > best.0 {
                best = (sign * value, action);
            }
        }
        best.1
    }
}

/// Returns the value that is best for a side.
fn best_of(side: usize, values: impl IntoIterator<Item = f64>) -> f64 {
    let best = match side {
        0 => values.into_iter().reduce(f64::max),
        _ => values.into_iter().reduce(f64::min),
    };
    best.expect("a power has something to choose")
}

/// Returns what a line of each side is worth in each tray: how much it raises the chance to win.
fn gains<G: Launches>(state: &G) -> [[f64; 2]; 2] {
    let standing = state.standing();
    let now = wins::<G>(standing);
    let gain = |side: usize, points: u8| {
        let mut after = standing;
        after[side] += points;
        (wins::<G>(after) - now).abs()
    };
    [0, 1].map(|side| [gain(side, G::TOP), gain(side, 1)])
}

/// Returns how likely side 0 wins from these points, if each side scores the next line as likely,
/// and in each tray as likely.
fn wins<G: Launches>([own, other]: [u8; 2]) -> f64 {
    if own >= G::TARGET {
        return 1.0;
    }
    if other >= G::TARGET {
        return 0.0;
    }
    let sum: f64 = [G::TOP, 1]
        .into_iter()
        .map(|points| wins::<G>([own + points, other]) + wins::<G>([own, other + points]))
        .sum();
    sum / 4.0
}

/// Looks ahead over launches and landings.
struct Puissance4Search<'a> {
    odds: &'a [Vec<Odds>; 2],
    cells: &'a [usize],
}

impl Puissance4Search<'_> {
    /// Averages over the landings of an aim; the last value is that of a miss.
    fn expected(&self, odds: &Odds, after: &[f64]) -> f64 {
        let miss = after[PLACES];
        odds.iter()
            .fold(miss, |sum, &(at, likely)| sum + likely * (after[at] - miss))
    }

    /// Returns what each landing of a side leads to, and last a miss, after the tokens in the air
    /// have landed.
    fn after_landings(
        &self,
        board: &Board<'_>,
        side: usize,
        mut air: Vec<Aim>,
        turns: u32,
    ) -> Vec<f64> {
        let mut values = vec![0.0; PLACES + 1];
        let Some((flying, cell)) = air.pop() else {
            let mut board = board.clone();
            values[PLACES] = self.value(&mut board, 1 - side, turns);
            for &at in self.cells {
                let before = board.land(at, side);
                values[at] = self.value(&mut board, 1 - side, turns);
                board.set(at, before);
            }
            return values;
        };
        let flying = usize::from(flying);
        let aim = if flying == side {
            place(cell)
        } else {
            self.best_aim(board, flying)
        };
        let mut missed = 1.0;
        let mut add = |board: &Board<'_>, likely: f64| {
            let after = self.after_landings(board, side, air.clone(), turns);
            for (sum, value) in values.iter_mut().zip(after) {
                *sum += likely * value;
            }
        };
        for &(at, likely) in &self.odds[flying][aim] {
            let mut landed = board.clone();
            landed.land(at, flying);
            add(&landed, likely);
            missed -= likely;
        }
        add(board, missed);
        values
    }

    /// Returns what each landing of a token with a power leads to, and last a miss, whose value is
    /// given.
    fn after_powers(
        &self,
        board: &Board<'_>,
        side: usize,
        kind: TrayKind,
        turns: u32,
        missed: f64,
    ) -> Vec<f64> {
        let mut values = vec![missed; PLACES + 1];
        for &at in self.cells {
            let mut landed = board.clone();
            landed.land(at, side);
            let cleared = |cleared: Cleared| {
                let mut board = landed.clone();
                board.clear(at, cleared);
                self.value(&mut board, 1 - side, turns)
            };
            values[at] = match kind {
                TrayKind::Basic => self.value(&mut landed, 1 - side, turns),
                TrayKind::Double => self.value(&mut landed, side, turns),
                TrayKind::Bomb => cleared(Cleared::Beside),
                TrayKind::Line => best_of(side, [Cleared::Row, Cleared::Column].map(cleared)),
                TrayKind::Cell => {
                    let beside = self.cells.iter().filter(|&&other| touch(at, other));
                    best_of(side, beside.map(|&cell| cleared(Cleared::Cell(cell))))
                }
            };
        }
        values
    }

    /// Returns the values right after each landing of a side, and last that of a miss.
    fn values_after(&self, board: &Board<'_>, side: usize) -> [f64; PLACES + 1] {
        let mut values = [0.0; PLACES + 1];
        values[PLACES] = board.value();
        for &at in self.cells {
            values[at] = board.value_after(at, side);
        }
        values
    }

    /// Returns the aims of a side in no order, each with what it expects.
    fn aims(&self, side: usize, after: &[f64; PLACES + 1]) -> impl Iterator<Item = (f64, usize)> {
        let sign = [1.0, -1.0][side];
        self.cells
            .iter()
            .map(move |&aim| (sign * self.expected(&self.odds[side][aim], after), aim))
    }

    /// Returns where a side aims that looks one turn ahead.
    fn best_aim(&self, board: &Board<'_>, side: usize) -> usize {
        let after = self.values_after(board, side);
        let best = self
            .aims(side, &after)
            .max_by(|one, other| one.0.total_cmp(&other.0));
        best.expect("a tray has cells").1
    }

    /// Returns what the round is worth to side 0 if a side launches next, and so many launches are
    /// looked at.
    fn value(&self, board: &mut Board<'_>, side: usize, turns: u32) -> f64 {
        for side in [1 - side, side] {
            if let Some(value) = board.ended_by(side) {
                return value;
            }
        }
        if turns == 0 {
            return board.value();
        }
        let sign = [1.0, -1.0][side];
        let after = self.values_after(board, side);
        if turns == 1 {
            let values = self.aims(side, &after).map(|(value, _)| value);
            return sign * values.fold(f64::MIN, f64::max);
        }
        /// How many aims are followed.
        const KEPT: usize = 3;
        let mut aims: Vec<_> = self.aims(side, &after).collect();
        aims.sort_by(|one, other| other.0.total_cmp(&one.0));
        aims.truncate(KEPT);
        let mut known = [None; PLACES + 1];
        let mut best = f64::MIN;
        for (_, aim) in aims {
            let mut follow = |at: usize, board: &mut Board<'_>| {
                *known[at].get_or_insert_with(|| {
                    if at == PLACES {
                        return self.value(board, 1 - side, turns - 1);
                    }
                    let before = board.land(at, side);
                    let value = self.value(board, 1 - side, turns - 1);
                    board.set(at, before);
                    value
                })
            };
            let miss = follow(PLACES, board);
            let mut sum = miss;
            for &(at, likely) in &self.odds[side][aim] {
                sum += likely * (follow(at, board) - miss);
            }
            best = best.max(sign * sum);
        }
        sign * best
    }
}
