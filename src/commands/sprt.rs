use std::path::PathBuf;

use flipside_operations::{Failure, Result, read_results};
use flipside_ratings::{BlockScores, Sprt};
use flipside_report::{ReportRow as _, ReportTable, tested_in_words};
use flipside_tournament::Tested;

use crate::args::TestFlags;
use crate::number;
use crate::output::OutputFormat;

/// Put results to a sequential test
///
/// Tells whether a bot is stronger than another by elo1, or only by elo0, or that the results do not decide it yet.
/// They come from a file of CSV, PGN or TRF, as for `flipside rate`, or are counts. A list of matches is tested in its order, and what
/// comes behind the decision is left out.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// File of the results of two bots; the one that is named first is tested
    #[arg(required_unless_present_any = ["wdl", "ptnml"], conflicts_with_all = ["wdl", "ptnml"])]
    file: Option<PathBuf>,
    /// How many matches the bot won, drew and lost
    #[arg(long, value_name = "W,D,L", value_parser = counts::<3>, conflicts_with = "ptnml")]
    wdl: Option<[u64; 3]>,
    /// How many pairs of matches gave the bot 0, 0.5, 1, 1.5 and 2 points
    #[arg(long, value_name = "A,B,C,D,E", value_parser = counts::<5>)]
    ptnml: Option<[u64; 5]>,
    /// Test this bot of the file, and not the one that is named first
    #[arg(long, value_name = "NAME", requires = "file")]
    bot: Option<String>,
    #[command(flatten)]
    test: TestFlags,
    #[command(flatten)]
    format: OutputFormat,
}

/// The largest count: with it, sums and squares stay exact.
const LARGEST: u64 = 1_000_000_000;

/// Reads so many counts.
fn counts<const N: usize>(typed: &str) -> Result<[u64; N], String> {
    let numbers = typed.split([',', ' ']).filter(|number| !number.is_empty());
    let numbers: Vec<u64> = numbers
        .map(number::whole(0, LARGEST))
        .collect::<Result<_, _>>()?;
    let counts: [u64; N] = numbers
        .try_into()
        .map_err(|numbers: Vec<u64>| format!("{N} numbers, not {}", numbers.len()))?;
    match counts.iter().all(|&count| count == 0) {
        true => Err("at least one count is not 0".into()),
        false => Ok(counts),
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let sprt = args.test.sprt()?;
    let tested = tested(args, &sprt)?;
    let csv = || ReportTable::of("", Tested::COLUMNS, std::slice::from_ref(&tested)).csv();
    args.format
        .print_value(&tested, || Ok(tested_in_words(&tested)), csv)
}

fn tested(args: &Args, sprt: &Sprt) -> Result<Tested> {
    let bots = || ["first", "second"].map(str::to_owned);
    Ok(match (&args.file, args.wdl, args.ptnml) {
        (Some(file), ..) => {
            let list = read_results(std::slice::from_ref(file))?;
            let tested = list.tested(sprt, args.bot.as_deref());
            tested.map_err(|error| Failure::usage(&error).hint(error.hint()))?
        }
        (_, Some([won, drawn, lost]), _) => {
            Tested::of(bots(), sprt, &BlockScores::trinomial([lost, drawn, won]))
        }
        (_, _, Some(counts)) => Tested::of(bots(), sprt, &BlockScores::pentanomial(counts)),
        _ => unreachable!("one of the three is required"),
    })
}
