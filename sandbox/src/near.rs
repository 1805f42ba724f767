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
    let alike = names.map(|known| (strsim::normalized_damerau_levenshtein(&known, name), known));
    // Of names that are equally like it, the first in the alphabet: the order of a folder is any.
    let best = alike.filter(|(alike, _)| *alike >= LEAST_ALIKE);
    best.max_by(|(one, first), (other, second)| one.total_cmp(other).then(second.cmp(first)))
        .map(|(_, name)| format!("{PROGRAMS}/{name}"))
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
