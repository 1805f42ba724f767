//! Names that are like a misspelt one.

use std::fs;
use std::path::Path;

/// Names that are less alike are not taken for one another.
const LEAST_ALIKE: f64 = 0.75;

/// Where programs are looked for.
const PROGRAMS: &str = "/usr/bin";

/// Returns the path of the program in `/usr/bin` whose name is most like this one, if one is much like it.
pub fn similar_program(name: &str) -> Option<String> {
    let entries = fs::read_dir(Path::new(PROGRAMS)).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    nearest(name, names, LEAST_ALIKE).map(|name| format!("{PROGRAMS}/{name}"))
}

/// Returns the known name that is most like a word, if it is at least so much like it, from 0 to 1.
pub(crate) fn nearest<T: AsRef<str>>(
    word: &str,
    known: impl Iterator<Item = T>,
    least: f64,
) -> Option<T> {
    let like = |known: &T| strsim::normalized_damerau_levenshtein(known.as_ref(), word);
    let alike = known.map(|known| (like(&known), known));
    let best = alike.filter(|(alike, _)| *alike >= least);
    // Of names that are equally like it, the first in the alphabet: the order of a folder is any.
    let first = |one: &T, other: &T| other.as_ref().cmp(one.as_ref());
    best.max_by(|(one, a), (other, b)| one.total_cmp(other).then(first(a, b)))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_program_is_found() {
        assert_eq!(
            similar_program("pythom3").as_deref(),
            Some("/usr/bin/python3")
        );
        assert_eq!(similar_program("no-program-is-called-so"), None);
    }
}
