//! The statistics against values from elsewhere: those of an independent program, which
//! `tests/witness/statistics.py` prints, and those that other tools publish in their tests.

use flipside_ratings::{BlockScores, Model, Sprt};

const WITNESS: &str = include_str!("../../../tests/witness/statistics.txt");

fn blocks(counts: &[u64]) -> BlockScores {
    let mut blocks = BlockScores::new((counts.len() as u8 - 1) / 2);
    for (at, &count) in counts.iter().enumerate() {
        // Adding one by one would take long for the large ones.
        let mut some = match counts.len() {
            3 => BlockScores::trinomial(std::array::from_fn(|of| if of == at { count } else { 0 })),
            5 => {
                BlockScores::pentanomial(std::array::from_fn(|of| if of == at { count } else { 0 }))
            }
            _ => BlockScores::new((counts.len() as u8 - 1) / 2),
        };
        if counts.len() > 5 {
            (0..count).for_each(|_| some.add(at));
        }
        blocks.add_all(&some);
    }
    assert_eq!(blocks.counts(), counts);
    blocks
}

fn llr(counts: &[u64], elo0: f64, elo1: f64, model: Model) -> f64 {
    let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap();
    sprt.llr(&blocks(counts))
}

/// To nine digits, which is what the witness prints, but for what it rounds on the way.
fn agree(what: &str, ours: f64, theirs: f64) {
    let apart = (ours - theirs).abs();
    assert!(
        apart <= 2e-8 * theirs.abs().max(1.0),
        "{what}: {ours}, the witness has {theirs}"
    );
}

#[test]
fn elo_and_ratios_are_those_of_the_witness() {
    let mut sets = 0;
    for line in WITNESS.lines() {
        let parts: Vec<&str> = line.split("; ").collect();
        let [counts, elos, figures, ratios] = parts[..] else {
            panic!("four parts: {line}")
        };
        let numbers = |text: &str| -> Vec<Option<f64>> {
            let words = text.split_whitespace();
            words
                .map(|word| (word != "-").then(|| word.parse().unwrap()))
                .collect()
        };
        let counts: Vec<u64> = counts
            .split_whitespace()
            .map(|count| count.parse().unwrap())
            .collect();
        let [Some(elo0), Some(elo1)] = numbers(elos)[..] else {
            panic!("two numbers: {line}")
        };
        let ours = match blocks(&counts).elo() {
            Some(elo) => [
                elo.elo,
                elo.error,
                elo.normalised,
                elo.normalised_error,
                elo.superiority,
            ],
            None => [f64::NAN; 5],
        };
        let figures = numbers(figures);
        assert_eq!(figures.len(), ours.len());
        for (ours, theirs) in ours.into_iter().zip(figures) {
            match theirs {
                Some(theirs) => agree(line, ours, theirs),
                None => assert!(!ours.is_finite(), "{line}: {ours}"),
            }
        }
        let [Some(logistic), Some(normalised)] = numbers(ratios)[..] else {
            panic!("two numbers: {line}")
        };
        agree(line, llr(&counts, elo0, elo1, Model::Logistic), logistic);
        agree(
            line,
            llr(&counts, elo0, elo1, Model::Normalized),
            normalised,
        );
        sets += 1;
    }
    assert!(sets >= 40, "{sets}");
}

/// From fastchess's `sprt_test.cpp`, to the digits that are given there.
#[test]
fn ratios_are_those_that_fastchess_publishes() {
    let published: [(&[u64], f64, f64, Model, f64); 8] = [
        (&[36_027, 68_692, 36_433], 0.0, 2.0, Model::Normalized, 0.92),
        (
            &[10_650, 20_431, 10_871],
            -1.75,
            0.25,
            Model::Normalized,
            2.30,
        ),
        (&[21_184, 40_708, 21_404], 0.5, 2.5, Model::Logistic, -1.57),
        (&[57_030, 106_593, 57_433], 0.0, 2.0, Model::Logistic, -2.59),
        (
            &[365, 16_618, 36_229, 16_974, 390],
            0.0,
            2.0,
            Model::Normalized,
            2.25,
        ),
        (
            &[127, 4_883, 10_712, 5_150, 104],
            -1.75,
            0.25,
            Model::Normalized,
            3.01,
        ),
        (
            &[223, 9_863, 21_279, 10_037, 246],
            0.5,
            2.5,
            Model::Logistic,
            -3.07,
        ),
        (
            &[871, 26_175, 55_983, 26_678, 821],
            0.0,
            2.0,
            Model::Logistic,
            -4.98,
        ),
    ];
    for (counts, elo0, elo1, model, theirs) in published {
        let ours = llr(counts, elo0, elo1, model);
        assert!(
            (ours - theirs).abs() < 0.005 + 1e-9,
            "{counts:?}: {ours}, not {theirs}"
        );
    }
}

/// What OpenBench told of tests in public pull requests of chess engines: elo0, elo1, pairs, and the ratio. OpenBench
/// has normalised Elo, whatever it calls it.
#[test]
fn ratios_are_those_that_openbench_publishes() {
    let published: [(f64, f64, [u64; 5], f64); 13] = [
        // ProgramciDusunur/Potential 565
        (-5.0, 0.0, [1400, 4234, 7874, 4238, 1373], 2.95),
        // Yoshie2000/PlentyChess 334, two tests
        (0.0, 2.5, [214, 8992, 19_871, 9102, 235], 0.16),
        (-3.0, 1.0, [5, 942, 2469, 1050, 5], 2.90),
        // Yoshie2000/PlentyChess 95, 213, 233
        (0.0, 5.0, [46, 936, 2083, 1043, 63], 2.91),
        (0.0, 3.0, [44, 241, 590, 413, 71], 2.91),
        (0.0, 3.0, [59, 1365, 2872, 1515, 89], 2.91),
        // cosmobobak/viridithas 210, 292, 196
        (-5.0, 0.0, [189, 845, 1540, 899, 214], 2.98),
        (0.0, 3.0, [584, 11_950, 25_215, 11_975, 596], -2.96),
        (0.0, 3.0, [51, 648, 1441, 809, 76], 2.97),
        // Quanticade/Quanticade 158
        (0.0, 3.0, [374, 7478, 16_137, 7776, 389], 2.91),
        // kelseyde/calvin-chess-engine 301, two tests
        (0.0, 5.0, [34, 635, 1322, 712, 50], 2.27),
        (0.0, 5.0, [49, 947, 2132, 1094, 33], 2.25),
        // A published test of fishtest, with one digit more
        (0.0, 2.0, [379, 10_170, 21_828, 10_640, 343], 2.945),
    ];
    for (elo0, elo1, counts, theirs) in published {
        let ours = llr(&counts, elo0, elo1, Model::Normalized);
        let apart = (ours - theirs).abs();
        assert!(apart <= 0.005 + 1e-9, "{counts:?}: {ours}, not {theirs}");
        // The other model does not give it.
        let logistic = llr(&counts, elo0, elo1, Model::Logistic);
        assert!((logistic - theirs).abs() > 0.1, "{counts:?}: {logistic}");
    }
}

/// From fastchess's `elo_test.cpp`.
#[test]
fn elo_is_that_which_fastchess_publishes() {
    let published: [(&[u64], &str); 4] = [
        (
            &[96, 111, 136],
            "Elo: 40.70 +/- 30.43, nElo: 49.77 +/- 36.77",
        ),
        (
            &[34, 54, 63, 64, 75],
            "Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 28.28",
        ),
        (
            &[332, 433, 498, 333, 334],
            "Elo: -8.64 +/- 10.33, nElo: -9.17 +/- 10.96",
        ),
        (
            &[7_895, 8_757, 5_685, 568, 9_999],
            "Elo: -21.04 +/- 2.95, nElo: -19.01 +/- 2.65",
        ),
    ];
    for (counts, theirs) in published {
        assert_eq!(blocks(counts).elo().unwrap().to_string(), theirs);
    }
    for (counts, theirs) in [
        (&[89, 123, 76][..], 0.1553),
        (&[96, 111, 136], 0.9960),
        (&[332, 433, 498, 333, 334], 0.0505),
    ] {
        let ours = blocks(counts).elo().unwrap().superiority;
        assert!(
            (ours - theirs).abs() < 0.000_05,
            "{counts:?}: {ours}, not {theirs}"
        );
    }
}

#[test]
fn what_has_no_error_is_null_in_json_and_the_score_still_has_its_interval() {
    let all_won = blocks(&[0, 0, 0, 0, 10]);
    let json = serde_json::to_value(all_won.elo().unwrap()).unwrap();
    assert_eq!(json["elo"], serde_json::Value::Null);
    assert_eq!(json["high"], serde_json::Value::Null);
    assert!(json["low"].as_f64().unwrap() > 200.0, "{json}");
    assert!(all_won.superiority().unwrap() < 0.999_999);
    assert!(blocks(&[0, 0, 0, 0, 0]).elo().is_none());
}
