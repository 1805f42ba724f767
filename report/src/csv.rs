//! Comma-separated values by RFC 4180, but with the line ends of the text tools around us.

use crate::column::ReportView;
use crate::document::{Document, Part};
use crate::plain::plain_line;
use crate::table::{AGAINST, OF, ReportTable};
use crate::value::Value;

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

impl ReportTable {
    /// The rows as programs read them, under the columns' keys.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        line(
            &mut out,
            self.seen(ReportView::Data).map(|column| &column.key),
        );
        out + &self.csv_rows()
    }

    /// The same without the headings.
    pub fn csv_rows(&self) -> String {
        let mut out = String::new();
        for row in 0..self.rows {
            line(
                &mut out,
                self.seen(ReportView::Data).map(|column| column.exact(row)),
            );
        }
        out
    }

    /// Each figure of the table on a line of its own: which table, of whom, against whom, what, and how much. Numbers
    /// have all their digits.
    fn figures_csv(&self, table: &str, out: &mut String) {
        for row in 0..self.rows {
            let name = |key: &str| {
                let mut columns = self.seen(ReportView::Data);
                let column = columns.find(|column| column.key == key);
                column.map_or_else(String::new, |column| column.exact(row))
            };
            let (of, against) = (name(OF), name(AGAINST));
            let figures = self.seen(ReportView::Data);
            for column in figures.filter(|column| column.key != OF && column.key != AGAINST) {
                let value = match &column.values[row] {
                    Value::Number(number) if number.is_finite() => (number + 0.0).to_string(),
                    _ => column.exact(row),
                };
                let key = plain_line(&column.key);
                line(out, [table, &of, &against, &key, &value]);
            }
        }
    }
}

/// All figures of a document in one list.
pub fn figures(document: &Document) -> String {
    let mut out = String::from("table,of,against,figure,value\n");
    for part in &document.parts {
        if let Part::Table(table) = part
            && let Some(name) = table.figures
        {
            table.figures_csv(name, &mut out);
        }
    }
    out
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
