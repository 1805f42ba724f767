//! What every format promises, with results that are drawn from strengths instead of played.

use std::collections::{HashMap, HashSet};

use flipside_ratings::{Estimate, Fit, SCALE};
use flipside_referee::MatchResult;
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::change::Change;
use crate::director::{Director, Next, Total};
use crate::formats::Format;
use crate::formats::double_elimination::DoubleElimination;
use crate::formats::gauntlet::Gauntlet;
use crate::formats::knockout::Knockout;
use crate::formats::ladder::Ladder;
use crate::formats::rules::{Rounds, Seeding, TableOrder};
use crate::formats::swiss::{most_swiss_rounds, swiss_rounds};
use crate::schedule::Pairing;
use crate::scored_pairing::ScoredPairing;
use crate::settings::Settings;
use crate::testing::{partners, settings};

fn format(name: &str) -> Format {
    name.parse().expect("a format's name")
}

fn of(format: Format, seats: u8, rounds: u32) -> Settings {
    Settings {
        game: "phase10-flip".into(),
        format,
        seats,
        ..settings(rounds)
    }
}

/// The same of a game in which every second seat is on the same side.
fn in_teams(format: Format, seats: u8, rounds: u32) -> Settings {
    Settings {
        game: "puissance4-basic".into(),
        ..of(format, seats, rounds)
    }
}

fn director(settings: &Settings, bots: usize) -> Box<dyn Director> {
    settings.director(bots).expect("it can be seated")
}

/// Draws the places of a match from strengths, in natural logarithms of odds; ties now and then.
fn outcome(seats: &[usize], strengths: &[f64], rng: &mut ChaCha8Rng) -> MatchResult {
    let performed: Vec<f64> = seats
        .iter()
        .map(|&bot| strengths[bot] - (-rng.random::<f64>().max(f64::MIN_POSITIVE).ln()).ln())
        .collect();
    let drawn = rng.random_bool(0.1);
    let ahead = |own: f64| performed.iter().filter(|&&other| other > own).count();
    let places: Vec<u8> = performed
        .iter()
        .map(|&own| if drawn { 1 } else { 1 + ahead(own) as u8 })
        .collect();
    MatchResult::of_places(places)
}

/// The same where every second seat is on the same side, and a side is as strong as its bots are on average.
fn outcome_of_sides(seats: &[usize], strengths: &[f64], rng: &mut ChaCha8Rng) -> MatchResult {
    let side = |first: usize| {
        let bots = seats.iter().skip(first).step_by(2);
        bots.map(|&bot| strengths[bot]).sum::<f64>() / (seats.len() / 2) as f64
    };
    let sides = outcome(&[0, 1], &[side(0), side(1)], rng);
    let places = sides.places();
    MatchResult::of_places(places.iter().cycle().copied().take(seats.len()))
}

#[test]
fn in_a_gauntlet_of_teams_every_partner_comes_equally_often() {
    for (seats, bots, challengers, rounds) in
        [(4, 5, 2, 3), (4, 8, 5, 3), (6, 6, 1, 10), (6, 9, 4, 10)]
    {
        let settings = in_teams(Format::Gauntlet(Gauntlet { challengers }), seats, rounds);
        let challengers = challengers as usize;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut director = director(&settings, bots);
        let strengths = vec![0.0; bots];
        let played = play(&mut *director, |pairing| {
            outcome_of_sides(&pairing.seats, &strengths, &mut rng)
        });
        let mut partners = partners(played.into_iter().map(|(pairing, _)| pairing));
        partners.retain(|(one, other), _| one < other);
        // A challenger has all of the field, and these each other, as all sets of the field play.
        let (with, among): (Vec<_>, Vec<_>) = partners
            .iter()
            .partition(|((one, _), _)| *one < challengers);
        let field = bots - challengers;
        assert_eq!(
            (with.len(), among.len()),
            (challengers * field, field * (field - 1) / 2)
        );
        for times in [with, among] {
            let times: HashSet<u64> = times.iter().map(|&(_, &times)| times).collect();
            assert_eq!(times.len(), 1, "{seats} seats, {bots} bots: {partners:?}");
        }
    }
}

#[test]
fn in_a_ladder_of_teams_the_order_is_found_and_partners_change() {
    let bots = 8;
    let strengths: Vec<f64> = (0..bots).map(|bot| -0.8 * bot as f64).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let settings = in_teams(Format::Ladder(Ladder { matches: 3_000 }), 4, 1);
    let mut director = director(&settings, bots);
    let played = play(&mut *director, |pairing| {
        outcome_of_sides(&pairing.seats, &strengths, &mut rng)
    });
    let order = by_strength(&settings, bots, &played);
    for (place, bot) in order.iter().enumerate() {
        assert!(place.abs_diff(*bot) <= 1, "{order:?}");
    }
    // Who is compared most is not on the same side more often than not.
    let matches = played.len() as u64;
    let partners = partners(played.into_iter().map(|(pairing, _)| pairing));
    for bot in 1..bots {
        let together = partners.get(&(bot - 1, bot)).copied().unwrap_or(0);
        assert!(together * 4 < matches, "{bot}: {together} of {matches}");
    }
}

/// Plays all matches of a director in order, and hands over each.
fn play(
    director: &mut dyn Director,
    mut outcome: impl FnMut(&Pairing) -> MatchResult,
) -> Vec<(Pairing, MatchResult)> {
    let mut played = Vec::new();
    loop {
        match director.next() {
            Next::Match(pairing) => {
                let outcome = outcome(&pairing);
                assert_eq!(pairing.index, played.len() as u64, "without a gap");
                director.take(pairing.index, &outcome);
                played.push((pairing, outcome));
            }
            Next::Over => break,
            Next::Wait => panic!("it waits though it has heard of all"),
        }
    }
    assert_eq!(director.next(), Next::Over);
    assert_eq!(director.total(), Total::Exactly(played.len() as u64));
    played
}

/// What fits all results.
fn fit(settings: &Settings, bots: usize, played: &[(Pairing, MatchResult)]) -> Fit {
    let scored = |(pairing, result): &(Pairing, MatchResult)| ScoredPairing {
        pairing: pairing.clone(),
        result: result.clone(),
    };
    let results: Vec<ScoredPairing> = played.iter().map(scored).collect();
    Fit::of(bots, &settings.seating().unwrap(), &results)
}

/// The bots in order of the strengths that fit all results.
fn by_strength(settings: &Settings, bots: usize, played: &[(Pairing, MatchResult)]) -> Vec<usize> {
    let fit = fit(settings, bots, played);
    let mut order: Vec<usize> = (0..bots).collect();
    order.sort_by(|&one, &other| fit.difference(other, one).points.total_cmp(&0.0));
    order
}

fn strengths(bots: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..bots).map(|_| rng.random::<f64>() * 4.0).collect()
}

/// A tournament between bots of drawn strengths.
fn drawn(settings: &Settings, bots: usize, seed: u64) -> Vec<(Pairing, MatchResult)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let strengths = strengths(bots, &mut rng);
    let mut director = director(settings, bots);
    play(&mut *director, |pairing| {
        outcome(&pairing.seats, &strengths, &mut rng)
    })
}

/// The bots of a match, in order.
fn set(pairing: &Pairing) -> Vec<usize> {
    let mut set = pairing.seats.clone();
    set.sort_unstable();
    set
}

/// The blocks of a tournament: round, bots, and who won how many half points.
fn blocks(played: &[(Pairing, MatchResult)]) -> Vec<(u32, Vec<usize>, HashMap<usize, u64>)> {
    let blocks = played.chunk_by(|(one, _), (next, _)| one.block == next.block);
    blocks
        .map(|block| {
            let mut half_points = HashMap::new();
            for (pairing, outcome) in block {
                for (seat, &bot) in pairing.seats.iter().enumerate() {
                    let own = outcome.seats[seat].place;
                    let places = outcome.places();
                    let told = places.iter().enumerate();
                    let scored = told.filter(|&(other, _)| other != seat).map(|(_, &other)| {
                        match own.cmp(&other) {
                            std::cmp::Ordering::Less => 2,
                            std::cmp::Ordering::Equal => 1,
                            std::cmp::Ordering::Greater => 0,
                        }
                    });
                    *half_points.entry(bot).or_default() += scored.sum::<u64>();
                }
            }
            (block[0].0.round, set(&block[0].0), half_points)
        })
        .collect()
}

/// Some settings of every format at some number of seats, with a number of bots.
fn any_settings() -> impl Strategy<Value = (Settings, usize)> {
    let formats = prop_oneof![
        Just(format("round-robin")),
        (1u32..4).prop_map(|challengers| Format::Gauntlet(Gauntlet { challengers })),
        Just(format("swiss")),
        (1u32..4, 0u32..3, any::<bool>()).prop_map(|(best_of, tie_breaks, third_place)| {
            Format::Knockout(Knockout {
                best_of,
                tie_breaks,
                third_place,
                seeding: Seeding::Entry,
            })
        }),
        (1u32..4, 0u32..3).prop_map(|(best_of, tie_breaks)| {
            Format::DoubleElimination(DoubleElimination {
                best_of,
                tie_breaks,
                seeding: Seeding::Entry,
            })
        }),
        (1u64..300).prop_map(|matches| Format::Ladder(Ladder { matches })),
    ];
    (formats, 2u8..=6, 8usize..16).prop_map(|(format, seats, bots)| {
        let seats = match format {
            Format::Knockout(_) | Format::DoubleElimination(_) => 2,
            _ => seats,
        };
        // So many seats make many sets.
        let bots = if seats > 3 { 8 } else { bots };
        let rounds = match format {
            Format::Swiss(_) => most_swiss_rounds(bots, seats).min(3),
            format if matches!(format.rounds(), Rounds::Own) => 1,
            _ => 3,
        };
        (of(format, seats, rounds), bots)
    })
}

proptest! {
    /// The whole promise of a director: which match has which index follows from the results in order,
    /// whenever it is asked; so a tournament is the same at any concurrency, and goes on from its journal.
    #[test]
    fn what_is_played_does_not_depend_on_when_it_is_asked_for((settings, bots) in any_settings(), seed in any::<u64>()) {
        let expected = drawn(&settings, bots, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let mut director = director(&settings, bots);
        let (mut named, mut heard, mut over) = (0, 0, false);
        let mut most = u64::MAX;
        while !over || heard < expected.len() {
            let total = director.total().most();
            prop_assert!(total <= most && total >= expected.len() as u64, "the total never grows");
            most = total;
            // It is asked ahead as far as it knows, or a little, or not at all.
            for _ in 0..rng.random_range(0..40) {
                match director.next() {
                    Next::Match(pairing) => {
                        prop_assert_eq!(&pairing, &expected[named].0);
                        named += 1;
                    }
                    Next::Wait => {
                        prop_assert!(heard < named, "it waits for something");
                        break;
                    }
                    Next::Over => {
                        prop_assert_eq!(named, expected.len());
                        over = true;
                        break;
                    }
                }
            }
            for _ in 0..rng.random_range(0..40) {
                if heard < named {
                    director.take(heard as u64, &expected[heard].1);
                    heard += 1;
                }
            }
        }
    }

    #[test]
    fn a_block_has_every_bot_in_every_seat_equally_often_and_rounds_are_in_order((settings, bots) in any_settings(), seed in any::<u64>()) {
        let played = drawn(&settings, bots, seed);
        let orders = settings.seating().unwrap().orders() as usize;
        let seats = usize::from(settings.seats);
        for (number, block) in played.chunks(orders).enumerate() {
            prop_assert_eq!(block.len(), orders, "whole blocks");
            let mut times: HashMap<(usize, usize), usize> = HashMap::new();
            for (pairing, _) in block {
                prop_assert_eq!(pairing.block, number as u64);
                prop_assert_eq!(set(pairing), set(&block[0].0));
                prop_assert_eq!(pairing.round, block[0].0.round);
                pairing.seats.iter().enumerate().for_each(|at| *times.entry((at.0, *at.1)).or_default() += 1);
            }
            prop_assert_eq!(times.len(), seats * seats);
            prop_assert!(times.values().all(|&times| times == orders / seats));
        }
        prop_assert!(played.is_sorted_by_key(|(pairing, _)| pairing.round));
        let orders: HashSet<Vec<usize>> = played.iter().map(|(pairing, _)| pairing.seats.clone()).collect();
        prop_assert!(orders.iter().all(|seats| seats.iter().all(|&bot| bot < bots)));
    }

    #[test]
    fn a_ranking_has_every_bot_once_and_ranks_by_its_cells((settings, bots) in any_settings(), seed in any::<u64>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let strengths = strengths(bots, &mut rng);
        let mut director = director(&settings, bots);
        let whole = play(&mut *director, |pairing| outcome(&pairing.seats, &strengths, &mut rng));
        let has_one = settings.format.rules().order() == TableOrder::Results;
        let ranking = director.ranking();
        prop_assert_eq!(ranking.is_some(), has_one);
        let Some(ranking) = ranking else { return Ok(()) };
        let mut entrants: Vec<usize> = ranking.rows.iter().map(|row| row.entrant).collect();
        entrants.sort_unstable();
        prop_assert!(entrants.into_iter().eq(0..bots));
        for (at, row) in ranking.rows.iter().enumerate() {
            prop_assert_eq!(row.cells.len(), ranking.by.len());
            prop_assert!(row.rank <= at + 1 && (row.rank == at + 1 || ranking.rows[at - 1].rank == row.rank));
        }
        prop_assert!(!whole.is_empty());
    }
}

mod gauntlet {
    use super::*;

    #[test]
    fn each_challenger_meets_each_set_of_the_field_once_a_round_and_nobody_else_plays() {
        for (bots, seats, challengers, rounds) in [
            (2, 2, 1, 3),
            (7, 2, 1, 2),
            (9, 2, 3, 2),
            (6, 3, 2, 1),
            (7, 4, 1, 2),
            (8, 6, 3, 1),
            (5, 2, 4, 2),
        ] {
            let settings = of(Format::Gauntlet(Gauntlet { challengers }), seats, rounds);
            let played = drawn(&settings, bots, 1);
            let field = bots - challengers as usize;
            let sets = flipside_ratings::numbers::choose(field as u64, u64::from(seats) - 1);
            let mut times: HashMap<(u32, Vec<usize>), u64> = HashMap::new();
            for (pairing, _) in &played {
                let set = set(pairing);
                let those = set.iter().filter(|&&bot| bot < challengers as usize);
                assert_eq!(those.count(), 1, "one challenger in each match");
                *times.entry((pairing.round, set)).or_default() += 1;
            }
            let blocks = u64::from(challengers) * sets * u64::from(rounds);
            assert_eq!(times.len() as u64, blocks);
            let orders = settings.seating().unwrap().orders();
            assert!(times.values().all(|&times| times == orders));
        }
    }

    #[test]
    fn a_thousand_bots_are_asked_for_one_by_one() {
        let settings = of(
            Format::Gauntlet(Gauntlet { challengers: 500 }),
            2,
            1_000_000,
        );
        let mut director = director(&settings, 1_000);
        assert_eq!(director.total(), Total::Exactly(500 * 500 * 2 * 1_000_000));
        assert!(matches!(director.next(), Next::Match(_)));
    }
}

mod swiss {
    use super::*;

    fn swiss(rounds: u32) -> Settings {
        of(format("swiss"), 2, rounds)
    }

    #[test]
    fn over_a_thousand_tournaments_nobody_meets_again() {
        for seed in 0..1_000u64 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let bots = match seed % 4 {
                0 => rng.random_range(2..=64usize),
                _ => rng.random_range(2..=14),
            };
            // Only so many bots look ahead; more can meet again from half of all rounds on.
            let most = match bots {
                ..=32 => most_swiss_rounds(bots, 2),
                _ => bots as u32 / 2,
            };
            // Often as many as there can be, where it is hardest.
            let rounds = match seed % 3 {
                0 => most.min(9),
                1 => most,
                _ => bots.next_power_of_two().ilog2().clamp(1, most),
            };
            let played = drawn(&swiss(rounds), bots, seed);
            let blocks = blocks(&played);
            let mut met = vec![vec![false; bots]; bots];
            let mut byes = vec![0; bots];
            let mut seats = vec![[0i64; 2]; bots];
            for (pairing, _) in &played {
                for (seat, &bot) in pairing.seats.iter().enumerate() {
                    seats[bot][seat] += 1;
                    let [one, other] = seats[bot];
                    assert!((one - other).abs() <= 1, "seats of bot {bot}");
                }
            }
            for round in 0..rounds {
                let pairs: Vec<&Vec<usize>> = blocks
                    .iter()
                    .filter(|(of, ..)| *of == round)
                    .map(|(_, set, _)| set)
                    .collect();
                let mut resting: HashSet<usize> = (0..bots).collect();
                for pair in &pairs {
                    assert!(
                        pair.iter().all(|bot| resting.remove(bot)),
                        "each plays once"
                    );
                }
                assert_eq!(resting.len(), bots % 2, "one rests of an odd number");
                for pair in pairs {
                    let has_met = std::mem::replace(&mut met[pair[0]][pair[1]], true);
                    assert!(
                        !has_met,
                        "seed {seed}, {bots} bots, round {round}: {pair:?}"
                    );
                    met[pair[1]][pair[0]] = true;
                }
                for bot in resting {
                    byes[bot] += 1;
                    assert_eq!(byes[bot], 1, "one bye at most");
                }
            }
        }
    }

    #[test]
    fn bots_with_about_as_many_points_meet_and_byes_go_to_the_bottom() {
        // Larger fields are paired by several matchings.
        let few = (0..30).map(|seed| (33, seed));
        let rounds = 6;
        for (bots, seed) in few.chain([(129, 1), (201, 2), (333, 3)]) {
            let played = drawn(&swiss(rounds), bots, seed);
            let blocks = blocks(&played);
            let mut half_points = vec![0u64; bots];
            let mut had_bye = vec![false; bots];
            let mut pairs = HashSet::new();
            for round in 0..rounds {
                let of_round: Vec<_> = blocks.iter().filter(|(of, ..)| *of == round).collect();
                let apart: u64 = of_round
                    .iter()
                    .map(|(_, set, _)| half_points[set[0]].abs_diff(half_points[set[1]]))
                    .sum();
                // Half a game apart on average, where a block has two.
                assert!(
                    apart <= 2 * of_round.len() as u64,
                    "seed {seed}, round {round}: {apart}"
                );
                let playing: HashSet<usize> = of_round
                    .iter()
                    .flat_map(|(_, set, _)| set.clone())
                    .collect();
                assert_eq!(playing.len(), bots - 1, "each of the others plays once");
                for (_, set, _) in &of_round {
                    assert!(
                        pairs.insert(set.clone()),
                        "{bots} bots, round {round}: {set:?}"
                    );
                }
                let resting = (0..bots).find(|bot| !playing.contains(bot)).unwrap();
                let least = (0..bots)
                    .filter(|&bot| !had_bye[bot])
                    .map(|bot| half_points[bot])
                    .min();
                assert_eq!(
                    Some(half_points[resting]),
                    least,
                    "seed {seed}, round {round}"
                );
                had_bye[resting] = true;
                half_points[resting] += 4;
                for (_, _, scored) in of_round {
                    for (&bot, scored) in scored {
                        half_points[bot] += scored;
                    }
                }
            }
        }
    }

    #[test]
    fn of_many_too_the_upper_half_meets_the_lower_half() {
        let bots = 400;
        let mut director = director(&swiss(1), bots);
        let sets: Vec<Vec<usize>> = std::iter::from_fn(|| match director.next() {
            Next::Match(pairing) => Some(set(&pairing)),
            Next::Wait | Next::Over => None,
        })
        .step_by(2)
        .collect();
        let halves: Vec<Vec<usize>> = (0..bots / 2).map(|bot| vec![bot, bots / 2 + bot]).collect();
        assert_eq!(sets, halves);
    }

    /// Points, Buchholz, Sonneborn-Berger, in half points and their squares, and byes, by the words of
    /// the documentation: from match to match and rival to rival.
    fn plainly(
        played: &[(Pairing, MatchResult)],
        bots: usize,
        seats: usize,
        teams: bool,
        rounds: u32,
    ) -> Vec<[u64; 4]> {
        let orders = [2, 6, 4, 5, 6][seats - 2];
        let rivals = if teams { seats / 2 } else { seats - 1 } as u64;
        let of_bye = match seats {
            2 => 4,
            _ => orders * rivals,
        };
        let mut rows = vec![[0; 4]; bots];
        let mut against = vec![vec![0; bots]; bots];
        let mut met = vec![vec![0; bots]; bots];
        let mut rested = vec![rounds; bots];
        for (round, set, _) in blocks(played) {
            assert!(round < rounds);
            for &bot in &set {
                rested[bot] -= 1;
            }
        }
        for (pairing, outcome) in played {
            for (seat, (&bot, own)) in pairing.seats.iter().zip(&outcome.places()).enumerate() {
                for (at, (&rival, other)) in pairing.seats.iter().zip(&outcome.places()).enumerate()
                {
                    if bot == rival || teams && seat % 2 == at % 2 {
                        continue;
                    }
                    against[bot][rival] += u64::from(own < other) + u64::from(own <= other);
                    met[bot][rival] += u64::from(pairing.index.is_multiple_of(orders));
                }
            }
        }
        for bot in 0..bots {
            let byes = u64::from(rested[bot]);
            rows[bot][0] = against[bot].iter().sum::<u64>() + byes * of_bye;
            rows[bot][3] = byes;
        }
        for bot in 0..bots {
            let [own, .., byes] = rows[bot];
            for rival in 0..bots {
                rows[bot][1] += met[bot][rival] * rows[rival][0];
                rows[bot][2] += against[bot][rival] * rows[rival][0];
            }
            // A bye: as many rivals as in a block, all with the bot's own points.
            rows[bot][1] += byes * rivals * own;
            rows[bot][2] += byes * of_bye * own;
        }
        rows
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn nobody_rests_twice_and_the_table_is_what_the_words_say(
            (seats, teams) in (2u8..=6, any::<bool>()),
            more in 0usize..20,
            part in 0.0..1.0,
            seed in any::<u64>(),
        ) {
            let teams = teams && matches!(seats, 4 | 6);
            let bots = usize::from(seats) + more;
            let most = most_swiss_rounds(bots, seats);
            let rounds = 1 + f64::round(f64::from(most.min(9) - 1) * part) as u32;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let strengths = strengths(bots, &mut rng);
            let settings = match teams {
                true => in_teams(format("swiss"), seats, rounds),
                false => of(format("swiss"), seats, rounds),
            };
            let mut director = director(&settings, bots);
            let played = play(&mut *director, |pairing| match teams {
                true => outcome_of_sides(&pairing.seats, &strengths, &mut rng),
                false => outcome(&pairing.seats, &strengths, &mut rng),
            });
            let rows = plainly(&played, bots, seats.into(), teams, rounds);
            let ranking = director.ranking().unwrap();
            prop_assert_eq!(ranking.rows.len(), bots);
            let rivals = f64::from(if teams { seats / 2 } else { seats - 1 });
            let half = |half: u64| match seats {
                2 => format!("{}.{}", half / 2, half % 2 * 5),
                _ => format!("{:.2}", half as f64 / 2.0 / rivals),
            };
            let quarters = |quarters: u64| format!("{:.2}", quarters as f64 / 4.0 / rivals);
            for ranked in &ranking.rows {
                let [points, buchholz, berger, byes] = rows[ranked.entrant];
                prop_assert!(byes <= 1, "bot {} rests {} times", ranked.entrant, byes);
                let told = [half(points), half(buchholz), quarters(berger), byes.to_string()];
                prop_assert_eq!(&ranked.cells, &told);
                let ahead = rows.iter().filter(|row| row[..3] > rows[ranked.entrant][..3]).count();
                prop_assert_eq!(ranked.rank, 1 + ahead);
            }
        }
    }

    #[test]
    fn nobody_wins_by_resting() {
        // Who comes first in a match is the better of those who play; nobody rests more than once.
        let mut director = director(&of(format("swiss"), 3, 2), 5);
        play(&mut *director, |pairing| {
            let ahead = |own| pairing.seats.iter().filter(|&&bot| bot < own).count() as u8;
            let places: Vec<u8> = pairing.seats.iter().map(|&bot| 1 + ahead(bot)).collect();
            MatchResult::of_places(places)
        });
        let ranking = director.ranking().unwrap();
        assert_eq!(ranking.rows[0].entrant, 0, "who has won every match");
        let (points, byes): (Vec<&str>, Vec<&str>) = ranking
            .rows
            .iter()
            .map(|row| (row.cells[0].as_str(), row.cells[3].as_str()))
            .unzip();
        // A block has six matches: 6 points at most, and 3 on average.
        assert_eq!(points[0], "12.00");
        assert!(byes.iter().all(|byes| *byes == "0" || *byes == "1"));
    }

    #[test]
    fn there_are_only_so_many_rounds_that_one_bye_each_is_enough() {
        let told = [
            (2, 2, 1, 1),
            (8, 2, 7, 3),
            (9, 2, 9, 4),
            (1_000, 2, 999, 10),
            (5, 3, 2, 2),
            (7, 3, 7, 2),
            (11, 6, 2, 2),
            (12, 6, 11, 2),
            (7, 4, 2, 2),
            (29, 5, 7, 3),
            (1_000, 3, 999, 7),
        ];
        for (bots, of_match, most, usual) in told {
            let rounds = (
                most_swiss_rounds(bots, of_match),
                swiss_rounds(bots, of_match),
            );
            assert_eq!(rounds, (most, usual), "{bots} bots, {of_match} in a match");
        }
        for bots in 0..=1_000 {
            for of_match in 0..=6 {
                let (most, usual) = (
                    most_swiss_rounds(bots, of_match),
                    swiss_rounds(bots, of_match),
                );
                assert!((1..=most).contains(&usual));
                let resting = bots.checked_rem(of_match.into()).unwrap_or(0);
                assert!(most as usize * resting <= bots);
            }
        }
    }

    #[test]
    fn the_upper_half_meets_the_lower_half_in_order_of_seeds() {
        let settings = Settings {
            seeds: vec![7, 6, 5, 4, 3, 2, 1, 0],
            ..swiss(3)
        };
        let played = drawn(&settings, 8, 1);
        let first: Vec<Vec<usize>> = blocks(&played)[..4]
            .iter()
            .map(|block| block.1.clone())
            .collect();
        assert_eq!(first, [[3, 7], [2, 6], [1, 5], [0, 4]]);
    }

    /// Worked by hand: five bots, the better seed wins every match, three rounds.
    #[test]
    fn points_then_buchholz_then_sonneborn_and_berger_decide() {
        let mut director = director(&swiss(3), 5);
        let played = play(&mut *director, |pairing| {
            let [one, other] = pairing.seats[..] else {
                panic!("two seats")
            };
            let places = if one < other { vec![1, 2] } else { vec![2, 1] };
            MatchResult::of_places(places)
        });
        let sets: Vec<Vec<usize>> = blocks(&played).into_iter().map(|block| block.1).collect();
        // Counted from 1: 5 rests; 1-3, 2-4. Then 1, 2 and 5 have as much; 4 rests; 1-2, 3-5. Then 3 rests,
        // and of the others 1-2 and 2-4 have met.
        assert_eq!(sets, [[0, 2], [1, 3], [0, 1], [2, 4], [0, 3], [1, 4]]);
        let ranking = director.ranking().unwrap();
        assert_eq!(
            ranking.by,
            ["points", "Buchholz", "Sonneborn-Berger", "byes"]
        );
        let rows: Vec<(usize, usize, Vec<&str>)> = ranking
            .rows
            .iter()
            .map(|row| {
                (
                    row.rank,
                    row.entrant,
                    row.cells.iter().map(String::as_str).collect(),
                )
            })
            .collect();
        // Points: 1 has 6, and 2 has 4; 3, 4 and 5 have 2 for a bye, and 3 has beaten 5.
        // Buchholz: of 1, 4 + 4 + 2; of 2, 2 + 6 + 2; of 3, 6 + 2 and its own 4; of 4, 4 + 6 and its own 2;
        // of 5, 4 + 4 and its own 2. Sonneborn and Berger: twice what each of those has that it has beaten.
        assert_eq!(
            rows,
            [
                (1, 0, vec!["6.0", "10.0", "20.00", "0"]),
                (2, 2, vec!["4.0", "12.0", "12.00", "1"]),
                (3, 1, vec!["4.0", "10.0", "8.00", "0"]),
                (4, 3, vec!["2.0", "12.0", "4.00", "1"]),
                (5, 4, vec!["2.0", "10.0", "4.00", "1"]),
            ]
        );
    }

    #[test]
    fn groups_of_many_seldom_meet_again_and_byes_are_shared_out() {
        for (bots, seats, rounds) in [(16, 4, 4), (18, 3, 5), (14, 4, 5), (36, 6, 4), (7, 3, 6)] {
            let played = drawn(&of(format("swiss"), seats, rounds), bots, 3);
            let mut times: HashMap<(usize, usize), u32> = HashMap::new();
            let mut played_blocks = vec![0u32; bots];
            for (_, set, _) in blocks(&played) {
                for (at, &one) in set.iter().enumerate() {
                    played_blocks[one] += 1;
                    for &other in &set[at + 1..] {
                        *times.entry((one, other)).or_default() += 1;
                    }
                }
            }
            let (least, most) = (played_blocks.iter().min(), played_blocks.iter().max());
            assert!(most.unwrap() - least.unwrap() <= 1, "{played_blocks:?}");
            let meetings: u32 = times.values().sum();
            let again: u32 = times.values().map(|times| times - 1).sum();
            let pairs = (bots * (bots - 1) / 2) as f64;
            // Met at random, two would meet again in about so many cases.
            let by_chance =
                f64::from(meetings) - pairs * (1.0 - (1.0 - 1.0 / pairs).powi(meetings as i32));
            println!(
                "{bots} bots, {seats} seats, {rounds} rounds: {again} again, by chance {by_chance:.0}"
            );
            assert!(
                f64::from(again) < by_chance,
                "{bots} bots, {seats} seats: {again}"
            );
        }
    }
}

mod knockout {
    use super::*;
    use crate::formats::ranking::DecidedBy;

    fn knockout(best_of: u32, tie_breaks: u32, third_place: bool) -> Settings {
        let format = Format::Knockout(Knockout {
            best_of,
            tie_breaks,
            third_place,
            seeding: Seeding::Entry,
        });
        of(format, 2, 1)
    }

    /// A result in which the first of `order` that sits there wins.
    fn first_wins(pairing: &Pairing, wins: impl Fn(usize, usize) -> bool) -> MatchResult {
        let [one, other] = pairing.seats[..] else {
            panic!("two seats")
        };
        let places = if wins(one, other) {
            vec![1, 2]
        } else {
            vec![2, 1]
        };
        MatchResult::of_places(places)
    }

    fn level() -> MatchResult {
        MatchResult::of_places(vec![1, 1])
    }

    #[test]
    fn the_better_seed_meets_the_worse_in_every_round_of_every_bracket() {
        for bots in 2..=64usize {
            let mut director = director(&knockout(1, 0, false), bots);
            let played = play(&mut *director, |pairing| {
                first_wins(pairing, |one, other| one < other)
            });
            let blocks = blocks(&played);
            assert_eq!(blocks.len(), bots - 1, "all but one go out");
            let mut places = bots.next_power_of_two();
            for round in 0.. {
                let of_round: Vec<_> = blocks.iter().filter(|(of, ..)| *of == round).collect();
                if of_round.is_empty() {
                    assert_eq!(places, 1);
                    break;
                }
                for (_, set, _) in of_round {
                    // The first with the last, the second with the last but one: numbers from 0.
                    assert_eq!(set[0] + set[1], places - 1, "{bots} bots, round {round}");
                }
                places /= 2;
            }
            let byes = bots.next_power_of_two() - bots;
            let first: HashSet<usize> = blocks
                .iter()
                .filter(|(of, ..)| *of == 0)
                .flat_map(|(_, set, _)| set.clone())
                .collect();
            assert!(
                (0..byes).all(|best| !first.contains(&best)),
                "the best rest"
            );
            assert_eq!(first.len(), bots - byes);
            let ranking = director.ranking().unwrap();
            let ranks: Vec<usize> = ranking.rows.iter().map(|row| row.rank).collect();
            let expected = |at: usize| {
                if at == 0 {
                    1
                } else {
                    at.next_power_of_two_above() / 2 + 1
                }
            };
            assert!(
                ranks
                    .iter()
                    .enumerate()
                    .all(|(at, &rank)| rank == expected(at)),
                "{ranks:?}"
            );
            assert_eq!(ranking.rows[0].entrant, 0);
            assert_eq!(ranking.rows[0].cells, ["winner"]);
        }
    }

    trait Above {
        fn next_power_of_two_above(self) -> usize;
    }

    impl Above for usize {
        /// The least power of two that is greater.
        fn next_power_of_two_above(self) -> usize {
            (self + 1).next_power_of_two()
        }
    }

    #[test]
    fn whoever_wins_goes_on_and_who_loses_plays_no_more() {
        for seed in 0..200 {
            let bots = 2 + seed as usize % 40;
            let played = drawn(&knockout(3, 4, seed % 2 == 0), bots, seed);
            let mut encounters: HashMap<(u32, Vec<usize>), i64> = HashMap::new();
            for (round, set, scored) in blocks(&played) {
                let lead = scored[&set[0]] as i64 - scored[&set[1]] as i64;
                *encounters.entry((round, set)).or_default() += lead;
            }
            let last = encounters.keys().map(|(round, _)| *round).max().unwrap();
            let third = usize::from(seed % 2 == 0 && bots > 3);
            assert_eq!(encounters.len(), bots - 1 + third);
            for ((round, set), lead) in &encounters {
                let loser = if *lead >= 0 { set[1] } else { set[0] };
                let later: Vec<_> = encounters
                    .keys()
                    .filter(|(of, set)| of > round && set.contains(&loser))
                    .collect();
                match round + 1 == last && third == 1 {
                    true => assert_eq!(later.len(), 1, "the match for the third place"),
                    false => assert!(later.is_empty()),
                }
            }
        }
    }

    #[test]
    fn an_encounter_ends_with_the_block_after_which_it_is_decided() {
        let blocks_of = |best_of, wins: &dyn Fn(u64) -> MatchResult| {
            let mut director = director(&knockout(best_of, 2, false), 2);
            let played = play(&mut *director, |pairing| wins(pairing.block));
            played.len() / 2
        };
        let seat_0 = || MatchResult::of_places(vec![1, 2]);
        // The first seat always wins: every block is level.
        assert_eq!(
            blocks_of(1, &|_| seat_0()),
            3,
            "one block and two tie-breaks"
        );
        assert_eq!(blocks_of(5, &|_| seat_0()), 7);
        assert_eq!(blocks_of(5, &|_| level()), 7);
        let mut director = director(&knockout(5, 2, false), 2);
        let played = play(&mut *director, |pairing| {
            first_wins(pairing, |one, _| one == 1)
        });
        assert_eq!(played.len(), 3 * 2, "three of five are enough");
        assert_eq!(director.ranking().unwrap().rows[0].entrant, 1);
    }

    #[test]
    fn encounters_tell_how_they_were_decided_and_who_had_a_bye() {
        let mut director = director(&knockout(1, 2, false), 3);
        let before = director.encounters();
        assert_eq!(before.len(), 2, "the bye, and one that is being played");
        assert_eq!((&before[0].bots[..], before[0].winner), (&[0][..], Some(0)));
        assert_eq!(before[0].decided_by, Some(DecidedBy::Bye));
        assert_eq!((before[1].winner, before[1].decided_by), (None, None));
        // The first block of the second round is level.
        play(&mut *director, |pairing| match pairing.block {
            1 => level(),
            _ => first_wins(pairing, |one, other| one > other),
        });
        let told = director.encounters();
        let how: Vec<_> = (told.iter())
            .map(|one| {
                (
                    one.round,
                    &one.bots[..],
                    &one.points[..],
                    one.blocks,
                    one.winner,
                    one.decided_by,
                )
            })
            .collect();
        let (score, tie_break) = (Some(DecidedBy::Score), Some(DecidedBy::TieBreak));
        assert_eq!(how[1], (1, &[1, 2][..], &[0.0, 2.0][..], 1, Some(2), score));
        assert_eq!(
            how[2],
            (2, &[0, 2][..], &[1.0, 3.0][..], 2, Some(2), tie_break)
        );
        assert_eq!(how.len(), 3);
    }

    #[test]
    fn an_encounter_that_stays_level_is_the_better_seeds() {
        let settings = Settings {
            seeds: vec![2, 0, 3, 1],
            ..knockout(1, 3, true)
        };
        let mut director = director(&settings, 4);
        let played = play(&mut *director, |_| level());
        assert_eq!(played.len(), 4 * 4 * 2);
        let told = director.encounters();
        assert_eq!(told.len(), 4);
        for encounter in &told {
            assert_eq!(encounter.decided_by, Some(DecidedBy::Seed));
            assert_eq!(
                (encounter.blocks, &encounter.points[..]),
                (4, &[4.0; 2][..])
            );
            assert_eq!(encounter.winner, Some(encounter.bots[0]));
        }
        let stages: Vec<&str> = told.iter().map(|encounter| &*encounter.stage).collect();
        assert_eq!(stages, ["semi-final", "semi-final", "final", "third place"]);
        let ranking = director.ranking().unwrap();
        let order: Vec<usize> = ranking.rows.iter().map(|row| row.entrant).collect();
        assert_eq!(order, [2, 0, 3, 1]);
        let ranks: Vec<usize> = ranking.rows.iter().map(|row| row.rank).collect();
        assert_eq!(ranks, [1, 2, 3, 4], "the third place was played for");
        let cells: Vec<&str> = ranking
            .rows
            .iter()
            .map(|row| row.cells[0].as_str())
            .collect();
        assert_eq!(cells, ["winner", "final", "third", "fourth"]);
    }

    #[test]
    fn nobody_is_third_before_that_is_played_for() {
        let mut director = director(&knockout(1, 0, true), 4);
        for _ in 0..2 * 2 {
            let Next::Match(pairing) = director.next() else {
                panic!("two semi-finals")
            };
            director.take(pairing.index, &level());
        }
        let ranking = director.ranking().unwrap();
        let cells: Vec<&str> = ranking
            .rows
            .iter()
            .map(|row| row.cells[0].as_str())
            .collect();
        assert_eq!(cells, ["still in", "still in", "semi-final", "semi-final"]);
    }
}

mod double_elimination {
    use super::*;
    use crate::formats::ranking::{DecidedBy, Encounter};

    fn settings(best_of: u32, tie_breaks: u32) -> Settings {
        let format = Format::DoubleElimination(DoubleElimination {
            best_of,
            tie_breaks,
            seeding: Seeding::Entry,
        });
        of(format, 2, 1)
    }

    /// A tournament in which the first of two wins if `wins` says so; its match-ups and its ranking.
    fn played(
        bots: usize,
        wins: impl Fn(usize, usize, u32) -> bool,
    ) -> (Vec<Encounter<usize>>, crate::formats::ranking::Ranking) {
        let mut director = director(&settings(1, 0), bots);
        play(&mut *director, |pairing| {
            let [one, other] = pairing.seats[..] else {
                panic!("two seats")
            };
            let places = if wins(one, other, pairing.round) {
                vec![1, 2]
            } else {
                vec![2, 1]
            };
            MatchResult::of_places(places)
        });
        (director.encounters(), director.ranking().unwrap())
    }

    /// By bot, how often it lost.
    fn losses(bots: usize, match_ups: &[Encounter<usize>]) -> Vec<u64> {
        let mut losses = vec![0; bots];
        for match_up in match_ups.iter().filter(|one| one.bots.len() == 2) {
            let winner = match_up.winner.expect("it is over");
            losses[match_up.bots[usize::from(match_up.bots[0] == winner)]] += 1;
        }
        losses
    }

    proptest! {
        /// The law of the format: all but the winner lose exactly two match-ups, and the winner at most one. So there
        /// are `2n - 2` match-ups, and one more if the winner has lost one.
        #[test]
        fn all_but_the_winner_lose_twice_and_play_no_more(bots in 2usize..70, best_of in 1u32..4, tie_breaks in 0u32..3, seed in any::<u64>()) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let strengths = strengths(bots, &mut rng);
            let mut director = director(&settings(best_of, tie_breaks), bots);
            let played = play(&mut *director, |pairing| outcome(&pairing.seats, &strengths, &mut rng));
            let match_ups = director.encounters();
            let ranking = director.ranking().unwrap();
            let winner = ranking.rows[0].entrant;
            let lost = losses(bots, &match_ups);
            for (bot, &times) in lost.iter().enumerate() {
                prop_assert!(if bot == winner { times <= 1 } else { times == 2 }, "{bot}: {lost:?}");
            }
            let met: Vec<_> = match_ups.iter().filter(|one| one.bots.len() == 2).collect();
            prop_assert_eq!(met.len() as u64, 2 * bots as u64 - 2 + lost[winner]);
            // Who has lost twice plays no more, and its rank is by when that was.
            let mut so_far = vec![0; bots];
            let mut last = vec![0; bots];
            for match_up in &met {
                let [one, other] = match_up.bots[..] else { panic!("two bots") };
                prop_assert!(so_far[one] < 2 && so_far[other] < 2, "{match_up:?}");
                let loser = if match_up.winner == Some(one) { other } else { one };
                so_far[loser] += 1;
                last[loser] = match_up.round;
                // Nobody who lost is in the upper bracket.
                let unbeaten = so_far[one] + so_far[other] == 1;
                prop_assert_eq!(match_up.stage.starts_with("upper"), unbeaten && !match_up.stage.starts_with("grand"));
            }
            for two in ranking.rows[1..].windows(2) {
                let [better, worse] = [&two[0], &two[1]].map(|row| (row.rank, last[row.entrant]));
                prop_assert_eq!(better.0 == worse.0, better.1 == worse.1);
                prop_assert!(better.1 >= worse.1);
            }
            let blocks = met.iter().map(|one| u64::from(one.blocks)).sum::<u64>();
            prop_assert_eq!(played.len() as u64, 2 * blocks);
            // Whoever wins the grand final from the lower bracket has to win again.
            let resets = met.iter().filter(|one| one.stage == "grand final reset").count() as u64;
            let finals: Vec<_> = met.iter().filter(|one| one.stage == "grand final").collect();
            prop_assert_eq!(finals.len(), 1);
            let final_winner = finals[0].winner.unwrap();
            let from_below = met.iter().any(|one| {
                one.stage.starts_with("upper") && one.bots.contains(&final_winner) && one.winner != Some(final_winner)
            });
            prop_assert_eq!(resets == 1, from_below);
        }
    }

    #[test]
    fn if_the_better_seed_always_wins_nobody_meets_again_before_the_lower_final() {
        for bots in 2..=130usize {
            let (match_ups, ranking) = played(bots, |one, other, _| one < other);
            let order: Vec<usize> = ranking.rows.iter().map(|row| row.entrant).collect();
            let best = 3.min(bots);
            assert!(order[..best].iter().copied().eq(0..best), "{bots} bots");
            assert_eq!(losses(bots, &match_ups)[0], 0);
            let byes = match_ups
                .iter()
                .filter(|one| one.round == 1 && one.bots.len() == 1);
            let mut byes: Vec<usize> = byes.map(|one| one.bots[0]).collect();
            byes.sort_unstable();
            assert!(byes.into_iter().eq(0..bots.next_power_of_two() - bots));
            let mut met = HashSet::new();
            for match_up in match_ups.iter().filter(|one| one.bots.len() == 2) {
                let is_new = met.insert(match_up.bots.clone());
                let is_final = ["lower final", "grand final"].contains(&&*match_up.stage);
                assert!(is_new || is_final, "{bots} bots: {match_up:?}");
            }
        }
    }

    #[test]
    fn a_bracket_of_six_with_a_reset_is_told_round_by_round() {
        // The worse seed wins from the lower final on.
        let (match_ups, ranking) = played(6, |one, other, round| (one < other) == (round < 4));
        let told = match_ups.iter().map(|one| {
            let winner = one.winner.expect("it is over");
            format!(
                "{} {}: {:?}, {winner} by {:?}",
                one.round,
                one.stage,
                one.bots,
                one.decided_by.unwrap()
            )
        });
        insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r"
            1 upper quarter-final: [0], 0 by Bye
            1 upper quarter-final: [1], 1 by Bye
            1 upper quarter-final: [3, 4], 3 by Score
            1 upper quarter-final: [2, 5], 2 by Score
            2 lower round 1: [4], 4 by Bye
            2 lower round 1: [5], 5 by Bye
            2 upper semi-final: [0, 3], 0 by Score
            2 upper semi-final: [1, 2], 1 by Score
            3 lower round 2: [2, 4], 2 by Score
            3 lower round 2: [3, 5], 3 by Score
            4 upper final: [0, 1], 0 by Score
            4 lower round 3: [2, 3], 2 by Score
            5 lower final: [1, 2], 2 by Score
            6 grand final: [0, 2], 2 by Score
            7 grand final reset: [0, 2], 2 by Score
            ");
        let ranks = ranking
            .rows
            .iter()
            .map(|row| format!("{} {} {}", row.rank, row.entrant, row.cells[0]));
        insta::assert_snapshot!(ranks.collect::<Vec<_>>().join("\n"), @r"
            1 2 winner
            2 0 grand final
            3 1 lower final
            4 3 lower round 3
            5 4 lower round 2
            5 5 lower round 2
            ");
    }

    #[test]
    fn two_bots_meet_twice_or_with_a_reset_three_times() {
        let stages = |wins: fn(usize, usize, u32) -> bool| {
            let (match_ups, ranking) = played(2, wins);
            let stages: Vec<String> = match_ups.into_iter().map(|one| one.stage).collect();
            format!(
                "{}; bot {} wins",
                stages.join(", "),
                ranking.rows[0].entrant
            )
        };
        insta::assert_snapshot!(stages(|one, other, _| one < other), @"upper final, grand final; bot 0 wins");
        insta::assert_snapshot!(stages(|one, other, round| (one < other) == (round == 0)), @"upper final, grand final, grand final reset; bot 1 wins");
        insta::assert_snapshot!(stages(|one, other, round| (one < other) == (round != 1)), @"upper final, grand final, grand final reset; bot 0 wins");
    }

    #[test]
    fn a_match_up_that_stays_level_is_the_better_seeds() {
        let mut director = director(&settings(1, 2), 4);
        play(&mut *director, |_| MatchResult::of_places(vec![1, 1]));
        for match_up in director.encounters() {
            assert_eq!(match_up.decided_by, Some(DecidedBy::Seed));
            assert_eq!(
                (match_up.blocks, match_up.winner),
                (3, Some(match_up.bots[0]))
            );
        }
    }
}

/// What a match comes to between bots of these strengths.
type TestOutcome = fn(&[usize], &[f64], &mut ChaCha8Rng) -> MatchResult;

/// Nothing but strength and luck: nobody draws.
fn decided(seats: &[usize], strengths: &[f64], rng: &mut ChaCha8Rng) -> MatchResult {
    loop {
        let result = outcome(seats, strengths, rng);
        if result.places().iter().any(|&place| place != 1) {
            return result;
        }
    }
}

/// Only who wins is known.
fn winner_only(seats: &[usize], strengths: &[f64], rng: &mut ChaCha8Rng) -> MatchResult {
    let places = outcome(seats, strengths, rng).places();
    MatchResult::of_places(places.into_iter().map(|place| place.min(2)))
}

/// Two of three matches are drawn.
fn mostly_drawn(seats: &[usize], strengths: &[f64], rng: &mut ChaCha8Rng) -> MatchResult {
    match rng.random_bool(2.0 / 3.0) {
        true => MatchResult::of_places(seats.iter().map(|_| 1)),
        false => outcome(seats, strengths, rng),
    }
}

/// In how many of a hundred pairs, over so many tournaments, the 95 % interval of the difference leaves out the true
/// one, between bots that are so far apart on average, in rating points.
fn missed(
    (settings, bots): (&Settings, usize),
    outcome: TestOutcome,
    spread: f64,
    tournaments: u64,
) -> f64 {
    let (mut missed, mut pairs) = (0, 0);
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // As good as normal: the sum of twelve.
        let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let strengths: Vec<f64> = (0..bots).map(|_| spread / SCALE * normal()).collect();
        let played = play(&mut *director(settings, bots), |pairing| {
            outcome(&pairing.seats, &strengths, &mut rng)
        });
        let fit = fit(settings, bots, &played);
        for one in 0..bots {
            for other in 0..one {
                let found = fit.difference(one, other);
                let off = Estimate {
                    points: found.points - SCALE * (strengths[one] - strengths[other]),
                    ..found
                };
                pairs += 1;
                missed += u32::from(off.is_told());
            }
        }
    }
    100.0 * f64::from(missed) / f64::from(pairs)
}

/// A director that follows the results must not make what luck set apart look different for good.
#[test]
fn copies_of_one_bot_are_told_apart_as_often_as_their_intervals_say() {
    let gauntlet = Format::Gauntlet(Gauntlet { challengers: 2 });
    let ladder = |matches| Format::Ladder(Ladder { matches });
    let swiss = format("swiss");
    for (format, seats, rounds, outcome, tournaments) in [
        (ladder(200), 2, 1, outcome as TestOutcome, 100),
        (ladder(1_000), 2, 1, outcome, 100),
        (ladder(5_000), 2, 1, outcome, 50),
        (ladder(1_000), 2, 1, mostly_drawn, 100),
        (ladder(200), 4, 1, outcome, 400),
        (ladder(1_200), 4, 1, outcome, 400),
        (ladder(1_200), 4, 1, winner_only, 100),
        (Format::RoundRobin, 2, 4, outcome, 100),
        (Format::RoundRobin, 2, 18, outcome, 100),
        (Format::RoundRobin, 2, 18, mostly_drawn, 100),
        (Format::RoundRobin, 4, 1, outcome, 100),
        (Format::RoundRobin, 4, 1, winner_only, 100),
        (gauntlet, 2, 20, outcome, 100),
        (swiss, 2, 7, outcome, 100),
    ] {
        let settings = of(format, seats, rounds);
        let share = missed((&settings, 8), outcome, 0.0, tournaments);
        println!("{format}, {seats} seats, {rounds} rounds: {share:.1} %");
        assert!(
            (3.0..=7.0).contains(&share),
            "{format}, {seats} seats: {share} %"
        );
    }
}

#[test]
fn intervals_of_differences_contain_the_true_one() {
    let ladder = |matches| Format::Ladder(Ladder { matches });
    for (format, bots, seats, rounds, tournaments) in [
        (ladder(2_000), 20, 2, 1, 50),
        (ladder(2_000), 20, 4, 1, 200),
        (Format::RoundRobin, 12, 2, 4, 100),
        (format("swiss"), 20, 2, 7, 100),
    ] {
        let settings = of(format, seats, rounds);
        let share = missed((&settings, bots), decided, 200.0, tournaments);
        println!("{format}, {bots} bots, {seats} seats, {rounds} rounds: {share:.1} %");
        assert!(
            (3.0..=7.0).contains(&share),
            "{format}, {seats} seats: {share} %"
        );
    }
}

mod ladder {
    use super::*;

    fn ladder(matches: u64, seats: u8) -> Settings {
        of(Format::Ladder(Ladder { matches }), seats, 1)
    }

    #[test]
    fn nobody_starves() {
        for (bots, seats, seed) in [
            (3, 2, 0),
            (10, 2, 1),
            (40, 2, 2),
            (9, 3, 3),
            (12, 4, 4),
            (8, 6, 5),
        ] {
            let played = drawn(&ladder(4_000, seats), bots, seed);
            let mut times = vec![0u64; bots];
            for (number, (_, set, _)) in (1..).zip(blocks(&played)) {
                for bot in set {
                    times[bot] += 1;
                }
                let average = number * u64::from(seats) / bots as u64;
                let least = times.iter().min().unwrap();
                assert!(
                    least + 1 >= average / 2,
                    "{bots} bots after {number}: {times:?}"
                );
            }
            println!("{bots} bots, {seats} seats: {times:?}");
        }
    }

    #[test]
    fn it_plays_as_many_matches_as_were_asked_for_in_whole_blocks() {
        for (matches, played) in [(1, 2), (2, 2), (3, 4), (999, 1_000)] {
            assert_eq!(drawn(&ladder(matches, 2), 5, 1).len(), played);
        }
        assert_eq!(drawn(&ladder(7, 3), 5, 1).len(), 12);
    }

    #[test]
    fn close_bots_meet_more_often_than_distant_ones() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let strengths: Vec<f64> = (0..12).map(|bot| f64::from(bot) * 0.8).collect();
        let mut director = director(&ladder(3_000, 2), 12);
        let played = play(&mut *director, |pairing| {
            outcome(&pairing.seats, &strengths, &mut rng)
        });
        // How often two met whose places are so far apart, per pair of such two.
        let met = |apart: std::ops::RangeInclusive<usize>| {
            let blocks = blocks(&played);
            let times = blocks[500..]
                .iter()
                .filter(|(_, set, _)| apart.contains(&(set[1] - set[0])));
            times.count() as f64 / apart.map(|apart| 12 - apart).sum::<usize>() as f64
        };
        assert!(
            met(1..=1) > 3.0 * met(4..=11),
            "{} {}",
            met(1..=1),
            met(4..=11)
        );
        let order = by_strength(&ladder(3_000, 2), 12, &played);
        assert_eq!(order, (0..12).rev().collect::<Vec<_>>());
    }
}

mod absent {
    use super::*;

    /// How many rounds of a ladder are planned ahead of the one that is played.
    const AHEAD: u32 = 2;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn who_is_absent_is_planned_no_more_and_the_others_play_on(
            is_ladder: bool,
            (seats, more) in (2u8..=4, 2usize..12),
            absences in prop::collection::btree_map(0usize..14, 0u64..60, 0..14),
            seed in any::<u64>(),
        ) {
            let bots = usize::from(seats) + more;
            let settings = match is_ladder {
                true => of(Format::Ladder(Ladder { matches: 200 }), seats, 1),
                false => of(format("swiss"), seats, most_swiss_rounds(bots, seats).min(5)),
            };
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut director = director(&settings, bots);
            let strengths = strengths(bots, &mut rng);
            // From which round on each is not there; the last round of each bot that is.
            let mut from: HashMap<usize, u32> = HashMap::new();
            let mut last = vec![0; bots];
            let mut played = 0;
            while let Next::Match(pairing) = director.next() {
                for bot in &pairing.seats {
                    let is_gone = from.get(bot).is_some_and(|&from| pairing.round >= from);
                    prop_assert!(!is_gone, "{pairing:?}, gone from {from:?}");
                    last[*bot] = pairing.round;
                }
                for (&bot, _) in absences.iter().filter(|(bot, at)| **at == played && **bot < bots) {
                    from.insert(bot, pairing.round + 1 + if is_ladder { AHEAD } else { 0 });
                    director.absent(bot);
                }
                director.take(pairing.index, &outcome(&pairing.seats, &strengths, &mut rng));
                played += 1;
            }
            prop_assert_eq!(director.next(), Next::Over);
            prop_assert_eq!(director.total(), Total::Exactly(played));
            // Nobody is left over who could play.
            let present = bots - from.len();
            if present >= usize::from(seats) {
                let rounds = last.iter().max().unwrap() + 1;
                match is_ladder {
                    true => prop_assert!(played >= 200),
                    false => prop_assert_eq!(rounds, settings.rounds),
                }
            }
        }
    }

    #[test]
    fn rounds_that_are_added_are_between_the_others() {
        let gauntlet = Format::Gauntlet(Gauntlet { challengers: 3 });
        for (format, gone, matches) in [
            (Format::RoundRobin, 1, 3 * 2 * 2),
            (gauntlet, 1, 2 * 2 * 2 * 2),
            (gauntlet, 4, 3 * 2 * 2),
        ] {
            let bots = if format == Format::RoundRobin { 4 } else { 5 };
            let mut director = director(&of(format, 2, 3), bots);
            let all = play(&mut *director, |_| MatchResult::of_places([1, 2]));
            director.absent(gone);
            director.change(&Change::Rounds { more: 2 });
            let mut added = Vec::new();
            while let Next::Match(pairing) = director.next() {
                assert_eq!(pairing.index, (all.len() + added.len()) as u64);
                director.take(pairing.index, &MatchResult::of_places([1, 2]));
                added.push(pairing);
            }
            assert_eq!(added.len(), matches, "{format}");
            assert!(added.iter().all(|pairing| !pairing.seats.contains(&gone)));
            // In both seats as often.
            let mut met: HashMap<&[usize], u32> = HashMap::new();
            for pairing in &added {
                *met.entry(&pairing.seats).or_default() += 1;
            }
            assert!(met.values().all(|times| *times == 2), "{met:?}");
        }
    }
}

mod refusals {
    use super::*;

    #[track_caller]
    fn refused(format: Format, seats: u8, rounds: u32, bots: usize, words: &[&str]) {
        let told = match of(format, seats, rounds).director(bots) {
            Ok(_) => panic!("{format} was taken"),
            Err(error) => error.to_string(),
        };
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }

    #[test]
    fn a_format_that_cannot_seat_the_bots_says_why() {
        let swiss = format("swiss");
        let knockout = |best_of, tie_breaks| {
            Format::Knockout(Knockout {
                best_of,
                tie_breaks,
                third_place: false,
                seeding: Seeding::Entry,
            })
        };
        let gauntlet = |challengers| Format::Gauntlet(Gauntlet { challengers });
        let ladder = |matches| Format::Ladder(Ladder { matches });
        refused(knockout(1, 0), 3, 1, 8, &["knockout", "two bots", "3"]);
        refused(knockout(0, 0), 2, 1, 8, &["best", "1 to", "not 0"]);
        refused(knockout(1_001, 0), 2, 1, 8, &["1000", "not 1001"]);
        refused(knockout(1, 101), 2, 1, 8, &["tie-break", "100", "not 101"]);
        refused(
            knockout(1, 1),
            2,
            4,
            8,
            &["knockout takes no number of rounds"],
        );
        refused(
            knockout(1, 1),
            2,
            1,
            1,
            &["knockout is for 2 to 1000 bots", "not 1"],
        );
        refused(knockout(1, 1), 2, 1, 1_001, &["not 1001"]);
        refused(swiss, 2, 8, 8, &["rounds", "1 to 7", "not 8"]);
        refused(swiss, 2, 10, 9, &["1 to 9", "not 10"]);
        refused(swiss, 2, 0, 9, &["not 0"]);
        refused(
            swiss,
            3,
            3,
            5,
            &["5 bots, 3 in", "at most 2 rounds, not 3: 2"],
        );
        refused(swiss, 6, 3, 11, &["at most 2 rounds, not 3: 5 rest"]);
        refused(swiss, 6, 12, 11, &["1 to 2, not 12"]);
        refused(swiss, 4, 1, 3, &["swiss is for 4 to 1000 bots", "not 3"]);
        refused(gauntlet(0), 2, 1, 4, &["challengers", "1 to 3", "not 0"]);
        refused(gauntlet(4), 2, 1, 4, &["challengers", "1 to 3", "not 4"]);
        refused(gauntlet(2), 4, 1, 4, &["challengers", "1 to 1", "not 2"]);
        refused(gauntlet(1), 2, 1, 1, &["gauntlet is for 2 to 1000 bots"]);
        refused(ladder(0), 2, 1, 4, &["matches", "not 0"]);
        refused(ladder(5), 2, 3, 4, &["ladder takes no number of rounds"]);
        refused(
            ladder(5),
            6,
            1,
            4,
            &["ladder is for 6 to 1000 bots", "not 4"],
        );
        refused(
            Format::RoundRobin,
            4,
            1,
            3,
            &["round robin is for 4 to 1000"],
        );
        let seeded = Settings {
            seeds: vec![0, 1, 1],
            ..of(swiss, 2, 1)
        };
        let told = seeded
            .director(3)
            .err()
            .expect("seed 1 is there twice")
            .to_string();
        assert!(told.contains("seeds"), "{told}");
        let told = of(swiss, 2, 1).schedule(4).unwrap_err().to_string();
        assert!(told.contains("swiss has no fixed schedule"), "{told}");
    }
}

/// What may happen to a schedule that grows.
fn growth() -> impl Strategy<Value = Vec<(u64, u8, usize)>> {
    prop::collection::vec((0u64..60, 0u8..4, 0usize..8), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn in_a_schedule_that_grows_all_who_stay_have_met_as_often_as_if_they_had_been_there_from_the_beginning(
        is_gauntlet: bool, seats in 2u8..=3, bots in 3usize..6, rounds in 1u32..4, growth in growth(),
    ) {
        let seats = if is_gauntlet { 2 } else { seats };
        let format = format(if is_gauntlet { "gauntlet" } else { "round-robin" });
        let settings = of(format, seats, rounds);
        let orders = settings.seating().unwrap().orders();
        let mut director = director(&settings, bots);
        let (mut number, mut left, mut all_rounds) = (bots, HashSet::new(), rounds);
        let mut played: Vec<Pairing> = Vec::new();
        let mut growth = growth.into_iter().peekable();
        loop {
            while let Some((_, what, bot)) = growth.next_if(|(at, ..)| *at <= played.len() as u64) {
                let change = match what {
                    0 | 1 => Change::Join { entrant: number },
                    2 => Change::Rounds { more: 1 + bot as u32 % 2 },
                    _ => Change::Withdraw { entrant: bot % number },
                };
                match change {
                    Change::Join { .. } => number += 1,
                    Change::Rounds { more } => all_rounds += more,
                    Change::Withdraw { entrant } => _ = left.insert(entrant),
                    _ => {}
                }
                director.change(&change);
            }
            match director.next() {
                Next::Match(pairing) => played.push(pairing),
                Next::Over if growth.peek().is_none() => break,
                // What is left happens when it is over.
                Next::Over => growth = growth.map(|(_, what, bot)| (0, what, bot)).collect::<Vec<_>>().into_iter().peekable(),
                Next::Wait => panic!("it waits for nothing"),
            }
        }
        prop_assert_eq!(director.total(), Total::Exactly(played.len() as u64));
        prop_assert!(played.iter().zip(0..).all(|(pairing, index)| pairing.index == index));
        prop_assert!(played.iter().all(|pairing| pairing.block == pairing.index / orders));
        prop_assert!(played.is_sorted_by_key(|pairing| pairing.round));
        let mut met: HashMap<Vec<usize>, u64> = HashMap::new();
        for block in played.chunks(orders as usize) {
            let sets: HashSet<Vec<usize>> = block.iter().map(|pairing| {
                let mut set = pairing.seats.clone();
                set.sort_unstable();
                set
            }).collect();
            prop_assert_eq!(sets.len(), 1);
            *met.entry(sets.into_iter().next().unwrap()).or_default() += 1;
        }
        let stayed: Vec<usize> = (0..number).filter(|bot| !left.contains(bot)).collect();
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..seats {
            sets = sets.iter().flat_map(|set| stayed.iter().filter_map(|&bot| {
                let is_next = set.last().is_none_or(|&last| last < bot);
                is_next.then(|| [&set[..], &[bot]].concat())
            })).collect();
        }
        for set in sets {
            let meet = !is_gauntlet || set[0] == 0;
            let times = if meet { u64::from(all_rounds) } else { 0 };
            prop_assert_eq!(met.get(&set).copied().unwrap_or(0), times, "{:?}", set);
        }
    }
}

#[test]
fn who_joins_a_ladder_plays_soon_and_does_not_keep_the_others_from_playing() {
    let ladder = Ladder { matches: 3_000 };
    let settings = of(Format::Ladder(ladder), 2, 1);
    let mut director = director(&settings, 10);
    let strengths: Vec<f64> = (0..11).map(|bot| f64::from(bot) / 4.0).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut played = Vec::new();
    loop {
        match director.next() {
            Next::Match(pairing) => {
                let result = outcome(&pairing.seats, &strengths, &mut rng);
                director.take(pairing.index, &result);
                played.push((pairing, result));
                if played.len() == 2_000 {
                    director.change(&Change::Join { entrant: 10 });
                }
            }
            Next::Over => break,
            Next::Wait => panic!("all results are known"),
        }
    }
    let of_newcomer = |part: &[(Pairing, MatchResult)]| {
        part.iter()
            .filter(|(one, _)| one.seats.contains(&10))
            .count()
    };
    assert_eq!(of_newcomer(&played[..2_000]), 0);
    let [soon, all] = [
        of_newcomer(&played[2_000..2_200]),
        of_newcomer(&played[2_000..]),
    ];
    assert!((40..=190).contains(&soon), "{soon} of 200");
    assert!((150..=600).contains(&all), "{all} of 1000");
    let order = by_strength(&settings, 11, &played);
    assert_eq!(order[0], 10, "{order:?}");
}
