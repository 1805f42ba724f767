//! Comma-separated values by RFC 4180, but with the line ends of the text tools around us.

/// Appends a line. A field with a comma, a quote or a line end is quoted.
pub(crate) fn line<T: AsRef<str>>(out: &mut String, fields: impl IntoIterator<Item = T>) {
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        let field = field.as_ref();
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
