//! Reports are read as they were written, and compared without surprises.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use super::*;

const NAMES: [&str; 5] = ["a", "b", "process-ply", "modules-flipfour", "memory"];

/// Values around a middle, which vary by this part of it.
fn values(rng: &mut impl Rng, middle: f64, varies: f64, repeats: usize) -> Vec<f64> {
    let value = |_| middle * (1.0 + varies * (rng.random::<f64>() - 0.5));
    (0..repeats).map(value).collect()
}

fn figure(
    rng: &mut impl Rng,
    name: &str,
    aim: FigureTarget,
    repeats: usize,
    factor: f64,
) -> Figure {
    let baseline = Series::new("one \"side\"", values(rng, 10.0, 0.1, repeats));
    let measured = Series::new("other", values(rng, 10.0 * factor, 0.1, repeats));
    Figure::new(name, "us", aim, baseline, measured).unwrap()
}

fn report(figures: Vec<Figure>) -> BenchReport {
    BenchReport {
        flipside_bench: FORMAT,
        version: "0.1.0".into(),
        optimized: true,
        date: "2026-11-22T14:05:09Z".into(),
        machine: Machine {
            cpu: "Some CPU".into(),
            cpus: 2,
            kernel: "Linux 6.12".into(),
        },
        plan: BenchPlan {
            parts: BenchPart::ALL.to_vec(),
            repeats: 9,
            rounds: 20_000,
            matches: u64::MAX,
            game_module: None,
        },
        question_bytes: 512,
        figures,
        notes: vec!["something is not measured: \u{1b} \"why\"".into()],
        comparison: None,
    }
}

/// A report of figures whose size differs by many orders of magnitude.
fn any_report(rng: &mut impl Rng) -> BenchReport {
    let mut figures = Vec::new();
    for name in NAMES {
        if rng.random::<bool>() {
            let aim = if rng.random() {
                FigureTarget::Low
            } else {
                FigureTarget::High
            };
            let repeats = rng.random_range(1..20);
            let factor = 10f64.powf(rng.random_range(-3.0..6.0));
            figures.push(figure(rng, name, aim, repeats, factor));
        }
    }
    report(figures)
}

fn json(report: &BenchReport) -> String {
    serde_json::to_string_pretty(report).unwrap()
}

#[test]
fn what_is_stored_reads_back_as_the_same_values() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..300 {
        let (mut one, other) = (any_report(&mut rng), any_report(&mut rng));
        assert_eq!(BenchReport::parse(&json(&one)).unwrap(), one);
        // What was compared is no part of a run.
        one.comparison = Some(Comparison::of(&other, &one));
        let read = BenchReport::parse(&json(&one)).unwrap();
        one.comparison = None;
        assert_eq!(read, one);
    }
}

#[test]
fn a_spread_is_in_order_and_within_the_values() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for repeats in 1..60 {
        let factor = rng.random_range(0.1..10.0);
        let figure = figure(&mut rng, "a", FigureTarget::Low, repeats, factor);
        let Spread { median, low, high } = figure.ratio;
        let below = |bound: f64| figure.ratios().filter(|ratio| *ratio < bound).count();
        assert!(low <= median && median <= high);
        assert!(below(low) * 4 <= repeats && below(median) * 2 <= repeats);
        assert!(figure.ratios().any(|ratio| ratio == low));
        assert!(figure.ratios().any(|ratio| ratio == high));
        assert_eq!(figure.repeats(), repeats);
    }
}

#[test]
fn a_run_has_not_changed_from_itself() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..300 {
        let one = any_report(&mut rng);
        let comparison = Comparison::of(&one, &one);
        assert!(comparison.warnings.is_empty());
        assert!(comparison.gone.is_empty() && comparison.new.is_empty());
        assert_eq!(comparison.figures.len(), one.figures.len());
        for compared in comparison.figures {
            assert_eq!(compared.before, compared.now);
            assert_eq!(compared.quotient, 1.0);
            assert!(matches!(
                compared.change,
                RatioChange::None | RatioChange::Unknown
            ));
        }
    }
}

#[test]
fn a_comparison_the_other_way_round_says_the_opposite() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut changes = 0;
    for _ in 0..300 {
        let (mut one, other) = (any_report(&mut rng), any_report(&mut rng));
        for figure in &mut one.figures {
            figure.aim = other.figure(&figure.name).map_or(figure.aim, |it| it.aim);
        }
        let (there, back) = (Comparison::of(&one, &other), Comparison::of(&other, &one));
        assert_eq!((&there.gone, &there.new), (&back.new, &back.gone));
        for there in &there.figures {
            let mut figures = back.figures.iter();
            let back = figures.find(|back| back.name == there.name).unwrap();
            assert!((there.quotient * back.quotient - 1.0).abs() < 1e-9);
            let opposite = match there.change {
                RatioChange::Better => RatioChange::Worse,
                RatioChange::Worse => RatioChange::Better,
                change => change,
            };
            assert_eq!(back.change, opposite);
            changes += usize::from(opposite != there.change);
        }
    }
    assert!(changes > 50, "{changes}");
}

#[test]
fn a_change_beyond_the_spread_is_marked_by_its_direction() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for repeats in 1..40 {
        for (aim, higher) in [
            (FigureTarget::Low, RatioChange::Worse),
            (FigureTarget::High, RatioChange::Better),
        ] {
            let mut of = |factor| report(vec![figure(&mut rng, "a", aim, repeats, factor)]);
            let compared = Comparison::of(&of(1.0), &of(1.5)).figures.remove(0);
            // No order of four values and four others is rare enough.
            let expected = if repeats < 5 {
                RatioChange::Unknown
            } else {
                higher
            };
            assert_eq!(compared.change, expected, "{repeats}");
            assert!((1.3..1.7).contains(&compared.quotient));
        }
    }
}

#[test]
fn chance_is_hardly_ever_taken_for_a_change() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for repeats in [5, 9, 30] {
        let mut one = || report(vec![figure(&mut rng, "a", FigureTarget::Low, repeats, 2.0)]);
        let changes = (0..1000).filter(|_| {
            let change = Comparison::of(&one(), &one()).figures[0].change;
            change != RatioChange::None
        });
        let changes = changes.count();
        assert!(changes < 20, "{changes} of 1000 with {repeats} repeats");
    }
}

#[test]
fn what_makes_runs_hard_to_compare_is_said() {
    let one = report(Vec::new());
    let mut other = one.clone();
    other.machine.cpu = "Another CPU".into();
    other.optimized = false;
    other.plan.rounds = 1_000;
    assert_eq!(
        Comparison::of(&one, &other).warnings,
        [
            "another machine: CPU: Some CPU, now Another CPU",
            "built with optimisation, now without optimisation",
            "--rounds: 20000, now 1000"
        ]
    );
}

#[test]
fn what_is_no_saved_run_is_refused_with_a_hint() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let good = report(vec![figure(&mut rng, "a", FigureTarget::Low, 3, 1.0)]);
    let text = json(&good);
    let value = serde_json::to_value(&good).unwrap();
    let with = |path: &str, new: serde_json::Value| {
        let mut changed = value.clone();
        *changed.pointer_mut(path).unwrap() = new;
        changed.to_string()
    };
    let pair = value["figures"][0].clone();
    let cases = [
        (String::new(), "no saved run"),
        (
            "{\"question_bytes\":1,\"process\":{}}".into(),
            "flipside_bench",
        ),
        (text[..text.len() / 2].to_owned(), "no saved run"),
        (with("/flipside_bench", 2.into()), "in version 2"),
        (with("/machine", 1.into()), "no saved run"),
        (
            with("/figures/0/baseline/values", [0.0, 1.0, 1.0].into()),
            "the value 0",
        ),
        (
            with("/figures/0/baseline/values/1", (-1.0).into()),
            "the value -1",
        ),
        (
            with("/figures/0/measured/values/1", 1e300.into()),
            "the value 1e300",
        ),
        (with("/figures/0/baseline/values", [1.0].into()), "in pairs"),
        (
            with("/figures", vec![pair.clone(), pair].into()),
            "has a twice",
        ),
    ];
    for (text, why) in cases {
        let failure = BenchReport::parse(&text).unwrap_err();
        assert!(failure.message().contains(why), "{failure}");
        assert!(!failure.hints().is_empty(), "{failure}");
    }
    // What a later version adds without need is passed over.
    let mut more = value.clone();
    more["more"] = 1.into();
    assert_eq!(BenchReport::parse(&more.to_string()).unwrap(), good);
}

#[test]
fn a_part_is_found_by_its_name() {
    for part in BenchPart::ALL {
        assert_eq!(part.name().parse(), Ok(part));
        assert_eq!(serde_json::to_value(part).unwrap(), part.name());
    }
    assert!("plies".parse::<BenchPart>().is_err());
}
