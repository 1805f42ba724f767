//! The list of a class: comma-separated values, or rows that were copied from a spreadsheet.

use flipside_tournament::Name;

use crate::accounts::people::folded;
use crate::shared::store::error::RefusedLine;

/// The most names of a list.
pub(crate) const MAX_CLASS: usize = 500;

/// The longest list, in bytes.
pub const MAX_CLASS_BYTES: u64 = 48 << 10;

/// The longest name of a person that is printed, in characters.
const MAX_PERSON: usize = 100;

/// What stands in the first field of a heading.
const HEADINGS: [&str; 2] = ["name", "account"];

/// Somebody of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClassMember {
    /// From 1.
    pub(crate) line: usize,
    /// The name of the account.
    pub(crate) name: Name,
    /// Whom to hand the link to, where that is somebody else's word. It is printed, and not stored.
    pub(crate) person: String,
}

/// Reads a list: a name for an account in each line, and behind a comma, a semicolon or a tab whom it is for. A first
/// line with `name` is a heading.
pub(crate) fn read_class(csv: &str) -> (Vec<ClassMember>, Vec<RefusedLine>) {
    let (mut members, mut refused) = (Vec::<ClassMember>::new(), Vec::new());
    let lines = csv.trim_start_matches('\u{feff}').lines();
    let mut lines = lines.map(fields).zip(1..).peekable();
    let is_heading = |(fields, _): &(Vec<String>, usize)| {
        let first = fields.first().map(|first| folded(first));
        first.is_some_and(|first| HEADINGS.contains(&&*first))
    };
    lines.next_if(is_heading);
    for (fields, line) in lines {
        let mut fields = fields.into_iter();
        let (typed, person) = (fields.next(), fields.next());
        let (typed, person) = (typed.unwrap_or_default(), person.unwrap_or_default());
        if typed.is_empty() && person.is_empty() {
            continue;
        }
        let known = |name: &Name| folded(name.as_str()) == folded(&typed);
        let twin = members.iter().find(|one| known(&one.name));
        let twin = twin.map(|twin| twin.line);
        let why = match (typed.parse::<Name>(), twin) {
            (_, Some(twin)) => format!("{typed} stands in line {twin} already"),
            (Err(error), _) => error.to_string(),
            (Ok(_), _) if members.len() >= MAX_CLASS => {
                format!("a class has at most {MAX_CLASS} names")
            }
            (Ok(name), None) => {
                let person = person.chars().take(MAX_PERSON).collect();
                members.push(ClassMember { line, name, person });
                continue;
            }
        };
        refused.push(RefusedLine(line, why));
    }
    (members, refused)
}

/// The fields of a line. One in quotes may hold what parts fields; two quotes in it are one.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' | ';' | '\t' if !is_quoted => all.push(std::mem::take(&mut field)),
            _ => field.push(letter),
        }
    }
    all.push(field);
    all.iter().map(|field| field.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(csv: &str) -> Vec<(usize, String, String)> {
        let (members, refused) = read_class(csv);
        assert_eq!(refused, []);
        let member = |one: ClassMember| (one.line, one.name.to_string(), one.person);
        members.into_iter().map(member).collect()
    }

    fn one(line: usize, name: &str, person: &str) -> (usize, String, String) {
        (line, name.into(), person.into())
    }

    #[test]
    fn a_list_has_a_name_a_line_and_may_say_whom_it_is_for() {
        assert_eq!(class("ada\nbob\n"), [one(1, "ada", ""), one(2, "bob", "")]);
        let spreadsheet =
            "\u{feff}Name;Person\r\nada;\"Lovelace; Ada\"\r\n\r\nbob;Bob \"\"\"B\"\"\"\r\n;\r\n";
        assert_eq!(
            class(spreadsheet),
            [one(2, "ada", "Lovelace; Ada"), one(4, "bob", "Bob \"B\"")]
        );
        assert_eq!(
            class("account\tperson\tclass\ncy\tJörg\t10b"),
            [one(2, "cy", "Jörg")]
        );
    }

    #[test]
    fn refused_names_are_told_by_line() {
        let (members, refused) = read_class("ada\nJörg\nAda\nbob\n,Nobody");
        let names: Vec<&str> = members.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["ada", "bob"]);
        let lines: Vec<usize> = refused.iter().map(|refused| refused.0).collect();
        assert_eq!(lines, [2, 3, 5]);
        assert!(refused[0].1.contains("\"Jörg\" is not a name"));
        assert_eq!(refused[1].1, "Ada stands in line 1 already");
        let long: Vec<String> = (0..=MAX_CLASS).map(|at| format!("s{at}")).collect();
        let (members, refused) = read_class(&long.join("\n"));
        assert_eq!((members.len(), refused.len()), (MAX_CLASS, 1));
    }
}
