//! Options that a game has had only since some version. What was stored before lacks them, and was played in one
//! of the ways that they offer now; so it is read again as it was written.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{OptionsError, json_of, read, written};

/// An option that was added when records without it had been written.
#[derive(Clone, Copy, Debug)]
pub struct Later {
    /// Its name, with those of the objects that it is in. It is not the first option of its object.
    pub name: &'static str,
    /// Its value in what was stored without it. The default may be another.
    pub before: bool,
}

impl Later {
    /// Returns its value in options that have it.
    fn find<'a>(&self, options: &'a Value) -> Option<&'a Value> {
        let mut names = self.name.split('.');
        names.try_fold(options, |object, name| object.get(name))
    }

    /// Adds the option as it was before, where its objects are objects.
    fn add(&self, options: &mut Value) {
        let (path, last) = self.split();
        let mut object = Some(options);
        for name in path {
            object = object.and_then(|object| match object {
                Value::Object(fields) => Some(
                    fields
                        .entry(name)
                        .or_insert_with(|| Value::Object(Map::new())),
                ),
                _ => None,
            });
        }
        if let Some(Value::Object(fields)) = object {
            fields.insert(last.into(), self.before.into());
        }
    }

    fn split(&self) -> (impl Iterator<Item = &'static str> + use<>, &'static str) {
        let (path, last) = self.name.rsplit_once('.').unwrap_or(("", self.name));
        (path.split('.').filter(|name| !name.is_empty()), last)
    }

    /// Options as they are written, without this one if it has this value.
    fn cut_from(&self, options: &str, value: bool) -> String {
        let (_, last) = self.split();
        options.replacen(&format!(",\"{last}\":{value}"), "", 1)
    }
}

/// Those of the later options that these do not have.
fn missing<'a>(later: &'a [Later], options: &Value) -> Vec<&'a Later> {
    let later = later.iter();
    later.filter(|one| one.find(options).is_none()).collect()
}

/// Options that are written out in full, without these that have their earlier values.
fn as_before(options: &str, missing: &[&Later]) -> String {
    missing.iter().fold(options.to_owned(), |options, one| {
        one.cut_from(&options, one.before)
    })
}

/// Options that this version or an earlier one wrote out in full, as this version writes them.
///
/// # Errors
/// When they do not fit, or are not written out in full.
pub(crate) fn complete<O>(stored: &str, later: &[Later]) -> Result<String, OptionsError>
where
    O: DeserializeOwned + Serialize + Default,
{
    let mut options = serde_json::from_str(stored).unwrap_or_default();
    let missing = missing(later, &options);
    for one in &missing {
        one.add(&mut options);
    }
    let read: O = if missing.is_empty() {
        read(stored)?
    } else {
        read(&options.to_string())?
    };
    let full = written(&read);
    if as_before(&full, &missing) == stored {
        return Ok(full);
    }
    let why = "the options are not written out in full";
    Err(OptionsError(why.into()))
}

/// What options that somebody gives mean for something that was begun with options which were stored: an option
/// that was unknown then, and is not given, is as it was. Written as the stored ones are.
///
/// # Errors
/// When the given options do not fit.
pub(crate) fn as_begun<O>(
    given: &str,
    stored: &str,
    later: &[Later],
) -> Result<String, OptionsError>
where
    O: DeserializeOwned + Serialize + Default,
{
    let missing = missing(later, &serde_json::from_str(stored).unwrap_or_default());
    if missing.is_empty() {
        return Ok(written(&read::<O>(given)?));
    }
    let mut options = serde_json::from_str(given).unwrap_or_default();
    for one in &missing {
        if one.find(&options).is_none() {
            one.add(&mut options);
        }
    }
    let read: O = read(&options.to_string())?;
    Ok(as_before(&written(&read), &missing))
}

/// Options that are written out in full, without those that were added and have their defaults: the same from
/// version to version.
pub(crate) fn without_later<O>(options: &str, later: &[Later]) -> String
where
    O: Serialize + Default,
{
    let default = json_of(&O::default());
    later.iter().fold(options.to_owned(), |options, one| {
        match one.find(&default).and_then(Value::as_bool) {
            Some(value) => one.cut_from(&options, value),
            None => options,
        }
    })
}
