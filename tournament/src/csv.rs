//! Comma-separated values by RFC 4180, but with the line ends of the text tools around us.

/// Appends a line. A field with a comma, a quote or a line end is quoted. A field that a spreadsheet
/// would take for a formula, and that is no number, gets an apostrophe, which keeps it a text: fields
/// may hold what a bot wrote.
pub fn line<T: AsRef<str>>(out: &mut String, fields: impl IntoIterator<Item = T>) {
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        let field = field.as_ref();
        if field.starts_with(['=', '@', '+', '-']) && field.parse::<f64>().is_err() {
            out.push('\'');
        }
        if field.contains([',', '"', '\n', '\r']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_stays_a_text() {
        let mut out = String::new();
        line(&mut out, ["=1+1", "-5.0", "-cmd", "+a1", "@x"]);
        assert_eq!(out, "'=1+1,-5.0,'-cmd,'+a1,'@x\n");
    }

    #[test]
    fn what_would_break_a_line_is_quoted() {
        let mut out = String::new();
        line(
            &mut out,
            ["plain", "a,b", "say \"hi\"", "two\nlines", "", " kept "],
        );
        assert_eq!(
            out,
            "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",, kept \n"
        );
        line(&mut out, Vec::<String>::new());
        assert!(out.ends_with(" \n\n"));
    }
}
