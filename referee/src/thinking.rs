//! How many bots of a match think at the same time.

use flipside_games::Info;

/// The most bots that think at the same time in a match of `seats`, of which so many are `processes` and the others
/// modules. In turn, that is one. Where several are asked at once, it is all processes; modules compute
/// on the thread of the match, when every process has answered. Where processes may `ponder`, it is all of
/// them, and beside them a module whose turn it is. What bots need to start is not counted.
///
/// ```
/// use flipside_referee::thinking_at_once;
///
/// let launches = flipside_games::find("puissance4-basic").expect("built in").info();
/// assert_eq!(thinking_at_once(launches, 4, 3, false), 3);
/// let turns = flipside_games::find("flipfour").expect("built in").info();
/// assert_eq!(thinking_at_once(turns, 2, 2, false), 1);
/// assert_eq!(thinking_at_once(turns, 2, 2, true), 2);
/// ```
pub fn thinking_at_once(game: &Info, seats: u8, processes: u8, ponder: bool) -> u8 {
    let processes = processes.min(seats);
    match ponder {
        true => processes + u8::from(processes < seats),
        false if game.simultaneous => processes.max(1),
        false => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flipside_games::GAMES;

    #[test]
    fn it_is_at_least_one_and_at_most_all_and_more_with_more_processes_and_pondering() {
        for game in GAMES {
            let game = game.info();
            for &seats in game.seats {
                let by = |processes, ponder| thinking_at_once(game, seats, processes, ponder);
                for processes in 0..=seats {
                    assert!((1..=seats).contains(&by(processes, true)));
                    assert!(
                        by(processes, false) >= 1 && by(processes, false) <= by(processes, true)
                    );
                    let more = processes + 1;
                    assert!(
                        [false, true]
                            .iter()
                            .all(|&on| by(more, on) >= by(processes, on))
                    );
                }
                // Modules alone are on one thread.
                assert_eq!((by(0, false), by(0, true)), (1, 1));
                assert_eq!(by(seats, true), seats);
                assert_eq!(by(seats, false), if game.simultaneous { seats } else { 1 });
            }
        }
    }
}
