//! A form that was refused, on its page again: as it was sent, with the message at its field.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};

use super::tags::{Tag, escaped, unescaped};
use crate::accounts::secret::WORD_FIELD;

/// What was sent, and why it was refused.
pub(super) struct RefusedForm<'a> {
    /// Where the form is sent.
    pub(super) action: &'a str,
    /// The fields that were sent.
    pub(super) sent: &'a [(String, String)],
    /// The field at fault, where it is one.
    pub(super) field: Option<&'a str>,
    /// What is wrong and what helps, as HTML within a line; nothing where nothing is wrong.
    pub(super) message: Option<&'a str>,
}

/// The page with the form as it was sent, and the message at its field, or at the beginning of the form. Nothing where
/// the page has no such form.
pub(super) fn refilled(html: &str, refused: &RefusedForm<'_>) -> Option<String> {
    let (start, end) = find(html, refused)?;
    let form = Refill {
        html,
        end,
        refused,
        typed: typed(refused.sent),
        written: html[..start].to_owned(),
        is_placed: false,
    };
    let page = form.write(start) + &html[end..];
    Some(match refused.message {
        Some(_) => quiet(&page),
        None => page,
    })
}

/// The page with the form of this address as it was sent, to be sent otherwise.
pub(crate) fn filled(page: String, action: &str, sent: &[(String, String)]) -> String {
    let filled = RefusedForm {
        action,
        sent,
        field: None,
        message: None,
    };
    refilled(&page, &filled).unwrap_or(page)
}

/// The page says that something is wrong, and its parts are not replaced by those of another address.
fn quiet(page: &str) -> String {
    let page = page.replacen("<title>", "<title>Error: ", 1);
    let Some(body) = page.find("<body").and_then(|at| Tag::next(&page, at)) else {
        return page;
    };
    let still = body.with(&[("data-live", None), ("data-old", None)]);
    [&page[..body.start], &still, &page[body.end..]].concat()
}

/// The values of each field, in their order.
fn typed(sent: &[(String, String)]) -> HashMap<&str, VecDeque<&str>> {
    let mut typed: HashMap<&str, VecDeque<&str>> = HashMap::new();
    for (name, value) in sent {
        typed.entry(name).or_default().push_back(value);
    }
    typed
}

/// Where the form begins that was sent, and where it ends: of those with the same address, the one that fits best.
fn find(html: &str, refused: &RefusedForm<'_>) -> Option<(usize, usize)> {
    let mut best: Option<(Fit, (usize, usize))> = None;
    let mut at = 0;
    while let Some(tag) = Tag::next(html, at) {
        at = tag.end;
        let is_form = tag.name == "form" && !tag.closes && tag.is("method", "post");
        let action = tag.get("action").unwrap_or_default();
        let path = action.split('?').next().unwrap_or_default();
        if !is_form || path != refused.action {
            continue;
        }
        let end = at + html[at..].find("</form>")?;
        let fitting = Fit::of(&html[..end], at, refused.sent);
        if best.is_none_or(|(most, _)| fitting > most) {
            best = Some((fitting, (tag.end, end)));
        }
    }
    best.map(|(_, place)| place)
}

/// How well a form fits what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// How many fields were sent that it does not have.
    missing: Reverse<usize>,
    /// Whether people see a field of it that was sent.
    is_seen: bool,
    /// How many of its hidden fields have the value that was sent.
    hidden: usize,
}

impl Fit {
    fn of(html: &str, from: usize, sent: &[(String, String)]) -> Self {
        let (mut at, mut known, mut is_seen, mut hidden) = (from, HashSet::new(), false, 0);
        while let Some(tag) = Tag::next(html, at) {
            at = tag.end;
            let Some(name) = tag.get("name").filter(|_| is_field(&tag)) else {
                continue;
            };
            let values = sent.iter().filter(|(sent, _)| *sent == name);
            let mut values = values.map(|(_, value)| value);
            match tag.is("type", "hidden") {
                true => {
                    let value = tag.get("value").unwrap_or_default();
                    hidden += usize::from(values.any(|sent| *sent == value));
                }
                false => is_seen |= tag.name != "button" && values.next().is_some(),
            }
            known.insert(name);
        }
        let missing = sent.iter().filter(|(name, _)| !known.contains(name));
        Fit {
            missing: Reverse(missing.count()),
            is_seen,
            hidden,
        }
    }
}

fn is_field(tag: &Tag<'_>) -> bool {
    !tag.closes && matches!(tag.name, "input" | "select" | "textarea" | "button")
}

struct Refill<'a> {
    html: &'a str,
    /// Where the form ends.
    end: usize,
    refused: &'a RefusedForm<'a>,
    typed: HashMap<&'a str, VecDeque<&'a str>>,
    written: String,
    /// Whether the message has its place.
    is_placed: bool,
}

impl Refill<'_> {
    /// The page to the end of the form, which begins at `start`.
    fn write(mut self, start: usize) -> String {
        let fields = self.visible_fields(start);
        let at_field = self.refused.field.filter(|field| fields.contains(*field));
        match self.refused.message {
            Some(message) if at_field.is_none() => {
                let alert = "<p class=\"wrong\" role=\"alert\" tabindex=\"-1\" autofocus>";
                self.written += &format!("{alert}{message}</p>");
                self.is_placed = true;
            }
            Some(_) => {}
            None => self.is_placed = true,
        }
        // Of checkboxes and radio buttons, one text stands for all, below the legend.
        let mut legend_end = None;
        // A label around a field ends before the message.
        let mut late: Option<String> = None;
        let mut at = start;
        while let Some(tag) = Tag::next(self.html, at).filter(|tag| tag.start < self.end) {
            self.written += &self.html[at..tag.start];
            at = tag.end;
            match (tag.name, tag.closes) {
                ("fieldset", false) => legend_end = None,
                ("input", false) => {
                    let is_choice = is_choice(&tag);
                    let written = self.input(&tag);
                    self.written += &written;
                    if let Some(message) = self.message(&tag, at_field) {
                        match (is_choice, legend_end) {
                            (true, Some(place)) => self.written.insert_str(place, &message),
                            (true, None) => late = Some(message),
                            (false, _) => self.written += &message,
                        }
                    }
                    continue;
                }
                ("select", false) => {
                    let end = self.element_end(at, "</select>");
                    let wanted: HashSet<&str> = self.values_of(&tag).collect();
                    let written = self.marked(&tag, &[], at_field);
                    let options = options(&self.html[at..end], &wanted, self.has(&tag));
                    self.written += &written;
                    self.written += &options;
                    let message = self.message(&tag, at_field).unwrap_or_default();
                    self.written += &message;
                    at = end;
                    continue;
                }
                ("textarea", false) => {
                    let end = self.element_end(at, "</textarea>");
                    let value = self.take(&tag);
                    let written = self.marked(&tag, &[], at_field);
                    self.written += &written;
                    match value {
                        // A browser leaves out the first end of a line.
                        Some(value) => self.written += &format!("\n{}</textarea>", escaped(&value)),
                        None => self.written += &self.html[at..end],
                    }
                    let message = self.message(&tag, at_field).unwrap_or_default();
                    self.written += &message;
                    at = end;
                    continue;
                }
                _ => {}
            }
            self.written += &self.html[tag.start..tag.end];
            match (tag.name, tag.closes) {
                ("legend", true) => legend_end = Some(self.written.len()),
                ("fieldset", true) => legend_end = None,
                ("label", true) => self.written += &late.take().unwrap_or_default(),
                _ => {}
            }
        }
        self.written += &self.html[at..self.end];
        self.written
    }

    /// The names of the fields that people see.
    fn visible_fields(&self, start: usize) -> HashSet<String> {
        let (mut at, mut fields) = (start, HashSet::new());
        while let Some(tag) = Tag::next(self.html, at).filter(|tag| tag.start < self.end) {
            at = tag.end;
            if is_field(&tag) && tag.name != "button" && !tag.is("type", "hidden") {
                fields.extend(tag.get("name"));
            }
        }
        fields
    }

    fn element_end(&self, at: usize, closing: &str) -> usize {
        let found = self.html[at..self.end].find(closing);
        found.map_or(self.end, |length| at + length + closing.len())
    }

    /// Whether anything was sent for a field.
    fn has(&self, tag: &Tag<'_>) -> bool {
        let name = tag.get("name").unwrap_or_default();
        self.typed.contains_key(name.as_str())
    }

    fn values_of(&self, tag: &Tag<'_>) -> impl Iterator<Item = &str> {
        let name = tag.get("name").unwrap_or_default();
        let values = self.typed.get(name.as_str()).into_iter().flatten();
        values.copied()
    }

    /// The next text that was sent for a field.
    fn take(&mut self, tag: &Tag<'_>) -> Option<String> {
        let name = tag.get("name").unwrap_or_default();
        let values = self.typed.get_mut(name.as_str())?;
        values.pop_front().map(str::to_owned)
    }

    fn input(&mut self, tag: &Tag<'_>) -> String {
        let at_field = self.refused.field;
        if is_choice(tag) {
            let value = tag.get("value").unwrap_or_else(|| "on".into());
            let is_chosen = self.values_of(tag).any(|chosen| chosen == value);
            let checked = is_chosen.then(String::new);
            return self.marked(tag, &[("checked", checked)], at_field);
        }
        let kind = tag.get("type").unwrap_or_default();
        // A secret is not sent back, a file cannot be, and the word of the session is made anew.
        if matches!(kind.as_str(), "password" | "file") || tag.is("name", WORD_FIELD) {
            return self.marked(tag, &[], at_field);
        }
        match self.take(tag) {
            Some(value) => self.marked(tag, &[("value", Some(value))], at_field),
            None => self.marked(tag, &[], at_field),
        }
    }

    /// Whether the message is for this field, and has no place yet.
    fn is_wrong(&self, tag: &Tag<'_>, at_field: Option<&str>) -> bool {
        let is_hidden = tag.is("type", "hidden");
        at_field.is_some_and(|field| !self.is_placed && !is_hidden && tag.is("name", field))
    }

    /// A field's tag with these values; it is marked where it is wrong.
    fn marked(
        &self,
        tag: &Tag<'_>,
        values: &[(&str, Option<String>)],
        at_field: Option<&str>,
    ) -> String {
        let mut values = values.to_vec();
        if self.is_wrong(tag, at_field) {
            let (id, message) = (id_of(tag), message_id(tag));
            let described = match tag.get("aria-describedby") {
                Some(notes) => format!("{message} {notes}"),
                None => message,
            };
            values.push(("id", Some(id)));
            values.push(("aria-invalid", Some("true".into())));
            values.push(("aria-describedby", Some(described)));
            values.push(("autofocus", Some(String::new())));
        } else {
            // Only one field takes the focus.
            values.push(("autofocus", None));
        }
        tag.with(&values)
    }

    /// The message, if it is for this field and has no place yet.
    fn message(&mut self, tag: &Tag<'_>, at_field: Option<&str>) -> Option<String> {
        if !self.is_wrong(tag, at_field) {
            return None;
        }
        self.is_placed = true;
        let (id, message) = (message_id(tag), self.refused.message?);
        Some(format!(
            "<span class=\"wrong\" id=\"{id}\">{message}</span>"
        ))
    }
}

fn is_choice(tag: &Tag<'_>) -> bool {
    tag.is("type", "checkbox") || tag.is("type", "radio")
}

fn id_of(tag: &Tag<'_>) -> String {
    let name = || format!("field-{}", tag.get("name").unwrap_or_default());
    tag.get("id").unwrap_or_else(name)
}

fn message_id(tag: &Tag<'_>) -> String {
    format!("{}-wrong", id_of(tag))
}

/// The options of a list, those chosen that were sent.
fn options(html: &str, wanted: &HashSet<&str>, was_sent: bool) -> String {
    if !was_sent {
        return html.to_owned();
    }
    let (mut at, mut written) = (0, String::new());
    while let Some(tag) = Tag::next(html, at) {
        written += &html[at..tag.start];
        at = tag.end;
        if tag.name != "option" || tag.closes {
            written += &html[tag.start..tag.end];
            continue;
        }
        let text = html[at..].split('<').next().unwrap_or_default();
        let value = tag.get("value").unwrap_or_else(|| unescaped(text.trim()));
        let selected = wanted.contains(value.as_str()).then(String::new);
        written += &tag.with(&[("selected", selected)]);
    }
    written + &html[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<title>T</title><body data-live=\"x\"><form method=\"post\" action=\"/a\"><input type=\"hidden\" name=\"of\" value=\"1\"><button>Do</button></form>\
        <form class=\"form\" method=\"post\" action=\"/a\"><input type=\"hidden\" name=\"word\" value=\"w\"><input type=\"hidden\" name=\"of\" value=\"2\">\
        <p><label for=\"n\">N</label><input id=\"n\" name=\"n\" value=\"old\" aria-describedby=\"n-note\"><span id=\"n-note\">x</span></p>\
        <p><select name=\"s\"><option>one</option><option value=\"2\" selected>two</option></select></p>\
        <textarea name=\"t\">was</textarea><input name=\"p\" type=\"password\">\
        <fieldset><legend>L</legend><label><input type=\"checkbox\" name=\"c\" value=\"a\" checked> a</label><label><input type=\"checkbox\" name=\"c\" value=\"b\"> b</label></fieldset>\
        <label><input type=\"checkbox\" name=\"d\" value=\"true\"> d</label></form>";

    fn shown(field: Option<&str>) -> String {
        let sent = [
            ("word", "w"),
            ("of", "2"),
            ("n", "<new>"),
            ("s", "one"),
            ("t", "a\r\n\"b\""),
            ("p", "secret"),
            ("c", "b"),
        ];
        let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let refused = RefusedForm {
            action: "/a",
            sent: &sent,
            field,
            message: Some("No."),
        };
        refilled(PAGE, &refused).unwrap()
    }

    #[test]
    fn everything_that_was_sent_stands_in_the_form_and_nothing_secret() {
        let page = shown(Some("n"));
        for part in [
            "<title>Error: T</title><body>",
            "value=\"1\"><button>",
            "<option selected>one</option><option value=\"2\">two</option>",
            "<textarea name=\"t\">\na\r\n&#34;b&#34;</textarea>",
            "value=\"a\"> a</label>",
            "value=\"b\" checked> b</label>",
            "<input id=\"n\" name=\"n\"",
        ] {
            let part = part.replace(
                "<input id=\"n\" name=\"n\"",
                "name=\"n\" value=\"&#60;new&#62;\" id=\"n\"",
            );
            assert!(page.contains(&part), "{part}\n{page}");
        }
        assert!(!page.contains("secret"));
    }

    #[test]
    fn the_message_stands_at_its_field_or_at_the_beginning_of_its_form() {
        for (field, at) in [
            (
                Some("n"),
                "aria-invalid=\"true\" aria-describedby=\"n-wrong n-note\" autofocus><span class=\"wrong\" id=\"n-wrong\">No.</span>",
            ),
            (
                Some("s"),
                "two</option></select><span class=\"wrong\" id=\"field-s-wrong\">No.</span>",
            ),
            (
                Some("t"),
                "</textarea><span class=\"wrong\" id=\"field-t-wrong\">No.</span>",
            ),
            (
                Some("c"),
                "</legend><span class=\"wrong\" id=\"field-c-wrong\">No.</span>",
            ),
            (
                Some("d"),
                " d</label><span class=\"wrong\" id=\"field-d-wrong\">No.</span>",
            ),
            (
                Some("of"),
                "<p class=\"wrong\" role=\"alert\" tabindex=\"-1\" autofocus>No.</p><input type=\"hidden\" name=\"word\"",
            ),
            (
                None,
                "<p class=\"wrong\" role=\"alert\" tabindex=\"-1\" autofocus>No.</p><input type=\"hidden\" name=\"word\"",
            ),
        ] {
            let page = shown(field);
            assert!(page.contains(at), "{field:?}\n{page}");
            assert_eq!(page.matches("No.").count(), 1, "{page}");
        }
    }

    #[test]
    fn a_page_without_the_form_is_no_place_for_the_message() {
        let refused = RefusedForm {
            action: "/b",
            sent: &[],
            field: None,
            message: Some("No."),
        };
        assert_eq!(refilled(PAGE, &refused), None);
    }
}
