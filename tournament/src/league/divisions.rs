//! Who plays in which division.

use std::hash::Hash;

use std::collections::HashSet;

/// The fewest bots of a division; a smaller last one is merged with the one above.
pub const MIN_DIVISION: usize = 2;

/// The divisions of a season, from the highest.
///
/// `last` has the divisions of the season before in the order of their total tables. `entrants` are all bots of the new
/// season, in the order in which they entered. The first `moves` of each division change places with the last `moves`
/// of the division above, of small divisions at most the half. Bots that were not there before come after all others.
/// Places that are left free are filled from below. Each division but the last gets `places` bots.
///
/// Each entrant is in one division, once.
pub fn divide<T: Clone + Eq + Hash>(
    last: &[Vec<T>],
    entrants: &[T],
    divisions: usize,
    places: usize,
    moves: usize,
) -> Vec<Vec<T>> {
    let mut open: HashSet<&T> = entrants.iter().collect();
    let before = moved(last, moves);
    let known = before.iter().flatten();
    let mut order: Vec<T> = known.filter(|bot| open.remove(bot)).cloned().collect();
    order.extend(entrants.iter().filter(|bot| open.remove(bot)).cloned());
    let mut divided: Vec<Vec<T>> = Vec::new();
    let mut rest = order.into_iter();
    for _ in 1..divisions {
        divided.push(rest.by_ref().take(places.max(1)).collect());
    }
    divided.push(rest.collect());
    divided.retain(|division| !division.is_empty());
    if let [.., _, lowest] = &divided[..]
        && lowest.len() < MIN_DIVISION
    {
        let lowest = divided.pop().unwrap_or_default();
        if let Some(above) = divided.last_mut() {
            above.extend(lowest);
        }
    }
    divided
}

/// The divisions after the moves: who comes from above, who stays, who comes from below.
fn moved<T: Clone>(last: &[Vec<T>], moves: usize) -> Vec<Vec<T>> {
    // Between a division and the next.
    let moves: Vec<usize> = last
        .windows(2)
        .map(|two| moves.min(two[0].len() / 2).min(two[1].len() / 2))
        .collect();
    let one = |at: usize| {
        let up = at.checked_sub(1).map_or(0, |above| moves[above]);
        let down = moves.get(at).copied().unwrap_or(0);
        let from_above = at
            .checked_sub(1)
            .map_or(&[][..], |above| &last[above][last[above].len() - up..]);
        let stay = &last[at][up..last[at].len() - down];
        let from_below = last.get(at + 1).map_or(&[][..], |below| &below[..down]);
        [from_above, stay, from_below].concat()
    };
    (0..last.len()).map(one).collect()
}
